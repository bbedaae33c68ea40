"""Tables as text: CSV with commas, semicolons or tabs, as rows of named texts."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from planoracle.instances.errors import InputError
from planoracle.instances.files.strict_json import MAX_BYTES

_DELIMITERS = ",;\t"


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
                yield line, InputError(f"has {len(cells)} cells, but there are {len(names)} columns", source=source)
            elif any(cells):
                yield line, dict(zip(names, cells, strict=False))
            line = rows.line_num + 2
    except csv.Error as error:
        reason = f"cannot be read any further: {error} in the row that begins in line {line}"
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
    """Raise an `InputError` for a column that is there twice."""
    twice = [name for name, count in Counter(names).items() if count > 1 and name]
    if twice:
        raise InputError("column is there twice", source=source, field=twice[0])
