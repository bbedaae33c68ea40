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
  const found = rows.find(hash);
  let parts;
  let title = index.title;
  if (found === null) {
    parts = [
      crumbs(null),
      el("h1", {}, "Nothing here"),
      el("p", {}, "This report has no problem or submission of this name: ", data(decoded(hash.slice(1)) ?? hash)),
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
  before = hash;
  main.dataset.view = hash;
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
  addEventListener("beforeprint", () =>
    document.querySelectorAll("details").forEach((one) => {
      one.open = true;
    }),
  );
  shown();
}

start().catch((error) => {
  main.replaceChildren(el("h1", {}, "This report cannot be shown"), el("p", {}, String(error)));
  throw error;
});
