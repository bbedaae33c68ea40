"""Figures of methods over many problems: gaps, performance profiles and times to proof."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator, PercentFormatter

from planoracle.analysis.figures.colours import LINES, numbers
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
from planoracle.instances.errors import InputError
from planoracle.instances.text import one_of

# From this ratio on performance profiles are drawn on a logarithmic scale.
_FAR = 5
# Fewest gaps that have quartiles; fewest solves of which a median is drawn.
_QUARTILES, _IN_MEDIAN = 4, 8


def gap_distribution(
    comparisons: pd.DataFrame, ax: Axes | None = None, *, methods: Sequence[str] | None = None, title: str = ""
) -> Axes:
    """Draw the gaps of methods to the proved optimum: dots, quartile box and median.

    The label of the axes is a caption, see `planoracle.analysis.figures.style.save`: for each method the number of
    optimal answers, and of problems without an answer that the rules accept. Problems whose optimum is not proved are
    left out, and counted there. Up to three gaps have neither box nor median.

    Parameters
    ----------
    comparisons
        Frame ``comparisons``; all of its methods but ``optimum`` unless others are asked for.
    ax
        Where to draw; without it, on a new figure of fitting size.
    """
    chosen = _methods(comparisons, methods)
    target = new_axes(ax, 8.0, 1.7 + 0.55 * len(chosen))
    counts, rows = [], []
    lift = 0.16 if is_narrow() else 0.0  # the name stands above
    handles: list[Line2D | Patch] = []
    for row, (method, number) in enumerate(zip(chosen, numbers(chosen), strict=True)):
        part = comparisons[comparisons["method"] == method]
        solved = part[part["optimum"].notna()]
        accepted = solved["accepted"].fillna(True).to_numpy(bool) & solved["gap"].notna().to_numpy(bool)
        gaps = np.sort(100 * solved["gap"][accepted].to_numpy(float))
        counts.append(_counts(method, gaps, len(solved), int(part["settled"].isin(["feasible", "unknown"]).sum())))
        rows.append((row - 0.5, row + 0.5, _name(method)))
        if not len(gaps):
            continue
        colour, marker = LINES[number % len(LINES)], MARKERS[number % len(MARKERS)]
        if len(gaps) >= _QUARTILES:
            handles = _draw_box(target, gaps, row + lift, 0.31 - lift / 2)
        target.scatter(gaps, row + lift + _spread(gaps), 13, color=colour, marker=marker, alpha=0.65, lw=0, zorder=3)
    name_rows(target, rows)
    target.set_ylim(len(chosen) - 0.4, -0.6)
    target.axvline(0, color="0.4", lw=0.9, zorder=1)
    target.use_sticky_edges = False
    target.margins(x=0.03)
    low, high = target.get_xlim()
    if low > -1 and high < 1:  # hardly any difference, which must not look large
        target.set_xlim(-1, 5)
    value_axis(target.xaxis)
    target.xaxis.set_major_formatter(PercentFormatter(decimals=None))
    target.set_label(f"Makespan above the proved optimum. {'; '.join(counts)}.")
    return finish(target, title, handles, x="above the proved optimum", axis="x")


def _draw_box(ax: Axes, gaps: Any, y: float, half: float) -> list[Line2D | Patch]:
    """Draw quartiles and median of a method; return what explains them."""
    low, middle, high = np.quantile(gaps, [0.25, 0.5, 0.75])
    look: dict[str, Any] = {"facecolor": "0.9", "edgecolor": "0.35", "lw": 0.8}
    ax.add_patch(Rectangle((low, y - half), high - low, 2 * half, zorder=1.5, **look))
    line: dict[str, Any] = {"color": "black", "lw": 2.2}
    ax.plot([middle] * 2, [y - half - 0.05, y + half + 0.05], zorder=4, solid_capstyle="butt", **line)
    median = Line2D([], [], ls="", marker="|", color="black", markersize=10, markeredgewidth=2.2, label="their median")
    return [Patch(label="middle half of the problems answered", **look), median]


def _methods(frame: pd.DataFrame, methods: Sequence[str] | None) -> list[str]:
    present = list(dict.fromkeys(map(str, frame["method"])))
    if methods is None:
        return [method for method in present if method != "optimum"]
    for method in methods:
        if method not in present:
            raise InputError(one_of(method, present, "methods"), field="methods", value=method)
    return list(methods)


def _counts(method: str, gaps: Any, solved: int, unproved: int) -> str:
    """Return the part of the caption on a method."""
    parts = [f"{int(np.count_nonzero(np.abs(gaps) < 1e-9))} of {solved} optimal"]
    if solved - len(gaps):
        parts.append(f"{solved - len(gaps)} without answer")
    if unproved:
        parts.append(f"{unproved} optima not proved")
    return f"{_name(method)}: {', '.join(parts)}"


def _name(method: str) -> str:
    return "best heuristic" if method == "best_heuristic" else method


def _spread(values: Any) -> Any:
    """Return offsets for sorted values: those that would lie on each other are laid side by side."""
    span = max(1e-9, float(values[-1] - values[0]))
    places = np.round((values - values[0]) / span * 120).astype(int)
    offsets = np.zeros(len(values))
    for place in np.unique(places):
        members = np.flatnonzero(places == place)
        reach = min(0.3, 0.03 * len(members))
        offsets[members] = np.linspace(-reach, reach, len(members)) if len(members) > 1 else 0.0
    return offsets


def performance_profile(
    comparisons: pd.DataFrame,
    ax: Axes | None = None,
    *,
    methods: Sequence[str] | None = None,
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
    how
        Further options of `profiles`.
    """
    steps = profiles(comparisons, methods, **options)
    against = options.get("against", "best")
    target = new_axes(ax, 8.0, 4.2)
    names = list(dict.fromkeys(steps["method"]))
    right = max([1.02, *(1.0 + 1.04 * (float(r) - 1.0) for r in steps["ratio"])])
    handles: list[Line2D | Patch] = []
    answered = []
    for place, (name, number) in enumerate(zip(names, numbers(names), strict=True)):
        part = steps[steps["method"] == name]
        ratios, shares = part["ratio"].to_numpy(float), part["share"].astype("Float64").to_numpy(float, na_value=0.0)
        look: dict[str, Any] = {
            "color": LINES[number % len(LINES)],
            "ls": DASHES[number % len(DASHES)],
            "marker": MARKERS[number % len(MARKERS)],
            "lw": 1.7,
            "markersize": 5,
        }
        ends = np.append(ratios, right), 100 * np.append(shares, shares[-1])
        target.plot(*ends, drawstyle="steps-post", **{**look, "marker": ""}, zorder=3)
        first = place / max(1, len(names)) / 8  # marks are set off against each other
        at = 1 + (right - 1) * np.arange(first, 1, 1 / 8)
        heights = [100 * shares[max(0, int(np.searchsorted(ratios, t, side="right")) - 1)] for t in at]
        target.plot(at, heights, **{**look, "ls": ""}, zorder=3.5, clip_on=False)
        handles.append(Line2D([], [], label=plain(_name(name)), **look))
        answered.append(f"{_name(name)} {100 * shares[-1]:.0f} %")
    target.set_xlim(min([1.0, *steps["ratio"].astype(float)]), right)
    target.set_ylim(0, 103)
    value_axis(target.yaxis)
    value_axis(target.xaxis)
    if right > _FAR:  # one bad ratio must not hide the others
        target.set_xscale("log", base=2)
        target.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    words = "ratio to the " + ("proved optimum" if against == "optimum" else "best answer")
    target.set_label(f"Share of the problems within a {words}. Problems answered: {', '.join(answered)}.")
    return finish(target, title, handles, x=words, y="problems within that ratio (%)")


