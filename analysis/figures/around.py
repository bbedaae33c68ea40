"""What stands around the picture of a plan in a kitchen: numbers of actions, legend, key."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from planoracle.analysis.figures.key import write_key
from planoracle.analysis.figures.shape import is_narrow, points, scale
from planoracle.analysis.figures.style import legend_below

__all__ = ["EXTRA", "PLAYERS", "abbreviations", "draw_legend", "draw_steps", "short"]

#: Colours of players.
PLAYERS = ("#202020", "#0072b2", "#a8481a", "#6a6a6a")
#: How what only one of two plans has is framed.
EXTRA: dict[str, Any] = {"facecolor": "none", "edgecolor": "#d55e00", "lw": 1.6, "zorder": 4.5}


def abbreviations(verbs: Iterable[str]) -> dict[str, str]:
    """Return the shortest beginning of each verb that no other one has.

    >>> abbreviations(["stack", "take", "cut", "cook", ""])
    {'cook': 'co', 'cut': 'cu', 'stack': 's', 'take': 't'}
    """
    there = sorted({verb for verb in verbs if verb})
    found = {}
    for verb in there:
        sizes = range(1, len(verb) + 1)
        unlike = (n for n in sizes if not any(one != verb and one.startswith(verb[:n]) for one in there))
        found[verb] = verb[: next(unlike, len(verb))]
    return found


def draw_steps(ax: Axes, steps: int, columns: int, success: bool, *, last: bool) -> None:
    """Write numbers below the columns and mark the end."""
    room = 3.4 * ax.figure.bbox.width / ax.figure.dpi / scale()
    every = next(step for step in (1, 5, 10, 20, 50, 100) if columns / step <= room or step == 100)
    numbers = [number for number in range(1, steps + 1) if number % every == 0 or number in (1, steps)]
    if len(numbers) > 1 and every > 1 and numbers[-1] - numbers[-2] < 0.6 * every:
        del numbers[-2]
    end = ["end"] if every == 1 else []
    places = [number - 0.5 for number in numbers] + [steps + 0.5] * len(end)
    ax.set_xticks(places, [*map(str, numbers), *end], fontsize=points(7.5))
    ax.set_xticks(range(columns + 1), minor=True)
    ax.tick_params(axis="x", which="both", length=0)
    ax.grid(axis="x", which="minor", color="0.88", lw=0.5)
    ax.set_axisbelow(True)
    ax.axvline(steps, color="black", lw=1.2, ls="-" if success else (0, (3, 2)), zorder=3.5)
    if last:
        ax.set_xlabel("action", fontsize=points(8.5))


def draw_legend(
    ax: Axes, players: tuple[str, ...], colours: dict[str, str], brief: dict[str, str], *, paired: bool
) -> float:
    """Explain looks; in a column, where names have no room, also colours and the beginnings of verbs."""
    handles: list[Patch | Line2D] = [
        Patch(facecolor="0.92", edgecolor="0.35", label="raw"),
        Patch(facecolor="0.92", edgecolor="0.35", hatch="////", label="under way"),
        Patch(facecolor="0.72", edgecolor="0.35", label="cut, cooked, fried or boiling (in full colour)"),
        *(Patch(facecolor=PLAYERS[i % len(PLAYERS)], label=short(name)) for i, name in enumerate(players)),
    ]
    if paired:
        handles.append(Patch(label="not in the other plan", **EXTRA))
    if is_narrow():
        handles += [Patch(facecolor=colour, edgecolor="0.35", label=short(kind)) for kind, colour in colours.items()]
    height = legend_below(ax, handles, drop=0.42)
    if not is_narrow():
        return height
    entries = [f"{letters} {verb}" for verb, letters in brief.items() if letters != verb]
    return height + write_key(ax, [entries], 0.42 + height)


def short(text: str, limit: int = 40) -> str:
    """Keep names from being read as formulas, and from filling the figure."""
    text = text if len(text) <= limit else f"{text[: limit - 1]}…"
    return (f" {text}" if text.startswith("_") else text).replace("$", r"\$")
