"""Tables of tasks: columns and their usual names, cells, and the model of the rows."""

from __future__ import annotations

import re
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from planoracle.instances.errors import InputError, InputNote, combine_errors
from planoracle.instances.text import SECONDS, did_you_mean, seconds_of_unit

if TYPE_CHECKING:
    from pandas import DataFrame

    from planoracle.instances.model.builder import Model

#: Fields of a row, each with its other usual names in normal form, see `_normal`.
FIELDS: Final = {
    "job": "jobs job_id job_name order product part project recipe dish workpiece batch",
    "task": "tasks task_name name title",
    "step": "operation op action activity stage process sequence seq step_no step_id operation_no operation_id op_no "
    "op_id activity_name action_name",
    "id": "task_id activity_id no nr number key wbs",
    "label": "description",
    "duration": "processing_time process_time proc_time time length dur ticks minutes hours seconds days",
    "after": "predecessors predecessor pred preds depends_on depends dependencies dependency prerequisites "
    "prerequisite preceded_by follows previous prev",
    "min_lag": "lag min_wait",
    "max_lag": "max_wait",
    "machine": "machines machine_id resource resources resource_name resource_names uses equipment tool tools station "
    "workstation",
    "amount": "quantity qty units demand",
    "capacity": "machine_capacity resource_capacity",
    "agent": "agents worker workers person people assignee assigned_to operator operators employee staff crew who "
    "cook cooks",
    "attended": "attendance",
    "unattended": "automatic",
    "interruptible": "preemptive preemptible preemptable preemption splittable pausable can_pause",
    "release": "release_time release_date released ready ready_time earliest earliest_start not_before available_from",
    "deadline": "due due_date due_time latest latest_finish latest_end finish_by not_after",
}
_ALIASES = {alias: field for field, others in FIELDS.items() for alias in (field, *others.split())}
_TIMES = ("duration", "release", "deadline", "min_lag", "max_lag")

_EMPTY = frozenset(("", "-", "–", "—", "none", "nan", "nat", "null", "n/a", "na", "<na>"))
_FLAGS = {**dict.fromkeys(("yes", "y", "true", "x", "1"), True), **dict.fromkeys(("no", "n", "false", "0"), False)}
_ANY = frozenset(("any", "anyone", "all", "*"))
_SEPARATORS = re.compile(r"[;,|\n]")
_WHOLE = re.compile(r"([0-9]{1,18})(?:\.0*)?")

# More columns than any table of tasks has; each is compared with all usual names.
_MOST_COLUMNS = 500

#: A row: its line, or its number from 0, and its cells by column.
Row = tuple[int, Mapping[str, Any]]


def columns_of(names: Iterable[str], chosen: Mapping[str, str]) -> dict[str, str]:
    """Return the column of each field of a table.

    Parameters
    ----------
    chosen
        Columns that the user selected, by field.

    Raises
    ------
    InputError
        For a missing column, two columns of one field, and a column whose name is nearly that of a missing field.

    Examples
    --------
    >>> columns_of(["Job", "Operation", "Processing time [min]", "Cost"], {})
    {'job': 'Job', 'duration': 'Processing time [min]', 'task': 'Operation'}
    """
    names, columns = list(names), dict(chosen)
    if len(names) > _MOST_COLUMNS:
        raise InputError(f"must have at most {_MOST_COLUMNS} columns", value=len(names))
    fields = {name: _ALIASES.get(_split_unit(name)[0]) for name in names if name not in chosen.values()}
    missing = [alias for alias, field in _ALIASES.items() if field not in {*chosen, *fields.values()}]
    for name, field in fields.items():
        if field is None and (advice := did_you_mean(_split_unit(name)[0], missing)):
            raise InputError(f"unknown column{advice}", field=name)
        if field in columns and field not in chosen:
            message = f"columns {columns[field]} and {name} have this meaning; select one with --map {field}=COLUMN"
            raise InputError(message, field=field)
        if field is not None:
            columns.setdefault(field, name)
    for field, others in (("task", {"step", "job", "id"}), ("duration", set[str]())):
        if columns.get(field, names[0]) not in names or not columns.keys() & {field, *others}:
            message = f"column is missing; the columns are {', '.join(names)}; select one with --map {field}=COLUMN"
            raise InputError(message, field=columns.get(field, field))
    if step := columns.pop("step", ""):
        if "task" in columns and "job" not in columns:  # steps of tasks
            columns["job"] = columns.pop("task")
        columns.setdefault("id" if "task" in columns else "task", step)
    return columns


def _split_unit(name: str) -> tuple[str, int | None]:
    """Return the normal name of a column without its unit of time, and the seconds of the unit.

    >>> _split_unit("Duration (min)"), _split_unit("machine")
    (('duration', 60), ('machine', None))
    """
    normal = re.sub(r"[\W_]+", "_", name.casefold()).strip("_")
    head, _, last = normal.rpartition("_")
    seconds = seconds_of_unit(last)
    return (head if head and seconds else normal), seconds


