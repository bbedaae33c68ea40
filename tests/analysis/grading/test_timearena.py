"""Grading TimeArena runs: the contract, the paper's metrics, waits and what they cost."""

from __future__ import annotations

import pytest

from planoracle.analysis.grading.grader import Grader
from planoracle.analysis.statistics.summary import summarize
from planoracle.instances.benchmarks.timearena import problems
from planoracle.instances.benchmarks.timearena.language import extract, parse
from planoracle.instances.benchmarks.timearena.problems import scenario_set, world
from planoracle.instances.benchmarks.timearena.rules import PROFILES, RULE_SET
from planoracle.instances.errors import PlanError
from planoracle.solver.exact.search import solve
from tests.support.grades import grade_rows
from tests.support.timearena import replay

TEA = "timearena/household1"
SCENE = world(TEA)
PRICED = RULE_SET.profile(price_waits=True)


def best_decisions(name: str) -> list[str]:
    schedule = solve(problems.load(name)).schedule
    return problems.decisions(problems.load(name), schedule.pieces, end=schedule.makespan)


def test_row_has_fields_and_trace():
    grade = Grader().grade({"id": "x", "instance": TEA, "actions": ["wash cup", "wait"], "time_limit": 4})
    row = grade.row()
    assert {"id", "instance", "scored", "success", "end", "total_time", "score", "makespan"} <= row.keys()
    assert "steps" not in row
    assert "metrics" not in row
    assert [step[1:3] for step in grade.row(trace=True)["steps"]] == [
        ["wash cup", "valid"],
        ["wash cup", "continue"],
        ["wash cup", "valid"],
        ["wait", "wait"],
    ]
    assert (row["end"], row["total_time"]) == ("time_out", 4)


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ({"actions": 7}, "actions: must be a list of decisions"),
        ({"actions": ["wait", 7]}, "actions[1]: must be text"),
        ({"actions": [{"observation": "x"}]}, "actions[0]: must be text"),
        ({}, "plan: is missing"),
        ({"actions": [], "time_limit": 2.5}, "time_limit: must be whole minutes"),
        ({"actions": [], "time_limit": -1}, "time_limit: must be whole minutes"),
    ],
)
def test_invalid_submission_is_unscored(line, fault):
    grade = Grader().grade({"id": "x", "instance": TEA} | line)
    assert not grade.scored
    assert fault in grade.reason


@pytest.mark.slow
def test_long_waits_are_graded_fast_with_costs():
    line = {"id": "x", "instance": TEA, "actions": ["wait"] * 20_000, "time_limit": 20_000}
    row = Grader({"timearena": PRICED}).grade(line).row()
    assert (row["total_time"], row["unnecessary_waits"], row["costly_waits"]) == (20_000, 20_000, 20_000)


def test_optimum_follows_rules_of_grade():
    line = {"id": "x", "instance": "timearena/cooking2+cooking3", "actions": []}
    assert Grader().grade(line).optimal_makespan is not None
    released = Grader({"timearena": PROFILES["released"]}).grade(line)
    assert (released.scored, released.optimal_makespan) == (True, None)


def test_forms_of_submissions_are_read_alike():
    expected = ["wash cup", "wait", "pour kettle into teapot"]
    forms = [
        expected,
        [{"time": i, "action": text, "observation": "", "progress score": 0} for i, text in enumerate(expected)],
        ["Wash  Cup", " WAIT ", "I will pour kettle into teapot now."],
        "1. wash cup\n\n2. wait\nLet me think what the kettle might still be needed for.\n- Pour kettle into teapot!",
    ]
    for form in forms:
        assert parse(form, SCENE) == expected
    assert parse(forms[2], SCENE, PROFILES["released"]) == forms[2]
    with pytest.raises(PlanError):
        parse({"no": "list"}, SCENE)


