"""Plans and bounds of tiny grid kitchens, compared with exhaustive search through the rules."""

from __future__ import annotations

import pytest
from support.exhaustive_grid_kitchens import SearchLimitError, compare_with_planner, min_time
from support.grid_kitchens import PAPER, RELEASED
from support.random_grid_kitchens import random_grid_kitchen

from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import GridKitchenRules
from planoracle.instances.model.limits import Status, WorkLimit
from planoracle.solver.grid_kitchens.kind import plan


@pytest.mark.slow
@pytest.mark.parametrize("rules", [PAPER, RELEASED], ids=["paper", "released"])
@pytest.mark.parametrize("cooks", [1, 2])
@pytest.mark.parametrize("seeds", [range(6), pytest.param(range(6, 24), marks=pytest.mark.slow)], ids=["few", "many"])
def test_no_plan_is_shorter_than_the_proved_optimum(rules: GridKitchenRules, cooks: int, seeds: range) -> None:
    """Compare random grid kitchens of 3 by 3 to 5 by 4 tiles."""
    compared = 0
    for seed in seeds:
        status, faults = compare_with_planner(random_grid_kitchen(seed, cooks), rules, most=3_000)
        assert not faults, (seed, faults)
        compared += status != "too much"
    assert compared


@pytest.mark.parametrize("rules", [PAPER, RELEASED], ids=["paper", "released"])
def test_earliest_serving_tick_is_1(rules: GridKitchenRules) -> None:
    """A cook with all items within reach serves at tick 1, which is proved optimal."""
    result = plan(random_grid_kitchen(12, 2), rules, WorkLimit(0.5))
    assert (result.status, result.makespan, result.lower_bound) == (Status.optimal, 1, 1)


@pytest.mark.slow
@pytest.mark.parametrize("rules", [PAPER, RELEASED], ids=["paper", "released"])
def test_pruning_of_the_exhaustive_search_keeps_the_optimum(rules: GridKitchenRules) -> None:
    """All walks and waits, without pruning, give the same minimum time."""
    compared = 0
    for seed in range(8):
        for cooks in (1, 2):
            kitchen = random_grid_kitchen(seed, cooks)
            try:
                short = min_time(kitchen, rules, 3, most=1_000)
                full = min_time(kitchen, rules, 3, most=2_000, sparse=True, pruned=False)
            except SearchLimitError:
                continue
            assert (short and short.time) == (full and full.time), kitchen.name
            compared += 1
    assert compared
