"""Model of a table of tasks: resources, agents, actions and time lags of its rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from planoracle.instances.errors import InputError, InputNote, combine_errors
from planoracle.instances.model.instance import Action, Lag
from planoracle.instances.model.task_agents import WORKERS, TaskAgents, note_joint_names, note_similar_names
from planoracle.instances.model.task_bounds import TaskBounds
from planoracle.instances.model.task_calendars import (
    OffTime,
    OffTimeReader,
    SideTable,
    calendars_of,
    moments_of,
    single_spans,
)
from planoracle.instances.model.task_columns import TableOptions
from planoracle.instances.model.task_modes import MachineModes, TaskMode, excessive_tasks
from planoracle.instances.model.task_moments import off_span, window_span
from planoracle.instances.model.task_resources import (
    ANY,
    Capacities,
    listed,
)
from planoracle.instances.model.task_rows import Row, TaskTable, is_blank
from planoracle.instances.model.task_setups import SetUps
from planoracle.instances.model.validation import MAX_ACTIONS

if TYPE_CHECKING:
    from planoracle.instances.model.builder import Model


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


class SideTables(NamedTuple):
    """Tables beside that of the tasks: off-times, and set-up times between families."""

    calendar: SideTable | None = None
    setups: SideTable | None = None


#: No tables beside that of the tasks.
NO_SIDE_TABLES: Final = SideTables()


def add_rows(
    model: Model, rows: Iterable[Row], options: TableOptions, source: str = "", side_tables: SideTables = NO_SIDE_TABLES
) -> TableSource:
    """Add the rows of a table to an empty model: actions, time lags, resources and agents.

    Parameters
    ----------
    source
        File of the table, for notes.
    side_tables
        Tables of off-times and set-up times.

    Raises
    ------
    InputError
        With line, column and value of every fault (`planoracle.instances.errors.FaultsError` for several). Duplicate
        and empty names are faults of the instance.
    """
    table = TaskTable(model, _read_rows(rows), options)
    table.set_start(moments_of(side_tables.calendar) if side_tables.calendar else ())
    table.set_unit()
    table.check_unit()
    builder = _ModelBuilder(model, table, side_tables)
    for stage in (_cells_of(table), table.link_rows(), builder.read(), builder.bounds.read()):
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

    def __init__(self, model: Model, table: TaskTable, side_tables: SideTables) -> None:
        self.model = model
        self.table = table
        self.side_tables = side_tables
        self.machines = MachineModes(table)
        self.set_ups = SetUps(table, self.machines, side_tables.setups)
        self.agents = TaskAgents(model, table, self.machines)
        self.weights: dict[str, int] = {}
        self.off_times: list[OffTime] = []
        #: Windows of each task, as the builder takes them.
        self.windows: dict[int, list[tuple[Any, Any]]] = {}
        self.bounds = TaskBounds(table, self.machines, model.clock)

    def read(self) -> Iterator[InputError]:
        """Read resources, agents, optional jobs, set-up times and off-times, and yield their faults."""
        self._read_summaries()
        yield from self.machines.read()
        self._note_machines()
        yield from self.agents.read()
        yield from self._read_pauses()
        yield from self._read_windows()
        yield from self._read_optional_jobs()
        yield from self.set_ups.read()
        yield from self._read_off_times()

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

    def _note_machines(self) -> None:
        names = [use.name for use in self.machines.all_uses()]
        note_similar_names(self.table, "machine", names)
        if "machine" not in self.table.options.literal:
            note_joint_names(self.table, "machine", names)

    def _read_pauses(self) -> Iterator[InputError]:
        """Yield faults of rows whose two columns of pauses contradict each other."""
        table = self.table
        for i in table.tasks:
            cells = table.cells[i]
            if "pauses" in cells and "interruptible" in cells:
                is_anywhere = cells["pauses"] == "anywhere"
                if is_anywhere != cells["interruptible"]:
                    yield table.fault(i, "pauses", f"contradicts the column {table.columns['interruptible']}")

    def _read_windows(self) -> Iterator[InputError]:
        """Read the windows of all rows."""
        table = self.table
        for i in table.tasks:
            windows = self.windows.setdefault(i, [])
            try:
                for begin, end in table.cells[i].get("windows", ()):
                    windows.append(window_span(begin, end, self.model.clock))
                self.model.clock.windows(windows)
            except InputError as error:
                yield table.fault(i, "windows", error.message)

    # --- optional jobs ----------------------------------------------------------------------------

    def _read_optional_jobs(self) -> Iterator[InputError]:
        """Read which jobs are optional, and their weights."""
        table = self.table
        if not any(table.is_optional(i) for i in table.tasks):
            return
        rows_of_jobs: dict[str, list[int]] = {}
        for i in table.tasks:
            rows_of_jobs.setdefault(table.ids[i].partition("/")[0], []).append(i)
        field = "optional" if "optional" in table.columns else "mandatory"
        for job, rows in rows_of_jobs.items():
            optional_rows = [i for i in rows if table.is_optional(i)]
            if optional_rows and len(optional_rows) < len(rows):
                first = next(i for i in rows if i not in optional_rows)
                message = f"must be equal in all rows of the job {job}, which is executed as a whole or not at all"
                yield table.fault(first, field, message)
            elif optional_rows:
                yield from self._read_weight(job, rows)

    def _read_weight(self, job: str, rows: Sequence[int]) -> Iterator[InputError]:
        """Read the weight of an optional job: 1 without a column, else equal in all its rows."""
        table = self.table
        if "weight" not in table.columns:
            self.weights[job] = 1
            return
        weights = {i: table.cells[i].get("weight") for i in rows}
        first = weights[rows[0]]
        for i, weight in weights.items():
            if weight is None:
                yield table.fault(i, "weight", "must be a whole number above 0 for an optional job")
            elif first is not None and weight != first:
                yield table.fault(i, "weight", f"must be equal in all rows of the job {job}: {first} before")
        self.weights[job] = first or 1

    # --- off-times --------------------------------------------------------------------------------

    def _members(self) -> list[str]:
        """Return machines, agents and workers."""
        names = dict.fromkeys(use.name for use in self.machines.all_uses())
        names.update(dict.fromkeys(self.model.agents))
        if "workers" in self.table.columns:
            names[WORKERS] = None
        return list(names)

    def _read_off_times(self) -> Iterator[InputError]:
        """Read off-times in columns of the tasks, and in a table of their own."""
        table = self.table
        for field in ("unavailable", "machine_unavailable", "agent_unavailable"):
            for i in table.tasks:
                if field in table.cells[i]:
                    try:
                        self._add_off_times(i, field)
                    except InputError as error:
                        yield table.fault(i, field, error.message)
        side_table = self.side_tables.calendar
        if side_table is not None:
            try:
                reader = OffTimeReader(side_table, self._members(), self.model.clock)
                yield from reader.read()
                self.off_times += reader.off_times
            except InputError as error:
                yield error

    def _add_off_times(self, i: int, field: str) -> None:
        """Add the off-times in a cell to the machine or the agent of its row."""
        clock = self.model.clock
        member = self._member_of(i, field)
        for begin, end in self.table.cells[i][field]:
            first, last = off_span(begin, end, clock)
            spans, period = single_spans(first, last, clock)
            for span in spans:
                self.off_times.append(OffTime(member, *span, period))

    def _member_of(self, i: int, field: str) -> str:
        """Return the machine or the agent that the off-times of a row concern."""
        machines = dict.fromkeys(chain.from_iterable(mode.uses for mode in self.machines.modes[i]))
        agents = self.agents.names[i]
        names = {
            "unavailable": [*(use.name for use in machines), *agents],
            "machine_unavailable": [use.name for use in machines],
            "agent_unavailable": agents,
        }[field]
        if len(names) == 1 and names[0].casefold() not in ANY:
            return names[0]
        advice = "--calendar FILE reads off-times by the names of machines and agents"
        if not names:
            raise InputError(f"concerns no machine and no agent, as the row has none; {advice}")
        raise InputError(f"could concern {' or '.join(names)}; {advice}")

    # --- model ------------------------------------------------------------------------------------

    def add(self) -> None:
        """Add resources, actions, calendars, set-up times and optional jobs."""
        model, table = self.model, self.table
        capacities = Capacities(self.machines.all_uses(), self.machines.capacities)
        for machine, capacity in capacities.capacities.items():
            model.resource(machine, capacity)
        needs_workers = any(self.agents.workers(i) for i in table.tasks)
        if needs_workers:
            model.resource(WORKERS, table.options.workers or 1)
        if capacities.assumed:
            assumed = listed(capacities.assumed)
            table.notes.append(f"capacity taken from the largest share in use: {assumed}; a column capacity sets it")
        rows = {self.table.ids[i]: i for i in table.tasks}
        lags: dict[str, list[Lag]] = {}
        for lag in self.bounds.points.lags():
            lags.setdefault(lag.after, []).append(lag)
        for action in self.bounds.points.actions():
            if action.id in rows:
                self._add_action(rows[action.id], action, capacities)
            else:
                self._add_milestone(action)
            for lag in lags.get(action.id, ()):
                model.after(lag.before, lag.minimum, lag.maximum)
        for entry in calendars_of(self.off_times):
            model.calendar(entry.members, entry.off, entry.period)
        for set_up in self.set_ups.entries:
            start = None if set_up.start is None else dict.fromkeys(set_up.machines, set_up.start)
            model.setup(set_up.machines, set_up.times, start)
        for job, weight in self.weights.items():
            model.optional(job, weight)
        self._note_fixed_tasks()
        self._note_excess(capacities)
        has_lags = any(lag.minimum or lag.maximum for lag in self.bounds.points.lags())
        if self.off_times and has_lags:
            table.notes.append("lags are elapsed time, which also passes while machines and agents are off")

    def _add_milestone(self, milestone: Action) -> None:
        """Add a milestone for the start or the end of a task."""
        name = milestone.id.partition("/")[2]
        task = self.model.task(milestone.task)
        task.action(name, 0, agents=(), release=milestone.release, deadline=milestone.deadline)

    def _add_action(self, i: int, action: Action, capacities: Capacities) -> None:
        """Add the action of a row."""
        model, table = self.model, self.table
        cells = table.cells[i]
        job, _, name = table.ids[i].partition("/")
        agents: Sequence[str] | None = self.agents.names[i]
        if any(agent not in model.agents for agent in self.agents.names[i]):
            agents = None
        modes = self.machines.modes[i]
        is_one_length = len({mode.duration for mode in modes}) == 1
        model.task(job).action(
            name,
            modes[0].duration if is_one_length else None,
            attended=self._attended(i),
            pauses=self.bounds.pauses(i),
            release=action.release,
            agents=agents,
            label=cells.get("label", ""),
            deadline=action.deadline,
            windows=self.windows[i],
        )
        for mode in modes:
            if len(modes) > 1:
                model.mode(mode.name, duration=None if is_one_length else mode.duration)
            self._add_uses(i, mode, capacities)

    def _attended(self, i: int) -> int | None:
        """Return the time for which a task holds its agent, as the builder takes it."""
        cells = self.table.cells[i]
        attended = not cells.get("unattended") and cells.get("attended", True)
        if attended is True:
            return None
        return int(attended)

    def _add_uses(self, i: int, mode: TaskMode, capacities: Capacities) -> None:
        """Add the uses of one mode of a row to the last mode of the model."""
        amount = self.table.cells[i].get("amount", 1)
        for use in mode.uses:
            family = self.set_ups.family(i, use.name)
            self.model.uses(use.name, capacities.amount(use, amount), family=family)
        if workers := self.agents.workers(i):
            self.model.uses(WORKERS, workers)

    def _note_excess(self, capacities: Capacities) -> None:
        """Note tasks with a mode that needs more than there is: it is never chosen."""
        table = self.table
        amounts = {i: table.cells[i].get("amount", 1) for i in table.tasks}
        rows = excessive_tasks(self.machines.modes, capacities, amounts)
        workers = table.options.workers or 0
        rows += [i for i in table.tasks if self.agents.workers(i) > workers]
        if rows:
            names = list(dict.fromkeys(table.ids[i] for i in rows))
            table.notes.append(f"need more than there is, and cannot be done so ({len(names)}): {listed(names)}")

    def _note_fixed_tasks(self) -> None:
        """Note tasks at a fixed time, as a break is one: it counts into the makespan."""
        fixed = [self.table.ids[i] for i in self.table.tasks if self.bounds.is_fixed(i)]
        if fixed:
            note = f"tasks at a fixed time ({len(fixed)}) count into the makespan: {listed(fixed)}"
            self.table.notes.append(note)
