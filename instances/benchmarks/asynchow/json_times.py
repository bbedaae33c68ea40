"""Times in JSON values: numbers whose unit is in their key, or in a field beside or around them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal
from itertools import chain, pairwise
from typing import NamedTuple

from planoracle.instances.benchmarks.asynchow.key_words import Key, Rank, key_of, unit_named, words_of
from planoracle.instances.benchmarks.asynchow.released_grader import MAX_REWRITTEN
from planoracle.instances.benchmarks.asynchow.time_text import UNITS, Seconds, seconds_of, time_in
from planoracle.instances.model_output.characters import plain
from planoracle.instances.model_output.json_values import whole_value

_FORMS = (
    'accepted are a number with a unit, as in {"total_seconds": 6000} or {"total": 100, "unit": "min"}, and a text'
    ' such as "100 min"'
)
_NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?"
_ABOUT = r"(?:about|around|approximately|approx\.?|roughly|ca\.?|~|\u2248|=)?\s{0,3}"
_NUMERIC = re.compile(rf"{_ABOUT}(?P<number>{_NUMBER})", re.IGNORECASE)
_CLOCK = re.compile(r"(\d{1,4}):([0-5]\d):([0-5]\d)")
_RANGE = re.compile(rf"(?:between\s)?{_NUMBER}\s{{0,3}}(?:-|\u2013|~|to|or|and)\s{{0,3}}{_NUMBER}", re.IGNORECASE)
#: Largest number of digits of a number that is read.
_MAX_DIGITS = 40


class JsonTime(NamedTuple):
    """Time that a JSON value states as its answer.

    Attributes
    ----------
    text
        The time in double quotes, as the released grader reads it; empty without one, as in ``{"answer": null}``.
    seconds
        Its shortest and longest time.
    rank
        Likelihood that it is the answer.
    is_ambiguous
        True if the value has several times and does not tell which one is the total.
    problem
        Reason why a number or text in the place of the answer is unreadable; else empty.
    """

    text: str
    seconds: Seconds
    rank: Rank
    is_ambiguous: bool = False
    problem: str = ""


class _Place(NamedTuple):
    """Place of a value in a JSON value.

    Attributes
    ----------
    highest
        Highest rank of the keys around the value.
    key, name
        Key of the value, read and as written.
    unit
        Unit of a number in this place; empty without one.
    container
        Number of the object that contains the value.
    """

    highest: Rank = Rank.UNKNOWN
    key: Key = Key("", (), Rank.UNKNOWN)
    name: str = ""
    unit: str = ""
    container: int = 0

    @property
    def ranks(self) -> tuple[Rank, Rank]:
        """Highest rank of all keys, then the rank of the own key."""
        return self.highest, self.key.rank


@dataclass(frozen=True, slots=True)
class _Entry:
    """Time in a JSON value; or something unreadable, or nothing (null, a refusal), in its place."""

    place: _Place
    text: str = ""
    number: Decimal | None = None
    is_ambiguous: bool = False
    problem: str = ""

    @property
    def seconds(self) -> Seconds:
        """Shortest and longest time."""
        return seconds_of(self.text)


def time_of(value: object) -> JsonTime | None:
    """Return the time that a JSON value states as its answer, ``None`` if it is no answer.

    The rank of a field follows from its key: a final answer, a total time, a time, a part such as the duration of a
    step. Times of the highest rank must agree; hours and minutes side by side are added.

    Examples
    --------
    >>> time_of({"actions": [{"id": "step1", "duration": 1800}], "final_answer_seconds": 6000}).text
    '"6000 sec"'
    >>> time_of({"time": {"hours": 1, "minutes": 25}}).text, time_of({"answer": None}).text, time_of({"a": 1})
    ('"1 hour 25 min"', '', None)
    >>> time_of({"answer": 6000}).problem
    'the number of "answer" has no unit'
    """
    collector = _Collector()
    collector.collect(value)
    times = [entry for entry in collector.entries if entry.text]
    problems = [entry for entry in collector.entries if entry.problem]
    blanks = [entry for entry in collector.entries if not entry.text and not entry.problem]
    best = max(map(_ranks_of, times), default=(Rank.PART, Rank.PART))
    problem = max(problems, key=_ranks_of, default=None)
    if problem is not None and (not times or _ranks_of(problem) > best):
        return JsonTime("", None, problem.place.highest, problem=problem.problem)
    is_answered = best[0] >= Rank.TIME or not blanks
    if times and is_answered:
        return _agreed([entry for entry in times if entry.place.ranks == best])
    if blanks:
        return JsonTime("", None, max(blank.place.highest for blank in blanks))
    if collector.has_schedule:
        return JsonTime("", None, Rank.PART, problem="the list is neither a time nor a schedule of actions")
    return None


def described(problem: str) -> str:
    """Return the message for an unreadable time."""
    return f"{problem}; {_FORMS}"


def _ranks_of(entry: _Entry) -> tuple[Rank, Rank]:
    return entry.place.ranks


class _Collector:
    """Collector of the times in a JSON value."""

    def __init__(self) -> None:
        self.entries: list[_Entry] = []
        self.has_schedule = False
        self._containers = 0

    def collect(self, value: object) -> None:
        """Add the entries of a JSON value."""
        stack: list[tuple[object, _Place]] = [(value, _Place())]
        while stack:
            item, place = stack.pop()
            if isinstance(item, dict):
                stack += reversed(list(self._fields(item, place)))
            elif isinstance(item, list):
                inner = place._replace(highest=Rank.PART) if len(item) > 1 else place
                stack += [(entry, inner) for entry in reversed(item)]
            elif isinstance(item, str) and (document := _document_in(item)) is not None:
                stack.append((document, place))
            else:
                self.entries += _entries_of(item, place)

    def _fields(self, item: dict[str, object], place: _Place) -> Iterator[tuple[object, _Place]]:
        """Yield the values of an object with their places."""
        self._containers += 1
        units = _Units(item)
        fields = {name: value for name, value in item.items() if name not in units.names}
        words_by_name = {name: words_of(name) for name in fields}
        last_words = {words[-1] for words in words_by_name.values() if words}
        keys = {name: key_of(name, last_words) for name in fields}
        words = set(chain.from_iterable(words_by_name.values()))
        if "start" in words and not words.isdisjoint(_ENDS):
            self.has_schedule = True
        numbers = [name for name, value in fields.items() if _is_number(value)]
        is_unit_needed = any(not keys[name].unit for name in numbers)
        for name, value in fields.items():
            key = keys[name]
            named_unit = units.unit_for(key)
            unit = key.unit or named_unit or place.unit
            if key.unit and named_unit not in ("", key.unit) and not is_unit_needed:
                unit = f"{key.unit}, {named_unit}"  # a contradiction
            ranks = (key.rank, place.highest)
            highest = Rank.PART if Rank.PART in ranks else max(ranks)
            yield value, _Place(highest, key, name, unit, self._containers)


class _Units:
    """Units that fields of an object name.

    Attributes
    ----------
    names
        Names of these fields.
    """

    def __init__(self, item: dict[str, object]) -> None:
        self.names: set[str] = set()
        self._by_stem: dict[frozenset[str], set[str]] = {}
        self._all: set[str] = set()
        for name, value in item.items():
            unit = _unit_field(name, value)
            if unit:
                stem = frozenset(key_of(name).stem) - {"unit", "units"}
                self.names.add(name)
                self._by_stem.setdefault(stem, set()).add(unit)
                self._all.add(unit)

    def unit_for(self, key: Key) -> str:
        """Return the unit for a number: that of the field with the same words, else the only one."""
        units = self._by_stem.get(frozenset(key.stem), self._all)
        return next(iter(units)) if len(units) == 1 else ""


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


#: Words of keys that, beside "start", belong to an entry of a schedule.
_ENDS = ("duration", "end", "finish")


def _document_in(text: str) -> object:
    """Return the JSON object or list that is the whole of a text, else ``None``."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    value = whole_value(text)
    return value if isinstance(value, dict | list) else None


