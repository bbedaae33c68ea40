"""Text from files and submissions, safe to show: nothing in it steers a terminal, hides letters or turns them round."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable
from difflib import SequenceMatcher, get_close_matches
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from planoracle.instances.errors import InputWarning

_JOINERS = "\u200c\u200d"


def visible(text: str, keep: str = "") -> str:
    r"""Return a text in which every character that cannot be seen is written as an escape.

    That goes for control characters (and with them the sequences that steer terminals), marks of direction and other
    format characters, separators of lines, lone surrogates, private and unassigned characters, and all spaces but the
    plain one. What people write stays as it is: letters of every script, also of those written from right to left,
    and emoji. The two invisible characters that spelling needs, the zero-width joiner and non-joiner, stay between
    characters beyond ASCII, as in Persian words and emoji of families; between others they are escaped too.

    Parameters
    ----------
    keep
        Characters to be left alone all the same, such as the line breaks of a report.

    Examples
    --------
    >>> print(visible("\x1b[31mred\x07 \u202eevil\ud800"))
    \x1b[31mred\x07 \u202eevil\ud800
    >>> print(visible("naïve שלום 日本語"))
    naïve שלום 日本語
    """
    if text.isprintable():
        return text
    return "".join(
        letter
        if letter.isprintable() or letter in keep or (letter in _JOINERS and _joins(text, place))
        else letter.encode("unicode_escape").decode()
        for place, letter in enumerate(text)
    )


def _joins(text: str, place: int) -> bool:
    """Whether the characters on both sides of a place can be seen and are beyond ASCII."""
    sides = text[place - 1 : place], text[place + 1 : place + 2]
    return all(side > "\x7f" and side.isprintable() for side in sides)


def to_json(value: Any, indent: int | None = None) -> str:
    r"""Write JSON of which every character can be seen; what is read back is the same.

    >>> print(to_json(["\x1b\u202e\x7f", "ä"]))
    ["\u001b\u202e\u007f", "\u00e4"]
    """
    # The one character of ASCII that cannot be seen and that the standard leaves as it is; it occurs in texts only.
    return json.dumps(value, indent=indent).replace("\x7f", "\\u007f")


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


# Comparing is quadratic in the length of names, and there may be many: longer ones are left alone, and where there are
# more than so many, all but those that begin or end as the value does.
_LONGEST, _MOST, _FILES = 120, 5_000, 2_000
_SAME = 3
# So much of a name must be the same (`difflib`), and those that are less like it than the best by more
# than this are not meant.
_LIKE, _WORSE = 0.7, 0.1
# So many names are listed in a message.
_LISTED = 60


def similar(value: object, known: Iterable[str], most: int = 3) -> list[str]:
    """Return the names most like a value, the closest first; letters may be large or small.

    Examples
    --------
    >>> similar("Pancake", ["cobbler", "pancakes", "pan"])
    ['pancakes']
    >>> similar("kitchn/coffe", ["kitchen/coffee", "kitchen/cake"]), similar("coffe", ["kitchen/coffee"])
    (['kitchen/coffee'], ['kitchen/coffee'])
    """
    if not isinstance(value, str) or not 0 < len(value) <= _LONGEST:
        return []
    wanted = value.casefold()
    whole: dict[str, list[str]] = {}
    ends: dict[str, list[str]] = {}
    names = list(known)
    if len(names) > _MOST:
        first, last = value[:_SAME], value[-_SAME:]
        names = list(islice((name for name in names if name.startswith(first) or name.endswith(last)), _MOST // 4))
    for name in names:
        folded = name[: _LONGEST + 1].casefold()
        if len(folded) <= _LONGEST:
            whole.setdefault(folded, []).append(name)
            ends.setdefault(_end(folded), []).append(name)
    end = _end(wanted)
    for one, there in ((wanted, whole), (end, ends)):
        close = get_close_matches(one, there, most, _LIKE)
        # The end of a path is what is meant, however much of the rest is the same.
        close = [name for name in close if _alike(_end(name), end) >= _LIKE]
        close = [name for name in close if _alike(name, one) >= _alike(close[0], one) - _WORSE]
        if close:
            return [name for folded in close for name in there[folded]][:most]
    return [name for folded, names in whole.items() if len(end) > 2 and end in folded for name in names][:most]


def _end(name: str) -> str:
    return name.rpartition("/")[2]


def _alike(name: str, other: str) -> float:
    return SequenceMatcher(a=name, b=other).ratio()


def did_you_mean(value: object, known: Iterable[str]) -> str:
    """Return the end of a complaint about a name.

    Examples
    --------
    >>> did_you_mean("sotve", ["stove", "knife"]), did_you_mean("x", ["stove"])
    ('; did you mean stove?', '')
    """
    close = similar(value, known)
    return f"; did you mean {' or '.join(close)}?" if close else ""


def one_of(value: object, known: Iterable[str], what: str = "names") -> str:
    """Return a complaint about a name that is none of those known.

    Examples
    --------
    >>> one_of("sotve", ["stove", "knife"])
    'must be one of stove, knife; did you mean stove?'
    """
    names = list(known)
    if not names:
        return f"there are no {what}"
    said = ", ".join(names) if len(names) <= _LISTED else f"{len(names)} {what}, such as {', '.join(names[:3])}"
    return f"must be one of {said}{did_you_mean(value, names)}"


def files_like(path: str) -> list[str]:
    """Return the files beside a path that does not exist whose names are most like its own."""
    place = Path(path)
    try:
        there = [one.name for one in islice(place.parent.iterdir(), _FILES)]
    except (OSError, ValueError):
        return []
    return [str(place.with_name(name)) for name in similar(place.name, there)]
