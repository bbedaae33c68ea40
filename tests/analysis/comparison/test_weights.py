"""Comparisons of problems with optional tasks: makespans of different weights are not compared."""

from __future__ import annotations

from dataclasses import replace

from support.workshops import workshop

from planoracle.analysis.comparison.compare import Comparison, MethodResult, compare, rank
from planoracle.analysis.comparison.method_tables import summarize
from planoracle.instances.model.limits import Status


def comparison() -> Comparison:
    exact = MethodResult("optimum", 960, Status.optimal, True, weight=5)
    light = MethodResult("light", 700, Status.feasible, True, weight=2)
    slow = MethodResult("slow", 1200, Status.feasible, True, weight=5)
    entries = (exact, light, slow)
    return Comparison("workshop", "generic", "minute", 7, exact, 960, entries, weight_bound=5)


def test_optimum_has_a_weight_and_heuristics_refuse_optional_tasks() -> None:
    answers = compare(workshop(), ["optimum", "parallel-lpt"], time_limit=30)
    optimum, heuristic = answers.rows()
    assert (optimum["makespan"], optimum["weight"], optimum["weight_bound"], optimum["gap"]) == (960, 5, 5, 0.0)
    assert heuristic["makespan"] is None
    assert "optional tasks" in heuristic["reason"]


def test_lighter_plan_has_a_weight_but_no_gap() -> None:
    frame = comparison().to_frame().set_index("method")
    assert frame["weight"].tolist() == [5, 2, 5]
    assert frame["gap"].isna().tolist() == [False, True, False]
    assert frame["gap_bound"].isna().tolist() == [False, True, False]
    assert frame.loc["slow", "gap"] == 0.25


def test_problem_without_optional_tasks_has_gaps_without_weights() -> None:
    plain = replace(comparison(), weight_bound=None)
    assert plain.to_frame()["gap"].isna().tolist() == [False] * 3


def test_mean_makespans_leave_out_lighter_plans() -> None:
    rows = {row["method"]: row for row in summarize([comparison()])}
    assert (rows["light"]["answered"], rows["light"]["mean"]) == (1, None)
    assert (rows["slow"]["answered"], rows["slow"]["mean"]) == (1, 1200)


def test_the_greatest_weight_comes_before_the_least_makespan() -> None:
    *_, light, slow = comparison().entries
    assert min([light, slow], key=rank) is slow
