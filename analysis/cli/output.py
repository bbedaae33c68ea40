"""Results to standard output in one of several formats, progress and diagnostics to standard error."""

from __future__ import annotations

import csv
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from typing import IO, Annotated, Any

import typer

from planoracle.analysis.cells import defused
from planoracle.analysis.cli.drawing import draw, heading, human
from planoracle.analysis.cli.formats import latex, markdown
from planoracle.analysis.cli.progress import track
from planoracle.analysis.cli.view import View, chosen
from planoracle.analysis.spoken import clear, tell
from planoracle.analysis.streams import lenient
from planoracle.instances.visible import to_json, visible

__all__ = ["PEOPLE", "Format", "FormatOption", "Table", "complain", "track"]


class Format(StrEnum):
    """How results are written."""

    table = "table"
    json = "json"
    jsonl = "jsonl"
    csv = "csv"
    markdown = "markdown"
    latex = "latex"


#: Formats that people read: of few columns, rounded, with summaries behind.
PEOPLE = (Format.table, Format.markdown, Format.latex)

FormatOption = Annotated[
    Format,
    typer.Option("--format", "-f", help=f"How to write the results: {', '.join(Format)}.", metavar="FORMAT"),
]

#: What is for programs, and makes lines that no spreadsheet shows: left out of csv unless asked for.
BULKY = frozenset(
    {"format", "version", "versions", "plan", "schedule", "violations", "steps", "certificate", "conflict", "lines"}
)


class Table:
    """Writes rows as they come (jsonl) or at the end (all others).

    Parameters
    ----------
    columns
        Keys of the rows in tables that people read, without those that no row has a value for; csv, json and jsonl
        write every key, but csv leaves `BULKY` ones to those who ask for them.
    title
        Of a table that sums others up, or stands beside them: the columns somebody asks for are not its own.
    least
        Columns left out first where a terminal is too narrow for all, the least important first.
    """

    def __init__(
        self,
        form: Format,
        columns: Sequence[str],
        title: str = "",
        stream: IO[str] | None = None,
        *,
        least: Sequence[str] = (),
    ) -> None:
        self.form = form
        self.columns = columns
        self.title = visible(title)
        self.least = least
        self.stream = stream or sys.stdout
        self.view = chosen() if not title else View(wide=chosen().wide, raw=chosen().raw)
        self.rows: list[dict[str, Any]] = []
        self._keys: dict[str, None] = {}
        if stream is None:
            # Names may hold anything that JSON can; never fail to print them. What people read is in the letters that
            # they have set, the rest is the same everywhere.
            lenient(sys.stdout, encoding=None if form is Format.table else "utf-8")

    def add(self, row: dict[str, Any]) -> None:
        """Write or keep one row."""
        if self.view.columns:
            self._keys |= dict.fromkeys(row)
            if self.form in (Format.json, Format.jsonl):
                row = {key: row.get(key) for key in self.view.columns}
        if self.form is Format.jsonl:
            clear()
            with _written():
                self.stream.write(to_json(row) + "\n")
        else:
            self.rows.append(row)

    def close(self) -> None:
        """Write what has been kept."""
        clear()
        with _written():
            if self.form is Format.json:
                self.stream.write(to_json(self.rows, indent=1) + "\n")
            elif self.form is Format.table:
                draw(self.rows, self._shown(), self.stream, self.title, self.least, wide=self.view.wide)
            elif self.form is Format.csv:
                keys, raw = self._written(), self.view.raw
                writer = csv.writer(self.stream, lineterminator="\n")
                writer.writerow(_cell(key, raw=raw) for key in keys)
                writer.writerows([_cell(row.get(key), raw=raw) for key in keys] for row in self.rows)
            elif self.form in (Format.markdown, Format.latex):
                columns = self._shown()
                cells = [[human(column, row.get(column)) for column in columns] for row in self.rows]
                write = markdown if self.form is Format.markdown else latex
                self.stream.write(write([heading(one) for one in columns], cells, self.title) + "\n")
            self.stream.flush()
        if self._keys:
            self.view.check(self._keys)

    def _shown(self) -> list[str]:
        """Return the columns of the table that people read."""
        if self.view.columns:
            return list(self.view.columns)
        columns = dict.fromkeys([*self.columns, *(key for row in self.rows if self.view.all for key in row)])
        return [key for key in columns if not self.rows or any(row.get(key) not in (None, "") for row in self.rows)]

    def _written(self) -> list[str]:
        """Return the columns of csv."""
        if self.view.columns:
            return list(self.view.columns)
        keys = dict.fromkeys(key for row in self.rows for key in row) or dict.fromkeys(self.columns)
        return [key for key in keys if self.view.all or key not in BULKY]


@contextmanager
def _written() -> Iterator[None]:
    """Turn a fault of writing (a full disk) into a `StorageError`; not that of a reader who went away."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        from planoracle.analysis.batch.errors import StorageError

        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  # what is still to come would fail once more at the end
        raise StorageError(f"the output cannot be written: {error.strerror}") from None


def _cell(value: Any, *, raw: bool) -> Any:
    """Return a cell of a csv file; no spreadsheet takes a text in it for a formula, unless it is to be ``raw``.

    That holds for texts in lists and objects, too. Texts that are numbers stay as they are.
    """
    if isinstance(value, dict | list | tuple):
        shown = to_json(value)
    elif isinstance(value, str):
        shown = visible(value, keep="\n")  # plans have lines, and csv can hold them
    else:
        return value
    return shown if raw else defused(shown)


def complain(message: object) -> None:
    """Write an error to standard error, one for each fault of a file."""
    for fault in getattr(message, "faults", None) or (message,):
        tell(fault, "error")
    if getattr(message, "more", False):
        tell("there are more", "error")
