"""Agent that asks a model as a setting says, by any client that completes messages."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from planoracle.analysis.agents.examples import example
from planoracle.analysis.agents.wording import messages, of_user, values
from planoracle.instances.environment import AnyEnvironment, Message, Reward
from planoracle.instances.problem import Problem
from planoracle.instances.profiles import Rules
from planoracle.instances.prompted import Prompted, prompted
from planoracle.instances.registry import of as benchmark_of
from planoracle.instances.settings import Sampling

#: One call of a model: messages and sampling in, the text of the answer out.
Complete = Callable[[Sequence[Message], Sampling], Awaitable[str]]


class Speaker:
    """Plays one run by the messages of a model.

    Parameters
    ----------
    complete
        The client.
    setting
        By default ``closed`` or ``open`` of the benchmark, as the environment is.
    """

    def __init__(self, complete: Complete, name: str = "model", setting: Prompted | None = None) -> None:
        self.name = name
        self._complete = complete
        self._setting = setting
        self._given: dict[str, str] | None = None

    async def act(self, environment: AnyEnvironment) -> str | None:
        """Return what the model says next, see `planoracle.analysis.agents.agent.Agent`."""
        if self._setting is None:
            self._setting = prompted(environment.benchmark, environment.manner.loop)
        if self._given is None:
            self._given = await self._questions(self._setting, environment)
        sent = messages(self._setting, environment, values(self._setting, environment, self._given))
        return await self._complete(sent, self._setting.setting.sampling)

    async def _questions(self, asked: Prompted, environment: AnyEnvironment) -> dict[str, str]:
        """Ask the questions before the first turn; return the values of places in all later prompts."""
        shown = await example(asked, environment)
        given: dict[str, str] = {}
        for ask in asked.setting.asks:
            filling = values(asked, environment, {**given, "example": shown.get(ask.example, "")})
            given[ask.name] = await self._complete([of_user(asked.fill(ask.prompt, filling))], ask.sampling)
        return {**given, "example": shown.get(asked.setting.example, "")}


def environment_for(
    problem: Problem, setting: Prompted, rules: Rules | None = None, reward: Reward | None = None
) -> AnyEnvironment:
    """Return a live environment in the manner of a setting."""
    return benchmark_of(problem).environment(problem, rules, setting.setting.manner, reward)
