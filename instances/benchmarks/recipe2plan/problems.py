"""Reader of Recipe2Plan's ``cooking.json``, and names of the bundled problems."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from planoracle.instances.benchmarks.recipe2plan import bundled_data
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.files.strict_json import load_json, read_bytes
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource, merge
from planoracle.instances.protocol.schedule_benchmark import check_instance

#: The physical objects of the released environment, each of capacity one.
OBJECTS = ("oven", "microwave", "stove")

_UNITS = {"min": 60, "hour": 3600, "sec": 1}
_KEYS = {"physical", "step", "text", "prequisites", "time_constraint", "interrupt", "parallel", "time"}


def recognises(document: Any) -> bool:
    """Return true for a file with the outline of ``cooking.json``: a list of lists of recipes."""
    return (
        isinstance(document, list)
        and bool(document)
        and all(isinstance(pair, list) and pair for pair in document)
        and all(isinstance(recipe, dict) and "recipe" in recipe for pair in document for recipe in pair)
    )


def read_cooking(path: str | Path, document: Any = None) -> list[Instance]:
    """Read the recipe combinations of a ``cooking.json`` as *timed* instances.

    Names are ``<file>/timed/<A>_<B>``; use `Instance.without_maximum_lags` for the *untimed* setting.

    Raises
    ------
    InputError
        Naming file, field and value.
    """
    source = str(path)
    if document is None:
        document = load_json(read_bytes(path), source)
    if not recognises(document):
        raise InputError("must be a list of combinations, each a list of recipes", source=source)
    try:
        return [_combination(pair, f"[{p}]", Path(path).name) for p, pair in enumerate(document)]
    except InputError as error:
        raise error.at(source) from None


def read(document: Any, source: str) -> list[Instance]:
    """Return all problems of a ``cooking.json``, timed and untimed."""
    timed = read_cooking(source, document)
    return [*timed, *(one.without_maximum_lags(one.name.replace("/timed/", "/untimed/", 1)) for one in timed)]


def _combination(pair: list[Any], field: str, file: str) -> Instance:
    parts = [_recipe(recipe, f"{field}[{r}]") for r, recipe in enumerate(pair)]
    pair_name = "_".join(part.name for part in parts)
    try:
        return merge(f"{file}/timed/{pair_name}", parts)
    except InputError as error:
        raise error.at("", field) from None


def _recipe(recipe: dict[str, Any], location: str) -> Instance:
    name, steps = recipe["recipe"], recipe.get("steps")
    if not isinstance(name, str) or not re.fullmatch(r"[\w-]+", name):
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
    return _checked(
        location,
        name=name,
        actions=tuple(actions),
        lags=tuple(lags),
        resources=tuple(Resource(o) for o in objects),
        agents=("agent",),
        benchmark="recipe2plan",
        unit="second",
        seconds_per_tick=1,
    )


def _checked(field: str, **parts: Any) -> Instance:
    try:
        instance = Instance(**parts)
        check_instance(instance)
    except InputError as error:
        raise error.at("", field) from None
    return instance


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


names = bundled_data.names


def covers(name: str) -> bool:
    """Return true if a name is that of a bundled problem."""
    return name in names()


def members(name: str) -> tuple[str, ...]:
    """Return ``()``: the sets are prefixes."""
    return ()


def set_of(name: str) -> tuple[str, tuple[str, ...]]:
    """Return ``recipe2plan/timed`` or ``recipe2plan/untimed``, and its members."""
    if not covers(name):
        return "", ()
    label = name.rpartition("/")[0]
    return label, tuple(other for other in names() if other.startswith(f"{label}/"))


def load(name: str) -> Instance:
    """Return a bundled problem; raises `UnknownNameError`."""
    if not covers(name):
        raise UnknownNameError("there is no such Recipe2Plan problem", value=name)
    _, setting, pair = name.split("/")
    return bundled_data.load(setting, pair)
