"""Problem files in our own format: JSON Schema, reader and writer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Annotated, Any, ClassVar, Final, Literal, cast

from pydantic import BeforeValidator, Field, PlainValidator, ValidationError, WithJsonSchema

from planoracle.instances.errors import InputError, combine_errors, in_field
from planoracle.instances.files.strict_entries import (
    SchemaLink,
    StrictEntry,
    check_version,
    input_error,
    schema_of,
    shorthand,
)
from planoracle.instances.model.calendars import Calendar
from planoracle.instances.model.clock_times import LocalClock, parse_moment, parse_start_time
from planoracle.instances.model.features import Feature, features_of, note_excess
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.mode_values import ALL, attended_ticks, pause_flags, with_values_of_modes
from planoracle.instances.model.problem import GENERAL
from planoracle.instances.model.transitions import Transitions
from planoracle.instances.model.validation import MAX_ACTIONS, MAX_LAGS
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.schedule_benchmark import check_instance
from planoracle.instances.text import one_of, warn_of_unit

FORMAT: Final = "planoracle/instance"
#: Version of files with a field of the second version, and of all others.
VERSIONS: Final = (1, 2)

_Entry = Mapping[str, Any]


def _moment(value: Any) -> int | str:
    """Check ticks, or the text of a date or clock time."""
    message = "must be a date such as 2026-03-02 or 2026-03-02 8:30, a clock time such as 8:30, or a whole number"
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError(message)
    if isinstance(value, str):
        try:
            parse_moment(value)
        except InputError:
            raise ValueError(message) from None
    return value


def _attended(value: Any) -> int | str | None:
    if value is not None and value != ALL and type(value) is not int:
        raise ValueError(f"must be {ALL!r} or a whole number")
    attended: int | str | None = value
    return attended


def _whole_number(value: Any) -> int:
    if type(value) is not int:
        raise ValueError("must be a whole number")
    return value


def _tuple_of(value: Any) -> Any:
    """Return a list as a tuple, which the strict check accepts."""
    return tuple(value) if isinstance(value, list) else value


def _without_default(schema: dict[str, Any]) -> None:
    del schema["default"]


#: Ticks, or a text that is a date or a clock time.
Moment = Annotated[
    int | str, PlainValidator(_moment), WithJsonSchema({"anyOf": [{"type": "integer"}, {"type": "string"}]})
]
Attended = Annotated[
    int | str | None,
    PlainValidator(_attended),
    WithJsonSchema({"anyOf": [{"type": "integer"}, {"const": ALL}, {"type": "null"}]}),
]
#: Begin and end.
SpanEntry = Annotated[tuple[Moment, Moment], BeforeValidator(_tuple_of)]
WayEntry = Annotated[tuple[str, str, int], BeforeValidator(_tuple_of)]
StartEntry = Annotated[tuple[str, str], BeforeValidator(_tuple_of)]


class InstanceEntry(StrictEntry):
    """Object of a problem file; `since_version_2` names its fields that version 1 lacks."""

    since_version_2: ClassVar[frozenset[str]] = frozenset()


class ResourceEntry(InstanceEntry):
    """A resource."""

    since_version_2 = frozenset({"renewable"})

    name: str
    capacity: int = Field(1, description="units available at any time; of a budget, units in all")
    state: str | None = Field(None, description="initial state, for a resource with states")
    renewable: bool = Field(True, description="false: a budget, whose units are used up")


class UseEntry(InstanceEntry):
    """Use of a resource by a running action."""

    since_version_2 = frozenset({"family"})

    resource: str
    amount: int = 1
    requires: str | None = Field(None, description="required state of the resource")
    sets: str | None = Field(None, description="state of the resource from the start of the action")
    family: str | None = Field(None, description="family of the use, for a resource with set-up times")


class ModeEntry(InstanceEntry):
    """One of several alternative ways to carry out an action."""

    since_version_2 = frozenset({"duration", "attended", "agents"})

    name: str = ""
    duration: int | None = Field(None, description="ticks in this mode; default: those of the action")
    attended: int | None = Field(
        None, description="ticks from the start that occupy an agent; default: all or none, as of the action"
    )
    agents: list[str] | None = Field(None, description="eligible agents in this mode; default: those of the action")
    uses: list[UseEntry] = Field([])
    after: list[str] = Field([], description="actions that must be finished before the start in this mode")


class AfterEntry(InstanceEntry):
    """A time lag from the finish of another action to the start of this one."""

    action: str = Field(description="name of an action of the same task, or task/name")
    min_lag: int | None = Field(0, description="minimum ticks from its end to this start; null: either order")
    max_lag: int | None = Field(None, description="maximum ticks; applies to every resumption, too")


def _name_or_entry(value: Any) -> Any:
    if not isinstance(value, str | dict | AfterEntry):
        raise ValueError("must be the name of an action or an object")
    return {"action": value} if isinstance(value, str) else value


class ActionEntry(InstanceEntry):
    """One step of a task."""

    since_version_2 = frozenset({"deadline", "windows", "pauses", "place"})

    name: str = Field(description="unique in its task")
    label: str = Field("", description="short description for readers")
    duration: Annotated[int | None, PlainValidator(_whole_number), WithJsonSchema({"type": "integer"})] = Field(
        None, description="ticks; needed unless every mode has them", json_schema_extra=_without_default
    )
    attended: Attended = Field(
        None, description="ticks from the start that occupy an agent; default: the duration, also called all"
    )
    interruptible: bool = Field(False, description="may run in several pieces, as with pauses: anywhere")
    pauses: Literal["never", "breaks", "anywhere"] | None = Field(
        None, description="breaks: exactly while its agent or a resource in use is off"
    )
    release: Moment = Field(0, description="earliest start")
    deadline: Moment | None = Field(None, description="latest end")
    windows: list[SpanEntry] | None = Field(None, description="pairs of begin and end; each piece lies in one of them")
    place: str | None = Field(None, description="place at which it holds its agent, if its agents travel")
    agents: list[str] | None = Field(None, description="eligible agents; default: all; []: needs none")
    uses: list[UseEntry] | None = Field(None, description="resources used; shorthand for a single mode")
    modes: list[ModeEntry] | None = Field(None, description="alternative modes of execution")
    after: list[Annotated[AfterEntry, BeforeValidator(_name_or_entry), shorthand("string", AfterEntry)]] = Field([])


class TaskEntry(InstanceEntry):
    """A named group of actions."""

    since_version_2 = frozenset({"optional", "weight"})

    name: str
    optional: bool = Field(False, description="may be left out as a whole")
    weight: int | None = Field(None, description="weight of an optional task; default: 1")
    actions: list[ActionEntry]


class OffTimesEntry(InstanceEntry):
    """Times at which some agents and resources are off."""

    members: list[str]
    off: list[SpanEntry] = Field(description="pairs of begin and end, sorted and disjoint; clock times: every day")
    period: int | None = Field(None, description="ticks after which they repeat; default: never")


class TransitionsEntry(InstanceEntry):
    """Ways of agents between places, or set-up times of resources between families of uses."""

    members: list[str]
    times: list[WayEntry] = Field(description="from, to, ticks; missing pairs are no ways")
    start: list[StartEntry] = Field([], description="member, place or family at tick 0")


class InstanceDocument(InstanceEntry):
    """A scheduling problem for planoracle."""

    since_version_2 = frozenset({"calendars", "transitions", "start_time"})

    schema_: SchemaLink = None
    format: Literal["planoracle/instance"]
    version: Literal[1, 2]
    name: str
    benchmark: str = Field(GENERAL, description="benchmark whose rules and plan language apply")
    unit: str = Field("tick", description="name of a tick")
    seconds_per_tick: int | None = None
    start_time: str | None = Field(None, description="local clock time of tick 0, such as 2026-03-02 8:00")
    agents: list[str] = Field(["agent"], description="names of the agents; []: no action needs one")
    resources: list[ResourceEntry] = Field([])
    calendars: list[OffTimesEntry] = Field([])
    transitions: list[TransitionsEntry] = Field([])
    tasks: list[TaskEntry]
    time_limit: int | None = Field(None, description="latest end of all actions, in ticks")


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of the file format."""
    return schema_of(InstanceDocument)


