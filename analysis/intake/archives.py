"""Bytes within limits: streams that are compressed or in UTF-16, lines of JSON, and documents that are read at once."""

from __future__ import annotations

import codecs
import io
import re
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo
from zlib import error as ZlibError  # noqa: N812

from planoracle.analysis.intake.path_names import EntryError, problem_name
from planoracle.analysis.intake.record_fields import plan_fields
from planoracle.instances.errors import InputError
from planoracle.instances.files.strict_json import load_json, refuse_compressed
from planoracle.instances.model_output.messages import is_cut

#: Most bytes that a compressed file may stand for.
MAX_UNPACKED = 2**32
_PIECE = 2**16
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


class _Pieces(io.RawIOBase):
    """A stream of the bytes that an iterator gives."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._left = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._left:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._left = memoryview(piece)
        count = min(len(buffer), len(self._left))
        buffer[:count] = self._left[:count]
        self._left = self._left[count:]
        return count


def again(head: bytes, stream: IO[bytes]) -> IO[bytes]:
    """Return a stream whose beginning has been read already."""
    return io.BufferedReader(_Pieces(chain([head], _read(stream))), _PIECE)


def _read(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield what a stream holds, as soon as it is there."""
    read: Callable[[int], bytes] = stream.read1 if isinstance(stream, io.BufferedReader) else stream.read
    while piece := read(_PIECE):
        yield piece


def unpacked(stream: IO[bytes], source: str) -> IO[bytes]:
    """Return what a stream stands for: itself, or what has been compressed by gzip or zstd, or written in UTF-16.

    Raises
    ------
    InputError
        For other compressions, and if there is no library for zstd. Reading raises it if the content is damaged, or is
        larger than `MAX_UNPACKED`.
    """
    head = stream.read(6)
    whole = again(head, stream)
    if head.startswith(_GZIP):
        return _inner(_limited(_gunzip(whole, source), source), source)
    if head.startswith(_ZSTD):
        return _inner(_limited(unzstd(whole, source), source), source)
    return _decoded(whole, head, source)


def _inner(pieces: Iterator[bytes], source: str) -> IO[bytes]:
    stream = io.BufferedReader(_Pieces(pieces), _PIECE)
    head = stream.peek(6)[:6]
    return _decoded(stream, head, source)


def _decoded(stream: IO[bytes], head: bytes, source: str) -> IO[bytes]:
    if not head.startswith(b"PK"):  # a log may be one
        refuse_compressed(head, source)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return io.BufferedReader(_Pieces(_recoded(stream, source)), _PIECE)
    return stream


def _recoded(stream: IO[bytes], source: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder("utf-16")()
    try:
        for piece in _read(stream):
            yield decoder.decode(piece).encode()
        yield decoder.decode(b"", final=True).encode()
    except UnicodeError as error:
        reason = error.reason if isinstance(error, UnicodeDecodeError | UnicodeEncodeError) else error
        raise InputError(f"is not UTF-16, though it begins so ({reason})", source=source) from None


def _limited(pieces: Iterator[bytes], source: str) -> Iterator[bytes]:
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
    """Yield what zstd compressed, by the standard library (Python 3.14) or by pyarrow; raises `InputError`."""
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
    except Exception as error:  # of the standard library, of a type that older versions do not have
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


#: Where solvers of ours (`planoracle.analysis.adapters.inspect_solvers`) keep in a sample's store what is handed in.
STORED = "planoracle"
_BEGINS = re.compile(rb'\s*\{\s*"version"\s*:\s*\d+\s*,\s*"status"\s*:\s*"')
_SAMPLE = re.compile(r"samples/(?P<name>.+_epoch_\d+)(?:\.json|/sample\.json)", re.DOTALL)
_LINK = "attachment://"
# How the archive says that it is compressed by zstd, and the fixed part of the header before every entry.
_ZSTD_ENTRY, _HEADER = 93, 30


def begins_log(head: bytes) -> bool:
    """Whether a file that begins so is a log in JSON."""
    return _BEGINS.match(head) is not None


def is_log(document: Any) -> bool:
    """Whether a document is a log."""
    return isinstance(document, dict) and isinstance(document.get("eval"), dict) and "status" in document


def read_log(stream: IO[bytes], source: str) -> Iterator[tuple[int, Any | InputError]]:
    """Yield number and submission, or error, for every sample of a log in JSON."""
    document = _loaded(read_document(stream, source), source)
    samples = document.get("samples")
    if not isinstance(samples, list) or not samples:
        raise InputError("is a log of inspect_ai without samples", source=source)
    yield from logged(document, samples)


def _loaded(text: bytes, source: str) -> Any:
    return load_json(text, source, constants=True)


def read_archive(stream: IO[bytes], source: str) -> Iterator[tuple[int, Any | InputError]]:
    """Yield number and submission, or error, for every sample of an archive.

    Raises
    ------
    InputError
        If it is no archive, or none of a log.
    """
    try:
        with ZipFile(stream) as archive:
            yield from _archived(stream, archive, source)
    except (OSError, ValueError, BadZipFile, NotImplementedError) as error:
        raise InputError(f"is a damaged archive: {error}", source=source) from None


def _archived(stream: IO[bytes], archive: ZipFile, source: str) -> Iterator[tuple[int, Any | InputError]]:
    names = archive.namelist()
    start = next((name for name in ("header.json", "_journal/start.json") if name in names), None)
    if start is None:
        raise InputError("is a zip archive, but no log of inspect_ai; unpack it first", source=source)
    left = [MAX_UNPACKED]

    def document(name: str) -> Any:
        try:
            return _loaded(_member(stream, archive.getinfo(name), archive, left, source), source)
        except (OSError, ValueError, EOFError, BadZipFile, NotImplementedError, ZlibError, struct.error) as error:
            return InputError(f"is damaged: {error}", source=source, field=name[:200])
        except InputError as error:
            return error.at("", name[:200]) if error.source is None else error

    head = document(start)
    if isinstance(head, InputError):
        raise head
    entries = [name for name in names if _SAMPLE.fullmatch(name)]
    yield from logged(head, (document(name) for name in sorted(dict.fromkeys(entries), key=_natural)))
    if not entries:
        yield 1, InputError("is a log of inspect_ai without samples", source=source)


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isascii() and part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]


