"""Dates and clock times in cells of tables: moments, and spans between two of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time, timedelta
from typing import Any, Final

from planoracle.instances.errors import InputError
from planoracle.instances.model.clock_times import LocalClock, parse_moment
from planoracle.instances.model.task_cells import CellFormatError, cell_text

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = rf"(?P<month>{'|'.join(_MONTHS)})[a-z]*"
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_WEEKDAY = re.compile(rf"(?P<name>{'|'.join(_WEEKDAYS)})[a-z]*\.?,?\s+", re.IGNORECASE)
_CLOCK = r"(?P<clock>[0-9]{1,2}(?::[0-9]{2}){1,2})(?:\.0+)?(?P<half>\s*[ap]\.?m\.?)?"
_TIME_OF_DAY = re.compile(_CLOCK, re.IGNORECASE)
_HOUR = re.compile(r"(?P<clock>[0-9]{1,2})(?P<half>\s*[ap]\.?m\.?)", re.IGNORECASE)
_DAYS = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?P<year>[0-9]{4})[-/.](?P<number>[0-9]{1,2})[-/.](?P<day>[0-9]{1,2})",
        r"(?P<day>[0-9]{1,2})\.\s?(?P<number>[0-9]{1,2})\.\s?(?P<year>[0-9]{4})",
        rf"(?P<day>[0-9]{{1,2}})(?:st|nd|rd|th|\.)?[ -]{_MONTH}[ ,.-]+(?P<year>[0-9]{{4}})",
        rf"{_MONTH}[ .-]+(?P<day>[0-9]{{1,2}})(?:st|nd|rd|th)?,?[ -]+(?P<year>[0-9]{{4}})",
    )
]
# Dates whose parts can be in two orders, or that have no year.
_UNCLEAR = re.compile(
    r"[0-9]{1,2}[-/][0-9]{1,2}[-/][0-9]{2,4}.*|[0-9]{1,2}\.[0-9]{1,2}\.(?:[0-9]{2})?(?:\s.*)?|"
    rf"[0-9]{{1,2}}\.?[ -](?:{'|'.join(_MONTHS)})[a-z]*(?:[ -][0-9]{{2}})?(?:\s.*)?|"
    rf"(?:{'|'.join(_MONTHS)})[a-z]*[ -][0-9]{{1,2}}(?:\s.*)?",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"[0-9]{1,18}(?:\.0*)?")
_SEPARATOR = re.compile(r"\s*(?:–|—|\.\.|-|\bto\b|\buntil\b)\s*", re.IGNORECASE)
_LIST = re.compile(r"[;,|\n]")
_LONGEST = 100
_HOURS = 24
# Date without a time as Parquet files store it.
_STORED_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2} 00:00:00(?:\.0+)?")
_MIDNIGHT: Final = time()
_SPANS = "must be spans such as 8:00-12:00 or 2026-03-02 08:00 - 2026-03-02 12:00, separated by ';'"


def is_date(value: Any) -> bool:
    """Return whether a cell has a date, which may be unclear.

    >>> [is_date(text) for text in ("2026-03-02 8:00", "Mon 02/03/26", "8:00", "17")]
    [True, True, False, False]
    """
    if isinstance(value, date):
        return True
    text = _plain(value)
    if not text or len(text) > _LONGEST:
        return False
    try:
        has_day = _split_day(text) is not None
    except InputError:  # a date that does not exist
        return True
    return has_day or _UNCLEAR.fullmatch(text) is not None


def is_clock_time(value: Any) -> bool:
    """Return whether a cell has a time of day such as ``8:30`` or ``8 am``."""
    if isinstance(value, time):
        return True
    text = _plain(value)
    return _TIME_OF_DAY.fullmatch(text) is not None or _HOUR.fullmatch(text) is not None


def read_moment(value: Any) -> date | timedelta:
    """Return a date, a date with a time (``datetime``), or the time since midnight of a cell.

    Raises
    ------
    InputError
        For dates whose day and month could be exchanged, and for dates and times that do not exist.

    Examples
    --------
    >>> read_moment("30.11.2026 8:00"), read_moment("2 March 2026"), read_moment("1:30 pm")
    (datetime.datetime(2026, 11, 30, 8, 0), datetime.date(2026, 3, 2), datetime.timedelta(seconds=48600))
    """
    if not isinstance(value, str):
        return parse_moment(value)
    text = _plain(value)
    if is_clock_time(text):
        return _time_of_day(text)
    parts = _split_day(text)
    if parts is None and _UNCLEAR.fullmatch(text):
        message = "a date must begin with the year, as in 2026-03-02 or 2026-03-02 08:30: day and month are unclear"
        raise CellFormatError(message)
    if parts is None:
        raise CellFormatError("must be a date such as 2026-03-02 or 2026-03-02 08:30, or a time of day such as 8:30")
    day, time_text = parts
    _check_weekday(value, day)
    if not time_text:
        return day
    if not is_clock_time(time_text):
        raise CellFormatError("must be a date such as 2026-03-02 or 2026-03-02 08:30, in local time without a zone")
    return datetime.combine(day, _MIDNIGHT) + _time_of_day(time_text)


def _plain(value: Any) -> str:
    """Return the text of a cell without a day of the week before a date."""
    text = " ".join(cell_text(value).split()) if not isinstance(value, date | time) else ""
    if len(text) > _LONGEST:
        return text
    without_weekday = _WEEKDAY.sub("", text, count=1)
    is_before_time = _TIME_OF_DAY.match(without_weekday) or _HOUR.match(without_weekday)
    return text if is_before_time else without_weekday


def _check_weekday(text: str, day: date) -> None:
    """Raise an error for a day of the week that is not that of the date behind it."""
    match = _WEEKDAY.match(text.strip())
    if match and _WEEKDAYS.index(match["name"].casefold()) != day.weekday():
        raise InputError(f"the day of the week contradicts the date, which is a {day:%A}")


def _split_day(text: str) -> tuple[date, str] | None:
    """Return the date at the beginning of a text and what follows it; ``None`` without a clear date."""
    for pattern in _DAYS:
        match = pattern.match(text)
        if match is None:
            continue
        following = text[match.end() :]
        if following and following[0] not in " T,":
            continue
        parts = match.groupdict()
        month = parts.get("number") or 1 + _MONTHS.index(parts["month"].casefold())
        try:
            day = date(int(parts["year"]), int(month), int(parts["day"]))
        except ValueError:
            raise InputError("is a date that does not exist") from None
        return day, following[1:].strip()
    return None


def _time_of_day(text: str) -> timedelta:
    """Return the time since midnight of a time of day."""
    match = _TIME_OF_DAY.fullmatch(text) or _HOUR.fullmatch(text)
    if match is None:
        raise InputError("must be a time of day such as 8:30")
    hours, *smaller = map(int, match["clock"].split(":"))
    half = (match["half"] or "").strip().casefold()
    if half and not 1 <= hours <= 12:
        raise InputError("hours before am or pm must lie between 1 and 12")
    if half:
        hours = hours % 12 + (12 if half.startswith("p") else 0)
    minutes, seconds = [*smaller, 0, 0][:2]
    moment = timedelta(hours=hours, minutes=minutes, seconds=seconds)
    if minutes > 59 or seconds > 59 or moment > timedelta(days=1):
        raise InputError("a clock time must lie between 0:00 and 24:00")
    return moment


def is_day(moment: date | timedelta) -> bool:
    """Return whether a moment is a date without a time."""
    return isinstance(moment, date) and not isinstance(moment, datetime)


def clock_value(moment: date | timedelta) -> Any:
    """Return a moment as `LocalClock` takes it."""
    if isinstance(moment, timedelta):
        minutes, seconds = divmod(int(moment.total_seconds()), 60)
        hours, minutes = divmod(minutes, 60)
        return f"{hours}:{minutes:02}:{seconds:02}"
    return moment


def spans_of(value: Any) -> Iterator[tuple[str, str]]:
    """Yield begin and end of the spans in a cell, as texts; a single date is its own begin and end.

    Raises
    ------
    InputError
        For a text that is no span of two numbers, dates or clock times.

    Examples
    --------
    >>> list(spans_of("8:00-12:00; 13:00 - 17:00")), list(spans_of("2026-03-02 8:00 - 12:00"))
    ([('8:00', '12:00'), ('13:00', '17:00')], [('2026-03-02 8:00', '2026-03-02 12:00')])
    """
    texts = [value] if not isinstance(value, list | tuple) else value
    for text in texts:
        for part in _LIST.split(cell_text(text)):
            if part.strip():
                yield _span(part.strip())


def _span(text: str) -> tuple[str, str]:
    """Return begin and end of a span; an end without a date is on the day of the begin."""
    if len(text) > _LONGEST:
        raise InputError(_SPANS)
    if _is_whole_date(text):
        return text, text
    for separator in _SEPARATOR.finditer(text):
        begin, end = text[: separator.start()], text[separator.end() :]
        if not _is_moment(begin) or not _is_moment(end):
            continue
        if is_date(begin) and is_clock_time(end):
            day, _ = _split_day(_plain(begin)) or (None, "")
            end = f"{day} {end}"
        return begin, end
    if _WEEKDAY.match(f"{text} "):
        raise InputError("must be a date and no day of the week; a table of off-times has them in a column days")
    raise InputError(_SPANS)


def _is_moment(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None or is_clock_time(text) or _is_whole_date(text)


def _is_whole_date(text: str) -> bool:
    """Return whether a text is a date, perhaps with a time of day, and nothing else."""
    plain = _plain(text)
    parts = _split_day(plain)
    if parts is None:
        return _UNCLEAR.fullmatch(plain) is not None and _SEPARATOR.search(plain.replace("-", "")) is None
    return not parts[1] or is_clock_time(parts[1])


def first_day(moments: Iterable[Any]) -> date | None:
    """Return the earliest date among the cells of a table, ``None`` without a clear one."""
    days = []
    for value in moments:
        if not is_date(value):
            continue
        try:
            moment = read_moment(value)
        except InputError:  # reported when the cell is read
            continue
        if isinstance(moment, datetime):
            days.append(moment.date())
        elif isinstance(moment, date):
            days.append(moment)
    return min(days, default=None)


def moment_ticks(value: Any, field: str, clock: LocalClock, *, is_day_column: bool = False) -> int:
    """Return the ticks of a date or clock time in a cell.

    Parameters
    ----------
    value
        Cell.
    field
        Field of the column: a date without a time is the begin of the day for a release and a fixed start, and the end
        of the day for other fields.
    is_day_column
        True if all dates of the column are at midnight, so that they have no time.
    """
    moment = read_moment(value)
    if is_day_column and isinstance(moment, datetime):
        moment = moment.date()
    if field == "fixed_start" and is_day(moment):
        moment = datetime.combine(moment, _MIDNIGHT)  # type: ignore[arg-type]
    convert = clock.earliest if field == "release" else clock.latest
    ticks: int = convert(clock_value(moment))
    return ticks


def are_days(values: Iterable[Any]) -> bool:
    """Return whether all dates of a column are at midnight, as dates without a time are stored."""
    has_dates = False
    for value in values:
        if isinstance(value, str) and _STORED_DAY.fullmatch(value):
            has_dates = True
        elif isinstance(value, str) and is_date(value):
            return False
        elif isinstance(value, datetime) and cell_text(value):
            has_dates = True
            if value.time() != _MIDNIGHT:
                return False
    return has_dates


def off_span(begin: str, end: str, clock: LocalClock) -> tuple[Any, Any]:
    """Return an off-time in values of `LocalClock`; a single date is off for the whole day."""
    first, last = _span_values(begin, end, clock)
    if begin == end and isinstance(first, date) and not isinstance(first, datetime):
        last = first + timedelta(days=1)
    return first, last


def window_span(begin: str, end: str, clock: LocalClock) -> tuple[Any, Any]:
    """Return a window in values of `LocalClock`."""
    first, last = _span_values(begin, end, clock)
    are_clock_times = isinstance(first, str) and isinstance(last, str)
    if are_clock_times and read_moment(last) <= read_moment(first):  # type: ignore[operator]
        raise InputError("a window over midnight needs dates, as in 2026-03-02 22:00 - 2026-03-03 6:00")
    return first, last


def _span_values(begin: str, end: str, clock: LocalClock) -> tuple[Any, Any]:
    """Return the ends of a span; with a start, small numbers may be hours or ticks and are refused."""
    first, last = _clock_values(begin), _clock_values(end)
    for value in (first, last):
        if not isinstance(value, int) and clock.start is None:
            raise InputError("a clock time needs the time of tick 0; --start DATE sets it")
    has_numbers = isinstance(first, int) and isinstance(last, int)
    if has_numbers and clock.start is not None and last <= _HOURS:
        raise InputError(f"is ambiguous; write {first}:00-{last}:00 for times of day, or dates")
    return first, last


def _clock_values(text: str) -> Any:
    """Return ticks, or a date or clock time."""
    if _NUMBER.fullmatch(text):
        return int(float(text)) if "." in text else int(text)
    return clock_value(read_moment(text))
