"""Problem files in our own format: JSON Schema, reader and writer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Annotated, Any, Final, Literal, TypeVar, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError, WithJsonSchema

from planoracle.instances.errors import InputError, combine_errors
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.problem import GENERAL
from planoracle.instances.model.validation import MAX_ACTIONS, MAX_LAGS
from planoracle.instances.protocol import registry
from planoracle.instances.text import did_you_mean, one_of, warn_of_unit

FORMAT: Final = "planoracle/instance"
VERSION: Final = 1


class StrictEntry(BaseModel):
    """Object in a file, with exactly its fields, each of its type."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


_Document = TypeVar("_Document", bound=StrictEntry)


#: Schema of a file for editors; it is not used here.
SchemaLink = Annotated[str | None, Field(alias="$schema", description="address of this schema, for editors")]


class ResourceEntry(StrictEntry):
    """A renewable resource."""

    name: str
    capacity: int = Field(1, description="units available at any time")
    state: str | None = Field(None, description="initial state, for a resource with states")


class UseEntry(StrictEntry):
    """Use of a resource by a running action."""

    resource: str
    amount: int = 1
    requires: str | None = Field(None, description="required state of the resource")
    sets: str | None = Field(None, description="state of the resource from the start of the action")


class ModeEntry(StrictEntry):
    """One of several alternative ways to carry out an action."""

    name: str = ""
    uses: list[UseEntry] = []
    after: list[str] = Field([], description="actions that must be finished before the start in this mode")


class AfterEntry(StrictEntry):
    """A time lag from the finish of another action to the start of this one."""

    action: str = Field(description="name of an action of the same task, or task/name")
    min_lag: int | None = Field(0, description="minimum ticks from its end to this start; null: either order")
    max_lag: int | None = Field(None, description="maximum ticks; applies to every resumption, too")


def shorthand(plain: str, entry: type[BaseModel]) -> WithJsonSchema:
    """Return the schema of an entry that can be abbreviated by a value of a plain JSON type.

    Written in full, since pydantic before 2.12 mostly fails to refer to a type within its own annotation.
    """
    return WithJsonSchema({"anyOf": [{"type": plain}, entry.model_json_schema()]})


def _name_or_entry(value: Any) -> Any:
    if not isinstance(value, str | dict | AfterEntry):
        raise ValueError("must be the name of an action or an object")
    return {"action": value} if isinstance(value, str) else value


class ActionEntry(StrictEntry):
    """One step of a task."""

    name: str = Field(description="unique in its task")
    label: str = Field("", description="short description for readers")
    duration: int = Field(description="ticks")
    attended: int | None = Field(None, description="ticks from the start that occupy an agent; default: the duration")
    interruptible: bool = False
    release: int = Field(0, description="earliest start, in ticks")
    agents: list[str] | None = Field(None, description="eligible agents; default: all; []: needs none")
    uses: list[UseEntry] | None = Field(None, description="resources used; shorthand for a single mode")
    modes: list[ModeEntry] | None = Field(None, description="alternative modes of execution")
    after: list[Annotated[AfterEntry, BeforeValidator(_name_or_entry), shorthand("string", AfterEntry)]] = []


class TaskEntry(StrictEntry):
    """A named group of actions."""

    name: str
    actions: list[ActionEntry]


