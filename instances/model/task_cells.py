"""Cells of tables of tasks: texts, names, flags and times."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import date, timedelta
from fractions import Fraction
from typing import Any, Final, NamedTuple

from planoracle.instances.errors import InputError
from planoracle.instances.model.validation import MAX_TICKS
from planoracle.instances.text import one_of, seconds_of_unit

_EMPTY = frozenset(("", "-", "–", "—", "none", "nan", "nat", "null", "n/a", "na", "<na>"))
_FLAGS = {**dict.fromkeys(("yes", "y", "true", "x", "1"), True), **dict.fromkeys(("no", "n", "false", "0"), False)}
_SEPARATORS = re.compile(r"[;,|\n]")
_WHOLE = re.compile(r"([0-9]{1,18})(?:\.0*)?")

_NUMBER = r"[0-9]{1,18}(?:[.,][0-9]{1,9})?"
_PART = re.compile(rf"({_NUMBER})\s*([a-zA-Z]+)")
# A span is a list of numbers with units; project tools mark an estimated one with "?".
_SPAN = re.compile(rf"{_NUMBER}\s*[a-zA-Z]+\.?(?:(?:\s|,|and)*+{_NUMBER}\s*[a-zA-Z]+\.?)*\s*\??")
_DECIMAL = re.compile(r"[0-9]{0,18}[.,][0-9]{1,18}")
_CLOCK = re.compile(r"([0-9]{1,2})(?::([0-9]{2})(?::[0-9]{2})?)?\s*([ap]\.?m\.?)?", re.IGNORECASE)
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
# Date without separators, which could be a number of ticks.
_COMPACT_DATE = re.compile(r"20[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])")
_DATE = re.compile(
    r"[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}|[0-9]{1,2}[-/.][0-9]{1,2}[-/.][0-9]{2,4}|"
    rf"\b[0-9]{{1,2}}\.?[ -]{_MONTH}|\b{_MONTH}[ -][0-9]{{1,2}}|\b(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\b",
    re.IGNORECASE,
)
# Units of project tools without a fixed length in elapsed time.
_LOOSE_UNITS = {
    **dict.fromkeys(("mo", "mon", "month", "y", "yr", "year"), "a month or a year has no fixed length; write days"),
    **dict.fromkeys(("e", "em", "emin", "eh", "ehr", "ed", "eday", "ew"), "elapsed time is not supported"),
}
_LONGEST_TIME, _MAX_DIGITS = 100, 18
#: Seconds of a minute, a day and a week.
MINUTE = 60
DAY = 24 * 60 * MINUTE
WEEK = 7 * DAY
# Units of one letter that mean something else in a heading.
_SHORT_UNITS = {"m": MINUTE, "w": WEEK}


class CellFormatError(InputError):
    """Text in a format that all cells of its column probably have, such as a date."""


class TimeSpan(NamedTuple):
    """Span of time in a cell.

    Attributes
    ----------
    length
        Length in seconds; a day has 24 hours.
    units
        Seconds of the units in the text.
    """

    length: Fraction
    units: frozenset[int]


def cell_text(value: Any) -> str:
    """Return the text of a cell, empty for marks of empty cells; numbers that a table has as 3.0 are 3."""
    text = str(value).strip()
    if match := _WHOLE.fullmatch(text):
        return match[1]
    return "" if text.casefold() in _EMPTY else text


def cell_names(value: Any) -> list[str]:
    """Return the different names in a cell."""
    names: list[str] = []
    for entry in _entries(value):
        names += [part.strip() for part in _SEPARATORS.split(cell_text(entry))]
    return [name for name in dict.fromkeys(names) if name]


def literal_names(value: Any) -> list[str]:
    """Return the names in a cell, whose text is one name."""
    names = map(cell_text, _entries(value))
    return [name for name in dict.fromkeys(names) if name]


def _entries(value: Any) -> Iterable[Any]:
    """Return the entries of a cell that holds a list, or the only value of another cell."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        return [value]
    return value


def is_flag(value: Any) -> bool:
    """Return whether a cell is empty or says yes or no."""
    text = cell_text(value).casefold()
    return not text or text in _FLAGS


