"""Transitions: ways of agents between places, and set-up times of resources between families of uses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

#: Ticks by pair of places or families.
Ways: TypeAlias = Mapping[tuple[str, str], int]


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
        """Return the ticks by pair, as far as they are given; see `ticks_between`."""
        return {(before, after): ticks for before, after, ticks in self.times}


def ticks_between(ways: Ways, before: str, after: str) -> int | None:
    """Return the ticks from one place or family to another; ``None`` if there is no way.

    >>> ways = Transitions(("ann",), (("home", "shop", 4),)).ways()
    >>> ticks_between(ways, "home", "shop"), ticks_between(ways, "shop", "home"), ticks_between(ways, "yard", "yard")
    (4, None, 0)
    """
    default = 0 if before == after else None
    return ways.get((before, after), default)
