"""The loop of a live run: ask the agent, carry out what it says, until the run is over."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from planoracle.analysis.agents.agent import Agent, AgentError, Said
from planoracle.instances.environment import AnyEnvironment, Transition

__all__ = ["Exchange", "Played", "play"]


class Exchange(NamedTuple):
    """What an agent said and what that led to."""

    said: Said
    transition: Transition


class Played(NamedTuple):
    """A run that was played.

    Attributes
    ----------
    environment
        Where it stopped; its ``submission()`` is what is graded.
    exchanges
        All that was said and answered since the agent took over, in turn.
    failure
        Why the agent's side failed, if it did: the run is none to be scored then.
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
        Called after every turn, such as to write it down; also after those that the agent takes back later.

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
    begun = environment.state.count
    while not environment.done:
        try:
            said = await agent.act(environment)
        except AgentError as failure:
            return Played(environment, tuple(exchanges), failure)
        del exchanges[environment.state.count - begun :]  # who takes turns back, goes back in the run
        if said is None:
            break
        exchanges.append(Exchange(said, environment.step(said.text)))
        if told is not None:
            told(exchanges[-1])
    over = getattr(agent, "over", None)
    if over is not None:
        over(environment)
    return Played(environment, tuple(exchanges))
