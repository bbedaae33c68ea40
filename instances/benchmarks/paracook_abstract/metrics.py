"""Metrics of ParaCook's abstract part: success, time, and time relative to the optimum."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from planoracle.instances.benchmarks.paracook.rules import Profile
from planoracle.instances.benchmarks.paracook_abstract.run import ParaCookRun
from planoracle.instances.protocol.environment import AnyEnvironment
from planoracle.instances.protocol.scoring import (
    Average,
    Declarations,
    Measurement,
    Metric,
    MetricSet,
    Optimum,
    Oracle,
    Row,
)

#: Time of a failure in the average, relative to the optimum.
FAILED = 1.2


class PlanMeasurement(Measurement[ParaCookRun]):
    """Run and optimum."""

    @cached_property
    def optimum(self) -> Optimum:
        """Optimum; none for a plan that passes by a loophole, since it may take less time."""
        return Optimum() if self.run.loophole else super().optimum


def declare(rules: Profile) -> Declarations[PlanMeasurement]:
    """Return the metrics and the released averages; ``time_ratio`` is that of plans without a loophole."""
    average_time = Average("average_time", f"time in ticks; {FAILED} times the optimum for a failure", _time)
    return (*_plan_metrics(), average_time, *_gaps())


def _plan_metrics() -> Declarations[PlanMeasurement]:
    done: Metric[PlanMeasurement] = Metric(
        "done",
        "the plan counts as complete",
        lambda measurement: measurement.run.success,
        kind="flag",
        average=Average("success_rate", "share of complete plans", role=("success", "main")),
    )
    time = Metric("time", "end of the last task; -1 if the plan fails", _plan_time, "ticks", is_shown=True)
    optimum_ratio = Metric(
        "optimum_ratio",
        "time divided by the optimum, for complete plans without a loophole",
        _optimum_ratio,
        is_shown=True,
        average=Average("time_ratio", "time divided by the optimum, complete plans without a loophole"),
    )
    return done, time, optimum_ratio


def _gaps() -> Declarations[PlanMeasurement]:
    """Return the metrics of faults of the released code."""
    crash: Metric[PlanMeasurement] = Metric(
        "crash",
        "exception of the released code for an unknown task name",
        lambda measurement: measurement.run.crash or None,
        kind="text",
    )
    loophole: Metric[PlanMeasurement] = Metric(
        "loophole",
        "gap of the released rules by which an invalid plan passes: repeats (a task replaces another or is listed "
        "twice), lists (more lists than agents); its time is not comparable with the optimum",
        lambda measurement: measurement.run.loophole or None,
        kind="text",
        is_shown=True,
        average=Average("loopholes", "invalid plans that pass, by loophole", _loopholes, "counts"),
    )
    return crash, loophole


def _plan_time(measurement: PlanMeasurement) -> int:
    """Return the time of a successful plan, -1 for a failure."""
    verdict = measurement.run.verdict
    return verdict.makespan if measurement.run.success else -1


def _optimum_ratio(measurement: PlanMeasurement) -> float | None:
    """Return the time of a successful plan divided by the optimum."""
    if not measurement.run.success:
        return None
    optimum = measurement.optimum.makespan
    return measurement.run.verdict.makespan / optimum if optimum else None


def _loopholes(row: Row) -> list[str]:
    return [row["loophole"]] if row["loophole"] else []


def _time(row: Row) -> Any:
    if row["done"]:
        return row["time"]
    return None if row["optimal_makespan"] is None else FAILED * row["optimal_makespan"]


def _live_row(environment: AnyEnvironment, oracle: Oracle) -> Row:
    """Return whether the plan so far counts as complete."""
    return {"done": environment.success}


METRICS = MetricSet(PlanMeasurement, declare, live_row=_live_row)
