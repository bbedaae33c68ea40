"""Metrics of schedules by the general rules: success, and makespan relative to the optimum."""

from __future__ import annotations

from planoracle.instances.benchmarks.generic.run import GenericRun
from planoracle.plugin import Average, Declarations, Measurement, MetricSet, Row, Rules


def declare(rules: Rules) -> Declarations[Measurement[GenericRun]]:
    """Return means over the plans."""
    return (
        Average("success", "share of successful plans", lambda row: row.get("success") or 0.0, role=("success",)),
        Average("progress", "share of completed actions", lambda row: row.get("progress") or 0.0),
        Average("goal_ratio", "share of completed tasks", lambda row: row.get("goal_ratio") or 0.0, is_shown=False),
        Average("score", "optimum divided by makespan for a success, else 0", _score, role=("main",)),
    )


def _score(row: Row) -> float | None:
    """Return the optimum divided by the makespan of a success, else 0; empty without a known optimum."""
    if not row["success"]:
        return 0.0
    optimum, makespan = row["optimal_makespan"] or row.get("claimed_optimum"), row["makespan"]
    return min(1.0, optimum / makespan) if optimum and makespan else None


METRICS = MetricSet(Measurement[GenericRun], declare)
