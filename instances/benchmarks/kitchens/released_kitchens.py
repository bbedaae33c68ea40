"""Released kitchens by name: one for each task, and the variants of the paper's evaluation.

They are bundled in our own notation: facts of the simulator's files, without their texts.

The facts are from Robotouille, Copyright (c) 2023 PoRTaL Group, MIT License: see ``data/robotouille/LICENSE.txt``.
``tests/support/robotouille_originals.py`` writes the file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

from planoracle.instances.benchmarks.kitchens.domain import ACTOR, bundled
from planoracle.instances.benchmarks.kitchens.goal_text import lacking
from planoracle.instances.benchmarks.kitchens.kitchen import Atom, Goal, Kitchen, split_name
from planoracle.instances.benchmarks.kitchens.kitchen_layout import KitchenLayout
from planoracle.instances.benchmarks.kitchens.problems import SETS
from planoracle.instances.errors import UnknownNameError
from planoracle.instances.files.strict_json import load_json


class Task(NamedTuple):
    """Task: its goal and its kitchens.

    Attributes
    ----------
    label
        Goal in our own words.
    goal
        See `goal_text`.
    traits
        Predicates of the things of a kind in these kitchens, unless stated otherwise.
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
    path = files(__package__) / "data" / "robotouille" / "released.json"
    entries = load_json(path.read_bytes(), path.name)["tasks"]
    return {name: Task(**entry) for name, entry in entries.items()}


@cache
def _requests() -> Mapping[str, str]:
    path = files(__package__) / "data" / "robotouille" / "goals.json"
    requests: Mapping[str, str] = load_json(path.read_bytes(), path.name)
    return requests


def request_of(kitchen: Kitchen) -> str:
    """Return the goal as a guest would ask for it, ambiguous on purpose; ``""`` without words.

    That of a bundled task is a sentence of ours, any other is the text of the kitchen's file.

    >>> request_of(load("robotouille/synchronous/3_burger@42"))
    'One burger for me, please. Any table will do.'
    """
    name = kitchen.name.partition("/")[2].partition("~")[0].partition("@")[0]
    task = released().get(name)
    is_bundled = task is not None and kitchen.text == task.label
    return _requests()[name] if is_bundled else kitchen.text


@cache
def _captions() -> dict[str, dict[str, str]]:
    """Return place in the paper and dishes by the name of the kitchen, in our words."""
    path = files(__package__) / "data" / "robotouille" / "captions.json"
    captions: dict[str, dict[str, str]] = load_json(path.read_bytes(), path.name)["captions"]
    return captions


def lacking_of_caption(kitchen: Kitchen) -> tuple[str, tuple[Atom, ...]]:
    """Return the place of a kitchen's caption in the paper, and the conditions that the goal lacks."""
    caption = _captions().get(kitchen.name.partition("@")[0])
    if caption is None:
        return "", ()
    return caption["place"], lacking(replace(kitchen, text=caption["dishes"]))


def goal_of(text: str) -> Goal:
    """Parse the notation of `goal_text`."""
    parts = [part.split() for part in text.split(", ")]
    conditions = [part for part in parts if len(part) > 1]
    roles = [part[0] for part in parts if len(part) == 1]
    return Goal.of(conditions, roles)


def kitchen_of(name: str, text: str, task: Task) -> Kitchen:
    """Parse the notation of `kitchen_text`."""
    layout, domain = KitchenLayout(), bundled()

    def read_things(things: Sequence[str]) -> list[str]:
        plain_names = []
        for thing in things:
            plain, differs, traits = thing.partition("=")
            if not differs:
                traits = task.traits.get(split_name(plain)[0], "")
            if traits:
                layout.traits[plain] = traits.split("+")
            plain_names.append(plain)
        return plain_names

    for part in text.split(" | "):
        place, *things = part.split()
        if domain.type_of(split_name(place)[0]) == ACTOR:
            station, *in_hand = things
            layout.players[place] = (station.removeprefix("@"), next(iter(read_things(in_hand)), None))
        else:
            layout.stations[place] = read_things(things)
    goal = goal_of(task.goal)
    return Kitchen.of(name, domain, layout.objects(), layout.facts(domain), goal, task.label)


#: What stands behind the ``@`` of sets of variants, beside a seed.
ALL = "*"

_PREFIX = "robotouille/"


