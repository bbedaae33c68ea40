"""Speedup by more agents: proved optima of one problem with 1, 2, ... agents."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from planoracle.analysis.comparison.method_tables import storable
from planoracle.analysis.statistics.intervals import mean
from planoracle.instances.files.catalog import set_of
from planoracle.instances.model.agents import MOST_AGENTS, with_agents
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import Status
from planoracle.solver.exact.bounds import windows
from planoracle.solver.solve import solve

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, slots=True)
class Curve:
    """Optima of one problem with 1, 2, ... agents.

    Attributes
    ----------
    makespans
        Ticks, for 1, 2, ... agents; ``None`` where no schedule was found.
    statuses
        As in `planoracle.solver.result.Result`.
    grids
        Ticks; the optima hold for pauses at their multiples.
    critical_path
        Ticks; the longest chain of durations and lags, which no number of agents can beat.
    limit
        Ticks; the optimum if nobody ever has to wait for an agent, objects only; ``None`` if it is not proved.
    """

    instance: str
    set: str
    unit: str
    makespans: tuple[int | None, ...]
    statuses: tuple[Status, ...]
    grids: tuple[int, ...]
    critical_path: int
    limit: int | None

    @property
    def proved(self) -> bool:
        """True if every makespan and the limit are proved."""
        return self.limit is not None and set(self.statuses) == {Status.optimal}

    def speedup(self, agents: int) -> float | None:
        """Return by what factor so many agents are faster than one; ``None`` where one of both is not known."""
        one, several = self.makespans[0], self.makespans[agents - 1]
        return None if one is None or not several else one / several

    @property
    def limit_speedup(self) -> float | None:
        """By what factor an agent for every action is faster than one agent; ``None`` if that is not known."""
        one = self.makespans[0]
        return one / self.limit if one is not None and self.limit else None

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for every number of agents."""
        return [
            {
                "instance": self.instance,
                "set": self.set,
                "agents": agents,
                "status": self.statuses[agents - 1],
                "makespan": makespan,
                "unit": self.unit,
                "speedup": self.speedup(agents),
                "critical_path": self.critical_path,
                "limit": self.limit,
                "grid": self.grids[agents - 1],
            }
            for agents, makespan in enumerate(self.makespans, 1)
        ]


def curve(instance: Instance, most: int = 4, *, time_limit: float = 60.0) -> Curve:
    """Solve a problem with 1 to ``most`` agents, and with one for every action.

    Parameters
    ----------
    instance
        Agents of its own must be alike.
    time_limit
        Seconds for each number of agents.

    Raises
    ------
    InputError
        If agents differ, or ``most`` is out of range.

    Examples
    --------
    >>> from planoracle.instances.benchmarks.recipe2plan.bundled_data import load
    >>> results = curve(load("timed", "Cobbler_Pancakes"), 3)
    >>> results.makespans, results.critical_path, results.limit
    ((4080, 2550, 2400), 2400, 2400)
    """
    results = [solve(with_agents(instance, count), time_limit=time_limit) for count in range(1, most + 1)]
    bounds = windows(instance)
    path = max(h + a.duration + t for h, a, t in zip(bounds.head, instance.actions, bounds.tail, strict=True))
    attended = sum(action.attended > 0 for action in instance.actions)
    limit = solve(with_agents(instance, min(MOST_AGENTS, attended + 1)), time_limit=time_limit)
    return Curve(
        instance=instance.name,
        set=set_of(instance.name)[0],
        unit=instance.unit,
        makespans=tuple(result.makespan for result in results),
        statuses=tuple(result.status for result in results),
        grids=tuple(result.grid for result in results),
        critical_path=path,
        limit=limit.makespan if limit.status == Status.optimal else None,
    )


def summarize_agents(curves: Iterable[Curve]) -> list[dict[str, Any]]:
    """Average curves per set and number of agents, in the order in which the sets come up.

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
        row | {"set": storable(one.set or one.instance), "proved": one.proved, "most": one.limit_speedup}
        for one in curves
        for row in one.rows()
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
