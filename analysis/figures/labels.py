"""Labels of steps: in words where there is room, else numbers that a key below the figure explains."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple, cast

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from planoracle.analysis.figures.style import FittedText, plain, write_below
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
# Letters of an entry that are kept on one line.
_UNBROKEN = 50


class KeyEntry(NamedTuple):
    """Entry of the key for an action; ``at``: its start, told only if its number does not fit on its bar."""

    task: str
    words: str
    at: str

    @classmethod
    def of(cls, action: Action, number: str, words: str, at: str = "") -> KeyEntry:
        """Return the entry of an action; the number comes first, unless the words begin with it."""
        return cls(action.task, words if words.split()[:1] == [number] else f"{number} {words}", at)


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
    cast(Figure, ax.figure).draw_without_rendering()  # texts decide while being drawn
    texts = [text for text in ax.texts if isinstance(text, FittedText)]
    for text in texts:
        text.settle()
    needed = {str(text.get_label()) for text in texts if not text.in_full}
    numbered = {str(text.get_label()) for text in texts if text.get_text()}
    ordered = [action for action in entries if action in needed]
    paragraphs: dict[str, list[str]] = defaultdict(list)
    for action in ordered[:MOST]:
        entry = entries[action]
        words = f"{entry.words} (at {entry.at})" if entry.at and action not in numbered else entry.words
        paragraphs[plain(entry.task)].append(words if len(words) > _UNBROKEN else words.replace(" ", "\u00a0"))
    lines = ["; ".join(words) for words in paragraphs.values()]
    if len(lines) > 1:
        lines = [f"{task}: {line}" for task, line in zip(paragraphs, lines, strict=True)]
    if len(ordered) > MOST:
        lines.append(f"and {len(ordered) - MOST} more")
    return 0.15 + write_below(ax, lines, drop + 0.1, 6.5) if lines else 0.0
