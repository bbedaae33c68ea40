"""Words in keys of JSON objects: units of time, and words that tell a total time from a part."""

from __future__ import annotations

import re
from collections.abc import Set
from enum import IntEnum
from typing import NamedTuple

from planoracle.instances.benchmarks.asynchow.time_text import UNITS
from planoracle.instances.model_output.characters import plain


class Rank(IntEnum):
    """Likelihood that a field contains the answer."""

    PART = 0
    UNKNOWN = 1
    TIME = 2
    TOTAL = 3
    ANSWER = 4


_WORDS = {
    Rank.PART: (
        "step steps action actions tasks activity activities sequential sequentially serial naive sum worst saved"
        " saving savings slack wait waiting idle buffer work effort start starts begin dependencies edges each"
        " individual individually per breakdown durations times schedule intermediate stage stages phase phases"
        " timeline nodes before offset reasoning reason explanation thought thoughts thinking rationale analysis note"
        " notes comment comments why justification question description"
    ),
    Rank.ANSWER: "final answer",
    Rank.TOTAL: (
        "total overall shortest minimum minimal fastest quickest least makespan optimal optimum best earliest"
        " completion complete completed finish altogether result solution everything all"
    ),
    Rank.TIME: (
        "time duration value amount length number quantity magnitude elapsed estimate estimated end min max low high"
        " lower upper from to required needed takes critical"
    ),
}
_RANKS: dict[str, Rank] = {}
for _rank_of_words, _words in _WORDS.items():
    _RANKS |= dict.fromkeys(_words.split(), _rank_of_words)
_TOKEN = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
# Words that are written together, such as "totalseconds".
_PREFIXES = "total|time|duration|makespan|answer|final|shortest|minimum|overall|completion|finish|length|result|in"
_LONG_UNITS = "seconds|minutes|hours|days|weeks|months|years|secs|mins|hrs"
_COMPOUND = re.compile(rf"(?:{_PREFIXES})+(?:{_LONG_UNITS})?")
_COMPOUND_PART = re.compile(f"{_PREFIXES}|{_LONG_UNITS}")
_PLURAL = re.compile(r"(?<=[a-z])\(s\)")

_UNIT_BY_WORD: dict[str, str] = {}
for _unit, _spellings in UNITS.items():
    _UNIT_BY_WORD |= dict.fromkeys(_spellings, _unit)
#: Spellings that mean a unit only as the last word of a key: "time_min" is in minutes, "min_time" is a minimum.
_LAST_ONLY = {"second", "min", "mo", "mos"} | {spelling for spelling in _UNIT_BY_WORD if len(spelling) == 1}
_FILLERS = {"in", "of", "and"}


class Key(NamedTuple):
    """Key of a JSON object.

    Attributes
    ----------
    unit
        Unit in the key, a key of `UNITS`; empty without one.
    stem
        Other words, without fillers.
    rank
        Likelihood that its value contains the answer.
    """

    unit: str
    stem: tuple[str, ...]
    rank: Rank


def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a key in lower case.

    >>> words_of("totalTimeSeconds"), words_of("total-time (s)"), words_of("totalseconds")
    (('total', 'time', 'seconds'), ('total', 'time', 's'), ('total', 'seconds'))
    """
    words: list[str] = []
    for token in _TOKEN.findall(_PLURAL.sub("", plain(name[:200]))):
        word = token.lower()
        if word not in _RANKS and word not in _UNIT_BY_WORD and _COMPOUND.fullmatch(word):
            words += _COMPOUND_PART.findall(word)
        else:
            words.append(word)
    return tuple(words)


def key_of(name: str, last_words: Set[str] = frozenset()) -> Key:
    """Return the unit and the rank of a key.

    Parameters
    ----------
    name
        Key of a JSON object, or the words before a number.
    last_words
        Last words of all keys of the object.

    Examples
    --------
    >>> key_of("total_time_min").unit, key_of("min_time").unit, key_of("stepMinutes").rank.name
    ('min', '', 'PART')
    """
    words = words_of(name)
    unit_words = [word for place, word in enumerate(words) if _is_unit(words, place, last_words)]
    units = {_UNIT_BY_WORD[word]: word for word in unit_words}
    unit = next(iter(units)) if len(units) == 1 else ""
    ignored = _FILLERS.union(units.values())
    stem = tuple(word for word in words if word not in ignored)
    return Key(unit, stem, _rank(stem, unit))


def _is_unit(words: tuple[str, ...], place: int, last_words: Set[str]) -> bool:
    """Return whether a word of a key is a unit; short words only at its end, unless keys contradict."""
    word = words[place]
    if word not in _LAST_ONLY:
        return word in _UNIT_BY_WORD
    if place < len(words) - 1:
        return False
    if word == "min":
        return "max" not in last_words
    if word == "second":
        return "first" not in last_words
    return len(words) > 1 or last_words <= _UNIT_BY_WORD.keys()


def _rank(stem: tuple[str, ...], unit: str) -> Rank:
    """Return the highest rank of the words of a key; words of parts come first, except in "all steps"."""
    ranks = {_RANKS[word] for word in stem if word in _RANKS}
    if "all" in stem and unit:
        ranks.discard(Rank.PART)
    if Rank.PART in ranks:
        return Rank.PART
    return max(ranks, default=Rank.TIME if unit and not stem else Rank.UNKNOWN)


def unit_named(text: str) -> str:
    """Return the unit that a text names, empty without one.

    >>> unit_named("Minutes"), unit_named("minute(s)"), unit_named("s"), unit_named("ticks")
    ('min', 'min', 'sec', '')
    """
    words = words_of(text)
    if len(words) != 1:
        return ""
    return _UNIT_BY_WORD.get(words[0], "")
