"""Progress of runs over time, and shares of their kinds of action (TimeArena, Figures 5 and 3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.transforms import Bbox

from planoracle.analysis.figures.palette import LINES, PALETTE, method_colour, numbers
from planoracle.analysis.figures.shape import points
from planoracle.analysis.figures.style import (
    DASHES,
    HATCHES,
    MARKERS,
    FittedText,
    bare,
    clock,
    legend_below,
    new_axes,
    plain,
    shade,
    time_axis,
    title,
)
from planoracle.instances.errors import InputError
from planoracle.instances.replay import Replay


@dataclass(frozen=True, slots=True)
class Curve:
    """Progress of one run.

    Attributes
    ----------
    name
        Who made it.
    steps
        Pairs of a time in ticks and the share done from then on, times rising; before the first nothing is done.
    end
        Tick at which the run stopped.
    success
        Whether everything was done in the end; ``None`` if that is not known.
    """

    name: str
    steps: tuple[tuple[int, float], ...]
    end: int
    success: bool | None = None


def curve(name: str, replay: Replay) -> Curve:
    """Make a curve of a replay: what a command has done is done when it ends."""
    steps: dict[int, float] = {}
    done = 0.0
    for event in sorted((one for one in replay.events if one.accepted), key=lambda one: (one.end, one.position)):
        done = max(done, event.progress)
        steps[event.end] = done
    last = max([replay.makespan, *(event.end for event in replay.events)], default=0)
    return Curve(name, tuple(steps.items()), last, replay.success)


def progress_curves(
    curves: Iterable[Curve],
    ax: Axes | None = None,
    *,
    unit: str = "tick",
    optimum: int | None = None,
    title: str = "",
) -> Axes:
    """Draw how much was done when, a stair per run (Figure 5 of TimeArena).

    A run ends in a full mark if everything was done, else in a hollow one; the lines differ in colour, dashes and
    marks.

    Parameters
    ----------
    ax
        Where to draw; without it, on a new figure.
    unit
        Of the times.
    optimum
        Least makespan, drawn as a vertical line.
    """
    drawn = list(curves)
    target = new_axes(ax, 8.0, 4.0)
    span = max([1, *(one.end for one in drawn), *(t for one in drawn for t, _ in one.steps), optimum or 0])
    handles: list[Line2D | Patch] = []
    marks = max(1, span // 12)
    for place, (one, number) in enumerate(zip(drawn, numbers([one.name for one in drawn]), strict=True)):
        times = [0, *(t for t, _ in one.steps), one.end]
        shares = [0.0, *(100 * share for _, share in one.steps)]
        shares.append(shares[-1])
        face = None if one.success is not False else "white"
        look: dict[str, Any] = {
            "color": LINES[number % len(LINES)],
            "ls": DASHES[number % len(DASHES)],
            "marker": MARKERS[number % len(MARKERS)],
            "lw": 1.6,
            "markersize": 5.5,
            "markerfacecolor": face,
        }
        line = {**look, "marker": ""}
        target.plot(times, shares, drawstyle="steps-post", zorder=3, label=plain(one.name), **line)
        target.plot([one.end], [shares[-1]], zorder=4, clip_on=False, **{**look, "ls": ""})
        # Marks on the way, set off against each other, tell lines that lie close together apart.
        at = np.arange(marks // 2 + place * marks / max(1, len(drawn)), one.end, 2 * marks)
        heights = [shares[int(np.searchsorted(times[:-1], t, side="right")) - 1] for t in at]
        target.plot(at, heights, zorder=3.5, **{**look, "ls": "", "markersize": 4})
        handles.append(Line2D([], [], label=plain(one.name), **look))
    if any(one.success is False for one in drawn):
        handles.append(Line2D([], [], color="0.3", ls="", marker="o", markerfacecolor="white", label="not completed"))
    if optimum is not None:
        best: dict[str, Any] = {"color": method_colour("optimum"), "lw": 1.1, "ls": (0, (2, 2))}
        target.axvline(optimum, zorder=2, **best)
        handles.append(Line2D([], [], label=f"optimum {clock(optimum, unit)} {_word(unit)}", **best))
    target.set_xlim(0, 1.02 * span)
    target.set_ylim(0, 104)
    target.set_yticks(range(0, 101, 20))
    target.tick_params(labelsize=points(8))
    target.set_ylabel("progress (%)", fontsize=points(8.5))
    target.grid(axis="y", color="0.9", lw=0.6)
    bare(target)
    time_axis(target, span, unit)
    legend_below(target, handles)
    _titled(target, title)
    return target


def _word(unit: str) -> str:
    return "" if unit == "second" else plain(unit) + "s"


def _titled(ax: Axes, text: str) -> None:
    title(ax, text)


def action_shares(shares: Mapping[str, Mapping[str, float]], ax: Axes | None = None, *, title: str = "") -> Axes:
    """Draw how the actions of agents divide into kinds, a bar per agent (Figure 3 of TimeArena).

    Parameters
    ----------
    shares
        By agent, by kind: what `planoracle.instances.timearena.metrics.proportions` returns. The sum is at most 1.
    ax
        Where to draw; without it, on a new figure of fitting size.

    Raises
    ------
    InputError
        If shares are negative or add up to more than 1.
    """
    kinds = list(dict.fromkeys(kind for one in shares.values() for kind in one))
    target = new_axes(ax, 8.0, 1.5 + 0.36 * len(shares) + 0.18 * (len(kinds) // 4 + 1))
    with rc_context({"hatch.linewidth": 0.6}):
        for row, (agent, parts) in enumerate(shares.items()):
            if min(parts.values(), default=0) < 0 or sum(parts.values()) > 1 + 1e-6:
                raise InputError("must be shares that add up to 1", field=agent, value=dict(parts))
            left = 0.0
            for kind, share in parts.items():
                look = _kind_look(kinds.index(kind))
                right = left + 100 * share
                target.add_patch(Rectangle((left, row - 0.38), right - left, 0.76, zorder=2, label=plain(kind), **look))
                box = Bbox.from_extents(left, row - 0.38, right, row + 0.38)
                target.add_artist(FittedText(box, [f"{100 * share:.0f} %", f"{100 * share:.0f}"], look))
                left = right
        handles = [Patch(label=plain(kind.replace("_", " ")), **_kind_look(i)) for i, kind in enumerate(kinds)]
        target.set_xlim(0, 100)
        target.set_ylim(len(shares) - 0.4, -0.6)
        target.set_yticks(range(len(shares)), [plain(agent) for agent in shares], fontsize=points(8.5))
        target.tick_params(axis="y", length=0)
        target.tick_params(axis="x", labelsize=points(8))
        target.set_xlabel("minutes of decisions (%)", fontsize=points(8.5))
        bare(target)
        legend_below(target, handles)
    _titled(target, title)
    return target


def _kind_look(number: int) -> dict[str, Any]:
    hatch = HATCHES[number % len(HATCHES)]
    look = shade(PALETTE[number % len(PALETTE)], hatch or None)
    if hatch:  # between full and pale, for the colour to tell as well
        look["facecolor"] = 0.35 * np.array(shade(PALETTE[number % len(PALETTE)])["facecolor"]) + 0.65
    return look
