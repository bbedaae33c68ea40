"""Messages of a run by a setting, with a model that follows a script."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from planoracle import load
from planoracle.analysis.agents.agent import PlayedRun, play
from planoracle.analysis.agents.model_prompts import Speaker, environment_for
from planoracle.instances.protocol.environment import Message
from planoracle.instances.protocol.prompts import Prompt, PromptSet, load_prompts
from planoracle.instances.protocol.settings import Ask, Sampling, Setting

TEA = "timearena/household1"


@dataclass
class Model:
    """Model that returns line after line."""

    lines: Sequence[str]
    sent: list[list[Message]] = field(default_factory=list)
    sampled: list[Sampling] = field(default_factory=list)

    async def complete(self, messages: Sequence[Message], sampling: Sampling) -> str:
        self.sent.append(list(messages))
        self.sampled.append(sampling)
        return self.lines[len(self.sent) - 1]

    def play(self, name: str, setting: PromptSet) -> PlayedRun:
        speaker = Speaker(self.complete, "model", setting)
        return asyncio.run(play(environment_for(load(name), setting), speaker))

    def roles(self) -> list[str]:
        return ["".join(message["role"][0] for message in sent) for sent in self.sent]


def prompts_with(**more: object) -> PromptSet:
    """Return a setting of TimeArena with short prompts."""
    texts = {
        "system": "SYSTEM",
        "plain": "TASK",
        "turn": "{{memory}}\n\nNOW {{answer}}",
        "form": "{{command}}",
        "first": "FIRST?",
        "second": "SECOND after {{one}}?",
        "task-form": "TASK {{one}} {{two}}",
    }
    setting = Setting("mine", "", __name__, "plain", "system")
    prompts = {name: Prompt(text, 1, f"{name}.md") for name, text in texts.items()}
    return PromptSet(replace(setting, **more), "timearena", prompts)  # type: ignore[arg-type]


def test_full_history_is_sent_with_every_request() -> None:
    model = Model(["activate kettle", "wait", "exit"])
    result = model.play(TEA, prompts_with())
    assert model.roles() == ["su", "suau", "suauau"]
    assert [one["content"] for one in model.sent[0]] == ["SYSTEM", "TASK"]
    first, second, _ = result.environment.turns
    assert model.sent[2][:2] == model.sent[0]
    assert [one["content"] for one in model.sent[2][2:]] == [
        "activate kettle",
        first.observation.text,
        "wait",
        second.observation.text,
    ]


def test_turn_prompt_contains_the_last_observation() -> None:
    model = Model(["activate kettle", "wait", "exit"])
    result = model.play(TEA, prompts_with(turn="turn"))
    assert model.roles() == ["su", "suau", "suauau"]
    first, second, _ = result.environment.turns
    assert model.sent[0][1]["content"] == "TASK"
    assert model.sent[2][3]["content"] == first.observation.text
    assert model.sent[2][5]["content"] == f"NOW {second.observation.text}"


def test_history_last_sends_only_the_last_message() -> None:
    model = Model(["Thought: why not?\nAction: activate kettle", "Thought: dirty.\nAction: wash cup", "exit"])
    result = model.play(TEA, prompts_with(turn="turn", history="last"))
    assert model.roles() == ["su"] * 3
    assert model.sent[0][1]["content"] == "TASK"
    *_, last = (turn.observation.text for turn in result.environment.turns[:2])
    expected = f"TASK\n\nYour last message:\nThought: dirty.\nAction: wash cup\n\nNOW {last}"
    assert model.sent[2] == [model.sent[0][0], {"role": "user", "content": expected}]


def test_questions_are_asked_once_at_the_start() -> None:
    asks = (Ask("one", "first", Sampling(0, 64)), Ask("two", "second"))
    model = Model(["ANSWER 1", "ANSWER 2", "wait", "exit"])
    model.play(TEA, prompts_with(asks=asks, task="task-form", sampling=Sampling(0.7)))
    assert [[one["content"] for one in sent] for sent in model.sent[:3]] == [
        ["FIRST?"],
        ["SECOND after ANSWER 1?"],
        ["SYSTEM", "TASK ANSWER 1 ANSWER 2"],
    ]
    assert model.sampled == [Sampling(0, 64), Sampling(), Sampling(0.7), Sampling(0.7)]


def test_run_without_a_setting_sends_instructions_and_introduction() -> None:
    run = environment_for(load(TEA), load_prompts("timearena", "open"))
    model = Model(["activate kettle"])
    asyncio.run(play(run, Speaker(model.complete)))
    assert [one["content"] for one in model.sent[0]] == [run.instructions(), run.introduction()]
    assert run.state.over == "handed_in"
