"""Calendar tasks by number and from records, as scheduling problems: a meeting that needs all people."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from planoracle.instances.benchmarks.naturalplan import calendar_text
from planoracle.instances.benchmarks.naturalplan.calendar_facts import DAY_MINUTES, Absence, CalendarFacts, Slot
from planoracle.instances.benchmarks.naturalplan.rules import Profile
from planoracle.instances.benchmarks.naturalplan.source_records import check_number, task_text, text_field
from planoracle.instances.errors import InputError
from planoracle.instances.files.strict_json import load_json
from planoracle.instances.model.calendars import Calendar
from planoracle.instances.model.instance import Action, Demand, Instance, Mode, Resource

#: The only action of a problem.
MEETING = "calendar/meeting"
_FILE = "calendar.json"
# Tasks name no date; this Monday is one that no clock change disturbs.
_MONDAY = datetime(2024, 1, 1)


@cache
def bundled() -> dict[str, CalendarFacts]:
    """Return the facts of the bundled tasks by the number of the original id."""
    path = files(__package__) / "data" / _FILE
    document: Any = load_json(path.read_bytes(), _FILE)
    return {number: _facts_of_row(row) for number, row in document["tasks"].items()}


def _facts_of_row(row: Mapping[str, Any]) -> CalendarFacts:
    off_times = []
    for field, is_wish in (("busy", False), ("wishes", True)):
        for person, spans in row[field].items():
            off_times += [Absence(person, day, start, end, is_wish) for day, start, end in spans]
    people, days = tuple(row["people"]), tuple(row["days"])
    opens, closes = row["hours"]
    reference = Slot(*row["reference"])
    return CalendarFacts(people, days, opens, closes, row["minutes"], tuple(off_times), row["earliest"], reference)


def recognises(record: Mapping[str, Any]) -> bool:
    """Return true for a published record."""
    return {"num_people", "num_days", "golden_plan"} <= record.keys()


def read(record: Mapping[str, Any], field: str) -> CalendarFacts:
    """Return the facts of a published record, from its text; raises `InputError` with field and value.

    Parameters
    ----------
    record
        Record with a prompt and ``golden_plan``.
    field
        Name of the record, for errors.
    """
    try:
        facts = calendar_text.facts_of(task_text(record), text_field(record, "golden_plan"))
        check_number(record, "num_people", len(facts.people))
        check_number(record, "num_days", len(facts.days))
        check_number(record, "duration", facts.minutes / 60)
    except InputError as error:
        raise error.at("", field) from None
    return facts


@lru_cache(maxsize=4096)
def instance(facts: CalendarFacts, name: str, is_official: bool = False) -> Instance:
    """Encode a task: people are resources with off-times, and a tick is a minute from Monday, 0:00 on.

    Parameters
    ----------
    facts
        Facts of the task.
    name
        Name of the problem.
    is_official
        The reference slot is the only one allowed, as in the published evaluation.
    """
    windows = [(day, facts.opens, facts.closes) for day in sorted(facts.days)]
    calendars = [_calendar(facts, person) for person in facts.people]
    minutes = facts.minutes
    if is_official:
        windows = [facts.reference]
        calendars = []
        minutes = facts.reference.end - facts.reference.start
    modes = (Mode(tuple(Demand(person) for person in facts.people)),)
    spans = [(tick_of(day, start), tick_of(day, end)) for day, start, end in windows]
    meeting = Action(MEETING, "calendar", minutes, 0, modes=modes, agents=(), windows=tuple(spans), label="meeting")
    resources = [Resource(person) for person in facts.people]
    return Instance(
        name=name,
        actions=(meeting,),
        resources=tuple(resources),
        agents=(),
        benchmark="naturalplan",
        unit="minute",
        seconds_per_tick=60,
        start_time=_MONDAY,
        origin=facts,
        calendars=tuple(calendar for calendar in calendars if calendar.off),
    )


def _calendar(facts: CalendarFacts, person: str) -> Calendar:
    """Return the off-times of a person in ticks, joined where they overlap."""
    spans = []
    for off_time in facts.off_times:
        if off_time.person == person:
            spans.append((tick_of(off_time.day, off_time.start), tick_of(off_time.day, off_time.end)))
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            previous_start, previous_end = joined[-1]
            joined[-1] = previous_start, max(previous_end, end)
        else:
            joined.append((start, end))
    return Calendar((person,), tuple(joined))


def tick_of(day: int, minute: int) -> int:
    """Return the tick of a minute of a weekday."""
    return day * DAY_MINUTES + minute


def slot_of(start: int, end: int) -> Slot:
    """Return the slot of a piece between two ticks of one day."""
    day, minute = divmod(start, DAY_MINUTES)
    return Slot(day, minute, minute + end - start)


def under(problem: Instance, rules: Profile) -> Instance:
    """Return the problem of a profile: in the official one only the reference slot is allowed."""
    return instance(facts_of(problem), problem.name, rules.is_official)


def facts_of(problem: Instance) -> CalendarFacts:
    """Return the facts of a calendar task; raises `InputError` for another problem."""
    origin = (problem.rest_of or problem).origin
    if not isinstance(origin, CalendarFacts):
        raise InputError("is not a calendar task with its facts", value=problem.name)
    return origin
