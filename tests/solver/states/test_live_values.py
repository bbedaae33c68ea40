"""Values of live runs: searches with a requested length, and limits of joint moves."""

from __future__ import annotations

from planoracle import load
from planoracle.instances.model.limits import Status, WorkLimit
from planoracle.solver.kitchens.astar import plan

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
    from planoracle.instances.protocol import registry

    kitchen = load("robotouille/multi_agent/1_lettuce_burger")
    benchmark = registry.of(kitchen)
    run = benchmark.run(kitchen, {"plan": [], "limit": 3}, benchmark.rules.profile("released", moves="joint"))
    assert [run.in_time(rounds) for rounds in (3, 4)] == [True, False]
