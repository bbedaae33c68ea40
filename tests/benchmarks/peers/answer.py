"""What a method says of an instance, and its starts as a schedule that the rules can judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from planoracle.instances.model import Instance
from planoracle.instances.schedule import Piece, Schedule

__all__ = ["Answer", "Starts", "UnsupportedError", "as_schedule", "distances", "horizon"]


class UnsupportedError(Exception):
    """A method cannot state an instance; says why."""


@dataclass(frozen=True, slots=True)
class Starts:
    """Starts in ticks and the mode of every action: one start, or one per ``size`` ticks of what can be paused."""

    starts: Sequence[Sequence[int]]
    modes: Sequence[int]
    size: int = 1


@dataclass(frozen=True, slots=True)
class Answer:
    """Outcome of one method on one instance.

    Attributes
    ----------
    status
        ``optimal``, ``feasible``, ``infeasible`` or ``unknown``, as the method claims.
    makespan, bound
        Ticks; ``None`` where unknown.
    found
        A schedule; or starts in ticks and modes per action, to be made one by `as_schedule` off the clock.
    build
        Seconds spent on the model before any search; ``None`` if the method does not tell them apart.
    """

    status: str
    makespan: int | None = None
    bound: int | None = None
    found: Schedule | Starts | None = None
    build: float | None = None

    def schedule(self, instance: Instance) -> Schedule | None:
        """Return what was found as a schedule."""
        return as_schedule(instance, self.found) if isinstance(self.found, Starts) else self.found


def distances(instance: Instance) -> list[tuple[int, int, int]]:
    """Return the time lags as (i, j, least distance from the start of i to the start of j), nothing paused."""
    index, actions = instance.index, instance.actions
    rows = []
    for lag in instance.lags:
        i, j = index[lag.before], index[lag.after]
        if lag.minimum is not None:
            rows.append((i, j, actions[i].duration + lag.minimum))
        if lag.maximum is not None:
            rows.append((j, i, -actions[i].duration - lag.maximum))
    return rows


def horizon(instance: Instance) -> int:
    """Return a makespan that some optimal schedule does not exceed: durations or longest distances, added up."""
    longest = [action.duration for action in instance.actions]
    for i, _, distance in distances(instance):
        longest[i] = max(longest[i], distance)
    most = sum(longest) + max(action.release for action in instance.actions)
    return most if instance.time_limit is None else min(most, instance.time_limit)


def as_schedule(instance: Instance, found: Starts) -> Schedule:
    """Make a schedule of starts.

    Agents are dealt out in order of time; nobody is invented, so the rules see any shortage.
    """
    rows = []
    for action, times, mode in zip(instance.actions, found.starts, found.modes, strict=True):
        length = action.duration if len(times) == 1 else found.size
        held = min(action.attended, length)
        rows += [(start, held > 0, action, length, held, mode) for start in times]
    rows.sort(key=lambda row: row[:2])
    free = dict.fromkeys(instance.agents, 0)
    pieces = []
    for start, _, action, length, held, mode in rows:
        agent = None
        if instance.eligible(action):
            agent = min(instance.eligible(action), key=lambda name: (free[name] > start, instance.agents.index(name)))
            if held:
                free[agent] = start + held
        pieces.append(Piece(action.id, start, length, agent, mode))
    return Schedule.of(instance, pieces)
