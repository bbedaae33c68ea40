"""Public API: names, type checking, lazy imports, and the functions on problems of all kinds."""

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
def test_public_names_can_be_imported(name: str) -> None:
    assert getattr(planoracle, name) is not None
    assert name in dir(planoracle)


def test_static_and_runtime_imports_agree() -> None:
    """Type checkers read the imports, programs the table `_PLACES`."""
    imported = {
        alias.asname or alias.name: node.module
        for node in ast.walk(ast.parse(INIT.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("planoracle.")
        for alias in node.names
    }
    assert imported == {name: f"planoracle.{place}" for name, place in planoracle._PLACES.items()}
    assert sorted(planoracle.__all__) == sorted([*imported, "__version__"])


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'planoracle' has no attribute 'slove'"):
        planoracle.slove  # type: ignore[attr-defined]  # noqa: B018


def test_docstring_examples_pass() -> None:
    assert doctest.testmod(planoracle).failed == 0


@pytest.mark.slow
def test_readme_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.M | re.S)
    monkeypatch.chdir(tmp_path)
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(code, {})
    lines = output.getvalue().splitlines()
    assert lines[0] == "recipe2plan/timed/Cobbler_Pancakes: optimal"
    assert "makespan      4080 seconds" in lines
    assert lines[-1:] == re.findall(r"^print\(.*\)  # (\S+)$", code, re.M)


def test_importing_planoracle_imports_no_other_module() -> None:
    code = (
        "import __future__, sys; before = set(sys.modules); import planoracle; print(set(sys.modules) - before);"
        "planoracle.Model; print([name for name in ('ortools', 'pandas', 'matplotlib', 'numpy', 'pydantic') "
        "if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == ["{'planoracle'}", "[]"]


# --- problems --------------------------------------------------------------------------------------


def test_problems_are_loaded_by_name_file_or_pattern() -> None:
    example = ROOT / "instances" / "examples" / "tea.json"
    assert load("timearena/household1").name == "timearena/household1"
    assert load(example) == load(str(example)) == read(example)[0]
    assert [problem.name for problem in read("recipe2plan/*/Cobbler_P*")] == [
        "recipe2plan/timed/Cobbler_Pancakes",
        "recipe2plan/untimed/Cobbler_Pancakes",
    ]


def test_loading_several_or_unknown_problems_is_an_error() -> None:
    with pytest.raises(InputError, match=r"not 65; planoracle.read returns all of them \(got 'recipe2p"):
        load("recipe2plan/timed")
    with pytest.raises(UnknownNameError, match="did you mean timearena/household"):
        load("timearena/houshold1")


# --- results ---------------------------------------------------------------------------------------


def clock_of(seconds: int) -> str:
    return f"{seconds // 3600}:{seconds % 3600 // 60:02}:{seconds % 60:02}"


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_results_of_all_kinds_have_text_html_frame_and_gantt(name: str) -> None:
    result = solve(load(name))
    assert isinstance(result, Result)
    frame = result.to_frame()
    first, heading, _, *rows, empty, makespan, bound, proof, grade = str(result).splitlines()
    assert grade == f"proof grade   {result.proof_grade}"
    assert (first, empty) == (f"{name}: optimal", "")
    assert heading.split()[:4] == ["start", "end", "action", "agent"]
    text = clock_of if result.unit == "second" else str
    assert [row.split()[:2] for row in rows] == [
        [text(start), text(end)] for start, end in frame[["start", "end"]].values
    ]
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
def test_result_is_drawn_on_existing_axes(name: str) -> None:
    axes = Figure().add_subplot()
    assert solve(load(name)).gantt(axes) is axes
    assert axes.patches


def test_infeasible_result_has_no_frame_and_no_gantt(infeasible: planoracle.Instance) -> None:
    result = solve(infeasible)
    assert str(result) == f"hasty: infeasible\nproof         no plan exists ({result.proof})\nproof grade   solver"
    assert result._repr_html_() == f"<pre>{result}</pre>"
    for look in (result.to_frame, result.gantt):
        with pytest.raises(InputError, match="hasty: has no plan; the status is infeasible"):
            look()


@pytest.mark.slow
def test_html_escapes_names_and_shortens_long_plans() -> None:
    shop = planoracle.Model("<b>\x1b").task("<i>")
    for number in range(40):  # a chain is solved at once
        shop = shop.action(f"<u>{number}\u202e", 1, uses="<s>", after=f"<u>{number - 1}\u202e" if number else ())
    result = solve(shop.build())
    page = result._repr_html_()
    assert "... and 10 more rows; to_frame() has all of them" in str(result).splitlines()
    assert "40 rows" in page
    assert len(result.to_frame()) == 40
    assert set(result.to_frame()["resources"]) == {"<s>"}
    for text in (str(result), page):
        assert "\x1b" not in text
        assert "\u202e" not in text
    assert not any(tag in page for tag in ("<b>", "<i>", "<u>", "<s>"))


def test_milestones_are_not_rows_of_the_frame() -> None:
    actions = Action("t/begin", "t", 0, 0, agents=()), Action("t/work", "t", 2, 2), Action("t/sign", "t", 0, 0)
    result = solve(planoracle.Instance("m", actions))
    assert [action.is_milestone for action in actions] == [True, False, False]
    assert sorted(result.to_frame()["action"]) == ["t/sign", "t/work"]
    assert "begin" not in str(result)


def test_heuristic_result_has_no_lower_bound(infeasible: planoracle.Instance) -> None:
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


def test_unsupported_kind_or_unknown_heuristic_is_an_error() -> None:
    with pytest.raises(InputError, match="is for scheduling problems, not for a kitchen"):
        schedule(load(KITCHEN))
    with pytest.raises(UnknownNameError, match=r"must be one of .*improve"):
        schedule(load("timearena/household1"), "magic")


@pytest.mark.parametrize("name", NAMES)
def test_problems_of_all_kinds_are_compared_and_explained(name: str) -> None:
    problem = load(name)
    best = solve(problem, recompute=True).makespan
    assert compare(problem).optimum == best
    assert explain(problem).makespan == best


@pytest.mark.parametrize("name", NAMES)
def test_plans_of_all_kinds_are_graded_criticized_and_repaired(name: str) -> None:
    problem = load(name)
    best = solve(problem)
    submission = {"id": "best", "instance": name, "plan": best.plan}
    assert grade(submission).success
    assert regret(problem, submission).total == 0
    assert critique(problem, submission, regret=False).verdict.makespan == best.makespan
    assert not repair(problem, submission).changed


def test_submitted_plan_is_drawn_on_existing_axes() -> None:
    axes = Figure().add_subplot()
    assert gantt(load(NAMES[1]), ACTIONS, axes) is axes
    assert axes.patches
    with pytest.raises(InputError, match="contains no step to draw"):
        gantt(load(NAMES[1]), [])


def test_certificate_of_another_problem_is_rejected() -> None:
    problem = load("asynctool/files_1")
    document = explain(problem).document
    assert document is not None
    assert verify(document, problem).holds is True
    assert verify(document | {"bound": 5}, problem).holds is False
    with pytest.raises(InputError, match="must be the name of one of the problems"):
        verify(document, load("asynctool/files_2"))


# --- submissions -----------------------------------------------------------------------------------


def submission(number: int, **more: Any) -> dict[str, Any]:
    return {"id": f"{number}", "instance": "timearena/household1", "actions": ACTIONS, **more}


def test_grade_accepts_one_submission_a_list_or_a_file(tmp_path: Path) -> None:
    one = grade(submission(1))
    assert (one.id, one.scored, one.success) == ("1", True, False)
    two = grade([submission(1), submission(2, instance="nope")])
    assert [(result.id, result.line, result.scored) for result in two] == [("1", 1, True), ("2", 2, False)]
    file = tmp_path / "plans.jsonl"
    file.write_text("\n".join(["{", json.dumps(submission(3, model="m"))]))
    for path in (file, str(file)):
        assert [(result.id, result.line, result.scored) for result in grade(path)] == [(None, 1, False), ("3", 2, True)]


def test_missing_submission_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"plans.jsonl: cannot be read: No such file"):
        grade(tmp_path / "plans.jsonl")


def test_profile_selects_the_rules() -> None:
    none = "Step(0, Cobbler, 0 min, 0:00)"
    first, second = (
        grade({"id": "1", "instance": NAMES[0], "plan": none}, profile=profile) for profile in ("paper", "released")
    )
    assert first.violation != second.violation
    with pytest.raises(UnknownNameError):
        grade(submission(1), profile="nobody")


def test_pairs_compare_models_of_a_grades_file(tmp_path: Path) -> None:
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


def test_environment_plays_a_live_run() -> None:
    run = environment(load("asynctool/files_1"))
    assert [message["role"] for message in run.opening()] == ["system", "user"]
    run.step({"content": "ALL COMPLETED"})
    assert run.done
    assert environment(load("timearena/household1")).step("wash cup").observation.clock == 3


def test_reward_is_accepted_by_name_or_as_object() -> None:
    step = "Step(0, Cobbler, 10 min, 00:05:00)"
    both = [environment(load(NAMES[0]), reward=one).step(step).reward for one in ("regret", RegretReward())]
    assert both == [-300.0, -300.0]


@pytest.mark.parametrize("function", [solve, schedule, environment, explain, compare])
@pytest.mark.parametrize("value", ["timearena/household1", Path("tea.json"), 3, None])
def test_functions_reject_problem_names(function: Any, value: object) -> None:
    with pytest.raises(InputError, match="must be a problem"):
        function(value)


@pytest.mark.parametrize("function", [regret, critique, repair])
def test_functions_of_plans_reject_problem_names(function: Any) -> None:
    with pytest.raises(InputError, match="must be a problem"):
        function("timearena/household1", {"actions": ACTIONS})


def test_grade_rejects_a_number() -> None:
    with pytest.raises(InputError, match="must be a submission"):
        grade(3)  # type: ignore[call-overload]


def test_deprecated_keywords_warn() -> None:
    problem = load("timearena/household1")
    with pytest.warns(DeprecationWarning, match="fewest_pieces is deprecated; use min_interruptions"):
        assert solve(problem, fewest_pieces=True).proof == solve(problem, min_interruptions=True).proof
    with pytest.warns(DeprecationWarning, match="again is deprecated; use recompute"):
        assert solve(problem, again=True).source == "solved"
    with pytest.warns(DeprecationWarning, match="also is deprecated; use extra"):
        assert planoracle.compare(problem, also=["serial-lpt"]) is not None
