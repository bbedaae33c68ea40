"""Problems of Recipe2Plan: 24 bundled recipes in 65 pairs, the reader of ``cooking.json``, checks."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from planoracle.instances.benchmarks.recipe2plan.step_grammar import StepCommand
from planoracle.instances.files.instance_file import instance_of
from planoracle.instances.model.instance import merge
from planoracle.instances.protocol.schedule_benchmark import check_instance
from planoracle.plugin import Action, Demand, InputError, Instance, Lag, Mode, Resource, UnknownNameError, load_json

SETTINGS = ("timed", "untimed")

#: The physical objects of the released environment, each of capacity one.
OBJECTS = ("oven", "microwave", "stove")

_RECIPE = re.compile(r"[\w-]+")
_UNITS = {"min": 60, "hour": 3600, "sec": 1}
_KEYS = {"physical", "step", "text", "prequisites", "time_constraint", "interrupt", "parallel", "time"}


def _read(file: str) -> Any:
    return load_json((files(__package__) / "data" / file).read_bytes(), file)


@cache
def _book() -> Instance:
    return instance_of(_read("recipes.json"))


@cache
def _pairs() -> dict[str, dict[str, Any]]:
    return {"_".join(row["recipes"]): row for row in _read("references.json")["pairs"]}


@cache
def names() -> tuple[str, ...]:
    """Names of the 130 instances: 65 timed, then 65 untimed, in the order of the original file."""
    return tuple(f"recipe2plan/{setting}/{pair}" for setting in SETTINGS for pair in _pairs())


def covers(name: str) -> bool:
    """Return True if a name is that of a bundled problem."""
    return name in names()


def set_of(name: str) -> tuple[str, tuple[str, ...]]:
    """Return ``recipe2plan/timed`` or ``recipe2plan/untimed``, and its members."""
    if not covers(name):
        return "", ()
    label = name.rpartition("/")[0]
    return label, tuple(other for other in names() if other.startswith(f"{label}/"))


@cache
def load(name: str) -> Instance:
    """Return a bundled problem; raises `UnknownNameError`."""
    if not covers(name):
        raise UnknownNameError("there is no such Recipe2Plan problem", value=name)
    _, setting, pair = name.split("/")
    if setting == "untimed":
        return load(f"recipe2plan/timed/{pair}").without_maximum_lags(name)
    return combine(name, _pairs()[pair]["recipes"])


def combine(name: str, recipes: list[str]) -> Instance:
    """Combine bundled recipes into a *timed* instance of that name."""
    book = _book()
    return Instance(
        name=name,
        actions=tuple(action for recipe in recipes for action in book.actions if action.task == recipe),
        lags=tuple(lag for recipe in recipes for lag in book.lags if book.by_id[lag.after].task == recipe),
        resources=book.resources,
        agents=book.agents,
        benchmark=book.benchmark,
        unit=book.unit,
        seconds_per_tick=book.seconds_per_tick,
    )


@cache
def reference_plan(name: str) -> tuple[StepCommand, ...] | None:
    """Return the released plan of a bundled problem in its original order, ``None`` without one."""
    if not covers(name):
        return None
    _, setting, pair = name.split("/")
    recipes, rows = _pairs()[pair]["recipes"], _pairs()[pair].get(setting)
    return tuple(StepCommand(step, recipes[r], seconds, start) for r, step, seconds, start in rows) if rows else None


def check(instance: Instance) -> None:
    """Raise if an instance asks for what plans of Recipe2Plan cannot say or its rules do not know."""
    if any(mode.after for action in instance.actions for mode in action.modes):
        raise InputError("modes of recipe2plan have no predecessors of their own", field="benchmark")
    if len(instance.agents) != 1 or instance.time_limit is not None:
        raise InputError("has one agent and no time limit", field="benchmark", value=instance.benchmark)
    for resource in instance.resources:
        if resource.capacity != 1 or resource.state is not None:
            message = "objects of recipe2plan have capacity 1 and no initial state"
            raise InputError(message, field=f"resources[{resource.name}]")
    count: dict[str, int] = {}
    for action in instance.actions:
        if action.id != f"{action.task}/{count.setdefault(action.task, 0)}":
            message = "steps of recipe2plan are named 0, 1, 2, ... in order"
            raise InputError(message, field=f"actions[{action.id}].id", value=action.id)
        count[action.task] += 1
        if not _RECIPE.fullmatch(action.task):
            message = "recipes of recipe2plan are named by word characters and hyphens"
            raise InputError(message, field=f"actions[{action.id}].task", value=action.task)
        plain = action.agents is None and not action.release and len(action.modes) == 1
        if not plain or action.attended not in (0, action.duration) or not action.duration:
            message = (
                "steps of recipe2plan are attended throughout or not at all, last some time, have one mode, no release"
            )
            raise InputError(message, field=f"actions[{action.id}]")
        if action.interruptible and not action.attended:  # the rules would let its pieces run at the same time
            message = "steps of recipe2plan that run by themselves cannot be paused; must be false"
            raise InputError(message, field=f"actions[{action.id}].interruptible", value=True)
        if any(demand.amount != 1 for demand in action.modes[0].demands):
            raise InputError("steps of recipe2plan use one unit of an object", field=f"actions[{action.id}]")
    for lag in instance.lags:
        unordered = lag.minimum is None and instance.by_id[lag.before].interruptible
        across = instance.by_id[lag.before].task != instance.by_id[lag.after].task
        if lag.minimum not in (0, None) or unordered or across or (lag.maximum is not None and lag.maximum < 0):
            message = "lags of recipe2plan stay in a recipe, have minimum 0, or none after a step that cannot be paused"
            raise InputError(message, field=f"lags[{lag.before} -> {lag.after}]")


def recognises(document: Any) -> bool:
    """Return true for a file with the outline of ``cooking.json``: a list of lists of recipes."""
    return (
        isinstance(document, list)
        and bool(document)
        and all(isinstance(pair, list) and pair for pair in document)
        and all(isinstance(recipe, dict) and "recipe" in recipe for pair in document for recipe in pair)
    )


def read(document: Any, source: str) -> list[Instance]:
    """Return the recipe combinations of a ``cooking.json``: all *timed* ones, then all *untimed* ones.

    Names are ``<file>/timed/<A>_<B>`` and ``<file>/untimed/<A>_<B>``. Raises `InputError` with file, field and value.
    """
    if not recognises(document):
        raise InputError("must be a list of combinations, each a list of recipes", source=source)
    file, timed = Path(source).name, []
    try:
        for number, pair in enumerate(document):
            recipes = [_recipe(recipe, f"[{number}][{r}]") for r, recipe in enumerate(pair)]
            name = f"{file}/timed/{'_'.join(recipe.name for recipe in recipes)}"
            timed.append(_at(f"[{number}]", merge, name, recipes))
    except InputError as error:
        raise error.at(source) from None
    return [*timed, *(one.without_maximum_lags(one.name.replace("/timed/", "/untimed/", 1)) for one in timed)]


def _at(field: str, make: Callable[..., Instance], *args: Any, **parts: Any) -> Instance:
    """Return an instance that is valid here; raises `InputError` with a field in front of its own."""
    try:
        instance = make(*args, **parts)
        check_instance(instance)
    except InputError as error:
        raise error.at("", field) from None
    return instance


def _recipe(recipe: dict[str, Any], location: str) -> Instance:
    name, steps = recipe["recipe"], recipe.get("steps")
    if not isinstance(name, str) or not _RECIPE.fullmatch(name):
        raise InputError("must be word characters and hyphens", field=f"{location}.recipe", value=name)
    if not isinstance(steps, list) or not steps:
        raise InputError("must be a non-empty list", field=f"{location}.steps", value=steps)
    actions, lags = [], []
    objects: dict[str, None] = dict.fromkeys(OBJECTS)
    for number, step in enumerate(steps):
        if not isinstance(step, dict) or set(step) != _KEYS:
            message = f"must be an object with the keys {sorted(_KEYS)}"
            raise InputError(message, field=f"{location}.steps[{number}]", value=step)
    for number, step in enumerate(steps):
        field = f"{location}.steps[{number}]"
        if type(step["step"]) is not int or step["step"] != number:
            raise InputError(
                f"steps are numbered in order; must be {number}", field=f"{field}.step", value=step["step"]
            )
        duration = _seconds(step["time"], f"{field}.time")
        autonomous = _flag(step["parallel"], f"{field}.parallel")
        pausable = _flag(step["interrupt"], f"{field}.interrupt")
        if autonomous and pausable:
            message = "a step that runs by itself (parallel 1) cannot be paused; must be 0"
            raise InputError(message, field=f"{field}.interrupt", value=step["interrupt"])
        demands = _demands(step["physical"], f"{field}.physical")
        objects.update((demand.resource, None) for demand in demands)
        actions.append(
            Action(
                id=f"{name}/{number}",
                task=name,
                duration=duration,
                attended=0 if autonomous else duration,
                interruptible=pausable,
                modes=(Mode(demands),),
            )
        )
        lags += _lags(name, steps, number, field)
    return _at(
        location,
        Instance,
        name=name,
        actions=tuple(actions),
        lags=tuple(lags),
        resources=tuple(Resource(o) for o in objects),
        agents=("agent",),
        benchmark="recipe2plan",
        unit="second",
        seconds_per_tick=1,
    )


def _seconds(value: Any, field: str) -> int:
    match = re.fullmatch(r"(\d{1,6}) (min|sec|hour)s?", value, re.ASCII) if isinstance(value, str) else None
    if match is None:
        raise InputError("must be a text such as '10 min', '30 sec' or '1 hour'", field=field, value=value)
    return int(match[1]) * _UNITS[match[2]]


def _flag(value: Any, field: str) -> bool:
    if type(value) is not int or value not in (0, 1):
        raise InputError("must be 0 or 1", field=field, value=value)
    return bool(value)


def _demands(physical: Any, field: str) -> tuple[Demand, ...]:
    if not isinstance(physical, dict):
        raise InputError("must be an object", field=field, value=physical)
    demands = []
    for name, argument in physical.items():
        if not isinstance(argument, dict) or not set(argument) <= {"require", "update"}:
            raise InputError("must hold at most 'require' and 'update'", field=f"{field}.{name}", value=argument)
        states = {}
        for key in ("require", "update"):
            entry = argument.get(key, {})
            if not isinstance(entry, dict) or not set(entry) <= {"temperature"}:
                raise InputError("must be {} or a temperature", field=f"{field}.{name}.{key}", value=entry)
            states[key] = _degrees(entry["temperature"], f"{field}.{name}.{key}") if entry else None
        demands.append(Demand(name, requires=states["require"], sets=states["update"]))
    return tuple(demands)


def _degrees(value: Any, field: str) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float) or value % 1:
        raise InputError("must be a whole number of degrees", field=field, value=value)
    return str(int(value))


def _lags(recipe: str, steps: list[Any], number: int, field: str) -> list[Lag]:
    step = steps[number]
    before, within = step["prequisites"], step["time_constraint"]
    if not isinstance(before, list) or not isinstance(within, dict):
        raise InputError("prequisites must be a list, time_constraint an object", field=field)
    minimum: dict[int, int | None] = {_step(b, steps, f"{field}.prequisites"): 0 for b in before}
    maximum: dict[int, int] = {}
    for key, limit in within.items():
        number_of = int(key) if re.fullmatch(r"0|[1-9]\d{0,5}", key, re.ASCII) else key
        earlier = _step(number_of, steps, f"{field}.time_constraint")
        maximum[earlier] = _seconds(limit, f"{field}.time_constraint[{key}]")
    return [
        Lag(f"{recipe}/{b}", f"{recipe}/{number}", minimum.get(b), maximum.get(b))
        for b in dict.fromkeys([*minimum, *maximum])
    ]


def _step(value: Any, steps: list[Any], field: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < len(steps):
        raise InputError(f"must be a step from 0 to {len(steps) - 1}", field=field, value=value)
    return value
