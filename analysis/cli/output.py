"""Results to standard output in one of several formats, progress and diagnostics to standard error."""

from __future__ import annotations

import csv
import os
import sys
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from typing import IO, Annotated, Any, TypeVar

import typer

from planoracle.analysis.cli.formats import latex, markdown
from planoracle.analysis.cli.stopping import stoppable
from planoracle.analysis.spoken import tell
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

FormatOption = Annotated[Format, typer.Option("--format", "-f", help="How to write the results.")]

_T = TypeVar("_T")
# What makes a spreadsheet take a text for a formula.
_FORMULA = ("=", "+", "-", "@")


class Table:
    """Writes rows as they come (jsonl) or at the end (all others).

    Parameters
    ----------
    columns
        Keys of the rows in tables that people read, without those that no row has a value for; csv, json and jsonl
        write every key.
    """

    def __init__(self, form: Format, columns: Sequence[str], title: str = "", stream: IO[str] | None = None) -> None:
        self.form = form
        self.columns = columns
        self.title = title
        self.stream = stream or sys.stdout
        self.rows: list[dict[str, Any]] = []
        if stream is None:
            # Names may hold anything that JSON can; never fail to print them.
            sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]

    def add(self, row: dict[str, Any]) -> None:
        """Write or keep one row."""
        if self.form is Format.jsonl:
            with _written():
                self.stream.write(to_json(row) + "\n")
        else:
            self.rows.append(row)

    def close(self) -> None:
        """Write what has been kept."""
        with _written():
            if self.form is Format.json:
                self.stream.write(to_json(self.rows, indent=1) + "\n")
            elif self.form is Format.table:
                self._print()
            elif self.form is Format.csv:
                keys = dict.fromkeys(key for row in self.rows for key in row)
                writer = csv.DictWriter(self.stream, list(keys or self.columns), lineterminator="\n")
                writer.writeheader()
                writer.writerows({key: _cell(value) for key, value in row.items()} for row in self.rows)
            elif self.form in (Format.markdown, Format.latex):
                columns = self._known()
                cells = [[_human(column, row.get(column)) for column in columns] for row in self.rows]
                write = markdown if self.form is Format.markdown else latex
                self.stream.write(write([one.replace("_", " ") for one in columns], cells, self.title) + "\n")
            self.stream.flush()

    def _known(self) -> list[str]:
        return [c for c in self.columns if not self.rows or any(r.get(c) is not None for r in self.rows)]

    def _print(self) -> None:
        from rich.box import SIMPLE_HEAD
        from rich.console import Console
        from rich.table import Table as RichTable
        from rich.text import Text

        columns = self._known()
        table = RichTable(title=self.title or None, box=SIMPLE_HEAD, title_justify="left", title_style="bold")
        numeric = {c: all(isinstance(r.get(c), int | float | None) for r in self.rows) for c in columns}
        for column in columns:
            table.add_column(column.replace("_", " "), justify="right" if numeric[column] else "left", overflow="fold")
        for row in self.rows:
            table.add_row(*(Text(_human(column, row.get(column))) for column in columns))
        console = Console(file=self.stream, highlight=False)
        if not console.is_terminal:
            console.width = 500
        console.print(table)


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


def _cell(value: Any) -> Any:
    """Return a cell of a csv file; a spreadsheet shows what begins like a formula as text, with a ``'`` before it.

    Texts that are numbers stay as they are.
    """
    if isinstance(value, dict | list | tuple):
        return to_json(value)
    if not isinstance(value, str):
        return value
    return f"'{_shown(value)}" if value.startswith(_FORMULA) and not _is_number(value) else _shown(value)


def _shown(text: str) -> str:
    return visible(text, keep="\n")  # plans have lines, and csv can hold them


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _human(column: str, value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{100 * value:+.1f} %" if "gap" in column else f"{value:.3f}"
    return visible(str(value))


def complain(message: object) -> None:
    """Write an error to standard error."""
    tell(message, "error")


def track(items: Iterable[_T], label: str, total: int | None = None) -> Generator[_T, None, None]:
    """Show progress over items on standard error, if that is a terminal; closing it ends the bar."""
    if not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import track as rich_track

    with stoppable():  # so that the bar is taken away
        yield from rich_track(items, label, total=total, console=Console(stderr=True), transient=True)
