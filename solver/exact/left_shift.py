"""Left shift: move single pieces of a schedule to earlier starts until no piece can start earlier.

A schedule is *left-shifted* (semi-active) if no piece can start earlier while all other pieces stay where they are.
Passes over all pieces, in the order of start and position, give every piece its earliest start; the last pass moves
nothing. Lengths, modes and agents are unchanged, except that touching pieces join and that a start cuts a piece, as in
`Schedule.of`. Schedules of problems with optional tasks, pauses in breaks, or ways and set-up times stay as they are.
So does a later piece of an unattended action that could only join another piece, because its agent is busy where the
later piece would start.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from typing import TypeAlias

from planoracle.heuristics.choices import times_of_piece
from planoracle.heuristics.earliest_times import AllowedTimes
from planoracle.heuristics.timetable import ResourceLoad, lags_by_action, resource_kinds
from planoracle.instances.model.features import Component, Feature, features_of
from planoracle.instances.model.instance import Action, Demand, Instance
from planoracle.instances.model.resource_rules import capacities, states
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.schedule_rules import find_violations
from planoracle.instances.protocol.schedule_benchmark import language, settled

_START = attrgetter("start")

#: Features of problems whose schedules are left as they are.
LEFT_SHIFT = Component("the left shift", frozenset({Feature.BREAKS, Feature.OPTIONAL, Feature.TRANSITIONS}))

#: Kind of a piece: ticks for which it needs an agent or a resource, units, whether starts may cut it.
_Kind: TypeAlias = tuple[int, int, bool]


def left_shifted(instance: Instance, schedule: Schedule, *, cut: bool = True) -> Schedule:
    """Return the schedule after moving pieces to earlier starts until it is left-shifted.

    The schedule of a problem with a feature that `LEFT_SHIFT` refuses is returned as it is.

    Parameters
    ----------
    schedule
        A schedule that the general rules accept.
    cut
        Whether a piece that its agent may interrupt is cut where a start moves into it. Without it the number of
        pieces never grows.

    Examples
    --------
    >>> from planoracle.instances.model.instance import Action
    >>> kitchen = Instance("k", (Action("t/chop", "t", 3, 3), Action("t/boil", "t", 9, 0)))
    >>> late = Schedule.of(kitchen, (Piece("t/chop", 6, 3, "agent"), Piece("t/boil", 0, 9, "agent")))
    >>> [(piece.action, piece.start) for piece in left_shifted(kitchen, late).pieces]
    [('t/boil', 0), ('t/chop', 0)]
    """
    if LEFT_SHIFT.refusal(instance):
        return schedule
    while True:
        shift = _Shift(instance, schedule, cut=cut)
        if not shift.run():
            return schedule
        schedule = Schedule.of(instance, shift.pieces())  # joined pieces may have more freedom


def settled_early(instance: Instance, schedule: Schedule, *, cut: bool = True) -> Schedule:
    """Return a left-shifted schedule that the benchmark's rules carry out as it is, see `left_shifted`.

    Where plans say no times, the rules begin actions as soon as the order in the plan allows.
    """
    while True:
        shifted = left_shifted(instance, settled(instance, schedule), cut=cut)
        if not language(instance).untimed or shifted == schedule:
            return shifted
        schedule = shifted


@dataclass(slots=True, eq=False)
class _Item:
    """A piece with a variable start; ``action`` is a position, and its agent is busy for ``busy`` ticks."""

    action: int
    start: int
    duration: int
    busy: int
    agent: str | None
    mode: int
    cuttable: bool
    demands: tuple[Demand, ...]

    @property
    def end(self) -> int:
        return self.start + self.duration

    @property
    def free_again(self) -> int:
        """First tick at which the agent is free again."""
        return self.start + self.busy


class _Shift:
    """Pieces of a schedule, with indexes by action, agent and resource."""

    def __init__(self, instance: Instance, schedule: Schedule, *, cut: bool) -> None:
        self.instance = instance
        self._cutting = cut
        self._minimum_lags, self._maximum_lags, _, self._limited = lags_by_action(instance)
        self._stateful = resource_kinds(instance)[0]
        count = len(instance.actions)
        self._items_of: list[list[_Item]] = [[] for _ in range(count)]  # pieces by action
        self._finish = [0] * count  # latest end of the pieces of an action
        self._last = [0] * count  # latest start of the pieces of an action
        self._attended: dict[str | None, list[_Item]] = defaultdict(list)  # pieces that hold an agent, by start
        self._started: dict[str | None, list[_Item]] = defaultdict(list)  # pieces that an agent only starts, by start
        # Loads of uses that share their capacity with none.
        self._loads = {r.name: ResourceLoad(r.capacity) for r in instance.resources}
        #: By agent or resource and kind of piece: the first and the last of instants at which none of the kind fits.
        self._full: dict[str | None, dict[_Kind, tuple[int, int]]] = defaultdict(dict)
        self._uses: dict[str, list[_Item]] = {name: [] for name in self._stateful}  # by start
        self._settings: dict[str, list[_Item]] = {name: [] for name in self._stateful}  # those that set a state
        self._longest = max((piece.duration for piece in schedule.pieces), default=0)
        # Pieces of interruptible actions set states wherever they are cut, so only the whole schedule can be checked.
        self._pausing = any(action.interruptible and self._needs_states(action) for action in instance.actions)
        self._has_times = bool(features_of(instance) & {Feature.CALENDARS, Feature.WINDOWS})
        #: Allowed times by action, mode, agent and duration of a piece.
        self._times: dict[tuple[int, int, str | None, int], AllowedTimes | None] = {}
        self.items = [self._item(piece) for piece in schedule.pieces]
        for item in self.items:  # in the order of their starts
            self._items_of[item.action].append(item)
            self._put(item)
        for i in range(count):
            self._summarize(i)

    def _needs_states(self, action: Action) -> bool:
        """Return whether a mode of an action uses a resource with states."""
        return any(self._uses_states(mode.demands) for mode in action.modes)

    def _uses_states(self, demands: Iterable[Demand]) -> bool:
        return any(demand.resource in self._stateful for demand in demands)

    def _item(self, piece: Piece) -> _Item:
        i = self.instance.index[piece.action]
        action = self.instance.actions[i]
        variant = self.instance.variants[action.id][piece.mode]
        pausing = action.interruptible and variant.attended > 0
        busy = piece.duration if pausing else variant.attended
        resources = self.instance.resource
        demands = tuple(demand for demand in variant.demands if resources[demand.resource].renewable)
        return _Item(i, piece.start, piece.duration, busy, piece.agent, piece.mode, pausing and self._cutting, demands)

    def pieces(self) -> Iterator[Piece]:
        """Yield the pieces as they are now."""
        return map(self._piece, self.items)

    def _piece(self, item: _Item) -> Piece:
        return Piece(self.instance.actions[item.action].id, item.start, item.duration, item.agent, item.mode)

    def run(self) -> bool:
        """Make passes until nothing moves; return whether anything has moved."""
        passes = 0
        starts = [item.start for item in self.items]
        while self._scan():
            passes += 1
            if not passes & (passes - 1):  # 1, 2, 4, ...
                self._repeat(starts)
                starts = [item.start for item in self.items]
        return passes > 0

    def _scan(self) -> bool:
        """Give every piece its earliest start; return whether any has moved."""
        moved = False
        for item in sorted(self.items, key=lambda item: (item.start, item.action)):
            bound = self._bound(item)
            if bound < item.start:
                start = item.start
                self._remove(item)
                item.start = self._earliest(item, bound)
                self._put(item)
                if item.start < start:
                    moved = True
                    self._free(item, start)
                    self._summarize(item.action)
                    self._cut(item)
        return moved

    def _repeat(self, starts: list[int]) -> None:
        """Repeat the moves since then at once as often as the rules allow.

        Two pieces tied by a maximum lag take turns, each by no more than its slack, over any distance.
        """
        moves = [before - item.start for before, item in zip(starts, self.items, strict=False)]
        if len(starts) < len(self.items):  # pieces have been cut
            return
        times = 1
        while times and any(moves):
            shifted = []
            for item, move in zip(self.items, moves, strict=True):
                piece = self._piece(item)
                shifted.append(piece._replace(start=piece.start - times * move))
            if not self._valid(shifted):
                times //= 2
                continue
            self._full.clear()
            for item in self.items:
                self._remove(item)
            for item, piece in zip(self.items, shifted, strict=True):
                item.start = piece.start
                self._put(item)
            for i in range(len(self._items_of)):
                self._summarize(i)
            times *= 2

    def _valid(self, pieces: Iterable[Piece]) -> bool:
        schedule = Schedule.of(self.instance, pieces)
        if not self._cutting and len(schedule.pieces) > len(self.items):
            return False
        return next(find_violations(self.instance, schedule), None) is None

    # --- indexes ---------------------------------------------------------------------------------

    def _lists(self, item: _Item) -> Iterator[list[_Item]]:
        """Yield the lists, each in the order of starts, in which a piece stands."""
        yield (self._attended if item.busy else self._started)[item.agent]
        for demand in item.demands:
            if demand.resource in self._stateful:
                yield self._uses[demand.resource]
                if demand.sets is not None:
                    yield self._settings[demand.resource]

    def _put(self, item: _Item) -> None:
        for items in self._lists(item):
            insort(items, item, key=_START)
        self._take(item, 1)

    def _remove(self, item: _Item) -> None:
        for items in self._lists(item):
            k = bisect_left(items, item.start, key=_START)
            del items[items.index(item, k)]
        self._take(item, -1)

    def _take(self, item: _Item, times: int) -> None:
        for demand in item.demands:
            if demand.sets is None:
                self._loads[demand.resource].take(item.start, item.end, times * demand.amount)

    def _summarize(self, action: int) -> None:
        items = self._items_of[action]
        self._finish[action] = max((item.end for item in items), default=0)
        self._last[action] = max((item.start for item in items), default=0)

    def _cut(self, item: _Item) -> None:
        """Cut a piece at the starts inside of it, or the piece inside of which it has been started."""
        if item.cuttable:
            starts = [started.start for started in self._started[item.agent]]
            inner_starts = starts[bisect_right(starts, item.start) : bisect_left(starts, item.end)]
            for start in dict.fromkeys(inner_starts):  # several actions may start at one instant
                item = self._cut_at(item, start)
        elif not item.busy and item.agent is not None:
            attended = self._attended[item.agent]
            k = bisect_left(attended, item.start, key=_START) - 1
            if k >= 0 and item.start < attended[k].free_again:
                self._cut_at(attended[k], item.start)

    def _cut_at(self, item: _Item, start: int) -> _Item:
        """Cut a piece in two and return the second part."""
        end = item.end
        self._remove(item)
        item.duration = item.busy = start - item.start
        second = replace(item, start=start, duration=end - start, busy=end - start)
        self._put(item)
        self._put(second)
        self._items_of[item.action].append(second)
        self.items.append(second)
        self._summarize(item.action)
        return second

    # --- earliest starts -------------------------------------------------------------------------

    def _bound(self, item: _Item) -> int:
        """Return the earliest start that the release and the lags allow."""
        action = self.instance.actions[item.action]
        bound = action.release
        for j, minimum in self._minimum_lags[item.action]:
            bound = max(bound, self._finish[j] + minimum)
        for name in action.modes[item.mode].after:
            bound = max(bound, self._finish[self.instance.index[name]])
        for k, maximum in self._limited[item.action]:  # the finish must not be too early for those that follow in time
            earliest_finish = self._last_without(k, item) - maximum
            if self._finish_without(item) < earliest_finish:
                bound = max(bound, earliest_finish - item.duration)
        return bound

    def _finish_without(self, item: _Item) -> int:
        """Return the latest end of the other pieces of the action, -1 if there are none."""
        ends = (piece.end for piece in self._items_of[item.action] if piece is not item)
        return max(ends, default=-1)

    def _last_without(self, action: int, item: _Item) -> int:
        """Return the latest start of the pieces of an action without ``item``.

        Pieces that only the item separates are joined.
        """
        pieces = self._items_of[action]
        if item.busy or len(pieces) == 1 or self._last[action] != item.start:
            return self._last[action]
        second = max(pieces, key=_START)
        if not (second.cuttable and second.agent == item.agent):
            return item.start
        started = self._started[item.agent]
        first = bisect_left(started, item.start, key=_START)
        end = bisect_right(started, item.start, key=_START)
        if end - first != 1 or all(piece.end != item.start for piece in pieces):
            return item.start
        return max(piece.start for piece in pieces if piece is not second)

    def _earliest(self, item: _Item, time: int) -> int:
        """Return the earliest start from a time on that all rules allow."""
        checked = self._pausing or self._uses_states(item.demands)
        while time < item.start:
            later = self._fit(item, time)
            if later > time:
                time = later
            elif not checked or self._states_allow(item, time):
                break
            else:
                later_instants = (instant for instant in self._instants(item, time) if instant > time)
                time = min(later_instants, default=item.start)
        return min(time, item.start)

    def _instants(self, item: _Item, time: int) -> Iterator[int]:
        """Yield the starts near a time at which states may change for a piece, or it may join another piece."""
        if self._pausing:
            for piece in self.items:
                yield from (piece.start, piece.start + 1, piece.end, piece.start - item.duration)
            return
        for demand in item.demands:
            uses = self._uses.get(demand.resource, [])
            first = bisect_left(uses, time - self._longest, key=_START)
            last = bisect_right(uses, time, key=_START)
            for use in uses[first : last + 1]:
                yield from (use.start, use.start + 1, use.end)

    def _fit(self, item: _Item, time: int) -> int:
        """Return the first time from this one on at which the piece fits, but for states."""
        if self._has_times:
            times = self._times_of(item)
            stay = None if times is None else times.earliest(time)
            time = time if stay is None else stay[0]
        for piece in self._items_of[item.action]:
            if piece is not item and piece.start < time + item.duration and time < piece.end:
                time = piece.end
        if item.busy:
            kind: _Kind = item.busy, 0, item.cuttable
            time = self._search(item, item.agent, kind, time, lambda time: self._agent_free(item, time))
        elif item.agent is not None:
            time = self._start_possible(item, time)
        if not item.duration:
            return time
        for demand in item.demands:
            if demand.sets is None and demand.amount:  # an amount of 0 always fits
                kind = item.duration, demand.amount, False
                fit = partial(self._loads[demand.resource].fit, duration=item.duration, amount=demand.amount)
                time = self._search(item, demand.resource, kind, time, fit)
        return time

    def _times_of(self, item: _Item) -> AllowedTimes | None:
        """Return the times that windows and calendars allow for a piece."""
        action = self.instance.actions[item.action]
        key = item.action, item.mode, item.agent, item.duration
        if key not in self._times:
            variant = self.instance.variants[action.id][item.mode]
            piece_times = times_of_piece(self.instance, action, variant, item.agent, item.duration, item.busy)
            self._times[key] = piece_times
        return self._times[key]

    def _search(self, item: _Item, owner: str | None, kind: _Kind, time: int, find: Callable[[int], int]) -> int:
        """Return the first time at which a kind of piece fits; times where none did before are passed over."""
        first, last = self._full[owner].get(kind, (time, time))
        if not first <= time <= last:
            first = last = time
        fit = find(max(time, min(last, item.start - kind[0] + 1)))  # where the piece stands there is room
        if fit > last:
            self._full[owner][kind] = first, fit
        return fit

    def _free(self, item: _Item, start: int) -> None:
        """Remove the record that no piece fits near the former start of a piece."""
        for owner in (item.agent, *(demand.resource for demand in item.demands)):
            full = self._full[owner]
            for kind, (first, last) in full.items():
                full[kind] = first, max(first, min(last, start - kind[0] + 1))

    def _agent_free(self, item: _Item, time: int) -> int:
        attended = self._attended[item.agent]
        started = self._started[item.agent]
        while True:
            k = max(0, bisect_right(attended, time, key=_START) - 1)
            while k < len(attended) and attended[k].start < time + item.busy:
                time = max(time, attended[k].free_again)
                k += 1
            j = bisect_right(started, time, key=_START)
            if item.cuttable or j == len(started) or started[j].start >= time + item.busy:
                return time
            time = started[j].start

    def _start_possible(self, item: _Item, time: int) -> int:
        """Return when the agent is free to start something, or holds a piece that may be cut there."""
        attended = self._attended[item.agent]
        k = bisect_left(attended, time, key=_START) - 1
        if k < 0 or time >= attended[k].free_again:
            return time
        holder = attended[k]
        return time if holder.cuttable and self._cut_in_time(holder, item, time) else holder.free_again

    def _cut_in_time(self, holder: _Item, item: _Item, time: int) -> bool:
        """Return whether the maximum lags to ``holder`` let it begin again where ``item`` cuts it."""
        for j, maximum in self._maximum_lags[holder.action]:
            finish = self._finish[j]
            if j == item.action:
                finish = max(self._finish_without(item), time + item.duration)
            if time > finish + maximum:
                return False
        return True

    def _states_allow(self, item: _Item, start: int) -> bool:
        """Return whether the rules accept the uses of resources with states if a piece starts at ``start``."""
        moved = self._piece(item)._replace(start=start)
        if self._pausing:
            unmoved = (self._piece(piece) for piece in self.items if piece is not item)
            return self._valid([*unmoved, moved])
        demands = (demand for demand in item.demands if demand.resource in self._stateful)
        return all(self._state_allows(demand, moved, item.start) for demand in demands)

    def _state_allows(self, demand: Demand, moved: Piece, before: int) -> bool:
        """Return whether the rules accept the uses of one resource near a piece that started ``before``.

        Uses that end before the new start, and uses after the setting that follows the old start, do not depend on the
        piece. The rules check the others by the uses around them and the last settings before these.
        """
        only = {demand.resource}
        uses = self._uses[demand.resource]
        settings = self._settings[demand.resource]
        last = before + moved.duration
        if demand.sets is not None:
            following = settings[bisect_right(settings, before, key=_START) :][:1] or uses[-1:]
            last = max([last, *(use.start for use in following)])
        first = moved.start - self._longest
        earlier = self._last_settings(settings, first)
        near = uses[bisect_left(uses, first, key=_START) : bisect_right(uses, last + self._longest, key=_START)]
        pieces = [*enumerate([moved, *map(self._piece, near)])]
        affected = {number for number, piece in pieces if piece.start <= last}
        starting = {number for number, piece in pieces if moved.start <= piece.start <= last}
        pieces += [(-1 - number, self._piece(use)) for number, use in enumerate(earlier)]
        overloads = capacities(self.instance, pieces, only)
        if any(overload.position in starting for overload in overloads):
            return False
        unmet = states(self.instance, pieces, only)
        return all(need.position not in affected for need in unmet)

    def _last_settings(self, settings: list[_Item], time: int) -> list[_Item]:
        """Return the settings at the latest instant before a time at which there are any."""
        k = bisect_left(settings, time, key=_START)
        if not k:
            return []
        return settings[bisect_left(settings, settings[k - 1].start, key=_START) : k]
