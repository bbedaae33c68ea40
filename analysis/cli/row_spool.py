"""Rows of results that wait in a temporary file, since some formats are written after the last row."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from tempfile import SpooledTemporaryFile
from typing import IO, Any

from planoracle.analysis.console import escape_formulas
from planoracle.instances.text import to_json, visible

# Characters up to which rows stay in memory.
_IN_MEMORY = 2**20


class RowSpool:
    """Rows as JSON lines, in memory while they are few and then in a temporary file."""

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(_IN_MEMORY, "w+", encoding="ascii")  # noqa: SIM115  # closed by the table
        self._count = 0

    def append(self, row: dict[str, Any]) -> None:
        """Add a row."""
        self._file.write(to_json(row) + "\n")
        self._count += 1

    def close(self) -> None:
        """Delete the file."""
        self._file.close()

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield the rows; none may be added meanwhile."""
        self._file.seek(0)
        yield from map(json.loads, self._file)

    def write_json(self, stream: IO[str]) -> None:
        """Write the rows as a JSON list, as `to_json` writes it with an indent of 1."""
        for number, row in enumerate(self):
            text = to_json([row], indent=1)
            stream.write(("," if number else "[") + text.removeprefix("[").removesuffix("\n]"))
        stream.write("\n]\n" if self._count else "[]\n")

    def write_csv(self, stream: IO[str], columns: Sequence[str]) -> None:
        """Write the rows as comma-separated values, with a line of headings."""
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(map(_cell, columns))
        writer.writerows([_cell(row.get(key)) for key in columns] for row in self)


def _cell(value: Any) -> Any:
    """Return a cell of a csv file in which no spreadsheet finds a formula."""
    if isinstance(value, dict | list | tuple):
        return escape_formulas(to_json(value))
    return escape_formulas(visible(value, keep="\n")) if isinstance(value, str) else value
