"""Agent that asks a model as a setting says, by any client that completes messages; prompts and their examples."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from planoracle.analysis.agents.agent import Agent, AgentError
from planoracle.analysis.agents.builtin import agent
from planoracle.instances.errors import InputError
from planoracle.instances.files import catalog
from planoracle.instances.model.cache import digest, fingerprint
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol.environment import AnyEnvironment, Message, Reward, RunConfig, Turn
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.prompts import PromptSet, prompted
from planoracle.instances.protocol.registry import of as benchmark_of
from planoracle.instances.protocol.settings import Sampling

#: What stands in the places of prompts, worked out when it is wanted.
Values = Mapping[str, Callable[[], str]]

_GO_ON = "Go on."


def values(prompted: PromptSet, environment: AnyEnvironment, given: Mapping[str, str]) -> Values:
    """Return what stands in the places of prompts now; ``given`` is what the environment does not know."""
    turn = environment.state.turn
    words = {name: partial(word, environment) for name, word in prompted.setting.words.items()}
    known: dict[str, Callable[[], str]] = {
        "instructions": environment.instructions,
        "introduction": environment.introduction,
        "situation": environment.situation,
        "legal": lambda: "\n".join(command.text for command in environment.legal()),
        "answer": lambda: "" if turn is None else turn.observation.text,
        "memory": lambda: memory(prompted.setting.history, turn),
        "example": str,
    }
    return {**known, **words, **{name: partial(str, text) for name, text in given.items()}}


def messages(prompted: PromptSet, environment: AnyEnvironment, filling: Values) -> list[Message]:
    """Return the messages that ask for the next one of the agent, as the setting's history wants them."""
    setting = prompted.setting
    chat = [{"role": "system", "content": prompted.fill(setting.system, filling)}] if setting.system else []
    chat.append(of_user(prompted.fill(setting.task, filling)))
    now = prompted.fill(setting.turn, filling) if setting.turn else ""
    if setting.history != "full" or not environment.state.count:
        return [*chat[:-1], of_user(f"{chat[-1]['content']}\n\n{now}")] if now else chat
    chat += environment.messages()[len(environment.opening()) :]
    if now and chat[-1]["role"] == "user":
        chat[-1] = of_user(now)
    elif now or chat[-1]["role"] == "assistant":
        chat.append(of_user(now or _GO_ON))
    return chat


def of_user(text: str) -> Message:
    """Return a message of the user."""
    return {"role": "user", "content": text}


def memory(history: str, turn: Turn | None) -> str:
    r"""Return what an agent remembers of its last turn.

    Examples
    --------
    >>> from planoracle.instances.protocol.environment import Observation, Outcome
    >>> turn = Turn("Thought: why not?\nAction: boil", (Outcome("boil", "act", 0, 1),), Observation("boils", 1), None)
    >>> print(memory("last_action", turn))
    Your last action: boil
    >>> memory("none", turn)
    ''
    """
    if turn is None or history in ("full", "none"):
        return ""
    if history == "last_action":
        return "Your last action: " + ", ".join(one.command for one in turn.outcomes)
    said = f"Your last message:\n{turn.said}"
    if history == "last_observed" and turn.before is not None:
        return f"What you knew then:\n{turn.before.observation.text}\n\n{said}"
    return said


_THOUGHTS = {
    "act": "{now} No other command leads to an earlier end than this one.",
    "wait": "{now} Nothing that could begin now would lead to an earlier end, so time has to pass.",
    "close": "{now} Everything is done.",
    "plan": "Nobody can do it in less time.",
}
_kept: dict[str, Mapping[str, str]] = {}


async def example(prompted: PromptSet, environment: AnyEnvironment) -> Mapping[str, str]:
    """Return the texts of the example in the prompts for a problem, by the file that says how they look.

    None if the setting has no example. The same problem is solved once in a process.

    Raises
    ------
    InputError
        If every example is the problem itself, or one cannot be read or solved.
    """
    setting = prompted.setting
    if not setting.examples:
        return {}
    problem = _other(prompted, environment)
    key = digest(prompted.digest, fingerprint(problem), environment.rules)
    if key not in _kept:
        begun = environment.benchmark.environment(problem, environment.rules, setting.manner)
        loop = "open" if setting.shows == "plan" else "closed"
        run = environment.benchmark.environment(problem, environment.rules, RunConfig(loop))
        said = await spoken(prompted, run, answers=setting.shows == "dialogue")
        filling = values(prompted, begun, {"plan": "\n".join(said)})
        files = (setting.example, *(ask.example for ask in setting.asks if ask.example))
        _kept[key] = {file: prompted.fill(file, filling) for file in files}
    return _kept[key]


