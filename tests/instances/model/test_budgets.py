"""Budgets: resources that are used up."""

from __future__ import annotations

from typing import Any

import pytest

from planoracle.instances.errors import InputError
from planoracle.instances.model.calendars import Calendar
from planoracle.instances.model.instance import Action, Demand, Instance, Mode, Resource
from planoracle.instances.model.transitions import Transitions
from tests.support.rule_cases import act, kinds, messages, run

COINS = Resource("coins", 3, renewable=False)


def budgeted(*actions: Action, **more: Any) -> Instance:
    return Instance("k", actions, **{"resources": (COINS,), **more})


def test_budget_is_used_up_also_after_the_uses_end() -> None:
    instance = budgeted(act("a", 2, 2, Demand("coins", 2)), act("b", 2, 2, Demand("coins", 2)))
    assert messages(instance, run("a", 0), run("b", 50)) == ["4 units of coins would be used up, of 3"]
    assert (
        kinds(budgeted(*instance.actions, resources=(Resource("coins", 4, renewable=False),)), run("a", 0), run("b", 2))
        == []
    )


def test_uses_of_a_budget_at_the_same_time_are_no_load() -> None:
    instance = budgeted(act("a", 2, 0, Demand("coins", 1)), act("b", 2, 0, Demand("coins", 2)))
    assert kinds(instance, run("a", 0), run("b", 0)) == []


def test_amounts_of_chosen_modes_count() -> None:
    dear, cheap = Mode((Demand("coins", 2),)), Mode((Demand("coins", 1),), duration=5)
    instance = budgeted(act("a", modes=(dear, cheap)), act("b", modes=(dear, cheap)))
    assert kinds(instance, run("a", 0), run("b", 2, 5, mode=1)) == []
    assert kinds(instance, run("a", 0), run("b", 2)) == ["budget"]


def test_action_without_duration_uses_its_amount() -> None:
    instance = budgeted(act("a", 0, 0, Demand("coins", 2)), act("b", 0, 0, Demand("coins", 2)))
    assert kinds(instance, run("a", 0, 0), run("b", 0, 0)) == ["budget"]


def test_pieces_of_an_action_use_its_amount_once() -> None:
    action = act("a", 3, 3, Demand("coins", 3), interruptible=True)
    assert kinds(budgeted(action), run("a", 0, 1), run("a", 2, 1), run("a", 4, 1)) == []


def test_budget_of_nothing_allows_amounts_of_nothing() -> None:
    empty = (Resource("coins", 0, renewable=False),)
    instance = budgeted(act("a", modes=(Mode((Demand("coins", 0),)), Mode((Demand("coins", 1),)))), resources=empty)
    assert kinds(instance, run("a", 0)) == []
    assert kinds(instance, run("a", 0, mode=1)) == ["budget"]


def test_mode_above_the_budget_stays_and_is_never_chosen() -> None:
    instance = budgeted(act("a", modes=(Mode((Demand("coins", 4),)), Mode(duration=5))))
    assert kinds(instance, run("a", 0)) == ["budget"]
    assert kinds(instance, run("a", 0, 5, mode=1)) == []
    assert len(instance.actions[0].modes) == 2


def test_left_out_task_uses_nothing() -> None:
    other = Action("u/b", "u", 2, 2, modes=(Mode((Demand("coins", 2),)),))
    instance = budgeted(act("a", 2, 2, Demand("coins", 2)), other, optional=(("u", 1),))
    assert kinds(instance, run("a", 0)) == []
    assert kinds(instance, run("a", 0), run("u/b", 2)) == ["budget"]


@pytest.mark.parametrize(
    ("demand", "more", "field", "message"),
    [
        (Demand("coins", sets="hot"), {}, "actions[t/a].modes[0].uses[coins].sets", "no states (got 'hot')"),
        (
            Demand("coins"),
            {"resources": (Resource("coins", 1, "hot", renewable=False),)},
            "resources[coins].state",
            "a budget has no states",
        ),
        (Demand("coins", family="red"), {}, "actions[t/a].modes[0].uses[coins].family", "has no transitions"),
        (Demand("coins"), {"calendars": (Calendar(("coins",), ((1, 2),)),)}, "calendars[0].members", "is a budget"),
        (Demand("coins"), {"transitions": (Transitions(("coins",), ()),)}, "transitions[0].members", "is a budget"),
        (
            Demand("coins"),
            {"resources": (Resource("coins", -1, renewable=False),)},
            "resources[coins].capacity",
            "between 0 and",
        ),
    ],
)
def test_fault_of_a_budget_names_the_field(demand: Demand, more: dict[str, Any], field: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        budgeted(act("a", 2, 2, demand), **more)
    assert caught.value.field == field
    assert message in str(caught.value)


def test_required_state_of_a_budget_is_refused() -> None:
    resources = (Resource("coins", 1, renewable=False),)
    setting, requiring = act("a", 2, 2, Demand("coins", sets="hot")), act("b", 2, 2, Demand("coins", requires="hot"))
    with pytest.raises(InputError) as caught:
        Instance("k", (setting, requiring), resources=resources)
    fields = ["actions[t/a].modes[0].uses[coins].sets", "actions[t/b].modes[0].uses[coins].requires"]
    assert [fault.field for fault in caught.value.faults] == fields


def test_resource_that_is_no_budget_needs_a_capacity() -> None:
    with pytest.raises(InputError, match="between 1 and"):
        budgeted(act("a"), resources=(Resource("coins", 0),))
