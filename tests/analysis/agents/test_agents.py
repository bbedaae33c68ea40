"""Agents that need no model, on problems of every kind."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import cache
from random import Random

import pytest
from support.samples import sample

from planoracle import environment, load
from planoracle.analysis.agents.agent import AgentError, PlayedRun, play
from planoracle.analysis.agents.builtin import agent
from planoracle.analysis.grading.oracle import WORK, optimum
from planoracle.instances.files import catalog
from planoracle.instances.protocol.environment import AnyEnvironment
from planoracle.solver.runs import solver_of

PROBLEMS = ("timearena/household1+household2", "robotouille/asynchronous/0_cheese_chicken_sandwich")
ALL = (*PROBLEMS, "recipe2plan/timed/Cobbler_Pancakes", "asynctool/similar2/01", "asynchow/async/829")
SETS = ("recipe2plan", "timearena", "asynctool", "asynchow", "robotouille")


def played(run: AnyEnvironment, name: str, seed: int = 0) -> PlayedRun:
    return asyncio.run(play(run, agent(name, seed=seed)))


def best(run: AnyEnvironment) -> int | None:
    problem = run.run().problem
    return optimum(problem, run.rules.deciding() if problem.kind == "kitchen" else None).makespan


def wandered(name: str, steps: int, seed: int) -> AnyEnvironment:
    """Return a run after some random commands."""
    run, chance = environment(load(name), reward="regret"), Random(seed)
    for _ in range(steps):
        if not run.done:
            run.step(chance.choice(run.legal()).text)
    return run


@pytest.mark.parametrize("loop", ["closed", "open"])
@pytest.mark.parametrize("name", ALL)
def test_optimal_ends_with_the_optimum(name: str, loop: str) -> None:
    found = played(environment(load(name), loop=loop), "optimal")
    run = found.environment.run()
    assert found.failure is None
    assert run.success
    assert run.makespan == best(found.environment)


@pytest.mark.parametrize("seed", sample(range(4)))
@pytest.mark.parametrize("name", sample(PROBLEMS))
def test_optimal_goes_on_from_wherever_it_is_without_loss(name: str, seed: int) -> None:
    run = wandered(name, 3 + 2 * seed, seed)
    lost = run.step("Nothing that means anything").info["lost"]
    found = played(run, "optimal")
    assert [one.transition.info["cost"] for one in found.exchanges] == [0] * len(found.exchanges)
    assert run.run().success == (lost is None)
    assert bool(found.exchanges) == (lost is None)


def test_optimal_looks_again_when_the_world_does_not_agree() -> None:
    run = environment(load(PROBLEMS[0]), reward="regret")
    one = agent("optimal")
    for other in ("wait", "wash teapot", None):
        said = asyncio.run(one.act(run))
        assert said is not None
        run.step(said if other is None else other)
    rest = asyncio.run(play(run, one))
    assert rest.total == 0.0
    assert run.run().success


def test_optimal_stops_where_nothing_leads_to_success() -> None:
    run = environment(load("timearena/household1"))
    while run.observation.clock < 39:
        run.step("wait")
    found = played(run, "optimal")
    assert found.exchanges == ()
    assert not run.done
    assert found.failure is None


def test_chance_follows_its_seed() -> None:
    def said(name: str, seed: int) -> list[str]:
        return [
            one.message
            for one in played(environment(load("robotouille/synchronous/0_cheese_sandwich")), name, seed).exchanges
        ]

    assert said("random", 1) == said("random", 1)
    assert len({tuple(said("random", seed)) for seed in range(4)}) > 1


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("loop", ["closed", "open"])
def test_greedy_finishes(name: str, loop: str) -> None:
    found = played(environment(load(name), loop=loop), "greedy")
    run = found.environment.run()
    assert run.success
    assert (run.makespan or 0) >= (best(found.environment) or 0)


def test_heuristics_play_as_they_schedule() -> None:
    from planoracle.heuristics.registry import run as scheduled

    problem = load(PROBLEMS[0])
    for name in ("timearena-greedy", "serial-spt", "improve"):
        assert played(environment(problem), name).environment.run().makespan == scheduled(problem, name).makespan


def _refusals() -> Iterator[tuple[str, AnyEnvironment, str]]:
    yield "serial-spt", environment(load(PROBLEMS[1])), "is for scheduling problems"
    begun = environment(load(PROBLEMS[0]))
    begun.step("wait")
    yield "serial-spt", begun, "needs a run without commands"
    yield "random", environment(load(PROBLEMS[0]), loop="open"), "needs a closed loop"


def test_what_an_agent_cannot_do_is_its_own_failure_and_no_score() -> None:
    for name, run, why in _refusals():
        found = played(run, name)
        assert isinstance(found.failure, AgentError)
        assert why in str(found.failure)


def test_a_heuristic_that_is_disturbed_says_so() -> None:
    run, one = environment(load(PROBLEMS[0])), agent("serial-spt")
    asyncio.run(one.act(run))
    run.step("wait")
    with pytest.raises(AgentError, match="deviates from the schedule"):
        asyncio.run(one.act(run))


@cache
def bundled(name: str) -> tuple[str, ...]:
    return tuple(catalog.expand([name]))


def some(name: str, count: int) -> tuple[str, ...]:
    """Problems of a set from all over it; of kitchens, in which everything takes long, the first few."""
    names = bundled(name)
    return names[:3] if name == "robotouille" else names[:: max(1, len(names) // count)]


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS)
def test_optimal_reaches_the_optimum_of_bundled_problems(name: str) -> None:
    for one in some(name, 30):
        found = played(environment(load(one), reward="regret"), "optimal")
        assert found.environment.run().makespan == best(found.environment), one
        assert found.total == 0.0, one


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS)
def test_what_is_left_of_random_states_is_what_regret_says(name: str) -> None:
    """Asked in three ways: of the reward, of who answers about whole runs, and of the agent that goes on."""
    chance, left = Random(17), 0
    for _ in range(5 if name == "robotouille" else 40):
        run = wandered(chance.choice(some(name, 40)), chance.randrange(10), chance.randrange(10**6))
        info = run.step("Nothing that means anything").info if not run.done else {"after": None}
        if info["after"] is None or run.done:
            continue
        assert solver_of(run.run(), WORK).value.makespan == info["after"]
        rest = played(run, "optimal")
        assert run.run().makespan == info["after"]
        assert rest.total == 0.0
        left += 1
    assert left > (0 if name == "robotouille" else 4)
