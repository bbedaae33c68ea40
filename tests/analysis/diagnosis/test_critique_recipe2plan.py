"""The critic on Recipe2Plan: every kind of fault by itself, and random kitchens."""

from __future__ import annotations

from typing import Any

import pytest

from planoracle.analysis.diagnosis.critique import Critique
from planoracle.instances.benchmarks.recipe2plan.language import parse
from tests.support.critiques import KITCHEN, all_findings, assert_same_faults, finding_kinds, report, single_finding
from tests.support.replays import recipe_verdict

GOOD = {
    "Bread/0": (600, 0),
    "Bread/1": (300, 0),
    "Bread/2": (120, 300),
    "Pie/1": (180, 420),
    "Pie/2": (60, 600),
    "Bread/3": (1200, 600),
    "Pie/0": (600, 1800),
}


def cook(*more: list[Any], **changed: tuple[int, int] | None) -> Critique:
    """Report on the good plan with steps changed (``Pie_1=(180, 0)``), left out (``None``) or added."""
    runs = GOOD | {name.replace("_", "/"): run for name, run in changed.items()}
    plan = [[int(name[-1]), name[:-2], *run] for name, run in runs.items() if run is not None]
    plan = [*plan, *more]
    result = report(KITCHEN, plan)
    assert_same_faults(result, recipe_verdict(KITCHEN, parse(plan, KITCHEN)).violations)
    return result


def test_valid_plan_has_no_findings() -> None:
    assert finding_kinds(cook()) == set()


def test_plan_without_steps_has_answer_section() -> None:
    result = report(KITCHEN, "I would rather not.")
    assert single_finding(result, "no_plan").text == "The answer contains no plan."
    assert not result.verdict.success
    assert result.sections[0].title == "Answer"


#: Added steps, changed steps, all kinds of findings, then the finding of the first kind: fields, others, text.
CASES: dict[str, tuple[list[list[Any]], dict[str, Any], str, dict[str, Any], list[Any], str]] = {
    "unknown recipe": (
        [[0, "Stew", 60, 2400]],
        {},
        "wrong_recipe",
        {"index": 7, "subject": "Stew", "required": ("Bread", "Pie")},
        [],
        'Command 8 names the recipe "Stew"; the recipes are Bread and Pie.',
    ),
    "unknown step": (
        [[7, "Pie", 60, 2400]],
        {},
        "wrong_action",
        {},
        [],
        "Command 8 names step 7 of Pie, whose steps go from 0 to 2.",
    ),
    "missing step": (
        [],
        {"Pie_1": None},
        "missing_action",
        {"index": None, "subject": "Pie/1", "required": 180, "excess": 180},
        [],
        "Your plan never carries out step 1 of Pie.",
    ),
    "too long": (
        [],
        {"Pie_1": (240, 420), "Bread_3": (1200, 660), "Pie_0": (600, 1860), "Pie_2": (60, 660)},
        "action_duration",
        {"required": 180, "actual": 240, "excess": 60},
        [],
        "Step 1 of Pie takes 3 min; your plan gives it 4 min at 00:07:00.",
    ),
    "not brought to an end": (
        [],
        {"Bread_1": (200, 0)},
        "action_duration dependency time_constraint",
        {"index": None, "required": 300, "actual": 200, "excess": 100},
        [],
        "",
    ),
    "after what is not brought to an end": (
        [],
        {"Bread_1": (200, 0)},
        "dependency action_duration time_constraint",
        {},
        ["Bread/1"],
        "still needs 1 min 40 s at that time",
    ),
    "two at once": (
        [],
        {"Pie_1": (180, 360)},
        "infeasible_multitask time_error",
        {"start": 360, "end": 540, "required": 420, "excess": 60},
        [("Bread/2", 300, 420)],
        "step 2 of Bread (00:05:00 to 00:07:00)",
    ),
    "start in the past": (
        [],
        {"Pie_1": (180, 360)},
        "time_error infeasible_multitask",
        {"required": 420, "actual": 360, "excess": 60},
        ["Bread/2"],
        "",
    ),
    "start in the middle of a step": (
        [],
        {"Pie_2": (60, 500)},
        "time_error",
        {},
        ["Pie/1"],
        "Step 2 of Pie starts at 00:08:20, but step 1 of Pie occupies you until 00:10:00.",
    ),
    "interruption": (
        [],
        {"Pie_1": (100, 420)},
        "execution_interruptibility action_duration",
        {"required": 180, "actual": 100, "excess": 80},
        [],
        "",
    ),
    "prerequisite that comes later": (
        [],
        {"Bread_2": (120, 0), "Bread_1": (300, 120)},
        "dependency",
        {},
        [("Bread/1", 120, None)],
        "step 1 of Bread comes first and starts only at 00:02:00 in your plan.",
    ),
    "repetition": (
        [[1, "Pie", 180, 2400]],
        {},
        "repeated_action",
        {"actual": 180},
        [("Pie/1", 420, 600)],
        "complete since 00:10:00",
    ),
    "time constraint": (
        [],
        {"Bread_2": (120, 480), "Pie_1": (180, 300), "Bread_0": (600, 0)},
        "time_constraint",
        {"required": 60, "actual": 180, "excess": 120},
        ["Bread/1"],
        "Step 2 of Bread must start within 1 min after step 1 of Bread is finished; it starts 3 min after, "
        "2 min too late.",
    ),
    "occupied object": (
        [],
        {"Pie_0": (600, 1500)},
        "object_occupancy",
        {"resource": "oven", "required": 1800, "actual": 1500, "excess": 300},
        [("Bread/3", 600, 1800)],
        "step 3 of Bread (until 00:30:00)",
    ),
    "wrong temperature": (
        [],
        {"Pie_0": (600, 600), "Bread_3": (1200, 1200)},
        "object_temperature",
        {"resource": "oven", "required": "350", "actual": "450"},
        ["Pie/0"],
        "",
    ),
}


