"""What steps are called in figures: in words where there is room, else by numbers that a key explains."""

from __future__ import annotations

import re
from collections.abc import Iterable

from planoracle.analysis.figures.style import plain
from planoracle.instances.model import Action, Instance
from planoracle.instances.schedule import Schedule

# With these a name does not end: what follows is the object of the mode.
_OPEN = frozenset(["at", "by", "from", "in", "into", "of", "on", "onto", "over", "to", "with"])
_NUMBER = re.compile(r"\d+(?![\w.])")


def in_words(action: Action, mode: int = 0, limit: int = 60) -> str:
    """Return what an action is called: the end of its id and its label, each thing said once, and what it is done with.

    Examples
    --------
    >>> from planoracle.instances.model import Mode
    >>> in_words(Action("pots/dry", "pots", 2, 0, label="dry on the rack"))
    'dry on the rack'
    >>> in_words(Action("meal/cook rice in", "meal", 4, 1, modes=(Mode(name="pot"), Mode(name="wok"))), 1)
    'cook rice in wok'
    >>> in_words(Action("Cobbler/7", "Cobbler", 30, 0, label="bake cobbler"))
    '7 bake cobbler'
    """
    tail = action.id.rpartition("/")[2]
    said = f"{action.label} ".casefold().startswith(f"{tail} ".casefold())
    words = action.label if said else f"{tail} {action.label}".strip()
    with_ = action.modes[mode].name if 0 <= mode < len(action.modes) else ""
    if with_ and words.rpartition(" ")[2].casefold() in _OPEN:
        words = f"{words} {with_}"
    return plain(words, limit)


def step_numbers(instance: Instance, schedules: Iterable[Schedule], *, given: bool = False) -> dict[str, str]:
    """Return a number for every action of some schedules: its own if those of its task have one, else by their order.

    ``given``: only numbers that they have of their own, which no key need explain.

    Examples
    --------
    >>> from planoracle.instances.schedule import Piece
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
    found: dict[str, str] = {}
    for ids in by_task.values():
        own = [match[0] if (match := _NUMBER.match(one.rpartition("/")[2])) else "" for one in ids]
        if "" not in own and len(set(own)) == len(own):
            found |= zip(ids, own, strict=True)
        elif not given:
            found |= {action: str(place) for place, action in enumerate(ids, 1)}
    return {action: found[action] for action in order if action in found}
