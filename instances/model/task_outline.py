"""Outlines of tables of tasks: summary rows, and the tasks below them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from planoracle.instances.errors import InputError
from planoracle.instances.model.task_cells import cell_text

_MAX_DEPTH = 100
_TOO_DEEP = f"must have at most {_MAX_DEPTH} levels and no cycle"

# Names of a last row that adds up the others, and fields that such a row does not have.
_TOTALS = frozenset(("total", "totals", "grand total", "sum"))
_NAMES = ("job", "task", "operation", "step", "id")
_NOT_IN_TOTALS = ("machine", "agent", "after", "successors", "release", "deadline")

#: Texts of a row by field.
RawRow = Mapping[str, str]


def find_summaries(rows: Sequence[RawRow]) -> dict[int, list[int]]:
    """Return the positions of the tasks below each summary row.

    The columns ``outline``, ``outline_level`` and ``parent`` define an outline. Numbers such as 1.2 in the column
    ``id``, and blanks before names, define one in which only rows without a duration are summary rows. A last row with
    the name Total is the summary of all others.

    Parameters
    ----------
    rows
        Texts of the cells by field.

    Raises
    ------
    InputError
        For an outline that is too deep, or has a cycle.

    Examples
    --------
    >>> find_summaries([{"outline": "1"}, {"outline": "1.1"}, {"outline": "1.2"}, {"outline": "2"}])
    {0: [1, 2]}
    """
    parents, is_certain = _parents(rows)
    if any("summary" in row for row in rows):
        summaries = {i for i, row in enumerate(rows) if _is_yes(row.get("summary", ""))}
    else:
        summaries = {parent for parent in parents if parent is not None}
        if not is_certain:
            summaries = {i for i in summaries if not cell_text(rows[i].get("duration", ""))}
    last = len(rows) - 1
    if last > 0 and _is_total(rows[last]):
        parents = [last if parent is None else parent for parent in parents[:last]]
        parents.append(None)
        summaries.add(last)
    leaves: dict[int, list[int]] = {i: [] for i in sorted(summaries)}
    for i in range(len(rows)):
        if i not in summaries:
            for ancestor in _ancestors(i, parents):
                if ancestor in leaves:
                    leaves[ancestor].append(i)
    return leaves


def _is_total(row: RawRow) -> bool:
    """Return whether a row adds up other rows: it has the name Total only, and no restrictions."""
    names = [cell_text(row.get(field, "")) for field in _NAMES]
    names = [name for name in names if name]
    if len(names) != 1 or names[0].casefold().rstrip(" :") not in _TOTALS:
        return False
    return not any(cell_text(row.get(field, "")) for field in _NOT_IN_TOTALS)


def _is_yes(text: str) -> bool:
    return cell_text(text).casefold() in ("yes", "y", "true", "x", "1")


def _ancestors(row: int, parents: Sequence[int | None]) -> list[int]:
    """Return the rows above a row, the nearest first."""
    ancestors: list[int] = []
    parent = parents[row]
    while parent is not None:
        ancestors.append(parent)
        if len(ancestors) > _MAX_DEPTH:
            raise InputError(_TOO_DEEP, field="outline")
        parent = parents[parent]
    return ancestors


def _parents(rows: Sequence[RawRow]) -> tuple[list[int | None], bool]:
    """Return the parent of each row, and whether a column of the table is there to define it."""
    for field, find in (("outline", _by_number), ("outline_level", _by_level), ("parent", _by_name)):
        if any(row.get(field) for row in rows):
            return find([row.get(field, "") for row in rows], rows), True
    ids = [cell_text(row.get("id", "")) for row in rows]
    if any("." in text for text in ids):
        return _by_number(ids, rows), False
    names = [row.get("task", "") for row in rows]
    indents = [str(len(name) - len(name.lstrip())) for name in names]
    return _by_level(indents, rows), False


def _by_number(texts: Sequence[str], rows: Sequence[RawRow]) -> list[int | None]:
    """Return the parents by outline numbers: the row of 1.2.3 is below that of 1.2.

    Rows that share a number are below it, but are not its row: activities of one work package.
    """
    numbers = [cell_text(text).strip(".") for text in texts]
    if any(number.count(".") > _MAX_DEPTH for number in numbers):
        raise InputError(_TOO_DEEP, field="outline")
    positions: dict[str, int | None] = {}
    for i, number in enumerate(numbers):
        positions[number] = None if number in positions else i
    parents: list[int | None] = []
    for number in numbers:
        prefix, parent = number, None
        while parent is None and "." in prefix:
            prefix = prefix.rpartition(".")[0]
            parent = positions.get(prefix)
        parents.append(parent)
    return parents


def _by_level(texts: Sequence[str], rows: Sequence[RawRow]) -> list[int | None]:
    """Return the parents by levels: the last row of a smaller level before the row."""
    parents: list[int | None] = []
    path: list[tuple[int, int]] = []  # level and position of the rows above
    for i, text in enumerate(texts):
        number = cell_text(text)
        level = int(number) if number.isdecimal() and len(number) < _MAX_DEPTH else 0
        while path and path[-1][0] >= level:
            path.pop()
        parents.append(path[-1][1] if path else None)
        path.append((level, i))
    return parents


def _by_name(texts: Sequence[str], rows: Sequence[RawRow]) -> list[int | None]:
    """Return the parents by names or ids of their rows."""
    positions: dict[str, int] = {}
    for i, row in enumerate(rows):
        for name in (row.get("id", ""), row.get("task", "")):
            positions.setdefault(cell_text(name), i)
    parents: list[int | None] = []
    for i, text in enumerate(texts):
        parent = positions.get(cell_text(text)) if cell_text(text) else None
        parents.append(None if parent == i else parent)
    return parents
