"""Rows of a table of tasks in Excel or Parquet, for the worker process that reads such files."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from io import BytesIO
from typing import Any, Final, NamedTuple

from planoracle.instances.errors import InputError
from planoracle.instances.files.excel import MAX_EXCEL, SideSheet, excel_rows
from planoracle.instances.files.tables import read_parquet
from planoracle.instances.model.task_columns import MAX_COLUMNS
from planoracle.instances.model.task_rows import Row, is_blank
from planoracle.instances.model.validation import MAX_ACTIONS

#: Endings of these files.
BINARY_ENDINGS: Final = (".parquet", ".xlsx")
#: Accepted tables, for errors about a limit of the worker.
ACCEPTED: Final = f"accepted are tables of at most {MAX_ACTIONS} tasks and {MAX_COLUMNS} columns, see .docs/limits.md"
# Largest size of all cells, in characters, and that of a value which is not a text.
_MAX_CELLS, _PLAIN_VALUE = MAX_EXCEL, 8


class TableRows(NamedTuple):
    """Rows that are not blank, notes for the user, and other sheets.

    There is at most one row more than a table may have.
    """

    rows: list[Row]
    notes: list[str]
    side_sheets: dict[str, SideSheet]


def check_library(path: str) -> None:
    """Raise `InputError` if the library for an Excel file is missing."""
    if path.lower().endswith(".xlsx") and find_spec("openpyxl") is None:
        raise InputError("Excel needs openpyxl: pip install 'planoracle[excel]'", source=path)


def read_binary_table(data: bytes, path: str) -> Iterator[TableRows]:
    """Yield the rows of a file, all at once; raises `InputError`."""
    table = TableRows([], [], {})
    size = 0
    is_excel = path.lower().endswith(".xlsx")
    rows = excel_rows(data, table.notes, table.side_sheets) if is_excel else _parquet_rows(data, path)
    for row in rows:
        if is_blank(row[1]):
            continue
        size += _row_size(row)
        if size > _MAX_CELLS:
            raise InputError(f"the cells have more than {_MAX_CELLS} characters", source=path, line=row[0])
        table.rows.append(row)
        if len(table.rows) > MAX_ACTIONS:
            break
    for sheet in table.side_sheets.values():
        size += sum(_row_size(row) for row in sheet.rows)
    if size > _MAX_CELLS:
        raise InputError(f"the cells have more than {_MAX_CELLS} characters", source=path)
    yield table


def _parquet_rows(data: bytes, path: str) -> Iterator[Row]:
    for number, cells in read_parquet(BytesIO(data), path, max_columns=MAX_COLUMNS):
        if isinstance(cells, InputError):
            raise cells.at(path, line=number)
        yield number, cells


def _row_size(row: Row) -> int:
    return sum(map(_size, row[1].values()))


def _size(value: Any) -> int:
    if isinstance(value, str):
        return len(value)
    return len(str(value)) if isinstance(value, list | dict) else _PLAIN_VALUE
