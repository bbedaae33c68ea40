"""Columns of tables of tasks with the durations on one machine each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, pairwise
from typing import Any

from planoracle.instances.errors import InputError
from planoracle.instances.model.task_cells import cell_names, cell_text, span_of
from planoracle.instances.model.task_columns import TableOptions, field_of, is_without_meaning
from planoracle.instances.model.task_resources import is_numbered, names_in_choice

_UNIT = re.compile(r"\s*[(\[]\s*(?:s|sec|seconds?|min|minutes?|h|hrs?|hours?|d|days?)\s*[)\]]\s*$", re.IGNORECASE)
_LENGTH = r"(?:(?:processing|proc|process|run)[ _])?(?:durations?|times?)"
_FORMS = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_LENGTH}(?:[ _](?:on|at|for|with))?[ _:]+(?P<machine>.+)",
        rf"(?P<machine>.+?)[ _:]+{_LENGTH}",
        r"(?P<machine>.+)",
    )
]
_NUMBER = re.compile(r"[0-9]{1,18}(?:[.,][0-9]{1,9})?")
_LONGEST = 200
# Rows that are inspected to decide on the meaning of a column.
_SAMPLE = 1_000


def duration_columns(
    headings: Sequence[str], rows: Sequence[Mapping[str, Any]], options: TableOptions
) -> dict[str, str]:
    """Return the machine of each column that has the durations on this machine.

    Its heading is the machine, or a duration and the machine as in ``duration M1``. The machine is one that the column
    ``machine`` names, or one with a number such as M1: in a table without durations, beside another of that form, or
    behind the word duration.

    Parameters
    ----------
    headings
        Headings of the table.
    rows
        Cells by heading.

    Examples
    --------
    >>> rows = [{"task": "cut", "M1": "3", "M2": "5"}, {"task": "bend", "M1": "", "M2": "4"}]
    >>> duration_columns(["task", "M1", "M2"], rows, TableOptions())
    {'M1': 'M1', 'M2': 'M2'}

    Raises
    ------
    InputError
        For a column of numbers beside those of machines whose machine no cell names.
    """
    assigned = {*options.ignored, *options.columns.values()}
    free = [heading for heading in headings if heading not in assigned and len(heading) <= _LONGEST]
    fields = {field_of(heading) for heading in free} | options.columns.keys()
    known_names = _machines(headings, rows, options)
    columns: dict[str, str] = {}
    numbered: dict[str, dict[str, str]] = {}
    worded: set[str] = set()
    for heading in free:
        for machine, has_word in _machines_in(heading):
            stem = _stem(machine)
            if machine.casefold() in known_names:
                columns[heading] = known_names[machine.casefold()]
                break
            if is_numbered(machine):
                numbered.setdefault(stem, {})[heading] = machine
                if has_word:
                    worded.add(stem)
                break
    if columns and "duration" not in fields:
        _check_neighbours(headings, columns, rows)
    stems = {_stem(machine) for machine in columns.values()}
    for stem, group in numbered.items():
        is_meant = "duration" not in fields or stem in worded or stem in stems
        if is_meant and any(_has_times(heading, rows) for heading in group):
            columns.update(group)
    return columns


def _stem(machine: str) -> str:
    """Return the name of a machine without its number."""
    return machine.casefold().rstrip("0123456789")


def _check_neighbours(headings: Sequence[str], columns: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> None:
    """Raise an error for a column of times beside those of named machines that may be of a machine, too."""
    for first, second in chain(pairwise(headings), pairwise(reversed(headings))):
        is_beside = first in columns and not is_numbered(columns[first]) and second not in columns
        if is_beside and is_without_meaning(second) and _has_times(second, rows):
            message = (
                f"is beside the durations on {columns[first]}, and no cell of a column machine names it; name the "
                f"machine there, or --ignore {second!r} reads the table without it"
            )
            raise InputError(message, field=second)


def _machines_in(heading: str) -> Iterator[tuple[str, bool]]:
    """Yield the machines that a heading may name, and whether it has a word such as duration."""
    text = _UNIT.sub("", heading).strip()
    for form in _FORMS:
        match = form.fullmatch(text)
        if match is not None:
            machine = match["machine"]
            yield machine.strip(), machine != text


def _machines(headings: Sequence[str], rows: Sequence[Mapping[str, Any]], options: TableOptions) -> dict[str, str]:
    """Return the machines that the column of machines names, by their names in lower case."""
    chosen = options.columns.get("machine")
    columns = [chosen] if chosen else [heading for heading in headings if field_of(heading) == "machine"]
    texts: dict[str, None] = {}
    for column in columns:
        for row in rows:
            with suppress(InputError):
                texts.update(dict.fromkeys(cell_names(row.get(column))))
    all_names = {text.casefold() for text in texts}
    names: dict[str, str] = {}
    for text in texts:
        for name in names_in_choice(text, all_names):
            names.setdefault(name.casefold(), name)
    return names


def _has_times(heading: str, rows: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether a column has a time; its other cells are reported when they are read."""
    values = [row.get(heading) for row in rows[:_SAMPLE]]
    filled = [value for value in values if cell_text(value)]
    return any(map(_is_time, filled))


def _is_time(value: Any) -> bool:
    if _NUMBER.fullmatch(cell_text(value)):
        return True
    with suppress(InputError):
        return span_of(value) is not None
    return False
