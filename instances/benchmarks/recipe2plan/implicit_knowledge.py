"""Recipes as they are written, and their implicit knowledge: autonomous steps, order, objects."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.problem import Problem, of_kind
from planoracle.instances.protocol.feedback import clean, listed, span


def recipes(problem: Problem) -> str:
    """Return the recipes: steps with durations, which may be paused, time constraints.

    Examples
    --------
    >>> from planoracle.instances.files.catalog import load
    >>> print(recipes(load("recipe2plan/timed/Avocado_Banana-Fry")))  # doctest: +SKIP
    """
    kitchen = of_kind(problem, Instance)

    def lines(recipe: str) -> Iterable[str]:
        yield f"Recipe {clean(recipe)}"
        steps = [action for action in kitchen.actions if action.task == recipe]
        yield from (f"Step {_number(one.id)} ({span(kitchen, one.duration)}): {clean(one.label)}" for one in steps)
        pauses = [_number(one.id) for one in steps if one.interruptible]
        if pauses:
            yield f"May be paused and gone on with later: {listed(pauses)}."
        for lag in kitchen.lags:
            if lag.maximum is not None and kitchen.by_id[lag.after].task == recipe:
                most = span(kitchen, lag.maximum)
                yield f"Step {_number(lag.after)} must start within {most} after the end of step {_number(lag.before)}."

    return "\n\n".join("\n".join(lines(recipe)) for recipe in kitchen.tasks)


def has_time_constraints(problem: Problem) -> bool:
    """Return true if there are time constraints."""
    return any(lag.maximum is not None for lag in of_kind(problem, Instance).lags)


def concurrency(problem: Problem) -> str:
    """Return which steps go on by themselves.

    Examples
    --------
    >>> from planoracle.instances.files.catalog import load
    >>> print(concurrency(load("recipe2plan/timed/Cobbler_Pancakes")))
    Cobbler: 0, 2, 7
    Pancakes: 8, 12, 15
    """
    return _by_recipe(problem, lambda kitchen, step: [] if step.attended else [_number(step.id)])


def dependency(problem: Problem) -> str:
    """Return which steps have to be complete before which others.

    Examples
    --------
    >>> from planoracle.instances.files.catalog import load
    >>> print(dependency(load("recipe2plan/timed/Cobbler_Pancakes")).splitlines()[0])
    Cobbler: 1 -> 2, 2 -> 3, 3 -> 5, 4 -> 5, 5 -> 6, 0 -> 7, 6 -> 7
    """

    def links(kitchen: Instance, step: Action) -> list[str]:
        before = [lag.before for lag in kitchen.lags if lag.after == step.id and lag.minimum is not None]
        return [f"{_number(one)} -> {_number(step.id)}" for one in dict.fromkeys(before)]

    return _by_recipe(problem, links)


def resources(problem: Problem) -> str:
    """Return which steps occupy which objects.

    Examples
    --------
    >>> from planoracle.instances.files.catalog import load
    >>> print(resources(load("recipe2plan/timed/Cobbler_Pancakes")))
    Cobbler: 0 oven (makes it 350), 2 microwave, 7 oven (must be 350)
    Pancakes: 8 microwave, 12 stove, 14 stove, 15 stove
    """

    def uses(_: Instance, step: Action) -> list[str]:
        texts = []
        for one in step.modes[0].demands:
            states = [f"must be {clean(one.requires)}"] if one.requires is not None else []
            states += [f"makes it {clean(one.sets)}"] if one.sets is not None else []
            texts.append(f"{_number(step.id)} {clean(one.resource)}" + (f" ({', '.join(states)})" if states else ""))
        return texts

    return _by_recipe(problem, uses)


def _by_recipe(problem: Problem, describe: Callable[[Instance, Action], list[str]]) -> str:
    kitchen = of_kind(problem, Instance)
    parts_by_recipe: dict[str, list[str]] = {recipe: [] for recipe in kitchen.tasks}
    for step in kitchen.actions:
        parts_by_recipe[step.task] += describe(kitchen, step)
    return "\n".join(f"{clean(recipe)}: {', '.join(parts) or 'none'}" for recipe, parts in parts_by_recipe.items())


def _number(action: str) -> str:
    return action.rpartition("/")[2]
