// @ts-check
// The view of one submission.

async function detailsView(rows, row) {
  const problem = rows.problem(row);
  const [sheets, chart] = await Promise.all([chunk(rows.chunk[row]), problem.chart < 0 ? null : chunk(problem.chart)]);
  const [sheet, priced] = sheets[rows.place[row]];
  const { time } = problem;
  const drawn =
    chart && (sheet.pieces || chart.optimum.pieces.length)
      ? new Chart(chart, time, sheet, priced, rows.outcome[row] === 0)
      : null;
  const outcome = rows.outcome[row];
  const plan =
    drawn &&
    outcome !== 2 &&
    el(
      "div",
      {},
      el("h2", {}, sheet.pieces ? "Submitted plan and best plan" : "Best plan"),
      planNotes(sheet, drawn),
      drawn.element,
    );
  const beside = plan && el("section", { class: "beside" }, plan);
  const parts =
    outcome === 2
      ? [beside]
      : [
          beside,
          faultList(sheet, rows.faults[row], chart, time, drawn),
          regretSection(sheet, priced, chart, time, drawn),
          critic(sheet),
          metrics(sheet),
        ];
  return [
    crumbs(problem),
    el(
      "header",
      { class: "top" },
      el("h1", {}, data(rows.id[row]), " ", badge(outcome, outcome === 1 ? rows.whys[rows.why[row]] : "")),
      byline(rows, row),
      outcome === 2 ? el("p", { class: "reason" }, data(rows.whys[rows.why[row]])) : figures(rows, row),
      reading(rows, row),
      samples(rows, row),
    ),
    parts,
    sheet.plan
      ? el(
          "details",
          { class: "fold" },
          el("summary", {}, el("h2", {}, "Submitted text")),
          el("pre", { tabindex: "0" }, sheet.plan),
        )
      : null,
    neighbours(rows, row),
  ];
}

function byline(rows, row) {
  const model = rows.models[rows.model[row]];
  const same = rows
    .problem(row)
    .rows.filter(
      (other) => other !== row && rows.chunk[other] === rows.chunk[row] && rows.place[other] === rows.place[row],
    );
  const others = same
    .slice(0, 5)
    .map((other) => [", ", el("a", { href: rows.link(other) }, data(rows.id[other]))])
    .flat()
    .slice(1);
  return el(
    "p",
    { class: "lead" },
    model === "" ? null : ["by ", data(model), ", "],
    sampleOf(rows, row, (sample) => [sample, ", "]),
    data(rows.fileLine(row)),
    same.length ? ["; the same plan as ", others, same.length > 5 ? ` and ${same.length - 5} more` : ""] : null,
  );
}

function figures(rows, row) {
  const { time } = rows.problem(row);
  const problem = rows.problem(row);
  const optimum = optimumOf(
    time,
    rows.status[row] ?? problem.status ?? "unknown",
    rows.optimum[row],
    rows.bound[row] ?? problem.bound,
  );
  const entries = [
    [rows.outcome[row] === 0 ? "Makespan" : "Carried out until", span(time, rows.makespan[row])],
    ["Optimum", optimum],
    ["Makespan ÷ optimum", fixed(rows.ratio(row), 3)],
    rows.outcome[row] === 0
      ? ["Regret", span(time, rows.total[row])]
      : ["Regret at failure", span(time, rows.lost[row])],
    ["Score × 100", hundred(rows.score[row])],
    ["Progress", percent(rows.progress[row], 0)],
    ["Violations", count(rows.faults[row])],
  ];
  return el(
    "dl",
    { class: "figures" },
    entries.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))),
  );
}

// Number of steps read from the answer, and remarks of the grader.
function reading(rows, row) {
  const steps = rows.read[row] ?? null;
  const from = rows.from[row] ? [" (", data(rows.from[row]), ")"] : null;
  const notes = remarks(rows, row);
  if (steps === null && !from && !notes.length) return null;
  return el(
    "p",
    { class: notes.length ? "reason" : "note" },
    steps === null ? ["Read", from] : [`${plural(steps, "step")} read`, from],
    notes.flatMap((note) => ["; ", note]),
    ".",
  );
}

function samples(rows, row) {
  const siblings = rows.samples(row);
  if (!siblings.length) return null;
  const good = siblings.filter((other) => rows.outcome[other] === 0).length;
  const entry = (other) => {
    const content = [String(rows.sample[other]), " ", badge(rows.outcome[other])];
    return el(
      "li",
      {},
      other === row ? el("strong", { "aria-current": "true" }, content) : el("a", { href: rows.link(other) }, content),
    );
  };
  return el(
    "div",
    { class: "samples" },
    el("p", { class: "note" }, `${count(good)} of ${plural(siblings.length, "sample")} of this model succeed:`),
    el("ul", {}, siblings.map(entry)),
  );
}

function planNotes(sheet, drawn) {
  const notes = [];
  if (sheet.graded) notes.push("This line is a grade without a plan; the chart shows the best plan only.");
  else if (!sheet.pieces) notes.push(`The plan cannot be drawn: ${sheet.fault ?? "it cannot be read as a schedule"}.`);
  if (sheet.pieces && !sheet.pieces.some((piece) => piece[6])) notes.push("No command was carried out.");
  if (drawn.beyond)
    notes.push(
      `${plural(drawn.beyond, "piece")} long after all others ${drawn.beyond === 1 ? "is" : "are"} not drawn.`,
    );
  return notes.length ? el("p", { class: "note" }, notes.join(" ")) : null;
}

