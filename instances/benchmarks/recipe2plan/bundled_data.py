"""The bundled facts of Recipe2Plan: 24 recipes, 65 pairs, the released reference plans."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Any

from planoracle.instances.benchmarks.recipe2plan.step_grammar import StepCommand
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.files.instance_file import instance_of
from planoracle.instances.files.strict_json import load_json
from planoracle.instances.model.instance import Instance

SETTINGS = ("timed", "untimed")


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


@cache
def load(setting: str, pair: str) -> Instance:
    """Return one bundled instance, e.g. ``load("timed", "Cobbler_Pancakes")``.

    Raises
    ------
    UnknownNameError
        If there is no such setting or pair.
    """
    if setting not in SETTINGS or pair not in _pairs():
        raise UnknownNameError("there is no such Recipe2Plan problem", value=f"recipe2plan/{setting}/{pair}")
    if setting == "untimed":
        return load("timed", pair).without_maximum_lags(f"recipe2plan/untimed/{pair}")
    return combine(f"recipe2plan/timed/{pair}", _pairs()[pair]["recipes"])


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
def reference_plan(setting: str, pair: str) -> tuple[StepCommand, ...] | None:
    """Return the released heuristic plan in its original order, or ``None`` if there is none."""
    row = _pairs().get(pair)
    if row is None or not row.get(setting):
        return None
    recipes = row["recipes"]
    return tuple(StepCommand(step, recipes[r], seconds, start) for r, step, seconds, start in row[setting])


_RECIPE = re.compile(r"[\w-]+")


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
