"""Laboratory automation problems (S-LAB): a folder of four tables, separated by tabs.

``operations.tsv`` (job, operation, type of machine, ticks, note), ``dependency.tsv`` (an operation of a job that
follows another one), ``machines.tsv`` (machines and their types) and ``tcmb.tsv`` (time constraints by mutual
boundaries: the starts or ends of two operations of a job are at most so many ticks apart, whichever is first).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile

from planoracle.instances.errors import InputError
from planoracle.instances.literature.network import Distances, activity, lags_of, tighten
from planoracle.instances.literature.rows import Rows, whole
from planoracle.instances.model import Action, Demand, Instance, Resource
from planoracle.instances.validate import MAX_ACTIONS

__all__ = ["FILES", "read_tables"]

#: The tables and the columns that they need.
FILES = {
    "operations.tsv": ("Job_ID", "Operation_ID", "Compatible_machine", "Processing_time"),
    "dependency.tsv": ("Job_ID", "Operation_ID_1", "Operation_ID_2"),
    "machines.tsv": ("Machine_ID", "Machine_type"),
    "tcmb.tsv": ("Job_ID", "Operation_ID_1", "Point_1", "Operation_ID_2", "Point_2", "Time_constraint"),
}

# Other names of columns in the published problems.
_ALSO = {"Operation (O)": "Operation_ID", "Compatible machine (C)": "Compatible_machine", "Memo": "Note"}


class _Row:
    """One row of a table, by the names of its columns."""

    __slots__ = ("_cells", "_line")

    def __init__(self, cells: Mapping[str, str], line: int) -> None:
        self._cells, self._line = cells, line

    def __getitem__(self, column: str) -> str:
        return self._cells[column]

    def get(self, column: str) -> str:
        """Return the cell of a column that a table may lack."""
        return self._cells.get(column, "")

    def number(self, column: str, least: int = 0) -> int:
        return whole(self[column], f"line {self._line}: {column}", least)

    def fault(self, column: str, message: str) -> InputError:
        return InputError(message, field=f"line {self._line}: {column}", value=self[column])

    def pair(self, index: Mapping[tuple[str, str], int]) -> tuple[int, int]:
        """Return the positions of the two operations of a row, by the names of their job and their own."""
        found = []
        for column in ("Operation_ID_1", "Operation_ID_2"):
            position = index.get((f"job{self['Job_ID']}", self[column]))
            if position is None:
                raise self.fault(column, f"operations.tsv has no such operation of job {self['Job_ID']}")
            found.append(position)
        if found[0] == found[1]:
            raise self.fault("Operation_ID_2", "must be another operation than Operation_ID_1")
        return found[0], found[1]

    def boundary(self, column: str, duration: int) -> int:
        """Return the ticks from the start of an operation to its ``start`` or ``end``."""
        if self[column] not in ("start", "end"):
            raise self.fault(column, "must be start or end")
        return duration if self[column] == "end" else 0


def _rows(tables: Mapping[str, str], file: str) -> Iterator[_Row]:
    """Return the rows of a table; its errors name the file."""
    rows = Rows(tables[file])
    columns = [_ALSO.get(name.strip(), name.strip()) for name in rows.line("the names of the columns").split("\t")]
    for name in FILES[file]:
        if columns.count(name) != 1:
            raise rows.fault(f"must name the column {name} once", columns)
    for line in rows.rest():
        cells = [cell.strip() for cell in line.split("\t")]
        if not any(cells):
            continue
        cells += [""] * (len(columns) - len(cells))
        if len(cells) > len(columns):
            raise rows.fault(f"must have {len(columns)} cells", len(cells))
        yield _Row(dict(zip(columns, cells, strict=True)), rows.number)


def read_tables(tables: Mapping[str, str], name: str) -> Instance:
    """Return the instance of the texts of `FILES`.

    Machines of one type are units of one resource.

    Raises
    ------
    InputError
        Naming the file (as its source) and the line of the first fault.
    """
    file = "machines.tsv"
    try:
        resources = _machines(_rows(tables, file))
        file = "operations.tsv"
        actions = _operations(_rows(tables, file), resources)
        index = {(action.task, action.id.partition("/")[2]): i for i, action in enumerate(actions)}
        distances: Distances = {}
        file = "dependency.tsv"
        for row in _rows(tables, file):
            first, second = row.pair(index)
            tighten(distances, first, second, actions[first].duration)
        file = "tcmb.tsv"
        for row in _rows(tables, file):
            first, second = row.pair(index)
            apart = row.number("Time_constraint")
            ahead = row.boundary("Point_1", actions[first].duration) - row.boundary("Point_2", actions[second].duration)
            tighten(distances, first, second, ahead - apart)
            tighten(distances, second, first, -ahead - apart)
        return Instance(name, tuple(actions), lags_of(actions, distances), tuple(resources.values()), agents=())
    except InputError as error:
        raise error.at(file) from None


def _machines(rows: Iterator[_Row]) -> dict[str, Resource]:
    """Return a resource for every type of machine, named by what the names of its machines have in common."""
    names: dict[str, list[str]] = {}
    seen: set[str] = set()
    for row in rows:
        if row["Machine_ID"] in seen:
            raise row.fault("Machine_ID", "is given twice")
        seen.add(row["Machine_ID"])
        names.setdefault(row["Machine_type"], []).append(row.get("Machine_name"))
    stems = {
        kind: found[0] if len(found) == 1 else _common_beginning(found).rstrip("0123456789 ._-#")
        for kind, found in names.items()
    }
    often = Counter(stems.values())
    return {
        kind: Resource(stem if stem and often[stem] == 1 else f"{stem or 'machine'} [{kind}]", len(names[kind]))
        for kind, stem in stems.items()
    }


def _common_beginning(names: Sequence[str]) -> str:
    return "".join(some[0] for some in takewhile(lambda some: len(set(some)) == 1, zip(*names, strict=False)))


def _operations(rows: Iterator[_Row], resources: Mapping[str, Resource]) -> list[Action]:
    actions: dict[str, Action] = {}
    for row in rows:
        machine = resources.get(row["Compatible_machine"])
        if machine is None:
            raise row.fault("Compatible_machine", f"machines.tsv has only machines of the types {list(resources)}")
        for column in ("Job_ID", "Operation_ID"):
            if not row[column] or "/" in row[column]:
                raise row.fault(column, "must be a number or a name without '/'")
        duration = row.number("Processing_time")
        found = activity(f"job{row['Job_ID']}", row["Operation_ID"], duration, [Demand(machine.name)])
        if len(actions) == MAX_ACTIONS:
            raise row.fault("Operation_ID", f"there are at most {MAX_ACTIONS} operations")
        if found.id in actions:
            raise row.fault("Operation_ID", f"job {row['Job_ID']} already has this operation")
        actions[found.id] = replace(found, label=row.get("Note"))
    return list(actions.values())
