"""Rules of TimeArena: released verdicts, every kind of feedback, and hostile decisions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.grades import grade_rows
from support.timearena import replay

from planoracle.analysis.grading.grader import Grader
from planoracle.analysis.statistics.summary import summarize
from planoracle.instances.benchmarks.timearena import problems
from planoracle.instances.benchmarks.timearena.problems import world
from planoracle.instances.benchmarks.timearena.rules import PROFILES, Profile
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
