"""Solvers for inspect_ai: live runs of the evaluated model or of a built-in agent.

The submission is kept in the sample's store, so that the scorer, and ``planoracle grade`` of the log, grade just
that. A failure of the agent's side is an error of the sample, which has no score then.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    ModelOutput,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolDef

from planoracle.analysis.adapters.inspect_answers import begin_sample, with_stored_answers
from planoracle.analysis.agents import builtin as agents
from planoracle.analysis.agents.agent import Agent, play
from planoracle.analysis.agents.model_prompts import Speaker, environment_for
from planoracle.analysis.diagnosis.critique import critique_of
from planoracle.analysis.grading.grader import Grade, Grader
from planoracle.analysis.grading.rule_options import profiles
from planoracle.analysis.intake.inspect_logs import STORED
from planoracle.instances.files import catalog
from planoracle.instances.model.limits import WorkLimit
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.benchmark import AnyBenchmark
from planoracle.instances.protocol.environment import AnyEnvironment, Message
from planoracle.instances.protocol.prompts import PromptSet, load_prompts
from planoracle.instances.protocol.settings import Sampling
from planoracle.instances.text import lone_surrogate, visible
from planoracle.instances.workers.pool import TaskFailure, WorkerPool
from planoracle.instances.workers.worker import TaskLimits

# Fewer characters may stand in a message by chance.
_SHORTEST = 8
_problem = lru_cache(maxsize=64)(catalog.single)
_ROLES = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}


@solver
def live() -> Solver:
    """Play the run by the evaluated model, with the prompts of the task's setting."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        prompts, environment = _start_run(state)
        _prepare_model()
        begin_sample(str(state.sample_id), state.epoch)

        async def complete(messages: Sequence[Message], sampling: Sampling) -> str:
            state.messages = chat(messages)
            if sampling == prompts.setting.sampling:  # it is in the task's config
                sampling = Sampling()
            config = GenerateConfig(temperature=sampling.temperature, max_tokens=sampling.max_tokens)
            try:
                state.output = await get_model().generate(state.messages, config=config)
            except Exception as error:
                if without_keys(str(error)) == str(error):
                    raise
                raise RuntimeError(without_keys(str(error))) from None
            state.messages.append(state.output.message)
            return state.output.completion

        return await _play(state, environment, Speaker(complete, setting=prompts))

    return solve


@solver
def tools() -> Solver:
    """Play the run by the evaluated model, which gets the environment as a tool."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        _, environment = _start_run(state)
        _prepare_model()

        async def act(command: str) -> str:
            if environment.done:
                return "The run is over."
            text = environment.step(command).observation.text
            _keep(state, environment)
            return text

        about = {"command": "A command, as described in the instructions"}
        state.messages = chat(environment.opening())
        state.tools = [ToolDef(act, "act", "Execute a command, and return the observation.", about).as_tool()]
        while not (environment.done or state.completed):
            state = await generate(state, tool_calls="single")
            if not (state.output.choices and state.output.message.tool_calls):
                break
        state.completed = True
        return state

    return solve


def without_keys(text: str) -> str:
    """Replace each API key of the environment in a text by asterisks; some servers repeat keys."""
    for name, key in os.environ.items():
        if name.upper().endswith(("KEY", "TOKEN", "SECRET")) and len(key) >= _SHORTEST:
            text = text.replace(key, "***")
    return text


def _prepare_model() -> None:
    """Store answers of the evaluated model, and refuse those that no log can hold.

    The tokens of a mock model are estimated.
    """

    async def count(text: str) -> int:
        return len(text) // 4

    model = get_model()
    api: Any = model.api
    if type(api).__name__ == "MockLLM":  # it would download a tokenizer
        api.count_text_tokens = count
    if "generate" not in vars(api):  # the samples of a run share the object
        api.generate = with_stored_answers(str(model), _with_readable_answers(api.generate))


def _with_readable_answers(generate: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    """Return a model's function that raises `RuntimeError` for an answer with half a surrogate pair.

    JSON can have such an escape (U+D83D), and UTF-8 no such character: inspect_ai fails to write the sample, and
    cancels all samples.
    """

    async def checked(*args: Any, **options: Any) -> Any:
        try:
            answer = await generate(*args, **options)
        except Exception as error:
            if not lone_surrogate(str(error)):
                raise
            raise RuntimeError(visible(str(error))) from None
        output, call = answer if isinstance(answer, tuple) else (answer, None)
        if call is not None and lone_surrogate(call.response):
            call.response = None  # the log has it, too
        half = lone_surrogate(output.model_dump() if isinstance(output, ModelOutput) else output)
        if half:
            raise RuntimeError(f"the answer has half a surrogate pair ({half}), which is no character")
        return answer

    return checked


@solver
def agent(name: str, seed: int = 0) -> Solver:
    """Play the run by a built-in agent; no model is asked.

    Parameters
    ----------
    seed
        Seed of the first epoch; each further epoch has the next one.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        _, environment = _start_run(state, by=name)
        return await _play(state, environment, agents.agent(name, seed=seed + state.epoch - 1))

    return solve


