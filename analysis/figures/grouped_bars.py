"""Bar charts of runs by group: success rates, causes of failure, and histograms of metrics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.textpath import TextPath

from planoracle.analysis.figures.colours import distinct_colours
from planoracle.analysis.figures.style import (
    current_shape,
    finish,
    is_narrow,
    name_rows,
    new_axes,
    plain,
    points,
    scale,
    shade,
    value_axis,
)
from planoracle.instances.errors import InputError

# Most groups, and longest names, that stand below upright bars; others have level bars beside their names.
_MAX_UPRIGHT, _LONGEST_UPRIGHT = 8, 12
# Inches for the name of a group above its level bars, and beside the axes.
_NAME, _MARGIN = 0.18, 0.8
# Points between two names.
_GAP = 4.0
#: Most groups that are drawn.
MAX_GROUPS = 200
_KEYS = ("benchmark", "model", "set")


def grouped_bars(
    rows: Sequence[Mapping[str, Any]], by: str, ax: Axes | None = None, *, about: str = "", title: str = ""
) -> Axes:
    """Draw a bar per group and model: the success rate, or shares of successful and failed runs.

    The label of the axes is a caption, see `planoracle.analysis.figures.style.save`, with the numbers of runs.

    Parameters
    ----------
    rows, by
        At least one row of `planoracle.analysis.statistics.groups.group_runs`, and the field with the group.
    ax
        Where to draw; without it, on a new figure of fitting size.
    about
        Description of the rows, for the caption.

    Raises
    ------
    InputError
        If there are more than `MAX_GROUPS` groups.
    """
    frame = pd.DataFrame(rows).assign(group=[str(row[by] or "-") for row in rows])
    groups = list(dict.fromkeys(frame["group"]))
    if len(groups) > MAX_GROUPS:
        raise InputError(f"has too many groups to draw; the limit is {MAX_GROUPS}", field=by, value=len(groups))
    series = list(_series(frame))
    is_upright = _fit_upright(groups)
    name_height = _NAME if is_narrow() and not is_upright else 0.0  # names stand above level bars
    row_height = name_height + scale() * max(0.3, 0.16 * len(series))
    target = new_axes(ax, 8.0, 4.2 if is_upright else 1.2 + row_height * len(groups))
    draw_bars = target.bar if is_upright else target.barh
    places = np.arange(len(groups))
    name_share = name_height / row_height
    thickness = 0.8 * (1 - name_share) / max(1, len(series))
    for number, bars in enumerate(series):
        offset = thickness * (number - (len(series) - 1) / 2)
        positions = places + name_share / 2 + offset
        draw_bars(positions, 100 * bars.heights.reindex(groups), thickness, **bars.look)
    if is_upright:
        target.set_xlim(-0.6, len(groups) - 0.4)
        target.set_xticks(places, [plain(group) for group in groups], fontsize=points(8.5))
    else:
        name_rows(target, [(place - 0.5, place + 0.5, group) for place, group in enumerate(groups)])
        target.set_ylim(len(groups) - 0.4, -0.6)
    value_axis(target.yaxis if is_upright else target.xaxis)
    highest = max((float(bars.heights.max()) for bars in series), default=0.0)
    if not highest > 0:
        set_limits = target.set_ylim if is_upright else target.set_xlim
        set_limits(0, 100)
    run_counts = (f"{bars.name} {bars.runs}".strip() for bars in series)
    target.set_label(f"{about}. Runs: {'; '.join(run_counts)}.")
    handles: list[Patch | Line2D] = [Patch(label=plain(bars.name), **bars.look) for bars in series if bars.name]
    share = "share of runs (%)" if "count" in frame else "success rate (%)"
    if is_upright:
        labels = {"x": by.replace("_", " "), "y": share, "axis": "y"}
    else:
        labels = {"x": share, "y": "", "axis": "x"}
    return finish(target, title, handles, is_new=ax is None, **labels)


def _fit_upright(groups: Sequence[str]) -> bool:
    """Return True if the names of the groups fit side by side below upright bars."""
    if len(groups) > _MAX_UPRIGHT or max(map(len, groups)) > _LONGEST_UPRIGHT:
        return False
    paths = [TextPath((0, 0), plain(group), size=points(8.5)) for group in groups]
    widest = max(path.get_extents().width for path in paths)
    width = (current_shape().width or 8.0) - _MARGIN
    return len(groups) * (widest + _GAP) <= 72 * width


class _Bars(NamedTuple):
    """Bars of one look: their name in the legend, heights by group, and number of runs."""

    name: str
    look: dict[str, Any]
    heights: pd.Series[float]
    runs: int


def _series(frame: pd.DataFrame) -> Iterator[_Bars]:
    """Yield the bars of each benchmark, model and set.

    Successful and failed runs that are counted have bars of their own.
    """
    columns = {"": ("success", "submissions")}
    if "count" in frame:
        kinds = [kind for kind in ("succeeded", "failed") if frame[kind].any()]
        columns = {kind: (f"share_of_{kind}", kind) for kind in kinds}
    keys = [key for key in _KEYS if key in frame]
    differing = [key for key in keys if frame[key].nunique() > 1]
    parts = (part for _, part in frame.groupby(keys, sort=False))
    for part, colour in zip(parts, distinct_colours(), strict=False):
        for kind, (height, count) in columns.items():
            runs = int(part[count].sum())
            if not runs:
                continue
            words = list(part[differing].iloc[0])
            if len(columns) > 1:
                words.append(kind)
            look = shade(colour, "////" if kind == "failed" else None)
            heights = part.set_index("group")[height].astype(float)
            yield _Bars(", ".join(words), look, heights, runs)
