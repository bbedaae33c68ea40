"""Columns of tables of tasks: fields, their usual names, and the choice of a column for each field."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from planoracle.instances.errors import InputError
from planoracle.instances.model.task_restrictions import (
    CHOICE_WORDS,
    RESTRICTED_WORDS,
    WORKER_WORDS,
    Restriction,
    restriction_of,
)
from planoracle.instances.text import seconds_of_unit, similar

#: Fields of a row, each with its other usual names.
FIELDS: Final = {
    "job": "job_id job_name order product part project recipe dish workpiece batch",
    "task": "task_name name title",
    "operation": "op action activity stage process operation_name activity_name action_name",
    "step": "sequence seq step_no step_id operation_no operation_id op_no op_id",
    "id": "task_id activity_id task_no activity_no no nr number key",
    "label": "description",
    "duration": "processing_time process_time proc_time time length dur ticks minutes hours seconds days weeks "
    "task_duration run_time",
    "after": "predecessor pred depends_on depends dependencies dependency prerequisite preceded_by follows previous "
    "prev immediate_predecessor precedence precedence_constraint blocked_by is_blocked_by after_task",
    "successors": "successor succ followed_by precedes next next_task next_step leads_to blocks immediate_successor",
    "min_lag": "lag min_wait minimum_lag time_lag min_time_lag",
    "max_lag": "max_wait maximum_lag max_time_lag",
    "machine": "machine_id resource resource_name uses equipment tool station workstation machine_name work_center "
    "work_centre device",
    "amount": "quantity qty units demand",
    "capacity": "machine_capacity resource_capacity machine_count number_of_machines no_of_machines",
    "agent": "worker person people assignee assigned_to operator operators employee staff crew who cook "
    "eligible_worker eligible_agent eligible_operator",
    "attended": "attendance hands_on",
    "unattended": "automatic hands_off",
    "interruptible": "preemptive preemptible preemptable preemption splittable pausable can_pause interruptable "
    "can_be_interrupted can_be_split",
    "release": "release_time release_date released ready ready_time earliest earliest_start not_before available_from "
    "no_earlier_than start_no_earlier_than arrival arrival_time",
    "latest_start": "start_no_later_than start_by",
    "deadline": "due due_date due_time due_by latest latest_finish latest_end finish_by end_by complete_by not_after "
    "no_later_than finish_no_later_than must_finish_by",
    "fixed_start": "fixed_start_time fixed_start_date start_fixed fixed_time must_start must_start_at must_start_on "
    "start_at starts_at exact_start pinned_start appointment",
    "fixed_end": "fixed_finish fixed_end_time end_fixed must_finish must_finish_at must_finish_on must_end_at "
    "exact_end",
    "windows": "window time_window allowed_time",
    "unavailable": "unavailability unavailable_time",
    "machine_unavailable": "machine_unavailability machine_downtime",
    "agent_unavailable": "agent_unavailability worker_unavailable worker_unavailability",
    "alternatives": "alternative_machine alternate_machine",
    "workers": "",
    "setup": "setup_time changeover changeover_time retooling_time tool_change_time",
    "family": "setup_family setup_group setup_type",
    "optional": "is_optional skippable can_skip may_skip droppable",
    "mandatory": "is_mandatory compulsory is_compulsory obligatory must_do",
    "weight": "",
    "pauses": "",
    "time_unit": "unit duration_unit unit_of_time",
    "outline": "outline_number outline_no",
    "outline_level": "indent indent_level indentation wbs_level hierarchy_level",
    "summary": "is_summary summary_task",
    "parent": "parent_task parent_id parent_name subtask_of",
}

_MACHINE = "(?:machine|resource|equipment|station|tool|work_?cent(?:er|re))s?"
_AGENT = "(?:worker|operator|employee|person|agent|assignee|technician)s?"
_OFF = (
    r"(?:un_?available(?:_\w+)?|unavailabilit(?:y|ies)|off_?times?|down|down_?times?|breaks?|lunch|maintenance|closed|"
    r"absences?|outages?|black_?outs?)"
)
_OF_TASKS = "(?:id|no|nr|number|name|task|activity|activitie|job|operation|list)s?"
# Less usual names, as regular expressions; they are read if no column has a usual name of the field.
_UNUSUAL_NAMES: Final = {
    "duration": r"(?:original|planned|estimated|est|expected|total|processing|process|work)_durations?|duration_time",
    "after": rf"(?:task_|activity_|job_)?(?:predecessor|pred|prerequisite|dependency|dependencie|depends_on)s?"
    rf"(?:_{_OF_TASKS})?",
    "successors": rf"(?:task_|activity_|job_)?(?:successor|succ)s?(?:_{_OF_TASKS})?",
    "agent": rf"(?:assigned|responsible|allocated)_{_AGENT}|{_AGENT}_(?:names?|ids?)|owner|responsible|technician",
    "machine": rf"(?:assigned|required|needed|primary)_{_MACHINE}|{_MACHINE}_(?:no|nr|code|used|required|needed)|"
    "production_line|room",
    "deadline": "(?:due|deadline)_(?:on|at|in|date|time)",
    "release": "(?:release|ready|available)_(?:on|at|date)",
    "outline": "wbs(?:_code|_number|_no)?",
    "workers": rf"(?:num|number|no|nr|nb|count|min|minimum|required|needed|n)_(?:of_)?{WORKER_WORDS}|"
    rf"{WORKER_WORDS}_(?:size|count|needed|required|number)|head_?count|man_?power",
    "alternatives": rf"{CHOICE_WORDS}_{_MACHINE}|{_MACHINE}_(?:alternatives?|options?|choices)|"
    "alternatives?|alternates?",
    "machine_unavailable": rf"{_MACHINE}_{_OFF}",
    "agent_unavailable": rf"{_AGENT}_{_OFF}",
    "unavailable": _OFF,
    "setup": r"(?:\w+_)?(?:set_?ups?|change_?overs?)(?:_times?)?|re_?tooling(?:_time)?|tool_?changes?",
    "mandatory": "(?:is_)?required",
    "family": "colou?rs?",
}
#: Fields with times: their columns may name a unit.
TIMES: Final = (
    *("duration", "release", "deadline", "min_lag", "max_lag"),
    *("fixed_start", "fixed_end", "latest_start", "attended", "setup"),
)
#: Columns that mean the weight of an optional job, and nothing in a table without optional jobs.
WEIGHT_NAMES: Final = ("weight", "value", "reward", "profit", "prize", "revenue")
_CURRENCIES: Final = ("", "eur", "euro", "euros", "usd", "dollar", "dollars", "gbp", "chf", "points")
_PRIORITY: Final = re.compile("(?:^|_)(?:priority|priorities|prio|importance)(?:_|$)")
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
        *("quality", "rank", "stat", "data", "height", "width", "value", "causes", "clauses"),
    )
)
# Letters from which on a name with one, or with two, different letters is taken for a misspelled one.
_ONE_LETTER, _TWO_LETTERS = 4, 8
# Longer headings have no meaning.
_LONGEST_HEADING = 200
# More columns than any table of tasks has; each is compared with all usual names.
MAX_COLUMNS: Final = 500


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
    workers
        Number of workers, of which tasks need one or several at once; ``None`` if it is not given.
    start
        Local clock time of tick 0 (text); ``""`` if it is not given.
    calendar, setups
        Paths of tables with off-times, and with set-up times between families; ``""`` without one.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()
    literal: frozenset[str] = frozenset()
    workers: int | None = None
    start: str = ""
    calendar: str = ""
    setups: str = ""


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
    unusual
        Column of each field whose name is not usual.
    durations
        Machine of each column that has the durations on one machine.
    """

    columns: dict[str, str]
    restrictions: dict[str, Restriction]
    unread: list[str]
    unusual: dict[str, str]
    durations: dict[str, str] = field(default_factory=dict)

    def notes(self) -> list[str]:
        """Return notes about columns that are not read, or have unusual names."""
        notes = []
        for field_name, heading in self.unusual.items():
            notes.append(f"column {heading} is read as {field_name}")
        if self.durations:
            headings = [name[:_LONGEST_HEADING] for name in self.durations]
            notes.append(f"columns with durations on one machine: {', '.join(headings)}")
        if self.unread:
            headings = [name[:_LONGEST_HEADING] for name in self.unread]
            text = f"ignored columns: {', '.join(headings)}"
            if any(_PLANNED.fullmatch(normal_name(name)) for name in self.unread):
                text += "; times are restricted by release, deadline, fixed_start and fixed_end"
            notes.append(text)
        return notes


