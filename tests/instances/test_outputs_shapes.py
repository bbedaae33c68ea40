"""The same plan in every form in which models write one: read whole, with the same grade."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from planoracle.analysis.grade import Grader
from planoracle.instances import catalogue, registry
from tests.support.shapes import SHAPES, Written, without, written

PROBLEMS = {
    "recipe2plan": "recipe2plan/timed/Vada_Daikon-Radish",
    "timearena": "timearena/household1+household2",
    "asynctool": "asynctool/files_1+text_2@0-1:3",
    "robotouille": "robotouille/synchronous/3_burger",
    "asynchow": "asynchow/async/829",
}
GRADER = Grader()
#: Of a grade what may differ between forms.
HOW = ("id", "read_from", "ignored")


@cache
def plan_of(name: str) -> Written:
    return written(PROBLEMS[name])


def graded(name: str, plan: Written, shape: str) -> dict[str, Any]:
    benchmark = registry.of(catalogue.problem(PROBLEMS[name]))
    given = {"id": shape, "instance": PROBLEMS[name], benchmark.plan_fields[0]: SHAPES[shape](plan)}
    return GRADER.grade(given).row(trace=True)


@cache
def plain(name: str, place: int | None) -> dict[str, Any]:
    plan = plan_of(name) if place is None else without(plan_of(name), place)
    return graded(name, plan, "plain lines")


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_successful_plan_is_read_whole_in_every_form(name: str, shape: str) -> None:
    row = graded(name, plan_of(name), shape)
    assert row["success"], (row["reason"], row["read"], row["read_from"], row["violations"])
    assert row["read"] == len(plan_of(name).texts)
    assert {**row, **dict.fromkeys(HOW)} == {**plain(name, None), **dict.fromkeys(HOW)}


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_failing_plan_has_the_same_grade_in_every_form(name: str, shape: str) -> None:
    row = graded(name, without(plan_of(name), 2), shape)
    assert row["success"] is False
    assert row["read"] == len(plan_of(name).texts) - 1
    assert {**row, **dict.fromkeys(HOW)} == {**plain(name, 2), **dict.fromkeys(HOW)}
