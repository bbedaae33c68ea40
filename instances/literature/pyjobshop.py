"""Problems of PyJobShop as JSON: jobs, resources, tasks, modes and constraints.

These refer to each other by position. Supported are machines, renewable and consumable resources, breaks, several
modes, bounds of starts and ends, set-up times between tasks, and all constraints between the starts and ends of two
tasks. The objective is the makespan. Other constraints and objectives are errors that name their field.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, permutations
from typing import Any, Final

from planoracle.instances.errors import InputError, InputNote
from planoracle.instances.literature.project_network import LARGEST, action_of_modes
from planoracle.instances.model.calendars import Calendar
from planoracle.instances.model.end_points import END, START, EndPoints
from planoracle.instances.model.features import note_excess
from planoracle.instances.model.instance import Action, Demand, Instance, Mode, Resource
from planoracle.instances.model.transitions import Transitions

#: Set-up times by the positions of two tasks.
_SetUpTimes = dict[tuple[int, int], int]

_PARTS: Final = ("jobs", "resources", "tasks", "modes")
_PAGE: Final = "see .docs/limits.md"
# Family of tasks without set-up times.
_OTHER: Final = "other"
#: Value of a bound that is none.
_UNBOUNDED: Final = 2**42
#: Ends of the first and of the second task that a constraint joins, and whether they have a fixed distance.
_LINKS: Final = {
    "start_before_start": (START, START, False),
    "start_before_end": (START, END, False),
    "end_before_start": (END, START, False),
    "end_before_end": (END, END, False),
    "start_at_start": (START, START, True),
    "start_at_end": (START, END, True),
    "end_at_start": (END, START, True),
    "end_at_end": (END, END, True),
}
_REFUSED_FLAGS: Final = {
    "allow_idle": "tasks that may occupy a resource longer than they take",
    "optional": "optional tasks",
}
_RESOURCE_TYPES: Final = ("machine", "renewable", "consumable")
# Fields of each part of a document; others are refused.
_FIELDS: Final = {
    "jobs": ("weight", "release_date", "deadline", "due_date", "tasks", "name"),
    "resources": ("capacity", "breaks", "no_idle", "name", "type"),
    "tasks": (
        *("job", "earliest_start", "latest_start", "earliest_end", "latest_end"),
        *("allow_idle", "allow_breaks", "optional", "name"),
    ),
    "modes": ("task", "resources", "duration", "demands", "name"),
}
_FIELDS_OF_LINKS: Final = ("task1", "task2", "delay")
_FIELDS_OF_SETUPS: Final = ("machine", "task1", "task2", "duration")
# Fields of a document; others are refused unless they are empty.
_FIELDS_OF_DOCUMENT: Final = (*_PARTS, "constraints", "objective")


def recognises(document: object) -> bool:
    """Return True for a document with the four parts of a problem."""
    return isinstance(document, dict) and document.keys() >= {*_PARTS} and "format" not in document


def read(document: Mapping[str, Any], name: str) -> Instance:
    """Return the problem of a document.

    Parameters
    ----------
    name
        Name of the problem.

    Raises
    ------
    InputError
        With the field of a fault, or of a constraint or an objective that is not supported.

    Examples
    --------
    >>> document = {
    ...     "jobs": [],
    ...     "resources": [{"type": "machine", "name": "saw"}, {"type": "machine", "name": "mill"}],
    ...     "tasks": [{"name": "cut"}],
    ...     "modes": [{"task": 0, "resources": [0], "duration": 3}, {"task": 0, "resources": [1], "duration": 5}],
    ... }
    >>> action, = read(document, "cut").actions
    >>> action.id, action.duration, [mode.name for mode in action.modes]
    ('task1/cut', 3, ['saw', 'mill'])
    """
    instance = _Reader(document, name).instance()
    note_excess(instance, name)
    return instance


class _Reader:
    """Conversion of a document into an instance."""

    def __init__(self, document: Mapping[str, Any], name: str) -> None:
        self.document, self.name = document, name
        filled = {key: value for key, value in document.items() if value not in (None, [], {})}
        _check_fields(filled, _FIELDS_OF_DOCUMENT, "")
        self.jobs = self._part("jobs")
        self.tasks = self._part("tasks")
        self.modes = self._part("modes")
        self.resources: list[Resource] = []
        self.calendars: list[Calendar] = []
        #: Resources that the model gives one unit, though their capacity is 0.
        self.empty: set[str] = set()

    def instance(self) -> Instance:
        """Return the problem of the document."""
        self._check_objective()
        self._read_resources()
        constraints = self._constraints()
        actions = self._actions()
        set_ups = self._set_ups(constraints.get("setup_times", []))
        transitions = [_transitions(machine, times, actions) for machine, times in set_ups.items()]
        families = {machine: _families(times, actions) for machine, times in set_ups.items()}
        points = EndPoints([_with_families(action, k, families) for k, action in enumerate(actions)])
        self._bound(points)
        for kind in _LINKS:
            self._link(points, kind, constraints.get(kind, []))
        return Instance(
            self.name,
            tuple(points.actions()),
            tuple(points.lags()),
            tuple(self.resources),
            agents=(),
            calendars=tuple(self.calendars),
            transitions=tuple(transitions),
        )

    # --- values -----------------------------------------------------------------------------------

    def _part(self, part: str) -> list[Mapping[str, Any]]:
        """Return the objects of a part, without unknown fields."""
        entries = self.document[part]
        if not isinstance(entries, list):
            raise InputError("must be a list", field=part, value=entries)
        for position, entry in enumerate(entries):
            field = f"{part}[{position}]"
            _check_fields(entry, _FIELDS[part], field)
        return entries

    def _constraints(self) -> Mapping[str, Any]:
        """Return the lists of constraints; raises `InputError` for those that are not supported."""
        constraints = self.document.get("constraints") or {}
        if not isinstance(constraints, dict):
            raise InputError("must be an object", field="constraints", value=constraints)
        supported = (*_LINKS, "setup_times")
        for kind, entries in constraints.items():
            if not isinstance(entries, list):
                raise InputError("must be a list", field=f"constraints.{kind}", value=entries)
            if entries and kind not in supported:
                message = f"this constraint is not supported, {_PAGE}; accepted are {', '.join(supported)}"
                raise InputError(message, field=f"constraints.{kind}", value=entries[0])
        return constraints

    def _check_objective(self) -> None:
        """Raise `InputError` for another objective than the makespan."""
        objective = self.document.get("objective")
        if objective is None:
            return
        if not isinstance(objective, dict):
            raise InputError("must be an object", field="objective", value=objective)
        for key, value in objective.items():
            weight = _whole(value, f"objective.{key}")
            if weight and key != "weight_makespan":
                message = f"this objective is not supported, {_PAGE}; accepted is weight_makespan alone"
                raise InputError(message, field=f"objective.{key}", value=value)
        if not objective.get("weight_makespan", 0):
            message = f"the makespan must be the objective, {_PAGE}"
            raise InputError(message, field="objective.weight_makespan", value=objective.get("weight_makespan"))

    def _position(self, value: Any, field: str, entries: Sequence[object]) -> int:
        """Return a position in a list of entries."""
        position = _whole(value, field)
        if position >= len(entries):
            raise InputError(f"must be a position from 0 to {len(entries) - 1}", field=field, value=value)
        return position

    # --- resources --------------------------------------------------------------------------------

    def _read_resources(self) -> None:
        """Read resources and their breaks."""
        entries = self._part("resources")
        names = _names(entries, "resource")
        for position, (entry, name) in enumerate(zip(entries, names, strict=True)):
            field = f"resources[{position}]"
            default_type = "renewable" if "capacity" in entry else "machine"
            resource_type = entry.get("type", default_type)
            if resource_type not in _RESOURCE_TYPES:
                message = f"must be one of {', '.join(_RESOURCE_TYPES)}"
                raise InputError(message, field=f"{field}.type", value=resource_type)
            if _flag(entry, "no_idle", field):
                raise InputError(f"machines without idle time are not supported, {_PAGE}", field=f"{field}.no_idle")
            if resource_type == "machine" and "capacity" in entry:
                message = "a machine has none and does one task at a time; the type renewable has a capacity"
                raise InputError(message, field=f"{field}.capacity", value=entry["capacity"])
            renewable = resource_type != "consumable"
            capacity = 1 if resource_type == "machine" else _whole(entry.get("capacity"), f"{field}.capacity")
            if renewable and not capacity:
                self.empty.add(name)
                capacity = 1
            self.resources.append(Resource(name, capacity, renewable=renewable))
            breaks = self._breaks(entry, field)
            if breaks and not renewable:
                message = f"breaks of a resource that is used up are not supported, {_PAGE}"
                raise InputError(message, field=f"{field}.breaks", value=entry["breaks"])
            if breaks:
                self.calendars.append(Calendar((name,), breaks))

    def _breaks(self, entry: Mapping[str, Any], field: str) -> tuple[tuple[int, int], ...]:
        """Return the breaks of a resource."""
        spans = []
        for number, span in enumerate(_list(entry, "breaks", field)):
            place = f"{field}.breaks[{number}]"
            if not isinstance(span, list) or len(span) != 2:
                raise InputError("must be a start and an end", field=place, value=span)
            begin, end = (_whole(tick, place) for tick in span)
            if begin >= end:
                raise InputError("must end after its start", field=place, value=span)
            spans.append((begin, end))
        spans.sort()
        return _joined(spans)

    # --- tasks ------------------------------------------------------------------------------------

    def _actions(self) -> list[Action]:
        """Return an action for each task."""
        modes: dict[int, list[Mode]] = {position: [] for position in range(len(self.tasks))}
        for number, entry in enumerate(self.modes):
            task = self._position(entry.get("task"), f"modes[{number}].task", self.tasks)
            modes[task].append(self._mode(entry, f"modes[{number}]"))
        names_of_jobs = _names(self.jobs, "job")
        names_of_tasks = _names(self.tasks, "task")
        job_of_task = self._jobs_of_tasks()
        actions = []
        for position, entry in enumerate(self.tasks):
            field = f"tasks[{position}]"
            if not modes[position]:
                raise InputError("has no mode", field=field)
            for key, meaning in _REFUSED_FLAGS.items():
                if _flag(entry, key, field):
                    message = f"{meaning} are not supported in this format, {_PAGE}"
                    raise InputError(message, field=f"{field}.{key}", value=True)
            job = job_of_task.get(position)
            name_of_job = f"task{position + 1}" if job is None else names_of_jobs[job]
            action = action_of_modes(name_of_job, names_of_tasks[position], modes[position])
            pauses = _flag(entry, "allow_breaks", field)
            actions.append(replace(action, pauses_in_breaks=pauses))
        return actions

    def _mode(self, entry: Mapping[str, Any], field: str) -> Mode:
        """Return a mode; a machine is used by one unit, whatever its demand."""
        duration = _whole(entry.get("duration"), f"{field}.duration")
        positions = _list(entry, "resources", field)
        amounts = _list(entry, "demands", field) or [0] * len(positions)
        if len(positions) != len(amounts):
            raise InputError("must have a demand for each of its resources", field=f"{field}.demands", value=amounts)
        demands = []
        for position, amount in zip(positions, amounts, strict=True):
            place = self._position(position, f"{field}.resources", self.resources)
            is_machine = self._is_machine(place)
            if is_machine and not duration:
                message = f"a mode of duration 0 that uses a machine is not supported, {_PAGE}"
                raise InputError(message, field=f"{field}.duration", value=duration)
            name = self.resources[place].name
            units = _whole(amount, f"{field}.demands")
            if name in self.empty and units:
                units += 1
            demands.append(Demand(name, 1 if is_machine else units))
        names = [demand.resource for demand in demands]
        mode_name = entry.get("name") or ", ".join(names)
        return Mode(tuple(demands), str(mode_name), duration=duration)

    def _is_machine(self, position: int) -> bool:
        entry = self.document["resources"][position]
        return "capacity" not in entry and entry.get("type", "machine") == "machine"

    def _jobs_of_tasks(self) -> dict[int, int]:
        """Return the job of each task that has one, as jobs and tasks say."""
        jobs: dict[int, int] = {}
        for job, entry in enumerate(self.jobs):
            field = f"jobs[{job}].tasks"
            for task in _list(entry, "tasks", f"jobs[{job}]"):
                position = self._position(task, field, self.tasks)
                if jobs.setdefault(position, job) != job:
                    raise InputError("another job has this task, too", field=field, value=task)
        for position, entry in enumerate(self.tasks):
            if entry.get("job") is not None:
                field = f"tasks[{position}].job"
                job = self._position(entry["job"], field, self.jobs)
                if jobs.setdefault(position, job) != job:
                    raise InputError("contradicts the tasks of the jobs", field=field, value=job)
        return jobs

    def _bound(self, points: EndPoints) -> None:
        """Bound starts and ends of the tasks, as tasks and jobs say."""
        jobs = self._jobs_of_tasks()
        has_due_dates = False
        for position, entry in enumerate(self.tasks):
            field = f"tasks[{position}]"
            for point in (START, END):
                earliest = _whole(entry.get(f"earliest_{point}", 0), f"{field}.earliest_{point}")
                latest = _bound(entry.get(f"latest_{point}"), f"{field}.latest_{point}")
                points.bound(position, point, earliest, latest)
        for task, job in jobs.items():
            entry = self.jobs[job]
            release = _whole(entry.get("release_date", 0), f"jobs[{job}].release_date")
            deadline = _bound(entry.get("deadline"), f"jobs[{job}].deadline")
            points.bound(task, START, release, None)
            points.bound(task, END, 0, deadline)
            has_due_dates = has_due_dates or entry.get("due_date") is not None
        if has_due_dates:
            text = f"{self.name}: due dates do not concern the makespan and are ignored; deadlines hold"
            warnings.warn(InputNote(text), stacklevel=2)

    def _link(self, points: EndPoints, kind: str, entries: Sequence[Any]) -> None:
        """Add the constraints of one kind between starts and ends."""
        first_point, second_point, is_fixed = _LINKS[kind]
        for number, entry in enumerate(entries):
            field = f"constraints.{kind}[{number}]"
            _check_fields(entry, _FIELDS_OF_LINKS, field)
            first = self._position(entry.get("task1"), f"{field}.task1", self.tasks)
            second = self._position(entry.get("task2"), f"{field}.task2", self.tasks)
            delay = _whole(entry.get("delay", 0), f"{field}.delay", -LARGEST)
            points.link((first, first_point), (second, second_point), delay)
            if is_fixed:
                points.link((second, second_point), (first, first_point), -delay)

    def _set_ups(self, entries: Sequence[Any]) -> dict[str, _SetUpTimes]:
        """Return the set-up times by machine."""
        set_ups: dict[str, _SetUpTimes] = {}
        for number, entry in enumerate(entries):
            field = f"constraints.setup_times[{number}]"
            _check_fields(entry, _FIELDS_OF_SETUPS, field)
            machine = self._position(entry.get("machine"), f"{field}.machine", self.resources)
            if not self._is_machine(machine):
                raise InputError("set-up times need a machine", field=f"{field}.machine", value=machine)
            before = self._position(entry.get("task1"), f"{field}.task1", self.tasks)
            after = self._position(entry.get("task2"), f"{field}.task2", self.tasks)
            duration = _whole(entry.get("duration"), f"{field}.duration")
            if before != after:  # of two entries, the last one counts
                set_ups.setdefault(self.resources[machine].name, {})[before, after] = duration
        return {machine: times for machine, times in set_ups.items() if any(times.values())}


def _families(times: _SetUpTimes, actions: Sequence[Action]) -> list[str]:
    """Return the family of each task: the id of its action, or a common one if it has no set-up times."""
    concerned = set(chain.from_iterable(times))
    return [action.id if position in concerned else _OTHER for position, action in enumerate(actions)]


def _transitions(machine: str, times: _SetUpTimes, actions: Sequence[Action]) -> Transitions:
    """Return the set-up times of a machine; those that are not listed are 0."""
    ticks = {}
    for (before, after), duration in times.items():
        ticks[actions[before].id, actions[after].id] = duration
    families: dict[str, None] = {}
    for action, family in zip(actions, _families(times, actions), strict=True):
        if _may_use(action, machine):
            families[family] = None
    table = []
    for before_family, after_family in permutations(families, 2):
        duration = ticks.get((before_family, after_family), 0)
        table.append((before_family, after_family, duration))
    return Transitions((machine,), tuple(table))


def _may_use(action: Action, resource: str) -> bool:
    """Return whether a mode of an action uses a resource."""
    demands = chain.from_iterable(mode.demands for mode in action.modes)
    return any(demand.resource == resource for demand in demands)


def _with_families(action: Action, position: int, families: Mapping[str, Sequence[str]]) -> Action:
    """Return an action with a family for its uses of machines that have set-up times.

    Parameters
    ----------
    families
        Families of all tasks, by machine.
    """
    modes = []
    for mode in action.modes:
        demands = []
        for demand in mode.demands:
            families_of_tasks = families.get(demand.resource)
            family = None if families_of_tasks is None else families_of_tasks[position]
            demands.append(replace(demand, family=family))
        modes.append(replace(mode, demands=tuple(demands)))
    return replace(action, modes=tuple(modes))


def _joined(spans: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Return sorted spans of which those that touch or overlap each other are one."""
    joined: list[tuple[int, int]] = []
    for begin, end in spans:
        if joined and begin <= joined[-1][1]:
            begin, previous_end = joined.pop()
            end = max(end, previous_end)
        joined.append((begin, end))
    return tuple(joined)


