"""The report page without a browser: data, content security policy, grades and the command."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from base64 import b64encode
from hashlib import sha256

import pytest
from support.runner import CliRunner
from support.samples import sample

from planoracle.analysis.cli import app
from planoracle.analysis.diagnosis.critique import critique
from planoracle.analysis.diagnosis.regret import regret
from planoracle.analysis.grading.grade_row import grade_of
from planoracle.analysis.grading.grader import Grader, grade_all
from planoracle.analysis.grading.oracle import optimum
from planoracle.analysis.intake.path_names import SourceLine
from planoracle.analysis.report import jobs
from planoracle.analysis.report.build import build
from planoracle.analysis.report.charts import chart_of_run
from planoracle.analysis.report.jobs import work_on
from planoracle.analysis.report.work import Bench, ReportOptions, entries_of
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.files.catalog import load
from planoracle.instances.protocol import registry
from tests.support.reports import (
    COBBLER,
    FILES,
    HOUSE,
    KITCHEN,
    MARKUP,
    ROGUE,
    best_plan,
    chunks,
    sheet,
    submissions,
    write,
)


def numbered(rows):
    return list(enumerate(rows, 1))


def page_of(rows, **options):
    return build(entries_of(numbered(rows)), **({"processes": 1, "regret_seconds": 60.0} | options))


@pytest.fixture(scope="module")
def built():
    return page_of(submissions())


def elements(page):
    """Return the elements of a page with their attributes, and the texts of its script and style."""
    inside = r"(<(?:script|style)[^>]*>)(.*?)</"
    own = {start[1:].split(">")[0]: text for start, text in re.findall(inside, page, re.DOTALL)}
    return re.findall(r"<([a-zA-Z]+)([^>]*)>", re.sub(inside, r"\1</", page, flags=re.DOTALL)), own


@pytest.mark.slow
def test_each_submission_has_a_row(built):
    index = chunks(built.html)[0]
    rows = index["rows"]
    assert rows["line"] == list(range(1, 14))
    assert [index["problems"][i][0] for i in rows["instance"][:5]] == [COBBLER] * 4 + [HOUSE]
    assert rows["outcome"][:8] == [0, 0, 1, 1, 0, 0, 0, 1]
    assert rows["outcome"][-1] == 2
    assert "no problem has this name" in rows["whys"][rows["why"][-1]]
    reasons = dict(built.unscored)
    assert reasons[SourceLine(13)] == rows["whys"][rows["why"][-1]]
    assert "2 of 2 lines that look like steps could not be read" in reasons[SourceLine(12)]
    assert (built.submissions, built.priced) == (13, 11)


@pytest.mark.slow
def test_rows_agree_with_grades(built):
    rows = chunks(built.html)[0]["rows"]
    for i, grade in enumerate(grade_all(numbered(submissions()), Grader())):
        assert rows["score"][i] == pytest.approx(grade.main_score, abs=1e-6)
        assert rows["makespan"][i] == grade.makespan
        assert rows["optimum"][i] == grade.optimal_makespan
        assert rows["faults"][i] == (len(grade.violations) if grade.scored else None)


@pytest.mark.slow
def test_details_mark_commands_that_were_carried_out(built):
    chart = best_plan(built.html, COBBLER)
    best = optimum(load(COBBLER)).schedule
    instance = load(COBBLER)
    expected = [[instance.index[piece.action], piece.start, piece.duration] for piece in best.pieces]
    assert sorted(piece[:3] for piece in chart["optimum"]["pieces"]) == sorted(expected)
    good, _ = sheet(built.html, "good", COBBLER)
    assert sorted(piece[:3] for piece in good["pieces"]) == sorted(expected)
    assert all(piece[6] for piece in good["pieces"])
    assert good["faults"] == []
    late, _ = sheet(built.html, "late", COBBLER)
    assert {piece[6] for piece in late["pieces"]} == {0, 1}
    assert sorted(piece[0] for piece in late["pieces"]) == sorted(piece[0] for piece in good["pieces"])


@pytest.mark.slow
def test_violations_and_prose_agree_with_critique(built):
    (late,) = (row for row in submissions() if row["id"] == "late")
    report = critique(load(COBBLER), late, regret=False)
    details, _ = sheet(built.html, "late", COBBLER)
    findings = [finding for section in report.sections for finding in section.findings]
    assert sorted(fault[4] for fault in details["faults"]) == sorted(finding.text for finding in findings)
    assert "\n".join(f"{title}: {text}" for title, text in details["critic"]) == report.prose()


@pytest.mark.parametrize(("name", "instance"), [("late", COBBLER), ("slow", HOUSE), ("good", FILES)])
def test_costs_of_decisions_agree_with_regret(built, name, instance):
    (row,) = (one for one in submissions() if (one["id"], one["instance"]) == (name, instance))
    result = regret(load(instance), row)
    _, priced = sheet(built.html, name, instance)
    assert [one[4] for one in priced["decisions"]] == [one.cost for one in result.decisions]
    assert priced["total"] == result.total


def test_details_of_kitchens_have_steps(built):
    details, priced = sheet(built.html, "lost", KITCHEN)
    assert [details["actions"][piece[0]][0] for piece in details["pieces"]] == ["Do nothing"]
    assert [fault[0] for fault in details["faults"]] == ["unknown_action"]
    assert [one[4] for one in priced["decisions"]] == [1, 1]  # a refused action takes a step
    chart = best_plan(built.html, KITCHEN)
    assert len(chart["optimum"]["pieces"]) == chart["optimum"]["makespan"] == 12


def test_repeated_task_that_the_rules_accept_is_left_out_of_the_chart():
    problem = load("paracook/abstract/own/seed_1/orders_num_2")
    benchmark = registry.of(problem)
    *tasks, _ = [problem.actions[position].id for position in problem.order]
    names = [name.partition("/")[2] for name in tasks]
    run = benchmark.run(problem, {"plan": [[*names, names[-1]]]}, benchmark.rules.profiles["released"])
    assert (run.success, run.loophole) == (True, "repeats")
    drawn = [problem.actions[row[0]].id for row in chart_of_run(run)["pieces"] if row[6]]
    assert drawn == tasks


def test_equal_plans_are_graded_once_under_their_own_names(built):
    rows = chunks(built.html)[0]["rows"]
    assert (rows["chunk"][0], rows["place"][0]) == (rows["chunk"][1], rows["place"][1])
    assert rows["id"][:2] == ["good", "again"]
    assert [rows["models"][i] for i in rows["model"][:2]] == ["oracle", "echo"]
    assert len({(rows["chunk"][i], rows["place"][i]) for i in range(13)}) == 12


def test_texts_of_submissions_are_escaped(built):
    page = page_of(submissions(), title=f"{MARKUP}{ROGUE}").html
    tags, _ = elements(page)
    assert {tag for tag, _ in tags} == {
        *("html", "head", "meta", "title", "style", "body", "a", "main", "footer", "noscript", "p", "div", "script")
    }
    assert sum(tag == "script" and "type=" not in attributes for tag, attributes in tags) == 1
    assert not any(re.search(r"\son\w+\s*=", attributes) for _, attributes in tags)
    for text in (MARKUP, "alert(2)", "alert(3)"):
        assert text not in built.html


def test_policy_allows_only_script_and_style_of_page(built):
    _, texts = elements(built.html)
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', built.html)[1]
    allowed = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert allowed["default-src"] == allowed["base-uri"] == allowed["form-action"] == "'none'"
    for tag, rule in (("script", "script-src"), ("style", "style-src")):
        digest = b64encode(sha256(texts[tag].encode()).digest()).decode()
        assert allowed[rule] == f"'sha256-{digest}'"
    for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "fetch("):
        assert word not in texts["script"]
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", built.html)


FAULT = {"index": 0, "kind": "release", "subject": "a", "message": "starts at 2, before 5"}
MORE = {"start": 2, "end": 4, "others": [["b", 0, None]], "resource": "pan", "required": ["x"], "actual": 3}


@pytest.mark.parametrize("fault", [FAULT, FAULT | MORE])
def test_grades_with_and_without_optional_fields_are_read(fault):
    row = {"scored": True, "id": "a", "instance": COBBLER, "success": False, "violations": [fault]}
    assert grade_of(row, 1).violations == (fault,)


@pytest.mark.parametrize(
    "wrong",
    [
        {"others": [["b", 0]]},
        {"others": {"b": 0}},
        {"others": [[1, 0, 0]]},
        {"start": "2"},
        {"end": True},
        {"resource": 1},
        {"required": [1]},
        {"actual": {}},
        {"colour": "red"},
    ],
)
def test_violations_of_other_forms_are_rejected(wrong):
    row = {"scored": True, "id": "a", "instance": COBBLER, "success": False, "violations": [FAULT | MORE | wrong]}
    assert "violations: must be a list of objects" in str(grade_of(row, 1).reason)


def test_hostile_text_is_preserved_as_text(built):
    rows = chunks(built.html)[0]["rows"]
    assert MARKUP in rows["id"]
    assert MARKUP in rows["models"]
    details, _ = sheet(built.html, MARKUP, COBBLER)
    assert MARKUP in details["plan"]
    assert "</script>" in details["plan"]
    assert "\x1b" not in json.dumps(details, ensure_ascii=False)


@pytest.mark.parametrize(
    "row",
    sample(
        [
            {"id": "\ud800", "instance": COBBLER, "plan": "\udfff"},
            {"id": "x" * 10_000, "model": "y" * 10_000, "instance": "z" * 10_000, "plan": ""},
            {"id": "a", "instance": COBBLER, "plan": {"deep": [[[[]]]]}},
            {"id": "a", "instance": COBBLER, "plan": None},
            {"id": "a", "instance": COBBLER},
            {"id": 1, "instance": COBBLER, "plan": ""},
            {"id": "a", "instance": ["x"], "plan": ""},
            {"id": "a", "model": {"b": 1}, "instance": COBBLER, "plan": ""},
            {"id": "a", "instance": "", "plan": ""},
            {"id": "a", "instance": HOUSE, "actions": ["wait"] * 5000},
            {"id": "a", "instance": COBBLER, "plan": f"Step(0, Cobbler, 10 min, {'9' * 400} min)"},
            {"id": "a", "instance": COBBLER, "plan": ", ".join(["Step(0, Cobbler, 10 min, 0:00)"] * 3000)},
            {"id": "a", "instance": KITCHEN, "actions": ["Do nothing"] * 3000},
            {"id": "a", "instance": KITCHEN, "actions": [], "limit": "many"},
            {"scored": "yes"},
            {"scored": True, "id": "a", "instance": COBBLER, "success": True, "violations": [{"index": "x"}]},
            {"scored": True, "id": "a", "instance": COBBLER, "success": True, "makespan": -1},
            {"scored": True, "id": "a", "instance": "asynctool/files_1", "benchmark": "asynctool", "success": True},
            {
                "scored": True,
                "id": "a",
                "instance": HOUSE,
                "benchmark": "timearena",
                "success": True,
                "best_score": [MARKUP],
            },
            [],
            None,
            InputError("is not JSON"),
        ],
        4,
    ),
)
def test_page_is_built_from_any_line(row):
    built = page_of([row], regret_seconds=5.0)
    index = chunks(built.html)[0]
    assert built.submissions == len(index["rows"]["id"]) == 1
    assert len(built.html) < 400_000
    built.html.encode()
    for content in chunks(built.html):
        json.dumps(content, allow_nan=False)


def test_names_equal_after_truncation_stay_distinct():
    name = "z" * 300
    index = chunks(page_of([{"id": "a", "instance": name + end, "plan": ""} for end in "ab"]).html)[0]
    assert len({row[0] for row in index["problems"]}) == len(index["problems"])


@pytest.mark.slow
def test_grades_without_plans():
    rows = submissions()
    grades = [grade.row() for grade in grade_all(numbered(rows), Grader())]
    written = [json.loads(json.dumps(grade)) for grade in grades]
    built, full = page_of(written), page_of(rows)
    mine, theirs = chunks(built.html)[0], chunks(full.html)[0]
    for name in ("id", "line", "outcome", "score", "makespan", "optimum", "faults", "progress"):
        assert mine["rows"][name] == theirs["rows"][name]
    keys = ("model", "set", "success", "score", "missing", "ratio", "faults")
    assert [[row[key] for key in keys] for row in mine["models"]] == [
        [row[key] for key in keys] for row in theirs["models"]
    ]
    details, priced = sheet(built.html, "late", COBBLER)
    assert details["graded"] == 1
    assert "pieces" not in details
    assert priced is None
    assert {fault[0] for fault in details["faults"]} == {
        fault[0] for fault in sheet(full.html, "late", COBBLER)[0]["faults"]
    }
    assert built.unscored == full.unscored
    named = chunks(page_of([row | {"source": "runs/a.csv", "line": 7} for row in written[:2]]).html)[0]["rows"]
    assert (named["sources"], named["source"], named["at"]) == (["runs/a.csv"], [0, 0], [7, 7])
    assert named["line"] == [1, 2]


@pytest.mark.slow
def test_page_does_not_depend_on_number_of_processes():
    rows = [
        {"id": f"{i}", "instance": HOUSE, "actions": ["wait"] * (i % 7) + ["wash cup"] * (i // 7)} for i in range(70)
    ]
    rows += submissions()
    assert page_of(rows, processes=2).html == page_of(rows, processes=1).html


def test_zero_regret_seconds_compute_no_regret():
    built = page_of(submissions(), regret_seconds=0.0)
    assert built.priced == 0
    index = chunks(built.html)[0]
    assert not any(index["rows"]["priced"])
    assert all(row["lost"] is None for row in index["models"])


def test_regret_covers_one_plan_of_each_model_first():
    def order(rows):
        work = work_on(entries_of(numbered(rows)), ReportOptions(), regret_seconds=0.0, processes=1)
        return [work.lines[i][0].submission["id"] for part in jobs._regret_batches(work) for i in part]

    rows = [
        {"id": f"{model}{i}", "model": model, "instance": HOUSE, "actions": ["wait"] * i}
        for i in range(5)
        for model in "ab"
    ]
    # Both models have the same plans, so each plan is graded once, for its first line.
    assert order(rows) == ["a0", "a1", "a2", "a3", "a4"]
    indices = order([row | {"actions": [*row["actions"], row["model"]]} for row in rows])
    assert (indices[:2], len(indices)) == (["a0", "b0"], 10)


@pytest.mark.slow
def test_profile_changes_grades_of_report():
    plan = "Step(0, Cobbler, 10 min, 0:00), Step(1, Cobbler, 0 min, 0:00)"
    rows = [{"id": "a", "instance": COBBLER, "plan": plan}]
    paper, released = (chunks(page_of(rows, profile=name).html)[0] for name in ("paper", "released"))
    assert [index["about"]["profile"] for index in (paper, released)] == ["paper", "released"]
    assert paper["about"]["benchmarks"] != released["about"]["benchmarks"]
    for name, index in (("paper", paper), ("released", released)):
        grade = Bench(ReportOptions(name)).grader.grade(rows[0])
        assert index["rows"]["progress"] == [pytest.approx(grade.progress, abs=1e-6)]
    with pytest.raises(UnknownNameError):
        page_of(rows, profile="none")


def invoke(*args, stdin=None):
    return CliRunner().invoke(app, ["report", *map(str, args)], input=stdin)


@pytest.mark.slow
def test_grading_writes_the_same_page(tmp_path):
    path = write(tmp_path / "plans.jsonl", [*submissions()[:3], {"id": "z", "instance": "nowhere", "plan": ""}])
    for rule in ((), ("--set", "recipe2plan.reference=optimal")):
        one, other = tmp_path / "one.html", tmp_path / "other.html"
        run = CliRunner().invoke(app, ["grade", str(path), "--report", str(one), *rule])
        assert (run.exit_code, invoke(path, "-o", other, *rule).exit_code) == (1, 1)
        assert one.read_bytes() == other.read_bytes()
        assert ('["reference","optimal"]' in json.dumps(chunks(one.read_text())[0], separators=(",", ":"))) == bool(
            rule
        )
    assert CliRunner().invoke(app, ["grade", str(path), "--report", str(tmp_path / "no" / "x.html")]).exit_code == 1


@pytest.mark.slow
def test_command_reports_ungraded_lines(tmp_path):
    page = tmp_path / "page.html"
    lines = '{"id": "a", "instance": "nowhere", "plan": ""}\n\nnonsense\n'
    run = invoke("-", "-o", page, "--regret-seconds", 0, stdin=lines)
    assert run.exit_code == 1
    assert "line 1: " in run.stderr
    assert "line 3: " in run.stderr
    index = chunks(page.read_text())[0]
    assert index["rows"]["line"] == [1, 3]
    assert index["rows"]["outcome"] == [2, 2]


def test_command_rejects_invalid_options(tmp_path):
    assert invoke(tmp_path / "none.jsonl", "-o", tmp_path / "page.html").exit_code == 2
    path = write(tmp_path / "plans.jsonl", [])
    assert invoke(path).exit_code == 2
    assert invoke(path, "-o", tmp_path / "no" / "page.html").exit_code == 1
    assert invoke(path, "-o", tmp_path / "page.html").exit_code == 0
    assert chunks((tmp_path / "page.html").read_text())[0]["rows"]["id"] == []


@pytest.mark.slow
def test_command_ends_its_worker_processes(tmp_path):
    plan = optimum(load("timearena/household1")).plan.splitlines()
    waits = [[*plan[:k], "wait", *plan[k:]] for k in range(len(plan))]
    rows = [
        {"id": f"{k}-{n}", "instance": "timearena/household1", "actions": actions + ["wait"] * n}
        for k, actions in enumerate(waits)
        for n in range(10)
    ]
    (tmp_path / "runs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    call = "from planoracle.analysis.cli import main; main()"
    args = [sys.executable, "-c", call, "report", "runs.jsonl", "-o", "report.html", "--regret-seconds", "1"]
    ended = subprocess.run(args, cwd=tmp_path, capture_output=True, timeout=120, check=False)
    assert (ended.returncode, (tmp_path / "report.html").exists()) == (0, True), ended.stderr