async def spoken(
    prompted: PromptSet, run: AnyEnvironment, by: Agent | None = None, *, answers: bool = False
) -> list[str]:
    """Let an agent play a run to its end, by default the optimal one, and return what it says in a setting's form.

    ``answers``: also what it is answered.
    """
    player, turns = by or agent("optimal"), []
    while not run.done:
        before, message = run.fork(), await player.act(run)
        if message is None:
            break
        outcomes = run.step(message).outcomes
        kind = "plan" if run.manner.loop == "open" else outcomes[-1].kind if outcomes else ""
        texts = {"command": message, "thought": _thought(before, kind), "changes": _changes(before, run)}
        turns.append((before, texts, run.observation.text))
    found = []
    for at, (before, texts, answer) in enumerate(turns):
        rest = "; ".join(later["command"] for _, later, _ in turns[at:])
        found.append(prompted.fill(prompted.setting.form, values(prompted, before, {**texts, "rest": rest})))
        if answers and answer:
            found.append(f"Observation: {answer}")
    return found


def _thought(before: AnyEnvironment, kind: str) -> str:
    """Return why a command of a best plan is given, and how things stand, if that is said in a line."""
    now = before.situation()
    return _THOUGHTS.get(kind, "").format(now="" if "\n" in now else now).strip()


def _changes(before: AnyEnvironment, after: AnyEnvironment) -> str:
    known = before.situation().split("\n")
    return "; ".join(line.strip() for line in after.situation().split("\n") if line not in known) or "nothing else"


def _other(prompted: PromptSet, environment: AnyEnvironment) -> Problem:
    """Return the first example that tells nothing of the problem."""
    for name in prompted.setting.examples:
        found = _read(prompted, name)
        if prompted.setting.apart(found, environment.problem):
            return found
    message = f"every example of the setting {prompted.name} has a part of it"
    raise InputError(message, field="instance", value=environment.problem.name)


def _read(prompted: PromptSet, name: str) -> Problem:
    if name not in prompted.prompts:
        return catalog.problem(name)
    file = prompted.prompts[name]
    found = catalog.read_line(file.text.encode(), file.source)
    if len(found) != 1:
        raise InputError("must hold one problem", source=file.source, field="example", value=len(found))
    if isinstance(found[0], InputError):
        raise found[0]
    if found[0].benchmark != prompted.benchmark:
        message = f"must be a problem of {prompted.benchmark}"
        raise InputError(message, source=file.source, field="benchmark", value=found[0].benchmark)
    return found[0]


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

    def __init__(self, complete: Complete, name: str = "model", setting: PromptSet | None = None) -> None:
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

    async def _questions(self, asked: PromptSet, environment: AnyEnvironment) -> dict[str, str]:
        """Ask the questions before the first turn; return the values of places in all later prompts."""
        shown = await example(asked, environment)
        given: dict[str, str] = {}
        for ask in asked.setting.asks:
            filling = values(asked, environment, {**given, "example": shown.get(ask.example, "")})
            given[ask.name] = await self._complete([of_user(asked.fill(ask.prompt, filling))], ask.sampling)
        return {**given, "example": shown.get(asked.setting.example, "")}


def environment_for(
    problem: Problem, setting: PromptSet, rules: Rules | None = None, reward: Reward | None = None
) -> AnyEnvironment:
    """Return a live environment in the manner of a setting."""
    return benchmark_of(problem).environment(problem, rules, setting.setting.manner, reward)


_ENOUGH = "shown"


class ModelRequest(NamedTuple):
    """One request: the name of the question that comes first, or ``turn 1``; how it is sampled; all that is sent."""

    purpose: str
    sampling: Sampling
    messages: tuple[Message, ...]


async def shown(problem: Problem, setting: PromptSet, rules: Rules | None = None) -> list[ModelRequest]:
    r"""Return what a model is sent until it has said its first command or plan, each answer replaced by its name.

    Examples
    --------
    >>> import asyncio
    >>> from planoracle.instances.files.catalog import load
    >>> from planoracle.instances.protocol.prompts import prompted
    >>> found = asyncio.run(shown(load("timearena/household1"), prompted("timearena", "vanilla")))
    >>> [one.purpose for one in found], len(found[0].messages)
    (['turn 1'], 2)
    """
    asks, found = setting.setting.asks, list[ModelRequest]()

    async def complete(messages: Sequence[Message], sampling: Sampling) -> str:
        purpose = asks[len(found)].name if len(found) < len(asks) else "turn 1"
        found.append(ModelRequest(purpose, sampling, tuple(messages)))
        if len(found) > len(asks):
            raise AgentError("nobody answers here", _ENOUGH)
        return f"<{purpose}>"

    try:
        await Speaker(complete, setting=setting).act(environment_for(problem, setting, rules))
    except AgentError as error:
        if error.kind != _ENOUGH:
            raise
    return found
