"""Problems whose difficulty is in what comes first, as in job shops, have stages of their own."""

from dataclasses import replace
from random import Random

import pytest

from planoracle.instances.model import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.solver.exact import proving
from planoracle.solver.exact import solve as solving
from planoracle.solver.exact.solve import solve
from planoracle.solver.exact.stages import crowded


def shop(seed: int, jobs: int = 10, machines: int = 5) -> Instance:
    random = Random(seed)
    actions, lags = [], []
    for job in range(jobs):
        for turn, machine in enumerate(random.sample(range(machines), machines)):
            mode = Mode((Demand(f"machine{machine}"),))
            actions.append(Action(f"{job}/{turn}", str(job), random.randint(1, 99), 0, modes=(mode,), agents=()))
            if turn:
                lags.append(Lag(f"{job}/{turn - 1}", f"{job}/{turn}"))
    resources = tuple(Resource(f"machine{machine}") for machine in range(machines))
    return Instance(f"shop-{seed}", tuple(actions), tuple(lags), resources)


def test_crowded_problems_have_many_pairs_that_exclude_each_other():
    instance = shop(0)
    assert crowded(instance)
    assert not crowded(replace(instance, resources=tuple(Resource(r.name, 2) for r in instance.resources)))
    assert not crowded(shop(0, jobs=8))


@pytest.mark.parametrize("seed", range(4))
def test_their_stages_find_what_the_others_find(seed, monkeypatch):
    quick = solve(shop(seed))
    with monkeypatch.context() as patch:
        patch.setattr(proving, "crowded", lambda instance: False)
        slow = solve(shop(seed))
    assert (quick.status, quick.makespan) == (slow.status, slow.makespan)
    assert quick.status == "optimal"
    if quick.canonical and slow.canonical:
        assert quick.schedule == slow.schedule


def test_turns_need_nothing_from_the_stages_before(monkeypatch):
    monkeypatch.setattr(solving, "plain", lambda *counts, **kinds: iter(()))
    result = solve(shop(1))
    assert result.status == "optimal"
    assert result.makespan == solve(shop(1)).makespan
