"""Groups of runs: by task, size or delay of the problem, cause of failure, bin or value of a metric."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import inf
from typing import TYPE_CHECKING, Any

from planoracle.analysis.frames.schema import from_rows
from planoracle.analysis.statistics.grade_columns import GradeRows
from planoracle.analysis.statistics.groupings import CAUSE, UNNAMED, owner_of
from planoracle.analysis.statistics.model_tables import rows_of_causes
from planoracle.analysis.statistics.run_table import METRIC
from planoracle.analysis.statistics.summary import summarize

if TYPE_CHECKING:
    import pandas as pd

# Names of the shares of counts.
_SHARES = {"count": "share", "succeeded": "share_of_succeeded", "failed": "share_of_failed"}


def group_runs(grades: GradeRows, benchmark: str, by: str) -> list[dict[str, Any]]:
    """Return averages of the runs of a benchmark by a group of problems or runs, or counts of the runs.

    Parameters
    ----------
    grades
        Grades with the values of a metric to group by.
    benchmark
        Name of a benchmark of the grades.
    by
        One of `groupings`.

    Returns
    -------
    list of dict
        Rows as those of sets of `planoracle.analysis.statistics.summary.Summary` with the field ``by`` in place of the
        set, and ``drop`` where groups are numbers; or those of `run_counts`.
    """
    owner = owner_of(benchmark)
    is_counted = by == CAUSE or by in owner.bins or f"{by}:counted" in grades.tables()[benchmark].counted
    if is_counted and by not in owner.groups(""):
        return run_counts(grades.frame(benchmark), by)
    rows = summarize(grades, by=by, benchmarks=(benchmark,)).sets
    rows.sort(key=_model_and_group)
    _add_drops(rows)
    return [_with_group(row, by) for row in rows]


def _with_group(row: Mapping[str, Any], by: str) -> dict[str, Any]:
    """Return a row with the group in place of the set, and of an average of the same name."""
    named = {by if column == "set" else column: value for column, value in row.items() if column != by}
    for counts in ("runs", "over"):
        named[counts] = {name: count for name, count in row[counts].items() if name != by}
    return named


def _add_drops(rows: Iterable[dict[str, Any]]) -> None:
    """Add ``drop`` to rows whose groups are numbers: the lost share of the success at the previous number."""
    previous: dict[str, float | None] = {}
    for row in rows:
        if not row["set"].isdecimal():
            continue
        model, rate = row["model"], row["success"]
        before = previous.get(model)
        if before and rate is not None:
            row["drop"] = 1 - rate / before
        previous[model] = rate


def _model_and_group(row: Mapping[str, Any]) -> tuple[str, str]:
    """Return a sort key of a row: numbers in the names of groups are sorted by value."""
    name = re.sub(r"\d+", lambda digits: digits[0].zfill(9), row["set"])
    return row["model"], name


def run_counts(frame: pd.DataFrame, by: str) -> list[dict[str, Any]]:
    """Count the runs of a benchmark by cause of failure, bin of a metric, or name in an average.

    Parameters
    ----------
    frame
        Part of the frame of `planoracle.analysis.statistics.grade_columns.GradeRows`: one benchmark.
    by
        One of `groupings`, but no group of problems.

    Returns
    -------
    list of dict
        A row per model, set and value: ``count``, ``succeeded`` and ``failed`` runs, and their shares of the runs of
        the model and set that have a value. Bins come in their order, without gaps; others by frequency.
    """
    benchmark = str(frame["benchmark"].iloc[0])
    ends = owner_of(benchmark).bins.get(by)
    runs = frame.assign(value=_values(frame, by, ends))
    runs = runs.explode("value").dropna(subset="value")
    rows = []
    for (model, set_name), part in runs.groupby(["model", "set"]):
        values = part["value"]
        is_success = part["success"] == 1
        is_failure = part["scored"] > part["success"]
        parts = {"count": values, "succeeded": values[is_success], "failed": values[is_failure]}
        counts = {name: part_values.value_counts() for name, part_values in parts.items()}
        about = {"model": model, "benchmark": benchmark, "set": set_name}
        for value in bin_names(ends) if ends else _by_frequency(counts["count"]):
            row = about | {by: str(value)}
            numbers = {name: int(value_counts.get(value, 0)) for name, value_counts in counts.items()}
            row |= numbers
            for name, count in numbers.items():
                row[_SHARES[name]] = count / max(1, len(parts[name]))
            rows.append(row)
    return rows


def _by_frequency(counts: pd.Series[int]) -> list[Any]:
    """Return the counted values, the most frequent ones first."""
    return sorted(counts.index, key=lambda value: (-counts[value], str(value)))


def quartiles(grades: GradeRows, benchmark: str, by: str) -> list[dict[str, Any]]:
    """Return quartiles of a metric with bins: a row per model, set and outcome of the runs of a benchmark.

    Other groups have no rows.
    """
    column = f"{METRIC}{by}:top"
    if column not in grades.tables()[benchmark].columns:
        return []
    frame = grades.frame(benchmark)
    outcomes = {1: "succeeded", 0: "failed"}
    kinds = frame["success"].map(outcomes).rename("runs")
    groups = frame.groupby(["model", "benchmark", "set", kinds])
    table = groups[column].describe().query("count > 0")
    names = {"25%": "lower_quartile", "50%": "median", "75%": "upper_quartile"}
    columns = ["model", "benchmark", "set", "runs", "count", *names.values()]
    table = table.reset_index().astype({"count": int})
    return table.rename(columns=names)[columns].to_dict("records")  # type: ignore[return-value]


def bin_names(ends: Sequence[float]) -> list[str]:
    """Return the names of bins between inner ends; a bin contains its upper end.

    >>> bin_names((1, 1.25))
    ['<= 1', '(1, 1.25]', '> 1.25']
    """
    inner_bins = [f"({low:g}, {high:g}]" for low, high in pairwise(ends)]
    first_bin, last_bin = f"<= {ends[0]:g}", f"> {ends[-1]:g}"
    return [first_bin, *inner_bins, last_bin]


def _values(frame: pd.DataFrame, by: str, ends: Sequence[float] | None) -> pd.Series[Any]:
    """Return the value or values of every run, missing for none."""
    import pandas as pd

    if by == CAUSE:
        return frame["failure_cause"]
    if ends is None:
        return frame[f"{by}:counted"]
    values = frame[f"{METRIC}{by}:top"]
    edges = [-inf, *ends, inf]
    bins = pd.cut(values, edges, labels=bin_names(ends))
    return bins.astype(object)


def failure_causes(frame: pd.DataFrame) -> pd.DataFrame:
    """Count the failures of each model by cause: frame ``causes``.

    Parameters
    ----------
    frame
        ``grades``; ``failure_cause`` is that of `planoracle.analysis.grading.grader.cause_of`.

    Returns
    -------
    pandas.DataFrame
        The most frequent cause of all models first, ``not scored`` last.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"model": ["a", "a", "b", "b"], "failure_cause": ["unfinished", None, "late", "late"]})
    >>> print(failure_causes(frame).to_string(index=False, header=False))
    b       late 2  1.0
    a unfinished 1  0.5
    """
    names = frame["model"].astype(object).fillna("").replace("", UNNAMED)
    runs = Counter(names.astype(str))
    is_failure = frame["failure_cause"].notna()
    failures = zip(names[is_failure].astype(str), frame["failure_cause"][is_failure].astype(str), strict=True)
    return from_rows("causes", rows_of_causes(Counter(failures), runs))[0]
