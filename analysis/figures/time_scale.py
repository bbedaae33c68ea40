"""Time axis on which nights and weekends without work are narrow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

#: Shortest span without work that is narrowed, in seconds: longer than a break, shorter than a night.
MIN_SECONDS = 4 * 3600
#: Share of the work that a narrowed span takes on the axis.
NARROW_SHARE = 0.012

_Span = tuple[int, int]


class TimeScale:
    """Monotone mapping of ticks to positions on the axis, linear except for narrowed spans.

    Parameters
    ----------
    gaps
        Spans to narrow, sorted and disjoint, in ticks.
    end
        Last tick of the axis.

    Examples
    --------
    >>> scale = TimeScale([(100, 1000)], 1100)
    >>> scale.position([100, 1000, 1100]).tolist()
    [100.0, 102.4, 202.4]
    """

    def __init__(self, gaps: Iterable[_Span], end: int) -> None:
        self.gaps = list(gaps)
        work = end - sum(stop - start for start, stop in self.gaps)
        width = NARROW_SHARE * work
        ticks, positions = [0.0], [0.0]
        for start, stop in self.gaps:
            positions.append(positions[-1] + start - ticks[-1])
            positions.append(positions[-1] + width)
            ticks += [start, stop]
        for knots in (ticks, positions):
            knots.insert(0, knots[0] - 1)
        remaining = max(1.0, end - ticks[-1])
        ticks.append(ticks[-1] + remaining)
        positions.append(positions[-1] + remaining)
        self._ticks, self._positions = np.array(ticks), np.array(positions)

    def position(self, ticks: ArrayLike) -> NDArray[np.float64]:
        """Return the positions of ticks."""
        return _interpolate(ticks, self._ticks, self._positions)

    def tick(self, positions: ArrayLike) -> NDArray[np.float64]:
        """Return the ticks of positions."""
        return _interpolate(positions, self._positions, self._ticks)

    def is_narrowed(self, tick: float) -> bool:
        """Return whether a tick lies inside a narrowed span."""
        return any(start < tick < stop for start, stop in self.gaps)

    def apply(self, ax: Axes) -> None:
        """Use the scale for the time axis."""
        if self.gaps:
            ax.set_xscale("function", functions=(self.position, self.tick))


def _interpolate(values: ArrayLike, knots: NDArray[np.float64], images: NDArray[np.float64]) -> NDArray[np.float64]:
    """Map values piecewise linearly, beyond the knots with slope 1."""
    numbers = np.asarray(values, dtype=float)
    inside = np.interp(numbers, knots, images)
    below = np.minimum(numbers - knots[0], 0)
    above = np.maximum(numbers - knots[-1], 0)
    images_of_values: NDArray[np.float64] = inside + below + above
    return images_of_values


def idle_gaps(work: Iterable[_Span], off: Iterable[Sequence[_Span]], end: int, min_length: float) -> list[_Span]:
    """Return the spans to narrow: those without work in which an agent or resource is off all the time.

    Parameters
    ----------
    work
        Spans of bars and other marks.
    off
        Off-times of each row.
    end
        Last tick of the axis.
    min_length
        Ticks of the shortest span to narrow.

    Examples
    --------
    >>> idle_gaps([(0, 8), (20, 30)], [[(10, 18)], [(9, 20)]], 30, 10)
    [(9, 20)]
    """
    gaps: list[_Span] = []
    free = _complement(sorted(work), end)
    candidates = sorted(set(chain.from_iterable(off)))
    for start, stop in free:
        overlaps = [(max(start, begin), min(stop, finish)) for begin, finish in candidates]
        longest = max(overlaps, key=lambda span: span[1] - span[0], default=(0, 0))
        if longest[1] - longest[0] >= min_length:
            gaps.append(longest)
    return gaps


def _complement(spans: Iterable[_Span], end: int) -> list[_Span]:
    """Return the maximal spans until ``end`` without any of some sorted spans."""
    free = []
    clock = 0
    for start, stop in spans:
        if clock < start:
            free.append((clock, start))
        clock = max(clock, stop)
    if clock < end:
        free.append((clock, end))
    return free