def instance_from_document(document: Any, source: str) -> Instance:
    """Return the instance of a parsed document.

    Raises
    ------
    InputError
        Naming file, field and value of every fault (`FaultsError` for several).
    """
    check_version(document, source, VERSIONS)
    try:
        _check_size(document)
        InstanceDocument.model_validate(document)
        _check_fields(document)
        instance = instance_of(document)
    except ValidationError as error:
        raise input_error(error, source, InstanceDocument, _missing_durations(document)) from None
    except InputError as error:
        raise error.at(source) from None
    warn_of_unit(instance.unit, instance.seconds_per_tick, source)
    note_excess(instance, source)
    return instance


def _check_fields(document: _Entry) -> None:
    """Reject fields of version 2 in a valid document of version 1."""
    if document["version"] > 1:
        return
    fields = _new_fields(document)
    error = combine_errors(InputError("needs version 2 of the file format", field=field) for field in fields)
    if error is not None:
        raise error


def _new_fields(document: _Entry) -> Iterator[str]:
    """Yield the fields that version 1 lacks, with their places."""
    yield from _new_fields_of(document, InstanceDocument, "")
    for i, resource in enumerate(document.get("resources", ())):
        yield from _new_fields_of(resource, ResourceEntry, f"resources[{i}].")
    for i, task in enumerate(document["tasks"]):
        yield from _new_fields_of(task, TaskEntry, f"tasks[{i}].")
        for j, step in enumerate(task["actions"]):
            yield from _new_fields_of_action(step, f"tasks[{i}].actions[{j}].")


