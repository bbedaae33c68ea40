"""Lower bound by a schedule, against blind search and known plans."""

from __future__ import annotations

from random import Random

import pytest

from planoracle.instances.benchmarks.kitchens.compiled_kitchen import CompiledKitchen, State
from planoracle.instances.benchmarks.kitchens.kitchen import PROFILES, Kitchen
from planoracle.instances.files import catalog
from planoracle.instances.model.limits import NO_LIMIT
from planoracle.instances.model.problem import of_kind
from planoracle.solver.kitchens import astar
from planoracle.solver.kitchens.heuristic import Groups, SearchHeuristic, heuristic
from planoracle.solver.solve import bundled_result
from tests.support.kitchen_cases import Case, bound
from tests.support.kitchen_comparison import draw_cases, with_goal
from tests.support.kitchen_walks import SLACK
from tests.support.robotouille import document
from tests.support.samples import sample
from tests.support.state_graph import StateGraph

SANDWICH = "robotouille/multi_agent/4_lettuce_chicken_sandwich"
#: States of each random kitchen, of which so many are compared.
STATES, COMPARED = 2_000, 60


def scheduled(guide: SearchHeuristic, state: State, groups: Groups, steps: int) -> int:
    """Return the bound of a state from which the goal takes so many steps."""
    return guide.schedule_bound(state, groups, steps + SLACK, NO_LIMIT)


def compare_states(case: Case, graph: StateGraph, random: Random) -> list[tuple[int, int, int]]:
    """Return distance, bound by a schedule and sum of own steps for random states of a kitchen."""
    engine = with_goal(graph.engine, case.problem())
    guide = heuristic(engine)
    groups = tuple((0, group) for _, group in guide.root(engine.start()))
    distances = graph.distances(engine.goal)
    numbers = [number for number, distance in enumerate(distances) if distance]
    rows = []
    for number in random.sample(numbers, min(COMPARED, len(numbers))):
        state, distance = graph.states[number], distances[number]
        assert distance is not None
        if groups:
            rows.append((distance, scheduled(guide, state, groups, distance), bound(guide, state, groups)))
    return rows


@pytest.mark.parametrize("cooks", [2, 3])
@pytest.mark.parametrize("seed", sample(range(60), 60))
def test_schedule_is_never_longer_than_the_shortest_plan(seed: int, cooks: int) -> None:
    for case, graph in draw_cases(seed, 2, STATES, cooks):
        rows = compare_states(case, graph, Random(seed))
        assert [row for row in rows if row[1] > row[0]] == []


@pytest.mark.slow
@pytest.mark.parametrize("benchmark", ["kitchens", "robotouille"])
def test_bounds_at_the_start_are_at_most_every_bundled_optimum(benchmark: str) -> None:
    rules = PROFILES["released"]
    count = 0
    for name in catalog.expand([benchmark]):
        problem = of_kind(catalog.problem(name), Kitchen)
        bundled = bundled_result(problem, rules)
        if bundled is None or bundled.status != "optimal":
            continue
        steps = len(bundled.actions)
        engine = CompiledKitchen(problem, rules)
        guide, state = heuristic(engine), engine.start()
        groups = tuple((0, group) for _, group in guide.root(state))
        if guide.familiar:
            assert bound(guide, state, groups) <= steps, name
            assert scheduled(guide, state, groups, steps) <= steps, name
            count += 1
    assert count > 10


def test_search_of_several_cooks_ends_where_the_schedule_is_as_long_as_the_plan(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(astar, "_BEFORE_SCHEDULE", 100)
    problem = of_kind(catalog.problem(SANDWICH), Kitchen)
    bundled = bundled_result(problem, PROFILES["released"])
    assert bundled is not None
    result = astar.plan(problem, incumbent=bundled.actions)
    assert (result.status, result.makespan) == ("optimal", bundled.makespan)
    assert result.expanded == 100


@pytest.mark.slow
@pytest.mark.parametrize("pots", [{"table1": ["pot1"]}, {"sink1": ["pot1"]}, {"table1": ["pot1"], "stove1": ["pot2"]}])
def test_schedule_of_two_soups_lets_them_share_a_pot(pots: dict[str, list[str]]) -> None:
    stations = {"sink1": [], "table1": [], "stove1": [], "table2": ["bowl1"], "table3": ["bowl2"]} | pots
    players = {"robot1": {"at": "sink1"}, "robot2": {"at": "table2"}}
    goal = [["in", "water#1", "bowl#1"], ["in", "water#2", "bowl#2"]]
    case = Case(document(stations, players=players, goal=goal), counts={"fill-pot": 2})
    steps = case.min_steps()
    assert steps is not None
    engine = CompiledKitchen(case.problem(), case.profile())
    guide = heuristic(engine)
    groups = tuple((0, group) for _, group in guide.root(engine.start()))
    assert bound(guide, engine.start(), groups) < scheduled(guide, engine.start(), groups, steps) <= steps


def test_work_of_each_cook_proves_a_bound_within_the_effort() -> None:
    name = "kitchens/multi_agent/8_tomato_cheeseburger_onion_chicken_sandwich"
    engine = CompiledKitchen(of_kind(catalog.problem(name), Kitchen), PROFILES["released"])
    guide, state = heuristic(engine), engine.start()
    groups = tuple((0, group) for _, group in guide.root(state))
    assert guide.schedule_bound(state, groups, 44, NO_LIMIT) == 40
