"""A partial schedule that can tell where the next action fits, and take it back."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from typing import NamedTuple

from planoracle.instances.model import Action, Demand, Instance
from planoracle.instances.schedule import Piece, Schedule

__all__ = ["Late", "Timetable"]

_ALWAYS = 2**62  # beyond all times


class Late(NamedTuple):
    """An action fits only after a maximum lag has run out: ``before`` would have to finish ``by`` ticks later."""

    before: int
    by: int


class _Busy(NamedTuple):
    start: int
    end: int
    cut_until: int  # something may be started strictly inside, up to this instant


class _Use(NamedTuple):
    start: int
    end: int
    amount: int
    requires: str | None
    sets: str | None


class Timetable:
    """Actions placed so far. Positions are those of ``instance.actions``; times in ticks."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        count = len(instance.actions)
        self.pieces: list[Piece] = []
        self.start: list[int | None] = [None] * count
        self.finish: list[int | None] = [None] * count
        self._busy: dict[str, list[_Busy]] = {agent: [] for agent in instance.agents}
        self._instants: dict[str, list[int]] = {agent: [] for agent in instance.agents}
        self._uses: dict[str, list[_Use]] = {resource.name: [] for resource in instance.resources}
        self._before, self._limits, self._behind, self._limited = _lags(instance)
        self._longest = 0  # of the pieces so far

    @property
    def makespan(self) -> int:
        """Latest finish so far."""
        return max((end for end in self.finish if end is not None), default=0)

    def schedule(self) -> Schedule:
        """Return what has been placed as a schedule in normal form."""
        return Schedule.of(self.instance, self.pieces)

    def snapshot(self) -> Timetable:
        """Return an independent copy."""
        copy = object.__new__(Timetable)
        copy.instance, copy._before, copy._limits = self.instance, self._before, self._limits
        copy._behind, copy._limited = self._behind, self._limited
        copy.pieces, copy.start, copy.finish = self.pieces[:], self.start[:], self.finish[:]
        copy._longest = self._longest
        copy._busy = {agent: spans[:] for agent, spans in self._busy.items()}
        copy._instants = {agent: instants[:] for agent, instants in self._instants.items()}
        copy._uses = {name: uses[:] for name, uses in self._uses.items()}
        return copy

    def earliest(self, i: int) -> int:
        """Earliest start that the release and the lags from and to what has been placed so far allow."""
        action = self.instance.actions[i]
        time = action.release
        for k, lag in self._limited[i]:  # this action has to finish late enough for one that is placed
            start, finish = self.start[k], self.finish[k]
            if start is not None and finish is not None:
                last = finish - 1 if self.instance.actions[k].interruptible and finish > start else start
                time = max(time, last - lag - action.duration)
        for j, lag in self._before[i]:
            finish = self.finish[j]
            if finish is not None and finish + lag > time:
                time = finish + lag
        return time

    def place(self, i: int, not_before: int = 0) -> Late | None:
        """Place action ``i`` at its earliest fit; return what is in the way if a maximum lag forbids it.

        All modes and eligible agents are tried; the one with the earliest finish is taken, ties in the
        order of the instance.
        """
        action = self.instance.actions[i]
        time = max(self.earliest(i), not_before)
        limit, before = self._limit(i)
        best: tuple[int, list[Piece]] | None = None
        for mode, agent in self._choices(action):
            ready = [self.finish[self.instance.index[before]] for before in action.modes[mode].after]
            if None in ready:
                continue  # this mode's predecessors are not placed yet
            pieces = self._fit(action, mode, agent, max([time, *(end for end in ready if end is not None)]), limit)
            if pieces is not None and (best is None or pieces[-1].end < best[0]):
                best = pieces[-1].end, pieces
        if best is None:  # no setting of a required state in sight
            return Late(-1, 0)
        overdue = max(piece.start for piece in best[1]) - limit
        if overdue > 0:
            return Late(before, overdue)
        for k, lag in self._behind[i]:  # a negative minimum lag: what comes after may be placed already
            start = self.start[k]
            if start is not None and best[0] + lag > start:
                return Late(k, best[0] + lag - start)
        self._put(i, action, best[1], limit)
        return None

    def _choices(self, action: Action) -> list[tuple[int, str | None]]:
        agents: tuple[str | None, ...] = self.instance.eligible(action) or (None,)
        return [(mode, agent) for mode in range(len(action.modes)) for agent in agents]

    def _limit(self, i: int) -> tuple[int, int]:
        limit, before = _ALWAYS, -1
        for j, lag in self._limits[i]:
            finish = self.finish[j]
            if finish is not None and finish + lag < limit:
                limit, before = finish + lag, j
        return limit, before

    # --- fitting ---------------------------------------------------------------------------------

    def _fit(self, action: Action, mode: int, agent: str | None, time: int, limit: int) -> list[Piece] | None:
        demands = action.modes[mode].demands
        if action.interruptible and action.attended and agent is not None and not demands:
            return self._fill(action, mode, agent, time, limit)
        while True:
            moved = time
            if agent is not None:
                moved = self._agent_free(agent, moved, action.attended)
            for demand in demands:
                later = self._resource_free(demand, moved, action.duration)
                if later is None:
                    return None
                moved = later
            if moved == time:
                return [Piece(action.id, time, action.duration, agent, mode)]
            time = moved

    def _agent_free(self, agent: str, time: int, held: int) -> int:
        """First instant from ``time`` on at which the agent can start something that holds it so long."""
        busy, instants = self._busy[agent], self._instants[agent]
        k = max(0, bisect_right(busy, (time, _ALWAYS, 0)) - 1)
        while k < len(busy):
            span = busy[k]
            if not held:
                if span.start >= time:
                    break
                if span.start < time < span.end and time > span.cut_until:
                    time = span.end
            elif span.start >= time + held:
                break
            elif span.end > time:
                time = span.end
            k += 1
        if held > 1:
            j = bisect_right(instants, time)
            if j < len(instants) and instants[j] < time + held:
                return self._agent_free(agent, instants[j], held)
        return time

    def _fill(self, action: Action, mode: int, agent: str, time: int, limit: int) -> list[Piece]:
        """Fill the agent's free time with an interruptible action from ``time`` on."""
        pieces: list[Piece] = []
        left = action.duration
        instants = self._instants[agent]
        spans = [span for span in self._busy[agent] if span.end > time]
        for span in [*spans, _Busy(_ALWAYS, _ALWAYS, 0)]:
            while left and time < span.start:
                end = min(span.start, time + left)
                if limit < _ALWAYS:  # a start inside cuts the run, and the rest must still be in time
                    j = bisect_right(instants, time)
                    if j < len(instants):
                        end = min(end, instants[j])
                pieces.append(Piece(action.id, time, end - time, agent, mode))
                left -= end - time
                time = end
            if not left:
                break
            time = max(time, span.end)
        return pieces or [Piece(action.id, time, 0, agent, mode)]

    def _resource_free(self, demand: Demand, time: int, duration: int) -> int | None:
        uses = self._uses[demand.resource]
        capacity, longest = self.instance.resource[demand.resource].capacity, self._longest
        while True:
            end = time + duration
            near = uses[bisect_left(uses, (time - longest,)) : bisect_left(uses, (end,))]
            over = [use for use in near if use.start < end and use.end > time]
            if demand.sets is not None:
                over = [u for u in over if (u.sets, u.start, u.end) != (demand.sets, time, end)]
            if over and _peak(over, time) + demand.amount > capacity:
                time = min(use.end for use in over)
                continue
            later = self._state_holds(demand, time, end)
            if later is None or later == time:
                return later
            time = later

    def _state_holds(self, demand: Demand, time: int, end: int) -> int | None:
        """Return ``time`` if the states fit, a later instant to try, or ``None`` if none is in sight."""
        if demand.requires is None and demand.sets is None:
            return time
        uses = self._uses[demand.resource]
        settings = [use for use in uses if use.sets is not None]
        if demand.requires is not None:
            state, wrong = self.instance.resource[demand.resource].state, None
            for use in settings:
                if use.start < time:
                    state = use.sets
                elif use.start <= max(time, end - 1) and use.sets != demand.requires:
                    wrong = max(use.end, time + 1) if wrong is None else wrong
            if state != demand.requires:
                return next((u.start + 1 for u in settings if u.start >= time and u.sets == demand.requires), None)
            if wrong is not None:
                return wrong
        if demand.sets is not None:
            if any(use.start == time and use.sets != demand.sets for use in settings):
                return time + 1  # nobody could tell which state holds
            # Whoever relies on the state so far must be through.
            following = next((u.start for u in settings if u.start > time), _ALWAYS)
            for use in uses:
                relies = use.requires is not None and use.requires != demand.sets
                over = max(use.end, use.start + 1)  # one of no length needs its instant
                if relies and time < over and use.start <= following:
                    return over
        return time

    def _put(self, i: int, action: Action, pieces: list[Piece], limit: int) -> None:
        self.start[i], self.finish[i] = pieces[0].start, pieces[-1].end
        self.pieces += pieces
        for piece in pieces:
            self._longest = max(self._longest, piece.duration)
            agent = piece.agent
            held = piece.duration if action.interruptible and action.attended else action.attended
            if agent is not None and held:
                cut_until = limit if action.interruptible else -1
                insort(self._busy[agent], _Busy(piece.start, piece.start + held, cut_until))
            elif agent is not None:
                insort(self._instants[agent], piece.start)
            for demand in action.modes[piece.mode].demands:
                use = _Use(piece.start, piece.end, demand.amount, demand.requires, demand.sets)
                insort(self._uses[demand.resource], use, key=lambda u: u.start)


