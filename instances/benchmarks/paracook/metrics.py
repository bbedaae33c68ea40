"""Metrics of ParaCook's cook world: served orders, time, utilisation of every cook."""

from __future__ import annotations

from functools import cached_property, partial
from typing import Any

from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import GridKitchen, GridKitchenRules
from planoracle.instances.benchmarks.grid_kitchens.language import WAIT, json_number
from planoracle.instances.benchmarks.grid_kitchens.run import GridKitchenRun
from planoracle.instances.protocol.environment import AnyEnvironment
from planoracle.instances.protocol.scoring import (
    Average,
    Declarations,
    Kind,
    Measurement,
    Metric,
    MetricSet,
    Optimum,
    Oracle,
    Row,
)

# Estimates of the released code: ticks of a walk (width plus height of its maps), and walks per ingredient.
_WAY = 18
_WAYS = {"raw": 2, "chopped": 3, "cooked": 4}
# Clean plates on all its maps, and walks for washing a plate, which each further dish needs.
_PLATES, _WAYS_TO_WASH = 2, 2


def sequential(kitchen: GridKitchen) -> tuple[int, int]:
    """Return time and walking time in ticks that the released code assumes for serial work.

    All walks have the same length; cooked ingredients are not chopped first.
    """
    facts = kitchen.facts
    pot = facts.vessel("pot")
    pan = facts.vessel("pan")
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
    """Run with its time, the sequential time, and the work of every cook."""

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
        agents = self.figures["agents"]
        return {cook: figures[figure] for cook, figures in agents.items()}

    @cached_property
    def working(self) -> dict[str, int | float]:
        """Ticks of the walks and work of every cook, up to the end."""
        end = self.outcome.time
        cooks = self.run.problem.agents
        sums = dict.fromkeys(cooks, end * 0)
        for action in self.outcome.started_actions:
            if action.act.word != WAIT:
                cook = cooks[action.cook]
                sums[cook] += min(action.end, end) - action.start
        return {cook: json_number(ticks) for cook, ticks in sums.items()}

    @cached_property
    def shares(self) -> list[float]:
        """Share of time at work of every cook."""
        ticks = {"time": self.time, "busy": self.busy, "waiting": self.waiting, "working": self.working}
        return _shares(ticks, self.run.rules)

    @cached_property
    def optimum(self) -> Optimum:
        """Optimum of the kitchen, computed only if ``price_optimum`` is true."""
        return super().optimum if self.run.rules.price_optimum else Optimum()

    def by(self, time: int | None) -> float | None:
        """Return the time of a success divided by another time; ``None`` for a failure, or without that time."""
        return self.time / time if self.outcome.done and time else None


def declare(rules: GridKitchenRules) -> Declarations[CookMeasurement]:
    """Return the metrics of the released simulator and summary, and ours; times are in ticks."""
    movement = Average("movement", "walking time of a cook in ticks", _movement)
    errors = Average("errors", "errors by kind", _error_kinds, "counts")
    metrics_of_runs = (*_outcome_metrics(), *_work_metrics(), *_run_metrics(), *_time_metrics())
    return (*metrics_of_runs, movement, *_metrics_of_successes(rules), errors)


def _outcome_metrics() -> Declarations[CookMeasurement]:
    success_rate = Average(
        "success_rate", "no error and every order served", lambda row: row["success"], role=("success", "main")
    )
    all_served = _figure("all_served", "every order was served", kind="flag", is_shown=True)
    error = _figure("error", "error that ended the run: kind, cook, index of the action", kind="json")
    time: Metric[CookMeasurement] = Metric(
        "time", "end of the run", lambda measurement: measurement.time, "ticks", is_shown=True
    )
    served = _figure("served", "orders served", unit="orders", kind="count", is_shown=True)
    trace = _figure("trace", "time, cook and index of every effective action", kind="json")
    final = _figure("final", "cooks and stations at the end", kind="json")
    return success_rate, all_served, error, time, served, trace, final


def _figure(
    name: str, meaning: str, *, unit: str = "", kind: Kind = "number", is_shown: bool = False
) -> Metric[CookMeasurement]:
    """Return the metric of a figure of the simulation."""
    return Metric(name, meaning, lambda measurement: measurement.figures[name], unit, kind, is_shown)


def _work_metrics() -> Declarations[CookMeasurement]:
    progress = _figure_of_cooks("progress", "started actions and all actions, by cook")
    busy = _figure_of_cooks("busy", "ticks of started actions, by cook")
    waiting = _figure_of_cooks("waiting", "ticks of started waits, by cook")
    moving = _figure_of_cooks("moving", "ticks of started walks, by cook")
    processing = _figure_of_cooks("processing", "ticks of started work, by cook")
    return progress, busy, waiting, moving, processing


