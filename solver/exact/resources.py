"""Constraints of resources in the CP-SAT model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from planoracle.instances.model.instance import Action, Demand, Instance, Resource
from planoracle.solver.exact.cp_model import FAR, CpModel, negated
from planoracle.solver.exact.segments import Segment, Version, literals, negations


class User(NamedTuple):
    """A use of a resource.

    Attributes
    ----------
    action
        Position of the action.
    demand
        What its mode demands.
    present
        Literals of the mode.
    segments
        Segments of the action in that mode.
    may_share
        True if the action may make or take shared room.
    is_attended
        True if it holds an agent in that mode.
    """

    action: int
    demand: Demand
    present: tuple[int, ...]
    segments: Sequence[Segment]
    may_share: bool
    is_attended: bool


def use_interval(model: CpModel, segment: Segment, *present: int) -> int:
    """Return the interval of a segment, present if all literals hold and the segment is."""
    conditions = tuple(dict.fromkeys((*literals(segment.present), *present)))
    if segment.end is None:
        return model.interval(segment.start, segment.size, *conditions)
    return model.span(segment.start, segment.end, segment.length, *conditions)


class ResourceConstraints:
    """Constraints of all resources of an instance.

    Parameters
    ----------
    versions, modes
        Per action its versions, and the literals of its modes.
    ordered
        Function that tells whether two actions (positions) are ordered by precedences, so that they cannot coincide.
    """

    def __init__(
        self,
        instance: Instance,
        model: CpModel,
        versions: Sequence[Sequence[Version]],
        modes: Sequence[list[int | None]],
        ordered: Callable[[int, int], bool],
    ) -> None:
        self.instance = instance
        self.model = model
        self.versions = versions
        self.modes = modes
        self.ordered = ordered
        #: (use that sets nothing, setting that may share its room, literal that it does); actions by position.
        self.joins: list[tuple[int, int, int]] = []

    def add(self) -> None:
        """Add the constraints of every resource."""
        users: dict[str, list[User]] = {resource.name: [] for resource in self.instance.resources}
        for i, action in enumerate(self.instance.actions):
            self._check_excess(i, action)
            may_share = not (action.interruptible or action.pauses_in_breaks)
            for version in self.versions[i]:
                is_attended = version.attended > 0
                for number in version.modes:
                    present = literals(self.modes[i][number])
                    for demand in action.modes[number].demands:
                        user = User(i, demand, present, version.segments, may_share, is_attended)
                        users[demand.resource].append(user)
        for resource in self.instance.resources:
            self.model.topics[self.model.constraints] = f"capacity and states of {resource.name}"
            if resource.renewable:
                self._add_resource(users[resource.name], resource)
                self._add_states(users[resource.name], resource.state)
            else:
                self._add_budget(users[resource.name], resource)

    def _check_excess(self, i: int, action: Action) -> None:
        """Exclude the modes that demand more than there is."""
        for mode, literal in zip(action.modes, self.modes[i], strict=True):
            if any(demand.amount > self.instance.resource[demand.resource].capacity for demand in mode.demands):
                self.model.clause(*negations(literal))

    def _add_budget(self, users: list[User], resource: Resource) -> None:
        """Let the amounts of all chosen modes sum to no more than a budget."""
        rest_of_budget = resource.capacity
        terms: list[tuple[int, int]] = []
        for user in {(user.action, user.present): user for user in users}.values():  # not once for each version
            if user.present:
                (literal,) = user.present
                terms.append((literal, user.demand.amount))
            else:
                rest_of_budget -= user.demand.amount
        self.model.linear(terms, -FAR, rest_of_budget)

    def _add_resource(self, users: list[User], resource: Resource) -> None:
        model = self.model
        merged = self._merged_settings(users, resource.state)
        intervals: list[tuple[int, int]] = []
        for n, user in enumerate(users):
            amount = user.demand.amount
            if not amount or amount > resource.capacity:
                continue
            alone = merged.get(n, ())
            for segment in user.segments:
                if segment.size:
                    interval = use_interval(model, segment, *user.present, *alone)
                    intervals.append((interval, amount))
        model.capacity(intervals, resource.capacity)

    def _merged_settings(self, users: list[User], initial: str | None) -> dict[int, tuple[int, ...]]:
        """Let settings share the capacity of another use over the same interval.

        Returns, for every use that may be merged into another, the literal that it is not.
        """
        if all(user.demand.sets is None for user in users):
            return {}
        model = self.model
        into: dict[int, list[int]] = {}
        for a, b in _possible_joins(users):
            user, setter = users[a], users[b]
            if not self._may_join(user, setter):
                continue
            same = self._same_interval(user, setter)
            for earlier in into.get(a, ()):
                model.clause(negated(same), negated(earlier))
            if user.demand.sets is None and setter.demand.sets is not None:
                self.joins.append((user.action, setter.action, same))
                self._require(users, setter, setter.demand.sets, setter.segments[0], (same,), initial)
            into.setdefault(b, []).append(same)
        alone: dict[int, tuple[int, ...]] = {}
        for n, choices in into.items():
            merged = model.boolean()
            model.exactly_one([negated(merged), *choices])
            alone[n] = (negated(merged),)
        return alone

    def _same_interval(self, user: User, setter: User) -> int:
        """Return a new literal that two uses are present and start at the same time."""
        model = self.model
        start, setter_start = user.segments[0].start, setter.segments[0].start
        same = model.boolean()
        model.difference(start, setter_start, 0, same)
        model.difference(setter_start, start, 0, same)
        for literal in (*user.present, *setter.present):
            model.clause(negated(same), literal)
        return same

    def _may_join(self, user: User, setter: User) -> bool:
        """Return whether a setting may share the units of a use of another action."""
        use, setting = user.demand, setter.demand
        i, j = user.action, setter.action
        if i == j or not setting.amount or use.amount < setting.amount or self.ordered(i, j):
            return False
        if not (user.may_share and setter.may_share):
            return False
        if user.segments[0].size != setter.segments[0].size:
            return False
        if use.sets == setting.sets:
            return True
        return use.sets is None and (setter.is_attended or not user.is_attended)

    def _add_states(self, users: list[User], initial: str | None) -> None:
        for user in users:
            if user.demand.requires is not None:
                for segment in user.segments:
                    present = (*user.present, *literals(segment.present))
                    self._require(users, user, user.demand.requires, segment, present, initial)

    def _require(
        self,
        users: list[User],
        user: User,
        state: str,
        segment: Segment,
        present: tuple[int, ...],
        initial: str | None,
    ) -> None:
        """Let a setting serve a segment of a use, with no other state set in between or while it runs."""
        good: list[tuple[Segment, tuple[int, ...]]] = []
        bad: list[tuple[Segment, tuple[int, ...]]] = []
        for setter in users:
            sets = setter.demand.sets
            if sets is not None and setter.action != user.action:
                settings = good if sets == state else bad
                settings.append((setter.segments[0], setter.present))
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
            late = (negated(early), *present, *set_present)
            if segment.end is None:
                model.difference(setting.start, segment.start, max(1, segment.size), *late)
            else:
                model.difference(setting.start, segment.end, 0, *late)
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


def _possible_joins(users: Sequence[User]) -> Iterator[tuple[int, int]]:
    """Yield the positions of every use, and of each setting that comes after it and may join it.

    The largest amounts come first, and those that set nothing before all: a use can only join an earlier one.
    """
    uses = [user.demand for user in users]

    def rank(n: int) -> tuple[bool, int, int]:
        return uses[n].sets is not None, -uses[n].amount, n

    order = sorted(range(len(uses)), key=rank)
    first_setting = sum(use.sets is None for use in uses)
    for position, user in enumerate(order):
        for setter in order[max(first_setting, position + 1) :]:
            yield user, setter
