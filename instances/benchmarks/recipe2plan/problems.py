"""Problems of Recipe2Plan: 24 bundled recipes in 65 pairs, and checks of instances."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import Any

from planoracle.instances.benchmarks.recipe2plan.step_grammar import StepCommand
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.files.instance_file import instance_of
from planoracle.instances.files.strict_json import load_json
from planoracle.instances.model.instance import Action, Instance, Lag

SETTINGS = ("timed", "untimed")

_RECIPE = re.compile(r"[\w-]+")
_UNITS = re.compile(r"[0-9]{1,9}")


def _read(file: str) -> Any:
    return load_json((files(__package__) / "data" / file).read_bytes(), file)


@cache
def book() -> Instance:
    """Return the 24 bundled recipes in one instance, by name."""
    return instance_of(_read("recipes.json"))


@cache
def _pairs() -> dict[str, dict[str, Any]]:
    rows = _read("references.json")["pairs"]
    return {"_".join(row["recipes"]): row for row in rows}


@cache
def names() -> tuple[str, ...]:
    """Names of the 130 instances: 65 timed, then 65 untimed, in the order of the original file."""
    all_names: list[str] = []
    for setting in SETTINGS:
        all_names += [f"recipe2plan/{setting}/{pair}" for pair in _pairs()]
    return tuple(all_names)


def covers(name: str) -> bool:
    """Return True if a name is that of a bundled problem."""
    return name in names()


def set_of(name: str) -> tuple[str, tuple[str, ...]]:
    """Return ``recipe2plan/timed`` or ``recipe2plan/untimed``, and its members."""
    if not covers(name):
        return "", ()
    label = name.rpartition("/")[0]
    prefix = f"{label}/"
    return label, tuple(member for member in names() if member.startswith(prefix))


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
    all_recipes = book()
    actions: list[Action] = []
    lags: list[Lag] = []
    for recipe in recipes:
        actions += [action for action in all_recipes.actions if action.task == recipe]
        for lag in all_recipes.lags:
            if all_recipes.by_id[lag.after].task == recipe:
                lags.append(lag)
    return replace(all_recipes, name=name, actions=tuple(actions), lags=tuple(lags))


@cache
def reference_plan(name: str) -> tuple[StepCommand, ...] | None:
    """Return the released plan of a bundled problem in its original order, ``None`` without one."""
    if not covers(name):
        return None
    _, setting, pair = name.split("/")
    pair_row = _pairs()[pair]
    recipes, rows = pair_row["recipes"], pair_row.get(setting)
    if not rows:
        return None
    commands = []
    for recipe, step, seconds, start in rows:
        commands.append(StepCommand(step, recipes[recipe], seconds, start))
    return tuple(commands)


def check(instance: Instance) -> None:
    """Raise `InputError` for an instance that plans or rules of Recipe2Plan do not support."""
    modes = chain.from_iterable(action.modes for action in instance.actions)
    if any(mode.after for mode in modes):
        raise InputError("recipe2plan does not support predecessors of single modes", field="benchmark")
    if len(instance.agents) != 1 or instance.time_limit is not None:
        raise InputError("must have exactly one agent and no time limit", field="benchmark", value=instance.benchmark)
    for resource in instance.resources:
        if resource.state is not None:
            raise InputError("objects of recipe2plan have no initial state", field=f"resources[{resource.name}]")
    count: dict[str, int] = {}
    for action in instance.actions:
        if action.id != f"{action.task}/{count.setdefault(action.task, 0)}":
            message = "steps of recipe2plan are named 0, 1, 2, ... in order"
            raise InputError(message, field=f"actions[{action.id}].id", value=action.id)
        count[action.task] += 1
        if not _RECIPE.fullmatch(action.task):
            message = "names of recipe2plan recipes must consist of letters, digits, _ and -"
            raise InputError(message, field=f"actions[{action.id}].task", value=action.task)
        plain = action.agents is None and not action.release and len(action.modes) == 1
        if not plain or action.attended not in (0, action.duration) or not action.duration:
            message = (
                "steps of recipe2plan must have a positive duration and one mode, neither agents nor release, "
                "and be attended throughout or not at all"
            )
            raise InputError(message, field=f"actions[{action.id}]")
        if action.interruptible and not action.attended:  # the rules would let its pieces run at the same time
            message = "must be false for unattended steps of recipe2plan"
            raise InputError(message, field=f"actions[{action.id}].interruptible", value=True)
        for demand in action.modes[0].demands:
            is_volume = instance.resource[demand.resource].capacity > 1
            if not is_volume and demand.amount != 1:
                raise InputError("steps of recipe2plan use one unit of an object", field=f"actions[{action.id}]")
            if is_volume and (demand.requires is not None or not _UNITS.fullmatch(demand.sets or "0")):
                message = (
                    "for a volume (capacity above 1), sets must be a whole number of units and requires must be absent"
                )
                raise InputError(message, field=f"actions[{action.id}].uses[{demand.resource}]")
    for lag in instance.lags:
        before = instance.by_id[lag.before]
        after = instance.by_id[lag.after]
        unordered = lag.minimum is None and before.interruptible
        across = before.task != after.task
        if lag.minimum not in (0, None) or unordered or across or (lag.maximum is not None and lag.maximum < 0):
            message = (
                "lags of recipe2plan must connect steps of one recipe, with minimum 0 (or null after a step that "
                "cannot be interrupted) and no negative maximum"
            )
            raise InputError(message, field=f"lags[{lag.before} -> {lag.after}]")
