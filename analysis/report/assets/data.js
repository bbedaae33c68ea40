// @ts-check
// Data: chunks of compressed JSON in the page, elements that contain text only, times in words, links.

const CHUNKS_KEPT = 24;
const chunks = new Map();
// Functions that switch an element to the print view (true) and back (false).
const papers = new WeakMap();
const SVG = "http://www.w3.org/2000/svg";

// An element of page.html, or a chunk of data.
function elementById(id) {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`The page has no element ${id}.`);
  return element;
}

function loaded() {
  if (document.readyState !== "loading") return Promise.resolve();
  return new Promise((resolve) => document.addEventListener("DOMContentLoaded", resolve, { once: true }));
}

async function inflate(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}

async function chunk(number) {
  if (number) await loaded();
  if (!chunks.has(number)) {
    chunks.set(number, inflate(elementById(`chunk-${number}`).textContent));
    if (chunks.size > CHUNKS_KEPT) chunks.delete([...chunks.keys()].find((key) => key > 0));
  }
  return chunks.get(number);
}

// Elements. Text is never parsed as markup; names of attributes never come from the data.

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(3)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return element;
}

const el = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);
const draw = (name, attributes, ...children) => fill(document.createElementNS(SVG, name), attributes, children);
const data = (text, attributes, ...parts) =>
  el("bdi", attributes, parts.length ? parts : text === "" ? "(no name)" : text);

// Numbers and times.

const DASH = "–";
const count = (value) => (value === null || value === undefined ? DASH : value.toLocaleString("en"));
const fixed = (value, digits) => (value === null || value === undefined ? DASH : value.toFixed(digits));
const percent = (value, digits = 1) =>
  value === null || value === undefined ? DASH : `${(100 * value).toFixed(digits)} %`;
const two = (number) => String(number).padStart(2, "0");
const words = (name) => name.replaceAll("_", " ");
const plural = (number, noun) => `${count(number)} ${noun}${number === 1 ? "" : "s"}`;

function clock(seconds, hours = true) {
  const whole = Math.round(seconds);
  const rest = `${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
  return hours ? `${two(Math.floor(whole / 3600))}:${rest}` : rest;
}

function span(time, ticks) {
  if (ticks === null || ticks === undefined) return DASH;
  if (time.seconds === null) return plural(ticks, time.unit);
  const all = Math.abs(ticks) * time.seconds;
  const parts = [
    [Math.floor(all / 3600), "h"],
    [Math.floor(all / 60) % 60, "min"],
    [all % 60, "s"],
  ];
  const text = parts
    .filter(([amount]) => amount)
    .map(([amount, unit]) => `${amount} ${unit}`)
    .join(" ");
  return (ticks < 0 ? "-" : "") + (text || "0 s");
}

const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

// Text of a local time, given as milliseconds as if its zone were UTC.
function dateText(milliseconds) {
  const date = new Date(milliseconds);
  const seconds = date.getUTCSeconds();
  const time = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}${seconds ? `:${two(seconds)}` : ""}`;
  return `${DAYS[date.getUTCDay()]} ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${time}`;
}

function moment(time, tick) {
  if (tick === null || tick === undefined) return DASH;
  if (time.start) return dateText(Date.parse(`${time.start}Z`) + 1000 * tick * time.seconds);
  return time.seconds === 1 ? clock(tick) : `${time.unit} ${tick + time.first}`;
}

// Links, see address.js: #problem/submission; #problem/ for a problem. Names that are not unique end in ~line.

