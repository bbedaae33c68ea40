"""The general rules of resources: how much room there is, and in which state they are."""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections import defaultdict, deque
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from heapq import heappop, heappush
from operator import itemgetter
from typing import cast

from planoracle.instances.model.instance import Demand, Instance
from planoracle.instances.model.schedule import Piece
from planoracle.instances.model.violations import MAX_OTHERS, Measure, Other, Violation

#: Pieces with their positions in the schedule.
Pieces = list[tuple[int, Piece]]


_MESSAGES: dict[str, Callable[[Violation], str]] = {
    "unknown_action": lambda _: "there is no such action",
    "wrong_mode": lambda v: f"mode must lie in 0..{v.required}, not {v.actual}",
    "other_mode": lambda _: "the mode changes between pieces",
    "ineligible_agent": lambda v: f"needs one of {v.names}, not {v.actual}",
    "no_agent": lambda v: f"needs no agent, not {v.actual}",
    "release": lambda v: f"starts at {v.actual}, before {v.required}",
    "time_limit": lambda v: f"ends at {v.actual}, after {v.required}",
    "action_duration": lambda v: f"runs {v.actual} ticks, needs {v.required}",
    "no_duration": lambda _: "a piece must last at least one tick",
    "interruptibility": lambda _: "must run in one piece",
    "overlap": lambda _: "two pieces of the action overlap",
    "missing_action": lambda _: "is never carried out",
    "agent_busy": lambda v: f"{v.resource or 'somebody'} is still busy{_with(v)} until {v.required}",
    "start_attended": lambda v: (
        f"{v.resource} cannot start it in the middle of {v.others[0].subject} ({v.others[0].start} to {v.required})"
    ),
    "resource_capacity": lambda v: f"{v.resource} would carry {v.actual} of {v.required}",
    "resource_state": lambda v: f"needs {v.resource} to be {v.required}, not {v.actual}",
    "order": lambda v: f"starts at {v.start}, before {v.others[0].subject} is finished",
    "minimum_lag": lambda v: (
        f"starts at {v.start}, before {v.others[0].subject} is carried out"
        if v.others[0].end is None
        else f"starts at {v.start}, earliest {_then(v)} after {v.others[0].subject}"
    ),
    "maximum_lag": lambda v: f"starts at {v.start}, latest {_then(v)} after {v.others[0].subject}",
}


def _with(busy: Violation) -> str:
    return f" with {busy.others[0].subject}" if busy.others else ""


def _then(lag: Violation) -> int:
    """Return when a time lag is over."""
    return cast(int, lag.others[0].end) + cast(int, lag.required)


class GeneralViolation(Violation):
    """A violation of the general rules."""

    __slots__ = ()

    @property
    def message(self) -> str:
        """What is said of it."""
        return _MESSAGES[self.case or self.kind](self)


def fault(
    kind: str,
    index: int,
    piece: Piece,
    others: tuple[Other, ...] = (),
    *,
    resource: str | None = None,
    required: Measure = None,
    actual: Measure = None,
    case: str = "",
) -> GeneralViolation:
    """Return a violation of a piece."""
    name, start, duration = piece[:3]
    return GeneralViolation(index, kind, name, case, start, start + duration, others, resource, required, actual)


def other_of(piece: Piece) -> Other:
    """Return a piece as what stands against another."""
    return Other(piece.action, piece.start, piece.start + piece.duration)


_Use = tuple[int, Piece, Demand]


def _demands(instance: Instance, pieces: Pieces, only: Container[str] | None) -> dict[str, list[_Use]]:
    uses: dict[str, list[_Use]] = defaultdict(list)
    for i, piece in pieces:
        modes = instance.by_id[piece.action].modes
        for demand in modes[piece.mode].demands if 0 <= piece.mode < len(modes) else ():
            if only is None or demand.resource in only:
                uses[demand.resource].append((i, piece, demand))
    return uses


def capacities(instance: Instance, pieces: Pieces, only: Container[str] | None = None) -> Iterator[Violation]:
    """Yield the pieces at whose start a resource carries too much; perhaps of some resources ``only``."""
    for name, uses in _demands(instance, pieces, only).items():
        capacity = instance.resource[name].capacity
        if not _crowded(uses, capacity):
            continue
        settings = _Settings(instance, name, uses)
        alike: dict[tuple[int, int], list[_Use]] = defaultdict(list)
        for use in uses:
            if use[1].duration > 0:
                alike[use[1].start, use[1].end].append(use)
        roomy = [use for same in alike.values() for use in _roomy(instance, settings, same)]
        roomy.sort(key=lambda use: use[0])
        # Capacity can only be exceeded first at some start.
        begun = _Sums((piece.start, demand.amount) for _, piece, demand in roomy)
        over = _Sums((piece.end, demand.amount) for _, piece, demand in roomy)
        loads = (begun.until(piece.start) - over.until(piece.start) for _, piece, _ in roomy)
        heavy = [(load, *use) for load, use in zip(loads, roomy, strict=True) if use[2].amount and load > capacity]
        beside = _beside(roomy, {piece.start for _, _, piece, _ in heavy})
        for load, i, piece, _ in heavy:
            others = tuple(other for j, other in beside[piece.start] if j != i)[:MAX_OTHERS]
            yield fault("resource_capacity", i, piece, others, resource=name, required=capacity, actual=load)


