"""Write the facts of a copy of the released kitchens in our notation.

``python -m planoracle.instances.robotouille.convert FOLDER...`` prints what is in ``data/released.json``. Folders are
the simulator's ``environments/env_generator/examples``, with ``synchronous/3_burger.json`` in it, and any with variants
that its generator has made, called ``synchronous__3_burger__42.json``.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from planoracle.instances.errors import InputError
from planoracle.instances.kitchens.kitchen import Kitchen, split_name
from planoracle.instances.kitchens.layout import layout_of
from planoracle.instances.robotouille.reader import read_environment
from planoracle.instances.robotouille.released import Task, goal_text, kitchen_text

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
