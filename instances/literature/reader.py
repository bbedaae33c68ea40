"""Recognition of formats from the scheduling literature by content."""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePath

from planoracle.instances.errors import InputError
from planoracle.instances.literature import jobshop, rcpsp
from planoracle.instances.literature.project_network import without_comments
from planoracle.instances.model.instance import Instance

_RCPSP = re.compile(r"^(jobs \(incl\. supersource/sink|PRECEDENCE RELATIONS)", re.MULTILINE)
_FOUR_NUMBERS = re.compile(r"\s*+([0-9]++[ \t]++){3}[0-9]++[ \t]*+(\r?\n|$)")
# Numbers of jobs and resources; the first number of the next line, and the rest of that line.
_JOBS_RESOURCES = re.compile(r"\s*+[0-9]++[ \t]++([0-9]{1,9}+)[ \t]*+\r?\n\s*+([-+0-9][^\r\n]*+)")
# The first line of a flexible job shop, with the average number of machines, and its first job.
_FLEXIBLE = re.compile(
    r"\s*+[0-9]++[ \t]++[0-9]++[ \t]++[0-9]++(?:\.[0-9]*+)?[ \t]*+\r?\n"
    r"\s*+([0-9]{1,9}+(?:[ \t]++[0-9]{1,9}+)*+)[ \t]*+\r?$",
    re.MULTILINE,
)
# Endings of files that are flexible job shops, also without the average number of machines.
_FLEXIBLE_ENDINGS = (".fjs", ".fjsp")
_TWO_NUMBERS = re.compile(r"\s*+[0-9]++[ \t]++[0-9]++[ \t]*+(\r?\n|$)")
_JOB_SHOPS = re.compile(
    r"^[ \t]*+(instance\s|Nb of jobs)|^[ |]*+job(?: ?id)?[ |]++machine[ |]++dur", re.MULTILINE | re.IGNORECASE
)


def read_data(data: bytes, path: str) -> list[Instance]:
    """Return the problems of a file in a format of the literature, ``[]`` for other formats.

    A problem has its name in the file, or the folder and the name of the file without its ending (``j10/psp1``).

    Raises
    ------
    InputError
        Naming file and line of a fault.
    """
    if data.lstrip()[:1] in (b"{", b"["):
        return []
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return []
    try:
        ending = PurePath(path).suffix.lower()
        return read_text(text, name_of(path), ending)
    except InputError as error:
        raise error.at(path) from None


def name_of(path: str) -> str:
    """Return the name of the problem of a file: its folder and its name, without the ending.

    Examples
    --------
    >>> name_of("/data/j10/psp1.sch")
    'j10/psp1'
    """
    full_path = Path(os.path.abspath(path))
    return f"{full_path.parent.name}/{full_path.stem}".lstrip("/")


def read_text(text: str, name: str, ending: str = "") -> list[Instance]:
    """Return the problems of a text in a format of the literature, ``[]`` for other formats.

    Parameters
    ----------
    name
        Name of a problem that has none in the text.
    ending
        Ending of the name of the file, which tells apart formats that are both lines of numbers.

    Raises
    ------
    InputError
        Naming the line of a fault.
    """
    if _RCPSP.search(text):
        return [rcpsp.read_sm(text, name)]
    text = without_comments(text)
    if _FOUR_NUMBERS.match(text):
        return [rcpsp.read_sch(text, name)]
    if ending in _FLEXIBLE_ENDINGS or _is_flexible(text):
        return [jobshop.read_flexible(text, name)]
    # An .rcp file has one capacity for each resource, and then a line or more for each job.
    head = _JOBS_RESOURCES.match(text)
    if head and len(head[2].split()) == int(head[1]):
        return _project_or_job_shops(text, name)
    if _TWO_NUMBERS.match(text) or _JOB_SHOPS.search(text):
        return jobshop.read_text(text, name)
    return []


def _is_flexible(text: str) -> bool:
    """Return whether a text begins like a flexible job shop with the average number of machines."""
    match = _FLEXIBLE.match(text)
    return match is not None and jobshop.is_flexible([int(token) for token in match[1].split()])


def _project_or_job_shops(text: str, name: str) -> list[Instance]:
    """Return the problems of a text whose second line fits both formats.

    Few job shops are also valid projects, whose counts must fit up to the last number; but most projects of short lines
    are valid job shops.
    """
    try:
        return [rcpsp.read_rcp(text, name)]
    except InputError:
        if not _has_a_line_for_each_job(text):
            raise
    return jobshop.read_text(text, name)


def _has_a_line_for_each_job(text: str) -> bool:
    """Return whether a text has as many lines of a job shop as its first number says."""
    rows = [line.split() for line in text.splitlines() if line.strip()]
    head, *lines = rows
    number_of_jobs = int(head[0][:9])
    if len(lines) != number_of_jobs:
        return False
    return all(len(row) % 2 == 0 for row in lines) or all(map(_is_flexible_job, lines))


def _is_flexible_job(tokens: list[str]) -> bool:
    """Return whether the texts of a line are a job of a flexible job shop."""
    if not all(token.isdecimal() and len(token) < 10 for token in tokens):
        return False
    return jobshop.is_flexible(list(map(int, tokens)))
