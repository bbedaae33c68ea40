"""General rules, their second implementation tick by tick, and the checker accept the same schedules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import cycle, islice
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.all_schedules import breaks
from support.changed_schedules import edges, keeps_rules, schedules
from support.random_instances import ovens, presses, workshop
from support.random_model_instances import is_small, model_mix
from support.samples import examples, sample
from support.tick_rules import TickRules

from planoracle.instances.files.instance_file import to_document
from planoracle.instances.model.calendars import Calendar
from planoracle.instances.model.instance import Action, Demand, Instance, Mode, Resource
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.schedule_rules import find_violations, violations_of_last
from planoracle.instances.model.violations import Violation
from planoracle.solver.proofs.checker import RefusedError, check_schedule
from tests.strategies import instances

SEEDS = 3000
BLOCKS = 75
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
    assert min(answers.values()) > 100


#: Kinds of violations that later pieces may remove.
_REMOVABLE = {"missing_action", "minimum_lag", "maximum_lag"}


def _lasting(instance: Instance, pieces: tuple[Piece, ...], name: str) -> set[Violation]:
    """Return the violations of pieces that stay, and the wrong duration of one action."""
    violations = set()
    for violation in find_violations(instance, Schedule(pieces)):
        is_of_another = violation.kind == "action_duration" and violation.subject != name
        if violation.kind not in _REMOVABLE and not is_of_another:
            violations.add(violation)
    return violations


def test_violations_of_the_last_piece_are_those_that_it_adds() -> None:
    counts = Counter[str]()
    for seed, make in zip(range(70), cycle(MAKERS), strict=False):
        instance = make(seed)
        for schedule, _ in islice(schedules(instance, seed), 8):
            for count in range(1, len(schedule.pieces) + 1):
                pieces = schedule.pieces[:count]
                violations = set(violations_of_last(instance, pieces))
                assert violations == _lasting(instance, pieces, pieces[-1].action), (instance, pieces)
                counts.update(violation.kind for violation in violations)
                if _lasting(instance, pieces, ""):
                    break
    assert counts.keys() >= {"budget", "resource_capacity", "transition", "agent_busy", "off_time", "pause"}


def _excess() -> tuple[Instance, list[Piece]]:
    """Return an action of no length in a mode that needs more than there is."""
    action = Action("t/ring", "t", 0, 0, modes=(Mode((Demand("bell", 2),)), Mode()), agents=())
    return Instance("excess", (action,), resources=(Resource("bell"),)), [Piece("t/ring", 0, 0, None)]


def _relief() -> tuple[Instance, list[Piece]]:
    """Return an unattended action that another agent resumes after a break."""
    action = Action("t/dry", "t", 2, 0, modes=(Mode((Demand("oven"),)),), pauses_in_breaks=True)
    rest = Calendar(("oven",), ((1, 3),))
    instance = Instance("relief", (action,), (), (Resource("oven"),), ("ann", "bob"), calendars=(rest,))
    return instance, [Piece("t/dry", 0, 1, "ann"), Piece("t/dry", 3, 1, "bob")]


def _resumption() -> tuple[Instance, list[Piece]]:
    """Return an unattended action that no agent starts and an agent resumes after a break."""
    instance, [first, second] = _relief()
    return instance, [first._replace(agent=None), second._replace(agent="ann")]


@pytest.mark.parametrize(
    ("rare", "repaired"), [(_excess, {"mode": 1}), (_relief, {"agent": "ann"}), (_resumption, {"agent": "ann"})]
)
def test_rare_faults_are_refused(rare: Callable[[], tuple[Instance, list[Piece]]], repaired: dict[str, Any]) -> None:
    instance, pieces = rare()
    right_pieces = [piece._replace(**repaired) for piece in pieces]
    for chosen, is_accepted in ((pieces, False), (right_pieces, True)):
        schedule = Schedule.of(instance, chosen)
        assert keeps_rules(instance, schedule) == is_accepted
        assert_agreement(instance, schedule, is_accepted)


@examples(300)
@given(instances(4).filter(is_small), st.integers(0, 10**6))
def test_rules_and_checker_accept_the_same_schedules_of_any_instance(instance: Instance, seed: int) -> None:
    for schedule, is_accepted in schedules(instance, seed):
        assert_agreement(instance, schedule, is_accepted)
