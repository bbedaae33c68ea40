"""Tables in CSV (with commas, semicolons or tabs) and Parquet, as rows of named values."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from os import SEEK_END
from typing import IO, Any, Final

from planoracle.instances.errors import InputError
from planoracle.instances.files.strict_json import MAX_BYTES, load_json
from planoracle.instances.workers.file_reader import raise_memory_error

#: Most bytes of a decompressed file, and of the values in a Parquet file.
MAX_UNPACKED = 2**32
#: Most bytes of the content relative to those of the file, from so many bytes and rows of the content on: honest
#: tables and logs unpack to 3 to 50 times their size, bombs to 1,000 times and more. Grading takes about 0.5 s per MB.
MAX_RATIO = 200
USUAL_BYTES = 2**26
USUAL_ROWS = 20_000
#: Most columns of a table of submissions, as many as a sheet of Excel has.
MAX_COLUMNS: Final = 2**14
_DELIMITERS = ",;\t"
# Rows of Parquet in memory at a time, their bytes, and bytes that each row counts beside its values.
_ROWS = 64
_BATCH = 2**26
_OVERHEAD = 400
# Bytes that each list or object counts beside its text.
_CONTAINER = 32


def unpacked_limit(size: int) -> int:
    """Return the limit of the unpacked content of a file, in bytes, by the size of the file.

    Examples
    --------
    >>> unpacked_limit(1000), unpacked_limit(10_000_000), unpacked_limit(10**9)
    (67108864, 2000000000, 4294967296)
    """
    return min(MAX_UNPACKED, max(USUAL_BYTES, MAX_RATIO * size))


def decoded_size(text: str | bytes) -> int:
    """Return the bytes of a JSON text that count for `unpacked_limit`.

    Small lists and objects need much memory.

    >>> decoded_size(b'{"a": [1, 2]}')
    77
    """
    if isinstance(text, str):
        containers = text.count("[") + text.count("{")
    else:
        containers = text.count(b"[") + text.count(b"{")
    return len(text) + _CONTAINER * containers


def unpacked_error(limit: int, source: str) -> InputError:
    """Return the error for content that exceeds its limit."""
    message = f"is larger than {limit} bytes when decompressed; accepted are {USUAL_BYTES} bytes, or {MAX_RATIO} times "
    return InputError(f"{message}the size of the file up to {MAX_UNPACKED} bytes", source=source)


def header_of(line: str, fields: Collection[str]) -> tuple[list[str], str]:
    """Return the column names in the first line of a table, and the delimiter.

    Parameters
    ----------
    fields
        Usual names of columns, which decide if several delimiters occur.

    Examples
    --------
    >>> header_of("instance;plan, as text", ["instance"])
    (['instance', 'plan, as text'], ';')
    """
    usual_names = {*fields}

    def columns(names: list[str]) -> tuple[int, int]:
        """Return the numbers of usual columns and of all columns."""
        return len(usual_names.intersection(names)), len(names)

    names_by_letter = {}
    for letter in _DELIMITERS:
        names_by_letter[letter] = next(csv.reader([line], delimiter=letter), [])
    delimiter = max(_DELIMITERS, key=lambda letter: columns(names_by_letter[letter]))
    return [name.strip() for name in names_by_letter[delimiter]], delimiter


def read_csv(
    lines: Iterable[tuple[int, bytes | InputError]],
    source: str,
    fields: Collection[str] = (),
    *,
    max_columns: int = MAX_COLUMNS,
) -> Iterator[tuple[int, dict[str, str] | InputError]]:
    """Yield the line and the texts of every row that is not empty, or its error.

    Parameters
    ----------
    fields
        Usual names of columns, see `header_of`.
    max_columns
        Limit of the number of columns.

    Raises
    ------
    InputError
        For a table that cannot be read.
    """
    csv.field_size_limit(MAX_BYTES)
    decoded = _DecodedLines(lines, source)
    header = next(decoded, "").removeprefix("\ufeff")
    if max(map(header.count, _DELIMITERS)) >= MAX_COLUMNS:
        raise InputError(f"must have at most {max_columns} columns", source=source)
    try:
        names, letter = header_of(header, fields)
    except csv.Error as error:
        raise InputError(f"has a header that cannot be read: {error}", source=source) from None
    check_names(names, source)
    if len(names) > max_columns:
        raise InputError(f"must have at most {max_columns} columns", source=source, value=len(names))
    rows = csv.reader(decoded, delimiter=letter, strict=True)
    line = 2
    try:
        for cells in rows:
            if any(cells[len(names) :]):
                message = f"has {len(cells)} cells, but the header has {len(names)} columns"
                yield line, InputError(message, source=source)
            elif any(cells):
                yield line, dict(zip(names, cells, strict=False))
            line = rows.line_num + 2
            decoded.row_size = 0
    except csv.Error as error:
        reason = f"cannot be read from this row on: {error}"
        yield line, InputError(reason, source=source)


class _DecodedLines(Iterator[str]):
    """Lines as text; raises `InputError` for a row that has no end.

    Attributes
    ----------
    row_size
        Bytes since the begin of the row; the reader of rows sets it to zero.
    """

    def __init__(self, lines: Iterable[tuple[int, bytes | InputError]], source: str) -> None:
        self._lines = iter(lines)
        self._source = source
        self.row_size = 0

    def __next__(self) -> str:
        number, line = next(self._lines)
        if isinstance(line, InputError):
            raise line
        self.row_size += len(line)
        # Each line is shorter: these are many lines between quotes.
        limit = 2 * MAX_BYTES
        if self.row_size > limit:
            raise InputError(f"a row is longer than {limit} bytes at line {number}", source=self._source)
        try:
            return line.decode()
        except UnicodeDecodeError as error:
            reason = f"is not UTF-8 ({error.reason} in line {number}); save it as UTF-8"
            raise InputError(reason, source=self._source) from None


def check_names(names: Sequence[str], source: str) -> None:
    """Raise an error for two columns of one name."""
    counts = Counter(filter(None, names))
    twice = [name for name, count in counts.items() if count > 1]
    if twice:
        raise InputError("two columns have this name", source=source, field=twice[0])


def read_parquet(
    stream: IO[bytes], source: str, *, max_columns: int = MAX_COLUMNS
) -> Iterator[tuple[int, Any | InputError]]:
    """Yield the number and the values of every row, a few in memory at a time; needs pyarrow.

    Texts stay in the dictionary of their column until a row needs them: a small file may repeat a large text often.

    Parameters
    ----------
    max_columns
        Limit of the number of columns.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise InputError("Parquet needs pyarrow: pip install 'planoracle[frames]'", source=source) from None
    number = size = 0
    limit = unpacked_limit(stream.seek(0, SEEK_END))
    try:
        metadata = parquet.read_metadata(stream)
        _check_dimensions(metadata, stream.seek(0, SEEK_END), max_columns, source)
        leaves = map(metadata.schema.column, range(metadata.num_columns))
        texts = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
        stream.seek(0)
        opened = parquet.ParquetFile(stream, metadata=metadata, read_dictionary=texts, pre_buffer=False)
        check_names(opened.schema_arrow.names, source)
        for group in range(metadata.num_row_groups):
            rows = _batch_size(metadata.row_group(group))
            for batch in opened.iter_batches(batch_size=rows, row_groups=[group]):
                for i in range(batch.num_rows):
                    number += 1
                    length, row = _row(batch, i, source)
                    size += length + _OVERHEAD
                    if size > limit:
                        raise unpacked_error(limit, source)
                    yield number, row
    except (pyarrow.ArrowException, OSError, ValueError, OverflowError) as error:
        raise_memory_error(error)
        raise InputError(f"is damaged or not a Parquet file: {error}"[:500], source=source) from None


