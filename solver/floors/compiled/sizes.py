"""How large a floor can be for the compiled search, which writes it in short numbers."""

from __future__ import annotations

from typing import Final

from planoracle.solver.floors.search import Search

__all__ = ["FAR", "HOLDING", "LOADS", "NEVER", "WIDE", "suits"]

#: Longer than anything takes, and the clock of a vessel that was never used.
FAR: Final = 1_000_000
NEVER: Final = -30_000
#: Things that there can be; things with food in them at once; tiles and stations.
HOLDING: Final = 4096
LOADS: Final = 14
WIDE: Final = 4096
# Moments are written in 16 bits, with room for what is under way, and for all food in a vessel to be cooked twice.
_LATEST: Final = 8_000
_LONGEST: Final = 12_000
# Stacks of states, by bound and rank.
_STACKS: Final = 20_000_000


def suits(search: Search, most: int) -> bool:
    """Whether a floor is small enough to be written in short numbers."""
    moves = search.moves
    facts = moves.floor.facts
    cooking = 2 * LOADS * max((kind.ticks for kind in facts.cookware), default=0)
    dishes = moves.things.dishes
    return (
        len(moves.floor.cooks) < 8
        and max(len(moves.tiles), len(moves.kinds)) < WIDE
        and sum(len(dish) for dish in dishes) <= LOADS
        and max(most, moves.longest) <= _LATEST
        and max(facts.chop, facts.wash, facts.plate_return, cooking) <= _LONGEST
        and most * most * (len(dishes) + 1) <= _STACKS
    )