@pytest.mark.parametrize(("more", "changed", "expected", "fields", "others", "text"), CASES.values(), ids=CASES)
def test_each_kind_of_violation(more, changed, expected, fields, others, text) -> None:
    critique = cook(*more, **changed)
    assert finding_kinds(critique) == set(expected.split())
    finding = single_finding(critique, expected.split()[0])
    assert {name: getattr(finding, name) for name in fields} == fields
    assert text in finding.text or text in critique.prose()
    assert not others or [one.subject if isinstance(others[0], str) else tuple(one) for one in finding.others] == others


def test_step_of_zero_duration_is_reported() -> None:
    result = cook(Pie_1=(0, 420))
    assert finding_kinds(result) == {"action_duration"}
    assert [(f.index, f.required, f.actual) for f in all_findings(result)] == [(3, 180, 0), (None, 180, 0)]


def test_unfinished_prerequisite_is_reported() -> None:
    finding = single_finding(cook(Bread_0=(600, 420), Pie_1=None, Pie_0=(600, 2400)), "dependency")
    assert [tuple(other) for other in finding.others] == [("Bread/0", 420, 1020)]
    assert (finding.required, finding.actual, finding.excess) == (1020, 600, 420)


def test_unheated_oven_is_reported() -> None:
    cold = single_finding(cook(Bread_0=None), "object_temperature")
    assert (cold.actual, cold.others) == (None, ())


def test_interactive_log_with_rejected_answers() -> None:
    log = [
        {"response": "Step(1, Bread, 5 min, 0:00)"},
        {"response": "Step(2, Bread, 2 min, 0:04:00)"},
        {"response": "thinking"},
        {"response": "Step(1, Pie, 3 min, 0:20:00), Step(2, Pie, 1 min, 0:20:00)"},
        {"response": "Step(0, Pie, 10 min, 0:22:00)"},
    ]
    result = report(KITCHEN, log)
    assert_same_faults(result, recipe_verdict(KITCHEN, parse(log, KITCHEN)).violations)
    late = [finding for finding in all_findings(result) if finding.kind == "time_error"]
    assert [(f.index, [o.subject for o in f.others]) for f in late] == [
        (1, ["Bread/1"]),
        (3, ["Pie/1"]),
        (4, ["Pie/1"]),
    ]
    assert single_finding(result, "no_action").index == 2
