// @ts-check
// The drawing: a plan and the best one on one time axis, violations above, costs of decisions below.

class Drawing {
  // sheet and priced: details and regret of a submission, null for the best plan alone; whole: all was carried out.
  constructor(chart, time, sheet, priced, whole) {
    this.chart = chart;
    this.time = chart.start ? { ...time, start: chart.start } : time;
    this.priced = priced;
    this.whole = whole;
    this.zoom = 1;
    this.paper = false;
    this.number = charts++;
    this.holder = el("div", { class: "plot", tabindex: "-1" });
    this.labels = el("div", { class: "labels", "aria-hidden": "true" });
    this.items = [];
    this.names = [];
    this.current = null;
    this.scale = (tick) => tick;
    const best = new Plan(
      chart,
      chart,
      chart.optimum.pieces,
      chart.optimum.status === "optimal" ? "Optimal plan" : "Best plan known",
      "optimum",
    );
    const own = sheet?.pieces
      ? new Plan(chart, sheet.actions ? sheet : chart, sheet.pieces, "Submitted plan", "submission")
      : null;
    this.plans = [...(own ? [own] : []), ...(best.pieces.length ? [best] : [])];
    this.faults = (sheet?.faults ?? []).map(([kind, position, start, end, text, subject], i) => ({
      kind,
      position,
      start,
      end,
      text,
      subject,
      number: i + 1,
    }));
    this.groups = this.grouping();
    const work = [...chart.actions, ...(sheet?.actions ?? [])].reduce((sum, action) => sum + action[4], 0);
    const ends = this.plans.flatMap((plan) => plan.pieces.map((piece) => piece.end));
    for (const decision of priced?.decisions ?? []) ends.push(decision[3]);
    const most = 8 * Math.max(1, chart.optimum.makespan ?? 0, work);
    this.horizon = Math.max(1, Math.min(most, Math.max(0, ...ends)));
    this.beyond = this.plans.flatMap((plan) => plan.pieces).filter((piece) => piece.start > this.horizon).length;
  }

  // An element with a tooltip, see Chart.
  item(element, key, links, describe, name) {
    this.items.push({ element, key, links, describe, name });
    return element;
  }

  // What colours distinguish, as in figures/bar_colours.py: up to eight tasks, else resources or agents. Tasks of
  // milestones, which are not drawn, have none.
  grouping() {
    const pieces = this.plans.flatMap((plan) => plan.pieces);
    const drawn = new Set(pieces.map((piece) => piece.action));
    const takes = ({ duration, modes }) => duration > 0 || modes.some(([, demands]) => demands.length);
    const actions = this.plans.flatMap((plan) => plan.actions);
    const visible = actions.filter((action) => takes(action) || drawn.has(action));
    const tasks = [...new Set(visible.map((action) => action.task))];
    const byTask = { names: tasks, of: (piece) => piece.action.task, byTask: true };
    const { limit, tasks: palette } = index.colours;
    if (tasks.length <= limit) return byTask;
    const resources = this.chart.resources.map(([name]) => name);
    const first = ({ action, mode }) => action.modes[mode]?.[1].find(([, amount]) => amount);
    const choices = [
      { order: resources, of: (piece) => resources[first(piece)?.[0]] },
      { order: this.chart.agents, of: (piece) => this.chart.agents[piece.agent] },
    ];
    for (const most of [limit, palette.length])
      for (const { order, of } of choices) {
        const used = new Set(pieces.map(of));
        const names = order.filter((name) => used.has(name));
        if (names.length > 1 && names.length <= most) return { names, of, byTask: false };
      }
    return tasks.length <= palette.length ? byTask : { names: [], of: () => "", byTask: false };
  }

  // The number of the group of a piece; pieces without a group have the last number.
  group(piece) {
    const number = this.groups.names.indexOf(this.groups.of(piece));
    return number < 0 ? this.groups.names.length : number;
  }

  colour(number) {
    return number < this.groups.names.length ? index.colours.tasks[number] : index.colours.others;
  }

