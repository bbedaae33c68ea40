"""Results on standard output in several formats, and errors on standard error."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from planoracle.analysis.cli.row_spool import RowSpool
from planoracle.analysis.cli.table_markup import latex, markdown
from planoracle.analysis.console import clear, lenient, output_file, say, tell
from planoracle.instances.errors import StorageError
from planoracle.instances.text import one_of, to_json, visible

if TYPE_CHECKING:
    from rich.console import Console, JustifyMethod


#: Output formats of results.
Format = StrEnum("Format", ["table", "json", "jsonl", "csv", "markdown", "latex"])

#: Formats for people: few columns, rounded numbers, summaries at the end.
PEOPLE = (Format.table, Format.markdown, Format.latex)

FormatOption = Annotated[
    Format,
    typer.Option("--format", "-f", help=f"Output format: {', '.join(Format)}.", metavar="FORMAT"),
]

#: Long fields for programs, which csv leaves out by default.
BULKY = frozenset(
    {"format", "version", "versions", "plan", "schedule", "violations", "steps", "certificate", "conflict", "lines"}
    | {"missing_names"}
)

# Columns in ticks whose headings name the unit, if all rows have the same.
_TICKS = frozenset({"makespan", "mean", "mean_makespan", "work"})
# Characters of a cell of a table; data formats have the whole text.
_LONGEST_TEXT = 10_000
# Widest column and widest table, in cells; rich shortens the columns to the width of a terminal.
_WIDEST_COLUMN, _WIDEST_TABLE = 500, 100_000
# Columns up to the first width are never wrapped; wider ones have at least the second.
_UNWRAPPED_COLUMN, _NARROWEST_COLUMN = 50, 26
# Cells between two columns.
_GAP = 3
# Fewest cells of a name, such as that of a model, that is folded so that the means beside it fit.
_NARROWEST_NAME = 12

# Cells of columns that a narrow table of averages omits first: counts, and nothing but zeros.
_COUNT = re.compile(r"-|[0-9][0-9,]*((?: of |-)[0-9,]+)?")
_ZERO = re.compile(r"-|[+-]?0(\.0+)?( %)?")
# Beginning of a cell with a number: such columns are never folded.
_MEAN = re.compile(r"[+-]?[0-9][0-9.,]*(?: |\Z)")


class TableView(NamedTuple):
    """Columns of tables that the call asks for.

    Attributes
    ----------
    wide
        True if tables may be wider than the terminal.
    columns
        Names of columns, in this order; empty for the default ones.
    all
        True for every field, in tables and csv.
    command
        Name of the running command.
    """

    wide: bool = False
    columns: tuple[str, ...] = ()
    all: bool = False
    command: str = ""

    def check(self, columns: Iterable[str]) -> None:
        """Warn about requested columns that no result has."""
        names = list(columns)
        for name in self.columns:
            if name not in names:
                tell(f"no result has a column {name!r}: {one_of(name, names)}", "warning")


#: Set by `planoracle.analysis.cli.options.with_view` while a command runs.
current_view: ContextVar[TableView] = ContextVar("view", default=TableView())  # noqa: B039  # immutable


class Table:
    """Results, written row by row (jsonl) or when the table is closed (other formats).

    Parameters
    ----------
    columns
        Keys of the default columns of tables, most important first; columns without values are left out. csv, json and
        jsonl have every key, csv without `BULKY` ones by default.
    title
        Title of a table beside or after the results; the requested columns are those of the results.
    lasting
        Columns of a table of averages that stay in a narrow terminal, most important first: columns of zeros, counts
        and all others go first.
    """

    def __init__(
        self,
        form: Format,
        columns: Sequence[str],
        title: str = "",
        stream: IO[str] | None = None,
        *,
        lasting: Sequence[str] = (),
    ) -> None:
        self.form = form
        self.columns = columns
        self.lasting = lasting
        self.title = visible(title)
        self.stream = stream or sys.stdout
        view = current_view.get()
        self.view = view._replace(columns=(), all=False) if title else view
        # Tables for people are laid out in memory; data may be larger than that.
        self.rows: list[dict[str, Any]] | RowSpool = [] if form in PEOPLE else RowSpool()
        self._keys: dict[str, None] = {}
        if stream is None:
            # Names may hold any character of JSON. Tables have the encoding of the terminal, data formats UTF-8.
            lenient(sys.stdout, encoding=None if form is Format.table else "utf-8")

    def add(self, row: dict[str, Any]) -> None:
        """Write or store a row."""
        if self.view.columns:
            self._keys |= dict.fromkeys(row)
            if self.form in (Format.json, Format.jsonl):
                row = {key: row.get(key) for key in self.view.columns}
        if self.form is Format.jsonl:
            clear()
            with _storage_errors():
                self.stream.write(to_json(row) + "\n")
        else:
            with _storage_errors():
                self.rows.append(row)

    def close(self) -> None:
        """Write the stored rows."""
        clear()
        columns, unit = self._shown_columns(), self._common_unit()
        if unit and _TICKS.intersection(columns):
            columns = [column for column in columns if column != "unit"]
        with _storage_errors():
            if isinstance(self.rows, list):
                self._write_for_people(columns, unit)
            elif self.form is Format.json:
                self.rows.write_json(self.stream)
            elif self.form is Format.csv:
                self.rows.write_csv(self.stream, columns)
            self.stream.flush()
        if isinstance(self.rows, RowSpool):
            self.rows.close()
        if self._keys:
            self.view.check(self._keys)

    def _common_unit(self) -> str:
        """Return the unit that the headings of a table for people name; may be empty."""
        if self.form not in PEOPLE or "unit" in self.view.columns:
            return ""
        units = {row["unit"] for row in self.rows if row.get("unit")}
        if len(units) != 1:
            return ""
        unit: str = units.pop()
        return unit

    def _write_for_people(self, columns: Sequence[str], unit: str) -> None:
        rows = list(self.rows)
        if self.form is Format.table:
            if rows:  # no headings without rows: messages say why there are none
                lasting = self.lasting
                draw(rows, columns, self.stream, self.title, wide=self.view.wide, unit=unit, lasting=lasting)
            return
        cells = [[human(column, row.get(column)) for column in columns] for row in rows]
        headings = [heading(column, unit) for column in columns]
        if self.form is Format.markdown:
            text = markdown(headings, cells, self.title)
        else:
            text = latex(headings, cells, self.title, self.view.command)
        self.stream.write(text + "\n")

    def _shown_columns(self) -> list[str]:
        """Return the columns of csv, or of a format for people."""
        if self.form in (Format.json, Format.jsonl):
            return []
        if self.view.columns:
            return list(self.view.columns)
        keys = dict.fromkeys(chain.from_iterable(self.rows))
        if self.form is Format.csv:
            columns = dict.fromkeys(keys or self.columns)
            return [column for column in columns if self.view.all or column not in BULKY]
        columns = dict.fromkeys(self.columns)
        if self.view.all:
            columns |= dict.fromkeys(keys)
        return [column for column in columns if not self.rows or self._has_values(column)]

    def _has_values(self, column: str) -> bool:
        """Return True if some row has a value in a column."""
        return any(row.get(column) not in (None, "") for row in self.rows)


def write_table(
    form: Format,
    columns: Sequence[str],
    rows: Iterable[dict[str, Any]],
    title: str = "",
    stream: IO[str] | None = None,
    *,
    lasting: Sequence[str] = (),
) -> None:
    """Write rows as a `Table`."""
    table = Table(form, columns, title, stream, lasting=lasting)
    for row in rows:
        table.add(row)
    table.close()


def write_beside(
    form: Format,
    columns: Sequence[str],
    rows: Iterable[dict[str, Any]],
    title: str,
    *,
    lasting: Sequence[str] = (),
) -> None:
    """Write a table after results for people, to standard error beside results in other formats."""
    if form in PEOPLE:
        write_table(form, columns, rows, title, sys.stdout, lasting=lasting)
    else:
        write_table(Format.table, columns, rows, title, sys.stderr, lasting=lasting)


@contextmanager
def new_file(path: Path) -> Iterator[IO[str]]:
    """Open a file for results (see `output_file`); raises `StorageError` if it cannot be written."""
    try:
        with output_file(path) as stream:
            yield stream
    except OSError as error:
        raise StorageError(f"{path}: cannot be written: {error.strerror}") from None


def check_outputs(*paths: Path | None) -> None:
    """Raise `StorageError` for the first file that cannot be written, before the work; skip ``-``."""
    for path in paths:
        if path is None or str(path) == "-":
            continue
        target = path.resolve()
        reason = ""
        if target.is_dir():
            reason = "Is a directory"
        elif not target.parent.is_dir():
            reason = f"there is no folder {path.parent}"
        elif target.exists() and not os.access(target, os.W_OK):
            reason = "Permission denied"
        elif not os.access(target.parent, os.W_OK) and (target.is_file() or not target.exists()):
            reason = f"the folder {path.parent} cannot be written"  # a new file is made beside the old one
        if reason:
            raise StorageError(f"{path}: cannot be written: {reason}")


@contextmanager
def _storage_errors() -> Iterator[None]:
    """Turn errors of writing, such as a full disk, into a `StorageError`; a closed pipe is no error."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  # flushing the rest at exit would fail again
        raise StorageError(f"the output cannot be written: {error.strerror}") from None