@solver
def optimal() -> Solver:
    """Play the run by the agent `optimal`."""
    return agent("optimal")


@solver
def greedy() -> Solver:
    """Play the run by the agent `greedy`."""
    return agent("greedy")


@solver
def random(seed: int = 0) -> Solver:
    """Play the run by the agent `random`."""
    return agent("random", seed)


def _start_run(state: TaskState, by: str | None = None) -> tuple[PromptSet, AnyEnvironment]:
    """Return prompts and environment of a sample; ``by``: name of the built-in agent, if any."""
    problem = _problem(str(state.sample_id))
    about = state.metadata
    benchmark = registry.of(problem)
    prompts = _prompts(benchmark, about.get("setting") or "", about.get("prompts"))
    environment = environment_for(problem, prompts, benchmark.rules.profile(about.get("profile") or "paper"))
    _keep(state, environment, by)
    return prompts, environment


@lru_cache(maxsize=64)
def _prompts(benchmark: AnyBenchmark, setting: str, prompts: str | None) -> PromptSet:
    return load_prompts(benchmark, setting, None if prompts is None else Path(prompts))


async def _play(state: TaskState, environment: AnyEnvironment, player: Agent) -> TaskState:
    beliefs = getattr(player, "beliefs", None)  # filled before the first turn
    played = await play(environment, player, on_exchange=lambda exchange: _keep(state, environment, beliefs=beliefs))
    if played.failure is not None:
        raise RuntimeError(f"the agent failed ({played.failure.kind}): {played.failure}")
    state.messages = chat(environment.messages())
    if not state.output.choices and played.exchanges:  # no model was asked
        state.output = ModelOutput.from_content(f"planoracle/{player.name}", played.exchanges[-1].message)
    state.completed = True
    return state


def _keep(
    state: TaskState, environment: AnyEnvironment, by: str | None = None, beliefs: dict[str, str] | None = None
) -> None:
    """Store the submission in the sample, also for runs that a limit ends."""
    by = by or (state.store.get(STORED) or {}).get("by")
    submission = environment.submission() | ({"beliefs": beliefs} if beliefs else {})
    state.store.set(STORED, {"submission": submission, "over": environment.state.over, "by": by})


def chat(messages: Iterable[Message]) -> list[ChatMessage]:
    """Return messages in inspect_ai's form.

    Examples
    --------
    >>> [text.role for text in chat([{"role": "user", "content": "boil"}, {"role": "assistant", "content": "wait"}])]
    ['user', 'assistant']
    """
    return [_ROLES[message["role"]](content=message["content"]) for message in messages]


#: Work for the regret of one run, see `WorkLimit`.
WORK = 5.0
#: The regret of longer runs is not computed.
MAX_PRICED = 300


#: Limits of one submission.
LIMITS = TaskLimits(120.0, 4000)


def verdict_in_worker(submission: dict[str, Any], profile: str, prices: bool) -> tuple[Grade, str]:
    """Return what `verdict` does, computed in a worker process."""
    with WorkerPool(partial(_start, profile, prices), LIMITS, 1) as pool:
        answer = next(pool.map([submission]))
    if isinstance(answer, TaskFailure):
        grade = _grader(profile).unscored_grade(submission, answer.error)
        return grade, grade.reason or ""
    return answer


def _start(profile: str, prices: bool) -> Callable[[dict[str, Any]], tuple[Grade, str]]:
    return partial(verdict, profile=profile, prices=prices)


@cache
def _grader(profile: str) -> Grader:
    return Grader(profiles(profile))


def verdict(submission: dict[str, Any], profile: str, prices: bool) -> tuple[Grade, str]:
    """Grade a submission, and explain the grade by its critique; never raises because of the submission.

    Examples
    --------
    >>> text = verdict({"instance": "timearena/household1", "plan": ["pour kettle into cup"]}, "paper", True)[1]
    >>> print(text.partition("Result")[0])
    timearena/household1: failure (refused: dependency violation), progress 0%
    makespan 1 ticks, optimum 13 ticks
    main score 0.00
    <BLANKLINE>
    <BLANKLINE>
    """
    grader = _grader(profile)
    grade = grader.grade(submission)
    if not grade.scored:
        return grade, grade.reason or ""
    run = grader.run(submission)
    steps = len(run.steps)
    limit = WorkLimit(WORK / max(1, steps))
    priced = prices and steps <= MAX_PRICED
    report = critique_of(run, oracle=grader.oracle, regret=priced, seconds=limit).prose()
    return grade, visible(f"{grade}\n\n{report}", keep="\n")
