"""Live runs of AsyncTool are what the replay of their submission says, turn by turn; their messages are a chat."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from planoracle import grade, load
from planoracle.instances.benchmarks.asynctool import problems
from planoracle.instances.benchmarks.asynctool.calls import Call
from planoracle.instances.benchmarks.asynctool.encoding import problem_of
from planoracle.instances.benchmarks.asynctool.language import (
    CLOSING,
    WAIT,
    as_message,
    call_message,
    messages,
    read_message,
)
from planoracle.instances.benchmarks.asynctool.live import AsyncToolEnvironment
from planoracle.instances.benchmarks.asynctool.problem_model import AsyncToolProblem
from planoracle.instances.benchmarks.asynctool.rules import PROFILES, Profile
from planoracle.instances.errors import InputError
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.environment import Message, RunConfig
from tests.support.hostile import VALUES
from tests.support.live import at_random, shown

BOTH = pytest.mark.parametrize("rules", [PROFILES["paper"], PROFILES["released"]], ids=["paper", "released"])
PAIR = "asynctool/cross2/01@0-2:3"


def live(name: str = PAIR, rules: Profile = PROFILES["paper"], **config: Any) -> AsyncToolEnvironment:
    run = registry.get("asynctool").environment(load(name), rules, RunConfig(**config))
    assert isinstance(run, AsyncToolEnvironment)
    return run


def native_call(task: str, call: Call, id: object = "c1") -> dict[str, Any]:
    """Return a call as a model makes it natively."""
    function = {"name": call.name, "arguments": json.dumps({"task_id": task, **call.params})}
    return {"role": "assistant", "content": None, "tool_calls": [{"id": id, "type": "function", "function": function}]}


def odd_for(problem: AsyncToolProblem) -> Callable[[Random], object]:
    """Return a function that returns what an agent might say: guesses, calls in all forms, nonsense."""

    def odd(random: Random) -> object:
        if random.random() < 0.2:
            return random.choice(VALUES)
        task = random.choice(problem.tasks)
        gold = random.choice(random.choice(problem.tasks).reference_calls)
        call = random.choice(
            (gold, Call(gold.name, {}), Call("no_such_tool", {"a": [1]}), random.choice(task.reference_calls))
        )
        id = random.choice((task.id, task.id, task.id, "nobody"))
        plain = call_message(id, call)
        text = json.dumps(plain)
        forms = (plain, text, f"Now:\n```json\n{text}\n```", native_call(id, call), f"{text} {text}")
        return random.choice((*forms, *forms, "hm", "<think>" + text + "</think>Wait.", {"content": "WAIT"}))

    return odd


def same(run: AsyncToolEnvironment) -> None:
    """Check all that a run says of itself against the replay of its submission."""
    whole = run.run()
    world, record = run.state.world, whole.record
    assert tuple(world.turns) == record.turns
    assert (run.done, run.observation.over) == (record.closed, "closed" if record.closed else None)
    for task, outcome in zip(run.task.tasks, record.outcomes, strict=True):
        assert outcome.env == (world.executors[task.id].state() == task.solved.state)
    outcomes = [one for turn in run.turns for one in turn.outcomes]
    found = [shown(one._replace(kind="act" if one.kind == "close" else one.kind)) for one in outcomes]
    steps = [(one.command, one.kind, one.start, one.end, one.violation and one.violation.kind) for one in whole.steps]
    # A gold call made later can show that an earlier one was premature.
    assert [one[:4] for one in found] == [one[:4] for one in steps]
    assert found[-1:] == steps[-1:]
    assert run.observation.clock == len(steps)


def compare(name: str, rules: Profile, seed: int) -> None:
    run = live(name, rules)
    same(run)
    for turn, _ in enumerate(at_random(run, seed, odd_for(run.task), 0.3)):
        same(run)
        if not run.done:
            assert legal_ones(run) == replayed_ones(run)
        if turn == 30 and not run.done:
            run.step(CLOSING)
            same(run)
    valid_chat(run.messages())
    written = json.loads(json.dumps(run.submission()))
    assert run.benchmark.run(run.problem, written, rules).record == run.run().record


def legal_ones(run: AsyncToolEnvironment) -> list[str]:
    return [one.text for one in run.legal()]


def replayed_ones(run: AsyncToolEnvironment) -> list[str]:
    whole = run.run()
    return [one.command for one in whole.legal(whole.points[-1], 1)]


def valid_chat(chat: list[Message]) -> None:
    """Check a chat as interfaces do: roles with contents, and every call answered at once, by its id."""
    json.dumps(chat)
    due: list[str] = []
    for message in chat:
        assert set(message) <= {"role", "content", "tool_calls", "tool_call_id"}
        assert isinstance(message["content"], str)
        if message["role"] == "tool":
            assert message["tool_call_id"] == due.pop(0)
            continue
        assert due == []
        assert message["role"] in ("system", "user", "assistant")
        for call in message.get("tool_calls", ()):
            assert message["role"] == "assistant"
            assert call["type"] == "function"
            assert isinstance(call["function"]["name"], str)
            assert isinstance(call["function"]["arguments"], str)
            due.append(call["id"])
        assert len(set(due)) == len(due)
    assert due == []


@pytest.mark.slow
@BOTH
def test_a_hundred_random_runs_are_what_their_submissions_replay_as(rules: Profile) -> None:
    names = problems.names()
    for seed in range(100):
        compare(names[seed % len(names)] + ("", "@0", "@2", "@0-3:5")[seed % 4], rules, seed)


def test_one_message_with_several_calls_is_handed_in_as_one() -> None:
    """As text alone it could be a whole transcript."""
    text = "\n".join(one.text for one in live().legal()[:2])
    assert len(messages([text])) == 2
    run = live()
    run.step(text)
    assert run.submission()["turns"] == [
        {"unreadable": "the message holds several calls; make one a turn", "text": text}
    ]
    same(run)
    again = "\n".join(map(json.dumps, [*run.submission()["turns"], WAIT]))
    assert [read_message(one).kind for one in messages(again)] == ["unreadable", "wait"]


@pytest.mark.parametrize("said", ["hm", "wait", "ALL COMPLETED", call_message("a", Call("f", {"b": [1]})), 5])
def test_what_was_read_is_written_as_a_message_that_is_read_so(said: object) -> None:
    read = read_message(said)
    assert messages([as_message(read)]) == [as_message(read)]
    assert read_message(as_message(read)) == read


def test_what_is_said_can_not_be_changed_afterwards() -> None:
    run = live()
    said = json.loads(run.legal()[0].text)
    run.step(said)
    before = json.dumps(run.submission())
    said["params"].clear()
    assert json.dumps(run.submission()) == before
    same(run)


def test_thinking_is_no_call() -> None:
    call, other = (one.text for one in live().legal()[:2])
    run = live()
    run.step(f"<think>{other}? No.</think>{call}")
    assert run.submission()["turns"] == [json.loads(call)]
    tagged = json.dumps({"id": "text_2", "func_name": "sort_words", "params": {"text": "<think>b</think> a"}})
    run.step(tagged)
    assert run.submission()["turns"][1] == json.loads(tagged)


def test_the_legal_calls_lead_to_the_optimum() -> None:
    for name in ("asynctool/cross2/01", "asynctool/cross3/04@2"):
        run = live(name)
        while not run.done:
            run.step(run.legal()[0].text)
        found = grade(run.submission() | {"id": "a"})
        assert found.success
        assert found.metrics["premature_calls"] == 0


def test_a_message_with_tool_calls_is_a_call() -> None:
    run = live("asynctool/cross2/01")
    first = run.task.tasks[0]
    said = native_call(first.id, first.reference_calls[0])
    run.step("I begin.\n" + json.dumps({"tool_calls": said["tool_calls"]}))
    assert run.submission()["turns"] == [call_message(first.id, first.reference_calls[0])]
    assert [one["role"] for one in run.messages()[2:]] == ["assistant", "user"]


def test_terse_answers_give_no_reasons() -> None:
    run = live(feedback="terse")
    assert run.step("hm").observation.text == '{"error": "unreadable"}'
    assert run.step(call_message("x", Call("f", {}))).observation.text == '{"error": "unknown task"}'
    assert "several" in live().step("{} {}").observation.text or "no call" in live().step("hm").observation.text


def test_what_is_under_way_is_told() -> None:
    run = live("asynctool/cross2/01@1-2")
    assert run.situation() == "It is turn 1."
    run.step(run.legal()[0].text)
    assert run.situation().splitlines()[:2] == ["It is turn 2.", "Being executed:"]


def test_messages_of_the_run_are_limited_and_styles_are_known() -> None:
    run = live(limit=2)
    run.step("wait")
    assert run.step("wait").observation.over == "message_limit"
    with pytest.raises(InputError, match="style: must be one of paper, chat"):
        live(style="verse")


@pytest.mark.parametrize("said", ["wait", "nonsense"])
def test_a_run_that_leads_nowhere_ends_and_is_replayed_alike(said: str) -> None:
    run = live("asynctool/cross2/01", bounded=True)
    while not run.done:
        run.step(said)
    alone = sum(1 + delay for delays in problem_of(run.problem).reference_delays.values() for delay in delays)
    assert (run.state.count, run.observation.over) == (3 * alone + 20, "message_limit")
    assert run.run().success is False
    free = live("asynctool/cross2/01", bounded=False)
    for _ in range(run.state.count):
        free.step(said)
    assert not free.done
