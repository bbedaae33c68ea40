"""Optional tasks: executed as a whole or not at all."""

from __future__ import annotations

from typing import Any

import pytest

from planoracle.instances.errors import InputError
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.model.schedule_rules import referee
from planoracle.instances.model.transitions import Transitions
from tests.support.rule_cases import act, kinds, run


def extra(name: str, duration: int = 2, *uses: Demand, **more: Any) -> Action:
    """Return an action of the task ``u``, which is optional here."""
    modes = {"modes": (Mode(uses),)} if uses else {}
    return Action(f"u/{name}", "u", duration, duration, **modes, **more)


def optional(*actions: Action, **more: Any) -> Instance:
    return Instance("k", actions, **{"optional": (("u", 5),), **more})


PAIR = optional(act("a"), extra("b"), extra("c"))


def test_optional_task_is_executed_or_left_out() -> None:
    assert kinds(PAIR, run("a", 0)) == []
    assert kinds(PAIR, run("a", 0), run("u/b", 2), run("u/c", 4)) == []


def test_part_of_an_optional_task_is_missing() -> None:
    assert kinds(PAIR, run("a", 0), run("u/b", 2)) == ["missing_action"]


def test_mandatory_task_is_not_left_out() -> None:
    assert kinds(PAIR, run("u/b", 2), run("u/c", 4)) == ["missing_action"]


def test_nothing_is_a_schedule_if_all_tasks_are_optional() -> None:
    replay = referee(optional(extra("b")), Schedule(()))
    assert replay.success
    assert (replay.makespan, replay.progress, replay.remaining) == (0, 1.0, {})


def test_progress_counts_executed_tasks_only() -> None:
    left_out = referee(PAIR, Schedule((run("a", 0),)))
    assert [event.progress for event in left_out.events] == [1.0]
    executed = referee(PAIR, Schedule((run("a", 0), run("u/b", 2), run("u/c", 4))))
    assert [round(event.progress, 2) for event in executed.events] == [0.33, 0.67, 1.0]


def test_remaining_work_counts_tasks_that_were_begun() -> None:
    assert referee(PAIR, Schedule(())).remaining == {"t/a": 2}
    assert referee(PAIR, Schedule((run("u/b", 2),))).remaining == {"t/a": 2, "u/b": 2, "u/c": 2}


def test_lags_of_a_left_out_task_are_void() -> None:
    instance = optional(act("a"), extra("b"), lags=(Lag("u/b", "t/a", 3, 4), Lag("t/a", "u/b", -9, None)))
    assert kinds(instance, run("a", 0)) == []
    assert kinds(instance, run("u/b", 0), run("a", 5)) == []
    assert kinds(instance, run("u/b", 0), run("a", 4)) == ["minimum_lag"]


def test_order_through_a_left_out_task_is_void() -> None:
    instance = optional(act("a"), extra("b"), act("c"), lags=(Lag("t/a", "u/b"), Lag("u/b", "t/c")))
    assert kinds(instance, run("c", 0), run("a", 2)) == []
    assert kinds(instance, run("a", 0), run("u/b", 2), run("c", 4)) == []
    assert kinds(instance, run("a", 0), run("u/b", 4), run("c", 2)) == ["minimum_lag"]


def test_predecessor_of_a_mode_that_is_left_out_is_void() -> None:
    instance = optional(act("a", modes=(Mode(after=("u/b",)),)), extra("b"))
    assert kinds(instance, run("a", 0)) == []
    assert kinds(instance, run("u/b", 0), run("a", 2)) == []
    assert kinds(instance, run("a", 0), run("u/b", 2)) == ["minimum_lag"]


def test_predecessor_of_a_mode_that_is_mandatory_is_not_void() -> None:
    instance = optional(act("a", modes=(Mode(after=("t/b",)),)), act("b"), extra("c"))
    assert kinds(instance, run("a", 0)) == ["missing_action", "minimum_lag"]


def test_settings_of_a_left_out_task_do_not_happen() -> None:
    bake, heat = act("a", 2, 2, Demand("oven", requires="hot")), extra("b", 2, Demand("oven", sets="hot"))
    instance = optional(bake, heat, resources=(Resource("oven", 1, "cold"),))
    assert kinds(instance, run("a", 2)) == ["resource_state"]
    assert kinds(instance, run("u/b", 0), run("a", 2)) == []


def test_visits_of_a_left_out_task_do_not_happen() -> None:
    """The only way to the shop leads through the park."""
    ways = (Transitions(("agent",), (("home", "park", 1), ("park", "shop", 1)), (("agent", "home"),)),)
    instance = optional(act("a", place="shop"), extra("b", place="park"), transitions=ways)
    assert kinds(instance, run("a", 9)) == ["transition"]
    assert kinds(instance, run("u/b", 1), run("a", 4)) == []


def test_beginning_is_no_action_of_an_optional_task() -> None:
    beginning = act("begin", 0, 0, agents=())
    lags = (Lag("t/begin", "u/b"),)
    assert Instance("k", (beginning, extra("b")), lags, optional=(("u", 1),)).beginning == "t/begin"
    assert Instance("k", (beginning, extra("b")), lags, optional=(("t", 1),)).beginning is None


@pytest.mark.parametrize(
    ("tasks", "field", "message"),
    [
        ((("v", 1),), "optional", "must be one of t, u (got 'v')"),
        ((("u", 0),), "optional[u]", "between 1 and"),
        ((("u", -1),), "optional[u]", "between 1 and"),
        ((("u", 1.5),), "optional[u]", "whole number"),
        ((("u", True),), "optional[u]", "whole number"),
        ((("u", 1), ("u", 2)), "optional", "unique (got 'u')"),
    ],
)
def test_fault_of_optional_tasks_names_field_and_value(tasks: Any, field: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        Instance("k", PAIR.actions, optional=tasks)
    assert caught.value.field == field
    assert message in str(caught.value)
