// @ts-check
// The view of one problem.

async function problemView(rows, place) {
  const problem = rows.problems[place];
  const chart = problem.chart < 0 ? null : await chunk(problem.chart);
  const table = new Table({
    caption: `Submissions for ${problem.name}`,
    columns: rowColumns(rows, false),
    size: 20,
    name: "rows",
    by: "outcome",
  });
  table.show(problem.rows);
  const bound = problem.bound === null ? "" : ` (at least ${span(problem.time, problem.bound)})`;
  const statusTexts = {
    optimal: `optimum ${span(problem.time, problem.best)}, proved`,
    feasible: `best known ${span(problem.time, problem.best)}, optimum not proved${bound}`,
    infeasible: "no plan passes the rules",
    unknown: "no plan is known",
  };
  return [
    crumbs(null),
    el(
      "header",
      { class: "top" },
      el("h1", {}, data(problem.name === "" ? "No problem" : problem.name)),
      el(
        "p",
        { class: "lead" },
        chart
          ? `${sizes(chart)}; ${statusTexts[problem.status]}.`
          : "The report has no data for this problem, so no plan is drawn.",
      ),
    ),
    el(
      "section",
      {},
      el(
        "div",
        { class: "head" },
        el("h2", {}, "Submissions"),
        downloads("submissions", "these submissions", () => table.rows.map((row) => record(rows, row))),
      ),
      table.element,
    ),
    chart && chart.optimum.pieces.length
      ? el(
          "section",
          {},
          el("h2", {}, chart.optimum.status === "optimal" ? "Optimal plan" : "Best plan known"),
          new Chart(chart, problem.time, null, null, true).element,
        )
      : null,
  ];
}

function sizes(chart) {
  if (chart.kind === "kitchen") return `A kitchen for ${plural(chart.agents.length, "player")}`;
  if (chart.kind === "floor") return `A grid kitchen for ${plural(chart.agents.length, "cook")}`;
  const actions = `${plural(chart.actions.length, "action")} of ${plural(chart.tasks.length, "task")}`;
  return `${actions} for ${plural(chart.agents.length, "agent")}`;
}

function crumbs(problem) {
  const parts = [el("li", {}, el("a", { href: home }, "All submissions"))];
  if (problem)
    parts.push(
      el(
        "li",
        {},
        el("a", { href: problemLink(problem.name) }, problem.name === "" ? "No problem" : path(problem.name)),
      ),
    );
  return el("nav", { class: "crumbs", "aria-label": "Breadcrumb" }, el("ol", {}, parts));
}
