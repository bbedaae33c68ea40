"""What is taken of a capacity at every instant, and where there is room for more."""

from __future__ import annotations

from bisect import bisect_left, bisect_right


class Room:
    """The load of a resource over time, as a step function.

    Parameters
    ----------
    capacity
        Units that may be taken at any instant.

    Examples
    --------
    >>> room = Room(3)
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
        """Return the first instant from ``time`` on from which so many units are free for so long (at least a tick)."""
        times, loads, most = self._times, self._loads, self.capacity - amount
        k, count = bisect_right(times, time) - 1, len(times)
        end = time + duration
        while k < count and times[k] < end:
            if loads[k] > most:
                while loads[k] > most:  # in the end nothing is taken
                    k += 1
                time = times[k]
                end = time + duration
            k += 1
        return time

    def copy(self) -> Room:
        """Return an independent copy."""
        made = Room(self.capacity)
        made._times, made._loads = self._times[:], self._loads[:]
        return made
