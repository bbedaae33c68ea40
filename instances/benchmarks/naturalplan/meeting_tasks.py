"""Meetings of Natural Plan: facts of a problem, published records, and the scheduling problem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from planoracle.instances.benchmarks.naturalplan.day_times import minutes_of
from planoracle.instances.benchmarks.naturalplan.rules import Profile
from planoracle.instances.errors import InputError
from planoracle.instances.files.strict_entries import check as check_document
from planoracle.instances.files.strict_json import load_json
from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.transitions import Transitions

#: Name of the agent.
AGENT = "you"
# Tasks name no date; this is one that no clock change disturbs.
_DAY = datetime(2024, 1, 1)
_MAX_PERSONS = 50
_MAX_MINUTES = 24 * 60


class Person(NamedTuple):
    """Person to meet; times in minutes since midnight.

    Attributes
    ----------
    name, place
        Person, and the place of the meeting.
    begin, end
        Window in which the person is there.
    minutes
        Minimum length of a meeting.
    """

    name: str
    place: str
    begin: int
    end: int
    minutes: int


class MeetingFacts(NamedTuple):
    """Facts of a problem.

    Attributes
    ----------
    start
        Place of the arrival.
    arrival
        Minutes since midnight.
    persons
        Persons in the order of the text.
    ways
        Minutes from one place to another, which need not be symmetric.
    order
        Persons that the published plan meets, in its order.
    """

    start: str
    arrival: int
    persons: tuple[Person, ...]
    ways: tuple[tuple[str, str, int], ...]
    order: tuple[str, ...]


@cache
def bundled() -> Mapping[str, MeetingFacts]:
    """Return the bundled facts by number."""
    data = files("planoracle.instances.benchmarks.naturalplan").joinpath("data/meeting.json").read_bytes()
    rows = load_json(data, "meeting.json")
    return {number: _unpacked(row) for number, row in rows.items()}


def _unpacked(row: Mapping[str, Any]) -> MeetingFacts:
    """Return the facts of a row; the first place is that of the arrival."""
    places = row["places"]
    persons = []
    for name, place, begin, end, minutes in row["persons"]:
        persons.append(Person(name, places[place], begin, end, minutes))
    ways = []
    for before, minutes_to in zip(places, row["ways"], strict=True):
        for after, minutes in zip(places, minutes_to, strict=True):
            if minutes is not None:
                ways.append((before, after, minutes))
    order = tuple(persons[number].name for number in row["order"])
    return MeetingFacts(places[0], row["arrival"], tuple(persons), tuple(ways), order)


# --- published records ----------------------------------------------------------------------------


def recognises(record: Mapping[str, Any]) -> bool:
    """Return true for a published record."""
    return {"constraints", "dist_matrix"} <= record.keys()


def read(record: Mapping[str, Any], field: str) -> MeetingFacts:
    """Return the facts of a published record; raises `InputError` with field and value.

    Parameters
    ----------
    record
        Record with ``constraints``, ``dist_matrix`` and ``golden_plan``.
    field
        Name of the record, for errors.
    """
    constraints = record["constraints"]
    check_document(list[list[str | int]], constraints, f"{field}.constraints")
    if not 2 <= len(constraints) <= _MAX_PERSONS + 1:
        message = f"must be a start and 1 to {_MAX_PERSONS} persons"
        raise InputError(message, field=f"{field}.constraints", value=len(constraints))
    start, arrival = _start(constraints[0], f"{field}.constraints[0]")
    persons = []
    for number, row in enumerate(constraints[1:], 1):
        persons.append(_person(row, f"{field}.constraints[{number}]"))
    ways = _ways(record["dist_matrix"], f"{field}.dist_matrix")
    names = [person.name for person in persons]
    if len(set(names)) < len(names):
        raise InputError("must be different persons", field=f"{field}.constraints", value=names)
    places = {start, *record["dist_matrix"]}
    for person in persons:
        if person.place not in places:
            raise InputError("has no entry in dist_matrix", field=f"{field}.constraints", value=person.place)
    if "golden_plan" not in record:
        raise InputError("is missing", field=f"{field}.golden_plan")
    order = _order(record["golden_plan"], names, f"{field}.golden_plan")
    return MeetingFacts(start, arrival, tuple(persons), ways, order)


def _start(row: Sequence[Any], field: str) -> tuple[str, int]:
    """Return place and time of the arrival."""
    if len(row) != 2:
        raise InputError("must be [place, time]", field=field, value=list(row))
    return _text(row[0], field), _time(row[1], field)


def _person(row: Sequence[Any], field: str) -> Person:
    """Return a person of a constraint."""
    if len(row) != 4:
        raise InputError('must be [person, place, "9:00AM to 5:00PM", minutes]', field=field, value=list(row))
    name, place = _text(row[0], field), _text(row[1], field)
    begin, separator, end = _text(row[2], field).partition(" to ")
    if not separator:
        raise InputError("must be a window such as 9:00AM to 5:00PM", field=field, value=row[2])
    return Person(name, place, _time(begin, field), _time(end, field), _minutes(row[3], field, 1))


def _ways(matrix: Any, field: str) -> tuple[tuple[str, str, int], ...]:
    """Return the ways of a matrix by place."""
    check_document(dict[str, dict[str, int]], matrix, field)
    ways = []
    for before, row in matrix.items():
        for after, minutes in row.items():
            if before != after:
                ways.append((before, after, _minutes(minutes, f"{field}.{before}.{after}", 0)))
    return tuple(ways)


def _order(plan: Any, names: Sequence[str], field: str) -> tuple[str, ...]:
    """Return the persons that a published plan meets, in its order."""
    check_document(list[str], plan, field)
    order = []
    for sentence in plan:
        for name in names:
            if sentence.startswith(f"You meet {name} for"):
                order.append(name)
    return tuple(order)


def _text(value: object, field: str) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= 200:
        raise InputError("must be a text of at most 200 characters", field=field, value=value)
    return value


def _time(value: object, field: str) -> int:
    minutes = minutes_of(_text(value, field))
    if minutes is None:
        raise InputError("must be a time such as 9:00AM", field=field, value=value)
    return minutes


def _minutes(value: object, field: str, minimum: int) -> int:
    if type(value) is not int or not minimum <= value <= _MAX_MINUTES:
        message = f"must be a whole number of minutes from {minimum} to {_MAX_MINUTES}"
        raise InputError(message, field=field, value=value)
    return value


# --- scheduling problem ---------------------------------------------------------------------------


def action_of(person: str) -> str:
    """Return the action of the meeting with a person."""
    return f"{person}/meet"


def instance(facts: MeetingFacts, name: str) -> Instance:
    """Encode a problem: one agent on the way between places, and an optional task for each person.

    A tick is a minute, and tick 0 the arrival.
    """
    start = ((AGENT, facts.start),)
    used_places = {facts.start, *(person.place for person in facts.persons)}
    ways = tuple(way for way in facts.ways if used_places.issuperset(way[:2]))
    arrival = _DAY + timedelta(minutes=facts.arrival)
    return Instance(
        name=name,
        actions=tuple(_action(person, facts.arrival) for person in facts.persons),
        agents=(AGENT,),
        benchmark="naturalplan",
        unit="minute",
        seconds_per_tick=60,
        origin=facts,
        transitions=(Transitions((AGENT,), ways, start),),
        optional=tuple((person.name, 1) for person in facts.persons),
        start_time=arrival,
    )


def _action(person: Person, arrival: int) -> Action:
    """Return the meeting with a person; of its window, the time before the arrival is cut."""
    begin = max(0, person.begin - arrival)
    end = max(begin, person.end - arrival)
    return Action(
        action_of(person.name),
        person.name,
        person.minutes,
        person.minutes,
        label=f"meet {person.name}",
        windows=((begin, end),),
        place=person.place,
    )


def under(problem: Instance, rules: Profile) -> Instance:
    """Return the problem itself: no rule changes it."""
    return problem
