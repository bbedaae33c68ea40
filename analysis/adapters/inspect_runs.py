"""Solvers for inspect_ai: a run in our live environment, held by the model that is evaluated or by an agent of ours.

What is handed in is kept in the sample's store, so that the scorer, and ``planoracle grade`` of the log, grade just
that. A failure of the agent's side is an error of the sample, which has no score then.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from functools import lru_cache
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

from planoracle.analysis.agents import registry as agents
from planoracle.analysis.agents.agent import Agent, play
from planoracle.analysis.agents.setting import Speaker, environment_for
from planoracle.analysis.intake.logs import STORED
from planoracle.instances import catalogue, registry
from planoracle.instances.environment import AnyEnvironment
from planoracle.instances.episode import Message
from planoracle.instances.prompted import Prompted, prompted
from planoracle.instances.settings import Sampling

if TYPE_CHECKING:
    from planoracle.instances.benchmark import AnyBenchmark

# Fewer characters may stand in a message by chance.
_SHORTEST = 8
_problem = lru_cache(maxsize=64)(catalogue.single)


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


def _begun(state: TaskState, by: str | None = None) -> tuple[Prompted, AnyEnvironment]:
    """Return setting and environment of a sample; ``by`` is whose run it is, if not the model's."""
    problem = _problem(str(state.sample_id))
    about = state.metadata
    benchmark = registry.of(problem)
    asked = _asked(benchmark, about.get("setting") or "", about.get("prompts"))
    environment = environment_for(problem, asked, benchmark.profile(about.get("profile") or "paper"))
    _keep(state, environment, by)
    return asked, environment


@lru_cache(maxsize=64)
def _asked(benchmark: AnyBenchmark, setting: str, prompts: str | None) -> Prompted:
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
