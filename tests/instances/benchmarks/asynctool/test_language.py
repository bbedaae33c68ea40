"""Reader of AsyncTool: formats of transcripts and messages, and messages that cannot be read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planoracle.instances.benchmarks.asynctool import language
from planoracle.instances.benchmarks.asynctool.language import CLOSING, WAIT, call_message, read_message
from planoracle.instances.benchmarks.asynctool.problem_model import MAX_DEPTH, Call
from planoracle.instances.benchmarks.asynctool.rules import RULE_SET
from planoracle.instances.errors import PlanError
from tests.support.asynctool import messages
from tests.support.line_counter import count_lines
from tests.support.samples import sample

CALL = {"id": "trading_1", "func_name": "find_ticker", "params": {"company": "Alpha Tech"}}
OTHER = {"id": "files_1", "func_name": "enter_folder", "params": {"name": "workspace"}}
TEXT = json.dumps(CALL)
FIRST = RULE_SET.profile(several_calls="first")


def readings(turns: Any) -> list[str]:
    """Return the kinds of the agent's messages; of calls the names."""
    parsed = [read_message(message) for message in messages(turns)]
    return [one.kind if one.call is None else one.call.name for one in parsed]


def assistant(content: Any, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content} | more


def tool_call(name: str, arguments: Any) -> dict[str, Any]:
    return {"id": "call_7", "type": "function", "function": {"name": name, "arguments": arguments}}


def deep(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


# --- transcripts ----------------------------------------------------------------------------------

CHAT = [
    {"role": "system", "content": f"Reply with {TEXT}"},
    {"role": "user", "content": f"Tasks: {json.dumps(OTHER)} ALL COMPLETED"},
    assistant(TEXT),
    {"role": "tool", "content": '{"wait": "The call is being executed."}'},
    assistant(f"Now the folder:\n```json\n{json.dumps(OTHER)}\n```"),
    {"role": "tool", "id": "trading_1", "function name": "find_ticker()", "response": "{}"},
    assistant('{"content": "WAIT"}'),
    assistant('{"content": "ALL COMPLETED"}'),
]


@pytest.mark.parametrize(
    "turns",
    [
        [CALL, OTHER, WAIT, CLOSING],
        [TEXT, json.dumps(OTHER), "WAIT", "ALL COMPLETED"],
        [f"I begin.\n{TEXT}\nThen I wait.", f"```json\n{json.dumps(OTHER, indent=2)}\n```", "Wait.", "ALL COMPLETED."],
        CHAT,
        {"messages": CHAT},
        {"messages": CHAT, "model": "m"},
        [entry | {"role": {"assistant": "agent"}.get(entry["role"], entry["role"])} for entry in CHAT],
        [entry | {"role": {"assistant": "model"}.get(entry["role"], entry["role"])} for entry in CHAT],
        "\n".join(map(json.dumps, CHAT)),
        json.dumps(CHAT, indent=1),
        f"Agent: {TEXT}\nAgent: {json.dumps(OTHER)}\nAgent: {json.dumps(WAIT)}\nAgent: {json.dumps(CLOSING)}",
        [assistant([{"type": "text", "text": json.dumps(one)}]) for one in (CALL, OTHER, WAIT, CLOSING)],
        [CALL, TEXT.replace("find_ticker", "enter_folder"), assistant('{"content": "WAIT"}'), CLOSING],
    ],
)
def test_transcript_formats_give_the_same_messages(turns: Any) -> None:
    assert readings(turns) == ["find_ticker", "enter_folder", "wait", "close"]


def test_transcript_as_printed_in_the_paper_is_read() -> None:
    """In Figure 12 the answers of the environment are not JSON: inner quotes are not escaped."""
    text = f"""User: Below are all tasks you need to finish: {{id:'trading_1', question:'Find the ticker'}}
    Assistant: {TEXT} Environment: {{"role": "tool", "content": "{{"wait": "The function is being executed."}}"}}
    Assistant: {json.dumps(OTHER)}
    Environment: {{"role": "tool", "content": "{{"wait": "The function is being executed."}}"}}, {{"role": "tool",
    "id": "trading_1", "function name": "find_ticker(company="Alpha Tech")", "response": "{{"symbol": "APHT"}}"}}
    Assistant: {{"content": "ALL COMPLETED"}}"""
    assert readings(text) == ["find_ticker", "enter_folder", "close"]


def test_only_messages_of_the_agent_are_read_in_order() -> None:
    assert messages(CHAT) == [entry for entry in CHAT if entry["role"] == "assistant"]
    assert messages([]) == messages("") == messages({"messages": []}) == []
    assert messages(["", {}]) == ["", {}]
    assert messages([{"role": "user"}, {"role": ["assistant"]}, {"role": None, "content": "x"}]) == [
        {"role": None, "content": "x"}
    ]


@pytest.mark.parametrize(
    "turns",
    [None, 5, True, {}, CALL, {"messages": None}, {"messages": {}}, [None], [5], [[CALL]], [CALL, []], deep(5_000)],
)
def test_invalid_transcript_is_rejected_with_its_field(turns: Any) -> None:
    with pytest.raises(PlanError, match="turns") as caught:
        messages(turns)
    assert len(str(caught.value)) < 300


# --- calls ----------------------------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.slow
@given(st.text(), st.text(), st.dictionaries(st.text(max_size=8), JSON, max_size=4))
def test_call_is_read_from_every_message_format(task: str, name: str, params: dict[str, Any]) -> None:
    call = Call(name, params)
    message = call_message(task, call)
    text = json.dumps(message)
    styles = [tool_call("any", text), tool_call("any", message)]
    if "task_id" not in params and "func_name" not in params:
        arguments = {"task_id": task} | params
        styles += [tool_call(name, arguments), tool_call(name, json.dumps(arguments))]
    for form in (
        message,
        message | {"role": "assistant", "content": "ALL COMPLETED"},
        text,
        f"I say: {text} and no more {{",
        {"content": text},
        assistant(f"```json\n{text}\n```"),
        assistant([{"type": "text", "text": "Here:"}, {"type": "image"}, "?", {"text": text}]),
        *(assistant(None, tool_calls=[style]) for style in styles),
        assistant("ALL COMPLETED", tool_calls=styles[:1]),
    ):
        parsed = read_message(form)
        assert (parsed.kind, parsed.task, repr(parsed.call)) == ("call", task, repr(call))


@pytest.mark.parametrize(
    "message",
    [
        f"{TEXT} {TEXT}",
        f"First {TEXT}, then {json.dumps(OTHER)}.",
        assistant(f"[{TEXT}, {json.dumps(OTHER)}]"),
        {"content": f"{TEXT}\n{json.dumps(OTHER)}\nALL COMPLETED"},
        assistant(None, tool_calls=[tool_call("x", TEXT), tool_call("x", json.dumps(OTHER))]),
        assistant(None, tool_calls=[tool_call("x", TEXT), 5]),
    ],
)
def test_several_calls_are_unreadable_or_the_first_counts(message: Any) -> None:
    refused = read_message(message)
    assert (refused.kind, refused.call) == ("unreadable", None)
    assert "several calls" in refused.reason
    assert read_message(message, FIRST) == read_message(CALL)


def test_first_of_several_calls_counts_even_if_invalid() -> None:
    wrong = json.dumps(CALL | {"params": []})
    assert read_message(f"{wrong} {TEXT}", FIRST).kind == "unreadable"
    assert read_message(f"{TEXT} {wrong}", FIRST).kind == "call"


def test_call_nested_in_another_object_is_ignored() -> None:
    assert read_message(json.dumps({"action": CALL})).kind == "unreadable"
    nested = CALL | {"params": OTHER}
    assert read_message(json.dumps(nested)) == read_message(nested)  # one call, not two


# --- waits and the close --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "message",
    [
        "WAIT",
        " wait.\n",
        "Wait!",
        '"WAIT"',
        "**WAIT**",
        '{"content": "WAIT"}',
        '{"content": "I have to be patient."}',
        'Nothing to do.\n```json\n{"content": ""}\n```',
        WAIT,
        {"content": "Let me think."},
        {"content": ""},
        assistant("WAIT"),
        assistant('{"content": "WAIT"}'),
        assistant([{"type": "text", "text": "wait"}]),
        assistant("WAIT", tool_calls=None),
        assistant("WAIT", tool_calls=[]),
    ],
)
def test_wait_messages(message: Any) -> None:
    assert read_message(message) == language.AgentMessage("wait")


