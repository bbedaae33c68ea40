"""Proved optima that ship with a benchmark: one file in its ``data``, an entry a line.

An entry is what a solver's engine has packed (see `planoracle.solver.solve`), with ``of``, digests of the problem and
of the rules that decide about it: that of a problem that has changed since is not found. Nothing of it is believed
before its plan has been replayed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from importlib.resources import files
from typing import Any, TypeAlias

from planoracle.instances.model.cache import digest, fingerprint
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol.profiles import Rules

FILE = "optima.json"

Entry: TypeAlias = dict[str, Any]
#: The entries of a benchmark by the name of the problem: what is the same under several profiles stands there once.
Entries: TypeAlias = Mapping[str, list[Entry]]


def read(package: str) -> Entries:
    """Return the entries that ship in a package, none if it has no such file."""
    path = files(package) / "data" / FILE
    if not path.is_file():
        return {}
    found: Entries = json.loads(path.read_bytes())["optima"]
    return found


def written(entries: Entries, versions: Mapping[str, str]) -> str:
    """Return the text of a file; ``versions`` are those of what has solved the problems."""
    head = json.dumps({"format": "planoracle/optima", "version": 1, "versions": dict(versions)})
    lines = [
        f"{json.dumps(name)}: [\n{text}\n]"
        for name, ways in sorted(entries.items())
        if (text := ",\n".join(json.dumps(way, separators=(",", ":")) for way in _joined(ways)))
    ]
    return f'{head[:-1]}, "optima": {{\n{",".join(lines)}\n}}}}\n'


def _joined(ways: list[Entry]) -> list[Entry]:
    """Make one entry of those that say the same."""
    found: list[Entry] = []
    for way in ways:
        same = next((one for one in found if one | {"of": ""} == way | {"of": ""}), None)
        if same is None:
            found.append(dict(way))
        elif way["of"] not in same["of"].split():
            same["of"] += f" {way['of']}"
    return found


def by_key(ways: list[Entry]) -> dict[str, Entry]:
    """Return the entries of a problem by the keys that they are found by."""
    return {key: way | {"of": key} for way in ways for key in way["of"].split()}


def key_of(problem: Problem, rules: Rules | None) -> str:
    """Return what an entry is found by: it stands for the problem with all that its rules need, and for the rules.

    Of these only what is not as usual counts, so that a rule that is added later changes nothing.
    """
    if rules is None:
        return digest(fingerprint(problem), None)[:16]
    usual = type(rules)()
    names = [field.name for field in fields(rules) if getattr(rules, field.name) != getattr(usual, field.name)]
    return digest(fingerprint(problem), {name: getattr(rules, name) for name in names})[:16]
