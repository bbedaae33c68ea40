"""Answers to calendar tasks: slots in JSON and in text, and the verdicts on them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from planoracle.instances.benchmarks.naturalplan.calendar_facts import (
    DAY_MINUTES,
    WEEKDAYS,
    CalendarFacts,
    Slot,
    clock_text,
)
from planoracle.instances.benchmarks.naturalplan.calendar_forms import (
    SlotForms,
    StatedSlot,
    announced_slots,
    normal_lines,
    slot_of_words,
)
from planoracle.instances.benchmarks.naturalplan.calendar_tasks import MEETING, facts_of, slot_of, tick_of
from planoracle.instances.benchmarks.naturalplan.rules import PlanAnswer, PlanVerdict, Profile, verdict_of
from planoracle.instances.benchmarks.naturalplan.whole_answers import (
    last_message,
    sentence_of,
    settle,
    text_of,
)
from planoracle.instances.errors import PlanError
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.violations import Violation
from planoracle.instances.model_output.reading import as_given as read_list
from planoracle.instances.model_output.reading import read as read_output
from planoracle.instances.protocol.feedback import Topic
from planoracle.instances.protocol.plan import AMBIGUOUS, NO_PLAN, Reading
from planoracle.instances.protocol.simulator import Step

#: A message is a whole answer.
IS_STEPWISE = False
#: The pattern of the published evaluation; the lookbehind changes no match, and makes it linear.
_PUBLISHED = re.compile(r"(?<![A-Za-z])(?P<day>[A-Za-z]+), (?P<start>[0-9]+:[0-9]+) - (?P<end>[0-9]+:[0-9]+)")
#: Longest text of a slot in messages, in characters.
_MAX_TEXT = 300


class ReadSlot(NamedTuple):
    """Slot of an answer as text; ``slot`` is ``None`` if its first word is no weekday."""

    text: str
    slot: Slot | None


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
        slots = announced_slots(text, facts) or slots
    if len(slots) == 1:
        answer = _answer_of(ReadSlot(slots[0].text, slots[0]))
        # One slot is a whole answer: other lines with times explain it.
        return replace(stated, unread=0).of(lambda _: answer)
    fault = AMBIGUOUS if slots else stated.fault
    return replace(stated, fault=fault).of(lambda _: PlanAnswer(()))


def _stated_slots(submitted: object, facts: CalendarFacts, rules: Profile) -> Reading[list[StatedSlot]]:
    """Return the slots that are the plan of an answer: those in JSON, else those in text.

    In a task of one day, times need no day.
    """
    stated = read_output(submitted, SlotForms(in_text=False))
    if stated.commands or stated.fault == AMBIGUOUS or rules.is_official:
        return stated
    lines = normal_lines(submitted)
    stated = read_output(lines, SlotForms())
    only_day = WEEKDAYS[facts.days[0]] if len(facts.days) == 1 else ""
    if only_day and not stated.commands:
        stated = read_output(lines, SlotForms(only_day=only_day))
    return settle(stated, text_of(lines), SlotForms(only_day=only_day))


def _answer_of(read_slot: ReadSlot) -> PlanAnswer:
    """Return an answer; a slot without length has no piece."""
    slot = read_slot.slot
    pieces: tuple[Piece, ...] = ()
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
    """Return the minutes of a time in the published evaluation; more than a day if it is too long."""
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
    return facts_of(problem).reference.text


def answer_count(problem: Instance) -> int | None:
    """Return the number of right slots on the half hour; ``None`` if the earliest is asked for."""
    facts = facts_of(problem)
    return None if facts.is_earliest else len(facts.right_slots())


# --- verdict --------------------------------------------------------------------------------------


def grade(problem: Instance, answer: PlanAnswer, rules: Profile) -> PlanVerdict:
    """Check a slot: with ``exact`` everybody can meet in it, with ``official`` it is the published one.

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
        if slot != facts.reference:
            yield Violation(0, "other_slot", MEETING, required=facts.reference.text, actual=text)
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
        yield Violation(0, kind, MEETING, resource=off_time.person, required=off_time.text, actual=text)
    first_slot = facts.first_slot() if facts.is_earliest else None
    if first_slot is not None and first_slot < slot:
        yield Violation(0, "not_earliest", MEETING, required=first_slot.text, actual=text)


TEMPLATES = {
    "other_slot": "the published slot is {required}, not {actual}",
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
        "published", "Published answer", ("other_slot",), "Several slots may fit; the evaluation accepts only this one."
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
        busy = _times_of(facts, person, is_wish=False)
        lines.append(f"- {person}: busy on {busy}" if busy else f"- {person}: always free")
        wishes = _times_of(facts, person, is_wish=True)
        if wishes:
            lines.append(f"  does not want to meet: {wishes}")
    if facts.is_earliest:
        lines.append("The earliest slot in which all can meet is wanted.")
    return "\n".join(lines)


def _times_of(facts: CalendarFacts, person: str, *, is_wish: bool) -> str:
    """Return the busy times or the wishes of a person."""
    off_times = [off_time for off_time in facts.off_times if off_time.person == person]
    return "; ".join(off_time.text for off_time in off_times if off_time.is_wish == is_wish)


def moment(problem: Instance, tick: int) -> str:
    """Write an instant as a weekday with a time of day."""
    day, minute = divmod(tick, DAY_MINUTES)
    return f"{WEEKDAYS[day % len(WEEKDAYS)]}, {clock_text(minute)}"


def choices(problem: Instance, answer: PlanAnswer, rules: Profile) -> list[str]:
    """Return no commands: an answer is one message."""
    return []
