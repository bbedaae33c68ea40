"""Limits of wall time or counted work, and the status of results."""

from __future__ import annotations

from enum import StrEnum
from math import inf
from threading import Event
from time import perf_counter
from typing import NamedTuple, TypeAlias


class Status(StrEnum):
    """Status of a result: a text, also in its ``repr``.

    Attributes
    ----------
    optimal
        There is a solution, and it is proved that none is better.
    feasible
        There is a solution; a better one may exist.
    infeasible
        It is proved that there is no solution.
    unknown
        A solution may exist.

    Examples
    --------
    >>> Status.feasible, f"{Status.feasible}", Status.feasible == "feasible", Status("optimal").settled
    ('feasible', 'feasible', True, True)
    """

    optimal = "optimal"
    feasible = "feasible"
    infeasible = "infeasible"
    unknown = "unknown"

    __repr__ = str.__repr__  # results print the same word as files

    @property
    def settled(self) -> bool:
        """True if more time cannot change it: ``optimal`` or ``infeasible``."""
        return self in (Status.optimal, Status.infeasible)


class TimeOverError(Exception):
    """The limit is reached; caught by the search that it ends."""


class WorkLimit(NamedTuple):
    """Limit of counted work, so that results depend neither on the machine nor on its load.

    ``seconds`` is approximately the time that this work takes on an idle core.
    """

    seconds: float


class _LinkedEvent(Event):
    """Event that is also set as long as another one is."""

    def __init__(self, outer: Event) -> None:
        super().__init__()
        self._outer = outer

    def is_set(self) -> bool:
        return super().is_set() or self._outer.is_set()


class Deadline:
    """Limit of wall time.

    Parameters
    ----------
    seconds
        Wall time from now on; by default, unlimited.
    stopped
        Event that ends this limit, and all that are derived from it, at once.

    Examples
    --------
    >>> Deadline(0.0).over(), Deadline().over(), Deadline(3600.0).sooner(0.0).over()
    (True, False, True)
    """

    __slots__ = ("_end", "stopped")

    #: True if work is counted instead of time.
    counted = False

    def __init__(self, seconds: float = inf, stopped: Event | None = None) -> None:
        self._end = perf_counter() + seconds
        self.stopped = stopped or Event()

    def remaining(self) -> float:
        """Return the remaining seconds, at least 0."""
        if self.stopped.is_set():
            return 0.0
        return max(0.0, self._end - perf_counter())

    def wall_seconds(self) -> float:
        """Return the remaining seconds of the wall time that this limit is a part of."""
        return self.remaining()

    def over(self, work: float = 1e-4) -> bool:
        """Return whether the limit is reached, after about ``work`` more seconds since the last query."""
        return perf_counter() >= self._end or self.stopped.is_set()

    def check(self, work: float = 1e-4) -> None:
        """Raise `TimeOverError` if the limit is reached, see `over`."""
        if self.over(work):
            raise TimeOverError

    def spend(self, work: float) -> None:
        """Count work in seconds; without effect on wall time."""

    def within(self, seconds: float) -> Deadline:
        """Return a deadline of the same kind in the given seconds from now."""
        return Deadline(seconds, self.stopped)

    def sooner(self, seconds: float) -> Deadline:
        """Return a deadline in the given seconds from now, but no later than this one."""
        return self.within(min(seconds, self.remaining()))

    def separate(self) -> Deadline:
        """Return the same limit of wall time with an event of its own: what ends it does not end this one.

        >>> whole = Deadline(3600.0)
        >>> part = whole.separate()
        >>> part.stopped.set()
        >>> part.over(), whole.over()
        (True, False)
        """
        return Deadline(self.wall_seconds(), _LinkedEvent(self.stopped))

    def counting(self, seconds: float) -> Deadline:
        """Return a deadline after the given seconds of counted work, but no later than this one."""
        return _WorkDeadline(seconds, self)


class _WorkDeadline(Deadline):
    """Limit of counted work; the work of a part counts for the limit that it is derived from.

    >>> whole = deadline_of(WorkLimit(3.0))
    >>> part = whole.sooner(2.0)
    >>> part.spend(2.5)
    >>> part.over(0.0), whole.remaining()
    (True, 0.5)
    """

    __slots__ = ("_parent", "_remaining")

    counted = True

    def __init__(self, seconds: float, parent: Deadline | None = None) -> None:
        super().__init__(stopped=None if parent is None else parent.stopped)
        self._remaining = seconds
        self._parent = parent

    def remaining(self) -> float:
        return max(0.0, self._remaining) if self.wall_seconds() > 0 else 0.0

    def wall_seconds(self) -> float:
        return inf if self._parent is None else self._parent.wall_seconds()

    def over(self, work: float = 1e-4) -> bool:
        self.spend(work)
        return self.remaining() <= 0

    def spend(self, work: float) -> None:
        self._remaining -= work
        if self._parent is not None:
            self._parent.spend(work)
        else:
            charge(round(work * 1e9))

    def counting(self, seconds: float) -> Deadline:
        return self.sooner(seconds)

    def within(self, seconds: float) -> Deadline:
        return _WorkDeadline(seconds, self)


_counted_work = 0


def counted_work() -> int:
    """Return the work counted in this process so far, in nanoseconds of an idle core."""
    return _counted_work


def charge(nanoseconds: int) -> None:
    """Count work that a cache saved, so that counts do not depend on the order of calls."""
    global _counted_work  # noqa: PLW0603  # a meter of the process
    _counted_work += nanoseconds


#: Seconds of wall time, counted work, or the rest of another limit.
Limit: TypeAlias = "float | WorkLimit | Deadline"

#: Deadline that is never reached.
NO_LIMIT = Deadline()


def deadline_of(limit: Limit) -> Deadline:
    """Return the deadline of a limit that starts now."""
    if isinstance(limit, Deadline):
        return limit
    return _WorkDeadline(limit.seconds) if isinstance(limit, WorkLimit) else Deadline(limit)
