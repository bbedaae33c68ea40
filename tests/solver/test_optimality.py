"""Optimality with respect to the rules, compared with exhaustive search through the rules."""

from dataclasses import replace
from itertools import permutations

import pytest
from support.exhaustive import count_schedules, general_optimum, kitchen_optimum
from support.random_agent_instances import agent_workshop
from support.random_instances import kitchen, kitchen_arguments, ovens, scale, workshop
from support.samples import sample

from planoracle.instances.errors import InputError
from planoracle.instances.files.catalog import load
from planoracle.instances.model.calendars import Calendar
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.transitions import Transitions
from planoracle.instances.protocol.schedule_benchmark import check_instance
from planoracle.solver.exact import search_result, search_state, work_bounds
from planoracle.solver.exact.bounds import common_tick, grid_matters, horizon, lower_bound, windows
from planoracle.solver.exact.search import solve

KITCHENS = 190
BLOCKS = 30


@pytest.mark.slow
@pytest.mark.parametrize("block", range(BLOCKS))
def test_kitchens_agree_with_exhaustive_search_through_the_rules(block):
    for seed in range(block, KITCHENS, BLOCKS):
        instance = kitchen(seed)
        expected = kitchen_optimum(instance, horizon(instance))
        result = solve(instance)
        assert result.makespan == expected, instance.name
        assert result.status == ("infeasible" if expected is None else "optimal")


@pytest.mark.parametrize(
    ("make", "seeds", "most", "share"),
    sample(
        [(workshop, 250, 200_000, 0.7), (ovens, 400, 30_000, 0.2), (agent_workshop, 500, 20_000, 0.2)],
        several=True,
    ),
    ids=["workshops", "shared settings", "crews"],
)
@pytest.mark.parametrize("block", sample(range(BLOCKS), BLOCKS))
def test_problems_agree_with_exhaustive_search_through_the_general_rules(make, seeds, most, share, block):
    checked = 0
    for seed in range(block, seeds, BLOCKS):
        instance = make(seed)
        latest = min(horizon(instance), instance.time_limit or 10**9)
        if count_schedules(instance, latest) > most:
            continue
        expected = general_optimum(instance, latest)
        result = solve(instance)
        assert result.makespan == expected, instance.name
        assert result.status == ("infeasible" if expected is None else "optimal")
        checked += 1
    assert checked > share * seeds / BLOCKS


def test_unattended_interruptible_steps_are_refused():
    """Pieces of unattended interruptible steps could overlap by the rules, but not in the model."""
    refused = 0
    for seed in range(KITCHENS):
        parts, wrong = kitchen_arguments(seed)
        if not wrong:
            assert Instance(**parts) == kitchen(seed)
            continue
        with pytest.raises(InputError) as caught:
            check_instance(Instance(**parts))
        assert caught.value.field in {f"actions[{step}].interruptible" for step in wrong}
        assert caught.value.value is True
        refused += 1
    assert refused > KITCHENS / 3


def test_rules_beat_the_model_for_refused_kitchens(monkeypatch):
    monkeypatch.setattr("planoracle.instances.benchmarks.recipe2plan.problems.check", lambda instance: None)
    twin = Instance("twin", (Action("A/0", "A", 4, 0, interruptible=True),), benchmark="recipe2plan")
    assert kitchen_optimum(twin, horizon(twin)) == 1
    general = replace(twin, benchmark="generic")  # whose rules exclude overlapping pieces of an action
    assert solve(general).makespan == general_optimum(general, horizon(general)) == 4


@pytest.mark.slow
@pytest.mark.parametrize("order", sample(permutations(range(4)), 24))
def test_setting_that_takes_no_capacity_shares_none(order):
    """The rules once let a large setting that shares a use make room for a small one."""
    demands = (Demand("oven", 2), Demand("oven", 1, sets="hot"), Demand("oven", 2, sets="hot"), Demand("oven", 2))
    uses = [
        Action(f"t/{number}", "t", 2, attended, modes=(Mode((demand,)),))
        for number, (attended, demand) in enumerate(zip((2, 0, 1, 2), demands, strict=True))
    ]
    actions = tuple(uses[number] for number in order)
    instance = Instance("ovens", actions, (), (Resource("oven", 2, "hot"),), ("x", "y", "z"))
    # One use with the large setting, then the other use, then the small setting; no two of these fit together.
    assert general_optimum(instance, 8) == solve(instance).makespan == 6


@pytest.mark.parametrize("factor", sample([2, 3], 2))
def test_a_finer_grid_has_no_better_schedule_where_grid_is_1(factor, monkeypatch):
    """Check the claim of solver/exact/README.md, and cases beyond the claim."""
    checked = windowed = 0
    for seed in range(150):
        fine = scale(_without_pausing_users(kitchen(seed, 7)), factor)
        if not any(a.interruptible for a in fine.actions):
            continue
        assert common_tick(fine) % factor == 0
        coarse = solve(fine)
        with monkeypatch.context() as patch:
            patch.setattr(search_state, "common_tick", lambda _: 1)
            finest = solve(fine)
        assert finest.grid == 1
        if coarse.grid == 1:
            assert finest.makespan == coarse.makespan, seed
            checked += 1
            windowed += grid_matters(fine)
    assert checked > 80
    assert windowed > 20