  render(width) {
    this.scale = (tick) => (Math.min(tick, this.horizon) / this.horizon) * (width - PAD);
    this.items = [];
    this.names = [];
    const layers = [];
    let y = 0;
    for (const plan of this.plans) {
      const top = y;
      const part = this.whole || plan.title !== "Submitted plan" ? "" : " carried out";
      const heading = `${plan.title}${plan.end ? `, ${span(this.time, plan.end)}${part}` : ""}`;
      this.name(heading, y, "heading", plan.method);
      y += TITLE;
      if (plan.title === "Submitted plan") y = this.drawFaults(layers, y);
      y = this.drawRows(layers, plan, y, width);
      if (plan.end)
        layers.push(
          draw("line", {
            class: "end",
            stroke: index.colours.methods[plan.method],
            x1: this.scale(plan.end),
            x2: this.scale(plan.end),
            y1: top + TITLE,
            y2: y,
          }),
        );
      y += MARGIN;
    }
    const grid = this.drawAxis(width, y);
    y += AXIS;
    if (this.priced?.decisions.some((one) => one[4] !== 0)) y = this.drawRegret(layers, y, width);
    const title = this.plans.map((plan) => `${plan.title}: ${plan.pieces.length} pieces`).join("; ");
    const side = this.paper ? this.side : 0;
    const [wide, high] = [side + width + PAD, y + 2];
    const size = this.paper ? {} : { width: wide, height: high };
    const root = draw(
      "svg",
      {
        ...size,
        preserveAspectRatio: "xMinYMin",
        viewBox: `${-side} 0 ${wide} ${high}`,
        role: "group",
        "aria-label": `Gantt chart. ${title}. Use the arrow keys to move between pieces.`,
      },
      this.patterns(),
      grid,
      layers,
      this.paper ? this.names.map((name) => this.written(name)) : null,
    );
    const place = this.items.findIndex((item) => item.key === this.current);
    this.items.forEach((item, i) => item.element.setAttribute("tabindex", i === Math.max(place, 0) ? "0" : "-1"));
    this.holder.replaceChildren(root);
    this.labels.replaceChildren(...(this.paper ? [] : this.names.map((name) => this.label(name))));
    this.labels.style.height = this.paper ? "" : `${y}px`;
  }

  name(text, y, kind, method = "") {
    this.names.push({ text, y, kind, method });
  }

  // A name beside the drawing, which does not scroll with it.
  label({ text, y, kind, method }) {
    const sign = method && el("span", { class: "swatch", "aria-hidden": "true" });
    if (sign) sign.style.background = index.colours.methods[method];
    const label = el("div", { class: kind, title: text }, sign, data(text));
    label.style.top = `${y}px`;
    return label;
  }

  // A name in the drawing, which scales with it; for print.
  written({ text, y, kind, method }) {
    if (kind === "row") {
      const most = Math.floor((this.side - 4) / LETTER);
      const short = text.length > most ? `${text.slice(0, most - 1)}…` : text;
      return draw("text", { class: kind, x: -this.side, y: y + BAR / 2 + 4 }, short);
    }
    const fill = index.colours.methods[method];
    return [
      draw("rect", { x: -this.side, y: y + 5, width: 4, height: 13, rx: 2, fill }),
      draw("text", { class: kind, x: 10 - this.side, y: y + 16 }, text),
    ];
  }

  // Width of the names in the drawing.
  get side() {
    const longest = Math.max(...this.names.filter(({ kind }) => kind === "row").map(({ text }) => text.length));
    return Math.min(180, Math.max(50, (longest + 1) * LETTER));
  }

  patterns() {
    return draw(
      "defs",
      {},
      [...this.groups.names, ""].map((_, i) =>
        draw(
          "pattern",
          {
            id: `hatch-${this.number}-${i}`,
            width: 7,
            height: 7,
            patternUnits: "userSpaceOnUse",
            patternTransform: "rotate(45)",
          },
          draw("rect", { width: 7, height: 7, fill: this.colour(i), "fill-opacity": 0.25 }),
          draw("rect", { width: 2, height: 7, fill: this.colour(i), "fill-opacity": 0.8 }),
        ),
      ),
    );
  }

  drawRows(layers, plan, y, width) {
    for (const row of plan.rows.values()) {
      row.bars = row.bars.filter((one) => one.start <= this.horizon);
      const lanes = pack(row.bars);
      this.name(row.name, y, "row");
      layers.push(draw("line", { class: "rule", x1: 0, x2: width, y1: y - LANE / 2, y2: y - LANE / 2 }));
      for (const [begin, end] of offTimes(row, this.horizon)) {
        const [x, right] = [this.scale(begin), this.scale(end)];
        layers.push(draw("rect", { class: "off", x, y: y - LANE / 2, width: right - x, height: lanes * (BAR + LANE) }));
      }
      for (const one of row.bars) layers.push(this.bar(one, y + one.lane * (BAR + LANE)));
      y += lanes * (BAR + LANE);
    }
    return y;
  }

