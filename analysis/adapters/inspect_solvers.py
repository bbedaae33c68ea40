"""Solvers for inspect_ai: a run in our live environment, held by the model that is evaluated or by an agent of ours.

What is handed in is kept in the sample's store, so that the scorer, and ``planoracle grade`` of the log, grade just
that. A failure of the agent's side is an error of the sample, which has no score then.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    GenerateConfig,
    ModelOutput,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolCall, ToolDef

from planoracle.analysis.agents import builtin as agents
from planoracle.analysis.agents.agent import Agent, play
from planoracle.analysis.agents.model_prompts import Speaker, environment_for
from planoracle.analysis.batch.pool import WorkerPool
from planoracle.analysis.batch.process import TaskFailure
from planoracle.analysis.batch.worker import TaskLimits
from planoracle.analysis.diagnosis.critique import critique_of
from planoracle.analysis.diagnosis.regret import regret_of
from planoracle.analysis.grading.grader import Grade, Grader
from planoracle.analysis.grading.oracle import SolverOracle
from planoracle.analysis.grading.rule_options import profiles
from planoracle.analysis.intake.archives import STORED
from planoracle.instances.files import catalog
from planoracle.instances.model.limits import WorkLimit
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.benchmark import AnyRun
from planoracle.instances.protocol.environment import AnyEnvironment, Message
from planoracle.instances.protocol.prompts import PromptSet, prompted
from planoracle.instances.protocol.settings import Sampling
from planoracle.instances.text import visible

if TYPE_CHECKING:
    from planoracle.instances.protocol.benchmark import AnyBenchmark


# Fewer characters may stand in a message by chance.
_SHORTEST = 8
_problem = lru_cache(maxsize=64)(catalog.single)


@solver
def live() -> Solver:
    """Hold the run with the model that is evaluated, asked as the task's setting wants it."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        asked, environment = _begun(state)
        _count_here()

        async def complete(messages: Sequence[Message], sampling: Sampling) -> str:
            state.messages = chat(messages)
            own = sampling if sampling != asked.setting.sampling else Sampling()  # that one is in the task's config
            config = GenerateConfig(temperature=own.temperature, max_tokens=own.max_tokens)
            try:
                state.output = await get_model().generate(state.messages, config=config)
            except Exception as error:
                if without_keys(str(error)) == str(error):
                    raise
                raise RuntimeError(without_keys(str(error))) from None
            state.messages.append(state.output.message)
            return state.output.completion

        return await _played(state, environment, Speaker(complete, setting=asked))

    return solve


@solver
def tools() -> Solver:
    """Hold the run with the model that is evaluated, which gets the environment as a tool."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        _, environment = _begun(state)
        _count_here()

        async def act(command: str) -> str:
            if environment.done:
                return "The run is over."
            told = environment.step(command).observation.text
            _keep(state, environment)
            return told

        about = {"command": "What to do, as the instructions say"}
        state.messages = chat(environment.opening())
        state.tools = [ToolDef(act, "act", "Do something, and be told what came of it.", about).as_tool()]
        while not (environment.done or state.completed):
            state = await generate(state, tool_calls="single")
            if not (state.output.choices and state.output.message.tool_calls):
                break
        state.completed = True
        return state

    return solve


def without_keys(text: str) -> str:
    """Return a text with three asterisks in place of every API key in the environment, which some servers repeat."""
    for name, key in os.environ.items():
        if name.upper().endswith(("KEY", "TOKEN", "SECRET")) and len(key) >= _SHORTEST:
            text = text.replace(key, "***")
    return text


def _count_here() -> None:
    """Have inspect_ai's mock model count tokens roughly; it would download a tokenizer for tokens that cost nothing."""

    async def count(text: str) -> int:
        return len(text) // 4

    api = get_model().api
    if type(api).__name__ == "MockLLM":
        api.count_text_tokens = count  # type: ignore[method-assign]


@solver
def agent(name: str, seed: int = 0) -> Solver:
    """Hold the run with an agent of ours by its name; no model is asked.

    Parameters
    ----------
    seed
        Of the first epoch; each further one has the next.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        _, environment = _begun(state, by=name)
        return await _played(state, environment, agents.agent(name, seed=seed + state.epoch - 1))

    return solve


@solver
def optimal() -> Solver:
    """Hold the run with the agent that takes the best way from wherever it is."""
    return agent("optimal")


@solver
def greedy() -> Solver:
    """Hold the run with the greedy agent."""
    return agent("greedy")


@solver
def random(seed: int = 0) -> Solver:
    """Hold the run with the agent that takes any legal command."""
    return agent("random", seed)


def _begun(state: TaskState, by: str | None = None) -> tuple[PromptSet, AnyEnvironment]:
    """Return setting and environment of a sample; ``by`` is whose run it is, if not the model's."""
    problem = _problem(str(state.sample_id))
    about = state.metadata
    benchmark = registry.of(problem)
    asked = _asked(benchmark, about.get("setting") or "", about.get("prompts"))
    environment = environment_for(problem, asked, benchmark.profile(about.get("profile") or "paper"))
    _keep(state, environment, by)
    return asked, environment


@lru_cache(maxsize=64)
def _asked(benchmark: AnyBenchmark, setting: str, prompts: str | None) -> PromptSet:
    return prompted(benchmark, setting, None if prompts is None else Path(prompts))


