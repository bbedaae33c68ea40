"""What an agent is: whoever says what comes next in a live run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from planoracle.instances.environment import AnyEnvironment
from planoracle.instances.errors import PlanoracleError

__all__ = ["Agent", "AgentError", "Said"]


@dataclass(frozen=True, slots=True)
class Said:
    """One message of an agent.

    Attributes
    ----------
    text
        What the environment is given: a command, what a model wrote, or with an open loop a whole plan.
    usage
        What it took, such as the tokens of a model; ``None`` where nothing is counted.
    raw
        The answer of a model as it came, fit for JSON, where it holds more than the text.
    """

    text: str
    usage: Mapping[str, object] | None = None
    raw: object = None


class Agent(Protocol):
    """Plays one run; what it keeps from turn to turn is of that run alone.

    See `planoracle.analysis.agents.registry` for those that have names. An agent that wants to see how the run ended
    has a method ``over(environment)``, one that waits for others while it acts ``waits = True``.
    """

    @property
    def name(self) -> str:
        """As on the command line."""

    async def act(self, environment: AnyEnvironment) -> Said | None:
        """Say what comes next, with an open loop the whole plan; ``None`` ends the run where it is.

        The environment is looked at (also by forks of it) and not stepped: that is done by who asks. It may be set
        back to a state that it had, to take turns back.

        Raises
        ------
        AgentError
            If it cannot say anything.
        """


class AgentError(PlanoracleError):
    """The side of the agent failed, such as a model that cannot be reached: no fault of a plan, so nothing is scored.

    Parameters
    ----------
    message
        What happened, without anything secret.
    kind
        In a word, such as ``timeout``.
    usage
        What it took in vain, as in `Said`.

    Examples
    --------
    >>> error = AgentError("no answer within 60 s", "timeout")
    >>> print(error, error.kind)
    no answer within 60 s timeout
    """

    def __init__(self, message: str, kind: str = "failed", usage: Mapping[str, object] | None = None) -> None:
        self.kind = kind
        self.usage = usage
        super().__init__(message)

    def __reduce__(self) -> tuple[type[AgentError], tuple[object, ...]]:
        return type(self), (str(self), self.kind, self.usage)
