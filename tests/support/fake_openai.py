"""A server that talks as OpenAI's does, on the loopback: what it answers is a function of what it is asked.

In a test::

    with FakeOpenAI(lambda request: "wait") as server:
        agent("openai:fake", base_url=server.url)

As a program, for processes that are killed and begun again: ``python tests/support/fake_openai.py --say wait`` prints
its address and serves until it is ended; ``--help`` tells the rest.
"""

from __future__ import annotations

import argparse
import asyncio
import atexit
import json
import socket
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread
from time import sleep
from typing import Any, NamedTuple

__all__ = ["Answer", "FakeOpenAI", "Request", "Script", "failing", "scripted", "shared", "tokens"]

#: The ways in which `failing` fails, in turn.
_FAILURES: tuple[dict[str, Any], ...] = (
    {"status": 429, "headers": {"Retry-After": "0"}, "body": '{"error": {"message": "too many requests"}}'},
    {"status": 500, "body": '{"error": {"message": "out of order"}}'},
    {"cut": 1},
    {"body": "data: {not JSON\n\n"},
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What is sent for one request.

    Attributes
    ----------
    text, calls, reasoning, finish
        Of the model; ``calls`` are pairs of a function's name and its arguments as JSON text; ``finish`` is why it
        stopped, ``None`` if that is never said.
    usage
        Whether tokens are told, where they are asked for.
    piece
        Characters of the text in one event.
    delay, pause
        Seconds before the first byte, and before every event.
    cut
        Events after which the connection is closed; bytes, where ``status`` is not 200.
    status, headers, body
        Of the response; with ``body`` that is all there is, with ``status`` 200 as a stream.
    """

    text: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    reasoning: str = ""
    finish: str | None = "stop"
    usage: bool = True
    piece: int = 16
    delay: float = 0.0
    pause: float = 0.0
    cut: int | None = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str | None = None


class Request(NamedTuple):
    """What was asked, with the names of headers in small letters; ``again`` is how often the same body came before."""

    body: dict[str, Any]
    headers: dict[str, str]
    path: str
    again: int

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The conversation."""
        found: list[dict[str, Any]] = self.body["messages"]
        return found

    @property
    def turn(self) -> int:
        """How often the model has spoken in it."""
        return sum(message["role"] == "assistant" for message in self.messages)


Script = Callable[[Request], Answer | str]


def tokens(text: str) -> int:
    """Return how many tokens the server counts: words."""
    return len(text.split())


def scripted(lines: Mapping[str, Sequence[str]], otherwise: str = "wait") -> Script:
    """Answer turn by turn with the lines for the first text that occurs in the conversation."""

    def script(request: Request) -> str:
        said = "\n".join(str(message.get("content")) for message in request.messages)
        for text, answers in lines.items():
            if text in said:
                return answers[request.turn] if request.turn < len(answers) else otherwise
        return otherwise

    return script


def failing(script: Script, every: int) -> Script:
    """Fail the first time for one of so many conversations, in several ways, whatever the order they come in."""

    def fail(request: Request) -> Answer | str:
        answer = script(request)
        number = zlib.crc32(json.dumps(request.body, sort_keys=True).encode())
        if request.again or number % every:
            return answer
        fault = _FAILURES[number // every % len(_FAILURES)]
        return replace(Answer(answer) if isinstance(answer, str) else answer, **fault)

    return fail


class FakeOpenAI:
    """The server; to be used as a context.

    Attributes
    ----------
    url
        What a client takes for ``base_url``.
    requests
        All that was asked, in the order it came, unless it is not to be kept.
    """

    def __init__(self, script: Script, port: int = 0, *, keep: bool = True) -> None:
        self.script = script
        self._keep = keep
        self.requests: list[Request] = []
        self._seen: Counter[bytes] = Counter()
        self._lock = Lock()
        self._server = _Server(("127.0.0.1", port), self)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> FakeOpenAI:
        Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def play(self, script: Script) -> None:
        """Forget what was asked and answer by another script."""
        self.script = script
        self.requests = []
        self._seen.clear()

    def serve(self) -> None:
        """Serve until the process ends."""
        self._server.serve_forever()

    def answer(self, body: dict[str, Any], headers: dict[str, str], path: str) -> Answer:
        """Note a request and return what the script says to it."""
        key = sha256(json.dumps(body, sort_keys=True).encode()).digest()
        with self._lock:
            request = Request(body, headers, path, self._seen[key])
            self._seen[key] += 1
            if self._keep:
                self.requests.append(request)
        answer = self.script(request)
        return Answer(answer) if isinstance(answer, str) else answer


@cache
def shared() -> tuple[FakeOpenAI, asyncio.Runner]:
    """Return a server and an event loop that are kept for all tests of a process, and with them the connections."""
    server, runner = FakeOpenAI(lambda request: "wait"), asyncio.Runner()
    atexit.register(server.__exit__)
    atexit.register(runner.close)
    return server.__enter__(), runner


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 256

    def __init__(self, address: tuple[str, int], fake: FakeOpenAI) -> None:
        self.fake = fake
        super().__init__(address, _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients may go as they like."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = self.server.fake.answer(body, {name.lower(): value for name, value in self.headers.items()}, self.path)
        sleep(answer.delay)
        with suppress(ConnectionError):
            if answer.status != 200:
                self._whole(answer)
            else:
                self._stream(answer, body)

    def _whole(self, answer: Answer) -> None:
        content = (answer.body or "").encode()
        self.send_response(answer.status)
        for name, value in {"Content-Type": "application/json", **answer.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[: answer.cut])
        if answer.cut is not None:
            self._hang_up()

    def _hang_up(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def _stream(self, answer: Answer, body: dict[str, Any]) -> None:
        self.send_response(200)
        for name, value in {"Content-Type": "text/event-stream", **answer.headers}.items():
            self.send_header(name, value)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for number, event in enumerate([answer.body] if answer.body is not None else _events(answer, body)):
            if number == answer.cut:
                self._hang_up()
                return
            sleep(answer.pause)
            content = event.encode()
            if content:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(content), content))
        self.wfile.write(b"0\r\n\r\n")


def _events(answer: Answer, body: dict[str, Any]) -> Iterator[str]:
    """Yield the events of a stream as they go over the line."""
    whole = {"id": "chatcmpl-fake", "object": "chat.completion.chunk", "created": 0, "model": body["model"]}

    def event(delta: dict[str, Any], finish: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return f"data: {json.dumps({**whole, 'choices': [choice]})}\n\n"

    yield event({"role": "assistant", "content": ""})
    for name, text in (("reasoning_content", answer.reasoning), ("content", answer.text)):
        for start in range(0, len(text), answer.piece):
            yield event({name: text[start : start + answer.piece]})
    for index, (called, arguments) in enumerate(answer.calls):
        call = {"index": index, "id": f"call_{index}", "type": "function"}
        yield event({"tool_calls": [{**call, "function": {"name": called, "arguments": ""}}]})
        for start in range(0, len(arguments), answer.piece):
            part = {"arguments": arguments[start : start + answer.piece]}
            yield event({"tool_calls": [{"index": index, "function": part}]})
    if answer.finish is not None:
        yield event({}, answer.finish)
    if answer.usage and (body.get("stream_options") or {}).get("include_usage"):
        asked = sum(tokens(str(message.get("content"))) for message in body["messages"])
        thought = tokens(answer.reasoning)
        given = tokens(answer.text) + thought + sum(tokens(arguments) for _, arguments in answer.calls)
        usage = {"prompt_tokens": asked, "completion_tokens": given, "total_tokens": asked + given}
        if thought:
            usage["completion_tokens_details"] = {"reasoning_tokens": thought}  # type: ignore[assignment]
        yield f"data: {json.dumps({**whole, 'choices': [], 'usage': usage})}\n\n"
    yield "data: [DONE]\n\n"


def _main() -> None:
    parser = argparse.ArgumentParser(description="Serve a model that says what it is told to say.")
    parser.add_argument("--port", type=int, default=0, help="0 for a free one")
    parser.add_argument("--say", default="wait", help="said where no line of the file is for the conversation")
    parser.add_argument(
        "--answers", type=Path, help='a JSON object {"text in the conversation": ["said first", "said next", ...], ...}'
    )
    parser.add_argument("--fail", type=int, metavar="N", help="fail the first time for one of N conversations")
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before every answer")
    options = parser.parse_args()
    lines = json.loads(options.answers.read_text(encoding="utf-8")) if options.answers else {}
    said = scripted(lines, options.say)
    script: Script = said if options.fail is None else failing(said, options.fail)

    def slowly(request: Request) -> Answer | str:
        sleep(options.delay)
        return script(request)

    server = FakeOpenAI(slowly, options.port, keep=False)
    print(server.url, flush=True)
    with suppress(KeyboardInterrupt):
        server.serve()


if __name__ == "__main__":
    _main()
