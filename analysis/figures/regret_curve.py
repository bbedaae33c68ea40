"""Regret along a plan: the best reachable makespan after every decision."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MaxNLocator, MultipleLocator

from planoracle.analysis.diagnosis.regret import DecisionRegret, RunRegret
from planoracle.analysis.figures.colours import method_colour
from planoracle.analysis.figures.style import clock, finish, new_axes, plain, round_step

#: Number of the costliest decisions that are named.
NAMED = 5

_BLUE, _RED = method_colour("submission"), "#d55e00"


def regret_staircase(
    regret: RunRegret, ax: Axes | None = None, *, named: int = NAMED, title: str | None = None
) -> Axes:
    """Draw the best reachable makespan after each decision as a staircase, with the regrets.

    Every rise is a cost; the costliest are numbered, and named below. A pale band is the range between the proved
    bounds. At the point of no return, after which success is impossible, the line ends in a cross.

    Parameters
    ----------
    regret
        Of `planoracle.analysis.diagnosis.regret.regret`.
    ax
        Where to draw; without it, on a new figure.
    named
        Number of decisions that are named.
    title
        By default the name of the instance; ``""`` for none.
    """
    decisions = regret.decisions
    width = min(max(8.0, 1.5 + 0.09 * len(decisions)), 16.0)
    target = new_axes(ax, width, 4.4)
    levels = [_first_level(regret), *(decision.after for decision in decisions)]
    drawn_values = [level for level in levels if level is not None]
    for decision in decisions:
        drawn_values += filter(None, (decision.lower, decision.upper))
    handles: list[Line2D | Patch] = []
    with rc_context({"hatch.linewidth": 0.5}):
        places = [0.5, *range(1, len(decisions) + 1), len(decisions) + 0.5]
        heights = [math.nan if level is None else level for level in (*levels, levels[-1])]
        if regret.no_return is not None:
            reachable = heights[: regret.no_return + 1]
            heights = reachable + [math.nan] * (len(heights) - len(reachable))
        target.plot(places, heights, drawstyle="steps-post", color=_BLUE, lw=2, zorder=3)
        for k, (before, after) in enumerate(pairwise(levels), start=1):
            if before is not None and after is not None and before != after:
                target.plot([k, k], [before, after], color=_RED, lw=3, zorder=3.5, solid_capstyle="butt")
        unproved = [k for k, decision in enumerate(decisions) if _has_bounds_only(decision)]
        for k in unproved:
            low, high = decisions[k].lower, decisions[k].upper
            target.fill_between([k + 0.5, k + 1.5], low, high, color="0.85", lw=0, zorder=1)  # type: ignore[arg-type]
        if drawn_values:
            lowest, highest = min(drawn_values), max(drawn_values)
            space = max(1, highest - lowest)
            target.set_ylim(lowest - 0.08 * space - 0.5, highest + 0.22 * space + 0.5)
        target.set_xlim(0.5, max(1, len(decisions)) + 0.5)
        handles.append(Line2D([], [], color=_BLUE, lw=2, label="best reachable makespan"))
        if any((decision.cost or 0) != 0 for decision in decisions):
            handles.append(Line2D([], [], color=_RED, lw=3, label="regret of a decision"))
        if unproved:
            handles.append(Patch(color="0.85", label="range between proved bounds"))
        handles += _end(target, regret, levels)
    handles += _name(target, regret, named)
    if regret.optimum is not None:
        best: dict[str, Any] = {"color": method_colour("optimum"), "lw": 1.2, "ls": (0, (2, 2))}
        target.axhline(regret.optimum, zorder=1.5, **best)
        handles.insert(0, Line2D([], [], label=_caption(regret), **best))
    target.xaxis.set_major_locator(MaxNLocator(12, integer=True, steps=[1, 2, 5, 10], min_n_ticks=3))
    bottom, top = target.get_ylim()
    step = round_step(math.ceil(top - bottom), 8, regret.unit == "second")
    target.yaxis.set_major_locator(MultipleLocator(step))

    def makespan_label(value: float, _: int | None) -> str:
        return clock(round(value), regret.unit)

    target.yaxis.set_major_formatter(FuncFormatter(makespan_label))
    unit = "hh:mm:ss" if regret.unit == "second" else f"{plain(regret.unit)}s"
    name = regret.instance if title is None else title
    labels = {"x": "number of the decision", "y": f"makespan ({unit})"}
    return finish(target, name, handles, is_new=ax is None, **labels, color="0.92")


def _first_level(regret: RunRegret) -> int | None:
    """Return the best reachable makespan before all decisions, if proved."""
    return regret.decisions[0].before if regret.decisions else regret.optimum


def _has_bounds_only(decision: DecisionRegret) -> bool:
    """Return True if the makespan after a decision is not proved, but has bounds."""
    return decision.after is None and decision.lower is not None and bool(decision.upper)


def _caption(regret: RunRegret) -> str:
    words = f"optimum {clock(regret.optimum or 0, regret.unit)}"
    if regret.success and regret.final is not None:
        return f"{words}; makespan of the plan {clock(regret.final, regret.unit)}"
    return f"{words}; the plan fails"


def _end(ax: Axes, regret: RunRegret, levels: list[int | None]) -> list[Line2D | Patch]:
    """Mark the point of no return and the decisions after it."""
    if regret.no_return is None:
        return []
    k = regret.no_return
    look: dict[str, Any] = {"facecolor": "0.95", "edgecolor": "0.6", "hatch": "////", "lw": 0}
    ax.axvspan(k + 1, len(regret.decisions) + 0.5, zorder=0.5, **look)
    last = next((level for level in reversed(levels[: k + 2]) if level is not None), None)
    if last is not None:
        ax.plot(k + 1, last, "X", color="black", markeredgecolor="white", markersize=10, zorder=5)
    reasons = {
        "constraints": "success impossible under the rules",
        "time_limit": "success impossible within the time limit",
        "over": "after the end of the run",
        "spoiled": "no successful continuation known",
    }.get(regret.no_return_reason or "", "no success")
    words = plain(f"point of no return: {regret.decisions[k].command} (decision {k + 1})", 70)
    return [Line2D([], [], color="black", marker="X", ls="", label=words), Patch(label=reasons, **look)]


def _name(ax: Axes, regret: RunRegret, named: int) -> list[Line2D | Patch]:
    """Mark the most costly decisions by numbers that do not overlap, and name them below."""
    distance = len(regret.decisions) / 40
    last = len(regret.decisions) if regret.no_return is None else regret.no_return
    chosen: list[int] = []
    for k in regret.costliest(len(regret.decisions)):
        is_distant = all(abs(k - position) > distance for position in chosen)
        if k < last and len(chosen) < named and is_distant:
            chosen.append(k)
    handles: list[Line2D | Patch] = []
    for number, k in enumerate(sorted(chosen), start=1):
        decision, mark = regret.decisions[k], f"${number}$"
        height = decision.after if decision.after is not None else math.nan
        ax.plot(k + 1, height, "o", color="white", markeredgecolor=_RED, markersize=11, zorder=5)
        ax.plot(k + 1, height, marker=mark, color="black", markersize=5.5, zorder=5.1, lw=0)
        cost = clock(decision.cost or 0, regret.unit)
        words = plain(f"+{cost}: {decision.command} (decision {k + 1})", 70)
        handles.append(Line2D([], [], ls="", marker=mark, color="black", markersize=6, label=words))
    return handles
