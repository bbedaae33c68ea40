"""Pipelines: output of one command as input of another."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.runner import invoke
from support.samples import sample

from planoracle.analysis import frames
from planoracle.analysis.grading.grade_row import read_grades

HOUSE, COBBLER, TOOLS = "timearena/household1", "recipe2plan/timed/Cobbler_Pancakes", "asynctool/files_2"
NAMES = (HOUSE, COBBLER, TOOLS)
# Commands that read submissions, with their options.
READERS = {
    "grade": ("-f", "jsonl"),
    "regret": ("-f", "jsonl"),
    "critique": ("-f", "jsonl", "--no-regret"),
    "repair": ("-f", "jsonl"),
    "grade --collect -": (),
}
# Commands that write plans, with their options and the model in their rows.
WRITERS = {
    "solve": (("solve", *NAMES), "optimum"),
    "heuristic": (("solve", *NAMES, "-H", "serial-spt"), "serial-spt"),
    "next": (("next", HOUSE), "next"),
    "repair": (("repair", "given.jsonl"), "repair"),
    "collect": (("grade", "given.jsonl", "--collect", "-"), "given"),
}
FORMS = [(subcommand, form) for subcommand in ("solve", "heuristic", "next", "repair") for form in ("json", "jsonl")]


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    submission = {"instance": HOUSE, "actions": ["activate kettle"], "model": "given"}
    Path("given.jsonl").write_text(json.dumps(submission))


def run(*arguments: str, code: int = 0, text: str | None = None) -> str:
    result = invoke(*arguments, input=text)
    assert result.exit_code == code, (arguments, result.stderr, result.exception)
    return result.stdout


def rows(text: str) -> Iterator[dict[str, object]]:
    return map(json.loads, text.splitlines())


@pytest.mark.slow
@pytest.mark.parametrize("subcommand", READERS)
@pytest.mark.parametrize(("writer", "form"), [*FORMS, ("collect", "")])
def test_written_plans_are_accepted_as_submissions(writer: str, form: str, subcommand: str) -> None:
    command, model = WRITERS[writer]
    file = f"plans.{form or 'jsonl'}"
    Path(file).write_text(run(*command, *(("-f", form) if form else ())))
    answers = list(rows(run(*subcommand.split(), file, *READERS[subcommand])))
    names = {HOUSE, TOOLS, COBBLER} if writer in ("solve", "heuristic") else {HOUSE}
    assert {row["instance"] for row in answers} == names
    if subcommand != "repair":
        assert {row["model"] for row in answers} == {model}
    if subcommand == "grade":
        assert all(row["success"] for row in answers) == (writer != "collect")


@pytest.mark.slow
@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_written_grades_are_accepted_by_compare(form: str) -> None:
    Path("plans.jsonl").write_text(run("solve", *NAMES, "-f", "jsonl"))
    file = f"grades.{form}"
    Path(file).write_text(run("grade", "plans.jsonl", "-f", form))
    by_method = {one["method"]: one for one in rows(run("compare", file, "-f", "jsonl")) if one["instance"] == COBBLER}
    model = by_method["model optimum"]  # with the name of a method
    assert (model["makespan"], model["gap"], model["outcome"]) == (4080, 0.0, "feasible")
    run("report", file, "-o", "page.html")
    (summed,) = [one for one in rows(run("grade", file, "-f", "jsonl")) if one["level"] == "model"]
    assert (summed["model"], summed["problems"]) == ("optimum", 3)
    assert next(iter(rows(run("grade", file, "--collect", "-"))))["scored"] is True
    grades = list(read_grades(file))
    assert [grade.model for grade in grades] == ["optimum"] * 3
    frame, errors = frames.grades(grades)
    assert (list(frame["success"]), len(errors)) == ([True] * 3, 0)
    assert (
        next(iter(read_grades("plans.jsonl"))).reason
        == "scored: is missing; the line is a submission, not a row of planoracle grade"
    )
    result = invoke("grade", "plans.jsonl", file)
    assert result.exit_code == 1
    assert "is a grade among submissions" in result.stderr
    assert run("grade", file, "--report", "page.html", code=2) == ""


def test_failed_models_are_compared_as_failed() -> None:
    row = {"id": "a", "instance": HOUSE, "scored": True, "success": False, "model": "m", "violation": "too_late"}
    Path("grades.jsonl").write_text("\n".join(map(json.dumps, [row, row | {"instance": "no/such", "scored": False}])))
    compared = {one["method"]: one for one in rows(run("compare", "grades.jsonl", "-f", "jsonl"))}
    assert (compared["m"]["makespan"], compared["m"]["outcome"]) == (None, "failed")
    rowed = row | {"success": True, "makespan": 20}
    Path("grades.jsonl").write_text("\n".join(json.dumps(rowed | {"model": name}) for name in ("printed", "mine", "n")))
    compared = {one["method"]: one["makespan"] for one in rows(run("compare", "grades.jsonl", "-f", "jsonl"))}
    assert (compared["model printed"], compared["printed"], compared["mine"]) == (20, 13, 20)
    some = rows(run("compare", "grades.jsonl", "--methods", "n,optimum", "-f", "jsonl"))
    assert [one["method"] for one in some] == ["n", "optimum"]


@pytest.mark.slow
@pytest.mark.parametrize("subcommand", sample(["solve", "instances", "compare"]))
def test_generated_problems_are_read_from_lines_and_folders(subcommand: str) -> None:
    Path("made.jsonl").write_text(run("generate", "generic", "--count", "3", "--actions", "3", "--seed", "1"))
    run("generate", "generic", "--count", "3", "--actions", "3", "--seed", "1", "--out", "made")
    outputs = {
        source: [row["instance"] for row in rows(run(subcommand, source, "-f", "jsonl"))]
        for source in ("made.jsonl", "made")
    }
    assert outputs["made.jsonl"] == outputs["made"]
    assert len(set(outputs["made"])) == 3


@pytest.mark.slow
def test_generated_problems_are_solved_from_a_pipe_and_graded_by_name() -> None:
    problems = run("generate", "generic", "--count", "2", "--actions", "3", "--seed", "1")
    Path("made.jsonl").write_text(problems)
    Path("plans.jsonl").write_text(run("solve", "-", "-f", "jsonl", text=problems + HOUSE))
    assert [row["success"] for row in rows(run("grade", "plans.jsonl", "-f", "jsonl", code=1))] == [None, None, True]
    for subcommand, options in READERS.items():
        if "--collect" not in subcommand:
            answers = list(rows(run(subcommand, "plans.jsonl", "--problems", "made.jsonl", *options)))
            assert len(answers) == 3
    run("report", "plans.jsonl", "--problems", "made.jsonl", "-o", "page.html", "--regret-seconds", "0")
    Path("other.jsonl").write_text(problems.replace('"duration": ', '"duration": 1', 1))
    result = invoke("grade", "plans.jsonl", "--problems", "made.jsonl", "--problems", "other.jsonl")
    assert "must be unique; two problems have it" in str(result.exception)


@pytest.mark.slow
def test_bad_line_of_problems_does_not_stop_the_others() -> None:
    lines = run("generate", "generic", "--count", "2", "--actions", "3", "--seed", "1").splitlines()
    Path("made.jsonl").write_text("\n".join([lines[0], '{"format": "planoracle/instance"}', "{", "no/such", lines[1]]))
    result = invoke("solve", "made.jsonl", "-f", "jsonl")
    assert (result.exit_code, len(result.stdout.splitlines())) == (1, 2)
    assert [f"made.jsonl, line {k}" in result.stderr for k in (1, 2, 3, 4, 5)] == [False, True, True, True, False]
    result = invoke("compare", "made.jsonl", "--methods", "optimum", "-f", "jsonl")
    assert (result.exit_code, len(result.stdout.splitlines())) == (1, 2)
