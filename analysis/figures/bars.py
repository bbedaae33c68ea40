"""Schedules as rows of bars: who and what is busy when, and the windows that steps must start in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from textwrap import wrap
from typing import Any, NamedTuple, TypeVar

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.transforms import Bbox

from planoracle.analysis.figures.style import PALETTE, FittedText, plain, shade
from planoracle.instances.errors import InputError
from planoracle.instances.model import Action, Instance
from planoracle.instances.schedule import Piece, Schedule

__all__ = [
    "BAR_INCHES",
    "Row",
    "check_length",
    "draw_rows",
    "handles",
    "mark_handles",
    "palette",
    "rows",
    "width",
]

#: Longest schedule that is drawn.
MAX_TICKS = 10**7
#: Most pieces that are drawn.
MAX_PIECES = 5000

# Heights in units of one bar, which is BAR_INCHES high in a figure of our own.
BAR_INCHES = 0.4
_WINDOW, _LANE_GAP, _ROW_GAP = 0.3, 0.1, 0.2
_LINE: dict[str, Any] = {"color": "0.25", "lw": 0.9, "markeredgewidth": 0.9, "zorder": 3}
_BRACKET: dict[str, Any] = {**_LINE, "marker": "|", "markersize": 5}
_START: dict[str, Any] = {**_LINE, "marker": "v", "markersize": 3.5}

#: How bars of marked actions look: all that differs from the usual look.
_MARKED: dict[str, dict[str, Any]] = {
    "same": {"lw": 0.6},
    "moved": {},
    "changed": {"lw": 1.8, "edgecolor": "black"},
    "only": {"lw": 1.8, "edgecolor": "black", "ls": (0, (2, 1.2))},
}


class _Window(NamedTuple):
    """Opens at the finish of one action and closes a maximum lag later; another starts ``at``; drawn in start..end."""

    start: int
    end: int
    opens: int
    closes: int
    at: int


class _Bar(NamedTuple):
    """A piece as it appears in one row; until ``released`` it holds an agent."""

    start: int
    end: int
    released: int
    action: Action
    amount: int = 1
    windows: tuple[_Window, ...] = ()


_S = TypeVar("_S", _Bar, _Window)
_Key = tuple[str, str]  # kind and name of a row
#: Title and lanes.
Row = tuple[str, list[list[_Bar]]]


def check_length(instance: Instance, schedule: Schedule) -> None:
    """Raise `InputError` if a schedule is too long to draw, or has too many pieces."""
    if schedule.makespan > MAX_TICKS:
        message = f"is too long to draw, more than {MAX_TICKS} {instance.unit}s"
        raise InputError(message, field="schedule", value=schedule.makespan)
    if len(schedule.pieces) > MAX_PIECES:
        raise InputError(f"has more than {MAX_PIECES} pieces to draw", field="schedule", value=len(schedule.pieces))


def palette(instance: Instance) -> dict[str, str]:
    """Return a colour for every task."""
    return {task: PALETTE[i % len(PALETTE)] for i, task in enumerate(instance.tasks)}


def rows(instance: Instance, schedule: Schedule) -> list[Row]:
    """Sort the pieces into rows and lanes, from top to bottom."""
    windows = _windows(instance, schedule)
    found: dict[_Key, list[_Bar]] = defaultdict(list)
    for piece in sorted(schedule.pieces, key=lambda piece: piece.start):
        for key, bar in _bars(instance.by_id[piece.action], piece):
            found[key].append(bar._replace(windows=tuple(windows.pop(piece.action, ()))))  # for the first bar only
    strangers = [piece.agent for piece in schedule.pieces if piece.agent is not None]
    names = {("agent", name): name for name in dict.fromkeys([*instance.agents, *strangers])}
    for name, resource in instance.resource.items():
        names["resource", name] = name if resource.capacity == 1 else f"{name} ({resource.capacity})"
    names["alone", ""] = "on its own"
    return [(names[key], _pack(found[key]) or [[]]) for key in names if key in found or key[0] == "agent"]


def _bars(action: Action, piece: Piece) -> Iterator[tuple[_Key, _Bar]]:
    """Yield the bars of a piece with their rows; at least one."""
    held = piece.duration if action.interruptible and action.attended else min(action.attended, piece.duration)
    released = piece.start if piece.agent is None else piece.start + held
    if piece.agent is not None and held:
        yield ("agent", piece.agent), _Bar(piece.start, released, released, action)
    demands = action.modes[piece.mode].demands if 0 <= piece.mode < len(action.modes) else ()
    for demand in demands:
        yield ("resource", demand.resource), _Bar(piece.start, piece.end, released, action, demand.amount)
    if not demands and (released < piece.end or released == piece.start):
        yield ("alone", ""), _Bar(released, piece.end, released, action)


def _windows(instance: Instance, schedule: Schedule) -> dict[str, list[_Window]]:
    """Return the windows of every action that a maximum lag ends in."""
    finish = schedule.finish()
    starts = {piece.action: piece.start for piece in sorted(schedule.pieces, key=lambda piece: -piece.start)}
    gap = schedule.makespan // 200 + 1  # lest two brackets look like one
    windows: dict[str, list[_Window]] = defaultdict(list)
    for lag in instance.lags:
        if lag.maximum is not None and lag.before in finish and lag.after in starts:
            marks = finish[lag.before], finish[lag.before] + lag.maximum, starts[lag.after]
            windows[lag.after].append(_Window(min(marks), max(marks) + gap, *marks))
    return windows


def _pack(spans: Iterable[_S]) -> list[list[_S]]:
    """Distribute spans over as few lanes as possible, such that none overlap."""
    lanes: list[list[_S]] = []
    for span in sorted(spans, key=lambda span: (span.start, span.end)):
        lane = next((lane for lane in lanes if lane[-1].end <= span.start), None)
        if lane is None:
            lanes.append(lane := [])
        lane.append(span)
    return lanes


def width(found: list[Row]) -> float:
    """Return inches in which the busiest lane can be read, within limits."""
    return min(max(8.0, *(1.5 + 0.52 * len(lane) for _, lanes in found for lane in lanes)), 24.0)


def draw_rows(
    ax: Axes, found: list[Row], colours: dict[str, str], *, top: float = 0.0, marks: Mapping[str, str] | None = None
) -> tuple[float, list[float]]:
    """Draw rows from ``top`` downwards; return where they end, and the middle of each.

    ``marks`` say of actions whether they are the ``same`` as in another schedule, ``moved``, ``changed``, or in this
    ``only``.
    """
    middles = []
    for _, lanes in found:
        y = top + _ROW_GAP
        for lane in lanes:
            for level in _pack(window for bar in lane for window in bar.windows):
                for window in level:
                    ax.plot([window.opens, window.closes], [y + _WINDOW / 2] * 2, label="window", **_BRACKET)
                    ax.plot(window.at, y + _WINDOW / 2, **_START)
                y += _WINDOW
            for bar in lane:
                _draw_bar(ax, bar, y, colours[bar.action.task], (marks or {}).get(bar.action.id, "moved"))
            y += 1 + _LANE_GAP
        y += _ROW_GAP
        ax.axhline(y, color="0.75", lw=0.6)
        middles.append((top + y) / 2)
        top = y
    return top, middles


def _draw_bar(ax: Axes, bar: _Bar, y: float, colour: str, mark: str) -> None:
    """Draw a bar, in two parts if the agent leaves early, and write on the longer one."""
    parts = [
        (bar.start, bar.released, _marked(shade(colour), mark)),
        (bar.released, bar.end, _marked(shade(colour, "////"), mark)),
    ]
    parts = [part for part in parts if part[0] < part[1]] or parts[1:]
    for start, end, look in parts:
        ax.add_patch(Rectangle((start, y), end - start, 1, label=bar.action.id, zorder=2, **look))
    start, end, look = max(parts, key=lambda part: part[1] - part[0])
    ax.add_artist(FittedText(Bbox.from_extents(start, y, end, y + 1), _wordings(bar), look))


def _marked(look: dict[str, Any], mark: str) -> dict[str, Any]:
    look = look | _MARKED[mark]
    if mark == "same":  # almost white: the eye goes to the others
        look |= {"facecolor": 0.88 + 0.12 * np.array(to_rgb(look["facecolor"])), "edgecolor": "0.6"}
    return look


def _wordings(bar: _Bar) -> list[str]:
    """Return what to write on a bar if there is room: number and label on 1 to 3 lines, or the number."""
    number = bar.action.id.rpartition("/")[2] + (f" ×{bar.amount}" if bar.amount > 1 else "")
    full, wrapped = plain(f"{number} {bar.action.label}", 60), {}
    for size in range(len(full) + 1, len(full) // 3, -1):  # the narrowest of equally many lines is kept
        lines = wrap(full, size, break_long_words=False)
        wrapped[len(lines)] = "\n".join(lines)
    return [*(wrapped[n] for n in (1, 2, 3) if n in wrapped), plain(number)]


def handles(found: Iterable[Row], colours: dict[str, str]) -> list[Patch | Line2D]:
    """Return what explains colours, hatch and brackets."""
    bars = [bar for _, lanes in found for lane in lanes for bar in lane]
    shown: list[Patch | Line2D] = [Patch(label=plain(task), **shade(colour)) for task, colour in colours.items()]
    if any(bar.released < bar.end for bar in bars):
        shown.append(Patch(label="holds no agent", **shade("#808080", "////")))
    if any(bar.windows for bar in bars):
        shown.append(Line2D([], [], label="window for the start (▼) of the step below", **_BRACKET))
    return shown


def mark_handles(marks: Iterable[str]) -> list[Patch]:
    """Return what explains the marks that occur."""
    words = {
        "same": "as in the other plan",
        "moved": "at another time",
        "changed": "cut, or done by or with another",
        "only": "in this plan only",
    }
    there = set(marks)
    return [Patch(label=words[mark], **_marked(shade("#a0a0a0"), mark)) for mark in words if mark in there]
