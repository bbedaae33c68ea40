// @ts-check
// A plan as rows of bars, and descriptions of its parts.

const BAR = 26,
  LANE = 4,
  MARGIN = 10,
  TITLE = 26,
  AXIS = 26,
  REGRET = 64,
  MARK = 22,
  MARKS = 8,
  LETTER = 6.3,
  PAD = 14,
  PAPER = 640;
const CLOCK_STEPS = [1, 5, 10, 15, 30, 60, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];
let charts = 0;

function dark(colour) {
  const [r, g, b] = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16) / 255);
  return 0.3 * r + 0.6 * g + 0.1 * b < 0.5;
}

// Puts spans into as few lanes as possible such that none overlap.
function pack(spans) {
  const lanes = [];
  for (const one of [...spans].sort((a, b) => a.start - b.start || a.end - b.end)) {
    const free = lanes.findIndex((end) => end <= one.start);
    one.lane = free < 0 ? lanes.length : free;
    lanes[one.lane] = Math.max(one.end, one.start + (one.least || 0));
  }
  return Math.max(1, lanes.length);
}

const MOST_OFF = 2000;

// Off-times of a row until a tick, without the parts before tick 0; none if there are too many to draw.
function offTimes(row, horizon) {
  const times = [];
  for (const { period, spans } of row.off)
    for (const [begin, end] of spans) {
      // The fewest periods after which it ends after tick 0.
      const first = period ? Math.floor(-end / period) + 1 : 0;
      for (let shift = first * period; begin + shift < horizon; shift += period) {
        if (end + shift > 0) times.push([Math.max(0, begin + shift), Math.min(end + shift, horizon)]);
        if (times.length > MOST_OFF) return [];
        if (!period) break;
      }
    }
  return times;
}

class Plan {
  constructor(chart, source, pieces, title, method) {
    this.title = title;
    this.method = method;
    this.actions = source.actions.map(([words, label, short, task, duration, attended, cut, modes]) => ({
      words,
      label,
      short,
      task: source.tasks[task],
      duration,
      attended,
      cut,
      modes,
    }));
    this.rows = new Map();
    this.pieces = pieces.map(([action, start, length, agent, mode, position, done]) => ({
      plan: this,
      action: this.actions[action],
      start,
      end: start + length,
      agent,
      mode,
      position,
      done,
    }));
    chart.agents.forEach((name, i) => this.rows.set(`a${i}`, { name, bars: [] }));
    chart.resources.forEach(([name, size], i) =>
      this.rows.set(`r${i}`, { name: size > 1 ? `${name} (${size})` : name, bars: [] }),
    );
    this.rows.set("own", { name: "unattended", bars: [] });
    for (const row of this.rows.values()) row.off = [];
    for (const [key, period, spans] of chart.off ?? []) this.rows.get(key).off.push({ period, spans });
    for (const piece of this.pieces) this.place(piece);
    for (const [key, row] of this.rows) if (!row.bars.length) this.rows.delete(key);
    this.end = Math.max(0, ...this.pieces.filter((piece) => piece.done).map((piece) => piece.end));
  }

  place(piece) {
    const { action, agent, start, end } = piece;
    const attended = action.modes[piece.mode]?.[2] ?? action.attended;
    const held = action.cut && attended ? end - start : Math.min(attended, end - start);
    const began = agent < 0 ? start : start + held;
    const released = this.rows.has("a0") ? began : end; // without agents, no work is marked as unattended
    const put = (key, from, to, amount) =>
      this.rows.get(key).bars.push({ piece, start: from, end: to, released, amount });
    if (agent >= 0 && held) put(`a${agent}`, start, began, 1);
    const demands = action.modes[piece.mode]?.[1] ?? [];
    for (const [resource, amount] of demands) put(`r${resource}`, start, end, amount);
    if (!demands.length && (began < end || began === start)) put("own", began, end, 1);
  }
}

const stretch = (time, start, end) =>
  end > start ? `${moment(time, start)} to ${moment(time, end)}` : moment(time, start);

// If every minute or turn is a decision, texts name the time and not the number of the command.
const slotted = (chart) => Boolean(chart?.slots);
const decisionName = ([kind, position, , , , , , , text], chart) =>
  kind === "wait" || slotted(chart) ? text : `Command ${position + 1}: ${text}`;

function faultPlace(chart, time, { position, start }) {
  if (position === null) return "the whole plan";
  if (slotted(chart)) return moment(time, start ?? position);
  return start === null ? `command ${position + 1}` : `command ${position + 1}, ${moment(time, start)}`;
}

function priceWords(time, [, , , , cost, status, , after]) {
  if (cost !== null)
    return cost === 0
      ? "Costs nothing."
      : `${cost < 0 ? "Saves" : "Costs"} ${span(time, Math.abs(cost))}; best makespan after it: ${span(time, after)}.`;
  return status === "infeasible" ? "Success is impossible after it." : "Its cost is not proved.";
}
