"""Agent that picks a legal action uniformly at random."""

from __future__ import annotations

from random import Random as Chance

from planoracle.analysis.agents.agent import AgentError
from planoracle.instances.environment import AnyEnvironment


class Random:
    """Any of the legal commands, each as likely; closes a run only when nothing else is left but to wait.

    Parameters
    ----------
    seed
        The same one, on the same run, says the same.
    """

    name = "random"

    def __init__(self, *, seed: int = 0) -> None:
        self._chance = Chance(seed)

    async def act(self, environment: AnyEnvironment) -> str | None:
        """Draw a command."""
        if environment.manner.loop == "open":
            raise AgentError("random goes command by command, and has no whole plan", "no_plan")
        legal = environment.legal()
        if any(one.kind == "act" for one in legal):
            legal = [one for one in legal if one.kind != "close"]
        return self._chance.choice(legal).text if legal else None
