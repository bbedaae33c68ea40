"""Tours of agents: optima agree with dynamic programming over sets of visits."""

from __future__ import annotations

import pytest
from support.random_tours import shortest_tour, tour
from support.samples import sample

from planoracle.instances.model.builder import Model
from planoracle.instances.model.transition_rules import MAX_TIED_VISITS
from planoracle.solver.exact.search import solve

CASES = [(seed, places) for places in range(8, 14) for seed in range(4)]


@pytest.mark.parametrize(("seed", "places"), sample(CASES, 8, several=True))
@pytest.mark.parametrize("windows", [False, True])
def test_tour_of_one_agent_is_the_shortest(seed: int, places: int, windows: bool) -> None:
    instance = tour(seed, places, windows=windows)
    result = solve(instance)
    assert (result.status, result.makespan) == ("optimal", shortest_tour(instance))


@pytest.mark.parametrize(("seed", "places"), sample([(seed, 8) for seed in range(20)], 10, several=True))
def test_tour_with_missing_ways_is_the_shortest(seed: int, places: int) -> None:
    instance = tour(seed, places, missing=0.6)
    result = solve(instance)
    expected = shortest_tour(instance)
    assert result.makespan == expected
    assert result.status == ("infeasible" if expected is None else "optimal")


@pytest.mark.parametrize(("count", "makespan"), [(8, 0), (9, 1), (17, 2)])
def test_at_most_eight_starts_of_an_agent_are_at_one_instant(count: int, makespan: int) -> None:
    model = Model("bells", agents=["ann"]).travel("ann", {}).task("t")
    for number in range(count):
        model = model.action(f"ring {number}", 0, place="tower", deadline=60)
    result = solve(model.build())
    assert (result.status, result.makespan) == ("optimal", makespan)


def test_visit_that_takes_time_is_none_of_the_starts_at_its_instant() -> None:
    model = Model("bells", agents=["ann"]).travel("ann", {}).task("t").action("sweep", 1, place="tower")
    for number in range(MAX_TIED_VISITS):
        model = model.action(f"ring {number}", 0, place="tower", deadline=0)
    result = solve(model.build())
    assert (result.status, result.makespan) == ("optimal", 1)


def test_starts_at_one_instant_come_in_any_order_despite_precedences() -> None:
    model = Model("bells", agents=["ann"]).travel("ann", {("yard", "tower"): 0, ("tower", "yard"): 4}).task("t")
    model = model.action("ring", 0, place="tower").action("open", 0, place="yard", after="ring")
    result = solve(model.build())
    assert (result.status, result.makespan) == ("optimal", 0)
