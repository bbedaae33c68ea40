"""Estimates and searches in users' domains."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from planoracle.instances.benchmarks.kitchens.compiled_kitchen import CompiledKitchen
from planoracle.instances.benchmarks.kitchens.kitchen import Kitchen
from planoracle.instances.benchmarks.kitchens.simulation import trace
from planoracle.instances.benchmarks.kitchens.simulator_files import environment_from_document
from planoracle.instances.benchmarks.kitchens.variants import variant
from planoracle.instances.model.limits import WorkLimit
from planoracle.solver.kitchens.astar import plan
from planoracle.solver.kitchens.relaxed_distance import RelaxedDistance
from tests.support import toast
from tests.support.robotouille import min_steps_of


def of(**more: Any) -> Kitchen:
    return environment_from_document(toast.kitchen(domain=toast.domain(), **more), "toast.json", "toast")


def test_estimate_is_zero_exactly_at_the_goal() -> None:
    engine = CompiledKitchen(of())
    relaxed = RelaxedDistance(engine)
    state = engine.start()
    estimates = []
    for text in toast.PLAN:
        estimates.append(relaxed.distance(state))
        state = engine.step(state, engine.find(state, text) or 0)
    assert min(estimates) > 0
    assert estimates[0] > estimates[6] > estimates[-1]
    assert relaxed.distance(state) == 0


def test_estimate_counts_ticks_and_repetitions() -> None:
    goal = [{"predicate": "istoasted", "args": ["bread"], "ids": [1]}]
    fast = RelaxedDistance(CompiledKitchen(of(goal=goal)))
    slow = RelaxedDistance(CompiledKitchen(of(goal=goal, config={"toast_time": {"default": 7}})))
    start = CompiledKitchen(of(goal=goal)).start()
    assert slow.distance(start) == fast.distance(start) + 5


def test_condition_reached_in_two_ways_counts_once() -> None:
    players = [{"name": "robot", "x": x, "y": 0, "direction": [0, 1]} for x in (0, 2)]
    engine = CompiledKitchen(of(players=players))
    assert RelaxedDistance(engine).distance(engine.start()) == 26


def test_goal_that_no_action_reaches_is_far_and_infeasible() -> None:
    kitchen = of(goal=[{"predicate": "istoasted", "args": ["cheese"], "ids": [1]}], config={})
    engine = CompiledKitchen(kitchen)
    assert RelaxedDistance(engine).distance(engine.start()) == 1_000
    small = of(goal=[{"predicate": "istoaster", "args": ["table"], "ids": [1]}], items=[])
    assert plan(small).status == "infeasible"


@pytest.mark.parametrize(("condition", "far"), [("not istable s1", False), ("not isrobot p1", True)])
def test_condition_that_never_changes_excludes_actions(condition: str, far: bool) -> None:
    document = toast.domain()
    [switch] = [entry for entry in document["action_defs"] if entry["name"] == "switch-on"]
    switch["precons"].append(toast.literal(condition))
    goal = [{"predicate": "istoasted", "args": ["bread"], "ids": [1]}]
    kitchen = environment_from_document(toast.kitchen(domain=document, goal=goal), "toast.json", "toast")
    engine = CompiledKitchen(kitchen)
    assert (RelaxedDistance(engine).distance(engine.start()) >= 1_000) == far


def test_greedy_search_follows_the_estimate() -> None:
    kitchen = variant(of(), "42")
    assert len(kitchen.objects) == 15
    result = plan(kitchen, greedy=True, time_limit=WorkLimit(20.0))
    assert result.status == "feasible"
    assert trace(kitchen, result.actions).success


def test_kitchen_without_a_wait_whose_goal_holds_takes_a_step() -> None:
    document = toast.domain()
    document["action_defs"] = [entry for entry in document["action_defs"] if entry["name"] != "wait"]
    goal = [{"predicate": "vacant", "args": ["toaster"], "ids": [1]}]
    kitchen = environment_from_document(toast.kitchen(domain=document, goal=goal), "toast.json", "toast")
    result = plan(kitchen)
    assert (result.status, result.makespan) == ("optimal", 1)


@pytest.mark.parametrize("seed", range(3))
def test_optima_of_small_kitchens_agree_with_an_exhaustive_search(seed: int) -> None:
    random = Random(seed)
    goals = [("ison", ["toaster"], [3]), ("istoasted", ["bread"], [1]), ("issalted", ["cheese"], [2])]
    chosen = random.sample(goals, 2)
    goal = [{"predicate": name, "args": args, "ids": ids} for name, args, ids in chosen]
    kitchen = of(goal=goal, config={"toast_time": {"default": 1 + seed}})
    result = plan(kitchen)
    assert result.status == "optimal"
    assert result.makespan == min_steps_of(kitchen, CompiledKitchen(kitchen).rules)
