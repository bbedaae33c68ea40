"""Tables of averages, of paired comparisons and of causes of failure, for ``planoracle grade``."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any, Final

import typer

from planoracle.analysis import figures
from planoracle.analysis.cli.output import PEOPLE, Format, Name, current_view, human, new_file, write_table
from planoracle.analysis.console import collect, complain, tell
from planoracle.analysis.frames.schema import records
from planoracle.analysis.statistics.grade_columns import GradeRows
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

# Columns of averages.
_INTERVAL = "95 %"
_MODELS = ("model", "sets", "problems", "missing", "unscored", "samples", "success", "main_score", _INTERVAL)
_SETS = ("submissions", "unscored", "missing", "samples")
_COUNTS = ("count", "succeeded", "failed", "share", "share_of_succeeded", "share_of_failed")
_MORE = ("success_of_all", "main_score_of_all", "gap_of_successes", "lost_by_failures")

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


def write(grades: GradeRows, path: Path) -> None:
    """Write all rows to a file, in the format of its ending."""
    with new_file(path) as stream:
        show(grades, format_of(path), stream)


def show(
    grades: GradeRows, form: Format = Format.table, stream: IO[str] | None = None, *, models: bool = False
) -> None:
    """Write averages, pairs of models and causes of failure as data, or as tables and notes.

    ``models``: of these tables only the one of all models, with the columns of ``--columns``.
    """
    averages = summarize(grades.frame(), grades.rules)
    outcomes = grades.outcomes()
    duels = pairs_of_models(outcomes, [row["model"] or UNNAMED for row in averages.models if row["problems"]])
    causes = records(failure_causes(outcomes)) if averages.models else []
    if form not in PEOPLE:
        # The title says that --columns is not about this file.
        rows = averages.rows()
        for level, more in (("pair", duels), ("cause", causes), *_own_tables(averages.sets)):
            rows += [{"format": FORMAT, "version": VERSION, "level": level} | row for row in more]
        write_table(form, ["model", "set"], rows, "" if stream is None else "averages", stream)
        return
    stream = stream or sys.stdout
    title = "" if models else "Averages per model, over all sets"
    _put(averages.models, _MODELS, title, form, stream)
    for name in [] if models else dict.fromkeys(row["benchmark"] for row in averages.sets):
        rows = [row for row in averages.sets if row["benchmark"] == name]
        _put_averages(rows, "set", grades, f"{_title(name)}: averages", form, stream)
        for row in rows:
            _note(row, grades.figures(name))
    for title, table in [] if models else _own_tables(averages.sets):
        write_table(form, list(table[0]), table, title.capitalize(), stream)
    if not models:
        _put_pairs(duels, form, stream)
        counts: dict[str, dict[str, Any]] = {}
        for row in causes:
            counts.setdefault(row["failure_cause"], {})[row["model"]] = row["count"]
        names = [Name(row["model"] or UNNAMED) for row in averages.models]
        table = [dict.fromkeys(names, 0) | by_model | {"failure_cause": cause} for cause, by_model in counts.items()]
        if table:
            write_table(form, ["failure_cause", *names], table, "Failed plans by cause", stream)


def _own_tables(rows: Sequence[dict[str, Any]]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield title and rows of the further tables of benchmarks, unless they are empty."""
    for benchmark in filter(None, map(registry.find, dict.fromkeys(row["benchmark"] for row in rows))):
        for title, table in benchmark.metrics.tables.items():
            if more := table([row for row in rows if row["benchmark"] == benchmark.name]):
                yield title, more


