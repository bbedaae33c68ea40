"""Exchangeable actions and tasks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from planoracle.instances.model.builder import Model
from planoracle.instances.model.instance import Instance, Mode
from planoracle.solver.exact.symmetry import exchangeable


def twins(**changes: Any) -> Instance:
    """Return a problem of two tasks with one action each; the second may differ in some fields."""
    instance = Model().task("t").action("a", 2).task("u").action("a", 2).build()
    first, second = instance.actions
    return replace(instance, actions=(first, replace(second, **changes)))


def test_equal_actions_of_two_tasks_are_exchangeable() -> None:
    assert exchangeable(twins(), [0, 1]) == [(0, 1)]


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
