"""States that are kept: found again by what must be equal, and taken in the order of their bounds."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from planoracle.solver.floors.compiled.numbers import ACTOR, COOK, DIRTY_PLATES, HEAD, MOMENT, SERVED, compiled
from planoracle.solver.floors.compiled.step import sites

__all__ = ["EXPANDED", "FOUND", "KEPT", "LOWER", "MADE", "NEXT", "Store", "insert", "pop", "push", "store_for"]

#: Places in `Store.numbers`: states kept, bound, a state in which all is served, states looked at, successors of them;
#: how far a layer has been looked at.
KEPT, LOWER, FOUND, EXPANDED, MADE, NEXT = range(6)


class Store(NamedTuple):
    """Arrays of states.

    Attributes
    ----------
    rows, parents, uses, values
        By state: as numbers, the state it came from, by which use (packed), a bound.
    settled, dead
        By state: whether the slower bound has been worked out, whether a better state is known.
    chain, slots
        States with the same place in an open table, one after the other.
    links, heads, tops
        Stacks of states by bound and rank, and the highest rank by bound.
    scores
        By state, for choosing some of them: the least first.
    numbers
        See `KEPT` and what follows.
    least, deeper
        The least bound; by how much an order served is better than a moment, for ranks.
    """

    rows: Any
    parents: Any
    uses: Any
    values: Any
    settled: Any
    dead: Any
    chain: Any
    slots: Any
    links: Any
    heads: Any
    tops: Any
    scores: Any
    numbers: Any
    least: int
    deeper: int


def store_for(kept: int, width: int, least: int, most: int, ranks: int) -> Store:
    """Return room for so many states with bounds from ``least`` to ``most``; without ``ranks``, in no order."""
    levels = most - least + 1 if ranks else 1
    return Store(
        np.empty((kept, width), np.int16),
        np.empty(kept, np.int32),
        np.empty(kept, np.int32),
        np.empty(kept, np.int32),
        np.zeros(kept, np.int8),
        np.zeros(kept, np.int8),
        np.empty(kept, np.int32),
        np.full(1 << (kept - 1).bit_length(), -1, np.int32),
        np.empty(kept, np.int32),
        np.full((levels, max(1, ranks)), -1, np.int32),
        np.full(levels, -1, np.int32),
        np.empty(kept, np.int32),
        np.array([0, least, -1, 0, 0, 0], np.int64),
        least,
        most,
    )


@compiled
def _config(fixed: Any, row: Any) -> int:
    """Return a number of what must be equal for two states to be compared."""
    cooks, on, _, since = sites(fixed)
    now = row[MOMENT]
    mixed = row[SERVED] * 31 + row[DIRTY_PLATES]
    for c in range(fixed.cooks):
        base = cooks + COOK * c
        if fixed.turns:
            mixed = (mixed * 1_000_003 + row[base] + 1) & 0x3FFFFFFFFFFF
        mixed = (mixed * 1_000_003 + row[base + 2] + 1) & 0x3FFFFFFFFFFF
        if fixed.turns and row[base + 1] >= now:
            mixed = (mixed * 1_000_003 + row[base + 4] * 2 + row[base + 5] + 101) & 0x3FFFFFFFFFFF
    for s in range(fixed.stations):
        extra = 8192 if row[since + s] > now else 0
        mixed = (mixed * 1_000_003 + row[on + s] + extra) & 0x3FFFFFFFFFFF
    actor = row[ACTOR]
    if actor >= 0 and row[cooks + COOK * actor + 1] != now:
        actor = -1
    mixed = (mixed * 1_000_003 + actor + 1) & 0x3FFFFFFFFFFF
    return mixed ^ (mixed >> 21)


@compiled
def _compared(fixed: Any, lookup: Any, one: Any, two: Any) -> int:
    """Return 1 if nothing is later in the first state than in the second, 2 the other way round, 3 both, 0 neither.

    Unless turns count, a cook may be elsewhere if he has had the time to walk to where he is in the other state.
    """
    cooks, on, clocks, since = sites(fixed)
    if one[SERVED] != two[SERVED] or one[DIRTY_PLATES] != two[DIRTY_PLATES]:
        return 0
    now, then = one[MOMENT], two[MOMENT]
    less, more = now <= then, then <= now
    for s in range(fixed.stations):
        if one[on + s] != two[on + s]:
            return 0
        a, b = one[since + s] > now, two[since + s] > then
        if a != b:
            return 0
        if a:
            less = less and one[since + s] <= two[since + s]
            more = more and two[since + s] <= one[since + s]
        if lookup.things[one[on + s], 0]:
            less = less and one[clocks + s] <= two[clocks + s]
            more = more and two[clocks + s] <= one[clocks + s]
    for c in range(fixed.cooks):
        base = cooks + COOK * c
        if one[base + 2] != two[base + 2]:
            return 0
        if fixed.turns:
            a, b = one[base + 1] >= now, two[base + 1] >= then
            if one[base] != two[base] or a != b:
                return 0
            if a and (one[base + 4] != two[base + 4] or one[base + 5] != two[base + 5]):
                return 0
        mine, its = max(one[base + 1], now - fixed.longest), max(two[base + 1], then - fixed.longest)
        less = less and mine + fixed.walks[one[base], two[base]] <= its
        more = more and its + fixed.walks[two[base], one[base]] <= mine
        if not (less or more):
            return 0
        if lookup.things[one[base + 2], 0]:
            less = less and one[base + 3] <= two[base + 3]
            more = more and two[base + 3] <= one[base + 3]
    for d in range(one[DIRTY_PLATES]):
        less = less and one[HEAD + d] <= two[HEAD + d]
        more = more and two[HEAD + d] <= one[HEAD + d]
    a, b = one[ACTOR], two[ACTOR]
    if a >= 0 and one[cooks + COOK * a + 1] != now:
        a = -1
    if b >= 0 and two[cooks + COOK * b + 1] != then:
        b = -1
    if a != b:
        return 0
    return (1 if less else 0) + (2 if more else 0)


@compiled
def insert(fixed: Any, lookup: Any, store: Any, row: Any, parent: int, use: int, value: int, queued: bool) -> bool:
    """Keep a state unless one is known that is nowhere later; false if there is no room."""
    slot = _config(fixed, row) & (len(store.slots) - 1)
    before, state = -1, store.slots[slot]
    while state >= 0:
        following = store.chain[state]
        found = _compared(fixed, lookup, store.rows[state], row)
        if found & 1:
            return True
        if found == 2:
            store.dead[state] = 1
            if before < 0:
                store.slots[slot] = following
            else:
                store.chain[before] = following
        else:
            before = state
        state = following
    state = store.numbers[KEPT]
    if state == len(store.rows):
        return False
    store.numbers[KEPT] = state + 1
    store.rows[state] = row
    store.parents[state] = parent
    store.uses[state] = use
    store.chain[state] = store.slots[slot]
    store.slots[slot] = state
    store.values[state] = value
    if queued:
        push(store, state)
    return True


@compiled
def push(store: Any, state: int) -> None:
    """Put a state where its bound and its rank say."""
    row = store.rows[state]
    level = store.values[state] - store.least
    rank = min(row[MOMENT] + store.deeper * row[SERVED], store.heads.shape[1] - 1)
    store.links[state] = store.heads[level, rank]
    store.heads[level, rank] = state
    store.tops[level] = max(store.tops[level], rank)


@compiled
def pop(store: Any, most: int) -> int:
    """Take the state of the least value out; -1 if there is none below ``most``."""
    level = store.numbers[LOWER] - store.least
    while level < most - store.least:
        while store.tops[level] >= 0:
            rank = store.tops[level]
            state = store.heads[level, rank]
            if state >= 0:
                store.heads[level, rank] = store.links[state]
                store.numbers[LOWER] = level + store.least
                return state
            store.tops[level] = rank - 1
        level += 1
    store.numbers[LOWER] = most
    return -1