@pytest.mark.parametrize(
    "message",
    [
        "ALL COMPLETED",
        "Every task is done. ALL COMPLETED.",
        '{"content": "ALL COMPLETED"}',
        '```json\n{"content": "ALL COMPLETED"}\n```',
        CLOSING,
        assistant("ALL COMPLETED"),
        assistant('{"content": "ALL COMPLETED"}'),
        assistant([{"type": "text", "text": "ALL COMPLETED"}]),
        assistant("ALL COMPLETED", tool_calls=None),
    ],
)
def test_closing_messages(message: Any) -> None:
    assert read_message(message) == language.AgentMessage("close")


@pytest.mark.parametrize("message", ["all completed", "All Completed", "ALL  COMPLETED", assistant("COMPLETED")])
def test_closing_phrase_must_match_exactly(message: Any) -> None:
    assert read_message(message).kind == "unreadable"


def test_call_takes_precedence_over_closing_phrase() -> None:
    assert read_message(f"{TEXT}\nthen ALL COMPLETED").kind == "call"
    assert read_message(CALL | {"content": "ALL COMPLETED"}).kind == "call"


# --- unreadable messages --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("", "no call"),
        ("Let me think about it.", "no call"),
        ("I will wait", "no call"),
        ("find_ticker(company='Alpha Tech')", "no call"),
        (TEXT[:-1], "no call"),
        (TEXT.replace('"', "'"), "no call"),
        ('{"id": "a", "func_name": "f", "params": {"x": NaN}}', "no call"),
        ('{"id": "a", "func_name": "f", "params": {"x": 1, "x": 2}}', "no call"),
        ('{"name": "f", "arguments": {}}', "no call"),
        (assistant("Let me think about it."), "no call"),
        (assistant('{"name": "f"}'), "no call"),
        (assistant([]), "no call"),
        (assistant([{"type": "image"}, {"text": None}, {"text": deep(5_000)}, 5]), "no call"),
        (assistant(None), "a call or a content"),
        (assistant(5), "a call or a content"),
        ({}, "a call or a content"),
        ({"id": "a", "params": {}}, "a call or a content"),
        ({"func_name": "f", "params": {}}, "id must be text"),
        (CALL | {"id": 5}, "id must be text"),
        (CALL | {"func_name": None}, "func_name must be text"),
        (CALL | {"func_name": ["f"]}, "func_name must be text"),
        ({"id": "a", "func_name": "f"}, "params must be an object"),
        (CALL | {"params": None}, "params must be an object"),
        (CALL | {"params": []}, "params must be an object"),
        (json.dumps(CALL | {"params": [1]}), "params must be an object"),
        (CALL | {"params": {"a": deep(MAX_DEPTH)}}, "too deeply"),
        (CALL | {"params": {"a": deep(5_000)}}, "too deeply"),
        (json.dumps(CALL | {"params": {"a": deep(MAX_DEPTH)}}), "too deeply"),
        (" " * (language.MAX_MESSAGE + 1), "characters"),
        ({"content": "{" * (language.MAX_MESSAGE + 1)}, "characters"),
        (assistant(None, tool_calls=5), "list of calls"),
        (assistant(None, tool_calls=[5]), "must have a function"),
        (assistant(None, tool_calls=[{"function": "f"}]), "must have a function"),
        (assistant(None, tool_calls=[tool_call("f", "{")]), "arguments: is not JSON"),
        (assistant(None, tool_calls=[tool_call("f", '{"task_id": "a", "task_id": "b"}')]), "given twice"),
        (assistant(None, tool_calls=[tool_call("f", "[" * 100_000)]), "arguments: is nested too deeply"),
        (assistant(None, tool_calls=[tool_call("f", "[]")]), "arguments must be an object"),
        (assistant(None, tool_calls=[tool_call("f", " " * 100_001)]), "arguments must be an object"),
        (assistant(None, tool_calls=[tool_call("f", "{}")]), "id must be text"),
        (assistant(None, tool_calls=[tool_call("f", {"id": "a"})]), "id must be text"),
        (assistant(None, tool_calls=[{"function": {"arguments": {"task_id": "a"}}}]), "func_name must be text"),
        (None, "an object or text"),
        (5, "an object or text"),
        ([CALL], "an object or text"),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else None,
)
def test_unreadable_message_has_a_reason(message: Any, reason: str) -> None:
    for rules in (RULE_SET.profile(), FIRST):
        parsed = read_message(message, rules)
        assert (parsed.kind, parsed.task, parsed.call) == ("unreadable", "", None)
        assert reason in parsed.reason
        assert len(parsed.reason) <= 200
        assert len(parsed.text) <= language.MAX_EXCERPT


