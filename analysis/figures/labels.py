"""Labels of steps: in words where there is room, else numbers that a key below the figure explains."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from textwrap import wrap
from typing import NamedTuple, cast

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import ScaledTranslation

from planoracle.analysis.figures.style import FittedText, plain, points
from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.schedule import Schedule

# With these a name does not end: what follows is the object of the mode.
_OPEN = frozenset(["at", "by", "from", "in", "into", "of", "on", "onto", "over", "to", "with"])
_NUMBER = re.compile(r"\d+(?![\w.])")


def in_words(action: Action, mode: int = 0, limit: int = 60) -> str:
    """Return the name of an action: end of its id and label without repetitions, and its object.

    Examples
    --------
    >>> from planoracle.instances.model.instance import Mode
    >>> in_words(Action("pots/dry", "pots", 2, 0, label="dry on the rack"))
    'dry on the rack'
    >>> in_words(Action("meal/cook rice in", "meal", 4, 1, modes=(Mode(name="pot"), Mode(name="wok"))), 1)
    'cook rice in wok'
    >>> in_words(Action("Cobbler/7", "Cobbler", 30, 0, label="bake cobbler"))
    '7 bake cobbler'
    """
    tail = action.id.rpartition("/")[2]
    is_prefix = f"{action.label} ".casefold().startswith(f"{tail} ".casefold())
    words = action.label if is_prefix else f"{tail} {action.label}".strip()
    with_ = action.modes[mode].name if 0 <= mode < len(action.modes) else ""
    if with_ and words.rpartition(" ")[2].casefold() in _OPEN:
        words = f"{words} {with_}"
    return plain(words, limit)


def step_numbers(instance: Instance, schedules: Iterable[Schedule], *, own_only: bool = False) -> dict[str, str]:
    """Return a number for each action: its own if the actions of its task have one, else its rank.

    ``own_only``: omit ranks, so that no key is needed.

    Examples
    --------
    >>> from planoracle.instances.model.schedule import Piece
    >>> actions = (Action("a/2 x", "a", 1, 1), Action("a/7 y", "a", 1, 1), Action("b/x", "b", 1, 1))
    >>> order = [Piece(one, start, 1, "cook") for start, one in enumerate(("b/x", "a/7 y", "a/2 x"))]
    >>> step_numbers(Instance("i", actions), [Schedule(tuple(order))])
    {'b/x': '1', 'a/7 y': '7', 'a/2 x': '2'}
    """
    order = dict.fromkeys(
        piece.action for schedule in schedules for piece in sorted(schedule.pieces, key=lambda piece: piece.start)
    )
    by_task: dict[str, list[str]] = {}
    for action in order:
        by_task.setdefault(instance.by_id[action].task, []).append(action)
    numbers: dict[str, str] = {}
    for ids in by_task.values():
        own = [match[0] if (match := _NUMBER.match(one.rpartition("/")[2])) else "" for one in ids]
        if "" not in own and len(set(own)) == len(own):
            numbers |= zip(ids, own, strict=True)
        elif not own_only:
            numbers |= {action: str(place) for place, action in enumerate(ids, 1)}
    return {action: numbers[action] for action in order if action in numbers}


#: Most entries of a key; further entries are counted.
MOST = 80
_LETTERS, _SPACING, _GAP = 6.5, 1.3, 0.1  # points, lines, inches
_SEPARATOR = " \N{MIDDLE DOT} "


class KeyEntry(NamedTuple):
    """Entry of the key for an action; ``at``: start, only if its number does not fit on its bar."""

    task: str
    number: str
    words: str
    at: str


def draw_key(ax: Axes, entries: Mapping[str, KeyEntry], drop: float) -> float:
    """Draw a key of the steps whose labels do not fit on their bars; return its height in inches.

    The texts on the bars stay what they are now, whatever the figure is saved as.

    Parameters
    ----------
    entries
        By action, as in the labels of `FittedText`.
    drop
        Inches from the axes down to the key.
    """
    texts = [text for text in settled_texts(ax) if text.get_label() in entries]
    needed = {cast(str, text.get_label()) for text in texts if not text.in_full}
    nowhere = needed - {cast(str, text.get_label()) for text in texts if text.get_text()}
    ordered = [action for action in entries if action in needed]
    if not ordered:
        return 0.0
    shown_entries = [(entries[one], one in nowhere) for one in ordered[:MOST]]
    return write_key(ax, _paragraphs(shown_entries, len(ordered) - MOST), drop)


def settled_texts(ax: Axes) -> list[FittedText]:
    """Return the texts on the bars of a figure, which stay what they are now."""
    cast(Figure, ax.figure).draw_without_rendering()  # texts decide while being drawn
    texts = [text for axes in ax.figure.axes for text in axes.texts if isinstance(text, FittedText)]
    for text in texts:
        text.settle()
    return texts


def write_key(ax: Axes, paragraphs: Iterable[Sequence[str]], drop: float) -> float:
    """Write paragraphs below a figure, as wide as its axes; return inches that this takes.

    Parameters
    ----------
    paragraphs
        Of each the pieces, which may stand on lines of their own.
    drop
        Inches from the axes down.
    """
    size = points(_LETTERS)
    room = 0.98 * ax.get_window_extent().width
    lines = [line for words in paragraphs for line in _lines(ax, words, room, size)]
    place = ax.transAxes + ScaledTranslation(0, -drop - _GAP, ax.figure.dpi_scale_trans)
    ax.text(0, 0, "\n".join(lines), transform=place, va="top", fontsize=size, linespacing=_SPACING, gid="key")
    return _GAP + (len(lines) * _SPACING + 0.3) * size / 72


def _paragraphs(entries: Iterable[tuple[KeyEntry, bool]], more: int) -> list[list[str]]:
    """Return the entries of each task as texts between which lines may break."""
    paragraphs: dict[str, list[str]] = {}
    for entry, lost in entries:
        own = entry.words.split()[:1] == [entry.number]
        words = entry.words if own else f"{entry.number} {entry.words}"
        paragraphs.setdefault(entry.task, []).append(f"{words} (at {entry.at})" if lost and entry.at else words)
    parts = [[f"{plain(task)}: {words[0]}", *words[1:]] for task, words in paragraphs.items()]
    if len(parts) == 1:
        parts[0][0] = parts[0][0].removeprefix(f"{plain(next(iter(paragraphs)))}: ")
    return [*parts, *([[f"and {more} more"]] if more > 0 else [])]


def _lines(ax: Axes, pieces: Sequence[str], room: float, size: float) -> list[str]:
    """Return the lines of a paragraph, in pixels no wider than there is room."""

    def width(line: str) -> float:
        text = Text(0, 0, line, fontsize=size, figure=ax.figure)
        return float(text.get_window_extent().width)

    lines: list[str] = []
    for piece in pieces:
        if lines and width(f"{lines[-1]}{_SEPARATOR}{piece}") <= room:
            lines[-1] += f"{_SEPARATOR}{piece}"
            continue
        letters = len(piece)
        while letters > 8 and max(width(line) for line in wrap(piece, letters)) > room:
            letters -= 2
        lines += wrap(piece, letters)
    return lines
