"""How a state is written down as a row of numbers.

A row is: moment, orders served, who acted last, dirty plates; when they appear, by order; by cook tile, moment from
which it is free, what it holds, clock, lag and whether closed; by station what lies there; clocks; moments since when.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from planoracle.solver.compiling import compiler
from planoracle.solver.floors.compiled.sizes import NEVER
from planoracle.solver.floors.compiled.tables import Fixed
from planoracle.solver.floors.moves import State

__all__ = ["ACTOR", "COOK", "DIRTY_PLATES", "HEAD", "MOMENT", "SERVED", "compiled", "row_of", "width"]

MOMENT, SERVED, ACTOR, DIRTY_PLATES, HEAD = range(5)
#: Numbers of a cook.
COOK: Final = 6

#: Compiles a function when it is first called.
compiled = compiler(Path(__file__).parents[1], {})


def width(fixed: Fixed) -> int:
    """Return how many numbers a state has."""
    return HEAD + fixed.orders + COOK * fixed.cooks + 3 * fixed.stations


def row_of(state: State, fixed: Fixed) -> list[int]:
    """Write a state down."""
    row = [state.moment, state.served, state.actor if fixed.turns else -1, len(state.dirty), *state.dirty]
    row += [0] * (HEAD + fixed.orders - len(row))
    for tile, free, held, clock, lag, closed in state.cooks:
        row += [tile, free, held, max(clock, NEVER), lag if fixed.turns else 0, int(closed and fixed.turns)]
    return [*row, *state.on, *(max(clock, NEVER) for clock in state.clocks), *state.since]
