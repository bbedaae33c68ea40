"""Violations of the rules of every benchmark: fields, and messages."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from planoracle import environment
from planoracle.instances.files.catalog import load
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.problem import Problem
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.schedule_rules import referee
from planoracle.instances.model.violations import MAX_OTHERS, Violation
from planoracle.instances.protocol import registry
from tests.support.robotouille import kitchen

COBBLER = load("recipe2plan/timed/Cobbler_Pancakes")
TEA = load("timearena/household1")
CALLS = load("asynctool/files_1")
TABLES = kitchen({"table1": ["bread1"], "table2": []}, goal=[["item_on", "bread#1", "table2"]])
PAIR = Instance("pair", (Action("t/a", "t", 2, 2), Action("t/b", "t", 2, 2)), lags=(Lag("t/a", "t/b", 3),))
FAULT = Violation(1, "order", "t/b")


def violations(problem: Problem, plan: object) -> tuple[Violation, ...]:
    return registry.of(problem).run(problem, plan).verdict.violations


def piece(action: str, start: int, duration: int = 2) -> dict[str, Any]:
    return {"action": action, "start": start, "duration": duration, "agent": "agent"}


@pytest.mark.parametrize(
    ("problem", "plan", "row"),
    [
        (
            COBBLER,
            [[1, "Cobbler", 180, 0], [1, "Pancakes", 180, 60]],
            {
                "index": 1,
                "kind": "time_error",
                "subject": "Pancakes/1",
                "message": "starts at 00:01:00, but the clock is at 00:03:00",
                "start": 60,
                "end": 240,
                "others": [["Cobbler/1", 0, 180]],
                "required": 180,
                "actual": 60,
            },
        ),
        (
            TEA,
            ["activate kettle", "pour kettle into teapot"],
            {
                "index": 1,
                "kind": "object_occupied",
                "subject": "pour kettle into teapot",
                "message": "minute 1",
                "start": 1,
                "end": 2,
                "resource": "kettle",
                "actual": ["kettle"],
            },
        ),
        (
            CALLS,
            [{"id": "files_1", "func_name": "fly", "params": {}}],
            {
                "index": 0,
                "kind": "unknown_tool",
                "subject": "files_1",
                "message": 'no task offers the function "fly"',
                "start": 0,
                "end": 1,
                "resource": "fly",
            },
        ),
        (
            TABLES,
            ["Place bread1 on table1 using robot1"],
            {
                "index": 0,
                "kind": "precondition",
                "subject": "Place bread1 on table1 using robot1",
                "start": 0,
                "end": 1,
            },
        ),
        (
            PAIR,
            [piece("t/a", 0), piece("t/b", 4)],
            {
                "index": 1,
                "kind": "minimum_lag",
                "subject": "t/b",
                "message": "starts at 4, but 5 is the earliest start after t/a",
                "start": 4,
                "end": 6,
                "others": [["t/a", 0, 2]],
                "required": 3,
                "actual": 2,
            },
        ),
    ],
)
def test_violation_row_has_all_fields(problem: Problem, plan: object, row: dict[str, Any]) -> None:
    [fields] = [one.as_dict() for one in violations(problem, plan) if one.kind == row["kind"]]
    assert {name: fields.get(name) for name in row} == row
    assert json.loads(json.dumps(fields)) == fields


def test_refused_commands_of_a_live_run_have_messages() -> None:
    trio = replace(PAIR, actions=(*PAIR.actions, Action("t/c", "t", 2, 2)))
    run = environment(trio)
    messages = []
    for command in (piece("t/b", 0), piece("t/a", 5), piece("t/c", 1), piece("t/c", 6), piece("t/b", 8)):
        for outcome in run.step(json.dumps(command)).outcomes:
            messages += [] if outcome.violation is None else [outcome.violation.message]
    assert messages == [
        "starts at 0, before t/a is carried out",
        "starts at 1, but it is already 7",
        "agent is still busy with t/a until 7",
        "starts at 8, but 10 is the earliest start after t/a",
    ]


def test_empty_fields_are_omitted() -> None:
    missing = next(one for one in violations(PAIR, [piece("t/a", 0)]) if one.kind == "missing_action")
    assert missing.as_dict() == {
        "index": None,
        "kind": "missing_action",
        "subject": "t/b",
        "message": "is never carried out",
        "required": 2,
        "actual": 0,
    }


def test_number_of_other_actions_is_limited_to_the_earliest() -> None:
    actions = tuple(Action(f"t/{n:02}", "t", 50, 0, modes=(Mode((Demand("pan"),)),)) for n in range(30))
    crowd = Instance("crowd", actions, resources=(Resource("pan"),))
    all_violations = violations(crowd, [piece(f"t/{n:02}", n, 50) for n in range(30)])
    last = max(all_violations, key=lambda one: one.start or 0)
    assert (last.resource, last.required, last.actual) == ("pan", 1, 30)
    assert [other.subject for other in last.others] == [f"t/{n:02}" for n in range(MAX_OTHERS)]


def test_submitted_text_is_not_interpreted_as_format_string() -> None:
    [violation] = [one for one in violations(COBBLER, [[0, "{v.position}", 60, 0]]) if one.kind == "wrong_recipe"]
    assert violation.subject == "{v.position}"
    assert violation.message == "there is no such recipe; the recipes are Cobbler, Pancakes"


@pytest.mark.parametrize(
    ("changes", "contradiction"),
    [
        ({}, ""),
        ({"remaining": {"t/a": 0}}, ""),
        ({"progress": 1.5}, "progress is 1.5, not a share from 0 to 1"),
        ({"goal_ratio": None}, "goal_ratio is None, not a share from 0 to 1"),
        ({"makespan": -1}, "makespan is -1, not a whole number from 0 on"),
        ({"executed": 0.5}, "executed is 0.5, not a whole number from 0 on"),
        ({"fatal": FAULT}, "the fatal violation 'order' is not among the violations"),
        ({"fatal": FAULT, "violations": (FAULT,)}, "success, with the fatal violation 'order' of t/b"),
        ({"fatal": FAULT, "violations": (FAULT,), "success": False}, ""),
        ({"goal_ratio": 0.5}, "success, with goal_ratio 0.5"),
        ({"remaining": {"t/a": 0, "t/b": 2}}, "success, although t/b is not done"),
    ],
)
def test_verdict_that_contradicts_itself_is_known(changes: dict[str, Any], contradiction: str) -> None:
    verdict = referee(PAIR, Schedule((Piece("t/a", 0, 2, "agent"), Piece("t/b", 5, 2, "agent"))))
    assert replace(verdict, **changes).contradiction == contradiction
