// @ts-check
// The first view: models, problems, submissions.

const OUTCOMES = [
  ["success", "✓", "Success"],
  ["failure", "✕", "Failure"],
  ["unscored", "○", "Not graded"],
];
const hundred = (value) => (value === null ? DASH : fixed(100 * value, 1));
// What went wrong first stands in the place of the word failure.
const badge = (outcome, fault = "") => {
  const [name, sign, said] = OUTCOMES[outcome];
  return el(
    "span",
    { class: `badge ${name}`, title: said },
    el("span", { "aria-hidden": "true" }, sign),
    " ",
    fault ? data(words(fault)) : said,
  );
};

// A name that may be broken after slashes, underscores and the like, and nowhere else while there is room.
const path = (name) =>
  data(
    "",
    {},
    name
      .split(/(?<=[/_:-])/)
      .flatMap((part) => [part, el("wbr")])
      .slice(0, -1),
  );

const label = (name, none) => (name === "" ? none : name.length > 26 ? path(name) : data(name, { class: "keep" }));

// Which try of a model at a problem a row is, if it says so.
function sampleOf(rows, row, show) {
  const sample = rows.sample[row] ?? null;
  return sample === null ? null : show(["sample ", data(String(sample))]);
}

// What has a column of its own where there is room for it.
const narrowly = (name) => (name === "" ? null : el("span", { class: "narrow" }, path(name)));

function rowColumns(rows, withProblem) {
  const at = (name) => (row) => rows[name][row];
  const model = (row) => rows.models[rows.model[row]];
  const problem = {
    key: "instance",
    label: "Problem",
    wide: true,
    value: (row) => rows.problem(row).name,
    show: (row) =>
      rows.problem(row).name === ""
        ? DASH
        : el("a", { href: problemLink(rows.problem(row).name) }, path(rows.problem(row).name)),
  };
  return [
    {
      key: "id",
      label: "Submission",
      value: at("id"),
      show: (row) => [
        el("a", { href: rows.link(row) }, label(rows.id[row], "(no name)")),
        sampleOf(rows, row, (told) => el("span", { class: "why" }, told)),
        withProblem ? narrowly(rows.problem(row).name) : null,
        narrowly(model(row)),
      ],
    },
    ...(withProblem ? [problem] : []),
    { key: "model", label: "Model", wide: true, value: model, show: (row) => label(model(row), DASH) },
    {
      key: "outcome",
      label: "Outcome",
      value: (row) => `${rows.outcome[row]} ${rows.whys[rows.why[row]]}`,
      show: (row) => outcomeOf(rows, row),
    },
    {
      key: "score",
      label: "Score, of\u00a0100",
      number: true,
      falling: true,
      title: rows.scoring,
      value: at("score"),
      show: (row) => hundred(rows.score[row]),
    },
    {
      key: "makespan",
      label: "Makespan",
      number: true,
      title: "Latest end of what was carried out, also by a plan that fails",
      value: at("makespan"),
      show: (row) => span(rows.problem(row).time, rows.makespan[row]),
    },
    {
      key: "ratio",
      label: "÷\u00a0optimum",
      number: true,
      title: "Makespan of a success by the proved optimum",
      value: (row) => rows.ratio(row),
      show: (row) =>
        rows.outcome[row] === 0 && rows.optimum[row] === null
          ? el("span", { class: "quiet" }, "not proved")
          : fixed(rows.ratio(row), 3),
    },
    {
      key: "regret",
      label: "Regret, %\u00a0of\u00a0optimum",
      number: true,
      title: "What all decisions of a success cost, as a share of the optimum",
      value: (row) => (rows.outcome[row] === 0 ? rows.regret[row] : null),
      show: (row) => (rows.outcome[row] === 0 ? percent(rows.regret[row]) : DASH),
    },
    {
      key: "faults",
      label: "Faults",
      number: true,
      title: "Violations of the rules in the whole plan",
      value: at("faults"),
      show: (row) => count(rows.faults[row]),
    },
  ];
}