def _text(value: Any) -> str:
    """Return the text of a cell, empty for marks of empty cells; numbers that a table has as 3.0 are 3."""
    text = str(value).strip()
    if whole := _WHOLE.fullmatch(text):
        return whole[1]
    return "" if text.casefold() in _EMPTY else text


def _names(value: Any) -> list[str]:
    """Return the different names in a cell."""
    values = [value] if isinstance(value, str) or not isinstance(value, Iterable) else value
    names = (part.strip() for one in values for part in _SEPARATORS.split(_text(one)))
    return [name for name in dict.fromkeys(names) if name]


def _number(value: Any) -> int | timedelta:
    text = _text(value)
    if re.fullmatch("[0-9]{1,18}", text):
        return int(text)
    if any(letter.isalpha() or letter == ":" for letter in text):  # pandas takes other texts for nanoseconds
        from pandas import Timedelta

        with suppress(ValueError):
            return Timedelta(value if isinstance(value, timedelta) else text)
    raise InputError("must be a whole number, 0 or more; times may be spans such as 90 min")


def _flag(value: Any) -> bool:
    if (flag := _FLAGS.get(_text(value).casefold())) is None:
        raise InputError("must be yes or no")
    return flag


def _attended(value: Any) -> bool | int | timedelta:
    text = _text(value).casefold()
    if text == "1":
        raise InputError("is ambiguous: yes or one tick; write yes or no")
    return _FLAGS[text] if text in _FLAGS else _number(value)


#: Readers of cells that are not one text, by field.
_READERS: Final[Mapping[str, Callable[[Any], Any]]] = {
    **dict.fromkeys((*_TIMES, "amount", "capacity"), _number),
    **dict.fromkeys(("machine", "agent", "after"), _names),
    **dict.fromkeys(("interruptible", "unattended"), _flag),
    "attended": _attended,
}


def rows_of(frame: DataFrame, first: int = 0) -> Iterator[Row]:
    """Yield the rows of a frame, numbered from ``first``; an index with a name is a column."""
    if any(frame.index.names):
        frame = frame.reset_index()
    frame = frame.rename(columns=str).astype(object)
    yield from enumerate(frame.where(frame.notna(), None).to_dict("records"), first)


def add_rows(model: Model, rows: Iterable[Row], chosen: Mapping[str, str], source: str = "") -> dict[str, int]:
    """Add the rows of a table to an empty model: actions, time lags, resources and agents.

    Returns
    -------
    dict[str, int]
        Line (or number) of each action.

    Raises
    ------
    InputError
        With line, column and value of every fault (`planoracle.instances.errors.FaultsError` for several). Duplicate
        and empty names are faults of the instance.
    """
    table = _Table(model, [row for row in rows if any(map(_text, row[1].values()))], chosen)
    for stage in (table.read_cells, table.order_rows, table.add):
        if error := combine_errors(stage()):
            raise error
    for text in table.notes:
        warnings.warn(InputNote(f"{source}: {text}" if source else text), stacklevel=3)
    return {name: line for name, (line, _) in zip(table.ids, table.rows, strict=True)}


