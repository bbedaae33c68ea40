"""Conversion of the files of the Robotouille simulator to ``released.json``.

``python -m tests.support.robotouille_originals examples variants`` prints the file. The arguments are the folder
``environments/env_generator/examples`` of the simulator and a folder of variants (``synchronous__3_burger__42.json``).
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from planoracle.instances.benchmarks.kitchens.kitchen import Goal, Kitchen, split_name
from planoracle.instances.benchmarks.kitchens.kitchen_layout import layout_of
from planoracle.instances.benchmarks.kitchens.released_kitchens import SETS, Task
from planoracle.instances.benchmarks.kitchens.simulator_files import read
from planoracle.instances.errors import InputError
from planoracle.instances.files.strict_json import load_json, read_bytes


def load_kitchen(path: Path) -> Kitchen:
    """Read a kitchen in the format of this project or of the simulator; raises `InputError`."""
    return read(load_json(read_bytes(path), str(path)), str(path))[0]


def goal_text(goal: Goal) -> str:
    """Write a goal: conditions separated by commas, then roles without a condition.

    >>> goal_text(Goal.of([["iscut", "potato#1"], ["item_on", "potato#1", "table#2"]], ["bowl#3"]))
    'iscut potato#1, item_on potato#1 table#2, bowl#3'
    """
    return ", ".join([*map(" ".join, goal.conditions), *goal.extra_roles])


def kitchen_text(kitchen: Kitchen, traits: Mapping[str, str]) -> str:
    """Write the layout: ``stove1 patty1 | table1 bread1 bread2=iscut | robot1 @stove1 cheese1``.

    A station is followed by its items from the bottom up and its container, a player by its station and the thing in
    its hand. ``=`` is followed by the predicates of a thing that differs from its kind, joined by ``+``.

    Raises
    ------
    InputError
        For a kitchen with facts that the layout does not imply.
    """
    layout, more, less = layout_of(kitchen)
    if more or less or layout.containers or layout.unplaced:
        raise InputError("has facts that the notation cannot express", value=kitchen.name)

    def like(thing: str) -> str:
        own = "+".join(layout.traits.get(thing, ()))
        return thing if own == traits.get(split_name(thing)[0], "") else f"{thing}={own}"

    parts = [" ".join([station, *map(like, things)]) for station, things in layout.stations.items()]
    for player, (at, in_hand) in layout.players.items():
        if at is None:
            raise InputError("stands nowhere", field=player, value=kitchen.name)
        parts.append(" ".join([player, f"@{at}", *([] if in_hand is None else [like(in_hand)])]))
    return " | ".join(parts)


#: Labels of tasks whose names do not describe their goals.
_LABELS = {
    "asynchronous/9_onion_potato_soup_and_fried_onion_ring_lettuce_burger_and_onion_cheese_sandwich": (
        "onion potato soup, fried onion ring lettuce burger and onion chicken sandwich"
    ),
    "multi_agent/6_double_lettuce_chicken_burger": "double lettuce chicken sandwich",
}


def find_kitchens(folders: Iterable[Path]) -> Iterator[tuple[str, str, Path]]:
    """Yield task (set and name), seed (``""``: none) and file of every kitchen in some folders."""
    for folder in folders:
        for path in sorted(folder.rglob("*.json")):
            label, *rest = path.stem.split("__")
            if path.parent.name in SETS and not rest:
                yield f"{path.parent.name}/{path.stem}", "", path
            elif label in SETS and len(rest) == 2 and rest[1].isdigit():
                yield f"{label}/{rest[0]}", rest[1], path


def convert_tasks(folders: Iterable[Path]) -> dict[str, Task]:
    """Return the tasks of the kitchens in some folders; raises `InputError` if one cannot be expressed."""
    kitchens: dict[str, dict[str, Kitchen]] = defaultdict(dict)
    for task, seed, path in find_kitchens(folders):
        kitchens[task][seed] = load_kitchen(path)
    order = sorted(kitchens, key=lambda task: _rank(*task.split("/")))
    return {task: _task(task, kitchens[task]) for task in order}


def _rank(label: str, name: str) -> tuple[object, ...]:
    """Sort by set, then by the number of the paper; tasks without a number come last."""
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
    """Print ``released.json`` for some folders."""
    tasks = convert_tasks(map(Path, folders))
    head = {
        "source": "https://github.com/portal-cornell/robotouille",
        "licence": "MIT License, Copyright (c) 2023 PoRTaL Group; see LICENSE.txt",
    }
    print(json.dumps(head | {"tasks": {name: task._asdict() for name, task in tasks.items()}}, indent=1))


if __name__ == "__main__":
    main(sys.argv[1:])
