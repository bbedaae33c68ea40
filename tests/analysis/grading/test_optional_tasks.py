"""Grades of plans that leave out optional tasks."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from planoracle.analysis.diagnosis.critique import critique
from planoracle.analysis.frames.schema import grades
from planoracle.analysis.grading.grade_row import grade_of
from planoracle.analysis.grading.grader import Grade, Grader
from planoracle.analysis.grading.metrics import SUMMARY
from planoracle.analysis.grading.problem_loader import Problems
from planoracle.analysis.grading.rewards import reward
from planoracle.analysis.statistics.pairs import pairs
from planoracle.instances.model.builder import Model
from planoracle.instances.model.limits import Status
from planoracle.instances.protocol.scoring import Optimum

SHOP = Model("shop").task("a").optional(weight=2).action("cut", 5).task("b").optional().action("mill", 3).build()


def grade(*rows: list[object]) -> Grade:
    """Grade a plan of two optional tasks, of which the best plan executes both."""
    grader = Grader(problems=Problems(named={"shop": SHOP}))
    return grader.grade({"id": "1", "instance": "shop", "plan": [*rows]})


def gap(graded: Grade) -> float | None:
    [average] = [metric for metric in SUMMARY if metric.name == "gap"]
    assert average.of is not None
    return average.of(graded.row())


def test_plan_of_the_best_weight_is_compared_by_its_makespan() -> None:
    graded = grade(["cut", 0, 5], ["mill", 7, 3])
    assert (graded.success, graded.makespan, graded.optimal_makespan, graded.main_score) == (True, 10, 8, 0.8)
    assert gap(graded) == 0.25
    assert (graded.metrics["weight"], graded.metrics["best_weight"]) == (3, 3)
    assert "optimum 8 ticks" in str(graded)


@pytest.mark.parametrize(("rows", "weight"), [([], 0), ([["mill", 0, 3]], 1), ([["cut", 0, 5]], 2)])
def test_plan_of_smaller_weight_has_no_gap_and_no_score(rows: list[list[object]], weight: int) -> None:
    graded = grade(*rows)
    assert graded.success
    assert (graded.optimal_makespan, graded.optimum_bound, graded.main_score, gap(graded)) == (None, None, None, None)
    assert graded.optimum_status == Status.optimal
    assert graded.contradiction is None
    assert f"weight {weight} of its optional tasks, best weight 3: not compared with the optimum" in str(graded)


def test_failure_scores_0_whatever_it_leaves_out() -> None:
    graded = grade(["cut", 0, 5], ["mill", 4, 3])
    assert (graded.success, graded.main_score, graded.optimal_makespan, graded.weight) == (False, 0.0, 8, 0)
    assert graded.weight_note == ""


def test_weights_stay_in_rows() -> None:
    graded = grade(["mill", 0, 3])
    row = json.loads(json.dumps(graded.row()))
    assert grade_of(row, 1).metrics["best_weight"] == 3


def test_grades_without_optional_tasks_have_no_weight() -> None:
    graded = Grader().grade({"id": "1", "instance": "timearena/household1", "plan": "wash cup"})
    assert "weight" not in graded.metrics
    assert graded.weight is None


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"makespan": 10}, ""),
        ({"makespan": 9}, "in 9 ticks, below the proved lower bound of 10"),
        ({"makespan": 9, "success": False}, ""),
        ({"makespan": 9, "optimum_bound": None}, ""),
        ({"makespan": 10, "optimum_status": "infeasible"}, "proved infeasible"),
    ],
)
def test_success_below_the_proved_bound_is_a_contradiction(fields: dict[str, Any], words: str) -> None:
    about = {"success": True, "optimum_status": "optimal", "optimum_bound": 10} | fields
    contradiction = Grade("a", "b", True, **about).contradiction
    assert contradiction is None if not words else words in str(contradiction)


def test_weight_above_the_proved_bound_is_a_contradiction() -> None:
    graded = grade(["mill", 0, 3])
    metrics = graded.metrics | {"weight_bound": 0}
    assert "weight 1, above the proved bound of 0" in str(replace(graded, metrics=metrics).contradiction)


def test_optimum_without_a_proved_best_weight_is_not_compared() -> None:
    optimum = Optimum(9, Status.feasible, 5, weight=None, weight_bound=4)
    assert optimum.at_weight(3) == Optimum(None, Status.feasible, None, None, 4)
    assert optimum.at_weight(None) == optimum


@pytest.mark.parametrize("value", ["makespan", "gap"])
def test_models_are_not_compared_by_makespans_of_other_weights(value: str) -> None:
    best = replace(grade(["cut", 0, 5], ["mill", 7, 3]), model="best", id="1")
    lazy = replace(grade(["mill", 0, 3]), model="lazy", id="2")
    slow = replace(grade(["cut", 0, 5], ["mill", 9, 3]), model="slow", id="3")
    frame, _ = grades([best, lazy, slow])
    assert frame["weight"].tolist() == [3, 1, 3]
    table = pairs(frame, value=value).set_index(["a", "b"])
    assert table.loc[("best", "slow"), ["wins", "losses"]].tolist() == [1, 0]
    assert table.loc[("best", "lazy"), ["wins", "ties", "losses"]].tolist() == [0, 0, 0]


def test_reward_of_a_plan_of_smaller_weight_is_0() -> None:
    completions = [json.dumps(plan) for plan in ([["cut", 0, 5], ["mill", 5, 3]], [["mill", 0, 3]], [])]
    assert reward(completions, SHOP, kind="regret") == [1.0, 0.0, 0.0]
    assert reward(completions, SHOP, kind="score") == [1.0, 0.0, 0.0]


def test_critique_compares_weights_before_makespans() -> None:
    lazy = critique(SHOP, [["mill", 0, 3]], regret=False)
    assert lazy.efficiency.gap is None
    assert lazy.efficiency.text == (
        "The optional tasks of your plan weigh 1; those of the best plans weigh 3. "
        "Makespans of plans with different weights are not compared."
    )
    best = critique(SHOP, [["cut", 0, 5], ["mill", 5, 3]], regret=False)
    assert best.efficiency.text == "Your plan takes 8 ticks, which is optimal."
