"""Columns of tables of tasks: fields, their usual names, and the choice of a column for each field."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from planoracle.instances.errors import InputError
from planoracle.instances.model.task_restrictions import RESTRICTED_WORDS, Restriction, restriction_of
from planoracle.instances.text import seconds_of_unit, similar

#: Fields of a row, each with its other usual names.
FIELDS: Final = {
    "job": "job_id job_name order product part project recipe dish workpiece batch",
    "task": "task_name name title",
    "operation": "op action activity stage process operation_name activity_name action_name",
    "step": "sequence seq step_no step_id operation_no operation_id op_no op_id",
    "id": "task_id activity_id no nr number key",
    "label": "description",
    "duration": "processing_time process_time proc_time time length dur ticks minutes hours seconds days task_duration "
    "run_time cycle_time",
    "after": "predecessor pred depends_on depends dependencies dependency prerequisite preceded_by follows previous "
    "prev immediate_predecessor precedence blocked_by",
    "successors": "successor succ followed_by precedes next next_task next_step leads_to blocks immediate_successor",
    "min_lag": "lag min_wait minimum_lag time_lag min_time_lag",
    "max_lag": "max_wait maximum_lag max_time_lag",
    "machine": "machine_id resource resource_name uses equipment tool station workstation machine_name work_center "
    "work_centre device",
    "amount": "quantity qty units demand",
    "capacity": "machine_capacity resource_capacity machine_count number_of_machines",
    "agent": "worker person people assignee assigned_to operator employee staff crew who cook eligible_worker "
    "eligible_agent eligible_operator",
    "attended": "attendance",
    "unattended": "automatic",
    "interruptible": "preemptive preemptible preemptable preemption splittable pausable can_pause",
    "release": "release_time release_date released ready ready_time earliest earliest_start not_before available_from "
    "no_earlier_than start_no_earlier_than",
    "latest_start": "start_no_later_than start_by",
    "deadline": "due due_date due_time latest latest_finish latest_end finish_by end_by not_after no_later_than "
    "finish_no_later_than must_finish_by",
    "fixed_start": "fixed_start_time fixed_start_date start_fixed fixed_time must_start must_start_at must_start_on "
    "start_at starts_at exact_start pinned_start appointment",
    "fixed_end": "fixed_finish fixed_end_time end_fixed must_finish must_finish_at must_finish_on must_end_at "
    "exact_end",
    "time_unit": "unit duration_unit unit_of_time",
    "outline": "outline_number outline_no",
    "outline_level": "indent indent_level indentation wbs_level hierarchy_level",
    "summary": "is_summary summary_task",
    "parent": "parent_task parent_id parent_name subtask_of",
}

#: Names of columns that are read if no column has a usual name of the field.
_WEAK_NAMES: Final = {
    "duration": "original_duration planned_duration estimated_duration est_duration expected_duration",
    "agent": "owner responsible responsible_person technician",
    "machine": "line production_line cell room",
    "outline": "wbs wbs_code wbs_number wbs_no",
}
#: Fields with times: their columns may name a unit.
TIMES: Final = (
    *("duration", "release", "deadline", "min_lag", "max_lag"),
    *("fixed_start", "fixed_end", "latest_start", "attended"),
)
# Fields that order tasks.
_ORDER: Final = {"after", "successors", "job"}
#: Fields whose cells `TableOptions.literal` takes as they are.
NAME_FIELDS: Final = ("machine", "agent", "after")

# Names of columns for results of project tools; other fields restrict times.
_PLANNED = re.compile(
    r"(?:(?:planned|scheduled|actual|baseline|early|late|target)_)?(?:start|begin|end|finish|stop|completion|completed)"
    r"(?:s|_date|_time|_on)?"
)
# Ordinary names of columns that differ by one or two letters from names of fields.
_ORDINARY: Final = frozenset(
    (
        *("state", "status", "type", "note", "notes", "user", "users", "date", "cost", "costs", "progress", "rate"),
        *("size", "read", "role", "tank", "code", "lead", "comment", "comments", "location", "relation", "customer"),
        *("quality", "rank", "stat", "data"),
    )
)
# Letters from which on a name with one, or with two, different letters is taken for a misspelled one.
_ONE_LETTER, _TWO_LETTERS = 4, 8
# More columns than any table of tasks has; each is compared with all usual names.
_MAX_COLUMNS = 500


@dataclass(frozen=True)
class TableOptions:
    """Choices of the user for reading tables of tasks.

    Attributes
    ----------
    columns
        Columns by field.
    ignored
        Columns that are not read.
    literal
        Fields of `NAME_FIELDS` in whose cells a text is one name, whatever characters it contains.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()
    literal: frozenset[str] = frozenset()


