"""Metrics of ParaCook's abstract part: success, time, and time by that of the oracle."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

from planoracle.instances.benchmarks.paracook.rules import Profile
from planoracle.instances.benchmarks.paracook_abstract.problems import name_of, with_hands
from planoracle.instances.benchmarks.paracook_abstract.run import ParaCookRun
from planoracle.plugin import Average, Declarations, Instance, Loophole, Measurement, Metric, MetricSet, Optimum, Row

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


_Best = Callable[[Instance], str]


def repeated_task(problem: Instance, best: _Best) -> Iterator[list[list[str]]]:
    """Yield shortest plans without one final task, with one of the shortest tasks done twice."""
    awaited = {lag.before for lag in problem.lags}
    shortest = min(action.duration for action in problem.actions)
    for last in problem.actions:
        if last.id in awaited:
            continue
        others = tuple(action for action in problem.actions if action is not last)
        lags = tuple(lag for lag in problem.lags if lag.after != last.id)
        name = f"{problem.name} without {name_of(last.id)}"
        lists: list[list[str]] = json.loads(best(replace(problem, name=name, actions=others, lags=lags)))
        for repeated in (name_of(action.id) for action in others if action.duration == shortest):
            for number in range(len(lists)):
                yield [[*one, repeated] if n == number else one for n, one in enumerate(lists)]


def one_task(problem: Instance, best: _Best) -> Iterator[list[list[str]]]:
    """Yield plans in which one agent does a single task as often as there are tasks."""
    waiting = {lag.after for lag in problem.lags}
    first = min((action for action in problem.actions if action.id not in waiting), key=lambda one: one.duration)
    yield [[name_of(first.id)] * len(problem.actions)]


def more_lists(problem: Instance, best: _Best) -> Iterator[list[list[str]]]:
    """Yield the shortest plan of one agent more."""
    yield json.loads(best(with_hands(problem, len(problem.agents) + 1)))


LOOPHOLES = (
    Loophole(
        "repeated_task",
        "tasks that have been carried out are counted, and not which; one that is done twice stands for one that is "
        "left out",
        "paracook/abstract/own/seed_2/orders_num_2~2",
        repeated_task,
    ),
    Loophole(
        "one_task",
        "the same, again and again: a task that waits for nothing stands for all of them",
        "paracook/abstract/own/seed_2/orders_num_2~2",
        one_task,
    ),
    Loophole(
        "more_lists",
        "the number of lists is not compared with the number of agents; a plan may have more of them",
        "paracook/abstract/own/seed_2/orders_num_2~2",
        more_lists,
    ),
)

METRICS = MetricSet(PlanMeasurement, declare, loopholes=LOOPHOLES)
