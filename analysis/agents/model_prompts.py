"""Agent that asks a model through any client, by the prompts of a setting; examples in prompts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from planoracle.analysis.agents.agent import Agent, AgentError
from planoracle.analysis.agents.builtin import agent
from planoracle.analysis.agents.plan_critic import is_content, report_on_plan
from planoracle.instances.errors import InputError
from planoracle.instances.files import catalog
from planoracle.instances.model.cache import digest, fingerprint
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol.environment import AnyEnvironment, Message, Reward, RunConfig, Turn
from planoracle.instances.protocol.feedback import clean
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.prompts import PromptSet, load_prompts
from planoracle.instances.protocol.registry import of as benchmark_of
from planoracle.instances.protocol.settings import HISTORIES, Ask, Critic, Sampling

#: Values of the placeholders of prompts, computed when they are used.
Values = Mapping[str, Callable[[], str]]

_GO_ON = "Go on."


def values(prompted: PromptSet, environment: AnyEnvironment, extra: Mapping[str, str], task: str = "") -> Values:
    """Return the values of placeholders in the current state.

    Parameters
    ----------
    extra
        Further values.
    task
        Task of the problem that a question is about, if any.
    """
    turn = environment.state.turn
    setting = prompted.setting
    texts: dict[str, Callable[[], str]] = {
        "instructions": environment.instructions,
        "introduction": environment.introduction,
        "situation": environment.situation,
        "legal": partial(_legal_commands, environment),
        "answer": partial(_last_answer, turn),
        "memory": partial(memory, setting.history, turn),
        "remembered": partial(HISTORIES.__getitem__, setting.history),
        "example": str,
    }
    texts |= {name: partial(word, environment) for name, word in setting.words.items()}
    if task:
        texts["name_of_task"] = partial(clean, task)
        texts |= {name: partial(word, environment, task) for name, word in setting.task_words.items()}
    return texts | {name: partial(str, text) for name, text in extra.items()}


def _legal_commands(environment: AnyEnvironment) -> str:
    return "\n".join(command.text for command in environment.legal())


def _last_answer(turn: Turn | None) -> str:
    return "" if turn is None else turn.observation.text


def messages(prompted: PromptSet, environment: AnyEnvironment, filling: Values) -> list[Message]:
    """Return the messages that ask for the next turn, with the history that the setting defines."""
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
    """Return the text about the last turn in a prompt, see `HISTORIES`."""
    if turn is None or history in ("full", "none"):
        return ""
    if history == "action":
        commands = "; ".join(step.command for step in turn.outcomes)
        return f"Your last action:\n{commands}"
    message = f"Your last message:\n{turn.message}"
    if history == "observed" and turn.before is not None:
        return f"What you saw before it:\n{turn.before.observation.text}\n\n{message}"
    return message


_THOUGHTS = {
    "act": "{now} No other command leads to an earlier end than this one.",
    "wait": "{now} Nothing that could begin now would lead to an earlier end, so time has to pass.",
    "close": "{now} Everything is done.",
    "plan": "Nobody can do it in less time.",
}
_examples: dict[str, Mapping[str, str]] = {}


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
    if key not in _examples:
        start = environment.benchmark.environment(problem, environment.rules, setting.config)
        loop = "open" if setting.shows == "plan" else "closed"
        config = RunConfig(loop, wording=setting.config.wording)
        run = environment.benchmark.environment(problem, environment.rules, config)
        replies = await utterances(prompted, run, answers=setting.shows == "dialogue")
        first_task = next(iter(tasks_of(problem)), "")
        filling = values(prompted, start, {"plan": "\n".join(replies)}, first_task)
        files = (setting.example, *(ask.example for ask in setting.asks if ask.example))
        _examples[key] = {file: prompted.fill(file, filling) for file in files}
    return _examples[key]


async def utterances(
    prompted: PromptSet, run: AnyEnvironment, by: Agent | None = None, *, answers: bool = False
) -> list[str]:
    """Let an agent play a run to its end, and return its messages in the form of a setting.

    Parameters
    ----------
    by
        By default the optimal agent.
    answers
        Include the observations.
    """
    player, turns = by or agent("optimal"), []
    while not run.done:
        before, message = run.fork(), await player.act(run)
        if message is None:
            break
        outcomes = run.step(message).outcomes
        kind = outcomes[-1].kind if outcomes else ""
        if run.config.loop == "open":
            kind = "plan"
        texts = {"command": message, "thought": _thought(before, kind), "changes": _changes(before, run)}
        turns.append((before, texts, run.observation.text))
    replies = []
    for at, (before, texts, answer) in enumerate(turns):
        remaining = "; ".join(later["command"] for _, later, _ in turns[at:])
        filling = values(prompted, before, {**texts, "rest": remaining})
        replies.append(prompted.fill(prompted.setting.form, filling))
        if answers and answer:
            replies.append(f"Observation: {answer}")
    return replies


def tasks_of(problem: Problem) -> Sequence[str]:
    """Return the names of the tasks of a problem; none for kitchens."""
    return tuple(getattr(problem, "tasks", ()))


def _thought(before: AnyEnvironment, kind: str) -> str:
    """Return the reason for a command of an optimal plan, after the situation if that fits on one line."""
    now = before.situation()
    return _THOUGHTS.get(kind, "").format(now="" if "\n" in now else now).strip()


def _changes(before: AnyEnvironment, after: AnyEnvironment) -> str:
    unchanged = before.situation().split("\n")
    return "; ".join(line.strip() for line in after.situation().split("\n") if line not in unchanged) or "nothing else"


def _other(prompted: PromptSet, environment: AnyEnvironment) -> Problem:
    """Return the first example that shares no part with the problem."""
    for name in prompted.setting.examples:
        problem = _read(prompted, name)
        if prompted.setting.is_unrelated(problem, environment.problem):
            return problem
    message = f"every example of the setting {prompted.name} shares a part with this problem"
    raise InputError(message, field="instance", value=environment.problem.name)


def _read(prompted: PromptSet, name: str) -> Problem:
    if name not in prompted.prompts:
        try:
            return catalog.problem(name)
        except InputError as error:
            raise error.at(f"setting {prompted.name}", "example.problems") from None
    file = prompted.prompts[name]
    problems = catalog.read_line(file.text.encode(), file.source)
    if len(problems) != 1:
        raise InputError("must contain one problem", source=file.source, field="example", value=len(problems))
    if isinstance(problems[0], InputError):
        raise problems[0]
    if problems[0].benchmark != prompted.benchmark:
        message = f"must be a problem of {prompted.benchmark}"
        raise InputError(message, source=file.source, field="benchmark", value=problems[0].benchmark)
    return problems[0]


#: One call of a model: messages and sampling in, the text of the answer out.
Complete = Callable[[Sequence[Message], Sampling], Awaitable[str]]


class Speaker:
    """Agent that plays one run by the messages of a model.

    Parameters
    ----------
    complete
        Client of the model.
    setting
        By default the setting ``closed`` or ``open`` of the benchmark, by the loop of the environment.

    Attributes
    ----------
    beliefs
        Answers of the model to the questions before its first turn, by name.
    """

    def __init__(self, complete: Complete, name: str = "model", setting: PromptSet | None = None) -> None:
        self.name = name
        self._complete = complete
        self._setting = setting
        self._answers: dict[str, str] | None = None
        self.beliefs: dict[str, str] = {}

    async def act(self, environment: AnyEnvironment) -> str | None:
        """Return the next message of the model, see `planoracle.analysis.agents.agent.Agent`."""
        if self._setting is None:
            self._setting = load_prompts(environment.benchmark, environment.config.loop)
        if self._answers is None:
            self._answers = await self._questions(self._setting, environment)
        prompts = self._setting
        request = messages(prompts, environment, values(prompts, environment, self._answers))
        message = await self._complete(request, prompts.setting.sampling)
        if prompts.setting.critic is None:
            return message
        return await self._revised(prompts.setting.critic, environment, request, message)

    async def _revised(self, critic: Critic, environment: AnyEnvironment, request: list[Message], plan: str) -> str:
        """Return the plan after its critiques; ``request`` asked for the first one."""
        assert self._setting is not None
        for _ in range(critic.rounds):
            report = report_on_plan(environment, plan, critic.goal)
            if report.success and critic.goal == "fix":
                break
            texts = {**(self._answers or {}), "plan": plan, "critique": report.text}
            question = self._setting.fill(critic.prompt, values(self._setting, environment, texts))
            revision = [*request[:-1], of_user(f"{request[-1]['content']}\n\n{question}")]
            message = await self._complete(revision, self._setting.setting.sampling)
            if report.success and is_content(message):
                break
            plan = message
        return plan

    async def _questions(self, prompts: PromptSet, environment: AnyEnvironment) -> dict[str, str]:
        """Ask the questions before the first turn; return values of placeholders for the later prompts."""
        examples = await example(prompts, environment)
        answers = self.beliefs
        for ask in prompts.setting.asks:
            texts = []
            for task in _tasks_to_ask_about(ask, environment.problem):
                extra = {**answers, "example": examples.get(ask.example, "")}
                question = prompts.fill(ask.prompt, values(prompts, environment, extra, task))
                text = await self._complete([of_user(question)], ask.sampling)
                texts.append(text if task.lower() in text.lower() else f"{clean(task)}: {text}")
            answers[ask.name] = "\n".join(texts)
        return {**answers, "example": examples.get(prompts.setting.example, "")}


def _tasks_to_ask_about(ask: Ask, problem: Problem) -> Sequence[str]:
    """Return the tasks for which a question is asked, ``("",)`` for the whole problem."""
    if not ask.each_task:
        return ("",)
    tasks = tasks_of(problem)
    if not tasks:
        raise InputError("this problem has no tasks", field=f"questions.{ask.name}.each_task", value=True)
    return tasks


def environment_for(
    problem: Problem, setting: PromptSet, rules: Rules | None = None, reward: Reward | None = None
) -> AnyEnvironment:
    """Return a live environment with the run configuration of a setting."""
    return benchmark_of(problem).environment(problem, rules, setting.setting.config, reward)


_ENOUGH = "enough"


class ModelRequest(NamedTuple):
    """Request to a model: name of its question or ``turn 1``, sampling, and messages."""

    purpose: str
    sampling: Sampling
    messages: tuple[Message, ...]


def question_names(setting: PromptSet, problem: Problem) -> list[str]:
    """Return the names of the questions before the first turn, with the tasks that they are about."""
    names = []
    for ask in setting.setting.asks:
        for task in _tasks_to_ask_about(ask, problem):
            names.append(f"{ask.name} of {clean(task)}" if task else ask.name)
    return names


async def first_requests(problem: Problem, setting: PromptSet, rules: Rules | None = None) -> list[ModelRequest]:
    r"""Return the requests up to the first command or plan; each answer is replaced by its name.

    Examples
    --------
    >>> import asyncio
    >>> from planoracle.instances.files.catalog import load
    >>> from planoracle.instances.protocol.prompts import load_prompts
    >>> requests = asyncio.run(first_requests(load("timearena/household1"), load_prompts("timearena", "vanilla")))
    >>> [one.purpose for one in requests], len(requests[0].messages)
    (['turn 1'], 2)
    """
    requests: list[ModelRequest] = []
    questions = question_names(setting, problem)

    async def complete(messages: Sequence[Message], sampling: Sampling) -> str:
        purpose = questions[len(requests)] if len(requests) < len(questions) else "turn 1"
        requests.append(ModelRequest(purpose, sampling, tuple(messages)))
        if len(requests) > len(questions):
            raise AgentError("all requests are collected", _ENOUGH)
        return f"<{purpose}>"

    try:
        await Speaker(complete, setting=setting).act(environment_for(problem, setting, rules))
    except AgentError as error:
        if error.kind != _ENOUGH:
            raise
    return requests
