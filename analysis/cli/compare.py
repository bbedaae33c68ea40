"""``planoracle compare``: references and heuristics beside the proved optimum."""

from __future__ import annotations

import sys
from typing import Any

from planoracle.analysis.cli.common import NamesArgument, Run
from planoracle.analysis.cli.output import Format, FormatOption, Table

_COLUMNS = (
    "instance",
    "optimal",
    "status",
    "heuristic_reference",
    "gap_reference",
    "dfs",
    "gap_dfs",
    "best_heuristic",
    "gap_best",
    "seconds",
)
_SUMMARY = ("set", "method", "problems", "answered", "above", "mean_gap", "max_gap", "worst")


_TIMEARENA = (
    "instance",
    "optimal",
    "status",
    "heuristic_reference",
    "reference_possible",
    "greedy",
    "greedy_possible",
    "best_heuristic",
    "without_objects",
    "completable_released",
    "seconds",
)
_TABLE_2 = ("set", "method", "problems", "CT", "CS", "CR", "above", "below", "impossible")


def compare(names: NamesArgument, form: FormatOption = Format.table) -> None:
    """Compare the released references and the heuristics with the proved optimum.

    The summary (how often and by how much each lies above the optimum; for TimeArena the Oracle rows of
    Table 2) goes to standard error, except in a table.
    """
    from planoracle.analysis import compare as general
    from planoracle.analysis import compare_timearena as minutes

    run = Run(names, "comparing")
    stream = sys.stdout if form is Format.table else sys.stderr
    found: list[Any] = []
    tables: dict[bool, Table] = {}
    for instance, comparison in run.each(lambda one: _of(one).compare(one)):
        timed = instance.benchmark == "timearena"
        if timed not in tables:
            tables[timed] = Table(form, _TIMEARENA if timed else _COLUMNS)
        tables[timed].add(comparison.row())
        found.append(comparison)
    for table in tables.values() or [Table(form, _COLUMNS)]:
        table.close()
    summaries = (
        (general.summarize([c for c in found if isinstance(c, general.Comparison)]), _SUMMARY, "above the optimum"),
        (minutes.summarize([c for c in found if isinstance(c, minutes.TimeArenaComparison)]), _TABLE_2, "Table 2"),
    )
    for rows, columns, title in summaries:
        if rows:
            summary = Table(Format.table, columns, title, stream)
            summary.rows += rows
            summary.close()
    run.exit(failed=any(one.status not in ("optimal", "infeasible") for one in found))


def _of(instance: Any) -> Any:
    from planoracle.analysis import compare as general
    from planoracle.analysis import compare_timearena as minutes

    return minutes if instance.benchmark == "timearena" else general
