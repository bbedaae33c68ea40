"""General rules of resources: capacities, budgets and states."""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections import defaultdict, deque
from collections.abc import Container, Iterable, Iterator, Sequence
from heapq import heappop, heappush
from operator import attrgetter, itemgetter

from planoracle.instances.model.cache import ProblemCache
from planoracle.instances.model.general_violations import fault, other_of
from planoracle.instances.model.instance import Demand, Instance
from planoracle.instances.model.piece_variants import Pieces, whole_runs
from planoracle.instances.model.schedule import Piece, variant_of
from planoracle.instances.model.violations import MAX_OTHERS, Other, Violation

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
    runs = whole_runs(instance, pieces)
    for name, uses in _demands(instance, runs, only).items():
        resource = instance.resource[name]
        if not resource.renewable:
            continue
        capacity = resource.capacity
        lasting = [use for use in uses if use[1].duration > 0]
        if len(lasting) < len(uses):
            yield from _excessive_uses(uses, capacity)
        if not _crowded(lasting, capacity):
            continue
        settings = _Settings(instance, name, uses)
        alike: dict[tuple[int, int], list[_Use]] = defaultdict(list)
        for use in lasting:
            interval = use[1].start, use[1].end
            alike[interval].append(use)
        uses_with_room = (_uses_with_room(instance, settings, same) for same in alike.values())
        counted = sorted(itertools.chain.from_iterable(uses_with_room), key=itemgetter(0))
        # A capacity is first exceeded at a start.
        started = _Sums((piece.start, demand.amount) for _, piece, demand in counted)
        ended = _Sums((piece.end, demand.amount) for _, piece, demand in counted)
        heavy: list[tuple[int, int, Piece, Demand]] = []
        for i, piece, demand in counted:
            load = started.until(piece.start) - ended.until(piece.start)
            if demand.amount and load > capacity:
                heavy.append((load, i, piece, demand))
        instants = {piece.start for _, _, piece, _ in heavy}
        running = _running_uses(counted, instants)
        for load, i, piece, _ in heavy:
            conflicts = [conflict for j, conflict in running[piece.start] if j != i]
            first_conflicts = tuple(conflicts[:MAX_OTHERS])
            yield fault("resource_capacity", i, piece, first_conflicts, resource=name, required=capacity, actual=load)


def _excessive_uses(uses: list[_Use], capacity: int) -> Iterator[Violation]:
    """Yield the uses of no duration above the capacity.

    They take no room, but a mode that exceeds a capacity is never chosen.
    """
    for i, piece, demand in uses:
        if demand.amount > capacity and piece.duration <= 0:
            name = demand.resource
            yield fault("resource_capacity", i, piece, resource=name, required=capacity, actual=demand.amount)


def budgets(instance: Instance, pieces: Pieces, only: Container[str] | None = None) -> Iterator[Violation]:
    """Yield the first pieces of actions with which a budget is exceeded; ``only`` as in `capacities`."""
    limits = budget_limits(instance)
    if not limits:
        return
    first_pieces: dict[str, tuple[int, Piece]] = {}
    for entry in pieces:
        first_pieces.setdefault(entry[1].action, entry)
    names = limits if only is None else {name for name in limits if name in only}
    for name, uses in _demands(instance, list(first_pieces.values()), names).items():
        used = 0
        users: list[Other] = []
        for i, piece, demand in uses:
            used += demand.amount
            if demand.amount and used > limits[name]:
                conflicts = tuple(users[:MAX_OTHERS])
                yield fault("budget", i, piece, conflicts, resource=name, required=limits[name], actual=used)
            if demand.amount:
                users.append(other_of(piece))


@ProblemCache
def budget_limits(instance: Instance) -> dict[str, int]:
    """Return the capacities of the budgets, by name."""
    return {resource.name: resource.capacity for resource in instance.resources if not resource.renewable}


def _running_uses(uses: list[_Use], instants: Iterable[int]) -> dict[int, list[tuple[int, Other]]]:
    """Return the uses that run at some instants, by start, at most `MAX_OTHERS` and one."""
    starts = [(piece.start, i, piece) for i, piece, demand in uses if demand.amount]
    coming = deque(sorted(starts, key=itemgetter(0, 1)))
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
        first_running = itertools.islice(running.items(), MAX_OTHERS + 1)
        result[instant] = list(first_running)
    return result


