"""Interface of agents: whatever chooses the next command in a live run."""

from __future__ import annotations

from typing import Protocol

from planoracle.instances.environment import AnyEnvironment
from planoracle.instances.errors import PlanoracleError


class Agent(Protocol):
    """Plays one run; its memory of earlier turns belongs to that run alone.

    `planoracle.analysis.agents.registry` lists the built-in ones.
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
