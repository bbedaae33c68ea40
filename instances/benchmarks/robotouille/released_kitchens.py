"""The released kitchens in a notation of our own: facts of the simulator's files, none of their words.

The facts are from Robotouille, Copyright (c) 2023 PoRTaL Group, MIT License: see ``data/LICENSE.txt``.
``tests/support/robotouille_originals.py`` writes the file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from planoracle.instances.benchmarks.kitchens.domain import ACTOR, bundled
from planoracle.instances.benchmarks.kitchens.kitchen import Goal, Kitchen, split_name
from planoracle.instances.benchmarks.kitchens.kitchen_layout import KitchenLayout
from planoracle.instances.files.strict_json import load_json


class Task(NamedTuple):
    """One task: what is to be made, and its kitchens.

    Attributes
    ----------
    label
        The goal in a few words of ours.
    goal
        See `goal_text`.
    traits
        Predicates that things of a kind have in these kitchens unless it says otherwise.
    kitchens
        By seed, see `kitchen_text`; the released kitchen itself has the seed ``""``.
    """

    label: str
    goal: str
    traits: Mapping[str, str]
    kitchens: Mapping[str, str]


@cache
def released() -> dict[str, Task]:
    """Return all tasks by set and name, in their order.

    >>> released()["asynchronous/5_potato_soup"].kitchens["42"].partition(" |")[0]
    'board1 pot1'
    """
    path = files(__package__) / "data" / "released.json"
    return {name: Task(**entry) for name, entry in load_json(path.read_bytes(), path.name)["tasks"].items()}


def goal_of(text: str) -> Goal:
    """Read what `goal_text` has written."""
    parts = [part.split() for part in text.split(", ")]
    return Goal.of([part for part in parts if len(part) > 1], [part[0] for part in parts if len(part) == 1])


def kitchen_of(name: str, text: str, task: Task) -> Kitchen:
    """Read what `kitchen_text` has written."""
    layout, domain = KitchenLayout(), bundled()

    def read_things(things: Sequence[str]) -> list[str]:
        plain_names = []
        for thing in things:
            plain, differs, own = thing.partition("=")
            words = own if differs else task.traits.get(split_name(plain)[0], "")
            if words:
                layout.traits[plain] = words.split("+")
            plain_names.append(plain)
        return plain_names

    for part in text.split(" | "):
        place, *things = part.split()
        if domain.type_of(split_name(place)[0]) == ACTOR:
            station, *in_hand = things
            layout.players[place] = (station.removeprefix("@"), next(iter(read_things(in_hand)), None))
        else:
            layout.stations[place] = read_things(things)
    return Kitchen.of(name, domain, layout.objects(), layout.facts(domain), goal_of(task.goal), task.label)
