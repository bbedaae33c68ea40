"""General rules of resources: capacities and states; messages of violations of the general rules."""

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
    "wrong_mode": lambda v: f"mode must be from 0 to {v.required}, not {v.actual}",
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
    "agent_busy": lambda v: f"{v.resource or 'an agent'} is still busy{_with(v)} until {v.required}",
    "start_attended": lambda v: (
        f"{v.resource} cannot start it during {v.others[0].subject} ({v.others[0].start} to {v.required})"
    ),
    "resource_capacity": lambda v: f"{v.actual} units of {v.resource} would be in use, capacity {v.required}",
    "resource_state": lambda v: f"needs {v.resource} to be {v.required}, not {v.actual}",
    "order": lambda v: f"starts at {v.start}, before {v.others[0].subject} is finished",
    "minimum_lag": lambda v: (
        f"starts at {v.start}, before {v.others[0].subject} is carried out"
        if v.others[0].end is None
        else f"starts at {v.start}, but {_lag_end(v)} is the earliest start after {v.others[0].subject}"
    ),
    "maximum_lag": lambda v: f"starts at {v.start}, but {_lag_end(v)} is the latest start after {v.others[0].subject}",
}


def _with(busy: Violation) -> str:
    return f" with {busy.others[0].subject}" if busy.others else ""


def _lag_end(lag: Violation) -> int:
    """Return the tick at which a time lag ends."""
    return cast(int, lag.others[0].end) + cast(int, lag.required)


class GeneralViolation(Violation):
    """A violation of the general rules."""

    __slots__ = ()

    @property
    def message(self) -> str:
        """Message of the kind or case."""
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
    """Return a piece as the other action of a violation."""
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
    """Yield the pieces at whose start a capacity is exceeded; of all resources, or ``only`` some."""
    for name, uses in _demands(instance, pieces, only).items():
        capacity = instance.resource[name].capacity
        if not _crowded(uses, capacity):
            continue
        settings = _Settings(instance, name, uses)
        alike: dict[tuple[int, int], list[_Use]] = defaultdict(list)
        for use in uses:
            if use[1].duration > 0:
                alike[use[1].start, use[1].end].append(use)
        counted = [use for same in alike.values() for use in _uses_with_room(instance, settings, same)]
        counted.sort(key=lambda use: use[0])
        # A capacity is first exceeded at a start.
        started = _Sums((piece.start, demand.amount) for _, piece, demand in counted)
        ended = _Sums((piece.end, demand.amount) for _, piece, demand in counted)
        loads = (started.until(piece.start) - ended.until(piece.start) for _, piece, _ in counted)
        heavy = [(load, *use) for load, use in zip(loads, counted, strict=True) if use[2].amount and load > capacity]
        running = _running_uses(counted, {piece.start for _, _, piece, _ in heavy})
        for load, i, piece, _ in heavy:
            others = tuple(other for j, other in running[piece.start] if j != i)[:MAX_OTHERS]
            yield fault("resource_capacity", i, piece, others, resource=name, required=capacity, actual=load)


def _running_uses(uses: list[_Use], instants: Iterable[int]) -> dict[int, list[tuple[int, Other]]]:
    """Return the uses that run at some instants, by start, at most `MAX_OTHERS` and one."""
    coming = deque(sorted(((piece.start, i, piece) for i, piece, own in uses if own.amount), key=itemgetter(0, 1)))
    running: dict[int, Other] = {}
    ends: list[tuple[int, int]] = []  # a heap
    result = {}
    for instant in sorted(instants):
        while coming and coming[0][0] <= instant:
            _, i, piece = coming.popleft()
            running[i] = other_of(piece)
            heappush(ends, (piece.end, i))
        while ends and ends[0][0] <= instant:
            del running[heappop(ends)[1]]
        result[instant] = list(itertools.islice(running.items(), MAX_OTHERS + 1))
    return result


