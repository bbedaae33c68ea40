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


def test_optimal_agent_solves_again_after_a_deviation() -> None:
    run = environment(load(PROBLEMS[0]), reward="regret")
    one = agent("optimal")
    for other in ("wait", "wash teapot", None):
        message = asyncio.run(one.act(run))
        assert message is not None
        run.step(message if other is None else other)
    rest = asyncio.run(play(run, one))
    assert rest.total == 0.0
    assert run.run().success


def test_optimal_agent_stops_if_success_is_unreachable() -> None:
    run = environment(load("timearena/household1"))
    while run.observation.clock < 39:
        run.step("wait")
    result = played(run, "optimal")
    assert result.exchanges == ()
    assert not run.done
    assert result.failure is None


def test_random_agent_depends_on_its_seed() -> None:
    def utterances_of(name: str, seed: int) -> list[str]:
        return [
            one.message
            for one in played(environment(load("robotouille/synchronous/0_cheese_sandwich")), name, seed).exchanges
        ]

    assert utterances_of("random", 1) == utterances_of("random", 1)
    assert len({tuple(utterances_of("random", seed)) for seed in range(4)}) > 1


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("loop", ["closed", "open"])
def test_greedy_agent_completes_problems(name: str, loop: str) -> None:
    result = played(environment(load(name), loop=loop), "greedy")
    run = result.environment.run()
    assert run.success


def test_heuristic_agents_follow_their_schedule() -> None:
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


def test_unsupported_run_of_an_agent_is_unscored() -> None:
    for name, run, reason in _refusals():
        result = played(run, name)
        assert isinstance(result.failure, AgentError)
        assert reason in str(result.failure)


def test_heuristic_agent_reports_a_deviation() -> None:
    run, one = environment(load(PROBLEMS[0])), agent("serial-spt")
    asyncio.run(one.act(run))
    run.step("wait")
    with pytest.raises(AgentError, match="deviates from the schedule"):
        asyncio.run(one.act(run))
