"""Place actions anew in the order of an earlier schedule, pieces and all.

As `planoracle.solver.exact.in_order` places them, sets of instants are bits of whole numbers, and only what nearly
every schedule must obey is looked at: what comes of it is for the rules to accept. Where an action comes too late after
one placed before it, that one is moved later, and what came after it placed again.
"""

from __future__ import annotations

from planoracle.instances.model import Instance
from planoracle.instances.schedule import Piece, Schedule
from planoracle.solver.exact.bounds import Windows
from planoracle.solver.exact.in_order import Room, runs, span

__all__ = ["Order", "Placer", "order_of"]

#: Actions, and how many ticks of them come in one piece.
Order = tuple[tuple[int, int], ...]

# Moves after which placing is given up; instants and units of a capacity beyond which there is none.
_MOVES, _MOST_INSTANTS, _MOST_UNITS = 40, 4_000, 64
_NEVER = 2**62


def order_of(instance: Instance, schedule: Schedule) -> Order:
    """Return the order of the pieces of a schedule.

    >>> from planoracle.instances.model import Action
    >>> kitchen = Instance("k", (Action("t/boil", "t", 9, 0), Action("t/chop", "t", 4, 4)))
    >>> pieces = [Piece("t/chop", 0, 4, "agent"), Piece("t/boil", 4, 9, "agent")]
    >>> order_of(kitchen, Schedule.of(kitchen, pieces))
    ((1, 4), (0, 9))
    """
    index = instance.index
    return tuple((index[piece.action], piece.duration) for piece in schedule.pieces)


class _Structure:
    """What is the same whatever the numbers are; actions by position."""

    def __init__(self, instance: Instance) -> None:
        index = instance.index
        self.ids = [action.id for action in instance.actions]
        self.pausable = [action.interruptible for action in instance.actions]
        self.agents = [next(iter(instance.eligible(action)), None) for action in instance.actions]
        self.uses = [action.modes[0].demands for action in instance.actions]
        self.rooms = {resource.name: Room(resource.capacity) for resource in instance.resources}
        # Lags to an action and from it, each by its position and the other action.
        self.lags_to: list[list[tuple[int, int]]] = [[] for _ in instance.actions]
        self.lags_from: list[list[tuple[int, int]]] = [[] for _ in instance.actions]
        for number, lag in enumerate(instance.lags):
            self.lags_to[index[lag.after]].append((number, index[lag.before]))
            self.lags_from[index[lag.before]].append((number, index[lag.after]))


class Placer:
    """Places the actions of one problem, whatever its numbers.

    Attributes
    ----------
    suits
        Whether it can: with one agent at most, if nothing has several modes or uses resources while it can be paused.
    """

    def __init__(self, instance: Instance) -> None:
        self.suits = (
            len(instance.agents) <= 1
            and all(resource.capacity <= _MOST_UNITS for resource in instance.resources)
            and all(
                len(a.modes) == 1 and not (a.interruptible and (a.modes[0].demands or (a.duration and not a.attended)))
                for a in instance.actions
            )
        )
        self._structure = _Structure(instance)

    def place(self, instance: Instance, bounds: Windows, step: int, order: Order) -> Schedule | None:
        """Return a schedule in this order, every piece as early as it fits behind those before it, if all of them fit.

        Parameters
        ----------
        instance
            The problem with other numbers, all multiples of ``step`` ticks.
        """
        placing = _Placing(self._structure, instance, bounds, step, order)
        return placing.run() if placing.horizon <= _MOST_INSTANTS else None


