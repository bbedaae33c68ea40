"""Tables of averages, of paired comparisons and of causes of failure, for ``planoracle grade``."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any, Final

import typer

from planoracle.analysis import figures
from planoracle.analysis.cli.output import PEOPLE, Format, Name, current_view, mean_text, new_file, write_table
from planoracle.analysis.console import collect, complain, tell
from planoracle.analysis.frames.schema import schema
from planoracle.analysis.statistics.grade_columns import GradeRows
from planoracle.analysis.statistics.groupings import CAUSE, COMPARED, MOST_PAIRED, UNNAMED, groupings, owner_of
from planoracle.analysis.statistics.groups import group_runs, quartiles
from planoracle.analysis.statistics.model_tables import causes_of_models, pairs_of_models
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

# Missing problems that a note names.
_LISTED = 5

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
    if path is None:
        return Format.table
    form = _ENDINGS.get(path.suffix.lower())
    if form is None:
        endings = ", ".join(_ENDINGS)
        raise typer.BadParameter(f"must end in {endings}, not {path.name!r}", param_hint="--summary")
    return form


def table_names(by: str | None = None) -> tuple[str, ...]:
    """Return the names of the tables of averages, or of those of a group: values of ``--table``."""
    if by is not None:
        return ("groups", "quartiles")
    names = dict.fromkeys(COMMON_TABLES)
    for benchmark in map(registry.get, registry.names()):
        names |= dict.fromkeys(benchmark.metrics.tables)
    return tuple(names)


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
    averages = summarize(grades)
    judged = [row for row in averages.models if row["problems"]]
    scored = [row["model"] or UNNAMED for row in judged]
    tables: dict[str, list[dict[str, Any]]] = {"models": averages.models, "sets": averages.sets}
    tables["pairs"] = pairs_of_models(grades, scored)
    tables["causes"] = causes_of_models(grades) if averages.models else []
    tables |= _benchmark_tables(averages.sets)
    if table is None and form is Format.csv:
        table = "models"
    chosen = tables
    if table is not None:
        chosen = {table: tables.get(table, [])}
    if form in PEOPLE:
        models = [row["model"] for row in averages.models]
        _show_tables(chosen, grades, form, stream or sys.stdout, models)
        for row in averages.sets:
            _note(row, grades)
    else:
        columns = _EMPTY.get(table or "", ["model", "set"])
        # The title says that --columns is not about this file.
        title = "" if stream is None else "averages"
        write_table(form, columns, _data_rows(chosen), title, stream)
    if "pairs" in chosen and len(averages.models) > 1:
        for row in averages.models:
            if not row["problems"]:
                name = row["model"] or UNNAMED
                collect(name, "no plan is scored; no pair has this model", "models", "note")


def _data_rows(tables: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """Return the rows of tables as data; ``level`` names the table, a common one in the singular."""
    data: list[dict[str, Any]] = []
    for table, rows in tables.items():
        level = table.removesuffix("s") if table in COMMON_TABLES else table
        shared = {"format": FORMAT, "version": VERSION, "level": level}
        data += [shared | dict(row) for row in rows]
    return data


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
            has_partial_rows = any(row["problems"] < row["all_problems"] for row in rows)
            title = f"{_OVERALL}{_PARTIAL}" if has_partial_rows else _OVERALL
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
            title = "" if untitled else name.capitalize()
            write_table(form, list(rows[0]), rows, title, stream)

    further = [name for name in tables if name not in COMMON_TABLES]
    for name in ("models", "sets", *further, "pairs", "causes"):
        if tables.get(name):
            put(name, tables[name])
        elif name in tables and len(tables) == 1:
            tell(f"the table {name} is empty", "note")


def _benchmark_tables(rows: Sequence[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of the further tables of benchmarks by title, without the empty ones."""
    tables = {}
    for name in dict.fromkeys(row["benchmark"] for row in rows):
        benchmark = registry.find(name)
        if benchmark is None:
            continue
        part = [row for row in rows if row["benchmark"] == benchmark.name]
        for title, table in benchmark.metrics.tables.items():
            if rows_of_table := table(part):
                tables[title] = rows_of_table
    return tables


