"""Tables of averages, of paired comparisons and of causes of failure, for ``planoracle grade``."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any, Final

import typer

from planoracle.analysis import figures
from planoracle.analysis.cli.output import PEOPLE, Format, Name, current_view, mean_text, new_file, write_table
from planoracle.analysis.console import collect, complain, tell
from planoracle.analysis.frames.schema import records, schema
from planoracle.analysis.statistics.grade_columns import GradeRows, owner_of
from planoracle.analysis.statistics.groups import CAUSE, failure_causes, group_runs, groupings, quartiles
from planoracle.analysis.statistics.observations import UNNAMED
from planoracle.analysis.statistics.pairs import COMPARED, MOST_PAIRED, pairs_of_models
from planoracle.analysis.statistics.summary import FORMAT, SEVERAL, VERSION, summarize
from planoracle.instances.errors import UnknownNameError
from planoracle.instances.files.catalog import short_name
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.scoring import Average
from planoracle.instances.text import one_of

_DIFFERENCE = "difference (95 %)"

#: Tables of averages that every benchmark has.
COMMON_TABLES = ("models", "sets", "pairs", "causes")
# Columns of csv for tables that may be empty.
_EMPTY = {"pairs": schema("pairings").names, "causes": schema("causes").names}

# Columns of averages.
_INTERVAL = "95 %"
_OF_ALL = ("success_of_all", "main_score_of_all")
_MODELS = (
    *("model", "sets", "problems", "missing", "unscored", "samples"),
    *("success", "success_of_all", "main_score", "main_score_of_all", _INTERVAL),
)
_SETS = ("submissions", "unscored", "missing", "samples")
_COUNTS = ("count", "succeeded", "failed", "share", "share_of_succeeded", "share_of_failed")
_GAP, _LOST = "gap_of_successes", "lost_by_failures"
_OVERALL = "Averages per model, over all sets"
_PARTIAL = "; (n of m): a mean over n of m problems"

#: Formats of files by their ending.
_ENDINGS: Final = {
    ".csv": Format.csv,
    ".json": Format.json,
    ".jsonl": Format.jsonl,
    ".md": Format.markdown,
    ".tex": Format.latex,
    ".txt": Format.table,
}


def format_of(path: Path | None) -> Format:
    """Return the format of a file by its ending; raises `typer.BadParameter` for an unknown ending."""
    if path is None or path.suffix.lower() in _ENDINGS:
        return Format.table if path is None else _ENDINGS[path.suffix.lower()]
    raise typer.BadParameter(f"must end in {', '.join(_ENDINGS)}, not {path.name!r}", param_hint="--summary")


def table_names(by: str | None = None) -> tuple[str, ...]:
    """Return the names of the tables of averages, or of those of a group: values of ``--table``."""
    if by is not None:
        return ("groups", "quartiles")
    further = (name for benchmark in registry.names() for name in registry.get(benchmark).metrics.tables)
    return (*COMMON_TABLES, *dict.fromkeys(further))


def write(grades: GradeRows, path: Path, table: str | None = None) -> None:
    """Write averages to a file, in the format of its ending; see `show`."""
    with new_file(path) as stream:
        show(grades, format_of(path), stream, table=table)


def show(
    grades: GradeRows, form: Format = Format.table, stream: IO[str] | None = None, *, table: str | None = None
) -> None:
    """Write averages, pairs of models and causes of failure as data, or as tables and notes.

    Parameters
    ----------
    table
        The only table to write, see `table_names`. By default csv has the one of models, other formats have all.
    """
    frame = grades.frame()
    outcomes = grades.outcomes(frame)
    averages = summarize(frame, grades.rules)
    scored = [row["model"] or UNNAMED for row in averages.models if row["problems"]]
    tables: dict[str, list[dict[str, Any]]] = {
        "models": averages.models,
        "sets": averages.sets,
        "pairs": pairs_of_models(outcomes, scored),
        "causes": records(failure_causes(outcomes)) if averages.models else [],
        **dict(_own_tables(averages.sets)),
    }
    if table is None and form is Format.csv:
        table = "models"
    chosen = tables if table is None else {table: tables.get(table, [])}
    if form in PEOPLE:
        _show_tables(chosen, grades, form, stream or sys.stdout, [row["model"] for row in averages.models])
    else:
        rows = [_data_row(name, row) for name, rows in chosen.items() for row in rows]
        columns = _EMPTY.get(table or "", ["model", "set"])
        # The title says that --columns is not about this file.
        write_table(form, columns, rows, "" if stream is None else "averages", stream)
    for row in averages.sets if form in PEOPLE else ():
        _note(row, grades)
    if "pairs" in chosen and len(averages.models) > 1:
        for row in averages.models:
            if not row["problems"]:
                collect(row["model"] or UNNAMED, "no plan is scored; no pair has this model", "models", "note")


def _data_row(table: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row as data; ``level`` is the name of its table, of a common one in the singular."""
    level = table.removesuffix("s") if table in COMMON_TABLES else table
    return {"format": FORMAT, "version": VERSION, "level": level} | dict(row)


