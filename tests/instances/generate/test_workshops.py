"""Random problems with modes, set-up times, off-times, breaks, budgets, deadlines and optional tasks."""

from __future__ import annotations

import json
from typing import Any

import pytest

from planoracle.instances.errors import InputError
from planoracle.instances.generate.styles import generate
from planoracle.instances.model.features import Feature, features_of
from planoracle.instances.model.instance import Instance
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.schedule_benchmark import certify
from planoracle.solver.exact.search import solve

SMALL: dict[str, Any] = {"tasks": 2, "actions": 3, "agents": 2}
EACH: dict[str, Any] = {
    "modes": {"modes": 3},
    "transitions": {"families": 3},
    "calendars": {"off_time": 0.4},
    "breaks": {"off_time": 0.4, "breaks": 1.0},
    "budgets": {"budgets": 2},
    "windows": {"deadlines": 1.0},
    "optional": {"optional": 1.0},
}
ALL: dict[str, Any] = {name: value for options in EACH.values() for name, value in options.items()} | {"optional": 0.5}


def instance_of(number: int, **options: Any) -> Instance:
    problem = generate("generic", 4, number, **SMALL | options).problem
    assert isinstance(problem, Instance)
    return problem


@pytest.mark.parametrize("feature", EACH)
def test_options_draw_their_feature_around_a_schedule(feature: str) -> None:
    for number in range(5):
        drawn = generate("generic", 4, number, **SMALL | EACH[feature])
        assert isinstance(drawn.problem, Instance)
        assert Feature[feature.upper()] in features_of(drawn.problem)
        assert drawn.witness is not None
        certify(drawn.problem, drawn.witness)
    assert Feature[feature.upper()] not in features_of(instance_of(0))


def test_all_options_together_have_a_schedule_that_is_not_shorter_than_the_optimum() -> None:
    for number in range(3):
        drawn = generate("generic", 4, number, **SMALL | ALL)
        assert isinstance(drawn.problem, Instance)
        assert drawn.witness is not None
        result = solve(drawn.problem, time_limit=20)
        assert result.status == "optimal"
        assert result.weight == sum(drawn.problem.weights.values())
        assert result.makespan is not None
        assert result.makespan <= drawn.witness.makespan


def test_written_problem_reads_back_equal() -> None:
    problem = instance_of(0, **ALL)
    generic = registry.of(problem)
    (read,) = generic.read(json.loads(json.dumps(generic.document(problem))), "test")
    assert read == problem


def test_options_keep_the_precedences_and_lags() -> None:
    drawn, plain = instance_of(1, **ALL), instance_of(1)
    assert [(lag.before, lag.after) for lag in drawn.lags] == [(lag.before, lag.after) for lag in plain.lags]


def test_problems_that_may_be_infeasible_sometimes_are() -> None:
    witnesses = []
    for number in range(10):
        drawn = generate("generic", 4, number, **SMALL | ALL | {"feasible": False})
        witnesses.append(drawn.witness)
    assert None in witnesses


def test_partly_attended_actions_keep_their_attended_ticks_in_all_modes() -> None:
    problem = instance_of(0, modes=3, attended=2, parallelism=1.0)
    assert {variant.attended for variants in problem.variants.values() for variant in variants} == {2}


@pytest.mark.parametrize(
    ("options", "field"),
    [({"families": 1}, "families"), ({"families": 2, "resources": 0}, "families"), ({"off_time": 1.0}, "off_time")],
)
def test_parameters_that_give_no_problem_are_refused(options: dict[str, Any], field: str) -> None:
    with pytest.raises(InputError) as error:
        instance_of(0, **options)
    assert error.value.field == field


def test_other_styles_refuse_the_options() -> None:
    with pytest.raises(InputError, match="must be a parameter of this style"):
        generate("recipe2plan", modes=2)
