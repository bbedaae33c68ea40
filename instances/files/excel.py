"""Sheets of an Excel file as rows of named values; sizes are checked before unpacking."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from io import BytesIO
from itertools import islice
from typing import IO, Any, Final, NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from planoracle.instances.errors import InputError
from planoracle.instances.files.strict_json import MAX_BYTES
from planoracle.instances.files.tables import check_names
from planoracle.instances.model.task_columns import MAX_COLUMNS, normal_name
from planoracle.instances.model.task_rows import Row
from planoracle.instances.model.validation import MAX_ACTIONS
from planoracle.instances.workers.file_reader import raise_memory_error

#: Largest Excel file when unpacked, in bytes.
MAX_EXCEL: Final = 4 * MAX_BYTES
# Limits of Excel: rows of a sheet, and characters of a cell.
_MAX_ROWS, _MAX_CELL = 2**20, 32_767
# Parts of the archive; a workbook has about one for each sheet, chart and picture.
_MAX_PARTS = 10_000
_ERROR_VALUES = ("#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!")
_FORMULA = re.compile(rb"<f[ >/]")
_DOCTYPE = re.compile(rb"<!DOCTYPE")
_ROW = re.compile(rb"<row[ >/]")
_CELL = re.compile(rb"<c[ >/]")
# Cells of a sheet; each needs a hundred times its bytes when it is read.
_MAX_CELLS = MAX_ACTIONS * MAX_COLUMNS
# Bytes of a part that are read at a time.
_PIECE = 2**16
# Names of sheets in a note.
_LISTED = 10
#: Titles of sheets beside that of the tasks, by their contents.
SIDE_SHEETS: Final = {
    **dict.fromkeys(("calendar", "calendars", "off_time", "off_times", "unavailable", "breaks"), "calendar"),
    **dict.fromkeys(("setup", "setups", "set_up", "set_ups", "setup_times", "set_up_times", "changeovers"), "setups"),
}


class SheetRow(NamedTuple):
    """Row of a sheet without its missing cells.

    Attributes
    ----------
    number
        Number in the sheet, from 1.
    values
        Values by column, from 1, also empty ones.
    """

    number: int
    values: dict[int, Any]


class SideSheet(NamedTuple):
    """Sheet beside that of the tasks: its title, and its rows."""

    title: str
    rows: list[Row]


def excel_rows(data: bytes, notes: list[str], side_sheets: dict[str, SideSheet] | None = None) -> Iterator[Row]:
    """Yield the rows of the first sheet; raises `InputError`.

    Parameters
    ----------
    notes
        List to which notes for the user are added.
    side_sheets
        Mapping to which the sheets of `SIDE_SHEETS` are added, by their contents.
    """
    try:
        with warnings.catch_warnings(action="ignore"), ExitStack() as stack:
            workbooks = [stack.enter_context(closing(workbook)) for workbook in _workbooks(data)]
            sheets = [workbook.worksheets[0] for workbook in workbooks]
            yield from _named_rows(_checked_rows(*sheets))
            titles = []
            for number, sheet in enumerate(workbooks[0].worksheets[1:], 1):
                contents = SIDE_SHEETS.get(normal_name(sheet.title[:100]))
                if side_sheets is not None and contents is not None:
                    sheets = [workbook.worksheets[number] for workbook in workbooks]
                    _add_side_sheet(sheets, contents, side_sheets)
                elif sheet.max_row != 1:
                    titles.append(sheet.title)
            if titles:
                listed = ", ".join(titles[:_LISTED])
                if len(titles) > _LISTED:
                    listed += f" and {len(titles) - _LISTED} more"
                notes.append(f"only the first sheet is read, not {listed}")
    except (InputError, MemoryError):
        raise
    except Exception as error:  # libraries raise errors of many types for damaged files
        raise_memory_error(error)
        raise InputError(f"is damaged or not an Excel file: {error}"[:300]) from None


def _add_side_sheet(sheets: Sequence[Any], contents: str, side_sheets: dict[str, SideSheet]) -> None:
    """Add the rows of a sheet; ``sheets`` are those of the workbooks with values and with formulas."""
    title = sheets[0].title
    if contents in side_sheets:
        raise InputError(f"sheets {side_sheets[contents].title} and {title} have this meaning", field=contents)
    try:
        rows = list(islice(_named_rows(_checked_rows(*sheets)), MAX_ACTIONS + 1))
    except InputError as error:
        raise InputError(f"sheet {title}: {error.message}", value=error.value, line=error.line) from None
    if len(rows) > MAX_ACTIONS:
        raise InputError(f"sheet {title}: must have at most {MAX_ACTIONS} rows")
    side_sheets[contents] = SideSheet(title, rows)


def _workbooks(data: bytes) -> Iterator[Any]:
    """Yield the workbook with the values of formulas; one with their texts, too, if there are formulas."""
    from openpyxl import load_workbook

    with ZipFile(BytesIO(data)) as archive:
        _check_parts(archive)
        has_formulas = _check_content(archive)
    yield load_workbook(BytesIO(data), read_only=True, data_only=True)
    if has_formulas:
        yield load_workbook(BytesIO(data), read_only=True, data_only=False)


def _check_parts(archive: ZipFile) -> None:
    """Raise `InputError` for an archive that may unpack to any size, by its directory."""
    parts = archive.infolist()
    if len(parts) > _MAX_PARTS:
        raise InputError(f"must have at most {_MAX_PARTS} sheets and other parts", value=len(parts))
    if sum(part.file_size for part in parts) > MAX_EXCEL:
        raise InputError(f"is larger than {MAX_EXCEL} bytes when unpacked")
    for part in parts:
        # Python unpacks other methods without a limit of size.
        if part.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            message = "is compressed by a method that Excel does not use; save the file with a spreadsheet program"
            raise InputError(message, field=part.filename[:200])


def _check_content(archive: ZipFile) -> bool:
    """Return whether a sheet contains formulas.

    Raises
    ------
    InputError
        For entities, which repeat text, and for too many rows or cells.
    """
    has_formulas = False
    for name in archive.namelist():
        if not name.lower().endswith((".xml", ".rels")):
            continue
        with archive.open(name) as stream:
            if name.startswith("xl/worksheets/"):
                has_formulas = _check_sheet(stream, name) or has_formulas
                continue
            for text in _overlapping_pieces(stream):
                _check_doctype(text, name)
    return has_formulas


def _check_sheet(stream: IO[bytes], name: str) -> bool:
    """Return whether a sheet contains formulas; raises `InputError`, see `_check_content`."""
    has_formulas = False
    rows = cells = 0
    for text in _overlapping_pieces(stream):
        _check_doctype(text, name)
        has_formulas = has_formulas or _FORMULA.search(text) is not None
        rows += len(_ROW.findall(text))
        if rows > _MAX_ROWS:
            raise InputError(f"must have at most {_MAX_ROWS} rows", field=name[:200])
        cells += len(_CELL.findall(text))
        if cells > _MAX_CELLS:
            raise InputError(f"must have at most {_MAX_CELLS} cells", field=name[:200])
    return has_formulas


def _check_doctype(text: bytes, name: str) -> None:
    if _DOCTYPE.search(text):
        message = "has a document type definition; save the file with a spreadsheet program"
        raise InputError(message, field=name[:200])


def _overlapping_pieces(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield the content piece by piece, each after the last eight bytes of the piece before."""
    end = b""
    while piece := stream.read(_PIECE):
        yield end + piece
        end = piece[-8:]


