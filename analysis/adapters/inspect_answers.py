"""Answers of models in the journal of a run directory, which a resumed run does not pay for again.

An answer is stored as soon as it arrives. A sample that is repeated after an interruption gets its stored answers, and
continues with the first call that was not answered.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from inspect_ai.model import ChatMessage, GenerateConfig, ModelOutput
from pydantic import ValidationError

from planoracle.analysis.batch.journal import Journal
from planoracle.instances.model.cache import digest

Generate = Callable[..., Awaitable[Any]]


@dataclass
class SampleCalls:
    """Calls of one sample to its model.

    Attributes
    ----------
    count
        Number of answers so far. A setting may send equal messages twice, which have different answers.
    """

    journal: Journal
    sample: str
    epoch: int
    count: int = 0


_journal: ContextVar[Journal | None] = ContextVar("journal", default=None)
_calls: ContextVar[SampleCalls | None] = ContextVar("calls", default=None)


@contextmanager
def answers_stored_in(journal: Journal | None) -> Iterator[None]:
    """Store answers to the calls of samples in a journal; ``None``: store none."""
    token = _journal.set(journal)
    try:
        yield
    finally:
        _journal.reset(token)


def begin_sample(sample: str, epoch: int) -> None:
    """Count the following calls of this context as those of a sample."""
    journal = _journal.get()
    _calls.set(None if journal is None else SampleCalls(journal, sample, epoch))


def with_stored_answers(model: str, generate: Generate) -> Generate:
    """Return a model's function that calls the model only for answers that the journal lacks."""

    async def answer(
        input: list[ChatMessage],  # inspect_ai calls it with these names
        tools: Any,
        tool_choice: Any,
        config: GenerateConfig,
    ) -> Any:
        calls = _calls.get()
        if calls is None:
            return await generate(input, tools, tool_choice, config)
        key = _key_of(calls, model, input, config)
        output = _stored_answer(calls.journal, key)
        if output is None:
            new_answer = await generate(input, tools, tool_choice, config)
            output = new_answer[0] if isinstance(new_answer, tuple) else new_answer
            if not isinstance(output, ModelOutput) or output.error is not None:
                return new_answer
            calls.journal.put(key, output.model_dump_json())
            calls.journal.commit()
            calls.count += 1
            return new_answer
        calls.count += 1
        return output

    return answer


def _key_of(calls: SampleCalls, model: str, messages: list[ChatMessage], config: GenerateConfig) -> str:
    """Return the key of an answer; the address of the server is no part of it, because servers move."""
    texts = [[message.role, message.text] for message in messages]
    request = {
        "model": model,
        "sample": calls.sample,
        "epoch": calls.epoch,
        "number": calls.count,
        "messages": texts,
        "temperature": config.temperature,
        "max_tokens": config.max_tokens,
    }
    return digest(request)


def _stored_answer(journal: Journal, key: str) -> ModelOutput | None:
    text = journal.get(key)
    if text is None:
        return None
    try:
        return ModelOutput.model_validate_json(text)
    except ValidationError:
        journal.drop(key)
        return None