def _show_tables(
    tables: Mapping[str, Sequence[dict[str, Any]]],
    grades: GradeRows,
    form: Format,
    stream: IO[str],
    models: Sequence[str],
) -> None:
    """Write tables for people; a single one has the columns of ``--columns`` and then no title."""
    untitled = bool(current_view.get().columns) and len(tables) == 1

    def put(name: str, rows: Sequence[dict[str, Any]]) -> None:
        if name == "models":
            partial_rows = any(row["problems"] < row["all_problems"] for row in rows)
            title = f"{_OVERALL}{_PARTIAL if partial_rows else ''}"
            _put(rows, _MODELS, "" if untitled else title, form, stream)
        elif name == "sets":
            for benchmark in dict.fromkeys(row["benchmark"] for row in rows):
                part = [row for row in rows if row["benchmark"] == benchmark]
                title = "" if untitled else f"{_title(benchmark)}: averages"
                _put_averages(part, "set", grades, title, form, stream)
        elif name == "pairs":
            _put_pairs(rows, form, stream, untitled=untitled)
        elif name == "causes":
            _put_causes(rows, models, form, stream, untitled=untitled)
        else:
            write_table(form, list(rows[0]), rows, "" if untitled else name.capitalize(), stream)

    own = [name for name in tables if name not in COMMON_TABLES]
    for name in ("models", "sets", *own, "pairs", "causes"):
        if tables.get(name):
            put(name, tables[name])
        elif name in tables and len(tables) == 1:
            tell(f"the table {name} is empty", "note")


