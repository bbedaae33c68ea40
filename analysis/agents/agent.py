"""Agents: the interface of whatever chooses the next command in a live run, and the loop that asks it."""

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
            If the agent has nothing to say.
        """


class AgentError(PlanoracleError):
    """The agent failed, such as a heuristic without a schedule: the plan is not at fault, so nothing is scored.

    Parameters
    ----------
    kind
        In a word, such as ``no_plan``.

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


async def play(
    environment: AnyEnvironment, agent: Agent, *, told: Callable[[Exchange], None] | None = None
) -> PlayedRun:
    """Let an agent go on with a run, from where it is, until it is over or the agent stops.

    Parameters
    ----------
    told
        Called after every turn.

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
        if told is not None:
            told(exchanges[-1])
    return PlayedRun(environment, tuple(exchanges))
