// @ts-check
// The first view: models, problems, submissions.

const OUTCOMES = [
  ["success", "✓", "Success"],
  ["failure", "✕", "Failure"],
  ["unscored", "○", "Not graded"],
];
const hundred = (value) => (value === null ? DASH : fixed(100 * value, 1));
const memory = {
  models: { column: -1 },
  problems: {},
  rows: {},
  filters: { text: "", set: "", model: "", outcome: "" },
};

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

// A name that may be broken after slashes and underscores.
const path = (name) =>
  data(
    "",
    {},
    name
      .split(/(?<=[/_])/)
      .flatMap((part) => [part, el("wbr")])
      .slice(0, -1),
  );

// What has a column of its own where there is room for it.
const narrowly = (name) => (name === "" ? null : el("span", { class: "narrow" }, path(name)));

function rowColumns(rows, withProblem) {
  const at = (name) => (row) => rows[name][row];
  const ratio = (row) => {
    const [made, best] = [rows.makespan[row], rows.optimum[row]];
    return rows.outcome[row] === 0 && made !== null && best ? made / best : null;
  };
  const problem = {
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
      label: "Submission",
      value: at("id"),
      show: (row) => [
        el("a", { href: rows.link(row) }, data(rows.id[row])),
        withProblem ? narrowly(rows.problem(row).name) : null,
      ],
    },
    ...(withProblem ? [problem] : []),
    {
      label: "Model",
      value: (row) => rows.models[rows.model[row]],
      show: (row) => (rows.models[rows.model[row]] === "" ? DASH : data(rows.models[rows.model[row]])),
    },
    {
      label: "Outcome",
      value: (row) => `${rows.outcome[row]} ${rows.whys[rows.why[row]]}`,
      show: (row) => outcomeOf(rows, row),
    },
    {
      label: "Score",
      number: true,
      falling: true,
      title: rows.scoring,
      value: at("score"),
      show: (row) => hundred(rows.score[row]),
    },
    {
      label: "Makespan",
      number: true,
      title: "Latest end of what was carried out",
      value: at("makespan"),
      show: (row) => span(rows.problem(row).time, rows.makespan[row]),
    },
    {
      label: "÷ optimum",
      number: true,
      title: "Makespan of a success by the proved optimum",
      value: ratio,
      show: (row) => fixed(ratio(row), 3),
    },
    {
      label: "Regret",
      number: true,
      title: "What all decisions cost, as a share of the optimum",
      value: at("regret"),
      show: (row) => percent(rows.regret[row]),
    },
    {
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
  return texts.join("\n").toLowerCase();
}

function outcomeOf(rows, row) {
  const said = rows.whys[rows.why[row]];
  return rows.outcome[row] === 2
    ? [badge(2), el("span", { class: "why" }, data(said))]
    : badge(rows.outcome[row], said);
}

const modelColumns = (rows) => [
  {
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
        data(one.model === "" ? "(no model)" : one.model),
        narrowly(one.set),
      ),
  },
  {
    label: "Set",
    wide: true,
    value: (one) => one.set,
    show: (one) => (one.set === "" ? DASH : data(one.set, { class: "keep" })),
  },
  {
    label: "Success",
    number: true,
    falling: true,
    title: "Share of plans that succeed; as planoracle grade sums them up",
    value: (one) => one.success,
    show: (one) => (one.success === null ? DASH : [percent(one.success), bar(one.success)]),
  },
  {
    label: "Score",
    number: true,
    falling: true,
    title: `Mean of: ${rows.scoring}`,
    value: (one) => one.score,
    show: (one) => hundred(one.score),
  },
  {
    label: "÷ optimum",
    number: true,
    title: "Mean makespan of successes by the proved optimum",
    value: (one) => one.ratio,
    show: (one) => fixed(one.ratio, 3),
  },
  {
    label: "Regret",
    number: true,
    title: "Mean of what decisions cost, as a share of the optimum; of plans that were priced",
    value: (one) => one.regret,
    show: (one) => percent(one.regret),
  },
  {
    label: "Faults",
    number: true,
    title: "Mean number of violations of a plan",
    value: (one) => one.faults,
    show: (one) => fixed(one.faults, 2),
  },
  {
    label: "Plans",
    number: true,
    falling: true,
    value: (one) => one.submissions,
    show: (one) => count(one.submissions),
  },
  {
    label: "Not graded",
    number: true,
    falling: true,
    value: (one) => one.unscored,
    show: (one) => count(one.unscored),
  },
  {
    label: "Missing",
    number: true,
    falling: true,
    title: "Problems of the set without a submission",
    value: (one) => one.missing,
    show: (one) => count(one.missing),
  },
];

function bar(share) {
  const box = el("span", { class: "meter", "aria-hidden": "true" }, el("span"));
  box.firstChild.style.width = `${100 * Math.min(1, share)}%`;
  return box;
}

let narrow = (_model) => {};

