"""Grades, summaries and critiques of plans for grid kitchens."""

from __future__ import annotations

import json
from typing import Any

import pytest

from planoracle.analysis.diagnosis.critique import Critique, critique
from planoracle.analysis.grading.grade_row import grade_of
from planoracle.analysis.grading.grader import Grade
from planoracle.analysis.grading.oracle import SolverOracle
from planoracle.analysis.statistics.summary import summarize
from planoracle.instances.benchmarks.paracook.metrics import sequential
from planoracle.instances.benchmarks.paracook.rules import PROFILES, Profile
from planoracle.instances.files.catalog import problem
from planoracle.instances.model.limits import WorkLimit
from planoracle.instances.protocol import registry
from tests.support.grades import grade_rows
from tests.support.grid_kitchens import RAW, STEAK, TARTARE, plan, row

RELEASED = PROFILES["released"]
PAPER = registry.get("paracook").rules.profile("paper", price_optimum=False)
SERVE = "@1 meat @0 table1 table1 @4 window"


def graded(submission: object, rules: Profile = RELEASED, cooks: int = 1) -> Grade:
    run = registry.get("paracook").run(row(RAW, cooks=cooks), submission, rules)
    return Grade.of_run(run, SolverOracle(), id="a", instance="paracook/cook/row", benchmark="paracook")


def test_grade_has_metrics_of_released_simulator() -> None:
    row_ = graded({"plan": plan(f"{SERVE} ~5", "~3 @1")}, cooks=2).row(trace=True)
    assert (row_["success"], row_["all_served"], row_["error"], row_["served"]) == (True, True, None, 1)
    assert (row_["time"], row_["makespan"]) == (11, 11)
    assert row_["progress"] == {"agent1": [8, 8], "agent2": [2, 2]}
    assert row_["busy"] == {"agent1": 11, "agent2": 4}
    assert (row_["waiting"], row_["moving"]) == ({"agent1": 5, "agent2": 3}, {"agent1": 6, "agent2": 1})
    assert row_["processing"] == {"agent1": 0, "agent2": 0}
    assert row_["trace"][-2:] == [[6, "agent1", 6], [11, "agent1", 7]]
    assert row_["final"]["agents"] == {"agent1": [4, 1, None], "agent2": [1, 1, None]}
    assert row_["utilisation"] == pytest.approx((6 / 11 + 1 / 4) / 2)
    assert graded({"plan": plan(SERVE, "@1")}, cooks=2).row()["utilisation"] == 1


def test_commands_after_last_dish_do_not_count_under_paper_rules() -> None:
    row_ = graded({"plan": plan(f"{SERVE} ~5", "~3 @11")}, PAPER, cooks=2).row()
    assert (row_["time"], row_["makespan"]) == (6, 6)
    assert row_["utilisation"] == pytest.approx((6 / 6 + 3 / 6) / 2)
    assert row_["working"] == {"agent1": 6, "agent2": 3}


def test_row_is_read_back_as_equal_grade() -> None:
    for submitted in (plan(SERVE), plan("@1 meat meat")):
        grade = graded({"plan": submitted})
        for trace in (True, False):
            row_ = json.loads(json.dumps(grade.row(trace=trace)))
            assert {"trace", "final"} & row_.keys() == ({"trace", "final"} if trace else set())
            for copy in (Grade.of_row(row_), grade_of(row_, 1)):
                assert copy.progress == grade.progress == row_["run_progress"]
                assert copy.metrics["progress"] == row_["progress"]
                copy_row = json.loads(json.dumps(copy.row(trace=trace)))
                assert copy_row == row_ | {"line": copy.line}


def test_progress_of_other_benchmarks_is_a_number() -> None:
    grade = Grade("a", "b", True, success=False, progress=0.5, metrics={"score": 3})
    assert grade.row()["progress"] == 0.5
    assert Grade.of_row(grade.row()) == grade


