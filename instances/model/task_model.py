"""Model of a table of tasks: resources, agents, actions and time lags of its rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

from planoracle.instances.errors import InputError, InputNote, combine_errors
from planoracle.instances.model.task_columns import TableOptions, normal_name
from planoracle.instances.model.task_links import minimum_lag
from planoracle.instances.model.task_resources import (
    ANY,
    COUNT_NAMES,
    Capacities,
    Use,
    agent_names,
    check_machine,
    is_count,
    is_joint_name,
    parse_use,
)
from planoracle.instances.model.task_rows import Row, TaskTable, is_blank
from planoracle.instances.model.validation import MAX_ACTIONS

if TYPE_CHECKING:
    from planoracle.instances.model.builder import Model

_BEGIN: Final = "time/begin"
# Names in a note.
_LISTED: Final = 5


class TableSource(NamedTuple):
    """Places of a table to which faults of the instance refer.

    Attributes
    ----------
    lines
        Line (or number) of each action.
    columns
        Column of each field.
    """

    lines: dict[str, int]
    columns: dict[str, str]


class StartBounds(NamedTuple):
    """Bounds of the start of a task, in ticks; ``latest`` and ``deadline`` are ``None`` without a bound.

    Attributes
    ----------
    release, latest
        Earliest and latest start.
    deadline
        Latest end.
    """

    release: int
    latest: int | None
    deadline: int | None

    @property
    def is_limited(self) -> bool:
        """True if the start has an upper bound."""
        return self.latest is not None or self.deadline is not None


def add_rows(model: Model, rows: Iterable[Row], options: TableOptions, source: str = "") -> TableSource:
    """Add the rows of a table to an empty model: actions, time lags, resources and agents.

    Parameters
    ----------
    source
        File of the table, for notes.

    Raises
    ------
    InputError
        With line, column and value of every fault (`planoracle.instances.errors.FaultsError` for several). Duplicate
        and empty names are faults of the instance.
    """
    table = TaskTable(model, _read_rows(rows), options)
    table.set_unit()
    builder = _ModelBuilder(model, table)
    for stage in (_cells_of(table), table.link_rows(), builder.read()):
        if error := combine_errors(stage):
            raise error
    builder.add()
    for text in table.notes:
        note = f"{source}: {text}" if source else text
        warnings.warn(InputNote(note), stacklevel=3)
    lines = {}
    for i in table.tasks:
        lines[table.ids[i]] = table.rows[i][0]
    return TableSource(lines, table.columns)


def _read_rows(rows: Iterable[Row]) -> list[Row]:
    """Return the rows that are not blank; of blank rows none is in memory."""
    remaining: list[Row] = []
    for row in rows:
        if is_blank(row[1]):
            continue
        if len(remaining) == MAX_ACTIONS:
            raise InputError(f"must have at most {MAX_ACTIONS} rows that are not blank", line=row[0])
        remaining.append(row)
    return remaining


def _cells_of(table: TaskTable) -> Iterator[InputError]:
    yield from table.check_restrictions()
    yield from table.read_cells()
    yield from table.check_summaries()


class _ModelBuilder:
    """Conversion of the values of a table into a model."""

    def __init__(self, model: Model, table: TaskTable) -> None:
        self.model, self.table = model, table
        self.uses: dict[int, list[Use]] = {}
        self.capacities: dict[str, int] = {}
        self.agents: dict[int, list[str]] = {}
        self.bounds: dict[int, StartBounds] = {}
        #: Minimum and maximum lag of each pair of rows, by the later row.
        self.lags: dict[int, dict[int, tuple[int, int | None]]] = {}

    def read(self) -> Iterator[InputError]:
        """Read resources, agents, bounds and lags, and yield their faults."""
        self._read_summaries()
        yield from self._read_machines()
        yield from self._read_agents()
        for i in self.table.tasks:
            yield from self._read_bounds(i)
        yield from self._read_lags()

    def _read_summaries(self) -> None:
        """Let releases and deadlines of summary rows hold for the tasks below them."""
        cells = self.table.cells
        for i, leaves in self.table.summaries.items():
            for leaf in leaves:
                if "release" in cells[i]:
                    release = cells[leaf].get("release", 0)
                    cells[leaf]["release"] = max(cells[i]["release"], release)
                if "deadline" in cells[i]:
                    deadline = cells[i]["deadline"]
                    deadline_of_leaf = cells[leaf].get("deadline", deadline)
                    cells[leaf]["deadline"] = min(deadline, deadline_of_leaf)

    # --- machines and agents ----------------------------------------------------------------------

    def _read_machines(self) -> Iterator[InputError]:
        table = self.table
        is_literal = "machine" in table.options.literal
        names = self._names_in("machine")
        for i in table.tasks:
            self.uses[i] = []
            for name in table.cells[i].get("machine", ()):
                try:
                    use = Use(name) if is_literal else parse_use(name, names)
                    if not is_literal:
                        check_machine(use.name, names)
                    self.uses[i].append(use)
                except InputError as error:
                    yield table.fault(i, "machine", error.message)
            has_share = any(use.share is not None for use in self.uses[i])
            if "amount" in table.cells[i] and has_share:
                yield table.fault(i, "amount", "the machine has a share in brackets; write one of both")
            yield from self._read_capacity(i)
        if not is_literal:
            self._note_joint_names("machine", [use.name for use in self._all_uses()])

    def _names_in(self, field: str) -> set[str]:
        """Return the names in the cells of a field, in lower case."""
        names: set[str] = set()
        for i in self.table.tasks:
            names_in_cell = self.table.cells[i].get(field, ())
            names.update(map(str.casefold, names_in_cell))
        return names

    def _all_uses(self) -> Iterator[Use]:
        return chain.from_iterable(self.uses.values())

    def _read_capacity(self, i: int) -> Iterator[InputError]:
        """Read the capacity in a row, which holds for all its machines."""
        capacity = self.table.cells[i].get("capacity")
        if capacity is None:
            return
        if not capacity:
            yield self.table.fault(i, "capacity", "must be 1 or more")
        for use in self.uses[i]:
            if self.capacities.setdefault(use.name, capacity) != capacity:
                message = f"another row gives {use.name} the capacity {self.capacities[use.name]}"
                yield self.table.fault(i, "capacity", message)

    def _read_agents(self) -> Iterator[InputError]:
        table, model = self.table, self.model
        columns = table.columns
        is_attended = bool(model.agents or columns.keys() & {"attended", "unattended"})
        default = ["any"] if is_attended and "agent" not in columns else []
        is_literal = "agent" in table.options.literal
        may_be_count = normal_name(columns.get("agent", "")) in COUNT_NAMES and not is_literal
        names = self._names_in("agent")
        for i in table.tasks:
            self.agents[i] = []
            for name in table.cells[i].get("agent", default):
                if may_be_count and is_count(name):
                    message = "numbers of agents are not supported, see .docs/limits.md; write names of agents, or "
                    yield table.fault(i, "agent", f"{message}--names agent takes the cells as they are")
                    continue
                try:
                    self.agents[i] += [name] if is_literal else agent_names(name, names)
                except InputError as error:
                    yield table.fault(i, "agent", error.message)
        self._name_agents()
        if not is_literal:
            self._note_joint_names("agent", chain.from_iterable(self.agents.values()))

    def _name_agents(self) -> None:
        """Set the agents of the model, and note what the table leaves open."""
        table, model = self.table, self.model
        named = dict.fromkeys(model.agents)
        for agents in self.agents.values():
            names = [name for name in agents if name.casefold() not in ANY]
            named.update(dict.fromkeys(names))
        has_attended = any(self.agents.values())
        if "agent" in table.columns and has_attended and not named:
            table.notes.append("no agent has a name: there is one, and --agents N sets the number")
        model.agents = tuple(named) or (("agent",) if has_attended else ())
        count = list(self.agents.values()).count([])
        if "agent" in table.columns and count:
            table.notes.append(f"tasks without an agent ({count}) need no agent; 'any' makes all agents eligible")
        elif not has_attended and not any(self.uses.values()):
            table.notes.append("no column agent or machine: tasks wait only for their predecessors")

    def _note_joint_names(self, field: str, names: Iterable[str]) -> None:
        joint = list(dict.fromkeys(filter(is_joint_name, names)))
        if joint:
            listed = ", ".join(joint[:_LISTED])
            if len(joint) > _LISTED:
                listed += ", …"
            self.table.notes.append(f"each of these is one {field}: {listed}; ';' separates several")

    # --- times ------------------------------------------------------------------------------------

    def _read_bounds(self, i: int) -> Iterator[InputError]:
        """Read the bounds of the start of a task."""
        table, cells = self.table, self.table.cells[i]
        duration = cells["duration"]
        release = cells.get("release", 0)
        fields = ("latest_start", "fixed_start")
        starts: dict[str, int] = {field: cells[field] for field in fields if field in cells}
        if "fixed_end" in cells:
            starts["fixed_end"] = cells["fixed_end"] - duration
        if starts and cells.get("interruptible"):
            yield table.fault(i, next(iter(starts)), "is not supported for tasks that may be interrupted")
        fixed = [start for field, start in starts.items() if field != "latest_start"]
        too_early = [field for field, start in starts.items() if start < release]
        for field in too_early:
            yield table.fault(i, field, f"is too early: the task starts no earlier than {release}")
        release = max([release, *fixed])
        if fixed and not too_early and min(starts.values()) < release:
            yield table.fault(i, next(iter(starts)), "contradicts another column for the start of the task")
        earliest_end = release + duration
        deadline = cells.get("deadline")
        if deadline is not None and deadline < earliest_end:
            message = f"is earlier than the earliest end of the task, {earliest_end}"
            yield table.fault(i, "deadline", message)
        latest = min(starts.values()) if starts else None
        self.bounds[i] = StartBounds(release, latest, deadline)

    def _read_lags(self) -> Iterator[InputError]:
        """Join the links between the same two tasks into one lag each."""
        table = self.table
        yield from self._lags_of_successors()
        durations = [cells.get("duration", 0) for cells in table.cells]
        interruptible = [cells.get("interruptible", False) for cells in table.cells]
        for link, row, field in table.links:
            cells = table.cells[link.after]
            column_lag = cells.get("min_lag", 0)
            maximum = cells.get("max_lag")
            is_plain = link.type == "FS"
            if ((column_lag or maximum is not None) and not is_plain) or (column_lag and link.lag is not None):
                lag_field = "min_lag" if column_lag else "max_lag"
                yield table.fault(link.after, lag_field, "concerns plain predecessors; write lags of links as in 3SS+2")
                continue
            try:
                minimum = column_lag
                if link.lag is not None or not is_plain:
                    minimum = minimum_lag(link, durations, interruptible)
            except InputError as error:
                yield table.fault(row, field, error.message)
                continue
            self._add_lag(link.before, link.after, minimum, maximum)

    def _lags_of_successors(self) -> Iterator[InputError]:
        """Yield faults of lags in a table with successors, where it is open to which links they belong."""
        table = self.table
        if not any(field == "successors" for _, _, field in table.links):
            return
        for i in table.tasks:
            field = "min_lag" if table.cells[i].get("min_lag") else "max_lag"
            if field in table.cells[i]:
                message = "is ambiguous in a table with successors; write predecessors, or lags of links as in 3FS+2"
                yield table.fault(i, field, message)

    def _add_lag(self, before: int, after: int, minimum: int, maximum: int | None) -> None:
        lags = self.lags.setdefault(after, {})
        if before in lags:
            previous_minimum, previous_maximum = lags[before]
            minimum = max(minimum, previous_minimum)
            bounds = [bound for bound in (maximum, previous_maximum) if bound is not None]
            maximum = min(bounds, default=None)
        lags[before] = minimum, maximum

    # --- model ------------------------------------------------------------------------------------

    def add(self) -> None:
        """Add resources and actions; deadlines and fixed starts are lags from a first milestone."""
        model, table = self.model, self.table
        capacities = Capacities(self._all_uses(), self.capacities)
        for machine, capacity in capacities.capacities.items():
            model.resource(machine, capacity)
        if capacities.assumed:
            listed = ", ".join(capacities.assumed[:_LISTED])
            table.notes.append(f"capacity taken from the largest share in use: {listed}; a column capacity sets it")
        has_bounds = any(bounds.is_limited for bounds in self.bounds.values())
        if has_bounds:
            model.task("time").action("begin", 0, agents=())
        for i in table.tasks:
            self._add_action(i, capacities, has_bounds)
        self._note_fixed_tasks()

    def _add_action(self, i: int, capacities: Capacities, has_bounds: bool) -> None:
        """Add the action of a row with its lags."""
        model, table = self.model, self.table
        cells = table.cells[i]
        bounds = self.bounds[i]
        job, _, name = table.ids[i].partition("/")
        agents: Sequence[str] | None = self.agents[i]
        if any(agent not in model.agents for agent in self.agents[i]):
            agents = None
        is_interruptible = cells.get("interruptible", False)
        attended = not cells.get("unattended") and cells.get("attended", True)
        attended_ticks = None if attended is True else int(attended)
        release = 0 if has_bounds else bounds.release
        model.task(job).action(
            name,
            cells["duration"],
            attended=attended_ticks,
            interruptible=is_interruptible,
            release=release,
            agents=agents,
            label=cells.get("label", ""),
        )
        for use in self.uses[i]:
            amount = cells.get("amount", 1)
            model.uses(use.name, capacities.amount(use, amount))
        for before, (minimum, maximum) in self.lags.get(i, {}).items():
            model.after(table.ids[before], minimum, maximum)
        if has_bounds:
            self._add_bounds(name, cells["duration"], bounds, is_interruptible)

    def _add_bounds(self, name: str, duration: int, bounds: StartBounds, is_interruptible: bool) -> None:
        """Bound the start of the last action; the end of an interruptible one is a milestone of its own."""
        model = self.model
        latest_starts = [] if bounds.latest is None else [bounds.latest]
        if bounds.deadline is not None and not is_interruptible:
            latest_starts.append(bounds.deadline - duration)
        model.after(_BEGIN, bounds.release, min(latest_starts, default=None))
        if bounds.deadline is not None and is_interruptible:
            end = model.action(f"{name} done", 0, agents=(), after=name)
            end.after(_BEGIN, None, bounds.deadline)

    def _note_fixed_tasks(self) -> None:
        """Note tasks at a fixed time, as a break is one: it counts into the makespan."""
        tasks = self.table.tasks
        fixed = [self.table.ids[i] for i in tasks if self._is_fixed(i)]
        if fixed:
            listed = ", ".join(fixed[:_LISTED])
            note = f"tasks at a fixed time ({len(fixed)}) count into the makespan: {listed}"
            self.table.notes.append(note)

    def _is_fixed(self, i: int) -> bool:
        cells = self.table.cells[i]
        bounds = self.bounds[i]
        if bounds.latest == bounds.release:
            return True
        earliest_end = bounds.release + cells["duration"]
        return bounds.deadline == earliest_end and not cells.get("interruptible")