def _member(stream: IO[bytes], info: ZipInfo, archive: ZipFile, left: list[int], source: str) -> bytes:
    """Return the content of an entry, as far as the limits allow."""
    most = min(MAX_LINE, left[0])
    if info.compress_type in (ZIP_STORED, ZIP_DEFLATED):
        with archive.open(info) as member:
            data = member.read(most + 1)
    elif info.compress_type == _ZSTD_ENTRY:
        # Python before 3.14 has no zstd in archives: the entry is behind its header and the two names in that.
        stream.seek(info.header_offset + _HEADER - 4)
        name, extra = struct.unpack("<HH", stream.read(4))
        stream.seek(name + extra, 1)
        data = b""
        for piece in unzstd(_Part(stream, info.compress_size), source):  # type: ignore[arg-type]
            data += piece
            if len(data) > most:
                break
    else:
        raise InputError(f"is compressed in a way that is not known ({info.compress_type})", field=info.filename[:200])
    if len(data) > most:
        raise InputError(f"is larger than {most} bytes when decompressed", source=source, field=info.filename[:200])
    left[0] -= len(data)
    return data


class _Part:
    """A part of a stream, as far as a decompressor reads it."""

    closed = False

    def __init__(self, stream: IO[bytes], size: int) -> None:
        self._stream = stream
        self._left = size

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(self._left if size < 0 else min(size, self._left))
        self._left -= len(data)
        return data

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False

    def close(self) -> None:
        """Leave the stream open."""


def logged(head: Mapping[str, Any], samples: Iterable[Any]) -> Iterator[tuple[int, Any | InputError]]:
    """Yield number and submission, or error, for every sample of a log with a head."""
    about = head.get("eval")
    model = about.get("model") if isinstance(about, dict) else None
    for number, sample in enumerate(samples, 1):
        if isinstance(sample, InputError):
            yield number, sample
            continue
        try:
            yield number, _submission(sample, model)
        except InputError as error:
            yield number, error


def _submission(sample: Any, model: Any) -> dict[str, Any] | EntryError:
    if not isinstance(sample, dict):
        raise InputError("must be an object", field="sample", value=sample)
    texts = sample.get("attachments")
    whole = {
        name: _whole(sample.get(name), texts if isinstance(texts, dict) else {})
        for name in ("output", "messages", "store")
    }
    name, epoch = sample.get("id"), sample.get("epoch")
    instance = problem_name(name) if isinstance(name, str) else None
    found: dict[str, Any] = {
        "id": f"{name}_epoch_{epoch}",
        "instance": instance or (name if isinstance(name, str) else None),
        "model": model,
        "sample": epoch,
        "metadata": sample.get("metadata"),
        "output": _answer(whole["output"]),
        "stop_reason": "max_tokens" if is_cut(whole["output"]) else None,
        "messages": whole["messages"],
    }
    if sample.get("error") is not None:  # a broken run is not a failed one
        why = sample["error"].get("message") if isinstance(sample["error"], dict) else sample["error"]
        return EntryError(InputError(f"the run ended with an error: {str(why)[:300]}"), found)
    kept = _object(_object(whole["store"]).get(STORED))
    handed_in = _object(kept.get("submission"))
    own = next((name for name in plan_fields() if name in handed_in), None)
    if own is not None:
        rest = {name: value for name, value in handed_in.items() if name != own}
        return {**rest, **found, "plan": handed_in[own], "model": kept.get("by") or model}
    spoken = [one for one in whole["messages"] or () if isinstance(one, dict) and one.get("role") == "assistant"]
    if len(spoken) > 1 or found["output"] is None:
        found["plan"] = whole["messages"]
    else:
        found["plan"] = found["output"]
    return found


def _object(value: Any) -> dict[str, Any]:
    """Return an object, an empty one where there is none."""
    return value if isinstance(value, dict) else {}


def _answer(output: Any) -> Any:
    """Return what a model answered, as text or as the parts that it has."""
    if not isinstance(output, dict):
        return output
    choices = output.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    if not isinstance(message, dict):
        return output.get("completion")
    content = message.get("content")
    return content if isinstance(content, str) and not message.get("tool_calls") else [message]


def _whole(value: Any, texts: Mapping[str, Any], depth: int = 0) -> Any:
    """Put texts that are kept apart in their places."""
    if isinstance(value, str) and value.startswith(_LINK):
        return texts.get(value.removeprefix(_LINK), value)
    if depth < 20 and isinstance(value, list):
        return [_whole(one, texts, depth + 1) for one in value]
    if depth < 20 and isinstance(value, dict):
        return {key: _whole(one, texts, depth + 1) for key, one in value.items()}
    return value
