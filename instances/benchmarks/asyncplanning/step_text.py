"""Readers of JSON answers and times in text, as the released code has them."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from math import isfinite
from typing import Any, NamedTuple

from planoracle.instances.benchmarks.asyncplanning.step_facts import UNIT_SECONDS

_FENCE = "```"
_OPEN_TAG = re.compile("<answer>", re.IGNORECASE)
_CLOSE_TAG = re.compile("</answer>", re.IGNORECASE)
#: Number and unit in lower-case text; a match starts at the first digit of a number, which bounds the time.
_TIME = re.compile(r"(?<!\d)(\d+(?:\.\d+)?)\s*(months?|weeks?|days?|hours?|minutes?|mins?|seconds?|secs?)")
_SHORT_UNITS = {"min": "minute", "sec": "second"}


class PlannerAnswer(NamedTuple):
    """Answer of a model.

    Attributes
    ----------
    text
        Whole text.
    document
        JSON object in it, ``None`` if there is none.
    """

    text: str
    document: dict[str, Any] | None


def planner_answer(text: str) -> PlannerAnswer:
    r"""Read the JSON object of an answer.

    It is the whole text, the text in a fence, or the part from the first to the last brace.

    >>> planner_answer('Here it is:\n{"final_answer_seconds": 480} Bye!').document
    {'final_answer_seconds': 480}
    >>> planner_answer("8 minutes").document is None
    True
    """
    part = _without_fence(text.strip())
    is_json, value = _json_value(part)
    if not is_json:
        _, value = _json_value(part[part.find("{") : part.rfind("}") + 1])
    return PlannerAnswer(text, value if isinstance(value, dict) else None)


def _without_fence(text: str) -> str:
    """Return the part up to the next fence of a text that begins with a fence."""
    if not text.startswith(_FENCE):
        return text
    part = text.split(_FENCE, 2)[1]
    stripped = part.lstrip()
    return stripped.removeprefix("json") if stripped.startswith("json") else part


def _json_value(text: str) -> tuple[bool, object]:
    """Return whether a text is JSON, and its value.

    The standard reader is used on purpose: like the released code it accepts NaN and repeated keys.
    """
    try:
        return True, json.loads(text)
    except (ValueError, RecursionError):
        return False, None


def exact_number(value: object) -> Fraction | None:
    """Return the exact value of a JSON number, ``None`` for other values.

    >>> exact_number(0.1), exact_number("300"), exact_number(True)
    (Fraction(1, 10), None, None)
    """
    if isinstance(value, Fraction):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float):
        return Fraction(repr(value)) if isfinite(value) else None
    return Fraction(value)


def released_time(answer: PlannerAnswer) -> int | None:
    """Return the seconds that the released code reads: the stated number, or the times in the text.

    >>> released_time(planner_answer('{"final_answer_seconds": "480.4"}'))
    480
    >>> released_time(planner_answer("So 3 minutes, no, <answer>1 hour 2 min</answer>"))
    3720
    """
    document = answer.document
    if document is None or document.get("final_answer_seconds") is None:
        return _time_in(_tagged(answer.text))
    return _rounded(document["final_answer_seconds"])


def _rounded(value: Any) -> int | None:
    """Return a number, or text of a number, as an integer; half a second to the even one."""
    try:
        return round(float(value))
    except (TypeError, ValueError, OverflowError):
        return None


def _tagged(text: str) -> str:
    """Return the text in the first answer tag, the whole text without one."""
    opening = _OPEN_TAG.search(text)
    if opening is None:
        return text
    closing = _CLOSE_TAG.search(text, opening.end())
    return text if closing is None else text[opening.end() : closing.start()]


def _time_in(text: str) -> int | None:
    """Return the sum of all times in a text, ``None`` without one."""
    matches = _TIME.findall(text.lower())
    if not matches:
        return None
    total = 0.0
    for number, unit in matches:
        name = unit.removesuffix("s")
        total += float(number) * UNIT_SECONDS[_SHORT_UNITS.get(name, name)]
    return _rounded(total)
