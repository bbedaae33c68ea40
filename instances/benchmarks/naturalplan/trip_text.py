"""Reader of the texts of trips: cities with days of stay, events and direct flights."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from planoracle.instances.benchmarks.naturalplan.source_records import sentences_of, unknown_sentence
from planoracle.instances.benchmarks.naturalplan.trip_facts import Stay

_NUMBER = r"\d{1,6}"
_CITY = r"(?P<city>[^,.:;\d]{1,60})"
_SPAN = rf"day (?P<first>{_NUMBER}) (?:and|to) day (?P<last>{_NUMBER})"
_TRIP = re.compile(rf"You plan to visit (?P<count>{_NUMBER}) (?:\w+ )?cities for (?P<days>{_NUMBER}) days in total\.")
_DIRECT = re.compile(r"You only take direct flights to commute between cities\.")
_REQUEST = re.compile(
    rf"Find a trip plan of visiting the cities for {_NUMBER} days by taking direct flights to commute between them\."
)
_VISIT = re.compile(
    rf"You (?:plan to stay in|would like to visit|want to visit) {_CITY} for (?P<days>{_NUMBER}) days?\."
)
_TIME_IN_CITY = re.compile(rf"You want to spend (?P<days>{_NUMBER}) days? in {_CITY}\.")
_STAYS = (_VISIT, _TIME_IN_CITY)
_OCCASIONS = (
    r"(?:are going to attend a wedding in|plan to visit relatives in|have to attend a workshop in"
    r"|want to meet a friend in|would like to meet your friends at)"
)
_OCCASION = re.compile(rf"You {_OCCASIONS} {_CITY} between {_SPAN}(?: to tour together)?\.")
_CONFERENCE = re.compile(rf"During {_SPAN}, you have to attend a conference in {_CITY}\.")
_SHOW = re.compile(rf"From {_SPAN}, there is an? annual show you want to attend in {_CITY}\.")
_EVENTS = (_OCCASION, _CONFERENCE, _SHOW)


class TripText(NamedTuple):
    """Statements of a text: days in all, number of cities, stays, events and flights."""

    days: int
    city_count: int
    stays: tuple[tuple[str, int], ...]
    events: tuple[Stay, ...]
    flights: tuple[tuple[str, str], ...]


def statements_of(text: str) -> TripText:
    """Return the statements of the text of a trip; raises `InputError` for a sentence that is not known."""
    before, separator, after = text.partition("Here are the cities that have direct flights:")
    first_sentence, *sentences = sentences_of(before) or [""]
    trip = _TRIP.fullmatch(first_sentence)
    if trip is None or not separator:
        raise unknown_sentence(first_sentence)
    stays: list[tuple[str, int]] = []
    events: list[Stay] = []
    for sentence in sentences:
        stay = _match_of(sentence, _STAYS)
        event = _match_of(sentence, _EVENTS)
        if stay is not None:
            stays.append((stay["city"], int(stay["days"])))
        elif event is not None:
            events.append(Stay(event["city"], int(event["first"]), int(event["last"])))
        elif not _DIRECT.fullmatch(sentence):
            raise unknown_sentence(sentence)
    flight_text, *requests = sentences_of(after) or [""]
    for sentence in requests:
        if not _REQUEST.fullmatch(sentence):
            raise unknown_sentence(sentence)
    flights = _flights(flight_text.removesuffix("."), {city for city, _ in stays})
    return TripText(int(trip["days"]), int(trip["count"]), tuple(stays), tuple(events), flights)


def _match_of(sentence: str, patterns: Iterable[re.Pattern[str]]) -> re.Match[str] | None:
    """Return the match of a whole sentence with the first fitting pattern."""
    matches = (pattern.fullmatch(sentence) for pattern in patterns)
    return next(filter(None, matches), None)


def _flights(text: str, cities: set[str]) -> tuple[tuple[str, str], ...]:
    """Return the flights of a list: ``A and B`` both ways, ``from A to B`` one way, without repetitions."""
    flights: list[tuple[str, str]] = []
    for entry in filter(None, text.split(", ")):
        is_one_way = entry.startswith("from ")
        separator = " to " if is_one_way else " and "
        before, _, after = entry.removeprefix("from ").partition(separator)
        if not {before, after} <= cities:
            raise unknown_sentence(entry)
        flights.append((before, after))
        if not is_one_way:
            flights.append((after, before))
    return tuple(dict.fromkeys(flights))
