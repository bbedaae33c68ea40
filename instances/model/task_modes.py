"""Machines of the tasks of a table: those that are all needed, and those to choose from, as modes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, product
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from planoracle.instances.errors import InputError
from planoracle.instances.model.task_resources import (
    Capacities,
    Use,
    check_machine,
    is_any,
    names_in_choice,
    parse_use,
)
from planoracle.instances.model.validation import MAX_MODES

if TYPE_CHECKING:
    from planoracle.instances.model.task_rows import TaskTable

#: Machines of which one is used.
Choice = list[Use]


class TaskMode(NamedTuple):
    """Machines of one way to carry out a task, and its duration."""

    uses: tuple[Use, ...]
    duration: int

    @property
    def name(self) -> str:
        """Names of the machines."""
        return ", ".join(use.name for use in self.uses)


class MachineModes:
    """Modes of the tasks of a table.

    Attributes
    ----------
    modes
        Modes of each task, by its row.
    capacities
        Capacity of machines for which the table has one.
    """

    def __init__(self, table: TaskTable) -> None:
        self.table = table
        self.modes: dict[int, list[TaskMode]] = {}
        self.capacities: dict[str, int] = {}
        self._choices: dict[int, list[Choice]] = {}
        self._all_names: dict[str, None] = {}

    def read(self) -> Iterator[InputError]:
        """Read machines, capacities and durations of all tasks, and yield their faults."""
        table = self.table
        literal = "machine" in table.options.literal
        names = self._names_in_cells()
        for i in table.tasks:
            yield from self._read_machines(i, names, is_literal=literal)
        self._all_names.update(dict.fromkeys(table.durations.values()))
        for i in table.tasks:
            yield from self._resolve(i)
            yield from self._read_capacity(i)

    def all_uses(self) -> Iterator[Use]:
        """Yield the uses of all modes of all tasks, in the order of the rows."""
        for modes in self.modes.values():
            for mode in modes:
                yield from mode.uses

    def _names_in_cells(self) -> set[str]:
        """Return the texts in the cells of machines, in lower case."""
        names: set[str] = set()
        for i in self.table.tasks:
            for field in ("machine", "alternatives"):
                names.update(map(str.casefold, self.table.cells[i].get(field, ())))
        return names

    def _read_machines(self, i: int, names: set[str], *, is_literal: bool) -> Iterator[InputError]:
        """Read the machines that a row names; ``any`` is resolved when all names are known."""
        table = self.table
        cells = table.cells[i]
        choices: list[Choice] = []
        for text in cells.get("machine", ()):
            try:
                choices.append([Use(text)] if is_literal else self._choice(text, names))
            except InputError as error:
                yield table.fault(i, "machine", error.message)
        alternatives = cells.get("alternatives", ())
        if alternatives and len(choices) > 1:
            message = "is ambiguous beside several machines; write the choice in the column machine, as in M1 or M2"
            yield table.fault(i, "alternatives", message)
        elif alternatives:
            alternative_uses: Choice = []
            for text in alternatives:
                try:
                    alternative_uses += self._choice(text, names)
                except InputError as error:
                    yield table.fault(i, "alternatives", error.message)
            first = choices[0] if choices else []
            choices = [list(dict.fromkeys([*first, *alternative_uses]))]
        self._choices[i] = choices
        for use in chain.from_iterable(choices):
            if not is_any(use.name):
                self._all_names[use.name] = None

    def _choice(self, text: str, names: set[str]) -> Choice:
        """Return the machines to choose from in a text."""
        if is_any(text):
            return [Use(text)]
        uses = []
        for name in names_in_choice(text, names):
            use = parse_use(name, names)
            check_machine(use.name, names)
            uses.append(use)
        return uses

    def _resolve(self, i: int) -> Iterator[InputError]:
        """Make the modes of a task from its machines and durations."""
        table = self.table
        choices = []
        for choice in self._choices[i]:
            machines = self._machines_of(i, choice)
            if not machines:
                message = "no row names a machine that any could stand for; write the names, as in M1 or M2"
                if table.durations:
                    message = "no machine has a duration in this row"
                yield table.fault(i, "machine", message)
            choices.append(machines)
        if not choices and table.times_on[i]:
            if "duration" in table.cells[i]:
                message = "is ambiguous beside durations on machines; write the machine, or leave one of both empty"
                yield table.fault(i, "duration", message)
            choices = [[Use(name) for name in table.times_on[i]]]
        field = "machine" if "machine" in table.columns else "alternatives"
        count = prod(map(len, choices))
        if count > MAX_MODES:
            yield table.fault(i, field, f"must have at most {MAX_MODES} choices of machines, not {count}")
            return
        modes: dict[TaskMode, None] = {}
        for uses in product(*choices):
            try:
                modes[TaskMode(uses, self._duration(i, uses))] = None
            except InputError as error:
                yield error
                return
        self.modes[i] = list(modes)
        if len(self._choices[i]) > 1 and any(_uses_twice(mode) for mode in modes):
            yield table.fault(i, "machine", "uses a machine twice; the machines of a row must differ")

    def _machines_of(self, i: int, choice: Choice) -> Choice:
        """Return the machines of a choice; with columns of durations, any machine has one."""
        if not any(is_any(use.name) for use in choice):
            return choice
        if self.table.durations:
            machines = self.table.durations.values()
            return [Use(name) for name in machines if name in self.table.times_on[i]]
        return [Use(name) for name in self._all_names]

    def _duration(self, i: int, uses: Sequence[Use]) -> int:
        """Return the duration of a task on machines."""
        table = self.table
        times = table.times_on[i]
        durations = {use.name: times[use.name] for use in uses if use.name in times}
        if len(durations) > 1:
            message = f"has a duration on each of {' and '.join(durations)}, which it needs together"
            raise self._duration_fault(i, message)
        if durations:
            return next(iter(durations.values()))
        duration: int | None = table.cells[i].get("duration")
        if duration is not None:
            return duration
        machines = ", ".join(use.name for use in uses)
        message = f"has no duration on {machines}" if machines else "has neither a duration nor a machine"
        raise self._duration_fault(i, message)

    def _duration_fault(self, i: int, message: str) -> InputError:
        table = self.table
        line, cells = table.rows[i]
        column = table.columns.get("duration") or next(iter(table.durations))
        return InputError(message, field=column, value=cells.get(column), line=line)

    def _read_capacity(self, i: int) -> Iterator[InputError]:
        """Read the capacity in a row, which holds for all its machines."""
        table = self.table
        uses = list(chain.from_iterable(mode.uses for mode in self.modes.get(i, ())))
        has_share = any(use.share is not None for use in uses)
        if "amount" in table.cells[i] and has_share:
            yield table.fault(i, "amount", "the machine has a share in brackets; write one of both")
        capacity = table.cells[i].get("capacity")
        if capacity is None:
            return
        if not capacity:
            yield table.fault(i, "capacity", "must be 1 or more")
        for use in dict.fromkeys(uses):
            if self.capacities.setdefault(use.name, capacity) != capacity:
                message = f"another row gives {use.name} the capacity {self.capacities[use.name]}"
                yield table.fault(i, "capacity", message)


def excessive_tasks(
    modes: Mapping[int, Sequence[TaskMode]], capacities: Capacities, amounts: Mapping[int, int]
) -> list[int]:
    """Return the rows of the tasks that have a mode with more units of a machine than there are.

    Parameters
    ----------
    modes
        Modes by row.
    amounts
        Units in use by row.
    """
    rows = []
    for i, modes_of_task in modes.items():
        uses = chain.from_iterable(mode.uses for mode in modes_of_task)
        if any(capacities.amount(use, amounts[i]) > capacities.capacities[use.name] for use in uses):
            rows.append(i)
    return rows


def _uses_twice(mode: TaskMode) -> bool:
    names = [use.name for use in mode.uses]
    return len(set(names)) < len(names)