def _own_tables(rows: Sequence[dict[str, Any]]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield title and rows of the further tables of benchmarks, unless they are empty."""
    for benchmark in filter(None, map(registry.find, dict.fromkeys(row["benchmark"] for row in rows))):
        for title, table in benchmark.metrics.tables.items():
            if more := table([row for row in rows if row["benchmark"] == benchmark.name]):
                yield title, more


def show_groups(grades: GradeRows, by: str, form: Format, output: Path | None, table: str | None = None) -> bool:
    """Write averages by a group of problems, or counts of runs by cause or bin, and draw them.

    ``table`` is the only table to write, see `table_names`; csv has the groups by default.

    Returns True if a benchmark lacks the group; raises `UnknownNameError` if all do.
    """
    frame = grades.frame()
    # Submissions for unknown problems have no benchmark.
    accepted = {name: groupings(name) for name in frame["benchmark"].unique() if name or by == CAUSE}
    having = [name for name, names in accepted.items() if by in names]
    refused = [name for name in accepted if name not in having]
    for name in refused:
        error = UnknownNameError(f"{_title(name)}: {one_of(by, accepted[name])}", field="--by", value=by)
        if not having:
            raise error
        complain(error)
    if not having:
        tell("no grade refers to a known problem", "note")
    words = by.replace("_", " ")
    rows: list[dict[str, Any]] = []
    tables: dict[str, list[dict[str, Any]]] = {"groups": rows, "quartiles": []}
    for name in having:
        own = frame[frame["benchmark"] == name]
        part, middles = group_runs(own, by, grades.rules), quartiles(own, by)
        rows += part
        tables["quartiles"] += middles
        about = f" ({accepted[name][by]})" if accepted[name][by] else ""
        title = "" if current_view.get().columns else f"{_title(name)} by {words}{about}"
        if not part:
            tell(f"no run of {_title(name)} has {words}{about}", "note")
        elif form in PEOPLE and table != "quartiles":
            _put_group(part, by, grades, title, form)
        if middles and form in PEOPLE and (table == "quartiles" or (title and table is None)):
            title = title and f"Quartiles of {words}"
            write_table(form, ["model", "set", "runs", *list(middles[0])[4:]], middles, title)
    if form not in PEOPLE:
        if table is None and form is Format.csv:
            table = "groups"
        chosen = tables if table is None else {table: tables[table]}
        data = [_data_row(by if level == "groups" else level, row) for level, part in chosen.items() for row in part]
        write_table(form, ["model", by], data)
    elif table == "quartiles" and not tables[table]:
        tell(f"there are no quartiles of {words}", "note")
    _note_models_without_group(frame["model"].unique() if len(frame) else (), rows, words)
    if output is not None and rows:
        about = f"{', '.join(map(_title, having))} by {words}"
        caption = figures.style.save(lambda: figures.grouped_bars.grouped_bars(rows, by, about=about), output)
        tell(f"caption of {output.name}: {caption}", "note")
    return bool(refused)


def _put_group(part: list[dict[str, Any]], by: str, grades: GradeRows, title: str, form: Format) -> None:
    """Write averages by a group of problems, or counts of runs, of one benchmark for people."""
    if "count" in part[0]:
        columns = ("model", "set", by, *_COUNTS)
        write_table(form, [name for name in columns if any(row[name] for row in part)], part, title)
    else:
        _put_averages(part, by, grades, title, form, sys.stdout)


def _note_models_without_group(models: Iterable[str], rows: Iterable[Mapping[str, Any]], words: str) -> None:
    """Name the models that have no row in a table by a group."""
    with_rows = {row["model"] for row in rows}
    for model in models:
        if model not in with_rows:
            collect(model or UNNAMED, f"no run has {words}; the table has no row of this model", "models", "note")


def _put_averages(
    rows: Sequence[dict[str, Any]], by: str, grades: GradeRows, title: str, form: Format, stream: IO[str]
) -> None:
    """Write the rows of a benchmark for people, with its own figures."""
    own: list[str] = []
    lasting = [by]
    full: float = 1
    figures = grades.figures(rows[0]["benchmark"])
    for figure in figures:
        own += [figure.name] if figure.is_shown and figure.aggregate != "counts" else []
        lasting += [figure.name] if figure.role else []
        if "main" in figure.role:
            own.append(_INTERVAL)
            full = figure.full
    if title and counts_missing(figures):
        title += "; missing plans count as failed"
    _put(rows, ("model", by, *_SETS, *own, *_OF_ALL), title, form, stream, lasting, full)


def _title(benchmark: str) -> str:
    match = registry.find(benchmark)
    return match.title if match else benchmark or "unknown problems"


def _put_causes(
    causes: Sequence[Mapping[str, Any]], models: Sequence[str], form: Format, stream: IO[str], *, untitled: bool
) -> None:
    """Write a table of the causes of failure, with a column for each model."""
    names = [Name(model or UNNAMED) for model in models]
    table: dict[str, dict[str, Any]] = {}
    for row in causes:
        cause = row["failure_cause"]
        counts = table.setdefault(cause, dict.fromkeys(names, 0) | {"failure_cause": cause})
        counts[row["model"]] = row["count"]
    title = "" if untitled else "Failed plans by cause"
    write_table(form, ["failure_cause", *names], table.values(), title, stream)


def _put_pairs(duels: Sequence[Mapping[str, Any]], form: Format, stream: IO[str], *, untitled: bool) -> None:
    """Write a table of pairs for each value; one for two values with the same results."""
    before: list[dict[str, Any]] = []
    for value in COMPARED:
        rows = [
            {
                "model": row["a"],
                "against": row["b"],
                **{name: row[name] for name in ("wins", "ties", "losses")},
                "p": "<0.001" if row["p_adjusted"] < 0.001 else f"{row['p_adjusted']:.3f}",
                _DIFFERENCE: _difference(row),
                "problems": row["pairs"],
                "left_out": row["left_out"] or None,
            }
            for row in duels
            if row["value"] == value and row["pairs"]
        ]
        if rows and rows != before:
            counts = sorted({row["problems"] for row in rows})
            over = " to ".join(map(str, dict.fromkeys((counts[0], counts[-1]))))
            over += " problem" if counts[-1] == 1 else " problems"
            is_best_only = len(rows) >= MOST_PAIRED and len({row["model"] for row in rows}) == 1
            compared = "The best model compared with each other model" if is_best_only else "Models in pairs"
            title = (
                f"{compared} by {value.replace('_', ' ')} over {over}; missing plans count as failures; "
                "p: p-value of the sign test, corrected by Holm's method"
            )
            lasting = ("model", "against", "p", _DIFFERENCE)
            write_table(form, list(rows[0]), rows, "" if untitled else title, stream, lasting=lasting)
        before = rows


def _difference(row: Mapping[str, Any]) -> str | None:
    if "mean_difference" not in row:
        return None
    ends = "mean_difference_low" in row and f" ({row['mean_difference_low']:.3f} to {row['mean_difference_high']:.3f})"
    return f"{row['mean_difference']:+.3f}{ends or ''}"


def _put(
    rows: Sequence[dict[str, Any]],
    columns: Sequence[str],
    title: str,
    form: Format,
    stream: IO[str],
    lasting: Sequence[str] = ("success", "main_score"),
    full: float = 1,
) -> None:
    """Write rows of averages for people; ``lasting`` columns, names and gaps stay in a narrow terminal."""
    texts = [row | _for_people(row, full) for row in rows]
    same = [name for name in _OF_ALL if all(row[name] == row[name.removesuffix("_of_all")] for row in rows)]
    visible_columns = [name for name in (*columns, _GAP, _LOST, *_widest(rows)) if name not in same]
    write_table(form, visible_columns, texts, title, stream, lasting=("model", *lasting, _GAP))


def _widest(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return pass@k, pass^k and best of k for the largest k that all rows with several samples have."""
    several = [row for row in rows if any(key.startswith(SEVERAL) for key in row)]
    columns = []
    for name in SEVERAL:
        sizes = [{int(key.removeprefix(name)) for key in row if key.startswith(name)} for row in several]
        columns += [f"{name}{size}" for size in sorted(set.intersection(*sizes))[-1:] if size > 1] if sizes else []
    return columns


def _for_people(row: Mapping[str, Any], full: float) -> dict[str, Any]:
    """Return texts that replace several numbers in tables; none for repetitions."""
    fewest, largest = row["samples_least"], row["samples_most"]
    low, high = row["main_score_low"], row["main_score_high"]
    samples = str(largest) if fewest == largest else f"{fewest}-{largest}"
    texts: dict[str, Any] = {
        "samples": samples if (largest or 0) > 1 else None,
        _INTERVAL: None if low is None else f"{low * full:.3f} to {high * full:.3f}",
        _GAP: _share_text(row["gap"], row["gap_runs"], row["succeeded"], "no optimum proved"),
        _LOST: _share_text(row["lost"], row["lost_runs"], row["failed"], "no regret computed"),
    }
    if row.get("sets_missing"):
        texts["sets"] = f"{row['sets']} of {row['sets'] + row['sets_missing']}"
    problems = {name: row[f"{name}_problems"] for name in ("success", "main_score")} | row.get("over", {})
    for name, count in problems.items():
        texts[name] = mean_text(name, row[name], count, row["all_problems"])
    return texts


def _share_text(share: float | None, count: int, runs: int, none: str) -> str | None:
    """Return a share with the number of runs behind it."""
    if not runs:
        return None
    of = f"{runs}" if count in (0, runs) else f"{count} of {runs}"
    return f"{none} ({of})" if share is None else f"{100 * share:+.1f} % ({of})"


def _note(row: dict[str, Any], grades: GradeRows) -> None:
    """Write notes on the row of a set; equal ones of several models are written together."""
    note = partial(collect, row["model"] or "", many="models", kind="note")
    set_name = row["set"] or "no set"
    figures = grades.figures(row["benchmark"])
    for tally in (one for one in figures if one.aggregate == "counts" and one.is_shown and row[one.name]):
        counts = ", ".join(f"{str(name).replace('_', ' ')} {count}" for name, count in row[tally.name].items())
        note(f"{tally.meaning} in {set_name}: {counts}")
    if row["missing_names"]:
        names = [short_name(name) for name in row["missing_names"]]
        more = f" and {len(names) - 5} more" if len(names) > 5 else ""
        treatment = _treatment_of_missing(row["benchmark"], counts_missing(figures))
        note(f"no plan for {', '.join(names[:5])}{more} in {set_name}; these {treatment}")
    least, most = row["samples_least"], row["samples_most"]
    if least != most:
        few = f"problems in {set_name} have from {least} to {most} scored samples"
        note(f"{few}; pass@k and similar metrics use a k that all have")
    if row["repeated"]:
        note(f"{row['repeated']} runs in {set_name} repeat a sample that another run has; all runs count")


def counts_missing(figures: Iterable[Average]) -> bool:
    """Return True if missing plans count as failed in the table of a benchmark."""
    return any(figure.counts_missing for figure in figures)


def _treatment_of_missing(benchmark: str, is_counted: bool) -> str:
    """Return how missing plans are averaged, and the option that changes it."""
    omitted = "are omitted, except in the columns of all problems"
    rules = owner_of(benchmark).rules
    if is_counted:
        omitted += f" and in the table of {_title(benchmark)}, where they count as failed"
    if "missing" not in rules.choices:
        return omitted
    value = "skipped" if is_counted else "failed"
    effect = "omits them there, too" if is_counted else f"counts them as failed in the table of {_title(benchmark)}"
    return f"{omitted} (--set {rules.name}.missing={value} {effect})"
