"""Answers to calendar tasks: slots in JSON and in text, and the verdicts on them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from planoracle.instances.benchmarks.naturalplan.calendar_facts import (
    DAY_MINUTES,
    WEEKDAYS,
    CalendarFacts,
    Slot,
    clock_text,
)
from planoracle.instances.benchmarks.naturalplan.calendar_tasks import MEETING, facts_of, slot_of, tick_of
from planoracle.instances.benchmarks.naturalplan.rules import PlanVerdict, PlanAnswer, Profile, verdict_of
from planoracle.instances.benchmarks.naturalplan.whole_answers import (
    last_message,
    sentence_of,
    settled,
    text_of,
)
from planoracle.instances.errors import PlanError
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.violations import Violation
from planoracle.instances.model_output.blocks import Grammar, StepMatch
from planoracle.instances.model_output.reading import as_given as read_list
from planoracle.instances.model_output.reading import read as read_output
from planoracle.instances.protocol.feedback import Topic
from planoracle.instances.protocol.plan import AMBIGUOUS, NO_PLAN, Reading
from planoracle.instances.protocol.simulator import Step

#: A message is a whole answer.
IS_STEPWISE = False
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
#: A slot that the text announces as its answer.
_ANNOUNCED = re.compile(
    rf"\b(?:proposed|suggested|final|best|chosen) (?:meeting )?(?:time|slot)(?: is)?[\s:*_]{{1,12}}{_DAY_FIRST.pattern}",
    re.I,
)
#: The pattern of the published evaluation; the lookbehind changes no match, and makes it linear.
_PUBLISHED = re.compile(r"(?<![A-Za-z])(?P<day>[A-Za-z]+), (?P<start>[0-9]+:[0-9]+) - (?P<end>[0-9]+:[0-9]+)")
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


class ReadSlot(NamedTuple):
    """Slot of an answer as text; ``slot`` is ``None`` if its first word is no weekday."""

    text: str
    slot: Slot | None


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
        """Return the slot of a JSON object with times."""
        if not isinstance(value, dict):
            return None
        fields = {str(name).lower().replace(" ", "_"): entry for name, entry in value.items()}
        times = _text_of(fields, _SPAN_KEYS)
        if not times:
            ends = _text_of(fields, _START_KEYS), _text_of(fields, _END_KEYS)
            times = " - ".join(filter(None, ends))
        if not any(map(str.isdigit, times)):
            return self._nested(value)
        return [StatedSlot(_text_of(fields, _DAY_KEYS), times)]

    def _nested(self, value: Mapping[object, object]) -> list[StatedSlot] | None:
        """Return the slots of objects within an object that is no slot itself."""
        slots = []
        for entry in value.values():
            slots += (self.of(entry) if isinstance(entry, dict) else None) or []
        return slots or None

    def looks(self, text: str, free: bool) -> bool:
        """Return whether a line has a range of times."""
        return self.in_text and _ANY_RANGE.search(text) is not None

    def key(self, step: StatedSlot) -> tuple[str, str]:
        """Return day and times in plain form."""
        return step.day.lower(), step.times.lower()


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


# --- reading --------------------------------------------------------------------------------------


def reading(problem: Instance, submitted: object, rules: Profile) -> Reading[PlanAnswer]:
    """Read the slot of an answer; raises `PlanError` for one that cannot be read.

    The verdict ``official`` takes a slot in JSON, and else the first text of the published pattern.

    >>> from planoracle.instances.benchmarks.naturalplan.calendar_tasks import bundled, instance
    >>> task = instance(bundled()["17"], "naturalplan/calendar/17")
    >>> reading(task, '{"time_range": "{09:30:10:00}", "day": "Monday"}', Profile()).commands.steps[0].text
    'Monday, 9:30 - 10:00'
    """
    submitted = last_message(submitted)
    if not isinstance(submitted, str | list | dict):
        raise PlanError("must be text, or an object with day and time_range", field="plan", value=submitted)
    if submitted == []:
        return read_list([]).of(lambda _: PlanAnswer(()))
    text = text_of(submitted)
    facts = facts_of(problem)
    stated = _stated_slots(submitted, facts, rules)
    if rules.is_official and text and not stated.commands:
        return _published_reading(text)
    slots = list(dict.fromkeys(slot_of_words(slot, facts) for slot in stated.commands))
    if len(slots) > 1:
        slots = _announced_slots(text, facts) or slots
    if len(slots) == 1:
        return stated.of(lambda _: _answer_of(ReadSlot(slots[0].text, slots[0])))
    fault = AMBIGUOUS if slots else stated.fault
    return replace(stated, fault=fault).of(lambda _: PlanAnswer(()))


def _stated_slots(submitted: object, facts: CalendarFacts, rules: Profile) -> Reading[list[StatedSlot]]:
    """Return the slots that are the plan of an answer: those in JSON, else those in text.

    In a task of one day, times need no day.
    """
    stated = read_output(submitted, SlotForms(in_text=False))
    if stated.commands or stated.fault == AMBIGUOUS or rules.is_official:
        return stated
    lines = _normal_lines(submitted)
    stated = read_output(lines, SlotForms())
    only_day = WEEKDAYS[facts.days[0]] if len(facts.days) == 1 else ""
    if only_day and not stated.commands:
        stated = read_output(lines, SlotForms(only_day=only_day))
    return settled(stated, text_of(lines), SlotForms(only_day=only_day))


def _announced_slots(text: str, facts: CalendarFacts) -> list[Slot]:
    """Return the different slots that a text announces as its answer."""
    slots = []
    for match in _ANNOUNCED.finditer(text):
        stated = StatedSlot(match["day"], f"{match['start']} - {match['end']}")
        slots.append(slot_of_words(stated, facts))
    return list(dict.fromkeys(slots))


def _normal_lines(submitted: object) -> object:
    """Return a text in which days stand before times, in one line, and in which no line begins with a time.

    A time at the beginning of a line would be taken for the number of an item.
    """
    if not isinstance(submitted, str):
        return submitted
    text = _TIME_BELOW_DAY.sub(r"\g<day>, ", submitted)
    text = _DAY_LAST.sub(r"\g<day>, \g<start> - \g<end>", text)
    return _LINE_OF_TIMES.sub("at ", text)


def _answer_of(read_slot: ReadSlot) -> PlanAnswer:
    """Return an answer; a slot without length has no piece."""
    slot = read_slot.slot
    pieces = ()
    if slot is not None and slot.start < slot.end:
        pieces = (Piece(MEETING, tick_of(slot.day, slot.start), slot.end - slot.start, None),)
    return PlanAnswer(pieces, (read_slot,))


def _published_reading(text: str) -> Reading[PlanAnswer]:
    """Return the first slot of the published pattern; minutes other than 30 count as the full hour."""
    match = _PUBLISHED.search(text)
    if match is None:
        return Reading(PlanAnswer(()), 0, "nothing", 0, fault=NO_PLAN)
    start, end = _published_time(match["start"]), _published_time(match["end"])
    slot = None
    if match["day"] in WEEKDAYS and max(start, end) <= DAY_MINUTES:
        slot = Slot(WEEKDAYS.index(match["day"]), start, end)
    answer = _answer_of(ReadSlot(match[0][:_MAX_TEXT], slot))
    return Reading(answer, 1, "first slot of the text", 0)


def _published_time(text: str) -> int:
    """Return the minutes of a time as the published evaluation reads it; more than a day if it is too long."""
    hour, _, minute = text.partition(":")
    if len(hour) > 4:
        return DAY_MINUTES + 1
    return int(hour) * 60 + (30 if minute == "30" else 0)


def written(problem: Instance, schedule: Schedule) -> str:
    """Write the slot of a schedule, such as ``Monday, 9:30 - 10:00``."""
    slots = [slot_of(piece.start, piece.end) for piece in schedule.pieces]
    return "\n".join(slot.text for slot in slots)


def published(problem: Instance) -> str:
    """Return the published slot."""
    return facts_of(problem).gold.text


# --- verdict --------------------------------------------------------------------------------------


def grade(problem: Instance, answer: PlanAnswer, rules: Profile) -> PlanVerdict:
    """Judge a slot: with ``exact`` everybody can meet in it, with ``official`` it is the published one.

    Where the earliest slot is asked for, only the first one is right.
    """
    facts = facts_of(problem)
    steps: list[Step] = []
    violations: list[Violation] = []
    for text, slot in answer.steps:
        violations = list(_violations(facts, text, slot, rules))
        if violations:
            steps.append(Step(0, text, "lost", 0, 0, violations[0]))
        else:
            piece = answer.pieces[0]
            steps.append(Step(0, text, "act", piece.start, piece.end, piece=piece))
    success = bool(steps) and not violations
    if not steps:
        violations = [Violation(None, "no_plan", "answer")]
    return verdict_of(problem, steps, violations, success=success, share=float(success))


def _violations(facts: CalendarFacts, text: str, slot: Slot | None, rules: Profile) -> Iterator[Violation]:
    """Yield the broken rules of a slot."""
    if slot is None or rules.is_official:
        if slot != facts.gold:
            yield Violation(0, "differs", MEETING, required=facts.gold.text, actual=text)
        return
    if slot.day not in facts.days:
        days = ", ".join(WEEKDAYS[day] for day in sorted(facts.days))
        yield Violation(0, "day", MEETING, required=days, actual=WEEKDAYS[slot.day])
    if slot.start < facts.opens or slot.end > facts.closes:
        hours = f"{clock_text(facts.opens)} - {clock_text(facts.closes)}"
        yield Violation(0, "hours", MEETING, required=hours, actual=text)
    length = slot.end - slot.start
    if length != facts.minutes:
        yield Violation(0, "length", MEETING, required=facts.minutes, actual=length)
    for off_time in facts.conflicts(slot):
        kind = "wish" if off_time.is_wish else "busy"
        off_text = Slot(off_time.day, off_time.start, off_time.end).text
        yield Violation(0, kind, MEETING, resource=off_time.person, required=off_text, actual=text)
    first_slot = facts.first_slot() if facts.is_earliest else None
    if first_slot is not None and first_slot < slot:
        yield Violation(0, "not_earliest", MEETING, required=first_slot.text, actual=text)


TEMPLATES = {
    "differs": "the published slot is {required}, not {actual}",
    "day": "{actual} is none of the days {required}",
    "hours": "the slot is not within the working hours {required}",
    "length": "the slot takes {actual} minutes, and the meeting {required}",
    "busy": "{resource} is busy on {required}",
    "wish": "{resource} does not want to meet on {required}",
    "not_earliest": "everybody can meet earlier, on {required}",
}
SENTENCES = {kind: sentence_of(template) for kind, template in TEMPLATES.items()}
TOPICS = (
    Topic("frame", "Days and hours", ("day", "hours", "length"), "Choose a slot of the right length in working hours."),
    Topic("people", "People", ("busy", "wish"), "Compare the slot with the times of each person."),
    Topic("earliest", "Earliest slot", ("not_earliest",), "Check the days and their hours in order."),
    Topic(
        "published", "Published answer", ("differs",), "Several slots may fit; the evaluation accepts only this one."
    ),
)

# --- statement ------------------------------------------------------------------------------------

INSTRUCTIONS = """Several people want to meet for a given time. Find a slot within the working hours of one of the days
in which nobody is busy and which keeps all wishes."""
HOW_TO_ANSWER = """Answer with one slot of this form:
DAY, H:MM - H:MM"""


def describe(problem: Instance) -> str:
    """Return a task in words."""
    facts = facts_of(problem)
    days = ", ".join(WEEKDAYS[day] for day in sorted(facts.days))
    lines = [
        f"Length of the meeting: {facts.minutes} minutes",
        f"Days: {days}",
        f"Working hours: {clock_text(facts.opens)} - {clock_text(facts.closes)}",
    ]
    for person in facts.people:
        lines.append(f"- {person}: {_times_of(facts, person, is_wish=False) or 'always free'}")
        wishes = _times_of(facts, person, is_wish=True)
        if wishes:
            lines.append(f"  does not want to meet: {wishes}")
    if facts.is_earliest:
        lines.append("The earliest slot in which all can meet is wanted.")
    return "\n".join(lines)


def _times_of(facts: CalendarFacts, person: str, *, is_wish: bool) -> str:
    """Return the busy times or the wishes of a person."""
    texts = []
    for off_time in facts.off_times:
        if off_time.person == person and off_time.is_wish == is_wish:
            texts.append(Slot(off_time.day, off_time.start, off_time.end).text)
    return "; ".join(texts)


def choices(problem: Instance, answer: PlanAnswer, rules: Profile) -> list[str]:
    """Return no commands: an answer is one message."""
    return []
