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
// The cause of a failure replaces the word failure.
const badge = (outcome, fault = "") => {
  const [name, sign, label] = OUTCOMES[outcome];
  return el(
    "span",
    { class: `badge ${name}`, title: label },
    el("span", { "aria-hidden": "true" }, sign),
    "\u00a0",
    fault ? data(words(fault)) : label,
  );
};

// A name with possible line breaks after slashes, underscores, colons and hyphens.
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

// Sample number or name of a row, if it has one.
function sampleOf(rows, row, show) {
  const sample = rows.sample[row] ?? null;
  return sample === null ? null : show(["sample ", data(String(sample))]);
}

// A name that has a column of its own on wide screens.
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
        sampleOf(rows, row, (sample) => el("span", { class: "why" }, sample)),
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
      title: "End of the last action of a successful plan",
      value: (row) => (rows.outcome[row] === 0 ? rows.makespan[row] : null),
      show: (row) => (rows.outcome[row] === 0 ? span(rows.problem(row).time, rows.makespan[row]) : DASH),
    },
    {
      key: "ratio",
      label: "Makespan ÷\u00a0optimum",
      number: true,
      title: "Makespan of a successful plan divided by the proved optimum",
      value: (row) => rows.ratio(row),
      show: (row) =>
        rows.outcome[row] === 0 && rows.optimum[row] === null
          ? el("span", { class: "quiet" }, "not proved")
          : fixed(rows.ratio(row), 3),
    },
    {
      key: "faults",
      label: "Violations",
      number: true,
      title: rows.meanings.faults[0],
      value: at("faults"),
      show: (row) => count(rows.faults[row]),
    },
  ];
}

// Text that the search covers; causes of failure with and without underscores.
function searched(rows, row) {
  const fault = rows.whys[rows.why[row]];
  const texts = [rows.id[row], rows.problem(row).name, rows.models[rows.model[row]], fault, words(fault)];
  texts.push(rows.fileLine(row), otherProblem(rows, row));
  return texts.join("\n").toLowerCase();
}

function outcomeOf(rows, row) {
  const reason = rows.whys[rows.why[row]];
  const notes = [...(rows.outcome[row] === 2 ? [data(reason)] : []), ...remarks(rows, row)];
  return [
    badge(rows.outcome[row], rows.outcome[row] === 2 ? "" : reason),
    notes.map((note) => el("span", { class: "why" }, note)),
  ];
}

const otherProblem = (rows, row) => (rows.other[row] ? `probably for another problem: ${rows.other[row]}` : "");

// Remarks on the reading of a submission.
function remarks(rows, row) {
  const ignored = rows.ignored[row] ?? 0;
  const unread = ignored
    ? [`${plural(ignored, "line")} that ${ignored === 1 ? "looks like a step was" : "look like steps were"} ignored`]
    : [];
  return [...unread, ...(rows.other[row] ? [data(otherProblem(rows, row))] : [])];
}

// A metric with the number of its runs, if known.
const ofRuns = (text, runs) =>
  (runs ?? null) === null || text === DASH ? text : [text, el("span", { class: "why" }, `of ${plural(runs, "run")}`)];

// A mean with the number of its problems, if these are not all.
const ofProblems = (text, one, problems) =>
  text === DASH || problems === one.all_problems
    ? text
    : [text, el("span", { class: "why" }, `${count(problems)} of ${plural(one.all_problems, "problem")}`)];

function score(one) {
  const text = ofProblems(hundred(one.score), one, one.main_score_problems);
  if ((one.main_score_low ?? null) === null) return text;
  return [text, el("span", { class: "why" }, `${hundred(one.main_score_low)} to ${hundred(one.main_score_high)}`)];
}

// Success rate; if problems are missing, also the rate with these counted as failures.
function success(one) {
  if (one.success === null) return DASH;
  const all = one.success_of_all ?? one.success;
  const ofAll =
    percent(all) === percent(one.success)
      ? null
      : el("span", { class: "why wraps" }, `${percent(all)} of all problems`);
  return [ofProblems(percent(one.success), one, one.success_problems), bar(one.success), ofAll];
}

// True if a column adds information: a count that is not 0, or a number of submissions unlike that of problems.
function isInformative(key, one) {
  if (key === "missing" || key === "unscored") return one[key] > 0;
  return key !== "submissions" || one.submissions !== one.problems;
}

