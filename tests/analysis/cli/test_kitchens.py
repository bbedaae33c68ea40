"""Kitchens on the command line: solve, grade, compare, draw; names of the simulator's own kitchens."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.runner import invoke

from planoracle.analysis.grading.grader import Grader
from planoracle.instances.benchmarks.kitchens.problems import to_document
from planoracle.instances.benchmarks.kitchens.released_kitchens import kitchen
from planoracle.instances.errors import InputError
from planoracle.instances.protocol import registry

BURGER = "robotouille/synchronous/3_burger"


def lines(*arguments: str) -> list[dict]:
    result = invoke(*arguments, "--format", "jsonl")
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.fixture
def best() -> list[str]:
    (row,) = lines("solve", BURGER)
    assert (row["status"], row["unit"]) == ("optimal", "step")
    actions = row["plan"].splitlines()
    assert len(actions) == row["makespan"] == row["lower_bound"] == row["rounds"]
    return actions


@pytest.mark.slow
def test_optimal_incomplete_and_slow_kitchen_plans_are_graded(best: list[str], tmp_path: Path) -> None:
    slow = ["Do nothing"] * len(best) + best
    numbered = "\n".join(f"{number}. {action}" for number, action in enumerate(best, 1))
    plans = {
        "best": best,
        "text": numbered,
        "short": best[:-1],
        "slow": slow,
        "wrong": ["Fly to the moon", *best],
    }
    path = tmp_path / "plans.jsonl"
    path.write_text("".join(json.dumps({"id": k, "instance": BURGER, "actions": v}) + "\n" for k, v in plans.items()))
    rows = {row["id"]: row for row in lines("grade", str(path))}
    assert [rows[key]["success"] for key in plans] == [True, True, False, False, True]
    assert [rows[key]["within_limit"] for key in plans] == [True, True, False, False, True]
    assert rows["best"]["optimality"] == rows["text"]["optimality"] == 1
    assert rows["slow"]["optimality"] is None
    assert rows["wrong"]["invalid_actions"] == 1
    assert rows["short"]["steps_to_go"] is None
    rest = {row["id"]: row for row in lines("grade", str(path), "--set", "price_rest=true")}
    assert rest["short"]["steps_left"] == 1
    published = {row["id"]: row["step_limit"] for row in lines("grade", str(path), "--set", "limit=published")}
    assert published["best"] == 15


@pytest.mark.slow
def test_names_refer_to_the_simulators_kitchens_with_data_option(
    best: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "originals" / "synchronous"
    folder.mkdir(parents=True)
    other = kitchen("robotouille/synchronous/0_cheese_sandwich")
    (folder / "3_burger.json").write_text(json.dumps(to_document(other)))
    line = {"id": "x", "instance": BURGER, "actions": best}
    assert Grader().grade(line).success
    with monkeypatch.context() as patch:
        patch.setenv(registry.data_variable("robotouille"), str(folder.parent))
        theirs = Grader()
        assert not theirs.grade(line).success
        for name in ("robotouille/../../etc/passwd", "robotouille//etc/passwd", "robotouille/\0", "x" * 5000):
            assert not theirs.grade(line | {"instance": name}).scored
    plans = tmp_path / "plans.jsonl"
    plans.write_text(json.dumps(line))
    result = invoke("grade", str(plans), "--format", "jsonl", "--data", f"robotouille={folder.parent}")
    assert not json.loads(result.stdout)["success"]
    without_data = invoke("grade", str(plans), "--format", "jsonl")
    assert json.loads(without_data.stdout)["success"]  # in a process without a cache of the other kitchen


@pytest.mark.slow
def test_every_command_reports_a_contradictory_goal(tmp_path: Path) -> None:
    """Goal of a simulator's file: bread on cheese on the same bread."""
    tables = [{"name": "table", "x": x, "y": 0} for x in (0, 2)]
    items = [{"name": name, "x": x, "y": 0, "stack-level": 0} for name, x in (("bread", 0), ("cheese", 2))]
    robot = {"name": "robot", "x": 0, "y": 1, "direction": [0, -1]}
    goal = [
        {"predicate": "atop", "args": args, "ids": ids}
        for args, ids in ((["cheese", "bread"], [1, 2]), (["bread", "cheese"], [2, 1]))
    ]
    ring, plans = tmp_path / "ring.json", tmp_path / "plans.jsonl"
    ring.write_text(json.dumps({"stations": tables, "items": items, "players": [robot], "goal": goal}))
    actions = ["Do nothing", "Pick up bread1 from table1 using robot1"]
    plans.write_text(json.dumps({"id": "x", "instance": str(ring), "actions": actions}) + "\n")

    (row,) = lines("solve", str(ring))
    near = ("--instances", str(tmp_path))
    assert (row["status"], row["makespan"], row["lower_bound"]) == ("infeasible", None, None)
    assert "rests on itself" in row["proof"]
    (grade,) = lines("grade", str(plans), "--set", "price_rest=true", *near)
    assert (grade["scored"], grade["success"], grade["rest"]) == (True, False, "infeasible")
    (regret,) = lines("regret", str(plans), *near)
    assert (regret["success"], regret["no_return_reason"], regret["optimum"]) == (False, "constraints", None)
    assert [decision["status"] for decision in regret["decisions"]] == ["infeasible"] * 2
    assert lines("next", str(ring))[0]["status"] == "infeasible"
    assert lines("repair", str(plans), *near)[0]["status"] == "infeasible"
    assert lines("compare", str(ring))[0]["status"] == "infeasible"
    assert "No plan completes all tasks" in invoke("critique", str(plans), *near).stdout
    explained = invoke("explain", str(ring))
    assert (explained.exit_code, "rests on itself" in explained.stdout) == (0, True)
    drawn = invoke("gantt", str(ring), "-o", str(tmp_path / "ring.svg"))
    assert isinstance(drawn.exception, InputError)
    assert str(drawn.exception) == "ring: there is no plan to draw: infeasible"
    page = tmp_path / "report.html"
    assert invoke("report", str(plans), "-o", str(page), *near).exit_code == 0
    assert "infeasible" in page.read_text()