#: Words, mark and width of its edge for a solve that ended in each status; a mark without a face is hollow.
_ENDS: dict[str, tuple[str, str, float, bool]] = {
    "optimal": ("optimum proved", "o", 0.4, False),
    "infeasible": ("proved to have no solution", "s", 0.4, False),
    "feasible": ("not proved in time", "^", 1.1, True),
    "unknown": ("neither found nor excluded in time", "X", 1.1, True),
}


def time_to_proof(comparisons: pd.DataFrame, ax: Axes | None = None, *, title: str = "") -> Axes:
    """Draw the seconds of the exact solve against the number of actions, both on logarithmic scales.

    Full marks are proofs; hollow ones are solves that the time limit ended, so a proof would have taken longer. The
    line joins medians of at least eight solves each; fewer than sixteen have none. The caption counts the problems that
    are not drawn.

    Parameters
    ----------
    comparisons
        Frame ``comparisons`` with the method ``optimum``. Kitchens have no number of actions.
    ax
        Where to draw; without it, on a new figure.
    """
    exact = comparisons[comparisons["method"] == "optimum"]
    plotted = exact[exact["actions"].notna() & exact["seconds"].notna()]
    target = new_axes(ax, 8.0, 4.2)
    handles: list[Line2D | Patch] = []
    sizes, seconds = plotted["actions"].to_numpy(float), np.maximum(plotted["seconds"].to_numpy(float), 1e-4)
    benchmarks = [str(one) for one in dict.fromkeys(plotted["benchmark"])]
    for number, benchmark in enumerate(benchmarks):
        colour = LINES[number % len(LINES)]
        for status, (_, marker, lw, hollow) in _ENDS.items():
            inside = ((plotted["benchmark"] == benchmark) & (plotted["settled"] == status)).to_numpy(bool)
            if inside.any():
                face, edge = ("none", colour) if hollow else (colour, "white")
                look: dict[str, Any] = {"facecolor": face, "edgecolor": edge, "lw": lw, "zorder": 3, "alpha": 0.9}
                drawn = _marker(number) if status == "optimal" else marker
                target.scatter(sizes[inside], seconds[inside], 26, marker=drawn, **look)
        handles.append(Line2D([], [], ls="", color=colour, marker=_marker(number), label=plain(benchmark)))
    for status, (words, marker, _, hollow) in _ENDS.items():
        if status != "optimal" and (plotted["settled"] == status).any():
            face = "none" if hollow else "0.3"
            handles.append(Line2D([], [], ls="", color="0.3", marker=marker, markerfacecolor=face, label=words))
    if len(plotted):
        handles += _medians(target, sizes, seconds)
        target.set_xscale("log")
        target.set_yscale("log")
        target.set_xlim(0.85 * sizes.min(), 1.18 * sizes.max())
        target.xaxis.set_major_locator(MaxNLocator(7, integer=True, steps=[1, 2, 5, 10]))
        target.xaxis.set_minor_locator(NullLocator())
        target.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:.0f}"))
        low, high = float(seconds.min()), float(seconds.max())
        target.yaxis.set_major_locator(LogLocator(subs=(1.0,) if high > 1000 * low else (1.0, 2.0, 5.0)))
        if high < 10 * low:
            target.set_ylim(low / 2, 5 * low)
        target.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))
    missing = len(exact) - len(plotted)
    words = f" Not drawn: {missing} problems without a number of actions." if missing else ""
    target.set_label(f"Seconds of the exact solve of {len(plotted)} problems by number of actions.{words}")
    return finish(target, title, handles, x="number of actions", y="seconds to the proof")


def _marker(number: int) -> str:
    return ("o", "D", "v", "p", "P")[number % 5]


def _medians(ax: Axes, sizes: Any, seconds: Any) -> list[Line2D]:
    """Draw a line through several medians of about equally many solves; return what explains it."""
    parts = np.array_split(np.argsort(sizes, kind="stable"), min(12, len(sizes) // _IN_MEDIAN) or 1)
    if len(parts) < 2:
        return []
    look: dict[str, Any] = {"color": "black", "lw": 1.3, "ls": (0, (4, 2))}
    ax.plot(*np.array([(np.median(sizes[part]), np.median(seconds[part])) for part in parts]).T, zorder=4, **look)
    return [Line2D([], [], label="median", **look)]