@cache
def _tasks() -> dict[str, tuple[str, ...]]:
    """Return the seeds of every kitchen in the paper, by name."""
    seeds_of_name = {}
    for name, task in released().items():
        number = name.partition("/")[2].partition("_")[0]
        if number.isdigit():
            seeds_of_name[_PREFIX + name] = tuple(seed for seed in task.kitchens if seed)
    return seeds_of_name


def seeds(name: str = "") -> tuple[str, ...]:
    """Return the seeds for which a kitchen has a released variant.

    >>> seeds("robotouille/synchronous/3_burger")
    ('42', '84', '126', '168', '210', '252', '294', '336', '378', '420')
    """
    return _tasks().get(name, ())


@cache
def names() -> tuple[str, ...]:
    """Names of the 30 kitchens in the paper's order, each followed by its variants: 230.

    >>> names()[:2], len(names())
    (('robotouille/synchronous/0_cheese_sandwich', 'robotouille/synchronous/0_cheese_sandwich@42'), 230)
    """
    all_names = []
    for name in _tasks():
        all_names += [name, *(f"{name}@{seed}" for seed in seeds(name))]
    return tuple(all_names)


def covers(name: str) -> bool:
    """Return whether a name is that of a released kitchen or variant (name, ``@``, seed).

    Two released kitchens that are not in the paper have names, but belong to no set.
    """
    head, at, seed = name.partition("@")
    task = released().get(head.removeprefix(_PREFIX)) if head.startswith(_PREFIX) else None
    if task is None or (at and not seed):
        return False
    return seed in task.kitchens


def members(name: str) -> tuple[str, ...]:
    """Return the members of a set, ``()`` if there is no such set.

    ``robotouille/synchronous`` are the ten kitchens themselves, ``robotouille/synchronous@42`` their variants with one
    seed, ``robotouille/synchronous@*`` all variants. What the paper evaluates on are these: ``robotouille`` is
    ``robotouille@*``.

    >>> [len(members(name)) for name in ("robotouille", "robotouille/synchronous@42", "robotouille/synchronous")]
    [200, 10, 10]
    """
    head, at, seed = name.partition("@")
    label = (head.rstrip("/") + "/").removeprefix(_PREFIX).rstrip("/")
    if not (head + "/").startswith(_PREFIX) or label not in ("", *SETS):
        return ()
    tasks = [task for task in _tasks() if task.startswith(_PREFIX + label)]
    if label and not at:
        return tuple(tasks)
    all_seeds = ALL if at else ""
    variants = []
    for task in tasks:
        variants += [f"{task}@{variant}" for variant in seeds(task) if seed in (all_seeds, variant)]
    return tuple(variants)


def set_of(name: str) -> tuple[str, tuple[str, ...]]:
    """Return the label and the members of the set that a name belongs to, ``("", ())`` if to none.

    >>> label, below = set_of("robotouille/synchronous/3_burger@42")
    >>> label, len(below), set_of("robotouille/synchronous/3_burger")[0]
    ('robotouille/synchronous@*', 100, 'robotouille/synchronous')
    """
    head, at, _ = name.partition("@")
    if head not in _tasks() or not covers(name):
        return "", ()
    label = head.rpartition("/")[0] + (f"@{ALL}" if at else "")
    return label, members(label)


def hint(name: str) -> str:
    """Return a hint for an unknown name: the released seeds, and the name of our own kitchens.

    >>> hint("robotouille/synchronous/3_burger@7")[:60]
    '; the released seeds are 42, 84, 126, 168, 210, 252, 294, 33'
    """
    head, _, seed = name.partition("@")
    below = members(f"{head}@{ALL}") or members(head)
    if not below and covers(head):
        below = (head,)
    if not seed.isdecimal() or not below:
        return ""
    released_seeds = ", ".join(seeds(below[0].partition("@")[0]))
    released_text = f"the released seeds are {released_seeds}" if released_seeds else "no variants of it were released"
    ours = "kitchens" + name.removeprefix(_PREFIX.rstrip("/"))
    return f"; {released_text}; for any other seed, use our own kitchens: {ours}"


@lru_cache(maxsize=1024)
def kitchen(name: str) -> Kitchen:
    """Return the kitchen of a name; raises `UnknownNameError`.

    >>> kitchen("robotouille/asynchronous/5_potato_soup@42").text
    'potato soup'
    """
    if not covers(name):
        raise UnknownNameError("there is no such kitchen", value=name)
    head, _, seed = name.partition("@")
    task = released()[head.removeprefix(_PREFIX)]
    return kitchen_of(name, task.kitchens[seed], task)


load = kitchen
