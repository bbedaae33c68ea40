"""Starts that windows and off-times allow, as ranges of ticks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

#: Ranges ``(first, last)`` of ticks, both included, sorted and disjoint.
Ranges = list[tuple[int, int]]


class PauseRange(NamedTuple):
    """Starts of an action that pauses in breaks, between which its pauses are the same.

    Attributes
    ----------
    first, last
        First and last of these starts.
    pause
        Ticks of all pauses together.
    """

    first: int
    last: int
    pause: int


def starts_in_windows(windows: Sequence[tuple[int, int]], length: int) -> Ranges:
    """Return the starts at which a piece lies in one of some windows.

    >>> starts_in_windows([(0, 4), (6, 7)], 2)
    [(0, 2)]
    """
    ranges = []
    for begin, end in windows:
        if end - begin >= length:
            ranges.append((begin, end - length))
    return ranges


def starts_outside(off: Iterable[tuple[int, int]], length: int, last: int) -> Ranges:
    """Return the starts from 0 to ``last`` at which a piece has no tick in common with any off-time.

    Parameters
    ----------
    off
        Maximal off-times, sorted.
    length
        Ticks of the piece, at least 1.

    Examples
    --------
    >>> starts_outside([(2, 4), (9, 12)], 3, 20)
    [(4, 6), (12, 20)]
    """
    ranges = []
    clock = 0
    for begin, end in off:
        if begin - length >= clock:
            ranges.append((clock, min(begin - length, last)))
        clock = max(clock, end)
    if clock <= last:
        ranges.append((clock, last))
    return ranges


def pause_ranges(
    off: Iterable[tuple[int, int]], windows: Sequence[tuple[int, int]], duration: int, horizon: int
) -> Iterator[PauseRange]:
    """Yield the starts of an action that pauses exactly in some off-times, and ends until a horizon.

    Parameters
    ----------
    off
        Maximal off-times, sorted.
    windows
        Spans, in one of which each piece must lie.
    duration
        Ticks of work, at least 1.

    Examples
    --------
    >>> list(pause_ranges([(4, 6)], [(0, 20)], 3, 10))
    [PauseRange(first=0, last=1, pause=0), PauseRange(first=2, last=3, pause=2), PauseRange(first=6, last=7, pause=0)]
    """
    runs = list(_runs(off, horizon))
    for number, (begin, end) in enumerate(runs):
        for first, last in starts_in_windows(list(_cut(windows, begin, end)), duration):
            yield PauseRange(first, last, 0)
        for window in _cut(windows, begin, end):
            if window[1] == end:
                yield from _starts_before_pauses(runs, number, window[0], windows, duration)


def _runs(off: Iterable[tuple[int, int]], horizon: int) -> Iterator[tuple[int, int]]:
    """Yield the spans between off-times."""
    clock = 0
    for begin, end in off:
        if begin > clock:
            yield clock, min(begin, horizon)
        clock = max(clock, end)
    if clock < horizon:
        yield clock, horizon


def _cut(windows: Iterable[tuple[int, int]], begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the parts of windows inside a span that have a tick."""
    for opening, closing in windows:
        start, stop = max(opening, begin), min(closing, end)
        if start < stop:
            yield start, stop


def _starts_before_pauses(
    runs: Sequence[tuple[int, int]], number: int, earliest: int, windows: Sequence[tuple[int, int]], duration: int
) -> Iterator[PauseRange]:
    """Yield the starts from ``earliest`` on in a run from which work goes on in later runs."""
    end = runs[number][1]
    pause = worked = 0  # off-times since the end of the run, and ticks worked in the runs between
    previous_end = end
    for begin, next_end in runs[number + 1 :]:
        pause += begin - previous_end
        previous_end = next_end
        # The last piece lies in the window that is open when the run begins.
        closing = max((stop for start, stop in _cut(windows, begin, next_end) if start == begin), default=begin)
        longest_rest = min(duration - 1 - worked, closing - begin)
        # The start is ``end - (duration - worked - rest)`` if the last piece takes ``rest`` ticks.
        first = max(earliest, end - duration + worked + 1)
        last = min(end - 1, end - duration + worked + longest_rest)
        if first <= last:
            yield PauseRange(first, last, pause)
        worked += next_end - begin
        if worked >= duration - 1 or closing < next_end:
            return
