"""Exchangeable actions and tasks."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from planoracle.instances.model.builder import Model
from planoracle.instances.model.instance import Action, Instance, Lag, Mode
from planoracle.solver.exact.symmetry import exchangeable

CASES = 300


def draw_tasks(random: Random, *, are_tied: bool) -> Instance:
    """Return up to three small tasks with few different actions and lags, some of them between tasks."""
    actions: list[Action] = []
    for task in "tuv"[: random.randint(1, 3)]:
        for number in range(random.randint(1, 3)):
            actions.append(Action(f"{task}/{number}", task, random.choice((1, 1, 1, 2)), 0))
    lags = []
    for number, after in enumerate(actions):
        for before in actions[:number]:
            if random.random() < 0.25 and (are_tied or before.task == after.task):
                lags.append(Lag(before.id, after.id, random.choice((0, 0, 1)), random.choice((None, None, 3))))
    if are_tied and random.random() < 0.3:
        mode = Mode(after=(actions[0].id,))
        actions[-1] = replace(actions[-1], modes=(mode,)) if len(actions) > 1 else actions[-1]
    return Instance("tasks", tuple(actions), tuple(lags))


def form(instance: Instance, names: dict[str, str]) -> Hashable:
    """Return all that an instance says, with the ids of actions replaced."""
    actions = []
    for action in instance.actions:
        predecessors = frozenset(names[before] for before in action.modes[0].after)
        actions.append((names[action.id], action.duration, predecessors))
    lags = [(names[lag.before], names[lag.after], lag.minimum, lag.maximum) for lag in instance.lags]
    return frozenset(actions), frozenset(lags)


def is_symmetric(instance: Instance, first: list[str], second: list[str]) -> bool:
    """Return whether exchanging two lists of actions leaves an instance as it is."""
    names = {action.id: action.id for action in instance.actions}
    exchanged = names | dict(zip(first + second, second + first, strict=True))
    return form(instance, names) == form(instance, exchanged)


def neighbours(items: list[int], urgent: list[int], are_alike: Callable[[int, int], bool]) -> set[tuple[int, int]]:
    """Return each item with the next one that is like it, in the order of urgency."""
    pairs = set()
    items = sorted(items, key=urgent.index)
    for place, item in enumerate(items):
        alike = [later for later in items[place + 1 :] if are_alike(item, later)]
        pairs |= {(item, later) for later in alike[:1]}
    return pairs


@pytest.mark.parametrize("are_tied", [False, True])
def test_pairs_are_those_whose_exchange_leaves_the_problem_as_it_is(are_tied: bool) -> None:
    random = Random(1)
    number_of_pairs = 0
    for _ in range(CASES):
        instance = draw_tasks(random, are_tied=are_tied)
        count = len(instance.actions)
        urgent = random.sample(range(count), count)
        ids = [action.id for action in instance.actions]
        members = {task: [i for i in range(count) if ids[i].startswith(task)] for task in instance.tasks}

        def are_alike_actions(i: int, j: int, instance: Instance = instance, ids: list[str] = ids) -> bool:
            return is_symmetric(instance, [ids[i]], [ids[j]])

        def are_alike_tasks(
            i: int, j: int, instance: Instance = instance, members: dict[str, list[int]] = members, ids: list[str] = ids
        ) -> bool:
            first, second = members[ids[i][0]], members[ids[j][0]]
            if len(first) != len(second) or first.index(i) != second.index(j):
                return False
            return is_symmetric(instance, [ids[k] for k in first], [ids[k] for k in second])

        most_urgent = [min(positions, key=urgent.index) for positions in members.values()]
        expected = neighbours(list(range(count)), urgent, are_alike_actions)
        expected |= neighbours(most_urgent, urgent, are_alike_tasks)
        pairs = exchangeable(instance, urgent)
        # Tasks and actions that are tied to the same others could be exchanged, but some are not.
        assert set(pairs) <= expected if are_tied else set(pairs) == expected, (instance, urgent)
        assert len(set(pairs)) == len(pairs)
        number_of_pairs += len(pairs)
    assert number_of_pairs > CASES / 10


def twins(**changes: Any) -> Instance:
    """Return a problem of two tasks with one action each; the second may differ in some fields."""
    instance = Model().task("t").action("a", 2).task("u").action("a", 2).build()
    first, second = instance.actions
    return replace(instance, actions=(first, replace(second, **changes)))


@pytest.mark.parametrize(
    "changes",
    [
        {"deadline": 9},
        {"windows": ((0, 9),)},
        {"pauses_in_breaks": True},
        {"place": "shop"},
        {"modes": (Mode(), Mode(duration=3))},
    ],
)
def test_actions_that_differ_in_a_field_are_not_exchangeable(changes: dict[str, Any]) -> None:
    instance = twins(**changes) if "place" not in changes else travelling()
    assert exchangeable(instance, [0, 1]) == []


def travelling() -> Instance:
    """Return two actions that differ in their places."""
    model = Model().travel("agent", {("home", "shop"): 1, ("shop", "home"): 1})
    return model.task("t").action("a", 2, place="home").task("u").action("a", 2, place="shop").build()


def test_optional_tasks_are_not_exchanged() -> None:
    instance = twins()
    assert exchangeable(replace(instance, optional=(("u", 1),)), [0, 1]) == []
    assert exchangeable(replace(instance, optional=(("t", 1), ("u", 1))), [0, 1]) == []
