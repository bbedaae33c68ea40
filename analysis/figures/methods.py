"""Figures of methods over many problems: gaps and performance profiles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import FuncFormatter, PercentFormatter

from planoracle.analysis.figures.colours import method_colours, numbers
from planoracle.analysis.figures.style import (
    DASHES,
    MARKERS,
    finish,
    is_narrow,
    name_rows,
    new_axes,
    plain,
    value_axis,
)
from planoracle.analysis.statistics.pairs import profiles

# From this ratio on performance profiles are drawn on a logarithmic scale.
_FAR = 5
# Fewest gaps that have quartiles.
_QUARTILES = 4


def gap_distribution(comparisons: pd.DataFrame, ax: Axes | None = None, *, title: str = "") -> Axes:
    """Draw the gaps of methods to the proved optimum: dots, quartile box and median.

    The label of the axes is a caption, see `planoracle.analysis.figures.style.save`: for each method the number of
    optimal answers, and of problems without an answer that the rules accept. Problems without a proved optimum are
    omitted, and counted there. Up to three gaps have neither box nor median.

    Parameters
    ----------
    comparisons
        Frame ``comparisons``; its methods but ``optimum`` are drawn.
    ax
        Where to draw; without it, on a new figure of fitting size.
    """
    chosen = [method for method in dict.fromkeys(map(str, comparisons["method"])) if method != "optimum"]
    target = new_axes(ax, 8.0, 1.7 + 0.55 * len(chosen))
    counts, rows = [], []
    lift = 0.16 if is_narrow() else 0.0  # the name stands above
    handles: list[Line2D | Patch] = []
    looks = zip(chosen, numbers(chosen), method_colours(chosen), strict=True)
    for row, (method, number, colour) in enumerate(looks):
        part = comparisons[comparisons["method"] == method]
        solved = part[part["optimum"].notna()]
        is_accepted = solved["accepted"].fillna(True).to_numpy(bool)
        has_gap = solved["gap"].notna().to_numpy(bool)
        gaps = np.sort(100 * solved["gap"][is_accepted & has_gap].to_numpy(float))
        is_unproved = part["settled"].isin(["feasible", "unknown"])
        counts.append(_counts(method, gaps, len(solved), int(is_unproved.sum())))
        rows.append((row - 0.5, row + 0.5, _name(method)))
        if not len(gaps):
            continue
        marker = MARKERS[number % len(MARKERS)]
        if len(gaps) >= _QUARTILES:
            handles = _draw_box(target, gaps, row + lift, 0.31 - lift / 2)
        heights = row + lift + _spread(gaps)
        target.scatter(gaps, heights, 13, color=colour, marker=marker, alpha=0.65, lw=0, zorder=3)
    name_rows(target, rows)
    target.set_ylim(len(chosen) - 0.4, -0.6)
    target.axvline(0, color="0.4", lw=0.9, zorder=1)
    target.use_sticky_edges = False
    target.margins(x=0.03)
    low, high = target.get_xlim()
    if low > -1 and high < 1:  # small differences must not look large
        target.set_xlim(-1, 5)
    value_axis(target.xaxis)
    target.xaxis.set_major_formatter(PercentFormatter(decimals=None))
    target.set_label(f"Makespan above the proved optimum. {'; '.join(counts)}.")
    return finish(target, title, handles, is_new=ax is None, x="makespan above the proved optimum (%)", axis="x")


def _draw_box(ax: Axes, gaps: Any, y: float, half: float) -> list[Line2D | Patch]:
    """Draw quartiles and median of a method; return their legend handles."""
    low, middle, high = np.quantile(gaps, [0.25, 0.5, 0.75])
    look: dict[str, Any] = {"facecolor": "0.9", "edgecolor": "0.35", "lw": 0.8}
    ax.add_patch(Rectangle((low, y - half), high - low, 2 * half, zorder=1.5, **look))
    line: dict[str, Any] = {"color": "black", "lw": 2.2}
    ax.plot([middle] * 2, [y - half - 0.05, y + half + 0.05], zorder=4, solid_capstyle="butt", **line)
    median = Line2D([], [], ls="", marker="|", color="black", markersize=10, markeredgewidth=2.2, label="median")
    return [Patch(label="interquartile range of the answered problems", **look), median]


def _counts(method: str, gaps: Any, solved: int, unproved: int) -> str:
    """Return the part of the caption on a method."""
    optimal = int(np.count_nonzero(np.abs(gaps) < 1e-9))
    parts = [f"{optimal} of {solved} optimal"]
    unanswered = solved - len(gaps)
    if unanswered:
        parts.append(f"{unanswered} without answer")
    if unproved:
        parts.append(f"{unproved} optima not proved")
    return f"{_name(method)}: {', '.join(parts)}"


def _name(method: str) -> str:
    return "best heuristic" if method == "best_heuristic" else method


def _spread(values: Any) -> Any:
    """Return vertical offsets for sorted values, so that close values do not overlap."""
    span = max(1e-9, float(values[-1] - values[0]))
    places = np.round((values - values[0]) / span * 120).astype(int)
    offsets = np.zeros(len(values))
    for place in np.unique(places):
        members = np.flatnonzero(places == place)
        if len(members) > 1:
            reach = min(0.3, 0.03 * len(members))
            offsets[members] = np.linspace(-reach, reach, len(members))
    return offsets


def performance_profile(
    comparisons: pd.DataFrame,
    ax: Axes | None = None,
    *,
    title: str = "",
    **options: Any,
) -> Axes:
    """Draw performance profiles: the share of problems within a ratio of the best.

    Parameters
    ----------
    comparisons
        A frame that `profiles` takes.
    ax
        Where to draw; without it, on a new figure.
    options
        Those of `profiles`.
    """
    steps = profiles(comparisons, **options)
    against = options.get("against", "best")
    target = new_axes(ax, 8.0, 4.2)
    names = list(dict.fromkeys(steps["method"]))
    all_ratios = [float(ratio) for ratio in steps["ratio"]]
    right = max([1.02, *(1.0 + 1.04 * (ratio - 1.0) for ratio in all_ratios)])
    handles: list[Line2D | Patch] = []
    answered = []
    looks = zip(names, numbers(names), method_colours(names), strict=True)
    for place, (name, number, colour) in enumerate(looks):
        part = steps[steps["method"] == name]
        ratios = part["ratio"].to_numpy(float)
        shares = part["share"].astype("Float64").to_numpy(float, na_value=0.0)
        look: dict[str, Any] = {
            "color": colour,
            "ls": DASHES[number % len(DASHES)],
            "marker": MARKERS[number % len(MARKERS)],
            "lw": 1.7,
            "markersize": 5,
        }
        line, marks = look | {"marker": ""}, look | {"ls": ""}
        ends = np.append(ratios, right), 100 * np.append(shares, shares[-1])
        target.plot(*ends, drawstyle="steps-post", **line, zorder=3)
        first = place / max(1, len(names)) / 8  # marks of different methods are offset
        at = 1 + (right - 1) * np.arange(first, 1, 1 / 8)
        steps_before = np.maximum(0, np.searchsorted(ratios, at, side="right") - 1)
        target.plot(at, 100 * shares[steps_before], **marks, zorder=3.5, clip_on=False)
        handles.append(Line2D([], [], label=plain(_name(name)), **look))
        answered.append(f"{_name(name)} {100 * shares[-1]:.0f} %")
    target.set_xlim(min([1.0, *all_ratios]), right)
    target.set_ylim(0, 103)
    value_axis(target.yaxis)
    value_axis(target.xaxis)
    if right > _FAR:  # one bad ratio must not hide the others
        target.set_xscale("log", base=2)
        target.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    words = "ratio to the proved optimum" if against == "optimum" else "ratio to the best answer"
    target.set_label(f"Share of the problems within a {words}. Problems answered: {', '.join(answered)}.")
    return finish(target, title, handles, is_new=ax is None, x=words, y="share of problems within the ratio (%)")
