"""Status type: one type for schedules and kitchens, written as plain text."""

from __future__ import annotations

import copy
import csv
import io
import json
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from planoracle.analysis.diagnosis.explain import explain
from planoracle.analysis.diagnosis.regret import next_commands, regret
from planoracle.analysis.diagnosis.repair import repair
from planoracle.instances.files.catalog import load, problem
from planoracle.instances.model.cache import digest
from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.limits import Status
from planoracle.solver.exact.search import solve
from planoracle.solver.kitchens.astar import plan
from planoracle.solver.proofs.conflict import find_conflict
from planoracle.solver.repair.minimal_change import minimal_change
from planoracle.solver.states.state_solver import Value
from tests.support.grades import comparisons

LAB = load("timearena/lab1")
HASTY = Instance("hasty", (Action("t/a", "t", 4, 4), Action("t/b", "t", 4, 4)), time_limit=5)
KITCHEN: Any = problem("kitchens/synchronous/1_lettuce_sandwich")


@pytest.mark.parametrize("status", Status)
def test_status_is_equal_to_its_name(status: Status) -> None:
    assert status == status.name == status.value
    assert [str(status), f"{status}", repr(status)] == [status.name, status.name, repr(status.name)]
    assert json.dumps({"status": status}) == json.dumps({"status": status.name})
    assert digest(status) == digest(status.name)
    text = io.StringIO()
    csv.writer(text).writerow([status])
    assert text.getvalue().strip() == status.name
    for copied in (pickle.loads(pickle.dumps(status)), copy.deepcopy(status), Status(status.name)):
        assert copied is status
    assert hash(status) == hash(status.name)


def test_only_proved_statuses_are_settled() -> None:
    assert {one.name: one.settled for one in Status} == {
        "optimal": True,
        "feasible": False,
        "infeasible": True,
        "unknown": False,
    }


@pytest.mark.parametrize(
    ("value", "status"),
    [
        (Value(3, 3), Status.optimal),
        (Value(3, 4), Status.feasible),
        (Value.infeasible(), Status.infeasible),
        (Value(3, None), Status.unknown),
    ],
)
def test_status_of_a_value_follows_from_its_bounds(value: Value, status: Status) -> None:
    assert value.status is status


ANSWERS: dict[str, tuple[Callable[[], Any], Status]] = {
    "solve": (lambda: solve(LAB), Status.optimal),
    "nothing in no time": (lambda: plan(KITCHEN, time_limit=0), Status.unknown),
    "kitchen": (lambda: plan(KITCHEN), Status.optimal),
    "nearest": (lambda: minimal_change(LAB, {}), Status.optimal),
    "no schedule": (lambda: solve(HASTY), Status.infeasible),
    "none near": (lambda: minimal_change(HASTY, {}), Status.infeasible),
    "conflict": (lambda: find_conflict(HASTY), Status.infeasible),
    "explain": (lambda: explain(LAB), Status.optimal),
    "explain a kitchen": (lambda: explain(KITCHEN), Status.optimal),
    "advice": (lambda: next_commands(LAB), Status.optimal),
    "advice in a kitchen": (lambda: next_commands(KITCHEN), Status.optimal),
    "repair": (lambda: repair(LAB, {"plan": solve(LAB).plan}), Status.optimal),
    "repair of a kitchen": (lambda: repair(KITCHEN, {"plan": plan(KITCHEN).plan}), Status.optimal),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_every_result_has_a_status_of_one_type(name: str) -> None:
    answer, expected = ANSWERS[name]
    assert answer().status is expected


@pytest.mark.parametrize("one", [LAB, KITCHEN], ids=["schedule", "kitchen"])
def test_regret_decisions_have_a_status(one: Any) -> None:
    regrets = regret(one, {"plan": solve(one).plan if one is LAB else plan(one).plan})
    assert {decision.status for decision in regrets.decisions} == {Status.optimal}
    assert all(isinstance(status, Status) for status in (regrets.completion_status, regrets.decisions[0].status))


def test_status_columns_of_frames_contain_plain_text() -> None:
    frame = comparisons([LAB, KITCHEN], ["optimum", "serial-lpt"])
    for column in ("status", "settled"):
        assert {type(value) for value in frame[column]} == {str}
        assert {type(value) for value in frame[column].cat.categories} == {str}
