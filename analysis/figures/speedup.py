"""Speed-up curves: how much faster several agents are, and where more of them stop helping."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter

from planoracle.analysis.figures.palette import LINES
from planoracle.analysis.figures.shape import is_narrow
from planoracle.analysis.figures.shape import points as letters
from planoracle.analysis.figures.style import DASHES, MARKERS, bare, legend_below, new_axes, plain, value_axis
from planoracle.analysis.figures.style import title as write_title
from planoracle.analysis.speedup import Point


def speedup_curves(points: Sequence[Point], ax: Axes | None = None, *, title: str = "") -> Axes:
    """Draw the mean speed-up of every set against the number of agents.

    Bars over the points are the middle half of the problems. Marks at the right: the mean speed-up of
    agents without number, which the curves end at. Beside the names: the share of the problems that the largest
    number of agents brings to this limit.

    Parameters
    ----------
    points
        From `planoracle.analysis.speedup.summarize`.
    ax
        Where to draw; without it, on a new figure.
    """
    target = new_axes(ax, 7.5, 4.2 if is_narrow() else 5.2)
    handles: list[Patch | Line2D] = []
    labels = list(dict.fromkeys(point.set for point in points))
    most = max((point.agents for point in points), default=1)
    for number, label in enumerate(labels):
        own = [point for point in points if point.set == label and point.mean_speedup is not None]
        if not own:
            continue
        colour, marker, dashes = (
            LINES[number % len(LINES)],
            MARKERS[number % len(MARKERS)],
            DASHES[number % len(DASHES)],
        )
        shift = 0.05 * (number - (len(labels) - 1) / 2)  # bars must not hide each other
        places = [point.agents + shift for point in own]
        target.plot(
            places,
            [point.mean_speedup or 0 for point in own],
            color=colour,
            ls=dashes,
            marker=marker,
            lw=1.8,
            markersize=6,
            zorder=3,
        )
        for place, point in zip(places, own, strict=True):
            if point.low is not None and point.high is not None and point.agents > 1:
                target.plot([place] * 2, [point.low, point.high], color=colour, lw=1.2, alpha=0.7, zorder=2.5)
        last = own[-1]
        if last.limit_speedup is not None:
            target.plot([most + 0.2, most + 0.38], [last.limit_speedup] * 2, color=colour, lw=2.2, zorder=3)
        share = "" if last.at_limit is None else f": {100 * last.at_limit:.0f} % at their limit with {last.agents}"
        unproved = f" ({last.problems - last.proved} not proved)" if last.proved < last.problems else ""
        handles.append(
            Line2D([], [], color=colour, ls=dashes, marker=marker, lw=1.8, label=plain(f"{label}{share}{unproved}", 80))
        )
    target.plot([1, most], [1, most], color="0.55", lw=0.9, ls=(0, (2, 2)), zorder=1)
    highest = max([1.1, *(p.high or 1 for p in points), *(p.limit_speedup or 1 for p in points)])
    target.set_ylim(0.95, 1 + 1.12 * (highest - 1))
    target.set_xlim(0.8, most + 0.45)
    value_axis(target.yaxis)
    target.set_xticks([*range(1, most + 1), most + 0.29], [*map(str, range(1, most + 1)), "\N{INFINITY}"])
    target.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}×"))
    target.set_xlabel("agents", fontsize=letters(8.5))
    target.set_ylabel("mean speed-up over one agent", fontsize=letters(8.5))
    target.tick_params(labelsize=letters(8))
    target.grid(color="0.9", lw=0.6)
    bare(target)
    handles.append(Line2D([], [], color="0.4", lw=1.2, label="bars: the middle half of the problems"))
    handles.append(
        Line2D([], [], color="0.55", lw=0.9, ls=(0, (2, 2)), label="as many times faster as there are agents")
    )
    handles.append(Line2D([], [], color="0.4", lw=2.2, label="\N{INFINITY}: an agent for every action"))
    legend_below(target, handles)
    write_title(target, title)
    return target
