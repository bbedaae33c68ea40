"""Strict JSON within size limits, line numbers of JSON values, and safe reading of files."""

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
from planoracle.instances.text import did_you_mean_file

#: Keys and positions on the way to a value.
Place: TypeAlias = tuple[str | int, ...]

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+', re.DOTALL)
# Part of the path of a field: a key, or a position or name in brackets (which may contain anything but "].").
_STEP = re.compile(r"\[(.*?)\](?=[.\[]|$)|([^.\[\]]+)", re.DOTALL)
# Names of fields of an instance in a file.
_FILE_KEYS = {"minimum": "min_lag", "maximum": "max_lag", "id": "name"}
# Number of a line after the path of its file.
_LINE = re.compile(r", line \d+$")
# Longest text in characters that is searched for lines.
_LONGEST = 4 * 2**20


def json_lines(text: str, places: Collection[Place]) -> dict[Place, int]:
    r"""Return the line, from 1, at which each of some values (or its key) begins.

    The text must be valid JSON. Places that are not in the text are left out.

    Examples
    --------
    >>> json_lines('{"a": [1,\n {"b": 2}]}', [("a", 1, "b"), ("a",)])
    {('a',): 1, ('a', 1, 'b'): 2}
    """
    targets = set(places)
    lines = dict[Place, int]()
    if len(text) > _LONGEST:
        return lines
    path: list[str | int] = []  # the key or position in every open list and object
    keys: list[bool] = []  # for every open list and object whether the next token is a key
    line, last = 1, 0

    def record(start: int) -> None:
        nonlocal line, last
        place = tuple(path)
        if place in targets and place not in lines:
            line += text.count("\n", last, start)
            last = start
            lines[place] = line

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
            path[-1] = json.loads(token)
            keys[-1] = False
            record(match.start())
        else:
            record(match.start())
            if token in "{[":
                path.append("" if token == "{" else 0)
                keys.append(token == "{")
        if len(lines) == len(targets):
            break
    return lines


