"""Plans for other problems than they say: told loudly, once for every model and set; and problems that are ours."""

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
#: Problems of each benchmark, plans for which are not for the other.
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
def test_a_plan_for_another_problem_is_seen(mine: str, other: str, named: str) -> None:
    right = Grader().grade(plan_of(mine))
    assert (right.success, right.foreign, right.other_problem) == (True, None, None)
    wrong = Grader().grade(plan_of(mine) | {"instance": other})
    assert wrong.success is False
    assert wrong.foreign is not None
    assert wrong.foreign >= 2
    assert "commands name things that the problem lacks: " in (wrong.other_problem or "")


@pytest.mark.parametrize(("mine", "other"), [("robotouille", "kitchens"), ("kitchens", "robotouille")])
def test_a_plan_for_the_other_kitchen_of_a_task_is_seen_whatever_it_names(mine: str, other: str) -> None:
    task = "asynchronous/0_cheese_chicken_sandwich"
    found = Grader().grade(plan_of(f"{mine}/{task}") | {"instance": f"{other}/{task}"})
    assert (found.success, found.other_problem) == (False, f"the plan is a success in {mine}/{task}")
    seeded = Grader().grade(plan_of(f"robotouille/{task}") | {"instance": f"robotouille/{task}@42"})
    assert (seeded.success, seeded.other_problem) == (False, f"the plan is a success in robotouille/{task}")


def test_a_slip_is_no_other_problem(shared: Path) -> None:
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


def test_how_many_are_enough() -> None:
    assert MismatchEvidence((), 0).suspicion(0.25) is None
    assert MismatchEvidence(("a",), 2).suspicion(0.25) is None
    assert MismatchEvidence(("a",), 1).suspicion(0.25) == "1 of 1 commands name things that the problem lacks: a"
    assert MismatchEvidence(("a", "b"), 9).suspicion(0.25) is None
    told = MismatchEvidence(("a", "b", "b", "c", "d"), 9).suspicion(0.25)
    assert told == "5 of 9 commands name things that the problem lacks: b, a, c, ..."
    assert MismatchEvidence((), 9, "kitchens/x").suspicion(0.25) == "the plan is a success in kitchens/x"


@pytest.mark.slow
@pytest.mark.parametrize("verb", sample([["grade"], ["grade", "--format", "jsonl"], ["report"]]))
def test_it_is_told_once_for_every_model_and_set(verb: list[str], tmp_path: Path) -> None:
    wrong = plan_of("timearena/household1")
    rows = [wrong | {"model": model, "instance": f"timearena/lab{n}"} for model in ("m", "n") for n in (1, 2)]
    rows.append(wrong | {"model": "n"})
    path = tmp_path / "plans.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    page = ["-o", str(tmp_path / "page.html")] if verb == ["report"] else []
    done = CliRunner().invoke(app, [*verb, str(path), *page])
    assert done.exit_code == 0
    warnings = [line for line in done.stderr.splitlines() if line.startswith("warning: ")]
    assert len(warnings) == 2
    for model, line in zip("mn", warnings, strict=True):
        assert f"2 of 2 plans of {model} for timearena/lab/1 are probably for other problems: timearena/lab1: " in line


@pytest.mark.parametrize(
    ("name", "said"),
    sample(
        [
            ("asynctool/files_1", "AsyncTool's data are not released; these problems are ours"),
            (f"kitchens/{BURGER}@7", "these are ours, made after Robotouille's paper"),
            ("timearena/lab1", None),
            (f"robotouille/{BURGER}@42", None),
        ],
        several=True,
    ),
)
@pytest.mark.parametrize("verb", sample(["instances", "solve", "compare", "grade", "report"]))
def test_problems_that_are_ours_are_said_to_be(name: str, said: str | None, verb: str, tmp_path: Path) -> None:
    path = tmp_path / "plan.jsonl"
    path.write_text(json.dumps(plan_of(name)) + "\n")
    arguments = {"grade": [str(path)], "report": [str(path), "-o", str(tmp_path / "page.html")]}.get(verb, [name])
    done = CliRunner().invoke(app, [verb, *arguments])
    assert done.exit_code == 0, done.output
    notes = [line for line in done.stderr.splitlines() if "ours" in line]
    assert len(notes) == (said is not None)
    assert said is None or said in notes[0]
    if verb == "report":
        page = (tmp_path / "page.html").read_text(encoding="utf-8")
        assert (html.escape(said or "these are ours") in page) == (said is not None)
