"""Figures of models: an average against another, and progress over time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from planoracle.analysis.figures.colours import LINES, distinct_colours
from planoracle.analysis.figures.style import DASHES, MARKERS, finish, new_axes, plain, value_axis
from planoracle.instances.errors import InputError

#: Most models that are drawn.
MAX_MODELS = 40


class _Series(NamedTuple):
    """Rows of a model: their name in the legend, frame, and look."""

    name: str
    part: pd.DataFrame
    look: dict[str, Any]


def average_points(
    rows: Sequence[Mapping[str, Any]], x: str, y: str, ax: Axes | None = None, *, about: str = "", title: str = ""
) -> Axes:
    """Draw a point per model: an average against another.

    The label of the axes is a caption, see `planoracle.analysis.figures.style.save`.

    Parameters
    ----------
    rows
        Of `planoracle.analysis.statistics.plots.averages_of_models`; those without a value are not drawn.
    x, y
        Names of the averages on the axes.
    ax
        Where to draw; without it, on a new figure.
    about
        Description of the rows, for the caption.

    Raises
    ------
    InputError
        If no row has both values, or if there are more than `MAX_MODELS` models.
    """
    frame = pd.DataFrame(rows)
    drawn = frame.dropna(subset=[x, y])
    if drawn.empty:
        raise InputError("no model has both averages", field="--plot", value=f"{x},{y}")
    target = new_axes(ax, 6.0, 4.2)
    handles = []
    for series in _series(drawn):
        look = series.look | {"ls": ""}
        target.plot(series.part[x], series.part[y], markersize=8, zorder=3, **look)
        handles.append(Line2D([], [], markersize=6, label=plain(series.name), **look))
    target.margins(0.12)
    value_axis(target.xaxis)
    value_axis(target.yaxis)
    smallest, largest = int(drawn["problems"].min()), int(drawn["problems"].max())
    problems = f"{largest}" if smallest == largest else f"{smallest} to {largest}"
    omitted = len(frame) - len(drawn)
    caption = f"{about}. Problems per model: {problems}."
    target.set_label(f"{caption} Models without a value: {omitted}." if omitted else caption)
    labels = {"x": x.replace("_", " "), "y": y.replace("_", " ")}
    return finish(target, title, handles, is_new=ax is None, **labels)


def progress_lines(
    rows: Sequence[Mapping[str, Any]], unit: str = "tick", ax: Axes | None = None, *, about: str = "", title: str = ""
) -> Axes:
    """Draw the mean progress of the runs of each model over time as steps.

    The label of the axes is a caption, see `planoracle.analysis.figures.style.save`, with the numbers of runs.

    Parameters
    ----------
    rows
        Of `planoracle.analysis.statistics.plots.progress_of_models`.
    unit
        Name of a tick.
    ax
        Where to draw; without it, on a new figure.
    about
        Description of the rows, for the caption.

    Raises
    ------
    InputError
        If there are more than `MAX_MODELS` models.
    """
    frame = pd.DataFrame(rows)
    target = new_axes(ax, 8.0, 4.2)
    end = frame["time"].max()
    divisor, name_of_time = (60, "minute") if unit == "second" else (1, unit)
    handles, counts = [], []
    for series in _series(frame):
        times = series.part["time"].to_numpy(float) / divisor
        shares = 100 * series.part["progress"].to_numpy(float)
        line = series.look | {"marker": ""}
        target.plot(times, shares, drawstyle="steps-post", lw=1.8, zorder=3, **line)
        # A marker shows the end of the runs.
        target.plot(times[-1:], shares[-1:], zorder=4, clip_on=False, **series.look | {"ls": ""})
        handles.append(Line2D([], [], lw=1.8, label=plain(series.name), **series.look))
        runs = int(series.part["runs"].iloc[0])
        counts.append(f"{series.name} {runs}".strip())
    target.set_xlim(0, max(1, end / divisor))
    target.set_ylim(0, 103)
    value_axis(target.xaxis)
    value_axis(target.yaxis)
    target.set_label(f"{about}. Runs: {'; '.join(counts)}.")
    labels = {"x": f"time ({name_of_time}s)", "y": "progress (%)"}
    return finish(target, title, handles, is_new=ax is None, **labels)


def _series(frame: pd.DataFrame) -> Iterator[_Series]:
    """Yield the rows of each benchmark and model with colour, dashes and marker."""
    keys = ["benchmark", "model"]
    groups = frame.groupby(keys, sort=False)
    if len(groups) > MAX_MODELS:
        raise InputError(f"has too many models to draw; the limit is {MAX_MODELS}", field="--plot", value=len(groups))
    differing = [key for key in keys if frame[key].nunique() > 1] or ["model"]
    for number, ((_, part), colour) in enumerate(zip(groups, distinct_colours(LINES), strict=False)):
        look = {"color": colour, "ls": DASHES[number % len(DASHES)], "marker": MARKERS[number % len(MARKERS)]}
        words = [str(part[key].iloc[0]) for key in differing]
        yield _Series(", ".join(filter(None, words)), part, look)