def place_of(document: Any, field: str) -> Place:
    """Return the place in a document of the path of a field, or of its longest part that exists.

    In our own format an action, a resource or a time lag is given by name (``actions[soup/boil].duration``).

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
            next(steps, None)  # the file omits the list of a single mode
            continue
        key = _key(value, step, named)
        if key is None:
            break
        place.append(key)
        value = value[key]
    return tuple(place)


def _steps(document: Any, field: str) -> list[tuple[str, bool]]:
    """Return the keys, positions and names on a path, each with whether it is certainly a name."""
    steps = [key or bracket for bracket, key in _STEP.findall(field)]
    if len(steps) < 2 or steps[0] not in ("actions", "lags") or not isinstance(document, dict):
        return [(step, False) for step in steps]
    before, _, name = steps[1].rpartition(" -> ")
    task, _, action = name.partition("/")
    head = [("tasks", False), (task, True), ("actions", False), (action, True)]
    if before:
        head += [("after", False), (before, True)]
    return head + [(step, False) for step in steps[2:]]


def _key(value: Any, step: str, named: bool) -> str | int | None:
    """Return the key or position of a step, ``None`` if the value has no such part."""
    if isinstance(value, dict):
        keys = (step, _FILE_KEYS.get(step, step))
        return next((key for key in keys if key in value), None)
    if not isinstance(value, list):
        return None
    if step.isdecimal() and not named:
        is_position = len(step) < 10 and int(step) < len(value)
        return int(step) if is_position else None
    for number, names in enumerate(map(_names, value)):
        if step in names or step.partition("/")[2] in names:
            return number
    return None


def _names(entry: Any) -> tuple[Any, ...]:
    """Return the names by which a path can refer to an entry of a list."""
    if not isinstance(entry, dict):
        return (entry,)
    return tuple(entry.get(key) for key in ("name", "action", "resource"))


class Document(NamedTuple):
    """Content of a file, and a function that returns the lines of its values."""

    value: Any
    lines: Callable[[Iterable[Place]], dict[Place, int]]

    def located(self, error: InputError, source: str) -> InputError:
        """Return an error about the document with the lines of its faults, as far as they can be located."""
        faults_without_line = [fault for fault in error.faults if fault.field and not fault.line]
        mine = [fault for fault in faults_without_line if fault.source == source]
        places = {id(fault): place_of(self.value, fault.field or "") for fault in mine}
        lines = self.lines([place for place in places.values() if place])

        def at(fault: InputError) -> InputError:
            line = lines.get(places.get(id(fault), ()))
            return fault if line is None else fault.at(source, line=line)

        return error.each(at)


def load_document(data: bytes, path: str) -> Document:
    """Parse a JSON document.

    Raises
    ------
    InputError
        As `load_json`, and for file names that end like YAML or TOML.
    """
    if PurePath(path).suffix.lower() in (".yaml", ".yml", ".toml"):
        raise InputError("is YAML or TOML; convert the file to JSON", source=path)
    try:
        value = load_json(data, path)
    except InputError as error:
        if error.field:  # a repeated key
            raise error.at(path, line=_second_line(data, error.field)) from None
        raise error from None

    def lines(places: Iterable[Place]) -> dict[Place, int]:
        return json_lines(data.decode("utf-8-sig"), list(places))

    return Document(value, lines)


def _second_line(data: bytes, key: str) -> int | None:
    """Return the line of the second occurrence of a key, ``None`` unless there are exactly two."""
    quoted_key = re.escape(json.dumps(key).encode())
    starts = [match.start() for match in re.finditer(quoted_key + rb"\s*:", data)]
    if len(starts) != 2:
        return None
    return data.count(b"\n", 0, starts[1]) + 1


#: Largest file in bytes, and most lists and objects in it, each of which needs many times the memory of its text.
MAX_BYTES, MAX_CONTAINERS = 16 * 2**20, 1_000_000


_check: ContextVar[Callable[[str], None]] = ContextVar("check", default=lambda path: None)
# First bytes of compressed files.
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
    """Return a decoder that reads NaN and infinities as null, for formats whose numbers are not used."""
    return json.JSONDecoder(object_pairs_hook=_no_duplicates, parse_constant=lambda name: None)


def load_json(text: str | bytes, source: str, *, constants: bool = False, first_line: int = 1) -> Any:
    """Parse JSON strictly.

    Parameters
    ----------
    text
        JSON text, or its bytes in UTF-8.
    source
        Name of the file for messages.
    constants
        Read NaN and infinities as null.
    first_line
        Line of the file in which the text begins, for messages.

    Raises
    ------
    InputError
        For invalid UTF-8 or JSON, duplicate keys, NaN and infinities, extremely long numbers or deep nesting, and more
        than `MAX_CONTAINERS` lists and objects (brackets in strings count, too).
    """
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8-sig")
        if text.count("[") + text.count("{") > MAX_CONTAINERS:
            raise InputError(f"contains more than {MAX_CONTAINERS} lists and objects")
        return (_lenient_decoder() if constants else strict_decoder()).decode(text)
    except UnicodeDecodeError as error:
        message = f"is not UTF-8 ({error.reason} at byte {error.start})"
        raise InputError(message, source=source) from None
    except json.JSONDecodeError as error:
        number = error.lineno + first_line - 1
        line = f"line {number}, " if "\n" in error.doc.strip() else ""
        message = f"is not JSON: {error.msg} in {line}column {error.colno}"
        raise InputError(message, source=source) from None
    except InputError as error:
        raise error.at(source) from None
    except RecursionError:
        raise InputError("is nested too deeply", source=source) from None
    except ValueError as error:  # an integer with thousands of digits
        raise InputError(f"contains a number that cannot be read: {error}", source=source) from None


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        repeated = next(name for name, count in counts.items() if count > 1)
        raise InputError("key is given twice", field=repeated)
    return result


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise InputError(f"{text[:40]} is too large a number")
    return number


def _no_constant(name: str) -> NoReturn:
    raise InputError(f"{name} is not a JSON number")


def read_bytes(path: str | Path, max_bytes: int | None = None) -> bytes:
    """Read a regular file; raises `InputError`, also for pipes and devices.

    Parameters
    ----------
    path
        Path of the file.
    max_bytes
        Number of bytes above which the file is refused; by default `MAX_BYTES`.
    """
    source = _printable(path)
    try:
        _check.get()(str(path))
        _check_regular(os.stat(path), source)  # before opening, which starts some devices
        with open(path, "rb", opener=_open_without_blocking) as stream:
            _check_regular(os.fstat(stream.fileno()), source)
            return read_stream(stream, source, max_bytes)
    except FileNotFoundError as error:
        hint = did_you_mean_file(str(path))
        raise InputError(f"cannot be read: {error.strerror}{hint}", source=source) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", source=source) from None
    except ValueError as error:  # an invalid file name
        raise InputError(f"cannot be read: {error}", source=source) from None


def _check_regular(status: os.stat_result, source: str) -> None:
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        raise InputError("cannot be read: not a regular file", source=source)


def _open_without_blocking(path: str, flags: int) -> int:
    non_blocking = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
    return os.open(path, flags | non_blocking)


@contextmanager
def confined(check: Callable[[str], None]) -> Iterator[None]:
    """Let a function check every path that `read_bytes` opens in the context; it raises `InputError`."""
    before = _check.set(check)
    try:
        yield
    finally:
        _check.reset(before)


def read_companion(name: str, source: str) -> tuple[bytes, str]:
    """Read a file that a document names, in or below its folder; return the bytes and the path.

    Parameters
    ----------
    name
        Path relative to the folder of the document. Links must not lead out of the folder.
    source
        Place of the document, a path or the line of one, as in the errors about it.

    Raises
    ------
    InputError
        For other paths, and for a document that is not from a file.
    """
    document = _LINE.sub("", source)
    if not os.path.isfile(document):
        raise InputError("must be the content itself, because this document is not from a file", value=name)
    path = os.path.join(os.path.dirname(document), name)
    if os.path.isabs(name) or not _is_below(path, os.path.dirname(document)):
        raise InputError("must be a file in the folder of this one or below it", value=name)
    with confined(lambda path: None):  # the document itself may be read, and so may what is beside it
        return read_bytes(path), path


def _is_below(path: str, folder: str) -> bool:
    """Return whether a path, with its links followed, is below a folder."""
    try:
        real_folder = os.path.realpath(folder)
        return os.path.commonpath([real_folder, os.path.realpath(path)]) == real_folder
    except ValueError:  # a NUL, or another drive
        return False


def read_stream(stream: IO[bytes], source: str, max_bytes: int | None = None) -> bytes:
    """Read a stream of at most so many bytes, by default `MAX_BYTES`; raises `InputError`."""
    limit = MAX_BYTES if max_bytes is None else max_bytes
    try:
        data = stream.read(limit + 1)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", source=source) from None
    if len(data) > limit:
        raise InputError(f"is larger than {limit} bytes", source=source)
    refuse_compressed(data, source)
    return data


def refuse_compressed(start: bytes, source: str) -> None:
    r"""Raise an `InputError` for the first bytes of a compressed file.

    Examples
    --------
    >>> refuse_compressed(b"\x1f\x8b\x08", "runs.jsonl.gz")
    Traceback (most recent call last):
    planoracle.instances.errors.InputError: runs.jsonl.gz: is compressed (gzip); decompress it first
    """
    for head, name in _COMPRESSED.items():
        if start.startswith(head) and not (name == "zip" and source.lower().endswith(".xlsx")):
            raise InputError(f"is compressed ({name}); decompress it first", source=source)


def _printable(path: str | Path) -> str:
    text = str(path).encode("utf-8", "backslashreplace").decode()
    if len(text) <= 300:
        return text
    return f"{text[:300]}..."


# More bytes than the expression of a text of the allowed length needs.
_ROOM = 2**25


def parse_expression(text: str) -> ast.Expression:
    """Parse a Python expression without evaluating it.

    Python raises `MemoryError` also for nesting beyond the limit of its parser. That is a fault of the text, hence a
    `SyntaxError`; a real lack of memory is not, and must not become a verdict on the text.

    Raises
    ------
    SyntaxError, ValueError, RecursionError
        If the text is no expression.

    Examples
    --------
    >>> parse_expression("f(a=1)").body.func.id
    'f'
    >>> parse_expression("-" * 10_000 + "1")
    Traceback (most recent call last):
    SyntaxError: is nested too deeply
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python warns of escapes such as \d
        try:
            return ast.parse(text, mode="eval")
        except MemoryError:
            bytearray(_ROOM)  # fails if memory is lacking
        try:
            return ast.parse(text, mode="eval")
        except MemoryError:
            raise SyntaxError("is nested too deeply") from None
