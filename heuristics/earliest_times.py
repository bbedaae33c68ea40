"""Earliest times that windows and calendars allow an action in one mode by one agent."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import chain

from planoracle.instances.model.cache import ProblemCache
from planoracle.instances.model.calendars import FOREVER, Calendar, OffTimes
from planoracle.instances.model.instance import Instance


class OffSpans:
    """Maximal off-times, listed as far as they are needed.

    Parameters
    ----------
    times
        Off-times of one or several members.

    Examples
    --------
    >>> spans = OffSpans(OffTimes([Calendar(("ann",), ((20, 30),), 24)]))
    >>> spans.first_start(4, 3), spans.first_start(7, 20), list(spans.working_spans(10, 15))
    (6, None, [(10, 20), (30, 35)])
    """

    def __init__(self, times: OffTimes) -> None:
        self.period = times.period
        self.last_end = times.last_end
        self._remaining = times.spans_after(0)
        self._is_complete = False
        self._begins: list[int] = []
        self._ends: list[int] = []

    def after(self, instant: int) -> tuple[int, int] | None:
        """Return the first off-time that ends after an instant."""
        ends = self._ends
        while not self._is_complete and (not ends or ends[-1] <= instant):
            span = next(self._remaining, None)
            if span is None:
                self._is_complete = True
                break
            self._begins.append(span[0])
            ends.append(span[1])
        k = bisect_right(ends, instant)
        return (self._begins[k], ends[k]) if k < len(ends) else None

    def first_start(self, start: int, ticks: int) -> int | None:
        """Return the first instant from a start on after which some ticks are not off, if any."""
        latest = max(start, self.last_end) + self.period
        while start <= latest:
            span = self.after(start)
            if span is None or span[0] >= start + ticks:
                return start
            start = span[1]
        return None

    def working_spans(self, start: int, duration: int) -> Iterator[tuple[int, int]]:
        """Yield the runs of ticks that are not off from a start on, until a duration is worked.

        There are fewer if it never is.
        """
        remaining = duration
        while remaining:
            span = self.after(start)
            begin, end = (FOREVER, FOREVER) if span is None else span
            length = min(remaining, begin - start)
            if length > 0:
                yield start, start + length
                remaining -= length
            if end == FOREVER and begin < FOREVER:
                return
            start = end


@ProblemCache
def off_spans(instance: Instance, calendars: tuple[Calendar, ...]) -> OffSpans:
    """Return the off-times of some calendars, which all that ask for them extend."""
    return OffSpans(OffTimes(calendars))


class AllowedTimes:
    """Times at which windows and calendars allow an action in one mode by one agent.

    Parameters
    ----------
    duration
        Ticks of work.
    windows
        Spans in which each piece lies, sorted; empty for no bound.
    rests
        Off-times, and the ticks from the start of a piece on that lie outside of them.
    breaks
        Off-times in which the action pauses; ``None`` if it does not pause.
    """

    __slots__ = ("_breaks", "_closings", "_duration", "_period", "_rests", "_settled", "_windows")

    def __init__(
        self,
        duration: int,
        windows: Sequence[tuple[int, int]],
        rests: Sequence[tuple[OffSpans, int]],
        breaks: OffSpans | None,
        period: int,
    ) -> None:
        self._duration = duration
        self._windows = windows
        self._closings = [end for _, end in windows]
        self._rests = rests
        self._breaks = breaks
        self._period = period
        openings = [begin for begin, _ in windows]
        last_ends = [spans.last_end for spans, _ in rests]
        self._settled = max(chain(openings, last_ends), default=0)

    def earliest(self, time: int) -> tuple[int, int] | None:
        """Return start and end at the earliest allowed start from a time on, ``None`` if there is none.

        All starts repeat with the period, so that a period without any is enough.
        """
        latest = max(time, self._settled) + self._period
        while time <= latest:
            later = self._next_start(time)
            if later is None:
                return None
            if later == time:
                end, later = self._end(time)
                if end is not None:
                    return time, end
                if later is None:
                    return None
            time = later
        return None

    def _next_start(self, time: int) -> int | None:
        """Return a time before which no start is allowed: the time itself if a piece may start there."""
        if self._windows:
            length = 1 if self._breaks is not None else self._duration
            opening = self._opening(time, length)
            if opening is None:
                return None
            time = opening
        if self._breaks is not None:
            working = self._breaks.first_start(time, 1)
            if working is None:
                return None
            time = working
        for spans, ticks in self._rests:
            start = spans.first_start(time, ticks)
            if start is None:
                return None
            time = start
        return time

    def _opening(self, time: int, length: int) -> int | None:
        """Return the first instant from a time on from which a window is open for some ticks."""
        k = bisect_right(self._closings, time - 1)
        while k < len(self._windows):
            begin, end = self._windows[k]
            start = max(time, begin)
            if start + length <= end:
                return start
            k += 1
        return None

    def _next_opening(self, time: int) -> int | None:
        """Return the begin of the first window that opens after a time."""
        return next((begin for begin, _ in self._windows if begin > time), None)

    def _end(self, start: int) -> tuple[int | None, int | None]:
        """Return the end of the action from a start on, or ``None`` and the next start to try."""
        if self._breaks is None:
            return start + self._duration, None
        worked = 0
        end = start
        for begin, end in self._breaks.working_spans(start, self._duration):
            worked += end - begin
            if self._windows and self._opening(begin, end - begin) != begin:
                # From starts before this piece on, it begins at the same tick and ends no earlier.
                return None, begin if begin > start else self._next_opening(start)
        return (end, None) if worked == self._duration else (None, None)

    def next_span(self, time: int) -> tuple[int, int] | None:
        """Return the first span from a time on in which any tick is allowed; for durations of one tick only."""
        stay = self.earliest(time)
        if stay is None:
            return None
        begin = stay[0]
        end = FOREVER
        if self._windows:
            end = self._windows[bisect_right(self._closings, begin)][1]
        for spans, _ in self._rests:
            off = spans.after(begin)
            if off is not None:
                end = min(end, off[0])
        return begin, end
