"""Plans from schedules of transport tasks: they pass the rules, and none is shorter than an optimum."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from support.robotouille import kitchen as small
from support.robotouille import min_steps_of
from support.samples import sample

from planoracle.analysis.grading.oracle import optimum
from planoracle.instances.benchmarks.kitchens.compiled_kitchen import CompiledKitchen
from planoracle.instances.benchmarks.kitchens.kitchen import PROFILES, Kitchen, KitchenRules
from planoracle.instances.benchmarks.kitchens.simulation import trace
from planoracle.instances.files.catalog import expand
from planoracle.instances.files.catalog import problem as named
from planoracle.instances.model.limits import Status, WorkLimit, deadline_of
from planoracle.instances.model.problem import of_kind
from planoracle.solver.kitchens.astar import plan
from planoracle.solver.kitchens.heuristic import heuristic
from planoracle.solver.kitchens.transport.scheduling import ScheduleInput, schedule
from planoracle.solver.kitchens.transport.transport_tasks import TransportTask
from tests.support.kitchen_comparison import draw_kitchen

RULES = (PROFILES["released"], PROFILES["paper"], replace(PROFILES["released"], moves="joint"))


def plans(problem: Kitchen, rules: KitchenRules = RULES[0], most: int = 400) -> Iterator[list[str]]:
    """Yield the plans for a kitchen, each accepted by the rules."""
    engine = CompiledKitchen(problem, rules)
    start, guide = engine.start(), heuristic(engine)
    for deeds in guide.transport_plans(start, guide.root(start), most, deadline_of(WorkLimit(5))):
        actions = [engine.actions[deed].text for deed in deeds]
        replayed = trace(problem, actions, rules)
        assert replayed.success
        assert not replayed.refusals
        assert len(actions) < most
        most = len(actions)
        yield actions


@pytest.mark.parametrize("name", sample(expand(["robotouille/multi_agent"]), 4))
def test_transport_plans_for_two_cooks_reach_the_bundled_optimum(name: str) -> None:
    problem = of_kind(named(name), Kitchen)
    result = optimum(problem)
    shortest = len(list(plans(problem))[-1])
    assert shortest >= result.lower_bound
    assert shortest == result.makespan


@pytest.mark.slow
@pytest.mark.parametrize("rules", sample(RULES), ids=lambda rules: f"{rules.skip_after_finish}-{rules.moves}")
@pytest.mark.parametrize("cooks", sample([1, 2]))
def test_transport_plans_pass_the_rules_and_never_beat_the_optimum(cooks: int, rules: KitchenRules) -> None:
    solved = 0
    for seed in range(25):
        problem = draw_kitchen(seed, cooks)
        lengths = [len(actions) for actions in plans(problem, rules)]
        if lengths:
            solved += 1
            assert min(lengths) >= min_steps_of(problem, rules)
    assert solved >= 3


def test_held_item_is_placed_at_its_target_or_on_a_free_station() -> None:
    stations: dict[str, list[str]] = {"table1": [], "table2": ["bread1"], "table3": []}
    goal = [["atop", "cheese1", "bread1"], ["item_on", "bread1", "table2"]]
    holding = small(stations, players={"robot1": {"at": "table1", "holds": "cheese1"}}, goal=goal)
    assert [len(actions) for actions in plans(holding)] == [2]  # walk, stack
    stations["table3"].append("cheese1")
    assert [len(actions) for actions in plans(small(stations, players={"robot1": {"at": "table1"}}, goal=goal))] == [4]
    other = small(stations, players={"robot1": {"at": "table1", "holds": "patty1"}}, goal=goal)
    assert [len(actions) for actions in plans(other)] == [5]  # put the held item on a free station first


def test_only_board_is_cleared_before_use() -> None:
    stations: dict[str, list[str]] = {"table1": ["lettuce1"], "table2": ["bread1"], "board1": ["patty1"], "table3": []}
    goal = [["iscut", "lettuce1"], ["atop", "lettuce1", "bread1"], ["item_on", "bread1", "table2"]]
    traits = {"lettuce1": ["iscuttable"]}
    kitchen = small(stations, players={"robot1": {"at": "table3"}}, traits=traits, goal=goal)
    best = plan(kitchen, time_limit=WorkLimit(1))
    assert min(len(actions) for actions in plans(kitchen)) == best.makespan
    assert best.status == Status.optimal


def test_item_that_can_be_prepared_is_chosen() -> None:
    kitchen = of_kind(named("robotouille/asynchronous/2_lettuce_tomato_fried_chicken_sandwich@168"), Kitchen)
    assert ("isfryable", "chicken1") not in kitchen.facts
    assert all("Fry chicken2" in " ".join(actions) for actions in plans(kitchen))
    assert list(plans(kitchen))


def test_cooks_and_items_without_a_location_have_no_transport_plan() -> None:
    stations: dict[str, list[str]] = {"table1": ["bread1"], "table2": []}
    goal = [["item_on", "bread1", "table2"]]
    nowhere = small(stations, players={"robot1": {"at": "table1"}, "robot2": {}}, goal=goal)
    assert not list(plans(nowhere))
    assert plan(nowhere, time_limit=WorkLimit(1)).makespan
    lost = small(
        stations, elsewhere=["cheese1"], goal=[["atop", "bread1", "cheese#1"], ["item_on", "cheese#1", "table2"]]
    )
    assert not list(plans(lost))
    assert plan(lost, time_limit=WorkLimit(1)).status == Status.infeasible


def test_schedule_of_transport_tasks_has_the_shortest_makespan() -> None:
    """With one board, the second cook waits until the first one has taken the item away."""
    setting = ScheduleInput(
        ("table1", "table2"), {"onion1": "table3", "onion2": "table4"}, {"board": 1}, {}, frozenset(), False
    )
    listed = [
        TransportTask("onion1", True, "board", "put", "iscut", 3),
        TransportTask("onion1", True, "table5", "put", before=(0,)),
        TransportTask("onion2", True, "board", "put", "iscut", 3),
        TransportTask("onion2", True, "table6", "put", before=(2,)),
    ]
    turns = schedule(setting, listed, 100, deadline_of(WorkLimit(5)))
    assert turns is not None
    by_task = {turn.task: turn for turn in turns}
    first, second = sorted((0, 2), key=lambda task: by_task[task].first)
    # Walk, take; walk, put, cut three times, take; walk, put: ten turns. The second cook comes after that.
    ends = [2 * (by_task[n].first + listed[n].length) - 1 + by_task[n].cook for n in (first + 1, second + 1)]
    assert ends[0] <= 20
    alone = schedule(setting._replace(free={"board": 2}), listed, 100, deadline_of(WorkLimit(5)))
    assert alone is not None
    assert max(2 * (turn.first + listed[turn.task].length) - 1 + turn.cook for turn in alone) == 20
    assert ends[1] == 32