function overview(index, rows) {
  const { filters } = memory;
  const models = new Table({ caption: "Models", columns: modelColumns(rows), size: 20, state: memory.models });
  const problems = new Table({ caption: "Problems", columns: problemColumns(rows), size: 20, state: memory.problems });
  const table = new Table({
    caption: "Submissions",
    columns: rowColumns(rows, true),
    state: memory.rows,
    empty: "No submission is like this.",
  });
  const sets = [...new Set(rows.problems.map((problem) => problem.set))].sort(collator.compare);
  const heads = [...new Set(sets.map((set) => set.split("/")[0]).filter((head) => head && !sets.includes(head)))];
  const inSet = (set) => !filters.set || set === filters.set || set.startsWith(`${filters.set}/`);
  let haystack = /** @type {string[]} */ ([]);

  const select = (label, name, options) => {
    const box = el(
      "select",
      { id: `filter-${name}`, onchange: () => change(name, box.value) },
      options.map(([value, said]) => el("option", { value, selected: value === filters[name] }, said)),
    );
    return el("label", { class: "field" }, el("span", {}, label), box);
  };
  const search = el("input", {
    type: "search",
    id: "filter-text",
    value: filters.text,
    placeholder: "submission, problem, model, fault",
    autocomplete: "off",
    spellcheck: "false",
    oninput: () => change("text", search.value),
  });
  const change = (name, value) => {
    filters[name] = value;
    memory.rows.page = 0;
    update(name === "set");
  };
  const update = (all) => {
    if (all) {
      models.show(index.models.filter((one) => inSet(one.set)));
      problems.show(rows.problems.filter((one) => one.name !== "" && inSet(one.set)));
    }
    const asked = filters.text.toLowerCase().split(/\s+/).filter(Boolean);
    if (asked.length && !haystack.length) haystack = rows.id.map((_, row) => searched(rows, row));
    const found = [];
    for (let row = 0; row < rows.size; row++) {
      if (filters.model && rows.model[row] !== Number(filters.model)) continue;
      if (filters.outcome && rows.outcome[row] !== Number(filters.outcome)) continue;
      if (!inSet(rows.problem(row).set)) continue;
      if (asked.every((word) => haystack[row].includes(word))) found.push(row);
    }
    table.show(found);
  };
  narrow = (one) => {
    Object.assign(filters, { set: one.set, model: String(rows.models.indexOf(one.model)), text: "", outcome: "" });
    memory.rows.page = 0;
    view();
    here("submissions").focus();
  };

  const scored = rows.outcome.filter((outcome) => outcome < 2).length;
  const shown = rows.problems.filter((problem) => problem.name !== "").length;
  const priced = rows.priced.filter(Boolean).length;
  const notes = [];
  if (scored < rows.size) notes.push(`${plural(rows.size - scored, "line")} could not be graded.`);
  if (priced < scored) notes.push(`The decisions of ${count(priced)} of ${count(scored)} plans are priced.`);
  const contents = [plural(rows.size, "submission"), plural(rows.models.filter(Boolean).length, "model")];
  const rules = index.profile === "paper" ? "the rules of the papers" : "the released rules";
  const told = `${contents.join(" of ")} for ${plural(shown, "problem")}, by ${rules}. ${notes.join(" ")}`;
  update(true);
  return [
    el("header", { class: "top" }, el("h1", {}, data(index.title)), el("p", { class: "lead" }, told)),
    el(
      "section",
      {},
      el(
        "div",
        { class: "head" },
        el("h2", {}, "Models"),
        select("Set", "set", [
          ["", "All"],
          ...[...heads, ...sets.filter(Boolean)].sort(collator.compare).map((set) => [set, set]),
        ]),
      ),
      models.element,
    ),
    el("details", { class: "fold" }, el("summary", {}, el("h2", {}, "Problems")), problems.element),
    el(
      "section",
      {},
      el("h2", { id: "submissions", tabindex: "-1" }, "Submissions"),
      el(
        "div",
        { class: "filters", role: "search" },
        el("label", { class: "field wide" }, el("span", {}, "Search"), search),
        select("Model", "model", [
          ["", "All"],
          ...rows.models.map((model, i) => [String(i), model || "(no model)"]).sort((a, b) => compare(a[1], b[1])),
        ]),
        select("Outcome", "outcome", [["", "All"], ...OUTCOMES.map(([, , said], i) => [String(i), said])]),
      ),
      table.element,
    ),
    el("footer", {}, `planoracle ${index.version}`),
  ];
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
      label: "Problem",
      value: (one) => one.name,
      show: (one) => el("a", { href: problemLink(one.name) }, path(one.name)),
    },
    {
      label: "Optimum",
      number: true,
      value: (one) => one.best,
      show: (one) => (one.status === "optimal" ? span(one.time, one.best) : (one.status ?? DASH)),
    },
    {
      label: "Best plan",
      number: true,
      title: "Least makespan of a success here",
      value: best,
      show: (one) => span(one.time, best(one)),
    },
    { label: "Success", number: true, falling: true, value: share, show: (one) => percent(share(one)) },
    {
      label: "Plans",
      number: true,
      falling: true,
      value: (one) => one.rows.length,
      show: (one) => count(one.rows.length),
    },
  ];
}
