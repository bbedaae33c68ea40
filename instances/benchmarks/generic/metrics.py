"""Metrics of schedules by the general rules: success, and makespan relative to the optimum."""

from __future__ import annotations

from planoracle.instances.benchmarks.generic.run import GenericRun
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.scoring import Average, Measured, Metric, Oracle, Row, mean_of

COLUMNS: tuple[Metric, ...] = ()


def averages(rules: Rules) -> tuple[Average, ...]:
    """Return means over the plans."""
    return (
        mean_of("success", "plans that succeed", default=0.0, role=("success",)),
        mean_of("progress", "actions done", default=0.0),
        mean_of("goal_ratio", "tasks done", default=0.0, is_shown=False),
        Average("score", "optimum by makespan of a success, else 0", _score, role=("main",)),
    )


def _score(row: Row) -> tuple[float, int] | None:
    """Return the optimum by the makespan of a success, else 0; nothing if the optimum is not known."""
    if not row["success"]:
        return 0.0, 1
    optimum, makespan = row["optimal_makespan"], row["makespan"]
    return (optimum / makespan, 1) if optimum and makespan else None


def measure(run: GenericRun, oracle: Oracle) -> Measured:
    """Compare a run with the optimum."""
    return Measured.with_optimum(oracle.best(run.problem, run.rules), {})
