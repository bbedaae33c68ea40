"""The tables that sum grades up: the same numbers in every format, on the page and in frames."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from support.reports import chunks
from support.runner import CliRunner
from support.samples import sample
from typer.testing import Result

from planoracle.analysis.cli import app
from planoracle.analysis.grading.grade_row import grade_of
from planoracle.analysis.grading.grader import Grade, Grader
from planoracle.analysis.report.build import build
from planoracle.analysis.report.work import entries_of
from planoracle.analysis.statistics import summary
from planoracle.analysis.statistics.summary import summarize
from planoracle.instances.files.catalog import load
from planoracle.instances.protocol import registry
from planoracle.solver.solve import solve
from tests.support.grades import grade_rows

NAMES = ("recipe2plan/timed/Cobbler_Pancakes", "timearena/household1", "timearena/household4", "timearena/cooking1")


def best(name: str) -> str:
    problem = load(name)
    schedule = solve(problem).schedule
    assert schedule is not None
    return str(registry.of(problem).render(problem, schedule))


@pytest.fixture(scope="module")
def submissions() -> list[dict[str, Any]]:
    plans = {name: best(name) for name in NAMES}
    rows = [{"model": "good_one", "instance": name, "plan": plan} for name, plan in plans.items()]
    rows += [{"model": "good_one", "instance": NAMES[0], "plan": "Step(0, Cobbler, 10 min, 0:00)"}]
    rows += [{"model": "<b>|half", "instance": NAMES[1], "plan": plan} for plan in (plans[NAMES[1]], "wait", "wait")]
    rows += [{"model": "<b>|half", "instance": NAMES[0], "plan": 5}, {"model": "<b>|half", "instance": "nowhere"}]
    return [{"id": str(i), **row} for i, row in enumerate(rows)]


@pytest.fixture(scope="module")
def graded(submissions: list[dict[str, Any]]) -> list[Grade]:
    grader = Grader()
    return [grader.grade(row, i) for i, row in enumerate(submissions, start=1)]


@pytest.fixture
def lines(graded: list[Grade], tmp_path: Path) -> Path:
    path = tmp_path / "grades.jsonl"
    path.write_text("\n".join(json.dumps(grade.row()) for grade in graded), encoding="utf-8")
    return path


def invoke(*args: object) -> Result:
    return CliRunner().invoke(app, [*map(str, args)])


def table(text: str, title: str) -> list[dict[str, str]]:
    """Return the rows of a Markdown table."""
    lines = text[text.index(f"**{title}**") :].splitlines()[2:]
    cells = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in lines[: lines.index("")]]
    return [dict(zip(cells[0], row, strict=True)) for row in cells[2:]]


@pytest.mark.slow
def test_terminal_and_page_have_the_same_numbers(
    submissions: list[dict[str, Any]], graded: list[Grade], lines: Path
) -> None:
    expected = json.loads(json.dumps(summarize(grade_rows(graded)).rows()))
    printed = [json.loads(line) for line in invoke("grade", lines, "-f", "jsonl").stdout.splitlines()]
    assert [row for row in printed if row["level"] in ("model", "set")] == expected

    page = chunks(build(entries_of(list(enumerate(submissions, start=1))), regret_seconds=0.0).html)[0]
    names = ("problems", "missing", "submissions", "unscored", "success", "success_of_all", "main_score", "gap")
    names += ("main_score_low", "main_score_high", "gap_runs", "succeeded", "failed", "samples_least", "samples_most")
    names += ("success_runs", "main_score_runs", "success_problems", "all_problems")
    # Sets on the page are over answered problems; tables of sets follow the papers.
    board = summarize(grade_rows(graded), by_paper=False).rows()
    for level, rows in (("model", page["overall"]), ("set", page["models"])):
        expected_rows = [row for row in board if row["level"] == level]
        keys = ["model", "set"] if level == "set" else ["model"]
        assert len(rows) == len(expected_rows)
        for row in expected_rows:
            key = {name: row[name] for name in keys}
            (row_of_page,) = [one for one in rows if all(one[name] == value for name, value in key.items())]
            assert {name: row_of_page[name] for name in names} == pytest.approx(
                {name: row[name] for name in names}, abs=1e-6
            )


def test_rows_of_models_precede_rows_of_sets(lines: Path) -> None:
    result = invoke("grade", lines, "--format", "markdown")
    assert result.exit_code == 0
    good, half = table(result.stdout, "Averages per model, over all sets; (n of m): a mean over n of m problems")
    assert (good["model"], good["sets"], good["problems"], good["unscored"]) == ("good\\_one", "3", "4", "0")
    assert (good["success"], good["samples"]) == ("0.833 (4 of 85)", "1-2")  # (0.5 + 1 + 1) / 3
    assert good["gap of successes"] == "+0.0 % (4)"
    assert good["lost by failures"] == "no regret computed (1)"
    # It has a run in one of the other two sets, which could not be graded.
    assert (half["model"], half["sets"], half["success"]) == ("&lt;b&gt;\\|half", "1 of 3", "0.333 (1 of 85)")
    assert half["success of all"] == "0.011"  # one of three runs, for one of ten problems, in one of three sets
    assert (
        result.stdout.index("Averages per model")
        < result.stdout.index("Recipe2Plan")
        < result.stdout.index("TimeArena")
    )
    assert "note: <b>|half: problems" not in result.stderr  # one problem, three samples
    assert "note: 2 models (first: <b>|half): no plan for Cobbler_Daikon-Radish" in result.stderr
    household = table(result.stdout, "TimeArena: averages")
    assert {row["set"] for row in household} == {"timearena/cooking/1", "timearena/household/1"}


def _ranked(model: str, problems: int, successes: int) -> list[str]:
    """Return rows of grades: successes, then unfinished runs, rejected commands and unread answers."""
    rows = []
    for i in range(problems):
        plan = {"id": f"{model}{i}", "model": model, "instance": f"mine/{i}", "benchmark": "generic", "scored": True}
        success = i < successes
        plan |= {"success": success, "makespan": 5, "optimal_makespan": 5, "progress": 1.0 if success else 0.5}
        plan |= {"goal_ratio": 1.0 if success else 0.0, "violations": [], "violation": None}
        if not success and i % 3 == 1:
            plan["violations"] = [{"index": 0, "kind": "too_early", "subject": "a", "message": "is too early"}]
        if not success and i % 3 == 2:
            plan["violation"] = "no_plan"
        rows.append(json.dumps(plan))
    return rows


@pytest.mark.slow
def test_models_are_compared_in_pairs_and_failures_are_counted_by_cause(tmp_path: Path) -> None:
    path = tmp_path / "grades.jsonl"
    path.write_text("\n".join([*_ranked("my_best", 60, 60), *_ranked("second", 60, 48), *_ranked("third", 60, 45)]))
    text = invoke("grade", path, "-f", "markdown").stdout
    title = (
        "Models in pairs by success over 60 problems; missing plans count as failures; "
        "p: p-value of the sign test, corrected by Holm's method"
    )
    rows = table(text, title)
    assert [(row["model"], row["against"], row["wins"], row["ties"], row["losses"]) for row in rows] == [
        ("my\\_best", "second", "12", "48", "0"),
        ("my\\_best", "third", "15", "45", "0"),
        ("second", "third", "3", "57", "0"),
    ]
    assert [row["p"] for row in rows] == ["&lt;0.001", "&lt;0.001", "0.250"]
    assert rows[2]["difference (95 %)"].startswith("+0.050 (0.000 to 0.1")
    assert "by main score" not in text  # whose results are the same
    causes = table(text, "Failed plans by cause")
    assert {row.pop("failure cause"): row for row in causes} == {
        "nothing read": {"my\\_best": "0", "second": "4", "third": "5"},
        "refused: too early": {"my\\_best": "0", "second": "4", "third": "5"},
        "unfinished": {"my\\_best": "0", "second": "4", "third": "5"},
    }
    latex = invoke("grade", path, "-f", "latex").stdout
    assert all(rf"\caption{{{name}" in latex for name in ("Models in pairs by success", "Failed plans by cause"))
    assert "failure cause & my\\_best & second & third" in latex
    data = [json.loads(line) for line in invoke("grade", path, "-f", "jsonl").stdout.splitlines()]
    (first, *_) = [row for row in data if row["level"] == "pair"]
    assert (first["a"], first["b"], first["value"], first["pairs"], first["wins"]) == (
        *("my_best", "second", "success"),
        *(60, 12),
    )
    assert {"level": "cause", "model": "third", "failure_cause": "unfinished", "count": 5, "share": 5 / 60}.items() <= (
        data[-1].items()
    )


def test_many_models_are_compared_with_best_model_only(tmp_path: Path) -> None:
    path = tmp_path / "grades.jsonl"
    path.write_text("\n".join(row for i in range(7) for row in _ranked(f"m{i}", 6, i)))
    data = [json.loads(line) for line in invoke("grade", path, "-f", "jsonl").stdout.splitlines()]
    pairs = [(row["a"], row["b"]) for row in data if row["level"] == "pair" and row["value"] == "success"]
    assert pairs == [("m6", f"m{i}") for i in (5, 4, 3, 2, 1, 0)]
    assert "The best model compared with each other model by success over 6 problems" in invoke("grade", path).stdout


@pytest.mark.slow
def test_data_formats_have_all_rows_and_fields(lines: Path) -> None:
    rows = json.loads(invoke("grade", lines, "-f", "json").stdout)
    assert [json.loads(line) for line in invoke("grade", lines, "-f", "jsonl").stdout.splitlines()] == rows
    assert {(row["format"], row["version"]) for row in rows} == {("planoracle/summary", 2)}
    assert [*dict.fromkeys(row["level"] for row in rows)] == ["model", "set", "pair", "cause"]
    cells: list[dict[str, str]] = []
    for name in ("models", "sets", "pairs", "causes"):
        text = invoke("grade", lines, "-f", "csv", "--all-columns", "--table", name).stdout
        cells += csv.DictReader(io.StringIO(text))
    assert len(cells) == len(rows)
    for cell, row in zip(cells, rows, strict=True):
        fields = {key: value for key, value in row.items() if value is not None and not isinstance(value, dict | list)}
        assert {key: cell[key] for key in fields} == {key: str(value) for key, value in fields.items()}


def test_unequal_numbers_of_samples_are_noted(lines: Path, tmp_path: Path) -> None:
    more = tmp_path / "more.jsonl"
    rows = [line for line in lines.read_text().splitlines() if "household1" in line]
    more.write_text("\n".join([*rows, rows[-1].replace("household1", "household2")]))
    messages = invoke("grade", more).stderr
    assert "note: <b>|half: problems in timearena/household/1 have from 1 to 3 scored samples" in messages
    assert "good_one: problems" not in messages


def test_summary_columns_are_those_of_table_of_models(lines: Path) -> None:
    text = invoke("grade", lines, "-f", "latex", "--columns", "model,success").stdout
    head = [r"\begin{tabular}{ll}", r"\toprule", r"model & success \\"]
    assert [line for line in text.splitlines() if line in head] == head
    assert text.count(r"\begin{tabular}") == 1
    refused = invoke("grade", lines, "--columns", "model,nope")
    assert (refused.stdout, "--columns: must be one of" in str(refused.exception)) == ("", True)


def test_csv_has_one_table_and_an_unknown_one_is_refused(lines: Path) -> None:
    levels = {}
    for arguments in ((), ("--table", "sets"), ("--table", "pairs")):
        text = invoke("grade", lines, "-f", "csv", *arguments).stdout
        levels[arguments[-1:]] = {row["level"] for row in csv.DictReader(io.StringIO(text))}
    assert levels == {(): {"model"}, ("sets",): {"set"}, ("pairs",): {"pair"}}
    refused = invoke("grade", lines, "--table", "pears")
    assert (refused.stdout, "did you mean pairs" in str(refused.exception)) == ("", True)


@pytest.mark.parametrize("width", sample([60, 80, 120]))
def test_narrow_tables_keep_model_success_and_score(lines: Path, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    text = invoke("grade", lines).stdout
    heading = next(line for line in text.splitlines() if line.startswith("model "))
    assert "success" in heading
    assert "main score" in heading
    assert len(heading) <= width


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ending", "begins"),
    sample(
        [
            (".csv", "level,"),
            (".json", "["),
            (".jsonl", "{"),
            (".md", "**Averages"),
            (".tex", "\\begin"),
            (".txt", "Averages per model"),
        ],
        several=True,
    ),
)
def test_grade_writes_its_summary_to_a_file(
    submissions: list[dict[str, Any]], tmp_path: Path, ending: str, begins: str
) -> None:
    path, output = tmp_path / "s.jsonl", tmp_path / f"made{ending}"
    path.write_text("\n".join(map(json.dumps, submissions[:2])))
    result = invoke("grade", path, "--format", "jsonl", "--summary", output)
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) == 2  # one object per line only
    assert output.read_text(encoding="utf-8").startswith(begins)


@pytest.mark.slow
def test_unwritable_summary_file_is_rejected(submissions: list[dict[str, Any]], tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(json.dumps(submissions[0]))
    result = invoke("grade", path, "--summary", tmp_path / "made.xls")
    assert (result.exit_code, result.stdout) == (2, "")
    assert ".csv" in result.stderr
    result = invoke("grade", path, "--summary", tmp_path / "none" / "made.csv")
    assert result.exit_code == 1
    assert "cannot be written" in str(result.exception)


def test_other_lines_are_reported_and_grades_summarized(lines: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.jsonl"
    lacking = {"id": "a", "instance": NAMES[1], "benchmark": "timearena", "scored": True, "success": True}
    rows = ["{", json.dumps(lacking), '{"id": "a", "instance": "x", "plan": "wait"}']
    rows += [json.dumps(lacking | {"success": None}), lines.read_text().splitlines()[1]]
    rows += [json.dumps(lacking | {"model": "m" * 1_001})]
    bad.write_text("\n".join(rows))
    result = invoke("grade", bad, "-f", "jsonl")
    assert result.exit_code == 1
    assert "line 3: is a submission among grades" in result.stderr
    assert "is not JSON" in result.stderr
    assert "line 4: success: must be true or false" in result.stderr
    assert "line 6: model: must have at most 1,000 characters" in result.stderr
    assert "line 2: lacks a field that the averages of its benchmark need" in result.stderr
    (row,) = [json.loads(line) for line in result.stdout.splitlines() if '"set"' in line and "household" in line]
    assert (row["model"], row["submissions"], row["success"]) == ("good_one", 1, 1.0)


def test_mean_over_some_runs_has_their_number(tmp_path: Path) -> None:
    shared = {"scored": True, "success": True, "benchmark": "generic", "model": "m", "makespan": 10}
    rows = [shared | {"id": name, "instance": name} for name in "abc"]
    rows[0]["optimal_makespan"], rows[1]["optimal_makespan"] = 8, 5
    grades = tmp_path / "grades.jsonl"
    grades.write_text("\n".join(map(json.dumps, rows)))
    models, sets = json.loads(invoke("grade", grades, "-f", "json").stdout)
    assert (models["main_score"], models["main_score_runs"], models["success_runs"]) == (pytest.approx(0.65), 2, 3)
    assert sets["runs"] == {"success": 3, "progress": 3, "goal_ratio": 3, "score": 2}
    printed = invoke("grade", grades, "--format", "markdown").stdout
    assert table(printed, "Averages per model, over all sets")[0]["main score"] == "0.650 (2 of 3)"
    (own,) = table(printed, f"{registry.get('generic').title}: averages")
    assert (own["success"], own["score"]) == ("1.000", "0.650 (2 of 3)")


def test_number_of_named_missing_problems_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else rows of as many models as problems would make a table of all pairs."""
    monkeypatch.setattr(summary, "NAMED", 3)
    shared = {"id": "a", "scored": True, "success": True, "main_score": 1.0, "benchmark": "generic"}
    rows = [shared | {"model": f"m{number}", "instance": f"x{number}"} for number in range(6)]
    sets = summarize(grade_rows(grade_of(row, 1) for row in rows)).sets
    assert [(row["problems"], row["missing"]) for row in sets] == [(1, 5)] * 6
    assert sets[1]["missing_names"] == ["x0", "x2", "x3"]


def test_rules_set_treatment_of_missing_problems(lines: Path) -> None:
    def success(*options: str) -> float:
        rows = json.loads(invoke("grade", lines, "-f", "json", *options).stdout)
        return next(float(row["success"]) for row in rows if row.get("set") == "recipe2plan/timed" and row["problems"])

    assert success() == 0.5 / 65
    assert success("--set", "recipe2plan.missing=skipped") == success("--profile", "released") == 0.5


def test_very_late_plan_is_summarized(tmp_path: Path) -> None:
    """A schedule may begin after 2**63 ticks; its grade is written, so it can be read."""
    grade = Grader().grade({"id": "a", "model": "m", "instance": "timearena/lab1", "plan": "wait"}).row()
    late = grade | {"makespan": 2**63 + 300}
    assert grade_of(json.loads(json.dumps(late)), 1).makespan == 2**63 + 300
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps(late) + "\n" + json.dumps(grade) + "\n")
    done = CliRunner().invoke(app, ["grade", str(rows), "--format", "jsonl"])
    assert (done.exit_code, done.stderr) == (0, "")
    assert json.loads(done.stdout.splitlines()[0])["submissions"] == 2