def _flag(value: Any) -> bool:
    if (flag := _FLAGS.get(cell_text(value).casefold())) is None:
        raise InputError("must be yes or no")
    return flag


def _count(value: Any) -> int:
    text = cell_text(value)
    if not re.fullmatch("[0-9]{1,18}", text) or int(text) > MAX_TICKS:
        raise InputError(f"must be a whole number from 0 to {MAX_TICKS}")
    return int(text)


def _weight(value: Any) -> int:
    weight = _count(value)
    if not weight:
        raise InputError("must be a whole number above 0")
    return weight


def _pauses(value: Any) -> str:
    text = cell_text(value).casefold()
    if text not in PAUSES:
        raise InputError(one_of(text, PAUSES))
    return text


#: Words for the pauses of a task.
PAUSES: Final = ("never", "breaks", "anywhere")
#: Readers of cells, by field; other cells are texts or times.
READERS: Final[Mapping[str, Callable[[Any], Any]]] = {
    **dict.fromkeys(("amount", "capacity", "outline_level"), _count),
    **dict.fromkeys(("machine", "agent", "after", "successors", "alternatives"), cell_names),
    **dict.fromkeys(("interruptible", "unattended", "summary", "optional", "mandatory"), _flag),
    "weight": _weight,
    "pauses": _pauses,
}


def attended_flag(value: Any) -> bool | None:
    """Return whether a cell says that an action is attended; ``None`` for a time."""
    text = cell_text(value).casefold()
    if text == "1":
        raise InputError("is ambiguous: yes or one tick; write yes or no")
    return _FLAGS.get(text)


def parse_span(text: str) -> TimeSpan | None:
    """Return the span of time of a text such as ``2h 30m`` or ``1:30:00``, ``None`` for other texts.

    >>> span = parse_span("2h 30m")
    >>> span.length, sorted(span.units)
    (Fraction(9000, 1), [60, 3600])
    >>> parse_span("90"), parse_span("3 days?").units
    (None, frozenset({86400}))

    Raises
    ------
    InputError
        For a unit without a fixed length.
    """
    if len(text) > _LONGEST_TIME:
        return None
    if _SPAN.fullmatch(text):
        length, units = Fraction(0), set()
        for number, word in _PART.findall(text):
            seconds = _seconds_of(word)
            if seconds is None:
                return None
            length += Fraction(number.replace(",", ".")) * seconds
            units.add(seconds)
        return TimeSpan(length, frozenset(units))
    return _other_span(text)


def _seconds_of(word: str) -> int | None:
    """Return the seconds of a unit in a cell, where ``m`` are minutes."""
    lower = word.casefold()
    loose = _LOOSE_UNITS.get(lower) or _LOOSE_UNITS.get(lower.removesuffix("s"))
    if loose:
        raise InputError(loose)
    return _SHORT_UNITS.get(lower) or seconds_of_unit(lower)


def _other_span(text: str) -> TimeSpan | None:
    """Return the span of a text with colons, or as pandas and ISO 8601 write them."""
    if not any(letter.isalpha() or letter == ":" for letter in text):  # pandas takes other texts for nanoseconds
        return None
    if _DATE.search(text) or text.startswith("-"):
        return None
    with suppress(ValueError):
        from pandas import Timedelta

        length = Timedelta(text)
        resolution = 1 if length.seconds % 60 else 60
        return TimeSpan(Fraction(length.value, 10**9), frozenset({resolution}))
    return None


def span_of(value: Any) -> TimeSpan | None:
    """Return the span of time in a cell, ``None`` if it is no span."""
    if isinstance(value, timedelta):
        microseconds = value // timedelta(microseconds=1)
        return TimeSpan(Fraction(microseconds, 10**6), frozenset())
    return parse_span(cell_text(value))


