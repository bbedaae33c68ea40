"""Off-times in charts: shaded spans behind the bars of agents and resources that have a calendar."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

from matplotlib.axes import Axes
from matplotlib.patches import Patch

from planoracle.instances.model.instance import Instance

#: Most off-times of a row that are drawn; a row with more has none.
MAX_SPANS = 2000

_LOOK: dict[str, Any] = {"facecolor": "0.87", "edgecolor": "none", "lw": 0}

_Span = tuple[int, int]


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
        ax.broken_barh(lengths, (top, bottom - top), label="off", zorder=0.4, **_LOOK)


def handle() -> Patch:
    """Return the legend handle for off-times."""
    return Patch(label="off", **_LOOK)
