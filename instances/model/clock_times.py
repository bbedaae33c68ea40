"""Dates and clock times of a problem whose tick 0 has a local clock time, and their ticks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import chain
from typing import Any, TypeAlias

from planoracle.instances.errors import InputError

#: Begin and end of an off-time or window, in ticks, dates or clock times.
Span: TypeAlias = Iterable[Any]

_DAY = timedelta(days=1)
_CLOCK = re.compile(r"(\d{1,2}):([0-5]\d)(?::([0-5]\d))?")
_DATE = re.compile(r"(\d{4}-\d\d-\d\d)(?:(?:T| +)(.+))?")
_ACCEPTED = "must be ticks, a date such as 2026-03-02 or 2026-03-02 08:30, or a clock time such as 8:30"


def is_moment(value: Any) -> bool:
    """Return whether a value is a date or a clock time, or a text, which should be one of them."""
    return isinstance(value, str | date | time) or type(value).__name__ == "datetime64"


def parse_moment(value: Any) -> date | timedelta:
    """Return a date, a date with a time (``datetime``), or the time since midnight of a clock time.

    Parameters
    ----------
    value
        Text, or date or time, also of pandas and NumPy.

    Raises
    ------
    InputError
        For other texts, and for times with a zone.

    Examples
    --------
    >>> parse_moment("2026-03-02"), parse_moment("2026-03-02 8:30"), parse_moment("24:00")
    (datetime.date(2026, 3, 2), datetime.datetime(2026, 3, 2, 8, 30), datetime.timedelta(days=1))
    """
    if isinstance(value, str):
        return _parse_text(value.strip())
    if isinstance(value, time):
        _check_zone(value)
        return datetime.combine(date.min, value) - datetime.min
    if not isinstance(value, date):
        from pandas import Timestamp

        value = Timestamp(value).to_pydatetime()
    if value != value:  # the missing date of pandas
        raise InputError(_ACCEPTED, value=value)
    _check_zone(value)
    moment: date = value
    return moment


def _parse_text(text: str) -> date | timedelta:
    clock = _CLOCK.fullmatch(text)
    if clock:
        return _since_midnight(clock, text)
    match = _DATE.fullmatch(text)
    try:
        if match is None:
            raise ValueError
        day = date.fromisoformat(match[1])
        if match[2] is None:
            return day
        clock = _CLOCK.fullmatch(match[2])
        midnight = datetime.combine(day, time())
        if clock:
            return midnight + _since_midnight(clock, text)
        moment = datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        raise InputError(_ACCEPTED, value=text) from None
    _check_zone(moment)
    return moment


def _since_midnight(clock: re.Match[str], text: str) -> timedelta:
    since_midnight = timedelta(hours=int(clock[1]), minutes=int(clock[2]), seconds=int(clock[3] or 0))
    if since_midnight > _DAY:
        raise InputError("a clock time must lie between 0:00 and 24:00", value=text)
    return since_midnight


def _check_zone(value: Any) -> None:
    if getattr(value, "tzinfo", None) is not None:
        raise InputError("must be local time without a zone", value=str(value))


def parse_start_time(value: Any) -> Any:
    """Return the ``datetime`` of a date, with or without a time, or of its text; other values as they are.

    Raises
    ------
    InputError
        For a text that is not a date.

    Examples
    --------
    >>> parse_start_time("2026-03-02")
    datetime.datetime(2026, 3, 2, 0, 0)
    """
    if not is_moment(value):
        return value
    moment = parse_moment(value)
    if isinstance(moment, timedelta):
        raise InputError("must be a date such as 2026-03-02 or 2026-03-02 08:30", value=value)
    if type(moment) is datetime:
        return moment
    if isinstance(moment, datetime):  # of pandas, whose texts and digests differ
        return datetime.fromisoformat(moment.isoformat())
    return datetime.combine(moment, time())


@dataclass(frozen=True, slots=True)
class LocalClock:
    """Clock of a problem: converts dates and clock times to ticks and back; numbers stay as they are.

    Attributes
    ----------
    start
        Local time of tick 0, without a zone; ``None`` if the problem has none.
    seconds_per_tick
        Length of a tick.

    Examples
    --------
    >>> clock = LocalClock(datetime(2026, 3, 2, 8), 1800)
    >>> clock.earliest("2026-03-02 09:30"), clock.earliest("10:00"), clock.latest("2026-03-02"), clock.latest(7)
    (3, 4, 32, 7)
    >>> clock.text(32)
    '2026-03-03 00:00'
    >>> clock.off_times([("17:00", "8:00"), ("12:00", "12:30")])
    (((8, 9), (18, 48)), 48)
    """

    start: datetime | None = None
    seconds_per_tick: int | None = None

    def earliest(self, value: Any) -> Any:
        """Return the tick of a release or of the begin of a window; moments before tick 0 are tick 0.

        Parameters
        ----------
        value
            Ticks, a date (from 0:00 on) or a clock time of the first day.
        """
        if not is_moment(value):
            return value
        return max(0, self._tick(parse_moment(value), value))

    def latest(self, value: Any) -> Any:
        """Return the tick of a deadline or of the end of a window.

        Parameters
        ----------
        value
            Ticks, a date (until 24:00) or a clock time of the first day.

        Raises
        ------
        InputError
            If it is before tick 0.
        """
        if not is_moment(value):
            return value
        moment = parse_moment(value)
        is_day = isinstance(moment, date) and not isinstance(moment, datetime)
        tick = self._tick(moment + _DAY if is_day else moment, value)
        if tick < 0:
            raise InputError(f"is before the start at {self.start}", value=value)
        return tick

    def windows(self, spans: Iterable[Span]) -> tuple[tuple[Any, Any], ...]:
        """Return windows in ticks.

        Parameters
        ----------
        spans
            Pairs of begin and end.
        """
        windows = []
        for span in spans:
            begin, end = _pair(span)
            windows.append((self.earliest(begin), self.latest(end)))
        return tuple(windows)

    def off_times(self, spans: Iterable[Span], period: Any = None) -> tuple[tuple[tuple[Any, Any], ...], Any]:
        """Return off-times in ticks, and their period; clock times repeat every day.

        What lies before tick 0 is cut.

        Parameters
        ----------
        spans
            Pairs of begin and end.
        period
            Ticks after which they repeat; ``None`` if they do not.

        Raises
        ------
        InputError
            For clock times beside dates, numbers or a period.
        """
        pairs = [_pair(span) for span in spans]
        is_daily = [_is_clock_time(value) for value in chain.from_iterable(pairs)]
        if not any(is_daily):
            return tuple(self._single(pairs, period)), period
        if period is not None or not all(is_daily):
            message = "clock times repeat every day; give other off-times and other periods in a calendar of their own"
            raise InputError(message, value=pairs)
        return self._daily(pairs), self.ticks_of_day

    @property
    def ticks_of_day(self) -> int:
        """Ticks of a day; raises `InputError` if they are no whole number."""
        _, seconds = self._required(None)
        ticks, remainder = divmod(86_400, seconds)
        if remainder:
            raise InputError("must divide a day of 86400 for daily times", field="seconds_per_tick", value=seconds)
        return ticks

    def moment(self, tick: int) -> datetime | None:
        """Return the date and time of a tick; ``None`` without a start, and beyond the year 9999."""
        if self.start is None or self.seconds_per_tick is None:
            return None
        try:
            return self.start + timedelta(seconds=tick * self.seconds_per_tick)
        except OverflowError:
            return None

    def text(self, tick: int) -> str:
        """Return the date and time of a tick for readers, ``""`` where `moment` has none."""
        moment = self.moment(tick)
        if moment is None:
            return ""
        return moment.isoformat(" ", "seconds" if moment.second else "minutes")

    def _required(self, value: Any) -> tuple[datetime, int]:
        """Return start and length of a tick; raises `InputError` without them."""
        if self.start is None:
            raise InputError("dates and clock times require start_time, the clock time of tick 0", value=value)
        if type(self.seconds_per_tick) is not int or self.seconds_per_tick < 1:
            raise InputError("start_time requires the length of a tick", field="seconds_per_tick", value=None)
        return self.start, self.seconds_per_tick

    def _tick(self, moment: date | timedelta, value: Any) -> int:
        """Return the tick of a moment, which may be negative."""
        start, seconds = self._required(value)
        midnight = datetime.combine(start.date(), time())
        if isinstance(moment, timedelta):
            moment = midnight + moment
        elif not isinstance(moment, datetime):
            moment = datetime.combine(moment, time())
        tick, remainder = divmod(moment - start, timedelta(seconds=seconds))
        if remainder:
            message = f"lies between two ticks of {seconds} seconds from {start}; a shorter tick can express it"
            raise InputError(message, value=value)
        return int(tick)

    def _off_tick(self, value: Any) -> Any:
        return self._tick(parse_moment(value), value) if is_moment(value) else value

    def _single(self, pairs: Iterable[tuple[Any, Any]], period: Any) -> Iterator[tuple[Any, Any]]:
        """Yield off-times in ticks; of dates before tick 0, those with a period are moved by whole periods."""
        is_periodic = type(period) is int and period > 0
        for pair in pairs:
            begin, end = map(self._off_tick, pair)
            if not is_moment(pair[0]) or begin >= 0:
                yield begin, end
            elif is_periodic:
                yield begin % period, begin % period + (end - begin)
            elif end > 0:
                yield 0, end

    def _daily(self, pairs: Iterable[tuple[Any, Any]]) -> tuple[tuple[int, int], ...]:
        """Return daily off-times in ticks; each begins on the day after tick 0."""
        day = self.ticks_of_day
        spans = []
        for begin, end in pairs:
            first = self._off_tick(begin)
            length = (self._off_tick(end) - first) % day
            spans.append((first % day, first % day + (length or day)))
        return tuple(sorted(spans))


def _pair(span: Span) -> tuple[Any, Any]:
    entries = tuple(span) if isinstance(span, Iterable) and not isinstance(span, str) else ()
    if len(entries) != 2:
        raise InputError("must be a pair of begin and end", value=span)
    return entries[0], entries[1]


def _is_clock_time(value: Any) -> bool:
    return is_moment(value) and isinstance(parse_moment(value), timedelta)
