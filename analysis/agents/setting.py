"""Agents that are models: asked as a setting wants it, by whatever client completes messages."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import NamedTuple

from planoracle.analysis.agents.agent import AgentError, Said
from planoracle.analysis.agents.examples import example
from planoracle.analysis.agents.wording import messages, of_user, opening, transcript, values, with_more
from planoracle.instances.environment import AnyEnvironment, Message, Reward
from planoracle.instances.errors import PlanError
from planoracle.instances.feedback import quoted
from planoracle.instances.problem import Problem
from planoracle.instances.profiles import Rules
from planoracle.instances.prompted import Prompted, prompted
from planoracle.instances.registry import of as benchmark_of
from planoracle.instances.settings import Sampling

__all__ = ["Call", "Complete", "Speaker", "environment_for"]

#: One call of a model; raises `AgentError`.
Complete = Callable[[Sequence[Message], Sampling], Awaitable[Said]]

_DONE = "done"


class Call(NamedTuple):
    """One call of a model.

    Attributes
    ----------
    purpose
        ``turn 3``, the name of a question that comes first, ``draft 1``, ``trial 2 turn 3``, ``lesson 1``.
    messages, said
        All that was sent, and the answer.
    fresh
        So many messages were sent in the call before, too.
    """

    purpose: str
    messages: tuple[Message, ...]
    said: Said
    fresh: int


class Speaker:
    """Plays one run by what a model says.

    Parameters
    ----------
    complete
        The client.
    setting
        By default ``closed`` or ``open`` of the benchmark, as the environment is.
    heard
        Called with every call of the model, also with those that are no turn of the run.

    Examples
    --------
    >>> import asyncio
    >>> from planoracle.analysis.agents.agent import Said
    >>> async def complete(messages, sampling):
    ...     return Said(f"{len(messages)} messages, the last from the {messages[-1]['role']}")
    >>> from planoracle import load, environment
    >>> run = environment(load("recipe2plan/timed/Cobbler_Pancakes"))  # doctest: +SKIP
    >>> asyncio.run(Speaker(complete).act(run)).text  # doctest: +SKIP
    '2 messages, the last from the user'
    """

    def __init__(
        self,
        complete: Complete,
        name: str = "model",
        setting: Prompted | None = None,
        heard: Callable[[Call], None] | None = None,
    ) -> None:
        self.name = name
        self._complete = complete
        self._setting = setting
        self._heard = heard
        self._sent: tuple[Message, ...] = ()
        self._used: dict[str, object] | None = None
        self._given: dict[str, str] | None = None
        self._left: list[Said] | None = None

    async def act(self, environment: AnyEnvironment) -> Said | None:
        """Say what comes next, see `planoracle.analysis.agents.agent.Agent`."""
        if self._setting is None:
            self._setting = prompted(environment.benchmark, environment.manner.loop)
        self._used = None
        try:
            said = await self._next(self._setting, environment)
        except AgentError as error:
            error.usage = _sum(self._used, error.usage)
            raise
        return said and Said(said.text, self._used, said.raw)

    async def _next(self, asked: Prompted, environment: AnyEnvironment) -> Said | None:
        if self._given is None:
            self._given = await self._questions(asked, environment)
        if asked.setting.way == "drafts":
            return await self._drafts(asked, environment, self._given)
        if asked.setting.way == "turns":
            return await self._turn(asked, environment, self._given)
        if self._left is None:
            self._left = await self._episodes(asked, environment, self._given)
        return self._left.pop(0) if self._left else None

    async def _ask(self, purpose: str, sent: Sequence[Message], sampling: Sampling) -> Said:
        said = await self._complete(sent, sampling)
        fresh = next((at for at, (a, b) in enumerate(zip(self._sent, sent, strict=False)) if a != b), None)
        fresh = min(len(self._sent), len(sent)) if fresh is None else fresh
        self._sent = tuple(sent)
        self._used = _sum(self._used, said.usage)
        if self._heard is not None:
            self._heard(Call(purpose, self._sent, said, fresh))
        return said

    async def _questions(self, asked: Prompted, environment: AnyEnvironment) -> dict[str, str]:
        """Ask what comes before the first turn; return what prompts may be filled with from now on."""
        shown = await example(asked, environment)
        given: dict[str, str] = {}
        for ask in asked.setting.asks:
            filling = values(asked, environment, {**given, "example": shown.get(ask.example, "")})
            said = await self._ask(ask.name, [of_user(asked.fill(ask.prompt, filling))], ask.sampling)
            given[ask.name] = said.text
        return {**given, "example": shown.get(asked.setting.example, "")}

    async def _turn(
        self, asked: Prompted, environment: AnyEnvironment, given: Mapping[str, str], trial: str = ""
    ) -> Said:
        sent = messages(asked, environment, values(asked, environment, given))
        return await self._ask(f"{trial}turn {environment.state.count + 1}", sent, asked.setting.sampling)

    async def _drafts(self, asked: Prompted, environment: AnyEnvironment, given: Mapping[str, str]) -> Said:
        """Ask for a plan, and for another one as long as the critic has something to say."""
        setting, filling = asked.setting, values(asked, environment, given)
        begin = opening(asked, filling)
        said = await self._ask("draft 1", begin, setting.sampling)
        for round_ in range(setting.rounds):
            success, critique = _criticised(environment, said.text, improve=setting.improve)
            if success and not setting.improve:
                break
            now = values(asked, environment, {**given, "plan": said.text, "critique": critique})
            sent = with_more(begin, asked.fill(setting.again, now))
            answer = await self._ask(f"draft {round_ + 2}", sent, setting.sampling)
            if success and _is_done(answer.text):
                break
            said = answer
        return said

    async def _episodes(self, asked: Prompted, environment: AnyEnvironment, given: Mapping[str, str]) -> list[Said]:
        """Play from here, again and again with what was learnt; return the messages of the last episode."""
        setting, lessons = asked.setting, list[str]()
        spoken: list[Said] = []
        for trial in range(1, setting.rounds + 1):
            episode, spoken = environment.fork(), []
            episode.reward = None
            known = {**given, "lessons": "\n\n".join(lessons)}
            while not episode.done:
                spoken.append(await self._turn(asked, episode, known, f"trial {trial} "))
                episode.step(spoken[-1].text)
            if trial == setting.rounds or episode.run().success:
                break
            now = values(asked, episode, {**known, "run": transcript(episode)})
            learnt = await self._ask(f"lesson {trial}", [of_user(asked.fill(setting.again, now))], setting.sampling)
            lessons.append(learnt.text)
        return spoken


def environment_for(
    problem: Problem, setting: Prompted, rules: Rules | None = None, reward: Reward | None = None
) -> AnyEnvironment:
    """Return a live environment in the manner of a setting."""
    return benchmark_of(problem).environment(problem, rules, setting.setting.manner, reward)


def _sum(one: Mapping[str, object] | None, other: Mapping[str, object] | None) -> dict[str, object] | None:
    """Add what two calls took, number by number; what is no number is that of the second."""
    if one is None or other is None:
        return None if one is other else dict(one or other or {})
    found = {**one, **other}
    for name in one.keys() & other.keys():
        a, b = one[name], other[name]
        if isinstance(a, int | float) and isinstance(b, int | float):
            found[name] = a + b
        elif isinstance(a, Mapping) and isinstance(b, Mapping):
            found[name] = _sum(a, b)
    return found


def _is_done(text: str) -> bool:
    return text.strip().rpartition("\n")[2].strip(" .*`\"'").lower().removeprefix("action:").strip() == _DONE


def _criticised(environment: AnyEnvironment, plan: str, *, improve: bool) -> tuple[bool, str]:
    """Return whether a plan is a success, and what a critic says of it; never how good a plan could be."""
    from planoracle.analysis.agents.critic import said_of

    trial = environment.fork()
    trial.reward = None
    trial.step(plan)
    try:
        run = trial.run()
    except PlanError as error:
        return False, f"The plan cannot be read: {quoted(str(error), 300)}"
    return run.success, said_of(run, efficiency=improve)
