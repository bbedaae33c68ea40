"""Marks of time lags in charts: windows and delays above the bars, and deadlines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Schedule

#: Height of a level of windows or of deadlines, in heights of a bar.
LEVEL = 0.3
#: Most levels of windows above a lane of bars; the widest of further windows are not drawn.
MAX_LEVELS = 3

_LINE: dict[str, Any] = {"color": "0.25", "lw": 0.9, "markeredgewidth": 0.9, "zorder": 3}
_BRACKET: dict[str, Any] = {**_LINE, "marker": "|", "markersize": 5}
_DELAY: dict[str, Any] = {**_LINE, "ls": (0, (1, 1)), "marker": ">", "markersize": 3.5, "markevery": [1]}
_START: dict[str, Any] = {**_LINE, "marker": "v", "markersize": 3.5}
_DEADLINE: dict[str, Any] = {"color": "#b22222", "marker": "d", "markersize": 5, "ls": "", "zorder": 3}


class Window(NamedTuple):
    """Time window from ``start`` to ``end``: it opens at the end of an action, and another starts ``at``.

    Or, where nothing starts (``at`` is ``None``), a delay: from the finish of an action on, until others may follow.
    """

    start: int
    end: int
    opens: int
    closes: int
    at: int | None


class _Span(Protocol):
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


_S = TypeVar("_S", bound=_Span)


def windows(instance: Instance, schedule: Schedule) -> dict[str, list[Window]]:
    """Return the windows of every action that a maximum lag ends in, and the delays after every action.

    Maximum lags after the beginning are deadlines, see `deadlines`.
    """
    finish = schedule.finish()
    starts = _starts(schedule)
    gap = schedule.makespan // 200 + 1  # keeps adjacent brackets apart
    origins = _beginnings(instance)
    result: dict[str, list[Window]] = defaultdict(list)
    for lag in instance.lags:
        if lag.maximum is None or lag.before in origins:
            continue
        if lag.before in finish and lag.after in starts:
            opens, start = finish[lag.before], starts[lag.after]
            closes = opens + lag.maximum
            window = Window(min(opens, closes, start), max(opens, closes, start) + gap, opens, closes, start)
            result[lag.after].append(window)
    delays = dict.fromkeys((lag.before, lag.minimum) for lag in instance.lags if lag.minimum)
    for before, delay in delays:
        if before in finish and delay:
            opens = finish[before]
            closes = opens + delay
            result[before].append(Window(opens, closes + gap, opens, closes, None))
    return result


def _starts(schedule: Schedule) -> dict[str, int]:
    """Return the start of every action."""
    starts: dict[str, int] = {}
    for piece in schedule.pieces:
        starts[piece.action] = min(piece.start, starts.get(piece.action, piece.start))
    return starts


def deadlines(instance: Instance, schedule: Schedule) -> dict[str, int]:
    """Return the latest end of every action with a deadline, window or maximum lag after the beginning.

    The deadline of a milestone is also that of the actions before it.

    Examples
    --------
    >>> from planoracle.instances.model.instance import Action, Lag
    >>> from planoracle.instances.model.schedule import Piece
    >>> actions = Action("time/begin", "time", 0, 0, agents=()), Action("J1/1", "J1", 4, 4)
    >>> instance = Instance("shop", actions, (Lag("time/begin", "J1/1", 0, 6),))
    >>> pieces = Piece("time/begin", 0, 0, None), Piece("J1/1", 2, 4, "agent")
    >>> deadlines(instance, Schedule(pieces)), windows(instance, Schedule(pieces))
    ({'J1/1': 10}, defaultdict(<class 'list'>, {}))
    """
    finish = schedule.finish()
    beginnings = {name: finish[name] for name in _beginnings(instance) if name in finish}
    lengths = {piece.action: piece.duration for piece in sorted(schedule.pieces, key=lambda piece: piece.start)}
    latest = _stated_deadlines(instance)
    for lag in instance.lags:
        if lag.maximum is not None and lag.before in beginnings and lag.after in lengths:
            end = beginnings[lag.before] + lag.maximum + lengths[lag.after]
            latest[lag.after] = min(end, latest.get(lag.after, end))
    for lag in instance.lags:
        if lag.minimum is not None and lag.after in latest and instance.by_id[lag.after].is_milestone:
            end = latest[lag.after] - lag.minimum
            latest[lag.before] = min(end, latest.get(lag.before, end))
    return latest


def _stated_deadlines(instance: Instance) -> dict[str, int]:
    """Return the end of the last window, or the deadline, of every action that states one."""
    latest: dict[str, int] = {}
    for action in instance.actions:
        ends = [end for _, end in action.windows[-1:]]
        if action.deadline is not None:
            ends.append(action.deadline)
        if ends:
            latest[action.id] = min(ends)
    return latest


def _beginnings(instance: Instance) -> set[str]:
    """Return the milestones that no action precedes; lags after them are releases and deadlines."""
    later = {lag.after for lag in instance.lags if lag.orders}
    milestones = {action.id for action in instance.actions if action.is_milestone}
    return milestones - later


def pack(spans: Iterable[_S]) -> list[list[_S]]:
    """Distribute spans over as few lanes as possible, such that none overlap."""
    lanes: list[list[_S]] = []
    for span in sorted(spans, key=lambda span: (span.start, span.end)):
        free = (lane for lane in lanes if lane[-1].end <= span.start)
        lane = next(free, None)
        if lane is None:
            lane = []
            lanes.append(lane)
        lane.append(span)
    return lanes


def levels(spans: Sequence[Window]) -> list[list[Window]]:
    """Distribute windows over at most `MAX_LEVELS` levels; the widest of overlapping ones are omitted."""
    packed = pack(spans)
    if len(packed) <= MAX_LEVELS:
        return packed
    chosen: list[list[Window]] = [[] for _ in range(MAX_LEVELS)]
    for span in sorted(spans, key=lambda span: span.end - span.start):
        for level in chosen:
            if all(span.end <= member.start or member.end <= span.start for member in level):
                level.append(span)
                break
    return chosen


def draw_window(ax: Axes, window: Window, y: float) -> None:
    """Draw a window as a bracket with the start of its action, or a delay as an arrow."""
    if window.at is None:
        ax.plot([window.opens, window.closes], [y, y], label="delay", **_DELAY)
        return
    ax.plot([window.opens, window.closes], [y, y], label="window", **_BRACKET)
    ax.plot(window.at, y, **_START)


def draw_deadlines(ax: Axes, instants: Sequence[int], y: float) -> None:
    """Mark deadlines at one height."""
    ax.plot(instants, [y] * len(instants), label="deadline", clip_on=False, **_DEADLINE)


def handles(spans: Sequence[Window], *, omitted: int, has_deadlines: bool) -> list[Line2D]:
    """Return legend handles for the marks in use; ``omitted``: number of windows that are not drawn."""
    lines = []
    if any(window.at is None for window in spans):
        lines.append(Line2D([], [], label="minimum lag after a step; its successors can start at ►", **_DELAY))
    if any(window.at is not None for window in spans):
        words = "maximum lag: window for the start (▼) of the step below"
        count = f"; {omitted} wide windows are not drawn" if omitted else ""
        lines.append(Line2D([], [], label=words + count, **_BRACKET))
    if has_deadlines:
        lines.append(Line2D([], [], label="deadline of a step below", **_DEADLINE))
    return lines