@pytest.mark.slow
@pytest.mark.parametrize("pair", sample(["Pancakes_Smore-Bars", "Pancakes_Saltine-Candy", "Choco_Smore-Bars"], 3))
def test_problems_of_a_coarse_grid_are_settled_by_the_bound_and_by_exact_grid(pair, monkeypatch):
    instance = load(f"recipe2plan/timed/{pair}")
    by_bound = solve(instance)
    with monkeypatch.context() as patch:  # weaken the bound
        patch.setattr(work_bounds, "_one_by_one", lambda jobs: 0)
        quick, thorough = solve(replace(instance)), solve(replace(instance), exact_grid=True)
    assert quick.grid == common_tick(instance) > 1
    assert (thorough.status, thorough.grid) == (by_bound.status, by_bound.grid) == ("optimal", 1)
    assert thorough.schedule == quick.schedule == by_bound.schedule


def test_exact_grid_finds_shorter_schedules_off_the_grid(monkeypatch):
    # Two agents share three jobs of two ticks; on a grid of two ticks they take 4, with finer interruptions 3.
    jobs = tuple(Action(f"t/{n}", "t", 2, 2, interruptible=True) for n in range(3))
    instance = Instance("halves", jobs, agents=("a", "b"))
    monkeypatch.setattr(search_state, "common_tick", lambda _: 2)
    monkeypatch.setattr(search_result, "_valid_grid", lambda search, status, makespan: search.step)
    assert (solve(instance).makespan, solve(instance).grid) == (4, 2)
    result = solve(instance, exact_grid=True)
    assert (result.status, result.makespan, result.grid) == ("optimal", 3, 1)


def _without_pausing_users(instance: Instance) -> Instance:
    """Remove what the claim excludes from interruptible actions: resources, maximum lags from them."""
    actions = tuple(replace(a, modes=(Mode(),)) if a.interruptible else a for a in instance.actions)
    lags = tuple(lag for lag in instance.lags if lag.maximum is None or not instance.by_id[lag.before].interruptible)
    return replace(instance, actions=actions, lags=lags)


def test_common_tick_is_finer_where_halves_can_help():
    # Three interruptible unit jobs of two agents end at 1.5 units, which is 3 ticks of half a unit.
    jobs = tuple(Action(f"t/{n}", "t", 2, 2, interruptible=True) for n in range(3))
    instance = Instance("halves", jobs, agents=("a", "b"))
    assert common_tick(instance) == 1
    assert solve(instance).makespan == 3
    long_jobs = tuple(replace(job, duration=60, attended=60) for job in jobs)
    instance = replace(instance, actions=long_jobs)
    assert common_tick(instance) == 30
    assert solve(instance).makespan == 90


def test_common_tick_is_1_if_an_interruptible_action_uses_a_resource():
    for modes, expected in (((Mode((Demand("oven"),)),), 1), ((Mode(),), 4)):
        action = Action("t/a", "t", 4, 4, interruptible=True, modes=modes)
        assert common_tick(Instance("pauses", (action,), resources=(Resource("oven"),))) == expected


@pytest.mark.parametrize(
    ("fields", "others"),
    [
        ({}, {}),
        ({"release": 6}, {}),
        ({"deadline": 30}, {}),
        ({"windows": ((6, 30),)}, {}),
        ({"modes": (Mode(), Mode(duration=6, attended=4))}, {}),
        ({"modes": (Mode(), Mode(attended=2))}, {}),
        ({}, {"lags": (Lag("t/b", "t/a", 2),)}),
        ({}, {"lags": (Lag("t/b", "t/a", None, 6),)}),
        ({}, {"calendars": (Calendar(("agent",), ((4, 6),), 12),)}),
        ({}, {"calendars": (Calendar(("agent",), ((4, 8),), 14),)}),
        ({"place": "x"}, {"transitions": (Transitions(("agent",), (("x", "y", 2),)),)}),
    ],
)
def test_common_tick_divides_all_times(fields, others):
    actions = (Action("t/a", "t", 8, 4, **fields), Action("t/b", "t", 4, 4, place=fields.get("place")))
    assert common_tick(Instance("times", actions, **others)) == (2 if fields or others else 4)


@pytest.mark.parametrize(("release", "duration", "start"), [(3, 0, 3), (4, 0, 5), (4, 2, 5), (6, 2, 6)])
def test_action_starts_in_a_window_that_its_release_reaches(release, duration, start):
    action = Action("t/sell", "t", duration, 0, release=release, windows=((0, 3), (5, 8)))
    instance = Instance("shop", (action,))
    assert windows(instance).head == [start]
    assert solve(instance).makespan == start + duration


def test_horizon_has_room_for_a_negative_maximum_lag():
    early, late = Action("t/early", "t", 1, 0), Action("t/late", "t", 2, 0)
    instance = Instance("apart", (early, late), (Lag("t/late", "t/early", None, -5),))
    assert solve(instance).makespan == 5 <= horizon(instance)


@pytest.mark.parametrize("seed", sample(range(300), 30))
def test_lower_bound_never_exceeds_the_optimum(seed):
    for instance in (kitchen(seed), workshop(seed), agent_workshop(seed)):
        result = solve(instance)
        if result.makespan is not None:
            bounds = windows(instance)
            assert bounds.consistent
            assert lower_bound(instance, bounds) <= result.makespan <= horizon(instance)
