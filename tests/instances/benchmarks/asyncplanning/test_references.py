"""Published answers and optima of asyncplanning, and the ratios to them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planoracle.analysis.grading.grader import Grader
from planoracle.analysis.grading.rule_options import profiles
from planoracle.instances.benchmarks.asyncplanning.problems import load
from planoracle.instances.benchmarks.asyncplanning.robot_tasks import robot_origin
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.scoring import Claim

BENCHMARK = registry.get("asyncplanning")
[REFERENCE] = BENCHMARK.references
#: The published optimum is 12 s; the released rules allow 11 s.
SANDWICH = load("asyncplanning/robo/easy/easy_01_grilled_chicken_sandwich")


@pytest.mark.parametrize(
    ("name", "claim"),
    [
        ("5/1", Claim(3180, accepted=True)),
        ("5/9", Claim(345_600, True, "the first time in the sentence was read as the duration of step3")),
        ("90/50", Claim(14_940, False, "the first time in the sentence was read as the duration of step39")),
    ],
)
def test_released_answer_is_accepted_unless_it_is_too_short(name: str, claim: Claim) -> None:
    assert REFERENCE.source(load(f"asyncplanning/xxl/{name}")) == claim


def test_published_optimum_of_a_kitchen_has_its_plan_if_there_is_one() -> None:
    claim = REFERENCE.source(SANDWICH)
    run = BENCHMARK.run(SANDWICH, claim.plan)
    assert (run.success, run.makespan, claim.makespan, claim.accepted) == (True, 12_000, 12_000, None)
    origin = robot_origin(SANDWICH)
    without_plan = origin._replace(task=replace(origin.task, witness=()))
    assert REFERENCE.source(replace(SANDWICH, origin=without_plan)) == Claim(12_000)


def test_ratio_of_makespans_is_that_to_the_published_optimum() -> None:
    submission = {"id": "a", "instance": SANDWICH.name, "plan": REFERENCE.source(SANDWICH).plan}
    row = Grader(profiles("released")).grade(submission).row()
    assert (row["makespan"], row["optimal_makespan"], row["makespan_ratio"]) == (12_000, 11_000, 1.0)
