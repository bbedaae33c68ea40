"""Columns of tables whose meaning depends on their cells: weights of jobs, numbers of workers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from planoracle.instances.errors import InputError
from planoracle.instances.model.task_cells import cell_text
from planoracle.instances.model.task_columns import TableOptions, is_priority, is_weight, normal_name
from planoracle.instances.model.task_resources import COUNT_NAMES, count_of

_IGNORE: Final = "--ignore COLUMN reads the table without it"
# Texts that make a job optional, by the field of their column.
_OPTIONAL_TEXTS: Final = {
    "optional": ("yes", "y", "true", "x", "1"),
    "mandatory": ("no", "n", "false", "0"),
}


def choose_weights(columns: dict[str, str], unread: list[str], rows: Sequence[Mapping[str, Any]]) -> None:
    """Let a column be the weights of optional jobs; without such jobs, it has no meaning.

    Parameters
    ----------
    columns
        Column of each field; changed in place.
    unread
        Columns without a meaning; changed in place.
    rows
        Cells by column.

    Raises
    ------
    InputError
        For a column of priorities, and for several columns of weights, beside optional jobs.

    Examples
    --------
    >>> columns, unread = {"task": "task", "optional": "optional"}, ["value", "cost"]
    >>> choose_weights(columns, unread, [{"task": "a", "optional": "yes", "value": "3"}])
    >>> columns["weight"], unread
    ('value', ['cost'])
    """
    if not _has_optional_jobs(columns, rows):
        if "weight" in columns:
            unread.append(columns.pop("weight"))
        return
    if "weight" in columns:
        return
    priorities = list(filter(is_priority, unread))
    if priorities and any(cell_text(cells.get(priorities[0])) for cells in rows):
        message = (
            "is ambiguous in a table with optional jobs, as a large number may be the most or the least important; "
            f"--map weight={priorities[0]} takes it as the weight of an optional job, "
            f"--ignore {priorities[0]} leaves it out"
        )
        raise InputError(message, field=priorities[0])
    candidates = list(filter(is_weight, unread))
    if len(candidates) > 1:
        message = f"columns {' and '.join(candidates)} have this meaning; select one with --map weight=COLUMN"
        raise InputError(message, field="weight")
    for heading in candidates:
        columns["weight"] = heading
        unread.remove(heading)


def _has_optional_jobs(columns: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether a row is optional."""
    if columns.keys() >= _OPTIONAL_TEXTS.keys():
        message = f"columns {columns['optional']} and {columns['mandatory']} contradict each other; {_IGNORE}"
        raise InputError(message, field="optional")
    for field, texts in _OPTIONAL_TEXTS.items():
        column = columns.get(field)
        if column and any(cell_text(cells.get(column)).casefold() in texts for cells in rows):
            return True
    return False


def let_numbers_be_workers(columns: dict[str, str], rows: Sequence[Mapping[str, Any]], options: TableOptions) -> None:
    """Let a column of agents whose cells are all numbers be the number of workers that a task needs.

    Parameters
    ----------
    columns
        Column of each field; changed in place.
    rows
        Cells by column.

    Raises
    ------
    InputError
        If another column has this number, too.
    """
    column = columns.get("agent", "")
    if normal_name(column) not in COUNT_NAMES or "agent" in options.literal:
        return
    texts = [cell_text(cells.get(column)) for cells in rows]
    are_counts = [_is_count(text) for text in texts if text]
    if not are_counts or not all(are_counts):
        return
    if "workers" in columns:
        raise InputError(f"columns {column} and {columns['workers']} have this meaning; {_IGNORE}", field="workers")
    columns["workers"] = columns.pop("agent")


def _is_count(text: str) -> bool:
    """Return whether a cell is a number of workers; one that is not whole is reported when it is read."""
    try:
        return count_of(text) is not None
    except InputError:
        return True
