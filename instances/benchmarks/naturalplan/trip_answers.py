"""Answers to trips: itineraries in JSON and in text, and the verdicts on them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

from planoracle.instances.benchmarks.naturalplan.rules import PlanAnswer, PlanVerdict, Profile, verdict_of
from planoracle.instances.benchmarks.naturalplan.source_records import fields_of
from planoracle.instances.benchmarks.naturalplan.trip_facts import Stay, TripFacts
from planoracle.instances.benchmarks.naturalplan.trip_published import published_stays
from planoracle.instances.benchmarks.naturalplan.trip_tasks import AGENT, action_of, facts_of
from planoracle.instances.benchmarks.naturalplan.whole_answers import (
    last_message,
    sentence_of,
    settle,
    text_of,
    without_remarks,
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
_SPAN = re.compile(
    r"days?\s{0,3}(?P<first>\d{1,9})(?:\s{0,3}(?:-|–|—|to|through|until)\s{0,3}(?:days?\s{0,3})?(?P<last>\d{1,9}))?",
    re.I,
)
# Most right orders that are counted.
_MAX_ORDERS = 1000
_NUMBERS = re.compile(r"\d{1,9}")
_NOTE = re.compile(r"\s{0,9}[(\[].{0,300}", re.DOTALL)
_FLIGHT = re.compile(r"\b(?:fl(?:y|ying|ight|ights)|depart\w*|travel\w*)\b", re.I)
_VISIT = re.compile(r"\b(?:visit(?:ing)?|stay(?:ing)? (?:in|at)|explor(?:e|ing)|in|at)\s+(?P<city>[A-Z][\w'-]{1,40})")
#: Marks at the beginning of a line.
_MARKS = " *_#-"
#: Keys in JSON, in lower case with underscores.
_DAY_KEYS = ("day_range", "days", "day", "dates", "date_range")
_PLACE_KEYS = ("place", "city", "location", "destination")
_LIST_KEYS = ("itinerary", "trip_plan", "trip", "plan", "schedule", "stays", "cities")
_FLIGHT_KEYS = ("flying", "flight", "fly")
#: Most entries of an itinerary that are read.
_MAX_STAYS = 1_000


class StatedStay(NamedTuple):
    """Days and city of a stay as written."""

    days: str
    city: str


class TripForms(Grammar[StatedStay]):
    """Forms of stays: JSON objects, and lines with days and a city.

    Parameters
    ----------
    cities
        Cities of the trip.
    in_text
        Whether stays in text count; otherwise only those in JSON.
    """

    def __init__(self, cities: Iterable[str], in_text: bool = True) -> None:
        names = "|".join(map(re.escape, sorted(cities, key=len, reverse=True)))
        self.in_text = in_text
        self._city = re.compile(rf"\b(?:{names})\b", re.I)

    def find(self, text: str) -> list[StepMatch[StatedStay]]:
        """Return the stay in a line: days, and the city at its beginning or after the days."""
        span = _SPAN.search(text) if self.in_text else None
        if span is None:
            return []
        words = text[span.end() :]
        if _FLIGHT.search(words) and span["last"] in (None, span["first"]):
            return []
        heading = self._city.match(text.lstrip(_MARKS))
        city = heading[0] if heading else self._city_in(words)
        return [StepMatch(len(text), StatedStay(span[0], city))] if city else []

    def _city_in(self, words: str) -> str:
        """Return the city of a line: the only one, or the one that is visited; ``""`` if it is not clear."""
        cities = list(dict.fromkeys(self._city.findall(words)))
        if len(cities) == 1:
            return str(cities[0])
        visits = {match["city"] for match in _VISIT.finditer(words)}
        visited = [city for city in cities if city in visits] if cities else sorted(visits)
        return str(visited[0]) if len(visited) == 1 else ""

    def of(self, value: object) -> list[StatedStay] | None:
        """Return the stays of a JSON object, or of a list or mapping in it; flights are no stays."""
        if not isinstance(value, dict):
            return None
        fields = fields_of(value)
        stay = _stay_in(fields)
        if stay is not None:
            return [stay]
        if any(name in fields for name in _FLIGHT_KEYS):
            return []
        entries = _field(fields, _LIST_KEYS)
        if isinstance(entries, dict):
            return [StatedStay(str(days), str(city)) for days, city in entries.items()]
        if not isinstance(entries, list):
            return None
        objects = [fields_of(entry) for entry in entries if isinstance(entry, dict)]
        stays = [stay for stay in map(_stay_in, objects) if stay is not None]
        return stays or None

    def looks(self, text: str, free: bool) -> bool:
        """Return whether a line has days without a readable city, and is no flight."""
        return self.in_text and _SPAN.match(text.lstrip(_MARKS)) is not None and not _FLIGHT.search(text)

    def key(self, step: StatedStay) -> tuple[str, str]:
        """Return days and city in plain form."""
        return " ".join(_NUMBERS.findall(step.days)), step.city.lower()


def _stay_in(fields: Mapping[str, object]) -> StatedStay | None:
    """Return the stay in some fields, ``None`` if they have no days or no city."""
    city = _field(fields, _PLACE_KEYS)
    if not isinstance(city, str) or not any(name in fields for name in _DAY_KEYS):
        return None
    return StatedStay(_days_text(_field(fields, _DAY_KEYS)), city)


def _field(fields: Mapping[str, object], names: Iterable[str]) -> object:
    """Return the first of some fields that is present."""
    return next((fields[name] for name in names if name in fields), None)


def _days_text(value: object) -> str:
    """Return the text of days, which may be a number or a list of two."""
    if isinstance(value, list):
        return " - ".join(map(str, value[:3]))
    return str(value)[:100]


def stay_of(stated: StatedStay, facts: TripFacts) -> Stay:
    """Return a stated stay; raises `PlanError` naming the field that cannot be read.

    Notes in brackets after a city do not count, nor do capital letters.
    """
    numbers = [int(number) for number in _NUMBERS.findall(stated.days)]
    if len(numbers) not in (1, 2):
        raise PlanError("must be days such as Day 1-3", field="day_range", value=stated.days)
    name = _NOTE.sub("", stated.city).strip(" *_.")
    cities = {city.lower(): city for city, _ in facts.stays}
    return Stay(cities.get(name.lower(), name[:100]), numbers[0], numbers[-1])


# --- reading --------------------------------------------------------------------------------------


def reading(problem: Instance, submitted: object, rules: Profile) -> Reading[PlanAnswer]:
    """Read an itinerary; raises `PlanError` for one that cannot be read.

    The verdict ``official`` takes an itinerary in JSON as it is; other texts are read as in the published evaluation.

    >>> from planoracle.instances.benchmarks.naturalplan.trip_tasks import bundled, instance
    >>> trip = instance(bundled()["21"], "naturalplan/trip/21")
    >>> reading(trip, "**Day 1-2:** Arriving in Mykonos and visit Mykonos for 2 days.", Profile()).commands.steps
    (Stay(city='Mykonos', first=1, last=2),)
    """
    submitted = last_message(submitted)
    if not isinstance(submitted, str | list | dict):
        raise PlanError("must be text, or an itinerary with day_range and place", field="plan", value=submitted)
    if submitted == []:
        return read_list([]).of(lambda _: PlanAnswer(()))
    facts = facts_of(problem)
    stated = _stated_stays(submitted, facts, rules)
    text = text_of(submitted)
    if rules.is_official and text and not stated.commands:
        stays = published_stays(text)[: len(facts.reference)]
        return Reading(_answer_of(facts, stays), len(stays), "text", 0, fault="" if stays else NO_PLAN)
    if len(stated.commands) > _MAX_STAYS:
        raise PlanError(f"must have at most {_MAX_STAYS} stays", field="plan", value=len(stated.commands))
    stays = []
    for stay in stated.commands:
        read_stay = stay_of(stay, facts)
        stays.append(read_stay._replace(city=stay.city) if rules.is_official else read_stay)
    return stated.of(lambda _: _answer_of(facts, stays))


def _stated_stays(submitted: object, facts: TripFacts, rules: Profile) -> Reading[list[StatedStay]]:
    """Return the stays that are the plan of an answer: those in JSON, else those in text."""
    cities = [city for city, _ in facts.stays]
    stated = read_output(submitted, TripForms(cities, in_text=False))
    if stated.commands or stated.fault == AMBIGUOUS or rules.is_official:
        return stated
    forms = TripForms(cities)
    submitted = without_remarks(submitted)
    return settle(read_output(submitted, forms), text_of(submitted), forms)


def _answer_of(facts: TripFacts, stays: Sequence[Stay]) -> PlanAnswer:
    """Return an answer; the first stay in each city of the trip has a piece."""
    pieces: dict[str, Piece] = {}
    cities = {city for city, _ in facts.stays}
    for stay in stays:
        if stay.city in cities and stay.city not in pieces and 1 <= stay.first <= stay.last:
            pieces[stay.city] = Piece(action_of(stay.city), stay.first - 1, stay.days - 1, AGENT)
    return PlanAnswer(tuple(pieces.values()), tuple(stays))


def written(problem: Instance, schedule: Schedule) -> list[str]:
    """Write a schedule as lines of stays and flights.

    A published evaluation reads the flights, and the last day of the stays.
    """
    lines: list[str] = []
    before = ""
    for piece in schedule.pieces:
        city = problem.by_id[piece.action].place or ""
        if before:
            lines.append(f"Day {piece.start + 1}: fly from {before} to {city}")
        lines.append(Stay(city, piece.start + 1, piece.end + 1).text)
        before = city
    return lines


def published(problem: Instance) -> list[str]:
    """Return the published plan as lines of stays and flights."""
    pieces = _answer_of(facts_of(problem), facts_of(problem).reference_stays).pieces
    return written(problem, Schedule.of(problem, pieces))


def answer_count(problem: Instance) -> int:
    """Return the number of right orders, at most `_MAX_ORDERS`."""
    return len(facts_of(problem).orders(_MAX_ORDERS))


# --- verdict --------------------------------------------------------------------------------------


def grade(problem: Instance, answer: PlanAnswer, rules: Profile) -> PlanVerdict:
    """Grade an itinerary.

    With ``exact`` any order that fits is right, with ``official`` the published stays in their order.
    """
    facts = facts_of(problem)
    rules_broken = _differences(facts, answer) if rules.is_official else _violations(facts, answer.steps)
    violations = list(rules_broken) if answer.steps else [Violation(None, "no_plan", "answer")]
    positions = [violation.position for violation in violations]
    pieces = {piece.action: piece for piece in answer.pieces}
    steps = []
    is_on_track = True
    for number, stay in enumerate(answer.steps):
        violation = violations[positions.index(number)] if number in positions else None
        is_on_track = is_on_track and violation is None
        start, end = _ticks(stay)
        if is_on_track:
            step = Step(number, stay.text, "act", start, end, piece=pieces.get(action_of(stay.city)))
        else:
            step = Step(number, stay.text, "lost", start, start, violation)
        steps.append(step)
    count = sum(step.piece is not None for step in steps)
    share = min(1.0, count / len(facts.stays))
    return verdict_of(problem, steps, violations, success=not violations, share=share)


def _ticks(stay: Stay) -> tuple[int, int]:
    """Return first and last tick of a stay, from 0 on."""
    start = max(0, stay.first - 1)
    return start, max(start, stay.last - 1)


def _differences(facts: TripFacts, answer: PlanAnswer) -> Iterator[Violation]:
    """Yield the first difference from the published plan."""
    for number, (expected, stay) in enumerate(zip_longest(facts.reference_stays, answer.steps)):
        if stay != expected:
            required = "the end of the trip" if expected is None else expected.text
            actual = "the end of the trip" if stay is None else stay.text
            position = None if stay is None else number
            yield Violation(position, "other_stay", (expected or stay).city, required=required, actual=actual)
            return


def _violations(facts: TripFacts, stays: Sequence[Stay]) -> Iterator[Violation]:
    """Yield the broken rules of an itinerary, stay by stay, then those of the whole trip."""
    visited: set[str] = set()
    before: Stay | None = None
    for number, stay in enumerate(stays):
        for violation in _violations_of_stay(facts, stay, before, visited):
            yield violation._replace(position=number)
        visited.add(stay.city)
        before = stay
    for city, _ in facts.stays:
        if city not in visited:
            yield Violation(None, "missing_city", city)
    if before is not None and before.last != facts.days:
        yield Violation(None, "last_day", before.city, required=facts.days, actual=before.last)


def _violations_of_stay(facts: TripFacts, stay: Stay, before: Stay | None, visited: set[str]) -> Iterator[Violation]:
    """Yield the broken rules of a stay after another one."""
    city = stay.city
    days = dict(facts.stays).get(city)
    if days is None:
        yield Violation(None, "unknown_city", city)
        return
    if city in visited:
        yield Violation(None, "repeated_city", city)
    first = 1 if before is None else before.last
    if stay.first != first:
        kind = "first_day" if before is None else "gap"
        yield Violation(None, kind, city, required=first, actual=stay.first)
    if before is not None and (before.city, city) not in facts.flights and before.city != city:
        yield Violation(None, "no_flight", city, resource=before.city)
    if stay.days != days:
        yield Violation(None, "stay", city, required=days, actual=stay.days)
    for event in facts.events:
        if event.city == city and not (stay.first <= event.first and event.last <= stay.last):
            yield Violation(None, "event", city, required=f"{event.first}-{event.last}", actual=stay.text)


_TEMPLATES = {
    "other_stay": "the published plan has {required}, not {actual}",
    "unknown_city": "the trip does not include {subject}",
    "repeated_city": "{subject} is visited a second time",
    "missing_city": "{subject} is not visited",
    "first_day": "the trip begins on day {actual} instead of day 1",
    "gap": "the stay in {subject} begins on day {actual} instead of day {required}, the day of the flight",
    "no_flight": "there is no direct flight from {resource} to {subject}",
    "stay": "the stay in {subject} has {actual} days instead of {required}",
    "event": "the stay in {subject} must include the days {required}",
    "last_day": "the trip ends on day {actual} instead of day {required}",
}
SENTENCES = {kind: sentence_of(template) for kind, template in _TEMPLATES.items()}
TOPICS = (
    Topic("cities", "Cities", ("unknown_city", "repeated_city", "missing_city"), "Visit each city of the text once."),
    Topic("flights", "Flights", ("no_flight",), "Fly only where the text lists a direct flight."),
    Topic(
        "days",
        "Days",
        ("first_day", "gap", "stay", "last_day"),
        "The day of a flight counts in both cities, so that a stay begins on the last day of the one before.",
    ),
    Topic("events", "Events", ("event",), "Place the cities with events first, then the others between them."),
    Topic("published_trip", "Published plan", ("other_stay",), "The evaluation accepts only this plan."),
)

# --- statement ------------------------------------------------------------------------------------

INSTRUCTIONS = """Plan a trip that visits each city once, for its number of days, and uses direct flights only. The day
of a flight counts in both cities. A stay must include the days of the events in its city."""
HOW_TO_ANSWER = """Answer with one line for each stay and each flight, in order, of these forms:
Day FIRST-LAST: visit CITY
Day DAY: fly from CITY to CITY"""


def describe(problem: Instance) -> str:
    """Return a trip in words."""
    facts = facts_of(problem)
    lines = [f"Days of the trip: {facts.days}", "", "Cities:"]
    for city, days in facts.stays:
        events = [f"days {event.first}-{event.last}" for event in facts.events if event.city == city]
        note = f", with events on {' and '.join(events)}" if events else ""
        lines.append(f"- {city}: {days} days{note}")
    lines += ["", "Direct flights:"]
    for before, after in facts.flights:
        lines.append(f"- {before} to {after}")
    return "\n".join(lines)


def moment(problem: Instance, tick: int) -> str:
    """Write an instant as a day of the trip."""
    return f"day {tick + 1}"


def choices(problem: Instance, answer: PlanAnswer, rules: Profile) -> list[str]:
    """Return no commands: an answer is one message."""
    return []
