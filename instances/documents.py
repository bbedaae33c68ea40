"""JSON documents, and the lines of their values."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from pathlib import PurePath
from typing import Any, NamedTuple

from planoracle.instances.errors import InputError
from planoracle.instances.lines import Place, json_lines, place_of
from planoracle.instances.reading import load_json, read_bytes


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