def _crowded(uses: list[_Use], capacity: int) -> bool:
    """Return whether the uses of a resource exceed its capacity at some instant, without shared room."""
    running = [(piece, demand.amount) for _, piece, demand in uses if piece.duration > 0]
    changes = [(piece.start, amount) for piece, amount in running]
    changes += [(piece.end, -amount) for piece, amount in running]
    changes.sort()  # at the same instant, ends come first
    return any(load > capacity for load in itertools.accumulate(change for _, change in changes))


class _Sums:
    """Cumulative amounts by instant."""

    def __init__(self, amounts: Iterable[tuple[int, int]]) -> None:
        rows = sorted(amounts)
        self._times = [time for time, _ in rows]
        self._sums = [0, *itertools.accumulate(amount for _, amount in rows)]

    def until(self, time: int) -> int:
        """Return the sum of all amounts up to and at an instant."""
        return self._sums[bisect_right(self._times, time)]


class _Settings:
    """States that the uses of a resource set, by start."""

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
        """Return the state after the last setting before an instant; several states for simultaneous settings."""
        place = bisect_left(self._times, start)
        return self._at[self._times[place - 1]] if place else self._initial

    def met(self, use: _Use) -> set[str | None]:
        """Return the states during a use: before its start, and set by others at its start or later."""
        _, piece, own = use
        during = (state for state, starts in self._starts.items() if _within(starts, piece) > (state == own.sets))
        return self.before(piece.start).union(during)

    def by(self, use: _Use) -> tuple[Other, ...]:
        """Return the actions that set the states during a use."""
        self._by.sort(key=lambda piece: piece.start)
        own = use[1]
        place = bisect_left(self._times, own.start)
        since = self._times[place - 1] if place else own.start
        first = bisect_left(self._by, since, key=lambda piece: piece.start)
        last = bisect_left(self._by, max(own.end, own.start + 1), key=lambda piece: piece.start)
        setters = itertools.islice(self._by, first, last)
        return tuple(map(other_of, itertools.islice((one for one in setters if one is not own), MAX_OTHERS)))

    def hold(self, use: _Use, state: str) -> bool:
        """Return whether a state is the only one during a use, without comparing all states."""
        _, piece, own = use
        matching = _within(self._starts.get(state, ()), piece) - (own.sets == state)
        others = _within(self._all, piece) - (own.sets is not None)
        return matching == others and self.before(piece.start) == {state}


def _within(starts: Sequence[int], piece: Piece) -> int:
    """Count the sorted starts from the start of a piece on and before its end."""
    return bisect_left(starts, max(piece.end, piece.start + 1)) - bisect_left(starts, piece.start)


def _uses_with_room(instance: Instance, settings: _Settings, alike: list[_Use]) -> Iterator[_Use]:
    """Yield the uses over one interval that take room, see `planoracle.instances.model.instance`."""
    shared = {True: -1, False: -1}  # largest amount that a use shares with an attended or unattended setting
    for _, piece, demand in alike:
        action = instance.by_id[piece.action]
        if demand.sets is None and not action.interruptible:
            shared[True] = max(shared[True], demand.amount)
            if not action.attended:
                shared[False] = max(shared[False], demand.amount)
    largest: dict[str, _Use] = {}  # of the settings without such a use
    for use in alike:
        _, piece, demand = use
        if demand.sets is None:
            yield use
            continue
        if demand.amount > shared[instance.by_id[piece.action].attended > 0] or not settings.hold(use, demand.sets):
            largest[demand.sets] = max(largest.get(demand.sets, use), use, key=lambda one: one[2].amount)
    yield from largest.values()


def states(instance: Instance, pieces: Pieces, only: Container[str] | None = None) -> Iterator[Violation]:
    """Yield the pieces during which the required state is not the only one; ``only`` as in `capacities`."""
    for name, uses in _demands(instance, pieces, only).items():
        if all(demand.requires is None for _, _, demand in uses):
            continue
        settings = _Settings(instance, name, uses)
        for use in uses:
            i, piece, demand = use
            if demand.requires is not None and not settings.hold(use, demand.requires):
                met = settings.met(use)
                actual = None if met == {None} else " or ".join(sorted(map(str, met)))
                others = settings.by(use)
                yield fault("resource_state", i, piece, others, resource=name, required=demand.requires, actual=actual)
