"""JSON within a text, found in time that grows with its length only; and the leaves of such values."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeVar

from planoracle.instances.errors import InputError
from planoracle.instances.files.strict_json import load_json, parse_expression, strict_decoder
from planoracle.instances.model_output.messages import contents, is_agents

S = TypeVar("S")

# An error of the JSON decoder takes time for all the text before it (it counts lines): decode within a window, and
# let an error, and a value, cost as much as so many characters. Ten times those of the text, and some more, are had.
_WINDOW, _FAILURE, _VALUE, _SPARE, _DEEP, _TRIES = 8_192, 200, 20, 200_000, 100_000, 10_000
# What an object begins with, and a list that may hold steps.
_OPENING = re.compile(r'\{(?=[ \t\r\n]{0,99}["}])|\[(?=[ \t\r\n]{0,99}["\[{\d])')
_OBJECT = re.compile(r'\{(?=[ \t\r\n]*["}])')
_TRAILING = re.compile(r",([ \t\r\n]{0,99}[\]}])")
_RUN = re.compile(r"\[[\[ \t\r\n]{0,999999}")
_HOLE = "\ue0f0"
# Keys, in lower case, of what holds a plan, and of what says a step.
_PLANS: tuple[str, ...] = (
    "plan",
    "final_plan",
    "steps",
    "actions",
    "commands",
    "schedule",
    "answer",
    "final_answer",
    "turns",
    "messages",
)
_PLANS += (
    "pieces",
    "sequence",
    "solution",
    "output",
    "response",
    "result",
    "calls",
    "tool_calls",
    "arguments",
    "function",
)
_SAYS = (
    "action",
    "command",
    "content",
    "text",
    "step",
    "decision",
    "description",
    "instruction",
    "task",
    "call",
    "name",
)
_KNOWN = frozenset((*_SAYS, *_PLANS))


class ExtractedText(NamedTuple):
    """A text whose JSON values have been lifted out: each is a hole in it, in order."""

    text: str
    values: list[object]
    whole: bool


def whole_value(text: str) -> object:
    """Return the JSON list, object or text that a text is, ``None`` if it is none."""
    text = text.lstrip("\ufeff").strip()
    if text[:1] not in ("[", "{", '"') or "}\n{" in text:  # several objects: texts in JSON hold no bare line breaks
        return None
    try:
        value = load_json(text, "plan")
    except InputError:
        return None
    return value if isinstance(value, list | dict | str) else None


def values_in(text: str, *, lists: bool = True) -> tuple[list[tuple[int, int, object]], bool]:
    """Return the JSON objects and lists within a text, where they begin and end, from left to right.

    Returns
    -------
    tuple
        The values, and whether the work was not too much to find all.

    Examples
    --------
    >>> values_in('I say ["wash cup"] and {"a": {}}, [1], {x}')
    ([(6, 18, ['wash cup']), (23, 32, {'a': {}})], True)
    """
    decoder, pattern = strict_decoder(), _OPENING if lists else _OBJECT
    budget = 10 * len(text) + _SPARE
    found: list[tuple[int, int, object]] = []
    offset = 0
    opening = pattern.search(text)
    while opening and budget > 0:
        start = opening.start()
        if start > _WINDOW:
            text, offset, start = text[start:], offset + start, 0
        try:
            value, end = decoder.raw_decode(text, start)
            budget -= _VALUE
            if value and (isinstance(value, dict) or any(isinstance(one, str | list | dict) for one in value)):
                found.append((offset + start, offset + end, value))
        except json.JSONDecodeError as error:
            budget -= error.pos - start + _FAILURE
            end = _behind(text, start)
        except (InputError, ValueError, RecursionError):  # not strict, or too deep
            budget -= min(len(text) - start, _DEEP)
            end = _behind(text, start)
        opening = pattern.search(text, end)
    return found, opening is None


def objects_in(text: str) -> list[object] | None:
    r"""Return the JSON objects that the lines of a text are, one a line; ``None`` if they are anything else.

    What `lifted` finds as well, but in longer time.

    >>> objects_in('{"a": 1}\n{"b": {}}'), objects_in('{"a": 1}\nand so on')
    ([{'a': 1}, {'b': {}}], None)
    """
    lines = text.split("\n")
    if "\r" in text or _HOLE in text or _TRAILING.search(text):
        return None
    decoder, found = strict_decoder(), []
    for line in lines:
        try:
            value, end = decoder.raw_decode(line) if line.startswith('{"') else (None, 0)
        except (InputError, ValueError, RecursionError):
            return None
        if value is None or end < len(line):
            return None
        found.append(value)
    return found


def _behind(text: str, start: int) -> int:
    """Return where to look on after what is no value; of many brackets that open only the last ones are tried."""
    run = _RUN.match(text, start)
    return start + 1 if run is None else max(start + 1, run.end() - 3)


def lifted(text: str) -> ExtractedText:
    """Lift the JSON values out of a text, with forgiven commas before brackets."""
    if _HOLE in text:
        text = text.replace(_HOLE, " ")
    mended = _TRAILING.sub(r"\1", text) if _TRAILING.search(text) else text
    spans, whole = values_in(mended)
    spans = spans or list(_literals(mended))
    pieces, end = [], 0
    for start, stop, _ in spans:
        pieces += [mended[end:start], _HOLE, "\n" * mended.count("\n", start, stop)]
        end = stop
    return ExtractedText("".join([*pieces, mended[end:]]), [value for _, _, value in spans], whole)


def _literals(text: str) -> Iterator[tuple[int, int, object]]:
    """Yield lists and objects as Python writes them, with single quotes, where they are the text, or a line of it."""
    if "['" not in text and "{'" not in text:
        return
    whole = text.strip()
    if (value := _literal(whole)) is not None:
        yield text.index(whole), text.index(whole) + len(whole), value
        return
    start = tried = 0
    for line in text.split("\n"):
        stripped = line.strip()
        if stripped[:1] in ("[", "{") and tried < _TRIES:
            tried += 1
            if (value := _literal(stripped)) is not None:
                yield start, start + len(line), value
        start += len(line) + 1


def _literal(text: str) -> object:
    if not (text[:1] in ("[", "{") and text[-1:] in ("]", "}") and len(text) <= _DEEP):
        return None
    try:  # parsed, not evaluated
        return json.loads(json.dumps(ast.literal_eval(parse_expression(text)), allow_nan=False))
    except (SyntaxError, ValueError, TypeError, RecursionError):
        return None


def fragments(line: str, values: Iterator[object]) -> tuple[list[str], list[object]]:
    """Return what stands around the holes of a line, and what was in them."""
    parts = line.split(_HOLE)
    return parts, [next(values) for _ in parts[1:]]


def leaves(value: object, of: Callable[[object], list[S] | None]) -> Iterator[list[S] | str]:
    """Yield what a JSON value says, in order: steps, or texts that may hold some.

    ``of`` returns the steps that an object or a list is itself. Messages of others than the agent say nothing.

    >>> list(leaves({"plan": [{"minute": 0, "action": "wash cup"}, "wait", 3]}, lambda value: None))
    ['wash cup', 'wait']
    """
    left: list[object] = [value]
    while left:
        one = left.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict) and not is_agents(one):
            continue
        elif isinstance(one, dict | list):
            steps = of(one)
            if steps is not None:
                yield steps
            elif isinstance(one, list):
                left += reversed(one)
            elif "role" in one:
                left += reversed(contents(one))
            else:
                parts = _parts(one)
                if parts is None:
                    yield _told(one)
                else:
                    left += reversed(parts)


def _parts(one: dict[str, object]) -> list[object] | None:
    """Return the values of an object that may say steps, ``None`` if it is not known which."""
    named = {name.lower().replace(" ", "_"): held for name, held in one.items()}
    if not _KNOWN.isdisjoint(named):
        for name in _PLANS:
            if isinstance(named.get(name), list | dict) or (
                name in named and isinstance(named[name], str) and len(named) == 1
            ):
                return [named[name]]
        for name in (*_SAYS, *_PLANS):
            if isinstance(named.get(name), str | dict):
                return [named[name]]
    if one and all(any(sign.isdigit() for sign in name) for name in one):
        return list(one.values())
    return None


def _told(one: dict[str, object]) -> str:
    """Return the beginning of an object as text."""
    shown = (f'"{name[:40]}": {held[:80] if isinstance(held, str) else "..."}' for name, held in list(one.items())[:10])
    return f"{{{', '.join(shown)}}}"