// Columns of all tables, and optional ones with a value for some model.
function modelColumns(rows, models, bySet) {
  const figure = (key, label, title, show, falling = false) => {
    return { key, label, title, number: true, falling, value: (one) => one[key], show };
  };
  const number = (key, label, title) => figure(key, label, title, (one) => count(one[key]), true);
  // Of metrics over k samples, those with the largest k.
  const several = ["pass@", "pass^", "best@"].flatMap((kind) => {
    const keys = models.flatMap((one) => Object.keys(one)).filter((key) => key.startsWith(kind));
    const most = Math.max(1, ...keys.map((key) => Number(key.slice(kind.length)) || 1));
    return most > 1 ? [`${kind}${most}`] : [];
  });
  const optional = [
    figure("lost", "Regret at\u00a0failure", rows.meanings.lost[1], (one) => ofRuns(percent(one.lost), one.lost_runs)),
    figure("faults", "Violations per\u00a0plan", rows.meanings.faults[1], (one) => fixed(one.faults, 2)),
    ...several.map((key) =>
      figure(key, key, "Computed over the samples of each problem", (one) => percent(one[key]), true),
    ),
    number("sets", "Sets", "Sets with a graded submission of this model; metrics are means over these sets"),
    number("problems", "Problems", "Problems with a graded submission"),
    number("missing", "Missing", "Problems without a submission"),
    number("submissions", "Submissions", "Number of submissions of this model"),
    number("unscored", "Not graded", "Submissions that could not be read or graded"),
  ].filter(({ key }) => models.some((one) => (one[key] ?? null) !== null && isInformative(key, one)));
  return [
    {
      key: "model",
      label: "Model",
      value: (one) => one.model,
      show: (one) =>
        el(
          "button",
          { type: "button", class: "link", title: "Show the submissions of this model", onclick: () => narrow(one) },
          label(one.model, "(no model)"),
          bySet ? narrowly(one.set) : null,
        ),
    },
    bySet && { key: "set", label: "Set", wide: true, value: (one) => one.set, show: (one) => label(one.set, DASH) },
    figure("success", "Success", rows.meanings.success[1], success, true),
    figure("score", "Score ×\u00a0100", `Mean with 95 % confidence interval. ${rows.scoring}`, score, true),
    figure(
      "ratio",
      "Makespan ÷\u00a0optimum",
      "Mean ratio of makespan to proved optimum, over successful plans",
      (one) => ofRuns(fixed(one.ratio, 3), one.gap_runs),
    ),
    ...optional,
  ].filter(Boolean);
}

function bar(share) {
  const box = el("span", { class: "meter", "aria-hidden": "true" }, el("span"));
  box.firstChild.style.width = `${100 * Math.min(1, share)}%`;
  return box;
}

// Columns of the comparison of two models over the same problems.
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
        el("span", { class: "narrow" }, `in ${by(one)}`),
      ],
    },
    { key: "b", label: "Against", wide: true, value: (one) => one.b, show: (one) => label(one.b, "(no model)") },
    { key: "value", label: "Metric", wide: true, value: by, show: by },
    figure(
      "mean_difference",
      "Difference ×\u00a0100",
      "Mean difference over the problems, with 95 % confidence interval",
      difference,
    ),
    {
      ...figure("p_adjusted", "p", "p value of the sign test, adjusted for all pairs by Holm's method", probability),
      falling: false,
    },
    figure("wins", "Wins", "Problems where the first model is better"),
    figure("ties", "Ties", "Problems where both are equally good"),
    figure("losses", "Losses", "Problems where the second model is better"),
  ];
}

