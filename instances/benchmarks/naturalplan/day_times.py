"""Times of day in problems and answers, as minutes since midnight."""

from __future__ import annotations

import re

_NOON = 12 * 60
#: Time of day in text: ``9:00AM``, ``9:00 a.m.``, ``14:15``, ``14:15:00``.
TIME = r"\d{1,2}:\d{2}(?::00)?(?:\s?(?i:[ap]\.?m\b\.?))?"
_TIME = re.compile(r"(\d{1,2}):(\d{2})(?::00)?\s?(?:([ap])\.?m\.?)?", re.IGNORECASE)
_RELEASED = re.compile(r"(1[0-2]|0[1-9]|[1-9]):([0-5]\d|\d)([ap])m", re.IGNORECASE)


def minutes_of(text: str) -> int | None:
    """Return the minutes of a time of day, with or without AM and PM; ``None`` for other texts.

    Parameters
    ----------
    text
        Time such as ``2:45PM`` or ``14:45``; 24:00 is the end of the day.

    >>> minutes_of("2:45PM"), minutes_of("14:45"), minutes_of("12:05 a.m."), minutes_of("24:00"), minutes_of("25:00")
    (885, 885, 5, 1440, None)
    """
    match = _TIME.fullmatch(text.strip())
    if match is None:
        return None
    hour, minute = int(match[1]), int(match[2])
    if minute > 59 or hour > 24:
        return None
    if match[3] is None or hour > 12:
        minutes = 60 * hour + minute
        return minutes if minutes <= 2 * _NOON else None
    return _half_day(hour, minute, match[3])


def released_minutes(text: str) -> int | None:
    """Return the minutes of a time of day in the form that the published evaluation reads.

    >>> released_minutes("2:45PM"), released_minutes("14:45"), released_minutes("2:45 PM")
    (885, None, None)
    """
    match = _RELEASED.fullmatch(text)
    return None if match is None else _half_day(int(match[1]), int(match[2]), match[3])


def _half_day(hour: int, minute: int, half: str) -> int:
    """Return the minutes of a time with AM or PM."""
    afternoon = _NOON if half.lower() == "p" else 0
    return 60 * (hour % 12) + minute + afternoon


def clock_text(minutes: int) -> str:
    """Write a time of day as in the published plans.

    >>> clock_text(885), clock_text(0), clock_text(720)
    ('2:45PM', '12:00AM', '12:00PM')
    """
    hour, minute = divmod(minutes % (2 * _NOON), 60)
    half = "PM" if hour >= 12 else "AM"
    return f"{(hour - 1) % 12 + 1}:{minute:02}{half}"
