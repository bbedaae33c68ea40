"""General rules compared with a check of every tick, on random schedules with all features."""

from __future__ import annotations

from random import Random

import pytest
from support.random_model_instances import model_mix
from support.tick_rules import is_valid

from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.schedule_rules import find_violations

#: Schedules of one instance. Each changes an action of one with few violations, so that many are valid.
COUNT = 300


def random_pieces(instance: Instance, action: Action, random: Random) -> list[Piece]:
    """Return pieces of an action in a random mode from a random tick on, most of them right by themselves."""
    mode = random.randrange(len(action.modes))
    variant = instance.variants[action.id][mode]
    agent = random.choice(variant.agents) if variant.agents else None
    start = random.randint(0, 9)
    if variant.duration < 2 or not (action.interruptible or action.pauses_in_breaks):
        return [Piece(action.id, start, variant.duration, agent, mode)]
    pieces = []
    remaining = variant.duration
    while remaining:
        length = random.randint(1, remaining)
        pieces.append(Piece(action.id, start, length, agent, mode))
        remaining -= length
        start += length + random.choice((0, 0, 1, 1, 2, 3))
        if random.random() < 0.1 and variant.agents:
            agent = random.choice(variant.agents)
    return pieces


def random_schedules(instance: Instance, random: Random) -> list[tuple[Piece, ...]]:
    """Return random schedules in normal form, each with a changed action or optional task."""
    pieces = {action.id: random_pieces(instance, action, random) for action in instance.actions}
    schedules = []
    fewest = 10**9
    for _ in range(COUNT):
        changed = dict(pieces)
        action = random.choice(instance.actions)
        changed[action.id] = random_pieces(instance, action, random)
        if random.random() < 0.15 and action.task in instance.weights:
            is_executed = random.random() < 0.5
            for member in instance.actions:
                if member.task == action.task:
                    changed[member.id] = random_pieces(instance, member, random) if is_executed else []
        schedule = Schedule.of(instance, [piece for group in changed.values() for piece in group])
        schedules.append(schedule.pieces)
        count = len(list(find_violations(instance, schedule)))
        if count <= fewest or random.random() < 0.05:
            fewest = count
            pieces = changed
    return schedules


@pytest.mark.parametrize("part", range(3))
def test_rules_agree_with_a_check_of_every_tick(part: int) -> None:
    verdicts = {True: 0, False: 0}
    for seed in range(8 * part, 8 * (part + 1)):
        instance = model_mix(seed)
        for pieces in random_schedules(instance, Random(seed)):
            violations = list(find_violations(instance, Schedule(pieces)))
            assert (not violations) == is_valid(instance, pieces), (seed, pieces, violations)
            verdicts[not violations] += 1
    assert min(verdicts.values()) > 100