def read_time(value: Any, seconds_per_tick: int | None, unit: str, heading: str, *, is_moment: bool = False) -> int:
    """Return the ticks of a time: a whole number of ticks, or a span of time.

    Parameters
    ----------
    unit
        Name of a tick.
    heading
        Column of the cell, for advice.
    is_moment
        True for a time from the beginning, False for a length.

    Raises
    ------
    InputError
        For dates, clock times, decimal numbers and other texts; names what to write instead.
    """
    text = cell_text(value)
    if re.fullmatch("0+:00", text):  # hours and minutes, or minutes and seconds
        return 0
    if re.fullmatch("[0-9]+", text):
        if len(text) > _MAX_DIGITS or int(text) > MAX_TICKS:
            advice = f"; count {unit}s from the first day, not from 1970" if is_moment else ""
            raise CellFormatError(f"must be at most {MAX_TICKS}{advice}")
        if is_moment and _COMPACT_DATE.fullmatch(text):
            date_text = f"{text[:4]}-{text[4:6]}-{text[6:]}"
            raise CellFormatError(f"is ambiguous; write {date_text} for a date, {text} {unit}s for a number of ticks")
        return int(text)
    span = None if isinstance(value, date) else span_of(value)
    if span is not None:
        return _ticks_of(span, seconds_per_tick, heading)
    if not is_moment and (isinstance(value, date) or (len(text) <= _LONGEST_TIME and _DATE.search(text))):
        raise CellFormatError(f"must be a length of time in {unit}s, not a date")
    advice = _format_advice(text, seconds_per_tick, unit, heading)
    if advice:
        raise CellFormatError(advice)
    if is_moment:
        raise CellFormatError(
            f"must be a date such as 2026-03-02 or 2026-03-02 08:30, or a time in {unit}s from tick 0 on"
        )
    raise InputError("must be a whole number, 0 or more; times may be spans such as 90 min")


def _ticks_of(span: TimeSpan, seconds_per_tick: int | None, heading: str) -> int:
    """Return the ticks of a span of time."""
    if seconds_per_tick is None:
        raise InputError(
            "a time span requires seconds_per_tick or a unit such as minute; in a table, a column may name the unit, "
            "as in duration_min"
        )
    if WEEK in span.units and seconds_per_tick != WEEK:
        raise InputError("a week may have five or seven days; write days")
    if span.length < 0:
        raise InputError("must be 0 or more")
    ticks = span.length / seconds_per_tick
    if ticks.denominator > 1:
        message = f"must be a multiple of the tick length, {seconds_per_tick} seconds"
        raise InputError(f"{message}; {_finer(span.length, heading)}")
    if ticks > MAX_TICKS:
        raise InputError(f"must be at most {MAX_TICKS} ticks")
    return int(ticks)


def _finer(seconds: Fraction, heading: str) -> str:
    """Return the advice to name a finer unit in the heading of a column, and the number in this unit."""
    has_unit = seconds_in_heading(heading) is not None
    name = re.sub(r"[\s_]*[(\[]?[A-Za-z]+[)\]]?$", "", heading) if has_unit else heading
    name = name or "duration"
    for length, unit in ((3600, "h"), (60, "min"), (1, "s")):
        if seconds % length == 0:
            return f"head the column {name} ({unit}) and write {seconds // length}"
    return f"head the column {name} (s)"


def seconds_in_heading(heading: str) -> int | None:
    """Return the seconds of the unit at the end of a heading, if any."""
    words = re.findall("[A-Za-z]+", heading)
    return seconds_of_unit(words[-1]) if words else None


def _format_advice(text: str, seconds_per_tick: int | None, unit: str, heading: str) -> str:
    """Return the message about a clock time or a decimal number, ``""`` for other texts."""
    clock = _CLOCK.fullmatch(text)
    if clock and clock[3]:
        return f"must be a length of time in {unit}s; a clock time needs the time of tick 0, which --start DATE sets"
    if clock and clock[2]:
        first, second = clock[1], clock[2]
        with_hours = f"{first}:{second}:00"
        with_minutes = f"0:{first:0>2}:{second}"
        return f"is ambiguous; write {with_hours} for hours and minutes, {with_minutes} for minutes"
    if _DECIMAL.fullmatch(text):
        if seconds_per_tick in (None, 1):
            advice = "" if seconds_per_tick else f": head the column {heading} (min) and write minutes"
            return f"must be a whole number, if need be in a finer unit{advice}"
        number = Fraction(text.replace(",", "."))
        finer = _finer(number * (seconds_per_tick or 1), heading)
        return f"must be a whole number of {unit}s; {finer}"
    return ""
