"""Interface of agents that choose commands in live runs, and the loop that plays a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from planoracle.instances.errors import PlanoracleError
from planoracle.instances.protocol.environment import AnyEnvironment, Transition


class Agent(Protocol):
    """Plays one run; its memory of earlier turns belongs to that run alone.

    `planoracle.analysis.agents.builtin` lists the built-in ones.
    """

    @property
    def name(self) -> str:
        """As on the command line."""

    async def act(self, environment: AnyEnvironment) -> str | None:
        """Return the next message, with an open loop the whole plan; ``None`` ends the run.

        The agent may look at the environment and its forks, but does not step it: `play` does that.

        Raises
        ------
        AgentError
            If the agent has no message.
        """


class AgentError(PlanoracleError):
    """Failure of an agent, such as a heuristic without a schedule; the run is not scored.

    Parameters
    ----------
    kind
        Short code such as ``no_plan``.

    Examples
    --------
    >>> error = AgentError("no schedule was found", "no_plan")
    >>> print(error, error.kind)
    no schedule was found no_plan
    """

    def __init__(self, message: str, kind: str = "failed") -> None:
        self.kind = kind
        super().__init__(message)

    def __reduce__(self) -> tuple[type[AgentError], tuple[object, ...]]:
        return type(self), (str(self), self.kind)


class Exchange(NamedTuple):
    """A message of an agent and the transition that it led to."""

    message: str
    transition: Transition


class PlayedRun(NamedTuple):
    """Result of `play`.

    Attributes
    ----------
    environment
        State of the run at its end; grade its ``submission()``.
    exchanges
        Messages of the agent in order, each with its transition.
    failure
        Error of the agent, if any; such a run is not scored.
    """

    environment: AnyEnvironment
    exchanges: tuple[Exchange, ...]
    failure: AgentError | None = None

    @property
    def total(self) -> float:
        """The sum of all rewards."""
        return sum(exchange.transition.reward for exchange in self.exchanges)


async def play(
    environment: AnyEnvironment, agent: Agent, *, on_exchange: Callable[[Exchange], None] | None = None
) -> PlayedRun:
    """Let an agent continue a run until the run is over or the agent stops.

    Parameters
    ----------
    on_exchange
        Callback after each turn.

    Examples
    --------
    >>> import asyncio
    >>> from planoracle import environment, load
    >>> from planoracle.analysis.agents.builtin import agent
    >>> run = environment(load("recipe2plan/timed/Cobbler_Pancakes"))
    >>> asyncio.run(play(run, agent("optimal"))).environment.run().makespan
    4080
    """
    exchanges: list[Exchange] = []
    while not environment.done:
        try:
            message = await agent.act(environment)
        except AgentError as failure:
            return PlayedRun(environment, tuple(exchanges), failure)
        if message is None:
            break
        exchanges.append(Exchange(message, environment.step(message)))
        if on_exchange is not None:
            on_exchange(exchanges[-1])
    return PlayedRun(environment, tuple(exchanges))
