"""Reader of Recipe2Plan's released files, also with own recipes: ``cooking.json`` and ``plan.json``.

``cooking.json`` is a list of combinations, each a list of recipes, or a list of recipes. ``plan.json`` has the
reference plans of combinations, by their names; of a list of recipes, it also selects the pairs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations, permutations
from os.path import isfile
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field, TypeAdapter, ValidationError

from planoracle.instances.benchmarks.recipe2plan.step_grammar import StepCommand
from planoracle.instances.errors import InputError
from planoracle.instances.files.strict_entries import StrictEntry, input_error
from planoracle.instances.files.strict_json import load_document, read_bytes
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.schedule_benchmark import check_instance
from planoracle.instances.text import SECONDS

_T = TypeVar("_T")

COOKING: Final = "cooking.json"
PLANS: Final = "plan.json"
#: Objects of the released environment.
OBJECTS: Final = ("oven", "microwave", "stove")
#: Settings, each with the field of its reference plans.
SETTINGS: Final = {"timed": "plan_w_restriction", "untimed": "plan_wo_restriction"}
#: Maximum number of recipes in a list of recipes.
MAX_RECIPES: Final = 100

# Times that the released code reads; of several units, it would read one.
_TIME = re.compile(r"([0-9]{1,6}) (sec|second|min|minute|hour)s?")
_NAME = re.compile(r"[\w-]+")
_NUMBER = re.compile(r"0|[1-9][0-9]{0,5}")


def _seconds(value: object) -> int:
    """Return the seconds of a time."""
    match = _TIME.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise ValueError("must be text such as '10 min', '30 sec' or '1 hour'")
    return int(match[1]) * SECONDS[match[2]]


def _temperature(value: object) -> str | None:
    """Return the temperature that a step requires or sets, ``None`` without one."""
    degrees = value.get("temperature", 0) if isinstance(value, dict) else None
    is_whole = isinstance(degrees, int | float) and not isinstance(degrees, bool) and not degrees % 1
    if not isinstance(value, dict) or not is_whole or set(value) - {"temperature"}:
        raise ValueError('must be {} or {"temperature": a whole number of degrees}')
    return str(int(value["temperature"])) if value else None


def _name(value: object) -> str:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise ValueError("must consist of letters, digits, _ and -")
    return value


def _not_empty(entries: list[Any]) -> list[Any]:
    if not entries:
        raise ValueError("must not be empty")
    return entries


_Seconds = Annotated[int, BeforeValidator(_seconds)]
_Temperature = Annotated[str | None, BeforeValidator(_temperature)]
_Whole = Annotated[int, Field(ge=0)]
_Flag = Literal[0, 1]


class _Use(StrictEntry):
    """Use of an object by a step."""

    require: _Temperature = None
    update: _Temperature = None


class _Step(StrictEntry):
    """Step of a recipe; ``prequisites`` is spelt as in the released file."""

    step: int
    text: str
    time: _Seconds
    parallel: _Flag
    interrupt: _Flag
    prequisites: list[int]
    time_constraint: dict[str, _Seconds]
    physical: dict[str, _Use]


class _Recipe(StrictEntry):
    """Recipe with its steps."""

    recipe: Annotated[str, BeforeValidator(_name)]
    steps: Annotated[list[_Step], AfterValidator(_not_empty)]


#: Step, recipe, seconds and start.
_Command = Annotated[tuple[_Whole, str, _Whole, _Whole], Field(strict=False)]


class _Plans(StrictEntry):
    """Reference plans of a combination; ``None`` for none."""

    plan_w_restriction: list[_Command] | None = None
    plan_wo_restriction: list[_Command] | None = None


_RECIPES = TypeAdapter(list[_Recipe])
_COMBINATIONS = TypeAdapter(list[Annotated[list[_Recipe], AfterValidator(_not_empty)]])
_PLANS = TypeAdapter(dict[str, _Plans])


@dataclass(frozen=True, eq=False)
class Cookbook:
    """Combinations of recipes, with their reference plans.

    Attributes
    ----------
    source
        File of the recipes.
    recipes
        Recipes of each combination, by its name: the names of the recipes with ``_`` between them.
    plans
        Reference plans by the name of the combination.
    """

    source: str
    recipes: Mapping[str, Sequence[_Recipe]]
    plans: Mapping[str, _Plans]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the problems: all *timed* ones, then all *untimed* ones."""
        all_names: list[str] = []
        for setting in SETTINGS:
            all_names += [f"recipe2plan/{setting}/{combination}" for combination in self.recipes]
        return tuple(all_names)

    def problem(self, name: str) -> Instance:
        """Return the problem of one of the names; raises `InputError` for impossible recipes."""
        _, setting, combination = name.split("/")
        try:
            timed = _instance(f"recipe2plan/timed/{combination}", self.recipes[combination])
            check_instance(timed)
        except InputError as error:
            raise error.at(self.source, combination) from None
        return timed if setting == "timed" else timed.without_maximum_lags(name)

    def plan(self, name: str) -> tuple[StepCommand, ...] | None:
        """Return the reference plan of one of the names, ``None`` without one."""
        _, setting, combination = name.split("/")
        plans = self.plans.get(combination)
        rows = getattr(plans, SETTINGS[setting], None) or ()
        return tuple(StepCommand(*row) for row in rows) or None


