"""Files and JSON, read strictly and within limits."""

from __future__ import annotations

import ast
import json
import os
import stat
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from math import isfinite
from pathlib import Path
from typing import IO, Any, NoReturn

from planoracle.instances.errors import InputError
from planoracle.instances.visible import files_like

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