function faultList(sheet, all, chart, time, drawn) {
  const faults = sheet.faults ?? [];
  if (!all)
    return el(
      "section",
      {},
      el("h2", {}, "Violations"),
      el("p", { class: "note" }, "None. The plan violates no rule."),
    );
  const entry = ([kind, position, start, , text, subject], i) => {
    const where = faultPlace(chart, time, { position, start });
    const place =
      position !== null && drawn?.plans.length && start !== null
        ? el(
            "button",
            {
              type: "button",
              class: "link",
              title: "Show this command in the chart",
              onclick: () => drawn.select(position),
            },
            where,
          )
        : where;
    return el(
      "li",
      {},
      el("span", { class: "sign", "aria-hidden": "true" }, i + 1),
      el(
        "div",
        {},
        el("p", { class: "kind" }, words(kind), el("span", { class: "where" }, " · ", place)),
        el("p", {}, data(text), sheet.graded && subject ? [" (", data(subject), ")"] : null),
      ),
    );
  };
  const first = faults.slice(0, 8).map(entry);
  const more = faults.slice(8).map((fault, i) => entry(fault, i + 8));
  return el(
    "section",
    {},
    el("h2", {}, `Violations (${count(all)})`),
    el("ol", { class: "faults" }, first),
    more.length
      ? el(
          "details",
          { class: "fold small" },
          el("summary", {}, `${count(more.length)} more`),
          el("ol", { class: "faults" }, more),
        )
      : null,
    all > faults.length ? el("p", { class: "note" }, `Only the first ${count(faults.length)} are listed.`) : null,
  );
}

function regretSection(sheet, priced, chart, time, drawn) {
  const head = el("h2", {}, "Regret");
  if (!priced)
    return el(
      "section",
      {},
      head,
      el(
        "p",
        { class: "note" },
        sheet.graded
          ? "Not computed: this line is a grade without a plan."
          : "Not computed within the limit; increase --regret-seconds to compute it.",
      ),
    );
  const dear = priced.decisions.map((one, i) => ({ one, i })).filter(({ one }) => one[4] !== 0);
  const columns = [
    {
      key: "decision",
      label: "Decision",
      value: ({ i }) => i,
      show: ({ one }) =>
        el(
          "button",
          {
            type: "button",
            class: "link",
            title: "Show this command in the chart",
            onclick: () => drawn?.select(one[1]),
          },
          data(decisionName(one, chart)),
        ),
    },
    { key: "when", label: "Time", value: ({ one }) => one[2], show: ({ one }) => stretch(time, one[2], one[3]) },
    {
      key: "cost",
      label: "Cost",
      number: true,
      falling: true,
      value: ({ one }) => one[4],
      show: ({ one }) =>
        one[4] === null ? (one[5] === "infeasible" ? "success impossible" : "not proved") : span(time, one[4]),
    },
    {
      key: "after",
      label: "Best makespan after it",
      number: true,
      value: ({ one }) => one[7],
      show: ({ one }) => span(time, one[7]),
    },
  ];
  const table = new Table({
    caption: "Decisions with a cost",
    columns,
    size: 10,
    by: "-cost",
  });
  table.show(dear);
  const free = priced.decisions.length - dear.length;
  const sum = priced.total === null ? "" : ` Total regret: ${span(time, priced.total)}.`;
  return el(
    "section",
    {},
    head,
    el("p", { class: "note" }, `${count(free)} of ${plural(priced.decisions.length, "decision")} cost nothing.${sum}`),
    priced.text ? el("p", {}, data(priced.text)) : null,
    dear.length ? table.element : null,
  );
}

function critic(sheet) {
  if (!sheet.critic?.length) return null;
  return el(
    "section",
    { class: "prose" },
    el("h2", {}, "Critique"),
    sheet.critic.map(([title, text]) => [el("h3", {}, data(title)), el("p", {}, data(text))]),
  );
}

function metrics(sheet) {
  const entries = (sheet.metrics ?? []).filter(([, value]) => value !== null && value !== "");
  if (!entries.length) return null;
  const formatted = (value) =>
    typeof value === "boolean"
      ? value
        ? "yes"
        : "no"
      : typeof value === "number"
        ? Number.isInteger(value)
          ? count(value)
          : fixed(value, 3)
        : data(value);
  return el(
    "section",
    {},
    el("h2", {}, "Metrics"),
    el(
      "dl",
      { class: "metrics" },
      entries.map(([name, value]) => {
        const [meaning, unit] = index.words[name] ?? ["", ""];
        const content =
          unit === "share" && typeof value === "number" ? percent(value) : [formatted(value), unit && ` ${unit}`];
        return el(
          "div",
          {},
          el("dt", {}, data(words(name)), meaning && el("span", { class: "why" }, data(meaning))),
          el("dd", {}, content),
        );
      }),
    ),
  );
}

function neighbours(rows, row) {
  const list = rows.problem(row).rows;
  const at = list.indexOf(row);
  const link = (other, before, after) =>
    other === undefined ? el("span") : el("a", { href: rows.link(other) }, before, data(rows.id[other]), after);
  return el(
    "nav",
    { class: "neighbours", "aria-label": "Other submissions for this problem" },
    link(list[at - 1], "← ", null),
    el("span", { class: "range" }, `${count(at + 1)} of ${count(list.length)}`),
    link(list[at + 1], null, " →"),
  );
}
