"""Bytes of JSON within limits: lines with an object each, and documents that are read at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

from planoracle.instances.errors import InputError
from planoracle.instances.reading import load_json

#: Longest submission that is read, in bytes; longer ones are skipped and reported.
MAX_LINE = 16 * 2**20
# A line that is longer than this is taken to have no end, like those of /dev/zero.
_ENDLESS = 2**30


def read_lines(stream: IO[bytes], source: str) -> Iterator[tuple[int, Any | InputError]]:
    """Yield the line number and the content of every line, or the error that a line is.

    Empty lines are passed over. A line longer than `MAX_LINE` is skipped to its end. If a line has no end, that is
    the last entry.
    """
    number = 0
    while line := stream.readline(MAX_LINE + 1):
        number += 1
        if len(line) > MAX_LINE:
            skipped = len(line)
            while line and not line.endswith(b"\n") and skipped < _ENDLESS:
                line = stream.readline(MAX_LINE)
                skipped += len(line)
            if skipped >= _ENDLESS:
                yield number, InputError(f"cannot be read any further: line {number} does not end", source=source)
                return
            yield number, InputError(f"is longer than {MAX_LINE} bytes", source=source, field=f"line {number}")
            continue
        if not line.strip():
            continue
        row: Any
        try:
            row = load_json(line.rstrip(b"\r\n"), source)  # else a place could be in "line 2"
        except InputError as error:
            row = error
        except MemoryError:
            row = InputError("cannot be read: there is not enough memory", source=source, field=f"line {number}")
        yield number, row


def read_document(stream: IO[bytes], source: str) -> bytes:
    """Return the bytes of a JSON document; raises `InputError` for one that is larger than `MAX_LINE`."""
    data = stream.read(MAX_LINE + 1)
    if len(data) > MAX_LINE:
        message = f"is a JSON document larger than {MAX_LINE} bytes; use JSON lines, one submission a line (.jsonl)"
        raise InputError(message, source=source)
    return data
