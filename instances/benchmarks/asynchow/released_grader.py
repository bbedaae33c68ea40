"""Reading and grading of answers in words like the released code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import NamedTuple

from planoracle.instances.benchmarks.asynchow.bundled_data import Interval
from planoracle.instances.errors import PlanError

#: Longest line in quotes whose number words are rewritten, in characters.
MAX_REWRITTEN = 50_000

_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ONES = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen"
)
_SMALL = {"a": 1, "an": 1}
_SMALL |= dict(zip(_ONES.split(), range(1, 20), strict=True))
_SMALL |= dict(zip(_TENS.split(), range(20, 91, 10), strict=True))
_LARGE = {"hundred": 100, "thousand": 1000, "million": 1_000_000}
_NUMBERS = _SMALL | _LARGE
_WORDS = {*_NUMBERS, "half"}

_AND_A_HALF = re.compile(r"\b\w++ and a half")
# A letter, more letters with single hyphens among them, perhaps a hyphen; up to the last place where a word ends.
_WORD = re.compile(r"\b[a-zA-Z](?:-?[a-zA-Z])*-?\b")
_DIGITS = re.compile(r"\d+(?:,\d+)*")
_TAIL = re.compile(r"(?:\.\d++)?+(\s*+)(min|hr|hour|sec|week|day|month|year|s|h|m|d|w)")
_BOUNDARY = re.compile(r"\b")

#: Units that the released code reads: a unit of `timedelta`, and its smallest and largest number.
_TIMES = {
    "hour": ("hours", 1, 1),
    "h": ("hours", 1, 1),
    "min": ("minutes", 1, 1),
    "sec": ("seconds", 1, 1),
    "year": ("days", 365, 366),
    "month": ("days", 28, 31),
    "m": ("days", 28, 31),
    "week": ("days", 7, 7),
    "w": ("days", 7, 7),
    "day": ("days", 1, 1),
    "d": ("days", 1, 1),
}
_SECOND = timedelta(seconds=1)


class AnswerGrade(NamedTuple):
    """Verdict on an answer, and the seconds that were read, ``(0, 0)`` for a wrong one.

    ``reason`` is the cause of a wrong answer: ``empty``, ``no_time`` (no time in double quotes), ``range`` (" to "),
    ``unreadable`` (invalid units in every candidate), ``too_short``, ``too_long``, or ``wrong`` (one of each).
    """

    success: bool
    parsed: tuple[float, float]
    reason: str | None


def grade(text: str, right: Interval) -> AnswerGrade:
    """Grade an answer against the interval of right times, in seconds.

    Raises
    ------
    PlanError
        If number words must be rewritten in a line of more than `MAX_REWRITTEN` characters.

    Examples
    --------
    >>> grade('The shortest possible time is "1 month".', (2_600_000, 2_700_000))
    AnswerGrade(success=True, parsed=(2419200, 2678400), reason=None)
    >>> grade('"30min"', (1800, 1800)).reason, grade('"20 min"', (1800, 1800)).reason
    ('unreadable', 'too_short')
    """
    if not text:
        return AnswerGrade(False, (0, 0), "empty")
    shortest, longest = (seconds * _SECOND for seconds in right)
    reasons = []
    for candidate in candidates(text):
        part = narrowed(candidate)
        if " to " in part:
            return AnswerGrade(False, (0, 0), "range")
        time = read(part)
        if time is None:
            reasons.append("unreadable")
        elif any(shortest <= end <= longest for end in time):
            low, high = map(_number, time)
            return AnswerGrade(True, (low, high), None)
        elif holds_time(part):
            reasons.append("too_short" if time[1] < shortest else "too_long")
    distinct = set(reasons) - {"unreadable"} or set(reasons) or {"no_time"}
    reason = distinct.pop() if len(distinct) == 1 else "wrong"
    return AnswerGrade(False, (0, 0), reason)


def _number(time: timedelta) -> float:
    return time // _SECOND if not time % _SECOND else time.total_seconds()


def times_read(text: str) -> tuple[float, float]:
    """Return the times of the last readable candidate in seconds; 0 and 0 without one.

    >>> times_read('"20 min"'), times_read('"soon"')
    ((1200, 1200), (0, 0))
    """
    for candidate in reversed(candidates(text)):
        part = narrowed(candidate)
        time = None if " to " in part else read(part)
        if time is not None and holds_time(part):
            return _number(time[0]), _number(time[1])
    return 0, 0


def candidates(text: str) -> tuple[str, ...]:
    """Return candidates for the answer: first and last stretch in double quotes, in lower case.

    A stretch goes from the first to the last double quote of a line. Without any, the text after the last "is " is the
    candidate, but only if it contains a word before "and a half".

    >>> candidates('"A" or "b"'), candidates("It is 30 min"), candidates("It is thirty minutes and a half")
    (('"a" or "b"',), (), ('30.5 minutes',))
    """
    lines = [line for line in text.split("\n") if line.count('"') > 1]
    if lines:
        ends = (_quoted_stretch(lines[0]), _quoted_stretch(lines[-1]))
        return tuple(dict.fromkeys(_digits(stretch.lower()) for stretch in ends))
    ending = text.rpartition("is ")[2].lower()
    return (_digits(ending),) if _AND_A_HALF.search(ending) else ()


def _quoted_stretch(line: str) -> str:
    """Return the text from the first to the last double quote of a line, with both."""
    return line[line.find('"') : line.rfind('"') + 1]


def _digits(text: str) -> str:
    """Rewrite number words, but only in a text with a word before "and a half"."""
    half = _AND_A_HALF.search(text)
    if half is None:
        return text
    if len(text) > MAX_REWRITTEN:
        raise PlanError(f"has a line of more than {MAX_REWRITTEN} characters with 'and a half'", field="answer")
    word = half[0].removesuffix(" and a half")
    if word not in _WORDS:
        text = text.replace(half[0], f"and half {word}")
    text = text.replace("half a ", "0.5")
    for match in _WORD.findall(text):
        number = _SMALL.get(match, 0)
        if match not in _WORDS:
            parts = match.split("-")
            number = sum(_NUMBERS.get(part, 0) for part in parts)
        if number:  # at the first occurrence of its letters, even within another word
            text = text.replace(match, str(number), 1)
    return text.replace(" and half", ".5")


def narrowed(candidate: str) -> str:
    """Return the part of a candidate after the last "=", then the last " or ", before the first "("."""
    after_equals = candidate.rpartition("=")[2]
    last_alternative = after_equals.rpartition(" or ")[2]
    return last_alternative.partition("(")[0]


def read(text: str) -> tuple[timedelta, timedelta] | None:
    """Return the sums of the shortest and longest times in a text; ``None`` for invalid units.

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
    for start, tail in _spans(text):
        if not tail[1]:  # "30min"
            return None
        try:
            digits = text[start : tail.start(1)].replace(",", "")
            number = float(digits)
            unit, smallest, largest = _TIMES[tail[2]]
            low += timedelta(**{unit: number * smallest})
            high += timedelta(**{unit: number * largest})
        except (KeyError, OverflowError, ValueError):  # unknown unit; too many days
            return None
    return low, high


def holds_time(text: str) -> bool:
    """Return whether a text contains a number with a unit, readable or not.

    >>> holds_time("0 min"), holds_time("thirty minutes")
    (True, False)
    """
    return next(_spans(text), None) is not None


def _spans(text: str) -> Iterator[tuple[int, re.Match[str]]]:
    """Yield the start of every number with a unit, and the match of the text from its decimals on."""
    end = 0
    for chunk in _DIGITS.finditer(text):
        if chunk.start() < end:
            continue
        tail = _TAIL.match(text, chunk.end())
        start = None if tail is None else _start(text, chunk)
        if tail is not None and start is not None:
            end = tail.end()
            yield start, tail


def _start(text: str, chunk: re.Match[str]) -> int | None:
    """Return the start of the number at the end of digits and commas, in groups of three digits."""
    start = chunk.end() + 1
    best = None
    for group in reversed(chunk[0].split(",")):
        start -= len(group) + 1
        if _BOUNDARY.match(text, start):
            best = start
        if len(group) != 3:
            break
    return best
