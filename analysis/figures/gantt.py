"""Gantt charts of one schedule, or of two on one time axis with marked differences."""

from __future__ import annotations

from collections import defaultdict
from itertools import chain, pairwise
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes

from planoracle.analysis.figures import bars
from planoracle.analysis.figures.bar_colours import bar_colours
from planoracle.analysis.figures.colours import plan_colours
from planoracle.analysis.figures.dates import date_axis, instant
from planoracle.analysis.figures.labels import KeyEntry, draw_key, in_words, step_numbers
from planoracle.analysis.figures.style import (
    bare,
    clock,
    is_narrow,
    legend_below,
    name_rows,
    new_axes,
    plain,
    points,
    time_axis,
)
from planoracle.analysis.figures.style import title as write_title
from planoracle.analysis.figures.time_scale import MIN_SECONDS, TimeScale, idle_gaps
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Schedule

_HATCH: dict[Any, Any] = {"hatch.linewidth": 0.5}
_HEADER = 0.75  # room for the name of a schedule, in heights of a bar


def gantt(instance: Instance, schedule: Schedule, ax: Axes | None = None, *, title: str | None = None) -> Axes:
    """Draw a schedule: a row per agent and resource in use, and one for unattended work; no milestones.

    Colours distinguish up to eight tasks; if there are more, they distinguish resources or agents, and bars name their
    tasks. Unattended work is hatched. A bracket over a bar is the window in which the step must start because of a
    maximum time lag; a triangle is its actual start. A red diamond is a deadline before the makespan.

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
    return _chart(instance, [("", schedule)], ax, title)


def gantt_pair(
    instance: Instance,
    upper: Schedule,
    lower: Schedule,
    ax: Axes | None = None,
    *,
    names: tuple[str, str] = ("optimal plan", "plan"),
    title: str | None = None,
) -> Axes:
    """Draw two schedules of one instance, one above the other on one time axis.

    Equal actions are almost white. Actions at another time have their colour, actions with other pieces, agents or
    modes a thick frame, and actions in one schedule only a dashed frame.

    Parameters
    ----------
    upper, lower
        As in `gantt`.
    names
        Names of the schedules.

    Raises
    ------
    InputError
        If a schedule is too long to draw.
    """
    return _chart(instance, list(zip(names, (upper, lower), strict=True)), ax, title)


def _chart(instance: Instance, named: list[tuple[str, Schedule]], ax: Axes | None, title: str | None) -> Axes:
    """Draw one schedule, or two with their names."""
    schedules = [schedule for _, schedule in named]
    is_pair = len(schedules) > 1
    longest = max(schedule.makespan for schedule in schedules)
    chart_rows = []
    for schedule in schedules:
        bars.check_length(instance, schedule)
        chart_rows.append(bars.rows(instance, schedule))
    colours = bar_colours(instance, schedules)
    marks = differences(*schedules) if is_pair else {}
    numbers = step_numbers(instance, schedules, own_only=ax is not None)
    is_numbered = colours.kind == "task" or len(set(numbers.values())) == len(numbers)
    numbers_on_bars = numbers if is_numbered else {}
    target = new_axes(ax, max(map(bars.width, chart_rows)), 3)
    names: list[tuple[float, float, str]] = []
    top = 0.0
    with rc_context(_HATCH):
        line_colours = plan_colours([name for name, _ in named])
        for (name, schedule), rows, line_colour in zip(named, chart_rows, line_colours, strict=True):
            start = top + _HEADER if is_pair else top
            ends = bars.draw_rows(target, rows, colours, numbers=numbers_on_bars, top=start, marks=marks)
            for (row_top, row_end), row in zip(pairwise(ends), rows, strict=True):
                names.append((row_top, row_end, row.title))
            end = ends[-1]
            if is_pair:
                target.plot([schedule.makespan] * 2, [start, end], color=line_colour, lw=2, zorder=3.5)
                late = schedule.makespan - schedules[0].makespan
                _draw_heading(target, _heading(name, schedule.makespan, late, instance.unit), top, start)
            top = end
        name_rows(target, names)
        handles = bars.handles(chain.from_iterable(chart_rows), colours)
        legend = legend_below(target, [*handles, *bars.mark_handles(marks.values())])
    _frame(target, top, longest)
    _set_times(target, instance, list(chain.from_iterable(chart_rows)), longest)
    if not is_pair:
        _draw_makespan(target, longest, instance)
    write_title(target, instance.name if title is None else title, pad=6 if is_pair else 15)
    if ax is None:
        entries = _entries(instance, schedules, numbers, numbered=is_numbered)
        draw_key(target, entries, 1.15 + bars.bar_inches() * top, legend)
    return target


def _draw_makespan(ax: Axes, makespan: int, instance: Instance) -> None:
    ax.axvline(makespan, color="black", lw=1.1, zorder=3.5)
    options: dict[str, Any] = {"textcoords": "offset points", "ha": "right", "fontsize": points(8)}
    text = f"makespan {clock(makespan, instance.unit)}"
    if instance.start_time is not None:
        text = f"end {instant(instance, makespan)}"
    ax.annotate(text, (makespan, 1), (0, 3), ax.get_xaxis_transform(), **options)


def _heading(name: str, makespan: int, late: int, unit: str) -> str:
    """Return the heading of a schedule of a pair: makespan, and delay after the first schedule."""
    words = "" if is_narrow() else "makespan "
    text = f"{plain(name)}: {words}{clock(makespan, unit)}"
    if not late:
        return text
    sign = "+" if late > 0 else ""
    return f"{text} ({sign}{clock(late, unit)})"


def _draw_heading(ax: Axes, text: str, top: float, bottom: float) -> None:
    ax.axhspan(top, bottom, color="0.93", lw=0, zorder=0)
    options: dict[str, Any] = {"va": "center", "fontsize": points(8.5), "weight": "bold"}
    middle = (top + bottom) / 2
    label = ax.text(0.005, middle, text, transform=ax.get_yaxis_transform(), **options)
    label.set_in_layout(False)  # otherwise the layout reserves space for it beside the axes


def differences(upper: Schedule, lower: Schedule) -> dict[str, str]:
    """Return the difference between two schedules for each action.

    Returns
    -------
    dict
        ``same``; ``moved`` (only starts differ); ``changed`` (other pieces, agent or mode); ``only`` (in one).

    Examples
    --------
    >>> from planoracle.instances.model.schedule import Piece
    >>> early = Schedule((Piece("t/a", 0, 2, "Ann"), Piece("t/b", 2, 2, "Ann"), Piece("t/c", 4, 1, "Ann")))
    >>> late = Schedule((Piece("t/a", 0, 2, "Ann"), Piece("t/b", 3, 2, "Ann"), Piece("t/c", 5, 1, "Bob")))
    >>> differences(early, late)
    {'t/a': 'same', 't/b': 'moved', 't/c': 'changed'}
    """
    upper_pieces, lower_pieces = _by_action(upper), _by_action(lower)
    marks = {}
    for action in {**upper_pieces, **lower_pieces}:
        before, after = upper_pieces.get(action), lower_pieces.get(action)
        if before is None or after is None:
            marks[action] = "only"
        elif before == after:
            marks[action] = "same"
        else:
            is_moved = _without_starts(before) == _without_starts(after)
            marks[action] = "moved" if is_moved else "changed"
    return marks


def _without_starts(pieces: list[tuple[int, int, str, int]]) -> list[tuple[int, str, int]]:
    return [(duration, agent, mode) for _, duration, agent, mode in pieces]


def _by_action(schedule: Schedule) -> dict[str, list[tuple[int, int, str, int]]]:
    pieces = defaultdict(list)
    for piece in schedule.pieces:
        pieces[piece.action].append((piece.start, piece.duration, piece.agent or "", piece.mode))
    return {action: sorted(rows) for action, rows in pieces.items()}


def _frame(ax: Axes, height: float, makespan: int) -> None:
    """Set up the axes, wide enough for windows that close a little later."""
    ax.set_ylim(height, 0)
    bare(ax)
    ax.set_xlim(0, max(1, 1.01 * makespan, min(1.01 * ax.dataLim.x1, 1.1 * makespan)))


def _set_times(ax: Axes, instance: Instance, rows: list[bars.ChartRow], makespan: int) -> None:
    """Set the ticks of the time axis; with dates, long times without work are cut or narrowed."""
    if instance.start_time is None:
        time_axis(ax, makespan, instance.unit)
        return
    work = list(bars.busy_spans(rows))
    first = min((start for start, _ in work), default=0)
    min_length = MIN_SECONDS / (instance.seconds_per_tick or 1)
    gaps = idle_gaps([(0, first), *work], [row.off for row in rows], makespan, min_length)
    scale = TimeScale(gaps, makespan)
    margin = float(scale.position(makespan) - first) / 100
    if first > 5 * margin:
        ax.set_xlim(left=first - margin)
    scale.apply(ax)
    if not date_axis(ax, instance, scale):
        time_axis(ax, makespan, instance.unit)


def _entries(
    instance: Instance, schedules: list[Schedule], numbers: dict[str, str], *, numbered: bool
) -> dict[str, KeyEntry]:
    """Return the possible entries of the key, by task in the order of the numbers, with or without these."""
    pieces = chain.from_iterable(schedule.pieces for schedule in schedules)
    first_pieces = {piece.action: piece for piece in sorted(pieces, key=lambda piece: -piece.start)}
    positions = {task: position for position, task in enumerate(instance.tasks)}

    def task_and_number(name: str) -> tuple[int, int]:
        return positions[instance.by_id[name].task], int(numbers[name])

    entries = {}
    for name in sorted(numbers, key=task_and_number):
        action, piece = instance.by_id[name], first_pieces[name]
        words = in_words(action, piece.mode, 120)
        number = numbers[name] if numbered else ""
        entries[name] = KeyEntry.of(action, number, words, instant(instance, piece.start))
    return entries