class InstanceDocument(StrictEntry):
    """A scheduling problem for planoracle."""

    schema_: SchemaLink = None
    format: Literal["planoracle/instance"]
    version: Literal[1]
    name: str
    benchmark: str = Field(GENERAL, description="benchmark whose rules and plan language apply")
    unit: str = Field("tick", description="name of a tick")
    seconds_per_tick: int | None = None
    agents: list[str] = Field(["agent"], description="names of the agents; []: no action needs one")
    resources: list[ResourceEntry] = []
    tasks: list[TaskEntry]
    time_limit: int | None = Field(None, description="latest end of all actions, in ticks")


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of the file format."""
    return schema_of(InstanceDocument)


def schema_of(model: type[StrictEntry]) -> dict[str, Any]:
    """Return the JSON Schema of a kind of document."""
    return model.model_json_schema() | {"$schema": "https://json-schema.org/draft/2020-12/schema"}


def validated(document: Any, source: str, model: type[_Document]) -> _Document:
    """Return a parsed document as its model; raises `InputError` with the faults."""
    check_version(document, source)
    try:
        return model.model_validate(document)
    except ValidationError as error:
        raise input_error(error, source, model) from None


def check_version(document: Any, source: str) -> None:
    """Raise `InputError` for a document of another version; all formats have version 1."""
    version = document.get("version", VERSION) if isinstance(document, dict) else VERSION
    if version != VERSION or isinstance(version, bool | float):
        raise InputError(f"must be {VERSION}", source=source, field="version", value=version)


def instance_from_document(document: Any, source: str) -> Instance:
    """Return the instance of a parsed document.

    Raises
    ------
    InputError
        Naming file, field and value of every fault (`FaultsError` for several).
    """
    check_version(document, source)
    try:
        _check_size(document)
        InstanceDocument.model_validate(document)
        instance = instance_of(document)
    except ValidationError as error:
        raise input_error(error, source, InstanceDocument) from None
    except InputError as error:
        raise error.at(source) from None
    warn_of_unit(instance.unit, instance.seconds_per_tick, source)
    return instance


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


def input_error(error: ValidationError, source: str, model: type[BaseModel] | None = None) -> InputError:
    """Return a validation error as an `InputError`; with the model, it suggests similar keys."""
    combined = combine_errors(_faults(error, model))
    assert combined is not None
    return combined.at(source) if source else combined


# Messages by types of errors of pydantic.
_MESSAGES = {
    "extra_forbidden": "unknown key",
    "missing": "is missing",
    "int_type": "must be a whole number",
    "string_type": "must be text",
    "bool_type": "must be true or false",
    "list_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
}


def _faults(error: ValidationError, model: type[BaseModel] | None) -> Iterator[InputError]:
    for details in error.errors(include_url=False):
        error_type, location = details["type"], details["loc"]
        parts = []
        for part in location:
            step = f"[{part}]" if isinstance(part, int) else f".{part}"
            parts.append(step)
        path = "".join(parts).lstrip(".")
        message = _MESSAGES.get(error_type) or _rephrase(details["msg"])
        if error_type == "missing":
            yield InputError(message, field=path or "document")
            continue
        if error_type == "extra_forbidden" and model is not None:
            keys = keys_at(model, location[:-1])
            message += did_you_mean(location[-1], keys)
        yield InputError(message, field=path or "document", value=details["input"])


def _rephrase(message: str) -> str:
    """Return a message of pydantic in the form of ours.

    >>> _rephrase("Input should be 'ann' or 'Bob'"), _rephrase("Value error, must be odd")
    ("must be 'ann' or 'Bob'", 'must be odd')
    """
    text = message.removeprefix("Value error, ").replace("Input should", "must", 1)
    return text[:1].lower() + text[1:]


def keys_at(model: type[BaseModel], loc: tuple[str | int, ...]) -> list[str]:
    """Return the keys that the schema has at a place.

    >>> keys_at(InstanceDocument, ("resources", 0))
    ['name', 'capacity', 'state']
    """
    for step in loc:
        field = model.model_fields.get(str(step))
        if field is not None:  # else it is a position, or the key of a table
            model = _model_in(field.annotation) or model
    return [field.alias or name for name, field in model.model_fields.items()]


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """Return the model of the entries of a type."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next(filter(None, map(_model_in, get_args(annotation))), None)


def check(kind: Any, value: Any, field: str) -> None:
    """Raise an `InputError` unless a JSON value has a type (a ``TypedDict``, say), strictly.

    Parameters
    ----------
    kind
        Type of the value, such as a ``TypedDict``.
    value
        JSON value.
    field
        Path of the field, for the message.
    """
    try:
        TypeAdapter(kind).validate_python(value, strict=True)
    except ValidationError as error:
        raise input_error(error, "").each(lambda fault: _below(field, fault)) from None


def _below(field: str, fault: InputError) -> InputError:
    if fault.field == "document":
        fault.field = None
    return fault.at("", field)


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
        resources.append(ResourceEntry(name=resource.name, capacity=resource.capacity, state=resource.state))
    tasks = [TaskEntry(name=name, actions=actions) for name, actions in steps.items()]
    benchmark = instance.benchmark if registry.of(instance).self_contained else GENERAL
    document = InstanceDocument(
        format=FORMAT,
        version=VERSION,
        name=instance.name,
        benchmark=benchmark,
        unit=instance.unit,
        seconds_per_tick=instance.seconds_per_tick,
        agents=list(instance.agents),
        resources=resources,
        tasks=tasks,
        time_limit=instance.time_limit,
    )
    head = {"format": FORMAT, "version": VERSION}
    return head | document.model_dump(exclude_defaults=True)


