"""Calendars: times at which agents and resources are off, once or periodically."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from math import lcm

#: End of an off-time after which a member is never on again.
FOREVER = 10**18


@dataclass(frozen=True, slots=True)
class Calendar:
    """Off-times of some agents and resources, in ticks from tick 0.

    Attributes
    ----------
    members
        Names of agents and resources.
    off
        Spans ``[begin, end)`` of ticks, sorted and disjoint.
    period
        Ticks after which the off-times repeat, in both directions; ``None`` if they do not. Off-times may reach into
        the next period.
    """

    members: tuple[str, ...]
    off: tuple[tuple[int, int], ...]
    period: int | None = None


class OffTimes:
    """Union of the off-times of some calendars.

    Parameters
    ----------
    calendars
        Calendars of one member, or of all members that a piece needs.

    Examples
    --------
    Every night from tick 20 to tick 30 of a day of 24 ticks, so also until tick 6 of the first day, and ticks 6 to 8:

    >>> night = Calendar(("ann",), ((20, 30),), 24)
    >>> times = OffTimes([night, Calendar(("ann",), ((6, 8),))])
    >>> list(times.until(50)), times.covers(8), times.overlaps(8, 21)
    ([(-4, 8), (20, 30), (44, 54)], False, True)
    """

    def __init__(self, calendars: Iterable[Calendar]) -> None:
        self.calendars = tuple(dict.fromkeys(calendars))

    @property
    def period(self) -> int:
        """Ticks after which all periodic off-times repeat; 1 without any."""
        return lcm(*(calendar.period for calendar in self.calendars if calendar.period is not None))

    @property
    def last_end(self) -> int:
        """End of the last off-time that is not periodic; 0 without any."""
        single = [calendar.off[-1][1] for calendar in self.calendars if calendar.period is None and calendar.off]
        return max(single, default=0)

    def next(self, instant: int) -> tuple[int, int] | None:
        """Return the earliest off-time that ends after an instant, as the calendars have it, or ``None``."""
        spans: list[tuple[int, int]] = []
        for calendar in self.calendars:
            spans += _next(calendar, instant)
        return min(spans, default=None)

    def covers(self, instant: int) -> bool:
        """Return whether the tick that begins at an instant is in an off-time."""
        return self.overlaps(instant, instant + 1)

    def overlaps(self, start: int, end: int) -> bool:
        """Return whether an off-time has a tick of ``[start, end)``."""
        span = self.next(start)
        return start < end and span is not None and span[0] < end

    @cached_property
    def is_off_in_the_end(self) -> bool:
        """True if there is no free tick after `last_end`."""
        clock = self.last_end
        horizon = clock + self.period
        while clock < horizon:
            span = self.next(clock)
            if span is None or span[0] > clock:
                return False
            clock = span[1]
        return True

    def spans_after(self, instant: int) -> Iterator[tuple[int, int]]:
        """Yield all maximal off-times that end after an instant, without end if some repeat.

        The last one of a member that is never on again ends at `FOREVER`.
        """
        span = self.next(instant)
        while span is not None:
            begin, end = span
            span = self.next(end)
            while span is not None and span[0] <= end:
                if end >= self.last_end and self.is_off_in_the_end:
                    yield begin, FOREVER
                    return
                end = span[1]
                span = self.next(end)
            yield begin, end

    def until(self, horizon: int) -> Iterator[tuple[int, int]]:
        """Yield the maximal off-times that have a tick of ``[0, horizon)``."""
        for span in self.spans_after(0):
            if span[0] >= horizon:
                return
            yield span


def _next(calendar: Calendar, instant: int) -> Iterator[tuple[int, int]]:
    """Yield candidates for the earliest off-time of a calendar that ends after an instant."""
    period = calendar.period
    for begin, end in calendar.off:
        if period is None:
            if end > instant:
                yield begin, end
                return
            continue
        repetitions = (instant - end) // period + 1  # the fewest after which it ends after the instant
        yield begin + repetitions * period, end + repetitions * period


def off_times_of(calendars: Iterable[Calendar]) -> dict[str, OffTimes]:
    """Return the off-times of every member of some calendars, by name."""
    by_member: dict[str, list[Calendar]] = {}
    for calendar in calendars:
        for member in calendar.members:
            by_member.setdefault(member, []).append(calendar)
    return {member: OffTimes(entries) for member, entries in by_member.items()}


def working_spans(times: OffTimes, start: int, duration: int) -> Iterator[tuple[int, int]]:
    """Yield begin and end of each run of ticks that are not off, until a duration is worked.

    Parameters
    ----------
    start
        Tick from which work goes on; time off after it is skipped, also directly after it.
    duration
        Ticks of work, at least 1. If the member is always off after the start, fewer are yielded.

    Examples
    --------
    >>> night = Calendar(("ann",), ((20, 30),), 24)
    >>> list(working_spans(OffTimes([night]), 10, 15))
    [(10, 20), (30, 35)]
    """
    instant, remaining = start, duration
    for begin, end in times.spans_after(start):
        length = min(remaining, begin - instant)
        if length > 0:
            yield instant, instant + length
            remaining -= length
        if not remaining or end == FOREVER:
            return
        instant = end
    yield instant, instant + remaining
