"""Clock times and durations as text."""

from __future__ import annotations

__all__ = ["format_clock"]


def format_clock(seconds: int) -> str:
    """Write seconds as ``HH:MM:SS`` (hours may need more digits).

    >>> format_clock(4380), format_clock(360000)
    ('01:13:00', '100:00:00')
    """
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    return f"{hour:02d}:{minute:02d}:{second:02d}"