def _new_fields_of_action(step: _Entry, place: str) -> Iterator[str]:
    yield from _new_fields_of(step, ActionEntry, place)
    if step.get("attended") == ALL:
        yield f"{place}attended"
    for i, use in enumerate(step.get("uses") or ()):
        yield from _new_fields_of(use, UseEntry, f"{place}uses[{i}].")
    for i, mode in enumerate(step.get("modes") or ()):
        yield from _new_fields_of(mode, ModeEntry, f"{place}modes[{i}].")
        for j, use in enumerate(mode.get("uses") or ()):
            yield from _new_fields_of(use, UseEntry, f"{place}modes[{i}].uses[{j}].")


def _new_fields_of(entry: _Entry, model: type[InstanceEntry], place: str) -> Iterator[str]:
    if not model.since_version_2.isdisjoint(entry):
        for name in entry:
            if name in model.since_version_2:
                yield f"{place}{name}"


def _check_size(document: Any) -> None:
    """Reject too many actions and time lags before anything is built."""
    tasks = _list_at(document, "tasks")
    number_of_actions = sum(len(_list_at(task, "actions")) for task in tasks)
    if number_of_actions + len(tasks) > 2 * MAX_ACTIONS or number_of_actions > MAX_ACTIONS:
        raise InputError(f"must contain at most {MAX_ACTIONS} actions and {MAX_ACTIONS} tasks", field="tasks")
    actions = chain.from_iterable(_list_at(task, "actions") for task in tasks)
    if sum(len(_list_at(action, "after")) for action in actions) > MAX_LAGS:
        raise InputError(f"must contain at most {MAX_LAGS} time lags", field="tasks")


def _list_at(value: Any, key: str) -> list[Any]:
    entry = value.get(key) if isinstance(value, dict) else None
    return entry if isinstance(entry, list) else []


def to_document(instance: Instance) -> dict[str, Any]:
    """Return the document of an instance; fields with their default value are omitted.

    Instances of benchmarks whose rules need more than this model (TimeArena) are written under the general rules.

    Reading the document gives an equal instance if its actions are ordered by task and its lags by the later action,
    as in a file; otherwise their order differs.
    """
    after: dict[str, list[AfterEntry]] = {action.id: [] for action in instance.actions}
    for lag in instance.lags:
        task = instance.by_id[lag.after].task
        predecessor = lag.before.removeprefix(f"{task}/")
        entry = AfterEntry(action=predecessor, min_lag=lag.minimum, max_lag=lag.maximum)
        after[lag.after].append(entry)
    steps: dict[str, list[ActionEntry]] = {name: [] for name in instance.tasks}
    for action in instance.actions:
        steps[action.task].append(_step_entry(action, after[action.id]))
    resources = []
    for resource in instance.resources:
        entry_of_resource = ResourceEntry(
            name=resource.name, capacity=resource.capacity, state=resource.state, renewable=resource.renewable
        )
        resources.append(entry_of_resource)
    tasks = []
    for name, actions in steps.items():
        weight = instance.weights.get(name)
        is_optional = weight is not None
        tasks.append(
            TaskEntry(name=name, optional=is_optional, weight=None if weight == 1 else weight, actions=actions)
        )
    benchmark = instance.benchmark if registry.of(instance).self_contained else GENERAL
    start_time = None if instance.start_time is None else instance.start_time.isoformat()
    document = InstanceDocument(
        format=FORMAT,
        version=2,
        name=instance.name,
        benchmark=benchmark,
        unit=instance.unit,
        seconds_per_tick=instance.seconds_per_tick,
        start_time=start_time,
        agents=list(instance.agents),
        resources=resources,
        calendars=[_off_times_entry(calendar) for calendar in instance.calendars],
        transitions=[_transitions_entry(transitions) for transitions in instance.transitions],
        tasks=tasks,
        time_limit=instance.time_limit,
    )
    is_new = instance.start_time is not None or bool(features_of(instance) - {Feature.EXCESS})
    head = {"format": FORMAT, "version": 2 if is_new else 1}
    return head | document.model_dump(mode="json", exclude_defaults=True, exclude={"format", "version"})


