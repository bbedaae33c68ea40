// @ts-check
// The first view: models, problems, submissions.

const OUTCOMES = [
  ["success", "✓", "Success"],
  ["failure", "✕", "Failure"],
  ["unscored", "○", "Not graded"],
];
// Most models that have a column of their own.
const MOST_MODELS = 8;
const hundred = (value) => (value === null ? DASH : fixed(100 * value, 1));
// What went wrong first stands in the place of the word failure.
const badge = (outcome, fault = "") => {
  const [name, sign, said] = OUTCOMES[outcome];
  return el(
    "span",
    { class: `badge ${name}`, title: said },
    el("span", { "aria-hidden": "true" }, sign),
    "\u00a0",
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
        el("span", { class: "why" }, label(rows.fileLine(row), "")),
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
      label: "Score ×\u00a0100",
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
      title: "When the last action of a success ends",
      value: (row) => (rows.outcome[row] === 0 ? rows.makespan[row] : null),
      show: (row) => (rows.outcome[row] === 0 ? span(rows.problem(row).time, rows.makespan[row]) : DASH),
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
      key: "faults",
      label: "Faults",
      number: true,
      title: rows.meanings.faults[0],
      value: at("faults"),
      show: (row) => count(rows.faults[row]),
    },
  ];
}

// What the search looks at; names of faults with and without their underscores.
function searched(rows, row) {
  const fault = rows.whys[rows.why[row]];
  const texts = [rows.id[row], rows.problem(row).name, rows.models[rows.model[row]], fault, words(fault)];
  texts.push(rows.fileLine(row), otherProblem(rows, row));
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

const otherProblem = (rows, row) => (rows.other[row] ? `probably for another problem: ${rows.other[row]}` : "");

// What a reader of a grade must know beside it.
function remarks(rows, row) {
  const ignored = rows.ignored[row] ?? 0;
  const unread = ignored ? [`${plural(ignored, "line")} like a step not read`] : [];
  return [...unread, ...(rows.other[row] ? [data(otherProblem(rows, row))] : [])];
}

// A figure with the number of runs behind it, where that is told.
const ofRuns = (said, runs) =>
  (runs ?? null) === null || said === DASH ? said : [said, el("span", { class: "why" }, `of ${plural(runs, "run")}`)];

// The same where not all graded runs have the figure.
const ofSome = (said, one, runs) => (runs < one.submissions - one.unscored ? ofRuns(said, runs) : said);

function score(one) {
  const said = ofSome(hundred(one.score), one, one.main_score_runs);
  if ((one.main_score_low ?? null) === null) return said;
  return [said, el("span", { class: "why" }, `${hundred(one.main_score_low)} to ${hundred(one.main_score_high)}`)];
}

// The share of successes; where problems are missing that count as failed, also that of all problems.
function success(one) {
  if (one.success === null) return DASH;
  const all = one.success_of_all ?? one.success;
  const told = percent(all) === percent(one.success) ? null : el("span", { class: "why" }, `${percent(all)} of all`);
  return [ofSome(percent(one.success), one, one.success_runs), bar(one.success), told];
}

// Whether a figure says what no other does: counts of nothing, and of one submission a problem, do not.
function tells(key, one) {
  if (key === "missing" || key === "unscored") return one[key] > 0;
  return key !== "submissions" || one.submissions !== one.problems;
}

// Of the columns those stay that some model has a figure for, or all tables have.
function modelColumns(rows, models, bySet) {
  const figure = (key, label, title, show, falling = false) => {
    return { key, label, title, number: true, falling, value: (one) => one[key], show };
  };
  const number = (key, label, title) => figure(key, label, title, (one) => count(one[key]), true);
  // Of figures over several samples, those of the most.
  const several = ["pass@", "pass^", "best@"].flatMap((kind) => {
    const found = models.flatMap((one) => Object.keys(one)).filter((key) => key.startsWith(kind));
    const most = Math.max(1, ...found.map((key) => Number(key.slice(kind.length)) || 1));
    return most > 1 ? [`${kind}${most}`] : [];
  });
  const optional = [
    figure("lost", "Lost at\u00a0failure", rows.meanings.lost[1], (one) => ofRuns(percent(one.lost), one.lost_runs)),
    figure("faults", "Faults per\u00a0plan", rows.meanings.faults[1], (one) => fixed(one.faults, 2)),
    ...several.map((key) => figure(key, key, "Over the samples of a problem", (one) => percent(one[key]), true)),
    number("sets", "Sets", "Sets with a graded submission of this model; figures are the means over them"),
    number("problems", "Problems", "Problems with a graded submission"),
    number("missing", "Missing", "Problems without a submission"),
    number("submissions", "Submissions", "Lines of this model"),
    number("unscored", "Not graded", "Submissions that could not be read or judged"),
  ].filter(({ key }) => models.some((one) => (one[key] ?? null) !== null && tells(key, one)));
  return [
    {
      key: "model",
      label: "Model",
      value: (one) => one.model,
      show: (one) =>
        el(
          "button",
          { type: "button", class: "link", title: "Show its submissions", onclick: () => narrow(one) },
          label(one.model, "(no model)"),
          bySet ? narrowly(one.set) : null,
        ),
    },
    bySet && { key: "set", label: "Set", wide: true, value: (one) => one.set, show: (one) => label(one.set, DASH) },
    figure("success", "Success", rows.meanings.success[1], success, true),
    figure("score", "Score ×\u00a0100", `Mean (and its 95 % interval) of: ${rows.scoring}`, score, true),
    figure("ratio", "÷\u00a0optimum", "Mean makespan of successes by the proved optimum", (one) =>
      ofRuns(fixed(one.ratio, 3), one.gap_runs),
    ),
    ...optional,
  ].filter(Boolean);
}

function bar(share) {
  const box = el("span", { class: "meter", "aria-hidden": "true" }, el("span"));
  box.firstChild.style.width = `${100 * Math.min(1, share)}%`;
  return box;
}

// Which of two models is better, by wins and losses over the same problems.
function pairColumns() {
  const figure = (key, label, title, show = (one) => count(one[key])) => {
    return { key, label, title, number: true, falling: true, value: (one) => one[key], show };
  };
  const by = (one) => (one.value === "success" ? "success" : "score");
  const signed = (value) => `${value > 0 ? "+" : ""}${hundred(value)}`;
  const difference = (one) => {
    if ((one.mean_difference ?? null) === null) return DASH;
    const [low, high] = [one.mean_difference_low ?? null, one.mean_difference_high ?? null];
    const between = low === null ? null : el("span", { class: "why" }, `${signed(low)} to ${signed(high)}`);
    return [signed(one.mean_difference), between];
  };
  const probability = (one) => [
    one.p_adjusted < 0.001 ? "< 0.001" : fixed(one.p_adjusted, 3),
    el("span", { class: "why wraps" }, one.p_adjusted < 0.05 ? "significant" : "not significant"),
  ];
  return [
    {
      key: "a",
      label: "Model",
      value: (one) => one.a,
      show: (one) => [
        label(one.a, "(no model)"),
        el("span", { class: "narrow" }, "against ", path(one.b || "(no model)")),
        el("span", { class: "narrow" }, `by ${by(one)}`),
      ],
    },
    { key: "b", label: "Against", wide: true, value: (one) => one.b, show: (one) => label(one.b, "(no model)") },
    { key: "value", label: "By", wide: true, value: by, show: by },
    figure(
      "mean_difference",
      "Difference ×\u00a0100",
      "Mean difference over the problems, with its 95 % interval",
      difference,
    ),
    { ...figure("p_adjusted", "p", "Sign test, adjusted for all pairs by Holm's method", probability), falling: false },
    figure("wins", "Wins", "Problems where the first model is better"),
    figure("ties", "Ties", "Problems where both are equally good"),
    figure("losses", "Losses", "Problems where the second model is better"),
  ];
}

// Causes of failures, with a column for each of the first models.
function causeTable(index, choose) {
  const models = [...new Set(index.overall.map((one) => one.model))].slice(0, MOST_MODELS);
  const rows = new Map();
  for (const { failure_cause: cause, model, count: number, share } of index.causes) {
    if (!rows.has(cause)) rows.set(cause, { cause, all: 0, models: new Map() });
    rows.get(cause).all += number;
    rows.get(cause).models.set(model, [number, share]);
  }
  const search = (cause) => choose(cause === "not scored" ? { outcome: "unscored" } : { text: cause });
  const column = (key, label, value, show) => ({ key, label, number: true, falling: true, value, show });
  const ofModel = (model, i) => {
    const figures = (one) => one.models.get(model) ?? [0, 0];
    const show = (one) => {
      const [number, share] = figures(one);
      return number ? [count(number), el("span", { class: "why" }, percent(share))] : DASH;
    };
    return column(`model-${i}`, model || "(no model)", (one) => figures(one)[0], show);
  };
  const all = column(
    "all",
    "All",
    (one) => one.all,
    (one) => count(one.all),
  );
  const table = new Table({
    caption: "Causes of failures",
    size: 12,
    columns: [
      {
        key: "cause",
        label: "Cause",
        value: (one) => one.cause,
        show: (one) =>
          el(
            "button",
            { type: "button", class: "link", title: "Show its submissions", onclick: () => search(one.cause) },
            data(one.cause),
          ),
      },
      ...(models.length > 1 ? [all] : []),
      ...models.map(ofModel),
    ],
  });
  table.show([...rows.values()]);
  return table;
}

// A table in a section of its own, with its downloads.
function section(title, note, table, name, said, beside = null, list = () => table.rows) {
  return el(
    "section",
    {},
    el("div", { class: "head" }, el("h2", {}, title), beside),
    note && el("p", { class: "note" }, note),
    table.element,
    el("div", { class: "found" }, el("span"), downloads(name, said, list)),
  );
}

let narrow = (_model) => {};

const OVER_SETS =
  "Over all sets: every figure is the mean of those of the sets below. “Of all” counts missing problems as failed.";
const IN_PAIRS =
  "A model wins a problem where its result is better; a missing plan counts as a failure. p is the probability of such " +
  "wins and losses if both models were equally good (sign test, adjusted for all pairs by Holm's method).";
const BEST_ONLY = " Of so many models, the best one is compared with each other one.";
const CAUSES = "Submissions that failed or could not be graded, and their share of all submissions of the model.";

function overview(index, rows) {
  const overall = index.overall ?? [];
  const several = overall.length > 0 && index.models.length > overall.length;
  const over = new Table({ caption: "Models", columns: modelColumns(rows, overall, false), size: 20, name: "overall" });
  const models = new Table({
    caption: several ? "Models by set" : "Models",
    columns: modelColumns(rows, index.models, true),
    size: 20,
    name: "models",
  });
  const problems = new Table({ caption: "Problems", columns: problemColumns(rows), size: 20, name: "problems" });
  const table = new Table({
    caption: "Submissions",
    columns: rowColumns(rows, true),
    name: "rows",
    empty: "No submission is like this.",
  });
  over.show(overall);
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
  const show = (choice) => {
    choice();
    filters.show();
    here("submissions").scrollIntoView();
    here("submissions").focus();
  };
  narrow = (one) => show(() => filters.narrow(one));

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
  const name = several ? "Models by set" : "Models";
  const bySet = section(name, null, models, name.toLowerCase().replaceAll(" ", "-"), "the models", filters.set);
  const pairs = new Table({ caption: "Models in pairs", columns: pairColumns(), size: 12 });
  pairs.show(index.pairs);
  const bestOnly = overall.length > 2 && new Set(index.pairs.map((pair) => pair.a)).size === 1;
  const causes = causeTable(index, (values) => show(() => filters.choose({ ...ALL, ...values })));
  const sorting = ["problems", "problems-page"].some((name) => address.get(name) !== null);
  return [
    el("header", { class: "top" }, el("h1", {}, data(index.title)), el("p", { class: "lead" }, told)),
    several ? section("Models", OVER_SETS, over, "models", "the models") : bySet,
    index.pairs.length
      ? section("Models in pairs", `${IN_PAIRS}${bestOnly ? BEST_ONLY : ""}`, pairs, "pairs", "the pairs")
      : null,
    index.causes.length
      ? section("Why plans fail", CAUSES, causes, "causes", "the causes", null, () => index.causes)
      : null,
    several ? bySet : null,
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
