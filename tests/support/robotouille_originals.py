"""The simulator's own files of Robotouille: reader of its domain, and writer of ``data/released.json``.

``python -m tests.support.robotouille_originals examples variants`` prints the file, from the simulator's folder
``environments/env_generator/examples`` and a folder of generated variants (``synchronous__3_burger__42.json``).
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from planoracle.instances.benchmarks.kitchens.domain import (
    DELAY,
    REPEATS,
    ActionSchema,
    Effect,
    KitchenDomain,
    Literal,
    Predicate,
)
from planoracle.instances.benchmarks.kitchens.kitchen import Goal, Kitchen, split_name
from planoracle.instances.benchmarks.kitchens.kitchen_layout import layout_of
from planoracle.instances.benchmarks.robotouille.problems import SETS
from planoracle.instances.benchmarks.robotouille.reader import (
    _list,
    _object,
    _text,
    environment_from_document,
    kitchen_of,
)
from planoracle.instances.benchmarks.robotouille.released_kitchens import Task
from planoracle.instances.errors import InputError
from planoracle.instances.files.strict_json import load_json, read_bytes


def load_kitchen(path: str | Path, domain: KitchenDomain | None = None) -> Kitchen:
    """Read a kitchen in our own format or the simulator's, told apart by their content; raises `InputError`."""
    return kitchen_of(load_json(read_bytes(path), str(path)), str(path), domain)


def read_domain(path: str | Path) -> KitchenDomain:
    """Read an original domain; raises `InputError` naming file, field and value of the first fault."""
    return domain_from_document(load_json(read_bytes(path), str(path)), str(path))


def domain_from_document(document: Any, source: str) -> KitchenDomain:
    """Turn a parsed domain into a `KitchenDomain`; raises `InputError` like `read_domain`.

    The file does not say how long delayed and repetitive effects take: the simulator has constants for that.
    Descriptions of predicates in words are passed over.
    """
    try:
        entry = _object(document, "document", needed=("object_types", "predicate_defs", "action_defs"))
        types = [_text(kind, f"object_types[{i}]") for i, kind in enumerate(_list(entry, "object_types", ""))]
        predicates = [
            _predicate(definition, f"predicate_defs[{i}]")
            for i, definition in enumerate(_list(entry, "predicate_defs", ""))
        ]
        actions = [
            _action(definition, f"action_defs[{i}]") for i, definition in enumerate(_list(entry, "action_defs", ""))
        ]
        return KitchenDomain.of(types, predicates, actions, "robotouille")
    except InputError as error:
        raise error.at(source) from None


def _predicate(entry: Any, location: str) -> Predicate:
    _object(entry, location, needed=("name", "param_types"), optional=("language_descriptors",))
    types = [
        _text(kind, f"{location}.param_types[{i}]") for i, kind in enumerate(_list(entry, "param_types", location))
    ]
    return Predicate(_text(entry["name"], f"{location}.name"), tuple(types))


def _action(entry: Any, location: str) -> ActionSchema:
    needed = ("name", "precons", "immediate_fx", "sfx", "language_description")
    _object(entry, location, needed=needed, optional=())
    return ActionSchema(
        name=_text(entry["name"], f"{location}.name"),
        text=_text(entry["language_description"], f"{location}.language_description"),
        params=(),
        conditions=_literals(entry, "precons", location),
        changes=_literals(entry, "immediate_fx", location),
        effects=_effects(entry, location),
    )


def _literals(entry: dict[str, Any], key: str, location: str) -> tuple[Literal, ...]:
    literals = []
    for i, literal in enumerate(_list(entry, key, location)):
        field = f"{location}.{key}[{i}]"
        _object(literal, field, needed=("predicate", "params", "is_true"), optional=())
        params = [_text(param, f"{field}.params[{p}]") for p, param in enumerate(_list(literal, "params", field))]
        if not isinstance(literal["is_true"], bool):
            raise InputError("must be true or false", field=f"{field}.is_true", value=literal["is_true"])
        literals.append(Literal(_text(literal["predicate"], f"{field}.predicate"), tuple(params), literal["is_true"]))
    return tuple(literals)


def _effects(entry: dict[str, Any], location: str) -> tuple[Effect, ...]:
    return tuple(_effect(effect, f"{location}.sfx[{i}]") for i, effect in enumerate(_list(entry, "sfx", location)))


def _effect(entry: Any, location: str) -> Effect:
    kind = _object(entry, location, needed=("type", "param", "fx", "sfx"))["type"]
    own = {"conditional": ("conditions",), "creation": ("created_obj",), "delayed": (), "repetitive": ()}
    if not isinstance(kind, str) or kind not in own:
        raise InputError(f"must be one of {sorted(own)}", field=f"{location}.type", value=kind)
    _object(entry, location, needed=("type", "param", "fx", "sfx", *own[kind]), optional=())
    creates = None
    if kind == "creation":
        field = f"{location}.created_obj"
        born = _object(entry["created_obj"], field, needed=("param", "type", "name"), optional=())
        param, its_type, name = (_text(born[key], f"{field}.{key}") for key in ("param", "type", "name"))
        creates = (param, its_type, name)
    return Effect(
        kind=kind,
        param=_text(entry["param"], f"{location}.param"),
        changes=_literals(entry, "fx", location),
        effects=_effects(entry, location),
        conditions=_literals(entry, "conditions", location) if kind == "conditional" else (),
        count={"delayed": DELAY, "repetitive": REPEATS}.get(kind, 0),
        creates=creates,
    )


def read_environment(path: str | Path, domain: KitchenDomain | None = None, name: str | None = None) -> Kitchen:
    """Read an original environment as a kitchen (of the bundled domain; by default named like the file).

    Raises
    ------
    InputError
        Naming file, field and value of the first fault.
    """
    document = load_json(read_bytes(path), str(path))
    return environment_from_document(document, str(path), name or Path(path).stem, domain)


def goal_text(goal: Goal) -> str:
    """Write a goal: conditions with commas between them, and roles that are in none.

    >>> goal_text(Goal.of([["iscut", "potato#1"], ["item_on", "potato#1", "table#2"]], ["bowl#3"]))
    'iscut potato#1, item_on potato#1 table#2, bowl#3'
    """
    return ", ".join([*map(" ".join, goal.conditions), *goal.extra_roles])


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


#: Where the name of a task does not say what its goal asks for.
_LABELS = {
    "asynchronous/9_onion_potato_soup_and_fried_onion_ring_lettuce_burger_and_onion_cheese_sandwich": (
        "onion potato soup, fried onion ring lettuce burger and onion chicken sandwich"
    )
}


def find_kitchens(folders: Iterable[Path]) -> Iterator[tuple[str, str, Path]]:
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
    for task, seed, path in find_kitchens(folders):
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
