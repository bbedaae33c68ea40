"""One limit for all that an answer takes, of time or of work: whoever works for long asks it whether to go on."""

from __future__ import annotations

from enum import StrEnum
from math import inf
from time import perf_counter
from typing import NamedTuple, TypeAlias


class Status(StrEnum):
    """What is known about the best solution; a text, and shown as one.

    Attributes
    ----------
    optimal
        There is a solution, and none is better: proved.
    feasible
        There is a solution; whether it is best is not known.
    infeasible
        There is no solution: proved.
    unknown
        Neither found nor excluded.

    Examples
    --------
    >>> Status.feasible, f"{Status.feasible}", Status.feasible == "feasible", Status("optimal").settled
    ('feasible', 'feasible', True, True)
    """

    optimal = "optimal"
    feasible = "feasible"
    infeasible = "infeasible"
    unknown = "unknown"

    __repr__ = str.__repr__  # in results, as in files, it is the plain word

    @property
    def settled(self) -> bool:
        """Whether more time could not change it: ``optimal`` or ``infeasible``."""
        return self in (Status.optimal, Status.infeasible)


class TimeOverError(Exception):
    """The limit has been reached; never seen outside of the search that it ends."""


class WorkLimit(NamedTuple):
    """A limit of counted work, so that what comes of it depends neither on the machine nor on its load.

    ``seconds`` is about how long so much work takes on a quiet core.
    """

    seconds: float


class Deadline:
    """An instant by which to be done.

    Parameters
    ----------
    seconds
        Wall time from now on; without it, time is never over.

    Examples
    --------
    >>> Deadline(0.0).over(), Deadline().over(), Deadline(3600.0).sooner(0.0).over()
    (True, False, True)
    """

    __slots__ = ("_end",)

    #: Whether work is counted instead of time.
    counted = False

    def __init__(self, seconds: float = inf) -> None:
        self._end = perf_counter() + seconds

    def left(self) -> float:
        """Return the seconds that are left, 0 if there are none."""
        return max(0.0, self._end - perf_counter())

    def over(self, work: float = 1e-4) -> bool:
        """Whether time is over; ``work`` is about how many seconds have been worked since it was asked before."""
        return perf_counter() >= self._end

    def check(self, work: float = 1e-4) -> None:
        """Raise `TimeOverError` if time is over, see `over`."""
        if perf_counter() >= self._end:
            raise TimeOverError

    def spend(self, work: float) -> None:
        """Count work of so many seconds; time passes of itself."""

    def pieces(self, work: float) -> float:
        """Return how many pieces of so much work each there can be before it ends; `inf` where nothing is counted."""
        return inf

    def within(self, seconds: float) -> Deadline:
        """Return a deadline of the same kind so many seconds from now."""
        return Deadline(seconds)

    def sooner(self, seconds: float) -> Deadline:
        """Return a deadline so many seconds from now, but no later than this one."""
        return self.within(min(seconds, self.left()))

    def counting(self, seconds: float) -> Deadline:
        """Return a deadline after so many seconds of counted work, but no later than this one."""
        return _WorkDeadline(seconds, self)


class _WorkDeadline(Deadline):
    """Ends when so much work has been counted; what parts of it spend counts for the whole.

    >>> whole = deadline_of(WorkLimit(3.0))
    >>> part = whole.sooner(2.0)
    >>> part.spend(2.5)
    >>> part.over(0.0), whole.left(), whole.pieces(0.25)
    (True, 0.5, 2.0)
    """

    __slots__ = ("_left", "_whole")

    counted = True

    def __init__(self, seconds: float, whole: Deadline | None = None) -> None:
        self._left = seconds
        self._whole = whole

    def left(self) -> float:
        return max(0.0, self._left)

    def over(self, work: float = 1e-4) -> bool:
        self.spend(work)
        return self._left <= 0 or (self._whole is not None and not self._whole.counted and self._whole.over())

    def check(self, work: float = 1e-4) -> None:
        self.spend(work)
        if self._left <= 0:
            raise TimeOverError

    def spend(self, work: float) -> None:
        self._left -= work
        if self._whole is not None:
            self._whole.spend(work)
        else:
            charge(round(work * 1e9))

    def counting(self, seconds: float) -> Deadline:
        return self.sooner(seconds)

    def pieces(self, work: float) -> float:
        return self.left() / work

    def within(self, seconds: float) -> Deadline:
        return _WorkDeadline(seconds, self)


_worked = 0


def worked() -> int:
    """Return the work that has been counted in this process so far, in nanoseconds of a quiet core."""
    return _worked


def charge(nanoseconds: int) -> None:
    """Count work that has been spared because it was done before, lest a count depend on what was done before."""
    global _worked  # noqa: PLW0603  # a meter of the process
    _worked += nanoseconds


#: Seconds of wall time, counted work, or what another answer leaves of either.
Limit: TypeAlias = "float | WorkLimit | Deadline"

#: When time is never over.
NEVER = Deadline()


def deadline_of(limit: Limit) -> Deadline:
    """Return what ends an answer that has so much time, or work, from now on."""
    if isinstance(limit, Deadline):
        return limit
    return _WorkDeadline(limit.seconds) if isinstance(limit, WorkLimit) else Deadline(limit)
