"""Metrics of ParaCook's abstract part: success, time, and time by that of the oracle."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from planoracle.instances.benchmarks.paracook.rules import Profile
from planoracle.instances.benchmarks.paracook_abstract.run import ParaCookRun
from planoracle.plugin import Average, Declarations, Measurement, Metric, MetricSet, Optimum, Row

#: What a failure counts in the average time, by the time of the oracle.
FAILED = 1.2


class PlanMeasurement(Measurement[ParaCookRun]):
    """Run and optimum."""

    @cached_property
    def optimum(self) -> Optimum:
        """Optimum; none for a plan that passes through a loophole, which may take less."""
        return Optimum() if self.run.loophole else super().optimum


def declare(rules: Profile) -> Declarations[PlanMeasurement]:
    """Return the metrics and the released averages; ``time_ratio`` is that of plans without a loophole."""
    return (
        Metric(
            "done",
            "whether the plan counts as done",
            lambda its: its.run.success,
            kind="flag",
            average=Average("success_rate", "share of plans that are done", role=("success", "main")),
        ),
        Metric(
            "time",
            "largest clock of an agent, -1 if the plan is not done",
            lambda its: its.run.verdict.makespan if its.run.success else -1,
            "ticks",
            is_shown=True,
        ),
        Metric(
            "optimum_ratio",
            "time by the optimum; of plans that are done without a loophole",
            lambda its: (
                its.run.verdict.makespan / its.optimum.makespan if its.run.success and its.optimum.makespan else None
            ),
            is_shown=True,
            average=Average("time_ratio", "time by the optimum, of plans that are done without a loophole"),
        ),
        Average("average_time", f"time in ticks, of a failure {FAILED} times the optimum", _time),
        Metric(
            "crash",
            "exception with which the released code stops at a name that is none",
            lambda its: its.run.crash or None,
            kind="text",
        ),
        Metric(
            "loophole",
            "why the plan passes though it is no plan: repeats (a task stands for another, or comes twice), lists (of "
            "more agents than there are); its time is then not comparable with the optimum",
            lambda its: its.run.loophole or None,
            kind="text",
            is_shown=True,
            average=Average(
                "loopholes",
                "plans that pass though they are none, why",
                lambda row: [row["loophole"]] if row["loophole"] else [],
                "counts",
            ),
        ),
    )


def _time(row: Row) -> Any:
    if row["done"]:
        return row["time"]
    return None if row["optimal_makespan"] is None else FAILED * row["optimal_makespan"]


METRICS = MetricSet(PlanMeasurement, declare)
