"""The critic on Recipe2Plan: every kind of fault by itself, and random kitchens."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import pytest

from planoracle.analysis.critique import Critique
from planoracle.instances.feedback import clock_of
from planoracle.instances.recipe2plan import rules as kitchen_rules
from planoracle.instances.recipe2plan.language import parse
from tests.support.critiques import KITCHEN, all_findings, kinds, mixed_up, one_to_one, only, report
from tests.support.random_instances import kitchen as random_kitchen

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
    made = GOOD | {name.replace("_", "/"): run for name, run in changed.items()}
    plan = [[int(name[-1]), name[:-2], *run] for name, run in made.items() if run is not None]
    plan = [*plan, *more]
    found = report(KITCHEN, plan)
    one_to_one(found, kitchen_rules.replay(KITCHEN, parse(plan, KITCHEN)).violations)
    return found


def test_the_good_plan_is_good() -> None:
    assert kinds(cook()) == set()


def test_a_plan_without_steps() -> None:
    found = report(KITCHEN, "I would rather not.")
    assert only(found, "no_plan").text == "The answer holds no plan."
    assert not found.verdict.success
    assert found.sections[0].title == "Answer"


def test_an_unknown_recipe() -> None:
    found = cook([0, "Stew", 60, 2400])
    assert kinds(found) == {"wrong_recipe"}
    finding = only(found, "wrong_recipe")
    assert (finding.index, finding.subject, finding.required) == (7, "Stew", ("Bread", "Pie"))
    assert finding.text == 'Command 8 names the recipe "Stew"; there are Bread and Pie.'


def test_an_unknown_step() -> None:
    found = cook([7, "Pie", 60, 2400])
    assert kinds(found) == {"wrong_action"}
    assert only(found, "wrong_action").text == "Command 8 names step 7 of Pie, whose steps go from 0 to 2."


def test_a_missing_step() -> None:
    found = cook(Pie_1=None)
    assert kinds(found) == {"missing_action"}
    finding = only(found, "missing_action")
    assert (finding.index, finding.subject, finding.required, finding.excess) == (None, "Pie/1", 180, 180)
    assert "Your plan never carries out step 1 of Pie." in found.prose()


def test_a_step_that_takes_too_long() -> None:
    found = cook(Pie_1=(240, 420), Bread_3=(1200, 660), Pie_0=(600, 1860), Pie_2=(60, 660))
    assert kinds(found) == {"action_duration"}
    finding = only(found, "action_duration")
    assert (finding.required, finding.actual, finding.excess) == (180, 240, 60)
    assert finding.text == "Step 1 of Pie takes 3 min; your plan gives it 4 min at 00:07:00."


def test_a_step_that_is_not_brought_to_an_end() -> None:
    found = cook(Bread_1=(200, 0))
    assert kinds(found) == {"action_duration", "dependency", "time_constraint"}
    finding = only(found, "action_duration")
    assert (finding.index, finding.required, finding.actual, finding.excess) == (None, 300, 200, 100)
    lacking = only(found, "dependency")
    assert [other.subject for other in lacking.others] == ["Bread/1"]
    assert "still lacks 1 min 40 s" in lacking.text


def test_a_step_of_no_length_at_all() -> None:
    found = cook(Pie_1=(0, 420))
    assert kinds(found) == {"action_duration"}
    assert [(f.index, f.required, f.actual) for f in all_findings(found)] == [(3, 180, 0), (None, 180, 0)]


def test_two_steps_at_once_and_a_start_in_the_past() -> None:
    found = cook(Pie_1=(180, 360))
    assert kinds(found) == {"infeasible_multitask", "time_error"}
    both = only(found, "infeasible_multitask")
    assert [tuple(other) for other in both.others] == [("Bread/2", 300, 420)]
    assert (both.start, both.end, both.required, both.excess) == (360, 540, 420, 60)
    assert "step 2 of Bread (00:05:00 to 00:07:00)" in both.text
    late = only(found, "time_error")
    assert (late.required, late.actual, late.excess) == (420, 360, 60)
    assert [other.subject for other in late.others] == ["Bread/2"]


def test_a_start_in_the_middle_of_a_step_is_only_out_of_order() -> None:
    found = cook(Pie_2=(60, 500))
    assert kinds(found) == {"time_error"}
    assert only(found, "time_error").text == (
        "Step 2 of Pie starts at 00:08:20, but step 1 of Pie keeps you busy until 00:10:00."
    )


def test_an_interruption() -> None:
    found = cook(Pie_1=(100, 420))
    assert kinds(found) == {"execution_interruptibility", "action_duration"}
    finding = only(found, "execution_interruptibility")
    assert (finding.required, finding.actual, finding.excess) == (180, 100, 80)


def test_a_prerequisite_that_comes_later() -> None:
    found = cook(Bread_2=(120, 0), Bread_1=(300, 120))
    assert kinds(found) == {"dependency"}
    finding = only(found, "dependency")
    assert [tuple(other) for other in finding.others] == [("Bread/1", 120, None)]
    assert finding.text.endswith("step 1 of Bread comes first and starts only at 00:02:00 in your plan.")


def test_a_prerequisite_that_is_not_finished() -> None:
    found = cook(Bread_0=(600, 420), Pie_1=None, Pie_0=(600, 2400))
    assert kinds(found) >= {"dependency"}
    finding = only(found, "dependency")
    assert [tuple(other) for other in finding.others] == [("Bread/0", 420, 1020)]
    assert (finding.required, finding.actual, finding.excess) == (1020, 600, 420)


def test_a_repetition() -> None:
    found = cook([1, "Pie", 180, 2400])
    assert kinds(found) == {"repeated_action"}
    finding = only(found, "repeated_action")
    assert [tuple(other) for other in finding.others] == [("Pie/1", 420, 600)]
    assert "done since 00:10:00" in finding.text


def test_a_time_constraint() -> None:
    found = cook(Bread_2=(120, 480), Pie_1=(180, 300), Bread_0=(600, 0))
    assert kinds(found) == {"time_constraint"}
    finding = only(found, "time_constraint")
    assert [other.subject for other in finding.others] == ["Bread/1"]
    assert (finding.required, finding.actual, finding.excess) == (60, 180, 120)
    assert finding.text == (
        "Step 2 of Bread must start within 1 min after step 1 of Bread is finished; it starts 3 min after, "
        "2 min too late."
    )


def test_an_occupied_object() -> None:
    found = cook(Pie_0=(600, 1500))
    assert kinds(found) == {"object_occupancy"}
    finding = only(found, "object_occupancy")
    assert (finding.resource, finding.required, finding.actual, finding.excess) == ("oven", 1800, 1500, 300)
    assert [tuple(other) for other in finding.others] == [("Bread/3", 600, 1800)]
    assert "step 3 of Bread (until 00:30:00)" in finding.text


def test_a_wrong_temperature() -> None:
    found = cook(Pie_0=(600, 600), Bread_3=(1200, 1200))
    assert kinds(found) == {"object_temperature"}
    finding = only(found, "object_temperature")
    assert (finding.resource, finding.required, finding.actual) == ("oven", "350", "450")
    assert [other.subject for other in finding.others] == ["Pie/0"]
    cold = only(cook(Bread_0=None), "object_temperature")
    assert (cold.actual, cold.others) == (None, ())


def test_an_interactive_log_over_refused_answers() -> None:
    log = [
        {"response": "Step(1, Bread, 5 min, 0:00)"},
        {"response": "Step(2, Bread, 2 min, 0:04:00)"},
        {"response": "thinking"},
        {"response": "Step(1, Pie, 3 min, 0:20:00), Step(2, Pie, 1 min, 0:20:00)"},
        {"response": "Step(0, Pie, 10 min, 0:22:00)"},
    ]
    found = report(KITCHEN, log)
    one_to_one(found, kitchen_rules.replay(KITCHEN, parse(log, KITCHEN)).violations)
    late = [finding for finding in all_findings(found) if finding.kind == "time_error"]
    assert [(f.index, [o.subject for o in f.others]) for f in late] == [
        (1, ["Bread/1"]),
        (3, ["Pie/1"]),
        (4, ["Pie/1"]),
    ]
    assert only(found, "no_action").index == 2


def figures(message: str) -> list[int]:
    return [int(digits) for digits in re.findall(r"\d+", message)]


@pytest.mark.slow
def test_findings_agree_with_the_rules_on_random_kitchens() -> None:
    """What the rules' messages say of other steps and times is found again in the figures."""
    seen = set()
    for seed in range(400):
        instance = random_kitchen(seed)
        plan = mixed_up(instance, Random(seed))
        run = kitchen_rules.replay(instance, parse(plan, instance))
        found = report(instance, plan)
        one_to_one(found, run.violations)
        by_key: dict[tuple[Any, ...], list[Any]] = {}
        for finding in all_findings(found):
            by_key.setdefault((finding.index, finding.kind, finding.subject), []).append(finding)
        for violation in run.violations:
            finding = by_key[violation[:3]].pop(0)
            seen.add(violation.kind)
            others = {other.subject for other in finding.others}
            if violation.kind == "time_constraint":
                limit, gap = (
                    re.search(r"within (\d+) s", violation.message),
                    re.search(r"after (\d+) s", violation.message),
                )
                assert limit
                assert gap
                assert (finding.required, finding.actual) == (int(limit[1]), int(gap[1]))
                assert violation.message.split(" of ")[1].split(",")[0] in others
            elif violation.kind == "dependency":
                assert violation.message.split(" is not")[0] in others
            elif violation.kind in ("object_occupancy", "object_temperature"):
                assert finding.resource is not None
                assert finding.resource in violation.message
                assert others or violation.message.endswith("cold")
            elif violation.kind == "time_error":
                assert clock_of(instance).moment(int(str(finding.required))) in violation.message
                assert others
            elif violation.kind == "infeasible_multitask":
                assert others
                for other in finding.others:
                    assert other.start < finding.end
                    assert finding.start < other.end
            elif violation.kind == "action_duration" and finding.index is not None:
                assert finding.required == figures(violation.message)[0]
    assert seen >= set(kitchen_rules.KINDS) - {"no_action"}
