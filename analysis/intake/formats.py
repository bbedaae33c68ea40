"""What is in a file: its format, recognised from its content, and its entries."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from typing import IO, Any

from planoracle.analysis.intake.columns import FIELDS, plan_fields
from planoracle.analysis.intake.documents import expanded, read_documents
from planoracle.analysis.intake.lines import read_lines
from planoracle.analysis.intake.logs import begins_log, read_archive, read_log, samples_in
from planoracle.analysis.intake.names import candidates, nameless
from planoracle.analysis.intake.tables import header_of, read_csv, read_parquet
from planoracle.analysis.intake.unpack import again, unpacked
from planoracle.instances.errors import InputError
from planoracle.instances.reading import load_json, read_stream

__all__ = ["DATA", "TEXT", "count", "read_entries", "stem"]

#: How names of files end that hold submissions, and that may hold the text of a single plan.
DATA = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet", ".eval")
TEXT = (".txt", ".md", ".text", ".out", ".log", "")
_PACKED = (".gz", ".gzip", ".zst", ".zstd")
_TABLES, _LINES = (".csv", ".tsv"), (".jsonl", ".ndjson")
_PARQUET, _ZIP, _BOM = b"PAR1", b"PK\x03\x04", b"\xef\xbb\xbf"
# So much of the first line is looked at.
_HEAD = 2**16


def stem(name: str) -> tuple[str, str]:
    """Return the name of a file without its end, and that end (without ``.gz``); only ends that are known count.

    Examples
    --------
    >>> stem("gpt-4.1.jsonl.gz"), stem("gpt-4.1"), stem("figure.png")
    (('gpt-4.1', '.jsonl'), ('gpt-4.1', ''), ('figure.png', '.png'))
    """
    for packed in _PACKED:
        name = name.removesuffix(packed)
    for end in (*DATA, *TEXT[:-1]):
        if name.lower().endswith(end) and len(name) > len(end):
            return name[: -len(end)], end
    other = re.search(r"\.[A-Za-z][A-Za-z0-9]{0,9}$", name)
    return name, other.group().lower() if other else ""


def read_entries(
    stream: IO[bytes], source: str, *, end: str = "", named: bool = False, columns: frozenset[str] = frozenset()
) -> Iterator[tuple[int, Any | InputError]]:
    """Yield the number and the content of every entry of a file, or the error that one is.

    Parameters
    ----------
    end
        How the name of the file ends, see `stem`; decides only where the content leaves it open.
    named
        Whether the path says the problem, so that the file may be the text of a plan.
    columns
        Names of columns that are asked for.
    """
    number = 0
    try:
        for number, entry in _entries(stream, source, end, named, columns):
            yield number, entry
    except InputError as error:
        yield number + 1, error
    except OSError as error:
        yield number + 1, InputError(f"cannot be read any further: {error.strerror or error}", source=source)


def _entries(
    stream: IO[bytes], source: str, end: str, named: bool, columns: frozenset[str]
) -> Iterator[tuple[int, Any | InputError]]:
    opened = unpacked(stream, source)
    first = opened.readline(_HEAD)
    start = first.removeprefix(_BOM).lstrip()[:1]
    if first.startswith(_PARQUET):
        return read_parquet(_seekable(stream, first, source), source)
    if first.startswith(_ZIP):
        return read_archive(_seekable(stream, first, source), source)
    if named and (end in TEXT or (start not in (b"{", b"[", b'"') and end not in _TABLES)):
        return _whole(again(first, opened), source)
    if (start == b"[" and end not in _LINES) or (start == b'"' and end == ".json"):
        return read_documents(again(first, opened), source, named=named)
    if start == b"{":
        return _objects(first, opened, source, end, named)
    if end in _TABLES or (end not in _LINES and _is_header(first, columns)):
        return read_csv(again(first, opened), source)
    if end in TEXT[:-1]:
        raise nameless(candidates(stem(source)[0].rpartition("/")[2]), source)
    return read_lines(again(first, opened), source)


def _objects(
    first: bytes, stream: IO[bytes], source: str, end: str, named: bool
) -> Iterator[tuple[int, Any | InputError]]:
    """Tell lines from objects over several lines, and from logs."""
    head = first
    if end not in _LINES and first.endswith(b"\n") and not _is_whole(first):
        for _ in range(2):
            head += stream.readline(_HEAD)
        rest = head[len(first) :].lstrip()
        if begins_log(head):
            return read_log(again(head, stream), source)
        if rest and not rest.startswith(b"{"):
            return read_documents(again(head, stream), source, named=named)
    if begins_log(first):
        return read_log(again(head, stream), source)
    return (
        (number, one)
        for number, entry in read_lines(again(head, stream), source)
        for one in expanded(entry, named=named)
    )


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
    """Return a stream from its beginning; raises `InputError` if that is not where the content begins."""
    if not stream.seekable():
        raise InputError("cannot be read from a pipe in this format; give the file", source=source)
    stream.seek(0)
    if stream.read(4) != first[:4]:
        raise InputError("is compressed twice; decompress it first", source=source)
    stream.seek(0)
    return stream


def count(stream: IO[bytes], end: str, *, named: bool) -> int | None:
    """Count the entries of a file without reading them, where that is quick; ``None`` where it is not."""
    head = stream.read(4)
    stream.seek(0)
    if head.startswith(_ZIP):
        return samples_in(stream)
    if named and end in TEXT:
        return 1
    if head.lstrip()[:1] != b"{" or begins_log(stream.read(_HEAD)):
        return None
    stream.seek(0)
    return sum(1 for _ in stream)
