"""Readers of compressed streams, JSON lines and JSON documents, within size limits."""

from __future__ import annotations

import codecs
import io
import zlib
from collections.abc import Callable, Iterator
from itertools import chain
from typing import IO, Any

from planoracle.instances.errors import InputError
from planoracle.instances.files.strict_json import load_json, refuse_compressed

#: Most bytes of a decompressed file.
MAX_UNPACKED = 2**32
_PIECE = 2**16
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


class _Pieces(io.RawIOBase):
    """Stream of the bytes of an iterator."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._rest = memoryview(piece)
        count = min(len(buffer), len(self._rest))
        buffer[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count


def stream_of(pieces: Iterator[bytes]) -> io.BufferedReader:
    """Return a stream of the bytes of an iterator."""
    return io.BufferedReader(_Pieces(pieces), _PIECE)


def prepend(head: bytes, stream: IO[bytes]) -> IO[bytes]:
    """Return a stream with bytes that were already read put back at its beginning."""
    return stream_of(chain([head], _read(stream)))


def _read(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield the content of a stream as soon as it is available."""
    read: Callable[[int], bytes] = stream.read1 if isinstance(stream, io.BufferedReader) else stream.read
    while piece := read(_PIECE):
        yield piece


def decompress(stream: IO[bytes], source: str) -> IO[bytes]:
    """Return a stream decompressed (gzip, zstd) or converted from UTF-16, else the stream itself.

    Raises
    ------
    InputError
        For other compressions, and without a library for zstd. Reading raises it if the content is damaged or larger
        than `MAX_UNPACKED`.
    """
    head = stream.read(6)
    whole = prepend(head, stream)
    if head.startswith(_GZIP):
        return _inner(_limit(_gunzip(whole, source), source), source)
    if head.startswith(_ZSTD):
        return _inner(_limit(unzstd(whole, source), source), source)
    return _decode(whole, head, source)


def _inner(pieces: Iterator[bytes], source: str) -> IO[bytes]:
    stream = stream_of(pieces)
    head = stream.peek(6)[:6]
    return _decode(stream, head, source)


def _decode(stream: IO[bytes], head: bytes, source: str) -> IO[bytes]:
    if not head.startswith(b"PK"):  # a log may be one
        refuse_compressed(head, source)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return stream_of(_recode(stream, source))
    return stream


def _recode(stream: IO[bytes], source: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder("utf-16")()
    try:
        for piece in _read(stream):
            yield decoder.decode(piece).encode()
        yield decoder.decode(b"", final=True).encode()
    except UnicodeError as error:
        reason = error.reason if isinstance(error, UnicodeDecodeError | UnicodeEncodeError) else error
        raise InputError(f"is not UTF-16, though it begins so ({reason})", source=source) from None


def _limit(pieces: Iterator[bytes], source: str) -> Iterator[bytes]:
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > MAX_UNPACKED:
            raise InputError(f"is larger than {MAX_UNPACKED} bytes when decompressed", source=source)
        yield piece


def _gunzip(stream: IO[bytes], source: str) -> Iterator[bytes]:
    import gzip

    try:
        with gzip.GzipFile(fileobj=stream) as opened:
            while piece := opened.read1(_PIECE):
                yield piece
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"is damaged (gzip): {error}", source=source) from None


def unzstd(stream: IO[bytes], source: str) -> Iterator[bytes]:
    """Decompress zstd by the standard library (Python 3.14) or pyarrow; raises `InputError`."""
    try:
        opened = _zstd(stream)
    except ImportError:
        raise InputError(
            "is compressed (zstd), which needs pyarrow: pip install 'planoracle[frames]'", source=source
        ) from None
    try:
        while piece := opened.read(_PIECE):
            yield piece
    except (OSError, EOFError, ValueError) as error:
        raise InputError(f"is damaged (zstd): {error}", source=source) from None
    except Exception as error:  # the error type of the standard library is new in Python 3.14
        if type(error).__name__ != "ZstdError":
            raise
        raise InputError(f"is damaged (zstd): {error}", source=source) from None


def _zstd(stream: IO[bytes]) -> Any:
    from importlib import import_module

    try:
        return import_module("compression.zstd").ZstdFile(stream)
    except ImportError:
        import pyarrow

        return pyarrow.CompressedInputStream(pyarrow.PythonFile(stream, "r"), "zstd")


#: Longest submission in bytes; longer ones are skipped and reported.
MAX_LINE = 16 * 2**20
# Longer lines are treated as endless, such as those of /dev/zero.
_ENDLESS = 2**30


def read_lines(stream: IO[bytes], source: str) -> Iterator[tuple[int, Any | InputError]]:
    """Yield the number and content of every line, or an error for a bad line.

    Empty lines are skipped. A line longer than `MAX_LINE` is skipped to its end. If a line has no end, that is
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
