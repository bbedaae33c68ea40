"""``planoracle compare``: references and heuristics beside the proved optimum."""

from __future__ import annotations

import sys
from collections.abc import Sequence
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
_ASYNCTOOL = (
    "instance",
    "optimal",
    "status",
    "optimal_calls",
    "sequential",
    "gap_sequential",
    "best_heuristic",
    "gap_best",
    "seconds",
)
_TURNS = ("set", "method", "problems", "answered", "mean_turns", "mean_gap", "max_gap")
_ROBOTOUILLE = ("instance", "optimal", "lower_bound", "status", "published", "gap_published", "seconds")
_STEPS = ("set", "kitchens", "proved", "above", "equal", "below", "mean_gap", "max_gap")
_TABLE_2 = ("set", "method", "problems", "CT", "CS", "CR", "above", "below", "impossible")


def compare(names: NamesArgument, form: FormatOption = Format.table) -> None:
    """Compare the released references and the heuristics with the proved optimum.

    The summary (how often and by how much each lies above the optimum; for TimeArena the Oracle rows of
    Table 2) goes to standard error, except in a table.
    """
    comparers = _comparers()
    run = Run(names, "comparing", kitchens=True)
    stream = sys.stdout if form is Format.table else sys.stderr
    found: dict[str, list[Any]] = {}
    tables: dict[str, Table] = {}

    def kind_of(problem: Any) -> str:
        return problem.benchmark if problem.benchmark in comparers else "general"

    for instance, comparison in run.each(lambda one: comparers[kind_of(one)][0].compare(one)):
        kind = kind_of(instance)
        if kind not in tables:
            tables[kind] = Table(form, comparers[kind][1])
        tables[kind].add(comparison.row())
        found.setdefault(kind, []).append(comparison)
    for table in tables.values() or [Table(form, _COLUMNS)]:
        table.close()
    for kind, comparisons in found.items():
        module, _, columns, title = comparers[kind]
        summary = Table(Format.table, columns, title, stream)
        summary.rows += module.summarize(comparisons)
        summary.close()
    run.exit(failed=any(not one.status.settled for kept in found.values() for one in kept))


def _comparers() -> dict[str, tuple[Any, Sequence[str], Sequence[str], str]]:
    """Return by kind: the module that compares, its columns, those of its summary, and the summary's title."""
    from planoracle.analysis import compare as general
    from planoracle.analysis import compare_asynctool, compare_robotouille, compare_timearena

    return {
        "general": (general, _COLUMNS, _SUMMARY, "above the optimum"),
        "timearena": (compare_timearena, _TIMEARENA, _TABLE_2, "Table 2"),
        "asynctool": (compare_asynctool, _ASYNCTOOL, _TURNS, "turns"),
        "robotouille": (compare_robotouille, _ROBOTOUILLE, _STEPS, "published numbers against the optimum"),
    }
