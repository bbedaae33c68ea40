"""Benchmarks of other packages: error messages about their parts, and claimed optima."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from planoracle import critique, solve
from planoracle.analysis.comparison.compare import compare
from planoracle.analysis.contract import suite
from planoracle.analysis.contract.suite import check_benchmark
from planoracle.analysis.diagnosis.explain import explain
from planoracle.analysis.diagnosis.regret import next_commands, regret
from planoracle.analysis.frames import grades as grade_frame
from planoracle.analysis.grading.grade_row import grade_of
from planoracle.analysis.grading.grader import Grade, Grader
from planoracle.analysis.grading.problem_loader import Problems
from planoracle.heuristics.registry import run as run_heuristic
from planoracle.instances.benchmarks.generic import Generic
from planoracle.instances.benchmarks.generic import run as general
from planoracle.instances.errors import BenchmarkError, NoSolverError
from planoracle.instances.model.instance import Action, Instance, Lag
from planoracle.instances.model.violations import Violation
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.scoring import Average, Measurement, MetricSet
from planoracle.instances.workers.worker import NO_LIMITS, answer

PROBLEM = Instance(
    "tea/one",
    (Action("one/boil", "one", 5, attended=0), Action("one/pour", "one", 4, attended=4)),
    (Lag("one/boil", "one/pour"),),
    benchmark="tea",
    unit="minute",
)
PLAN = [
    {"action": "one/boil", "start": 0, "duration": 5, "agent": "agent"},
    {"action": "one/pour", "start": 5, "duration": 4, "agent": "agent"},
]


class Tea(Generic):
    """Benchmark with the general rules."""

    name = "tea"
    title = "Tea"


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that registers the benchmark with other parts; the problem has an empty cache."""

    def register(**parts: Any) -> None:
        monkeypatch.setattr(registry, "_registered", {})
        registry.register(type("Tea", (Tea,), {"__module__": __name__, **parts})())

    PROBLEM.memos.clear()
    return register


def graded(plan: object = PLAN, problem: Instance = PROBLEM) -> Grade:
    return Grader(problems=Problems({problem.name: problem})).grade({"id": "a", "instance": problem.name, "plan": plan})


def _cold(problem: Instance, plan: Any, rules: Any) -> Any:
    run = general.replay(problem, plan, rules)
    pour = next((piece for piece in plan.commands.pieces if piece.action == "one/pour" and piece.start < 6), None)
    if pour is None:
        return run
    fault = Violation(1, "too_hot", pour.action, start=pour.start, end=pour.end, required=6, actual=pour.start)
    verdict = replace(run.verdict, success=False, fatal=fault, violations=(fault,))
    return general.GenericRun(run.simulator, plan, rules, verdict)


def _broken(problem: Instance, plan: Any, rules: Any) -> Any:
    return {}["kettle"]


def _with(**functions: Any) -> SimpleNamespace:
    return SimpleNamespace(**{"simulator": general.simulator, "replay": general.replay, **functions})


REFUSED = (
    r"benchmark tea: tea/one: its rule 'too_hot' rejects one/pour at 5 \(too hot; required 6, actual 5\) although "
    r"the problem allows the schedule; state all rules in the problem, or define optimum\(problem\); see planoracle "
    "benchmark check tea"
)


def test_rule_missing_from_the_problem_is_reported_with_the_piece(
    own: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suite, "HOSTILE_CHECKS", ())  # they take most of the time
    own(runs=_with(replay=_cold))
    for call in (lambda: solve(PROBLEM), lambda: run_heuristic(PROBLEM, "improve"), lambda: explain(PROBLEM)):
        with pytest.raises(BenchmarkError, match=REFUSED):
            call()
    one = compare(PROBLEM, ["optimum", "improve"])
    assert [(entry.outcome, "too_hot" in str(entry.reason)) for entry in one.entries] == [("failed", True)] * 2
    row = graded().row()
    assert (row["scored"], row["success"], row["violation"]) == (True, False, "too_hot")
    assert (row["optimal_makespan"], row["optimum_status"], row["optimum_bound"]) == (None, "unknown", None)
    texts = [text for one in check_benchmark(registry.get("tea"), problems=[PROBLEM]) for text in one.details]
    assert any("its rule 'too_hot' rejects one/pour at 5" in text for text in texts)
    assert not any("InternalError" in text for text in texts)


def test_violation_without_a_sentence_is_reported_under_other_rules(own: Callable[..., None]) -> None:
    own(runs=_with(replay=_cold), optimum=lambda self, problem: None)
    assert "Other rules: one/pour at minute 5: too hot." in critique(PROBLEM, {"plan": PLAN}).prose()


@contextmanager
def _raises_with(text: str) -> Iterator[None]:
    with pytest.raises(BenchmarkError, match=text):
        yield


