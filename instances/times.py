"""Clock times and durations as text, and units by name."""

from __future__ import annotations

import warnings
from functools import lru_cache

from planoracle.instances.errors import InputWarning


@lru_cache(maxsize=4096)  # plans hold the same few times again and again
def format_clock(seconds: int) -> str:
    """Write seconds as ``HH:MM:SS`` (hours may need more digits).

    >>> format_clock(4380), format_clock(360000)
    ('01:13:00', '100:00:00')
    """
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    return f"{hour:02d}:{minute:02d}:{second:02d}"


_SECONDS = {
    **dict.fromkeys(("s", "sec", "second"), 1),
    **dict.fromkeys(("min", "minute"), 60),
    **dict.fromkeys(("h", "hour"), 3_600),
    "day": 86_400,
}


def warn_of_unit(unit: str, seconds_per_tick: int | None, source: str) -> None:
    """Warn of a unit whose name says another time than ``seconds_per_tick``."""
    word = unit.strip().lower()
    seconds = _SECONDS.get(word, _SECONDS.get(word.removesuffix("s")))
    if seconds is not None and seconds_per_tick not in (None, seconds):
        message = f"{source}: unit {unit!r} says {seconds} seconds a tick, seconds_per_tick says {seconds_per_tick}"
        warnings.warn(message, InputWarning, stacklevel=2)