  bar({ piece, start, end, released, amount }, y) {
    const { action } = piece;
    const place = this.group(piece);
    const colour = this.colour(place);
    const x = this.scale(start);
    const free = Math.min(Math.max(released, start), end);
    const parts = [];
    const rect = (from, to, look) =>
      parts.push(
        draw("rect", {
          x: this.scale(from),
          y,
          width: Math.max(this.scale(to) - this.scale(from), 1.5),
          height: BAR,
          rx: 2,
          ...look,
        }),
      );
    if (!piece.done) rect(start, end, { class: "ghost" });
    else {
      if (start < free || start === end) rect(start, free, { fill: colour, class: "solid" });
      if (free < end) rect(free, end, { fill: `url(#hatch-${this.number}-${place})`, class: "loose" });
    }
    const room = this.scale(end) - x - 6;
    const namesTask = this.chart.kind === "schedule" && (!this.groups.byTask || /^[0-9]+$/.test(action.short));
    const name = namesTask ? `${action.task}/${action.short}` : action.short;
    const short = name + (amount > 1 ? ` ×${amount}` : "");
    const text = [`${short} ${action.label}`.trim(), short].find((text) => text && text.length * LETTER <= room);
    const plainInk = !piece.done || free < end;
    const look = plainInk ? "on-paper" : dark(colour) ? "on-dark" : "on-light";
    if (text) parts.push(draw("text", { x: x + 4, y: y + BAR / 2 + 4, class: look }, text));
    const links = [
      `p${piece.plan.title} ${piece.start} ${action.words}`,
      `n${action.words}`,
      ...(piece.position === null ? [] : [`c${piece.position}`]),
    ];
    return this.item(
      draw("g", { class: "bar" }, parts),
      links[0],
      links,
      () => this.describePiece(piece),
      this.pieceName(piece),
    );
  }

  pieceName({ plan, action, start, end, done }) {
    const when = `${moment(this.time, start)}, ${span(this.time, end - start)}`;
    return `${plan.title}: ${action.words}, ${when}${done ? "" : ", not carried out"}`;
  }

  describePiece(piece) {
    const { action, plan } = piece;
    const other = this.plans.find((one) => one !== plan);
    const counterparts = other?.pieces.filter((one) => one.action.words === action.words) ?? [];
    const agent = this.chart.agents.length > 1 && piece.agent >= 0 ? this.chart.agents[piece.agent] : "";
    const mode = action.modes[piece.mode];
    const lines = [
      [
        moment(this.time, piece.start),
        piece.end > piece.start
          ? ` to ${moment(this.time, piece.end)} (${span(this.time, piece.end - piece.start)})`
          : "",
      ].join(""),
      agent && `by ${agent}`,
      mode?.[0] && action.modes.length > 1 ? `with ${mode[0]}` : "",
      piece.done ? "" : "Submitted, but not carried out.",
      plan.title === "Submitted plan" && other && counterparts.length && this.chart.kind === "schedule"
        ? `${other.title}: ${counterparts
            .slice(0, 3)
            .map((one) => moment(this.time, one.start))
            .join(", ")}`
        : "",
    ];
    const price =
      plan.title === "Submitted plan" && piece.done
        ? this.priced?.decisions.find((one) => one[1] === piece.position && one[0] !== "wait")
        : null;
    if (price) lines.push(priceWords(this.time, price));
    const wrong =
      plan.title === "Submitted plan" && piece.position !== null
        ? this.faults.filter((fault) => fault.position === piece.position)
        : [];
    const head =
      piece.position !== null && !slotted(this.chart) ? `Command ${piece.position + 1}: ${action.words}` : action.words;
    return [head, [action.label, ...lines].filter(Boolean), wrong.map((fault) => fault.text)];
  }

  drawFaults(layers, y) {
    const placed = this.faults.filter((fault) => fault.start !== null && fault.start <= this.horizon);
    if (!placed.length) return y;
    const marks = placed.map((fault) => ({
      fault,
      start: this.scale(fault.start),
      end: this.scale(fault.start) + MARK,
      least: MARK,
    }));
    const lanes = Math.min(MARKS, pack(marks));
    this.name("violations", y, "row");
    for (const { fault, start, lane } of marks.filter((mark) => mark.lane < MARKS)) {
      const top = y + lane * MARK;
      const sign = draw(
        "g",
        { class: "fault" },
        draw("path", { d: `M${start} ${top + 18} v-16 h18 v12 h-14 z` }),
        draw("text", { x: start + 9, y: top + 12 }, fault.number),
      );
      const links = fault.position === null ? [] : [`c${fault.position}`];
      layers.push(
        this.item(
          sign,
          `f${fault.number}`,
          links,
          () => [
            `Violation ${fault.number}: ${words(fault.kind)}`,
            [faultPlace(this.chart, this.time, fault)],
            [fault.text],
          ],
          `Violation ${fault.number}: ${fault.text}`,
        ),
      );
    }
    return y + lanes * MARK + LANE;
  }

