// @ts-check
// Downloads: rows as CSV or JSON, made in the page.

// Places where a spreadsheet would see a formula, also if it splits cells at semicolons. The same as in
// analysis/console.py, whose white space has four separators and a line break more.
const BEFORE =
  /(?<=^|[;\t\r\n])(?=(?:[^\S;\t\r\n]|[\u001c-\u001f\u0085'"“”‘’\ufeff])*(?![+\-]?(?:\d+\.?\d*|\.\d+)(?:e[+\-]?\d+)? *(?:[;\t\r\n]|$))[=+\-@＝＋－＠])/gi;

function cell(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = String(value).replace(BEFORE, "'");
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function csv(list) {
  const keys = [...new Set(list.flatMap((row) => Object.keys(row).filter((key) => row[key] !== undefined)))];
  const lines = list.map((row) => keys.map((key) => cell(row[key])));
  return [keys.map(cell), ...lines].map((line) => `${line.join(",")}\n`).join("");
}

const json = (list) => `${JSON.stringify(list, null, 1)}\n`;

function save(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  el("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

// Buttons to download the rows that list returns; subject describes them.
function downloads(name, subject, list) {
  const button = (form, type, written) =>
    el(
      "button",
      {
        type: "button",
        "aria-label": `Download ${subject} as ${form}`,
        onclick: () => save(`${name}.${form.toLowerCase()}`, type, written(list())),
      },
      form,
    );
  return el(
    "span",
    { class: "downloads" },
    el("span", { "aria-hidden": "true" }, "Download "),
    button("CSV", "text/csv;charset=utf-8", csv),
    button("JSON", "application/json", json),
  );
}

// A submission with the fields of rows of grades, followed by fields of the report only.
function record(rows, row) {
  const problem = rows.problem(row);
  const [outcome, why] = [rows.outcome[row], rows.whys[rows.why[row]] || null];
  return {
    id: rows.id[row],
    instance: problem.name,
    set: problem.set,
    model: rows.models[rows.model[row]],
    sample: rows.sample[row],
    source: rows.sources[rows.source[row]] || rows.file || null,
    line: rows.at[row] ?? rows.line[row],
    scored: outcome < 2,
    reason: outcome < 2 ? null : why,
    success: outcome < 2 ? outcome === 0 : null,
    failure_cause: outcome < 2 ? why : null,
    main_score: rows.score[row],
    progress: rows.progress[row],
    makespan: rows.makespan[row],
    optimal_makespan: rows.optimum[row],
    optimum_status: rows.status[row] ?? problem.status,
    optimum_bound: rows.bound[row] ?? problem.bound,
    unit: problem.time.unit,
    ratio_to_optimum: rows.ratio(row) && Number(rows.ratio(row).toFixed(6)),
    regret: outcome === 0 ? rows.total[row] : null,
    lost_at_failure: rows.lost[row],
    faults: rows.faults[row],
    read: rows.read[row],
    read_from: rows.from[row],
    ignored: rows.ignored[row],
  };
}
