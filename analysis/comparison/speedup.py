"""Speedup by more agents: proved optima of one problem with 1, 2, ... agents."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

from planoracle.analysis.comparison.method_tables import storable
from planoracle.analysis.statistics.intervals import mean
from planoracle.instances.files.catalog import set_of
from planoracle.instances.model.agents import MOST_AGENTS, with_agents
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import Status
from planoracle.solver.exact.bounds import shortest_duration, windows
from planoracle.solver.solve import solve

if TYPE_CHECKING:
    import pandas as pd

#: Optima of one problem with 1, 2, ... agents, see `curve`.
Curve: TypeAlias = list[dict[str, Any]]


def curve(instance: Instance, max_agents: int = 4, *, time_limit: float = 60.0) -> Curve:
    """Solve a problem with 1 to ``max_agents`` agents, and with one for every action.

    Parameters
    ----------
    instance
        Problem; its own agents must be identical.
    time_limit
        Seconds for each number of agents.

    Returns
    -------
    list of dict
        A row for each number of agents: ``instance, set, agents, status``; ``makespan`` in ticks, ``None`` without a
        schedule; ``unit``; ``speedup``: ratio of the makespan with one agent to that of the row; ``critical_path``:
        longest chain of shortest durations and lags in ticks, a lower bound for any number of agents (0 with optional
        tasks, which may be left out); ``limit``: optimum in ticks with an agent for every action, ``None`` if it is not
        proved; ``grid``: ticks, the optimum holds for pauses at multiples of it. Makespans at different weights of
        optional tasks are not compared: ``speedup`` or ``limit`` is ``None``.

    Raises
    ------
    InputError
        If agents differ, or ``max_agents`` is out of range.

    Examples
    --------
    >>> from planoracle.instances.benchmarks.recipe2plan.problems import load
    >>> results = curve(load("recipe2plan/timed/Cobbler_Pancakes"), 3)
    >>> [(row["makespan"], row["critical_path"], row["limit"]) for row in results]
    [(4080, 2400, 2400), (2550, 2400, 2400), (2400, 2400, 2400)]
    """
    numbers_of_agents = range(1, max_agents + 1)
    results = [solve(with_agents(instance, count), time_limit=time_limit) for count in numbers_of_agents]
    bounds = windows(instance)
    chains = zip(bounds.head, instance.actions, bounds.tail, strict=True)
    path = max(head + shortest_duration(action) + tail for head, action, tail in chains)
    limit = solve(with_agents(instance, _enough_agents(instance)), time_limit=time_limit)
    set_name = set_of(instance.name)[0]
    rows: Curve = []
    for agents, result in enumerate(results, 1):
        is_comparable = limit.status == Status.optimal and limit.weight == result.weight
        first_makespan = results[0].makespan if results[0].weight == result.weight else None
        row = {
            "instance": instance.name,
            "set": set_name,
            "agents": agents,
            "status": result.status,
            "makespan": result.makespan,
            "unit": instance.unit,
            "speedup": _ratio(first_makespan, result.makespan),
            "critical_path": 0 if instance.optional else path,
            "limit": limit.makespan if is_comparable else None,
            "grid": result.grid,
        }
        rows.append(row)
    return rows


def _enough_agents(instance: Instance) -> int:
    """Return a number of agents that is as good as any larger one.

    A single agent starts all unattended actions, unless it needs time to go from one to the next.
    """
    needed = 1
    for action in instance.actions:
        variants = instance.variants[action.id]
        needed += any(variant.attended or (action.place and variant.agents) for variant in variants)
    return min(MOST_AGENTS, needed)


def is_proved(curve: Curve) -> bool:
    """Return True if every makespan and the limit are proved."""
    return all(row["status"] == Status.optimal and row["limit"] is not None for row in curve)


def _ratio(single: int | None, several: int | None) -> float | None:
    """Return the makespan with a single agent divided by that with several."""
    return None if single is None or not several else single / several


def summarize_agents(curves: Iterable[Curve]) -> list[dict[str, Any]]:
    """Average curves per set and number of agents, in order of appearance.

    Returns
    -------
    list of dict
        ``set, agents``; the number of ``problems`` and of those ``proved`` for every number of agents, over which the
        means are; ``mean_makespan`` in ticks, ``unit``; ``mean_speedup`` over one agent and the middle half of the
        speed-ups, ``low`` to ``high``; the shares of problems that more agents cannot make faster, as short as the
        critical path (``at_critical_path``) or as with an agent for every action (``at_limit``); ``limit_speedup``: the
        mean speed-up of the latter.
    """
    import pandas as pd

    points: list[dict[str, Any]] = []
    for curve_rows in curves:
        is_curve_proved = is_proved(curve_rows)
        for row in curve_rows:
            limit_speedup = _ratio(curve_rows[0]["makespan"], row["limit"])
            set_name = storable(row["set"] or row["instance"])
            points.append(row | {"set": set_name, "proved": is_curve_proved, "limit_speedup": limit_speedup})
    if not points:
        return []
    groups: Any = pd.DataFrame(points, dtype=object).groupby(["set", "agents"], sort=False)
    return [_average(set_name, agents, part) for (set_name, agents), part in groups]


def _average(set_name: str, agents: int, part: pd.DataFrame) -> dict[str, Any]:
    """Return the averages of the problems of a set with a number of agents."""
    proved = part[part["proved"]]
    makespans = proved["makespan"]
    speedups = proved["speedup"].dropna().astype(float)
    low, high = (None if speedups.empty else float(speedups.quantile(quantile)) for quantile in (0.25, 0.75))
    return {
        "set": set_name,
        "agents": agents,
        "problems": len(part),
        "proved": len(proved),
        "mean_makespan": mean(makespans.dropna()),
        "unit": part["unit"].iloc[0],
        "mean_speedup": mean(speedups),
        "low": low,
        "high": high,
        "at_critical_path": mean(makespans == proved["critical_path"]),
        "at_limit": mean(makespans == proved["limit"]),
        "limit_speedup": mean(proved["limit_speedup"].dropna()),
    }
