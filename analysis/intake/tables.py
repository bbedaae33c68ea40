"""Tables: CSV (with commas, semicolons or tabs) and Parquet, as rows of named values."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from math import isfinite
from typing import IO, Any

from planoracle.analysis.intake.columns import FIELDS, plan_fields
from planoracle.analysis.intake.lines import MAX_LINE
from planoracle.analysis.intake.unpack import MAX_UNPACKED
from planoracle.instances.errors import InputError
from planoracle.instances.reading import MAX_CONTAINERS

__all__ = ["header_of", "read_csv", "read_parquet"]

_DELIMITERS = ",;\t"
# Rows of Parquet that are in memory at a time.
_ROWS = 64


def header_of(line: str) -> tuple[list[str], str]:
    """Return the names of columns in the first line of a table, and what stands between them.

    Examples
    --------
    >>> header_of("instance;plan, as text")
    (['instance', 'plan, as text'], ';')
    """
    found = [(next(csv.reader([line], delimiter=letter), []), letter) for letter in _DELIMITERS]
    known = {*FIELDS, *plan_fields()}
    names, letter = max(found, key=lambda one: (len(known.intersection(one[0])), len(one[0])))
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
    """Yield the number and the values of every row, a few in memory at a time; needs pyarrow."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise InputError("Parquet needs pyarrow: pip install 'planoracle[frames]'", source=source) from None
    try:
        opened = parquet.ParquetFile(stream)
        _check_names(opened.schema_arrow.names, source)
        size = sum(opened.metadata.row_group(i).total_byte_size for i in range(opened.metadata.num_row_groups))
        if size > MAX_UNPACKED:
            raise InputError(f"is larger than {MAX_UNPACKED} bytes when decompressed", source=source)
        number = 0
        for batch in opened.iter_batches(batch_size=_ROWS):
            for row in _rows(batch):
                number += 1
                yield number, row
    except (pyarrow.ArrowException, OSError, ValueError, OverflowError) as error:
        raise InputError(f"is damaged, or no Parquet that can be read: {error}"[:500], source=source) from None
    if not number:
        yield 1, InputError("is a table without rows", source=source)


def _rows(batch: Any) -> Iterator[Any]:
    if batch.nbytes > _ROWS * MAX_LINE // 4:
        raise ValueError(f"{_ROWS} rows hold {batch.nbytes} bytes")
    for i in range(batch.num_rows):
        try:
            yield {name: _plain(batch.column(k)[i].as_py(), name) for k, name in enumerate(batch.schema.names)}
        except InputError as error:
            yield error
        except (ValueError, OverflowError) as error:
            yield InputError(f"has a value that cannot be read: {error}"[:300])


def _plain(value: Any, name: str, left: list[int] | None = None) -> Any:
    """Return a value as JSON has it."""
    left = [MAX_CONTAINERS] if left is None else left
    left[0] -= 1
    if left[0] < 0:
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
        return [_plain(one, name, left) for one in value]
    if isinstance(value, dict):
        return {str(key): _plain(one, name, left) for key, one in value.items()}
    return str(value)
