"""Transitions: ways of agents between places, and set-up times of resources between families of uses."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Transitions:
    """Ticks that some agents or resources need between consecutive visits.

    Attributes
    ----------
    members
        Names of agents and resources.
    times
        Ticks from one place or family to another. From a place to itself they are 0 unless given; any other missing
        pair means that there is no way.
    start
        Place or family of a member at tick 0; other members begin anywhere.
    """

    members: tuple[str, ...]
    times: tuple[tuple[str, str, int], ...]
    start: tuple[tuple[str, str], ...] = ()

    def ways(self) -> dict[tuple[str, str], int]:
        """Return the ticks by pair, also those from each place to itself."""
        ways: dict[tuple[str, str], int] = {}
        for before, after, _ in self.times:
            ways[before, before] = 0
            ways[after, after] = 0
        for _, place in self.start:
            ways[place, place] = 0
        for before, after, ticks in self.times:
            ways[before, after] = ticks
        return ways
