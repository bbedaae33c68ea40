"""The public door: names that lead somewhere, seen by type checkers, and imported only when asked for."""

from __future__ import annotations

import ast
import contextlib
import doctest
import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from matplotlib.figure import Figure

import planoracle
from planoracle import (
    InputError,
    Model,
    Result,
    Status,
    compare,
    critique,
    environment,
    explain,
    gantt,
    grade,
    load,
    pairs,
    read,
    read_grades,
    regret,
    repair,
    schedule,
    solve,
    verify,
)
from planoracle.analysis.grading.rewards import RegretReward
from planoracle.instances.errors import UnknownNameError
from planoracle.instances.model.instance import Action

INIT = Path(planoracle.__file__)
ROOT = Path(__file__).resolve().parents[1]
KITCHEN = "kitchens/synchronous/0_cheese_sandwich"
NAMES = ("recipe2plan/timed/Cobbler_Pancakes", "timearena/household1", "asynctool/files_1", KITCHEN)
ACTIONS = ["wash cup", "activate kettle", "wash teapot"]


@pytest.fixture(scope="module")
def infeasible() -> planoracle.Instance:
    return Model("hasty", time_limit=9).task("soup").action("boil", 9).action("serve", 1).build()


# --- names -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", planoracle.__all__)
def test_every_name_leads_somewhere(name: str) -> None:
    assert getattr(planoracle, name) is not None
    assert name in dir(planoracle)