def _beside(uses: list[_Use], instants: Iterable[int]) -> dict[int, list[tuple[int, Other]]]:
    """Return the uses that are under way at some instants, those that began first; one more than is told of."""
    coming = deque(sorted(((piece.start, i, piece) for i, piece, own in uses if own.amount), key=itemgetter(0, 1)))
    running: dict[int, Other] = {}
    ends: list[tuple[int, int]] = []  # a heap
    found = {}
    for instant in sorted(instants):
        while coming and coming[0][0] <= instant:
            _, i, piece = coming.popleft()
            running[i] = other_of(piece)
            heappush(ends, (piece.end, i))
        while ends and ends[0][0] <= instant:
            del running[heappop(ends)[1]]
        found[instant] = list(itertools.islice(running.items(), MAX_OTHERS + 1))
    return found


def _crowded(uses: list[_Use], capacity: int) -> bool:
    """Whether the uses of a resource exceed its capacity at some instant, if each takes its own room."""
    changes = []
    for _, piece, demand in uses:
        if piece.duration > 0:
            changes.append((piece.start, demand.amount))
            changes.append((piece.start + piece.duration, -demand.amount))
    changes.sort()  # at the same instant, what ends comes first
    load = 0
    for _, change in changes:
        load += change
        if load > capacity:
            return True
    return False


class _Sums:
    """Amounts at instants, added up."""

    def __init__(self, amounts: Iterable[tuple[int, int]]) -> None:
        rows = sorted(amounts)
        self._times = [time for time, _ in rows]
        self._sums = [0, *itertools.accumulate(amount for _, amount in rows)]

    def until(self, time: int) -> int:
        """Return the sum of all amounts up to an instant, that included."""
        return self._sums[bisect_right(self._times, time)]


class _Settings:
    """The states that the uses of a resource set, by their starts."""

    def __init__(self, instance: Instance, name: str, uses: list[_Use]) -> None:
        self._initial: set[str | None] = {instance.resource[name].state}
        self._at: dict[int, set[str | None]] = defaultdict(set)
        self._starts: dict[str, list[int]] = defaultdict(list)
        self._by: list[Piece] = []
        for _, piece, demand in uses:
            if demand.sets is not None:
                self._at[piece.start].add(demand.sets)
                self._starts[demand.sets].append(piece.start)
                self._by.append(piece)
        self._times = sorted(self._at)
        for starts in self._starts.values():
            starts.sort()
        self._all = sorted(itertools.chain.from_iterable(self._starts.values()))

    def before(self, start: int) -> set[str | None]:
        """Return the state that the last setting before an instant left; several if they are simultaneous."""
        place = bisect_left(self._times, start)
        return self._at[self._times[place - 1]] if place else self._initial

    def met(self, use: _Use) -> set[str | None]:
        """Return the states that a use meets: that before its start, and those set by others there or while it runs."""
        _, piece, own = use
        during = (state for state, starts in self._starts.items() if _within(starts, piece) > (state == own.sets))
        return self.before(piece.start).union(during)

    def by(self, use: _Use) -> tuple[Other, ...]:
        """Return who set the states that a use meets."""
        self._by.sort(key=lambda piece: piece.start)
        own = use[1]
        place = bisect_left(self._times, own.start)
        since = self._times[place - 1] if place else own.start
        first = bisect_left(self._by, since, key=lambda piece: piece.start)
        last = bisect_left(self._by, max(own.end, own.start + 1), key=lambda piece: piece.start)
        setters = itertools.islice(self._by, first, last)
        return tuple(map(other_of, itertools.islice((one for one in setters if one is not own), MAX_OTHERS)))

    def hold(self, use: _Use, state: str) -> bool:
        """Whether a use meets one state alone, without looking at every state there is."""
        _, piece, own = use
        right = _within(self._starts.get(state, ()), piece) - (own.sets == state)
        others = _within(self._all, piece) - (own.sets is not None)
        return right == others and self.before(piece.start) == {state}


def _within(starts: Sequence[int], piece: Piece) -> int:
    """Count the starts (in order) from that of a piece on, and before its end."""
    return bisect_left(starts, max(piece.end, piece.start + 1)) - bisect_left(starts, piece.start)


def _roomy(instance: Instance, settings: _Settings, alike: list[_Use]) -> Iterator[_Use]:
    """Yield those uses over one interval that need room of their own, see `planoracle.instances.model.instance`."""
    most = {True: -1, False: -1}  # that a use lends to a setting that is attended, or not
    for _, piece, demand in alike:
        action = instance.by_id[piece.action]
        if demand.sets is None and not action.interruptible:
            most[True] = max(most[True], demand.amount)
            if not action.attended:
                most[False] = max(most[False], demand.amount)
    largest: dict[str, _Use] = {}  # of the settings that find no other use
    for use in alike:
        _, piece, demand = use
        if demand.sets is None:
            yield use
            continue
        lent = most[instance.by_id[piece.action].attended > 0]
        if demand.amount > lent or not settings.hold(use, demand.sets):
            largest[demand.sets] = max(largest.get(demand.sets, use), use, key=lambda one: one[2].amount)
    yield from largest.values()


def states(instance: Instance, pieces: Pieces, only: Container[str] | None = None) -> Iterator[Violation]:
    """Yield the pieces that do not meet the state which they require, and no other, all the while; see `capacities`."""
    for name, uses in _demands(instance, pieces, only).items():
        if all(demand.requires is None for _, _, demand in uses):
            continue
        settings = _Settings(instance, name, uses)
        for use in uses:
            i, piece, demand = use
            if demand.requires is not None and not settings.hold(use, demand.requires):
                met = settings.met(use)
                found = None if met == {None} else " or ".join(sorted(map(str, met)))
                others = settings.by(use)
                yield fault("resource_state", i, piece, others, resource=name, required=demand.requires, actual=found)