class _Table:
    """Conversion of the rows of one table, in stages that yield faults."""

    def __init__(self, model: Model, rows: Sequence[Row], chosen: Mapping[str, str]) -> None:
        if not rows:
            raise InputError("contains no tasks")
        self.model, self.rows = model, rows
        every = dict.fromkeys(name for _, cells in rows for name in cells if name)
        self.columns = columns_of(every, chosen)
        ignored = ", ".join(name for name in every if name not in self.columns.values())
        self.notes = [f"ignored columns: {ignored}"] if ignored else []
        jobs = {cells.get(self.columns.get("job", "")) for _, cells in rows}
        if "task" not in self.columns and ("job" not in self.columns or len(jobs) == len(rows)):
            self.columns["task"] = self.columns.pop("job", "") or self.columns["id"]
        #: Values of each row by field; those of empty cells are missing.
        self.cells: list[dict[str, Any]] = [{} for _ in rows]
        self.ids: list[str] = []
        #: Positions of rows by job, and by name, id and ``job/name``.
        self.by_job: dict[str, list[int]] = defaultdict(list)
        self.by_name: dict[str, list[int]] = defaultdict(list)
        self.before: list[list[str]] = [[] for _ in rows]

    def fault(self, i: int, field: str, message: str) -> InputError:
        (line, cells), column = self.rows[i], self.columns[field]
        return InputError(message, field=column, value=cells.get(column), line=line)

    def read_cells(self) -> Iterator[InputError]:
        """Set the unit of time that the headers name, read all cells, and name the actions."""
        model, timed = self.model, [self.columns[field] for field in _TIMES if field in self.columns]
        units = {_split_unit(column)[1] for column in timed} | {model.seconds_per_tick, seconds_of_unit(model.unit)}
        if len(units - {None}) > 1:
            raise InputError("must have the same unit of time", field=", ".join(timed))
        if seconds := max(units, key=bool):
            model.seconds_per_tick = seconds
            model.unit = next(unit for unit, length in reversed(SECONDS.items()) if length == seconds)
        for i, (_, row) in enumerate(self.rows):
            cells = self.cells[i]
            for field, column in self.columns.items():
                try:
                    if _text(row.get(column)) or field == "duration":
                        cells[field] = model.ticks((_READERS.get(field) or _text)(row.get(column)))
                except InputError as error:
                    yield self.fault(i, field, error.message)
            job = cells.get("job", "") if "job" in self.columns else model.name.rpartition("/")[2]
            self.by_job[job].append(i)
            name = cells.get("task", "") if "task" in self.columns else str(len(self.by_job[job]))
            self.ids.append(f"{job}/{name}")
            for key in {name, cells.get("id", name), self.ids[i]} - {""}:
                self.by_name[key].append(i)

    def order_rows(self) -> Iterator[InputError]:
        """Find the predecessors of every row; without a column for them, the rows of a job follow each other."""
        for i, cells in enumerate(self.cells):
            whole = _text(self.rows[i][1].get(self.columns.get("after", "")))
            for name in [whole] if whole in self.by_name else cells.get("after", ()):
                yield from self.resolve(i, name)
        if "after" in self.columns or "job" not in self.columns:
            return
        for chain in self.by_job.values():
            for field in ("id", "task"):  # numbers of steps count more than the order of the lines
                if all(self.cells[i].get(field, "").isdecimal() for i in chain):
                    chain.sort(key=lambda i: int(self.cells[i][field]))
                    break
            for first, second in pairwise(chain):
                self.before[second].append(self.ids[first])
        if any(self.before):
            self.notes.append("no column after: the steps of each job follow each other in order")

    def resolve(self, i: int, name: str) -> Iterator[InputError]:
        """Add the actions that a name stands for: one of the same job, any other, or a whole job."""
        job = self.ids[i].partition("/")[0]
        rows = self.by_name.get(name, [])
        own = [k for k in rows if self.ids[k].startswith(f"{job}/")]
        rows = [k for k in own if self.cells[k].get("id") == name] or own or rows
        if len(rows) > 1:
            yield self.fault(i, "after", f"{name!r} is ambiguous; write {' or '.join(self.ids[k] for k in rows[:3])}")
        elif not rows and (name == job or name not in self.by_job):
            yield self.fault(i, "after", f"{name!r} is not a task of the table{did_you_mean(name, self.by_name)}")
        self.before[i] += [self.ids[k] for k in rows or self.by_job.get(name, [])]

    def add(self) -> Iterator[InputError]:
        """Add resources, agents and actions; deadlines are lags from a first milestone."""
        model, capacities = self.model, dict[str, int]()
        for cells in self.cells:
            for machine in cells.get("machine", ()):
                capacities[machine] = max(capacities.get(machine, 1), cells.get("capacity", 1))
        for machine, capacity in capacities.items():
            model.resource(machine, capacity)
        attended = bool(model.agents or self.columns.keys() & {"attended", "unattended"})
        default = ["any"] if attended and "agent" not in self.columns else []
        agents = [cells.get("agent", default) for cells in self.cells]
        if "agent" in self.columns and [] in agents:
            count = agents.count([])
            self.notes.append(f"tasks without an agent ({count}) need no agent; 'any' makes all agents eligible")
        elif not any(agents) and not capacities:
            self.notes.append("no column agent or machine: tasks wait only for their predecessors")
        named = (name for names in agents for name in names if name.casefold() not in _ANY)
        model.agents = tuple(dict.fromkeys((*model.agents, *named))) or (("agent",) if any(agents) else ())
        begin = "time/begin" if any("deadline" in cells for cells in self.cells) else ""
        if begin:
            model.task("time").action("begin", 0, agents=())
        for i, cells in enumerate(self.cells):
            self.add_action(i, agents[i] if {*agents[i]} <= {*model.agents} else None, begin)
            least = cells.get("release", 0) + cells["duration"]
            if cells.get("deadline", least) < least:
                yield self.fault(i, "deadline", f"is earlier than the earliest end of the task, {least}")

    def add_action(self, i: int, agents: list[str] | None, begin: str) -> None:
        """Add the action of a row with its lags."""
        model, cells, (job, _, name) = self.model, self.cells[i], self.ids[i].partition("/")
        release, attended = cells.get("release", 0), not cells.get("unattended") and cells.get("attended", True)
        model.task(job).action(
            name,
            cells["duration"],
            attended=None if attended is True else int(attended),
            interruptible=cells.get("interruptible", False),
            release=0 if begin else release,
            agents=agents,
            label=cells.get("label", ""),
        )
        for machine in cells.get("machine", ()):
            model.uses(machine, cells.get("amount", 1))
        for other in dict.fromkeys(self.before[i]):
            model.after(other, cells.get("min_lag", 0), cells.get("max_lag"))
        latest = cells["deadline"] - cells["duration"] if "deadline" in cells else None
        if begin:
            model.after(begin, release, None if cells.get("interruptible") else latest)
        if latest is not None and cells.get("interruptible"):
            model.action(f"{name} done", 0, agents=(), after=name).after(begin, None, cells["deadline"])
