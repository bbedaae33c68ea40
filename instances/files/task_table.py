"""Tables of tasks as problem files: CSV, Parquet and Excel."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from contextvars import ContextVar
from io import BytesIO
from pathlib import PurePath
from typing import Any
from zipfile import BadZipFile, ZipFile

from planoracle.instances.errors import InputError, InputNote
from planoracle.instances.files.strict_json import MAX_BYTES
from planoracle.instances.files.tables import check_names, read_csv, read_parquet
from planoracle.instances.model.builder import Model
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.task_columns import TableOptions
from planoracle.instances.model.task_model import TableSource, add_rows
from planoracle.instances.model.task_rows import Row

#: Choices of the user for all tables that are read.
table_options: ContextVar[TableOptions] = ContextVar("table_options", default=TableOptions())  # noqa: B039

#: Endings of files with a table.
ENDINGS = (".csv", ".tsv", ".parquet", ".xlsx")
# Action of a fault that an instance reports: that of `actions[...]`, or the later one of `lags[... -> ...]`.
_ACTION = re.compile(r"(?:actions|lags)\[(?:.* -> )?(.*?)\]")
# Fields of a table by fields of an instance of another name.
_FIELDS = {"actions": "task", "id": "task", "agents": "agent"}
_ERROR_VALUES = ("#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!")
_FORMULA = re.compile(rb"<f[ >/]")
# Rows that a sheet of Excel can have.
_MAX_SHEET_ROWS = 2**20


def read_table(data: bytes, path: str) -> Instance:
    """Return the problem of a table of tasks, named as the file.

    Raises
    ------
    InputError
        With line (row of other tables than text), column and value of every fault.
    """
    model = Model(PurePath(path).stem, agents=())
    table = TableSource({}, {})
    try:
        table = add_rows(model, _rows(data, path), table_options.get(), path)
        return model.build()
    except InputError as error:
        raise error.each(lambda fault: _locate(fault, path, table)) from None


def _locate(fault: InputError, path: str, table: TableSource) -> InputError:
    """Return a fault with the file; one of the instance, with the line and the column of its action."""
    field = fault.field or ""
    match = _ACTION.match(field)
    columns = table.columns
    if field == "lags":  # a cycle of predecessors
        column = columns.get("after") or columns.get("successors", "after")
        return InputError(fault.message, source=path, field=column)
    if match is None and field != "actions":
        return fault.at(path)
    last_part = field.rpartition(".")[2]
    field = "after" if field.endswith("]") else _FIELDS.get(last_part, last_part)
    line = table.lines.get(match[1] if match else str(fault.value))
    return InputError(fault.message, source=path, field=columns.get(field, field), value=fault.value, line=line)


def _rows(data: bytes, path: str) -> Iterator[Row]:
    """Yield the rows of a table with their lines; raises `InputError`."""
    end = PurePath(path).suffix.lower()
    if end == ".xlsx":
        yield from _excel_rows(data, path)
        return
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):  # as Excel writes "Unicode text"
        data = data.decode("utf-16", errors="replace").encode()
    lines = enumerate(data.splitlines(keepends=True), 1)
    for line, cells in read_parquet(BytesIO(data), path) if end == ".parquet" else read_csv(lines, path):
        if isinstance(cells, InputError):
            raise cells.at(path, line=line)
        yield line, cells


def _excel_rows(data: bytes, path: str) -> Iterator[Row]:
    """Yield the rows of the first sheet of an Excel file; raises `InputError`."""
    try:
        from openpyxl import load_workbook

        with ZipFile(BytesIO(data)) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > 4 * MAX_BYTES:
                raise InputError(f"is larger than {4 * MAX_BYTES} bytes when unpacked")
            has_formulas = _has_formulas(archive)
        with ExitStack() as stack:
            workbooks = [
                stack.enter_context(closing(load_workbook(BytesIO(data), read_only=True, data_only=data_only)))
                for data_only in ((True, False) if has_formulas else (True,))
            ]
            sheets = [workbook.worksheets[0] for workbook in workbooks]
            for sheet in sheets:
                sheet.reset_dimensions()  # programs write wrong ones
            yield from _rows_of_sheet(_values(*sheets), path)
            more_sheets = workbooks[0].worksheets[1:]
            titles = [sheet.title for sheet in more_sheets if sheet.max_row != 1]
            if titles:
                warnings.warn(InputNote(f"{path}: only the first sheet is read, not {', '.join(titles)}"), stacklevel=2)
    except ImportError:
        raise InputError("Excel needs openpyxl: pip install 'planoracle[excel]'") from None
    except (ValueError, OSError, LookupError, SyntaxError, TypeError, BadZipFile) as error:
        raise InputError(f"is damaged or not an Excel file: {error}"[:300]) from None


def _has_formulas(archive: ZipFile) -> bool:
    """Return whether a sheet contains formulas."""
    for name in archive.namelist():
        if name.startswith("xl/worksheets/"):
            with archive.open(name) as sheet:
                end = b""
                while chunk := sheet.read(2**16):
                    if _FORMULA.search(end + chunk):
                        return True
                    end = chunk[-2:]
    return False


def _values(sheet: Any, formulas: Any = None) -> Iterator[Sequence[Any]]:
    """Yield the values of the rows of a sheet; raises `InputError` for a formula without a value."""
    rows = sheet.iter_rows(values_only=True)
    if formulas is None:
        yield from rows
        return
    for line, (row, texts) in enumerate(zip(rows, formulas.iter_rows(values_only=True), strict=False), 1):
        for value, text in zip(row, texts, strict=False):
            if value is None and text is not None:
                message = "has a formula without a stored value; save the file with a spreadsheet program"
                raise InputError(message, value=text, line=line)
        yield row


def _rows_of_sheet(sheet: Iterator[Sequence[Any]], path: str) -> Iterator[Row]:
    """Yield the rows of a sheet by the headings in its first row that is not blank."""
    headings: list[str] | None = None
    for line, values in enumerate(sheet, 1):
        if line > _MAX_SHEET_ROWS:
            raise InputError(f"must have at most {_MAX_SHEET_ROWS} rows")
        if not any(value is not None for value in values):
            continue
        if headings is None:
            headings = ["" if value is None else str(value).strip() for value in values]
            check_names(headings, path)
            continue
        errors = [value for value in values if value in _ERROR_VALUES]
        if errors:
            raise InputError("is an error value of a formula", value=errors[0], line=line)
        values = [None if value == "#N/A" else value for value in values]
        cells = dict(zip(headings, values, strict=False))
        extra = [value for value in values[len(headings) :] if value is not None]
        if extra:
            raise InputError(f"has {len(values)} cells, but the header has {len(headings)} columns", line=line)
        yield line, cells
