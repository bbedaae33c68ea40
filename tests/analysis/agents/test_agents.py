"""Agents that need no model, on problems of every kind."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from planoracle import environment, load
from planoracle.analysis.agents.agent import AgentError, PlayedRun, play
from planoracle.analysis.agents.builtin import agent
from planoracle.instances.protocol.environment import AnyEnvironment

PROBLEMS = ("timearena/household1+household2", "robotouille/asynchronous/0_cheese_chicken_sandwich")
ALL = (*PROBLEMS, "recipe2plan/timed/Cobbler_Pancakes", "asynctool/similar2/01", "asynchow/async/829")


def played(run: AnyEnvironment, name: str, seed: int = 0) -> PlayedRun:
    return asyncio.run(play(run, agent(name, seed=seed)))


def test_optimal_looks_again_when_the_world_does_not_agree() -> None:
    run = environment(load(PROBLEMS[0]), reward="regret")
    one = agent("optimal")
    for other in ("wait", "wash teapot", None):
        message = asyncio.run(one.act(run))
        assert message is not None
        run.step(message if other is None else other)
    rest = asyncio.run(play(run, one))
    assert rest.total == 0.0
    assert run.run().success


def test_optimal_stops_where_nothing_leads_to_success() -> None:
    run = environment(load("timearena/household1"))
    while run.observation.clock < 39:
        run.step("wait")
    result = played(run, "optimal")
    assert result.exchanges == ()
    assert not run.done
    assert result.failure is None


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
    result = played(environment(load(name), loop=loop), "greedy")
    run = result.environment.run()
    assert run.success


def test_heuristics_play_as_they_schedule() -> None:
    from planoracle.heuristics.registry import run as scheduled

    problem = load(PROBLEMS[0])
    for name in ("timearena-greedy", "greedy-released", "serial-spt", "improve"):
        assert played(environment(problem), name).environment.run().makespan == scheduled(problem, name).makespan


def _refusals() -> Iterator[tuple[str, AnyEnvironment, str]]:
    yield "serial-spt", environment(load(PROBLEMS[1])), "is for scheduling problems"
    started = environment(load(PROBLEMS[0]))
    started.step("wait")
    yield "serial-spt", started, "needs a run without commands"
    yield "random", environment(load(PROBLEMS[0]), loop="open"), "needs a closed loop"


def test_what_an_agent_cannot_do_is_its_own_failure_and_no_score() -> None:
    for name, run, reason in _refusals():
        result = played(run, name)
        assert isinstance(result.failure, AgentError)
        assert reason in str(result.failure)


def test_a_heuristic_that_is_disturbed_says_so() -> None:
    run, one = environment(load(PROBLEMS[0])), agent("serial-spt")
    asyncio.run(one.act(run))
    run.step("wait")
    with pytest.raises(AgentError, match="deviates from the schedule"):
        asyncio.run(one.act(run))