def test_failure_counts_with_sequential_time() -> None:
    averages = summarize(grade_rows([graded({"plan": plan(SERVE)}), graded({"plan": plan("@1 meat meat")})]))
    (average,) = averages.sets
    assert sequential(row(RAW)) == (3 * 18, 3 * 18)
    assert sequential(row(STEAK, TARTARE, RAW)) == (14 * 18 + 24 + 4 + 10 + 6, 14 * 18)
    assert average["success_rate"] == 0.5
    assert average["time_mean"] == (6 + 54) / 2
    assert average["movement"] == (6 + 54) / 2
    assert average["time_ratio"] == 6 / 54
    assert average["utilisation"] == 1


def test_turns_restart_after_error() -> None:
    turns: list[Any] = [plan("@1 @3 meat"), plan("@1 meat @0 table1 table1"), plan("@4 window")]
    grade = graded({"submissions": turns})
    assert (grade.success, grade.metrics["errors"], grade.metrics["time"]) == (True, 1, 6)
    assert grade.metrics["progress"] == {"agent1": [7, 7]}
    failed = graded({"submissions": [turns[0]] * 5})
    assert (failed.success, failed.violation, failed.metrics["errors"]) == (False, "not_adjacent", 3)


def critique_of(submitted: object, rules: Profile = RELEASED) -> Critique:
    return critique(row(STEAK), {"plan": submitted}, rules=rules, regret=False)


@pytest.mark.slow
def test_critique_names_place_and_correction_of_violation() -> None:
    text = critique_of(plan("@1 meat @3 stove1"))
    assert text.verdict.fatal == ("wrong_for_cookware", "agent1: Interact stove1", 3)
    assert "action 4 of agent1 (Interact stove1, tick 3)" in text.verdict.text
    by_key = {section.key: section for section in text.sections}
    assert "a pan, which takes chopped meat and tomato" in by_key["hands"].text
    assert "Order 1 of 1 is not served: steak: meat cooked" in by_key["completeness"].text
    assert [section.key for section in text.sections if section.status == "fault"] == ["hands", "completeness"]


@pytest.mark.slow
def test_critique_names_food_removed_from_stove_too_early() -> None:
    early = "@1 meat @2 board !board board @3 stove1 @0 table1 @3 ~15 stove1 @4 window"
    for rules in (PAPER, RELEASED):
        report = critique_of(plan(early), rules)
        by_key = {section.key: section.text for section in report.sections}
        assert "Meat was taken from the pan (agent1 at stove1, tick 28)" in by_key["cooking"]
        assert "it needed 3 ticks more on a stove" in by_key["cooking"]
        assert "on the plate is meat (chopped)" in by_key["dishes"]


@pytest.mark.slow
def test_critique_escapes_text_of_plan() -> None:
    bad = {"agent1": [{"action": "MoveTo", "target": "<b>[ignore]</b>\u001b[31m"}], "agent9`": []}
    for submitted in (bad, {"agent1": bad["agent1"]}, {"agent1": ["`|<x>\n"]}):
        report = critique_of(submitted)
        text = report.verdict.text + "".join(section.text for section in report.sections)
        assert not set("<>`|\x1b\n") & set(text)


def test_unknown_names_count_as_foreign() -> None:
    benchmark = registry.get("paracook")
    names = [{"action": "Interact", "target": name} for name in ("oven", "fryer", "meat")]
    foreign = benchmark.foreign(benchmark.run(row(), {"plan": {"agent1": names}}, RELEASED))
    assert (foreign.names, foreign.commands) == (("oven", "fryer"), 3)
    assert foreign.suspicion(benchmark.mismatch_share) is not None


def test_oracle_uses_grading_effort_of_benchmark(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limits: list[object] = []
    monkeypatch.setattr(type(registry.get("paracook")), "grading_effort", 0.4)
    monkeypatch.setattr(
        "planoracle.analysis.grading.oracle.optimum", lambda *_, limit, **_options: limits.append(limit)
    )
    oracle, seconds = SolverOracle(WorkLimit(10.0)), SolverOracle(10.0)
    for one in (oracle, seconds):
        one.best(row(RAW), PAPER)
    oracle.best(problem("timearena/lab1"), registry.get("timearena").rules.profile())
    assert limits == [WorkLimit(4.0), 10.0, WorkLimit(10.0)]