def show_groups(grades: GradeRows, by: str, form: Format, output: Path | None, table: str | None = None) -> bool:
    """Write averages by a group of problems, or counts of runs by cause or bin, and draw them.

    ``table`` is the only table to write, see `table_names`; csv has the groups by default.

    Returns True if a benchmark lacks the group; raises `UnknownNameError` if all do.
    """
    # Submissions for unknown problems have no benchmark.
    benchmarks = [name for name in grades.tables() if name or by == CAUSE]
    accepted = {name: groupings(name) for name in benchmarks}
    having = [name for name, names in accepted.items() if by in names]
    refused = [name for name in accepted if name not in having]
    for name in refused:
        message = one_of(by, accepted[name])
        message = f"{_title(name)}: {message}"
        error = UnknownNameError(message, field="--by", value=by)
        if not having:
            raise error
        complain(error)
    if not having:
        tell("no grade refers to a known problem", "note")
    words = by.replace("_", " ")
    rows: list[dict[str, Any]] = []
    tables: dict[str, list[dict[str, Any]]] = {"groups": rows, "quartiles": []}
    for name in having:
        part = group_runs(grades, name, by)
        middles = quartiles(grades, name, by)
        rows += part
        tables["quartiles"] += middles
        meaning = accepted[name][by]
        about = f"{words} ({meaning})" if meaning else words
        benchmark = _title(name)
        title = "" if current_view.get().columns else f"{benchmark} by {about}"
        if not part:
            tell(f"no run of {benchmark} has {about}", "note")
        elif form in PEOPLE and table != "quartiles":
            _put_group(part, by, grades, title, form)
        shows_quartiles = table == "quartiles" or (bool(title) and table is None)
        if middles and form in PEOPLE and shows_quartiles:
            title = title and f"Quartiles of {words}"
            columns = ["model", "set", "runs", *list(middles[0])[4:]]
            write_table(form, columns, middles, title)
    if form not in PEOPLE:
        if table is None and form is Format.csv:
            table = "groups"
        chosen = tables if table is None else {table: tables[table]}
        levels = chosen
        if "groups" in chosen:
            levels = {by if level == "groups" else level: part for level, part in chosen.items()}
        write_table(form, ["model", by], _data_rows(levels))
    elif table == "quartiles" and not tables[table]:
        tell(f"there are no quartiles of {words}", "note")
    _note_models_without_group(grades.models(), rows, words)
    if output is not None and rows:
        titles = ", ".join(map(_title, having))
        about = f"{titles} by {words}"
        draw = partial(figures.grouped_bars.grouped_bars, rows, by, about=about)
        caption = figures.style.save(draw, output)
        tell(f"caption of {output.name}: {caption}", "note")
    return bool(refused)


def _put_group(part: list[dict[str, Any]], by: str, grades: GradeRows, title: str, form: Format) -> None:
    """Write averages by a group of problems, or counts of runs, of one benchmark for people."""
    if "count" in part[0]:
        names = ("model", "set", by, *_COUNTS)
        columns = [name for name in names if any(row[name] for row in part)]
        write_table(form, columns, part, title)
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
    """Write the rows of a benchmark for people, with its own averages."""
    columns: list[str] = []
    lasting = [by]
    full: float = 1
    averages = grades.figures(rows[0]["benchmark"])
    for average in averages:
        if average.is_shown and average.aggregate != "counts":
            columns.append(average.name)
        if average.role:
            lasting.append(average.name)
        if "main" in average.role:
            columns.append(_INTERVAL)
            full = average.full
    if title and counts_missing(averages):
        title += "; missing plans count as failed"
    names = ("model", by, *_SETS, *columns, "drop", *_OF_ALL)
    _put(rows, names, title, form, stream, lasting, full)


def _title(benchmark: str) -> str:
    match = registry.find(benchmark)
    if match:
        return match.title
    return benchmark or "unknown problems"


def _put_causes(
    causes: Sequence[Mapping[str, Any]], models: Sequence[str], form: Format, stream: IO[str], *, untitled: bool
) -> None:
    """Write a table of the causes of failure, with a column for each model."""
    names = [Name(model or UNNAMED) for model in models]
    table: dict[str, dict[str, Any]] = {}
    for row in causes:
        cause = row["failure_cause"]
        if cause not in table:
            table[cause] = dict.fromkeys(names, 0) | {"failure_cause": cause}
        counts = table[cause]
        counts[row["model"]] = row["count"]
    title = "" if untitled else "Failed plans by cause"
    write_table(form, ["failure_cause", *names], table.values(), title, stream)


def _put_pairs(pairs: Sequence[Mapping[str, Any]], form: Format, stream: IO[str], *, untitled: bool) -> None:
    """Write a table of pairs for each value; a single one for two values with the same results."""
    previous: list[dict[str, Any]] = []
    for value in COMPARED:
        compared = [pair for pair in pairs if pair["value"] == value]
        rows = [_pair_row(pair) for pair in compared if pair["pairs"]]
        if rows and rows != previous:
            title = "" if untitled else _pairs_title(value, rows)
            lasting = ("model", "against", "p", _DIFFERENCE)
            write_table(form, list(rows[0]), rows, title, stream, lasting=lasting)
        previous = rows


