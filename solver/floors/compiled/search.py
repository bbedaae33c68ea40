"""Searches on floors, compiled: A* as in `..search`, with the same bounds and the same uses, and beams.

Turns of several cooks at the same moment are taken in any order here, unless ``turns``: a plan can then only look too
early, and who asks has it replayed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from planoracle.instances.deadline import Deadline, TimeOverError
from planoracle.solver.floors.compiled.numbers import row_of, width
from planoracle.solver.floors.compiled.run import ASKED, DONE, FULL, PAUSED, advance, layer
from planoracle.solver.floors.compiled.sizes import HOLDING, LOADS, WIDE
from planoracle.solver.floors.compiled.states import EXPANDED, FOUND, KEPT, LOWER, MADE, NEXT, Store, insert, store_for
from planoracle.solver.floors.compiled.step import ASK_EXCHANGE
from planoracle.solver.floors.compiled.tables import Tables
from planoracle.solver.floors.moves import State, Use
from planoracle.solver.floors.search import Search, Searched

__all__ = ["CompiledSearch"]

# Of counted work: seconds for a successor; for an answer of the tables.
_STEP, _ANSWER = 2e-6, 5e-5
# Successors between two looks at the clock.
_SLICE: Final = 50_000
# Bytes of states at most, and of their places in tables, by state.
_ROOM, _PLACES = 1_500_000_000, 40
# Of them what a second of counted work may fill.
_GROWTH: Final = 40_000_000
# Beams, one after the other: how wide, and in what order states are kept: by bound, those made first; by bound, those
# for which the bound by work is the higher, as they have less before them that nobody has counted yet; or by a guess,
# see `walks`, with walks counted so many halves. None is always better.
_BEAMS: Final = (
    (250, False, 0),
    (1_000, True, 4),
    (4_000, True, 4),
    (12_000, True, 3),
    (1_000, True, 0),
    (4_000, False, 0),
)
_QUESTIONS: Final = 256


class _Room(NamedTuple):
    """Room to work in: successors and their uses, a key, questions, counts, clocks, fills, errands, costs, more."""

    made: Any
    uses: Any
    key: Any
    asked: Any
    left: Any
    begun: Any
    fills: Any
    errands: Any
    costs: Any
    scratch: Any


class CompiledSearch:
    """Searches on one floor.

    Parameters
    ----------
    turns
        Whether turns at the same moment are taken as the rules have them.
    closed
        Stations that are not used.
    """

    def __init__(self, search: Search, turns: bool = False, closed: Sequence[int] = ()) -> None:
        self._search = search
        self._tables = Tables(search.moves, search.bound, turns, closed)
        self._work = _room(self._tables)
        self._width = width(self._tables.fixed)
        self._most = _ROOM // (2 * self._width + _PLACES)

    def best_first(self, deadline: Deadline, most: int, least: int, starts: Sequence[State]) -> Searched:
        """Look for the earliest plan before ``most`` from any of some states; there is none before ``least``."""
        if least >= most:
            return Searched(most, None, True, 0)
        tables = self._tables
        store = self._begun(least, most, starts, deadline, queued=True)
        why = PAUSED
        try:
            while why in (PAUSED, ASKED):
                made = int(store.numbers[MADE])
                why = advance(tables.fixed, tables.lookup, store, self._work, most, _SLICE)
                deadline.check(_STEP * (int(store.numbers[MADE]) - made))
                self._search.told(most, min(int(store.numbers[LOWER]), most))
                if why == ASKED:
                    self._answer(deadline)
        except TimeOverError:
            why = FULL
        bound, expanded = min(int(store.numbers[LOWER]), most), int(store.numbers[EXPANDED])
        if why == FULL:
            return Searched(bound, None, False, expanded)
        uses = self._uses(store) if why == DONE else None
        return Searched(bound if uses is not None else most, uses, True, expanded)

    def beams(self, deadline: Deadline, most: int, least: int, start: State) -> Searched:
        """Look for plans before ``most`` among the most promising states, more and more of them."""
        best: tuple[Use, ...] | None = None
        looked = 0
        try:
            for wide, worked, loose in _BEAMS:
                if most <= least:
                    break
                store = self._begun(0, most, [start], deadline, queued=False)
                try:
                    self._beam(store, wide, worked, loose, deadline)
                finally:
                    looked += int(store.numbers[EXPANDED])
                    if store.numbers[FOUND] >= 0:
                        best, most = self._uses(store), int(store.numbers[LOWER])
        except TimeOverError:
            pass
        return Searched(most, best, False, looked)

    def _beam(self, store: Store, wide: int, worked: bool, loose: int, deadline: Deadline) -> None:
        tables, numbers = self._tables, store.numbers
        numbers[LOWER], chosen = store.deeper, np.zeros(1, np.int64)
        while len(chosen):
            first, why = int(numbers[KEPT]), PAUSED
            numbers[NEXT] = 0
            while why in (PAUSED, ASKED):
                made = int(numbers[MADE])
                why = layer(tables.fixed, tables.lookup, store, self._work, chosen, loose, _SLICE)
                deadline.check(_STEP * (int(numbers[MADE]) - made))
                if why == ASKED:
                    self._answer(deadline)
            if why == FULL:
                return
            new = np.arange(first, int(numbers[KEPT]))
            new = new[(store.dead[new] == 0) & (store.values[new] < numbers[LOWER])]
            rank = store.scores[new] if worked else store.values[new]
            chosen = new[np.argsort(rank, kind="stable")[:wide]]

    def _begun(self, least: int, most: int, starts: Sequence[State], deadline: Deadline, queued: bool) -> Store:
        fixed, lookup = self._tables.fixed, self._tables.lookup
        # No more than counted work until then can make, or may fill.
        growing = min(deadline.pieces(_STEP), deadline.pieces((2 * self._width + _PLACES) / _GROWTH))
        kept = min(self._most, growing + len(starts) + len(self._work.made) + 2 * _SLICE)
        store = store_for(int(kept), self._width, least, most, most * (fixed.orders + 1) if queued else 0)
        for start in starts:
            insert(fixed, lookup, store, np.array(row_of(start, fixed), np.int16), -1, 0, least, queued)
        return store

    def _answer(self, deadline: Deadline) -> None:
        asked = self._work.asked
        for question, *rest in asked[1 : int(asked[0, 0]) + 1].tolist():
            deadline.check(_ANSWER)
            if question == ASK_EXCHANGE:
                self._tables.answer_exchange(rest[0], rest[1], bool(rest[2]))
            else:
                self._tables.answer_fits(rest)
        if len(self._search.moves.things.forms) >= HOLDING:
            raise TimeOverError

    def _uses(self, store: Store) -> tuple[Use, ...]:
        moves, state = self._search.moves, int(store.numbers[FOUND])
        found = []
        while store.parents[state] >= 0:
            rest, cook = divmod(int(store.uses[state]), 8)
            rest, tile = divmod(rest, WIDE)
            works, station = divmod(rest, WIDE)
            ticks = moves.wash if moves.kinds[station] == "sink" else moves.chop
            found.append(Use(cook, tile, station, int(store.rows[state, 0]), ticks if works else 0))
            state = int(store.parents[state])
        return tuple(reversed(found))


def _room(tables: Tables) -> _Room:
    fixed = tables.fixed
    wide = fixed.stations + fixed.cooks
    errands = 2 * LOADS + wide + fixed.orders + 2
    size = errands + fixed.cooks + 2
    successors = 2 * fixed.cooks * int(fixed.sides[:, 0].sum()) + 1
    return _Room(
        np.empty((successors, width(fixed)), np.int16),
        np.empty((successors, 5), np.int32),
        np.zeros(LOADS + 1, np.int64),
        np.zeros((_QUESTIONS, LOADS + 2), np.int64),
        np.zeros(fixed.counts.shape[1] + 1, np.int32),
        np.zeros(len(fixed.ticks) + 1, np.int32),
        np.zeros((2 * LOADS + wide, 3), np.int32),
        np.zeros((errands, wide + 3), np.int32),
        np.zeros((size, size), np.int64),
        np.zeros((6, size + 1), np.int64),
    )
