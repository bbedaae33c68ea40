"""Values of live runs: searches with a requested length, and limits of joint moves."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planoracle import load
from planoracle.analysis.diagnosis.regret import regret
from planoracle.analysis.grading.rewards import RegretReward
from planoracle.instances.benchmarks.kitchens.kitchen import PROFILES
from planoracle.instances.model.limits import Status, WorkLimit
from planoracle.instances.protocol import registry
from planoracle.solver.kitchens.astar import plan
from planoracle.solver.solve import solve

WORK = WorkLimit(10.0)
PROBLEMS = (
    "recipe2plan/timed/Cobbler_Pancakes",
    "timearena/household1+household2",
    "asynctool/similar2/01",
    "asynchow/async/829",
    "robotouille/synchronous/0_cheese_sandwich",
)


def test_plan_with_at_least_and_greedy_has_the_requested_length() -> None:
    kitchen = load("robotouille/asynchronous/0_cheese_chicken_sandwich")
    best = plan(kitchen)  # type: ignore[arg-type]
    assert best.makespan == 21
    assert plan(kitchen, at_least=21).makespan == 21  # type: ignore[arg-type]
    some = plan(kitchen, greedy=True)  # type: ignore[arg-type]
    assert some.status == Status.feasible
    assert some.makespan is not None
    assert some.makespan >= 21


def test_limit_of_joint_moves_counts_rounds() -> None:
    kitchen = load("robotouille/multi_agent/1_lettuce_burger")
    benchmark = registry.of(kitchen)
    run = benchmark.run(kitchen, {"plan": [], "limit": 3}, benchmark.rules.profile("released", moves="joint"))
    assert [run.in_time(rounds) for rounds in (3, 4)] == [True, False]


@pytest.mark.parametrize("count_refused", [True, False])
def test_refused_actions_in_kitchens_cost_the_steps_that_they_take(count_refused: bool) -> None:
    kitchen = load("robotouille/synchronous/3_burger")
    rules = replace(PROFILES["paper"], count_refused=count_refused)
    refused = "Pick up patty1 from table3 using robot1"
    first, *remaining = solve(kitchen).plan.splitlines()
    actions = [refused, first, "Dance", *remaining]
    live = registry.of(kitchen).environment(kitchen, rules, reward=RegretReward())
    rewards = [live.step(action).reward for action in actions]
    priced = regret(kitchen, actions, rules=rules)
    costs = [decision.cost for decision in priced.decisions]
    assert costs == [-value for value in rewards] == [count_refused, 0, count_refused, *[0] * len(remaining)]
    assert priced.final == priced.optimum + 2 * count_refused == live.verdict().makespan
