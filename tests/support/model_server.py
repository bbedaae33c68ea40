"""Local model server that can fail, and the code of a client for it in inspect_ai."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

#: Ways in which the server fails: it refuses connections, never answers, or ends in the middle of an answer.
FAILURES = ("killed", "stalls", "answers half")
ANSWERS = ("activate kettle", "wash teapot", "wash cup", "wait", "do it")
#: Seconds after which the client gives up.
PATIENCE = 5.0
#: Makes inspect_ai's mock model ask the server of ``--model-base-url``.
CLIENT = f"""
import httpx
from inspect_ai.model import ModelOutput
from inspect_ai.model._providers.mockllm import MockLLM

async def generate(self, input, tools, tool_choice, config):
    async with httpx.AsyncClient(timeout={PATIENCE}) as client:
        reply = await client.post(self.base_url, json=[message.text for message in input])
    reply.raise_for_status()
    return ModelOutput.from_content("mockllm/model", reply.json()["answer"])

MockLLM.generate = generate
"""


class ModelServer(ThreadingHTTPServer):
    """Server whose answers depend on the request alone, until it fails.

    Attributes
    ----------
    sound_answers
        Number of answers until it fails; ``None``: it does not.
    failure
        One of `FAILURES`.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.sound_answers: int | None = None
        self.failure = ""
        self.recovered = threading.Event()
        self._lock = threading.Lock()

    def fail_after(self, answers: int, failure: str) -> None:
        """Fail after a number of answers."""
        self.sound_answers, self.failure = answers, failure
        self.recovered.clear()

    def recover(self) -> None:
        """Answer again."""
        self.sound_answers = None
        self.recovered.set()

    def next_failure(self) -> str:
        """Return the failure that the next request meets; empty if it is answered."""
        with self._lock:
            if self.sound_answers is None:
                return ""
            self.sound_answers -= 1
            return self.failure if self.sound_answers < 0 else ""

    @property
    def address(self) -> str:
        """Address of the server."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, *_: Any) -> None:
        """Ignore clients that are gone."""


class _Handler(BaseHTTPRequestHandler):
    server: ModelServer

    def do_POST(self) -> None:
        request = self.rfile.read(int(self.headers["Content-Length"]))
        failure = self.server.next_failure()
        if failure == "killed":
            self.connection.close()
            return
        if failure == "stalls":
            self.server.recovered.wait()
            return
        answer = ANSWERS[sum(request) % len(ANSWERS)]
        data = json.dumps({"answer": answer}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[: len(data) // 2] if failure == "answers half" else data)

    def log_message(self, *_: Any) -> None:
        """Write no log."""


@contextmanager
def model_server() -> Iterator[ModelServer]:
    """Run a model server."""
    with ModelServer() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
