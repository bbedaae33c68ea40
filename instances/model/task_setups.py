"""Set-up times of machines from tables: before each operation, or between families of operations."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Mapping
from itertools import product
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from planoracle.instances.errors import InputError
from planoracle.instances.model.task_calendars import SideTable, side_columns
from planoracle.instances.model.task_cells import cell_text
from planoracle.instances.model.task_columns import normal_name, split_unit

if TYPE_CHECKING:
    from planoracle.instances.model.task_modes import MachineModes
    from planoracle.instances.model.task_rows import TaskTable

_PAGE: Final = "see .docs/limits.md"
#: Fields of a list of set-up times, each with its usual names.
_FIELDS: Final = {
    "before": "before from from_family previous",
    "after": "after to to_family next",
    "time": "time times ticks setup setup_time set_up_time set_up duration changeover minutes min hours seconds",
    "machine": "machine resource station equipment",
}
# Names of the state of a machine at tick 0, in lower case.
_BEGINNINGS: Final = frozenset(("", "start", "begin", "beginning", "initial", "idle"))
_ALL: Final = ""
_OTHER_TIME: Final = "another row has this pair with another time"
#: Largest number of families on one machine: there are times between all pairs of them.
MAX_FAMILIES: Final = 300


class SetUpTimes(NamedTuple):
    """Set-up times of some machines.

    Attributes
    ----------
    machines
        Names of the machines.
    times
        Ticks by pair of families.
    start
        Family at tick 0; ``None`` if the first operation needs no set-up.
    """

    machines: list[str]
    times: dict[tuple[str, str], int]
    start: str | None


class SetUps:
    """Set-up times of the machines of a table.

    Parameters
    ----------
    table
        Table of tasks.
    machines
        Modes of its tasks.
    between
        Table with times between families, if there is one.
    """

    def __init__(self, table: TaskTable, machines: MachineModes, between: SideTable | None) -> None:
        self.table = table
        self.machines = machines
        self.between = between
        #: Set-up times of the machines that have some.
        self.entries: list[SetUpTimes] = []
        self._families: dict[int, str] = {}
        self._set_up: set[str] = set()
        #: Rows that may use each machine, in the order of the machines.
        self._rows_of: dict[str, list[int]] = {}

    def family(self, i: int, machine: str) -> str | None:
        """Return the family of the use of a machine by a row; ``None`` if the machine has no set-up times."""
        return self._families[i] if machine in self._set_up else None

    def read(self) -> Iterator[InputError]:
        """Read families and set-up times, and yield their faults."""
        table = self.table
        for i in table.tasks:
            for machine in self._machines_of(i):
                self._rows_of.setdefault(machine, []).append(i)
        has_column = any(table.cells[i].get("setup") for i in table.tasks)
        if self.between is None:
            if has_column:
                yield from self._read_column()
            elif "family" in table.columns:
                table.notes.append(f"column {table.columns['family']} has no effect without set-up times")
            return
        if has_column:
            message = "contradicts the table of set-up times between families; --ignore reads the table without it"
            yield InputError(message, field=table.columns["setup"])
        elif "family" not in table.columns:
            message = (
                "column is missing, whose families the table of set-up times has; select one with --map family=COLUMN"
            )
            yield InputError(message, field="family")
        else:
            yield from self._read_between(self.between)

    # --- a time before each operation ---------------------------------------------------------------

    def _read_column(self) -> Iterator[InputError]:
        """Let each operation have its set-up time; one of a family only after another family."""
        table = self.table
        named = {table.cells[i].get("family", "") for i in table.tasks}
        times: dict[str, tuple[int, int]] = {}
        for i in table.tasks:
            cells = table.cells[i]
            ticks = cells.get("setup", 0)
            self._families[i] = cells.get("family") or _free_name(named, f"set-up {ticks}")
            first, row = times.setdefault(self._families[i], (ticks, i))
            if first != ticks:
                line = table.rows[row][0]
                message = (
                    f"must equal that of the other rows of the family {self._families[i]!r}: {first} in line {line}"
                )
                yield table.fault(i, "setup", message)
            yield from self._check_machine(i, "setup", is_needed=bool(ticks))
        ticks_of = {family: ticks for family, (ticks, _) in times.items()}
        for machine in self._rows_of:
            families = self._families_on(machine)
            if any(ticks_of[family] for family in families):
                start = _free_name(families)
                pairs = _times_of_column(start, families, ticks_of, named)
                self._add(machine, pairs, start)
        yield from self._check_capacities()

    def _machines_of(self, i: int) -> list[str]:
        """Return the machines that a row may use."""
        uses: dict[str, None] = {}
        for mode in self.machines.modes.get(i, ()):
            uses.update(dict.fromkeys(use.name for use in mode.uses))
        return list(uses)

    def _check_machine(self, i: int, field: str, *, is_needed: bool) -> Iterator[InputError]:
        """Yield a fault of a row with a set-up time and no machine, or several at once."""
        if not is_needed:
            return
        counts = {len(mode.uses) for mode in self.machines.modes.get(i, ())}
        if counts == {0}:
            yield self.table.fault(i, field, "a set-up concerns a machine, and the row has none")
        elif counts and max(counts) > 1:
            message = "is ambiguous for a row with several machines at once; write rows with one machine each"
            yield self.table.fault(i, field, message)

    def _families_on(self, machine: str) -> list[str]:
        """Return the families of the rows that may use a machine."""
        families = dict.fromkeys(self._families[i] for i in self._rows_of[machine])
        if len(families) > MAX_FAMILIES:
            message = f"must have at most {MAX_FAMILIES} different ones on a machine, not {len(families)} as {machine}"
            field = "family" if "family" in self.table.columns else "setup"
            raise InputError(message, field=self.table.columns[field])
        return list(families)

    def _add(self, machine: str, times: dict[tuple[str, str], int], start: str | None) -> None:
        """Add the set-up times of a machine; machines with equal ones have one entry."""
        self._set_up.add(machine)
        for entry in self.entries:
            if (entry.times, entry.start) == (times, start):
                entry.machines.append(machine)
                return
        self.entries.append(SetUpTimes([machine], times, start))

    def _check_capacities(self) -> Iterator[InputError]:
        """Yield a fault for each use of a machine with set-up times that is not the only one at a time."""
        reported: set[str] = set()
        for i in self.table.tasks:
            for mode in self.machines.modes.get(i, ()):
                for use in mode.uses:
                    capacity = self.machines.capacities.get(use.name, 1)
                    amount = self.table.cells[i].get("amount", 1)
                    is_whole = capacity == 1 and use.share is None and amount == 1
                    if use.name in self._set_up and not is_whole and use.name not in reported:
                        reported.add(use.name)
                        message = f"set-up times need a machine of capacity 1 that a task uses alone, {_PAGE}"
                        yield self.table.fault(i, "machine", f"{message}; {use.name} is not one")

    # --- times between families ---------------------------------------------------------------------

    def _read_between(self, between: SideTable) -> Iterator[InputError]:
        """Read times between families from a list or a matrix."""
        table = self.table
        for i in table.tasks:
            self._families[i] = table.cells[i].get("family", "")
        try:
            times, places = self._times_between(between)
        except InputError as error:
            yield error
            return
        known_machines = self._rows_of
        for machine, (line, column) in places.items():
            if machine and machine not in known_machines:
                yield between.fault(line, column, machine, "is not a machine of the table")
        for machine in known_machines:
            ticks = {**times.get(_ALL, {}), **times.get(machine, {})}
            families = self._families_on(machine)
            if not ticks or not any(families):
                continue
            yield from self._check_families(machine)
            if all(families):
                yield from self._check_pairs(machine, families, ticks, between)
                self._add_pairs(machine, families, ticks)
        yield from self._check_capacities()

    def _add_pairs(self, machine: str, families: list[str], ticks: Mapping[tuple[str, str], int]) -> None:
        """Add the times between the families on a machine, and those from the beginning, if there are some."""
        start = _free_name(families)
        pairs = {}
        for (before, after), value in ticks.items():
            if after in families and (before in families or not before):
                pairs[before or start, after] = value
        has_start = any(not before for before, _ in ticks)
        self._add(machine, pairs, start if has_start else None)

    def _check_families(self, machine: str) -> Iterator[InputError]:
        for i in self._rows_of[machine]:
            if not self._families[i]:
                message = f"is missing; every task on {machine} needs one, as the machine has set-up times"
                yield self.table.fault(i, "family", message)

    def _check_pairs(
        self, machine: str, families: list[str], ticks: Mapping[tuple[str, str], int], between: SideTable
    ) -> Iterator[InputError]:
        """Yield a fault for each pair of families without a set-up time."""
        has_start = any(not before for before, _ in ticks)
        befores = ["", *families] if has_start else families
        for before, after in product(befores, families):
            if before != after and (before, after) not in ticks:
                name = before or "start"
                message = f"has no set-up time from {name} to {after} on {machine}; write 0 if there is none"
                yield InputError(message, source=between.source, field="time")

    def _times_between(
        self, between: SideTable
    ) -> tuple[dict[str, dict[tuple[str, str], int]], dict[str, tuple[int, str]]]:
        """Return the ticks by machine and pair of families, and the places of the machines in the table."""
        normal_names = {split_unit(heading)[0] for heading in between.headings}
        is_list = any(name in _FIELDS["after"].split() for name in normal_names)
        if is_list:
            return self._read_list(between)
        return {_ALL: self._read_matrix(between, between.headings)}, {}

    def _read_list(
        self, between: SideTable
    ) -> tuple[dict[str, dict[tuple[str, str], int]], dict[str, tuple[int, str]]]:
        renamed = _without_units(between)
        columns = side_columns(renamed, _FIELDS, "a table of set-up times")
        for field in ("before", "after", "time"):
            if field not in columns:
                raise InputError("column is missing", source=between.source, field=field)
        self._check_units(between)
        times: dict[str, dict[tuple[str, str], int]] = {}
        places: dict[str, tuple[int, str]] = {}
        for line, cells in renamed.rows:
            machine = cell_text(cells.get(columns["machine"])) if "machine" in columns else _ALL
            places.setdefault(machine, (line, columns.get("machine", "")))
            before = _family(cells.get(columns["before"]))
            after = cell_text(cells.get(columns["after"]))
            value = cells.get(columns["time"])
            ticks = self._ticks(between, line, columns["time"], value)
            pairs = times.setdefault(machine, {})
            if pairs.setdefault((before, after), ticks) != ticks:
                raise between.fault(line, columns["time"], value, _OTHER_TIME)
        return times, places

    def _read_matrix(self, between: SideTable, headings: list[str]) -> dict[tuple[str, str], int]:
        """Return the ticks of a matrix whose first column has the families before the set-up."""
        first, *families = headings
        times: dict[tuple[str, str], int] = {}
        for line, cells in between.rows:
            before = _family(cells.get(first))
            for family in families:
                value = cells.get(family)
                if cell_text(value):
                    ticks = self._ticks(between, line, family, value)
                    if times.setdefault((before, family), ticks) != ticks:
                        raise between.fault(line, family, value, _OTHER_TIME)
        return times

    def _check_units(self, between: SideTable) -> None:
        """Raise `InputError` for another unit of time than that of the tasks."""
        expected = self.table.model.seconds_per_tick
        for heading in between.headings:
            if split_unit(heading)[1] not in (None, expected):
                message = "must have the unit of time of the tasks"
                raise InputError(message, source=between.source, field=heading)

    def _ticks(self, between: SideTable, line: int, column: str, value: Any) -> int:
        try:
            return self.table.read_length(value, column)
        except InputError as error:
            raise between.fault(line, column, value, error.message) from None


def _without_units(between: SideTable) -> SideTable:
    """Return a table whose headings have no units of time."""
    rows = []
    for line, cells in between.rows:
        renamed = {}
        for heading, value in cells.items():
            name, seconds = split_unit(heading)
            renamed[name if seconds and name != normal_name(heading) else heading] = value
        rows.append((line, renamed))
    return SideTable(rows, between.source)


def _family(value: Any) -> str:
    """Return the family before a set-up; empty for the beginning."""
    text = cell_text(value)
    return "" if text.casefold() in _BEGINNINGS else text


def _free_name(families: Collection[str], name: str = "start") -> str:
    """Return a name that no family has (default: for the state of a machine at tick 0)."""
    while name in families:
        name += "'"
    return name


def _times_of_column(
    start: str, families: list[str], ticks_of: Mapping[str, int], named: Container[str]
) -> dict[tuple[str, str], int]:
    """Return the times between families that have one set-up time each, and from the beginning.

    Parameters
    ----------
    start
        State of the machine at tick 0.
    families
        Families on the machine.
    ticks_of
        Set-up time of each family.
    named
        Families of the table, which need a set-up only after another one; others need it before each operation.
    """
    times: dict[tuple[str, str], int] = {}
    for before, after in product([start, *families], families):
        ticks = ticks_of[after]
        is_needed = before != after or after not in named
        if is_needed and (ticks or before != after):
            times[before, after] = ticks
    return times
