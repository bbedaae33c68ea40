"""The bundled facts of Recipe2Plan: 24 recipes, 65 pairs, the released reference plans."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from planoracle.instances.entries import instance_of
from planoracle.instances.errors import UnknownNameError
from planoracle.instances.model import Instance
from planoracle.instances.reading import load_json
from planoracle.instances.recipe2plan.steps import Command

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
def reference_plan(setting: str, pair: str) -> tuple[Command, ...] | None:
    """Return the released heuristic plan in its original order, or ``None`` if there is none."""
    row = _pairs().get(pair)
    if row is None or not row.get(setting):
        return None
    recipes = row["recipes"]
    return tuple(Command(step, recipes[r], seconds, start) for r, step, seconds, start in row[setting])
