"""Keys and passwords are sent to the server and seen nowhere else, whatever goes wrong."""

from __future__ import annotations

import asyncio
import json
import logging
import traceback
from base64 import b64encode
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

import pytest
from support.fake_openai import Answer, FakeOpenAI, Request, shared

from planoracle.analysis.agents.agent import AgentError, Said
from planoracle.analysis.agents.redact import Secrets
from planoracle.analysis.agents.registry import agent
from planoracle.instances.errors import InputError

pytest.importorskip("openai", reason="needs the extra openai")

KEY = "sk-proj-Zq7/x+9'A\"\\-e5F0"
PASSWORD = "open:Sesame/42"
QUERY = "q-4711-token"
BASIC = b64encode(f"ali:{PASSWORD}".encode()).decode()
ASKED = [{"role": "user", "content": "What next?"}]


def forms(secret: str) -> set[str]:
    """How a secret may be written in a text."""
    encoded = b64encode(secret.encode()).decode()
    return {secret, quote(secret, safe=""), quote(secret), json.dumps(secret)[1:-1], repr(secret)[1:-1], encoded}


def assert_hidden(text: str) -> None:
    for secret in (KEY, PASSWORD, QUERY, BASIC):
        for form in forms(secret):
            assert form not in text, text


def everything(error: BaseException) -> str:
    """All that can be read of an exception, also of those behind it that are not shown."""
    found, seen = "".join(traceback.format_exception(error)), error
    while (seen := seen.__cause__ or seen.__context__) is not None:  # type: ignore[assignment]
        found += f"{seen!r} {seen} {vars(seen)}" + "".join(traceback.format_exception(seen))
    return f"{found} {error!r} {vars(error)}"


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture) -> Iterator[Callable[[], str]]:
    """All that anybody logs, down to the last detail."""
    names = [*logging.root.manager.loggerDict, "openai", "openai._base_client", "httpx", "httpx2", "httpcore2.http11"]
    before = {name: logging.getLogger(name).level for name in names}
    for name in names:
        logging.getLogger(name).setLevel(logging.DEBUG)
    caplog.set_level(logging.DEBUG)
    yield lambda: "\n".join(f"{record.getMessage()} {record.__dict__}" for record in caplog.records)
    for name, level in before.items():
        logging.getLogger(name).setLevel(level)


def with_door(url: str) -> str:
    """An address with user, password and a token in its query."""
    return url.replace("http://", f"http://ali:{quote(PASSWORD, safe='')}@") + f"?token={QUERY}&api-version=7"


def ask(answer: Callable[[Request], Answer | str], *, door: bool = False, **options: Any) -> tuple[Said, FakeOpenAI]:
    server, runner = shared()
    server.play(answer)
    url = with_door(server.url) if door else server.url
    model = agent("openai:fake-1", base_url=url, backoff=0, retries=1, **options)
    assert_hidden(f"{model!r} {model.about()}")
    return runner.run(model.complete(ASKED)), server


def test_the_server_is_given_the_key_and_logs_do_not_show_it(logged: Callable[[], str]) -> None:
    _, server = ask(lambda request: "wait")
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert "HTTP Request: POST http://127.0.0.1" in logged()
    assert_hidden(logged())


def test_user_password_and_query_are_sent_and_logs_do_not_show_them(logged: Callable[[], str]) -> None:
    _, server = ask(lambda request: "wait", door=True)
    [request] = server.requests
    assert request.headers["authorization"] == f"Basic {BASIC}"
    assert request.path == f"/v1/chat/completions?token={QUERY}&api-version=7"
    assert "token=***" in logged()
    assert_hidden(logged())


def echo(request: Request) -> str:
    """All that came in with a request, and its secrets in every form."""
    secrets = (KEY, PASSWORD, QUERY) if QUERY in request.path else (KEY,)
    told = {form for secret in secrets for form in forms(secret)}
    return " ".join((*sorted(told), request.path, json.dumps(request.headers), *request.headers.values()))


