"""A model behind an address: what is sent, what becomes of the answer, and of lines that fail."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from time import monotonic
from types import SimpleNamespace
from typing import Any

import pytest
from support.fake_openai import Answer, FakeOpenAI, Request, Script, failing, scripted, shared
from support.samples import sample

from planoracle import environment, load
from planoracle.analysis.agents import bounded
from planoracle.analysis.agents.agent import AgentError, Said
from planoracle.analysis.agents.play import Played, play
from planoracle.analysis.agents.registry import agent
from planoracle.analysis.agents.setting import Call
from planoracle.analysis.agents.usage import money, total
from planoracle.instances.errors import InputError
from planoracle.instances.settings import Sampling

pytest.importorskip("openai", reason="needs the extra openai")

ASKED = [{"role": "system", "content": "You cook."}, {"role": "user", "content": "What next?"}]
ONCE = '{"error": {"message": "not now"}}'


@pytest.fixture(autouse=True)
def _no_keys_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.delenv(name, raising=False)


def ask(script: Script, messages: list[dict[str, Any]] | None = None, **options: Any) -> tuple[Said, list[Request]]:
    """Return what a fake model says, and what its server was asked."""
    server, runner = shared()
    server.play(script)
    model = agent("openai:fake-1", base_url=server.url, backoff=0, **options)
    return runner.run(model.complete(messages or ASKED)), server.requests


def refused(script: Script, **options: Any) -> tuple[AgentError, int]:
    """Return how a fake model fails, and after how many requests."""
    with pytest.raises(AgentError) as caught:
        ask(script, **options)
    return caught.value, len(shared()[0].requests)


def first(answer: Answer) -> Script:
    """Say ``wait``, but for the first time."""
    return lambda request: "wait" if request.again else answer


def test_what_is_sent_and_what_comes_back() -> None:
    said, [request] = ask(
        lambda request: "chop the onion, slowly and with care", temperature=0.5, max_tokens=20, seed=7
    )
    assert said == Said("chop the onion, slowly and with care", {"input_tokens": 4, "output_tokens": 7})
    assert request.path == "/v1/chat/completions"
    assert request.body == {
        "model": "fake-1",
        "messages": ASKED,
        "stream": True,
        "stream_options": {"include_usage": True},
        "temperature": 0.5,
        "max_tokens": 20,
        "seed": 7,
    }


def test_what_is_not_given_is_not_sent() -> None:
    _, [request] = ask(lambda request: "wait", seeded=False)
    assert set(request.body) == {"model", "messages", "stream", "stream_options"}


def test_what_the_user_gives_comes_before_what_a_setting_wants() -> None:
    server, runner = shared()
    server.play(lambda request: "wait")
    for options in ({}, {"temperature": 1.0, "max_tokens": 9}):
        model = agent("openai:fake-1", base_url=server.url, **options)
        runner.run(model.complete(ASKED, Sampling(0.0, 512)))
    sent = [(request.body["temperature"], request.body["max_tokens"]) for request in server.requests]
    assert sent == [(0.0, 512), (1.0, 9)]


def test_tokens_and_money_are_counted_exactly() -> None:
    prices = {"input_price": "0.15", "output_price": "0.6"}
    said, _ = ask(lambda request: Answer("one two three", reasoning="hm hm"), **prices)
    assert said.usage == {"input_tokens": 4, "output_tokens": 5, "reasoning_tokens": 2, "price_e12": 3_600_000}
    assert money(total([said.usage] * 10**5)) == "0.36"


def test_tokens_that_nobody_tells_are_uncounted_and_not_none() -> None:
    said, _ = ask(lambda request: Answer("wait", usage=False), input_price="1", output_price="1")
    assert said.usage == {"uncounted": 1}


@pytest.mark.parametrize("usage", ['"many"', '{"prompt_tokens": -4, "completion_tokens": 1}', "[]", "{}", "null"])
def test_tokens_told_wrongly_are_uncounted(usage: str) -> None:
    chunk = '{"choices": [{"index": 0, "delta": {"content": "wait"}, "finish_reason": "stop"}], "usage": %s}'
    said, _ = ask(lambda request: Answer(body=f"data: {chunk % usage}\n\n"))
    assert said == Said("wait", {"uncounted": 1})


def test_reasoning_is_kept_apart() -> None:
    said, _ = ask(lambda request: Answer("wait", reasoning="Shall I chop? No."))
    assert (said.text, said.raw) == ("wait", {"reasoning": "Shall I chop? No."})
    said, _ = ask(lambda request: "<think>\nShall I chop? No.\n</think>\n\nwait")
    assert (said.text, said.raw) == ("wait", {"reasoning": "Shall I chop? No."})


def test_calls_of_tools_are_put_together() -> None:
    calls = (("chop", '{"what": "onion", "how": "slowly"}'), ("wait", "{}"))
    said, _ = ask(lambda request: Answer("Now.", calls=calls, finish="tool_calls", piece=5))
    made = [
        {"id": f"call_{index}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for index, (name, arguments) in enumerate(calls)
    ]
    assert said.raw == {"content": "Now.", "tool_calls": made}
    text, _, behind = said.text.partition("\n")
    assert text == "Now."
    assert json.loads(behind) == {"tool_calls": made}


@pytest.mark.slow
def test_calls_without_a_word_are_bounded() -> None:
    chunk = '{"choices": [{"index": 0, "delta": {"tool_calls": [%s]}, "finish_reason": "stop"}]}'
    calls = ", ".join(f'{{"index": {number}}}' for number in range(70_000))
    error, asked = refused(lambda request: Answer(body=f"data: {chunk % calls}\n\n"))
    assert "more than 5,000,000 characters" in str(error)
    assert asked == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "answer",
    sample(
        [
            Answer(body="data: " + "a" * 20_000),
            Answer(body="data: a\n" * 3_000),
            Answer(body='data: {"choices": []}\n\n' + 'data: {"other": "' + "a" * 20_000 + '"}\n'),
            Answer(status=500, body="a\n\n" * 7_000),
            Answer(headers={"Content-Encoding": "gzip"}, body="data: a\n\n"),
            Answer(status=429, headers={"Content-Encoding": "gzip"}, body="a"),
        ],
    ),
)
def test_what_would_fill_the_memory_is_not_read(answer: Answer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded, "_MOST", 10_000)
    error, asked = refused(lambda request: answer)
    assert asked == 1
    assert error.kind == "broken"
    assert "the answer is not read: " in str(error)
    assert shared()[0].requests[0].headers["accept-encoding"] == "identity"
    assert len(ask(lambda request: "chop " * 4_000)[0].text) == 20_000  # in events that are short, each by itself


@pytest.mark.parametrize("end", ["\n\n", "\r\n\r\n", "\r\r"])
@pytest.mark.parametrize("length", [1, 2, 3, 7, 400, 401])
def test_ends_of_events_are_found_wherever_the_line_cuts_them(
    end: str, length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounded, "_MOST", 1_000)
    sent = (("a" * 400 + end) * 20).encode()

    async def pieces(chunk_size: int | None = None) -> AsyncIterator[bytes]:
        for start in range(0, len(sent), length):
            yield sent[start : start + length]

    async def read(*, good: bool) -> bytes:
        response = SimpleNamespace(headers={}, aiter_raw=pieces, is_success=good)
        await bounded.bound(response)
        return b"".join([piece async for piece in response.aiter_raw()])

    assert asyncio.run(read(good=True)) == sent
    with pytest.raises(bounded.UnboundedError, match="more than 1,000 bytes"):
        asyncio.run(read(good=False))


def test_an_answer_at_the_limit_says_so_and_an_empty_one_is_an_answer() -> None:
    assert ask(lambda request: Answer("chop the", finish="length"))[0].raw == {"finish": "length"}
    assert ask(lambda request: "")[0].text == ""


def test_halves_of_a_character_are_joined_and_single_ones_replaced() -> None:
    """What comes can be written down, and sent again with the next request."""
    pieces = ["caf\\u00e9 \\ud83d", "\\udc4d", " \\ud800!"]
    chunks = [f'data: {{"choices": [{{"index": 0, "delta": {{"content": "{piece}"}}}}]}}\n\n' for piece in pieces]
    end = 'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n\n'
    said, _ = ask(lambda request: Answer(body="".join(chunks) + end))
    assert said.text == "café 👍 �!"
    assert ask(lambda request: "wait", [{"role": "assistant", "content": said.text}])[0].text == "wait"


@pytest.mark.parametrize(
    "answer",
    [
        Answer(status=429, headers={"Retry-After": "0"}, body=ONCE),
        Answer(status=500, body=ONCE),
        Answer(status=503, body="<html>out of order"),
        Answer("a long answer that never ends", cut=2),
        Answer("wait", finish=None),
        Answer(body="data: {this is no JSON\n\n"),
        Answer(body="<html>no stream at all</html>"),
        Answer(body='{"choices": [{"message": {"content": "wait"}, "finish_reason": "stop"}]}'),
        Answer(body='data: {"error": {"message": "overloaded"}}\n\n'),
        Answer(body='data: [1, "x"]\n\ndata: 7\n\ndata: {"choices": [3, {"delta": "x"}]}\n\ndata: [DONE]\n\n'),
        Answer(body=""),
        Answer(status=500, body=ONCE, cut=9),
        Answer(status=503, body="a..", headers={"Content-Type": "text/plain; charset=hex"}),
    ],
)
def test_what_fails_on_the_way_is_asked_again(answer: Answer) -> None:
    said, requests = ask(first(answer))
    assert said.text == "wait"
    assert len(requests) == 2
    assert requests[0].body == requests[1].body
    error, asked = refused(lambda request: answer, retries=2)
    assert asked == 3
    assert "tried 3 times" in str(error)
    assert error.kind in ("rate_limit", "server", "broken")


@pytest.mark.parametrize(
    ("answer", "kind", "text"),
    [
        (Answer(status=401, body='{"error": {"message": "who are you?"}}'), "refused", "who are you?"),
        (Answer(status=404, body='{"error": {"message": "no model fake-1"}}'), "missing", "no model fake-1"),
        (Answer(status=400, body='{"error": {"message": "too many tokens"}}'), "refused", "too many tokens"),
        (
            Answer(status=429, body='{"error": {"message": "pay", "code": "insufficient_quota"}}'),
            "rate_limit",
            "pay",
        ),
        (Answer(status=429, headers={"Retry-After": "7200"}, body=ONCE), "rate_limit", "asks to wait 7200 s"),
        (Answer("sorry", finish="content_filter"), "filtered", "content_filter"),
    ],
)
def test_what_no_patience_helps_is_not_asked_again(answer: Answer, kind: str, text: str) -> None:
    error, asked = refused(lambda request: answer)
    assert asked == 1
    assert error.kind == kind
    assert text in str(error)
    assert str(error).startswith("openai:fake-1: ")


def test_a_server_is_left_alone_for_as_long_as_it_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr("planoracle.analysis.agents.openai.asyncio.sleep", sleep)
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    for headers in ({"Retry-After": "21"}, {"Retry-After-Ms": "1500"}, {"Retry-After": later}, {"Retry-After": "soon"}):
        ask(first(Answer(status=429, headers=headers, body=ONCE)))
    assert slept[:2] == [21, 1.5]
    assert 80 < slept[2] <= 90
    assert slept[3] == 0  # the first pause of `ask`


def test_pauses_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr("planoracle.analysis.agents.openai.asyncio.sleep", sleep)
    server, runner = shared()
    server.play(lambda request: Answer(status=500))
    with pytest.raises(AgentError):
        runner.run(agent("openai:fake-1", base_url=server.url, backoff=1, retries=9).complete(ASKED))
    assert len(slept) == 9
    assert all(0.75 * min(2**i, 60) <= pause <= min(2**i, 60) for i, pause in enumerate(slept))


@pytest.mark.slow
@pytest.mark.parametrize("answer", sample([Answer("wait", delay=30), Answer("wait and wait", piece=1, pause=0.1)]))
def test_an_answer_that_takes_too_long_is_given_up(answer: Answer) -> None:
    """Also one that keeps coming, a letter at a time."""
    begun = monotonic()
    error, asked = refused(lambda request: answer, timeout=0.2, retries=1)
    assert (error.kind, asked) == ("timeout", 2)
    assert monotonic() - begun < 10


def test_a_server_that_is_not_there() -> None:
    with FakeOpenAI(lambda request: "wait") as server:
        url = server.url
    model = agent("openai:fake-1", base_url=url, backoff=0, retries=1)
    with pytest.raises(AgentError, match=r"no connection with http://127\.0\.0\.1") as caught:
        asyncio.run(model.complete(ASKED))
    assert caught.value.kind == "connection"


@pytest.mark.slow
def test_many_at_once_share_a_client_that_is_closed_with_the_loop(recwarn: pytest.WarningsRecorder) -> None:
    from planoracle.analysis.agents import openai

    async def many(url: str) -> list[Said]:
        models = [agent("openai:fake-1", base_url=url, seed=seed, backoff=0) for seed in range(40)]
        said = await asyncio.gather(*(model.complete(ASKED) for model in models))
        [clients] = [kept for loop, kept in openai._clients.items() if loop is asyncio.get_running_loop()]
        [(client, _)] = clients.values()
        opened.append(client)
        return said

    opened: list[Any] = []
    with FakeOpenAI(failing(lambda request: f"move {request.body['seed']}", 3)) as server:
        said = asyncio.run(many(server.url))
    assert [one.text for one in said] == [f"move {seed}" for seed in range(40)]
    assert len(server.requests) > 40
    assert opened[0].is_closed()
    assert not list(recwarn)


def test_the_fake_server_tells_scripts_apart() -> None:
    script = scripted({"onion": ["chop", "fry"], "cake": ["bake"]})
    onion = [{"role": "user", "content": "an onion"}]
    told = [*onion, {"role": "assistant", "content": "chop"}, {"role": "user", "content": "done"}]
    assert [ask(script, asked)[0].text for asked in (onion, told, ASKED)] == ["chop", "fry", "wait"]


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        ({"temperature": -1}, "temperature"),
        ({"temperature": float("nan")}, "temperature"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"timeout": 0}, "timeout"),
        ({"retries": -1}, "retries"),
        ({"input_price": "2.5"}, "output_price"),
        ({"input_price": "cheap", "output_price": "1"}, "input_price"),
        ({"input_price": "1", "output_price": "-1"}, "output_price"),
        ({"input_price": "1", "output_price": "nan"}, "output_price"),
        ({"input_price": "1", "output_price": "0.1234567"}, "output_price"),
        ({"input_price": "1", "output_price": "1e99"}, "output_price"),
        ({"base_url": "localhost:8000"}, "base_url"),
        ({"base_url": "ftp://localhost/v1"}, "base_url"),
        ({"base_url": "http://"}, "base_url"),
        ({"base_url": "http://a:b:c"}, "base_url"),
        ({"base_url": None}, "key_variable"),
        ({"key_variable": "NO_SUCH_KEY"}, "key_variable"),
        ({"bogus": 1}, "bogus"),
    ],
)
def test_wrong_options_are_named(options: dict[str, Any], wrong: str) -> None:
    with pytest.raises(InputError) as caught:
        agent("openai:fake-1", **{"base_url": "http://localhost:1/v1", **options})
    assert caught.value.field == wrong


def test_a_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "openai", None)
    with pytest.raises(InputError, match=r"pip install 'planoracle\[openai\]'"):
        agent("openai:fake-1", base_url="http://localhost:1/v1")


def test_the_address_may_stand_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    server, runner = shared()
    server.play(lambda request: "wait")
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    assert runner.run(agent("openai:m").complete(ASKED)).text == "wait"


def test_the_newer_name_of_the_limit_is_for_the_usual_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-1234567890")
    made: Callable[..., dict[str, Any]] = agent("openai:m", max_tokens=5)._request
    assert made(ASKED, Sampling())["max_completion_tokens"] == 5


HOUSE = "timearena/household1"
TURNS = ["activate kettle", "wash cup", "pour kettle into cup", "brew tea with teapot", "wait", "wait",
         "pour teapot into cup", "wash teapot"]  # fmt: skip


def played(script: Script, **options: Any) -> tuple[Played, list[Call]]:
    """A run that a fake model plays, and the questions to it."""
    server, runner = shared()
    server.play(script)
    heard: list[Call] = []
    model = agent("openai:fake-1", base_url=server.url, backoff=0, heard=heard.append, **options)
    return runner.run(play(environment(load(HOUSE)), model)), heard


@pytest.mark.slow
def test_a_model_plays_a_run_and_a_line_that_fails_changes_nothing() -> None:
    """With every conversation failing at first: the same run, the same questions, the same tokens."""

    def script(request: Request) -> Answer:
        return Answer(f"Thought: what now?\nAction: {TURNS[request.turn]}", reasoning="Hm.")

    smooth, asked = played(script)
    rough, again = played(failing(script, 1))
    assert smooth.environment.run().success
    assert [one.said for one in smooth.exchanges] == [one.said for one in rough.exchanges]
    assert smooth.environment.messages() == rough.environment.messages()
    assert asked == again
    assert [call.said.text.partition("Action: ")[2] for call in asked] == TURNS
    assert total(one.said.usage for one in smooth.exchanges) == total(call.said.usage for call in asked)


def test_a_model_that_stops_answering_leaves_a_run_that_is_not_scored() -> None:
    def script(request: Request) -> Answer | str:
        return TURNS[request.turn] if request.turn < 2 else Answer(status=503)

    found, _ = played(script, retries=1)
    assert len(found.exchanges) == 2
    assert not found.environment.done
    assert found.failure is not None
    assert found.failure.kind == "server"
