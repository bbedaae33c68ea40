"""One time limit for all that an answer takes: whoever works for long asks it whether to go on."""

from __future__ import annotations

from math import inf
from time import perf_counter

__all__ = ["NEVER", "Deadline", "TimeOverError"]


class TimeOverError(Exception):
    """The time limit has passed; never seen outside of the search that it ends."""


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

    def __init__(self, seconds: float = inf) -> None:
        self._end = perf_counter() + seconds

    def left(self) -> float:
        """Return the seconds that are left, 0 if there are none."""
        return max(0.0, self._end - perf_counter())

    def over(self) -> bool:
        """Whether time is over."""
        return perf_counter() >= self._end

    def check(self) -> None:
        """Raise `TimeOverError` if time is over."""
        if self.over():
            raise TimeOverError

    def sooner(self, seconds: float) -> Deadline:
        """Return a deadline so many seconds from now, but no later than this one."""
        made = Deadline(seconds)
        made._end = min(made._end, self._end)
        return made


#: When time is never over.
NEVER = Deadline()