async def _played(state: TaskState, environment: AnyEnvironment, player: Agent) -> TaskState:
    played = await play(environment, player, told=lambda exchange: _keep(state, environment))
    if played.failure is not None:
        raise RuntimeError(f"the agent failed ({played.failure.kind}): {played.failure}")
    state.messages = chat(environment.messages())
    if not state.output.choices and played.exchanges:  # no model was asked
        state.output = ModelOutput.from_content(f"planoracle/{player.name}", played.exchanges[-1].message)
    state.completed = True
    return state


def _keep(state: TaskState, environment: AnyEnvironment, by: str | None = None) -> None:
    """Keep what is handed in, also of a run that a limit ends."""
    by = by or (state.store.get(STORED) or {}).get("by")
    state.store.set(STORED, {"submission": environment.submission(), "over": environment.state.over, "by": by})


def chat(messages: Iterable[Message]) -> list[ChatMessage]:
    """Return messages in inspect_ai's form.

    Examples
    --------
    >>> [one.role for one in chat([{"role": "user", "content": "boil"}, {"role": "assistant", "content": "wait"}])]
    ['user', 'assistant']
    """
    return [_message(one) for one in messages]


def _message(message: Message) -> ChatMessage:
    role, content = message["role"], message.get("content") or ""
    if role == "system":
        return ChatMessageSystem(content=content)
    if role == "user":
        return ChatMessageUser(content=content)
    if role == "tool":
        return ChatMessageTool(content=content, tool_call_id=message.get("tool_call_id"))
    return ChatMessageAssistant(
        content=content, tool_calls=[_call(one) for one in message.get("tool_calls") or ()] or None
    )


def _call(call: dict[str, Any]) -> ToolCall:
    function = call["function"]
    given = function.get("arguments") or {}
    try:
        arguments = json.loads(given) if isinstance(given, str) else given
        wrong = None if isinstance(arguments, dict) else "must be an object"
    except ValueError as error:
        arguments, wrong = {}, str(error)
    return ToolCall(str(call.get("id")), str(function.get("name")), arguments if wrong is None else {}, wrong)


#: Work for the prices of the decisions of one run, see `WorkLimit`.
WORK = 5.0
#: Decisions of longer runs are not priced.
MAX_PRICED = 300


#: Limits of one submission.
LIMITS = TaskLimits(120.0, 4000)


def verdict_in_worker(submission: dict[str, Any], profile: str, prices: bool) -> tuple[Grade, str]:
    """Return what `verdict` does, computed in a worker process."""
    with WorkerPool(partial(_start, profile, prices), LIMITS, 1) as pool:
        answer = next(pool.map([submission]))
    if isinstance(answer, TaskFailure):
        grade = _grader(profile).unscored(submission, answer.error)
        return grade, grade.reason or ""
    return answer


def _start(profile: str, prices: bool) -> Callable[[dict[str, Any]], tuple[Grade, str]]:
    return partial(verdict, profile=profile, prices=prices)


@cache
def _grader(profile: str) -> Grader:
    return Grader(profiles(profile))


def verdict(submission: dict[str, Any], profile: str, prices: bool) -> tuple[Grade, str]:
    """Grade a submission, and say why in words; never raises for what it holds.

    Examples
    --------
    >>> told = verdict({"instance": "timearena/household1", "plan": ["pour kettle into cup"]}, "paper", True)[1]
    >>> print(told.partition("Result")[0])
    timearena/household1: no success, 0% of the work
    1 ticks, at best 13
    main score 0.00
    first fault: dependency_violation, pour kettle into cup, cost 1 minute
    dearest decision: pour kettle into cup (0 to 1), cost 1 minute
    <BLANKLINE>
    <BLANKLINE>
    """
    grader = _grader(profile)
    grade = grader.grade(submission)
    if not grade.scored:
        return grade, grade.reason or ""
    return grade, explained(grader.run(submission), grade, grader.oracle, prices)


def explained(run: AnyRun, grade: Grade, oracle: SolverOracle, prices: bool) -> str:
    """Return the verdict in words: the outcome, the first fault, the dearest decision, what they cost, the critique."""
    unit = run.problem.unit
    lines = str(grade).splitlines()
    if prices and len(run.steps) <= MAX_PRICED:
        priced = regret_of(run, seconds=WorkLimit(WORK / max(1, len(run.steps))))
        broken = next((one for one in priced.decisions if one.violation is not None), None)
        if broken is not None:
            lines.append(f"first fault: {broken.violation}, {broken.command}, cost {_price(broken.cost, unit)}")
        for one in (priced.decisions[at] for at in priced.costliest(1)):
            lines.append(f"dearest decision: {one.command} ({one.start} to {one.end}), cost {_price(one.cost, unit)}")
        if priced.no_return is not None:
            lines.append(f"nothing led to success any more after: {priced.decisions[priced.no_return].command}")
    elif run.verdict.violations:
        lines.append(f"first fault: {run.verdict.violations[0].kind}, {run.verdict.violations[0].subject}")
    report = critique_of(run, oracle=oracle, regret=False).prose()
    return visible("\n".join([*lines, "", report]), keep="\n")


def _price(cost: int | None, unit: str) -> str:
    return "what is not known" if cost is None else f"{cost} {unit}{'' if cost == 1 else 's'}"