@dataclass(frozen=True)
class ColumnRoles:
    """Meaning of the columns of a table.

    Attributes
    ----------
    columns
        Column of each field.
    restrictions
        Restriction that the model cannot express, by column.
    unread
        Columns without a meaning.
    """

    columns: dict[str, str]
    restrictions: dict[str, Restriction]
    unread: list[str]

    def notes(self) -> list[str]:
        """Return notes about columns that are not read, and about due dates."""
        notes = []
        if self.unread:
            text = f"ignored columns: {', '.join(self.unread)}"
            if any(_PLANNED.fullmatch(normal_name(name)) for name in self.unread):
                text += "; times are restricted by release, deadline, fixed_start and fixed_end"
            notes.append(text)
        deadline = self.columns.get("deadline", "")
        if "due" in split_unit(deadline)[0]:
            notes.append(f"{deadline}: taken as deadlines that must be met")
        return notes


def normal_name(heading: str) -> str:
    """Return a heading in lower case, with ``_`` between its words.

    >>> normal_name("Set-up Time (min)"), normal_name("dueDate")
    ('set_up_time_min', 'due_date')
    """
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", heading)
    return re.sub(r"[\W_]+", "_", spaced.casefold()).strip("_")


def split_unit(heading: str) -> tuple[str, int | None]:
    """Return the normal name of a heading without its unit of time, and the seconds of the unit.

    >>> split_unit("Duration (min)"), split_unit("machine")
    (('duration', 60), ('machine', None))
    """
    normal = normal_name(heading)
    head, _, unit = normal.rpartition("_")
    seconds = seconds_of_unit(unit)
    return (head.removesuffix("_in") if head and seconds else normal), seconds


def _field_by_name(names: Mapping[str, str]) -> dict[str, str]:
    """Return the field of each usual name, which is written without ``_``."""
    fields = {}
    for field_name, text in names.items():
        for name in text.split():
            fields[name.replace("_", "")] = field_name
    return fields


_USUAL_FIELDS: Final = {**_field_by_name(FIELDS), **{name.replace("_", ""): name for name in FIELDS}}
_WEAK_FIELDS: Final = _field_by_name(_WEAK_NAMES)


def field_of(heading: str, fields: Mapping[str, str] = _USUAL_FIELDS) -> str | None:
    """Return the field of a heading; ``None`` without a field. Headings of times may name a unit.

    >>> field_of("Processing times [min]"), field_of("Machine hours"), field_of("DueDate")
    ('duration', None, 'deadline')
    """
    name, seconds = split_unit(heading)
    exact = _look_up(normal_name(heading), fields)
    without_unit = _look_up(name, fields) if seconds else None
    return exact or (without_unit if without_unit in TIMES else None)


def _look_up(name: str, fields: Mapping[str, str]) -> str | None:
    """Return the field of a normal name, in the singular or plural."""
    key = name.replace("_", "")
    return fields.get(key) or fields.get(key.removesuffix("s"))


def assign_columns(headings: Sequence[str], options: TableOptions) -> ColumnRoles:
    """Return the meaning of each column of a table.

    Raises
    ------
    InputError
        For a missing column, two columns of one field, and a misspelled name of a field without a column.

    Examples
    --------
    >>> assign_columns(["Job", "Operation", "Processing time [min]", "Cost"], TableOptions()).columns
    {'job': 'Job', 'duration': 'Processing time [min]', 'task': 'Operation'}
    """
    if len(headings) > _MAX_COLUMNS:
        raise InputError(f"must have at most {_MAX_COLUMNS} columns", value=len(headings))
    _check_options(headings, options)
    free = [name for name in headings if name not in options.ignored and name not in options.columns.values()]
    columns, remaining = _usual_columns(free, options.columns)
    restrictions, unread = {}, []
    for heading in remaining:
        weak_field = field_of(heading, _WEAK_FIELDS)
        if weak_field is not None and weak_field not in columns:
            columns[weak_field] = heading
            continue
        restriction = restriction_of(normal_name(heading), columns)
        if restriction is None:
            _check_spelling(heading, columns)
            unread.append(heading)
        else:
            restrictions[heading] = restriction
    _require(columns, headings)
    _name_tasks(columns)
    _drop_without_effect(columns)
    used = {*columns.values(), *restrictions, *unread, *options.ignored}
    unread += [name for name in headings if name not in used]
    return ColumnRoles(columns, restrictions, sorted(unread, key=headings.index))


