"""Resource loads over time, and timetables of actions that are placed one after the other."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from typing import NamedTuple

from planoracle.heuristics.choices import Choice, choices_of, shortest_durations, spare_units
from planoracle.heuristics.visits import empty_visits
from planoracle.instances.model.cache import ProblemCache
from planoracle.instances.model.instance import Demand, Instance
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.working_times import worked_pieces


class ResourceLoad:
    """The load of a resource over time, as a step function.

    Parameters
    ----------
    capacity
        Units that may be taken at any instant.

    Examples
    --------
    >>> room = ResourceLoad(3)
    >>> room.take(0, 5, 2)
    >>> room.take(7, 9, 3)
    >>> room.fit(0, 2, 1), room.fit(0, 2, 2), room.fit(0, 3, 2)
    (0, 5, 9)
    """

    __slots__ = ("_loads", "_times", "capacity")

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._times = [0]  # the load is ``_loads[k]`` from ``_times[k]`` until the next instant
        self._loads = [0]

    def take(self, start: int, end: int, amount: int) -> None:
        """Take units for a while; a negative amount gives them back."""
        if start < end and amount:
            first, last = self._cut(start), self._cut(end)
            loads = self._loads
            for k in range(first, last):
                loads[k] += amount

    def _cut(self, time: int) -> int:
        k = bisect_left(self._times, time)
        if k == len(self._times) or self._times[k] != time:
            self._times.insert(k, time)
            self._loads.insert(k, self._loads[k - 1])
        return k

    def fit(self, time: int, duration: int, amount: int) -> int:
        """Return the first instant from ``time`` on at which so many units are free for so long.

        A duration of 0 counts as one tick.
        """
        times, loads = self._times, self._loads
        max_load = self.capacity - amount
        k, count = bisect_right(times, time) - 1, len(times)
        end = time + duration
        while k < count and times[k] < end:
            if loads[k] > max_load:
                while loads[k] > max_load:  # the last load is 0
                    k += 1
                time = times[k]
                end = time + duration
            k += 1
        return time


_ALWAYS = 2**62  # beyond all times


class Late(NamedTuple):
    """An action misses a maximum lag: ``before`` would have to finish ``by`` ticks later."""

    before: int
    by: int


class _Busy(NamedTuple):
    start: int
    end: int
    cut_until: int  # other actions may start strictly inside up to this instant


class _Use(NamedTuple):
    start: int
    end: int
    amount: int
    requires: str | None
    sets: str | None
    shares: bool  # takes no room beside an equal setting


class _Placement(NamedTuple):
    """An action placed, and what there was before it.

    Attributes
    ----------
    action
        Position of the action.
    choice
        Chosen mode and agent.
    pieces
        Number of pieces before it.
    longest
        Longest of these pieces.
    """

    action: int
    choice: Choice
    pieces: int
    longest: int


class Timetable:
    """Actions placed so far. Positions are those of ``instance.actions``; times in ticks."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        count = len(instance.actions)
        self.pieces: list[Piece] = []
        self.start: list[int | None] = [None] * count
        self.finish: list[int | None] = [None] * count
        self._choices = choices_of(instance)
        self._shortest = shortest_durations(instance)
        #: Actions in the order in which they were placed.
        self._placed: list[_Placement] = []
        #: Units of budgets that no placed or reserved mode uses up.
        self._spare = dict(spare_units(instance))
        self._visits = empty_visits(instance)
        self._busy: dict[str, list[_Busy]] = {agent: [] for agent in instance.agents}
        self._instants: dict[str, list[int]] = {agent: [] for agent in instance.agents}
        stateful, listed = resource_kinds(instance)
        self._uses: dict[str, list[_Use]] = {name: [] for name in listed}
        self._settings: dict[str, list[_Use]] = {name: [] for name in stateful}
        self._rooms = {r.name: ResourceLoad(r.capacity) for r in instance.resources if r.name not in self._settings}
        #: From the first of two instants up to the second one, nothing of this kind fits (a search starts there).
        self._full: dict[object, tuple[int, int]] = {}
        self._before, self._limits, self._behind, self._limited = lags_by_action(instance)
        self._longest = 0  # of the pieces so far

    @property
    def makespan(self) -> int:
        """Latest finish so far."""
        return max((end for end in self.finish if end is not None), default=0)

    @property
    def placed(self) -> int:
        """Number of actions placed so far."""
        return len(self._placed)

    def schedule(self) -> Schedule:
        """Return what has been placed as a schedule in normal form."""
        if not self.instance.pausing or not self.instance.calendars:
            return Schedule.of(self.instance, self.pieces)
        pieces: list[Piece] = []
        for placement in self._placed:
            begin = placement.pieces
            for piece in self.pieces[begin:]:
                if piece.action != placement.choice.action:
                    break
                if placement.choice.pauses:
                    piece = piece._replace(duration=placement.choice.duration)
                pieces += worked_pieces(self.instance, piece)
        return Schedule.of(self.instance, pieces)

    def take_back(self, count: int) -> None:
        """Remove the actions placed last; the first ``count`` remain."""
        self._full.clear()
        while len(self._placed) > count:
            i, choice, pieces, self._longest = self._placed.pop()
            for piece in reversed(self.pieces[pieces:]):
                self._take_back(choice, piece)
            del self.pieces[pieces:]
            for name, units in choice.costs:
                self._spare[name] += units
            self.start[i] = self.finish[i] = None

    def earliest(self, i: int) -> int:
        """Return the earliest start in the shortest mode after the release and by lags to placed actions."""
        return max(self._earliest_start(i), self._earliest_finish(i) - self._shortest[i])

    def _earliest_start(self, i: int) -> int:
        """Return the earliest start that the release and the lags from placed actions allow."""
        time = self.instance.actions[i].release
        for j, lag in self._before[i]:
            finish = self.finish[j]
            if finish is not None and finish + lag > time:
                time = finish + lag
        return time

    def _earliest_finish(self, i: int) -> int:
        """Return the earliest finish with which placed actions start in time after it."""
        time = 0
        for k, lag in self._limited[i]:
            start, finish = self.start[k], self.finish[k]
            if start is not None and finish is not None:
                last = finish - 1 if self.instance.actions[k].interruptible and finish > start else start
                time = max(time, last - lag)
        return time

    def place(self, i: int, not_before: int = 0) -> Late | None:
        """Place action ``i`` at its earliest fit; return what is in the way if a maximum lag forbids it.

        All modes and eligible agents are tried. Of those that no maximum lag forbids, the one with the earliest finish
        is taken, ties in the order of the instance.
        """
        earliest_start = max(self._earliest_start(i), not_before)
        earliest_finish = self._earliest_finish(i)
        first_finish = max(earliest_start + self._shortest[i], earliest_finish)
        limit, before = self._limit(i)
        best: tuple[bool, int] | None = None
        best_choice: Choice | None = None
        best_pieces: list[Piece] = []
        for choice in self._choices[i]:
            if choice.costs and not self._is_affordable(choice):
                continue
            time = max(earliest_start, earliest_finish - choice.duration)
            if choice.after:
                ready = self._ready_time(choice, time)
                if ready is None:
                    continue  # this mode's predecessors are not placed yet
                time = ready
            pieces = self._fill(choice, time, limit) if choice.fills else self._fit(choice, time)
            if pieces is None:
                continue
            last = pieces[-1]
            key = last.start > limit, last.end
            if best is None or key < best:
                best = key
                best_choice, best_pieces = choice, pieces
                if key == (False, first_finish):  # no choice is sooner
                    break
        if best is None or best_choice is None:  # no window, or no setting of a required state in sight
            return Late(-1, 0)
        finish = best[1]
        overdue = best_pieces[-1].start - limit
        if overdue > 0:
            return Late(before, overdue)
        for k, lag in self._behind[i]:  # a negative minimum lag: what comes after may be placed already
            start = self.start[k]
            if start is not None and finish + lag > start:
                return Late(k, finish + lag - start)
        self._put(i, best_choice, best_pieces, limit)
        return None

    def _is_affordable(self, choice: Choice) -> bool:
        """Return whether the budgets suffice for a choice and the modes reserved for the remaining actions."""
        return all(units <= self._spare[name] for name, units in choice.costs)

    def _ready_time(self, choice: Choice, time: int) -> int | None:
        """Return the later of ``time`` and the end of the predecessors of a mode, if all are placed."""
        for before in choice.after:
            end = self.finish[before]
            if end is None:
                return None
            time = max(time, end)
        return time

    def _limit(self, i: int) -> tuple[int, int]:
        limit, before = _ALWAYS, -1
        for j, lag in self._limits[i]:
            finish = self.finish[j]
            if finish is not None and finish + lag < limit:
                limit, before = finish + lag, j
        return limit, before

    # --- fitting ---------------------------------------------------------------------------------

    def _fit(self, choice: Choice, time: int) -> list[Piece] | None:
        """Return the action in one piece at its earliest fit from a time on, ``None`` without any."""
        times = choice.times
        while True:
            end = time + choice.duration
            if times is not None:
                stay = times.earliest(time)
                if stay is None:
                    return None
                time, end = stay
            later = self._free(choice, time, choice.duration)
            if later == time and end - time > choice.duration:
                later = self._free(choice, time, end - time)
                if later is not None and later > time:
                    # What is in the way lies behind the ticks of work, and so in the pauses of all starts until there.
                    later = time + choice.duration
            if later is None:
                return None
            if later == time:
                return [Piece(choice.action, time, end - time, choice.agent, choice.mode)]
            time = later

    def _free(self, choice: Choice, time: int, length: int) -> int | None:
        """Return a time before which a piece of some length does not fit: ``time`` if it fits there."""
        moved = time
        if choice.agent is not None:
            moved = self._agent_free(choice.agent, moved, choice.held_ticks(length))
        for demand in choice.demands:
            later = self._resource_free(demand, moved, length, shares=choice.shares)
            if later is None:
                return None
            moved = later
        for member, place in choice.visits:
            busy_ticks = choice.held_ticks(length) if member == choice.agent else length
            arrival = self._visits[member].fit(place, moved, busy_ticks)
            if arrival is None:
                return None
            moved = arrival
        return moved

    def _agent_free(self, agent: str, time: int, busy_ticks: int) -> int:
        """Return the first instant from ``time`` on at which the agent can start and hold the action."""
        busy = self._busy[agent]
        if not busy_ticks:
            k = bisect_right(busy, (time, _ALWAYS, 0)) - 1
            if k < 0:
                return time
            inside = busy[k].start < time < busy[k].end and time > busy[k].cut_until
            return busy[k].end if inside else time
        first, time = self._past_full((agent, busy_ticks), time)
        instants = self._instants[agent]
        while True:
            k = max(0, bisect_right(busy, (time, _ALWAYS, 0)) - 1)
            while k < len(busy) and busy[k].start < time + busy_ticks:
                time = max(time, busy[k].end)
                k += 1
            j = bisect_right(instants, time) if busy_ticks > 1 else len(instants)
            if j == len(instants) or instants[j] >= time + busy_ticks:
                break
            time = instants[j]
        self._now_full((agent, busy_ticks), first, time)
        return time

    def _past_full(self, kind: object, time: int) -> tuple[int, int]:
        """Return the start of a full stretch of a kind, and the first candidate from ``time`` on."""
        first, last = self._full.get(kind, (time, time))
        return (first, last) if first <= time <= last else (time, time)

    def _now_full(self, kind: object, first: int, last: int) -> None:
        """Record that nothing of a kind fits between ``first`` and ``last``.

        Free capacity only shrinks.
        """
        previous = self._full.get(kind, (0, 0))
        if last - first >= previous[1] - previous[0]:
            self._full[kind] = first, last

    def _fill(self, choice: Choice, time: int, limit: int) -> list[Piece] | None:
        """Fill the agent's free time with an interruptible action from ``time`` on."""
        agent = choice.agent
        assert agent is not None
        pieces: list[Piece] = []
        remaining = choice.duration
        instants, busy = self._instants[agent], self._busy[agent]
        time = self._agent_free(agent, time, 1) if remaining else time
        k = bisect_right(busy, (time, _ALWAYS, 0))
        while remaining:
            span = busy[k] if k < len(busy) else _Busy(_ALWAYS, _ALWAYS, 0)
            k += 1
            while remaining and time < span.start:
                end = min(span.start, time + remaining)
                if choice.times is not None:
                    allowed = choice.times.next_span(time)
                    if allowed is None:
                        return None
                    if allowed[0] > time:
                        time = allowed[0]
                        continue
                    end = min(end, allowed[1])
                if limit < _ALWAYS:  # a start inside cuts the run, and the rest must still be in time
                    j = bisect_right(instants, time)
                    if j < len(instants):
                        end = min(end, instants[j])
                pieces.append(Piece(choice.action, time, end - time, agent, choice.mode))
                remaining -= end - time
                time = end
            if remaining:
                time = max(time, span.end)
        return pieces or [Piece(choice.action, time, 0, agent, choice.mode)]

    def _resource_free(self, demand: Demand, time: int, duration: int, *, shares: bool) -> int | None:
        name, amount = demand.resource, demand.amount
        if duration and name in self._rooms:
            kind = (name, amount, duration)
            first, later = self._past_full(kind, time)
            later = self._rooms[name].fit(later, duration, amount)
            self._now_full(kind, first, later)
            return later
        uses = self._uses[name]
        capacity, longest = self.instance.resource[name].capacity, self._longest
        while True:
            end = time + duration
            near = uses[bisect_left(uses, (time - longest,)) : bisect_left(uses, (end,))]
            over = [use for use in near if use.start < end and use.end > time]
            if demand.sets is not None and shares:
                setting = (True, demand.sets, time, end)
                over = [use for use in over if (use.shares, use.sets, use.start, use.end) != setting]
            if over and _peak(over, time) + amount > capacity:
                time = min(use.end for use in over)
                continue
            state_time = self._state_holds(demand, time, end)
            if state_time is None or state_time == time:
                return state_time
            time = state_time

    def _state_holds(self, demand: Demand, time: int, end: int) -> int | None:
        """Return ``time`` if the states fit, a later instant to try, or ``None`` if none is in sight."""
        if demand.requires is None and demand.sets is None:
            return time
        settings = self._settings[demand.resource]
        k = bisect_left(settings, (time,))
        if demand.requires is not None:
            state = settings[k - 1].sets if k else self.instance.resource[demand.resource].state
            if state != demand.requires:
                later = (settings[n] for n in range(k, len(settings)))
                return next((use.start + 1 for use in later if use.sets == demand.requires), None)
            for use in settings[k : bisect_left(settings, (max(time + 1, end),))]:
                if use.sets != demand.requires:
                    return max(use.end, time + 1)
        if demand.sets is not None:
            after = bisect_left(settings, (time + 1,))
            if any(use.sets != demand.sets for use in settings[k:after]):
                return time + 1  # nobody could tell which state holds
            # Whoever relies on the state so far must be through.
            following = settings[after].start if after < len(settings) else _ALWAYS
            uses = self._uses[demand.resource]
            for n in range(bisect_left(uses, (time - self._longest,)), len(uses)):
                use = uses[n]
                if use.start > following:
                    break
                over = max(use.end, use.start + 1)  # one of no length needs its instant
                if use.requires is not None and use.requires != demand.sets and time < over:
                    return over
        return time

    # --- putting and taking back --------------------------------------------------------------------

    def _put(self, i: int, choice: Choice, pieces: list[Piece], limit: int) -> None:
        self.start[i], self.finish[i] = pieces[0].start, pieces[-1].end
        self._placed.append(_Placement(i, choice, len(self.pieces), self._longest))
        self.pieces += pieces
        for name, units in choice.costs:
            self._spare[name] -= units
        agent = choice.agent
        for piece in pieces:
            length = piece.duration
            self._longest = max(self._longest, length)
            busy_ticks = choice.held_ticks(length)
            if agent is not None and busy_ticks:
                cut_until = limit if choice.can_be_cut else -1
                insort(self._busy[agent], _Busy(piece.start, piece.start + busy_ticks, cut_until))
            elif agent is not None:
                insort(self._instants[agent], piece.start)
            for demand in choice.demands:
                if demand.resource in self._rooms:
                    self._rooms[demand.resource].take(piece.start, piece.end, demand.amount)
                if demand.resource not in self._uses:
                    continue
                use = _Use(piece.start, piece.end, demand.amount, demand.requires, demand.sets, choice.shares)
                insort(self._uses[demand.resource], use, key=_start)
                if use.sets is not None:
                    insort(self._settings[demand.resource], use, key=_start)
            for member, place in choice.visits:
                end = piece.start + busy_ticks if member == agent else piece.end
                self._visits[member].add(place, piece.start, end)

    def _take_back(self, choice: Choice, piece: Piece) -> None:
        """Undo `_put` for the last piece that is there: of what begins at the same instant it stands last."""
        agent = choice.agent
        busy_ticks = choice.held_ticks(piece.duration)
        if agent is not None and busy_ticks:
            busy = self._busy[agent]
            del busy[bisect_left(busy, (piece.start,))]
        elif agent is not None:
            instants = self._instants[agent]
            del instants[bisect_left(instants, piece.start)]
        for demand in choice.demands:
            if demand.resource in self._rooms:
                self._rooms[demand.resource].take(piece.start, piece.end, -demand.amount)
            if demand.resource not in self._uses:
                continue
            uses = self._uses[demand.resource]
            del uses[bisect_right(uses, piece.start, key=_start) - 1]
            if demand.sets is not None:
                settings = self._settings[demand.resource]
                del settings[bisect_right(settings, piece.start, key=_start) - 1]
        for member, place in choice.visits:
            end = piece.start + busy_ticks if member == agent else piece.end
            self._visits[member].remove(place, piece.start, end)


