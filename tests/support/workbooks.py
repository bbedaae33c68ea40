"""Excel files from the text of their parts, and archives whose directory is wrong."""

from __future__ import annotations

import struct
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = 'xmlns="http://schemas.openxmlformats.org/package/2006'
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
SHEET = "xl/worksheets/sheet1.xml"


def text_cell(place: str, text: str) -> str:
    return f'<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>'


#: Heading and task of a small table.
HEAD = f'<row r="1">{text_cell("A1", "task")}{text_cell("B1", "duration")}</row>'
TASK = f'<row r="2">{text_cell("A2", "a")}<c r="B2"><v>3</v></c></row>'


def sheet(rows: str, before: str = "", head: str = '<?xml version="1.0"?>') -> str:
    """Return a sheet with rows."""
    return f"{head}<worksheet {MAIN}>{before}<sheetData>{rows}</sheetData></worksheet>"


def workbook(content: str | bytes, strings: str = "", sheets: str = "", parts: int = 0, stored: bool = False) -> bytes:
    """Return an Excel file.

    Parameters
    ----------
    content
        Sheet.
    strings
        Items of the table of shared strings.
    sheets
        Elements of further sheets.
    parts
        Number of further, empty parts.
    stored
        True if the sheet is not compressed.
    """
    data = BytesIO()
    with ZipFile(data, "w", ZIP_DEFLATED) as archive:
        override = f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
        override += f'<Override PartName="/{SHEET}" ContentType="{_TYPE}.worksheet+xml"/>'
        override += f'<Override PartName="/xl/sharedStrings.xml" ContentType="{_TYPE}.sharedStrings+xml"/>'
        defaults = '<Default Extension="xml" ContentType="application/xml"/>'
        archive.writestr("[Content_Types].xml", f'<Types {_PACKAGE}/content-types">{defaults}{override}</Types>')
        archive.writestr("_rels/.rels", _relation("officeDocument", "xl/workbook.xml"))
        archive.writestr("xl/_rels/workbook.xml.rels", _relation("worksheet", "worksheets/sheet1.xml"))
        sheets = f'<sheet name="s" sheetId="1" r:id="r"/>{sheets}'
        archive.writestr(
            "xl/workbook.xml", f'<workbook {MAIN} xmlns:r="{_OFFICE}"><sheets>{sheets}</sheets></workbook>'
        )
        archive.writestr("xl/sharedStrings.xml", f"<sst {MAIN}>{strings}</sst>")
        archive.writestr(SHEET, content, ZIP_STORED if stored else ZIP_DEFLATED)
        for number in range(parts):
            archive.writestr(f"p{number}", "")
    return data.getvalue()


def _relation(kind: str, target: str) -> str:
    relation = f'<Relationship Id="r" Type="{_OFFICE}/{kind}" Target="{target}"/>'
    return f'<Relationships {_PACKAGE}/relationships">{relation}</Relationships>'


def with_entry(archive: bytes, name: str, *, method: int | None = None, size: int | None = None) -> bytes:
    """Return an archive that states another method, or size, of a part."""
    data = bytearray(archive)
    directory = data.rindex(name.encode()) - 46
    (start,) = struct.unpack_from("<I", data, directory + 42)
    if method is not None:
        struct.pack_into("<H", data, directory + 10, method)
        struct.pack_into("<H", data, start + 8, method)
    if size is not None:
        struct.pack_into("<I", data, directory + 24, size)
    return bytes(data)