def _console(stream: IO[str], *, wide: bool = False) -> Console | None:
    """Return a console of the width of the terminal or ``COLUMNS``; None if lines may have any length."""
    from rich.console import Console

    has_width = stream.isatty() or os.environ.get("COLUMNS", "").isdecimal()
    if wide or not has_width:
        return None
    return Console(file=stream, markup=False, highlight=False, emoji=False)


def draw(
    rows: Sequence[Mapping[str, Any]],
    columns: Iterable[str],
    stream: IO[str],
    title: str = "",
    *,
    wide: bool = False,
    unit: str = "",
    lasting: Sequence[str] = (),
) -> None:
    """Write a table; columns that do not fit into the terminal are omitted and named below.

    With ``lasting`` columns, see `Table`, these are omitted last, and their names are folded before.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table as Grid
    from rich.text import Text

    console = _console(stream, wide=wide) or Console(file=stream, width=_WIDEST_TABLE)
    cells = {column: [human(column, row.get(column)) for row in rows] for column in columns}
    names = {column: heading(column, unit) for column in cells}
    layout = _fit_columns(cells, names, lasting, console.width)
    grid = Grid(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for column in layout.columns:
        values = (row.get(column) for row in rows)
        is_numeric = all(isinstance(value, int | float | None) for value in values)
        justify: JustifyMethod = "right" if is_numeric else "left"
        has_one_line = column not in layout.wrapped and column not in layout.folded
        width = layout.folded.get(column, _WIDEST_COLUMN)
        grid.add_column(Text(names[column]), justify=justify, overflow="fold", no_wrap=has_one_line, max_width=width)
    for texts in zip(*(cells[column] for column in layout.columns), strict=True):
        grid.add_row(*map(Text, texts))
    with console.capture() as capture:
        if title:
            console.print(Text(title, style="bold"))
        console.print(grid)
        if layout.hidden:
            titles = ", ".join(names[column] for column in layout.hidden)
            console.print(Text(f"columns not shown: {titles}; --wide shows them"))
        console.print()
    stream.write(re.sub(" +$", "", capture.get(), flags=re.MULTILINE))


class _Layout(NamedTuple):
    """Shown and hidden columns of a table, those whose cells are wrapped, and widths of folded ones."""

    columns: list[str]
    hidden: list[str]
    wrapped: set[str]
    folded: dict[str, int]


def _fit_columns(
    cells: Mapping[str, Sequence[str]], names: Mapping[str, str], lasting: Sequence[str], limit: int
) -> _Layout:
    """Choose the columns of a table that fit into ``limit`` cells."""
    from rich.cells import cell_len

    widths = {column: max(map(cell_len, [names[column], *texts])) for column, texts in cells.items()}
    wrapped = {column for column, width in widths.items() if width > _UNWRAPPED_COLUMN}
    widths |= dict.fromkeys(wrapped, _NARROWEST_COLUMN)
    remaining = dict(cells)
    for column in _in_order_of_omission(cells, lasting):
        if _excess(remaining, widths, limit) > 0:
            del remaining[column]
    names_of_rows = _foldable(remaining, widths) if lasting else {}
    needed = widths | names_of_rows
    ranked = [column for column in lasting if column in remaining] or list(remaining)
    while len(ranked) > 1 and _excess(remaining, needed, limit) > 0:
        del remaining[ranked.pop()]
    folded = _fold(names_of_rows, widths, _excess(remaining, widths, limit))
    hidden = [column for column in names if column not in remaining]
    return _Layout(list(remaining), hidden, wrapped, folded)


def _in_order_of_omission(cells: Mapping[str, Sequence[str]], lasting: Sequence[str]) -> list[str]:
    """Return the columns that a narrow terminal may lack, in order; none without ``lasting`` columns."""
    if not lasting:
        return []
    columns = [column for column in reversed(list(cells)) if column not in lasting]
    zeros = [column for column in columns if all(map(_ZERO.fullmatch, cells[column]))]
    counts = [column for column in columns if all(map(_COUNT.fullmatch, cells[column]))]
    counts = [column for column in counts if "makespan" not in column]
    return list(dict.fromkeys([*zeros, *counts, *columns]))


def _excess(columns: Collection[str], widths: Mapping[str, int], limit: int) -> int:
    """Return the number of cells by which columns are wider than a limit."""
    return sum(widths[column] + _GAP for column in columns) - _GAP - limit


def _foldable(cells: Mapping[str, Sequence[str]], widths: Mapping[str, int]) -> dict[str, int]:
    """Return the smallest widths of columns of names."""
    names = [column for column in cells if not any(map(_MEAN.match, cells[column]))]
    return {column: min(widths[column], _NARROWEST_NAME) for column in names}


def _fold(smallest: Mapping[str, int], widths: Mapping[str, int], excess: int) -> dict[str, int]:
    """Return smaller widths of columns, the widest first, so that a table needs ``excess`` cells less."""
    folded: dict[str, int] = {}
    for column in sorted(smallest, key=lambda name: -widths[name]):
        if excess > 0 and smallest[column] < widths[column]:
            folded[column] = max(smallest[column], widths[column] - excess)
            excess -= widths[column] - folded[column]
    return folded


def print_text(text: str) -> None:
    """Write lines to standard output; a terminal gets them broken between words."""
    from rich.text import Text

    console = _console(sys.stdout)
    if console is None:
        say(text)
        return
    with console.capture() as capture:
        console.print(Text(visible(text, keep="\n")))
    say(capture.get().removesuffix("\n"))


class Name(str):
    """Name of a column that the heading shows unchanged, such as that of a model."""


def heading(column: str, unit: str = "") -> str:
    """Return the heading of a column, with its unit; it may hold the name of a model from a file."""
    name = column if isinstance(column, Name) else column.replace("_", " ")
    has_unit = bool(unit) and column in _TICKS
    return visible(f"{name} ({unit}s)" if has_unit else name)


def human(column: str, value: Any) -> str:
    """Return the text of a value in a table."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{100 * value:+.1f} %" if "gap" in column else f"{value:.3f}"
    text = str(value)
    if len(text) > _LONGEST_TEXT:
        text = f"{text[:_LONGEST_TEXT]}..."
    return visible(text)


def mean_text(column: str, mean: float | None, count: int, total: int) -> Any:
    """Return a mean for people, with the number of its problems if these are fewer than ``total``.

    >>> mean_text("mean", 13.125, 8, 10), mean_text("mean", 13.2, 10, 10)
    ('13.125 (8 of 10)', 13.2)
    """
    if mean is None or not 0 < count < total:
        return mean
    return f"{human(column, mean)} ({count} of {total})"
