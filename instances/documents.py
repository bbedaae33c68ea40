"""Files that hold a document, as JSON, YAML or TOML: what they say, and in which line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from pathlib import PurePath
from typing import Any, NamedTuple

from planoracle.instances.errors import InputError
from planoracle.instances.lines import Place, json_lines, place_of
from planoracle.instances.reading import load_json, read_bytes

__all__ = ["Document", "load_document", "read_document"]

#: Largest file of YAML or TOML, in bytes: reading them takes a thousand times as long as reading JSON.
MAX_TEXT = 2**18
# Most dots in a TOML file, each counted as often as there are dots in its line: a key of n parts takes memory for n².
_DOTS = 1_000_000


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
    """Parse a document: YAML or TOML if the name of the file says so, else JSON.

    Raises
    ------
    InputError
        As `load_json` does; for YAML that is more than plain data or unfolds to too much; and if PyYAML is missing.
    """
    read = {".yaml": _yaml, ".yml": _yaml, ".toml": _toml}.get(PurePath(path).suffix.lower())
    if read is None:
        try:
            value = load_json(data, path)
        except InputError as error:  # a key that is given twice has a field
            raise (error.at(path, line=_second(data, error.field)) if error.field else error) from None
        return Document(value, lambda places: json_lines(data.decode("utf-8-sig"), list(places)))
    if len(data) > MAX_TEXT:
        raise InputError(f"is larger than {MAX_TEXT} bytes; write it as JSON", source=path)
    try:
        return read(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InputError(f"is not UTF-8 ({error.reason} at byte {error.start})", source=path) from None
    except RecursionError:
        raise InputError("is nested too deeply", source=path) from None
    except InputError as error:
        raise error.at(path) from None
    except ValueError as error:  # of TOML, or an integer with thousands of digits
        raise InputError(f"cannot be read: {error}", source=path) from None


def _toml(text: str) -> Document:
    import tomllib

    if sum(line.count(".") ** 2 for line in text.splitlines()) > _DOTS:
        raise InputError("has keys of too many parts")
    try:
        return Document(tomllib.loads(text), lambda _: {})
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"is not TOML: {error}") from None


def _yaml(text: str) -> Document:
    try:
        from planoracle.instances.plain_yaml import load
    except ImportError:
        message = "is YAML, which needs PyYAML: pip install 'planoracle[yaml]', or write it as JSON or TOML"
        raise InputError(message) from None
    return Document(*load(text))


def _second(data: bytes, key: str) -> int | None:
    """Return the line in which a key of a JSON text is given again, if it stands there twice in all."""
    found = [match.start() for match in re.finditer(re.escape(json.dumps(key).encode()) + rb"\s*:", data)]
    return data.count(b"\n", 0, found[1]) + 1 if len(found) == 2 else None
