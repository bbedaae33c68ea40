"""Columns of tables of tasks with the durations on one machine each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from planoracle.instances.errors import InputError
from planoracle.instances.model.task_cells import cell_names, cell_text, span_of
from planoracle.instances.model.task_columns import TableOptions, field_of
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
    ``machine`` names, or, in a table without durations, one with a number such as M1.

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
    """
    assigned = {*options.ignored, *options.columns.values()}
    free = [heading for heading in headings if heading not in assigned and len(heading) <= _LONGEST]
    fields = {field_of(heading) for heading in free} | options.columns.keys()
    known_names = _machines(headings, rows, options)
    columns: dict[str, str] = {}
    numbered: dict[str, list[tuple[str, str]]] = {}
    for heading in free:
        for machine in _machines_in(heading):
            if machine.casefold() in known_names:
                columns[heading] = known_names[machine.casefold()]
                break
            if is_numbered(machine) and "duration" not in fields:
                numbered.setdefault(machine.rstrip("0123456789"), []).append((heading, machine))
                break
    for group in numbered.values():
        if any(_has_times(heading, rows) for heading, _ in group):
            columns.update(group)
    return columns


def _machines_in(heading: str) -> Iterator[str]:
    """Yield the machines that a heading may name, after or before a word such as duration, or alone."""
    for form in _FORMS:
        match = form.fullmatch(_UNIT.sub("", heading).strip())
        if match is not None:
            yield match["machine"].strip()


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
