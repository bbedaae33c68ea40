"""What was said in live runs, as the page shows it beside the chart: messages, and the commands that each led to."""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from planoracle.analysis.agents.usage import UNCOUNTED, money, total
from planoracle.analysis.report.encode import packed, plain, whole
from planoracle.analysis.submissions import Place
from planoracle.instances.errors import InputError
from planoracle.instances.run import Step

__all__ = ["Said", "Steps", "Talks", "Transcripts", "steps_of"]

#: One message of a transcript, see `planoracle.analysis.live.transcripts`.
Said: TypeAlias = Mapping[str, object]
#: Returns the transcript of a submission that stands somewhere, ``[]`` if there is none; raises `InputError`.
Transcripts: TypeAlias = Callable[[Place, Mapping[str, object]], Sequence[Said]]
#: What is kept of the steps of a run: kind, start, end, position.
Steps: TypeAlias = tuple[tuple[str, int, int, int], ...]

#: Most messages of a transcript, and letters of one of them; letters of all that share a chunk, and of a page.
MAX_MESSAGES, MAX_TEXT, _CHUNK, _PAGE = 1_000, 20_000, 300_000, 100_000_000


def steps_of(steps: Iterable[Step]) -> Steps:
    """Return of the steps of a run what messages are told by; waits only where they are commands of their own."""
    known = list(steps)
    others = {one.position for one in known if one.kind != "wait"}
    kept = (one for one in known if one.kind != "wait" or one.position not in others)
    return tuple((one.kind, one.start, one.end, one.position) for one in kept)


class Talks:
    """The transcripts of a page, in chunks; a text that is said again and again is kept once in each."""

    def __init__(self, read: Transcripts) -> None:
        self._read = read
        self._left = _PAGE
        self._texts: dict[str, int] = {}
        self._talks: list[dict[str, Any]] = []
        self._size = 0
        #: Where transcripts could not be read, and why.
        self.unread: list[tuple[Place, str]] = []

    def add(self, place: Place, submission: Mapping[str, object], steps: Steps) -> int | None:
        """Read the transcript of a submission; return its place in the chunk, ``None`` if there is none."""
        try:
            lines = self._read(place, submission)
        except InputError as error:
            self.unread.append((place, str(error)))
            self._talks.append({"fault": plain(str(error), 1000)})
            return len(self._talks) - 1
        if not lines:
            return None
        if self._left < 0:
            self._talks.append({"fault": "all transcripts together are too long for a page"})
        else:
            self._talks.append(self._talk(lines, steps))
        return len(self._talks) - 1

    @property
    def full(self) -> bool:
        """Whether the chunk has grown as large as one should."""
        return self._size > _CHUNK

    def chunk(self) -> str:
        """Return the chunk as JSON, ``[texts, transcripts]``, and begin another one."""
        text = packed([list(self._texts), self._talks])
        self._texts, self._talks, self._size = {}, [], 0
        return text

    def _talk(self, lines: Sequence[Said], steps: Steps) -> dict[str, Any]:
        """Return ``said``, a list of ``[role, text, turn, clock, positions of commands, what else there is]``."""
        found: dict[str, Any] = {"usage": _usage(line.get("usage") for line in lines if line.get("role") != _ERROR)}
        if len(lines) > MAX_MESSAGES:
            found["left"] = len(lines) - MAX_MESSAGES
        positions = list(_positions(lines, steps))
        found["said"] = [
            [
                plain(str(line.get("role")), 20),
                self._text(_content(line)),
                _number(line.get("turn")),
                _number(line.get("clock")),
                led,
                self._beside(line),
            ]
            for line, led in zip(lines[:MAX_MESSAGES], positions, strict=False)
        ]
        return found

    def _beside(self, line: Said) -> dict[str, Any] | None:
        raw, usage = line.get("raw"), line.get("usage")
        reasoning = raw.get("reasoning") if isinstance(raw, Mapping) else None
        finish = raw.get("finish") if isinstance(raw, Mapping) else None
        found: dict[str, Any] = {}
        if isinstance(line.get("purpose"), str):
            found["purpose"] = plain(str(line["purpose"]), 60)
        if isinstance(reasoning, str) and reasoning:
            found["reasoning"] = self._text(reasoning)
        if isinstance(finish, str):
            found["finish"] = plain(finish, 40)
        if isinstance(usage, Mapping) and (told := _usage([usage])):
            found["usage"] = told
        return found or None

    def _text(self, text: str) -> int:
        """Return the place of a text among those of the chunk, cut and fit to be shown."""
        cut = text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}…"
        shown = "\n".join(plain(line, MAX_TEXT + 1) for line in cut.split("\n"))
        if shown not in self._texts:
            self._size += len(shown)
            self._left -= len(shown)
        return self._texts.setdefault(shown, len(self._texts))


def _content(line: Said) -> str:
    """Return a message as text, whatever it holds: also its calls of tools."""
    content, calls = line.get("content"), line.get("tool_calls")
    parts = [content if isinstance(content, str) else _json(content)] if content else []
    return "\n".join(parts + ([_json(call) for call in calls] if isinstance(calls, list) else []))


def _json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except (RecursionError, TypeError, ValueError):
        return "…"


def _number(value: object) -> int | None:
    return whole(value) if isinstance(value, int) and not isinstance(value, bool) else None


def _usage(usages: Iterable[object]) -> list[list[Any]]:
    """Return names and values of all that messages took."""
    summed = total(usage for usage in usages if isinstance(usage, Mapping))
    shown = [[plain(name.replace("_", " "), 40), whole(value)] for name, value in summed.items() if name in _SHOWN]
    spent = money(summed)
    return [*shown, *([["price", plain(spent, 40)]] if spent is not None else [])]


# The last line of a failed run, which says again what its last turn took.
_ERROR = "error"
_SHOWN = ("input_tokens", "output_tokens", "reasoning_tokens", UNCOUNTED)


def _positions(lines: Sequence[Said], steps: Steps) -> Iterator[list[int]]:
    """Yield for every message the positions of the commands that it led to.

    What became of a message is told in its line; a step of the run is the same if it is of that kind and has the times.

    Examples
    --------
    >>> steps = (("act", 0, 5, 0), ("act", 5, 5, 1), ("lost", 5, 6, 2), ("act", 6, 9, 3))
    >>> first, second = {"kind": "act", "start": 0, "end": 5}, {"kind": "lost", "start": 5, "end": 6}
    >>> list(_positions([{"outcomes": [first]}, {}, {"outcomes": [second]}], steps))
    [[0], [], [2]]
    """
    free: dict[tuple[object, ...], deque[int]] = defaultdict(deque)
    for kind, start, end, position in steps:
        free[kind, start, end].append(position)
    for line in lines:
        outcomes = line.get("outcomes")
        led: list[int] = []
        for one in outcomes if isinstance(outcomes, list) else ():
            key = tuple(one.get(name) for name in ("kind", "start", "end")) if isinstance(one, Mapping) else ()
            if all(isinstance(part, str | int) for part in key) and free.get(key):
                led.append(free[key].popleft())
        yield sorted(set(led))
