"""Metrics of schedules by the general rules: success, and makespan relative to the optimum."""

from __future__ import annotations

from collections.abc import Callable

from planoracle.instances.benchmarks.generic.run import GenericRun
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.scoring import (
    Average,
    Declarations,
    Measurement,
    MetricSet,
    Row,
    live_row_of_failure,
)


def declare(rules: Rules) -> Declarations[Measurement[GenericRun]]:
    """Return means over the plans."""
    success = Average("success", "share of successful plans", _value_of("success"), role=("success",))
    progress = Average("progress", "share of completed actions", _value_of("progress"))
    goal_ratio = Average("goal_ratio", "share of completed tasks", _value_of("goal_ratio"), is_shown=False)
    score = Average("score", "optimum divided by makespan for a success, else 0", _score, role=("main",))
    return success, progress, goal_ratio, score


def _value_of(name: str) -> Callable[[Row], float]:
    """Return a function that returns a field of a row, 0 if it is missing."""
    return lambda row: row.get(name) or 0.0


def _score(row: Row) -> float | None:
    """Return the optimum divided by the makespan of a success, else 0; empty without a known optimum.

    It is empty, too, if the plan leaves out optional tasks of the best weight: the row then has no optimum.
    """
    if not row["success"]:
        return 0.0
    optimum = row["optimal_makespan"] or row.get("claimed_optimum")
    makespan = row["makespan"]
    return min(1.0, optimum / makespan) if optimum and makespan else None


METRICS = MetricSet(Measurement[GenericRun], declare, live_row=live_row_of_failure)
