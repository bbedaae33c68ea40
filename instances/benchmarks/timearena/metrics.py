"""Metrics of TimeArena: score over time, and the cost of waits."""

from __future__ import annotations

from collections import Counter
from functools import cached_property, partial
from typing import Any

from planoracle.instances.benchmarks.timearena.problems import task_names, under, without_objects, world
from planoracle.instances.benchmarks.timearena.rules import KINDS, PROFILES, Profile
from planoracle.instances.benchmarks.timearena.run import TimeArenaRun
from planoracle.instances.benchmarks.timearena.simulation import kind_of
from planoracle.instances.model.limits import Status
from planoracle.instances.protocol.environment import AnyEnvironment
from planoracle.instances.protocol.scoring import (
    Average,
    Declarations,
    Measurement,
    Metric,
    MetricSet,
    Optimum,
    Oracle,
    Reference,
    Row,
)


class TimeArenaMeasurement(Measurement[TimeArenaRun]):
    """Run with its best score, the kinds of its steps, and the costs of its waits."""

    def __init__(self, run: TimeArenaRun, oracle: Oracle) -> None:
        super().__init__(run, oracle)
        self.record = run.record
        self.best_score = max(self.record.scores, default=0.0)
        self.kinds = Counter(map(kind_of, run.steps))

    @cached_property
    def optimum(self) -> Optimum:
        """Optimum of the problem; infeasible if every run breaks a rule."""
        if self.run.impossible is not None:
            return Optimum(None, Status.infeasible)
        return super().optimum

    @cached_property
    def wait_costs(self) -> list[int | None]:
        """Cost in minutes of every wait, ``None`` if not proved."""
        values = self.oracle.values(self.run)
        costs: list[int | None] = []
        for step, before, after in zip(self.run.steps, values, values[1:], strict=False):
            if step.kind != "wait":
                continue
            if before is None or after is None:
                costs.append(None)
            else:
                costs.append(after - before)
        return costs

    @property
    def best_time(self) -> int:
        """Minute at which the best score is first reached; 0 without progress."""
        return self.record.scores.index(self.best_score) + 1 if self.best_score else 0

    @property
    def necessary_waits(self) -> int:
        """Number of waits in which no action could be started."""
        return sum(self.record.necessary)

    @property
    def unnecessary_waits(self) -> int:
        """Number of waits in which an action could be started."""
        return self.kinds["wait"] - self.necessary_waits

    @property
    def costly_waits(self) -> int:
        """Number of waits with a proved cost above 0."""
        costs = self.wait_costs
        return len(costs) - costs.count(0) - costs.count(None)


def declare(rules: Profile) -> Declarations[TimeArenaMeasurement]:
    """Return the metrics, and AS, CS, CR and CT of the paper's Table 2.

    ``best_score`` and ``best_time`` are P and T of the paper.
    """
    return (*_progress_metrics(), *_completion_averages(), *_step_metrics(), *_wait_costs())


def _progress_metrics() -> Declarations[TimeArenaMeasurement]:
    end: Metric[TimeArenaMeasurement] = Metric(
        "end", "reason for the end of the run", lambda measurement: measurement.record.end, kind="text"
    )
    total_time: Metric[TimeArenaMeasurement] = Metric(
        "total_time", "length of the run", lambda measurement: measurement.record.total_time, "minutes", "count"
    )
    score: Metric[TimeArenaMeasurement] = Metric(
        "score", "progress at the end", lambda measurement: measurement.record.score, "percent"
    )
    best_score: Metric[TimeArenaMeasurement] = Metric(
        "best_score",
        "highest progress",
        lambda measurement: measurement.best_score,
        "percent",
        is_shown=True,
        average=Average("AS", "mean of the best scores, percent", role=("main",), full=100),
    )
    best_time: Metric[TimeArenaMeasurement] = Metric(
        "best_time",
        "time at which the highest progress was first reached",
        lambda measurement: measurement.best_time,
        "minutes",
        "count",
    )
    return end, total_time, score, best_score, best_time


def _completion_averages() -> Declarations[TimeArenaMeasurement]:
    speed = Average(
        "CS", "percent of progress per minute, up to the best score", lambda row: (row["best_score"], row["best_time"])
    )
    completion_rate = Average(
        "CR", "completed runs, percent", lambda row: 100.0 * row["success"], role=("success",), full=100
    )
    completion_time = Average("CT", "minutes of completed runs", _completion_time)
    return speed, completion_rate, completion_time


def _step_metrics() -> Declarations[TimeArenaMeasurement]:
    kinds = Metric(
        "kinds",
        "decisions by kind of feedback; an action of several minutes counts once",
        _count_by_kind,
        kind="json",
        average=Average("kinds", "decisions by kind of feedback (Figure 3)", aggregate="counts", is_shown=False),
    )
    necessary_waits: Metric[TimeArenaMeasurement] = Metric(
        "necessary_waits",
        "waits in which no action could be started",
        lambda measurement: measurement.necessary_waits,
        kind="count",
    )
    unnecessary_waits: Metric[TimeArenaMeasurement] = Metric(
        "unnecessary_waits",
        "waits in which an action could be started",
        lambda measurement: measurement.unnecessary_waits,
        kind="count",
    )
    steps = Metric("steps", "all steps, each as minute, action, kind and increment", _minute_rows, kind="json")
    return kinds, *_share_averages(), necessary_waits, unnecessary_waits, *_wait_averages(), steps