def _step_entry(action: Action, after: list[AfterEntry]) -> ActionEntry:
    modes = [_mode_entry(action.task, mode) for mode in action.modes]
    first_mode = modes[0]
    is_plain = action.modes == (Mode(action.modes[0].demands),)
    uses = (first_mode.uses or None) if is_plain else None
    default_attended = 0 if action.agents == () else action.duration
    attended = None if action.attended == default_attended else action.attended
    agents = None if action.agents is None else list(action.agents)
    name = action.id.removeprefix(f"{action.task}/")
    return ActionEntry(
        name=name,
        label=action.label,
        duration=action.duration,
        attended=attended,
        interruptible=action.interruptible,
        pauses="breaks" if action.pauses_in_breaks else None,
        release=action.release,
        deadline=action.deadline,
        windows=list(action.windows) or None,
        place=action.place,
        agents=agents,
        uses=uses,
        modes=None if is_plain else modes,
        after=list(after),
    )


def _mode_entry(task: str, mode: Mode) -> ModeEntry:
    uses = []
    for demand in mode.demands:
        entry = UseEntry(
            resource=demand.resource,
            amount=demand.amount,
            requires=demand.requires,
            sets=demand.sets,
            family=demand.family,
        )
        uses.append(entry)
    after = [before.removeprefix(f"{task}/") for before in mode.after]
    return ModeEntry(
        name=mode.name,
        duration=mode.duration,
        attended=mode.attended,
        agents=None if mode.agents is None else list(mode.agents),
        uses=uses,
        after=after,
    )


def _off_times_entry(calendar: Calendar) -> OffTimesEntry:
    return OffTimesEntry(members=list(calendar.members), off=list(calendar.off), period=calendar.period)


def _transitions_entry(transitions: Transitions) -> TransitionsEntry:
    return TransitionsEntry(
        members=list(transitions.members), times=list(transitions.times), start=list(transitions.start)
    )


def instance_of(document: _Entry) -> Instance:
    """Return the instance of a valid document; raises `InputError` for contradictions between its parts."""
    error = combine_errors(
        chain(_faults_of_modes(document), _missing_durations(document), _faults_of_weights(document))
    )
    if error is not None:
        raise error
    actions = []
    lags = []
    optional = []
    agents = tuple(document.get("agents", ("agent",)))
    unit = document.get("unit", "tick")
    seconds_per_tick = document.get("seconds_per_tick")
    with in_field("start_time"):
        start_time = parse_start_time(document.get("start_time"))
    clock = LocalClock(start_time, seconds_per_tick)
    for task in document["tasks"]:
        task_name = task["name"]
        if task.get("optional"):
            optional.append((task_name, _weight(task)))
        for step in task["actions"]:
            actions.append(_action(task_name, step, agents, clock))
            for after in step.get("after", ()):
                lags.append(_lag(task_name, step["name"], after))
    resources = tuple(Resource(**resource) for resource in document.get("resources", ()))
    calendars = []
    for position, entry in enumerate(document.get("calendars", ())):
        calendars.append(_calendar(entry, clock, f"calendars[{position}]"))
    transitions = tuple(_transitions(entry) for entry in document.get("transitions", ()))
    benchmark = _benchmark(document.get("benchmark", GENERAL))
    instance = Instance(
        name=document["name"],
        actions=tuple(actions),
        lags=tuple(lags),
        resources=resources,
        agents=agents,
        benchmark=benchmark,
        unit=unit,
        seconds_per_tick=seconds_per_tick,
        time_limit=document.get("time_limit"),
        calendars=tuple(calendars),
        transitions=transitions,
        optional=tuple(optional),
        start_time=start_time,
    )
    check_instance(instance)
    return instance


def _faults_of_modes(document: _Entry) -> Iterator[InputError]:
    """Yield a fault for each action with both uses and modes."""
    for i, task in enumerate(document["tasks"]):
        for j, step in enumerate(task["actions"]):
            if step.get("uses") is not None and step.get("modes") is not None:
                yield InputError("give either uses or modes, not both", field=f"tasks[{i}].actions[{j}].modes")


