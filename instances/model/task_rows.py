"""Tables of tasks: values of their rows, units of time, links, and faults by line and column."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, time
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, Final

from planoracle.instances.errors import InputError
from planoracle.instances.model.task_cells import (
    DAY,
    MINUTE,
    READERS,
    WEEK,
    CellFormatError,
    TimeSpan,
    attended_flag,
    cell_names,
    cell_text,
    is_flag,
    literal_names,
    read_time,
    span_of,
)
from planoracle.instances.model.task_columns import (
    TIMES,
    TableOptions,
    assign_columns,
    normal_name,
    split_unit,
)
from planoracle.instances.model.task_durations import duration_columns
from planoracle.instances.model.task_links import Link, LinkText, TaskNames, check_groups, parse_link
from planoracle.instances.model.task_moments import (
    are_days,
    first_day,
    is_clock_time,
    is_date,
    moment_ticks,
    spans_of,
)
from planoracle.instances.model.task_outline import find_summaries
from planoracle.instances.model.task_resources import count_of
from planoracle.instances.model.task_roles import choose_weights, let_numbers_be_workers
from planoracle.instances.model.validation import MAX_LAGS
from planoracle.instances.text import SECONDS, seconds_of_unit

if TYPE_CHECKING:
    from pandas import DataFrame

    from planoracle.instances.model.builder import Model

#: A row: its line, or its number from 0, and its cells by column.
Row = tuple[int, Mapping[str, Any]]

# Fields that are times from the beginning; others are lengths.
_MOMENTS: Final = ("release", "deadline", "latest_start", "fixed_start", "fixed_end")
# Fields with spans between two times from the beginning.
_SPANS: Final = ("windows", "unavailable", "machine_unavailable", "agent_unavailable")
# Texts of cells without a span, in lower case.
_NO_SPAN: Final = frozenset(("", "no", "n", "false", "0", "always"))
# Fields that a summary row cannot have: they would not concern the tasks below it one by one.
_NOT_IN_SUMMARIES: Final = (
    *("machine", "agent", "attended", "interruptible", "alternatives", "workers", "setup", "family", "pauses"),
    *("optional", "mandatory", "weight", *_SPANS),
    *("fixed_start", "fixed_end", "latest_start", "min_lag", "max_lag"),
)
_LAG_AT_END: Final = re.compile(r"[+-] ?([0-9].{0,50})")


def rows_of(frame: DataFrame) -> Iterator[Row]:
    """Yield the rows of a frame, numbered from 0; an index with a name is a column."""
    if any(frame.index.names):
        frame = frame.reset_index()
    frame = frame.rename(columns=str).astype(object)
    yield from enumerate(frame.where(frame.notna(), None).to_dict("records"))


def is_blank(cells: Mapping[str, Any]) -> bool:
    """Return whether a row has no text."""
    return not any(map(cell_text, cells.values()))


class TaskTable:
    """Values and links of the rows of a table; methods that read a part yield its faults.

    Parameters
    ----------
    model
        Model that names the table and its unit of time.
    rows
        Rows that are not blank.
    options
        Choices of the user.

    Raises
    ------
    InputError
        For columns that are missing or ambiguous.
    """

    def __init__(self, model: Model, rows: Sequence[Row], options: TableOptions) -> None:
        if not rows:
            raise InputError("contains no tasks")
        self.model = model
        self.rows = rows
        self.options = options
        headings: dict[str, None] = {}
        for _, cells in rows:
            headings.update(dict.fromkeys(filter(None, cells)))
        all_cells = [cells for _, cells in rows]
        durations = duration_columns(list(headings), all_cells, options)
        roles = assign_columns(list(headings), options, durations)
        self.columns = roles.columns
        #: Machine of each column that has the durations on one machine.
        self.durations = roles.durations
        choose_weights(self.columns, roles.unread, all_cells)
        let_numbers_be_workers(self.columns, all_cells, options)
        self.restrictions = roles.restrictions
        self.notes = roles.notes()
        self._check_summary_column()
        if any(cell_text(cells.get("")) for _, cells in rows):
            self.notes.append("a column without a heading is ignored")
        #: Positions of the tasks below each summary row.
        self.summaries = find_summaries([self._texts(row) for _, row in rows])
        #: Positions of the rows that are tasks.
        self.tasks = [i for i in range(len(rows)) if i not in self.summaries]
        if not self.tasks:
            raise InputError("contains no tasks")
        self._let_jobs_name_tasks()
        #: Values of each row by field; those of empty cells are missing.
        self.cells: list[dict[str, Any]] = [{} for _ in rows]
        #: Durations of each row by machine.
        self.times_on: list[dict[str, int]] = [{} for _ in rows]
        self._days: dict[str, bool] = {}
        #: Names of actions, ``job/name``.
        self.ids: list[str] = []
        self.names = TaskNames()
        #: Links with the position of the row and the field that have them.
        self.links: list[tuple[Link, int, str]] = []
        self._units_in_cells: frozenset[int] = frozenset()

    def _check_summary_column(self) -> None:
        """Drop a column ``summary`` that holds texts: it summarizes tasks."""
        column = self.columns.get("summary")
        if not column:
            return
        values = [row.get(column) for _, row in self.rows]
        if not all(map(is_flag, values)):
            del self.columns["summary"]
            self.notes.append(f"ignored columns: {column}")

    def _texts(self, row: Mapping[str, Any]) -> dict[str, str]:
        """Return the texts of a row by field, with blanks at their beginning."""
        texts = {}
        for field, column in self.columns.items():
            texts[field] = str(row.get(column) or "")
        return texts

    def _let_jobs_name_tasks(self) -> None:
        """Let jobs, or ids, name the tasks of a table without names of tasks."""
        job_column = self.columns.get("job")
        jobs = {cells.get(job_column) for cells in self._cells_of_tasks()} if job_column else set()
        if "task" not in self.columns and (not job_column or len(jobs) == len(self.tasks)):
            job_or_id = self.columns.pop("job", "") or self.columns["id"]
            self.columns["task"] = job_or_id

    def _cells_of_tasks(self) -> list[Mapping[str, Any]]:
        """Return the cells of the rows that are tasks, by column."""
        return [self.rows[i][1] for i in self.tasks]

    def fault(self, i: int, field: str, message: str) -> InputError:
        """Return an error about the cell of a row, with its line, column and value."""
        line, cells = self.rows[i]
        column = self.columns[field]
        return InputError(message, field=column, value=cells.get(column), line=line)

    def check_restrictions(self) -> Iterator[InputError]:
        """Yield a fault for each column with a restriction that the model cannot express."""
        for column, restriction in self.restrictions.items():
            texts = (cell_text(row.get(column)) for _, row in self.rows)
            is_empty = not any(texts)
            for line, row in () if is_empty else self.rows:
                if restriction.restricts(cell_text(row.get(column))):
                    message = f"{restriction.message}; --ignore {column!r} reads the table without it"
                    yield InputError(message, field=column, value=row.get(column), line=line)
                    break

    # --- times ------------------------------------------------------------------------------------

    def set_start(self, moments: Iterable[Any] = ()) -> None:
        """Let tick 0 of a table with dates be the begin of its first day, unless the model has a start.

        Parameters
        ----------
        moments
            Cells of other tables.
        """
        if self.model.start_time is not None:
            return
        cells: list[Any] = list(moments)
        for field in (*_MOMENTS, *_SPANS):
            column = self.columns.get(field)
            if column is None:
                continue
            for _, row in self.rows:
                value = row.get(column)
                cells += _moments_in_spans(value) if field in _SPANS else [value]
        day = first_day(cells)
        if day is not None:
            self.model.start_time = datetime.combine(day, time())
            self.notes.append(f"tick 0 is {day} 00:00, the first date; --start DATE sets another one")

    def check_unit(self) -> None:
        """Raise `InputError` for a table with dates and without a unit of time."""
        if self.model.start_time is None or self.model.seconds_per_tick is not None:
            return
        field = self.columns.get("duration") or next(iter(self.durations))
        name = re.sub(r"[\s_]*[(\[].*", "", field)
        raise InputError(f"dates need a unit of time; head the column {name} (min)", field=field)

    def set_unit(self) -> None:
        """Set the unit of time of the model, as headings, a column or the cells name it."""
        model = self.model
        timed = [self.columns[field] for field in TIMES if field in self.columns]
        timed += self.durations
        units = {split_unit(column)[1] for column in timed}
        units |= {model.seconds_per_tick, seconds_of_unit(model.unit), self._unit_of_column()}
        units.discard(None)
        if len(units) > 1:
            raise InputError("must have the same unit of time", field=", ".join(timed))
        spans, has_numbers = self._spans()
        seconds = units.pop() if units else None
        if seconds is None and spans and not has_numbers:
            seconds = self._common_unit(spans)
        if seconds is None:
            return
        model.seconds_per_tick = seconds
        names = [unit for unit, length in SECONDS.items() if length == seconds]
        model.unit = names[-1] if names else model.unit
        has_days = any(DAY in span.units for span in spans)
        if has_days and (seconds < DAY or len(self._units_in_cells) > 1):
            self.notes.append("days are read as 24 hours")

    def _unit_of_column(self) -> int | None:
        """Return the unit in the column ``time_unit``, if it has one."""
        column = self.columns.get("time_unit")
        if column is None:
            return None
        units_of_cells = [cell_text(cells.get(column)) for cells in self._cells_of_tasks()]
        texts = {text.casefold() for text in units_of_cells}
        units = {seconds_of_unit(text) for text in texts if text}
        if units == {None}:
            self.notes.append(f"ignored columns: {column}")
        if len(units) > 1:
            raise InputError(
                "must have the same unit of time in all rows; cells may have units, as in 90 min", field=column
            )
        return units.pop() if units else None

    def _spans(self) -> tuple[list[TimeSpan], bool]:
        """Return the spans of time in all cells, and whether other cells have times without a unit."""
        spans: list[TimeSpan] = []
        has_numbers = False
        columns = [*self.columns.items(), *(("duration", heading) for heading in self.durations)]
        for i in self.tasks:
            for field, column in columns:
                value = self.rows[i][1].get(column)
                for part in self._times_in(field, value):
                    span = _span_or_none(part)
                    if span is not None:
                        spans.append(span)
                    elif field in TIMES and cell_text(part).strip("0").isdecimal():
                        has_numbers = True
        return spans, has_numbers

    def _times_in(self, field: str, value: Any) -> list[Any]:
        """Return the values in a cell that may be times: the cell, or the lags of its links."""
        if field in _MOMENTS and (is_date(value) or (self.model.start_time is not None and is_clock_time(value))):
            return []
        if field in TIMES:
            return [value]
        if field not in ("after", "successors"):
            return []
        matches = [_LAG_AT_END.search(text) for text in cell_names(value)]
        return [match[1] for match in matches if match]

    def _common_unit(self, spans: Sequence[TimeSpan]) -> int | None:
        """Return the longest unit in use of which all spans are multiples, else a shorter one."""
        units = frozenset().union(*(span.units for span in spans))
        if not units or not all(span.units for span in spans):  # spans of a data frame name no unit
            return None
        self._units_in_cells = units
        if WEEK in units and len(units) > 1:  # of five or of seven days
            return min(units)
        shorter = [unit for unit in (MINUTE, 1) if unit < min(units) < DAY]
        for unit in (*sorted(units, reverse=True), *shorter):
            if all(span.length % unit == 0 for span in spans):
                return unit
        return min(units)

    def read_time(self, field: str, value: Any) -> int:
        """Return the ticks of a time in a cell of a field."""
        model = self.model
        has_start = model.start_time is not None
        if field in _MOMENTS and (is_date(value) or (has_start and is_clock_time(value))):
            return moment_ticks(value, field, model.clock, is_day_column=self._has_days(field))
        heading = self.columns.get(field, "duration")
        return self.read_length(value, heading, is_moment=field in _MOMENTS)

    def read_length(self, value: Any, heading: str, *, is_moment: bool = False) -> int:
        """Return the ticks of a number or a span of time in a cell of a column."""
        model = self.model
        seconds = model.seconds_per_tick or seconds_of_unit(model.unit)
        return read_time(value, seconds, model.unit, heading, is_moment=is_moment)

    def _has_days(self, field: str) -> bool:
        """Return whether the dates of a field have no time."""
        if field not in self._days:
            column = self.columns[field]
            self._days[field] = are_days(cells.get(column) for _, cells in self.rows)
        return self._days[field]

    # --- cells ------------------------------------------------------------------------------------

    def read_cells(self) -> Iterator[InputError]:
        """Read all cells, and name the actions."""
        reported: set[str] = set()
        for i, (_, row) in enumerate(self.rows):
            for field, column in self.columns.items():
                try:
                    self._read_cell(i, field, row.get(column))
                except CellFormatError as error:  # once for a column, whose cells have one format
                    if field not in reported:
                        yield self.fault(i, field, error.message)
                    reported.add(field)
                except InputError as error:
                    yield self.fault(i, field, error.message)
            yield from self._read_durations(i)
            self._name_row(i)
            if "job" in self.columns and "job" not in self.cells[i] and i not in self.summaries:
                yield self.fault(i, "job", "is empty; every row names its job")
        moments = [self.columns[field] for field in _MOMENTS if field in self.columns]
        clocks = [column for column in moments if self._has_clock(column)]
        if clocks and self.model.start_time is None:
            self.notes.append(f"times such as 8:00:00 count from the beginning, 0:00:00: {', '.join(clocks)}")
        deadline = self.columns.get("deadline", "")
        if "due" in normal_name(deadline) and any("deadline" in cells for cells in self.cells):
            self.notes.append(f"{deadline}: taken as deadlines that must be met")
        if self.summaries:
            first_summaries = list(self.summaries)[:5]
            names = ", ".join([self._short_name(i) for i in first_summaries])
            self.notes.append(f"summary rows are not tasks ({len(self.summaries)}): {names}")

    def _has_clock(self, column: str) -> bool:
        """Return whether a cell of a column has a time such as 8:00."""
        texts = (cell_text(row.get(column)) for _, row in self.rows)
        return any(":" in text for text in texts)

    def _read_cell(self, i: int, field: str, value: Any) -> None:
        """Read one cell; a summary row has no duration of its own."""
        text = cell_text(value)
        if i in self.summaries and field == "duration":
            return
        if not text and field == "mandatory":
            raise InputError("must be yes or no")
        is_required = field == "duration" and not self.durations
        if not text and not is_required:
            return
        if i in self.summaries and field in _NOT_IN_SUMMARIES and text.casefold() not in ("0", "no", "n", "false"):
            raise InputError("a row with tasks below it in the outline cannot have this; write it in their rows")
        cells = self.cells[i]
        flag = attended_flag(value) if field == "attended" else None
        if flag is not None:
            cells[field] = flag
        elif field in TIMES:
            cells[field] = self.read_time(field, value)
        elif field == "workers":
            cells[field] = _workers(text)
        elif field in _SPANS:
            spans = [] if text.casefold() in _NO_SPAN else list(spans_of(value))
            if spans:
                cells[field] = spans
        elif field in self.options.literal:
            cells[field] = literal_names(value)
        else:
            read = READERS.get(field)
            cells[field] = cell_text(value) if read is None else read(value)

    def _read_durations(self, i: int) -> Iterator[InputError]:
        """Read the durations of a row on the machines that have a column."""
        line, row = self.rows[i]
        for column, machine in self.durations.items():
            value = row.get(column)
            if i in self.summaries or not cell_text(value):
                continue
            try:
                self.times_on[i][machine] = self.read_length(value, column)
            except InputError as error:
                yield InputError(error.message, field=column, value=value, line=line)

    def _name_row(self, i: int) -> None:
        """Name the action of a row; without a column of jobs, an optional row is a job of its own."""
        cells = self.cells[i]
        table_name = self.model.name.rpartition("/")[2]
        job = cells.get("job", "") if "job" in self.columns else table_name
        number = len(self.names.by_job.get(job, ())) + 1
        name = cells.get("task", "") if "task" in self.columns else str(number)
        if "job" not in self.columns and self.is_optional(i):
            job = name
        self.ids.append(f"{job}/{name}")
        task_id = cells.get("id", name)
        self.names.add(job, task_id, {name, task_id, self.ids[i]})

    def is_optional(self, i: int) -> bool:
        """Return whether a row says that its job may be left out."""
        cells = self.cells[i]
        return bool(cells.get("optional")) or cells.get("mandatory") is False

    def _short_name(self, i: int) -> str:
        """Return the name of a row without its job, or the job alone."""
        job, _, name = self.ids[i].partition("/")
        return name or job

    def check_summaries(self) -> Iterator[InputError]:
        """Yield faults of summary rows whose duration cannot be that of the tasks below them."""
        if "summary" in self.columns:
            return
        for i, leaves in self.summaries.items():
            value = self.rows[i][1].get(self.columns["duration"])
            try:
                duration = self.read_time("duration", value)
            except InputError:  # empty, or in another format: project tools compute it
                continue
            durations = [self.cells[leaf].get("duration", 0) for leaf in leaves]
            longest = max(durations, default=0)
            if 0 < duration < longest:
                message = (
                    f"is shorter than a task below it in the outline ({longest}); leave it empty for a summary row"
                )
                yield self.fault(i, "duration", message)

    # --- links ------------------------------------------------------------------------------------

    def link_rows(self) -> Iterator[InputError]:
        """Find the links of every row; without a column for them, the rows of a job follow each other."""
        for i in range(len(self.rows)):
            for field in ("after", "successors"):
                for text in self._link_texts(i, field):
                    try:
                        self._add_links(i, field, text)
                    except InputError as error:
                        yield self.fault(i, field, error.message)
        if "job" in self.columns and not self.columns.keys() & {"after", "successors"}:
            yield from self._chain_jobs()

    def _link_texts(self, i: int, field: str) -> Sequence[str]:
        """Return the links in a cell; the name of a task is one link, whatever characters it contains."""
        if field not in self.columns:
            return ()
        _, cells = self.rows[i]
        whole_text = cell_text(cells.get(self.columns[field]))
        if whole_text in self.names.by_name:
            return [whole_text]
        texts: Sequence[str] = self.cells[i].get(field, ())
        return texts

    def _add_links(self, i: int, field: str, text: str) -> None:
        """Add the links that a text of a row stands for."""
        is_literal = field in self.options.literal
        link = LinkText(text) if is_literal else parse_link(text, self.names)
        lag = None
        if link.lag:
            lag = link.sign * self._read_lag(link.lag)
        named_rows = self._tasks_of(self.names.positions(link.name, i, self.ids))
        predecessors, successors = named_rows, self._tasks_of([i])
        if field == "successors":
            predecessors, successors = successors, predecessors
        check_groups(link, predecessors, successors)
        if len(self.links) + len(predecessors) * len(successors) > MAX_LAGS:
            raise InputError(f"a table must have at most {MAX_LAGS} links between tasks")
        for before in predecessors:
            for after in successors:
                self.links.append((Link(before, after, link.type, lag), i, field))

    def _read_lag(self, text: str) -> int:
        if text.endswith("%"):
            raise InputError("a lag in percent of a duration is not supported; write a time")
        if len(self._units_in_cells) > 1 and text.strip("0").isdecimal():
            raise InputError("a lag needs a unit of time, as the durations have several")
        heading = self.columns.get("duration") or next(iter(self.durations))
        return self.read_length(text, heading)

    def _tasks_of(self, rows: Sequence[int]) -> list[int]:
        """Return the tasks that rows stand for: a summary row stands for the tasks below it."""
        tasks: dict[int, None] = {}
        for row in rows:
            below = self.summaries.get(row)
            if below == []:
                raise InputError(
                    f"no tasks are below the summary row {self.ids[row]}; a column outline_level defines them"
                )
            tasks.update(dict.fromkeys([row] if below is None else below))
        return list(tasks)

    def _chain_jobs(self) -> Iterator[InputError]:
        """Let the rows of each job follow each other, in the order of numbers of steps, else of the lines."""
        for job_rows in self.names.by_job.values():
            chain = [i for i in job_rows if i not in self.summaries]
            for field in ("step", "id", "task"):
                if all(self.cells[i].get(field, "").isdecimal() for i in chain):
                    chain.sort(key=lambda i: int(self.cells[i][field]))
                    yield from self._equal_steps(chain, field)
                    break
            for first, second in pairwise(chain):
                self.links.append((Link(first, second), second, "job"))
        if self.links:
            self.notes.append("no column after: the steps of each job follow each other in order")

    def _equal_steps(self, chain: Sequence[int], field: str) -> Iterator[InputError]:
        """Yield a fault for each row of a job with the number of the row before it."""
        if field == "task":  # names of actions, whose faults the instance reports
            return
        for first, second in pairwise(chain):
            first_number = self.cells[first][field]
            second_number = self.cells[second][field]
            if int(first_number) == int(second_number):
                yield self.fault(second, field, "another row of the job has this number; a column after sets the order")


def _span_or_none(value: Any) -> TimeSpan | None:
    try:
        return span_of(value)
    except InputError:  # reported when the cell is read
        return None


def _workers(text: str) -> int:
    """Return the number of workers in a cell."""
    count = count_of(text)
    if count is None:
        raise InputError("must be a whole number of workers")
    return count


def _moments_in_spans(value: Any) -> list[Any]:
    """Return begin and end of all spans in a cell."""
    try:
        spans = list(spans_of(value))
    except InputError:  # reported when the cell is read
        return []
    return list(chain.from_iterable(spans))
