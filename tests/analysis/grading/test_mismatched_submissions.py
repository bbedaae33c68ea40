"""Plans for other problems than the named ones: one warning per model and set; notes on own problems."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any

import pytest
from support.runner import CliRunner
from support.samples import sample

from planoracle.analysis.cli import app
from planoracle.analysis.grading.grader import Grader
from planoracle.instances.files import catalog
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.run import MismatchEvidence
from planoracle.solver.solve import solve

BURGER = "synchronous/3_burger"
#: One problem per benchmark; a plan for one is not for another.
PAIRS = [
    ("recipe2plan/timed/Vada_Daikon-Radish", "recipe2plan/timed/Cobbler_Pancakes", "vada"),
    ("timearena/household1", "timearena/lab1", "wash cup"),
    ("asynctool/files_1", "asynctool/text_2", "files_1"),
    (f"robotouille/{BURGER}@126", "robotouille/synchronous/0_cheese_sandwich@294", "fryer1"),
]


def plan_of(name: str) -> dict[str, Any]:
    text = solve(catalog.problem(name)).plan or ""
    plan = [json.loads(line) for line in text.splitlines()] if name.startswith("asynctool") else text
    return {"id": name, "instance": name, "plan": plan}


@pytest.mark.parametrize(("mine", "other", "named"), PAIRS)
def test_plan_for_another_problem_is_detected(mine: str, other: str, named: str) -> None:
    right = Grader().grade(plan_of(mine))
    assert (right.success, right.foreign, right.other_problem) == (True, None, None)
    wrong = Grader().grade(plan_of(mine) | {"instance": other})
    assert wrong.success is False
    assert wrong.foreign is not None
    assert wrong.foreign >= 2
    assert "commands name things that the problem lacks: " in (wrong.other_problem or "")


@pytest.mark.parametrize(("mine", "other"), [("robotouille", "kitchens"), ("kitchens", "robotouille")])
def test_plan_for_other_kitchen_of_a_task_is_detected_by_its_success(mine: str, other: str) -> None:
    task = "asynchronous/0_cheese_chicken_sandwich"
    grade = Grader().grade(plan_of(f"{mine}/{task}") | {"instance": f"{other}/{task}"})
    assert (grade.success, grade.other_problem) == (False, f"the plan is a success in {mine}/{task}")
    seeded = Grader().grade(plan_of(f"robotouille/{task}") | {"instance": f"robotouille/{task}@42"})
    assert (seeded.success, seeded.other_problem) == (False, f"the plan is a success in robotouille/{task}")


def test_few_foreign_names_are_no_mismatch(shared: Path) -> None:
    """The released verdicts have plans with some things that do not exist."""
    rows = [json.loads(line) for line in (shared / "verdicts" / "robotouille.jsonl").read_text().splitlines()]
    slips = 0
    for row in rows[:-1:3]:
        if row["instance"].startswith("robotouille/"):
            problem = catalog.problem(row["instance"])
            benchmark = registry.of(problem)
            foreign = benchmark.foreign(benchmark.run(problem, row))
            slips += len(foreign.names)
            assert foreign.suspicion(benchmark.mismatch_share) is None
    assert slips


def test_number_of_foreign_names_decides_mismatch() -> None:
    assert MismatchEvidence((), 0).suspicion(0.25) is None
    assert MismatchEvidence(("a",), 2).suspicion(0.25) is None
    assert MismatchEvidence(("a",), 1).suspicion(0.25) == "1 of 1 commands name things that the problem lacks: a"
    assert MismatchEvidence(("a", "b"), 9).suspicion(0.25) is None
    suspicion = MismatchEvidence(("a", "b", "b", "c", "d"), 9).suspicion(0.25)
    assert suspicion == "5 of 9 commands name things that the problem lacks: b, a, c, ..."
    assert MismatchEvidence((), 9, "kitchens/x").suspicion(0.25) == "the plan is a success in kitchens/x"


@pytest.mark.slow
@pytest.mark.parametrize("command", sample([["grade"], ["grade", "--format", "jsonl"], ["report"]]))
def test_mismatch_is_reported_once_per_model_and_set(command: list[str], tmp_path: Path) -> None:
    wrong = plan_of("timearena/household1")
    rows = [wrong | {"model": model, "instance": f"timearena/lab{n}"} for model in ("m", "n") for n in (1, 2)]
    rows.append(wrong | {"model": "n"})
    path = tmp_path / "plans.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    page = ["-o", str(tmp_path / "page.html")] if command == ["report"] else []
    done = CliRunner().invoke(app, [*command, str(path), *page])
    assert done.exit_code == 0
    warnings = [line for line in done.stderr.splitlines() if line.startswith("warning: ")]
    assert len(warnings) == 2
    for model, line in zip("mn", warnings, strict=True):
        assert f"2 of 2 plans of {model} for timearena/lab/1 are probably for other problems: timearena/lab1: " in line


@pytest.mark.parametrize(
    ("name", "note"),
    sample(
        [
            ("asynctool/files_1", "AsyncTool's data are not released; these problems are ours"),
            (f"kitchens/{BURGER}@7", "kitchens: our own kitchens, modelled on Robotouille's paper"),
            ("timearena/lab1", None),
            (f"robotouille/{BURGER}@42", None),
        ],
        several=True,
    ),
)
@pytest.mark.parametrize("command", sample(["instances", "solve", "compare", "grade", "report"]))
def test_commands_note_problems_that_are_not_from_the_benchmark(
    name: str, note: str | None, command: str, tmp_path: Path
) -> None:
    path = tmp_path / "plan.jsonl"
    path.write_text(json.dumps(plan_of(name)) + "\n")
    arguments = {"grade": [str(path)], "report": [str(path), "-o", str(tmp_path / "page.html")]}.get(command, [name])
    done = CliRunner().invoke(app, [command, *arguments])
    assert done.exit_code == 0, done.output
    notes = [line for line in done.stderr.splitlines() if "ours" in line or "our own" in line]
    assert len(notes) == (note is not None)
    assert note is None or note in notes[0]
    if command == "report":
        page = (tmp_path / "page.html").read_text(encoding="utf-8")
        assert (html.escape(note or "our own kitchens") in page) == (note is not None)
