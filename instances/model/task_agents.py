"""Agents of the tasks in a table, and numbers of workers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Final

from planoracle.instances.errors import InputError
from planoracle.instances.model.task_columns import normal_name
from planoracle.instances.model.task_modes import MachineModes
from planoracle.instances.model.task_resources import ANY, COUNT_NAMES, agent_names, count_of, is_joint_name, listed
from planoracle.instances.model.task_rows import TaskTable

if TYPE_CHECKING:
    from planoracle.instances.model.builder import Model

#: Resource of which tasks with a number of workers use units.
WORKERS: Final = "workers"
_MIXTURE: Final = (
    "the column has names of agents and numbers of workers; write either of them, or take the cells as names by "
    "--names agent"
)


class TaskAgents:
    """Eligible agents of the tasks of a table, and numbers of workers that the tasks need at once.

    Attributes
    ----------
    names
        Names of the agents of each task, by its row.
    """

    def __init__(self, model: Model, table: TaskTable, machines: MachineModes) -> None:
        self.model = model
        self.table = table
        self.machines = machines
        self.names: dict[int, list[str]] = {}

    def read(self) -> Iterator[InputError]:
        """Read agents and numbers of workers, and yield their faults."""
        yield from self._read_agents()
        yield from self._read_workers()

    def workers(self, i: int) -> int:
        """Return the number of workers that a task needs at once, none if an agent does it."""
        workers: int = self.table.cells[i].get("workers", 0)
        return 0 if self.names[i] else workers

    def _names_in_cells(self) -> set[str]:
        """Return all names of agents in the table, in lower case."""
        names: set[str] = set()
        for i in self.table.tasks:
            names_in_cell = self.table.cells[i].get("agent", ())
            names.update(map(str.casefold, names_in_cell))
        return names

    def _read_agents(self) -> Iterator[InputError]:
        table, model = self.table, self.model
        columns = table.columns
        is_attended = bool(model.agents or columns.keys() & {"attended", "unattended"})
        default = ["any"] if is_attended and "agent" not in columns else []
        is_literal = "agent" in table.options.literal
        may_be_count = normal_name(columns.get("agent", "")) in COUNT_NAMES and not is_literal
        names = self._names_in_cells()
        for i in table.tasks:
            self.names[i] = []
            for name in table.cells[i].get("agent", default):
                try:
                    if may_be_count and count_of(name) is not None:
                        raise InputError(_MIXTURE)
                    self.names[i] += [name] if is_literal else agent_names(name, names)
                except InputError as error:
                    yield table.fault(i, "agent", error.message)
        self._name_agents()
        note_similar_names(table, "agent", model.agents)
        if not is_literal:
            note_joint_names(table, "agent", chain.from_iterable(self.names.values()))

    def _name_agents(self) -> None:
        """Set the agents of the model, and note what the table leaves open."""
        table, model = self.table, self.model
        named = dict.fromkeys(model.agents)
        for agents in self.names.values():
            names = [name for name in agents if name.casefold() not in ANY]
            named.update(dict.fromkeys(names))
        has_attended = any(self.names.values())
        if "agent" in table.columns and has_attended and not named:
            table.notes.append("no agent has a name: there is one, and --agents N sets the number")
        model.agents = tuple(named) or (("agent",) if has_attended else ())
        count = list(self.names.values()).count([])
        has_resources = any(self.machines.all_uses()) or "workers" in table.columns
        if "agent" in table.columns and count:
            table.notes.append(f"tasks without an agent ({count}) need no agent; 'any' makes all agents eligible")
        elif not has_attended and not has_resources:
            table.notes.append("no column agent or machine: tasks wait only for their predecessors")

    def _read_workers(self) -> Iterator[InputError]:
        """Check the numbers of workers that tasks need at once."""
        table = self.table
        count = table.options.workers
        rows = [i for i in table.tasks if table.cells[i].get("workers")]
        if "workers" not in table.columns:
            if count is not None:
                table.notes.append(
                    "no column workers: the number of workers has no effect; --map workers=COLUMN sets it"
                )
            return
        for i in rows:
            if self.names[i] and table.cells[i]["workers"] > 1:
                message = "several agents for one task are not supported, see .docs/limits.md; an action has one agent"
                yield table.fault(i, "workers", message)
        if count is None and any(not self.names[i] for i in rows):
            message = "numbers of workers need the number that there are: --workers N"
            yield table.fault(rows[0], "workers", message)
        if rows and any(use.name == WORKERS for use in self.machines.all_uses()):
            yield table.fault(rows[0], "workers", f"a machine has the name {WORKERS}, which the workers have")


def note_joint_names(table: TaskTable, field: str, names: Iterable[str]) -> None:
    """Note names with a separator in them that are taken as one name."""
    joint = list(dict.fromkeys(filter(is_joint_name, names)))
    if joint:
        table.notes.append(f"each of these is one {field}: {listed(joint)}; ';' separates several")


def note_similar_names(table: TaskTable, field: str, names: Iterable[str]) -> None:
    """Note names that differ only in capitals."""
    spellings: dict[str, dict[str, None]] = {}
    for name in names:
        spellings.setdefault(name.casefold(), {})[name] = None
    for group in spellings.values():
        if len(group) > 1:
            table.notes.append(f"each of these is one {field}, as capitals count: {listed(list(group))}")
