"""Recognition of file formats by content, and reading of their entries."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from typing import IO, Any

from planoracle.analysis.batch.pool import WorkerPool
from planoracle.analysis.batch.process import TaskFailure
from planoracle.analysis.batch.worker import TaskLimits
from planoracle.analysis.intake.byte_streams import decompress, prepend, read_document, read_lines
from planoracle.analysis.intake.column_tables import header_of, read_csv, read_parquet
from planoracle.analysis.intake.inspect_logs import begins_log, is_log, read_archive, read_log, read_samples
from planoracle.analysis.intake.path_names import TEXT, nameless, problem_name
from planoracle.analysis.intake.record_fields import FIELDS, holds_plan, plan_fields
from planoracle.instances.errors import InputError
from planoracle.instances.files.strict_json import load_json, read_stream

_TABLES, _LINES = (".csv", ".tsv"), (".jsonl", ".ndjson")
_PARQUET, _ZIP, _BOM = b"PAR1", b"PK\x03\x04", b"\xef\xbb\xbf"
# Limits of the worker that reads a table or an archive; the processor time is that of one row.
_LIMITS = TaskLimits(120.0, 4000)
# Bytes of the first line that are inspected.
_HEAD = 2**16


def read_entries(
    stream: IO[bytes],
    source: str,
    *,
    end: str = "",
    named: bool = False,
    columns: frozenset[str] = frozenset(),
    path: str = "",
) -> Iterator[tuple[int, Any | InputError]]:
    """Yield the number and content of every entry of a file, or its error.

    Parameters
    ----------
    end
        Ending of the file name, see `stem`; used only if the content is ambiguous.
    named
        True if the path names the problem, so that the file may be the text of a plan.
    columns
        Names of requested columns.
    path
        Path of the file, for formats that a worker process reads; without it they are read in this process.
    """
    number = 0
    try:
        for number, entry in _entries(stream, source, end, named, columns, path):
            yield number, entry
    except InputError as error:
        yield number + 1, error
    except OSError as error:
        yield number + 1, InputError(f"cannot be read any further: {error.strerror or error}", source=source)


def _entries(
    stream: IO[bytes], source: str, end: str, named: bool, columns: frozenset[str], path: str
) -> Iterator[tuple[int, Any | InputError]]:
    opened = decompress(stream, source)
    first = opened.readline(_HEAD)
    start = first.removeprefix(_BOM).lstrip()[:1]
    if first.startswith((_PARQUET, _ZIP)):
        whole = _seekable(stream, first, source)
        return _binary_in_worker(path, source) if path else _binary(whole, source)
    if named and (end in TEXT or (start not in (b"{", b"[", b'"') and end not in _TABLES)):
        return _whole(prepend(first, opened), source)
    if (start == b"[" and end not in _LINES) or (start == b'"' and end == ".json"):
        return _document(prepend(first, opened), source, named)
    if start == b"{":
        return _objects(first, opened, source, end, named)
    if end in _TABLES or (end not in _LINES and _is_header(first, columns)):
        return read_csv(prepend(first, opened), source)
    if end in TEXT[:-1]:
        raise nameless(source)
    return read_lines(prepend(first, opened), source)


def _binary(stream: IO[bytes], source: str) -> Iterator[tuple[int, Any | InputError]]:
    """Yield the entries of a Parquet table or of an archive."""
    is_table = stream.read(4) == _PARQUET
    stream.seek(0)
    return read_parquet(stream, source) if is_table else read_archive(stream, source)


def _binary_in_worker(path: str, source: str) -> Iterator[tuple[int, Any | InputError]]:
    """Yield the entries of `_binary`, read in a worker: libraries decode such files to any size."""
    with WorkerPool(_start_binary, _LIMITS, 1) as pool:
        for part in pool.stream((path, source)):
            if isinstance(part, TaskFailure):
                raise InputError(str(part.error), source=source)
            yield part


def _start_binary() -> Callable[[tuple[str, str]], Iterator[Any]]:
    return _binary_of_file


def _binary_of_file(task: tuple[str, str]) -> Iterator[tuple[int, Any | InputError]]:
    path, source = task
    with open(path, "rb") as stream:
        yield from _binary(stream, source)


def _objects(
    first: bytes, stream: IO[bytes], source: str, end: str, named: bool
) -> Iterator[tuple[int, Any | InputError]]:
    """Yield the entries of JSON lines, of an object over several lines, or of a log."""
    head = first
    if end not in _LINES and first.endswith(b"\n") and not _is_whole(first):
        head += stream.readline(_HEAD) + stream.readline(_HEAD)
        rest = head[len(first) :].lstrip()
        if rest and not rest.startswith(b"{") and not begins_log(head):
            return _document(prepend(head, stream), source, named)
    if begins_log(head):
        return read_log(prepend(head, stream), source)
    return (
        (number, one) for number, entry in read_lines(prepend(head, stream), source) for one in _expand(entry, named)
    )


def _document(stream: IO[bytes], source: str, named: bool) -> Iterator[tuple[int, Any | InputError]]:
    """Yield the number and the content of every entry of a list, or of an object.

    If the path names the problem, a list of commands or messages is a plan itself.
    """
    entries = load_json(read_document(stream, source), source)
    if not isinstance(entries, list):
        entries = list(_expand(entries, named))
    elif named and not (entries and _is_submission(entries[0])):
        entries = [{"plan": entries}]
    elif entries and not isinstance(entries[0], dict):
        raise InputError("must be a list of objects with instance and plan", source=source, value=entries[0])
    if not entries:
        raise InputError("holds nothing", source=source)
    yield from enumerate(entries, 1)


def _is_submission(entry: Any) -> bool:
    return isinstance(entry, dict) and ("instance" in entry or "scored" in entry or holds_plan(entry))


def _expand(entry: Any, named: bool) -> Iterator[Any]:
    """Yield an object itself, the samples of a log, or the plans of an object keyed by problem."""
    if isinstance(entry, str) and named:
        yield {"plan": entry}
    elif not isinstance(entry, dict) or _is_submission(entry):
        yield entry
    elif is_log(entry):
        yield from (one for _, one in read_samples(entry, entry.get("samples") or ()))
    elif entry and _is_by_problem(entry):
        for name, plan in entry.items():
            whole = isinstance(plan, dict) and holds_plan(plan)
            yield {**(plan if whole else {"plan": plan}), "instance": problem_name(name) or name}
    else:
        yield entry


def _is_by_problem(entry: dict[str, Any]) -> bool:
    """Return True if all keys of an object, or one key with a slash, are names of problems."""
    names = [problem_name(name) is not None for name in entry]
    return all(names) or any("/" in name and is_name for name, is_name in zip(entry, names, strict=True))


def _is_whole(line: bytes) -> bool:
    try:
        load_json(line.strip(), "")
    except InputError:
        return False
    return True


def _is_header(line: bytes, columns: frozenset[str]) -> bool:
    try:
        names = header_of(line.decode("utf-8-sig"))[0]
    except (UnicodeDecodeError, csv.Error):
        return False
    return len(names) > 1 and not {*FIELDS, *plan_fields(), *columns}.isdisjoint(names)


def _whole(stream: IO[bytes], source: str) -> Iterator[tuple[int, Any]]:
    """Yield the text of a single plan."""
    try:
        yield 1, {"plan": read_stream(stream, source).decode("utf-8-sig")}
    except UnicodeDecodeError as error:
        raise InputError(f"is not UTF-8 ({error.reason} at byte {error.start})", source=source) from None


def _seekable(stream: IO[bytes], first: bytes, source: str) -> IO[bytes]:
    """Return a stream at its beginning; raises `InputError` for pipes and double compression."""
    if not stream.seekable():
        raise InputError("cannot be read from a pipe in this format; give the file", source=source)
    stream.seek(0)
    if stream.read(4) != first[:4]:
        raise InputError("is compressed twice; decompress it first", source=source)
    stream.seek(0)
    return stream


def count(stream: IO[bytes], end: str, *, named: bool) -> int | None:
    """Return the number of entries of a file, ``None`` if counting is slow."""
    head = stream.read(4)
    stream.seek(0)
    if named and end in TEXT:
        return 1
    if head.lstrip()[:1] != b"{" or begins_log(stream.read(_HEAD)):
        return None
    stream.seek(0)
    return sum(1 for _ in stream)
