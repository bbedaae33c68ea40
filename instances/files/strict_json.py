"""In which line of a JSON text something stands, for messages about it."""

from __future__ import annotations

import ast
import json
import os
import re
import stat
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from math import isfinite
from pathlib import Path, PurePath
from typing import IO, Any, NamedTuple, NoReturn, TypeAlias

from planoracle.instances.errors import InputError
from planoracle.instances.text import files_like

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


#: Largest file that is read, in bytes; most lists and objects in it, each of which takes memory many times its text.
MAX_BYTES, MAX_CONTAINERS = 16 * 2**20, 1_000_000


_check: ContextVar[Callable[[str], None]] = ContextVar("check", default=lambda path: None)
# How files begin that were compressed.
_COMPRESSED = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"PK\x03\x04": "zip",
}


@cache
def strict_decoder() -> json.JSONDecoder:
    """Return a decoder that raises `InputError` for duplicate keys, NaN and infinities."""
    return json.JSONDecoder(object_pairs_hook=_no_duplicates, parse_constant=_no_constant, parse_float=_finite)


@cache
def _lenient_decoder() -> json.JSONDecoder:
    """Return one for files of others, in which these numbers are nothing that we read."""
    return json.JSONDecoder(object_pairs_hook=_no_duplicates, parse_constant=lambda name: None)


def load_json(text: str | bytes, source: str, *, constants: bool = False) -> Any:
    """Parse JSON, refusing what the standard parser lets through.

    With ``constants`` NaN and infinities are read, as null.

    Raises
    ------
    InputError
        For invalid UTF-8 or JSON, duplicate keys, NaN and infinities, absurdly long numbers or nesting, and more than
        `MAX_CONTAINERS` lists and objects (brackets within texts are counted as well).
    """
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8-sig")
        if text.count("[") + text.count("{") > MAX_CONTAINERS:
            raise InputError(f"holds more than {MAX_CONTAINERS} lists and objects")
        return (_lenient_decoder() if constants else strict_decoder()).decode(text)
    except UnicodeDecodeError as error:
        raise InputError(f"is not UTF-8 ({error.reason} at byte {error.start})", source=source) from None
    except json.JSONDecodeError as error:
        raise InputError(
            f"is not JSON: {error.msg} in line {error.lineno}, column {error.colno}", source=source
        ) from None
    except InputError as error:
        raise error.at(source) from None
    except RecursionError:
        raise InputError("is nested too deeply", source=source) from None
    except ValueError as error:  # an integer with thousands of digits
        raise InputError(f"holds a number that cannot be read: {error}", source=source) from None


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = Counter(name for name, _ in pairs)
        raise InputError("key is given twice", field=next(name for name, count in twice.items() if count > 1))
    return found


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise InputError(f"{text[:40]} is too large a number")
    return number


def _no_constant(name: str) -> NoReturn:
    raise InputError(f"{name} is not a JSON number")


def read_bytes(path: str | Path) -> bytes:
    """Read a file of at most `MAX_BYTES`; raises `InputError` if that cannot be done.

    What has no end, or would be waited for, is no file to read: pipes, sockets, devices.
    """
    source = _printable(path)
    try:
        _check.get()(str(path))
        _regular(os.stat(path), source)  # before it is opened, by which some devices begin to move
        with open(path, "rb", opener=_without_waiting) as stream:
            _regular(os.fstat(stream.fileno()), source)
            return read_stream(stream, source)
    except FileNotFoundError as error:
        close = files_like(str(path))
        meant = f"; did you mean {' or '.join(close)}?" if close else ""
        raise InputError(f"cannot be read: {error.strerror}{meant}", source=source) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", source=source) from None
    except ValueError as error:  # a name no file can have
        raise InputError(f"cannot be read: {error}", source=source) from None


def _regular(found: os.stat_result, source: str) -> None:
    if not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)):
        raise InputError("cannot be read: is no regular file", source=source)


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0))


@contextmanager
def confined(check: Callable[[str], None]) -> Iterator[None]:
    """Have every path checked before `read_bytes` opens it, by a function that raises `InputError`."""
    before = _check.set(check)
    try:
        yield
    finally:
        _check.reset(before)


def read_stream(stream: IO[bytes], source: str) -> bytes:
    """Read what a stream holds, at most `MAX_BYTES`; raises `InputError` like `read_bytes`."""
    try:
        data = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", source=source) from None
    if len(data) > MAX_BYTES:
        raise InputError(f"is larger than {MAX_BYTES} bytes", source=source)
    refuse_compressed(data, source)
    return data


def refuse_compressed(start: bytes, source: str) -> None:
    r"""Raise an `InputError` that says so if this is how a compressed file begins.

    Examples
    --------
    >>> refuse_compressed(b"\x1f\x8b\x08", "runs.jsonl.gz")
    Traceback (most recent call last):
    planoracle.instances.errors.InputError: runs.jsonl.gz: is compressed (gzip); decompress it first
    """
    for head, name in _COMPRESSED.items():
        if start.startswith(head):
            raise InputError(f"is compressed ({name}); decompress it first", source=source)


def _printable(path: str | Path) -> str:
    text = str(path).encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= 300 else f"{text[:300]}..."


# Bytes that the expression of a text of the length that readers allow does not need.
_ROOM = 2**25


def parsed(text: str) -> ast.Expression:
    """Parse an expression.

    Python says `MemoryError` as well where a text is nested more deeply than its parser can go. That is a fault of the
    text, a `SyntaxError`; a lack of memory is none, and must not be taken for a verdict.

    Raises
    ------
    SyntaxError, ValueError, RecursionError
        If it is none.

    Examples
    --------
    >>> parsed("f(a=1)").body.func.id
    'f'
    >>> parsed("-" * 10_000 + "1")
    Traceback (most recent call last):
    SyntaxError: is nested too deeply
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python warns of escapes such as \d
        try:
            return ast.parse(text, mode="eval")
        except MemoryError:
            bytearray(_ROOM)  # which fails if it is memory that is lacking
        try:
            return ast.parse(text, mode="eval")
        except MemoryError:
            raise SyntaxError("is nested too deeply") from None
