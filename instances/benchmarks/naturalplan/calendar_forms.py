"""Forms of slots in answers to calendar tasks: JSON objects, and days with times in text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from planoracle.instances.benchmarks.naturalplan.calendar_facts import DAY_MINUTES, WEEKDAYS, CalendarFacts, Slot
from planoracle.instances.benchmarks.naturalplan.source_records import fields_of
from planoracle.instances.errors import PlanError
from planoracle.instances.model_output.blocks import Grammar, StepMatch

_DAY = "|".join(WEEKDAYS)
#: Clock time with minutes, or with a half of the day.
_TIME = r"\d{1,2}(?:[:.]\d{2}(?:[ \u202f]?[AaPp]\.?[Mm]\b\.?)?|[ \u202f]?[AaPp]\.?[Mm]\b\.?)"
_TIMES = re.compile(_TIME)
_RANGE = rf"(?P<start>{_TIME})\s{{0,3}}(?:-|–|—|to|until|till|and)\s{{0,3}}(?P<end>{_TIME})"
_DAY_FIRST = re.compile(
    rf"\b(?P<day>{_DAY})\b[\s,:;*_()-]{{0,8}}(?:from|at|between|during)?[\s:*_]{{0,6}}{_RANGE}", re.I
)
_DAY_LAST = re.compile(rf"{_RANGE}[\s,*_()]{{0,8}}on[\s*_]{{0,4}}(?P<day>{_DAY})\b", re.I)
_ANY_RANGE = re.compile(_RANGE)
_LINE_OF_TIMES = re.compile(rf"^(?={_RANGE})", re.MULTILINE)
_ANY_DAY = re.compile(rf"\b(?:{_DAY})\b", re.I)
#: A day and, in the next line, the time of day.
_TIME_BELOW_DAY = re.compile(
    rf"\b(?P<day>{_DAY})\b[ ,.;*_]{{0,8}}\n[\s*_-]{{0,9}}(?:time[^\d\n]{{0,20}})?(?=\d)", re.IGNORECASE
)
_ANSWER = r"\b(?:proposed|suggested|final|best|chosen) (?:meeting )?(?:time|slot)(?: is)?[\s:*_]{1,12}"
#: A slot that the text announces as its answer.
_ANNOUNCED = re.compile(_ANSWER + _DAY_FIRST.pattern, re.I)
#: Keys of a slot in JSON, in lower case with underscores.
_SPAN_KEYS = frozenset(("time_range", "time_slot", "slot", "meeting_time", "proposed_time", "time"))
_START_KEYS, _END_KEYS = frozenset(("start_time", "start", "from")), frozenset(("end_time", "end", "to"))
_DAY_KEYS = frozenset(("day", "weekday", "date"))
#: Longest text in a JSON slot, in characters.
_MAX_TEXT = 300


class StatedSlot(NamedTuple):
    """Day and times of a slot as written; the day is empty if the answer states none."""

    day: str
    times: str


class SlotForms(Grammar[StatedSlot]):
    """Forms of slots: JSON objects, and days with times in text.

    Parameters
    ----------
    in_text
        Whether slots in text count; otherwise only those in JSON.
    only_day
        Day of times without a day; such times do not count if it is empty.
    """

    unique = True

    def __init__(self, in_text: bool = True, only_day: str = "") -> None:
        self.in_text = in_text
        self.only_day = only_day

    def find(self, text: str) -> list[StepMatch[StatedSlot]]:
        """Return the slots in a line: a day beside a range of times."""
        if not self.in_text:
            return []
        matches = []
        pattern = _ANY_RANGE if self.only_day and not _DAY_FIRST.search(text) else _DAY_FIRST
        for match in pattern.finditer(text):
            stated = StatedSlot(match.groupdict().get("day") or self.only_day, f"{match['start']} - {match['end']}")
            matches.append(StepMatch(len(match[0]), stated))
        return matches

    def of(self, value: object) -> list[StatedSlot] | None:
        """Return the slot of a JSON object with times, or those of the objects in it."""
        if not isinstance(value, dict):
            return None
        slot = _slot_in(value)
        if slot is not None:
            return [slot]
        slots = [_slot_in(entry) for entry in value.values() if isinstance(entry, dict)]
        return [slot for slot in slots if slot is not None] or None

    def looks(self, text: str, free: bool) -> bool:
        """Return whether a line has a range of times."""
        return self.in_text and _ANY_RANGE.search(text) is not None

    def key(self, step: StatedSlot) -> tuple[str, str]:
        """Return day and times in plain form."""
        return step.day.lower(), step.times.lower()


def _slot_in(value: Mapping[str, object]) -> StatedSlot | None:
    """Return the slot of a JSON object, ``None`` if it has no times."""
    fields = fields_of(value)
    times = _text_of(fields, _SPAN_KEYS)
    if not times:
        ends = _text_of(fields, _START_KEYS), _text_of(fields, _END_KEYS)
        times = " - ".join(filter(None, ends))
    has_times = any(map(str.isdigit, times))
    return StatedSlot(_text_of(fields, _DAY_KEYS), times) if has_times else None


def _text_of(fields: Mapping[str, object], keys: frozenset[str]) -> str:
    """Return the texts of the fields with some names, also of objects and lists within them."""
    texts = []
    for name, value in fields.items():
        if name in keys and value is not None:
            texts.append(value if isinstance(value, str) else repr(value)[:_MAX_TEXT])
    return " ".join(texts)[:_MAX_TEXT]


def slot_of_words(stated: StatedSlot, facts: CalendarFacts) -> Slot:
    """Return a stated slot; raises `PlanError` naming the field that cannot be read.

    In a task of one day, an answer may omit the day.
    """
    day_text = stated.day or stated.times
    days = {match.capitalize() for match in _ANY_DAY.findall(day_text)}
    if not days and not stated.day and len(facts.days) == 1:
        days = {WEEKDAYS[facts.days[0]]}
    if len(days) != 1:
        raise PlanError(f"must be a weekday, such as {WEEKDAYS[facts.days[0]]}", field="day", value=day_text)
    day = WEEKDAYS.index(days.pop())
    times = _TIMES.findall(stated.times)
    if len(times) != 2:
        raise PlanError("must be two times, such as 9:30 - 10:00", field="time_range", value=stated.times)
    first_time, last_time = times
    end = _clock_time(last_time, "")
    start = _clock_time(first_time, _half_in(last_time))
    if start > end and not _half_in(first_time):  # such as 11:30 - 12:30 PM
        start = _clock_time(first_time, "a")
    return Slot(day, start, end)


def _half_in(time: str) -> str:
    """Return ``a`` or ``p`` for a time with AM or PM."""
    halves = [letter for letter in "ap" if letter in time.lower()]
    return halves[0] if halves else ""


def _clock_time(text: str, half: str) -> int:
    """Return the minutes of a clock time; ``half`` of the day is the default of one without AM and PM."""
    hour_text, *minutes = re.findall(r"\d+", text)
    hour = int(hour_text)
    minute = int(minutes[0]) if minutes else 0
    half = _half_in(text) or half
    if half == "p" and hour < 12:
        hour += 12
    elif half == "a" and hour == 12:
        hour = 0
    time = hour * 60 + minute
    if minute >= 60 or time > DAY_MINUTES:
        raise PlanError("must be a clock time from 0:00 to 24:00", field="time_range", value=text)
    return time


def announced_slots(text: str, facts: CalendarFacts) -> list[Slot]:
    """Return the different slots that a text announces as its answer."""
    slots = []
    for match in _ANNOUNCED.finditer(text):
        stated = StatedSlot(match["day"], f"{match['start']} - {match['end']}")
        slots.append(slot_of_words(stated, facts))
    return list(dict.fromkeys(slots))


def normal_lines(submitted: object) -> object:
    """Return a text in which days stand before times, in one line, and no line begins with a time.

    A time at the beginning of a line would be taken for the number of an item.
    """
    if not isinstance(submitted, str):
        return submitted
    text = _TIME_BELOW_DAY.sub(r"\g<day>, ", submitted)
    text = _DAY_LAST.sub(r"\g<day>, \g<start> - \g<end>", text)
    return _LINE_OF_TIMES.sub("at ", text)
