"""Metrics of TimeArena: score over time, and the cost of waits."""

from __future__ import annotations

from collections import Counter
from typing import Any

from planoracle.instances.benchmarks.timearena.rules import KINDS, Profile
from planoracle.instances.benchmarks.timearena.run import TimeArenaRun
from planoracle.instances.model.limits import Status
from planoracle.instances.protocol.scoring import Average, Measured, Metric, Oracle, Row, ratio_of

COLUMNS = (
    Metric("end", "how the run ended", kind="text"),
    Metric("total_time", "minutes that passed", "minutes", "count"),
    Metric("score", "progress at the end", "percent"),
    Metric("best_score", "highest progress", "percent", is_shown=True),
    Metric("best_time", "minutes until it was first reached", "minutes", "count"),
    Metric("necessary_waits", "waits in which nothing could be started", kind="count"),
    Metric("unnecessary_waits", "waits in which something could", kind="count"),
)


def averages(rules: Profile) -> tuple[Average, ...]:
    """Return AS, CS, CR and CT of the paper's Table 2."""

    def completed(row: Row) -> tuple[float, int]:
        return 100.0 * bool(row["success"]), 1

    def minutes(row: Row) -> tuple[int, int] | None:
        return (row["makespan"], 1) if row["success"] else None

    return (
        Average("AS", "mean of the best scores, percent", lambda row: (row["best_score"], 1), role=("main",), full=100),
        ratio_of("CS", "percent a minute, up to the best score", "best_score", "best_time"),
        Average("CR", "runs completed, percent", completed, role=("success",), full=100),
        Average("CT", "minutes of completed runs", minutes),
    )


def measure(run: TimeArenaRun, oracle: Oracle) -> Measured:
    """Compute the metrics of a run; with the rule ``price_waits`` also what its waits cost.

    ``best_score`` and ``best_time`` are P and T of the paper.
    """
    record = run.record
    best_score = max(record.scores, default=0.0)
    kinds = Counter(step.kind for step in record.steps)
    best = None if run.impossible is not None else oracle.best(run.problem, run.rules)
    metrics = {
        "end": record.end,
        "total_time": record.total_time,
        "score": record.score,
        "best_score": best_score,
        "best_time": record.scores.index(best_score) + 1 if best_score else 0,
        "kinds": {kind: kinds[kind] for kind in KINDS if kinds[kind]},
        "necessary_waits": sum(record.necessary),
        "unnecessary_waits": kinds["wait"] - sum(record.necessary),
        "steps": [list(step) for step in record.steps],
    }
    if run.rules.price_waits:
        metrics |= _priced(run, oracle)
    return Measured(None, metrics, Status.infeasible) if best is None else Measured.with_optimum(best, metrics)


def _priced(run: TimeArenaRun, oracle: Oracle) -> dict[str, Any]:
    values = oracle.values(run)
    costs = [
        None if before is None or after is None else after - before
        for step, before, after in zip(run.steps, values, values[1:], strict=False)
        if step.kind == "wait"
    ]
    proved = [cost for cost in costs if cost is not None]
    return {
        "costless_waits": proved.count(0),
        "costly_waits": len(proved) - proved.count(0),
        "unpriced_waits": len(costs) - len(proved),
        "wait_cost": sum(proved),
    }
