"""What the compiled search says of a state."""

from __future__ import annotations

from typing import Any

import numpy as np

from planoracle.instances.deadline import NEVER
from planoracle.solver.floors.compiled.limits import chains, walks
from planoracle.solver.floors.compiled.numbers import row_of
from planoracle.solver.floors.compiled.search import CompiledSearch
from planoracle.solver.floors.compiled.step import children
from planoracle.solver.floors.moves import State

__all__ = ["bounds", "successors"]

#: A use: cook, tile, station, moment, ticks of work; and the state after it as a row.
Successor = tuple[tuple[int, ...], tuple[int, ...]]


def successors(search: CompiledSearch, state: State) -> list[Successor]:
    """Return the uses that are possible in a state, and the rows that they lead to, in order."""
    room, tables = search._work, search._tables
    row: Any = np.array(row_of(state, tables.fixed), np.int16)
    while True:
        room.asked[0, 0] = 0
        count = children(tables.fixed, tables.lookup, row, 8_000, (-1, -1), room.made, room.uses, room.key, room.asked)
        if not room.asked[0, 0]:
            return sorted((tuple(room.uses[k].tolist()), tuple(room.made[k].tolist())) for k in range(count))
        search._answer(NEVER)


def bounds(search: CompiledSearch, state: State) -> tuple[int, int]:
    """Return both bounds of a state."""
    room, fixed, lookup = search._work, search._tables.fixed, search._tables.lookup
    row: Any = np.array(row_of(state, fixed), np.int16)
    by_chains = chains(fixed, lookup, row, room.left, room.begun, room.fills)
    return int(by_chains), int(walks(fixed, lookup, row, room.left, room.errands, room.costs, room.scratch, 0))
