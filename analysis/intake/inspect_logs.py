"""Readers of logs of inspect_ai: JSON documents and zip archives of samples."""

from __future__ import annotations

import re
from bz2 import BZ2File
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from os import SEEK_END
from struct import error as StructError  # noqa: N812
from typing import IO, Any
from zipfile import ZIP_BZIP2, ZIP_STORED, BadZipFile, ZipFile
from zlib import error as ZlibError  # noqa: N812

from planoracle.analysis.intake.byte_streams import MAX_LINE, decompress
from planoracle.analysis.intake.path_names import EntryError, problem_name
from planoracle.analysis.intake.record_fields import plan_fields
from planoracle.instances.errors import InputError
from planoracle.instances.files.strict_json import load_json
from planoracle.instances.files.tables import decoded_size, unpacked_limit
from planoracle.instances.model_output.messages import chat_in, is_cut
from planoracle.instances.workers.file_reader import READ_LIMITS

#: Key of the submission in the store of a sample, see `planoracle.analysis.adapters.inspect_solvers`.
STORED = "planoracle"
_BEGINS = re.compile(rb'\s*\{\s*"version"\s*:\s*\d+\s*,\s*"status"\s*:\s*"')
_SAMPLE = re.compile(r"samples/(?P<name>.+_epoch_\d+)(?:\.json|/sample\.json)", re.DOTALL)
_LINK = "attachment://"
# Compression method of zstd, which archives have had since Python 3.14 only.
_ZSTD = 93
# Errors of the standard library for damaged archives; also of unknown and encrypted ones (`RuntimeError`).
_DAMAGES = (OSError, ValueError, EOFError, RuntimeError, BadZipFile, ZlibError, StructError)


def begins_log(head: bytes) -> bool:
    """Return True if these are the first bytes of a log in JSON."""
    return _BEGINS.match(head) is not None


def is_log(document: Any) -> bool:
    """Return True if a document is a log."""
    return isinstance(document, dict) and isinstance(document.get("eval"), dict) and "status" in document


def read_archive(stream: IO[bytes], source: str) -> Iterator[tuple[int, Any | InputError]]:
    """Yield number and submission, or error, for every sample of an archive.

    Raises
    ------
    InputError
        If it is no archive of a log.
    """
    budget = unpacked_limit(stream.seek(0, SEEK_END))

    def document(name: str) -> Any:
        nonlocal budget
        try:
            data = _read_member(archive, name, source, max(0, min(MAX_LINE, budget)))
            budget -= decoded_size(data)
            return load_json(data, source, constants=True)
        except _DAMAGES as error:
            return InputError(f"is damaged: {error}", source=source, field=name[:200])
        except InputError as error:
            return InputError(error.message, source=source, field=error.field or name[:200])

    try:
        archive = ZipFile(stream)
    except _DAMAGES as error:
        raise InputError(f"is a damaged archive: {error}", source=source) from None
    names = dict.fromkeys(archive.namelist())
    start = next((name for name in ("header.json", "_journal/start.json") if name in names), None)
    if "xl/workbook.xml" in names:
        raise InputError("is an Excel workbook; save the sheet as CSV, or write JSON lines or Parquet", source=source)
    if start is None:
        raise InputError("is a zip archive, but not a log of inspect_ai; unpack it first", source=source)
    head = document(start)
    if isinstance(head, InputError):
        raise head
    yield from enumerate(read_samples(head, map(document, sorted(filter(_SAMPLE.fullmatch, names)))), 1)


def _read_member(archive: ZipFile, name: str, source: str, limit: int) -> bytes:
    """Return the content of a member.

    Raises
    ------
    InputError
        If it is larger than a limit, or needs too much memory. Damages raise errors of `zipfile`.
    """
    info = copy(archive.getinfo(name))
    method = info.compress_type
    if method in (_ZSTD, ZIP_BZIP2):  # read as stored, and decompressed piece by piece, which `zipfile` does not
        info.compress_type = ZIP_STORED
        info.file_size = info.compress_size
        del info.CRC
    try:
        with archive.open(info) as member:
            stream = BZ2File(member) if method == ZIP_BZIP2 else decompress(member, source)
            data = stream.read(limit + 1)
    except MemoryError:  # for the dictionary that the member asks for
        raise InputError(f"needs more than {READ_LIMITS.memory} MB of memory when decompressed") from None
    if len(data) > limit:
        raise InputError(f"is larger than {limit} bytes when decompressed")
    return data


def read_samples(head: Mapping[str, Any], samples: Iterable[Any]) -> Iterator[Any | InputError]:
    """Yield the submission, or an error, for every sample of a log with a head."""
    about = head.get("eval")
    model = about.get("model") if isinstance(about, dict) else None
    for sample in samples:
        try:
            yield sample if isinstance(sample, InputError) else _submission(sample, model)
        except InputError as error:
            yield error


def _submission(sample: Any, model: Any) -> dict[str, Any] | EntryError:
    if not isinstance(sample, dict):
        raise InputError("must be an object", field="sample", value=sample)
    texts = _object(sample.get("attachments"))
    output, messages = _resolve_links(sample.get("output"), texts), _resolve_links(sample.get("messages"), texts)
    store = _resolve_links(sample.get("store"), texts)
    name, epoch = sample.get("id"), sample.get("epoch")
    instance = problem_name(name) if isinstance(name, str) else None
    submission: dict[str, Any] = {
        "id": f"{name}_epoch_{epoch}",
        "instance": instance or (name if isinstance(name, str) else None),
        "model": model,
        "sample": epoch,
        "metadata": sample.get("metadata"),
        "output": _answer(output),
        "stop_reason": "max_tokens" if is_cut(output) else None,
        "messages": messages,
    }
    if sample.get("error") is not None:  # a broken run is not a failed one
        message = sample["error"].get("message") if isinstance(sample["error"], dict) else sample["error"]
        return EntryError(InputError(f"the run ended with an error: {str(message)[:300]}"), submission)
    stored = _object(_object(store).get(STORED))
    handed_in = _object(stored.get("submission"))
    plan_field = next((name for name in plan_fields() if name in handed_in), None)
    if plan_field is not None:
        further_fields = {name: value for name, value in handed_in.items() if name != plan_field}
        return {**further_fields, **submission, "plan": handed_in[plan_field], "model": stored.get("by") or model}
    answers = [entry for entry in messages or () if isinstance(entry, dict) and entry.get("role") == "assistant"]
    if len(answers) > 1 or submission["output"] is None:
        submission["plan"] = messages
    else:
        submission["plan"] = submission["output"]
    return submission


def _object(value: Any) -> dict[str, Any]:
    """Return an object; an empty one for other values."""
    return value if isinstance(value, dict) else {}


def _answer(output: Any) -> Any:
    """Return the answer of a model, as text or as a list of messages."""
    if not isinstance(output, dict):
        return output
    chat = chat_in(output)
    if not chat:
        return output.get("completion")
    content = chat[0].get("content")
    return content if isinstance(content, str) and not chat[0].get("tool_calls") else chat


def _resolve_links(value: Any, texts: Mapping[str, Any], depth: int = 0) -> Any:
    """Replace links to attachments by their texts."""
    if isinstance(value, str) and value.startswith(_LINK):
        return texts.get(value.removeprefix(_LINK), value)
    if depth < 20 and isinstance(value, list):
        return [_resolve_links(entry, texts, depth + 1) for entry in value]
    if depth < 20 and isinstance(value, dict):
        return {key: _resolve_links(entry, texts, depth + 1) for key, entry in value.items()}
    return value
