"""An answer of a model put together from the pieces in which it is streamed; whatever comes is data."""

from __future__ import annotations

import json

from planoracle.analysis.agents.agent import Said
from planoracle.analysis.agents.redact import Secrets
from planoracle.analysis.agents.usage import Prices, counted

__all__ = ["MAX_CHARACTERS", "Answer"]

#: Longest answer that is read, with all reasoning.
MAX_CHARACTERS = 5_000_000
# Under these names servers send what a model thinks before it answers; some leave it in the text.
_REASONING = ("reasoning_content", "reasoning")
# What a call takes at least in what is said.
_LEAST = len(json.dumps({"id": "", "type": "function", "function": {"name": "", "arguments": ""}}))
_OPENS, _CLOSES = "<think>", "</think>"


class Answer:
    """What has come so far.

    Attributes
    ----------
    finish
        Why the model stopped, in the server's word; ``None`` as long as it has not.
    size
        Characters so far, those that calls of tools take at least among them.
    """

    def __init__(self) -> None:
        self.finish: str | None = None
        self.size = 0
        self._usage: object = None
        self._text: list[str] = []
        self._refusal: list[str] = []
        self._reasoning: list[str] = []
        self._calls: dict[int, _Call] = {}

    def add(self, chunk: object) -> None:
        """Take in one event of the stream, as the client gives it; what is not of the right kind is passed over."""
        self._usage = getattr(chunk, "usage", None) or self._usage
        choices = getattr(chunk, "choices", None)
        for choice in choices[:1] if isinstance(choices, list) else ():
            finish, delta = getattr(choice, "finish_reason", None), getattr(choice, "delta", None)
            self.finish = finish if isinstance(finish, str) else self.finish
            self._keep(self._text, getattr(delta, "content", None))
            self._keep(self._refusal, getattr(delta, "refusal", None))
            self._keep(self._reasoning, next((got for name in _REASONING if (got := getattr(delta, name, None))), None))
            calls = getattr(delta, "tool_calls", None)
            for call in calls if isinstance(calls, list) else ():
                self._add_call(call)

    def _keep(self, where: list[str], piece: object) -> None:
        if isinstance(piece, str):
            where.append(piece)
            self.size += len(piece)

    def _add_call(self, piece: object) -> None:
        index, name = getattr(piece, "index", None), getattr(piece, "id", None)
        if not isinstance(index, int):  # some servers do not count: a new id is a new call
            index = len(self._calls) if name or not self._calls else len(self._calls) - 1
        if index not in self._calls:
            self._calls[index] = _Call()
            self.size += _LEAST
        call = self._calls[index]
        function = getattr(piece, "function", None)
        self._keep(call.id, None if call.id else name)
        self._keep(call.name, getattr(function, "name", None))
        self._keep(call.arguments, getattr(function, "arguments", None))

    def said(self, secrets: Secrets, prices: Prices | None) -> Said:
        """Return the message that it makes: reasoning apart from the text, calls of tools as JSON behind it."""
        text, thought = _apart(_whole(self._text) or _whole(self._refusal))
        reasoning = secrets.data("\n".join(filter(None, (_whole(self._reasoning), thought))))
        text = secrets.data(text)
        raw: dict[str, object] = {}
        if reasoning:
            raw["reasoning"] = reasoning
        if self._calls:
            calls = [self._calls[index].message(secrets) for index in sorted(self._calls)]
            raw |= {"content": text, "tool_calls": calls}
            text = "\n".join(filter(None, (text, json.dumps({"tool_calls": calls}, ensure_ascii=False))))
        if self.finish not in ("stop", "tool_calls", "function_call"):
            raw["finish"] = secrets.data(str(self.finish))
        return Said(text, counted(self._usage, prices), raw or None)


class _Call:
    """A call of a tool, in pieces."""

    def __init__(self) -> None:
        self.id: list[str] = []
        self.name: list[str] = []
        self.arguments: list[str] = []

    def message(self, secrets: Secrets) -> dict[str, object]:
        """Return it in the form of chat interfaces."""
        name, arguments, own = (secrets.data(_whole(part)) for part in (self.name, self.arguments, self.id))
        return {"id": own, "type": "function", "function": {"name": name, "arguments": arguments}}


def _whole(pieces: list[str]) -> str:
    """Return pieces as one text that can be written down: halves of a character joined, or replaced."""
    return "".join(pieces).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _apart(text: str) -> tuple[str, str]:
    """Return a text without the reasoning at its beginning, and that.

    Examples
    --------
    >>> _apart("<think>one, two</think>three"), _apart("one, two</think>three"), _apart("<think>one, tw")
    (('three', 'one, two'), ('three', 'one, two'), ('', 'one, tw'))
    >>> _apart("I write <think> as I like")
    ('I write <think> as I like', '')
    """
    before, closed, after = text.partition(_CLOSES)
    opened = before.lstrip().startswith(_OPENS)
    if opened or (closed and _OPENS not in before):
        return after.lstrip(), before.lstrip().removeprefix(_OPENS).strip()
    return text, ""