  // Steps of an axis with dates, in ticks, and the label of a tick: the date at midnight, else the clock time.
  dateSteps() {
    const { start, seconds } = this.time;
    const days = [1, 2, 7, 14, 28, 56, 112, 364].map((number) => number * 86400);
    const round = [...CLOCK_STEPS.filter((step) => step < 86400), ...days].map((step) => step / seconds);
    const midnight = Date.parse(`${start.slice(0, 10)}T00:00:00Z`);
    const elapsed = (Date.parse(`${start}Z`) - midnight) / 1000 / seconds;
    const tickLabel = (tick) => {
      const text = moment(this.time, tick);
      const time = text.slice(text.lastIndexOf(" ") + 1);
      return time === "00:00" ? text.slice(0, -6) : time;
    };
    return { round, tickLabel, offset: elapsed };
  }

  drawAxis(width, bottom) {
    const hours = this.horizon >= 3600;
    const isClock = this.time.seconds === 1;
    const room = Math.max(2, width / 72);
    const round = [...(isClock ? CLOCK_STEPS.filter((step) => !hours || step >= 60) : [])];
    for (let power = 1; power < 1e16; power *= 10)
      round.push(...[1, 2, 5].map((digit) => digit * power * (isClock ? 86400 : 1)));
    const dates = this.time.start ? this.dateSteps() : null;
    const step = (dates?.round ?? round).find((one) => this.horizon / one <= room) ?? this.horizon;
    const grid = draw("g", { class: "axis", "aria-hidden": "true" });
    const plainLabel = (tick) =>
      isClock ? (hours ? clock(tick).slice(0, -3) : clock(tick, false)).replace(/^0(?=\d)/, "") : String(tick);
    const tickLabel = dates?.tickLabel ?? plainLabel;
    const offset = dates ? Math.ceil(dates.offset / step) * step - dates.offset : 0;
    for (let tick = offset; tick <= this.horizon; tick += step) {
      const x = this.scale(tick);
      grid.append(
        draw("line", { x1: x, x2: x, y1: TITLE, y2: bottom }),
        draw(
          "text",
          { x, y: bottom + 15, "text-anchor": tick === 0 ? "start" : x > width - 2 * PAD ? "end" : "middle" },
          tickLabel(tick),
        ),
      );
    }
    if (dates) this.name(moment(this.time, 0), bottom, "row");
    else this.name(isClock ? (hours ? "h:mm" : "m:ss") : `${this.time.unit}s`, bottom, "row");
    return grid;
  }

  drawRegret(layers, y, width) {
    const decisions = this.priced.decisions;
    const most = Math.max(1, ...decisions.map((one) => one[4] ?? 0));
    const base = y + REGRET - 8;
    this.name("regret", y, "row");
    this.name(decisions.some((one) => one[4]) ? `max ${span(this.time, most)}` : "not proved", y + 17, "row");
    layers.push(draw("line", { class: "base", x1: 0, x2: width, y1: base, y2: base }));
    decisions.forEach((one, i) => {
      const [kind, position, start, end, cost, status] = one;
      if (start > this.horizon) return;
      const open = cost === null && status !== "infeasible";
      if (!cost && !open) return;
      const x = this.scale(start);
      const wide = Math.max(this.scale(end) - x, 4);
      const high = open ? 10 : Math.max(3, (Math.abs(cost) / most) * (REGRET - 18));
      const shape = draw(
        "g",
        { class: `price ${open ? "open" : kind}` },
        draw("rect", { class: "area", x, y, width: wide, height: REGRET - 8 }),
        draw("rect", { class: "amount", x, y: base - high, width: wide, height: high, rx: 1 }),
        open && draw("text", { x: x + 1, y: base - 12 }, "?"),
      );
      layers.push(
        this.item(
          shape,
          `d${i}`,
          [`c${position}`],
          () => [decisionName(one, this.chart), [stretch(this.time, start, end), priceWords(this.time, one)], []],
          `${decisionName(one, this.chart)}, ${moment(this.time, start)}: ${priceWords(this.time, one)}`,
        ),
      );
    });
    const lost = decisions[this.priced.no_return];
    if (lost && lost[3] <= this.horizon) {
      const x = this.scale(lost[3]);
      layers.push(
        draw("line", { class: "lost", x1: x, x2: x, y1: TITLE, y2: base }),
        draw(
          "text",
          {
            class: "lost",
            x: x > width / 2 ? x - 4 : x + 4,
            y: base + 9,
            "text-anchor": x > width / 2 ? "end" : "start",
          },
          "success impossible from here",
        ),
      );
    }
    return base + 12;
  }
}
