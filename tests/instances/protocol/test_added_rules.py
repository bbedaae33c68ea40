"""Rules that a benchmark adds in its simulator: grades, optima, live runs and legal commands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from support.added_rules import forget, install, template_source, with_methods, with_rule_of_page

from planoracle import environment, explain, grade, load, regret, repair, solve, verify
from planoracle.analysis.batch.tasks import Solving
from planoracle.analysis.diagnosis.regret import next_commands
from planoracle.analysis.grading.oracle import SolverOracle
from planoracle.instances.errors import BenchmarkError, RefusedPlanError
from planoracle.instances.protocol import registry

_numbers = count()
#: The solver's plan for breakfast, and one with two minutes of rest between two steps by hand.
BEST = ["0 boil", "0 slice", "3 toast", "3 set", "5 steep"]
RESTED = ["0 boil", "0 slice", "3 toast", "5 steep", "5 set"]

APPLY = """
    def apply(self, state, command, *, force=False):
        if hasattr(command, "start") and command.action.endswith("set") and command.start < 5:
            clock = state.point.state.clock
            fault = Violation(state.count, "rest", command.action, required=5, actual=command.start)
            return self._refused(state, Step(state.count, self.words(command), "lost", clock, clock, fault))
        return super().apply(state, command, force=force)"""
UNLESS_FORCED = APPLY.replace("if hasattr", "if not force and hasattr")
REFUSAL = """
    def refusal(self, state, piece):
        if piece.action.endswith("set") and piece.start < 5:
            return Violation(state.count, "rest", piece.action, required=5, actual=piece.start)
        return None"""
VERDICT = """
    def verdict(self, state):
        verdict = super().verdict(state)
        early = [piece for piece in state.point.state.pieces if piece.action.endswith("set") and piece.start < 5]
        if not early:
            return verdict
        fault = Violation(None, "rest", early[0].action, required=5, actual=early[0].start)
        faults = (*verdict.violations, fault)
        return replace(verdict, success=False, fatal=verdict.fatal or fault, violations=faults)"""
ENDED = """
    def ended(self, state):
        early = [piece for piece in state.point.state.pieces if piece.action.endswith("set") and piece.start < 5]
        return "exhausted" if early else super().ended(state)"""
OWN_STATE = """
    def initial(self):
        return Tired(super().initial().point)

    def apply(self, state, command, *, force=False):
        if hasattr(command, "start") and command.action.endswith("set") and state.sliced and command.start < 5:
            return self._refused(state, Step(state.count, "set", "lost", 0, 0, Violation(state.count, "rest", "x/set")))
        after, steps = super().apply(state, command, force=force)
        return replace(after, sliced=state.sliced or getattr(command, "action", "").endswith("slice")), steps


from dataclasses import dataclass
from planoracle.plugin import ScheduleState, Step


@dataclass(frozen=True)
class Tired(ScheduleState):
    sliced: bool = False"""
CONTRADICTION = VERDICT.replace("success=False, ", "")
LENIENT = """
    def verdict(self, state):
        verdict = super().verdict(state)
        return replace(verdict, success=True, fatal=None, violations=(), goal_ratio=1.0, remaining={})"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[str]:
    """Name of a new benchmark with the methods of the test's parameter in its simulator."""
    name = f"ruled_{next(_numbers)}"
    source = template_source(name, tmp_path / "source")
    ruled = with_rule_of_page(source) if request.param == "page" else with_methods(source, request.param)
    install(ruled.replace("Violation, ", "Step, Violation, ", 1), name, tmp_path, monkeypatch)
    yield name
    forget(name)


def row(name: str, plan: list[str], **options: str) -> dict[str, object]:
    return grade({"id": "a", "instance": f"{name}/breakfast", "plan": plan}, **options).row()


RULES = pytest.mark.parametrize(
    "package", [APPLY, UNLESS_FORCED, REFUSAL, VERDICT, ENDED, OWN_STATE, "page"], indirect=True
)


@RULES
def test_added_rule_holds_in_grades_and_leaves_the_optimum_unknown(package: str) -> None:
    broken, rested = row(package, BEST), row(package, RESTED)
    assert (broken["scored"], broken["success"], broken["main_score"]) == (True, False, 0.0)
    assert (rested["scored"], rested["success"], rested["makespan"]) == (True, True, 9)
    for graded in (broken, rested):
        status = graded["optimum_status"], graded["optimal_makespan"], graded["optimum_bound"]
        assert status == ("unknown", None, None)


@RULES
def test_solver_never_returns_a_plan_that_an_added_rule_refuses(package: str) -> None:
    problem = load(f"{package}/breakfast")
    with pytest.raises(RefusedPlanError, match=f"benchmark {package}: {package}/breakfast: its rule "):
        solve(problem)
    answered = Solving().answer(problem).text
    assert '"status": "unknown"' in answered
    assert '"makespan": null, "lower_bound": null' in answered
    assert "optimal" not in answered.replace("optimum", "")


