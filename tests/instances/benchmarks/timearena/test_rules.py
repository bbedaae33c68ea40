"""Rules of TimeArena: released verdicts, every kind of feedback, and hostile decisions."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from support.grades import grade_rows
from support.timearena import replay

from planoracle.analysis.grading.grader import Grader
from planoracle.analysis.statistics.summary import summarize
from planoracle.instances.benchmarks.timearena import problems
from planoracle.instances.benchmarks.timearena.problems import world
from planoracle.instances.benchmarks.timearena.rules import PROFILES, WRONG, Profile
from planoracle.instances.benchmarks.timearena.run import TimeArenaRun
from planoracle.solver.exact.search import solve

TEA = "timearena/household1"
PAPER, RELEASED = PROFILES["paper"], PROFILES["released"]
BOTH = pytest.mark.parametrize("profile", [PAPER, RELEASED], ids=["paper", "released"])


def play(decisions: list[str], profile: Profile = PAPER, name: str = TEA, limit: int = 40) -> TimeArenaRun:
    return replay(name, decisions, limit, profile)


def kinds(decisions: list[str], profile: Profile = PAPER, name: str = TEA) -> list[str]:
    return [step.kind for step in play(decisions, profile, name).record.steps]


@pytest.mark.parametrize(("name", "count"), [("timearena", 97), ("timearena_fresh", 400)])
def test_released_profile_reproduces_verdicts_of_the_released_environment(shared: Path, name: str, count: int) -> None:
    path = shared / "verdicts" / f"{name}.jsonl"
    if not path.is_file():
        pytest.skip(f"no verdicts in {path}")
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(lines) == count
    for line in lines:
        run = play(line["actions"], RELEASED, line["instance"], line["time_limit"])
        verdict = {
            "steps": [list(step) for step in run.record.steps],
            "completed": run.success,
            "end": run.record.end,
            "total_time": run.record.total_time,
            "score": run.record.score,
        }
        assert verdict == {key: line["expected"][key] for key in verdict}, line["id"]


@BOTH
@pytest.mark.parametrize(
    ("decisions", "expected"),
    [
        (["wash cup"], "valid continue valid"),
        (["wash teapot"], "valid"),
        (["activate kettle", "wait"], "valid wait"),
        (["clean teapot"], "invalid_action"),
        (["wash"], "invalid_action"),
        (["wash the cup"], "invalid_action"),
        (["pour kettle onto cup"], "invalid_action"),
        (["wash spoon"], "nonexistent_object"),
        (["pour kettle into spoon"], "nonexistent_object"),
        (["wash kettle"], "object_mismatch"),
        (["pour cup into kettle"], "object_mismatch"),
        (["pour teapot into teapot"], "object_mismatch"),
        (["activate kettle", "activate kettle"], "valid object_occupied"),
        (["activate kettle", "pour kettle into cup"], "valid object_occupied"),
        (["activate kettle", "wash kettle"], "valid object_mismatch"),
        # Of the faults of both objects the last counts: kettle is occupied, tea cannot be poured into.
        (["activate kettle", "pour kettle into tea"], "valid object_mismatch"),
        (["activate kettle", "pour tea into kettle"], "valid object_mismatch"),
        (["pour kettle into cup"], "dependency_violation"),
        (["wash teapot", "wash teapot"], "valid repeated_completed"),
    ],
)
def test_feedback_kinds_of_single_decisions(decisions: list[str], expected: str, profile: Profile) -> None:
    assert kinds(decisions, profile) == expected.split()


@BOTH
def test_malformed_decisions_pause_running_actions_in_the_released_profile_only(profile: Profile) -> None:
    # The kettle takes four minutes, the first one when it is started.
    for wrong in ("wash kettle", "pour kettle into cup", "pour teapot into cup"):
        assert kinds(["activate kettle", wrong, "wait", "wait", "activate kettle"], profile)[-1] == "repeated_completed"
    after_malformed = kinds(["activate kettle", "nonsense", "wash spoon", "wait", "activate kettle"], profile)[-1]
    assert after_malformed == ("repeated_completed" if profile is PAPER else "object_occupied")
    malformed = ["activate kettle", "nonsense", "wash spoon", "wait", "wait", "activate kettle"]
    assert kinds(malformed, RELEASED)[-1] == "object_occupied"


@BOTH
@pytest.mark.parametrize("text", ["exit", "quit", "EXIT", "Quit", " eXit\n", "\tquit ", "\u3000exit\xa0"])
def test_exit_ends_the_run_before_its_minute(text: str, profile: Profile) -> None:
    run = play(["activate kettle", text, "wait"], profile)
    assert (run.record.end, run.record.total_time, run.verdict.executed, run.record.score) == ("exit", 1, 1, 0)
    ignored = play(["activate kettle", text, "wait"], replace(profile, exit_ends=False))
    assert ([step.kind for step in ignored.record.steps], ignored.record.end) == (
        ["valid", "invalid_action", "wait"],
        "exhausted",
    )


@BOTH
@pytest.mark.parametrize("text", ["exit now", "exit.", "exits", "quit kettle", "e xit", "", "stop"])
def test_text_other_than_exit_or_quit_does_not_end_the_run(text: str, profile: Profile) -> None:
    assert kinds(["activate kettle", text, "wait"], profile) == ["valid", "invalid_action", "wait"]


def test_numbered_objects_serve_only_their_own_task_in_the_paper_profile() -> None:
    pair = "timearena/cooking2+cooking3"
    for text, paper, released in (
        ("add mushroom to dish_1", "dependency_violation", "object_mismatch"),
        ("add noodle_1 to dish_1", "dependency_violation", "dependency_violation"),
        ("add noodle_1 to dish_2", "object_mismatch", "object_mismatch"),
        ("add mushroom to dish_2", "object_mismatch", "object_mismatch"),
        ("fry tomato in fryer_1", "dependency_violation", "dependency_violation"),
        ("cook noodle_2 in pot_1", "dependency_violation", "dependency_violation"),
    ):
        assert kinds([text], PAPER, pair) == [paper], text
        assert kinds([text], RELEASED, pair) == [released], text


@pytest.mark.parametrize(
    ("name", "text", "paper", "released"),
    [
        # Each of the two tasks has water. The watering can accepts only water_1, for any verb.
        ("household4+household7", "water fruit_tree by watering_can", "dependency_violation", "object_mismatch"),
        ("household4+household7", "add water_1 to watering_can", "valid", "valid"),
        ("household4+household7", "add water_2 to watering_can", "object_mismatch", "object_mismatch"),
        ("household4+household7", "add coffee_beans to coffee_machine", "valid", "object_mismatch"),
        ("household4+household7", "add water_2 to coffee_machine", "valid", "valid"),
        ("household4", "water fruit_tree by watering_can", "dependency_violation", "dependency_violation"),
        ("household4", "add water to watering_can", "valid", "valid"),
        # Two dishes, but no ingredient in common: only the dishes are reserved.
        ("cooking1+cooking2", "add rice to dish_1", "dependency_violation", "dependency_violation"),
        ("cooking1+cooking2", "add rice to dish_2", "object_mismatch", "dependency_violation"),
    ],
)
def test_reservations_apply_to_every_verb(name: str, text: str, paper: str, released: str) -> None:
    assert kinds([text], PAPER, f"timearena/{name}")[0] == paper
    assert kinds([text], RELEASED, f"timearena/{name}")[0] == released


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("household4+household7", {"watering_can": {"water_1"}, "coffee_machine": {"water_2"}}),
        ("cooking2+cooking3", {"dish_1": {"noodle_1"}, "dish_2": {"noodle_2"}}),
        ("household1", {}),
    ],
)
def test_released_reservations_of_containers(name: str, expected: dict[str, set[str]]) -> None:
    assert world(f"timearena/{name}").reservations == expected


def test_case_and_spaces_are_ignored_in_the_paper_profile_only() -> None:
    for text in ("Wash TEAPOT", "wash  teapot", "wash\tteapot"):
        assert kinds([text], PAPER) == ["valid"]
        assert kinds([text], RELEASED)[0] in WRONG
    assert kinds(["  wash teapot \n"], RELEASED) == ["valid"]
    assert kinds(["WAIT"], PAPER) == ["wait"]


def test_completion_during_a_wrong_decision_ends_the_run_in_the_paper_profile() -> None:
    problem = problems.load("timearena/cooking4")
    schedule = solve(problem).schedule
    assert schedule is not None
    decisions = problems.decisions(problem, schedule.pieces, end=schedule.makespan)
    assert decisions[-2:] == ["wait", "wait"]
    decisions[-1] = "bake dish in oven"
    paper = play([*decisions, "wait"], PAPER, problem.name)
    assert (paper.record.end, paper.record.steps[-1].kind, paper.record.total_time) == (
        "completed",
        "object_occupied",
        schedule.makespan,
    )
    assert play(decisions, RELEASED, problem.name).record.end == "exhausted"
    late = play([*decisions, "wait"], RELEASED, problem.name)
    assert (late.record.end, late.record.total_time) == ("completed", schedule.makespan + 1)


def test_waits_are_averaged_as_in_section_44() -> None:
    tea = ["activate kettle", "wash teapot", "wash cup", "pour kettle into teapot", "brew tea with teapot"]
    runs = [["wait", "wait", "wash sink"], [*tea, "wait", "wait", "pour teapot into cup"]]
    grades = [Grader().grade({"instance": TEA, "id": "", "actions": actions}) for actions in runs]
    (row,) = summarize(grade_rows(grades)).sets
    assert row["kinds"] == {"valid": 6, "wait": 4, "nonexistent_object": 1}
    # Nothing can be done while the tea is brewing.
    assert (row["waits"], row["necessary"], row["max_necessary"]) == (40, 50, 2)
