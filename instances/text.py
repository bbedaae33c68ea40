"""Text utilities: escaping of untrusted text, JSON output, clock times, and suggestions of names."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterable
from difflib import SequenceMatcher, get_close_matches
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from typing import Any

from planoracle.instances.errors import InputWarning

_JOINERS = "\u200c\u200d"


def visible(text: str, keep: str = "") -> str:
    r"""Return a text with every invisible character replaced by an escape.

    These are control characters (and thus terminal sequences), direction marks and other format characters, line
    separators, lone surrogates, private and unassigned characters, and all spaces but the plain one. Letters of every
    script and emoji stay as they are. The zero-width joiner and non-joiner stay between characters beyond ASCII,
    where spelling needs them, as in Persian words and family emoji.

    Parameters
    ----------
    keep
        Characters that stay as they are, such as the line breaks of a report.

    Examples
    --------
    >>> print(visible("\x1b[31mred\x07 \u202eevil\ud800"))
    \x1b[31mred\x07 \u202eevil\ud800
    >>> print(visible("naïve שלום 日本語"))
    naïve שלום 日本語
    """
    if text.isprintable() or (keep and text.translate(dict.fromkeys(map(ord, keep))).isprintable()):
        return text
    letters = []
    for place, letter in enumerate(text):
        is_joiner = letter in _JOINERS and _joins(text, place)
        is_kept = is_joiner or letter.isprintable() or letter in keep
        letters.append(letter if is_kept else letter.encode("unicode_escape").decode())
    return "".join(letters)


def _joins(text: str, place: int) -> bool:
    """Return whether the characters on both sides of a place are visible and beyond ASCII."""
    before = text[place - 1 : place]
    after = text[place + 1 : place + 2]
    return all(side > "\x7f" and side.isprintable() for side in (before, after))


_SURROGATE = re.compile("[\ud800-\udfff]")


def lone_surrogate(value: Any) -> str:
    r"""Return the first half of a surrogate pair in the texts of a value, escaped; ``""`` if there is none.

    JSON can have such an escape. It is no character, so UTF-8 cannot encode it.

    >>> lone_surrogate({"plan": ["wait \U0001f600", "wait \ud83d"]}), lone_surrogate("\U0001f600")
    ('\\ud83d', '')
    """
    match = _SURROGATE.search(json.dumps(value, ensure_ascii=False, default=str))
    return visible(match[0]) if match else ""


def to_json(value: Any, indent: int | None = None) -> str:
    r"""Write JSON with visible characters only; it reads back as the same value.

    >>> print(to_json(["\x1b\u202e\x7f", "ä"]))
    ["\u001b\u202e\u007f", "\u00e4"]
    """
    # DEL is the only invisible ASCII character that `json` does not escape; it occurs in strings only.
    return json.dumps(value, indent=indent).replace("\x7f", "\\u007f")


@lru_cache(maxsize=4096)  # plans repeat the same few times
def format_clock(seconds: int) -> str:
    """Write seconds as ``HH:MM:SS`` (hours may need more digits).

    >>> format_clock(4380), format_clock(360000)
    ('01:13:00', '100:00:00')
    """
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    return f"{hour:02d}:{minute:02d}:{second:02d}"


#: Seconds of units of time, by name.
SECONDS = {
    **dict.fromkeys(("s", "sec", "second"), 1),
    **dict.fromkeys(("min", "minute"), 60),
    **dict.fromkeys(("h", "hr", "hour"), 3_600),
    **dict.fromkeys(("d", "day"), 86_400),
    **dict.fromkeys(("wk", "week"), 604_800),
}


def seconds_of_unit(unit: str) -> int | None:
    """Return the seconds of a unit of time in the singular or plural, ``None`` for other words.

    >>> seconds_of_unit("Minutes"), seconds_of_unit("turn")
    (60, None)
    """
    word = unit.strip().lower()
    return SECONDS.get(word, SECONDS.get(word.removesuffix("s")))


def warn_of_unit(unit: str, seconds_per_tick: int | None, source: str) -> None:
    """Warn of a unit whose name contradicts ``seconds_per_tick``."""
    seconds = seconds_of_unit(unit)
    if seconds is not None and seconds_per_tick not in (None, seconds):
        means = f"unit {unit!r} means {seconds} seconds per tick"
        message = f"{source}: {means}, but seconds_per_tick is {seconds_per_tick}"
        warnings.warn(message, InputWarning, stacklevel=2)


# Comparison is quadratic in the length of names: longer names are not compared, and of more names than `_MAX_NAMES`
# only those that share `_SAME` characters with the value at the beginning or the end.
_LONGEST, _MAX_NAMES = 120, 5_000
_SAME = 3
# Most files of a folder that are compared.
_MAX_FILES = 2_000
# Least similarity (`difflib`) of a suggestion, and largest difference to the best suggestion.
_LIKE, _WORSE = 0.7, 0.1
# Most names in a message.
_LISTED = 60


def similar(value: object, names: Iterable[str], max_count: int = 3) -> list[str]:
    """Return the names most similar to a value, the closest first, ignoring case.

    Examples
    --------
    >>> similar("Pancake", ["cobbler", "pancakes", "pan"])
    ['pancakes']
    >>> similar("kitchn/coffe", ["kitchen/coffee", "kitchen/cake"]), similar("coffe", ["kitchen/coffee"])
    (['kitchen/coffee'], ['kitchen/coffee'])
    """
    if not isinstance(value, str) or not 0 < len(value) <= _LONGEST:
        return []
    target = value.casefold()
    by_name: dict[str, list[str]] = {}
    by_end: dict[str, list[str]] = {}
    for name in _comparable_names(value, list(names)):
        folded = name[: _LONGEST + 1].casefold()
        if len(folded) <= _LONGEST:
            by_name.setdefault(folded, []).append(name)
            by_end.setdefault(_end(folded), []).append(name)
    end = _end(target)
    for text, candidates in ((target, by_name), (end, by_end)):
        # The last component of a path must be similar, however much of the path before it is the same.
        close = get_close_matches(text, candidates, max_count, _LIKE)
        close = [name for name in close if _ratio(_end(name), end) >= _LIKE]
        if close:
            bound = _ratio(close[0], text) - _WORSE
            matches = (candidates[name] for name in close if _ratio(name, text) >= bound)
            return list(chain.from_iterable(matches))[:max_count]
    if len(end) <= 2:
        return []
    parts = (same for folded, same in by_name.items() if end in folded)
    return list(chain.from_iterable(parts))[:max_count]


def _comparable_names(value: str, names: list[str]) -> list[str]:
    """Return the names to compare: all, or of too many those with the beginning or end of the value."""
    if len(names) <= _MAX_NAMES:
        return names
    first = value[:_SAME]
    last = value[-_SAME:]
    same = (name for name in names if name.startswith(first) or name.endswith(last))
    return list(islice(same, _MAX_NAMES // 4))


def _end(name: str) -> str:
    return name.rpartition("/")[2]


def _ratio(name: str, text: str) -> float:
    """Return the similarity of two texts, from 0 to 1."""
    return SequenceMatcher(a=name, b=text).ratio()


def did_you_mean(value: object, names: Iterable[str]) -> str:
    """Return the end of a message about an unknown name, empty if no name is similar.

    Examples
    --------
    >>> did_you_mean("sotve", ["stove", "knife"]), did_you_mean("x", ["stove"])
    ('; did you mean stove?', '')
    """
    return _suggestion(similar(value, names))


def did_you_mean_file(path: str) -> str:
    """Return the end of a message about a missing file: the files beside it with the most similar names."""
    parent = Path(path).parent
    try:
        names = [file.name for file in islice(parent.iterdir(), _MAX_FILES)]
    except (OSError, ValueError):
        return ""
    close = similar(Path(path).name, names)
    return _suggestion([str(parent / name) for name in close])


def _suggestion(close: list[str]) -> str:
    return f"; did you mean {' or '.join(close)}?" if close else ""


def one_of(value: object, names: Iterable[str], plural: str = "names") -> str:
    """Return a message about a value that is none of some names.

    Examples
    --------
    >>> one_of("sotve", ["stove", "knife"])
    'must be one of stove, knife; did you mean stove?'
    """
    names = list(names)
    if not names:
        return f"there are no {plural}"
    if len(names) <= _LISTED:
        listed = ", ".join(names)
    else:
        examples = ", ".join(names[:3])
        listed = f"{len(names)} {plural}, such as {examples}"
    return f"must be one of {listed}{did_you_mean(value, names)}"