def recognises(document: object) -> bool:
    """Return True for a document with the outline of ``cooking.json``."""
    if not isinstance(document, list) or not document:
        return False
    entries = document[0] if isinstance(document[0], list) else document
    return bool(entries) and isinstance(entries[0], dict) and "recipe" in entries[0]


def read(document: object, source: str) -> list[Instance]:
    """Return the problems of a document of recipes, without reference plans."""
    cookbook = _cookbook(document, source, {})
    return [cookbook.problem(name) for name in cookbook.names]


@lru_cache(maxsize=8)
def cookbook_in(folder: Path) -> Cookbook:
    """Return the recipes and reference plans in a folder.

    Raises
    ------
    InputError
        For a folder without recipes, or naming file, line, field and value of the faults.
    """
    path = folder / COOKING
    if not isfile(path):
        variable = registry.data_variable("recipe2plan")
        raise InputError(f"lacks {COOKING}", field=variable, value=str(folder))
    plans_path = folder / PLANS
    plans = _read(plans_path, _plans) if isfile(plans_path) else {}
    cookbook = _read(path, lambda document, source: _cookbook(document, source, plans))
    _check_plans(cookbook, str(plans_path))
    return cookbook


def _read(path: Path, convert: Callable[[Any, str], _T]) -> _T:
    """Return a converted JSON document; errors name lines."""
    source = str(path)
    document = load_document(read_bytes(path), source)
    try:
        return convert(document.value, source)
    except InputError as error:
        raise document.located(error, source) from None


def _plans(document: Any, source: str) -> dict[str, _Plans]:
    try:
        return _PLANS.validate_python(document)
    except ValidationError as error:
        raise input_error(error, source, _Plans) from None


def _cookbook(document: Any, source: str, plans: Mapping[str, _Plans]) -> Cookbook:
    """Return the combinations of a document."""
    if not recognises(document):
        message = "must be a list of combinations, each a list of recipes, or a list of recipes"
        raise InputError(message, source=source)
    try:
        if isinstance(document[0], dict):
            recipes = _RECIPES.validate_python(document)
            _check_steps(recipes, "")
            return Cookbook(source, _by_name(_pairs(recipes, plans)), plans)
        listed = _COMBINATIONS.validate_python(document)
        for number, entry in enumerate(listed):
            _check_steps(entry, f"[{number}]")
        return Cookbook(source, _by_name(listed), plans)
    except ValidationError as error:
        raise input_error(error, source, _Recipe) from None
    except InputError as error:
        raise error.at(source) from None


