"""The agent that takes any advice."""

from __future__ import annotations

from random import Random as Chance

from planoracle.analysis.agents.agent import AgentError, Said
from planoracle.analysis.agents.knowing import Knowing, Situation, closing
from planoracle.analysis.agents.optimal import whole_plan
from planoracle.analysis.optimum import WORK
from planoracle.instances.deadline import Limit
from planoracle.instances.environment import AnyEnvironment

__all__ = ["Advised"]


class Advised:
    """Any of the legal commands that are found to keep the best end within reach, each as likely.

    Where none of them does (what is legal need not list every length and time), the next command of a best plan. Where
    nothing leads to success any more it closes the run, or stops.

    Parameters
    ----------
    seed
        The same one, on the same run, says the same.
    limit
        For one state: counted work, or seconds of wall time.
    """

    name = "advice"
    waits = False

    def __init__(self, *, seed: int = 0, limit: Limit = WORK) -> None:
        self._limit = limit
        self._chance = Chance(seed)
        self._knowing = Knowing(limit)
        self._here: Situation | None = None

    async def act(self, environment: AnyEnvironment) -> Said | None:
        """Draw a command that costs nothing; with an open loop say a best plan.

        Raises
        ------
        AgentError
            Where the best end within reach is not proved.
        """
        if environment.manner.loop == "open":
            return whole_plan(environment, self._limit)
        here = self._knowing.of(environment)
        if here.lost:
            return closing(environment, "close")
        if here.best is None:
            raise AgentError(
                f"{environment.problem.name}: what costs nothing is not proved within the limit", "unproved"
            )
        legal = list(environment.legal())
        self._chance.shuffle(legal)
        for one in legal:
            if self._knowing.keeps(environment, one, here):
                return Said(one.text)
        commands = self._knowing.commands(here)
        return Said(commands[0]) if commands else None
