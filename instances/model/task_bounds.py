"""Bounds of the starts and ends of tasks in a table, and links between tasks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from planoracle.instances.errors import InputError
from planoracle.instances.model.clock_times import LocalClock
from planoracle.instances.model.end_points import END, START, EndPoints
from planoracle.instances.model.instance import Action, Mode
from planoracle.instances.model.task_links import Link
from planoracle.instances.model.task_modes import MachineModes
from planoracle.instances.model.task_rows import TaskTable

_FIXED: Final = ("fixed_start", "fixed_end")


class TaskBounds:
    """Times between which the tasks of a table lie, and time lags between tasks.

    Attributes
    ----------
    points
        Starts and ends of all tasks.
    """

    def __init__(self, table: TaskTable, machines: MachineModes, clock: LocalClock) -> None:
        self.table = table
        self.machines = machines
        self.clock = clock
        self.points = EndPoints(())
        #: Position of each task in `points`, by its row.
        self._positions = {i: position for position, i in enumerate(table.tasks)}

    def read(self) -> Iterator[InputError]:
        """Read bounds of starts and ends, and links between tasks, and yield their faults."""
        self.points = EndPoints([self._stub(i) for i in self.table.tasks])
        yield from self._read_lags()
        for i in self.table.tasks:
            yield from self._read_bounds(i)

    def pauses(self, i: int) -> str:
        """Return when a task may pause."""
        cells = self.table.cells[i]
        default = "anywhere" if cells.get("interruptible") else "never"
        pauses: str = cells.get("pauses", default)
        return pauses

    def is_fixed(self, i: int) -> bool:
        """Return whether a task can start at one tick only."""
        cells = self.table.cells[i]
        if any(field in cells for field in _FIXED):
            return True
        release = cells.get("release", 0)
        if cells.get("latest_start") == release:
            return True
        lengths = {mode.duration for mode in self.machines.modes[i]}
        return self.pauses(i) == "never" and cells.get("deadline") == release + min(lengths)

    def _stub(self, i: int) -> Action:
        """Return an action with the durations of a task, for links between its start and its end."""
        task = self.table.ids[i].partition("/")[0]
        modes = tuple(Mode(duration=mode.duration) for mode in self.machines.modes[i])
        pauses = self.pauses(i)
        duration = self.machines.modes[i][0].duration
        release = self.table.cells[i].get("release", 0)
        return Action(
            self.table.ids[i],
            task,
            duration,
            0,
            interruptible=pauses == "anywhere",
            modes=modes,
            agents=(),
            release=release,
            deadline=self.table.cells[i].get("deadline"),
            pauses_in_breaks=pauses == "breaks",
        )

    def _read_bounds(self, i: int) -> Iterator[InputError]:
        """Read the bounds of the start and the end of a task."""
        table = self.table
        cells = table.cells[i]
        position = self._positions[i]
        fields = [field for field in ("latest_start", *_FIXED) if field in cells]
        if fields and self.pauses(i) == "anywhere":
            yield table.fault(i, fields[0], "is not supported for tasks that may be interrupted")
            return
        faults = list(self._contradictions(i, fields))
        yield from faults
        if faults:
            return
        if "latest_start" in cells:
            self.points.bound(position, START, 0, cells["latest_start"])
        if "fixed_start" in cells:
            self.points.bound(position, START, cells["fixed_start"], cells["fixed_start"])
        if "fixed_end" in cells:
            self.points.bound(position, END, cells["fixed_end"], cells["fixed_end"])

    def _contradictions(self, i: int, fields: Sequence[str]) -> Iterator[InputError]:
        """Yield faults of times of a row that cannot all hold; of several durations, the shortest counts."""
        table = self.table
        cells = table.cells[i]
        durations = [mode.duration for mode in self.machines.modes[i]]
        is_one_length = len(set(durations)) == 1 and self.pauses(i) != "breaks"
        duration = min(durations)
        release = cells.get("release", 0)
        starts: dict[str, int] = {}
        for field in fields:
            starts[field] = cells[field] - duration if field == "fixed_end" else cells[field]
        too_early = [field for field, start in starts.items() if start < release]
        for field in too_early:
            yield table.fault(i, field, f"is too early: the task starts no earlier than {self._moment(release)}")
        fixed = [starts[field] for field in fields if field in _FIXED]
        first = max([release, *fixed]) if is_one_length else release
        if fixed and not too_early and is_one_length and min(starts.values()) < first:
            yield table.fault(i, next(iter(starts)), "contradicts another column for the start of the task")
        earliest_end = first + duration
        deadline = cells.get("deadline")
        if deadline is not None and deadline < earliest_end and not table.is_optional(i):
            message = f"is earlier than the earliest end of the task, {self._moment(earliest_end)}"
            yield table.fault(i, "deadline", message)

    def _moment(self, tick: int) -> str:
        """Return a tick for readers, with its date if the table has dates."""
        text = self.clock.text(tick)
        return f"{text} (tick {tick})" if text else str(tick)

    def _read_lags(self) -> Iterator[InputError]:
        """Join the links between the same two tasks into one lag each."""
        table = self.table
        yield from self._lags_of_successors()
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
                self._add_link(link, column_lag, maximum)
            except InputError:
                message = f"links of type {link.type} are not supported between tasks that may be interrupted"
                yield table.fault(row, field, message)

    def _add_link(self, link: Link, column_lag: int, maximum: int | None) -> None:
        """Add a link with its lag, or with those of the columns."""
        before, after = self._positions[link.before], self._positions[link.after]
        delay = column_lag if link.lag is None else link.lag
        if link.type == "FS":
            self.points.add_lag(before, after, delay, maximum)
            return
        earlier = START if link.type[0] == "S" else END
        later = START if link.type[1] == "S" else END
        self.points.link((before, earlier), (after, later), delay)

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
