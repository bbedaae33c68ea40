"""Logs of inspect_ai: ``.eval``, a zip archive of JSON documents, and ``.json``, one document.

Read as documented (https://inspect.aisi.org.uk/eval-logs.html, format version 2, and
``src/inspect_ai/log/_recorders/eval.py`` for the names in the archive), without inspect_ai itself. A sample's ``id``
is the instance, its ``epoch`` the sample; the plan is what a solver of ours has kept as handed in, else the model's
answer, or all messages if it spoke more than once.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo
from zlib import error as ZlibError  # noqa: N812

from planoracle.analysis.intake.columns import plan_fields
from planoracle.analysis.intake.path_names import problem_name
from planoracle.analysis.intake.places import EntryError
from planoracle.analysis.intake.unpack import MAX_LINE, MAX_UNPACKED, read_document, unzstd
from planoracle.instances.errors import InputError
from planoracle.instances.outputs.messages import is_cut
from planoracle.instances.reading import load_json

#: Where solvers of ours (`planoracle.analysis.adapters.inspect_runs`) keep in a sample's store what is handed in.
STORED = "planoracle"
_BEGINS = re.compile(rb'\s*\{\s*"version"\s*:\s*\d+\s*,\s*"status"\s*:\s*"')
_SAMPLE = re.compile(r"samples/(?P<name>.+_epoch_\d+)(?:\.json|/sample\.json)", re.DOTALL)
_LINK = "attachment://"
# How the archive says that it is compressed by zstd, and the fixed part of the header before every entry.
_ZSTD, _HEADER = 93, 30


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
    elif info.compress_type == _ZSTD:
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