def show_groups(grades: GradeRows, by: str, form: Format, output: Path | None) -> bool:
    """Write averages by a group of problems, or counts of runs by cause or bin, and draw them.

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
    rows: list[dict[str, Any]] = []
    words = by.replace("_", " ")
    for name in having:
        own = frame[frame["benchmark"] == name]
        part, middles = group_runs(own, by, grades.rules), quartiles(own, by)
        rows += [{"level": by} | row for row in part] + [{"level": "quartiles"} | row for row in middles]
        about = f" ({accepted[name][by]})" if accepted[name][by] else ""
        title = "" if current_view.get().columns else f"{_title(name)} by {words}{about}"
        if not part:
            tell(f"no run of {_title(name)} has {words}{about}", "note")
        elif form in PEOPLE and "count" in part[0]:
            columns = ("model", "set", by, *_COUNTS)
            write_table(form, [name for name in columns if any(row[name] for row in part)], part, title)
            if middles and title:
                write_table(form, ["model", "set", "runs", *list(middles[0])[4:]], middles, f"Quartiles of {words}")
        elif form in PEOPLE:
            _put_averages(part, by, grades, title, form, sys.stdout)
    if form not in PEOPLE:
        write_table(form, ["model", by], [{"format": FORMAT, "version": VERSION} | row for row in rows])
    drawn = [row for row in rows if by in row]
    if output is not None and drawn:
        about = f"{', '.join(map(_title, having))} by {words}"
        caption = figures.style.save(lambda: figures.grouped_bars.grouped_bars(drawn, by, about=about), output)
        tell(f"caption of {output.name}: {caption}", "note")
    return bool(refused)


def _put_averages(
    rows: Sequence[dict[str, Any]], by: str, grades: GradeRows, title: str, form: Format, stream: IO[str]
) -> None:
    """Write the rows of a benchmark for people, with its own figures."""
    own: list[str] = []
    full: float = 1
    for one in grades.figures(rows[0]["benchmark"]):
        own += [one.name] if one.is_shown and one.aggregate != "counts" else []
        if "main" in one.role:
            own.append(_INTERVAL)
            full = one.full
    _put(rows, ("model", by, *_SETS, *own), title, form, stream, full)


def _title(benchmark: str) -> str:
    match = registry.find(benchmark)
    return match.title if match else benchmark or "unknown problems"


def _put_pairs(duels: Sequence[Mapping[str, Any]], form: Format, stream: IO[str]) -> None:
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
            write_table(form, list(rows[0]), rows, title, stream)
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
    full: float = 1,
) -> None:
    texts = [row | _for_people(row, full) for row in rows]
    write_table(form, [*columns, *_MORE, *_widest(rows)], texts, title, stream)


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
    least, most = row["samples_least"], row["samples_most"]
    low, high = row["main_score_low"], row["main_score_high"]
    of_all = {f"{name}_of_all": row[f"{name}_of_all"] for name in ("success", "main_score")}
    scored = row["submissions"] - row["unscored"]
    runs = {"success": row["success_runs"], "main_score": row["main_score_runs"], **row.get("runs", {})}
    return {
        **{name: f"{human(name, row[name])} ({many} of {scored})" for name, many in runs.items() if 0 < many < scored},
        **({"sets": f"{row['sets']} of {row['sets'] + row['sets_missing']}"} if row.get("sets_missing") else {}),
        "samples": None if (most or 0) < 2 else str(most) if least == most else f"{least}-{most}",
        _INTERVAL: None if low is None else f"{low * full:.3f} to {high * full:.3f}",
        **{name: None if value == row[name.removesuffix("_of_all")] else value for name, value in of_all.items()},
        "gap_of_successes": _share_text(row["gap"], row["gap_runs"], row["succeeded"], "no optimum proved"),
        "lost_by_failures": _share_text(row["lost"], row["lost_runs"], row["failed"], "no regret computed"),
    }


def _share_text(share: float | None, count: int, runs: int, none: str) -> str | None:
    """Return a share with the number of runs behind it."""
    if not runs:
        return None
    of = f"{runs}" if count in (0, runs) else f"{count} of {runs}"
    return f"{none} ({of})" if share is None else f"{100 * share:+.1f} % ({of})"


def _note(row: dict[str, Any], figures: Sequence[Average]) -> None:
    """Write notes on the row of a set; equal ones of several models are written together."""
    note = partial(collect, row["model"] or "", many="models", kind="note")
    set_name = row["set"] or "no set"
    for tally in (one for one in figures if one.aggregate == "counts" and one.is_shown and row[one.name]):
        counts = ", ".join(f"{str(name).replace('_', ' ')} {count}" for name, count in row[tally.name].items())
        note(f"{tally.meaning} in {set_name}: {counts}")
    if row["missing_names"]:
        names = [short_name(name) for name in row["missing_names"]]
        more = f" and {len(names) - 5} more" if len(names) > 5 else ""
        counted = any(one.counts_missing for one in figures)
        treatment = "count as failed" if counted else "are omitted, except in the columns of all problems"
        note(f"no plan for {', '.join(names[:5])}{more} in {set_name}; these {treatment}")
    least, most = row["samples_least"], row["samples_most"]
    if least != most:
        few = f"problems in {set_name} have from {least} to {most} scored samples"
        note(f"{few}; pass@k and similar metrics use a k that all have")
    if row["repeated"]:
        note(f"{row['repeated']} runs in {set_name} repeat a sample that another run has; all runs count")