def test_type_checkers_see_what_programs_get() -> None:
    """Else a name would have one meaning here and another one there."""
    imported = {
        alias.asname or alias.name: node.module
        for node in ast.walk(ast.parse(INIT.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("planoracle.")
        for alias in node.names
    }
    assert imported == {name: f"planoracle.{place}" for name, place in planoracle._PLACES.items()}
    assert sorted(planoracle.__all__) == sorted([*imported, "__version__"])


def test_there_is_nothing_else() -> None:
    with pytest.raises(AttributeError, match="module 'planoracle' has no attribute 'slove'"):
        planoracle.slove  # type: ignore[attr-defined]  # noqa: B018


def test_examples_hold() -> None:
    assert doctest.testmod(planoracle).failed == 0


@pytest.mark.slow
def test_the_example_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.M | re.S)
    monkeypatch.chdir(tmp_path)
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(code, {})
    lines = output.getvalue().splitlines()
    assert lines[0] == "recipe2plan/timed/Cobbler_Pancakes: optimal"
    assert "makespan      4080 seconds" in lines
    assert lines[-1:] == re.findall(r"^print\(.*\)  # (\S+)$", code, re.M)


def test_the_door_costs_nothing() -> None:
    code = (
        "import sys; before = set(sys.modules); import planoracle; print(sorted(set(sys.modules) - before));"
        "planoracle.Model; print([name for name in ('ortools', 'pandas', 'matplotlib', 'numpy', 'pydantic') "
        "if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == ["['__future__', 'planoracle']", "[]"]


# --- problems --------------------------------------------------------------------------------------


def test_a_problem_by_name_or_by_file() -> None:
    example = ROOT / "instances" / "examples" / "tea.json"
    assert load("timearena/household1").name == "timearena/household1"
    assert load(example) == load(str(example)) == read(example)[0]
    assert [problem.name for problem in read("recipe2plan/*/Cobbler_P*")] == [
        "recipe2plan/timed/Cobbler_Pancakes",
        "recipe2plan/untimed/Cobbler_Pancakes",
    ]


def test_loading_several_or_none_is_an_error() -> None:
    with pytest.raises(InputError, match=r"must name a single problem, not 65; read takes them all \(got 'recipe2p"):
        load("recipe2plan/timed")
    with pytest.raises(UnknownNameError, match="did you mean timearena/household"):
        load("timearena/houshold1")


# --- results ---------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_result_of_any_kind_prints_its_plan_and_can_be_looked_at(name: str) -> None:
    result = solve(load(name))
    assert isinstance(result, Result)
    frame = result.to_frame()
    first, heading, _, *rows, empty, makespan, bound, proof = str(result).splitlines()
    assert (first, empty) == (f"{name}: optimal", "")
    assert heading.split()[:4] == ["start", "end", "action", "agent"]
    assert [row.split()[:2] for row in rows] == frame[["start", "end"]].astype(str).values.tolist()
    assert makespan == f"makespan      {result.makespan} {result.unit}s"
    assert bound == f"lower bound   {result.makespan} {result.unit}s"
    assert proof.startswith(f"proof         no shorter plan exists ({result.proof}")
    assert result._repr_html_().count("<tr") == len(rows) + 1
    assert result._repr_html_().rstrip().endswith("</svg>")
    assert set(frame["instance"]) == {name}
    assert set(frame["method"]) == {"optimum"}
    assert frame["end"].max() <= result.makespan
    drawn = result.gantt()
    assert drawn.patches


@pytest.mark.parametrize("name", NAMES[-2:])
def test_a_picture_goes_onto_given_axes(name: str) -> None:
    axes = Figure().add_subplot()
    assert solve(load(name)).gantt(axes) is axes
    assert axes.patches


def test_without_a_plan_there_is_nothing_to_look_at(infeasible: planoracle.Instance) -> None:
    result = solve(infeasible)
    assert str(result) == f"hasty: infeasible\nproof         no plan exists ({result.proof})"
    assert result._repr_html_() == f"<pre>{result}</pre>"
    for look in (result.to_frame, result.gantt):
        with pytest.raises(InputError, match="hasty: has no plan; the status is infeasible"):
            look()


def test_names_are_escaped_in_notebooks_and_long_plans_are_cut() -> None:
    shop = planoracle.Model("<b>\x1b").task("<i>")
    for number in range(40):
        shop = shop.action(f"<u>{number}\u202e", 1, uses="<s>")
    result = solve(shop.build())
    assert "... and 10 more rows; to_frame() has all of them" in str(result).splitlines()
    assert "40 rows" in result._repr_html_()
    assert len(result.to_frame()) == 40
    assert set(result.to_frame()["resources"]) == {"<s>"}
    for text in (str(result), result._repr_html_()):
        assert "\x1b" not in text
        assert "\u202e" not in text
    assert not any(tag in result._repr_html_() for tag in ("<b>", "<i>", "<u>", "<s>"))


def test_milestones_are_no_rows() -> None:
    actions = Action("t/begin", "t", 0, 0, agents=()), Action("t/work", "t", 2, 2), Action("t/sign", "t", 0, 0)
    result = solve(planoracle.Instance("m", actions))
    assert [action.is_milestone for action in actions] == [True, False, False]
    assert sorted(result.to_frame()["action"]) == ["t/sign", "t/work"]
    assert "begin" not in str(result)


def test_a_heuristic_proves_nothing(infeasible: planoracle.Instance) -> None:
    problem = load("timearena/household1")
    result = schedule(problem, method="serial-spt")
    best = solve(problem)
    assert (result.status, result.lower_bound, result.proof) == (Status.feasible, None, "serial-spt")
    assert result.makespan is not None
    assert best.makespan is not None
    assert result.makespan > best.makespan
    assert set(result.to_frame()["method"]) == {"serial-spt"}
    failed = schedule(infeasible)
    assert (failed.status, failed.makespan) == (Status.unknown, None)
    assert failed.proof.startswith("improve: ")


def test_heuristics_are_for_some_kinds_of_problems_and_have_names() -> None:
    with pytest.raises(InputError, match="is for scheduling problems and grid kitchens, not for a kitchen"):
        schedule(load(KITCHEN))
    with pytest.raises(UnknownNameError, match=r"must be one of .*improve"):
        schedule(load("timearena/household1"), "magic")


@pytest.mark.parametrize("name", NAMES)
def test_problems_of_any_kind_are_compared_and_explained(name: str) -> None:
    problem = load(name)
    best = solve(problem, again=True).makespan
    assert compare(problem).optimum == best
    assert explain(problem).makespan == best


@pytest.mark.parametrize("name", NAMES)
def test_plans_of_any_kind_are_graded_priced_told_and_repaired(name: str) -> None:
    problem = load(name)
    best = solve(problem)
    submission = {"id": "best", "instance": name, "plan": best.plan}
    assert grade(submission).success
    assert regret(problem, submission).total == 0
    assert critique(problem, submission, regret=False).verdict.makespan == best.makespan
    assert not repair(problem, submission).changed


def test_a_plan_is_drawn_on_given_axes() -> None:
    axes = Figure().add_subplot()
    assert gantt(load(NAMES[1]), ACTIONS, axes) is axes
    assert axes.patches
    with pytest.raises(InputError, match="there is nothing to draw"):
        gantt(load(NAMES[1]), [])


def test_a_certificate_is_verified_for_its_problem_only() -> None:
    problem = load("asynctool/files_1")
    document = explain(problem).document
    assert document is not None
    assert verify(document, problem).holds is True
    assert verify(document | {"bound": 5}, problem).holds is False
    with pytest.raises(InputError, match="is about none of the problems given"):
        verify(document, load("asynctool/files_2"))


# --- submissions -----------------------------------------------------------------------------------


def submission(number: int, **more: Any) -> dict[str, Any]:
    return {"id": f"{number}", "instance": "timearena/household1", "actions": ACTIONS, **more}


def test_one_submission_or_several_or_a_file(tmp_path: Path) -> None:
    one = grade(submission(1))
    assert (one.id, one.scored, one.success) == ("1", True, False)
    two = grade([submission(1), submission(2, instance="nope")])
    assert [(result.id, result.line, result.scored) for result in two] == [("1", 1, True), ("2", 2, False)]
    file = tmp_path / "plans.jsonl"
    file.write_text("\n".join(["{", json.dumps(submission(3, model="m"))]))
    for path in (file, str(file)):
        assert [(result.id, result.line, result.scored) for result in grade(path)] == [(None, 1, False), ("3", 2, True)]


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"plans.jsonl: cannot be read: No such file"):
        grade(tmp_path / "plans.jsonl")


def test_rules_are_those_of_the_profile() -> None:
    none = "Step(0, Cobbler, 0 min, 0:00)"
    first, second = (
        grade({"id": "1", "instance": NAMES[0], "plan": none}, profile=profile) for profile in ("paper", "released")
    )
    assert first.violation != second.violation
    with pytest.raises(UnknownNameError):
        grade(submission(1), profile="nobody")


def test_grades_of_a_file_are_compared_in_pairs(tmp_path: Path) -> None:
    problem = load("timearena/household1")
    plans = {"best": solve(problem).plan, "idle": ["wait"]}
    grades = grade([{"id": "1", "instance": problem.name, "model": name, "plan": plan} for name, plan in plans.items()])
    path = tmp_path / "grades.jsonl"
    path.write_text("\n".join(json.dumps(one.row()) for one in grades))
    assert [(one.model, one.success) for one in read_grades(path)] == [("best", True), ("idle", False)]
    table = pairs(read_grades(path))
    assert table[["a", "b", "value", "pairs", "wins", "ties", "losses", "mean_difference"]].values.tolist() == [
        ["best", "idle", name, 1, 1, 0, 0, 1.0] for name in ("success", "main_score")
    ]
    frame = pd.DataFrame([one.row() for one in grades])
    row = pairs(frame, [("best", "idle")], value="makespan").iloc[0]
    assert (row["wins"], row["losses"], row["failed_b"]) == (1, 0, 1)


# --- agents ----------------------------------------------------------------------------------------


def test_a_live_environment_where_there_is_one() -> None:
    run = environment(load("asynctool/files_1"))
    assert [message["role"] for message in run.opening()] == ["system", "user"]
    run.step({"content": "ALL COMPLETED"})
    assert run.done
    assert environment(load("timearena/household1")).step("wash cup").observation.clock == 3


def test_a_reward_by_name_or_as_an_object() -> None:
    step = "Step(0, Cobbler, 10 min, 00:05:00)"
    both = [environment(load(NAMES[0]), reward=one).step(step).reward for one in ("regret", RegretReward())]
    assert both == [-300.0, -300.0]


@pytest.mark.parametrize("verb", [solve, schedule, environment, explain, compare])
@pytest.mark.parametrize("given", ["timearena/household1", Path("tea.json"), 3, None])
def test_a_name_is_no_problem(function: Any, value: object) -> None:
    with pytest.raises(InputError, match="must be a problem"):
        function(value)


@pytest.mark.parametrize("verb", [regret, critique, repair])
def test_a_name_is_no_problem_of_a_plan(function: Any) -> None:
    with pytest.raises(InputError, match="must be a problem"):
        function("timearena/household1", {"actions": ACTIONS})


def test_a_number_is_no_submission() -> None:
    with pytest.raises(InputError, match="must be a submission"):
        grade(3)  # type: ignore[call-overload]


def test_former_keywords_work_for_one_release() -> None:
    problem = load("timearena/household1")
    with pytest.warns(DeprecationWarning, match="fewest_pieces is min_interruptions now"):
        assert solve(problem, fewest_pieces=True).proof == solve(problem, min_interruptions=True).proof
    with pytest.warns(DeprecationWarning, match="also is extra now"):
        assert planoracle.compare(problem, also=["serial-lpt"]) is not None