@pytest.mark.parametrize(
    ("parts", "fault"),
    [
        (
            {"written": lambda self, problem, schedule: [{"action": 7}]},
            "its plan language cannot read the plan that it wrote",
        ),
        ({"written": lambda self, problem, schedule: []}, r"its rule 'no_plan' rejects answer \(no plan\)"),
        (
            {"written": lambda self, problem, schedule: [one | {"start": one["start"] + 1} for one in PLAN]},
            "the plan of a schedule of 9 minutes takes 10 by its rules",
        ),
    ],
)
def test_plan_language_that_changes_schedules_is_reported(parts: Any, fault: str, own: Callable[..., None]) -> None:
    own(**parts)
    with _raises_with(fault):
        solve(PROBLEM)


def test_error_in_benchmark_code_names_the_line(own: Callable[..., None]) -> None:
    own(runs=_with(replay=_broken))
    line = _broken.__code__.co_firstlineno + 1
    fault = f"benchmark tea: {__name__}, line {line}: KeyError: 'kettle'"
    assert graded().reason == fault
    kind, error = answer(lambda task: solve(PROBLEM), b"N.", NO_LIMITS)
    assert (kind, type(error), str(error)) == ("failed", BenchmarkError, fault)
    with pytest.raises(ZeroDivisionError) as caught:
        divmod(1, 0)
    caught.value.__traceback__ = None
    assert registry.benchmark_error(caught.value) is None


def test_metrics_without_a_main_average_are_rejected(own: Callable[..., None]) -> None:
    success = Average("success", "plans that succeed", role=("success",))
    own(metrics=MetricSet(Measurement, lambda rules: (success,)))
    assert graded().reason == f"{__name__}: must declare an average with the role 'main'"


# --- optima ----------------------------------------------------------------------------------------


def test_claimed_optimum_is_never_reported_as_optimal(own: Callable[..., None]) -> None:
    own(optimum=lambda self, problem: 8)
    result = solve(PROBLEM)
    assert (result.status, result.makespan, result.lower_bound, result.claimed) == ("unknown", None, None, 8)
    assert (result.as_dict()["status"], result.as_dict()["claimed"]) == ("claimed", 8)
    assert str(result).startswith("tea/one: claimed\nclaimed       8 minutes\n")
    row = graded().row()
    assert (row["success"], row["optimal_makespan"], row["optimum_bound"]) == (True, None, None)
    assert (row["optimum_status"], row["claimed_optimum"], row["main_score"]) == ("claimed", 8, pytest.approx(8 / 9))
    frame, errors = grade_frame([grade_of(json.loads(json.dumps(row)), 1)])
    assert (frame["optimum_status"][0], list(errors["reason"])) == ("claimed", [])
    one = compare(PROBLEM, ["optimum", "improve"])
    assert [(entry.outcome, entry.makespan, one.gap(entry)) for entry in one.entries] == [
        ("claimed", 8, None),
        ("feasible", 9, None),
    ]


def test_unknown_optimum_disables_regret_and_explanations(
    own: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suite, "HOSTILE_CHECKS", ())  # they take most of the time
    own(optimum=lambda self, problem: None)
    row = graded().row()
    assert (row["success"], row["optimal_makespan"], row["optimum_status"]) == (True, None, "unknown")
    assert "claimed_optimum" not in row
    assert solve(PROBLEM).status == "unknown"
    assert "The optimal makespan is not known." in critique(PROBLEM, {"plan": PLAN}).prose()
    for call in (lambda: regret(PROBLEM, PLAN), lambda: next_commands(PROBLEM), lambda: explain(PROBLEM)):
        with pytest.raises(NoSolverError, match="tea/one: has no solver: tea states the optimum itself"):
            call()
    results = {one.check: one.status for one in check_benchmark(registry.get("tea"), problems=[PROBLEM])}
    assert "failed" not in results.values()
    assert results["regrets"] == "not applicable"


def test_claimed_optimum_must_be_a_whole_number(own: Callable[..., None]) -> None:
    own(optimum=lambda self, problem: "soon")
    with _raises_with(r"optimum\(problem\) must return a whole number or None, not 'soon'"):
        solve(PROBLEM)


class Puzzle(Instance):
    """Problem of a kind without a solver."""

    kind = "puzzle"


def test_problem_of_a_new_kind_is_graded_without_an_optimum(own: Callable[..., None]) -> None:
    own()
    puzzle = Puzzle(PROBLEM.name, PROBLEM.actions, PROBLEM.lags, benchmark="tea", unit="minute")
    result = solve(puzzle)
    assert (result.status, result.proof) == ("unknown", "has no solver: no solver accepts problems of kind 'puzzle'")
    assert [entry.outcome for entry in compare(puzzle, ["optimum"]).entries] == ["unknown"]
    assert [entry.method for entry in compare(puzzle).entries] == ["optimum"]
    one = graded(problem=puzzle)
    assert (one.success, one.makespan, one.optimum_status) == (True, 9, "unknown")
