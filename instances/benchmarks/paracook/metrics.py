"""Metrics of ParaCook's cook world: served orders, time, and its use by every cook."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import GridKitchen, GridKitchenRules
from planoracle.instances.benchmarks.grid_kitchens.language import WAIT, json_number
from planoracle.instances.benchmarks.grid_kitchens.run import GridKitchenRun
from planoracle.plugin import Average, Declarations, Measurement, Metric, MetricSet, Optimum, Oracle, Reference, Row

# The released code's guess of a way, the sum of width and height of its maps, and how many ways an ingredient makes.
_WAY = 18
_WAYS = {"raw": 2, "chopped": 3, "cooked": 4}
# Plates that are there, as on all its maps; each dish beyond needs one washed, and that makes so many ways.
_PLATES, _WAYS_TO_WASH = 2, 2


def sequential(kitchen: GridKitchen) -> tuple[int, int]:
    """Return time and walking time in ticks that the released code assumes for orders done one by one.

    Every way is of the same length; what is cooked is not chopped before.
    """
    facts = kitchen.facts
    pot, pan = facts.vessel("pot"), facts.vessel("pan")
    ways = work = 0
    for dish in kitchen.orders:
        ways += 1
        for need in dish.needs:
            ways += _WAYS[need.state]
            if need.state == "chopped":
                work += facts.chop
            elif need.state == "cooked":
                vessel = pot if pot is not None and need.ingredient in pot.ingredients else pan
                work += 0 if vessel is None else vessel.ticks
    washed = max(0, len(kitchen.orders) - _PLATES)
    ways += washed * _WAYS_TO_WASH
    work += washed * (facts.plate_return + facts.wash)
    return ways * _WAY + work, ways * _WAY


class CookMeasurement(Measurement[GridKitchenRun]):
    """Run with its time, the time that counts for a failure, and the work of every cook."""

    def __init__(self, run: GridKitchenRun, oracle: Oracle) -> None:
        super().__init__(run, oracle)
        self.outcome = run.outcome
        self.figures = self.outcome.as_dict()
        self.time = self.figures["time"]
        self.sequential_time, self.sequential_movement = sequential(run.problem)
        self.busy = self.of_cooks("busy")
        self.waiting = self.of_cooks("waiting")

    def of_cooks(self, figure: str) -> dict[str, Any]:
        """Return a figure of every cook."""
        return {cook: own[figure] for cook, own in self.figures["agents"].items()}

    @cached_property
    def working(self) -> dict[str, int | float]:
        """Ticks of the walks and work of every cook, up to the end."""
        end, cooks = self.outcome.time, self.run.problem.agents
        sums = dict.fromkeys(cooks, end * 0)
        for deed in self.outcome.deeds:
            if deed.act.word != WAIT:
                sums[cooks[deed.cook]] += min(deed.end, end) - deed.start
        return {cook: json_number(ticks) for cook, ticks in sums.items()}

    @cached_property
    def shares(self) -> list[float]:
        """Share of time at work of every cook."""
        ticks = {"time": self.time, "busy": self.busy, "waiting": self.waiting, "working": self.working}
        return _shares(ticks, self.run.rules)

    @cached_property
    def optimum(self) -> Optimum:
        """Optimum of the kitchen, which is searched on request only."""
        return super().optimum if self.run.rules.price_optimum else Optimum()

    def by(self, time: int | None) -> float | None:
        """Return the time of a success divided by another time; ``None`` for a failure, or without that time."""
        return self.time / time if self.outcome.done and time else None


def declare(rules: GridKitchenRules) -> Declarations[CookMeasurement]:
    """Return the metrics of the released simulator and summary, and ours; times are in ticks."""
    return (
        Average(
            "success_rate", "no error and every order served", lambda row: row["success"], role=("success", "main")
        ),
        Metric(
            "all_served", "every order was served", lambda its: its.figures["all_served"], kind="flag", is_shown=True
        ),
        Metric(
            "error",
            "kind of the fault that ended the run, cook and index of the action concerned",
            lambda its: its.figures["error"],
            kind="json",
        ),
        Metric("time", "when the run ended", lambda its: its.time, "ticks", is_shown=True),
        Metric("served", "orders served", lambda its: its.figures["served"], "orders", "count", is_shown=True),
        Metric(
            "trace",
            "moment, cook and index of every action that took effect",
            lambda its: its.figures["trace"],
            kind="json",
        ),
        Metric("final", "cooks and stations at the end", lambda its: its.figures["final"], kind="json"),
        Metric(
            "progress",
            "actions begun, and how many there are, by cook",
            lambda its: its.of_cooks("progress"),
            kind="json",
        ),
        Metric("busy", "ticks of actions begun, by cook", lambda its: its.busy, kind="json"),
        Metric("waiting", "of these, ticks of waits", lambda its: its.waiting, kind="json"),
        Metric("moving", "of these, ticks of walks", lambda its: its.of_cooks("moving"), kind="json"),
        Metric("processing", "of these, ticks of work", lambda its: its.of_cooks("processing"), kind="json"),
        Metric("errors", "actions at which a kitchen came to its end", lambda its: its.run.errors, kind="count"),
        Metric(
            "served_at",
            "when each order was served",
            lambda its: [json_number(moment) for moment in its.outcome.served_at],
            kind="json",
        ),
        Metric("working", "ticks of walks and work up to the end, by cook", lambda its: its.working, kind="json"),
        Metric(
            "sequential_time",
            "what counts for a failure: all steps one by one, each a long way off",
            lambda its: its.sequential_time,
            "ticks",
            "count",
        ),
        Metric("sequential_movement", "the ways of these", lambda its: its.sequential_movement, "ticks", "count"),
        Average(
            "time_mean",
            "time in ticks, of failures the sequential time (pOCT)",
            lambda row: row["time"] if row["success"] else row["sequential_time"],
        ),
        Metric(
            "utilisation",
            "share of time at work, mean over the cooks of a success",
            lambda its: sum(its.shares) / len(its.shares) if its.outcome.done else None,
            "share",
            is_shown=True,
        ),
        Metric(
            "time_ratio",
            "time by sequential time, of a success",
            lambda its: its.by(its.sequential_time),
            "share",
            average=Average("time_ratio", "time by sequential time, of successes (nOCT)"),
        ),
        Average("movement", "ticks that a cook walks", _movement),
        Average(
            "utilisation",
            "share of time at work, mean over cooks of successes (AU)",
            lambda row: _utilisation(row, rules) if row["success"] else None,
        ),
        Metric(
            "optimality",
            "time by least time, of a success",
            lambda its: its.by(its.optimum.makespan),
            "share",
            average=Average("optimality", "time by least time, of successes"),
        ),
        Average("errors", "by kind", lambda row: [row["error"]["kind"]] if row["error"] else [], "counts"),
    )


def _movement(row: Row) -> tuple[float, int]:
    walked = row["moving"]
    return (sum(walked.values()) if row["success"] else row["sequential_movement"]), len(walked)


def _utilisation(row: Row, rules: GridKitchenRules) -> tuple[float, int]:
    shares = _shares(row, rules)
    return sum(shares), len(shares)


def _shares(row: Row, rules: GridKitchenRules) -> list[float]:
    """Return the share of time at work of every cook.

    When runs end with their plans, it is what is busy and no wait, by what is busy, as released: who stops early was
    never idle. When they end with the last dish, it is counted by the time until then.
    """
    if rules.end == "served":
        return [work / row["time"] if row["time"] else 0.0 for work in row["working"].values()]
    both = zip(row["busy"].values(), row["waiting"].values(), strict=True)
    return [(busy - waiting) / busy if busy > 0 else 0.0 for busy, waiting in both]


METRICS = MetricSet(CookMeasurement, declare, references=(Reference("list", "list scheduling", "floor-list"),))
