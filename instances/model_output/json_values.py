"""JSON values within a text, extracted in linear time, and the steps and texts in such values."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import TypeVar

from planoracle.instances.errors import InputError
from planoracle.instances.files.strict_json import load_json, parse_expression, strict_decoder
from planoracle.instances.model_output.messages import contents, is_agents

S = TypeVar("S")

# An error of the JSON decoder takes time linear in the text before it (it counts lines): decode within a window, and
# count an error, and a value, as a number of characters. The budget is ten times the text, plus `_SPARE`.
_WINDOW = 8_192
_FAILURE, _VALUE = 200, 20
_SPARE = 200_000
# Characters of a value that is too deep or not strict, and lines that are tried as Python values.
_DEEP, _TRIES = 100_000, 10_000
# Beginning of an object, and of a list that may contain steps.
_OPENING = re.compile(r'\{(?=[ \t\r\n]{0,99}["}])|\[(?=[ \t\r\n]{0,99}["\[{\d])')
_OBJECT = re.compile(r'\{(?=[ \t\r\n]*["}])')
_TRAILING = re.compile(r",([ \t\r\n]{0,99}[\]}])")
_RUN = re.compile(r"\[[\[ \t\r\n]{0,999999}")
_BRACKETED = re.compile(r"^[^\S\n]{0,99}[\[{].*[\]}][^\S\n]{0,99}$", re.MULTILINE)
#: Placeholder of a JSON value.
HOLE = "\ue0f0"
# Keys, in lower case, of plans and of steps.
_PLANS = (
    *("plan", "final_plan", "steps", "actions", "commands", "schedule", "answer", "final_answer", "turns", "messages"),
    *("pieces", "sequence", "solution", "output", "response", "result", "calls", "tool_calls", "arguments", "function"),
)
_SAYS = (
    *("action", "command", "content", "text", "step", "decision", "description", "instruction", "task", "call", "name"),
)
_STEP_KEYS = frozenset((*_SAYS, *_PLANS))


def whole_value(text: str) -> object:
    """Return the value of a text that is a JSON list, object or string, else ``None``.

    Parameters
    ----------
    text
        Any text.
    """
    text = text.lstrip("\ufeff").strip()
    if text[:1] not in ("[", "{", '"') or "}\n{" in text:  # several objects: texts in JSON hold no bare line breaks
        return None
    try:
        value = load_json(text, "plan")
    except InputError:
        return None
    return value if isinstance(value, list | dict | str) else None


def values_in(text: str, *, lists: bool = True) -> tuple[list[tuple[int, int, object]], bool]:
    """Return the JSON objects and lists within a text with their spans, from left to right.

    Returns
    -------
    tuple
        The values, and whether the budget was enough to find all.

    Examples
    --------
    >>> values_in('I say ["wash cup"] and {"a": {}}, [1], {x}')
    ([(6, 18, ['wash cup']), (23, 32, {'a': {}})], True)
    """
    decoder, pattern = strict_decoder(), _OPENING if lists else _OBJECT
    budget = 10 * len(text) + _SPARE
    values: list[tuple[int, int, object]] = []
    offset = 0
    opening = pattern.search(text)
    while opening and budget > 0:
        start = opening.start()
        if start > _WINDOW:
            text = text[start:]
            offset += start
            start = 0
        try:
            value, end = decoder.raw_decode(text, start)
            budget -= _VALUE
            if value and (isinstance(value, dict) or any(isinstance(entry, str | list | dict) for entry in value)):
                values.append((offset + start, offset + end, value))
        except json.JSONDecodeError as error:
            budget -= error.pos - start + _FAILURE
            end = _next_start(text, start)
        except (InputError, ValueError, RecursionError):  # not strict, or too deep
            budget -= min(len(text) - start, _DEEP)
            end = _next_start(text, start)
        opening = pattern.search(text, end)
    return values, opening is None


def _next_start(text: str, start: int) -> int:
    """Return where to continue after an invalid value; of many opening brackets, at the last ones."""
    run = _RUN.match(text, start)
    if run is None:
        return start + 1
    return max(start + 1, run.end() - 3)


def extract_values(text: str) -> tuple[str, list[object], bool]:
    """Replace the JSON values of a text by placeholders; commas before closing brackets are allowed.

    Returns
    -------
    tuple
        The text with a `HOLE` for each value, the values in order, and whether all were found.
    """
    mended, spans, is_complete = _spans_of(text)
    pieces: list[str] = []
    values: list[object] = []
    end = 0
    for start, stop, value in spans:
        line_breaks = "\n" * mended.count("\n", start, stop)
        pieces += [mended[end:start], HOLE, line_breaks]
        values.append(value)
        end = stop
    pieces.append(mended[end:])
    return "".join(pieces), values, is_complete


def spans_of_values(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Return a text without commas before closing brackets, and the spans of its JSON values.

    Parameters
    ----------
    text
        Any text.
    """
    mended, spans, _ = _spans_of(text)
    return mended, [(start, end) for start, end, _ in spans]