// What the search looks at; names of faults with and without their underscores.
function searched(rows, row) {
  const fault = rows.whys[rows.why[row]];
  const texts = [rows.id[row], rows.problem(row).name, rows.models[rows.model[row]], fault, words(fault)];
  texts.push(...(rows.notes[row] ?? []));
  return texts.join("\n").toLowerCase();
}

function outcomeOf(rows, row) {
  const said = rows.whys[rows.why[row]];
  const notes = [...(rows.outcome[row] === 2 ? [data(said)] : []), ...remarks(rows, row)];
  return [
    badge(rows.outcome[row], rows.outcome[row] === 2 ? "" : said),
    notes.map((note) => el("span", { class: "why" }, note)),
  ];
}

// What a reader of a grade must know beside it: lines that were not read, notes of the grader.
function remarks(rows, row) {
  const ignored = rows.ignored[row] ?? 0;
  const unread = ignored ? [`${plural(ignored, "line")} like a step not read`] : [];
  return [...unread, ...(rows.notes[row] ?? []).map((note) => data(note))];
}

const modelColumns = (rows) => [
  {
    key: "model",
    label: "Model",
    value: (one) => one.model,
    show: (one) =>
      el(
        "button",
        {
          type: "button",
          class: "link",
          title: "Show the submissions of this model in this set",
          onclick: () => narrow(one),
        },
        label(one.model, "(no model)"),
        narrowly(one.set),
      ),
  },
  { key: "set", label: "Set", wide: true, value: (one) => one.set, show: (one) => label(one.set, DASH) },
  {
    key: "success",
    label: "Success",
    number: true,
    falling: true,
    title: "Share of plans that succeed; as planoracle grade sums them up",
    value: (one) => one.success,
    show: (one) => (one.success === null ? DASH : [percent(one.success), bar(one.success)]),
  },
  {
    key: "score",
    label: "Score, of\u00a0100",
    number: true,
    falling: true,
    title: `Mean of: ${rows.scoring}`,
    value: (one) => one.score,
    show: (one) => hundred(one.score),
  },
  {
    key: "ratio",
    label: "÷\u00a0optimum",
    number: true,
    title: "Mean makespan of successes by the proved optimum",
    value: (one) => one.ratio,
    show: (one) => fixed(one.ratio, 3),
  },
  {
    key: "regret",
    label: "Regret, %\u00a0of\u00a0optimum",
    number: true,
    title: "Mean of what the decisions of successes cost, as a share of the optimum; of those that were priced",
    value: (one) => one.regret,
    show: (one) => percent(one.regret),
  },
  {
    key: "lost",
    label: "Lost at\u00a0failure",
    number: true,
    title: "Mean of what failing plans had cost when they failed, as a share of the optimum; of those that were priced",
    value: (one) => one.lost,
    show: (one) => percent(one.lost),
  },
  {
    key: "faults",
    label: "Faults per\u00a0plan",
    number: true,
    title: "Mean number of violations of a plan",
    value: (one) => one.faults,
    show: (one) => fixed(one.faults, 2),
  },
  ...[
    ["submissions", "Submissions", "Lines of this model for problems of this set"],
    ["unscored", "Not graded", "Submissions that could not be read or judged"],
    ["missing", "Missing", "Problems of the set without a submission"],
  ].map(([key, said, title]) => ({
    key,
    label: said,
    title,
    number: true,
    falling: true,
    value: (one) => one[key],
    show: (one) => count(one[key]),
  })),
];

function bar(share) {
  const box = el("span", { class: "meter", "aria-hidden": "true" }, el("span"));
  box.firstChild.style.width = `${100 * Math.min(1, share)}%`;
  return box;
}

let narrow = (_model) => {};

