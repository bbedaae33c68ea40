"""Speedup by more agents: proved optima of one problem with 1, 2, ... agents."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from planoracle.analysis.comparison.method_tables import storable
from planoracle.analysis.statistics.intervals import mean
from planoracle.instances.files.catalog import set_of
from planoracle.instances.model.agents import MOST_AGENTS, with_agents
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import Status
from planoracle.solver.exact.bounds import windows
from planoracle.solver.solve import solve

#: Optima of one problem with 1, 2, ... agents, see `curve`.
Curve: TypeAlias = list[dict[str, Any]]


def curve(instance: Instance, most: int = 4, *, time_limit: float = 60.0) -> Curve:
    """Solve a problem with 1 to ``most`` agents, and with one for every action.

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
        longest chain of durations and lags in ticks, a lower bound for any number of agents; ``limit``: optimum in
        ticks with an agent for every action, ``None`` if it is not proved; ``grid``: ticks, the optimum holds for
        pauses at multiples of it.

    Raises
    ------
    InputError
        If agents differ, or ``most`` is out of range.

    Examples
    --------
    >>> from planoracle.instances.benchmarks.recipe2plan.problems import load
    >>> results = curve(load("recipe2plan/timed/Cobbler_Pancakes"), 3)
    >>> [(row["makespan"], row["critical_path"], row["limit"]) for row in results]
    [(4080, 2400, 2400), (2550, 2400, 2400), (2400, 2400, 2400)]
    """
    results = [solve(with_agents(instance, count), time_limit=time_limit) for count in range(1, most + 1)]
    bounds = windows(instance)
    path = max(h + a.duration + t for h, a, t in zip(bounds.head, instance.actions, bounds.tail, strict=True))
    attended = sum(action.attended > 0 for action in instance.actions)
    limit = solve(with_agents(instance, min(MOST_AGENTS, attended + 1)), time_limit=time_limit)
    return [
        {
            "instance": instance.name,
            "set": set_of(instance.name)[0],
            "agents": agents,
            "status": result.status,
            "makespan": result.makespan,
            "unit": instance.unit,
            "speedup": _ratio(results[0].makespan, result.makespan),
            "critical_path": path,
            "limit": limit.makespan if limit.status == Status.optimal else None,
            "grid": result.grid,
        }
        for agents, result in enumerate(results, 1)
    ]


def is_proved(curve: Curve) -> bool:
    """Return True if every makespan and the limit are proved."""
    return all(row["status"] == Status.optimal and row["limit"] is not None for row in curve)


def _ratio(one: int | None, several: int | None) -> float | None:
    return None if one is None or not several else one / several


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

    points = [
        row
        | {
            "set": storable(row["set"] or row["instance"]),
            "proved": is_proved(rows),
            "most": _ratio(rows[0]["makespan"], row["limit"]),
        }
        for rows in curves
        for row in rows
    ]
    frame = pd.DataFrame(points, dtype=object)
    rows = []
    groups: Any = frame.groupby(["set", "agents"], sort=False) if len(frame) else ()
    for (label, agents), part in groups:
        proved = part[part["proved"]]
        gains = proved["speedup"].dropna().astype(float)
        rows.append(
            {
                "set": label,
                "agents": agents,
                "problems": len(part),
                "proved": len(proved),
                "mean_makespan": mean(proved["makespan"].dropna()),
                "unit": part["unit"].iloc[0],
                "mean_speedup": mean(gains),
                "low": None if gains.empty else float(gains.quantile(0.25)),
                "high": None if gains.empty else float(gains.quantile(0.75)),
                "at_critical_path": mean(proved["makespan"] == proved["critical_path"]),
                "at_limit": mean(proved["makespan"] == proved["limit"]),
                "limit_speedup": mean(proved["most"].dropna()),
            }
        )
    return rows