def _check_steps(recipes: Iterable[_Recipe], field: str) -> None:
    """Raise `InputError` for steps that are not numbered in order, and for references to other steps."""
    for position, recipe in enumerate(recipes):
        numbers = range(len(recipe.steps))
        accepted = f"must be a step from 0 to {numbers[-1]}"
        for number, step in enumerate(recipe.steps):
            location = f"{field}[{position}].steps[{number}]"
            if step.step != number:
                raise InputError(f"must be {number}, as in a list", field=f"{location}.step", value=step.step)
            if step.parallel and step.interrupt:
                message = "must be 0 for an autonomous step (parallel 1)"
                raise InputError(message, field=f"{location}.interrupt", value=step.interrupt)
            for before in step.prequisites:
                if before not in numbers:
                    raise InputError(accepted, field=f"{location}.prequisites", value=before)
            for key in step.time_constraint:
                if not _NUMBER.fullmatch(key) or int(key) not in numbers:
                    raise InputError(accepted, field=f"{location}.time_constraint", value=key)


def _pairs(recipes: Sequence[_Recipe], plans: Mapping[str, _Plans]) -> Sequence[Sequence[_Recipe]]:
    """Return the pairs that have reference plans, or all pairs if there are no such plans."""
    if len(recipes) > MAX_RECIPES:
        raise InputError(f"must be at most {MAX_RECIPES} recipes", field="document", value=len(recipes))
    ordered = {_combined_name(pair): pair for pair in permutations(recipes, 2)}
    planned = [ordered[name] for name in plans if name in ordered]
    return planned or list(combinations(recipes, 2))


def _by_name(listed: Iterable[Sequence[_Recipe]]) -> dict[str, Sequence[_Recipe]]:
    """Return combinations by their names; raises `InputError` for one name of two."""
    by_name: dict[str, Sequence[_Recipe]] = {}
    for recipes in listed:
        name = _combined_name(recipes)
        if name in by_name:
            raise InputError("two combinations have this name; names must differ", field="recipe", value=name)
        by_name[name] = recipes
    return by_name


def _combined_name(recipes: Iterable[_Recipe]) -> str:
    return "_".join(recipe.recipe for recipe in recipes)


def _check_plans(cookbook: Cookbook, source: str) -> None:
    """Raise `InputError` for a reference plan with a step that its recipes lack."""
    for combination, recipes in cookbook.recipes.items():
        steps = {recipe.recipe: len(recipe.steps) for recipe in recipes}
        for field in SETTINGS.values():
            rows = getattr(cookbook.plans.get(combination), field, None) or ()
            for number, (step, recipe, *_) in enumerate(rows):
                if step >= steps.get(recipe, 0):
                    message = f"must be a step of {' or '.join(steps)}"
                    location = f"{combination}.{field}[{number}]"
                    raise InputError(message, source=source, field=location, value=[step, recipe])


def _instance(name: str, recipes: Iterable[_Recipe]) -> Instance:
    """Return a *timed* problem."""
    actions: list[Action] = []
    lags: list[Lag] = []
    objects = dict.fromkeys(OBJECTS)
    for recipe in recipes:
        for step in recipe.steps:
            actions.append(_action(recipe.recipe, step))
            lags += _lags(recipe.recipe, step)
            objects |= dict.fromkeys(step.physical)
    return Instance(
        name=name,
        actions=tuple(actions),
        lags=tuple(lags),
        resources=tuple(map(Resource, objects)),
        benchmark="recipe2plan",
        unit="second",
        seconds_per_tick=1,
    )


def _action(recipe: str, step: _Step) -> Action:
    demands = []
    for resource, use in step.physical.items():
        demands.append(Demand(resource, requires=use.require, sets=use.update))
    return Action(
        id=f"{recipe}/{step.step}",
        task=recipe,
        duration=step.time,
        attended=0 if step.parallel else step.time,
        interruptible=bool(step.interrupt),
        modes=(Mode(tuple(demands)),),
        label=step.text,
    )


def _lags(recipe: str, step: _Step) -> Iterator[Lag]:
    """Yield a time lag for each earlier step: an order, a longest time, or both."""
    limits = {int(key): limit for key, limit in step.time_constraint.items()}
    for before in dict.fromkeys((*step.prequisites, *limits)):
        minimum = 0 if before in step.prequisites else None
        yield Lag(f"{recipe}/{before}", f"{recipe}/{step.step}", minimum, limits.get(before))
