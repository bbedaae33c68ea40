"""Messages that a model would be sent, without a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from planoracle.analysis.agents.agent import AgentError
from planoracle.analysis.agents.setting import Speaker, environment_for
from planoracle.instances.environment import Message
from planoracle.instances.problem import Problem
from planoracle.instances.profiles import Rules
from planoracle.instances.prompted import Prompted
from planoracle.instances.settings import Sampling

_ENOUGH = "shown"


class Shown(NamedTuple):
    """One request: the name of the question that comes first, or ``turn 1``; how it is sampled; all that is sent."""

    purpose: str
    sampling: Sampling
    messages: tuple[Message, ...]


async def shown(problem: Problem, setting: Prompted, rules: Rules | None = None) -> list[Shown]:
    r"""Return what a model is sent until it has said its first command or plan, each answer replaced by its name.

    Examples
    --------
    >>> import asyncio
    >>> from planoracle.instances.catalogue import load
    >>> from planoracle.instances.prompted import prompted
    >>> found = asyncio.run(shown(load("timearena/household1"), prompted("timearena", "vanilla")))
    >>> [one.purpose for one in found], len(found[0].messages)
    (['turn 1'], 2)
    """
    asks, found = setting.setting.asks, list[Shown]()

    async def complete(messages: Sequence[Message], sampling: Sampling) -> str:
        purpose = asks[len(found)].name if len(found) < len(asks) else "turn 1"
        found.append(Shown(purpose, sampling, tuple(messages)))
        if len(found) > len(asks):
            raise AgentError("nobody answers here", _ENOUGH)
        return f"<{purpose}>"

    try:
        await Speaker(complete, setting=setting).act(environment_for(problem, setting, rules))
    except AgentError as error:
        if error.kind != _ENOUGH:
            raise
    return found