def _peak(uses: list[_Use], time: int) -> int:
    """Highest load of uses that overlap, equal settings counted once."""
    peak = 0
    for at in {max(use.start, time) for use in uses}:
        load: dict[object, int] = {}
        for n, use in enumerate(uses):
            if use.start <= at < use.end:
                key = n if use.sets is None else (use.sets, use.start, use.end)
                load[key] = max(load.get(key, 0), use.amount)
        peak = max(peak, sum(load.values()))
    return peak


_Rows = tuple[tuple[tuple[int, int], ...], ...]


def _lags(instance: Instance) -> tuple[_Rows, _Rows, _Rows, _Rows]:
    """For every action its minimum and its maximum lags, as (position of the other, lag); to it, then from it."""
    found = instance.cache.get("timetable lags")
    if found is None:
        rows: list[list[list[tuple[int, int]]]] = [[[] for _ in instance.actions] for _ in range(4)]
        least, most, behind, limited = rows
        for lag in instance.lags:
            after, before = instance.index[lag.after], instance.index[lag.before]
            if lag.minimum is not None:
                least[after].append((before, lag.minimum))
                behind[before].append((after, lag.minimum))
            if lag.maximum is not None:
                most[after].append((before, lag.maximum))
                limited[before].append((after, lag.maximum))
        found = instance.cache["timetable lags"] = tuple(tuple(map(tuple, row)) for row in rows)
    return found  # type: ignore[return-value]  # the cache is untyped