@RULES
def test_live_run_and_replay_of_an_added_rule_agree(package: str) -> None:
    run = environment(load(f"{package}/breakfast"), bounded=False)
    for command in BEST:
        if not run.done:
            run.step(command)
    assert run.verdict() == run.run().verdict
    assert not run.verdict().success
    fresh = environment(load(f"{package}/breakfast"))
    for command in RESTED:
        fresh.step(command)
    assert (fresh.verdict().success, fresh.run().success) == (True, True)


@pytest.mark.parametrize("package", [APPLY, REFUSAL, OWN_STATE, "page"], indirect=True)
def test_refused_commands_are_not_legal_and_values_are_not_claimed(package: str) -> None:
    problem = load(f"{package}/breakfast")
    run = environment(problem)
    for command in BEST[:3]:
        run.step(command)
    legal = [command.text for command in run.legal()]
    assert "3 set" not in legal
    for text in legal:
        assert all(step.violation is None for step in run.fork().step(text).outcomes)
    assert next_commands(problem).best is None
    assert regret(problem, BEST).optimum is None
    assert regret(problem, RESTED).final == 9
    assert repair(problem, RESTED).changed is False
    with pytest.raises(RefusedPlanError, match="rest"):
        repair(problem, ["0 boil", "0 slice", "3 toast", "3 set", "3 steep"])


@pytest.mark.parametrize("package", ["page"], indirect=True)
def test_legal_commands_offer_the_start_that_a_rule_requires(package: str) -> None:
    run = environment(load(f"{package}/breakfast"))
    for command in BEST[:3]:
        run.step(command)
    assert "5 set" in [command.text for command in run.legal()]


@pytest.mark.parametrize("package", ["page"], indirect=True)
def test_error_names_rule_step_and_sentence(package: str) -> None:
    with pytest.raises(RefusedPlanError) as caught:
        solve(load(f"{package}/breakfast"))
    assert "its rule 'rest' rejects breakfast/set at 3 (rest; required 5, actual 3)" in str(caught.value)
    assert "step 4 of the plan (3 set): Set at minute 3: rest." in str(caught.value)


@pytest.mark.parametrize("package", [CONTRADICTION], indirect=True)
def test_verdict_that_contradicts_itself_is_no_grade(package: str) -> None:
    graded = row(package, BEST)
    assert (graded["scored"], graded["success"], graded["main_score"]) == (False, None, None)
    fault = "the verdict of its rules contradicts itself: success, with the fatal violation 'rest' of breakfast/set"
    assert str(graded["reason"]).startswith(f"benchmark {package}: {package}/breakfast: {fault}")
    run = environment(load(f"{package}/breakfast"))
    for command in BEST:
        run.step(command)
    with pytest.raises(BenchmarkError, match="contradicts itself"):
        run.verdict()


@pytest.mark.parametrize("package", [LENIENT], indirect=True)
def test_simulator_that_allows_a_forbidden_schedule_is_an_error(package: str) -> None:
    graded = row(package, ["0 boil", "0 slice", "3 toast", "3 set", "3 steep"])
    assert graded["scored"] is False
    assert "accepts a schedule that the problem forbids (minimum_lag)" in str(graded["reason"])


@pytest.mark.parametrize(
    "package", [REFUSAL.replace("if piece", "if self.problem.time_limit is None and piece")], indirect=True
)
def test_rule_of_one_profile_decides_optima_of_this_profile_only(package: str) -> None:
    problem = load(f"{package}/breakfast")
    benchmark = registry.get(package)
    paper, released = row(package, BEST), row(package, BEST, profile="released")
    assert (paper["success"], paper["optimal_makespan"]) == (True, 9)
    assert (released["success"], released["optimal_makespan"]) == (False, None)
    rules = benchmark.rules.profiles["released"]
    assert SolverOracle().best(benchmark.under(problem, rules), rules).status == "unknown"
    assert '"status": "unknown"' in Solving(profile="released").answer(problem).text
    assert '"status": "optimal"' in Solving(profile="paper").answer(problem).text
    assert solve(replace(problem, time_limit=20)).status == "optimal"


@pytest.mark.parametrize("package", ["page"], indirect=True)
def test_certificate_with_a_refused_schedule_does_not_hold(package: str) -> None:
    problem = load(f"{package}/breakfast")
    plain = replace(problem, benchmark="generic")
    document = explain(plain).document
    assert verify(document, plain).holds is True
    refuted = verify(document, problem)
    assert refuted.holds is False
    assert "its rule 'rest' rejects" in refuted.reason


@pytest.mark.parametrize("package", ["page"], indirect=True)
def test_stored_rows_depend_on_the_code_of_the_package(package: str, tmp_path: Path) -> None:
    problem = load(f"{package}/breakfast")
    before = Solving().item(problem).key
    module = tmp_path / package / f"planoracle_{package}" / "run.py"
    module.write_text(module.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert Solving().item(problem).key == before
    registry.source_digest.cache_clear()  # as in another process
    assert Solving().item(problem).key != before
