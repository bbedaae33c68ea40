"""Off-times, ways and set-ups behind the bars of a row of a chart.

Off-times are shaded. Ways of agents and set-ups of resources are thin bars before the visits that they lead to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, islice, product
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.model.transition_rules import Visit, visits_of

#: Most off-times of a row that are drawn; a row with more has none.
MAX_SPANS = 2000

_OFF: dict[str, Any] = {"facecolor": "0.87", "edgecolor": "none", "lw": 0}
_WAY: dict[str, Any] = {"facecolor": "0.3", "edgecolor": "none", "lw": 0, "zorder": 1.8}
# Height of a way, in heights of a bar.
_HEIGHT = 0.16

_Span: TypeAlias = tuple[int, int]
_Times: TypeAlias = Mapping[tuple[str, str], int]


def off_spans(instance: Instance, name: str, makespan: int) -> Sequence[_Span]:
    """Return the off-times of an agent or resource until the makespan, from tick 0 on.

    Examples
    --------
    >>> from planoracle.instances.model.calendars import Calendar
    >>> from planoracle.instances.model.instance import Action
    >>> night = Calendar(("agent",), ((20, 30),), 24)
    >>> instance = Instance("i", (Action("t/a", "t", 2, 2),), calendars=(night,))
    >>> off_spans(instance, "agent", 25)
    [(0, 6), (20, 25)]
    """
    times = instance.off_times.get(name)
    if times is None:
        return ()
    spans = list(islice(times.until(makespan), MAX_SPANS + 1))
    if len(spans) > MAX_SPANS:
        return ()
    return [(max(0, begin), min(end, makespan)) for begin, end in spans]


def draw_off_times(ax: Axes, spans: Sequence[_Span], top: float, bottom: float) -> None:
    """Shade the off-times of a row between two heights."""
    if spans:
        lengths = [(begin, end - begin) for begin, end in spans]
        ax.broken_barh(lengths, (top, bottom - top), label="off", zorder=0.4, **_OFF)


def off_handle() -> Patch:
    """Return the legend handle for off-times."""
    return Patch(label="off", **_OFF)


class Way(NamedTuple):
    """Way between places or set-up between families, as late as possible before the next visit."""

    start: int
    end: int
    before: str
    after: str


def ways(instance: Instance, schedule: Schedule) -> dict[str, list[Way]]:
    """Return the ways and set-ups of every agent and resource, in the order of its visits.

    Ways of no length, and those that a schedule leaves no time for, are omitted.

    Examples
    --------
    >>> from planoracle.instances.model.instance import Action
    >>> from planoracle.instances.model.schedule import Piece
    >>> from planoracle.instances.model.transitions import Transitions
    >>> visits = Action("t/a", "t", 2, 2, place="shop"), Action("t/b", "t", 2, 2, place="home")
    >>> trips = Transitions(("agent",), (("shop", "home", 3),))
    >>> instance = Instance("i", visits, transitions=(trips,))
    >>> ways(instance, Schedule((Piece("t/a", 0, 2, "agent"), Piece("t/b", 9, 2, "agent"))))
    {'agent': [Way(start=6, end=9, before='shop', after='home')]}
    """
    if not instance.transitions:
        return {}
    visits = visits_of(instance, list(enumerate(schedule.pieces)))
    result: dict[str, list[Way]] = {}
    for table in instance.transitions:
        starts = dict(table.start)
        for member in table.members:
            if member in visits:
                path = _path(sorted(visits[member]), table.ways(), starts.get(member))
                result[member] = list(path)
    return result


def _path(visits: Sequence[Visit], times: _Times, start_place: str | None) -> Iterator[Way]:
    """Yield the ways between consecutive groups of visits with the same span."""
    places = [] if start_place is None else [start_place]
    departure = 0
    for (start, end), group in groupby(visits, key=attrgetter("start", "end")):
        next_places = [visit.place for visit in group]
        options = []
        for before, after in product(places, next_places):
            ticks = times.get((before, after))
            if ticks is not None and departure + ticks <= start:
                options.append(Way(start - ticks, start, before, after))
        if options:
            shortest_way = max(options)
            if shortest_way.start < shortest_way.end:
                yield shortest_way
        places, departure = next_places, max(departure, end)


def draw_ways(ax: Axes, row: Sequence[Way], y: float) -> None:
    """Draw the ways of an agent or resource at the height of a lane of bars."""
    for way in row:
        corner = way.start, y + (1 - _HEIGHT) / 2
        ax.add_patch(Rectangle(corner, way.end - way.start, _HEIGHT, label="way", **_WAY))


def way_handle(*, is_travel: bool, is_setup: bool) -> Line2D:
    """Return the legend handle for ways, set-ups or both."""
    names = [name for name, is_drawn in (("way", is_travel), ("set-up", is_setup)) if is_drawn]
    return Line2D([], [], label=f"{' or '.join(names)}, as late as possible", color=_WAY["facecolor"], lw=3)
