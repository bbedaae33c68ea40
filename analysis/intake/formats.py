"""Recognition of file formats by content, and reading of their entries."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from io import BytesIO
from typing import IO, Any

from planoracle.analysis.intake import byte_streams
from planoracle.analysis.intake.byte_streams import (
    check_start,
    decompress,
    limited_lines,
    prepend,
    read_document,
    read_lines,
)
from planoracle.analysis.intake.inspect_logs import begins_log, is_log, read_archive, read_samples
from planoracle.analysis.intake.path_names import TEXT, nameless_error, problem_name
from planoracle.analysis.intake.problem_names import fits_problem
from planoracle.analysis.intake.record_fields import FIELDS, holds_plan, plan_fields
from planoracle.instances.errors import InputError
from planoracle.instances.files.strict_json import MAX_BYTES, load_json, read_stream
from planoracle.instances.files.tables import header_of, read_csv, read_parquet
from planoracle.instances.workers.file_reader import read_in_worker

#: Endings of JSON lines.
LINES = (".jsonl", ".ndjson")
_TABLES = (".csv", ".tsv")
_PARQUET = b"PAR1"
_ZIP = b"PK\x03\x04"
_BOM = b"\xef\xbb\xbf"
_ACCEPTED = f"accepted are rows of at most {MAX_BYTES} bytes, see .docs/limits.md"
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
        Path of the file, for formats that a worker process reads; empty for standard input.
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
    check_start(stream, source)
    opened = decompress(stream, source)
    head = opened.readline(_HEAD)
    start = head.removeprefix(_BOM).lstrip()[:1]
    if head.startswith((_PARQUET, _ZIP)):
        if not path:
            raise InputError("cannot be read from a pipe in this format; use a file", source=source)
        return read_in_worker(read_binary, path, source, _ACCEPTED)
    if named and (end in TEXT or (start not in (b"{", b"[", b'"') and end not in _TABLES)):
        return _whole(prepend(head, opened), source)
    is_document = (start == b"[" and end not in LINES) or (start == b'"' and end == ".json")
    if start == b"{" and end not in LINES and head.endswith(b"\n") and not _is_json(head):
        next_lines = opened.readline(_HEAD) + opened.readline(_HEAD)
        is_document = not next_lines.lstrip().startswith(b"{")
        head += next_lines
    if start == b"[" and end in LINES:
        head += b"" if head.endswith(b"\n") else opened.readline(byte_streams.MAX_LINE)
        is_whole_list, following = _is_json(head), opened.readline(_HEAD)
        is_document = not following.strip() if is_whole_list else named
        head += following
    content = prepend(head, opened)
    if is_document or begins_log(head):
        return _document(content, source, named, is_log=begins_log(head))
    if start != b"{" and (end in _TABLES or (end not in LINES and _is_header(head, columns))):
        return read_csv(limited_lines(content, source), source, {*FIELDS, *plan_fields()})
    if start != b"{" and end in TEXT[:-1]:
        raise nameless_error(source)
    return _expand_lines(content, source, named)


def _expand_lines(content: IO[bytes], source: str, named: bool) -> Iterator[tuple[int, Any | InputError]]:
    for number, entry in read_lines(content, source):
        for submission in _expand(entry, named):
            yield number, submission


def read_binary(path: str, source: str) -> Iterator[tuple[int, Any | InputError]]:
    """Yield the entries of a Parquet table or of an archive."""
    with open(path, "rb") as stream:
        head = stream.read(4)
        stream.seek(0)
        if head not in (_PARQUET, _ZIP):
            raise InputError("is compressed twice; decompress it first", source=source)
        yield from read_parquet(stream, source) if head == _PARQUET else read_archive(stream, source)


def _document(stream: IO[bytes], source: str, named: bool, *, is_log: bool) -> Iterator[tuple[int, Any | InputError]]:
    """Yield the number and the content of every entry of a list, or of an object.

    If the path names the problem, a list of commands or messages is a plan itself.
    """
    data = read_document(stream, source)
    try:
        entries = load_json(data, source, constants=is_log)
    except InputError:
        several = [] if is_log else _objects_in_turn(data, source)
        if not several:
            raise
        for number, entry in several:
            yield from ((number, part) for part in _expand(entry, named))
        return
    if not isinstance(entries, list):
        entries = _expand(entries, named)
    elif named and not (entries and _is_submission(entries[0])):
        entries = [{"plan": entries}]
    elif entries and not isinstance(entries[0], dict):
        raise InputError("must be a list of objects with instance and plan", source=source, value=entries[0])
    yield from enumerate(entries, 1)


def _objects_in_turn(data: bytes, source: str) -> list[tuple[int, Any | InputError]]:
    """Return the entries of a text of several submissions one after another, else an empty list."""
    entries = list(read_lines(BytesIO(data), source)) if data.lstrip().startswith(b"{") else []
    submissions = [entry for _, entry in entries if _is_submission(entry)]
    return entries if len(submissions) > 1 else []


def _is_submission(entry: Any) -> bool:
    return isinstance(entry, dict) and ("instance" in entry or "scored" in entry or holds_plan(entry))


def _expand(entry: Any, named: bool) -> Iterator[Any]:
    """Yield an object itself, the samples of a log, or the plans of an object keyed by problem."""
    if isinstance(entry, str) and named:
        yield {"plan": entry}
    elif not isinstance(entry, dict) or _is_submission(entry):
        yield entry
    elif is_log(entry):
        yield from read_samples(entry, entry.get("samples") or ())
    elif entry and _is_by_problem(entry):
        for name, plan in entry.items():
            is_submission = isinstance(plan, dict) and holds_plan(plan)
            yield {**(plan if is_submission else {"plan": plan}), "instance": problem_name(name) or name}
    else:
        yield entry


def _is_by_problem(entry: dict[str, Any]) -> bool:
    """Return True if all keys of an object, or one key with a slash, are names of problems.

    If each value is a record with a plan, the keys may be names of the user's problems.
    """
    if all(isinstance(record, dict) and holds_plan(record) for record in entry.values()):
        return True
    if any("/" in name and problem_name(name) is not None for name in entry):
        return True
    return all(problem_name(name) is not None or fits_problem(name) for name in entry)


def _is_json(line: bytes) -> bool:
    try:
        load_json(line.strip(), "")
    except InputError:
        return False
    return True


def _is_header(line: bytes, columns: frozenset[str]) -> bool:
    try:
        names = header_of(line.decode("utf-8-sig"), {*FIELDS, *plan_fields()})[0]
    except (UnicodeDecodeError, csv.Error):
        return False
    return len(names) > 1 and not {*FIELDS, *plan_fields(), *columns}.isdisjoint(names)


def _whole(stream: IO[bytes], source: str) -> Iterator[tuple[int, Any]]:
    """Yield the text of a single plan."""
    try:
        yield 1, {"plan": read_stream(stream, source).decode("utf-8-sig")}
    except UnicodeDecodeError as error:
        raise InputError(f"is not UTF-8 ({error.reason} at byte {error.start})", source=source) from None
