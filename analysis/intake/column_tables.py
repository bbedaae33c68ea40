"""Tables: CSV (with commas, semicolons or tabs) and Parquet, as rows of named values."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from math import isfinite
from typing import IO, Any

from planoracle.analysis.intake.byte_streams import MAX_LINE, MAX_UNPACKED
from planoracle.analysis.intake.record_fields import FIELDS, plan_fields
from planoracle.instances.errors import InputError
from planoracle.instances.files.strict_json import MAX_CONTAINERS

_DELIMITERS = ",;\t"
# Rows of Parquet in memory at a time.
_ROWS = 64
# Most rows of a table.
_MOST_ROWS = 10**7


def header_of(line: str) -> tuple[list[str], str]:
    """Return the column names in the first line of a table, and the delimiter.

    Examples
    --------
    >>> header_of("instance;plan, as text")
    (['instance', 'plan, as text'], ';')
    """
    candidates = [(next(csv.reader([line], delimiter=letter), []), letter) for letter in _DELIMITERS]
    fields = {*FIELDS, *plan_fields()}
    names, letter = max(candidates, key=lambda one: (len(fields.intersection(one[0])), len(one[0])))
    return [name.strip() for name in names], letter


def read_csv(stream: IO[bytes], source: str) -> Iterator[tuple[int, Any | InputError]]:
    """Yield the line and the values of every row, all of them texts."""
    csv.field_size_limit(MAX_LINE)
    lines = _lines(stream, source)
    first = next(lines, None)
    if first is None:
        yield 1, InputError("is a table without a header", source=source)
        return
    try:
        names, letter = header_of(first.removeprefix("\ufeff"))
    except csv.Error as error:
        raise InputError(f"has a header that cannot be read: {error}", source=source) from None
    _check_names(names, source)
    rows = csv.reader(lines, delimiter=letter, strict=True)
    while True:
        line = rows.line_num + 2  # behind the header
        try:
            cells = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            reason = f"cannot be read any further: {error} in the row that begins in line {line}"
            yield line, InputError(reason, source=source)
            return
        if any(cells):
            yield line, _row(names, cells, source)


def _row(names: Sequence[str], cells: Sequence[str], source: str) -> Any:
    if len(cells) > len(names):
        return InputError(f"has {len(cells)} cells, but there are {len(names)} columns", source=source)
    return dict(zip(names, cells, strict=False))


def _lines(stream: IO[bytes], source: str) -> Iterator[str]:
    """Yield the lines of a table as text; raises `InputError` for one that is longer than a submission."""
    number = 0
    while line := stream.readline(MAX_LINE + 1):
        number += 1
        if len(line) > MAX_LINE:
            reason = f"cannot be read any further: line {number} is longer than {MAX_LINE} bytes"
            raise InputError(reason, source=source)
        try:
            yield line.decode()
        except UnicodeDecodeError as error:
            reason = f"is not UTF-8 ({error.reason} in line {number}); save it as UTF-8"
            raise InputError(reason, source=source) from None


def _check_names(names: Sequence[str], source: str) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1 and name]
    if twice:
        raise InputError("column is there twice", source=source, field=twice[0])


def read_parquet(stream: IO[bytes], source: str) -> Iterator[tuple[int, Any | InputError]]:
    """Yield the number and the values of every row, a few in memory at a time; needs pyarrow.

    Texts stay in the dictionary of their column until a row needs them: a small file may repeat a large text often.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise InputError("Parquet needs pyarrow: pip install 'planoracle[frames]'", source=source) from None
    number, size = 0, 0
    try:
        metadata = parquet.read_metadata(stream)
        leaves = [metadata.schema.column(i) for i in range(metadata.num_columns)]
        texts = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
        stream.seek(0)
        opened = parquet.ParquetFile(stream, metadata=metadata, read_dictionary=texts, pre_buffer=False)
        _check_names(opened.schema_arrow.names, source)
        for group in range(metadata.num_row_groups):
            for batch in opened.iter_batches(batch_size=_ROWS, row_groups=[group]):
                for i in range(batch.num_rows):
                    number += 1
                    row = _row_of(batch, i)
                    size += sum(map(_size, row.values())) if isinstance(row, dict) else 0
                    if size > MAX_UNPACKED or number > _MOST_ROWS:
                        most = f"{MAX_UNPACKED} bytes or {_MOST_ROWS} rows when decoded"
                        raise InputError(f"is larger than {most}", source=source)
                    yield number, row
    except (pyarrow.ArrowException, OSError, ValueError, OverflowError) as error:
        raise InputError(f"is damaged, or no Parquet that can be read: {error}"[:500], source=source) from None
    if not number:
        yield 1, InputError("is a table without rows", source=source)


def _row_of(batch: Any, number: int) -> Any:
    """Return the values of one row by name, or an error."""
    values: dict[str, Any] = {}
    try:
        for column, name in zip(batch.columns, batch.schema.names, strict=True):
            values[name] = _plain(column[number].as_py(), name)
            if _size(values[name]) > MAX_LINE:
                return InputError(f"is longer than {MAX_LINE} bytes", field=name)
    except InputError as error:
        return error
    except (ValueError, OverflowError) as error:
        return InputError(f"has a value that cannot be read: {error}"[:300])
    return values


def _size(value: Any) -> int:
    """Return the approximate size of a value in bytes."""
    return len(value) if isinstance(value, str) else 8 if not isinstance(value, list | dict) else len(str(value))


def _plain(value: Any, name: str, budget: list[int] | None = None) -> Any:
    """Return a value with JSON types only."""
    budget = [MAX_CONTAINERS] if budget is None else budget
    budget[0] -= 1
    if budget[0] < 0:
        raise InputError(f"holds more than {MAX_CONTAINERS} values", field=name)
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:  # a picture, say
            return None
    if isinstance(value, list):
        return [_plain(one, name, budget) for one in value]
    if isinstance(value, dict):
        return {str(key): _plain(one, name, budget) for key, one in value.items()}
    return str(value)
