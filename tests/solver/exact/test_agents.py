"""Several agents: optima agree with exhaustive search through the rules for any eligibility."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.exhaustive import general_optimum
from support.random_agent_instances import agent_workshop, interruption_workshop
from support.random_instances import kitchen, scale
from support.samples import sample

from planoracle.instances.files.catalog import bundled, load
from planoracle.instances.model.agents import with_agents
from planoracle.instances.model.instance import Action, Instance, Lag
from planoracle.solver.exact import bounds as bounding
from planoracle.solver.exact import model_of_agents as modelling
from planoracle.solver.exact import search_state
from planoracle.solver.exact.bounds import common_tick, horizon, lower_bound, windows
from planoracle.solver.exact.schedule_model import ScheduleModel
from planoracle.solver.exact.search import solve

SHOPS = 500
PROBLEMS = [
    name
    for name in bundled()
    if not name.startswith(
        ("robotouille/", "kitchens/", "asynchow/", "asyncplanning/", "naturalplan/", "paracook/cook/")
    )
]  # of one agent


def _model(instance: Instance) -> ScheduleModel:
    return ScheduleModel(instance, windows(instance), 1, 0, horizon(instance))


def test_interchangeable_agents_are_counted_instead_of_assigned() -> None:
    chop = Action("t/chop", "t", 3, 3, interruptible=True)
    shop = Instance(
        "k", (chop, Action("t/boil", "t", 5, 0)), (Lag("t/boil", "t/chop", None, 2),), agents=("a", "b", "c")
    )
    model = _model(shop)
    assert model.runs
    assert model.crews == (("a", "b", "c"),)
    assert all(
        literal is None for segments in model.segments for segment in segments for literal in segment.agents.values()
    )
    two_groups = _model(replace(shop, actions=(replace(chop, agents=("b", "c")), shop.actions[1])))
    assert two_groups.crews == (("a",), ("b", "c"))


@pytest.mark.slow
@pytest.mark.parametrize("most", sample([-1, 10**9]))
def test_both_encodings_of_unattended_starts_give_the_same_schedule(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    seeds = range(0, SHOPS, 10)
    shops = [shop for k in seeds for shop in (agent_workshop(k), kitchen(k, 8), interruption_workshop(k))]
    expected = [solve(shop) for shop in shops]
    monkeypatch.setattr(modelling, "starts_are_counted", lambda _, starts, spans: starts * spans > most)
    for shop, before in zip(shops, expected, strict=True):
        after = solve(shop)
        assert (after.status, after.makespan) == (before.status, before.makespan), shop.name
        assert after.schedule == before.schedule, shop.name


@pytest.mark.slow
def test_action_that_must_not_pause_is_not_interrupted_by_a_start() -> None:
    # The pie must not be interrupted; from tick 2 on a free agent has to switch on the oven.
    pie = Action("t/pie", "t", 4, 4, interruptible=True)
    begin, oven = Action("t/begin", "t", 1, 1), Action("t/oven", "t", 3, 0, release=2)
    lags = (Lag("t/begin", "t/pie", 0, 0),)
    one = Instance("k", (begin, pie, oven), lags, agents=("a",))
    two = replace(one, agents=("a", "b"))
    assert (solve(one).makespan, solve(two).makespan) == (6, 5)
    busy = replace(two, actions=(*two.actions, Action("t/watch", "t", 5, 5)))
    assert solve(busy).makespan == general_optimum(busy, 12) == 6


@pytest.mark.parametrize("start", sample(range(0, len(PROBLEMS), 40), 8))
def test_general_rules_with_one_agent_have_the_optimum_of_the_benchmark(start: int) -> None:
    for name in PROBLEMS[start : start + 40]:
        instance = load(name)
        own, general = solve(instance), solve(with_agents(instance, 1))
        assert (own.status, own.makespan) == ("optimal", general.makespan), name
        assert general.status == "optimal"


@pytest.mark.parametrize("start", sample(range(10), 10))
def test_more_agents_are_never_slower_nor_faster_than_the_critical_path(start: int) -> None:
    for name in PROBLEMS[start::50]:
        instance = load(name)
        results = [solve(with_agents(instance, count)) for count in (1, 2, 3, 4)]
        assert {result.status for result in results} == {"optimal"}, name
        spans = [result.makespan for result in results if result.makespan is not None]
        bounds = windows(instance)
        path = max(h + a.duration + t for h, a, t in zip(bounds.head, instance.actions, bounds.tail, strict=True))
        assert spans == sorted(spans, reverse=True)
        assert path <= spans[-1]


def test_bound_excludes_time_in_which_an_agent_has_no_ready_action() -> None:
    # Until 3 only one of two agents has something to do: 3 + 9 ticks of both, where the path is 5.
    rest = tuple(Action(f"t/{name}", "t", 2, 2, interruptible=True) for name in "abc")
    lags = tuple(Lag("t/first", job.id) for job in rest)
    instance = Instance("k", (Action("t/first", "t", 3, 3), *rest), lags, agents=("x", "y"))
    assert lower_bound(instance, windows(instance)) == solve(instance).makespan == 6


# --- pauses off the grid --------------------------------------------------------------------------


@pytest.mark.parametrize("factor", sample([2, 5]))
def test_finer_interruptions_do_not_improve_results_of_grid_1(factor: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounding, "_FEW_TICKS", 0)
    equal = coarse = 0
    for seed in range(250):
        instance = scale(agent_workshop(seed), factor)
        if common_tick(instance) == 1 or not any(a.interruptible for a in instance.actions):
            continue
        quick = solve(instance)
        with monkeypatch.context() as patch:
            patch.setattr(search_state, "common_tick", lambda _: 1)
            thorough = solve(instance)
        assert thorough.grid == 1
        if quick.grid == 1:
            assert (quick.status, quick.makespan) == (thorough.status, thorough.makespan), seed
            equal += 1
        else:
            assert (quick.makespan or 10**9) >= (thorough.makespan or 10**9)
            coarse += 1
    assert equal > 30


def test_interruptible_work_is_divided_evenly_among_agents() -> None:
    # Three jobs of 60 on two agents: 90, with pauses at multiples of 30, which is the bound on any grid.
    jobs = tuple(Action(f"t/{n}", "t", 60, 60, interruptible=True) for n in range(3))
    instance = Instance("thirds", jobs, agents=("a", "b"))
    result = solve(instance)
    assert common_tick(instance) == 30
    assert (result.status, result.makespan, result.grid) == ("optimal", 90, 1)
