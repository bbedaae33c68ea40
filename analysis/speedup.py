"""How much faster several agents are: proved optima of the same problem with 1, 2, 3, ... of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import mean, quantiles
from typing import Any

from planoracle.instances.catalogue import set_of
from planoracle.instances.crew import MOST_AGENTS, with_agents
from planoracle.instances.model import Instance
from planoracle.instances.status import Status
from planoracle.solver.exact.bounds import windows
from planoracle.solver.exact.solve import solve


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
        """Whether all of it is."""
        return self.limit is not None and set(self.statuses) == {Status.optimal}

    def speedup(self, agents: int) -> float | None:
        """Return by what factor so many agents are faster than one; ``None`` where one of both is not known."""
        one, several = self.makespans[0], self.makespans[agents - 1]
        return None if one is None or not several else one / several

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


@dataclass(frozen=True, slots=True)
class Point:
    """One number of agents on the mean curve of a set.

    Attributes
    ----------
    problems, proved
        How many there are, and how many are proved for every number of agents; the figures are over these.
    mean_makespan
        Ticks.
    mean_speedup, low, high
        Mean of the problems' speed-ups, and the middle half of them.
    at_critical_path, at_limit
        Shares of the problems that more agents cannot make faster: as short as the critical path, or as with
        agents without number.
    """

    set: str
    agents: int
    problems: int
    proved: int
    mean_makespan: float | None
    unit: str
    mean_speedup: float | None
    low: float | None
    high: float | None
    at_critical_path: float | None
    at_limit: float | None
    limit_speedup: float | None


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
    >>> from planoracle.instances.recipe2plan.facts import load
    >>> found = curve(load("timed", "Cobbler_Pancakes"), 3)
    >>> found.makespans, found.critical_path, found.limit
    ((4080, 2550, 2400), 2400, 2400)
    """
    found = [solve(with_agents(instance, count), time_limit=time_limit) for count in range(1, most + 1)]
    bounds = windows(instance)
    path = max(h + a.duration + t for h, a, t in zip(bounds.head, instance.actions, bounds.tail, strict=True))
    attended = sum(action.attended > 0 for action in instance.actions)
    limit = solve(with_agents(instance, min(MOST_AGENTS, attended + 1)), time_limit=time_limit)
    return Curve(
        instance=instance.name,
        set=set_of(instance.name)[0],
        unit=instance.unit,
        makespans=tuple(result.makespan for result in found),
        statuses=tuple(result.status for result in found),
        grids=tuple(result.grid for result in found),
        critical_path=path,
        limit=limit.makespan if limit.status == Status.optimal else None,
    )


def summarize(curves: Iterable[Curve]) -> list[Point]:
    """Return the mean curve of every set, in the order in which the sets come up.

    Problems that are not proved throughout are counted but left out of the means.
    """
    sets: dict[str, list[Curve]] = {}
    for one in curves:
        sets.setdefault(one.set or one.instance, []).append(one)
    return [
        _point(label, count, members)
        for label, members in sets.items()
        for count in range(1, 1 + max(len(one.makespans) for one in members))
    ]


def _point(label: str, agents: int, members: Sequence[Curve]) -> Point:
    proved = [one for one in members if one.proved and len(one.makespans) >= agents]
    spans = [span for one in proved if (span := one.makespans[agents - 1]) is not None]
    gains = [gain for one in proved if (gain := one.speedup(agents)) is not None]
    most = [first / one.limit for one in proved if (first := one.makespans[0]) is not None and one.limit]
    quarter = quantiles(gains, n=4, method="inclusive") if len(gains) > 1 else gains * 3
    ends = list(zip(spans, proved, strict=True))
    return Point(
        set=label,
        agents=agents,
        problems=len(members),
        proved=len(proved),
        mean_makespan=mean(spans) if spans else None,
        unit=members[0].unit,
        mean_speedup=mean(gains) if gains else None,
        low=quarter[0] if quarter else None,
        high=quarter[2] if quarter else None,
        at_critical_path=mean(span == one.critical_path for span, one in ends) if ends else None,
        at_limit=mean(span == one.limit for span, one in ends) if ends else None,
        limit_speedup=mean(most) if most else None,
    )