def _missing_durations(document: Any) -> Iterator[InputError]:
    """Yield a fault for each action without a duration and without modes that have durations."""
    for i, task in enumerate(_list_at(document, "tasks")):
        for j, step in enumerate(_list_at(task, "actions")):
            if not isinstance(step, dict) or "duration" in step:
                continue
            modes = [mode for mode in _list_at(step, "modes") if isinstance(mode, dict)]
            if not any("duration" in mode for mode in modes):
                yield InputError("is missing", field=f"tasks[{i}].actions[{j}].duration")


def _faults_of_weights(document: _Entry) -> Iterator[InputError]:
    """Yield a fault for each task that has a weight and is not optional."""
    for i, task in enumerate(document["tasks"]):
        if task.get("weight") is not None and not task.get("optional"):
            message = "needs optional: true, since tasks that must be done have no weight"
            yield InputError(message, field=f"tasks[{i}].weight", value=task["weight"])


def _weight(task: _Entry) -> int:
    weight: int | None = task.get("weight")
    return 1 if weight is None else weight


def _tick(field: str, convert: Callable[..., Any], value: Any) -> Any:
    """Return the tick of a date or clock time; numbers and ``None`` as they are."""
    if not isinstance(value, str):
        return value
    with in_field(field):
        return convert(value)


def _calendar(entry: _Entry, clock: LocalClock, field: str) -> Calendar:
    with in_field(f"{field}.off"):
        off, period = clock.off_times(entry["off"], entry.get("period"))
    return Calendar(tuple(entry["members"]), off, period)


def _transitions(entry: _Entry) -> Transitions:
    times = tuple(map(tuple, entry["times"]))
    start = tuple(map(tuple, entry.get("start", ())))
    return Transitions(tuple(entry["members"]), times, start)


def _benchmark(name: str) -> str:
    """Return the current name of a benchmark whose problems can be in a file."""
    benchmark = registry.find(name, former=True)
    if benchmark is None or not benchmark.self_contained:
        accepted = [candidate for candidate in registry.names() if registry.get(candidate).self_contained]
        raise InputError(one_of(name, accepted), field="benchmark", value=name)
    return benchmark.name


def _action(task: str, step: _Entry, agents: tuple[str, ...], clock: LocalClock) -> Action:
    name = f"{task}/{step['name']}"
    field = f"actions[{name}]"
    mode_entries = step.get("modes")
    if mode_entries is None:
        mode_entries = [{"uses": step.get("uses") or ()}]
    # In a file without agents nobody is needed, unless an action says otherwise.
    eligible = None if agents else ()
    if step.get("agents") is not None:
        eligible = tuple(step["agents"])
    modes = tuple(_mode(task, entry) for entry in mode_entries)
    with in_field(f"{field}.windows"):
        windows = clock.windows(step.get("windows") or ())
    duration = cast(int, step.get("duration"))  # the modes may have it
    interruptible, pauses_in_breaks = pause_flags(step.get("pauses"), step.get("interruptible", False), field)
    action = Action(
        id=name,
        task=task,
        duration=duration,
        attended=attended_ticks(duration, step.get("attended"), eligible),
        interruptible=interruptible,
        modes=modes,
        agents=eligible,
        release=_tick(f"{field}.release", clock.earliest, step.get("release", 0)),
        label=step.get("label", ""),
        deadline=_tick(f"{field}.deadline", clock.latest, step.get("deadline")),
        windows=windows,
        pauses_in_breaks=pauses_in_breaks,
        place=step.get("place"),
    )
    if step.get("modes") is None:  # its single mode has no values
        return action
    return with_values_of_modes(action, step.get("attended"), agents)


def _mode(task: str, mode: _Entry) -> Mode:
    demands = tuple(Demand(**use) for use in mode.get("uses", ()))
    names = mode.get("after", ())
    predecessors = tuple(_action_id(task, before) for before in names)
    agents = None if mode.get("agents") is None else tuple(mode["agents"])
    name = mode.get("name", "")
    return Mode(demands, name, predecessors, mode.get("duration"), mode.get("attended"), agents)


def _lag(task: str, name: str, after: _Entry | str) -> Lag:
    entry: _Entry = {"action": after} if isinstance(after, str) else after
    before = _action_id(task, entry["action"])
    minimum = entry.get("min_lag", 0)
    maximum = entry.get("max_lag")
    return Lag(before, f"{task}/{name}", minimum, maximum)


def _action_id(task: str, name: str) -> str:
    """Return the id of an action; within its task the name alone is enough."""
    return name if "/" in name else f"{task}/{name}"
