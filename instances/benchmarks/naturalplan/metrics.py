"""Metrics of Natural Plan: success, share of the best value, and lost time."""

from __future__ import annotations

from functools import cached_property
from typing import cast

from planoracle.instances.benchmarks.naturalplan.rules import Profile
from planoracle.instances.benchmarks.naturalplan.run import PlanRun, text_of_plan
from planoracle.instances.benchmarks.naturalplan.task_modules import modules_of, reading
from planoracle.instances.model.instance import Instance
from planoracle.instances.protocol.environment import AnyEnvironment
from planoracle.instances.protocol.plan import Plan
from planoracle.instances.protocol.recorded_verdict import RECORDED
from planoracle.instances.protocol.scoring import (
    Average,
    Claim,
    Declarations,
    Measurement,
    Metric,
    MetricSet,
    Oracle,
    Reference,
    Row,
)


class PlanMeasurement(Measurement[PlanRun]):
    """Run and optimum, with the shares that several metrics use."""

    @cached_property
    def executed(self) -> int:
        """Number of actions that count: persons met, meetings, cities."""
        return self.run.verdict.executed

    @cached_property
    def most_possible(self) -> int | None:
        """Greatest number of actions of a plan; ``None`` if it is not proved."""
        if not self.run.problem.optional:
            return len(self.run.problem.actions)
        best_weight = getattr(self.best, "weight", None)
        return best_weight if best_weight == getattr(self.best, "weight_bound", None) else None

    @cached_property
    def share(self) -> float | None:
        """Share of the greatest possible number of actions of a success, 0 for a failure."""
        if not self.run.success:
            return 0.0
        if self.most_possible is None:
            return None
        return min(1.0, self.executed / self.most_possible) if self.most_possible else 1.0

    @cached_property
    def lost_time(self) -> int | None:
        """Ticks after the best end of a success that meets as many persons as possible; else ``None``."""
        best_end = self.optimum.makespan
        if not self.run.problem.optional or not self.run.success or self.share != 1.0 or best_end is None:
            return None
        return self.run.verdict.makespan - best_end


def declare(rules: Profile) -> Declarations[PlanMeasurement]:
    """Return the metrics, with their averages."""
    task: Metric[PlanMeasurement] = Metric("task", "task: meeting, calendar or trip", _task, kind="text")
    solved: Metric[PlanMeasurement] = Metric(
        "solved",
        "the answer succeeds by the rules",
        _is_success,
        kind="flag",
        average=Average("success", "share of answers that succeed by the rules", role=("success",)),
    )
    score: Metric[PlanMeasurement] = Metric(
        "score",
        "share of the most possible persons of a success; 1 for any other success, 0 for a failure",
        lambda measurement: measurement.share,
        average=Average("score", "mean score", role=("main",)),
    )
    persons: Metric[PlanMeasurement] = Metric(
        "persons_met", "meetings before the first violation", _persons, kind="count", is_shown=True
    )
    best_share: Metric[PlanMeasurement] = Metric(
        "best_share",
        "the answer succeeds with as many persons as possible",
        _has_best_share,
        kind="flag",
        average=Average("best_share", "share of answers that do as much as possible"),
    )
    optimal: Metric[PlanMeasurement] = Metric(
        "optimal",
        "the answer does as much as possible, and ends as early as possible",
        _is_optimal,
        kind="flag",
        average=Average("optimal", "share of optimal answers"),
    )
    lost: Metric[PlanMeasurement] = Metric(
        "time_lost",
        "minutes after the best end of a success that meets as many persons as possible",
        lambda measurement: measurement.lost_time,
        "minutes",
        average=Average("time_lost", "mean time lost"),
    )
    recorded = cast("Metric[PlanMeasurement]", RECORDED)
    return task, solved, score, persons, best_share, optimal, lost, recorded


def _task(measurement: PlanMeasurement) -> str:
    return modules_of(measurement.run.problem).name


def _is_success(measurement: PlanMeasurement) -> bool:
    return measurement.run.success


def _has_best_share(measurement: PlanMeasurement) -> bool | None:
    """Return whether a success does as much as possible; ``None`` if that is not known."""
    return None if measurement.share is None else measurement.share == 1.0


def _persons(measurement: PlanMeasurement) -> int | None:
    """Return the number of meetings; ``None`` in other tasks."""
    return measurement.executed if measurement.run.problem.optional else None


def _is_optimal(measurement: PlanMeasurement) -> bool | None:
    """Return whether a success is best; ``None`` if the optimum is not proved.

    Times count in meetings only: any slot of a calendar, and any order of a trip, that fits is right.
    """
    if not measurement.run.success or not measurement.run.problem.optional:
        return measurement.run.success
    if measurement.share != 1.0:
        return None if measurement.share is None else False
    return None if measurement.lost_time is None else measurement.lost_time == 0


def _published_claim(problem: Instance) -> Claim:
    """Return the published plan."""
    answers = modules_of(problem).answers
    submitted = text_of_plan(answers.published(problem))
    rules = Profile()
    answer = reading(problem, submitted, rules).commands
    run = PlanRun(problem, Plan(submitted, answer), rules)
    makespan = run.verdict.makespan if run.success else None
    return Claim(makespan, run.success, plan=submitted, answers=answers.answer_count(problem))


_PUBLISHED = Reference("published_plan", "published plan", _published_claim, main=True, published="published_plan")


def _live_row(environment: AnyEnvironment, oracle: Oracle) -> Row | None:
    """Return the score of a run without success so far; a success is graded."""
    return None if environment.success else {"score": 0.0}


METRICS = MetricSet(PlanMeasurement, declare, references=(_PUBLISHED,), live_row=_live_row)
