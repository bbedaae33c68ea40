"""Rows of bars of a schedule: agents and resources over time, and start windows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.transforms import Bbox

from planoracle.analysis.figures import lags, row_background
from planoracle.analysis.figures.bar_colours import BarColours
from planoracle.analysis.figures.labels import BarTexts, FittedText, bar_texts
from planoracle.analysis.figures.style import is_narrow, plain, scale, shade
from planoracle.instances.errors import InputError
from planoracle.instances.model.instance import Action, Demand, Instance
from planoracle.instances.model.piece_variants import ticks_of_agent
from planoracle.instances.model.schedule import Piece, Schedule, variant_of
from planoracle.instances.model.transitions import ticks_between

#: Longest schedule that is drawn.
MAX_TICKS = 10**7
#: Most pieces that are drawn.
MAX_PIECES = 5000

# Heights in units of one bar; height of a bar in inches: for three lines of text, or for one line in a column.
_BAR, _LOW_BAR = 0.4, 0.25
_LANE_GAP = 0.1
_ROW_GAP = 0.2
_STATE = 0.5
_NAME = 0.65  # room above the bars of a row for its name, in a column
_STATES: list[dict[str, Any]] = [
    {"facecolor": face, "edgecolor": "0.5", "lw": 0.6, "hatch": None} for face in ("0.95", "0.84")
]

_PAUSE: dict[str, Any] = {"color": "0.25", "lw": 1.2, "ls": (0, (1, 1)), "zorder": 1.9}

#: Style of the bars of marked actions, as differences from the usual style.
_MARKED: dict[str, dict[str, Any]] = {
    "same": {"lw": 0.6},
    "moved": {},
    "changed": {"lw": 1.8, "edgecolor": "black"},
    "only": {"lw": 1.8, "edgecolor": "black", "ls": (0, (2, 1.2))},
}


class _Bar(NamedTuple):
    """Piece in one row of the chart; until ``released`` it occupies an agent."""

    start: int
    end: int
    released: int
    action: Action
    piece: Piece
    amount: int = 1
    windows: tuple[lags.Window, ...] = ()
    deadline: int | None = None


_Key = tuple[str, str]  # kind and name of a row


class _State(NamedTuple):
    """Setting of a resource in a span of time."""

    start: int
    end: int
    name: str


class _Run(NamedTuple):
    """Bars in one row that stay in one lane: a single bar, or all bars of an action that pauses in breaks."""

    start: int
    end: int
    bars: list[_Bar]

    @classmethod
    def of(cls, bars: list[_Bar]) -> _Run:
        return cls(bars[0].start, max(bar.end for bar in bars), bars)


class Lane(NamedTuple):
    """Bars that do not overlap, pauses between them, and marks above them.

    Attributes
    ----------
    levels
        Windows and delays by level.
    """

    bars: list[_Bar]
    levels: list[list[lags.Window]]
    deadlines: list[int]
    pauses: list[tuple[int, int]]

    @classmethod
    def of(cls, runs: list[_Run], makespan: int) -> Lane:
        """Return the lane of runs; deadlines after the makespan are omitted."""
        bars = list(chain.from_iterable(run.bars for run in runs))
        pauses = []
        for run in runs:
            pauses += [(bar.end, following.start) for bar, following in pairwise(run.bars)]
        windows = list(chain.from_iterable(bar.windows for bar in bars))
        levels = lags.levels(windows) if windows else []
        deadlines = {bar.deadline for bar in bars if bar.deadline is not None}
        instants = [deadline for deadline in deadlines if deadline <= makespan]
        return cls(bars, levels, sorted(instants), pauses)


class ChartRow(NamedTuple):
    """Row of a chart: bars, states, off-times, and ways or set-ups of an agent or resource."""

    kind: str
    title: str
    lanes: list[Lane]
    states: Sequence[_State] = ()
    off: Sequence[tuple[int, int]] = ()
    ways: Sequence[row_background.Way] = ()


def check_length(instance: Instance, schedule: Schedule) -> None:
    """Raise `InputError` if a schedule is too long to draw, or has too many pieces."""
    if schedule.makespan > MAX_TICKS:
        message = f"is too long to draw; the limit is {MAX_TICKS:,} {instance.unit}s"
        raise InputError(message, field="schedule", value=schedule.makespan)
    count = len(schedule.pieces)
    if count > MAX_PIECES:
        message = f"has too many pieces to draw; the limit is {MAX_PIECES:,}"
        raise InputError(message, field="schedule", value=count)


def bar_inches() -> float:
    """Return the height of a bar in inches."""
    return (_LOW_BAR if is_narrow() else _BAR) * max(1.0, scale())


def rows(instance: Instance, schedule: Schedule) -> list[ChartRow]:
    """Sort the pieces into rows and lanes, from top to bottom.

    Rows without a bar and milestones are left out.
    """
    windows = lags.windows(instance, schedule)
    deadlines = lags.deadlines(instance, schedule)
    bars: dict[_Key, list[_Bar]] = defaultdict(list)
    pieces = [piece for piece in schedule.pieces if not instance.by_id[piece.action].is_milestone]
    for piece in sorted(pieces, key=lambda piece: piece.start):
        for key, bar in _bars(instance, piece):
            # Windows and deadline stand above the first bar only.
            marks = tuple(windows.pop(piece.action, ()))
            deadline = deadlines.pop(piece.action, None)
            bars[key].append(bar._replace(windows=marks, deadline=deadline))
    states = _states(instance, schedule)
    ways_by_member = row_background.ways(instance, schedule)
    chart_rows = []
    for key, title in _row_titles(instance, schedule).items():
        if key not in bars:
            continue
        kind, name = key
        lanes = [Lane.of(lane, schedule.makespan) for lane in lags.pack(_runs(bars[key]))]
        states_of_row = states.get(name, ()) if kind == "resource" else ()
        off = row_background.off_spans(instance, name, schedule.makespan)
        chart_rows.append(ChartRow(kind, title, lanes, states_of_row, off, ways_by_member.get(name, ())))
    return chart_rows


def _runs(bars: list[_Bar]) -> list[_Run]:
    """Return the bars of a row as runs, in the order of their first bars."""
    by_action: dict[object, list[_Bar]] = {}
    for position, bar in enumerate(bars):
        key = bar.action.id if bar.action.pauses_in_breaks else position
        by_action.setdefault(key, []).append(bar)
    return [_Run.of(members) for members in by_action.values()]


def _row_titles(instance: Instance, schedule: Schedule) -> dict[_Key, str]:
    """Return the titles of all possible rows in their order: agents, resources and unattended work."""
    agents = [*instance.agents, *(piece.agent for piece in schedule.pieces if piece.agent is not None)]
    titles: dict[_Key, str] = {("agent", name): name for name in agents}
    for name, resource in instance.resource.items():
        titles["resource", name] = name if resource.capacity == 1 else f"{name} ({resource.capacity})"
    titles["alone", ""] = "unattended"
    return titles


def _demands(instance: Instance, piece: Piece) -> list[Demand]:
    """Return the demands of a piece that take room in time; those of budgets do not."""
    demands = variant_of(instance, piece).demands
    return [demand for demand in demands if instance.resource[demand.resource].renewable]


def _states(instance: Instance, schedule: Schedule) -> dict[str, list[_State]]:
    """Return states of resources, or families of work, over time; simultaneous ones are joined."""
    settings: dict[str, dict[int, dict[str, None]]] = defaultdict(lambda: defaultdict(dict))
    for piece in schedule.pieces:
        for demand in _demands(instance, piece):
            state = _state_of(instance, demand)
            if state is not None:
                settings[demand.resource][piece.start][state] = None
    spans: dict[str, list[_State]] = {}
    for name, resource in instance.resource.items():
        changes = {0: resource.state} if resource.state else {}
        for start, states in settings[name].items():
            changes[start] = " or ".join(sorted(states))
        spans[name] = _spans(changes, schedule.makespan)
    return spans


def _state_of(instance: Instance, demand: Demand) -> str | None:
    """Return the state that a use sets, or its family if no set-up lies between two uses of that family."""
    if demand.family is None:
        return demand.sets
    for transitions in instance.transitions:
        if demand.resource in transitions.members:
            return None if ticks_between(transitions.ways(), demand.family, demand.family) else demand.family
    return None


def _spans(changes: Mapping[int, str], makespan: int) -> list[_State]:
    """Return the spans of states that begin at the given times; the last one ends at the makespan."""
    starts: list[int] = []
    state: str | None = None
    for start in sorted(changes):
        if changes[start] != state:
            starts.append(start)
        state = changes[start]
    ends = [*starts[1:], makespan]
    return [_State(start, end, changes[start]) for start, end in zip(starts, ends, strict=False)]


def _bars(instance: Instance, piece: Piece) -> Iterator[tuple[_Key, _Bar]]:
    """Yield the bars of a piece with their rows; at least one."""
    action = instance.by_id[piece.action]
    attended = min(ticks_of_agent(instance, piece), piece.duration)
    agent_until = piece.start if piece.agent is None else piece.start + attended
    released = agent_until if instance.agents else piece.end  # without agents, no work is marked as unattended
    if piece.agent is not None and attended:
        yield ("agent", piece.agent), _Bar(piece.start, agent_until, agent_until, action, piece)
    demands = _demands(instance, piece)
    for demand in demands:
        bar = _Bar(piece.start, piece.end, released, action, piece, demand.amount)
        yield ("resource", demand.resource), bar
    if not demands and (agent_until < piece.end or agent_until == piece.start):
        yield ("alone", ""), _Bar(agent_until, piece.end, released, action, piece)


def width(chart_rows: list[ChartRow]) -> float:
    """Return the width in inches at which the busiest lane is legible, within limits."""
    lanes = chain.from_iterable(row.lanes for row in chart_rows)
    max_bars = max((len(lane.bars) for lane in lanes), default=0)
    return min(max(8.0, 1.5 + 0.52 * max_bars), 24.0)


def busy_spans(chart_rows: Iterable[ChartRow]) -> Iterator[tuple[int, int]]:
    """Yield the spans of bars, ways and windows."""
    for row in chart_rows:
        yield from ((way.start, way.end) for way in row.ways)
        for lane in row.lanes:
            yield from ((bar.start, bar.end) for bar in lane.bars)
            yield from ((window.start, window.end) for window in chain.from_iterable(lane.levels))
            yield from ((deadline, deadline) for deadline in lane.deadlines)


def draw_rows(
    ax: Axes,
    chart_rows: list[ChartRow],
    colours: BarColours,
    *,
    numbers: Mapping[str, str],
    top: float = 0.0,
    marks: Mapping[str, str] | None = None,
) -> list[float]:
    """Draw rows from ``top`` downwards; return the start of the first row and the end of each.

    ``numbers`` label bars that are too small for words. ``marks`` compare actions with another schedule, see
    `planoracle.analysis.figures.gantt.differences`.
    """
    ends = [top]
    for row in chart_rows:
        y = ends[-1] + (_NAME if is_narrow() else _ROW_GAP)
        for position, lane in enumerate(row.lanes):
            y = _draw_marks(ax, lane, y)
            if not position:
                row_background.draw_ways(ax, row.ways, y)
            _draw_pauses(ax, lane.pauses, y)
            for bar in lane.bars:
                action, piece = bar.action, bar.piece
                texts = bar_texts(action, piece.mode, bar.amount, names_task=colours.kind != "task")
                texts = texts.with_number(numbers.get(action.id, ""))
                mark = marks.get(action.id, "moved") if marks else "moved"
                _draw_bar(ax, bar, y, colours.of(action, piece), mark, texts)
            y += 1 + _LANE_GAP
        for place, state in enumerate(row.states):
            _draw_state(ax, state, y, _STATES[place % 2])
        if row.states:
            y += _STATE + _LANE_GAP
        y += _ROW_GAP
        row_background.draw_off_times(ax, row.off, ends[-1], y)
        ax.axhline(y, color="0.75", lw=0.6)
        ends.append(y)
    return ends


def _draw_marks(ax: Axes, lane: Lane, y: float) -> float:
    """Draw the windows and deadlines of a lane from a height downwards; return the height of its bars."""
    for level in lane.levels:
        for window in level:
            lags.draw_window(ax, window, y + lags.LEVEL / 2)
        y += lags.LEVEL
    if lane.deadlines:
        lags.draw_deadlines(ax, lane.deadlines, y + lags.LEVEL / 2)
        y += lags.LEVEL
    return y


def _draw_pauses(ax: Axes, pauses: Iterable[tuple[int, int]], y: float) -> None:
    """Connect the bars of actions that pause in breaks."""
    for start, end in pauses:
        if start < end:
            ax.plot([start, end], [y + 0.5] * 2, label="pause", **_PAUSE)


def _draw_state(ax: Axes, state: _State, y: float, look: dict[str, Any]) -> None:
    box = Bbox.from_extents(state.start, y, state.end, y + _STATE)
    length = state.end - state.start
    ax.add_patch(Rectangle((state.start, y), length, _STATE, label="state", zorder=2, **look))
    ax.add_artist(FittedText(box, [plain(state.name)], look, size=6.5))


def _draw_bar(ax: Axes, bar: _Bar, y: float, colour: str, mark: str, texts: BarTexts) -> None:
    """Draw a bar, in two parts if the agent is released early, with a text on the longer part."""
    attended = (bar.start, bar.released, _mark_style(shade(colour), mark))
    unattended = (bar.released, bar.end, _mark_style(shade(colour, "////"), mark))
    parts = [part for part in (attended, unattended) if part[0] < part[1]] or [unattended]
    for start, end, look in parts:
        ax.add_patch(Rectangle((start, y), end - start, 1, label=bar.action.id, zorder=2, **look))
    lengths = [end - start for start, end, _ in parts]
    start, end, look = parts[lengths.index(max(lengths))]
    box = Bbox.from_extents(start, y, end, y + 1)
    text = FittedText(box, texts.wordings, look, short=texts.short, task=texts.task)
    text.set_label(bar.action.id)
    ax.add_artist(text)


def _mark_style(look: dict[str, Any], mark: str) -> dict[str, Any]:
    look = look | _MARKED[mark]
    if mark == "same":  # almost white, which emphasizes the others
        colour = np.array(to_rgb(look["facecolor"]))
        look |= {"facecolor": 0.88 + 0.12 * colour, "edgecolor": "0.6"}
    return look


def handles(chart_rows: Iterable[ChartRow], colours: BarColours) -> list[Patch | Line2D]:
    """Return legend handles for colours, hatch and marks of lags."""
    rows = list(chart_rows)
    lanes = list(chain.from_iterable(row.lanes for row in rows))
    bars = list(chain.from_iterable(lane.bars for lane in lanes))
    patches: list[Patch | Line2D] = []
    for name, colour in colours.legend((bar.action, bar.piece) for bar in bars).items():
        patches.append(Patch(label=plain(name), **shade(colour)))
    if any(bar.released < bar.end for bar in bars):
        patches.append(Patch(label="unattended", **shade("#808080", "////")))
    if any(row.states for row in rows):
        patches.append(Patch(label="state or family of work", **_STATES[0]))
    if any(row.off for row in rows):
        patches.append(row_background.off_handle())
    if any(lane.pauses for lane in lanes):
        patches.append(Line2D([], [], label="pause in a break", **_PAUSE))
    with_ways = {row.kind for row in rows if row.ways}
    if with_ways:
        patches.append(row_background.way_handle(is_travel="agent" in with_ways, is_setup="resource" in with_ways))
    levels = chain.from_iterable(lane.levels for lane in lanes)
    windows = list(chain.from_iterable(levels))
    omitted = sum(len(bar.windows) for bar in bars) - len(windows)
    has_deadlines = any(lane.deadlines for lane in lanes)
    return [*patches, *lags.handles(windows, omitted=omitted, has_deadlines=has_deadlines)]


def mark_handles(marks: Iterable[str]) -> list[Patch]:
    """Return legend handles for the marks in use."""
    words = {
        "same": "the same in both plans",
        "moved": "at a different time",
        "changed": "different pieces, agent or mode",
        "only": "in this plan only",
    }
    present = set(marks)
    look = shade("#a0a0a0")
    return [Patch(label=text, **_mark_style(look, mark)) for mark, text in words.items() if mark in present]
