"""Tables of tasks as problem files: CSV, Parquet and Excel."""

from __future__ import annotations

import re
import warnings
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from pathlib import PurePath

from planoracle.instances.errors import InputError, InputNote
from planoracle.instances.files.binary_tables import ACCEPTED, BINARY_ENDINGS, check_library, read_binary_table
from planoracle.instances.files.excel import SideSheet
from planoracle.instances.files.strict_json import read_bytes
from planoracle.instances.files.tables import read_csv
from planoracle.instances.model.builder import Model
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.task_calendars import SideTable
from planoracle.instances.model.task_columns import MAX_COLUMNS, TableOptions
from planoracle.instances.model.task_model import SideTables, TableSource, add_rows
from planoracle.instances.model.task_rows import Row
from planoracle.instances.workers.file_reader import read_in_worker

#: Choices of the user for all tables that are read.
table_options: ContextVar[TableOptions] = ContextVar("table_options", default=TableOptions())  # noqa: B039

#: Endings of files with a table.
ENDINGS = (".csv", ".tsv", *BINARY_ENDINGS)
# Action of a fault that an instance reports: that of `actions[...]`, or the later one of `lags[... -> ...]`.
_ACTION = re.compile(r"(?:actions|lags)\[(?:.* -> )?(.*?)\]")
# Fields of a table by fields of an instance of another name.
_FIELDS = {"actions": "task", "id": "task", "agents": "agent"}


def read_table(data: bytes, path: str) -> Instance:
    """Return the problem of a table of tasks, named as the file.

    Raises
    ------
    InputError
        With line (row of other tables than text), column and value of every fault.
    """
    options = table_options.get()
    table = TableSource({}, {})
    try:
        model = Model(PurePath(path).stem, agents=(), start_time=options.start or None)
        side_sheets: dict[str, SideSheet] = {}
        rows = _rows(data, path, side_sheets)
        side_tables = _side_tables(options, path, side_sheets)
        table = add_rows(model, rows, options, path, side_tables)
        return model.build()
    except InputError as error:
        raise error.each(lambda fault: _locate(fault, path, table)) from None


def _locate(fault: InputError, path: str, table: TableSource) -> InputError:
    """Return a fault with the file; one of the instance, with the line and the column of its action."""
    if fault.source and fault.source != path:  # of another file or sheet
        return fault
    field = fault.field or ""
    match = _ACTION.match(field)
    columns = table.columns
    if field == "lags":  # a cycle of predecessors
        column = columns.get("after") or columns.get("successors", "after")
        return InputError(fault.message, source=path, field=column)
    if match is None and field != "actions":
        return fault.at(path)
    last_part = field.rpartition(".")[2]
    if last_part.startswith("uses["):
        field = "machine"
    elif last_part == "family" and "family" not in columns:
        field = "setup"
    else:
        field = "after" if field.endswith("]") else _FIELDS.get(last_part, last_part)
    name = match[1] if match else str(fault.value)
    line = table.lines.get(name)
    return InputError(fault.message, source=path, field=columns.get(field, field), value=fault.value, line=line)


def _side_tables(options: TableOptions, path: str, side_sheets: dict[str, SideSheet]) -> SideTables:
    """Return the tables of off-times and set-up times: other sheets, or the files that the options name."""
    tables: dict[str, SideTable] = {}
    for contents, sheet in side_sheets.items():
        tables[contents] = SideTable(sheet.rows, f"{path}, sheet {sheet.title}")
    for contents, option, file in (
        ("calendar", "--calendar", options.calendar),
        ("setups", "--setups", options.setups),
    ):
        if not file:
            continue
        if contents in tables:
            message = f"contradicts the sheet {side_sheets[contents].title}; leave {option} out, or rename the sheet"
            raise InputError(message, source=path, field=option, value=file)
        if not file.lower().endswith(ENDINGS):
            raise InputError(f"must be a table: {', '.join(ENDINGS)}", source=file, field=option)
        rows = list(_rows(read_bytes(file), file, {}))
        if not rows:
            raise InputError("contains no rows", source=file)
        tables[contents] = SideTable(rows, file)
    return SideTables(tables.get("calendar"), tables.get("setups"))


def _rows(data: bytes, path: str, side_sheets: dict[str, SideSheet]) -> Iterable[Row]:
    """Return the rows of a table with their lines, and add other sheets; raises `InputError`."""
    if PurePath(path).suffix.lower() not in BINARY_ENDINGS:
        return _text_rows(data, path)
    check_library(path)
    (table,) = read_in_worker(read_binary_table, data, path, ACCEPTED)
    for note in table.notes:
        warnings.warn(InputNote(f"{path}: {note}"), stacklevel=2)
    side_sheets.update(table.side_sheets)
    return table.rows


def _text_rows(data: bytes, path: str) -> Iterator[Row]:
    """Yield the rows of a table in text; raises `InputError`."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):  # as Excel writes "Unicode text"
        data = data.decode("utf-16", errors="replace").encode()
    lines = data.removeprefix(BOM_UTF8).splitlines(keepends=True)
    blank = 0  # lines before the header, as spreadsheet programs write empty rows
    while blank < len(lines) - 1 and not lines[blank].strip(b" ,;\t\r\n"):
        blank += 1
    rows = read_csv(enumerate(lines[blank:], blank + 1), path, max_columns=MAX_COLUMNS)
    for line, cells in rows:
        if isinstance(cells, InputError):
            raise cells.at(path, line=line + blank)
        yield line + blank, cells
