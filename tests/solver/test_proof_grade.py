"""Grades of proofs in results and comparisons, and of bundled optima."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planoracle.analysis.comparison.compare import compare
from planoracle.instances.errors import InternalError
from planoracle.instances.files.catalog import load, problem
from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.limits import Status
from planoracle.solver import solve as solve_module
from planoracle.solver.result import TWO_RUNS, Result, SolveOptions, in_words
from planoracle.solver.solve import bundled_grade, bundled_proof, certified, load_or_solve, solve

COBBLER, SANDWICH = "recipe2plan/timed/Cobbler_Pancakes", "kitchens/synchronous/0_cheese_sandwich"
PAIR = Instance("pair", (Action("t/a", "t", 2, 2), Action("t/b", "t", 3, 3)))


def test_grade_of_a_solved_problem_is_that_of_the_solver() -> None:
    for instance in (PAIR, replace(PAIR, time_limit=4), replace(PAIR, optional=(("t", 1),))):
        result = solve(instance)
        assert result.status.settled
        assert result.proof_grade == result.as_dict()["proof_grade"] == "solver"
        assert "proof grade   solver" in in_words(result.as_dict())


@pytest.mark.parametrize("status", [Status.feasible, Status.unknown])
def test_result_without_a_proof_has_no_grade(status: Status) -> None:
    result = Result("pair", status, 5 if status == Status.feasible else None, 3, checked_proof="certificate")
    assert result.proof_grade is None
    assert "proof grade" not in in_words(result.as_dict())


def test_checked_certificate_of_a_bundled_optimum_is_the_grade() -> None:
    assert load_or_solve(load(COBBLER), SolveOptions()).proof_grade == bundled_grade(load(COBBLER)) == "certificate"
    assert load_or_solve(problem(SANDWICH), SolveOptions()).proof_grade == bundled_grade(problem(SANDWICH)) == "solver"
    meeting = load("naturalplan/calendar/1")
    assert load_or_solve(meeting, SolveOptions()).proof_grade == bundled_grade(meeting) == "drcp"
    assert bundled_grade(PAIR) is None


def test_infeasibility_by_two_runs_has_a_grade_of_its_own() -> None:
    assert Result("pair", Status.infeasible, proof=TWO_RUNS, checked_proof="certificate").proof_grade == "two solvers"
    assert Result("pair", Status.optimal, 5, 5, proof=TWO_RUNS).proof_grade == "solver"


def test_certificate_that_does_not_hold_gives_no_grade(monkeypatch: pytest.MonkeyPatch) -> None:
    cobbler = load(COBBLER)
    proof = bundled_proof(cobbler)
    assert proof is not None
    monkeypatch.setattr(solve_module, "bundled_proof", lambda _: proof | {"bound": proof["bound"] + 1})
    with pytest.raises(InternalError, match="its certificate is refused"):
        certified(cobbler, Result(COBBLER, Status.optimal, proof["bound"]))


def test_comparison_has_the_grade_of_the_exact_result() -> None:
    for name, grade in ((COBBLER, "certificate"), (SANDWICH, "solver")):
        comparison = compare(problem(name), ["optimum"])
        assert comparison.proof_grade == grade
        assert [row["proof_grade"] for row in comparison.rows()] == [grade]
        assert comparison.to_frame()["proof_grade"].tolist() == [grade]