def _names(entries: Sequence[Mapping[str, Any]], kind: str) -> list[str]:
    """Return the names of entries, or kind and number if names are missing or equal."""
    names = [entry.get("name") or "" for entry in entries]
    is_usable = all(isinstance(name, str) and name and "/" not in name for name in names)
    if is_usable and len(set(names)) == len(names):
        return names
    return [f"{kind}{number}" for number in range(1, len(entries) + 1)]


def _check_fields(entry: Any, accepted: Sequence[str], field: str) -> None:
    """Raise `InputError` for an entry that is no object, or has a field that is not read."""
    if not isinstance(entry, dict):
        raise InputError("must be an object", field=field, value=entry)
    for key, value in entry.items():
        if key not in accepted:
            message = f"is not read from a problem of PyJobShop; accepted are {', '.join(accepted)}"
            raise InputError(message, field=f"{field}.{key}".lstrip("."), value=value)


def _list(entry: Mapping[str, Any], key: str, field: str) -> list[Any]:
    """Return the list of an entry; empty without one."""
    value = entry.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise InputError("must be a list", field=f"{field}.{key}", value=value)
    return value


def _flag(entry: Mapping[str, Any], key: str, field: str) -> bool:
    value = entry.get(key, False)
    if not isinstance(value, bool):
        raise InputError("must be true or false", field=f"{field}.{key}", value=value)
    return value


def _bound(value: Any, field: str) -> int | None:
    """Return a bound in ticks; ``None`` without one."""
    if value is None or (isinstance(value, int) and value >= _UNBOUNDED):
        return None
    return _whole(value, field)


def _whole(value: Any, field: str, minimum: int = 0) -> int:
    """Return a whole number; raises `InputError` for other values."""
    if isinstance(value, bool) or not isinstance(value, int) or not minimum <= value <= LARGEST:
        raise InputError(f"must be a whole number from {minimum} to {LARGEST}", field=field, value=value)
    return value