def _wait_costs() -> Declarations[TimeArenaMeasurement]:
    costless_waits: Metric[TimeArenaMeasurement] = Metric(
        "costless_waits",
        "waits that do not delay the best completion",
        lambda measurement: measurement.wait_costs.count(0),
        kind="json",
        rule="price_waits",
    )
    costly_waits: Metric[TimeArenaMeasurement] = Metric(
        "costly_waits",
        "waits that delay the best completion",
        lambda measurement: measurement.costly_waits,
        kind="json",
        rule="price_waits",
    )
    unpriced_waits: Metric[TimeArenaMeasurement] = Metric(
        "unpriced_waits",
        "waits whose cost is not proved",
        lambda measurement: measurement.wait_costs.count(None),
        kind="json",
        rule="price_waits",
    )
    wait_cost = Metric(
        "wait_cost",
        "total delay of the best completion by waits",
        _sum_of_wait_costs,
        "minutes",
        "json",
        rule="price_waits",
    )
    return costless_waits, costly_waits, unpriced_waits, wait_cost


def _completion_time(row: Row) -> int | None:
    """Return the makespan of a completed run."""
    return row["makespan"] if row["success"] else None


def _sum_of_wait_costs(measurement: TimeArenaMeasurement) -> int:
    """Return the minutes by which waits delay the best completion, as far as they are proved."""
    return sum(filter(None, measurement.wait_costs))


def _minute_rows(measurement: TimeArenaMeasurement) -> list[list[Any]]:
    """Return the minutes of a run as lists."""
    return list(map(list, measurement.record.steps))


def _count_by_kind(measurement: TimeArenaMeasurement) -> dict[str, int]:
    """Return the number of decisions by kind of feedback, in the order of the kinds."""
    counts = measurement.kinds
    return {kind: counts[kind] for kind in KINDS if counts[kind]}


def _share_averages() -> list[Average]:
    """Return the averages of the shares of all kinds of decisions."""
    kinds = [kind for kind in KINDS if kind != "continue"]
    averages = []
    for kind in kinds:
        meaning = f"decisions that are {kind}, percent"
        averages.append(Average(kind, meaning, partial(_share, kind), is_shown=False))
    return averages


def _wait_averages() -> list[Average]:
    """Return the averages of section 4.4: waits among correct decisions, and necessary ones among waits."""
    waits = Average("waits", "correct decisions that are waits, percent", _waits_of_correct, is_shown=False)
    necessary = Average(
        "necessary", "waits in which no action could be started, percent", _necessary_of_waits, is_shown=False
    )
    largest = Average(
        "max_necessary", "largest number of necessary waits of a run", _necessary_waits, "max", is_shown=False
    )
    return [waits, necessary, largest]


def _waits_of_correct(row: Row) -> tuple[float, int] | None:
    kinds = row.get("kinds")
    if not kinds:
        return None
    waits = kinds.get("wait", 0)
    return 100.0 * waits, waits + kinds.get("valid", 0)


def _necessary_of_waits(row: Row) -> tuple[float, int] | None:
    necessary, unnecessary = row.get("necessary_waits"), row.get("unnecessary_waits")
    if necessary is None or unnecessary is None:
        return None
    return 100.0 * necessary, necessary + unnecessary


def _necessary_waits(row: Row) -> int | None:
    return row.get("necessary_waits")


def _share(kind: str, row: Row) -> tuple[float, int] | None:
    """Return the terms of the share of a kind in all decisions; ``None`` for a row without kinds."""
    kinds = row.get("kinds")
    if kinds is None:
        return None
    return 100.0 * kinds.get(kind, 0), sum(kinds.values())


def _live_row(environment: AnyEnvironment, oracle: Oracle) -> Row:
    """Return the best score so far."""
    return {"best_score": environment.state.world.best_score}


def published_figures() -> dict[str, int]:
    """Return the counts of section 3.2 for the tasks."""
    names = set[str]()
    verbs = {"wait"}
    minutes: list[int] = []
    for task in task_names():
        scene = world(f"timearena/{task}")
        verbs.update(scene.verbs)
        for thing in scene.objects.values():
            names.add(thing.base)
            minutes += [role.minutes for role in thing.roles.values() if role.minutes]
    counts = {"objects": len(names), "actions": len(verbs)}
    return counts | {"shortest": min(minutes), "longest": max(minutes)}


METRICS = MetricSet(
    TimeArenaMeasurement,
    declare,
    references=(
        Reference("released", "released greedy", "timearena-greedy-released", main=True, published="oracle"),
        Reference("printed", "printed greedy", "timearena-greedy"),
        Reference("without_objects", "optimum without objects", partial(without_objects, as_listed=True)),
        Reference("released_rules", "released rules", partial(under, rules=PROFILES["released"])),
    ),
    published_figures=published_figures,
    live_row=_live_row,
)