def normal_name(heading: str) -> str:
    """Return a heading in lower case, with ``_`` between its words.

    >>> normal_name("Set-up Time (min)"), normal_name("dueDate")
    ('set_up_time_min', 'due_date')
    """
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", heading).replace("#", " no ")
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


def _usual_fields() -> dict[str, str]:
    """Return the field of each usual name, which is written without ``_``."""
    fields = {}
    for field_name, text in FIELDS.items():
        for name in (field_name, *text.split()):
            fields[name.replace("_", "")] = field_name
    del fields["workers"]  # names of agents, or their number if all cells are numbers
    return fields


_USUAL_FIELDS: Final = _usual_fields()


def field_of(heading: str, find: Callable[[str], str | None] | None = None) -> str | None:
    """Return the field of a heading; ``None`` without a field. Headings of times may name a unit.

    Parameters
    ----------
    find
        Function that returns the field of a normal name (default: of usual names).

    Examples
    --------
    >>> field_of("Processing times [min]"), field_of("Machine hours"), field_of("DueDate")
    ('duration', None, 'deadline')
    """
    find = find or _usual_field
    name, seconds = split_unit(heading)
    exact = find(normal_name(heading))
    without_unit = find(name) if seconds else None
    return exact or (without_unit if without_unit in TIMES else None)


