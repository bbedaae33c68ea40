"""Parts of actions in the CP-SAT model: versions by times and agents, and their segments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from planoracle.instances.model.calendars import Calendar, OffTimes
from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.working_times import calendars_of_members
from planoracle.solver.exact.cp_model import negated


@dataclass(slots=True)
class Segment:
    """A part of an action without interruption: the whole of it, or one step.

    The ``length`` of a segment with a variable ``end`` depends on breaks; its agent is busy from start to end or not at
    all.
    """

    start: int  # variable
    size: int
    busy: int
    present: int | None = None  # literal: part of the schedule (None: always)
    agents: dict[str, int | None] = field(default_factory=dict)  # eligible agent -> literal (None: if present)
    starts_if: tuple[int, ...] = ()  # literals: a new start, not the next step of a run
    end: int | None = None  # variable
    length: int = 0  # variable, with ``end`` only
    yields: int | None = None  # literal: needs no agent (only in a relaxation),
    yielding: list[int] = field(default_factory=list)  # if one of these literals allows it

    @property
    def finish(self) -> tuple[int, int]:
        """A variable, and the steps behind it at which the segment ends."""
        return (self.start, self.size) if self.end is None else (self.end, 0)

    def by(self, agent: str) -> tuple[int, ...]:
        """Return the literals that hold if the segment is in the schedule, by an eligible agent."""
        literal = self.agents[agent]
        return literals(self.present) if literal is None else (literal,)


@dataclass(slots=True)
class Version:
    """Form of an action in the schedule: one or several of its modes that agree in times and agents.

    Attributes
    ----------
    duration, attended
        Ticks.
    agents
        Eligible agents.
    modes
        Positions of the modes.
    present
        Literal: part of the schedule; ``None`` if it always is.
    off_times
        Times at which it pauses; ``None`` if it never does.
    segments
        All of it, or its steps in order.
    """

    duration: int
    attended: int
    agents: tuple[str, ...]
    modes: tuple[int, ...]
    present: int | None
    off_times: OffTimes | None
    segments: list[Segment] = field(default_factory=list)


class AlikeAgents(NamedTuple):
    """Agents with whom an action pauses at the same times."""

    agents: tuple[str, ...]
    off_times: OffTimes


class VersionGroup(NamedTuple):
    """Modes of an action that agree in times and agents, and if it pauses in breaks, also in its pauses."""

    duration: int
    attended: int
    agents: tuple[str, ...]
    modes: tuple[int, ...]
    pausing: tuple[AlikeAgents, ...] = ()


def version_groups(instance: Instance, action: Action) -> list[VersionGroup]:
    """Return the groups of modes of an action: each is a version, or a version for each set of agents."""
    variants = instance.variants[action.id]
    may_pause = action.pauses_in_breaks and bool(instance.calendars)
    if len(variants) == 1 and not may_pause:
        duration, attended, agents = variants[0][:3]
        return [VersionGroup(duration, attended, agents, (0,))]
    modes: dict[tuple[int, int, tuple[str, ...], tuple[Calendar, ...]], list[int]] = {}
    for number, variant in enumerate(variants):
        calendars: tuple[Calendar, ...] = ()
        if may_pause and variant.duration:
            calendars = calendars_of_members(instance, [demand.resource for demand in variant.demands])
        key = (variant.duration, variant.attended, variant.agents, calendars)
        modes.setdefault(key, []).append(number)
    groups = []
    for (duration, attended, agents, calendars), numbers in modes.items():
        pausing: tuple[AlikeAgents, ...] = ()
        if may_pause and duration:
            pausing = (
                _alike_agents(instance, agents, calendars) if attended else (AlikeAgents(agents, OffTimes(calendars)),)
            )
        groups.append(VersionGroup(duration, attended, agents, tuple(numbers), pausing))
    return groups


def _alike_agents(
    instance: Instance, agents: tuple[str, ...], calendars: tuple[Calendar, ...]
) -> tuple[AlikeAgents, ...]:
    """Return the agents in groups of equal pauses while they use resources with some calendars."""
    crews: dict[tuple[Calendar, ...], list[str]] = {}
    for agent in agents:
        crews.setdefault(calendars_of_members(instance, [agent]), []).append(agent)
    groups = []
    for additional_calendars, crew in crews.items():
        groups.append(AlikeAgents(tuple(crew), OffTimes([*calendars, *additional_calendars])))
    return tuple(groups)


def literals(literal: int | None) -> tuple[int, ...]:
    """Return the literal, or nothing if it always holds."""
    return () if literal is None else (literal,)


def negations(literal: int | None) -> tuple[int, ...]:
    """Return the negation of a literal, or nothing if there is none."""
    return () if literal is None else (negated(literal),)


def holds(literal: int, solution: Sequence[int]) -> bool:
    """Return whether a literal holds in a solution."""
    return bool(solution[literal]) if literal >= 0 else not solution[negated(literal)]
