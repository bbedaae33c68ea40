"""In which line of a JSON text something stands, for messages about it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable
from pathlib import PurePath
from typing import Any, NamedTuple, TypeAlias

from planoracle.instances.errors import InputError
from planoracle.instances.reading import load_json, read_bytes

#: Keys and positions on the way to a value.
Place: TypeAlias = tuple[str | int, ...]

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+', re.DOTALL)
# Part of the path of a field: a key, or a position or name in brackets (which may hold anything but "].").
_STEP = re.compile(r"\[(.*?)\](?=[.\[]|$)|([^.\[\]]+)", re.DOTALL)
# What fields of an instance are called in a file.
_OTHERWISE = {"minimum": "min_lag", "maximum": "max_lag", "id": "name"}
# Longer texts are not looked through, in characters.
_LONGEST = 4 * 2**20


def json_lines(text: str, places: Collection[Place]) -> dict[Place, int]:
    r"""Return the line, from 1, at which each of some values (or its key) begins; those not found are left out.

    The text must be JSON that has been read without a fault.

    Examples
    --------
    >>> json_lines('{"a": [1,\n {"b": 2}]}', [("a", 1, "b"), ("a",)])
    {('a',): 1, ('a', 1, 'b'): 2}
    """
    from json import loads

    wanted, found = set(places), dict[Place, int]()
    if len(text) > _LONGEST:
        return found
    path: list[str | int] = []  # the key or position in every list and object that is open
    keys: list[bool] = []  # whether a key comes next, of objects; of lists never
    line, last = 1, 0

    def arrived(start: int) -> None:
        nonlocal line, last
        place = tuple(path)
        if place in wanted and place not in found:
            line += text.count("\n", last, start)
            last = start
            found[place] = line

    for match in _TOKEN.finditer(text):
        token = match.group()
        if token in "}]":
            path.pop()
            keys.pop()
        elif token == ",":
            if isinstance(path[-1], int):
                path[-1] += 1
            else:
                keys[-1] = True
        elif token == ":":
            continue
        elif keys and keys[-1]:
            path[-1] = loads(token)
            keys[-1] = False
            arrived(match.start())
        else:
            arrived(match.start())
            if token in "{[":
                path.append("" if token == "{" else 0)
                keys.append(token == "{")
        if len(found) == len(wanted):
            break
    return found


def place_of(document: Any, field: str) -> Place:
    """Return where in a document the path of a field leads; where it ends in nothing, what it ends in.

    In our own format an action, a resource or a time lag stands for itself (``actions[soup/boil].duration``).

    Examples
    --------
    >>> document = {"tasks": [{"name": "soup", "actions": [{"name": "boil", "duration": -1}]}]}
    >>> place_of(document, "actions[soup/boil].duration"), place_of(document, "tasks[0].actions[0].after[3]")
    (('tasks', 0, 'actions', 0, 'duration'), ('tasks', 0, 'actions', 0))
    """
    steps = iter(_steps(document, field))
    place: list[str | int] = []
    value = document
    for step, named in steps:
        if step == "modes" and isinstance(value, dict) and "modes" not in value:
            next(steps, None)  # a single one, written without
            continue
        key = _key(value, step, named)
        if key is None:
            break
        place.append(key)
        value = value[key]
    return tuple(place)


def _steps(document: Any, field: str) -> list[tuple[str, bool]]:
    """Return the keys, positions and names on a path, beginning at the document, and which are surely names."""
    steps = [key or bracket for bracket, key in _STEP.findall(field)]
    if len(steps) < 2 or steps[0] not in ("actions", "lags") or not isinstance(document, dict):
        return [(step, False) for step in steps]
    before, _, name = steps[1].rpartition(" -> ")
    task, _, action = name.partition("/")
    head = [("tasks", False), (task, True), ("actions", False), (action, True)]
    head += [("after", False), (before, True)] if before else []
    return head + [(step, False) for step in steps[2:]]


def _key(value: Any, step: str, named: bool) -> str | int | None:
    """Return the key or position of what a step leads to, ``None`` if that is not there."""
    if isinstance(value, dict):
        return next((key for key in (step, _OTHERWISE.get(step, step)) if key in value), None)
    if not isinstance(value, list):
        return None
    if step.isdecimal() and not named:
        return int(step) if len(step) < 10 and int(step) < len(value) else None
    names = (_names(one) for one in value)
    return next((k for k, known in enumerate(names) if step in known or step.partition("/")[2] in known), None)


def _names(entry: Any) -> tuple[Any, ...]:
    """Return what an entry of a list goes by."""
    return tuple(entry.get(key) for key in ("name", "action", "resource")) if isinstance(entry, dict) else (entry,)


class Document(NamedTuple):
    """What a file holds, and a function that says in which lines values of it stand."""

    value: Any
    lines: Callable[[Iterable[Place]], dict[Place, int]]

    def located(self, error: InputError, source: str) -> InputError:
        """Return an error about the document with the line of every fault, where that can be told."""
        mine = [fault for fault in error.faults if fault.source == source and fault.field and not fault.line]
        places = {id(fault): place_of(self.value, fault.field or "") for fault in mine}
        lines = self.lines([place for place in places.values() if place])

        def at(fault: InputError) -> InputError:
            line = lines.get(places.get(id(fault), ()))
            return fault if line is None else fault.at(source, line=line)

        return error.each(at)


def read_document(path: str) -> Document:
    """Read a file; raises `InputError`."""
    return load_document(read_bytes(path), path)


def load_document(data: bytes, path: str) -> Document:
    """Parse a JSON document.

    Raises
    ------
    InputError
        As `load_json` does; and if the name of the file says that it is YAML or TOML.
    """
    if PurePath(path).suffix.lower() in (".yaml", ".yml", ".toml"):
        raise InputError("is YAML or TOML; convert the file to JSON", source=path)
    try:
        value = load_json(data, path)
    except InputError as error:  # a key that is given twice has a field
        raise (error.at(path, line=_second(data, error.field)) if error.field else error) from None
    return Document(value, lambda places: json_lines(data.decode("utf-8-sig"), list(places)))


def _second(data: bytes, key: str) -> int | None:
    """Return the line in which a key of a JSON text is given again, if it stands there twice in all."""
    found = [match.start() for match in re.finditer(re.escape(json.dumps(key).encode()) + rb"\s*:", data)]
    return data.count(b"\n", 0, found[1]) + 1 if len(found) == 2 else None
