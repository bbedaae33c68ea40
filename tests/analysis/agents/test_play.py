"""Loop of a live run, with agents that follow a script."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Iterable
from dataclasses import dataclass

import pytest

from planoracle.analysis.agents.agent import AgentError, Exchange, play
from planoracle.analysis.agents.builtin import agent, names
from planoracle.instances.errors import UnknownNameError
from planoracle.instances.protocol.environment import AnyEnvironment, Observation, Transition


@dataclass
class Counting:
    """Environment that is over after a number of messages."""

    remaining: int

    @property
    def done(self) -> bool:
        return self.remaining == 0

    def step(self, message: str) -> Transition:
        self.remaining -= 1
        return Transition(Observation(message.upper(), self.remaining), 0.5, self.done, (), {})


@dataclass
class ScriptedAgent:
    lines: Iterable[str]
    name: str = "scripted"

    async def act(self, environment: AnyEnvironment) -> str | None:
        for line in self.lines:
            if line == "FAIL":
                raise AgentError("no answer within 60 s", "timeout")
            return line
        return None


def played(count: int, *lines: str, exchanges: list[Exchange] | None = None):
    tell = None if exchanges is None else exchanges.append
    return asyncio.run(play(Counting(count), ScriptedAgent(iter(lines)), on_exchange=tell))  # type: ignore[arg-type]


def test_play_continues_until_the_run_is_over() -> None:
    exchanges: list[Exchange] = []
    result = played(2, "one", "two", "three", exchanges=exchanges)
    assert [one.message for one in result.exchanges] == ["one", "two"]
    assert [one.transition.observation.text for one in result.exchanges] == ["ONE", "TWO"]
    assert result.exchanges == tuple(exchanges)
    assert result.total == 1.0
    assert result.failure is None
    assert result.environment.done


def test_play_stops_when_the_agent_returns_no_message() -> None:
    result = played(2, "one")
    assert len(result.exchanges) == 1
    assert not result.environment.done
    assert result.failure is None


def test_failure_of_an_agent_is_recorded() -> None:
    result = played(3, "one", "FAIL", "three")
    assert len(result.exchanges) == 1
    assert not result.environment.done
    assert result.failure is not None
    unpickled = pickle.loads(pickle.dumps(result.failure))
    assert (str(unpickled), unpickled.kind) == ("no answer within 60 s", "timeout")


def test_names_of_agents_are_listed_and_checked() -> None:
    assert {"optimal", "greedy", "random", "improve"} <= set(names())
    for wrong in ("bogus", "replay", "replay:", "optimal:x", ""):
        with pytest.raises(UnknownNameError, match="agent"):
            agent(wrong)
