"""Grades: the contract of their fields, the released verdicts, the metrics, and bad submissions."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planoracle.analysis.grading.grader import Grade, Grader, grade_all
from planoracle.analysis.grading.oracle import optimum
from planoracle.analysis.intake.path_names import SourceLine
from planoracle.analysis.statistics.summary import summarize
from planoracle.instances.benchmarks.recipe2plan import Recipe2Plan, problems
from planoracle.instances.benchmarks.recipe2plan.language import Answers, parse
from planoracle.instances.benchmarks.recipe2plan.metrics import efficiency, reference_efficiency, released_plan
from planoracle.instances.benchmarks.recipe2plan.rules import PROFILES, RULE_SET
from planoracle.instances.benchmarks.recipe2plan.simulation import Recipe2PlanSimulator
from planoracle.instances.benchmarks.recipe2plan.step_grammar import StepCommand
from planoracle.instances.files import catalog
from planoracle.instances.files.instance_file import to_document
from planoracle.instances.model.instance import Action, Instance, Lag
from planoracle.instances.protocol import registry
from tests.support.grades import all_problems, grade_rows, read_submissions
from tests.support.replays import recipe_verdict
from tests.support.samples import sample

PAPER, RELEASED = PROFILES["paper"], PROFILES["released"]
NAME = "recipe2plan/timed/Cobbler_Pancakes"
EGG = "recipe2plan/timed/Pizza_Chocolate-Egg"

CONTRACT = [
    "format",
    "version",
    "id",
    "instance",
    "scored",
    "success",
    "failure_cause",
    "violation",
    "violation_index",
    "violations",
    "executed",
    "progress",
    "goal_ratio",
    "main_score",
    "makespan",
    "optimal_makespan",
    "optimum_status",
    "optimum_bound",
    "benchmark",
    "model",
    "sample",
    "source",
    "line",
    "reason",
    "foreign",
    "other_problem",
    "read",
    "read_from",
    "ignored",
]
# Metrics of the benchmark, which unscored rows do not have.
METRICS = ["efficiency", "r_efficiency", "r_efficiency_optimal", "multitasking_score", "reference"]


def reference_text(name):
    return ", ".join(command.text for command in released_plan(catalog.load(name)))


def optimal_text(name):
    return optimum(catalog.load(name)).plan


@cache
def grader(rules=PAPER):
    return Grader({"recipe2plan": rules})


def grade(plan, name=NAME, rules=PAPER, problems=None):
    return Grader({"recipe2plan": rules}, problems=problems).grade({"id": "one", "instance": name, "plan": plan})


# --- fields --------------------------------------------------------------------------------------


def test_row_has_documented_fields():
    row = grade(reference_text(NAME)).row()
    *columns, reference = METRICS
    assert list(row) == [*CONTRACT, *columns, "action_kinds", reference, "beliefs"]
    assert list(grader().grade(None).row()) == CONTRACT
    assert [column.name for column in registry.get("recipe2plan").columns] == METRICS
    assert (row["format"], row["version"]) == ("planoracle/grade", 3)
    assert row["main_score"] == row["multitasking_score"]


def test_row_of_plan_without_violations():
    row = grade(reference_text(NAME)).row()
    assert row["id"] == "one"
    assert row["instance"] == NAME
    assert (row["scored"], row["success"], row["reason"]) == (True, True, None)
    assert (row["violation"], row["violation_index"], row["violations"]) == (None, None, ())
    assert (row["executed"], row["progress"], row["goal_ratio"]) == (24, 1.0, 1.0)
    assert (row["r_efficiency"], row["multitasking_score"]) == (1.0, 1.0)
    assert (row["makespan"], row["optimal_makespan"]) == (4380, 4080)
    assert row["reference"] == "heuristic"


def test_row_of_failed_plan():
    row = grade("Step(1, Cobbler, 2 min, 00:00), Step(2, Cobbler, 1 min, 01:00)").row()
    assert (row["scored"], row["success"], row["reason"]) == (True, False, None)
    assert (row["violation"], row["violation_index"], row["executed"]) == ("time_error", 1, 1)
    assert row["failure_cause"] == "time error"
    assert row["violations"][0]["index"] == 1
    assert row["violations"][0]["kind"] == "time_error"
    assert row["violations"][0]["subject"] == "Cobbler/2"
    assert {v["kind"] for v in row["violations"][2:]} == {"missing_action"}
    assert row["multitasking_score"] == 0.0
    assert json.loads(json.dumps(row))["progress"] == 1 / 24


def test_unscored_row_has_no_metrics():
    row = grader().grade({"id": "x", "instance": NAME, "model": "m"}, SourceLine(7)).row()
    expected = {"format": "planoracle/grade", "version": 3, "id": "x", "instance": NAME, "benchmark": "recipe2plan"}
    expected |= {"model": "m", "line": 7, "scored": False, "failure_cause": "not scored"}
    assert {key: value for key, value in row.items() if value is not None and key != "reason"} == expected
    assert row["reason"] == "plan: is missing"


# --- the released verdicts -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def verdicts(shared):
    path = shared / "verdicts" / "recipe2plan.jsonl"
    if not path.is_file():
        pytest.skip(f"the verdicts of the released grader are not here ({path})")
    return [json.loads(line) for line in path.read_bytes().splitlines()]


PARTS = pytest.mark.parametrize("part", sample(range(8)))


@PARTS
def test_released_profile_gives_the_released_verdicts(verdicts, part):
    assert len(verdicts) == 645
    same = {"progress", "goal_ratio", "executed", "success", "violation", "violation_index"}
    wrong = []
    for entry in verdicts[part::8]:
        result, expected = grader(RELEASED).grade(entry), entry["expected"]
        agree = all(getattr(result, field) == expected[field] for field in same)
        agree &= result.makespan == expected["makespan_s"]
        agree &= result.metrics["r_efficiency"] == pytest.approx(expected["r_efficiency"], abs=1e-9)
        if not (result.scored and agree):
            wrong.append(entry["id"])
    assert wrong == []


@PARTS
def test_paper_profile_gives_the_same_verdict_on_plans_without_zero_lengths(verdicts, part):
    fields = ("success", "violation", "violation_index", "executed", "progress", "goal_ratio")
    compared = 0
    for entry in verdicts[part::8]:
        commands = parse(entry["plan"], catalog.load(entry["instance"]), RELEASED).commands
        if all(command.duration for command in commands):
            result = grader().grade(entry)
            assert [getattr(result, field) for field in fields] == [entry["expected"][field] for field in fields]
            compared += 1
    assert compared > 60


# --- optimal and reference plans -----------------------------------------------------------------


def test_optimum_is_missing_if_released_rules_allow_shorter_success(tmp_path):
    """As released, a command of length zero takes back the finish of a step that runs by itself."""
    soak = Action("A/0", "A", 120, 0)
    dry = Action("A/1", "A", 60, 60)
    problem = Instance("A", (soak, dry), (Lag("A/0", "A/1"),), benchmark="recipe2plan", unit="second")
    path = tmp_path / "a.json"
    path.write_text(json.dumps(to_document(problem)))
    text = "Step(0, A, 2 min, 0:00), {}Step(1, A, 1 min, {})"
    plans = {"honest": text.format("", "2:00"), "short": text.format("Step(0, A, 0 min, 0:00), ", "0:00")}
    grades = {
        (name, profile): grade(plan, str(path), rules, all_problems())
        for name, plan in plans.items()
        for profile, rules in (("paper", PAPER), ("released", RELEASED))
    }
    figures = {key: (one.success, one.makespan, one.optimal_makespan) for key, one in grades.items()}
    assert figures == {
        ("honest", "paper"): (True, 180, 180),
        ("honest", "released"): (True, 180, 180),
        ("short", "paper"): (False, 120, 180),
        ("short", "released"): (True, 120, None),
    }


def test_optimal_plans_have_r_efficiency_one_against_the_optimum():
    rules = RULE_SET.profile("paper", reference="optimal")
    for name in problems.names():
        result = grade(optimal_text(name), name, rules)
        assert result.metrics["reference"] == "optimal"
        figures = ("r_efficiency", "r_efficiency_optimal", "multitasking_score")
        assert [result.metrics[key] for key in figures] == [1.0] * 3, name


def test_reference_plans_have_r_efficiency_one_against_themselves_and_less_against_the_optimum():
    better = 0
    for name in problems.names():
        if name == EGG:
            continue
        result = grade(reference_text(name), name)
        assert (result.success, result.metrics["reference"]) == (True, "heuristic")
        assert result.metrics["r_efficiency"] == pytest.approx(1.0, abs=1e-12), name
        assert result.makespan >= result.optimal_makespan
        if result.executed >= len(parse(optimal_text(name), catalog.load(name)).commands):
            assert result.metrics["r_efficiency_optimal"] <= 1.0 + 1e-12, name
        better += result.makespan > result.optimal_makespan
    assert better == 62 + 29  # longer than the optimum in 62 timed and 29 untimed pairs


def test_pair_without_reference_plan_has_no_r_efficiency():
    plan = optimal_text(EGG)
    released = grade(plan, EGG, RELEASED)
    figures = ("r_efficiency", "multitasking_score", "reference")
    assert (released.success, *(released.metrics[key] for key in figures)) == (True, 0.0, 0.0, "none")
    paper = grade(plan, EGG)
    assert (paper.success, *(paper.metrics[key] for key in figures)) == (True, 1.0, 1.0, "optimal")
    strict = grade(plan, EGG, RULE_SET.profile("paper", missing_ref="zero"))
    assert (strict.metrics["r_efficiency"], strict.metrics["reference"]) == (None, "none")


# --- equations 1 to 3 ----------------------------------------------------------------------------

BOILED = Instance(
    "boiled",
    actions=(
        Action("A/0", "A", 600, 0),  # boil
        Action("A/1", "A", 300, 300, interruptible=True),  # peel
        Action("A/2", "A", 120, 120),  # serve
    ),
    lags=(Lag("A/0", "A/2"),),
    benchmark="recipe2plan",
    unit="second",
)
RUN = [StepCommand(0, "A", 600, 0), StepCommand(1, "A", 300, 0), StepCommand(2, "A", 120, 600)]
REFERENCE = [StepCommand(0, "A", 600, 0), StepCommand(1, "A", 300, 100), StepCommand(2, "A", 120, 700)]


def replayed(commands, rules=PAPER):
    return recipe_verdict(BOILED, Answers((tuple(commands),)), rules)


def test_equations_1_to_3_by_hand():
    # Work 600 + 300 + 120 = 1020 s done by 720 s: 300 s saved in 600 s of autonomous work, 0.5.
    # Reference: the same work by 820 s, 200 s saved in 600 s, 1/3. R = 0.5 / (1/3) = 1.5.
    metrics = efficiency(BOILED, replayed(RUN), REFERENCE)
    assert metrics.efficiency == 0.5
    assert metrics.r_efficiency == pytest.approx(1.5)
    assert metrics.multitasking_score == metrics.r_efficiency


def test_equations_1_to_3_for_a_failed_run_by_hand():
    # Boiled and peeled by 600 s, then serving too long: 900 - 600 = 300 s saved, 300 / 600 = 0.5.
    # Two commands of the reference: 900 s of work by 600 s as well, 0.5. R = 1, but no success: score 0.
    metrics = efficiency(BOILED, replayed([*RUN[:2], StepCommand(2, "A", 130, 600)]), REFERENCE)
    assert metrics == (0.5, 1.0, 0.0)


def test_reference_is_truncated_in_listed_order():
    # Two commands carried out. Listed last first, these are serving and peeling: no autonomous work.
    assert efficiency(BOILED, replayed(RUN[:2]), REFERENCE[::-1]).r_efficiency is None


def test_ref_min_option_limits_ratio_to_five_times_efficiency():
    # Reference done by 960 s: 60 s saved in 600 s, 0.1. R = 0.5 / 0.1 = 5, the cap is 5 * 0.5 = 2.5.
    slow = [*REFERENCE[:2], StepCommand(2, "A", 120, 840)]
    assert efficiency(BOILED, replayed(RUN), slow).r_efficiency == pytest.approx(5.0)
    capped = efficiency(BOILED, replayed(RUN), slow, RULE_SET.profile("paper", ref_floor=True))
    assert capped.r_efficiency == pytest.approx(2.5)


def test_undefined_reference_gives_undefined_or_zero_metric():
    # A sequential or missing reference saves nothing.
    serial = [StepCommand(0, "A", 600, 0), StepCommand(1, "A", 300, 600), StepCommand(2, "A", 120, 900)]
    for reference in (serial, None, []):
        undefined = efficiency(BOILED, replayed(RUN), reference)
        assert (undefined.efficiency, undefined.r_efficiency, undefined.multitasking_score) == (0.5, None, None)
        zero = efficiency(BOILED, replayed(RUN), reference, RULE_SET.profile("paper", undefined_ref="zero"))
        assert (zero.r_efficiency, zero.multitasking_score) == (0.0, 0.0)
    failed = efficiency(BOILED, replayed(RUN[:2]), serial)
    assert (failed.r_efficiency, failed.multitasking_score) == (None, 0.0)


def test_efficiency_without_autonomous_work_is_undefined():
    assert efficiency(BOILED, replayed(RUN[1:2]), REFERENCE) == (None, None, 0.0)


def test_clip_saved_sets_negative_savings_to_zero():
    # Peeling at 1000 s: 900 s of work by 1300 s.
    late = replayed([RUN[0], StepCommand(1, "A", 300, 1000)])
    assert efficiency(BOILED, late, REFERENCE)[:2] == (0.0, 0.0)
    raw = efficiency(BOILED, late, REFERENCE, RULE_SET.profile("paper", clip_saved=False))
    assert raw.efficiency == pytest.approx(-400 / 600)
    assert raw.r_efficiency == pytest.approx(-400 / 600 / 0.5)


def test_t_auto_counts_time_executed_or_nominal_durations_of_complete_steps(monkeypatch):
    monkeypatch.setattr(Recipe2Plan, "check", lambda *_: None)  # it rejects runs for which they differ
    stew = Instance(
        "stew",
        actions=(Action("A/0", "A", 600, 0, interruptible=True), Action("A/1", "A", 300, 300)),
        benchmark="recipe2plan",
    )
    part = recipe_verdict(stew, Answers(((StepCommand(0, "A", 400, 0), StepCommand(1, "A", 300, 0)),)))
    assert efficiency(stew, part, None).efficiency == 300 / 400
    assert efficiency(stew, part, None, RULE_SET.profile("paper", t_auto="nominal")).efficiency is None


_starts = st.integers(0, 1500)


@st.composite
def _runs(draw):
    cut = draw(st.integers(1, 299))
    commands = [
        StepCommand(0, "A", 600, draw(_starts)),
        StepCommand(1, "A", cut, draw(_starts)),
        StepCommand(1, "A", 300 - cut, draw(_starts)),
        StepCommand(2, "A", 120, draw(_starts)),
    ]
    chosen = draw(st.sets(st.sampled_from(commands), min_size=1))
    return sorted(chosen, key=lambda command: command.start)


@pytest.mark.slow
@given(st.integers(0, 599), st.integers(1, 300))
def test_r_efficiency_against_itself_is_one(start, piece):
    commands = [RUN[0], StepCommand(1, "A", piece, start)]
    metrics = efficiency(BOILED, replayed(commands), commands)
    assert metrics.efficiency == pytest.approx(min(piece, 600 - start) / 600)
    assert metrics.r_efficiency == 1.0


@given(_runs())
def test_reference_efficiency_does_not_depend_on_the_order(commands):
    assert reference_efficiency(BOILED, commands) == reference_efficiency(BOILED, commands[::-1])


# --- own instances -------------------------------------------------------------------------------


def test_instance_from_file_is_compared_with_its_optimum(tmp_path):
    path = tmp_path / "boiled.json"
    path.write_text(json.dumps(to_document(BOILED)))
    result = grade("Step(0, A, 600, 0) Step(1, A, 300, 0) Step(2, A, 120, 660)", str(path), problems=all_problems())
    assert (result.scored, result.success, result.makespan, result.optimal_makespan) == (True, True, 780, 720)
    assert (result.metrics["reference"], result.instance) == ("optimal", str(path))
    assert result.metrics["r_efficiency"] == pytest.approx((240 / 600) / (300 / 600))


def test_general_instance_has_no_efficiency(tmp_path):
    path = tmp_path / "own.json"
    path.write_text(json.dumps(to_document(replace(BOILED, benchmark="generic"))))
    pieces = [("A/0", 0, 600), ("A/1", 0, 300), ("A/2", 600, 120)]
    plan = [{"action": a, "start": s, "duration": d, "agent": "agent"} for a, s, d in pieces]
    result = grade(plan, str(path), problems=all_problems())
    assert (result.scored, result.success, result.makespan, result.optimal_makespan) == (True, True, 720, 720)
    assert (result.without_details().metrics, result.main_score) == ({}, 1.0)
    assert result.metrics["progress_over_time"] == [(300, 0.333333333), (600, 0.666666667), (720, 1.0)]
    late = grade([*plan[:2], plan[2] | {"start": 599}], str(path), problems=all_problems())
    assert (late.scored, late.success, late.violation, late.violation_index) == (True, False, "minimum_lag", 2)


# --- bad submissions -----------------------------------------------------------------------------

GOOD_LINE = {"id": "good", "instance": NAME, "plan": reference_text(NAME)}


def grade_lines(*lines):
    """Grade raw lines between two good ones; both must come out unharmed."""
    good = json.dumps(GOOD_LINE).encode()
    stream = io.BytesIO(b"\n".join([good, *lines, good]) + b"\n")
    grades = list(grade_all(read_submissions(stream, "s.jsonl"), grader()))
    first, *others, last = grades
    assert first.success
    assert last.success
    assert (first.id, last.id, last.line) == ("good", "good", len(lines) + 2)
    return others


def line(**changes):
    entry = GOOD_LINE | {"id": "bad"} | changes
    return json.dumps({key: value for key, value in entry.items() if value is not ...}).encode()


UNSCORED = {
    "not JSON": (b"{", "is not JSON"),
    "a plan as it is": (reference_text(NAME).encode(), "is not JSON"),
    "two objects": (b"{} {}", "is not JSON"),
    "a trailing comma": (b'{"id": "x",}', "is not JSON"),
    "invalid UTF-8": (b'{"id": "\xff\xfe"}', "is not UTF-8"),
    "UTF-16": (json.dumps(GOOD_LINE).encode("utf-16-le"), "is not JSON"),
    "NUL bytes": (b"\0\0\0\0", "is not JSON"),
    "a raw NUL in a text": (b'{"id": "\0"}', "is not JSON"),
    "a key twice": (b'{"id": "a", "id": "b"}', "id: key is given twice"),
    "NaN": (line(plan=[[0, "Cobbler", float("nan"), 0]]), "NaN is not a JSON number"),
    "a number of 5,000 digits": (b'{"id": ' + b"9" * 5000 + b"}", "cannot be read"),
    "nested too deeply": (b"[" * 100_000 + b"]" * 100_000, "nested too deeply"),
    "a list": (b"[1, 2]", "must be an object"),
    "null": (b"null", "must be an object"),
    "a text": (b'"x"', "must be an object"),
    "an empty object": (b"{}", "instance: is missing; there are no columns"),
    "id of another type": (line(id=[3]), "id: must be text or a number (got [3])"),
    "a very long id": (line(id="é" * 1_001), "id: must have at most 1,000 characters"),
    "a very long model": (line(model="m" * 100_000), "model: must have at most 1,000 characters"),
    "id true": (line(id=True), "id: must be text or a number"),
    "no instance": (
        line(instance=...),
        "instance: is missing; the columns are id, plan (select one with --map",
    ),
    "sample of another type": (line(sample=-1), "sample: must be a whole number from 0, or text (got -1)"),
    "instance of another type": (line(instance=["x"]), "instance: must be text"),
    "model of another type": (line(model={}), "model: must be text or a number (got {})"),
    "no plan": (line(plan=...), "plan: is missing"),
    "unknown instance": (line(instance="recipe2plan/timed/Cobler_Pancakes"), "did you mean recipe2plan/timed/Cobbler"),
    "a set": (line(instance="recipe2plan/timed"), "stands for a set of"),
    "an empty name": (line(instance=""), "instance: is missing"),
    "a very long name": (line(instance="x/" * 100_000), "no problem has this name"),
    "a name with NUL": (line(instance="recipe2plan/timed/\0"), "no problem has this name"),
    "a name with a lone surrogate": (line(instance="\ud800"), "no problem has this name"),
    "a file": (line(instance=__file__), "no problem has this name; files are accepted only"),
    "plan null": (line(plan=None), "plan: is null: there is no plan"),
    "plan a number": (line(plan=7), "plan: must be text, a log or a list"),
    "plan true": (line(plan=True), "plan: must be text, a log or a list"),
    "plan an object": (line(plan={"steps": []}), "plan.response: must be text"),
    "plan a log without text": (line(plan=[{"response": None}]), "plan[0].response: must be text"),
    "plan a list of numbers": (line(plan=[1, 2]), "plan[0]: must be [step, recipe, duration, start]"),
    "plan with a float": (line(plan=[[0, "Cobbler", 600, 0.5]]), "plan[0].start: must be seconds"),
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if "200,000" in name else name for name in UNSCORED]
)
def test_invalid_line_is_unscored_with_reason_and_others_are_graded(name):
    text, reason = UNSCORED[name]
    (result,) = grade_lines(text)
    assert not result.scored
    assert reason in result.reason
    assert "internal error" not in result.reason
    assert (result.success, result.progress, result.makespan, result.violations) == (None,) * 4
    assert result.line == 2
    assert len(json.dumps(result.row())) < 3000


FAILED = {
    "nothing": ("", "no_plan", None),
    "an empty list": ([], "no_action", 0),
    "a plan of prose": ("I would rather not.", "no_plan", None),
    "an empty log": ({"response": ""}, "no_plan", None),
    "10 MB of letters": ("x" * 10**7, "no_plan", None),
    "10 MB of digits": ("7" * 10**7, "no_plan", None),
    "NUL bytes": ("Step(0, Cobbler, 1, 1)\0\0", "execution_interruptibility", 0),
    "a lone surrogate": ("Step(0, Cobbler, 1, 1)\ud800", "execution_interruptibility", 0),
    "a surrogate as recipe": ([[0, "\ud800", 1, 1]], "wrong_recipe", 0),
    "a control character as recipe": ([[0, "\x1b[31m\0", 1, 1]], "wrong_recipe", 0),
    "a recipe of a megabyte": ([[0, "x" * 10**6, 1, 1]], "wrong_recipe", 0),
    "times 99:99:99": ("Step(0, Cobbler, 99:99:99, 99:99:99)", "action_duration", 0),
    "a start of 10^30": (f"Step(1, Cobbler, 120, {10**30}) Step(2, Cobbler, 61, {10**30 + 120})", "action_duration", 1),
    "a duration of 10^30": (f"Step(1, Cobbler, {10**30}, 0)", "action_duration", 0),
    "10^30 in a list": ([[0, "Cobbler", 10**30, 10**30]], "action_duration", 0),
    "step 10^30": ([[10**30, "Cobbler", 1, 0]], "wrong_action", 0),
    "100,000 commands": ("Step(0, Cobbler, 1, 1) " * 100_000, "execution_interruptibility", 0),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FAILED)
def test_hostile_plans_are_graded_as_failed(name):
    plan, kind, index = FAILED[name]
    (result,) = grade_lines(line(plan=plan))
    assert (result.scored, result.success, result.violation, result.violation_index) == (True, False, kind, index)
    assert len(json.dumps(result.row())) < 200_000


def test_lone_surrogate_in_id_is_preserved():
    (result,) = grade_lines(line(id="\ud800"))
    assert (result.id, result.success) == ("\ud800", True)
    assert json.loads(json.dumps(result.row()))["id"] == "\ud800"


def test_internal_error_gives_unscored_grade_with_reason(monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(Recipe2PlanSimulator, "verdict", broken)
    result = Grader().grade(GOOD_LINE)
    assert (result.id, result.instance, result.scored) == ("good", NAME, False)
    assert result.reason == "internal error: ZeroDivisionError: oops"


# --- averages ------------------------------------------------------------------------------------

SKIPPED = {"recipe2plan": RULE_SET.profile("paper", missing="skipped")}
TIMED = [name for name in problems.names() if name.startswith("recipe2plan/timed/")]


def scored(name, *, success=True, progress=1.0, value=1.0, model=None):
    return Grade(
        id="x",
        instance=name,
        scored=True,
        success=success,
        progress=progress,
        goal_ratio=progress,
        benchmark="recipe2plan",
        model=model,
        metrics={"r_efficiency": value, "multitasking_score": value if success else 0.0},
    )


def test_missing_problems_count_as_failed_and_are_named():
    (row,) = summarize(grade_rows([scored(TIMED[0]), scored(TIMED[1], success=False, progress=0.3, value=0.5)])).sets
    assert (row["set"], row["submissions"], row["unscored"]) == ("recipe2plan/timed", 2, 0)
    assert (row["missing"], row["missing_names"]) == (63, TIMED[2:])
    assert row["success"] == pytest.approx(1 / 65)
    assert row["progress"] == row["goal_ratio"] == pytest.approx(1.3 / 65)
    assert row["multitasking_score"] == pytest.approx(1 / 65)
    assert row["r_efficiency"] == pytest.approx(0.75)  # a mean over runs, in which no run is missing


def test_undefined_efficiencies_are_excluded_and_counted():
    (row,) = summarize(grade_rows([scored(TIMED[0], value=None), scored(TIMED[1], value=0.5)], SKIPPED)).sets
    assert (row["undefined"], row["r_efficiency"], row["multitasking_score"]) == (1, 0.5, 0.5)
    assert row["success"] == 1.0
    (row,) = summarize(grade_rows([scored(TIMED[0], value=None)], SKIPPED)).sets
    assert (row["undefined"], row["r_efficiency"], row["multitasking_score"]) == (1, None, None)


def test_failed_run_with_undefined_efficiency_scores_zero():
    grades = [scored(TIMED[0], value=None, success=False), scored(TIMED[1], value=0.5)]
    (row,) = summarize(grade_rows(grades, SKIPPED)).sets
    assert (row["undefined"], row["r_efficiency"], row["multitasking_score"]) == (1, 0.5, 0.25)


def test_lines_without_instance_form_their_own_set():
    rows = summarize(grade_rows([scored(TIMED[0]), Grade(id=None, instance=None, scored=False, reason="?")])).sets
    assert [(row["set"], row["submissions"], row["unscored"]) for row in rows] == [
        ("", 1, 1),
        ("recipe2plan/timed", 1, 0),
    ]
    assert rows[0]["success"] is None
    assert rows[0]["missing"] == 0


def test_complete_run_with_rejected_command_scores_only_with_score_if_complete():
    name = "recipe2plan/untimed/Cobbler_Pancakes"
    commands = [list(command) for command in problems.reference_plan("recipe2plan/untimed/Cobbler_Pancakes")]
    line = {"id": "x", "instance": name, "plan": [*commands, [0, "Nothing", 60, 99999]]}
    paper, released = (Grader({"recipe2plan": PROFILES[p]}).grade(line) for p in ("paper", "released"))
    assert (paper.success, released.success) == (False, False)
    assert (paper.violation, paper.progress) == ("wrong_recipe", 1.0)
    assert paper.metrics["multitasking_score"] == 0
    assert released.metrics["multitasking_score"] == released.metrics["r_efficiency"] == 1


def test_files_with_equal_names_have_separate_references(tmp_path):
    from planoracle.instances.files.instance_file import to_document

    bundled_twin = to_document(catalog.load("recipe2plan/untimed/Vada_Daikon-Radish"))
    bundled_twin["name"] = "recipe2plan/timed/Cobbler_Pancakes"
    other = bundled_twin | {"tasks": bundled_twin["tasks"][:1], "name": "recipe2plan/timed/Cobbler_Pancakes"}
    grader = Grader(problems=all_problems())
    for number, document in enumerate((bundled_twin, other)):
        path = tmp_path / f"{number}.json"
        path.write_text(json.dumps(document))
        grade = grader.grade({"id": "x", "instance": str(path), "plan": "Step(0, Vada, 5 min, 0:00)"})
        assert (grade.scored, grade.executed, grade.metrics["reference"]) == (True, 1, "optimal")


def test_no_action_is_missing_after_truncated_check():
    name = "recipe2plan/untimed/Cobbler_Pancakes"
    commands = [list(command) for command in problems.reference_plan("recipe2plan/untimed/Cobbler_Pancakes")]
    junk = [[0, "Nothing", 60, 0]] * 1000
    grade = Grader().grade({"id": "x", "instance": name, "plan": [*junk, *commands]})
    assert {violation["kind"] for violation in grade.violations} == {"wrong_recipe"}


def test_limits_of_submissions_can_be_ignored():
    submission = {"id": "a", "instance": "timearena/household1", "plan": ["wash cup"] + ["wait"] * 9, "time_limit": 3}
    assert Grader().grade(submission).makespan == 3
    overruled = Grader(own_limits=False)
    assert (
        overruled.grade(submission) == overruled.grade(submission | {"time_limit": None}) != Grader().grade(submission)
    )
    assert overruled.grade(submission).scored
