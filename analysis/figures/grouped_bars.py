"""Bar charts of runs by group: success rates, causes of failure, and histograms of metrics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

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

# Most groups and longest names that stand below upright bars; others have level bars beside their names.
_MOST_UPRIGHT, _LONGEST_UPRIGHT = 8, 12
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
    name = _NAME if is_narrow() and not is_upright else 0.0  # names stand above level bars
    row = name + scale() * max(0.3, 0.16 * len(series))
    target = new_axes(ax, 8.0, 4.2 if is_upright else 1.2 + row * len(groups))
    places, lift = np.arange(len(groups)), name / row / 2
    thickness = 0.8 * (1 - name / row) / max(1, len(series))
    for number, (_, look, heights, _) in enumerate(series):
        positions = places + lift + thickness * (number - (len(series) - 1) / 2)
        (target.bar if is_upright else target.barh)(positions, 100 * heights.reindex(groups), thickness, **look)
    if is_upright:
        target.set_xlim(-0.6, len(groups) - 0.4)
        target.set_xticks(places, [plain(group) for group in groups], fontsize=points(8.5))
    else:
        row_names = [(place - 0.5, place + 0.5, group) for place, group in zip(places, groups, strict=True)]
        name_rows(target, row_names)
        target.set_ylim(len(groups) - 0.4, -0.6)
    value_axis(target.yaxis if is_upright else target.xaxis)
    highest = max((float(heights.max()) for _, _, heights, _ in series), default=0.0)
    if not highest > 0:
        (target.set_ylim if is_upright else target.set_xlim)(0, 100)
    run_counts = "; ".join(f"{name} {runs}".strip() for name, _, _, runs in series)
    target.set_label(f"{about}. Runs: {run_counts}.")
    handles: list[Patch | Line2D] = [Patch(label=plain(name), **look) for name, look, *_ in series if name]
    share = "share of runs (%)" if "count" in frame else "success rate (%)"
    x, y = (by.replace("_", " "), share) if is_upright else (share, "")
    return finish(target, title, handles, is_new=ax is None, x=x, y=y, axis="y" if is_upright else "x")


def _fit_upright(groups: Sequence[str]) -> bool:
    """Return True if the names of the groups fit side by side below upright bars."""
    if len(groups) > _MOST_UPRIGHT or max(map(len, groups)) > _LONGEST_UPRIGHT:
        return False
    paths = [TextPath((0, 0), plain(group), size=points(8.5)) for group in groups]
    widest = max(path.get_extents().width for path in paths)
    return len(groups) * (widest + _GAP) <= 72 * ((current_shape().width or 8.0) - _MARGIN)


def _series(frame: pd.DataFrame) -> Iterator[tuple[str, dict[str, Any], pd.Series[float], int]]:
    """Yield name, look, heights by group and number of runs of each benchmark, model and set.

    Successful and failed runs that are counted have bars of their own.
    """
    columns = {"": ("success", "submissions")}
    if "count" in frame:
        columns = {kind: (f"share_of_{kind}", kind) for kind in ("succeeded", "failed") if frame[kind].any()}
    keys = [key for key in _KEYS if key in frame]
    differing = [key for key in keys if frame[key].nunique() > 1]
    parts = (part for _, part in frame.groupby(keys, sort=False))
    for part, colour in zip(parts, distinct_colours(), strict=False):
        for kind, (height, count) in columns.items():
            words = [*part[differing].iloc[0], *([kind] if len(columns) > 1 else [])]
            look = shade(colour, "////" if kind == "failed" else None)
            if runs := int(part[count].sum()):
                heights = part.set_index("group")[height].astype(float)
                yield ", ".join(words), look, heights, runs
