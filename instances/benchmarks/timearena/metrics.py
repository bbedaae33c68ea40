"""Metrics of TimeArena: score over time, and the cost of waits."""

from __future__ import annotations

from collections import Counter
from functools import cached_property, partial

from planoracle.instances.benchmarks.timearena.problems import task_names, under, without_objects, world
from planoracle.instances.benchmarks.timearena.rules import KINDS, PROFILES, Profile
from planoracle.instances.benchmarks.timearena.run import TimeArenaRun
from planoracle.instances.benchmarks.timearena.simulation import kind_of
from planoracle.plugin import (
    Average,
    Declarations,
    Measurement,
    Metric,
    MetricSet,
    Optimum,
    Oracle,
    Reference,
    Row,
    Status,
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
        return super().optimum if self.run.impossible is None else Optimum(None, Status.infeasible)

    @cached_property
    def wait_costs(self) -> list[int | None]:
        """Cost in minutes of every wait, ``None`` if not proved."""
        values = self.oracle.values(self.run)
        return [
            None if before is None or after is None else after - before
            for step, before, after in zip(self.run.steps, values, values[1:], strict=False)
            if step.kind == "wait"
        ]


def declare(rules: Profile) -> Declarations[TimeArenaMeasurement]:
    """Return the metrics, and AS, CS, CR and CT of the paper's Table 2.

    ``best_score`` and ``best_time`` are P and T of the paper.
    """
    return (
        Metric("end", "reason for the end of the run", lambda its: its.record.end, kind="text"),
        Metric("total_time", "length of the run", lambda its: its.record.total_time, "minutes", "count"),
        Metric("score", "progress at the end", lambda its: its.record.score, "percent"),
        Metric(
            "best_score",
            "highest progress",
            lambda its: its.best_score,
            "percent",
            is_shown=True,
            average=Average("AS", "mean of the best scores, percent", role=("main",), full=100),
        ),
        Metric(
            "best_time",
            "time at which the highest progress was first reached",
            lambda its: its.record.scores.index(its.best_score) + 1 if its.best_score else 0,
            "minutes",
            "count",
        ),
        Average(
            "CS",
            "percent of progress per minute, up to the best score",
            lambda row: (row["best_score"], row["best_time"]),
        ),
        Average("CR", "completed runs, percent", lambda row: 100.0 * row["success"], role=("success",), full=100),
        Average("CT", "minutes of completed runs", lambda row: row["makespan"] if row["success"] else None),
        Metric(
            "kinds",
            "decisions by kind of feedback; an action of several minutes counts once",
            lambda its: {kind: its.kinds[kind] for kind in KINDS if its.kinds[kind]},
            kind="json",
        ),
        *(
            Average(kind, f"decisions that are {kind}, percent", partial(_share, kind), is_shown=False)
            for kind in KINDS
            if kind != "continue"
        ),
        Metric(
            "necessary_waits",
            "waits in which no action could be started",
            lambda its: sum(its.record.necessary),
            kind="count",
        ),
        Metric(
            "unnecessary_waits",
            "waits in which an action could be started",
            lambda its: its.kinds["wait"] - sum(its.record.necessary),
            kind="count",
        ),
        Metric(
            "steps",
            "all steps, each as minute, action, kind and increment",
            lambda its: [list(step) for step in its.record.steps],
            kind="json",
        ),
        Metric(
            "costless_waits",
            "waits that do not delay the best completion",
            lambda its: its.wait_costs.count(0),
            kind="json",
            rule="price_waits",
        ),
        Metric(
            "costly_waits",
            "waits that delay the best completion",
            lambda its: len(its.wait_costs) - its.wait_costs.count(0) - its.wait_costs.count(None),
            kind="json",
            rule="price_waits",
        ),
        Metric(
            "unpriced_waits",
            "waits whose cost is not proved",
            lambda its: its.wait_costs.count(None),
            kind="json",
            rule="price_waits",
        ),
        Metric(
            "wait_cost",
            "total delay of the best completion by waits",
            lambda its: sum(filter(None, its.wait_costs)),
            "minutes",
            "json",
            rule="price_waits",
        ),
    )


def _share(kind: str, row: Row) -> tuple[float, int] | None:
    """Return the terms of the share of a kind in all decisions; ``None`` for a row without kinds."""
    kinds = row.get("kinds")
    return None if kinds is None else (100.0 * kinds.get(kind, 0), sum(kinds.values()))


def published_figures() -> dict[str, int]:
    """Return the counts of section 3.2 for the tasks."""
    scenes = [world(f"timearena/{task}") for task in task_names()]
    things = [thing for scene in scenes for thing in scene.objects.values()]
    minutes = [role.minutes for thing in things for role in thing.roles.values() if role.minutes]
    verbs = {"wait"}.union(*(scene.verbs for scene in scenes))
    counts = {"objects": len({thing.base for thing in things}), "actions": len(verbs)}
    return counts | {"shortest": min(minutes), "longest": max(minutes)}


METRICS = MetricSet(
    TimeArenaMeasurement,
    declare,
    references=(
        Reference("heuristic_reference", "released greedy", "timearena-greedy-released", main=True, published="oracle"),
        Reference("greedy", "printed greedy", "timearena-greedy"),
        Reference("without_objects", "optimum without objects", partial(without_objects, as_listed=True)),
        Reference("released_rules", "released rules", partial(under, rules=PROFILES["released"])),
    ),
    published_figures=published_figures,
)
