"""Claim on idle ticks, which bounds the exhaustive search of small instances."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from support.model_horizon import horizon, idle_ticks, repetition, settled, without_ticks
from support.model_search import ModelSearch, TooManyChecksError
from support.random_model_instances import model_mix
from support.samples import sample

from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.model.schedule_rules import find_violations

BLOCKS = 30
MAX_CHECKS = 4_000
#: Delays of a schedule that are tried.
DELAYS = 40


@pytest.mark.parametrize("block", sample(range(BLOCKS)))
def test_longer_horizon_changes_no_answer(block: int) -> None:
    checked = 0
    for seed in range(block, 600, BLOCKS):
        instance = model_mix(seed)
        latest = horizon(instance)
        longer = latest + repetition(instance) + 2
        try:
            expected = ModelSearch(instance, max_checks=MAX_CHECKS).best()
            answer = ModelSearch(instance, longer, max_checks=MAX_CHECKS).best()
        except TooManyChecksError:
            continue
        assert answer[:3] == expected[:3], f"seed {seed}"
        checked += 1
    assert checked > 15


@pytest.mark.parametrize("block", sample(range(BLOCKS)))
def test_schedule_without_idle_ticks_of_all_periods_keeps_the_rules(block: int) -> None:
    shortened = 0
    for seed in range(block, 1000, BLOCKS):
        instance = model_mix(seed)
        try:
            schedule = ModelSearch(instance, max_checks=MAX_CHECKS).best().schedule
        except TooManyChecksError:
            continue
        if schedule is None:
            continue
        for delayed in delayed_schedules(instance, schedule, seed):
            for begin in idle_spans(instance, delayed):
                shorter = without_ticks(instance, delayed, begin)
                assert not list(find_violations(instance, shorter)), (seed, begin, delayed)
                shortened += 1
    assert shortened > 100


def delayed_schedules(instance: Instance, schedule: Schedule, seed: int) -> Iterator[Schedule]:
    """Yield schedules that keep the rules, each with later actions than the schedule before."""
    random = Random(seed)
    names = sorted({piece.action for piece in schedule.pieces})
    for _ in range(DELAYS):
        instant = random.randint(0, schedule.makespan)
        ticks = random.randint(1, 2 * repetition(instance) + 2)
        late = {name for name in names if random.random() < 0.3}
        pieces = []
        for piece in schedule.pieces:
            is_late = piece.start >= instant or piece.action in late
            pieces.append(piece._replace(start=piece.start + ticks) if is_late else piece)
        delayed = Schedule.of(instance, pieces)
        if not list(find_violations(instance, delayed)):
            yield delayed
            schedule = delayed


def idle_spans(instance: Instance, schedule: Schedule) -> Iterator[int]:
    """Yield the begins of as many consecutive idle ticks as all calendars have a common period."""
    idle = idle_ticks(instance, schedule)
    length = repetition(instance)
    for begin in sorted(idle):
        if begin >= settled(instance) and idle.issuperset(range(begin, begin + length)):
            yield begin
