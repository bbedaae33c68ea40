"""Trips by number and from records, as scheduling problems: stays, and ways where there are flights."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

from planoracle.instances.benchmarks.naturalplan import trip_text
from planoracle.instances.benchmarks.naturalplan.rules import Profile
from planoracle.instances.benchmarks.naturalplan.source_records import check_number, task_text, text_field
from planoracle.instances.benchmarks.naturalplan.trip_facts import Stay, TripFacts
from planoracle.instances.errors import InputError
from planoracle.instances.files.strict_json import load_json
from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.transitions import Transitions

#: Name of the agent.
AGENT = "you"
_DAY_SECONDS = 24 * 60 * 60
_FILE = "trip.json"


@cache
def bundled() -> Mapping[str, TripFacts]:
    """Return the facts of the bundled trips by the number of the original id."""
    path = files(__package__) / "data" / _FILE
    document: Any = load_json(path.read_bytes(), _FILE)
    return {number: _facts_of_row(row) for number, row in document["tasks"].items()}


def _facts_of_row(row: Mapping[str, Any]) -> TripFacts:
    """Return the facts of a row, in which cities are positions in the list of stays."""
    stays = [(city, days) for city, days in row["stays"]]
    cities = [city for city, _ in stays]
    flights = []
    for before, after in row["both_ways"]:
        flights += [(cities[before], cities[after]), (cities[after], cities[before])]
    for before, after in row["one_way"]:
        flights.append((cities[before], cities[after]))
    events = [Stay(cities[city], first, last) for city, first, last in row["events"]]
    reference = [(cities[city], days) for city, days in row["reference"]]
    return TripFacts(row["days"], tuple(stays), tuple(events), tuple(flights), tuple(reference))


def recognises(record: Mapping[str, Any]) -> bool:
    """Return true for a published record."""
    return {"cities", "durations"} <= record.keys()


def read(record: Mapping[str, Any], field: str) -> TripFacts:
    """Return the facts of a published record, from its text; raises `InputError` with field and value.

    Parameters
    ----------
    record
        Record with a prompt, ``cities`` and ``durations``.
    field
        Name of the record, for errors.
    """
    try:
        text = trip_text.statements_of(task_text(record))
        if text.city_count != len(text.stays):
            raise InputError(f"must be {text.city_count} cities", field="prompt_0shot", value=len(text.stays))
        check_number(record, "num_cities", text.city_count)
        return TripFacts(text.days, text.stays, text.events, text.flights, _reference(record, dict(text.stays)))
    except InputError as error:
        raise error.at("", field) from None


def _reference(record: Mapping[str, Any], stays: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    """Return cities and days of the reference plan, which must be those of the text."""
    cities = list(filter(None, text_field(record, "cities").split("**")))
    if sorted(cities) != sorted(stays):
        raise InputError("must be the cities of the text", field="cities", value=cities)
    days = list(filter(None, text_field(record, "durations").split("**")))
    are_numbers = all(day.isdecimal() and len(day) <= 6 for day in days)
    if len(days) != len(cities) or not are_numbers:
        raise InputError(f"must be {len(cities)} numbers", field="durations", value=days)
    return tuple(zip(cities, map(int, days), strict=True))


def action_of(city: str) -> str:
    """Return the action of the stay in a city."""
    return f"trip/{city}"


@lru_cache(maxsize=4096)
def instance(facts: TripFacts, name: str, is_official: bool = False) -> Instance:
    """Encode a trip: a stay takes one tick less than its days, and a flight none.

    Tick 0 is the first day, and the last day the limit.

    Parameters
    ----------
    facts
        Facts of the trip.
    name
        Name of the problem.
    is_official
        The reference plan is the only one allowed, as in the published evaluation.
    """
    stays = facts.stays
    windows = {city: _window(facts, city, days) for city, days in stays}
    flights = set(facts.flights)
    if is_official:
        stays = facts.reference
        reference_stays = facts.reference_stays
        windows = {stay.city: (stay.first - 1, stay.last - 1) for stay in reference_stays}
        flights = {(before.city, after.city) for before, after in pairwise(reference_stays)}
    actions = []
    for city, days in stays:
        nights = days - 1
        action = Action(action_of(city), "trip", nights, nights, label=city, windows=(windows[city],), place=city)
        actions.append(action)
    ways = tuple((before, after, 0) for before, after in sorted(flights))
    return Instance(
        name=name,
        actions=tuple(actions),
        agents=(AGENT,),
        benchmark="naturalplan",
        unit="day",
        seconds_per_tick=_DAY_SECONDS,
        time_limit=facts.days - 1,
        origin=facts,
        transitions=(Transitions((AGENT,), ways),),
    )


def _window(facts: TripFacts, city: str, days: int) -> tuple[int, int]:
    """Return the ticks between which a stay lies, so that it includes the events of its city."""
    earliest, latest = facts.first_days(city)
    return earliest - 1, max(latest + days - 2, earliest - 1)


def under(problem: Instance, rules: Profile) -> Instance:
    """Return the problem of a profile: in the official one only the reference plan is allowed."""
    return instance(facts_of(problem), problem.name, rules.is_official)


def facts_of(problem: Instance) -> TripFacts:
    """Return the facts of a trip; raises `InputError` for another problem."""
    origin = (problem.rest_of or problem).origin
    if not isinstance(origin, TripFacts):
        raise InputError("is not a trip with its facts", value=problem.name)
    return origin
