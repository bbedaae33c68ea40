"""Segments of actions in the CP-SAT model, and constraints of resources."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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
        intervals: list[tuple[int, int]] = []
        for n, (i, demand, present) in enumerate(users):
            if not demand.amount:
                continue
            alone = merged.get(n, ())
            for segment in self.segments[i]:
                if segment.size:
                    interval = model.interval(segment.start, segment.size, *present, *alone)
                    intervals.append((interval, demand.amount))
        model.capacity(intervals, resource.capacity)

    def _merged_settings(self, users: list[_User], initial: str | None) -> dict[int, tuple[int, ...]]:
        """Let settings share the capacity of another use over the same interval.

        Returns, for every use that may be merged into another, the literal that it is not.
        """
        if all(demand.sets is None for _, demand, _ in users):
            return {}
        model = self.model
        into: dict[int, list[int]] = {}
        for a, b in _possible_joins(users):
            (i, use, _), (j, setting, _) = users[a], users[b]
            if not self._may_join(i, use, j, setting):
                continue
            same = self._same_interval(users[a], users[b])
            for earlier in into.get(a, ()):
                model.clause(negated(same), negated(earlier))
            if use.sets is None and setting.sets is not None:
                self.joins.append((i, j, same))
                self._require(users, j, setting.sets, self.segments[j][0], (same,), initial)
            into.setdefault(b, []).append(same)
        alone: dict[int, tuple[int, ...]] = {}
        for n, choices in into.items():
            merged = model.boolean()
            model.exactly_one([negated(merged), *choices])
            alone[n] = (negated(merged),)
        return alone

    def _same_interval(self, user: _User, setter: _User) -> int:
        """Return a new literal that two uses are present and start at the same time."""
        model = self.model
        start, setter_start = self.segments[user[0]][0].start, self.segments[setter[0]][0].start
        same = model.boolean()
        model.difference(start, setter_start, 0, same)
        model.difference(setter_start, start, 0, same)
        for literal in (*user[2], *setter[2]):
            model.clause(negated(same), literal)
        return same

    def _may_join(self, i: int, use: Demand, j: int, setting: Demand) -> bool:
        """Return whether a setting of action ``j`` may share the units of a use of action ``i``."""
        if i == j or not setting.amount or use.amount < setting.amount or self.ordered(i, j):
            return False
        action, setter = self.instance.actions[i], self.instance.actions[j]
        if action.interruptible or self.segments[i][0].size != self.segments[j][0].size:
            return False
        if use.sets == setting.sets:
            return True
        return use.sets is None and (setter.attended > 0 or not action.attended)

    def _add_states(self, users: list[_User], initial: str | None) -> None:
        for i, demand, present in users:
            if demand.requires is not None:
                for segment in self.segments[i]:
                    self._require(users, i, demand.requires, segment, present, initial)

    def _require(
        self, users: list[_User], i: int, state: str, segment: Segment, present: tuple[int, ...], initial: str | None
    ) -> None:
        """Let a setting serve a segment of action ``i``, with no other state set in between or while it runs."""
        good: list[tuple[Segment, tuple[int, ...]]] = []
        bad: list[tuple[Segment, tuple[int, ...]]] = []
        for j, demand, set_present in users:
            if demand.sets is not None and j != i:
                settings = good if demand.sets == state else bad
                settings.append((self.segments[j][0], set_present))
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
            for (bad_setting, bad_present), early in zip(bad, before, strict=True):
                model.difference(setting.start, bad_setting.start, 1, by_this, early, *present, *bad_present)
        if initially:
            at_first = model.boolean()
            served.append(at_first)
            for (_, bad_present), early in zip(bad, before, strict=True):
                absent = map(negated, (*present, *bad_present))
                model.clause(negated(at_first), negated(early), *absent)
        model.clause(*served, *map(negated, present))


def _possible_joins(users: Sequence[_User]) -> Iterator[tuple[int, int]]:
    """Yield the positions of every use, and of each setting that comes after it and may join it.

    The largest amounts come first, and those that set nothing before all: a use can only join an earlier one.
    """
    uses = [demand for _, demand, _ in users]

    def rank(n: int) -> tuple[bool, int, int]:
        return uses[n].sets is not None, -uses[n].amount, n

    order = sorted(range(len(uses)), key=rank)
    first_setting = sum(use.sets is None for use in uses)
    for position, user in enumerate(order):
        for setter in order[max(first_setting, position + 1) :]:
            yield user, setter


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
    intervals: list[tuple[int, int]] = []
    for span in spans:
        inside = model.interval(span.begin, span.size, *span.present, after=span.after)
        intervals.append((inside, len(starts)))
    for start in starts:
        intervals.append((model.interval(start.moment, 1, *start.present), 1))
    model.capacity(intervals, agents * len(starts))
