"""Verdicts on plans for kitchens, compared with the general rules of the same problem."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from planoracle.instances.benchmarks.asyncplanning.problems import load
from planoracle.instances.benchmarks.asyncplanning.rules import PROFILES
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.model.schedule_rules import referee
from planoracle.instances.protocol import registry
from planoracle.solver.solve import solve

_BENCHMARK = registry.get("asyncplanning")
#: The first problem of each kind, of tasks and of episodes.
_FIRST = {name.rpartition("/")[0]: name for name in reversed(_BENCHMARK.catalog.names())}
_NAMES = sorted(name for name in _FIRST.values() if name.split("/")[1] in ("robo", "online"))
_TICKS = 1000


def _shifted(problem: Instance, schedule: Schedule, random: Random) -> Schedule:
    """Return a schedule with some pieces moved by seconds or a millisecond, or left out.

    A part of an optional task is not left out: the problem forbids that, the rules only give no reward.
    """
    pieces = list(schedule.pieces)
    for _ in range(random.randint(1, 2)):
        position = random.randrange(len(pieces))
        piece = pieces[position]
        shift = random.choice((-_TICKS, -1, 1, _TICKS, 2 * _TICKS))
        pieces[position] = piece._replace(start=max(0, piece.start + shift))
    if not problem.optional and random.random() < 0.1:
        pieces.pop(random.randrange(len(pieces)))
    return Schedule.of(problem, pieces)


@pytest.mark.parametrize("profile", ["paper", "released"])
@pytest.mark.parametrize("name", _NAMES)
def test_plans_near_the_optimum_are_accepted_if_the_general_rules_accept_them(name: str, profile: str) -> None:
    problem = _BENCHMARK.under(load(name), PROFILES[profile])
    best = solve(problem).schedule
    assert best is not None
    random = Random(name)
    verdicts = []
    for _ in range(60):
        schedule = _shifted(problem, best, random)
        plan = _BENCHMARK.render(problem, schedule)
        run = _BENCHMARK.run(load(name), {"plan": plan}, PROFILES[profile])
        assert run.success == referee(problem, schedule).success, run.fault
        if run.success or ("/robo/" in name and profile == "paper"):
            assert run.verdict.makespan == max(piece.end for piece in schedule.pieces)
        verdicts.append(run.success)
    assert 0 < sum(verdicts) < 60


def test_rules_that_decide_which_plans_are_best_refuse_unread_text() -> None:
    released = PROFILES["released"]
    assert released.deciding() == replace(released, refuse_unread=True)
    assert released.deciding() != released