def _unit_field(name: str, value: object) -> str:
    """Return the unit that a field names, empty for other fields; unknown units in their own words."""
    if not isinstance(value, str) or len(value) > 40:
        return ""
    unit = unit_named(value)
    if not {"unit", "units"}.isdisjoint(words_of(name)):
        return unit or value.strip()
    is_common_word = value.lower() in ("second", "day", "week", "month", "year")
    is_clear = len(value) > 2 and not is_common_word
    return unit if is_clear else ""


def _entries_of(value: object, place: _Place) -> Iterator[_Entry]:
    """Yield the entry of a number, a text or null; nothing for values that are no answer."""
    if isinstance(value, bool):
        return
    if isinstance(value, int | float):
        number = Decimal(value if isinstance(value, int) else repr(value))
        yield from _entries_of_number(number, place)
    elif isinstance(value, str):
        yield from _entries_of_text(value, place)
    elif place.highest >= Rank.TIME:
        yield _Entry(place)


def _entries_of_number(number: Decimal, place: _Place) -> Iterator[_Entry]:
    is_time = place.highest >= Rank.TIME
    if not number.is_finite() or number < 0:
        if is_time:
            yield _Entry(place)
    elif place.unit in UNITS:
        is_short = abs(number.adjusted()) < _MAX_DIGITS
        text = f"{number:f}" if is_short else ""
        if not 0 < len(text) <= _MAX_DIGITS:
            yield _Entry(place, problem=f'the number of "{place.name}" has more than {_MAX_DIGITS} digits')
        else:
            quoted_time = f'"{text} {place.unit}"'
            yield _Entry(place, quoted_time, number)
    elif is_time:
        missing = f'has the unknown unit "{place.unit}"' if place.unit else "has no unit"
        yield _Entry(place, problem=f'the number of "{place.name}" {missing}')