function coded(text) {
  return encodeURIComponent(text).replaceAll("~", "%7E");
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

const problemLink = (name) => `#${name.split("/").map(coded).join("/")}/`;

// Columns of all submissions, with lookups.
class Rows {
  /** @type {string[]} */
  id = [];
  /** @type {number[]} */
  instance = [];
  /** @type {number[]} */
  line = [];
  /** @type {number[]} */
  model = [];
  /** @type {number[]} */
  outcome = [];
  /** @type {(number | null)[]} */
  makespan = [];
  /** @type {(number | null)[]} */
  optimum = [];
  /** @type {(number | string | null)[]} */
  sample = [];
  /** @type {number[]} */
  source = [];
  /** @type {(number | null)[]} */
  at = [];
  /** @type {string[]} */
  sources = [];

  constructor(index) {
    // Columns that the data may lack.
    for (const name of ["sample", "status", "bound", "read", "from", "ignored", "other"]) this[name] = [];
    Object.assign(this, index.rows);
    this.file = index.about.source;
    this.scoring = index.scoring;
    this.meanings = index.meanings;
    this.problems = index.problems.map(([name, set, unit, seconds, first, status, best, bound, chart]) => ({
      name,
      set,
      time: { unit, seconds, first },
      status,
      best,
      bound,
      chart,
      rows: [],
    }));
    this.size = this.id.length;
    this.byName = new Map(this.problems.map((problem, i) => [problem.name, i]));
    this.alone = new Map();
    for (let row = 0; row < this.size; row++) {
      const key = `${this.instance[row]} ${this.id[row]}`;
      this.alone.set(key, this.alone.has(key) ? -1 : row);
    }
    this.order = this.together();
    for (const row of this.order) this.problems[this.instance[row]].rows.push(row);
  }

  // Returns the rows in order; the samples of a model for a problem follow its first one.
  together() {
    const all = [...this.id.keys()];
    if (!this.sample.length) return all;
    const groups = new Map();
    for (const row of all) {
      const key = `${this.instance[row]} ${this.model[row]}`;
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(row);
    }
    return [...groups.values()].flatMap((group) => sorted(group, (row) => this.sample[row], false));
  }

  // The samples of a model for a problem, if there are several.
  samples(row) {
    if ((this.sample[row] ?? null) === null) return [];
    const same = (other) => this.model[other] === this.model[row] && (this.sample[other] ?? null) !== null;
    const rows = this.problem(row).rows.filter(same);
    return rows.length > 1 ? rows : [];
  }

  // Makespan of a success divided by the proved optimum; null if the run ends before it, as after correct guesses.
  ratio(row) {
    const [makespan, best] = [this.makespan[row], this.optimum[row]];
    return this.outcome[row] === 0 && makespan !== null && best && makespan >= best ? makespan / best : null;
  }

  // File and line of a submission.
  fileLine(row) {
    const file = this.sources[this.source[row]] || this.file;
    return `${file ? `${file}, ` : ""}line\u00a0${this.at[row] ?? this.line[row]}`;
  }

  problem(row) {
    return this.problems[this.instance[row]];
  }

  link(row) {
    const alone = this.alone.get(`${this.instance[row]} ${this.id[row]}`) === row && this.id[row] !== "";
    return problemLink(this.problem(row).name) + coded(this.id[row]) + (alone ? "" : `~${this.line[row]}`);
  }

  // Returns the target of a link: {}, {problem} or {problem, row}; null if the report does not have it.
  find(hash) {
    const path = hash.replace(/^#/, "");
    if (path === "") return {};
    const cut = path.lastIndexOf("/");
    const problem = this.byName.get(decoded(path.slice(0, Math.max(cut, 0))));
    const [name, line] = path.slice(cut + 1).split("~");
    if (cut >= 0 && problem !== undefined) {
      if (path.endsWith("/")) return { problem };
      const alone = this.alone.get(`${problem} ${decoded(name)}`);
      const fits = (row) => (line === undefined ? this.id[row] === decoded(name) : this.line[row] === Number(line));
      const row = line === undefined && alone >= 0 ? alone : this.problems[problem].rows.find(fits);
      if (row !== undefined) return { problem, row };
    }
    const whole = this.byName.get(decoded(path));
    return whole === undefined ? null : { problem: whole };
  }
}