function overview(index, rows) {
  const models = new Table({ caption: "Models", columns: modelColumns(rows), size: 20, name: "models" });
  const problems = new Table({ caption: "Problems", columns: problemColumns(rows), size: 20, name: "problems" });
  const table = new Table({
    caption: "Submissions",
    columns: rowColumns(rows, true),
    name: "rows",
    empty: "No submission is like this.",
  });
  const filters = new Filters(rows, (setToo) => update(setToo));
  const summary = el("p", { class: "found", role: "status" });
  const clear = el("button", { type: "button", onclick: () => filters.clear() }, "Clear filters");

  const update = (setToo) => {
    if (setToo) {
      models.show(index.models.filter((one) => filters.inSet(one.set)));
      problems.show(rows.problems.filter((one) => one.name !== "" && filters.inSet(one.set)));
    }
    const found = rows.order.filter(filters.test());
    table.show(found);
    const chosen = filters.said();
    const some = found.length < rows.size ? `${count(found.length)} of ` : "";
    summary.replaceChildren(`${some}${plural(rows.size, "submission")}`, ...chosen.flatMap((part) => ["; ", part]));
    clear.hidden = !chosen.length;
  };
  narrow = (one) => {
    filters.narrow(one);
    here("submissions").scrollIntoView();
    here("submissions").focus();
  };

  const scored = rows.outcome.filter((outcome) => outcome < 2).length;
  const shown = rows.problems.filter((problem) => problem.name !== "").length;
  const priced = rows.priced.filter(Boolean).length;
  const notes = [];
  if (scored < rows.size) notes.push(`${plural(rows.size - scored, "line")} could not be graded.`);
  if (priced < scored) notes.push(`The decisions of ${count(priced)} of ${count(scored)} plans are priced.`);
  const contents = [plural(rows.size, "submission"), plural(rows.models.filter(Boolean).length, "model")];
  const rules = index.about.profile === "paper" ? "the rules of the papers" : "the released rules";
  const told = `${contents.join(" of ")} for ${plural(shown, "problem")}, by ${rules}. ${notes.join(" ")}`;
  update(true);
  const sorting = ["problems", "problems-page"].some((name) => address.get(name) !== null);
  return [
    el("header", { class: "top" }, el("h1", {}, data(index.title)), el("p", { class: "lead" }, told)),
    el(
      "section",
      {},
      el("div", { class: "head" }, el("h2", {}, "Models"), filters.set),
      models.element,
      el(
        "div",
        { class: "found" },
        el("span"),
        downloads("models", "the models", () => models.rows),
      ),
    ),
    el("details", { class: "fold", open: sorting }, el("summary", {}, el("h2", {}, "Problems")), problems.element),
    el(
      "section",
      {},
      el("h2", { id: "submissions", tabindex: "-1" }, "Submissions"),
      filters.element,
      el(
        "div",
        { class: "found" },
        el("div", {}, summary, clear),
        downloads("submissions", "these submissions", () => table.rows.map((row) => record(rows, row))),
      ),
      table.element,
    ),
  ];
}

// The proved optimum, or how far it is known.
function optimumOf(time, status, optimum, bound) {
  if (optimum !== null) return span(time, optimum);
  if (status === "infeasible") return "no way";
  if (!status) return DASH;
  const told = status === "feasible" || status === "unknown" ? "not proved" : words(status);
  return (bound ?? null) === null ? told : `${told}, at least ${span(time, bound)}`;
}

function problemColumns(rows) {
  const share = (one) => {
    const graded = one.rows.filter((row) => rows.outcome[row] < 2);
    return graded.length ? graded.filter((row) => rows.outcome[row] === 0).length / graded.length : null;
  };
  const best = (one) => {
    const made = one.rows.filter((row) => rows.outcome[row] === 0).map((row) => rows.makespan[row]);
    return made.length ? Math.min(...made) : null;
  };
  return [
    {
      key: "instance",
      label: "Problem",
      value: (one) => one.name,
      show: (one) => el("a", { href: problemLink(one.name) }, path(one.name)),
    },
    {
      key: "optimum",
      label: "Optimum",
      number: true,
      value: (one) => one.best,
      show: (one) => optimumOf(one.time, one.status, one.status === "optimal" ? one.best : null, one.bound),
    },
    {
      key: "best",
      label: "Best success here",
      number: true,
      title: "Least makespan of a success here",
      value: best,
      show: (one) => span(one.time, best(one)),
    },
    { key: "success", label: "Success", number: true, falling: true, value: share, show: (one) => percent(share(one)) },
    {
      key: "submissions",
      label: "Submissions",
      number: true,
      falling: true,
      value: (one) => one.rows.length,
      show: (one) => count(one.rows.length),
    },
  ];
}
