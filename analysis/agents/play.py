"""Loop of a live run: ask the agent and carry out its message, until the run is over."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from planoracle.analysis.agents.agent import Agent, AgentError
from planoracle.instances.environment import AnyEnvironment, Transition


class Exchange(NamedTuple):
    """A message of an agent and the transition that it led to."""

    message: str
    transition: Transition


class Played(NamedTuple):
    """A run that was played.

    Attributes
    ----------
    environment
        Where the run stopped; its ``submission()`` is what is graded.
    exchanges
        All messages since the agent took over, in turn.
    failure
        Why the agent failed, if it did: the run is not to be scored then.
    """

    environment: AnyEnvironment
    exchanges: tuple[Exchange, ...]
    failure: AgentError | None = None

    @property
    def total(self) -> float:
        """The sum of all rewards."""
        return sum(one.transition.reward for one in self.exchanges)


async def play(environment: AnyEnvironment, agent: Agent, *, told: Callable[[Exchange], None] | None = None) -> Played:
    """Let an agent go on with a run, from where it is, until it is over or the agent stops.

    Parameters
    ----------
    told
        Called after every turn.

    Examples
    --------
    >>> import asyncio
    >>> from planoracle import environment, load
    >>> from planoracle.analysis.agents.registry import agent
    >>> run = environment(load("recipe2plan/timed/Cobbler_Pancakes"))
    >>> asyncio.run(play(run, agent("optimal"))).environment.run().makespan
    4080
    """
    exchanges: list[Exchange] = []
    while not environment.done:
        try:
            message = await agent.act(environment)
        except AgentError as failure:
            return Played(environment, tuple(exchanges), failure)
        if message is None:
            break
        exchanges.append(Exchange(message, environment.step(message)))
        if told is not None:
            told(exchanges[-1])
    return Played(environment, tuple(exchanges))
