"""Tables in CSV (with commas, semicolons or tabs) and Parquet, as rows of named values."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import IO, Any

from planoracle.instances.errors import InputError
from planoracle.instances.files.strict_json import MAX_BYTES, load_json

#: Most bytes of a decompressed file, and of the values in a Parquet file.
MAX_UNPACKED = 2**32
_DELIMITERS = ",;\t"
# Rows of Parquet in memory at a time, and bytes that each row counts beside its values.
_ROWS, _OVERHEAD = 64, 400


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
    candidates = [(next(csv.reader([line], delimiter=letter), []), letter) for letter in _DELIMITERS]
    names, letter = max(candidates, key=lambda one: (len({*fields}.intersection(one[0])), len(one[0])))
    return [name.strip() for name in names], letter


def read_csv(
    lines: Iterable[tuple[int, bytes | InputError]], source: str, fields: Collection[str] = ()
) -> Iterator[tuple[int, dict[str, str] | InputError]]:
    """Yield the line and the texts of every row that is not empty, or its error.

    Raises
    ------
    InputError
        For a table that cannot be read.
    """
    csv.field_size_limit(MAX_BYTES)
    decoded = _decoded(lines, source)
    try:
        names, letter = header_of(next(decoded, "").removeprefix("\ufeff"), fields)
    except csv.Error as error:
        raise InputError(f"has a header that cannot be read: {error}", source=source) from None
    check_names(names, source)
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
    except csv.Error as error:
        reason = f"cannot be read from this row on: {error}"
        yield line, InputError(reason, source=source)


def _decoded(lines: Iterable[tuple[int, bytes | InputError]], source: str) -> Iterator[str]:
    for number, line in lines:
        if isinstance(line, InputError):
            raise line
        try:
            yield line.decode()
        except UnicodeDecodeError as error:
            reason = f"is not UTF-8 ({error.reason} in line {number}); save it as UTF-8"
            raise InputError(reason, source=source) from None


def check_names(names: Sequence[str], source: str) -> None:
    """Raise an error for two columns of one name."""
    twice = [name for name, count in Counter(names).items() if count > 1 and name]
    if twice:
        raise InputError("two columns have this name", source=source, field=twice[0])


def read_parquet(stream: IO[bytes], source: str) -> Iterator[tuple[int, Any | InputError]]:
    """Yield the number and the values of every row, a few in memory at a time; needs pyarrow.

    Texts stay in the dictionary of their column until a row needs them: a small file may repeat a large text often.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise InputError("Parquet needs pyarrow: pip install 'planoracle[frames]'", source=source) from None
    number = size = 0
    try:
        metadata = parquet.read_metadata(stream)
        leaves = [metadata.schema.column(i) for i in range(metadata.num_columns)]
        texts = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
        stream.seek(0)
        opened = parquet.ParquetFile(stream, metadata=metadata, read_dictionary=texts, pre_buffer=False)
        check_names(opened.schema_arrow.names, source)
        for group in range(metadata.num_row_groups):
            for batch in opened.iter_batches(batch_size=_ROWS, row_groups=[group]):
                for i in range(batch.num_rows):
                    number += 1
                    length, row = _row(batch, i, source)
                    size += length + _OVERHEAD
                    if size > MAX_UNPACKED:
                        raise InputError(f"is larger than {MAX_UNPACKED} bytes when decoded", source=source)
                    yield number, row
    except (pyarrow.ArrowException, OSError, ValueError, OverflowError) as error:
        raise InputError(f"is damaged or not a Parquet file: {error}"[:500], source=source) from None


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