class _Placing:
    """One schedule while it is made; times in steps."""

    def __init__(self, same: _Structure, instance: Instance, bounds: Windows, step: int, order: Order) -> None:
        self.same, self.instance, self.step, self.order = same, instance, step, order
        self.sizes = [action.duration // step for action in instance.actions]
        self.held = [action.attended // step for action in instance.actions]
        self.floor = [-(-head // step) for head in bounds.head]  # before which no action starts
        self.least = [None if lag.minimum is None else lag.minimum // step for lag in instance.lags]
        self.most = [None if lag.maximum is None else lag.maximum // step for lag in instance.lags]
        self.horizon = sum(self.sizes) + max(self.floor) + sum(least for least in self.least if least and least > 0)
        self.last = {i: place for place, (i, _) in enumerate(order)}  # places in the order
        # Of every action where it starts and ends as far as it has been placed, -1 if it has not, and what is left.
        self.start, self.end, self.left = [-1] * len(self.sizes), [-1] * len(self.sizes), self.sizes[:]
        # Instants at which the agent is busy, those strictly inside of what keeps it from starting anything, those at
        # which it starts something; and what is placed on the resources.
        self.busy = self.inside = self.begun = 0
        self.rooms = same.rooms
        self.pieces: list[Piece] = []
        # The same before every piece, with start, end and rest of its action and the number of pieces.
        self.before: list[tuple[int, int, int, dict[str, Room], int, int, int, int]] = []
        self.late = (0, 0)  # what would have to come later, and by how much

    def run(self) -> Schedule | None:
        place = moves = 0
        while place < len(self.order):
            i, ticks = self.order[place]
            left = self.left[i]
            known = self.start[i], self.end[i], left, len(self.pieces)
            self.before.append((self.busy, self.inside, self.begun, self.rooms, *known))
            if self.same.pausable[i] and self.sizes[i]:
                fits = self._fill(i, left if self.last[i] == place else min(ticks // self.step, left))
            else:
                fits = self.start[i] >= 0 or self._put(i)
            if fits:
                place += 1
                continue
            other, by = self.late
            moves += 1
            if moves > _MOVES or self.start[other] < 0 or other == i:
                return None
            self.floor[other] = self.start[other] + by
            place = next(k for k, (j, _) in enumerate(self.order) if j == other)
            self._back(place)
        return Schedule.of(self.instance, self.pieces)

    def _back(self, place: int) -> None:
        """Take back the pieces from a place on."""
        while len(self.before) > place:
            i = self.order[len(self.before) - 1][0]
            busy, inside, begun, rooms, self.start[i], self.end[i], self.left[i], pieces = self.before.pop()
            self.busy, self.inside, self.begun, self.rooms = busy, inside, begun, rooms
        del self.pieces[pieces:]

    def _window(self, i: int) -> tuple[int, int, int]:
        """Return the earliest start and the latest one, and on account of which action."""
        start, end = self.start, self.end
        earliest, latest, other, size = self.floor[i], _NEVER, i, self.sizes[i]
        for lag, j in self.same.lags_to[i]:
            if end[j] >= 0:
                least, most = self.least[lag], self.most[lag]
                if least is not None and end[j] + least > earliest:
                    earliest = end[j] + least
                if most is not None and end[j] + most < latest:
                    latest, other = end[j] + most, j
        for lag, j in self.same.lags_from[i]:
            if start[j] >= 0:
                least, most = self.least[lag], self.most[lag]
                if most is not None and start[j] - most - size > earliest:
                    earliest = start[j] - most - size
                if least is not None and start[j] - least - size < latest:
                    latest, other = start[j] - least - size, j
        return earliest, latest, other

    def _put(self, i: int) -> bool:
        """Place a whole action where it fits first."""
        earliest, latest, other = self._window(i)
        size, held, agent = self.sizes[i], self.held[i], self.same.agents[i]
        free = -1
        if held:
            free = runs(~self.busy, held)
            if held > 1 and self.begun:
                free &= runs(~self.begun >> 1, held - 1)
        elif agent is not None:
            free = ~self.inside
        uses = self.same.uses[i]
        for use in uses:
            free &= self.rooms[use.resource].fits(use, size)
        free >>= earliest
        if not free:
            self.late = i, 0
            return False
        start = earliest + (free & -free).bit_length() - 1
        if start > latest:
            self.late = other, start - latest
            return False
        if held:
            self.busy |= span(start, held)
            self.inside |= span(start + 1, held - 1)
        elif agent is not None:
            self.begun |= 1 << start
        if uses:
            self.rooms = self.rooms.copy()
            for use in uses:
                self.rooms[use.resource] = self.rooms[use.resource].taken(use, start, size)
        self.start[i], self.end[i], self.left[i] = start, start + size, 0
        self.pieces.append(Piece(self.same.ids[i], start * self.step, size * self.step, agent))
        return True

    def _fill(self, i: int, units: int) -> bool:
        """Place so many steps of an action that can be paused, each in the agent's next free instant."""
        if not units:
            return True
        earliest, latest, other = self._window(i)
        now = max(earliest, self.end[i]) if self.start[i] >= 0 else earliest
        before, left, start = self.end[i], units, self.start[i]
        while left:
            free = ~self.busy >> now
            wait = (free & -free).bit_length() - 1
            now += wait
            taken = ~(free >> wait)
            length = min(left, (taken & -taken).bit_length() - 1) if taken else left
            if latest < _NEVER:
                length = self._in_time(now, length, latest, now == before)
                if not length:
                    self.late = other, now - latest
                    return False
            start = now if start < 0 else start
            self.busy |= span(now, length)
            self.pieces.append(Piece(self.same.ids[i], now * self.step, length * self.step, self.same.agents[i]))
            now = before = now + length
            left -= length
        self.start[i], self.end[i] = start, now
        self.left[i] -= units
        return True

    def _in_time(self, now: int, length: int, latest: int, goes_on: bool) -> int:
        """Return how many steps from an instant on are in time: begun before it is too late, or going on since then."""
        for k in range(length):
            if now + k > latest:
                if not (goes_on or k) or self.begun >> (now + k) & 1:
                    return k
                self.inside |= 1 << (now + k)
        return length
