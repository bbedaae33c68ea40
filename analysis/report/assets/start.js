// @ts-check
// Choice of the view, and tooltips of the piece under the pointer.

const main = elementById("main");
const tip = elementById("tip");
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const places = new Map();
/** @type {any} */
let index = null;
/** @type {Rows} */
let rows;
/** @type {string | null} */
let before = null;
let turn = 0;
/** @type {Element | null} */
let pointed = null;

function showTip(target, [title, lines, faults]) {
  tip.replaceChildren(
    el("strong", {}, data(title)),
    ...lines.map((line) => el("p", {}, data(line))),
    ...faults.slice(0, 4).map((text) => el("p", { class: "wrong" }, "✕ ", data(text))),
  );
  tip.hidden = false;
  pointed = target;
  placeTip();
}

function placeTip() {
  if (tip.hidden || !pointed) return;
  const [box, own] = [pointed.getBoundingClientRect(), tip.getBoundingClientRect()];
  const middle = Math.max(box.left, 0) + Math.min(box.width, innerWidth) / 2;
  const above = box.top - own.height - 8;
  const top = above < 8 ? Math.min(box.bottom + 8, innerHeight - own.height - 8) : above;
  tip.style.left = `${Math.max(8, Math.min(middle - own.width / 2, innerWidth - own.width - 8))}px`;
  tip.style.top = `${top}px`;
}

function hideTip() {
  tip.hidden = true;
}

async function view() {
  const mine = ++turn;
  const hash = location.hash;
  address = new Address(hash);
  const target = rows.find(address.path);
  let parts;
  let title = index.title;
  if (target === null) {
    parts = [
      crumbs(null),
      el("h1", {}, "Not found"),
      el(
        "p",
        {},
        "This report has no problem or submission with this name: ",
        data(decoded(address.path.slice(1)) ?? hash),
      ),
    ];
  } else if (target.row !== undefined) {
    parts = await detailsView(rows, target.row);
    title = `${rows.id[target.row]} · ${title}`;
  } else if (target.problem !== undefined) {
    parts = await problemView(rows, target.problem);
    title = `${rows.problems[target.problem].name} · ${title}`;
  } else {
    parts = overview(index, rows);
  }
  if (mine !== turn) return;
  hideTip();
  document.title = title;
  main.replaceChildren(...parts.flat(3).filter(Boolean));
  scrollTo(0, places.get(hash) ?? 0);
  if (before !== null && before !== hash) main.focus({ preventScroll: true });
  arrived();
}

// Records the address and the scroll position; changed filters alone make no new view.
function arrived() {
  before = main.dataset.view = location.hash;
  places.set(before, scrollY);
  if (address.path === "" || address.path === "#") home = before || "#";
}

const folded = new Set();

// Prepares the view for printing (sections unfolded, tables and charts whole), or restores it.
function onPaper(on) {
  hideTip();
  for (const fold of document.querySelectorAll("details")) {
    if (on && !fold.open) folded.add(fold);
    fold.open = on || (fold.open && !folded.has(fold));
  }
  if (!on) folded.clear();
  for (const each of document.querySelectorAll(".table, .chart")) papers.get(each)?.(on);
}

// Footer of all views: versions and rules.
function foot({ date, versions, benchmarks, profile }, rows) {
  const unscored = rows.outcome.filter((outcome) => outcome === 2).length;
  const versionTexts = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const rules = benchmarks.map(({ title, brought, rules: own }) =>
    el(
      "div",
      {},
      el("dt", {}, data(title), brought && [" (", data(brought), ")"]),
      el("dd", {}, own.length ? own.map(([name, value]) => `${words(name)}: ${value}`).join("; ") : "no options"),
    ),
  );
  const parts = [
    date && `Submissions of ${date}`,
    `${plural(rows.size, "submission")}${unscored ? `, ${count(unscored)} not graded` : ""}`,
    `profile ${profile}`,
    `built with ${versionTexts.join(", ")}`,
  ];
  elementById("foot").replaceChildren(
    el("p", {}, parts.filter(Boolean).join(" · ")),
    rules.length
      ? el("details", {}, el("summary", {}, "Benchmarks and rules"), el("dl", { class: "rules" }, rules))
      : "",
  );
}

function showView() {
  view().catch((error) => {
    main.replaceChildren(el("h1", {}, "This view cannot be shown"), el("p", {}, String(error)));
    throw error;
  });
}

async function start() {
  if (typeof DecompressionStream === "undefined")
    throw new Error(
      "This browser does not support DecompressionStream, which unpacks the data. Please use a newer browser.",
    );
  index = await chunk(0);
  rows = new Rows(index);
  history.scrollRestoration = "manual";
  addEventListener("hashchange", showView);
  addEventListener(
    "scroll",
    () => {
      placeTip();
      places.set(before, scrollY);
    },
    { passive: true, capture: true },
  );
  elementById("skip").addEventListener("click", (event) => {
    event.preventDefault();
    main.focus();
  });
  addEventListener("beforeprint", () => onPaper(true));
  addEventListener("afterprint", () => onPaper(false));
  foot(index.about, rows);
  showView();
}

start().catch((error) => {
  main.replaceChildren(el("h1", {}, "This report cannot be shown"), el("p", {}, String(error)));
  throw error;
});
