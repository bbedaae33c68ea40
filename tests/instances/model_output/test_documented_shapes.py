"""Plans in every documented form of model output: complete reading, and equal grades."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from planoracle.analysis.grading.grader import Grader
from planoracle.instances.files import catalog
from planoracle.instances.protocol import registry
from tests.support.plan_formats import (
    FORMATS,
    PROBLEMS,
    PlanSteps,
    optimal_steps,
    submission_of,
    unusual_formats,
    without_step,
)
from tests.support.samples import sample

GRADER = Grader()
#: Fields of a grade that may differ between forms.
FORM_FIELDS = dict.fromkeys(("read_from", "ignored"))


@cache
def plan_of(name: str) -> PlanSteps:
    return optimal_steps(PROBLEMS[name])


def graded(name: str, output: object) -> dict[str, Any]:
    return GRADER.grade(submission_of(name, output)).row(trace=True) | FORM_FIELDS


@cache
def plain(name: str, place: int | None) -> dict[str, Any]:
    plan = plan_of(name) if place is None else without_step(plan_of(name), place)
    return graded(name, FORMATS["plain lines"](plan))


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("shape", FORMATS)
def test_successful_plan_is_read_completely_in_every_form(name: str, shape: str) -> None:
    row = graded(name, FORMATS[shape](plan_of(name)))
    assert row["success"], (row["reason"], row["read"], row["violations"])
    assert row["read"] == len(plan_of(name).texts)
    assert row == plain(name, None)


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("shape", FORMATS)
def test_failing_plan_has_the_same_grade_in_every_form(name: str, shape: str) -> None:
    row = graded(name, FORMATS[shape](without_step(plan_of(name), 2)))
    assert row["success"] is False
    assert row["read"] == len(plan_of(name).texts) - 1
    assert row == plain(name, 2)


@pytest.mark.parametrize("name", sample(PROBLEMS))
def test_unusual_forms_are_read_completely(name: str) -> None:
    problem, benchmark = catalog.problem(PROBLEMS[name]), registry.get(name)
    expected = benchmark.parse(problem, submission_of(name, FORMATS["plain lines"](plan_of(name)))).read
    wrong = {}
    for form, output in unusual_formats(plan_of(name)).items():
        run = benchmark.run(problem, submission_of(name, output))
        if not run.success or run.plan.read != expected:
            wrong[form] = (run.plan.read, run.plan.read_from, run.plan.ignored)
    assert not wrong
