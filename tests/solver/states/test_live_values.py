"""Values of live runs, state by state, against those of the whole run, and against searches without a beginning."""

from __future__ import annotations

from random import Random

import pytest
from support.samples import sample

from planoracle import environment, load
from planoracle.instances.model.limits import Status, WorkLimit
from planoracle.solver.kitchens.astar import plan
from planoracle.solver.runs import Live, StateValue, lost_after, run_of, solver_of

WORK = WorkLimit(10.0)
PROBLEMS = (
    "recipe2plan/timed/Cobbler_Pancakes",
    "timearena/household1+household2",
    "asynctool/similar2/01",
    "asynchow/async/829",
    "robotouille/synchronous/0_cheese_sandwich",
)


@pytest.mark.slow
@pytest.mark.parametrize("name", sample(PROBLEMS))
def test_what_is_kept_from_state_to_state_is_what_is_found_anew(name: str) -> None:
    for seed in range(2):
        run, live, chance = environment(load(name)), Live(WORK), Random(seed)
        known: StateValue | None = None
        while not run.done and run.state.count < 12:
            known = live.state_value(run_of(run), known)
            assert known.value == solver_of(run_of(run), WORK).value
            run.step(chance.choice(run.legal()).text)


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_commands_of_a_state_lead_to_its_value(name: str) -> None:
    run, live, chance = environment(load(name), bounded=False), Live(WORK), Random(5)
    for _ in range(4):
        if not run.done:
            run.step(chance.choice([one for one in run.legal() if one.kind != "close"]).text)
    here = run_of(run)
    known = live.state_value(here)
    if lost_after(here, here.stop, known.value):
        return
    for command in live.commands(here, known) or ():
        taken = run.step(command)
        assert not any(one.kind == "lost" for one in taken.outcomes)
    assert run.run().makespan == known.value.makespan


def test_plans_of_a_length_that_is_asked_for() -> None:
    kitchen = load("robotouille/asynchronous/0_cheese_chicken_sandwich")
    best = plan(kitchen)  # type: ignore[arg-type]
    assert best.makespan == 21
    assert plan(kitchen, at_least=21).makespan == 21  # type: ignore[arg-type]
    some = plan(kitchen, greedy=True)  # type: ignore[arg-type]
    assert some.status == Status.feasible
    assert some.makespan is not None
    assert some.makespan >= 21


def test_with_joint_moves_a_limit_is_one_of_rounds() -> None:
    from planoracle.instances.protocol import registry

    kitchen = load("robotouille/multi_agent/1_lettuce_burger")
    benchmark = registry.of(kitchen)
    run = benchmark.run(kitchen, {"plan": [], "limit": 3}, benchmark.rules.profile("released", moves="joint"))
    assert [run.in_time(actions) for actions in (6, 7)] == [True, False]