def _crowded(uses: list[_Use], capacity: int) -> bool:
    """Return whether the uses of a resource exceed its capacity at some instant, without shared room.

    Each use lasts.
    """
    changes = [(piece.start, demand.amount) for _, piece, demand in uses]
    changes += [(piece.end, -demand.amount) for _, piece, demand in uses]
    changes.sort()  # at the same instant, ends come first
    loads = itertools.accumulate([change for _, change in changes])
    return max(loads, default=0) > capacity


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
        _, piece, demand = use
        during = set()
        for state, starts in self._starts.items():
            number_by_use = int(state == demand.sets)
            if _within(starts, piece) > number_by_use:
                during.add(state)
        return self.before(piece.start) | during

    def by(self, use: _Use) -> tuple[Other, ...]:
        """Return the actions that set the states during a use."""
        start_of = attrgetter("start")
        self._by.sort(key=start_of)
        _, user, _ = use
        place = bisect_left(self._times, user.start)
        since = self._times[place - 1] if place else user.start
        until = max(user.end, user.start + 1)
        first = bisect_left(self._by, since, key=start_of)
        last = bisect_left(self._by, until, key=start_of)
        pieces = itertools.islice(self._by, first, last)
        setters = (piece for piece in pieces if piece is not user)
        return tuple(map(other_of, itertools.islice(setters, MAX_OTHERS)))

    def hold(self, use: _Use, state: str) -> bool:
        """Return whether a state is the only one during a use, without comparing all states."""
        _, piece, demand = use
        matching = _within(self._starts.get(state, ()), piece) - (demand.sets == state)
        settings = _within(self._all, piece) - (demand.sets is not None)
        return matching == settings and self.before(piece.start) == {state}


def _within(starts: Sequence[int], piece: Piece) -> int:
    """Count the sorted starts from the start of a piece on and before its end."""
    end = max(piece.end, piece.start + 1)
    return bisect_left(starts, end) - bisect_left(starts, piece.start)


def _uses_with_room(instance: Instance, settings: _Settings, alike: list[_Use]) -> Iterator[_Use]:
    """Yield the uses over one interval that take room, see `planoracle.instances.model.instance`."""
    shared = {True: -1, False: -1}  # largest amount that a use shares with an attended or unattended setting
    for _, piece, demand in alike:
        action = instance.by_id[piece.action]
        may_pause = action.interruptible or action.pauses_in_breaks
        if demand.sets is None and not may_pause:
            shared[True] = max(shared[True], demand.amount)
            if not variant_of(instance, piece).attended:
                shared[False] = max(shared[False], demand.amount)
    largest: dict[str, _Use] = {}  # of the settings without such a use
    for use in alike:
        _, piece, demand = use
        if demand.sets is None or piece.action in instance.pausing:
            yield use
            continue
        is_attended = variant_of(instance, piece).attended > 0
        if demand.amount > shared[is_attended] or not settings.hold(use, demand.sets):
            largest[demand.sets] = max(largest.get(demand.sets, use), use, key=_amount_of)
    yield from largest.values()


def _amount_of(use: _Use) -> int:
    return use[2].amount


@ProblemCache
def _required_resources(instance: Instance) -> set[str]:
    """Return the resources of which an action requires a state."""
    names = set()
    for action in instance.actions:
        for mode in action.modes:
            for demand in mode.demands:
                if demand.requires is not None:
                    names.add(demand.resource)
    return names


def states(instance: Instance, pieces: Pieces, only: Container[str] | None = None) -> Iterator[Violation]:
    """Yield the pieces during which the required state is not the only one; ``only`` as in `capacities`."""
    names = _required_resources(instance)
    if only is not None:
        names = {name for name in names if name in only}
    if not names:
        return
    runs = whole_runs(instance, pieces)
    for name, uses in _demands(instance, runs, names).items():
        settings = _Settings(instance, name, uses)
        for use in uses:
            i, piece, demand = use
            if demand.requires is not None and not settings.hold(use, demand.requires):
                met = settings.met(use)
                actual = None
                if met != {None}:
                    actual = " or ".join(sorted(map(str, met)))
                setters, required = settings.by(use), demand.requires
                yield fault("resource_state", i, piece, setters, resource=name, required=required, actual=actual)