// Causes of failure, with a column for each of the first models.
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
    caption: "Causes of failure",
    size: 12,
    columns: [
      {
        key: "cause",
        label: "Cause",
        value: (one) => one.cause,
        show: (one) =>
          el(
            "button",
            {
              type: "button",
              class: "link",
              title: "Show the submissions with this cause",
              onclick: () => search(one.cause),
            },
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
function section(title, note, table, name, subject, beside = null, list = () => table.rows) {
  return el(
    "section",
    {},
    el("div", { class: "head" }, el("h2", {}, title), beside),
    note && el("p", { class: "note" }, note),
    table.element,
    el("div", { class: "found" }, el("span"), downloads(name, subject, list)),
  );
}

let narrow = (_model) => {};

const OVER_SETS =
  "Each metric is the mean over the sets below, of the answered problems. “Of all problems” counts missing problems " +
  "as failures.";
const IN_PAIRS =
  "A model wins a problem if its result is better; a missing plan counts as a failure. p is the probability of wins " +
  "and losses at least this unequal if both models were equally good (sign test, adjusted for all pairs by Holm's " +
  "method).";
const BEST_ONLY = " With this many models, only the best model is compared with each other model.";
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
    empty: "No submission matches the filters.",
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
    const matches = rows.order.filter(filters.test());
    table.show(matches);
    const chosen = filters.description();
    const some = matches.length < rows.size ? `${count(matches.length)} of ` : "";
    summary.replaceChildren(`${some}${plural(rows.size, "submission")}`, ...chosen.flatMap((part) => ["; ", part]));
    clear.hidden = !chosen.length;
  };
  const show = (choice) => {
    choice();
    filters.show();
    elementById("submissions").scrollIntoView();
    elementById("submissions").focus();
  };
  narrow = (one) => show(() => filters.narrow(one));

  const scored = rows.outcome.filter((outcome) => outcome < 2).length;
  const problemCount = rows.problems.filter((problem) => problem.name !== "").length;
  const priced = rows.priced.filter(Boolean).length;
  const notes = [];
  if (scored < rows.size) notes.push(`${plural(rows.size - scored, "line")} could not be graded.`);
  if (priced < scored) notes.push(`The regret is computed for ${count(priced)} of ${plural(scored, "graded plan")}.`);
  const contents = [plural(rows.size, "submission"), plural(rows.models.filter(Boolean).length, "model")];
  const rules = index.about.profile === "paper" ? "the rules of the papers" : "the rules of the released code";
  const subjects = `${contents.join(" of ")} for ${plural(problemCount, "problem")}`;
  const lead = `${subjects}, graded by ${rules}. ${notes.join(" ")}`;
  update(true);
  const name = several ? "Models by set" : "Models";
  const bySet = section(name, null, models, name.toLowerCase().replaceAll(" ", "-"), "the models", filters.set);
  const pairs = new Table({ caption: "Models in pairs", columns: pairColumns(), size: 12 });
  pairs.show(index.pairs);
  const unpaired = overall.filter((one) => one.problems === 0).map((one) => one.model || "(no model)");
  const without = unpaired.length ? ` Without a graded submission, and in no pair: ${unpaired.join(", ")}.` : "";
  const bestOnly = overall.length > 2 && new Set(index.pairs.map((pair) => pair.a)).size === 1;
  const causes = causeTable(index, (values) => show(() => filters.choose({ ...ALL, ...values })));
  const sorting = ["problems", "problems-page"].some((name) => address.get(name) !== null);
  return [
    el("header", { class: "top" }, el("h1", {}, data(index.title)), el("p", { class: "lead" }, lead)),
    several ? section("Models", OVER_SETS, over, "models", "the models") : bySet,
    index.pairs.length
      ? section("Models in pairs", `${IN_PAIRS}${bestOnly ? BEST_ONLY : ""}${without}`, pairs, "pairs", "the pairs")
      : null,
    index.causes.length
      ? section("Causes of failure", CAUSES, causes, "causes", "the causes", null, () => index.causes)
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

// The proved optimum, else its status and lower bound.
function optimumOf(time, status, optimum, bound) {
  if (optimum !== null) return span(time, optimum);
  if (status === "infeasible") return "infeasible";
  if (!status) return DASH;
  const text = status === "feasible" || status === "unknown" ? "not proved" : words(status);
  return (bound ?? null) === null ? text : `${text}, at least ${span(time, bound)}`;
}

function problemColumns(rows) {
  const share = (one) => {
    const graded = one.rows.filter((row) => rows.outcome[row] < 2);
    return graded.length ? graded.filter((row) => rows.outcome[row] === 0).length / graded.length : null;
  };
  const best = (one) => {
    const makespans = one.rows.filter((row) => rows.outcome[row] === 0).map((row) => rows.makespan[row]);
    return makespans.length ? Math.min(...makespans) : null;
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
      label: "Best makespan",
      number: true,
      title: "Shortest makespan of a successful submission in this report",
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
