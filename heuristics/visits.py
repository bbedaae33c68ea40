"""Visits of agents and resources with ways or set-up times between them."""

from __future__ import annotations

from bisect import bisect_left

from planoracle.instances.model.instance import Instance
from planoracle.instances.model.transition_rules import MAX_TIED_VISITS
from planoracle.instances.model.transitions import Ways, ticks_between


class Visits:
    """Visits of one member in the order of their times, with time for the ways between them.

    Parameters
    ----------
    ways
        Ticks by pair of places or families.
    first_place
        Place or family at tick 0; ``None`` for any.

    Examples
    --------
    >>> visits = Visits({("home", "shop"): 2, ("shop", "home"): 3}, "home")
    >>> visits.fit("shop", 0, 4), visits.fit("yard", 0, 4)
    (2, None)
    >>> visits.add("shop", 2, 6)
    >>> visits.fit("home", 0, 0), visits.fit("home", 0, 1)
    (0, 9)
    """

    def __init__(self, ways: Ways, first_place: str | None) -> None:
        self._ways = ways
        self._first_place = first_place
        self._spans: list[tuple[int, int]] = []
        self._places: list[str] = []

    def fit(self, place: str, time: int, length: int) -> int | None:
        """Return the first instant from a time on at which a visit may begin, ``None`` if no way leads there."""
        position = self._position(place, time, length)
        return None if position is None else position[0]

    def _position(self, place: str, time: int, length: int) -> tuple[int, int] | None:
        """Return the first instant from a time on, and the place in the list, of a visit."""
        k = bisect_left(self._spans, (time, time + length))
        while k <= len(self._spans):
            arrival = self._arrival(place, k)
            if arrival is not None:
                start = max(time, arrival)
                if not length:
                    start = self._past_ties(start)
                if self._leaves_in_time(place, start + length, k):
                    return start, k
            k += 1
        return None

    def _arrival(self, place: str, k: int) -> int | None:
        """Return the earliest begin of a visit that comes directly before the one at position ``k``."""
        if k:
            way = ticks_between(self._ways, self._places[k - 1], place)
            return None if way is None else self._spans[k - 1][1] + way
        return 0 if self._first_place is None else ticks_between(self._ways, self._first_place, place)

    def _leaves_in_time(self, place: str, end: int, k: int) -> bool:
        if k == len(self._spans):
            return True
        way = ticks_between(self._ways, place, self._places[k])
        return way is not None and end + way <= self._spans[k][0]

    def _past_ties(self, instant: int) -> int:
        """Return the first instant from one on at which a visit of length 0 is not one too many."""
        while self._spans.count((instant, instant)) >= MAX_TIED_VISITS:
            instant += 1
        return instant

    def add(self, place: str, start: int, end: int) -> None:
        """Add a visit, which begins where `fit` says."""
        position = self._position(place, start, end - start)
        assert position is not None
        k = position[1]
        self._spans.insert(k, (start, end))
        self._places.insert(k, place)

    def remove(self, place: str, start: int, end: int) -> None:
        """Remove the visit that was added last of those that remain."""
        k = bisect_left(self._spans, (start, end))
        while self._places[k] != place:
            k += 1
        del self._spans[k]
        del self._places[k]


def empty_visits(instance: Instance) -> dict[str, Visits]:
    """Return empty visits of every agent and resource with transitions."""
    members: dict[str, Visits] = {}
    for transitions in instance.transitions:
        ways = transitions.ways()
        first_places = dict(transitions.start)
        for member in transitions.members:
            members[member] = Visits(ways, first_places.get(member))
    return members
