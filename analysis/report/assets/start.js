// @ts-check
// Which view is shown, and what is told about the piece that is pointed at.

const main = here("main");
const tip = here("tip");
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
  const found = rows.find(address.path);
  let parts;
  let title = index.title;
  if (found === null) {
    parts = [
      crumbs(null),
      el("h1", {}, "Nothing here"),
      el(
        "p",
        {},
        "This report has no problem or submission of this name: ",
        data(decoded(address.path.slice(1)) ?? hash),
      ),
    ];
  } else if (found.row !== undefined) {
    parts = await detailsView(rows, found.row);
    title = `${rows.id[found.row]} · ${title}`;
  } else if (found.problem !== undefined) {
    parts = await problemView(rows, found.problem);
    title = `${rows.problems[found.problem].name} · ${title}`;
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

// Notes where the page is now; without a new view where only filters have changed.
function arrived() {
  before = main.dataset.view = location.hash;
  places.set(before, scrollY);
  if (address.path === "" || address.path === "#") home = before || "#";
}

const folded = new Set();

// Makes what is shown ready for paper: all of it unfolded, tables and charts whole; and back.
function onPaper(on) {
  hideTip();
  for (const fold of document.querySelectorAll("details")) {
    if (on && !fold.open) folded.add(fold);
    fold.open = on || (fold.open && !folded.has(fold));
  }
  if (!on) folded.clear();
  for (const each of document.querySelectorAll(".table, .chart")) papers.get(each)?.(on);
}

// What all views end with: how the page was made, and by which rules.
function foot({ date, versions, benchmarks, profile }, rows) {
  const unscored = rows.outcome.filter((outcome) => outcome === 2).length;
  const made = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const rules = benchmarks.map(({ title, brought, rules: own }) =>
    el(
      "div",
      {},
      el("dt", {}, data(title), brought && [" (", data(brought), ")"]),
      el("dd", {}, own.length ? own.map(([name, value]) => `${words(name)}: ${value}`).join("; ") : "no choices"),
    ),
  );
  const parts = [
    date && `Submissions as of ${date}`,
    `${plural(rows.size, "submission")}${unscored ? `, ${count(unscored)} not graded` : ""}`,
    `profile ${profile}`,
    `made with ${made.join(", ")}`,
  ];
  here("foot").replaceChildren(
    el("p", {}, parts.filter(Boolean).join(" · ")),
    rules.length
      ? el("details", {}, el("summary", {}, "Benchmarks and their rules"), el("dl", { class: "rules" }, rules))
      : "",
  );
}

function shown() {
  view().catch((error) => {
    main.replaceChildren(el("h1", {}, "This cannot be shown"), el("p", {}, String(error)));
    throw error;
  });
}

async function start() {
  if (typeof DecompressionStream === "undefined")
    throw new Error("Your browser cannot unpack the data (DecompressionStream); a newer one can.");
  index = await chunk(0);
  rows = new Rows(index);
  history.scrollRestoration = "manual";
  addEventListener("hashchange", shown);
  addEventListener(
    "scroll",
    () => {
      placeTip();
      places.set(before, scrollY);
    },
    { passive: true, capture: true },
  );
  here("skip").addEventListener("click", (event) => {
    event.preventDefault();
    main.focus();
  });
  addEventListener("beforeprint", () => onPaper(true));
  addEventListener("afterprint", () => onPaper(false));
  foot(index.about, rows);
  shown();
}

start().catch((error) => {
  main.replaceChildren(el("h1", {}, "This report cannot be shown"), el("p", {}, String(error)));
  throw error;
});
