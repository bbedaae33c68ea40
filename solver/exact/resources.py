"""Segments of actions in the CP-SAT model, and constraints of resources."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from planoracle.instances.model.instance import Demand, Instance, Resource
from planoracle.solver.exact.cp_model import CpModel, negated


@dataclass(slots=True)
class Segment:
    """A part of an action without interruption: the whole of it, or one step."""

    start: int  # variable
    size: int
    busy: int
    agents: dict[str, int | None] = field(default_factory=dict)  # eligible agent -> literal (None: always)
    starts_if: tuple[int, ...] = ()  # literals: a new start, not the next step of a run
    yields: int | None = None  # literal: needs no agent (only in a relaxation),
    yielding: list[int] = field(default_factory=list)  # if one of these literals allows it


def literals(literal: int | None) -> tuple[int, ...]:
    """Return the literal, or nothing if it always holds."""
    return () if literal is None else (literal,)


def negations(literal: int | None) -> tuple[int, ...]:
    """Return the negation of a literal, or nothing if there is none."""
    return () if literal is None else (negated(literal),)


def holds(literal: int, solution: Sequence[int]) -> bool:
    """Return whether a literal holds in a solution."""
    return bool(solution[literal]) if literal >= 0 else not solution[negated(literal)]


_User = tuple[int, Demand, tuple[int, ...]]  # action, demand, literals of its mode


class ResourceConstraints:
    """Constraints of all resources of an instance.

    Parameters
    ----------
    segments, modes
        Per action its segments, and the literals of its modes.
    ordered
        Function that tells whether two actions (positions) are ordered by precedences, so that they cannot coincide.
    """

    def __init__(
        self,
        instance: Instance,
        model: CpModel,
        segments: Sequence[list[Segment]],
        modes: Sequence[list[int | None]],
        ordered: Callable[[int, int], bool],
    ) -> None:
        self.instance = instance
        self.model = model
        self.segments = segments
        self.modes = modes
        self.ordered = ordered
        #: (use that sets nothing, setting that may share its room, literal that it does); actions by position.
        self.joins: list[tuple[int, int, int]] = []

    def add(self) -> None:
        """Add the constraints of every resource."""
        users: dict[str, list[_User]] = {resource.name: [] for resource in self.instance.resources}
        for i, action in enumerate(self.instance.actions):
            for mode, literal in zip(action.modes, self.modes[i], strict=True):
                for demand in mode.demands:
                    users[demand.resource].append((i, demand, literals(literal)))
        for resource in self.instance.resources:
            self.model.topics[self.model.constraints] = f"capacity and states of {resource.name}"
            self._add_resource(users[resource.name], resource)
            self._add_states(users[resource.name], resource.state)

    def _add_resource(self, users: list[_User], resource: Resource) -> None:
        model = self.model
        merged = self._merged_settings(users, resource.state)
        intervals = [
            (model.interval(segment.start, segment.size, *present, *merged.get(n, ())), demand.amount)
            for n, (i, demand, present) in enumerate(users)
            for segment in self.segments[i]
            if segment.size and demand.amount
        ]
        model.capacity(intervals, resource.capacity)

    def _merged_settings(self, users: list[_User], initial: str | None) -> dict[int, tuple[int, ...]]:
        """Let settings share the capacity of another use over the same interval.

        Returns, for every use that may be merged into another, the literal that it is not.
        """
        if all(demand.sets is None for _, demand, _ in users):
            return {}
        model = self.model
        into: dict[int, list[int]] = {}
        # Largest amount first, and those that set nothing before all: a use can only join an earlier one.
        order = sorted(range(len(users)), key=lambda n: (users[n][1].sets is not None, -users[n][1].amount, n))
        first = next(n for n, a in enumerate(order) if users[a][1].sets is not None)
        for a, b in ((a, b) for n, a in enumerate(order) for b in order[max(first, n + 1) :]):
            (i, one, _), (j, two, _) = users[a], users[b]
            if two.sets is None or not self._may_join(i, one, j, two):
                continue
            same = model.boolean()
            model.difference(self.segments[i][0].start, self.segments[j][0].start, 0, same)
            model.difference(self.segments[j][0].start, self.segments[i][0].start, 0, same)
            for literal in (*users[a][2], *users[b][2]):
                model.clause(negated(same), literal)
            for earlier in into.get(a, ()):
                model.clause(negated(same), negated(earlier))
            if one.sets is None and two.sets is not None:
                self.joins.append((i, j, same))
                self._require(users, j, two.sets, self.segments[j][0], (same,), initial)
            into.setdefault(b, []).append(same)
        alone: dict[int, tuple[int, ...]] = {}
        for n, choices in into.items():
            merged = model.boolean()
            model.exactly_one([negated(merged), *choices])
            alone[n] = (negated(merged),)
        return alone

    def _may_join(self, i: int, one: Demand, j: int, two: Demand) -> bool:
        """Return whether setting ``two`` of action ``j`` may share the units of use ``one`` of action ``i``."""
        if i == j or not two.amount or one.amount < two.amount or self.ordered(i, j):
            return False
        if self.instance.actions[i].interruptible or self.segments[i][0].size != self.segments[j][0].size:
            return False
        attended = self.instance.actions[j].attended > 0
        return one.sets == two.sets or (one.sets is None and (attended or not self.instance.actions[i].attended))

    def _add_states(self, users: list[_User], initial: str | None) -> None:
        for i, demand, present in users:
            if demand.requires is not None:
                for segment in self.segments[i]:
                    self._require(users, i, demand.requires, segment, present, initial)

    def _require(
        self, users: list[_User], i: int, state: str, segment: Segment, present: tuple[int, ...], initial: str | None
    ) -> None:
        """Let a setting serve a segment of action ``i``, with no other state set in between or while it runs."""
        settings = [
            (self.segments[j][0], demand.sets, p) for j, demand, p in users if demand.sets is not None and j != i
        ]
        good = [(setting, present_literals) for setting, sets, present_literals in settings if sets == state]
        bad = [(setting, present_literals) for setting, sets, present_literals in settings if sets != state]
        if good or initial == state:
            self._serve(segment, present, good, bad, initial == state)
        else:
            self.model.clause(*map(negated, present))

    def _serve(
        self,
        segment: Segment,
        present: tuple[int, ...],
        good: list[tuple[Segment, tuple[int, ...]]],
        bad: list[tuple[Segment, tuple[int, ...]]],
        initially: bool,
    ) -> None:
        model = self.model
        before = []
        for setting, set_present in bad:
            early = model.boolean()
            model.difference(segment.start, setting.start, 1, early, *present, *set_present)
            model.difference(setting.start, segment.start, max(1, segment.size), negated(early), *present, *set_present)
            before.append(early)
        served = []
        for setting, set_present in good:
            by_this = model.boolean()
            served.append(by_this)
            for literal in set_present:
                model.clause(negated(by_this), literal)
            model.difference(segment.start, setting.start, 1, by_this, *present)
            for (other, other_present), early in zip(bad, before, strict=True):
                model.difference(setting.start, other.start, 1, by_this, early, *present, *other_present)
        if initially:
            at_first = model.boolean()
            served.append(at_first)
            for (_, other_present), early in zip(bad, before, strict=True):
                model.clause(negated(at_first), negated(early), *map(negated, (*present, *other_present)))
        model.clause(*served, *map(negated, present))


#: Pairs of a start and a piece of one agent up to which a literal for each of them proves more.
_FEW_PAIRS = 1_000


class Inside(NamedTuple):
    """Moments ``after`` to ``after + size - 1`` behind ``begin``, inside a piece if all literals hold."""

    begin: int
    after: int
    size: int
    present: tuple[int, ...]


class Start(NamedTuple):
    """Start of an action at the moment of a variable, if all literals hold."""

    moment: int
    present: tuple[int, ...]


def starts_are_counted(agents: int, starts: int, spans: int) -> bool:
    """Return whether one capacity for all starts is better than a literal for every start and span."""
    return agents > 1 or starts * spans > _FEW_PAIRS


def keep_out(model: CpModel, agents: int, spans: Sequence[Inside], starts: Sequence[Start]) -> None:
    """Require a free agent at every start: at most ``agents - 1`` of the spans hold at its moment.

    A single capacity expresses it, of as many units for every agent as there are starts. An agent inside a span takes
    all its units, a start takes one: where all agents are inside no unit remains, and where one is not there are enough
    for all starts together. With a literal for every start and span the model would grow with their product.
    """
    if len(spans) < agents or not starts:
        return
    intervals = [
        (model.interval(span.begin, span.size, *span.present, after=span.after), len(starts)) for span in spans
    ]
    intervals += [(model.interval(start.moment, 1, *start.present), 1) for start in starts]
    model.capacity(intervals, agents * len(starts))