def _pair_row(pair: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row of a pair of models for people."""
    p_value = pair["p_adjusted"]
    row = {"model": pair["a"], "against": pair["b"]}
    row |= {name: pair[name] for name in ("wins", "ties", "losses")}
    row["p"] = "<0.001" if p_value < 0.001 else f"{p_value:.3f}"
    row[_DIFFERENCE] = _difference(pair)
    row["problems"] = pair["pairs"]
    row["left_out"] = pair["left_out"] or None
    return row


def _pairs_title(value: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the title of a table of pairs."""
    counts = [row["problems"] for row in rows]
    fewest, largest = min(counts), max(counts)
    numbers = f"{fewest}"
    if fewest != largest:
        numbers = f"{fewest} to {largest}"
    noun = "problem" if largest == 1 else "problems"
    models = {row["model"] for row in rows}
    compared = "Models in pairs"
    if len(rows) >= MOST_PAIRED and len(models) == 1:
        compared = "The best model compared with each other model"
    words = value.replace("_", " ")
    return (
        f"{compared} by {words} over {numbers} {noun}; missing plans count as failures; "
        "p: p-value of the sign test, corrected by Holm's method"
    )


def _difference(pair: Mapping[str, Any]) -> str | None:
    """Return the mean difference of a pair with its confidence interval, as far as they are known."""
    if "mean_difference" not in pair:
        return None
    text = f"{pair['mean_difference']:+.3f}"
    if "mean_difference_low" in pair:
        low, high = pair["mean_difference_low"], pair["mean_difference_high"]
        text += f" ({low:.3f} to {high:.3f})"
    return text


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
    repeated = [name for name in _OF_ALL if _are_equal(rows, name, name.removesuffix("_of_all"))]
    names = (*columns, _GAP, _LOST, *_columns_of_samples(rows))
    visible_columns = [name for name in names if name not in repeated]
    write_table(form, visible_columns, texts, title, stream, lasting=("model", *lasting, _GAP))


def _are_equal(rows: Iterable[Mapping[str, Any]], name: str, other_name: str) -> bool:
    """Return True if two columns have the same values."""
    return all(row[name] == row[other_name] for row in rows)


def _columns_of_samples(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return pass@k, pass^k and best of k for the largest k that all rows with several samples have."""
    several = [row for row in rows if any(key.startswith(SEVERAL) for key in row)]
    columns: list[str] = []
    if not several:
        return columns
    for name in SEVERAL:
        sizes = set.intersection(*(_sample_sizes(row, name) for row in several))
        largest = max(sizes, default=0)
        if largest > 1:
            columns.append(f"{name}{largest}")
    return columns


def _sample_sizes(row: Mapping[str, Any], name: str) -> set[int]:
    """Return the numbers k for which a row has ``name`` of k samples."""
    return {int(key.removeprefix(name)) for key in row if key.startswith(name)}


def _for_people(row: Mapping[str, Any], full: float) -> dict[str, Any]:
    """Return texts that replace several numbers in tables; none for repetitions."""
    low, high = row["main_score_low"], row["main_score_high"]
    texts: dict[str, Any] = {}
    texts["samples"] = _samples_text(row["samples_least"], row["samples_most"])
    texts[_INTERVAL] = None
    if low is not None:
        texts[_INTERVAL] = f"{low * full:.3f} to {high * full:.3f}"
    gap, lost = row["gap"], row["lost"]
    texts[_GAP] = _share_text(gap, row["gap_runs"], row["succeeded"], "no optimum proved")
    texts[_LOST] = _share_text(lost, row["lost_runs"], row["failed"], "no regret computed")
    if row.get("sets_missing"):
        sets = row["sets"]
        all_sets = sets + row["sets_missing"]
        texts["sets"] = f"{sets} of {all_sets}"
    problems = {name: row[f"{name}_problems"] for name in ("success", "main_score")}
    problems |= row.get("over", {})
    for name, count in problems.items():
        all_problems = row["all_problems"]
        texts[name] = mean_text(name, row[name], count, all_problems)
    return texts


def _samples_text(smallest: int | None, largest: int | None) -> str | None:
    """Return the smallest and the largest number of samples of a problem; none for single samples."""
    if (largest or 0) <= 1:
        return None
    return f"{largest}" if smallest == largest else f"{smallest}-{largest}"


def _share_text(share: float | None, count: int, runs: int, reason: str) -> str | None:
    """Return a share, or the reason why it is missing, with the number of runs behind it."""
    if not runs:
        return None
    basis = f"{runs}" if count in (0, runs) else f"{count} of {runs}"
    if share is None:
        return f"{reason} ({basis})"
    return f"{100 * share:+.1f} % ({basis})"


def _note(row: dict[str, Any], grades: GradeRows) -> None:
    """Write notes on the row of a set; equal ones of several models are written together."""
    note = partial(collect, row["model"] or "", many="models", kind="note")
    set_name = row["set"] or "no set"
    averages = grades.figures(row["benchmark"])
    for average in averages:
        if average.aggregate != "counts" or not average.is_shown or not row[average.name]:
            continue
        texts = []
        for name, count in row[average.name].items():
            words = str(name).replace("_", " ")
            texts.append(f"{words} {count}")
        numbers = ", ".join(texts)
        note(f"{average.meaning} in {set_name}: {numbers}")
    if row["missing_names"]:
        listed = ", ".join(map(short_name, row["missing_names"][:_LISTED]))
        further = len(row["missing_names"]) - _LISTED
        if further > 0:
            listed += f" and {further} more"
        treatment = _treatment_of_missing(row["benchmark"], counts_missing(averages))
        note(f"no plan for {listed} in {set_name}; these {treatment}")
    fewest, largest = row["samples_least"], row["samples_most"]
    if fewest != largest:
        numbers = f"problems in {set_name} have from {fewest} to {largest} scored samples"
        note(f"{numbers}; pass@k and similar metrics use a k that all have")
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
