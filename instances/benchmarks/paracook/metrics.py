"""Metrics of ParaCook's cook world: served orders, time, and its use by every cook."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import GridKitchen, GridKitchenRules
from planoracle.instances.benchmarks.grid_kitchens.language import WAIT, json_number
from planoracle.instances.benchmarks.grid_kitchens.run import GridKitchenRun
from planoracle.instances.protocol.scoring import Average, Measured, Metric, Oracle, Row, mean_of

COLUMNS = (
    Metric("all_served", "every order was served", kind="flag", is_shown=True),
    Metric("served", "orders served", "orders", "count", is_shown=True),
    Metric("time", "when the run ended", "ticks", is_shown=True),
    Metric("errors", "actions at which a kitchen came to its end", kind="count"),
    Metric("sequential_time", "what counts for a failure: all steps one by one, each a long way off", "ticks", "count"),
    Metric("sequential_movement", "the ways of these", "ticks", "count"),
    Metric("utilisation", "share of time at work, mean over the cooks of a success", "share", is_shown=True),
    Metric("time_ratio", "time by sequential time, of a success", "share"),
    Metric("optimality", "time by least time, of a success", "share"),
)

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


def averages(rules: GridKitchenRules) -> tuple[Average, ...]:
    """Return the released summary; a failure counts with the sequential time.

    Time at work of a cook is, when runs end with their plans, what is busy and no wait, by what is busy, as released:
    who stops early was never idle. When they end with the last dish, it is counted by the time until then.
    """

    def time(row: Row) -> tuple[float, int]:
        return (row["time"] if row["success"] else row["sequential_time"]), 1

    def movement(row: Row) -> tuple[float, int]:
        if row["success"]:
            return sum(row["moving"].values()), len(row["moving"])
        return row["sequential_movement"], len(row["moving"])

    def at_work(row: Row) -> tuple[float, int] | None:
        shares = _shares(row, rules)
        return (sum(shares), len(shares)) if row["success"] else None

    return (
        Average("success_rate", "no error and every order served", _flag("success"), role=("success", "main")),
        Average("time_mean", "time in ticks, of failures the sequential time (pOCT)", time),
        mean_of("time_ratio", "time by sequential time, of successes (nOCT)"),
        Average("movement", "ticks that a cook walks", movement),
        Average("utilisation", "share of time at work, mean over cooks of successes (AU)", at_work),
        mean_of("optimality", "time by least time, of successes"),
        Average("errors", "by kind", lambda row: [row["error"]["kind"]] if row["error"] else [], tally=True),
    )


def measure(run: GridKitchenRun, oracle: Oracle) -> Measured:
    """Compute the metrics of a run.

    ``metrics``, as the released simulator reports: ``all_served``, ``error`` (``kind``, ``agent``, ``index``),
    ``time``, ``served``; per cook ``progress`` (actions begun, and how many there are), ``busy``, ``waiting``,
    ``moving``, ``processing``; ``trace`` (moment, cook and index of every action that took effect) and ``final``.

    And ``errors``, ``served_at``, ``working`` (ticks of a cook's walks and work up to the end), and the others of
    `COLUMNS`.
    """
    outcome = run.outcome.as_dict()
    cooks = outcome.pop("agents")
    figures = {name: {cook: own[name] for cook, own in cooks.items()} for name in _OF_COOKS}
    time, ways = sequential(run.problem)
    row = {
        "success": outcome.pop("done"),
        **outcome,
        **figures,
        "errors": run.errors,
        "served_at": [json_number(moment) for moment in run.outcome.served_at],
        "working": _working(run),
        "sequential_time": time,
        "sequential_movement": ways,
    }
    shares = _shares(row, run.rules)
    done = row.pop("success")
    row["utilisation"] = sum(shares) / len(shares) if done else None
    row["time_ratio"] = row["time"] / time if done and time else None
    if not run.rules.price_optimum:
        return Measured(None, row | {"optimality": None})
    best = oracle.best(run.problem, run.rules)
    least = best.makespan if best.status == "optimal" else None
    return Measured.with_optimum(best, row | {"optimality": row["time"] / least if done and least else None})


_OF_COOKS = ("progress", "busy", "waiting", "moving", "processing")


def _flag(name: str) -> Callable[[Row], tuple[float, int]]:
    return lambda row: (float(row[name]), 1)


def _shares(row: Row, rules: GridKitchenRules) -> list[float]:
    """Return the share of time at work of every cook."""
    if rules.end == "served":
        return [work / row["time"] if row["time"] else 0.0 for work in row["working"].values()]
    both: Iterable[tuple[float, float]] = zip(row["busy"].values(), row["waiting"].values(), strict=True)
    return [(busy - waiting) / busy if busy > 0 else 0.0 for busy, waiting in both]


def _working(run: GridKitchenRun) -> dict[str, int | float]:
    end = run.outcome.time
    sums = dict.fromkeys(run.problem.agents, end * 0)
    for deed in run.outcome.events:
        if deed.act.word != WAIT:
            sums[run.problem.agents[deed.cook]] += min(deed.end, end) - deed.start
    return {name: json_number(ticks) for name, ticks in sums.items()}