def _spans_of(text: str) -> tuple[str, list[tuple[int, int, object]], bool]:
    text = text.replace(HOLE, " ")
    mended = _TRAILING.sub(r"\1", text) if _TRAILING.search(text) else text
    spans, is_complete = values_in(mended)
    return mended, spans or list(_literals(mended)), is_complete


def _literals(text: str) -> Iterator[tuple[int, int, object]]:
    """Yield lists and objects in Python syntax that are the whole text or a line of it."""
    if "['" not in text and "{'" not in text:
        return
    if (value := _literal(text)) is not None:
        yield 0, len(text), value
        return
    for match in islice(_BRACKETED.finditer(text), _TRIES):
        if (value := _literal(match[0])) is not None:
            yield *match.span(), value


def _literal(text: str) -> object:
    text = text.strip()
    if not (text[:1] in ("[", "{") and text[-1:] in ("]", "}") and len(text) <= _DEEP):
        return None
    try:  # parsed, not evaluated
        return json.loads(json.dumps(ast.literal_eval(parse_expression(text)), allow_nan=False))
    except (SyntaxError, ValueError, TypeError, RecursionError):
        return None


def leaves(value: object, steps_of: Callable[[object], list[S] | None]) -> Iterator[list[S] | str]:
    """Yield the steps of a JSON value, and its texts, which may contain steps, in order.

    ``steps_of`` returns the steps of an object or a list that is itself a step. Messages of other roles are skipped.

    >>> list(leaves({"plan": [{"minute": 0, "action": "wash cup"}, "wait", 3]}, lambda value: None))
    ['wash cup', 'wait']
    """
    stack: list[object] = [value]
    while stack:
        entry = stack.pop()
        if isinstance(entry, str):
            yield entry
        elif isinstance(entry, dict) and not is_agents(entry):
            continue
        elif isinstance(entry, dict | list):
            steps = steps_of(entry)
            if steps is not None:
                yield steps
            elif isinstance(entry, list):
                stack += reversed(entry)
            elif "role" in entry:
                stack += reversed(contents(entry))
            else:
                parts = _parts(entry)
                if parts is None:
                    yield _abridge(entry)
                else:
                    stack += reversed(parts)


def _parts(document: dict[str, object]) -> list[object] | None:
    """Return the values of an object that may contain steps, ``None`` for unknown keys."""
    values = {}
    for name, value in document.items():
        values[name.lower().replace(" ", "_")] = value
    if not _STEP_KEYS.isdisjoint(values):
        for name in _PLANS:
            value = values.get(name)
            is_only_text = isinstance(value, str) and len(values) == 1
            if is_only_text or isinstance(value, list | dict):
                return [value]
        for name in (*_SAYS, *_PLANS):
            if isinstance(values.get(name), str | dict):
                return [values[name]]
    if document and all(any(sign.isdigit() for sign in name) for name in document):
        return list(document.values())
    return None


def _abridge(document: dict[str, object]) -> str:
    """Return an abridged text of an object."""
    pairs = []
    for name, value in islice(document.items(), 10):
        text = value[:80] if isinstance(value, str) else "..."
        pairs.append(f'"{name[:40]}": {text}')
    return f"{{{', '.join(pairs)}}}"
