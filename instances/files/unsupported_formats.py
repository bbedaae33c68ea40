"""Files of other programs and formats that are recognised, but not read."""

from __future__ import annotations

import re
from pathlib import PurePath

from planoracle.instances.errors import InputError

_LIMITS = "see .docs/limits.md"
_PLAIN = (
    "accepted are problem files (.json, .jsonl), tables of tasks (.csv, .tsv, .parquet, .xlsx), job shops (.jss, .fjs) "
    "and projects (.sm, .mm, .rcp, .sch), see .docs/problem_files.md"
)
_MINIZINC = f"is MiniZinc; {_PLAIN}"
_PROJECT = "save the tasks as a table (.csv or .xlsx), see .docs/problem_files.md"
_ARCHIVE = "is compressed; unpack it"
#: Reasons by ending.
_ENDINGS = {
    ".dzn": _MINIZINC,
    ".mzn": _MINIZINC,
    ".xer": f"is a project of Primavera P6; {_PROJECT}",
    ".mpp": f"is a project of Microsoft Project; {_PROJECT}",
    ".xls": "is an old Excel file; save it as .xlsx or .csv",
    ".ods": "is an OpenDocument table; save it as .xlsx or .csv",
    **dict.fromkeys((".zip", ".gz", ".bz2", ".xz", ".tar", ".7z"), _ARCHIVE),
}
# The first character of JSON, and the beginning of its first value.
_JSON = re.compile(r"\s*+[{\[]\s*+(?:[\"'{}\[\]0-9-]|true|false|null|$)")
_XML = re.compile(r"\s*(?:<\?xml|<!doctype|<[a-z][\w:.-]*[\s>/])", re.IGNORECASE)
_DZN = re.compile(r"^\s*(?:%[^\n]*\n\s*)*[A-Za-z_]\w*\s*=\s*[^=\s][^;]*;", re.MULTILINE)
_FLOW_SHOP = re.compile(r"^number of jobs, number of machines, initial seed", re.IGNORECASE | re.MULTILINE)
# Endings of files whose text has errors of its own.
_TEXT_ENDINGS = (".json", ".yaml", ".yml", ".toml")
# Characters at the beginning of a file that are inspected.
_HEAD = 10_000


def unsupported_file(path: str) -> InputError | None:
    """Return the error for the ending of a file that is never read, ``None`` for other files."""
    reason = _ENDINGS.get(PurePath(path).suffix.lower())
    return None if reason is None else InputError(reason, source=path)


def unknown_text(data: bytes, path: str) -> InputError | None:
    """Return the error for a text in an unknown format, ``None`` for one that may be meant as JSON."""
    beginning = data[: 4 * _HEAD].decode("utf-8-sig", errors="replace")
    head = beginning[:_HEAD]
    if not head.strip():
        return InputError(f"is empty; {_PLAIN}", source=path)
    if _JSON.match(head):
        return None
    reason = _reason(head)
    if reason is None and PurePath(path).suffix.lower() in _TEXT_ENDINGS:
        return None
    return InputError(reason or f"is in no format that is read; {_PLAIN}", source=path)


def _reason(head: str) -> str | None:
    """Return the reason why a text of another program is not read."""
    if "schemas.microsoft.com/project" in head:
        return f"is a project of Microsoft Project (XML); {_PROJECT}"
    if _XML.match(head):
        return f"is XML; {_PLAIN}"
    if head.startswith("ERMHDR"):
        return _ENDINGS[".xer"]
    if _FLOW_SHOP.search(head):
        return f"is a flow shop of Taillard; only his job shops are read (headings Times and Machines), {_LIMITS}"
    if _DZN.match(head):
        return _MINIZINC
    if "\x00" in head or "\ufffd" in head:
        return f"is no text in UTF-8; {_PLAIN}"
    return None


def unknown_document(document: object) -> str | None:
    """Return the reason why a JSON document of another program is not read, ``None`` for an unknown one."""
    if not isinstance(document, dict):
        return None
    if "duration_matrix" in document or "machines_matrix" in document:
        return "is a job_shop_lib problem without the two matrices duration_matrix and machines_matrix"
    if {"jobs", "machines"} <= document.keys() and "format" not in document:
        return "is a job shop in an unknown JSON form; accepted are duration_matrix and machines_matrix"
    return None
