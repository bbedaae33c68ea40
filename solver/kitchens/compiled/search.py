"""Searches in a kitchen, compiled: A* as in `..planner`, by the same bound, and beams before it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from planoracle.instances.deadline import Deadline, TimeOverError
from planoracle.instances.kitchens.compiled import Compiled, State
from planoracle.solver.kitchens.compiled.keys import key_of
from planoracle.solver.kitchens.compiled.lookup import flat
from planoracle.solver.kitchens.compiled.numbers import ACTIONS, binding_of, row_of
from planoracle.solver.kitchens.compiled.room import room_for
from planoracle.solver.kitchens.compiled.run import EMPTY, FULL, ODD, PAUSED, VIA, advance, layer, least_left
from planoracle.solver.kitchens.compiled.states import (
    BEST,
    CLIPPED,
    EXPANDED,
    FIELDS,
    LOWER,
    MADE,
    MOST,
    NEXT,
    Store,
    collect,
    find,
    keep,
    push,
    store_for,
)
from planoracle.solver.kitchens.compiled.step import MOVE, carry_out, survey
from planoracle.solver.kitchens.compiled.tables import Fixed, names_of, tables
from planoracle.solver.kitchens.context import NEVER, Context
from planoracle.solver.kitchens.goals import Group

__all__ = [
    "BROAD",
    "NARROW",
    "ROOM",
    "WIDE",
    "CompiledSearch",
    "OddError",
    "Searched",
    "Work",
    "compiled_search",
    "work_for",
]

# Of counted work: seconds for a successor.
_STEP = 2e-6
# Successors between two looks at the clock.
_SLICE: Final = 20_000
# So many times as many may come on top of those that there is work for: as many as there are turns of the search, one
# for successors of a last state, and one to spare.
_SLICES: Final = 5
# Bytes of states that a second of counted work may fill.
_GROWTH: Final = 40_000_000
#: Bytes of states at most.
ROOM: Final = 1_200_000_000
# Of them for a beam.
_BEAM: Final = 400_000_000
# More steps than plans have that are looked for.
_LONGEST: Final = 600
#: Beams, one after the other: how wide, and by how much of a step what has not been started counts (in sixteenths).
NARROW: Final = ((30, 8), (100, 8), (300, 8))
BROAD: Final = ((1_000, 8), (1_000, 24))
WIDE: Final = ((5_000, 32), (10_000, 32), (20_000, 8))
# Layers after which a beam is given up in which nothing has got any nearer.
_STUCK: Final = 30
# Effects that there is room for beside two for every object.
_EFFECTS: Final = 6


class OddError(Exception):
    """A state cannot be written in short numbers; never seen outside of the planner."""


class Searched(NamedTuple):
    """What has come of a search.

    Attributes
    ----------
    bound
        No plan has fewer steps.
    deeds
        Of the best plan found; ``None`` if none was.
    complete
        Whether nothing is left to be looked at.
    full
        Whether it ended as there was no room for more states.
    expanded
        States whose successors were looked at.
    """

    bound: int
    deeds: tuple[int, ...] | None
    complete: bool
    full: bool
    expanded: int


class Work(NamedTuple):
    """Room to work in: successors, deeds, whether somebody walked before; tokens of objects, a key."""

    made: Any
    deeds: Any
    twice: Any
    tokens: Any
    key: Any


def work_for(fixed: Fixed, width: int) -> Work:
    """Return room to work in."""
    many = (fixed.stations + 2) * (fixed.meals + 5) + 8
    objects = fixed.items + fixed.containers + fixed.meals + fixed.stations
    return Work(
        np.empty((many, width), np.int8),
        np.zeros(many, np.int64),
        np.zeros(many, np.int8),
        np.zeros(objects, np.uint64),
        np.zeros(2, np.uint64),
    )


class CompiledSearch:
    """Searches in one kitchen from one state.

    Parameters
    ----------
    room
        Bytes of states at most.

    Attributes
    ----------
    told
        Hears of shorter plans and better bounds on the way, in steps.
    """

    def __init__(self, engine: Compiled, fixed: Fixed, start: State, row: list[int], room: int = ROOM) -> None:
        self._engine, self._start = engine, start
        self.fixed, self.names = flat(fixed), names_of(engine)
        self.row: Any = np.array(row, np.int8)
        self.room, self.work = room_for(fixed), work_for(fixed, len(row))
        self._bytes = room
        self._store: Store | None = None
        self.told: Callable[[int, int], None] = lambda most, least: None
        self._all = True  # whether plans of any length are looked for

    def prepare(self) -> None:
        """Have everything compiled."""
        store = self._begun(1, 0, True, 0)
        advance(self.fixed, store, self.room, self.work, 0)
        found = np.zeros(1, np.int32)
        layer(self.fixed, store, self.room, self.work, found[:0], 0, 0)
        collect(store, 0, found)

    def confine(self, deadline: Deadline) -> None:
        """Take no more room than work until then may fill, where it is counted: who gives little is asked for little.

        Of so short work that fewer states can be made anything is found as without.
        """
        state = len(self.row) + FIELDS
        growing = min(deadline.pieces(_STEP), deadline.pieces(state / _GROWTH))
        self._bytes = int(min(self._bytes, (growing + _SLICES * _SLICE) * state))

    def best_first(self, deadline: Deadline, most: int, least: int) -> Searched:
        """Look for a plan of the fewest steps, fewer than ``most``; there is none of fewer than ``least``.

        What was begun before is gone on with.
        """
        if self._store is None:
            self._all = most <= _LONGEST
            self._store = self._begun(min(most, _LONGEST), least, True, self._bytes)
        store, why = self._store, PAUSED
        store.numbers[MOST] = min(int(store.numbers[MOST]), most)
        store.numbers[EXPANDED] = 0
        try:
            while why == PAUSED:
                why = self._charged(store, deadline, advance(self.fixed, store, self.room, self.work, _SLICE))
                self.told(NEVER, min(int(store.numbers[LOWER]), int(store.numbers[MOST])))
        except TimeOverError:
            pass
        if why == ODD:
            raise OddError
        found = self._deeds(store) if store.numbers[BEST] >= 0 and store.numbers[MOST] < most else None
        complete = why == EMPTY and (self._all or store.numbers[MOST] < _LONGEST or not store.numbers[CLIPPED])
        bound = min(int(store.numbers[LOWER]), int(store.numbers[MOST]))
        return Searched(bound, found, complete, why == FULL, int(store.numbers[EXPANDED]))

    def beams(self, deadline: Deadline, most: int, least: int, beams: Sequence[tuple[int, int]] = NARROW) -> Searched:
        """Look for plans of fewer than ``most`` steps among the most promising states."""
        best: tuple[int, ...] | None = None
        looked = 0
        try:
            for wide, weight in beams:
                if most <= least:
                    break
                store = self._begun(min(most, _LONGEST), 0, False, min(_BEAM, self._bytes // 2))
                try:
                    self._beam(store, wide, weight, deadline)
                finally:
                    looked += int(store.numbers[EXPANDED])
                    if store.numbers[BEST] >= 0:
                        best, most = self._deeds(store), int(store.numbers[MOST])
                        self.told(most, least)
        except TimeOverError:
            pass
        return Searched(least, best, False, False, looked)

    def _beam(self, store: Store, wide: int, weight: int, deadline: Deadline) -> None:
        steps, found = 0, np.zeros(len(store.rows), np.int32)
        last, least, since = 0, _LONGEST, 0
        while steps < store.numbers[MOST] and steps <= last + 2 and since < _STUCK:
            count = collect(store, steps, found)
            if count:
                last, since = steps, since + 1
                if store.left[found[:count]].min() < least:
                    least, since = store.left[found[:count]].min(), 0
                chosen = found[:count]
                chosen = chosen[np.argsort(store.scores[chosen], kind="stable")[:wide]]
                store.numbers[NEXT], why = 0, PAUSED
                while why == PAUSED:
                    why = layer(self.fixed, store, self.room, self.work, chosen, weight, _SLICE)
                    why = self._charged(store, deadline, why)
                if why == ODD:
                    raise OddError
                if why == FULL:
                    return
            steps += 1

    def _charged(self, store: Store, deadline: Deadline, why: int) -> int:
        made = int(store.numbers[MADE])
        store.numbers[MADE] = 0
        deadline.check(_STEP * made)
        return why

    def _begun(self, most: int, least: int, ranked: bool, room: int) -> Store:
        kept = max(1_000, room // (len(self.row) + FIELDS))
        store = store_for(kept, len(self.row), min(least, most), most, ranked)
        key_of(self.fixed, self.row, self.work.tokens, self.work.key)
        state = keep(store, find(store, self.work.key), self.work.key, self.row, -1, 0, 0)
        survey(self.fixed, self.row, self.room)
        left, group, _ = least_left(self.fixed, self.row, self.room, 0, 0)
        store.left[state], store.group[state], store.scores[state] = min(left, _LONGEST), group, 0
        if not ranked or least < most:
            push(store, state, 0)
        return store

    def _deeds(self, store: Store) -> tuple[int, ...]:
        """Return the best plan, told to the rules step by step."""
        path = []
        state = int(store.numbers[BEST])
        while store.parents[state] >= 0:
            path.append((int(store.parents[state]), int(store.deeds[state])))
            state = int(store.parents[state])
        here, deeds = self._start, []
        by_name = {action.name: action for action in self._engine.kitchen.domain.actions}
        for parent, packed in reversed(path):
            via, deed = divmod(packed, VIA)
            row = store.rows[parent].copy()
            for each in ([MOVE + 16 * (via - 1)] if via else []) + [deed]:
                action = by_name[ACTIONS[each % 16][0]]
                text = action.write(binding_of(action, self.fixed, self.names, row, each))
                number = self._engine.find(here, text)
                if number is None or not carry_out(self.fixed, row, each):
                    raise OddError
                deeds.append(number)
                here = self._engine.step(here, number)
        return tuple(deeds)


def compiled_search(
    engine: Compiled, context: Context, groups: Sequence[Group], start: State, room: int = ROOM
) -> CompiledSearch | None:
    """Return the search from a state; ``None`` if kitchen or state are too large or too odd for it."""
    effects = min(60, 2 * len(context.items) + 2 * len(context.containers) + _EFFECTS)
    fixed = tables(engine, context.roles, context, groups, effects)
    row = None if fixed is None else row_of(engine, flat(fixed), names_of(engine), start)
    return None if fixed is None or row is None else CompiledSearch(engine, fixed, start, row, room)