def _start(use: _Use) -> int:
    return use.start


@ProblemCache
def resource_kinds(instance: Instance) -> tuple[frozenset[str], frozenset[str]]:
    """Return the resources with states, and those whose uses are listed."""
    stateful: set[str] = set()
    instant: set[str] = set()
    for variants in instance.variants.values():
        for variant in variants:
            for demand in variant.demands:
                if demand.requires is not None or demand.sets is not None:
                    stateful.add(demand.resource)
                if not variant.duration:
                    instant.add(demand.resource)
    return frozenset(stateful), frozenset(stateful | instant)


def _peak(uses: list[_Use], time: int) -> int:
    """Return the highest load of overlapping uses; equal settings count once."""
    load: dict[object, tuple[int, int, int]] = {}
    for n, use in enumerate(uses):
        key = (use.sets, use.start, use.end) if use.sets is not None and use.shares else n
        amount = max(use.amount, load[key][2]) if key in load else use.amount
        load[key] = max(use.start, time), use.end, amount
    changes = [(start, amount) for start, end, amount in load.values() if start < end]
    changes += [(end, -amount) for start, end, amount in load.values() if start < end]
    peak = now = 0
    for _, change in sorted(changes):  # at the same instant, what ends comes first
        now += change
        peak = max(peak, now)
    return peak


_Rows = tuple[tuple[tuple[int, int], ...], ...]


@ProblemCache
def lags_by_action(instance: Instance) -> tuple[_Rows, _Rows, _Rows, _Rows]:
    """Return minimum and maximum lags by action as (position of the other, lag).

    The first two are lags to the action, the others lags from it.
    """
    rows: list[list[list[tuple[int, int]]]] = [[[] for _ in instance.actions] for _ in range(4)]
    minimum_lags, maximum_lags, behind, limited = rows
    for lag in instance.lags:
        after, before = instance.index[lag.after], instance.index[lag.before]
        if lag.minimum is not None:
            minimum_lags[after].append((before, lag.minimum))
            behind[before].append((after, lag.minimum))
        if lag.maximum is not None:
            maximum_lags[after].append((before, lag.maximum))
            limited[before].append((after, lag.maximum))
    first, second, third, fourth = (tuple(map(tuple, row)) for row in rows)
    return first, second, third, fourth
