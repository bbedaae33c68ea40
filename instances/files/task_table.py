"""Tables of tasks as problem files: CSV, Parquet and Excel."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from io import BytesIO
from itertools import islice
from pathlib import PurePath
from zipfile import BadZipFile, ZipFile

from planoracle.instances.errors import InputError
from planoracle.instances.files.strict_json import MAX_BYTES
from planoracle.instances.files.tables import read_csv, read_parquet
from planoracle.instances.model.builder import Model
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.task_rows import Row, add_rows, rows_of
from planoracle.instances.model.validation import MAX_ACTIONS

#: Columns by field, for all tables that are read, see `planoracle.instances.model.task_rows.columns_of`.
chosen_columns: ContextVar[Mapping[str, str]] = ContextVar("chosen_columns", default={})  # noqa: B039

#: Endings of files with a table.
ENDINGS = (".csv", ".tsv", ".parquet", ".xlsx")
# Action of a fault that an instance reports: that of `actions[...]`, or the later one of `lags[... -> ...]`.
_ACTION = re.compile(r"(?:actions|lags)\[(?:.* -> )?(.*?)\]")
# Columns of fields of an instance that have another name there.
_COLUMNS = {"actions": "task", "id": "task", "agents": "agent"}


def read_table(data: bytes, path: str) -> Instance:
    """Return the problem of a table of tasks, named as the file.

    Raises
    ------
    InputError
        With line (row of other tables than text), column and value of every fault.
    """
    model = Model(PurePath(path).stem, agents=())
    lines: dict[str, int] = {}
    try:
        lines.update(add_rows(model, islice(_rows(data, path), MAX_ACTIONS + 1), chosen_columns.get(), path))
        return model.build()
    except InputError as error:
        raise error.each(lambda fault: _locate(fault, path, lines)) from None


def _locate(fault: InputError, path: str, lines: Mapping[str, int]) -> InputError:
    """Return a fault with the file; one of the instance, with the line and the column of its action."""
    field = fault.field or ""
    match = _ACTION.match(field)
    if field == "lags":  # a cycle of predecessors
        return InputError(fault.message, source=path, field="after")
    if match is None and field != "actions":
        return fault.at(path)
    column = "after" if field.endswith("]") else _COLUMNS.get(end := field.rpartition(".")[2], end)
    line = lines.get(match[1] if match else str(fault.value))
    return InputError(fault.message, source=path, field=column, value=fault.value, line=line)


def _rows(data: bytes, path: str) -> Iterator[Row]:
    """Yield the rows of a table with their lines; raises `InputError`."""
    end = PurePath(path).suffix.lower()
    if end == ".xlsx":
        yield from _excel_rows(data)
        return
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):  # as Excel writes "Unicode text"
        data = data.decode("utf-16", errors="replace").encode()
    lines = enumerate(data.splitlines(keepends=True), 1)
    for line, cells in read_parquet(BytesIO(data), path) if end == ".parquet" else read_csv(lines, path):
        if isinstance(cells, InputError):
            raise cells.at(path, line=line)
        yield line, cells


def _excel_rows(data: bytes) -> Iterator[Row]:
    """Yield the rows of the first sheet of an Excel file; raises `InputError`."""
    try:
        import openpyxl  # noqa: F401
        import pandas

        with ZipFile(BytesIO(data)) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > 4 * MAX_BYTES:
                raise InputError(f"is larger than {4 * MAX_BYTES} bytes when unpacked")
        yield from rows_of(pandas.read_excel(BytesIO(data)), 2)
    except ImportError:
        raise InputError("Excel needs openpyxl: pip install 'planoracle[excel]'") from None
    except (ValueError, OSError, LookupError, SyntaxError, TypeError, BadZipFile) as error:
        raise InputError(f"is damaged or not an Excel file: {error}"[:300]) from None