def _check_options(headings: Sequence[str], options: TableOptions) -> None:
    """Raise an error for a column of the options that the table does not have."""
    listed = f"column is missing; the columns are {', '.join(headings)}"
    for name in options.ignored:
        if name not in headings:
            raise InputError(f"{listed}; --ignore takes one of them", field=name)
    for field_name, column in options.columns.items():
        if column not in headings:
            raise InputError(f"{listed}; select one with --map {field_name}=COLUMN", field=column)


def _usual_columns(headings: Iterable[str], chosen: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """Return the column of each field, the chosen ones first, and the columns without a usual name."""
    columns, remaining = dict(chosen), []
    for heading in headings:
        field_name = field_of(heading)
        if field_name is None or field_name in chosen:
            remaining.append(heading)
            continue
        if field_name in columns:
            message = f"columns {columns[field_name]} and {heading} have this meaning"
            advice = f"select one with --map {field_name}=COLUMN"
            raise InputError(f"{message}; {advice}", field=field_name)
        columns[field_name] = heading
    return columns, remaining


def _check_spelling(heading: str, columns: Mapping[str, str]) -> None:
    """Raise an error for a name that differs by one or two letters from that of a field without a column."""
    name = split_unit(heading)[0]
    limit = (len(name) >= _ONE_LETTER) + (len(name) >= _TWO_LETTERS)
    if not limit or name in _ORDINARY or _PLANNED.fullmatch(name):
        return
    missing: list[str] = []
    for field_name, text in FIELDS.items():
        if field_name not in columns:
            missing += [field_name, *text.split()]
    similar_names = similar(name, [*missing, *RESTRICTED_WORDS])
    candidates = [usual for usual in similar_names if 0 < _distance(name, usual, limit) <= limit]
    if candidates:
        raise InputError(f"unknown column; did you mean {' or '.join(candidates)}?", field=heading)


def _distance(first: str, second: str, limit: int) -> int:
    """Return the number of letters that differ between two names, or more than the limit.

    Two letters in the wrong order count once (optimal string alignment).
    """
    if abs(len(first) - len(second)) > limit:
        return limit + 1
    rows = [list(range(len(second) + 1))]
    for i in range(1, len(first) + 1):
        row = [i]
        for j in range(1, len(second) + 1):
            replaced = rows[-1][j - 1] + (first[i - 1] != second[j - 1])
            distance = min(replaced, rows[-1][j] + 1, row[j - 1] + 1)
            last_letters = second[j - 2 : j]
            if i > 1 and j > 1 and first[i - 2 : i] == last_letters[::-1]:
                distance = min(distance, rows[-2][j - 2] + 1)
            row.append(distance)
        rows.append(row)
    return rows[-1][-1]


def _require(columns: Mapping[str, str], headings: Sequence[str]) -> None:
    """Raise an error if the table names no tasks or no durations."""
    names = {"task", "operation", "step", "job", "id", "outline"}
    for field_name, accepted in (("task", names), ("duration", {"duration"})):
        if not columns.keys() & accepted:
            listed = f"column is missing; the columns are {', '.join(headings)}"
            raise InputError(f"{listed}; select one with --map {field_name}=COLUMN", field=field_name)


def _drop_without_effect(columns: dict[str, str]) -> None:
    """Drop amounts in a table without machines, and lags in one without an order of tasks."""
    for needed, dependent in (({"machine"}, ("amount", "capacity")), (_ORDER, ("min_lag", "max_lag"))):
        if not columns.keys() & needed:
            for field_name in dependent:
                columns.pop(field_name, None)


def _name_tasks(columns: dict[str, str]) -> None:
    """Let operations and steps name the tasks of a job, or be other names of tasks that have one."""
    operation, step = columns.pop("operation", ""), columns.get("step", "")
    tasks_are_jobs = "task" in columns and "job" not in columns
    if tasks_are_jobs and (operation or step):
        columns["job"] = columns.pop("task")
    for heading in filter(None, (operation, step)):
        if "task" not in columns:
            columns["task"] = heading
        else:
            columns.setdefault("id", heading)
    if "outline" in columns:
        columns.setdefault("id", columns["outline"])
