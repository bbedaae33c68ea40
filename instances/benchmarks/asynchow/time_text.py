"""Times in sentences, rewritten as the released grader reads them."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import NamedTuple, TypeAlias

from planoracle.instances.benchmarks.asynchow.released_grader import candidates, narrowed, read
from planoracle.instances.model_output.characters import plain

#: Shortest and longest time; ``None`` for a time that the released grader cannot read.
Seconds: TypeAlias = tuple[timedelta, timedelta] | None

#: Names of the units that the released grader reads, each with its spellings.
UNITS = {
    "year": ("years", "year", "yrs", "yr", "y"),
    "month": ("months", "month", "mos", "mo"),
    "week": ("weeks", "week", "wks", "wk", "w"),
    "day": ("days", "day", "d"),
    "hour": ("hours", "hour", "hrs", "hr", "h"),
    "min": ("minutes", "minute", "mins", "min", "m"),
    "sec": ("seconds", "second", "secs", "sec", "s"),
}
_NUMBER = r"\d[\d,]{0,20}(?:\.\d{1,9})?"
_SPELLINGS = {unit: "|".join(spellings) for unit, spellings in UNITS.items()}
_ANY_UNIT = "|".join(_SPELLINGS.values())
_NAMES = "|".join(f"(?P<{unit}>{spellings})" for unit, spellings in _SPELLINGS.items())
_NAMED = re.compile(rf"(?P<number>{_NUMBER})[\s-]{{0,3}}(?:{_NAMES})\b", re.IGNORECASE)
_SINGLE = rf"{_NUMBER}[\s-]{{0,3}}(?:{_ANY_UNIT})\b"
_TIME = re.compile(
    rf"(?<![\d.,/])(?<!\d:){_SINGLE}(?:[\s,]{{0,3}}(?:(?:and|&)\s{{1,3}})?{_SINGLE}){{0,6}}", re.IGNORECASE
)

# Durations such as "PT1H40M" (ISO 8601) and "1:40 hours".
_ISO = re.compile(r"\bP(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,9})S)?)?(?!\w|[.,]\d)")
_CLOCK = re.compile(r"(?<![\d:.,])(\d{1,4}):([0-5]\d)\s?(?:hours?|hrs?|h)\b", re.IGNORECASE)

# Marks of Markdown and LaTeX around a number or a unit, as in "**100** minutes" and "100 \\text{ minutes}".
_MARKS = re.compile(r"\*\*|`|\$|\\(?:boxed|text|textbf|mathrm|mathbf)\s?\{|\\[,;: ]|(?<=\d)\}")
# Digits or number words before a unit, in a form that is not read.
_NUMBER_WORDS = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety"
    "|hundred|half|quarter"
)
_UNREAD = re.compile(
    rf"(?:\d|\b(?:{_NUMBER_WORDS})\b)[^\w\n]{{0,6}}(?:(?:an|a|and|half|of)\s{{1,3}}){{0,3}}"
    rf"(?:{_ANY_UNIT})\b",
    re.IGNORECASE,
)

_QUOTED = re.compile(r'"[^"\n]*"')
_BETWEEN = re.compile(
    r"[\W\d]*(?:(?:or|and|to|maybe|perhaps|possibly|even|else|alternatively|either|about)[\W]*)*", re.IGNORECASE
)
_NOT = re.compile(r"[(,]?\s{0,3}\b(?:not|instead of|rather than)\s{1,3}[\"']?\d[^),;]{0,99}\)?", re.IGNORECASE)
# Two numbers with one unit: alternatives, and ranges.
_NUMBERS = re.compile(
    r"\d\s*,?\s(?:or|maybe|perhaps)\s{1,9}(?:maybe |perhaps |even )?\d"
    rf"|\d\s{{1,3}}to\s{{1,3}}{_SINGLE}|\bbetween\s{{1,3}}{_NUMBER}\s{{1,3}}and\s{{1,3}}\d"
    rf"|\d\s?[\u2013~]\s?{_SINGLE}|\d-{_SINGLE}",
    re.IGNORECASE,
)


class StatedTime(NamedTuple):
    """Time as a text states it.

    Attributes
    ----------
    text
        The time in double quotes, as the released grader reads it.
    seconds
        Its shortest and longest time.
    is_quoted
        True if the time was in double quotes.
    is_ambiguous
        True if the text has several times and does not choose one.
    """

    text: str
    seconds: Seconds
    is_quoted: bool = False
    is_ambiguous: bool = False


def time_in(sentence: str) -> StatedTime | None:
    """Return the last time in a sentence, ``None`` if there is none.

    >>> time_in("It takes **1** hr 30m.").text, time_in("soon"), time_in("It takes 20 to 30 min.").is_ambiguous
    ('"1 hour 30 min"', None, True)
    """
    unmarked_text = _MARKS.sub("", plain(sentence))
    text = _NOT.sub(" ", _spelled_out(unmarked_text))
    quotations = [quotation for quotation in _QUOTED.findall(text) if is_readable(quotation)]
    times = list(_TIME.finditer(text))
    last = quotations[-1] if quotations else ""
    if not last and times:
        last = in_quotes(times[-1][0])
    if not last and not is_readable(text):
        return None
    is_quoted = bool(quotations) or not last
    has_numbers = _NUMBERS.search(text) is not None
    is_ambiguous = has_numbers or _offers_two(text, times[-2:])
    return StatedTime(last or text, seconds_of(last), is_quoted, is_ambiguous)


def has_unread_time(text: str) -> bool:
    """Return whether a text has a number before a unit of time in a form that is not read.

    >>> has_unread_time("100 (minutes)"), has_unread_time("half an hour"), has_unread_time("some hours")
    (True, True, False)
    """
    return _UNREAD.search(plain(text)) is not None


def _spelled_out(text: str) -> str:
    """Write out durations in compact forms.

    >>> _spelled_out("PT1H40M"), _spelled_out("1:40 h")
    ('1 hour 40 min', '1 hour 40 min')
    """
    if ":" in text:
        text = _CLOCK.sub(r"\1 hour \2 min", text)
    return _ISO.sub(_iso_duration, text) if "P" in text else text


def _iso_duration(match: re.Match[str]) -> str:
    numbers = zip(match.groups(), ("day", "hour", "min", "sec"), strict=True)
    parts = [f"{number} {unit}" for number, unit in numbers if number]
    return " ".join(parts) or match[0]


def _offers_two(text: str, times: list[re.Match[str]]) -> bool:
    """Return whether two times differ, with nothing but words such as "or" between them."""
    if len(times) < 2:
        return False
    first, second = times
    if _BETWEEN.fullmatch(text[first.end() : second.start()]) is None:
        return False
    first_time, second_time = (read(in_quotes(time[0])) for time in times)
    return first_time != second_time


def seconds_of(text: str) -> Seconds:
    """Return the shortest and longest time of a candidate for the answer."""
    return read(narrowed(text.lower()))


def is_readable(text: str) -> bool:
    """Return whether the released grader reads a time in a text."""
    parts = map(narrowed, candidates(text))
    times = (read(part) for part in parts if " to " not in part)
    return any(time is not None and time[1] for time in times)


def in_quotes(time: str) -> str:
    """Write a time in double quotes, with its units written out.

    >>> in_quotes("1h 30m")
    '"1 hour 30 min"'
    """
    matches = _NAMED.finditer(time)
    parts = [f"{match['number']} {_unit_of(match)}" for match in matches]
    text = " ".join(parts)
    return f'"{text}"'


def _unit_of(match: re.Match[str]) -> str:
    return next(unit for unit in UNITS if match[unit])
