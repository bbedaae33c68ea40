"""Facts of trips: cities with days of stay, events, direct flights, and the orders that fit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from planoracle.instances.errors import InputError

#: Largest number of cities and of days of a trip.
MAX_CITIES, MAX_DAYS = 50, 1_000
#: Largest number of events and of flights of a trip.
MAX_EVENTS, MAX_FLIGHTS = 500, 5_000


class Stay(NamedTuple):
    """Stay in a city from a first to a last day, both included."""

    city: str
    first: int
    last: int

    @property
    def days(self) -> int:
        """Number of days."""
        return self.last - self.first + 1

    @property
    def text(self) -> str:
        """The stay as a line of a plan."""
        return f"Day {self.first}-{self.last}: visit {self.city}"


@dataclass(frozen=True, slots=True)
class TripFacts:
    """Facts of a trip; days are numbered from 1.

    Attributes
    ----------
    days
        Days of the trip.
    stays
        Cities and days of stay, in the order of the text.
    events
        Days that the stay in a city must include, as stays.
    flights
        Pairs of cities with a direct flight from the first to the second.
    reference
        Cities and days of stay of the reference plan, in its order.
    """

    days: int
    stays: tuple[tuple[str, int], ...]
    events: tuple[Stay, ...]
    flights: tuple[tuple[str, str], ...]
    reference: tuple[tuple[str, int], ...]

    def __post_init__(self) -> None:
        cities = [city for city, _ in self.stays]
        _check(0 < len(cities) <= MAX_CITIES and len(set(cities)) == len(cities), "cities", cities)
        _check(0 < self.days <= MAX_DAYS, "days", self.days)
        _check(len(self.events) <= MAX_EVENTS, "events", len(self.events))
        _check(len(self.flights) <= MAX_FLIGHTS, "flights", len(self.flights))
        for city, days in self.stays:
            _check(0 < days <= self.days, "days of stay", (city, days))
        nights = sum(days - 1 for _, days in self.stays)
        if nights != self.days - 1:
            message = f"must add up to {self.days} days, if days of flights count in both cities"
            raise InputError(message, field="days of stay", value=nights + 1)
        for event in self.events:
            _check(event.city in cities, "event", event)
            _check(1 <= event.first <= event.last <= self.days, "event", event)
            _check(event.days <= dict(self.stays)[event.city], "event", event)
        for flight in self.flights:
            _check(set(flight) <= set(cities), "flight", flight)

    @property
    def reference_stays(self) -> list[Stay]:
        """Stays of the reference plan."""
        return consecutive(self.reference)

    def first_days(self, city: str) -> tuple[int, int]:
        """Return the earliest and the latest first day of a stay, by the events of the city."""
        days = dict(self.stays)[city]
        earliest, latest = 1, self.days - days + 1
        for event in self.events:
            if event.city == city:
                earliest = max(earliest, event.last - days + 1)
                latest = min(latest, event.first)
        return earliest, latest

    def orders(self, limit: int | None = None) -> list[tuple[str, ...]]:
        """Return the orders of the cities that fit, at most ``limit``."""
        return list(islice(self._orders_after((), 1), limit))

    def _orders_after(self, order: tuple[str, ...], day: int) -> Iterator[tuple[str, ...]]:
        """Yield the orders that begin with some cities, of which the last is left on a day."""
        if len(order) == len(self.stays):
            yield order
        for city, days in self.stays:
            earliest, latest = self.first_days(city)
            is_reachable = not order or (order[-1], city) in self.flights
            if city not in order and is_reachable and earliest <= day <= latest:
                yield from self._orders_after((*order, city), day + days - 1)


def consecutive(stays: tuple[tuple[str, int], ...]) -> list[Stay]:
    """Return stays one after the other, each from the last day of the one before.

    >>> consecutive((("Rome", 2), ("Oslo", 3)))
    [Stay(city='Rome', first=1, last=2), Stay(city='Oslo', first=2, last=4)]
    """
    first = 1
    dated = []
    for city, days in stays:
        dated.append(Stay(city, first, first + days - 1))
        first += days - 1
    return dated


def _check(is_right: bool, field: str, value: object) -> None:
    """Raise `InputError` for a fact that is out of range."""
    if not is_right:
        raise InputError("is out of range, repeated or unknown", field=field, value=value)