def test_extraction_preserves_unknown_text():
    assert extract("clean teapot", SCENE) == "clean teapot"
    assert extract("Action: activate kettle, then wait", SCENE) == "activate kettle"
    for text in ("Exit", "**quit**", " EXIT. ", "`exit`"):
        assert extract(text, SCENE) in ("exit", "quit")
    for text in ("exit now", "I quit", "exit quit", "quit, then dance"):
        assert extract(text, SCENE) == text


def test_released_score_is_the_displayed_score():
    line = {"id": "x", "instance": TEA, "actions": ["activate kettle", "wait", "wait", "wash kettle"]}
    paper = Grader().grade(line).row()
    assert (paper["score"], paper["best_score"], paper["best_time"], paper["progress"]) == (25, 25, 4, 0.25)
    released = Grader({"timearena": PROFILES["released"]}).grade(line).row()
    assert (released["score"], released["best_score"], released["best_time"], released["progress"]) == (0, 0, 0, 0)


def test_metrics_worked_by_hand():
    # household1 has 16 minutes of work. Washing the cup (3) and the teapot (1) is a quarter of it, done after 4.
    commands = ["wash cup", "wash teapot", "wait", "wash cup"]
    row = Grader().grade({"id": "x", "instance": TEA, "actions": commands}).row(trace=True)
    assert (row["best_score"], row["best_time"]) == (25.0, 4)
    assert row["kinds"] == {"valid": 2, "wait": 1, "repeated_completed": 1}
    assert replay(TEA, commands).record.scores == (0, 0, 18.75, 25, 25, 25)
    assert (row["necessary_waits"], row["unnecessary_waits"]) == (0, 1)  # the kettle could have been started


def test_shares_count_each_action_once_without_exit():
    best = best_decisions(TEA)
    grades = [Grader().grade({"id": "x", "instance": TEA, "actions": commands}) for commands in (best, [*best, "exit"])]
    assert [grade.row()["kinds"] for grade in grades] == [{"valid": 6, "wait": 2}] * 2
    ended = Grader().grade({"id": "y", "instance": TEA, "actions": ["wash cup", "sing", "exit"], "model": "other"})
    first, other = summarize(grade_rows([*grades, ended])).sets
    assert (first["valid"], first["wait"], first["invalid_action"]) == (75, 25, 0)
    assert (other["valid"], other["wait"], other["invalid_action"]) == (50, 0, 50)


def test_costs_of_waits_sum_to_lost_time():
    for name in (TEA, "timearena/cooking1+cooking2", "timearena/lab4"):
        best = best_decisions(name)
        optimum = solve(problems.load(name)).makespan
        lazy = ["wait", *best[:1], "wait", "wait", *best[1:]]
        run = replay(name, lazy, 200)
        assert run.success
        grader = Grader({"timearena": PRICED})
        row = grader.grade({"id": "lazy", "instance": name, "actions": lazy, "time_limit": 200}).row()
        assert row["unpriced_waits"] == 0
        assert row["wait_cost"] == row["costly_waits"] <= run.makespan - optimum
        assert row["wait_cost"] >= 1 or name != TEA
        row = grader.grade({"id": "best", "instance": name, "actions": best, "time_limit": 200}).row()
        assert (row["costless_waits"], row["costly_waits"]) == (best.count("wait"), 0)


def test_summary_has_metrics_of_paper_per_set():
    grader = Grader()
    name = scenario_set("lab", 1)[0]
    grades = [
        grader.grade({"id": "a", "model": "m", "instance": name, "actions": best_decisions(name)}),
        grader.grade({"id": "b", "model": "m", "instance": name, "actions": []}),
        grader.grade({"id": "c", "model": "m", "instance": name, "actions": 5}),
    ]
    (row,) = summarize(grade_rows(grades)).sets
    assert (row["model"], row["set"], row["submissions"], row["unscored"]) == ("m", "timearena/lab/1", 3, 1)
    assert (row["AS"], row["CR"], row["CT"]) == (50, 50, grades[0].makespan)
    assert row["CS"] == pytest.approx(100 / grades[0].makespan)