@pytest.mark.parametrize("door", [False, True])
@pytest.mark.parametrize("status", [400, 401, 404, 429, 500])
@pytest.mark.parametrize("shape", ["json", "text"])
def test_errors_that_repeat_the_request(door: bool, status: int, shape: str, logged: Callable[[], str]) -> None:
    def answer(request: Request) -> Answer:
        told = echo(request)
        if shape == "json":
            told = json.dumps({"error": {"message": told, "code": KEY, "type": KEY, "param": KEY}})
        return Answer(status=status, body=told, headers={"X-Request-Id": KEY})

    with pytest.raises(AgentError) as caught:
        ask(answer, door=door)
    assert shape == "text" or "***" in str(caught.value)
    assert caught.value.__cause__ is caught.value.__context__ is None
    assert_hidden(everything(caught.value))
    assert_hidden(logged())


@pytest.mark.parametrize("door", [False, True])
def test_streams_that_repeat_the_request(door: bool, logged: Callable[[], str]) -> None:
    def error(request: Request) -> Answer:
        return Answer(body=f"data: {json.dumps({'error': {'message': echo(request), 'code': KEY}})}\n\n")

    def nonsense(request: Request) -> Answer:
        return Answer(body=f"data: {{{echo(request)}\n\n")

    for answer in (error, nonsense):
        with pytest.raises(AgentError) as caught:
            ask(answer, door=door)
        assert_hidden(everything(caught.value))
    assert_hidden(logged())


@pytest.mark.parametrize("door", [False, True])
def test_models_that_repeat_the_request(door: bool) -> None:
    """Whatever is written down of an answer; that the model writes the key is no reason to keep it."""

    def answer(request: Request) -> Answer:
        calls = ((KEY, json.dumps({"key": echo(request)})),)
        return Answer(echo(request), calls, echo(request), finish=KEY, piece=29)

    said, _ = ask(answer, door=door)
    assert said.text.count("***") > 5
    assert_hidden(f"{said} {json.dumps([said.text, said.usage, said.raw])}")


@pytest.mark.parametrize("key", ["none", "EMPTY", "password", "wait"])
def test_words_are_no_secrets_of_a_model(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    """A key for servers that want none must not take words out of plans."""
    monkeypatch.setenv("OPENAI_API_KEY", key)
    assert ask(lambda request: f"Step({key})")[0].text == f"Step({key})"


@pytest.mark.parametrize("host", ["127.0.0.1:1", "no-such-host.invalid", "127.0.0.1:99999"])
def test_servers_that_are_not_there(host: str, logged: Callable[[], str]) -> None:
    with pytest.raises((AgentError, InputError)) as caught:
        asyncio.run(agent("openai:fake-1", base_url=with_door(f"http://{host}/v1"), retries=0).complete(ASKED))
    assert_hidden(everything(caught.value))
    assert_hidden(logged())


@pytest.mark.parametrize(
    "url", ["ftp://{}@host", "{}@host/v1", "http://{}@/v1", "http://{}@ho\nst/v1", "http://[{}]/v1"]
)
def test_addresses_that_are_none(url: str) -> None:
    for secret in (PASSWORD, f"ali:{PASSWORD}", quote(PASSWORD)):
        with pytest.raises(InputError) as caught:
            agent("openai:fake-1", base_url=url.format(secret))
        assert caught.value.field == "base_url"
        assert_hidden(everything(caught.value))


@pytest.mark.parametrize("key", [f"{KEY}\n{KEY}", f"{KEY}ö", f"\x1b{KEY}"])
def test_keys_that_are_none(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    """A client would repeat them in its complaint about the header."""
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(InputError) as caught:
        agent("openai:fake-1", base_url="http://localhost:1/v1")
    assert_hidden(everything(caught.value))


def test_the_end_of_the_line_is_no_part_of_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", f"{KEY}\n")
    assert ask(lambda request: "wait")[1].requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_a_key_instead_of_the_name_of_its_variable() -> None:
    for key in (KEY, "sk_live_0123456789", "AKIAIOSFODNN7EXAMPLE"):
        with pytest.raises(InputError, match="the key") as caught:
            agent("openai:fake-1", base_url="http://localhost:1/v1", key_variable=key)
        assert key not in everything(caught.value)


def test_the_key_of_another_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THEIR_KEY", "their-key-1234567")
    _, server = ask(lambda request: "wait", key_variable="THEIR_KEY")
    assert server.requests[0].headers["authorization"] == "Bearer their-key-1234567"


def test_nothing_is_hidden_where_nothing_is_secret() -> None:
    assert Secrets().cleaned("all of it") == Secrets("", " ").data("all of it") == "all of it"
