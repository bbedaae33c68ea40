"""The released kitchens in a notation of our own: facts of the simulator's files, none of their words.

The facts are from Robotouille, Copyright (c) 2023 PoRTaL Group, MIT License: see ``data/LICENSE.txt``.
`planoracle.instances.benchmarks.robotouille.released_kitchens` writes the file.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from planoracle.instances.benchmarks.kitchens.domain import ACTOR, bundled
from planoracle.instances.benchmarks.kitchens.kitchen import Goal, Kitchen, split_name
from planoracle.instances.benchmarks.kitchens.kitchen_layout import KitchenLayout, layout_of
from planoracle.instances.benchmarks.robotouille.reader import read_environment
from planoracle.instances.errors import InputError
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


def goal_text(goal: Goal) -> str:
    """Write a goal: conditions with commas between them, and roles that are in none.

    >>> goal_text(Goal.of([["iscut", "potato#1"], ["item_on", "potato#1", "table#2"]], ["bowl#3"]))
    'iscut potato#1, item_on potato#1 table#2, bowl#3'
    """
    return ", ".join([*map(" ".join, goal.conditions), *goal.extra_roles])


def goal_of(text: str) -> Goal:
    """Read what `goal_text` has written."""
    parts = [part.split() for part in text.split(", ")]
    return Goal.of([part for part in parts if len(part) > 1], [part[0] for part in parts if len(part) == 1])


def kitchen_text(kitchen: Kitchen, traits: Mapping[str, str]) -> str:
    """Write where things are: ``stove1 patty1 | table1 bread1 bread2=iscut | robot1 @stove1 cheese1``.

    Items stand behind their station from the bottom up, then containers; a player has its station and what it
    holds. Behind ``=`` are the predicates of a thing that is not like others of its kind, joined by ``+``.

    Raises
    ------
    InputError
        For a kitchen with facts that do not follow from that.
    """
    layout, more, less = layout_of(kitchen)
    if more or less or layout.containers or layout.unplaced:
        raise InputError("has facts that the notation cannot say", value=kitchen.name)

    def like(thing: str) -> str:
        own = "+".join(layout.traits.get(thing, ()))
        return thing if own == traits.get(split_name(thing)[0], "") else f"{thing}={own}"

    parts = [" ".join([station, *map(like, things)]) for station, things in layout.stations.items()]
    for player, (at, in_hand) in layout.players.items():
        if at is None:
            raise InputError("stands nowhere", field=player, value=kitchen.name)
        parts.append(" ".join([player, f"@{at}", *([] if in_hand is None else [like(in_hand)])]))
    return " | ".join(parts)


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


SETS = ("synchronous", "asynchronous", "multi_agent")

#: Where the name of a task does not say what its goal asks for.
_LABELS = {
    "asynchronous/9_onion_potato_soup_and_fried_onion_ring_lettuce_burger_and_onion_cheese_sandwich": (
        "onion potato soup, fried onion ring lettuce burger and onion chicken sandwich"
    )
}


def found_in(folders: Iterable[Path]) -> Iterator[tuple[str, str, Path]]:
    """Yield set and name of the task, the seed (``""``: none) and the file of every kitchen in some folders."""
    for folder in folders:
        for path in sorted(folder.rglob("*.json")):
            label, *rest = path.stem.split("__")
            if path.parent.name in SETS and not rest:
                yield f"{path.parent.name}/{path.stem}", "", path
            elif label in SETS and len(rest) == 2 and rest[1].isdigit():
                yield f"{label}/{rest[0]}", rest[1], path


def converted(folders: Iterable[Path]) -> dict[str, Task]:
    """Return the tasks of the kitchens in some folders; raises `InputError` for what cannot be said."""
    kitchens: dict[str, dict[str, Kitchen]] = defaultdict(dict)
    for task, seed, path in found_in(folders):
        kitchens[task][seed] = read_environment(path)
    order = sorted(kitchens, key=lambda task: _rank(*task.split("/")))
    return {task: _task(task, kitchens[task]) for task in order}


def _rank(label: str, name: str) -> tuple[object, ...]:
    """Sort by set, then as the paper counts; what it does not count stands behind."""
    number = name.partition("_")[0]
    return SETS.index(label), not number.isdigit(), int(number) if number.isdigit() else 0, name


def _task(name: str, kitchens: Mapping[str, Kitchen]) -> Task:
    goals = {kitchen.goal for kitchen in kitchens.values()}
    if len(goals) > 1:
        raise InputError("has kitchens with different goals", field="goal", value=name)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for kitchen in kitchens.values():
        traits = layout_of(kitchen)[0].traits
        for thing, kind in kitchen.objects:
            if kind == "item":
                counts[split_name(thing)[0]]["+".join(traits.get(thing, ()))] += 1
    usual = {kind: max(sorted(count), key=count.__getitem__) for kind, count in sorted(counts.items())}
    usual = {kind: words for kind, words in usual.items() if words}
    label = _LABELS.get(name) or name.partition("/")[2].lstrip("0123456789._").replace("_", " ")
    seeds = sorted(kitchens, key=lambda seed: int(seed or 0))
    return Task(label, goal_text(goals.pop()), usual, {seed: kitchen_text(kitchens[seed], usual) for seed in seeds})


def main(folders: list[str]) -> None:
    """Print the file for some folders."""
    tasks = converted(map(Path, folders))
    head = {
        "source": "https://github.com/portal-cornell/robotouille",
        "licence": "MIT License, Copyright (c) 2023 PoRTaL Group; see LICENSE.txt",
    }
    print(json.dumps(head | {"tasks": {name: task._asdict() for name, task in tasks.items()}}, indent=1))


if __name__ == "__main__":
    main(sys.argv[1:])