# --- bounded time ---------------------------------------------------------------------------------

HOSTILE = [
    "{",
    "{ ",
    '{"',
    '{"a',
    '{"a":',
    '{"a":"',
    '{"a":{}',
    '{"a":1,',
    '{"a":[',
    '"\\',
    '{"\\',
    "[",
    '{"a":1,"a":1}',
    '{"a":NaN}',
    '{"a":1e999}',
    '{"a":' + "1" * 4_400 + "}",
    '{"a":' * 900 + "x",
    '{"a":' * 900 + "1" + "}" * 900,
    "{" + " " * 999,
    "{}",
    '{"content":""}',
    "\ud800{",
]


@pytest.mark.parametrize("part", sample(HOSTILE), ids=lambda part: ascii(part)[:24])
def test_adversarial_text_takes_bounded_work(part: str) -> None:
    message = (part * (language.MAX_MESSAGE // len(part) + 1))[: language.MAX_MESSAGE]
    assert read_message(message).kind in ("unreadable", "wait")
    assert set(map(str, messages(message))) <= {"{'content': ''}", message} or part == '{"content":""}'
    assert count_lines(lambda: (read_message(message), messages(message))) < 20 * language.MAX_MESSAGE


@pytest.mark.slow
@pytest.mark.parametrize("part", sample(["{", '{"\\']))
def test_reading_a_transcript_takes_linear_work(part: str) -> None:
    text = part * (500_000 // len(part))
    assert messages(text) == [text]
    few, many = (count_lines(lambda n=n: messages(part * n)) for n in (500, 2_000))  # type: ignore[misc]
    assert many < 5 * few + 100


@pytest.mark.parametrize("junk", ["{" * 900, '{"' * 500, "{x} " * 3_000, '{"a":1,"a":2} ' * 20, "[" * 50_000])
def test_call_after_long_unrelated_text_is_read(junk: str) -> None:
    assert read_message(junk + TEXT).call == Call("find_ticker", {"company": "Alpha Tech"})
    assert messages(junk + TEXT) == [CALL]
    far = "x" * 50_000
    assert messages(f"{far}{TEXT}{far}{json.dumps(OTHER)}{far}") == [CALL, OTHER]
