"""Problems of Recipe2Plan: 65 pairs of bundled recipes, own recipes of a user, and checks."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain
from typing import TYPE_CHECKING, Any

from planoracle.instances.benchmarks.recipe2plan.step_grammar import StepCommand
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.files.instance_file import instance_of
from planoracle.instances.files.strict_json import load_json
from planoracle.instances.model.instance import Action, Instance, Lag
from planoracle.instances.protocol import registry

if TYPE_CHECKING:
    from planoracle.instances.benchmarks.recipe2plan.released_files import Cookbook

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
def bundled_names() -> tuple[str, ...]:
    """Names of the 130 bundled problems: 65 timed, then 65 untimed, in the order of the original file."""
    all_names: list[str] = []
    for setting in SETTINGS:
        all_names += [f"recipe2plan/{setting}/{pair}" for pair in _pairs()]
    return tuple(all_names)


def _user_cookbook() -> Cookbook | None:
    """Return the recipes in the user's folder, ``None`` without one; raises `InputError`."""
    folder = registry.data_folder("recipe2plan")
    if folder is None:
        return None
    cookbook: Cookbook = registry.get("recipe2plan").reader.cookbook_in(folder)
    return cookbook


def names() -> tuple[str, ...]:
    """Names of the problems in the user's folder, else of the bundled ones; timed ones first."""
    cookbook = _user_cookbook()
    return bundled_names() if cookbook is None else cookbook.names


def covers(name: str) -> bool:
    """Return True for the name of a problem, also of a bundled one that the user's folder lacks."""
    return name in names() or name in bundled_names()


def is_bundled(name: str) -> bool:
    """Return True for the name of a bundled problem that the user's folder does not replace."""
    cookbook = _user_cookbook()
    return name in bundled_names() and (cookbook is None or name not in cookbook.names)


def set_of(name: str) -> tuple[str, tuple[str, ...]]:
    """Return ``recipe2plan/timed`` or ``recipe2plan/untimed``, and its members.

    A bundled problem that the user's folder lacks is in no set.
    """
    if name not in names():
        return "", ()
    label = name.rpartition("/")[0]
    prefix = f"{label}/"
    return label, tuple(member for member in names() if member.startswith(prefix))


def load(name: str) -> Instance:
    """Return a problem, that of the user's folder if it has the name; raises `UnknownNameError`."""
    cookbook = _user_cookbook()
    if cookbook is not None and name in cookbook.names:
        return _load_from(cookbook, name)
    return load_bundled(name)


@lru_cache(maxsize=1024)
def _load_from(cookbook: Cookbook, name: str) -> Instance:
    return cookbook.problem(name)


@cache
def load_bundled(name: str) -> Instance:
    """Return a bundled problem; raises `UnknownNameError`."""
    if name not in bundled_names():
        raise UnknownNameError("there is no such Recipe2Plan problem", value=name)
    _, setting, pair = name.split("/")
    if setting == "untimed":
        return load_bundled(f"recipe2plan/timed/{pair}").without_maximum_lags(name)
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


def reference_plan(name: str) -> tuple[StepCommand, ...] | None:
    """Return the reference plan of a problem in its original order, ``None`` without one."""
    cookbook = _user_cookbook()
    if cookbook is not None and name in cookbook.names:
        return cookbook.plan(name)
    return bundled_plan(name)


@cache
def bundled_plan(name: str) -> tuple[StepCommand, ...] | None:
    """Return the released plan of a bundled problem, ``None`` without one."""
    if name not in bundled_names():
        return None
    _, setting, pair = name.split("/")
    pair_row = _pairs()[pair]
    recipes = pair_row["recipes"]
    rows = pair_row.get(setting)
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
