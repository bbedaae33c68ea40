"""Gantt charts of schedules: who and what is busy when, and the windows that steps must start in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from textwrap import wrap
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.text import Text
from matplotlib.ticker import FuncFormatter, MultipleLocator
from matplotlib.transforms import Bbox, ScaledTranslation

from planoracle.analysis.figures.save import save
from planoracle.instances.errors import InputError
from planoracle.instances.model import Action, Instance
from planoracle.instances.schedule import Piece, Schedule
from planoracle.instances.times import format_clock

__all__ = ["gantt", "save_gantt"]

# Okabe and Ito's colours, ordered so that neighbours also differ in grey; then darker and lighter ones.
_PALETTE = (
    *("#0072b2", "#e69f00", "#009e73", "#f0e442", "#d55e00", "#56b4e9", "#cc79a7"),
    *("#00446b", "#f5dba6", "#005f45", "#fafad0", "#803800", "#bbe1f6", "#7a4964"),
)
_LINE: dict[str, Any] = {"color": "0.25", "lw": 0.9, "markeredgewidth": 0.9, "zorder": 3}
_BRACKET: dict[str, Any] = {**_LINE, "marker": "|", "markersize": 5}
_START: dict[str, Any] = {**_LINE, "marker": "v", "markersize": 3.5}

#: Longest schedule that is drawn.
MAX_TICKS = 10**7

# Heights in units of one bar, which is _BAR_INCHES high in a figure of our own.
_BAR_INCHES, _WINDOW, _LANE_GAP, _ROW_GAP = 0.4, 0.3, 0.1, 0.2
_HOUR, _DAY = 3600, 86400
_CLOCK_STEPS = (1, 5, 10, 15, 30, 60, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200)


def gantt(instance: Instance, schedule: Schedule, ax: Axes | None = None, *, title: str | None = None) -> Axes:
    """Draw a schedule: a row per agent, per resource in use, and for what runs on its own.

    Colours tell the tasks apart; hatched work holds no agent. A bracket over a bar is the window in which
    the step must start because of a maximum time lag, a triangle its actual start.

    Parameters
    ----------
    schedule
        Pieces of actions of ``instance``, by its agents; they need not obey the rules.
    ax
        Where to draw; without it, on a new figure of fitting size.
    title
        By default the name of the instance; ``""`` for none.

    Raises
    ------
    InputError
        If the schedule is too long to draw.
    """
    if schedule.makespan > MAX_TICKS:
        message = f"is too long to draw, more than {MAX_TICKS} {instance.unit}s"
        raise InputError(message, field="schedule", value=schedule.makespan)
    rows = _rows(instance, schedule)
    target = _new_axes(rows) if ax is None else ax
    palette = {task: _PALETTE[i % len(_PALETTE)] for i, task in enumerate(instance.tasks)}
    with rc_context({"hatch.linewidth": 0.5}):
        height = _draw_rows(target, rows, palette)
        legend_height = _draw_legend(target, rows, palette)
    _draw_time(target, schedule.makespan, instance.unit)
    target.set_title(_plain(instance.name if title is None else title, 80), loc="left", pad=15, fontsize=10)
    if ax is None:
        around = 1.15 + legend_height  # title, time axis and legend
        cast(Figure, target.figure).set_figheight(around + _BAR_INCHES * height)
    return target


def save_gantt(instance: Instance, schedule: Schedule, path: str | Path, *, title: str | None = None) -> None:
    """Draw a schedule into a PNG, SVG or PDF file; the same schedule gives the same bytes.

    Raises
    ------
    InputError
        If ``path`` has another suffix or cannot be written.
    """
    save(lambda: gantt(instance, schedule, title=title), path)


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
_Row = tuple[str, list[list[_Bar]]]  # title and lanes


def _rows(instance: Instance, schedule: Schedule) -> list[_Row]:
    """Sort the pieces into rows and lanes, from top to bottom."""
    windows = _windows(instance, schedule)
    found: dict[_Key, list[_Bar]] = defaultdict(list)
    for piece in sorted(schedule.pieces, key=lambda piece: piece.start):
        for key, bar in _bars(instance.by_id[piece.action], piece):
            found[key].append(bar._replace(windows=tuple(windows.pop(piece.action, ()))))  # for the first bar only
    names = {("agent", name): name for name in instance.agents}
    for name, resource in instance.resource.items():
        names["resource", name] = name if resource.capacity == 1 else f"{name} ({resource.capacity})"
    names["own", ""] = "on its own"
    return [(names[key], _pack(found[key]) or [[]]) for key in names if key in found or key[0] == "agent"]


def _bars(action: Action, piece: Piece) -> Iterator[tuple[_Key, _Bar]]:
    """Yield the bars of a piece with their rows; at least one."""
    held = piece.duration if action.interruptible and action.attended else min(action.attended, piece.duration)
    released = piece.start if piece.agent is None else piece.start + held
    if piece.agent is not None and held:
        yield ("agent", piece.agent), _Bar(piece.start, released, released, action)
    demands = action.modes[piece.mode].demands
    for demand in demands:
        yield ("resource", demand.resource), _Bar(piece.start, piece.end, released, action, demand.amount)
    if not demands and (released < piece.end or released == piece.start):
        yield ("own", ""), _Bar(released, piece.end, released, action)


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


def _new_axes(rows: list[_Row]) -> Axes:
    width = min(max(8.0, *(1.5 + 0.52 * len(lane) for _, lanes in rows for lane in lanes)), 24.0)
    return Figure(figsize=(width, 3), layout=ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.1)).add_subplot()


def _draw_rows(ax: Axes, rows: list[_Row], palette: dict[str, str]) -> float:
    """Draw everything below the title and return its height."""
    middles, top = [], 0.0
    for _, lanes in rows:
        y = top + _ROW_GAP
        for lane in lanes:
            for level in _pack(window for bar in lane for window in bar.windows):
                for window in level:
                    ax.plot([window.opens, window.closes], [y + _WINDOW / 2] * 2, label="window", **_BRACKET)
                    ax.plot(window.at, y + _WINDOW / 2, **_START)
                y += _WINDOW
            for bar in lane:
                _draw_bar(ax, bar, y, palette[bar.action.task])
            y += 1 + _LANE_GAP
        y += _ROW_GAP
        ax.axhline(y, color="0.75", lw=0.6)
        middles.append((top + y) / 2)
        top = y
    ax.set_ylim(top, 0)
    ax.set_yticks(middles, [_plain(name) for name, _ in rows], fontsize=8.5)
    ax.tick_params(axis="y", length=0)
    ax.spines[["top", "right"]].set_visible(False)
    return top


def _draw_bar(ax: Axes, bar: _Bar, y: float, colour: str) -> None:
    """Draw a bar, in two parts if the agent leaves early, and write on the longer one."""
    parts = [(bar.start, bar.released, _look(colour)), (bar.released, bar.end, _look(colour, "////"))]
    parts = [part for part in parts if part[0] < part[1]] or parts[1:]
    for start, end, look in parts:
        ax.add_patch(Rectangle((start, y), end - start, 1, label=bar.action.id, zorder=2, **look))
    start, end, look = max(parts, key=lambda part: part[1] - part[0])
    ax.add_artist(_BarText(Bbox.from_extents(start, y, end, y + 1), _wordings(bar), look))


def _wordings(bar: _Bar) -> list[str]:
    """Return what to write on a bar if there is room: number and label on 1 to 3 lines, or the number."""
    number = bar.action.id.rpartition("/")[2] + (f" ×{bar.amount}" if bar.amount > 1 else "")
    full, wrapped = _plain(f"{number} {bar.action.label}", 60), {}
    for width in range(len(full) + 1, len(full) // 3, -1):  # the narrowest of equally many lines is kept
        lines = wrap(full, width, break_long_words=False)
        wrapped[len(lines)] = "\n".join(lines)
    return [*(wrapped[n] for n in (1, 2, 3) if n in wrapped), _plain(number)]


class _BarText(Text):
    """Writes the first wording that fits into a box of data coordinates, or nothing.

    It decides while being drawn, for only then the final sizes are known. The last wording may fit tightly.
    """

    def __init__(self, box: Bbox, wordings: list[str], look: dict[str, Any]) -> None:
        super().__init__(
            *box.get_points().mean(axis=0), ha="center", va="center", fontsize=7, linespacing=1.15, zorder=4
        )
        dark = look["facecolor"] @ (0.3, 0.6, 0.1) < 0.4
        self.set(color="white" if dark else "black", in_layout=False)
        if look["hatch"]:
            self.set_bbox({"facecolor": look["facecolor"], "edgecolor": "none", "pad": 0.4})
        self._room, self._wordings = box, wordings

    def draw(self, renderer: RendererBase) -> None:
        room = self._room.transformed(self.get_transform())
        for wording in [*self._wordings, ""]:
            margin = cast(float, renderer.points_to_pixels(1.6 if wording == self._wordings[-1] else 4))
            self.set_text(wording)
            size = self.get_window_extent(renderer)
            if size.width + margin <= abs(room.width) and size.height + margin <= abs(room.height):
                break
        super().draw(renderer)


def _draw_time(ax: Axes, makespan: int, unit: str) -> None:
    """Set up the time axis, wide enough for windows that close a little later, and mark the makespan."""
    ax.set_xlim(0, max(1, 1.01 * makespan, min(1.01 * ax.dataLim.x1, 1.1 * makespan)))
    clock, hours = unit == "second", makespan >= _HOUR
    step = _tick_step(makespan, max(2.0, 1.5 * ax.get_window_extent().width / ax.figure.dpi), clock)
    ax.xaxis.set_major_locator(MultipleLocator(step))
    part = slice(0, -3) if hours else slice(3, None)
    label = (lambda x, _: format_clock(round(x))[part].removeprefix("0")) if clock else (lambda x, _: f"{x:.0f}")
    ax.xaxis.set_major_formatter(FuncFormatter(label))
    ax.set_xlabel(_plain(f"time ({('h:mm' if hours else 'm:ss') if clock else unit})"), fontsize=8.5)
    ax.tick_params(axis="x", labelsize=8)
    ax.grid(axis="x", color="0.88", lw=0.6)
    ax.axvline(makespan, color="black", lw=1.1, zorder=3.5)
    text, place = f"makespan {format_clock(makespan) if clock else makespan}", ax.get_xaxis_transform()
    ax.annotate(text, (makespan, 1), (0, 3), place, "offset points", ha="right", fontsize=8)


def _tick_step(span: int, room: float, clock: bool) -> int:
    """Return the smallest round step that divides ``span`` into at most ``room`` parts."""
    steps = [step for step in _CLOCK_STEPS if clock and (step >= 60 or span < _HOUR)]
    steps += [digit * 10**power * (_DAY if clock else 1) for power in range(20) for digit in (1, 2, 5)]
    return next(step for step in steps if span / step <= room)


def _draw_legend(ax: Axes, rows: list[_Row], palette: dict[str, str]) -> float:
    """Explain colours, hatch and brackets below the time axis, in as many columns as fit; return its inches."""
    bars = [bar for _, lanes in rows for lane in lanes for bar in lane]
    handles: list[Patch | Line2D] = [Patch(label=_plain(task), **_look(colour)) for task, colour in palette.items()]
    if any(bar.released < bar.end for bar in bars):
        handles.append(Patch(label="holds no agent", **_look("#808080", "////")))
    if any(bar.windows for bar in bars):
        handles.append(Line2D([], [], label="window for the start (▼) of the step below", **_BRACKET))
    below = ax.transAxes + ScaledTranslation(0, -0.5, ax.figure.dpi_scale_trans)  # clear of the axis label
    options: dict[str, Any] = {"bbox_to_anchor": (0, 0), "bbox_transform": below, "borderaxespad": 0}
    options |= {"numpoints": 2, "fontsize": 8, "frameon": False, "handlelength": 2.6}
    for columns in range(len(handles), 0, -1):
        legend = ax.legend(handles=handles, loc="upper left", ncols=columns, **options)
        size = legend.get_window_extent()
        if size.width <= ax.get_window_extent().width:
            break
    return size.height / ax.figure.dpi


def _plain(text: str, limit: int = 40) -> str:
    """Keep names from being read as formulas or as hidden legend entries, and from filling the figure."""
    text = " ".join(text.split())
    text = text if len(text) <= limit else f"{text[: limit - 1]}…"
    return (f" {text}" if text.startswith("_") else text).replace("$", r"\$")


def _look(colour: str, hatch: str | None = None) -> dict[str, Any]:
    full = np.array(to_rgb(colour))
    return {"facecolor": 0.8 + 0.2 * full if hatch else full, "edgecolor": 0.4 * full, "lw": 0.8, "hatch": hatch}
