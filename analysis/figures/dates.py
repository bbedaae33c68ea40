"""Dates and clock times in charts of problems whose tick 0 has a local clock time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

from matplotlib.axes import Axes
from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator

from planoracle.analysis.figures.style import clock, points
from planoracle.analysis.figures.time_scale import TimeScale
from planoracle.instances.model.clock_times import LocalClock
from planoracle.instances.model.instance import Instance

# Fixed names: those of the datetime module depend on the locale.
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAY = 86_400
# Steps of the axis in seconds; those of whole days begin at midnight.
_STEPS = (
    *(1, 5, 10, 30, 60, 300, 600, 900, 1800, 3600, 7200, 10_800, 14_400, 21_600, 43_200),
    *(days * _DAY for days in (1, 2, 7, 14, 28, 56, 112, 364)),
)
# Inches between two ticks, at letters of 8 points.
_ROOM = 0.52
# Room between two dates, in that of clock times.
_DATE_ROOM = 1.4


def clock_of(instance: Instance) -> LocalClock | None:
    """Return the local clock of a problem; ``None`` if tick 0 has no clock time."""
    if instance.start_time is None:
        return None
    return LocalClock(instance.start_time, instance.seconds_per_tick)


def instant(instance: Instance, tick: int) -> str:
    """Return an instant for readers: a date with a time if the problem has them, or else as `clock`.

    Examples
    --------
    >>> from planoracle.instances.model.instance import Action
    >>> start = datetime(2026, 3, 2, 8)
    >>> shop = Instance("i", (Action("t/a", "t", 2, 2),), seconds_per_tick=3600, start_time=start)
    >>> instant(shop, 26)
    'Tue 3 Mar 10:00'
    """
    local_clock = clock_of(instance)
    moment = None if local_clock is None else local_clock.moment(tick)
    if moment is None:
        return clock(tick, instance.unit)
    return f"{_day(moment)} {_time(moment)}"


def date_axis(ax: Axes, instance: Instance, scale: TimeScale) -> bool:
    """Set ticks with dates and clock times on the time axis; return False where the problem has none."""
    local_clock = clock_of(instance)
    first, last = map(int, ax.get_xlim())
    if local_clock is None or local_clock.moment(last) is None:
        return False
    start, seconds = local_clock.start, local_clock.seconds_per_tick
    assert start is not None
    assert seconds is not None

    def ticks(step: int) -> dict[float, datetime]:
        moments = _moments(start, first * seconds, last * seconds, step)
        by_tick = {(moment - start).total_seconds() / seconds: moment for moment in moments}
        return {tick: moment for tick, moment in by_tick.items() if not scale.is_narrowed(tick)}

    begin, end = scale.position([first, last])
    inches = ax.get_window_extent().width / ax.figure.dpi
    room = _ROOM * points(8) / 8
    max_ticks = inches / room
    visible = (end - begin) * seconds
    step = next((step for step in _STEPS if visible / step <= max_ticks), _STEPS[-1])
    distance = room / inches * (end - begin)
    labelled = _spread(ticks(step), scale, distance)
    ax.xaxis.set_major_locator(FixedLocator(list(labelled)))
    ax.xaxis.set_major_formatter(FixedFormatter(_labels(list(labelled.values()), step)))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.tick_params(axis="x", labelsize=points(8))
    ax.grid(axis="x", color="0.88", lw=0.6)
    if step < _DAY:
        for midnight in _moments(start, first * seconds, last * seconds, _DAY):
            ax.axvline((midnight - start).total_seconds() / seconds, color="0.6", lw=0.8, zorder=0.6)
    return True


def _spread(ticks: Mapping[float, datetime], scale: TimeScale, distance: float) -> dict[float, datetime]:
    """Return ticks whose labels do not overlap, preferably the first ones of days, with the date."""
    first_ticks = {moment.date(): tick for tick, moment in reversed(list(ticks.items()))}
    spread: dict[float, datetime] = {}
    positions: list[float] = []
    for candidates, room in ((sorted(first_ticks.values()), _DATE_ROOM * distance), (list(ticks), distance)):
        for tick in candidates:
            position = float(scale.position(tick))
            if all(abs(position - other_position) >= room for other_position in positions):
                spread[tick] = ticks[tick]
                positions.append(position)
    return dict(sorted(spread.items()))


def _moments(start: datetime, begin: int, end: int, step: int) -> Iterator[datetime]:
    """Yield the round moments of an axis; ``begin`` and ``end`` are seconds after ``start``."""
    midnight = start.replace(hour=0, minute=0, second=0, microsecond=0)
    elapsed = int((start - midnight).total_seconds())
    count = -(-(elapsed + begin) // step)
    while count * step <= elapsed + end:
        yield midnight + timedelta(seconds=count * step)
        count += 1


def _labels(moments: list[datetime], step: int) -> list[str]:
    """Return labels of two lines: of the first moment of a day with its date."""
    labels = []
    previous_day = None
    for moment in moments:
        day, month = _DAYS[moment.weekday()], _MONTHS[moment.month - 1]
        if step >= _DAY:
            labels.append(f"{day}\n{moment.day} {month}")
        elif moment.date() == previous_day:
            labels.append(_time(moment))
        else:
            labels.append(f"{_time(moment)}\n{_day(moment)}")
        previous_day = moment.date()
    return labels


def _day(moment: datetime) -> str:
    return f"{_DAYS[moment.weekday()]} {moment.day} {_MONTHS[moment.month - 1]}"


def _time(moment: datetime) -> str:
    return moment.time().isoformat("seconds" if moment.second else "minutes")
