"""Stays in a text as the published evaluation of trips reads them, by flights and days."""

from __future__ import annotations

import re

from planoracle.instances.benchmarks.naturalplan.trip_facts import Stay

# The lookbehind changes no match, and makes the search linear.
_SPAN = re.compile(r"(?<!\d)(\d+)-(\d+)")
_TOTAL = re.compile(r"European cities for (\d+) days")
_DAY = re.compile(r"Day (\d+)")
#: Names of several words do not match. Matches may overlap.
_WAY = re.compile(r"(?=from (\w+) to (\w+))")
#: Days beyond this number are too late for every trip.
_LAST_DAY = 10**6


def published_stays(text: str) -> list[Stay]:
    r"""Return the stays of a text; empty if it has no flights or no days.

    Flights decide: a city is left on the day of the next flight, and the last one at the end of the last span of days.
    Lines after the last day of the trip, if the text states their number, do not count.

    >>> published_stays("Day 1-2: Rome\nDay 2: Fly from Rome to Oslo.\nDay 2-4: Oslo")
    [Stay(city='Rome', first=1, last=2), Stay(city='Oslo', first=2, last=4)]
    """
    total, last_day = None, None
    flights: list[tuple[int, str, str]] = []
    for line in text.split("\n"):
        stated_total = _TOTAL.search(line)
        if stated_total is not None:
            total = _day(stated_total[1])
        span = _SPAN.search(line)
        if span is not None:
            last_day = _day(span[2])
            if last_day == total:
                break
        flight = _flight_in(line)
        if flight is not None:
            flights.append(flight)
    if last_day is None or not flights:
        return []
    cities = [flights[0][1], *(after for _, _, after in flights)]
    days = [1, *(day for day, _, _ in flights), last_day]
    spans = zip(cities, days, days[1:], strict=False)
    return [Stay(city, first, last) for city, first, last in spans]


def _flight_in(line: str) -> tuple[int, str, str] | None:
    """Return day and cities of the last flight in a line, with the last day that is stated before it."""
    ways = list(_WAY.finditer(line))
    if not ways:
        return None
    way = ways[-1]
    days = [day for day in _DAY.finditer(line) if day.end() <= way.start()]
    return (_day(days[-1][1]), way[1], way[2]) if days else None


def _day(number: str) -> int:
    """Return the number of a day."""
    return int(number) if len(number) <= 6 else _LAST_DAY