def _usual_field(name: str) -> str | None:
    """Return the field of a usual name, in the singular or plural."""
    key = name.replace("_", "")
    return _USUAL_FIELDS.get(key) or _USUAL_FIELDS.get(key.removesuffix("s"))


def _unusual_field(name: str) -> str | None:
    """Return the field of a less usual name."""
    for field_name, pattern in _UNUSUAL_NAMES.items():
        if re.fullmatch(pattern, name):
            return field_name
    return None


def is_without_meaning(heading: str) -> bool:
    """Return whether a heading has no meaning, and is no ordinary one such as cost or priority."""
    name = normal_name(heading)
    is_ordinary = name in _ORDINARY or name in WEIGHT_NAMES or _PRIORITY.search(name) or _PLANNED.fullmatch(name)
    if is_ordinary or restriction_of(name):
        return False
    return field_of(heading) is None and field_of(heading, _unusual_field) is None


def is_priority(heading: str) -> bool:
    """Return whether a column has priorities.

    >>> is_priority("Order priority"), is_priority("Prio"), is_priority("prior art")
    (True, True, False)
    """
    return _PRIORITY.search(normal_name(heading)) is not None


def is_weight(heading: str) -> bool:
    """Return whether a column means the weight of an optional job, perhaps in a currency.

    >>> is_weight("Profit (EUR)"), is_weight("Weight (kg)")
    (True, False)
    """
    name, _, unit = normal_name(heading).partition("_")
    return name in WEIGHT_NAMES and unit in _CURRENCIES


def assign_columns(
    headings: Sequence[str], options: TableOptions, durations: Mapping[str, str] | None = None
) -> ColumnRoles:
    """Return the meaning of each column of a table.

    Parameters
    ----------
    headings
        Headings of the table.
    options
        Choices of the user.
    durations
        Machine of each column that has the durations on one machine.

    Raises
    ------
    InputError
        For a missing column, two columns of one field, and a misspelled name of a field without a column.

    Examples
    --------
    >>> assign_columns(["Job", "Operation", "Processing time [min]", "Cost"], TableOptions()).columns
    {'job': 'Job', 'duration': 'Processing time [min]', 'task': 'Operation'}
    """
    if len(headings) > MAX_COLUMNS:
        raise InputError(f"must have at most {MAX_COLUMNS} columns", value=len(headings))
    _check_options(headings, options)
    durations = dict(durations or {})
    assigned = {*options.ignored, *options.columns.values(), *durations}
    free = [name for name in headings if name not in assigned]
    columns, remaining = _usual_columns(free, options.columns)
    roles = ColumnRoles(columns, {}, [], {}, durations)
    for heading in remaining:
        _assign_unusual(heading, roles)
    _require(columns, headings, has_durations=bool(durations))
    _name_tasks(columns)
    _drop_without_effect(columns)
    used = {*columns.values(), *roles.restrictions, *roles.unread, *options.ignored, *durations}
    roles.unread.extend(name for name in headings if name not in used)
    return roles


def _assign_unusual(heading: str, roles: ColumnRoles) -> None:
    """Add the meaning of a column without a usual name."""
    if len(heading) > _LONGEST_HEADING:
        roles.unread.append(heading)
        return
    field_name = field_of(heading, _unusual_field)
    restriction = restriction_of(normal_name(heading), roles.columns)
    if field_name is not None and field_name not in roles.columns:
        roles.columns[field_name] = heading
        roles.unusual[field_name] = heading
    elif restriction is not None:
        roles.restrictions[heading] = restriction
    else:
        _check_spelling(heading, roles.columns)
        roles.unread.append(heading)


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
        field_name = field_of(heading) if len(heading) <= _LONGEST_HEADING else None
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
    similar_names = similar(name, dict.fromkeys((*missing, *RESTRICTED_WORDS)))
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
            is_different = first[i - 1] != second[j - 1]
            replaced = rows[-1][j - 1] + is_different
            distance = min(replaced, rows[-1][j] + 1, row[j - 1] + 1)
            last_letters = second[j - 2 : j]
            if i > 1 and j > 1 and first[i - 2 : i] == last_letters[::-1]:
                distance = min(distance, rows[-2][j - 2] + 1)
            row.append(distance)
        rows.append(row)
    return rows[-1][-1]


def _require(columns: Mapping[str, str], headings: Sequence[str], *, has_durations: bool) -> None:
    """Raise an error if the table names no tasks or no durations."""
    names = {"task", "operation", "step", "job", "id", "outline"}
    required = [("task", names)] if has_durations else [("task", names), ("duration", {"duration"})]
    for field_name, accepted in required:
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
    operation = columns.pop("operation", "")
    step = columns.get("step", "")
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
