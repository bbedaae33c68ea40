"""General rules, their second implementation tick by tick, and the checker accept the same schedules."""

from __future__ import annotations

from itertools import cycle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.all_schedules import breaks
from support.changed_schedules import edges, schedules
from support.random_instances import ovens, presses, workshop
from support.random_model_instances import is_small, model_mix
from support.samples import examples, sample
from support.tick_rules import TickRules

from planoracle.instances.files.instance_file import to_document
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Schedule
from planoracle.solver.proofs.checker import RefusedError, check_schedule
from tests.strategies import instances

SEEDS = 3000
BLOCKS = 30
#: Makers of instances; shared units and amounts are rare in the mix of all features.
MAKERS = (model_mix, edges, ovens, breaks, model_mix, edges, presses, breaks, workshop, edges)


def assert_agreement(instance: Instance, schedule: Schedule, is_accepted: bool) -> None:
    """Compare the answer of the rules with those of the second implementation and of the checker."""
    assert TickRules(instance, schedule).are_kept() == is_accepted, (instance, schedule.pieces)
    if not instance.transitions and not instance.optional:
        assert checker_accepts(instance, schedule) == is_accepted, (instance, schedule.pieces)


def checker_accepts(instance: Instance, schedule: Schedule) -> bool:
    """Return whether the checker of certificates accepts a schedule with its makespan."""
    claim = {"format": "", "version": 0, "instance": instance.name, "bound": 0, "gap": None, "supposed": None}
    rows = [piece._asdict() for piece in schedule.pieces]
    claim |= {"makespan": schedule.makespan, "schedule": rows, "steps": []}
    try:
        return check_schedule(to_document(instance), claim) == schedule.makespan
    except RefusedError:
        return False


@pytest.mark.parametrize("block", sample(range(BLOCKS)))
def test_both_implementations_and_the_checker_accept_the_same_schedules(block: int) -> None:
    answers = {True: 0, False: 0}
    for seed, make in zip(range(block, SEEDS, BLOCKS), cycle(MAKERS), strict=False):
        instance = make(seed)
        for schedule, is_accepted in schedules(instance, seed):
            assert_agreement(instance, schedule, is_accepted)
            answers[is_accepted] += 1
    assert min(answers.values()) > 500


@examples(300)
@given(instances(4).filter(is_small), st.integers(0, 10**6))
def test_rules_and_checker_accept_the_same_schedules_of_any_instance(instance: Instance, seed: int) -> None:
    for schedule, is_accepted in schedules(instance, seed):
        assert_agreement(instance, schedule, is_accepted)