def _step_entry(action: Action, after: list[AfterEntry]) -> ActionEntry:
    modes = [_mode_entry(action.task, mode) for mode in action.modes]
    first_mode = modes[0]
    is_plain = len(modes) == 1 and not first_mode.name and not first_mode.after
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
        release=action.release,
        agents=agents,
        uses=uses,
        modes=None if is_plain else modes,
        after=list(after),
    )


def _mode_entry(task: str, mode: Mode) -> ModeEntry:
    uses = []
    for demand in mode.demands:
        entry = UseEntry(resource=demand.resource, amount=demand.amount, requires=demand.requires, sets=demand.sets)
        uses.append(entry)
    after = [before.removeprefix(f"{task}/") for before in mode.after]
    return ModeEntry(name=mode.name, uses=uses, after=after)


_Entry = Mapping[str, Any]


def instance_of(document: _Entry) -> Instance:
    """Return the instance of a valid document; raises `InputError` for contradictions between its parts."""
    error = combine_errors(_faults_of_modes(document))
    if error is not None:
        raise error
    actions, lags = [], []
    agents = tuple(document.get("agents", ("agent",)))
    # In a file without agents nobody is needed, unless an action says otherwise.
    default_agents = None if agents else ()
    for task in document["tasks"]:
        task_name = task["name"]
        for step in task["actions"]:
            actions.append(_action(task_name, step, default_agents))
            for after in step.get("after", ()):
                lags.append(_lag(task_name, step["name"], after))
    resources = tuple(Resource(**resource) for resource in document.get("resources", ()))
    benchmark = _benchmark(document.get("benchmark", GENERAL))
    unit = document.get("unit", "tick")
    seconds_per_tick = document.get("seconds_per_tick")
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
    )
    registry.of(instance).check(instance)
    return instance


def _faults_of_modes(document: _Entry) -> Iterator[InputError]:
    """Yield a fault for each action with both uses and modes."""
    for i, task in enumerate(document["tasks"]):
        for j, step in enumerate(task["actions"]):
            if step.get("uses") is not None and step.get("modes") is not None:
                yield InputError("give either uses or modes, not both", field=f"tasks[{i}].actions[{j}].modes")


def _benchmark(name: str) -> str:
    """Return the current name of a benchmark whose problems can be in a file."""
    benchmark = registry.find(name, former=True)
    if benchmark is None or not benchmark.self_contained:
        accepted = [candidate for candidate in registry.names() if registry.get(candidate).self_contained]
        raise InputError(one_of(name, accepted), field="benchmark", value=name)
    return benchmark.name


def _action(task: str, step: _Entry, default_agents: tuple[()] | None) -> Action:
    mode_entries = step.get("modes")
    if mode_entries is None:
        mode_entries = [{"uses": step.get("uses") or ()}]
    agents = default_agents
    if step.get("agents") is not None:
        agents = tuple(step["agents"])
    attended = step.get("attended")
    if attended is None:
        attended = 0 if agents == () else step["duration"]
    modes = tuple(_mode(task, entry) for entry in mode_entries)
    name = f"{task}/{step['name']}"
    interruptible = step.get("interruptible", False)
    return Action(
        id=name,
        task=task,
        duration=step["duration"],
        attended=attended,
        interruptible=interruptible,
        modes=modes,
        agents=agents,
        release=step.get("release", 0),
        label=step.get("label", ""),
    )


def _mode(task: str, mode: _Entry) -> Mode:
    demands = tuple(Demand(**use) for use in mode.get("uses", ()))
    names = mode.get("after", ())
    predecessors = tuple(_action_id(task, before) for before in names)
    return Mode(demands, mode.get("name", ""), predecessors)


def _lag(task: str, name: str, after: _Entry | str) -> Lag:
    entry: _Entry = {"action": after} if isinstance(after, str) else after
    before = _action_id(task, entry["action"])
    minimum = entry.get("min_lag", 0)
    maximum = entry.get("max_lag")
    return Lag(before, f"{task}/{name}", minimum, maximum)


def _action_id(task: str, name: str) -> str:
    """Return the id of an action; within its task the name alone is enough."""
    return name if "/" in name else f"{task}/{name}"
