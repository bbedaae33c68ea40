"""Random recipes like the bundled ones of Recipe2Plan, and new combinations of the bundled ones."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from functools import cache
from random import Random
from typing import Any

from planoracle.instances.benchmarks.recipe2plan import problems
from planoracle.instances.errors import InputError
from planoracle.instances.generate.network_measures import describe
from planoracle.instances.generate.parameters import Parameters, one, shuffled
from planoracle.instances.generate.random_network import (
    Arc,
    depth_first_order,
    gaps,
    random_tree,
    sample_share,
    windows,
    with_witness,
)
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.protocol.capabilities import Generator

_OVEN, _MINUTE = "oven", 60


@dataclass(frozen=True, slots=True)
class _Shape:
    """Distributions of the bundled recipes; random recipes are drawn from these lists.

    ``steps`` has by kind (autonomous, interruptible) duration and object of the steps without oven; ``preheating``
    duration and kind; ``baking`` durations; ``ovens`` one entry per recipe: whether it has a state to set. Durations
    are rounded up to minutes: few bundled recipes have finer ones, and drawn for all recipes they would make most
    problems finer than the bundled ones, and harder to prove.
    """

    sizes: tuple[int, ...]
    steps: dict[tuple[bool, bool], list[tuple[int, str | None]]]
    preheating: tuple[tuple[int, bool], ...]
    baking: tuple[int, ...]
    degrees: tuple[str, ...]
    ovens: tuple[bool, ...]
    limits: tuple[int, ...]


@cache
def _shape() -> _Shape:
    book = problems.book()
    steps = defaultdict(list)
    preheating: list[tuple[int, bool]] = []
    baking: list[int] = []
    degrees: list[str] = []
    hot: set[str] = set()
    for action in book.actions:
        demands = action.modes[0].demands
        duration = -(-action.duration // _MINUTE) * _MINUTE
        setting = next((demand.sets for demand in demands if demand.sets), None)
        if setting is not None:
            preheating.append((duration, not action.attended))
            degrees.append(setting)
            hot.add(action.task)
        elif any(demand.requires for demand in demands):
            baking.append(duration)
        elif all(demand.resource != _OVEN for demand in demands):
            thing = demands[0].resource if demands else None
            steps[not action.attended, action.interruptible].append((duration, thing))
    sizes = Counter(action.task for action in book.actions)
    limits = [lag.maximum for lag in book.lags if lag.maximum is not None]
    sizes_of_tasks = tuple(sizes[task] for task in book.tasks)
    ovens = tuple(task in hot for task in book.tasks)
    return _Shape(
        sizes=sizes_of_tasks,
        steps=dict(steps),
        preheating=tuple(preheating),
        baking=tuple(baking),
        degrees=tuple(degrees),
        ovens=ovens,
        limits=tuple(limits),
    )


@cache
def defaults() -> Parameters:
    """Return two recipes with the shares measured in the bundled ones.

    >>> defaults().tasks, defaults().actions, 0.2 < defaults().parallelism < 0.3
    (2, None, True)
    """
    measures = describe(problems.book())
    shares: dict[str, Any] = {"order_strength": measures.task_order_strength}
    for name in ("parallelism", "interruptible", "windows"):
        shares[name] = getattr(measures, name)
    rounded = {name: round(share, 2) for name, share in shares.items()}
    return Parameters(tasks=2, actions=None, **rounded)


def generate(random: Random, parameters: Parameters, name: str) -> tuple[Instance, Schedule | None]:
    """Return recipes for one cook, and a schedule, ``None`` if none is known.

    Every step but the last of a recipe has one successor, as in the bundled recipes (with few exceptions). Numbers of
    steps, durations with their objects, oven temperatures and maximum lags are drawn from the bundled ones. Lags
    go first where the steps one after the other keep them; where these do not, the lag is made just so long.
    """
    names = [f"Recipe-{number + 1}" for number in range(parameters.tasks)]
    parts = [_recipe(random, parameters, name_of_recipe) for name_of_recipe in names]
    order: list[int] = []
    all_actions: list[Action] = []
    all_lags: list[Lag] = []
    for actions, arcs, lags in parts:
        position = len(all_actions)
        order += [position + i for i in depth_first_order(len(actions), arcs)]
        all_actions += actions
        all_lags += lags
    instance = replace(problems.book(), name=name, actions=tuple(all_actions), lags=tuple(all_lags))
    return with_witness(instance, order, widen=parameters.feasible)


def combine(random: Random, parameters: Parameters, name: str) -> Instance:
    """Combine random bundled recipes; their sorted names are the name of the problem."""
    all_recipes = problems.book().tasks
    count = len(all_recipes)
    if parameters.tasks > count:
        message = f"must be at most {count}, the number of bundled recipes"
        raise InputError(message, field="tasks", value=parameters.tasks)
    picked = sorted(shuffled(random, all_recipes)[: parameters.tasks])
    return problems.combine(f"generated/recipe2plan/combined/{'_'.join(picked)}", picked)


def _recipe(random: Random, parameters: Parameters, task: str) -> tuple[list[Action], list[Arc], list[Lag]]:
    shape = _shape()
    size = parameters.actions or one(random, shape.sizes)
    arcs = random_tree(random, size, parameters.order_strength)
    target = round(parameters.parallelism * size)
    oven: tuple[int, ...] = ()
    if one(random, shape.ovens) and target > 1:  # preheating and baking are mostly autonomous
        later = {j for _, j in arcs}
        oven = one(random, [arc for arc in arcs if arc[0] not in later])
    degree = one(random, shape.degrees)
    length, unattended = one(random, shape.preheating)
    first = oven if unattended else oven[1:]
    without_oven = [i for i in range(size) if i not in oven]
    others_alone = shuffled(random, without_oven)[: target - len(first)]
    alone = {*first, *others_alone}
    busy = [i for i in without_oven if i not in alone]
    cut_positions = sample_share(random, len(busy), parameters.interruptible)
    cut = {busy[k] for k in cut_positions}
    actions = []
    for i in range(size):
        steps_of_kind = shape.steps[i in alone, i in cut]
        duration, thing = one(random, steps_of_kind)
        demands = (Demand(thing),) if thing else ()
        if oven[:1] == (i,):
            duration = length
            demands = (Demand(_OVEN, sets=degree),)
        elif i in oven:
            duration = one(random, shape.baking)
            demands = (Demand(_OVEN, requires=degree),)
        attended = 0 if i in alone else duration
        modes = (Mode(demands),)
        action = Action(f"{task}/{i}", task, duration, attended, i in cut, modes)
        actions.append(action)
    limits = [one(random, shape.limits) for _ in arcs]
    between = gaps(arcs, depth_first_order(size, arcs), [action.duration for action in actions])
    # No window of the bundled recipes follows a step that may be paused, and few lead to one; finer pauses than whole
    # minutes are then of no use.
    ranks = []
    for (i, j), gap, limit in zip(arcs, between, limits, strict=True):
        is_too_long = parameters.feasible and gap > limit
        ranks.append(4 * (i in cut) + 2 * is_too_long + (j in cut))
    maxima = windows(random, arcs, parameters.windows, limits, ranks)
    lags = []
    for arc in arcs:
        before = actions[arc[0]].id
        after = actions[arc[1]].id
        lags.append(Lag(before, after, 0, maxima.get(arc)))
    return actions, arcs, lags


def style() -> Generator:
    """Return how such problems are made."""
    return Generator(
        ("tasks", "actions", "order_strength", "parallelism", "interruptible", "windows", "feasible"),
        defaults(),
        generate,
        ("tasks",),
        combine,
    )
