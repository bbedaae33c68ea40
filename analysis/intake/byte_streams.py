"""Readers of compressed streams, JSON lines and JSON documents, within size limits."""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from typing import IO, Any

from planoracle.analysis.intake.json_sequence import json_values
from planoracle.instances.errors import InputError
from planoracle.instances.files.strict_json import refuse_compressed
from planoracle.instances.files.tables import MAX_RATIO, USUAL_ROWS, unpacked_error, unpacked_limit

#: Longest submission in bytes; longer ones are skipped and reported.
MAX_LINE = 16 * 2**20
# Longer lines are treated as endless, such as those of /dev/zero.
_ENDLESS = 2**30
_PIECE = 2**16
# Bytes of a compressed file that are checked before its first entry is read.
_START = 2**20
# Errors of libraries for damaged content.
_DAMAGES = (OSError, EOFError, ValueError, zlib.error)
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


class _Pieces(io.RawIOBase):
    """Stream of the bytes of an iterator."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._unread = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._unread = self._unread or next(self._pieces, b"")
        count = min(len(buffer), len(self._unread))
        buffer[:count], self._unread = self._unread[:count], self._unread[count:]
        return count


class _CountedStream(io.RawIOBase):
    """Stream that counts the bytes read from it."""

    def __init__(self, stream: io.BufferedReader) -> None:
        self._stream = stream
        self.count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read1(len(buffer))
        buffer[: len(data)] = data
        self.count += len(data)
        return len(data)


def _stream_of(pieces: Iterator[bytes]) -> io.BufferedReader:
    return io.BufferedReader(_Pieces(pieces), _PIECE)


def _pieces(stream: Any) -> Iterator[bytes]:
    """Yield the content of a stream as soon as it is available."""
    return iter(lambda: stream.read1(_PIECE), b"")


def prepend(head: bytes, stream: IO[bytes]) -> io.BufferedReader:
    """Return a stream with bytes that were already read put back at its beginning."""
    return _stream_of(chain([head], _pieces(stream)))


def decompress(stream: IO[bytes], source: str) -> io.BufferedReader:
    """Return a stream decompressed (gzip, zstd) and converted from UTF-16.

    Raises
    ------
    InputError
        For other compressions. Reading raises it if the content is damaged or larger than `unpacked_limit` allows, and
        without pyarrow for zstd.
    """
    head = stream.read(6)
    content = prepend(head, stream)
    if head.startswith((_GZIP, _ZSTD)):
        content = _stream_of(_unpack(content, source, is_gzip=head.startswith(_GZIP)))
        head = content.peek(6)[:6]
    if not head.startswith(b"PK"):  # a log may be an archive
        refuse_compressed(head, source)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _stream_of(_recode(content, source))
    return content


def check_start(stream: IO[bytes], source: str) -> None:
    """Raise `InputError` if the start of a compressed file unpacks to far more than its size.

    The stream is at its beginning afterwards. Pipes are not checked: reading them ends at the limit.
    """
    if not stream.seekable():
        return
    head = stream.read(6)
    stream.seek(0)
    if head.startswith((_GZIP, _ZSTD)):
        packed = _CountedStream(_stream_of(_pieces(stream)))
        with suppress(*_DAMAGES):  # which reading reports after the entries before the damage
            for _ in _limited_pieces(packed, source, is_gzip=head.startswith(_GZIP)):
                if packed.count > _START:
                    break
        stream.seek(0)


def _unpack(stream: io.BufferedReader, source: str, *, is_gzip: bool) -> Iterator[bytes]:
    try:
        yield from _limited_pieces(_CountedStream(stream), source, is_gzip=is_gzip)
    except _DAMAGES as error:
        if "too much memory" in str(error):
            message = "needs more than 128 MiB of memory to be decompressed (zstd); compress it with a smaller window"
            raise InputError(message, source=source) from None
        raise InputError(f"is damaged ({'gzip' if is_gzip else 'zstd'}): {error}", source=source) from None


def _limited_pieces(packed: _CountedStream, source: str, *, is_gzip: bool) -> Iterator[bytes]:
    """Yield the decompressed content; raises `InputError` beyond its limits."""
    buffered = io.BufferedReader(packed)
    size = lines = 0
    for piece in _pieces(gzip.GzipFile(fileobj=buffered) if is_gzip else _zstd(buffered, source)):
        size += len(piece)
        lines += piece.count(b"\n")
        limit = unpacked_limit(packed.count)
        if size > limit:
            raise unpacked_error(limit, source)
        if lines > USUAL_ROWS and size > MAX_RATIO * packed.count:
            raise _flood_error(source)
        yield piece


def _flood_error(source: str) -> InputError:
    """Return the error for many lines that are almost equal."""
    message = f"has more than {USUAL_ROWS} lines and is more than {MAX_RATIO} times larger when decompressed"
    return InputError(f"{message}; accepted is one of the two", source=source)


def _zstd(stream: IO[bytes], source: str) -> Any:
    try:
        import pyarrow
    except ImportError:
        message = "is compressed (zstd), which needs pyarrow: pip install 'planoracle[frames]'"
        raise InputError(message, source=source) from None
    return pyarrow.CompressedInputStream(pyarrow.PythonFile(stream, "r"), "zstd")


def _recode(stream: IO[bytes], source: str) -> Iterator[bytes]:
    text = io.TextIOWrapper(stream, "utf-16", newline="")
    try:
        while piece := text.read(_PIECE):
            yield piece.encode()
    except UnicodeError as error:
        raise InputError(f"is not valid UTF-16, despite its byte order mark ({error})", source=source) from None


def limited_lines(stream: IO[bytes], source: str) -> Iterator[tuple[int, bytes | InputError]]:
    """Yield the number and the bytes of every line; an error for a line that is longer than `MAX_LINE`.

    A longer line is skipped to its end. If it has no end, that is the last entry.
    """
    number = 0
    while line := stream.readline(MAX_LINE + 1):
        number += 1
        size = len(line)
        while size > MAX_LINE and line and not line.endswith(b"\n"):
            line = stream.readline(MAX_LINE)
            size += len(line)
            if size >= _ENDLESS:
                yield number, InputError(f"cannot be read any further: line {number} has no end", source=source)
                return
        if size > MAX_LINE:
            yield number, InputError(f"is longer than {MAX_LINE} bytes", source=source, line=number)
        else:
            yield number, line


def read_lines(stream: IO[bytes], source: str) -> Iterator[tuple[int, Any | InputError]]:
    """Yield the line and the content of every JSON value of a stream, or its error, see `json_values`.

    Errors of values name neither file nor line, which the caller adds.
    """
    return json_values(limited_lines(stream, source), MAX_LINE)


def read_document(stream: IO[bytes], source: str) -> bytes:
    """Return the bytes of a JSON document; raises `InputError` for one that is larger than `MAX_LINE`."""
    data = stream.read(MAX_LINE + 1)
    if len(data) > MAX_LINE:
        message = f"is a JSON document larger than {MAX_LINE} bytes; use JSON lines, one submission a line (.jsonl)"
        raise InputError(message, source=source)
    return data
