"""Labels of steps: words where they fit on the bars, else numbers that a key below explains."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from textwrap import wrap
from typing import Any, NamedTuple, cast

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from planoracle.analysis.figures.style import LEGEND_DROP, plain, points, write_below
from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.schedule import Schedule

# A name does not end with these words: the object of the mode follows.
_OPEN = frozenset(["at", "by", "from", "in", "into", "of", "on", "onto", "over", "to", "with"])
# Size that short labels on narrow bars may shrink to, in points.
_SMALL = (5.0, 4.5)
# Width and height of a digit, and of the widest and tallest letters, in units of their size.
_DIGIT = (0.64, 0.76)
_WIDE_LETTER, _TALL_LETTER = 1.0, 0.95
_WIDE_LETTERS = frozenset("mwMW@%")
# Points that a text keeps free in its box.
_MARGIN = 2.0
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
    tail, label = action.id.rpartition("/")[2], action.label
    is_prefix = f"{label} ".casefold().startswith(f"{tail} ".casefold())
    words = label if is_prefix else f"{tail} {label}".strip()
    object_name = action.modes[mode].name if 0 <= mode < len(action.modes) else ""
    last_word = words.rpartition(" ")[2]
    if object_name and last_word.casefold() in _OPEN:
        words = f"{words} {object_name}"
    return plain(words, limit)


class BarTexts(NamedTuple):
    """Texts for a bar.

    Attributes
    ----------
    wordings
        Texts by preference, in letters of the usual size.
    short
        Further texts by preference, which may be small or upright.
    task
        Text where none of these fits, which names the task only; may be empty.
    """

    wordings: list[str]
    short: tuple[str, ...] = ()
    task: str = ""

    def with_number(self, number: str) -> BarTexts:
        """Return the texts with a number after the others, in place of the task: the key explains the number."""
        return self._replace(short=(*self.short, number), task="") if number else self


def bar_texts(action: Action, mode: int, amount: int = 1, *, names_task: bool = False) -> BarTexts:
    r"""Return texts for a bar: the name of the step on 1 to 3 lines.

    The task precedes the name if ``names_task``, or if the name is a number only, as in tables of jobs. If
    ``names_task``, a bar that is too narrow for this has the task alone.

    Examples
    --------
    >>> bar_texts(Action("J07/1", "J07", 30, 30), 0, names_task=True)
    BarTexts(wordings=['J07/1'], short=('J07/1',), task='J07')
    >>> bar_texts(Action("tea/pour", "tea", 1, 1, label="pour the tea"), 0).wordings
    ['pour the tea', 'pour\nthe tea', 'pour\nthe\ntea']
    """
    words = in_words(action, mode)
    times = f" ×{amount}" if amount > 1 else ""
    if not names_task and not words.isdecimal():
        return BarTexts(_on_lines(words + times))
    tail = action.id.rpartition("/")[2]
    short = plain(f"{action.task}/{tail}", 60)
    wordings = _on_lines(plain(f"{action.task}/{words}{times}", 60))
    if short not in wordings:
        wordings.append(short)
    return BarTexts(wordings, (short,), plain(action.task, 60) if names_task else "")


def _on_lines(text: str) -> list[str]:
    """Return a text on 1 to 3 lines; the narrowest of equally many lines."""
    wrapped = {}
    for size in range(len(text) + 1, len(text) // 3, -1):
        lines = wrap(text, size, break_long_words=False)
        wrapped[len(lines)] = "\n".join(lines)
    return [wrapped[count] for count in (1, 2, 3) if count in wrapped]


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
    order: dict[str, None] = {}
    for schedule in schedules:
        pieces = sorted(schedule.pieces, key=lambda piece: piece.start)
        order |= dict.fromkeys(piece.action for piece in pieces)
    by_task: dict[str, list[str]] = {}
    for action in order:
        by_task.setdefault(instance.by_id[action].task, []).append(action)
    numbers: dict[str, str] = {}
    for ids in by_task.values():
        ids_numbers = [_leading_number(action) for action in ids]
        if "" not in ids_numbers and len(set(ids_numbers)) == len(ids_numbers):
            numbers |= zip(ids, ids_numbers, strict=True)
        elif not own_only:
            numbers |= {action: str(place) for place, action in enumerate(ids, 1)}
    return {action: numbers[action] for action in order if action in numbers}


def _leading_number(action: str) -> str:
    """Return the number at the start of an action's name, ``""`` if it has none."""
    match = _NUMBER.match(action.rpartition("/")[2])
    return match[0] if match else ""


def is_dark(face: Any) -> bool:
    """Return True if white text is more legible on a colour than black text."""
    return bool(np.array(to_rgb(face)) @ (0.3, 0.6, 0.1) < 0.4)