def _check_dimensions(metadata: Any, size: int, max_columns: int, source: str) -> None:
    """Raise `InputError` for a file with more rows, columns or bytes than a table has, by its metadata."""
    if metadata.num_columns > MAX_COLUMNS or len(metadata.schema.to_arrow_schema()) > max_columns:
        raise InputError(f"must have at most {max_columns} columns", source=source, value=metadata.num_columns)
    max_rows = max(USUAL_ROWS, size)
    if metadata.num_rows > max_rows:
        message = f"must have at most {max_rows} rows, which are {USUAL_ROWS} or one for each byte of the file"
        raise InputError(message, source=source, value=metadata.num_rows)
    limit = unpacked_limit(size)
    groups = map(metadata.row_group, range(metadata.num_row_groups))
    if sum(group.total_byte_size for group in groups) > limit:
        raise unpacked_error(limit, source)


def _batch_size(group: Any) -> int:
    """Return the number of rows of a row group that are decoded at a time."""
    row_size: int = group.total_byte_size // max(1, group.num_rows)
    return max(1, min(_ROWS, _BATCH // max(1, row_size)))


def _row(batch: Any, number: int, source: str) -> tuple[int, Any | InputError]:
    """Return the length of a row as JSON, and its values by name or an error."""
    length = 0
    try:
        columns = zip(batch.columns, batch.schema.names, strict=True)
        values = {name: column[number].as_py() for column, name in columns}
        text = json.dumps(values, default=_plain, ensure_ascii=False)
        length = len(text)
        if length > MAX_BYTES:
            raise InputError(f"is longer than {MAX_BYTES} bytes", source=source)
        length = decoded_size(text)
        return length, load_json(text, source, constants=True)
    except InputError as error:
        return length, error
    except (ValueError, OverflowError) as error:
        return length, InputError(f"has a value that cannot be read: {error}"[:300], source=source)


def _plain(value: object) -> str | None:
    """Return a value of a type that JSON lacks as text; ``None`` for bytes that are no text."""
    try:
        return value.decode() if isinstance(value, bytes) else str(value)
    except UnicodeDecodeError:
        return None
