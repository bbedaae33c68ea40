"""Live runs of AsyncTool: delays of answers, premature calls, submissions."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.samples import examples, sample

from planoracle import load
from planoracle.instances.benchmarks.asynctool import problem_model, problems, simulation
from planoracle.instances.benchmarks.asynctool.language import (
    CLOSING,
    WAIT,
    as_message,
    call_message,
    messages_by_action,
    read_message,
)
from planoracle.instances.benchmarks.asynctool.problem_model import (
    AsyncToolProblem,
    Call,
    Delays,
    SubTask,
    family_of,
    parse_call,
    problem_of,
)
from planoracle.instances.benchmarks.asynctool.rules import PROFILES
from planoracle.instances.benchmarks.asynctool.turns import SimulatedTurn
from planoracle.instances.model.instance import Instance
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.environment import AnyEnvironment, Environment, RunConfig
from tests.support.asynctool import messages
from tests.support.hostile_inputs import VALUES
from tests.support.live_runs import play_at_random

TREE = {"root": {"work": {"a": "one", "b": "two"}}}
WAITING = {"wait": "The call is being executed."}
PAIR = "asynctool/cross2/01@0-2:3"


def sub_task(id: str, family: str | None, *reference: str, initial: dict[str, Any] | None = None) -> SubTask:
    calls = tuple(map(parse_call, reference))
    offered = family_of(family).documents() or {call.name: {"name": call.name} for call in calls}
    return SubTask(id, f"Question of {id}?", calls, family, offered, initial or {})


FILES = sub_task(
    "F", "files", "enter_folder(name='work')", "read_file(name='a')", "make_folder(name='one')", initial=TREE
)
TEXT = sub_task("T", "text", "join_numbers(numbers=[1, 2], separator=' ')", "normalise_text(text='1 2')")


def problem(delays: Delays | None = None, *tasks: SubTask) -> AsyncToolProblem:
    return AsyncToolProblem("p", tasks or (FILES, TEXT), delays or Delays())


def live(of: AsyncToolProblem | str = PAIR, **config: Any) -> AnyEnvironment:
    instance = load(of) if isinstance(of, str) else problem_model.instance(of)
    assert isinstance(instance, Instance)
    return Environment(registry.of(instance), instance, PROFILES["paper"], RunConfig(**config))


def send(run: AnyEnvironment, message: Any) -> list[dict[str, Any]]:
    """Return the answers to a message."""
    lines = run.step(message).observation.text.splitlines()
    return [json.loads(line) for line in lines if line.startswith("{")]


def turns(run: AnyEnvironment) -> list[SimulatedTurn]:
    return run.state.world.turns


def make(task: SubTask, number: int) -> dict[str, Any]:
    """Return the message of a reference call, numbered from 1."""
    return call_message(task.id, task.reference_calls[number - 1])


def responses(answers: list[dict[str, Any]]) -> list[tuple[str, Any]]:
    """Return the results in the answers to a message."""
    return [(one["id"], one["response"]) for one in answers if "response" in one]


def answer(task: SubTask, number: int) -> dict[str, Any]:
    call = task.reference_calls[number - 1]
    result = json.loads(json.dumps(task.solved.results[number - 1]))
    return {"id": task.id, "function name": str(call), "response": result}


# --- the opening ----------------------------------------------------------------------------------


def test_opening_contains_questions_and_tools_but_no_reference_calls() -> None:
    system, user = live(problem()).opening()
    offered, questions = (json.loads(part.partition("\n")[2]) for part in user["content"].split("\n\n"))
    documents = [*FILES.documents.values(), *TEXT.documents.values()]
    assert sorted(offered, key=json.dumps) == offered
    assert sorted(documents, key=json.dumps) == offered
    earlier = live(problem(), wording=1).opening()[1]["content"]
    by_task = json.loads(earlier.split("\n\n")[0].partition("\n")[2])
    assert by_task == {task.id: list(task.documents.values()) for task in (FILES, TEXT)}
    assert questions == [{"id": task.id, "question": task.question} for task in (FILES, TEXT)]
    assert all(word in system["content"] for word in ('"id"', '"func_name"', '"params"', "WAIT", "ALL COMPLETED"))
    assert "'work'" not in user["content"]


# --- delays ---------------------------------------------------------------------------------------


def test_trajectory_of_figure_12_is_reproduced() -> None:
    """Interleave trading calls (lookup, price, order) with file calls (enter and make a folder)."""
    run = live("asynctool/trading_1+files_1")
    trading, files = problem_of(run.problem).tasks
    assert send(run, make(trading, 1)) == [WAITING]
    assert send(run, make(files, 1)) == [WAITING, answer(trading, 1)]
    assert send(run, make(trading, 2)) == [WAITING, answer(files, 1)]
    assert send(run, make(files, 2)) == [WAITING, answer(trading, 2)]
    assert send(run, make(trading, 3)) == [WAITING, answer(files, 2)]
    assert send(run, CLOSING) == []
    assert run.done
    assert [turn.step for turn in turns(run)] == [0, 0, 1, 1, 2, None]
    assert [turn.usable for turn in turns(run)] == [3, 4, 5, 6, 7, 0]
    assert all(one.executor.state() == one.task.solved.state for one in run.state.world.tasks.values())


def test_random_delays_of_a_seed_are_stable() -> None:
    """Protect the delays of published seeds from changes."""
    assert [Delays.parse("0-1:7").of("files_1", n, "f") for n in range(12)] == [0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 1, 1]
    assert [Delays.parse("1-3").of("text_4", n, "f") for n in range(12)] == [3, 2, 3, 1, 1, 3, 1, 2, 1, 1, 1, 2]


DELAYS = st.builds(
    lambda least, more, seed, tools: Delays(least, least + more, seed, tools),
    st.integers(0, 3),
    st.integers(0, 2),
    st.integers(0, 5),
    st.dictionaries(st.sampled_from(["read_file", "join_numbers"]), st.integers(0, 4)),
)
MESSAGES = st.sampled_from(
    [
        *(make(task, number) for task in (FILES, TEXT) for number in range(1, len(task.reference_calls) + 1)),
        WAIT,
        "Let me think.",
        "{",
        {"id": "F", "func_name": "no_tool", "params": {}},
        {"id": "F", "func_name": "sort_words", "params": {"text": "b a"}},
        {"id": "T", "func_name": "sort_words", "params": {}},
        {"id": "X", "func_name": "sort_words", "params": {"text": "b a"}},
    ]
)


@examples(200)
@given(DELAYS, st.lists(MESSAGES, max_size=12), st.booleans())
def test_each_result_arrives_once_after_its_delay(delays: Delays, sent: list[Any], close: bool) -> None:
    run = live(problem(delays))
    answers = [send(run, message) for message in [*sent, *[CLOSING] * close]]
    calls = dict.fromkeys(run.state.world.tasks, 0)
    due: dict[int, list[SimulatedTurn]] = {}
    for turn in turns(run):
        if turn.kind == "call":
            assert turn.call is not None
            delay = delays.of(turn.task, calls[turn.task], turn.call.name)
            calls[turn.task] += 1
            assert turn.usable == turn.number + 1 + delay
            due.setdefault(turn.number + delay, []).append(turn)
        else:
            assert (turn.usable, turn.step) == (0, None)
    for number, answered in enumerate(answers[: len(sent)], 1):
        assert responses(answered) == [(turn.task, turn.result) for turn in due.get(number, ())]
    assert answers[len(sent) :] == [[]] * close


# --- invalid messages ------------------------------------------------------------------------------


def test_invalid_message_gets_an_immediate_error_and_takes_a_turn() -> None:
    run = live(problem())
    (error,) = send(run, "Let me think.")
    assert "no call" in error["error"]
    (error,) = send(run, {"id": "X", "func_name": "sort_words", "params": {"text": "a"}})
    assert "F, T" in error["error"]
    (error,) = send(run, f"{json.dumps(make(FILES, 1))} {json.dumps(make(TEXT, 1))}")
    assert "several calls" in error["error"]
    assert [turn.kind for turn in turns(run)] == ["unreadable", "unknown_task", "unreadable"]
    send(run, make(FILES, 1))
    first, second = send(run, 5)  # results arrive nevertheless
    assert "error" in first
    assert second == answer(FILES, 1)
    assert turns(run)[-1].number == 5


def test_failed_calls_are_answered_after_their_delay() -> None:
    run = live(problem())
    wrong = [
        ("F", "sort_words", {"text": "a"}, "no function 'sort_words'"),  # of the other task
        ("F", "no_tool", {}, "no function 'no_tool'"),
        ("F", "__init__", {"initial": {}}, "no function '__init__'"),
        ("F", "_here", {}, "no function '_here'"),
        ("F", "x" * 500, {}, "no function 'xxx"),
        ("F", "enter_folder", {"name": "none"}, "nothing named"),
        ("F", "enter_folder", {}, "needs the parameter"),
        ("F", "enter_folder", {"self": 1, "name": "work"}, "no parameter"),
    ]
    for task, name, params, reason in wrong:
        assert send(run, call_message(task, Call(name, params))) == [WAITING]
        assert turns(run)[-1].kind == "call"
        ((id, result),) = responses(send(run, WAIT))
        assert id == task
        assert reason in result["error"]
        assert len(result["error"]) < 200
    assert run.state.world.tasks["F"].executor.state() == TREE


def test_long_function_names_are_distinguished() -> None:
    one, other = (sub_task(letter, None, f"{letter * 100}(a=1)") for letter in "xy")
    messages = [call_message("x", Call(name, {"a": 2})) for name in ("x" * 100, "y" * 100, "x" * 99, "x" * 101)]
    kinds = [
        violation.kind
        for violation in simulation.replay(problem(None, one, other), messages).violations
        if violation.position is not None
    ]
    assert kinds == ["other_tool", "unknown_tool", "unknown_tool"]


def test_reference_calls_match_once_and_by_equal_parameters() -> None:
    twice = sub_task("R", "text", "sort_words(text='a')", "sort_words(text='a')", "sort_words(text='b')")
    run = live(problem(None, twice, sub_task("N", None, "f(a=1, b=[2])")))
    for message in [make(twice, 1)] * 3 + [make(twice, 3)]:
        send(run, message)
    for params in ({"a": True, "b": [2]}, {"b": [2.0], "a": 1.0}, {"a": 1, "b": [2]}):
        send(run, call_message("N", Call("f", params)))
    assert [turn.step for turn in turns(run)] == [0, 1, None, 2, None, 0, None]


# --- premature calls ------------------------------------------------------------------------------


def test_other_call_is_premature_until_the_slowest_result_arrives() -> None:
    slow = problem(Delays(1, 1, tools={"enter_folder": 5}))  # issued in turn 1, known in turn 7
    guess = call_message("F", Call("read_file", {"name": "b"}))
    assert not slow.delays.constant
    assert simulation.replay(slow, [make(FILES, 1), guess, WAIT, WAIT, WAIT, guess, WAIT, WAIT, guess]).premature == (
        2,
        6,
    )


def test_violations_name_functions_tasks_and_turns() -> None:
    failing = call_message("F", Call("enter_folder", {"name": "none"}))
    calls = [call_message("X", Call("f", {})), call_message("F", Call("no_tool", {})), make(TEXT, 1) | {"id": "F"}]
    unreadable = {"unreadable": "x" * 130, "text": ""}
    sent = [unreadable, *calls, make(FILES, 1), make(FILES, 2), WAIT, WAIT, failing, make(FILES, 3), CLOSING, WAIT]
    assert [violation.message for violation in simulation.replay(problem(), sent).violations] == [
        f"{'x' * 116} ...",
        'there is no task "X"; the tasks are F, T',
        'no task offers the function "no_tool"',
        '"join_numbers" is offered for T, not for F',
        '"read_file" for F was called before the result that it depends on, which is known in turn 7',
        "\"enter_folder\" for F failed: the current folder contains nothing named 'none'",
        "messages after the closing message are ignored",
        "T lacks a call of join_numbers (step 1 of 2); "
        "turn 4 called \"F: join_numbers(numbers= 1, 2 , separator=' ')\" instead",
        "T lacks a call of normalise_text (step 2 of 2)",
    ]


# --- submissions ---------------------------------------------------------------------------


@pytest.mark.parametrize("part", sample(range(8)))
def test_live_run_equals_replay_of_its_submission(part: int) -> None:
    names = problems.names()
    for seed in range(part, 60, 8):
        run = live(names[seed % len(names)] + ("", "@0", "@2", "@0-3:5")[seed % 4])
        reference = list(messages_by_action(problem_of(run.problem)).values())[:-1]  # without the closing message
        odd = [*reference, *reference, {**reference[0], "params": {}}, {**reference[0], "id": "nobody"}, "hm", *VALUES]
        for _ in play_at_random(run, seed, lambda random, odd=odd: random.choice(odd), 0.4):  # type: ignore[misc]
            whole, (step,) = run.run(), run.turns[-1].outcomes
            assert (step.command, step.violation) == (whole.steps[-1].command, whole.steps[-1].violation)
            assert tuple(turns(run)) == whole.record.turns
            if not run.done:
                choices = list(whole.simulator.choices(whole.points[-1], 1, whole.state))
                if whole.state.complete:  # only the closing message is legal
                    assert choices.pop().kind == "wait"
                assert [command.text for command in run.legal()] == [command.text for command in choices]


def test_fork_of_a_run_is_independent() -> None:
    run = live(problem(Delays(0, 0)))
    run.step(make(FILES, 1))
    other, before = run.fork(), run.run().record
    for number in (2, 3):
        other.step(make(FILES, number))
    assert run.run().record == before
    assert run.state.world.tasks["F"].executor.state() == TREE != other.state.world.tasks["F"].executor.state()
    assert [one.text for one in run.legal()] == [json.dumps(one) for one in (make(FILES, 2), make(TEXT, 1), WAIT)]


def test_message_with_several_calls_is_submitted_as_one_unreadable_message() -> None:
    """Keep the message whole: its text alone could be read as a transcript."""
    text = "\n".join(one.text for one in live().legal()[:2])
    assert len(messages([text])) == 2
    run = live()
    run.step(text)
    assert run.submission()["turns"] == [
        {"unreadable": "the message contains several calls; only one per turn is accepted", "text": text}
    ]
    transcript = "\n".join(map(json.dumps, [*run.submission()["turns"], WAIT]))
    assert [read_message(one).kind for one in messages(transcript)] == ["unreadable", "wait"]


@pytest.mark.parametrize("message", ["hm", "wait", "ALL COMPLETED", call_message("a", Call("f", {"b": [1]})), 5])
def test_normalized_message_is_read_back_equal(message: object) -> None:
    read = read_message(message)
    assert messages([as_message(read)]) == [as_message(read)]
    assert read_message(as_message(read)) == read


def test_submission_does_not_change_with_the_message_object() -> None:
    run = live()
    message = json.loads(run.legal()[0].text)
    run.step(message)
    before = json.dumps(run.submission())
    message["params"].clear()
    assert json.dumps(run.submission()) == before


def test_calls_in_reasoning_are_ignored() -> None:
    call, other = (one.text for one in live().legal()[:2])
    run = live()
    run.step(f"<think>{other}? No.</think>{call}")
    assert run.submission()["turns"] == [json.loads(call)]
    tagged = json.dumps({"id": "text_2", "func_name": "sort_words", "params": {"text": "<think>b</think> a"}})
    run.step(tagged)
    assert run.submission()["turns"][1] == json.loads(tagged)


def test_message_with_tool_calls_is_a_call() -> None:
    run = live("asynctool/cross2/01")
    first = problem_of(run.problem).tasks[0]
    arguments = json.dumps({"task_id": first.id, **first.reference_calls[0].params})
    function = {"name": first.reference_calls[0].name, "arguments": arguments}
    run.step("I begin.\n" + json.dumps({"tool_calls": [{"id": "c1", "type": "function", "function": function}]}))
    assert run.submission()["turns"] == [call_message(first.id, first.reference_calls[0])]
    assert [one["role"] for one in run.messages()[2:]] == ["assistant", "user"]


def test_terse_feedback_omits_reasons() -> None:
    run = live(feedback="terse")
    assert run.step("hm").observation.text == '{"error": "unreadable"}'
    assert run.step(call_message("x", Call("f", {}))).observation.text == '{"error": "unknown task"}'
    assert "several" in live().step("{} {}").observation.text or "no call" in live().step("hm").observation.text


def test_situation_lists_pending_calls() -> None:
    run = live("asynctool/cross2/01@1-2")
    assert run.situation() == "It is turn 1."
    run.step(run.legal()[0].text)
    assert run.situation().splitlines()[:2] == ["It is turn 2.", "Being executed:"]


def test_message_limit_ends_the_run() -> None:
    run = live(limit=2)
    run.step("wait")
    assert run.step("wait").observation.over == "message_limit"


def test_bounded_run_of_unreadable_messages_ends_at_the_turn_limit() -> None:
    run, free = live("asynctool/cross2/01", bounded=True), live("asynctool/cross2/01", bounded=False)
    while not run.done:
        run.step("nonsense")
        free.step("nonsense")
    alone = sum(1 + delay for delays in problem_of(run.problem).reference_delays.values() for delay in delays)
    assert (run.state.count, run.observation.over) == (3 * alone + 20, "message_limit")
    assert run.run().success is False
    assert not free.done
