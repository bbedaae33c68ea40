"""Rows of results that wait in a temporary file, since some formats are written after the last row."""

from __future__ import annotations

import json
from collections.abc import Iterator
from tempfile import SpooledTemporaryFile
from typing import Any

# Characters up to which rows stay in memory.
_IN_MEMORY = 2**20


class RowSpool:
    """Rows as JSON lines, in memory while they are few and then in a temporary file."""

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(_IN_MEMORY, "w+", encoding="ascii")  # noqa: SIM115  # closed by the table
        self._count = 0

    def append(self, row: dict[str, Any]) -> None:
        """Add a row."""
        self._file.write(json.dumps(row) + "\n")
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