def _entries_of_text(value: str, place: _Place) -> Iterator[_Entry]:
    text = plain(value).strip()
    is_time = place.highest >= Rank.TIME
    clock = _CLOCK.fullmatch(text) if is_time else None
    if clock is not None:
        hours, minutes, seconds = clock.groups()
        text = f"{hours} hour {minutes} min {seconds} sec"
    if len(text) > MAX_REWRITTEN:
        return
    numeric = _NUMERIC.fullmatch(text)
    if numeric is not None:
        number = Decimal(numeric["number"].replace(",", ""))
        yield from _entries_of_number(number, place)
        return
    stated = time_in(text)
    if stated is not None:
        yield _Entry(place, stated.text, is_ambiguous=stated.is_ambiguous)
    elif place.unit in UNITS and _RANGE.fullmatch(text):
        ends = re.findall(_NUMBER, text)
        quoted_time = f'"{ends[-1]} {place.unit}"'
        yield _Entry(place, quoted_time, is_ambiguous=True)
    elif is_time and re.search(r"\d", text) and (place.unit or " " not in text):
        excerpt = text[:80]
        yield _Entry(place, problem=f'the text of "{place.name}" is no time: "{excerpt}"')
    elif is_time:
        yield _Entry(place)


def _agreed(entries: list[_Entry]) -> JsonTime:
    """Return the time that entries of equal rank state, ambiguous if they differ."""
    groups: dict[tuple[int, tuple[str, ...]], list[_Entry]] = {}
    for entry in entries:
        group = (entry.place.container, entry.place.key.stem)
        groups.setdefault(group, []).append(entry)
    sums = list(chain.from_iterable(map(_sum_parts, groups.values())))
    exact = min(sums, key=_exactness_of)
    seconds = exact.seconds
    is_ambiguous = any(entry.is_ambiguous or not _agrees(entry, seconds) for entry in sums)
    return JsonTime(exact.text, seconds, exact.place.highest, is_ambiguous)


def _sum_parts(group: list[_Entry]) -> list[_Entry]:
    """Return one entry for the parts of a time, such as hours and minutes; else the entries themselves."""
    units = {entry.place.unit for entry in group}
    if len(units) < len(group) or any(entry.number is None for entry in group):
        return group
    parts = sorted((entry for entry in group if entry.number), key=_size_of, reverse=True)
    if not all(map(_is_whole, parts[:-1])):
        return group
    if len(parts) < 2:
        return parts or group
    if any(not _is_below_unit(part, larger) for larger, part in pairwise(parts)):
        return group
    text = " ".join(part.text.strip('"') for part in parts)
    return [replace(parts[0], text=f'"{text}"', number=None)]


def _is_below_unit(part: _Entry, larger: _Entry) -> bool:
    """Return whether a time is shorter than the unit of another time."""
    unit = seconds_of(f'"1 {larger.place.unit}"')
    seconds = part.seconds
    if seconds is None or unit is None:
        return False
    return seconds[1] < unit[0]


def _size_of(entry: _Entry) -> timedelta:
    """Return the length of the unit of a number."""
    unit = seconds_of(f'"1 {entry.place.unit}"')
    return timedelta() if unit is None else unit[0]


def _is_whole(entry: _Entry) -> bool:
    """Return whether an entry is a text or a whole number."""
    return entry.number is None or entry.number == entry.number.to_integral_value()


def _exactness_of(entry: _Entry) -> tuple[bool, timedelta]:
    """Return a key by which texts and whole numbers come before decimals, then smaller units."""
    return not _is_whole(entry), _precision_of(entry)


def _precision_of(entry: _Entry) -> timedelta:
    """Return the length of the last digit of a number; zero for texts."""
    if entry.number is None:
        return timedelta()
    exponent = entry.number.normalize().as_tuple().exponent
    decimals = -exponent if isinstance(exponent, int) and exponent < 0 else 0
    return _size_of(entry) / int(10**decimals)


def _agrees(entry: _Entry, exact: Seconds) -> bool:
    """Return whether a time equals an exact one, or is the same with fewer decimals in a larger unit."""
    seconds = entry.seconds
    if seconds == exact:
        return True
    if _is_whole(entry) or seconds is None or exact is None:
        return False
    return abs(seconds[0] - exact[0]) < _precision_of(entry)