class FittedText(Text):
    """Writes the first wording that fits into a box of data coordinates, or a short label, or nothing.

    The choice is made while drawing, when the final sizes are known.

    Parameters
    ----------
    short
        Labels of one line that are written where no wording fits, in smaller letters or upright if need be.
    task
        Label where none of these fits; it does not tell the step from others of its task.
    """

    def __init__(
        self,
        box: Bbox,
        wordings: Sequence[str],
        look: dict[str, Any],
        size: float = 7,
        *,
        short: Sequence[str] = (),
        task: str = "",
    ) -> None:
        centre = box.get_points().mean(axis=0)
        super().__init__(*centre, ha="center", va="center", fontsize=points(size), linespacing=1.15, zorder=4)
        self.set(color="white" if is_dark(look["facecolor"]) else "black", in_layout=False)
        if look["hatch"]:
            self.set_bbox({"facecolor": look["facecolor"], "edgecolor": "none", "pad": 0.4})
        self._box = box
        self._wordings = wordings
        self._short = short
        self._task = task
        self._size = points(size)
        self._settled = False

    @property
    def in_full(self) -> bool:
        """Return True if the full text was written when it was last drawn."""
        text = self.get_text()
        return text in self._wordings and text != ""

    @property
    def is_identified(self) -> bool:
        """Return True if a text other than the task was written when it was last drawn."""
        text = self.get_text()
        return self.in_full or text not in ("", self._task)

    def settle(self) -> None:
        """Fix the text that was written when it was last drawn."""
        self._settled = True

    def draw(self, renderer: RendererBase) -> None:
        """Choose the wording and draw it."""
        if not self._settled:
            self._choose(renderer)
        super().draw(renderer)

    def _choose(self, renderer: RendererBase) -> None:
        point = cast(float, renderer.points_to_pixels(1))
        box = self._box.transformed(self.get_transform())
        wide = abs(box.width) / point - _MARGIN
        high = abs(box.height) / point - _MARGIN
        self.set(rotation=0, fontsize=self._size)
        for wording in self._wordings:
            self.set_text(wording)
            extent = self.get_window_extent(renderer)
            if extent.width <= point * wide and extent.height <= point * high:
                return
        labels = [*self._short, self._task] if self._task else self._short
        if not any(self._shrink(label, wide, high) for label in labels):
            self.set_text("")

    def _shrink(self, label: str, wide: float, high: float) -> bool:
        """Write a label as large as it fits into a box of so many points; return False if it does not fit."""
        width, height = _extent(label)
        for size in (self._size, *_SMALL):
            long, tall = size * width, size * height
            if long <= wide and tall <= high:
                self.set(text=label, fontsize=size, rotation=0)
                return True
            if long <= high and tall <= wide:
                self.set(text=label, fontsize=size, rotation=90)
                return True
        return False


def _extent(label: str) -> tuple[float, float]:
    """Return width and height of a label of one line, in units of the size of its letters."""
    wide_letters = sum(letter in _WIDE_LETTERS or letter > "\u02ff" for letter in label)
    digit_width, digit_height = _DIGIT
    width = digit_width * (len(label) - wide_letters) + _WIDE_LETTER * wide_letters
    return width, digit_height if label.isdecimal() else _TALL_LETTER


#: Most entries of a key; further entries are counted.
MOST = 80
#: Most tasks with a paragraph of their own in a key.
MAX_PARAGRAPHS = 8
# Letters of an entry that are kept on one line.
_UNBROKEN = 50


class KeyEntry(NamedTuple):
    """Entry of the key for an action; ``at``: its start, only if its number does not fit on its bar."""

    task: str
    words: str
    at: str

    @classmethod
    def of(cls, action: Action, number: str, words: str, at: str = "") -> KeyEntry:
        """Return the entry of an action; its number, if any, comes first, unless the words begin with it."""
        is_named = not number or words.split()[:1] == [number]
        return cls(action.task, words if is_named else f"{number} {words}", at)


def _actions(texts: Iterable[FittedText]) -> set[str]:
    """Return the actions that texts belong to."""
    return {str(text.get_label()) for text in texts}


def _lines_of_key(paragraphs: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the lines of a key by the names of the steps of each task; one line for many tasks."""
    if len(paragraphs) > MAX_PARAGRAPHS:
        names: list[str] = []
        for task, words in paragraphs.items():
            names += [f"{task}/{name}" for name in words]
        return ["; ".join(names)]
    if len(paragraphs) == 1:
        return ["; ".join(words) for words in paragraphs.values()]
    return [f"{task}: {'; '.join(words)}" for task, words in paragraphs.items()]


def draw_key(ax: Axes, entries: Mapping[str, KeyEntry], inches: float, legend: float) -> None:
    """Draw a key of the steps whose labels do not fit on their bars, and set the height of the figure.

    The texts on the bars are fixed by this call, whatever format the figure is saved in.

    Parameters
    ----------
    entries
        By action, as in the labels of `FittedText`.
    inches, legend
        Heights of the figure without legend and key, and of the legend.
    """
    figure = cast(Figure, ax.figure)
    figure.set_figheight(inches + legend)
    figure.draw_without_rendering()  # texts choose their wording while being drawn
    texts = [text for text in ax.texts if isinstance(text, FittedText)]
    for text in texts:
        text.settle()
    identified = _actions(text for text in texts if text.is_identified)
    in_full = _actions(text for text in texts if text.in_full)
    numbered = _actions(text for text in texts if text.is_identified and not text.in_full)
    unidentified = _actions(text for text in texts if not text.is_identified)
    needed = numbered | (unidentified - in_full)
    ordered = [action for action in entries if action in needed]
    paragraphs: dict[str, list[str]] = defaultdict(list)
    for action in ordered[:MOST]:
        entry = entries[action]
        words = entry.words
        if entry.at and action not in identified:
            words = f"{words} (at {entry.at})"
        if len(words) <= _UNBROKEN:
            words = words.replace(" ", "\u00a0")
        paragraphs[plain(entry.task)].append(words)
    lines = _lines_of_key(paragraphs)
    if len(ordered) > MOST:
        lines.append(f"and {len(ordered) - MOST} more")
    if lines:
        key = write_below(ax, lines, LEGEND_DROP + legend + 0.1, 6.5)
        figure.set_figheight(inches + legend + 0.15 + key)