def _sheet_rows(sheet: Any) -> Iterator[SheetRow]:
    """Yield the rows that a sheet has, with the cells that they have.

    `openpyxl` has this reader inside: its public one fills up missing rows and cells, so that cells in the last column
    of 9,000 rows give 147 million values.
    """
    from openpyxl.worksheet._reader import WorkSheetParser

    workbook, previous = sheet.parent, 0
    with sheet._get_source() as stream:  # noqa: SLF001
        parser = WorkSheetParser(
            stream,
            sheet._shared_strings,  # noqa: SLF001
            data_only=workbook.data_only,
            epoch=workbook.epoch,
            date_formats=workbook._date_formats,  # noqa: SLF001
            timedelta_formats=workbook._timedelta_formats,  # noqa: SLF001
        )
        for number, cells in parser.parse():
            if number > _MAX_ROWS:
                raise InputError(f"must have at most {_MAX_ROWS} rows", line=number)
            if number <= previous:
                message = "numbers of rows must increase; save the file with a spreadsheet program"
                raise InputError(message, line=number)
            previous = number
            yield SheetRow(number, {cell["column"]: cell["value"] for cell in cells})


def _checked_rows(sheet: Any, formulas: Any = None) -> Iterator[SheetRow]:
    """Yield the rows of a sheet; raises `InputError` for a formula without a value."""
    if formulas is None:
        yield from _sheet_rows(sheet)
        return
    for row, texts in zip(_sheet_rows(sheet), _sheet_rows(formulas), strict=False):
        for value, text in zip(row.values.values(), texts.values.values(), strict=False):
            if value is None and text is not None:
                message = "has a formula without a stored value; save the file with a spreadsheet program"
                raise InputError(message, value=str(text), line=row.number)
        yield row


def _named_rows(rows: Iterator[SheetRow]) -> Iterator[Row]:
    """Yield the rows by the headings in the first row that is not blank."""
    headings: list[str] | None = None
    for number, values in rows:
        present = [value for value in values.values() if value is not None]
        if not present:
            continue
        width = max(values)
        if headings is None:
            cells_of_header = [values.get(column) for column in range(1, width + 1)]
            headings = _headings(cells_of_header)
            continue
        _check_cells(present, number)
        if any(value is not None for column, value in values.items() if column > len(headings)):
            raise InputError(f"has {width} cells, but the header has {len(headings)} columns", line=number)
        cells = (values.get(column) for column in range(1, width + 1))
        row = {}
        for heading, cell in zip(headings, cells, strict=False):
            row[heading] = _read_value(cell)
        yield number, row


def _headings(values: Sequence[Any]) -> list[str]:
    headings = ["" if value is None else str(value).strip() for value in values]
    check_names(headings, "")
    if len(headings) > MAX_COLUMNS:
        raise InputError(f"must have at most {MAX_COLUMNS} columns", value=len(headings))
    return headings


def _check_cells(values: Sequence[Any], line: int) -> None:
    """Raise `InputError` for errors of formulas and for texts that Excel cannot have."""
    for value in values:
        if isinstance(value, str) and value in _ERROR_VALUES:
            raise InputError("is an error value of a formula", value=value, line=line)
        if isinstance(value, str) and len(value) > _MAX_CELL:
            raise InputError(f"a cell must have at most {_MAX_CELL} characters", value=value[:100], line=line)


def _read_value(value: Any) -> Any:
    return None if isinstance(value, str) and value == "#N/A" else value
