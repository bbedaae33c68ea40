"""Stages of the solver for crowded problems, in which orders are hard, as in job shops."""

from dataclasses import replace
from random import Random

import pytest
from support.samples import sample

from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.solver.exact import proving
from planoracle.solver.exact import search as solving
from planoracle.solver.exact.proving import Proving
from planoracle.solver.exact.search import solve
from planoracle.solver.exact.strategies import crowded, in_turns


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
    assert not crowded(shop(0, jobs=5))


@pytest.mark.parametrize("seed", sample(range(4)))
def test_stages_for_crowded_problems_find_the_optimum_of_other_stages(seed, monkeypatch):
    quick = solve(shop(seed))
    with monkeypatch.context() as patch:
        patch.setattr(proving, "crowded", lambda instance: False)
        slow = solve(shop(seed))
    assert (quick.status, quick.makespan) == (slow.status, slow.makespan)
    assert quick.status == "optimal"


@pytest.mark.parametrize("turn", range(2))
def test_each_stage_for_crowded_problems_alone_proves_the_optimum(turn, monkeypatch):
    expected = solve(shop(1))
    alone = list(in_turns(50, loaded=False))[turn]
    monkeypatch.setattr(solving, "first_look", lambda *counts, **kinds: None)
    monkeypatch.setattr(proving, "in_turns", lambda decisions, loaded: iter([(*alone[:2], 1.0)]))
    monkeypatch.setattr(Proving, "prove_at_length", None)
    result = solve(shop(1))
    assert (result.status, result.makespan) == ("optimal", expected.makespan)


@pytest.mark.parametrize("turn", range(3))
def test_each_stage_for_a_bottleneck_machine_alone_proves_the_optimum(turn, monkeypatch):
    expected = solve(shop(2, 12, 4))
    alone = list(in_turns(48, loaded=True))[turn]
    monkeypatch.setattr(solving, "first_look", lambda *counts, **kinds: None)
    stages = [(*alone[:2], 1.0)]
    monkeypatch.setattr(proving, "in_turns", lambda decisions, loaded: (stages.pop() for _ in range(loaded)))
    monkeypatch.setattr(Proving, "prove_at_length", None)
    result = solve(shop(2, 12, 4))
    assert not stages
    assert (result.status, result.makespan) == ("optimal", expected.makespan)


def heated(seed: int) -> Instance:
    """Return a small shop of one or two machines with states, releases and steps of duration 0."""
    random = Random(seed)
    machines = random.randint(1, 2)
    actions, lags = [], []
    for job in range(random.randint(4, 7)):
        for k in range(random.randint(2, 4)):
            state = random.random()
            requires = "x" if random.random() < 0.15 else None
            use = Demand(
                f"m{random.randrange(machines)}", requires=requires, sets=random.choice("xy") if state < 0.3 else None
            )
            length, release = random.choice((0, 1, 2, 3, 5, 8, 12)), random.choice((0, 0, 0, 3, 20))
            actions.append(
                Action(f"j{job}/{k}", f"j{job}", length, 0, modes=(Mode((use,)),), agents=(), release=release)
            )
            if k:
                lags.append(Lag(f"j{job}/{k - 1}", f"j{job}/{k}", random.choice((0, 0, 0, 2, -1))))
    resources = tuple(Resource(f"m{m}", state="x") for m in range(machines))
    return Instance(f"heated-{seed}", tuple(actions), tuple(lags), resources, agents=())


@pytest.mark.parametrize("seed", [0, 6, 8, 10, 13])
def test_halving_stage_alone_proves_the_optimum_with_resource_states(seed, monkeypatch):
    instance = heated(seed)
    expected = solve(instance)
    monkeypatch.setattr(solving, "first_look", lambda *counts, **kinds: None)
    halving = ("branch and bound", {"halving": True}, 0.3)
    monkeypatch.setattr(proving, "in_turns", lambda decisions, loaded: iter([halving]))
    result = solve(instance)
    assert (result.status, result.makespan) == (expected.status, expected.makespan)
    assert result.status in ("optimal", "infeasible")
