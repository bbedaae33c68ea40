"""Answers in free text, read and graded exactly as the released code does.

What it takes for an answer, and what it makes of numbers and units, is told in this folder's README. The patterns are
written anew where those released need more than linear time, so that no text can hold up the grading.
"""

from __future__ import annotations

import re
from datetime import timedelta
from typing import NamedTuple

from planoracle.instances.asynchow.facts import Interval
from planoracle.instances.errors import PlanError

#: Longest line in quotes whose number words are rewritten, in characters.
MAX_REWRITTEN = 50_000

_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ONES = (
    *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen"),
    *("fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_SMALL = (
    {"a": 1, "an": 1} | dict(zip(_ONES, range(1, 20), strict=True)) | dict(zip(_TENS, range(20, 91, 10), strict=True))
)
_LARGE = {"hundred": 100, "thousand": 1000, "million": 1_000_000}
_WORDS = {*_SMALL, *_LARGE, "half"}

_AND_A_HALF = re.compile(r"\b\w++ and a half")
# A letter, more letters with single hyphens among them, perhaps a hyphen; up to the last place where a word ends.
_WORD = re.compile(r"\b[a-zA-Z](?:-?[a-zA-Z])*-?\b")
_DIGITS = re.compile(r"\d+(?:,\d+)*")
_TAIL = re.compile(r"(?:\.\d++)?+(\s*+)(min|hr|hour|sec|week|day|month|year|s|h|m|d|w)")
_BOUNDARY = re.compile(r"\b")

_DAYS = {"year": (365, 366), "month": (28, 31), "m": (28, 31), "week": (7, 7), "w": (7, 7), "day": (1, 1), "d": (1, 1)}
_SHORT = {"hour": "hours", "h": "hours", "min": "minutes", "sec": "seconds"}
_SECOND = timedelta(seconds=1)


class Grade(NamedTuple):
    """Whether an answer is right, and the seconds it was then read as, ``(0, 0)`` for a wrong one.

    ``reason`` says why it is wrong: ``empty``, ``no_time`` (nothing in double quotes), ``range`` (" to "),
    ``unreadable`` (a unit spoils every candidate), ``too_short``, ``too_long``, or ``wrong`` where one is each.
    """

    success: bool
    parsed: tuple[float, float]
    reason: str | None


def grade(text: str, gold: Interval) -> Grade:
    """Grade an answer against the least and the most seconds that are right.

    Raises
    ------
    PlanError
        If words would have to be rewritten in a line of more than `MAX_REWRITTEN` characters.

    Examples
    --------
    >>> grade('The shortest possible time is "1 month".', (2_600_000, 2_700_000))
    Grade(success=True, parsed=(2419200, 2678400), reason=None)
    >>> grade('"30min"', (1800, 1800)).reason, grade('"20 min"', (1800, 1800)).reason
    ('unreadable', 'too_short')
    """
    if not text:
        return Grade(False, (0, 0), "empty")
    least, most = (seconds * _SECOND for seconds in gold)
    reasons = []
    for candidate in candidates(text):
        part = narrowed(candidate)
        if " to " in part:
            return Grade(False, (0, 0), "range")
        time = read(part)
        if time is None:
            reasons.append("unreadable")
        elif any(least <= end <= most for end in time):
            return Grade(True, (_number(time[0]), _number(time[1])), None)
        else:
            reasons.append("too_short" if time[1] < least else "too_long")
    told = set(reasons) - {"unreadable"} or set(reasons) or {"no_time"}
    return Grade(False, (0, 0), told.pop() if len(told) == 1 else "wrong")


def _number(time: timedelta) -> float:
    return time // _SECOND if not time % _SECOND else time.total_seconds()


def candidates(text: str) -> tuple[str, ...]:
    """Return what may be the answer: the first and the last stretch in double quotes, in lower case.

    A stretch goes from the first to the last double quote of a line. Without any, what stands behind the last "is "
    counts, but only if it contains a word "and a half".

    >>> candidates('"A" or "b"'), candidates("It is 30 min"), candidates("It is thirty minutes and a half")
    (('"a" or "b"',), (), ('30.5 minutes',))
    """
    stretches = [line[line.find('"') : line.rfind('"') + 1] for line in text.split("\n") if line.count('"') > 1]
    if stretches:
        return tuple(dict.fromkeys(_digits(stretch.lower()) for stretch in (stretches[0], stretches[-1])))
    rest = text.rpartition("is ")[2].lower()
    return (_digits(rest),) if _AND_A_HALF.search(rest) else ()


def _digits(text: str) -> str:
    """Rewrite number words, but only in a text in which one stands before "and a half"."""
    found = _AND_A_HALF.search(text)
    if found is None:
        return text
    if len(text) > MAX_REWRITTEN:
        raise PlanError(f"has a line of more than {MAX_REWRITTEN} characters with 'and a half'", field="answer")
    word = found[0].removesuffix(" and a half")
    if word not in _WORDS:
        text = text.replace(found[0], f"and half {word}")
    text = text.replace("half a ", "0.5")
    for match in _WORD.findall(text):
        number = _SMALL.get(match, 0)
        if match not in _WORDS:
            number = sum((_SMALL | _LARGE).get(part, 0) for part in match.split("-"))
        if number:  # the first place where its letters occur, be it within another word
            text = text.replace(match, str(number), 1)
    return text.replace(" and half", ".5")


def narrowed(candidate: str) -> str:
    """Return what counts of a candidate: behind the last "=", of that behind the last " or ", before the first "("."""
    return candidate.rpartition("=")[2].rpartition(" or ")[2].partition("(")[0]


def read(text: str) -> tuple[timedelta, timedelta] | None:
    """Add up the least and the most of all times in a text; ``None`` if a unit is none or stands at its number.

    Examples
    --------
    >>> [str(end) for end in read("2 days, 4 hours and .5 min")]
    ['2 days, 4:05:00', '2 days, 4:05:00']
    >>> [str(end) for end in read("7 workdays and 1 moment")]
    ['77 days, 0:00:00', '80 days, 0:00:00']
    >>> read("1h 30m"), read("1 hr")
    (None, None)
    """
    low = high = timedelta()
    place = 0
    for chunk in _DIGITS.finditer(text):
        tail = _TAIL.match(text, chunk.end()) if chunk.start() >= place else None
        start = None if tail is None else _start(text, chunk)
        if tail is None or start is None:
            continue
        place = tail.end()
        if not tail[1]:  # "30min"
            return None
        try:
            least, most = _times(float(text[start : tail.start(1)].replace(",", "")), tail[2])
            low, high = low + least, high + most
        except (OverflowError, ValueError):  # more days than there are; a unit that is none
            return None
    return low, high


def _start(text: str, chunk: re.Match[str]) -> int | None:
    """Return where the number at the end of digits and commas begins: its groups but the first have three digits."""
    start = chunk.end() + 1
    best = None
    for group in reversed(chunk[0].split(",")):
        start -= len(group) + 1
        if _BOUNDARY.match(text, start):
            best = start
        if len(group) != 3:
            break
    return best


def _times(number: float, unit: str) -> tuple[timedelta, timedelta]:
    if unit in _SHORT:
        time = timedelta(**{_SHORT[unit]: number})
        return time, time
    if unit not in _DAYS:
        raise ValueError(unit)
    least, most = _DAYS[unit]
    return timedelta(days=number * least), timedelta(days=number * most)
