"""Names that somebody may have meant, the same way for everything that has a name."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher, get_close_matches
from itertools import islice
from pathlib import Path

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
