"""How a setting makes messages of a run, with a model that follows a script."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from planoracle import load, solve
from planoracle.analysis.agents.agent import AgentError, Said
from planoracle.analysis.agents.play import Played, play
from planoracle.analysis.agents.setting import Call, Speaker, environment_for
from planoracle.instances.environment import Message
from planoracle.instances.prompted import Prompt, Prompted, prompted
from planoracle.instances.settings import Ask, Sampling, Setting

TEA = "timearena/household1"
PAIR = "recipe2plan/timed/Cobbler_Pancakes"
FIRST = "Step(0, Cobbler, 10 min, 0:00:00)"


@dataclass
class Model:
    """Says line after line; ``FAIL`` stands for a client that fails."""

    lines: Sequence[str]
    sent: list[list[Message]] = field(default_factory=list)
    sampled: list[Sampling] = field(default_factory=list)
    heard: list[Call] = field(default_factory=list)

    async def complete(self, messages: Sequence[Message], sampling: Sampling) -> Said:
        line = self.lines[len(self.sent)]
        self.sent.append(list(messages))
        self.sampled.append(sampling)
        if line == "FAIL":
            raise AgentError("no answer", "timeout", {"tokens": 5})
        return Said(line, {"tokens": 10, "details": {"thought": 1}, "model": "m"})

    def play(self, name: str, setting: Prompted) -> Played:
        speaker = Speaker(self.complete, "model", setting, self.heard.append)
        return asyncio.run(play(environment_for(load(name), setting), speaker))

    def roles(self) -> list[str]:
        return ["".join(message["role"][0] for message in sent) for sent in self.sent]


def planned(name: str) -> str:
    plan = solve(load(name)).plan
    assert plan is not None
    return plan


def asked(**more: object) -> Prompted:
    """Return a setting of TimeArena with short prompts."""
    texts = {
        "system": "SYSTEM",
        "task": "TASK {{lessons}}",
        "plain": "TASK",
        "turn": "{{memory}}\n\nNOW {{answer}}",
        "form": "{{command}}",
        "again": "RUN {{run}}",
        "revise": "PLAN {{plan}}\n\nCRITIC {{critique}}",
        "first": "FIRST?",
        "second": "SECOND after {{one}}?",
        "told": "TASK {{one}} {{two}}",
    }
    setting = Setting("mine", "", __name__, "plain", "system")
    prompts = {name: Prompt(text, 1, f"{name}.md") for name, text in texts.items()}
    return Prompted(replace(setting, **more), "timearena", prompts)  # type: ignore[arg-type]


def test_the_full_history_is_sent_every_time() -> None:
    model = Model(["activate kettle", "wait", "exit"])
    found = model.play(TEA, asked())
    assert model.roles() == ["su", "suau", "suauau"]
    assert [one["content"] for one in model.sent[0]] == ["SYSTEM", "TASK"]
    first, second, _ = found.environment.turns
    assert model.sent[2][:2] == model.sent[0]
    assert [one["content"] for one in model.sent[2][2:]] == [
        "activate kettle",
        first.observation.text,
        "wait",
        second.observation.text,
    ]
    assert [call.purpose for call in model.heard] == ["turn 1", "turn 2", "turn 3"]
    assert [call.fresh for call in model.heard] == [0, 2, 4]
    assert [list(call.messages) for call in model.heard] == model.sent


def test_with_a_prompt_for_turns_it_stands_for_the_last_answer() -> None:
    model = Model(["activate kettle", "wait", "exit"])
    found = model.play(TEA, asked(turn="turn"))
    assert model.roles() == ["su", "suau", "suauau"]
    first, second, _ = found.environment.turns
    assert model.sent[0][1]["content"] == "TASK"
    assert model.sent[2][3]["content"] == first.observation.text
    assert model.sent[2][5]["content"] == f"NOW {second.observation.text}"


@pytest.mark.parametrize(
    ("history", "remembered"),
    [
        ("none", ""),
        ("last_action", "Your last action: wash cup\n\n"),
        ("last", "Your last message:\nThought: dirty.\nAction: wash cup\n\n"),
        ("last_observed", "What you knew then:\n{before}\n\nYour last message:\nThought: dirty.\nAction: wash cup\n\n"),
    ],
)
def test_what_is_remembered_of_the_last_turn(history: str, remembered: str) -> None:
    model = Model(["Thought: why not?\nAction: activate kettle", "Thought: dirty.\nAction: wash cup", "exit"])
    found = model.play(TEA, asked(turn="turn", history=history))
    assert model.roles() == ["su"] * 3
    assert model.sent[0][1]["content"] == "TASK"
    first, second, _ = found.environment.turns
    expected = f"TASK\n\n{remembered.format(before=first.observation.text)}NOW {second.observation.text}"
    assert model.sent[2] == [model.sent[0][0], {"role": "user", "content": expected}]
    early = model.sent[1][1]["content"]
    assert ("why not?" in early) == history.startswith("last_o") or history == "last"
    assert "What you knew then" not in early  # for nothing was answered before


def test_questions_come_first_and_once() -> None:
    asks = (Ask("one", "first", Sampling(0, 64)), Ask("two", "second"))
    model = Model(["ANSWER 1", "ANSWER 2", "wait", "exit"])
    found = model.play(TEA, asked(asks=asks, task="told", sampling=Sampling(0.7)))
    assert [[one["content"] for one in sent] for sent in model.sent[:3]] == [
        ["FIRST?"],
        ["SECOND after ANSWER 1?"],
        ["SYSTEM", "TASK ANSWER 1 ANSWER 2"],
    ]
    assert model.sampled == [Sampling(0, 64), Sampling(), Sampling(0.7), Sampling(0.7)]
    assert [call.purpose for call in model.heard] == ["one", "two", "turn 1", "turn 2"]
    usages = [one.said.usage for one in found.exchanges]
    assert usages == [
        {"tokens": 30, "details": {"thought": 3}, "model": "m"},
        {"tokens": 10, "details": {"thought": 1}, "model": "m"},
    ]


def test_a_client_that_fails_tells_what_was_used_before() -> None:
    model = Model(["ANSWER 1", "FAIL"])
    found = model.play(TEA, asked(asks=(Ask("one", "first"), Ask("two", "second"))))
    assert found.failure is not None
    assert (found.failure.kind, found.failure.usage) == (
        "timeout",
        {"tokens": 15, "details": {"thought": 1}, "model": "m"},
    )
    assert not found.exchanges


def test_drafts_are_criticised_until_one_is_a_success() -> None:
    best = planned(PAIR)
    setting = asked(way="drafts", rounds=10, again="revise", manner=prompted("recipe2plan", "critic").setting.manner)
    model = Model([FIRST, "I cannot.", best])
    found = model.play(PAIR, setting)
    assert found.environment.run().success
    assert len(found.exchanges) == 1
    assert [call.purpose for call in model.heard] == ["draft 1", "draft 2", "draft 3"]
    assert model.roles() == ["su", "su", "su"]
    second, third = (sent[1]["content"] for sent in model.sent[1:])
    assert second.startswith(f"TASK\n\nPLAN {FIRST}\n\nCRITIC Result: The plan ends when")
    assert "Missing" in second
    assert "Efficiency" not in second
    assert "possible" not in second.partition("CRITIC")[2]  # nothing of what only a solver knows
    assert third.startswith("TASK\n\nPLAN I cannot.\n\nCRITIC ")
    assert found.exchanges[0].said.usage == {"tokens": 30, "details": {"thought": 3}, "model": "m"}


def test_drafts_end_after_so_many_revisions() -> None:
    manner = prompted("recipe2plan", "critic").setting.manner
    model = Model([FIRST] * 3 + [f"{FIRST} Step(1, Cobbler, 2 min, 0:00)"])
    found = model.play(PAIR, asked(way="drafts", rounds=3, again="revise", manner=manner))
    assert len(model.sent) == 4
    assert found.environment.run().verdict.executed == 2  # the last one is handed in
    assert not found.environment.run().success


@pytest.mark.parametrize("done", ["Done", "It is as good as it can be.\nDone.", "**Done**", "Action: Done"])
def test_a_model_that_is_content_keeps_its_plan(done: str) -> None:
    best = planned(PAIR)
    manner = prompted("recipe2plan", "critic").setting.manner
    model = Model([FIRST, best, done])
    found = model.play(PAIR, asked(way="drafts", rounds=10, again="revise", improve=True, manner=manner))
    assert found.environment.run().success
    assert found.exchanges[0].said.text == best
    critique = model.sent[2][1]["content"].partition("CRITIC")[2]
    assert "Efficiency: The best possible time is not known. You are idle" in critique


def test_done_is_no_answer_to_a_plan_that_failed() -> None:
    manner = prompted("recipe2plan", "critic").setting.manner
    model = Model([FIRST, "Done", "Done"])
    found = model.play(PAIR, asked(way="drafts", rounds=2, again="revise", improve=True, manner=manner))
    assert found.exchanges[0].said.text == "Done"


def test_episodes_begin_anew_with_what_was_learnt() -> None:
    best = planned(TEA).split("\n")
    model = Model(["wait", "exit", "Be quick.", "wait", "wait", "exit", "Be quicker.", *best])
    setting = asked(way="episodes", rounds=3, again="again", task="task")
    found = model.play(TEA, setting)
    assert found.environment.run().success
    assert [turn.said for turn in found.environment.turns] == best
    assert [call.purpose for call in model.heard[:4]] == [
        "trial 1 turn 1",
        "trial 1 turn 2",
        "lesson 1",
        "trial 2 turn 1",
    ]
    assert model.sent[2][0]["content"].startswith("RUN You: wait\nAnswer: Minute 0")
    assert model.sent[3][1]["content"] == "TASK Be quick."
    assert model.sent[7][1]["content"] == "TASK Be quick.\n\nBe quicker."
    assert [one.said.usage is None for one in found.exchanges] == [False] + [True] * (len(best) - 1)
    assert found.exchanges[0].said.usage is not None
    assert found.exchanges[0].said.usage["tokens"] == 10 * len(model.sent)


def test_the_last_episode_counts_also_if_it_fails() -> None:
    model = Model(["wait", "exit", "Be quick.", "wait", "wait", "exit"])
    found = model.play(TEA, asked(way="episodes", rounds=2, again="again", task="task"))
    assert [turn.said for turn in found.environment.turns] == ["wait", "wait", "exit"]
    assert not found.environment.run().success


def test_without_a_setting_the_plain_ones_are_taken() -> None:
    run = environment_for(load(TEA), prompted("timearena", "open"))
    model = Model(["activate kettle"])
    asyncio.run(play(run, Speaker(model.complete)))
    assert [one["content"] for one in model.sent[0]] == [run.instructions(), run.introduction()]
    assert run.state.over == "handed_in"
