"""Reader of the texts of calendar tasks: working hours, days, busy times and wishes."""

from __future__ import annotations

import re
from collections.abc import Iterable

from planoracle.instances.benchmarks.naturalplan.calendar_facts import (
    DAY_MINUTES,
    WEEKDAYS,
    Absence,
    CalendarFacts,
    Slot,
    minutes_of,
)
from planoracle.instances.benchmarks.naturalplan.source_records import parts_of, sentences_of, unknown_sentence
from planoracle.instances.errors import InputError

_TIME = r"\d{1,2}:\d{2}"
_DAY = "|".join(WEEKDAYS)
_TASK = re.compile(
    rf".{{0,60}}?meeting for (?P<people>.+) for (?P<length>[^,.]+?) between the work hours of "
    rf"(?P<opens>{_TIME}) to (?P<closes>{_TIME}) on (?:either )?(?P<days>[^.]+)\."
)
_HEADING = re.compile(r"Here are the existing schedules for everyone during the days?:")
_FREE = re.compile(r"(?:'s calendar is wide open|\s?has no meetings|\s?is free) the (?:whole|entire) (?:day|week)\.")
_BUSY = re.compile(r"\s?(?:has meetings|is busy|has blocked their calendar) on (?P<spans>.+?)[;.]?")
_SPAN = re.compile(rf"(?:on )?(?:(?P<day>{_DAY}) during )?(?P<start>{_TIME}) to (?P<end>{_TIME})")
_WHEN = rf"(?P<day>{_DAY})(?: (?P<side>before|after) (?P<time>{_TIME}))?\."
_WISH = re.compile(
    r"(?P<person>.+?) (?:can ?not meet|(?:do|does) not want to meet|would rather not meet"
    rf"|would like to avoid more meetings) on {_WHEN}"
)
_FURTHER_WISH = re.compile(_WHEN)
_EARLIEST = re.compile(
    r"(?:The group would like to meet|You would like to schedule the meeting) at their earl(?:ie|i)st availability\."
)
_REQUEST = re.compile(r"Find a time that works for everyone's schedule and constraints\.")
_SLOT = re.compile(rf"(?P<day>{_DAY}), (?P<start>{_TIME}) - (?P<end>{_TIME})")
_LENGTHS = {"half an hour": 30, "one hour": 60, "an hour": 60}
_MINUTES = re.compile(r"(?P<number>\d{1,4}) minutes?")


def facts_of(text: str, reference_text: str) -> CalendarFacts:
    """Return the facts of a task.

    Parameters
    ----------
    text
        Text of the task.
    reference_text
        Reference answer.

    Raises
    ------
    InputError
        For a sentence that is not known, and for values out of range.
    """
    first_line, *lines = filter(None, (line.strip() for line in text.splitlines()))
    task = _TASK.fullmatch(first_line)
    if task is None:
        raise unknown_sentence(first_line)
    if not lines or _HEADING.fullmatch(lines[0]) is None:
        raise unknown_sentence(lines[0] if lines else "")
    people = parts_of(task["people"])
    off_times, count = _busy_times(lines[1:], people)
    wishes, is_earliest = _wishes(sentences_of(" ".join(lines[1 + count :])), people)
    days = tuple(WEEKDAYS.index(day) for day in _checked_days(task["days"]))
    opens, closes = minutes_of(task["opens"]), minutes_of(task["closes"])
    minutes = _length(task["length"])
    reference = _reference(reference_text)
    return CalendarFacts(people, days, opens, closes, minutes, (*off_times, *wishes), is_earliest, reference)


def _checked_days(text: str) -> tuple[str, ...]:
    days = parts_of(text)
    for day in days:
        if day not in WEEKDAYS:
            raise InputError(f"must be among {', '.join(WEEKDAYS)}", field="prompt_0shot: days", value=day)
    return days


def _length(text: str) -> int:
    """Return the minutes of a meeting."""
    match = _MINUTES.fullmatch(text)
    if match is not None:
        return int(match["number"])
    if text not in _LENGTHS:
        raise InputError(f"must be {', '.join(_LENGTHS)} or minutes", field="prompt_0shot: length", value=text)
    return _LENGTHS[text]


def _busy_times(lines: list[str], people: tuple[str, ...]) -> tuple[list[Absence], int]:
    """Return the busy times in the first lines, which have one person each, and the number of these lines."""
    if len(lines) < len(people):
        raise InputError("must have a line for each person", field="prompt_0shot", value=len(lines))
    off_times: list[Absence] = []
    remaining = list(people)
    for line in lines[: len(people)]:
        matches = [person for person in remaining if line.startswith(person)]
        if not matches:
            raise unknown_sentence(line)
        person = max(matches, key=len)
        remaining.remove(person)
        off_times += _busy_times_in(line, person)
    return off_times, len(people)


def _busy_times_in(line: str, person: str) -> list[Absence]:
    """Return the busy times in the line of a person; a day holds for all spans up to the next day."""
    words = line.removeprefix(person)
    if _FREE.fullmatch(words):
        return []
    busy = _BUSY.fullmatch(words)
    if busy is None:
        raise unknown_sentence(line)
    off_times: list[Absence] = []
    day = None
    for text in busy["spans"].split(", "):
        span = _SPAN.fullmatch(text.strip())
        day = span["day"] or day if span else None
        if span is None or day is None:
            raise unknown_sentence(line)
        weekday = WEEKDAYS.index(day)
        off_times.append(Absence(person, weekday, minutes_of(span["start"]), minutes_of(span["end"])))
    return off_times


def _wishes(sentences: Iterable[str], people: tuple[str, ...]) -> tuple[list[Absence], bool]:
    """Return the times that people do not want, and whether the earliest time is asked for."""
    wishes: list[Absence] = []
    is_earliest = False
    person = ""
    for sentence in sentences:
        wish = _WISH.fullmatch(sentence)
        further_wish = _FURTHER_WISH.fullmatch(sentence)
        if wish is not None and wish["person"] in people:
            person = wish["person"]
            wishes.append(_wish_of(person, wish))
        elif further_wish is not None and person:
            wishes.append(_wish_of(person, further_wish))
        elif _EARLIEST.fullmatch(sentence):
            is_earliest = True
        elif not _REQUEST.fullmatch(sentence):
            raise unknown_sentence(sentence)
    return wishes, is_earliest


def _wish_of(person: str, wish: re.Match[str]) -> Absence:
    """Return the time that a wish excludes: a day, or its part before or after a time."""
    start = minutes_of(wish["time"]) if wish["side"] == "after" else 0
    end = minutes_of(wish["time"]) if wish["side"] == "before" else DAY_MINUTES
    return Absence(person, WEEKDAYS.index(wish["day"]), start, end, is_wish=True)


def _reference(text: str) -> Slot:
    """Return the slot of a reference answer."""
    match = _SLOT.search(text)
    if match is None:
        raise InputError("must have a slot such as Monday, 9:30 - 10:00", field="golden_plan", value=text)
    return Slot(WEEKDAYS.index(match["day"]), minutes_of(match["start"]), minutes_of(match["end"]))
