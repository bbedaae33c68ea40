"""Reader of TimeArena's original facts, ``tasks.json`` and ``dependencygraph.json``."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from planoracle.instances.errors import InputError
from planoracle.instances.reading import load_json, read_bytes

_T = TypeVar("_T")
_TASK, _ACTION = ("scenario", "label", "actions", "objects"), ("verb", "usage", "occupies_agent")
_OBJECT, _NEED = ("name", "roles"), ("object", "verb", "slot")
_ROLE = ("verb", "slot", "minutes", "needs", "before", "after")


@dataclass(frozen=True, slots=True)
class GraphAction:
    """An action of ``dependencygraph.json``; ``after`` names the actions that must be finished first."""

    name: str
    minutes: int
    autonomous: bool
    after: tuple[str, ...]


def read_tasks(path: str | Path) -> dict[str, dict[str, Any]]:
    """Read the tasks of a ``tasks.json``, in the form of our own bundled facts.

    What is empty, zero or null is left out of a role. Faults raise `InputError` naming file, field and value.
    """
    return _read(path, _task)


def _read(path: str | Path, parse: Callable[[Any, str], _T]) -> dict[str, _T]:
    source = str(path)
    document = load_json(read_bytes(path), source)
    try:
        return {name: parse(entry, name) for name, entry in _object(document, "document").items()}
    except InputError as error:
        raise error.at(source) from None


def _task(task: Any, where: str) -> dict[str, Any]:
    _object(task, where, _TASK)
    occupies: dict[str, bool] = {}
    for number, action in enumerate(_list(task["actions"], f"{where}.actions")):
        field = f"{where}.actions[{number}]"
        verb = _text(_object(action, field, _ACTION)["verb"], f"{field}.verb", r"\w+( \w+)?")
        if verb in occupies:
            raise InputError("is given twice", field=f"{field}.verb", value=verb)
        occupies[verb] = held = action["occupies_agent"]
        if not isinstance(held, bool):
            raise InputError("must be true or false", field=f"{field}.occupies_agent", value=held)
    objects, needed, known = [], [], set()
    for number, thing in enumerate(_list(task["objects"], f"{where}.objects")):
        field = f"{where}.objects[{number}]"
        name = _text(_object(thing, field, _OBJECT)["name"], f"{field}.name", r"[\w-]+")
        listed = enumerate(_list(thing["roles"], f"{field}.roles"))
        roles = [_role(role, occupies, f"{field}.roles[{r}]") for r, role in listed]
        objects.append({"name": name, "roles": roles})
        known |= {(name, role["verb"], role.get("slot")) for role in roles}
        needed += [(n, f"{field}.roles[{r}].needs") for r, role in enumerate(roles) for n in role.get("needs", ())]
    for need, field in needed:
        if (need[0], need[1], need[2] if len(need) > 2 else None) not in known:
            raise InputError("must be a role of an object of the task", field=field, value=need)
    return {
        "label": _text(task["label"], f"{where}.label", r".+"),
        "occupying": [verb for verb, held in occupies.items() if held],
        "autonomous": [verb for verb, held in occupies.items() if not held],
        "objects": objects,
    }


def _role(role: Any, verbs: dict[str, bool], where: str) -> dict[str, Any]:
    verb, slot, minutes = (_object(role, where, _ROLE)[key] for key in _ROLE[:3])
    if not isinstance(verb, str) or verb not in verbs:
        raise InputError(f"must be one of the task's verbs {sorted(verbs)}", field=f"{where}.verb", value=verb)
    if (slot is not None and (type(slot) is not int or slot not in (1, 2))) or (slot is None) == (" " in verb):
        raise InputError("must be 1 or 2 for a verb with a preposition, else null", field=f"{where}.slot", value=slot)
    needs = []
    for number, need in enumerate(_list(role["needs"], f"{where}.needs", least=0)):
        _object(need, f"{where}.needs[{number}]", _NEED)
        needs.append([need[key] for key in _NEED if need[key] is not None])
        if [type(part) for part in needs[-1]] not in ([str, str], [str, str, int]):
            raise InputError("must name object, verb and slot", field=f"{where}.needs[{number}]", value=need)
    states = [role["before"], role["after"]]
    if states != [None, None] and not all(isinstance(state, str) for state in states):
        raise InputError("must be texts or both null", field=f"{where}.before and after", value=states)
    found = {"verb": verb, "slot": slot, "minutes": _minutes(minutes, f"{where}.minutes", least=0), "needs": needs}
    found["states"] = states if states != [None, None] else None
    return {key: value for key, value in found.items() if value}


def read_dependency_graph(path: str | Path) -> dict[str, tuple[GraphAction, ...]]:
    """Read the actions of every task of a ``dependencygraph.json``; a trailing ``*`` marks autonomous ones.

    Faults raise `InputError` as in `read_tasks`.
    """
    return _read(path, _graph)


def _graph(entry: Any, where: str) -> tuple[GraphAction, ...]:
    if len(_list(entry, where)) != 2:
        raise InputError("must hold minutes and prerequisites", field=where, value=entry)
    minutes, before = (_object(part, f"{where}[{i}]") for i, part in enumerate(entry))
    names = {key: key.removesuffix("*") for key in minutes}
    if len(set(names.values())) < len(names):
        raise InputError("an action is given both with and without *", field=f"{where}[0]", value=sorted(names))
    for key, needs in before.items():
        for name in (key, *_list(needs, f"{where}[1].{key}", least=0)):
            if not isinstance(name, str) or name not in names:
                raise InputError("must be an action of the task", field=f"{where}[1].{key}", value=name)
    found = []
    for key, value in minutes.items():
        after = tuple(names[need] for need in before.get(key, ()))
        found.append(GraphAction(names[key], _minutes(value, f"{where}[0].{key}", least=1), key.endswith("*"), after))
    return tuple(found)


def _object(value: Any, field: str, keys: tuple[str, ...] = ()) -> dict[str, Any]:
    if not isinstance(value, dict) or (keys and set(value) != set(keys)):
        message = f"must be an object with the keys {sorted(keys)}" if keys else "must be an object"
        raise InputError(message, field=field, value=value)
    return value


def _list(value: Any, field: str, least: int = 1) -> list[Any]:
    if not isinstance(value, list) or len(value) < least:
        raise InputError("must be a non-empty list" if least else "must be a list", field=field, value=value)
    return value


def _text(value: Any, field: str, pattern: str) -> str:
    if not isinstance(value, str) or not re.fullmatch(pattern, value):
        raise InputError(f"must be text of the form {pattern}", field=field, value=value)
    return value


def _minutes(value: Any, field: str, least: int) -> int:
    if type(value) is not int or not least <= value < 10**6:
        raise InputError(f"must be a whole number of minutes from {least}", field=field, value=value)
    return value
