"""Stages of the solver for crowded problems, in which orders are hard, as in job shops."""

from dataclasses import replace
from random import Random

import pytest
from support.samples import sample

from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.solver.exact import stages
from planoracle.solver.exact.problem_shape import crowded
from planoracle.solver.exact.search import solve
from planoracle.solver.exact.search_params import CrowdedParams, SearchParams
from planoracle.solver.exact.strategies import CpRun, in_turns


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
    params = CrowdedParams()
    assert crowded(instance, params)
    assert not crowded(replace(instance, resources=tuple(Resource(r.name, 2) for r in instance.resources)), params)
    assert not crowded(shop(0, jobs=5), params)


@pytest.mark.parametrize("seed", sample(range(4)))
def test_stages_for_crowded_problems_find_the_optimum_of_other_stages(seed):
    quick = solve(shop(seed))
    slow = solve(shop(seed), params=SearchParams(crowded=CrowdedParams(pairs_per_action=10**6)))
    assert (quick.status, quick.makespan) == (slow.status, slow.makespan)
    assert quick.status == "optimal"


@pytest.mark.parametrize("turn", range(2))
def test_each_stage_for_crowded_problems_alone_proves_the_optimum(turn, monkeypatch):
    expected = solve(shop(1))
    alone = list(in_turns(CrowdedParams(), 50, loaded=False))[turn]
    monkeypatch.setattr(
        stages, "in_turns", lambda params, decisions, loaded, local_share: iter([alone._replace(effort=1.0)])
    )
    monkeypatch.setattr(stages, "SHOP", stages_up_to_turns())
    result = solve(shop(1))
    assert (result.status, result.makespan) == ("optimal", expected.makespan)


@pytest.mark.parametrize("turn", range(3))
def test_each_stage_for_a_bottleneck_machine_alone_proves_the_optimum(turn, monkeypatch):
    expected = solve(shop(2, 12, 4))
    runs = [list(in_turns(CrowdedParams(), 48, loaded=True))[turn]._replace(effort=1.0)]
    monkeypatch.setattr(
        stages, "in_turns", lambda params, decisions, loaded, local_share: (runs.pop() for _ in range(loaded))
    )
    monkeypatch.setattr(stages, "SHOP", stages_up_to_turns())
    result = solve(shop(2, 12, 4))
    assert not runs
    assert (result.status, result.makespan) == ("optimal", expected.makespan)


def stages_up_to_turns():
    """Return the stages for crowded problems up to the turns, without the search in order."""

    def build_model(search):
        search.build_model()

    first = stages.SHOP[: stages.SHOP.index(stages.prove_in_turns) + 1]
    return tuple(build_model if stage is stages.search_in_order else stage for stage in first)


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
    monkeypatch.setattr(stages, "_effort_in_order", lambda search, model: None)
    halving = CpRun("branch and bound", {"halving": True, "dynamic": True}, 0.3)
    monkeypatch.setattr(stages, "in_turns", lambda params, decisions, loaded, local_share: iter([halving]))
    result = solve(instance)
    assert (result.status, result.makespan) == (expected.status, expected.makespan)
    assert result.status in ("optimal", "infeasible")
