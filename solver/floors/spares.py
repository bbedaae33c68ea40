"""Cookware that a plan need not touch: which of several pans stay where they are."""

from __future__ import annotations

from itertools import combinations, product
from math import comb, prod

from planoracle.solver.floors.moves import Moves, State
from planoracle.solver.floors.things import NOTHING

__all__ = ["spares", "without"]

# Choices at most; with more of them none is made.
_MANY = 24


def spares(moves: Moves) -> list[tuple[int, ...]]:
    """Return all choices of stations whose cookware is left over.

    Of each kind no more is used than there are ingredients that it takes: an ingredient is in one of them in its life,
    as nothing comes out of a vessel but onto a plate, and empty cookware is good for nothing.
    """
    choices = []
    for kind in moves.floor.facts.cookware:
        stands = [s for s, one in enumerate(moves.stations) if one.holds == kind.name]
        used = sum(name in kind.ingredients for dish in moves.things.dishes for name, _ in dish)
        choices.append((stands, max(0, len(stands) - used)))
    if prod(comb(len(stands), left) for stands, left in choices) > _MANY:
        return [()]
    rows = product(*(combinations(stands, left) for stands, left in choices))
    return [tuple(sorted(s for part in row for s in part)) for row in rows]


def without(state: State, stations: tuple[int, ...]) -> State:
    """Return a state without what stands on some stations: nothing is later then, as it could only be in the way."""
    return state._replace(on=tuple(NOTHING if s in stations else thing for s, thing in enumerate(state.on)))
