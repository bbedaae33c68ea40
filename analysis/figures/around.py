"""What stands around the picture of a plan in a kitchen: numbers of actions, legend, key."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, cast

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from planoracle.analysis.figures.key import write_key
from planoracle.analysis.figures.shape import is_narrow, points, scale
from planoracle.analysis.figures.style import legend_below

#: Colours of players.
PLAYERS = ("#202020", "#0072b2", "#a8481a", "#6a6a6a")
#: How what only one of two plans has is framed.
EXTRA: dict[str, Any] = {"facecolor": "none", "edgecolor": "#d55e00", "lw": 1.6, "zorder": 4.5}


class Short(NamedTuple):
    """How a kind of thing is shown where its name has no room."""

    letters: str
    colour: str


def initials(kinds: Iterable[str]) -> dict[str, str]:
    """Return a letter or two for each kind of thing, none for two of them.

    >>> initials(["bread", "cheese", "chicken"])
    {'bread': 'b', 'cheese': 'c', 'chicken': 'ch'}
    """
    found: dict[str, str] = {}
    for kind in sorted(kinds):
        tried = (kind[:1], *(f"{kind[0]}{letter}" for letter in kind[1:]))
        found[kind] = next((letters for letters in tried if letters not in found.values()), kind)
    return found


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


def draw_legend(ax: Axes, players: tuple[str, ...], kinds: dict[str, Short], *, paired: bool) -> float:
    """Explain looks, and in a column, where names have no room, also colours; return inches that this takes."""
    handles: list[Patch | Line2D] = [
        Patch(facecolor="0.92", edgecolor="0.35", label="raw"),
        Patch(facecolor="0.92", edgecolor="0.35", hatch="////", label="under way"),
        Patch(facecolor="0.72", edgecolor="0.35", label="cut, cooked, fried or boiling (in full colour)"),
        *(Patch(facecolor=PLAYERS[i % len(PLAYERS)], label=short(name)) for i, name in enumerate(players)),
    ]
    if paired:
        handles.append(Patch(label="not in the other plan", **EXTRA))
    if is_narrow():
        handles += [Patch(facecolor=one.colour, edgecolor="0.35", label=short(kind)) for kind, one in kinds.items()]
    return legend_below(ax, handles, drop=0.42)


def explain_letters(ax: Axes, kinds: dict[str, Short], verbs: dict[str, str], below: float) -> float:
    """Write a key to the letters on the bars of a figure of its final size; return inches that this takes.

    Parameters
    ----------
    below
        Inches that the legend takes.
    """
    cast(Figure, ax.figure).draw_without_rendering()  # texts decide while being drawn
    written = {text.settle() for axes in ax.figure.axes for text in axes.texts if isinstance(text, Label)}
    things = [(text, text.rstrip("0123456789")) for text in sorted(written) if text[-1:].isdecimal()]
    kind_of = {one.letters: kind for kind, one in kinds.items()}
    entries = [
        [f"{letters} {verb}" for verb, letters in verbs.items() if letters in written and letters != verb],
        [f"{text} {short(kind_of[start])}{text[len(start) :]}" for text, start in things if start in kind_of],
    ]
    said = [one for one in entries if one]
    return write_key(ax, said, 0.42 + below) if said else 0.0


def short(text: str, limit: int = 40) -> str:
    """Keep names from being read as formulas, and from filling the figure."""
    text = text if len(text) <= limit else f"{text[: limit - 1]}…"
    return (f" {text}" if text.startswith("_") else text).replace("$", r"\$")


class Label(Text):
    """Writes the first wording that fits into a box of data coordinates, the last also upright, or nothing.

    It decides when drawn, until it is settled.
    """

    def __init__(self, box: Bbox, wordings: tuple[str, ...], face: Any, *, hatched: bool = False, size: float = 6.5):
        super().__init__(*box.get_points().mean(axis=0), ha="center", va="center", fontsize=points(size), zorder=4)
        self.set(color="white" if np.dot(face, (0.3, 0.6, 0.1)) < 0.42 else "black", in_layout=False)
        self.set_clip_on(True)
        if hatched:
            self.set_bbox({"facecolor": face, "edgecolor": "none", "pad": 0.3})
        self._room, self._wordings, self._settled = box, wordings, False

    def settle(self) -> str:
        """Keep from now on what was written when it was last drawn, and return it."""
        self._settled = True
        return self.get_text()

    def draw(self, renderer: RendererBase) -> None:
        """Choose the wording and draw it."""
        if not self._settled:
            self._choose(renderer)
        super().draw(renderer)

    def _choose(self, renderer: RendererBase) -> None:
        room = self._room.transformed(self.get_transform())
        margin = cast(float, renderer.points_to_pixels(1.4))
        for wording, turn in [*((wording, 0) for wording in self._wordings), (self._wordings[-1], 90), ("", 0)]:
            self.set(text=short(wording, 60) if wording else "", rotation=turn)
            size = self.get_window_extent(renderer)
            if size.width + (0 if turn else margin) <= abs(room.width) and size.height <= abs(room.height):
                return