def _figure_of_cooks(name: str, meaning: str) -> Metric[CookMeasurement]:
    """Return the metric of a figure of every cook."""
    return Metric(name, meaning, lambda measurement: measurement.of_cooks(name), kind="json")


def _run_metrics() -> Declarations[CookMeasurement]:
    errors: Metric[CookMeasurement] = Metric(
        "errors", "number of errors that ended a kitchen", lambda measurement: measurement.run.errors, kind="count"
    )
    served_at = Metric("served_at", "time at which each order was served", _service_times, kind="json")
    working: Metric[CookMeasurement] = Metric(
        "working",
        "ticks of walks and work up to the end, by cook",
        lambda measurement: measurement.working,
        kind="json",
    )
    return errors, served_at, working


def _time_metrics() -> Declarations[CookMeasurement]:
    sequential_time: Metric[CookMeasurement] = Metric(
        "sequential_time",
        "estimated time of serial work, which counts for a failure",
        lambda measurement: measurement.sequential_time,
        "ticks",
        "count",
    )
    sequential_movement: Metric[CookMeasurement] = Metric(
        "sequential_movement",
        "estimated walking time of serial work",
        lambda measurement: measurement.sequential_movement,
        "ticks",
        "count",
    )
    time_mean = Average("time_mean", "time in ticks; the sequential time for failures (pOCT)", _time_or_estimate)
    utilisation = Metric(
        "utilisation",
        "share of time at work, mean over the cooks, if successful",
        _mean_share,
        "share",
        is_shown=True,
    )
    time_ratio: Metric[CookMeasurement] = Metric(
        "time_ratio",
        "time divided by sequential time, if successful",
        lambda measurement: measurement.by(measurement.sequential_time),
        "share",
        average=Average("time_ratio", "time divided by sequential time, successful runs (nOCT)"),
    )
    return sequential_time, sequential_movement, time_mean, utilisation, time_ratio


def _metrics_of_successes(rules: GridKitchenRules) -> Declarations[CookMeasurement]:
    utilisation = Average(
        "utilisation", "share of time at work, mean over cooks of successful runs (AU)", partial(_utilisation, rules)
    )
    optimality: Metric[CookMeasurement] = Metric(
        "optimality",
        "time divided by the optimum, if successful",
        lambda measurement: measurement.by(measurement.optimum.makespan),
        "share",
        average=Average("optimality", "time divided by the optimum, successful runs"),
    )
    return utilisation, optimality


def _movement(row: Row) -> tuple[float, int]:
    walks = row["moving"]
    time = sum(walks.values()) if row["success"] else row["sequential_movement"]
    return time, len(walks)


def _service_times(measurement: CookMeasurement) -> list[int | float]:
    return [json_number(moment) for moment in measurement.outcome.served_at]


def _mean_share(measurement: CookMeasurement) -> float | None:
    """Return the mean share of time at work of the cooks of a successful run."""
    if not measurement.outcome.done:
        return None
    return sum(measurement.shares) / len(measurement.shares)


def _time_or_estimate(row: Row) -> Any:
    return row["time"] if row["success"] else row["sequential_time"]


def _error_kinds(row: Row) -> list[str]:
    return [row["error"]["kind"]] if row["error"] else []


def _utilisation(rules: GridKitchenRules, row: Row) -> tuple[float, int] | None:
    """Return the sum of the shares of the cooks of a successful run, and their number."""
    if not row["success"]:
        return None
    shares = _shares(row, rules)
    return sum(shares), len(shares)


def _shares(row: Row, rules: GridKitchenRules) -> list[float]:
    """Return the share of time at work of every cook.

    With ``end=plans`` it is the busy time without waits divided by the busy time, as released; a cook that stops early
    counts as busy. With ``end=served`` it is the working time divided by the time of the last dish.
    """
    if rules.end == "served":
        time = row["time"]
        return [work / time if time else 0.0 for work in row["working"].values()]
    busy_ticks = row["busy"].values()
    ticks = zip(busy_ticks, row["waiting"].values(), strict=True)
    return [(busy - waiting) / busy if busy > 0 else 0.0 for busy, waiting in ticks]


def _live_row(environment: AnyEnvironment, oracle: Oracle) -> Row:
    """Return the success of a run so far."""
    return {"success": environment.success}


METRICS = MetricSet(CookMeasurement, declare, live_row=_live_row)
