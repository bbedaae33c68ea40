"""States that are kept: found again by their keys, and taken in the order of their bounds."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from planoracle.solver.kitchens.compiled.lookup import compiled

__all__ = [
    "BEST",
    "CLIPPED",
    "EXPANDED",
    "FIELDS",
    "KEPT",
    "LOWER",
    "MADE",
    "MOST",
    "NEXT",
    "Store",
    "collect",
    "find",
    "keep",
    "pop",
    "push",
    "store_for",
]

#: Places in `Store.numbers`: states kept, bound, steps that are too many, last state of the best plan, states looked
#: at, successors of them, how far a layer has been looked at,
#: whether states were left out that only long plans go through.
KEPT, LOWER, MOST, BEST, EXPANDED, MADE, NEXT, CLIPPED = range(8)
#: Bytes of a state beside its row, with its share of the open table.
FIELDS: Final = 48


class Store(NamedTuple):
    """Arrays of states.

    Attributes
    ----------
    rows, keys
        By state: as numbers, its key.
    parents, deeds
        By state: the state it came from, by which deed.
    steps, left, group
        By state: steps from the start, least number of steps left, the choices with which that is so.
    dead
        By state: whether it was reached again in fewer steps.
    slots
        An open table of states by key: 1 more than the state, 0 where there is none.
    links, heads, tops
        Stacks of states by bound and steps, and the most steps by bound.
    scores
        By state, for choosing some of them: the least first.
    numbers
        See `KEPT` and what follows.
    least
        The least bound.
    """

    rows: Any
    keys: Any
    parents: Any
    deeds: Any
    steps: Any
    left: Any
    group: Any
    dead: Any
    slots: Any
    links: Any
    heads: Any
    tops: Any
    scores: Any
    numbers: Any
    least: int


def store_for(kept: int, width: int, least: int, most: int, ranked: bool) -> Store:
    """Return room for so many states with bounds from ``least`` to ``most``; without ``ranked``, by steps only."""
    levels = most - least + 1 if ranked else 1
    return Store(
        np.empty((kept, width), np.int8),
        np.empty((kept, 2), np.uint64),
        np.empty(kept, np.int32),
        np.empty(kept, np.int64),
        np.empty(kept, np.int16),
        np.empty(kept, np.int16),
        np.empty(kept, np.int16),
        np.zeros(kept, np.int8),
        np.zeros(1 << kept.bit_length(), np.int32),  # all of it is touched only if it has to be
        np.empty(kept, np.int32),
        np.full((levels, most + 3), -1, np.int32),
        np.full(levels, -1, np.int32),
        np.empty(kept, np.int32),
        np.array([0, least, most, -1, 0, 0, 0, 0], np.int64),
        least,
    )


@compiled
def find(store: Any, key: Any) -> Any:
    """Return the slot of a key: that of the state that has it, or a free one."""
    mask = len(store.slots) - 1
    slot = np.int64(key[0] & np.uint64(mask))
    while True:
        state = store.slots[slot] - 1
        if state < 0 or (store.keys[state, 0] == key[0] and store.keys[state, 1] == key[1]):
            return slot
        slot = (slot + 1) & mask


@compiled
def keep(store: Any, slot: int, key: Any, row: Any, parent: int, deed: int, steps: int) -> int:
    """Keep a state in its slot; -1 if there is no room."""
    state = store.numbers[KEPT]
    if state == len(store.rows):
        return -1
    store.numbers[KEPT] = state + 1
    before = store.slots[slot] - 1
    if before >= 0:
        store.dead[before] = 1
    store.slots[slot] = state + 1
    store.rows[state] = row
    store.keys[state, 0], store.keys[state, 1] = key[0], key[1]
    store.parents[state] = parent
    store.deeds[state] = deed
    store.steps[state] = steps
    return state


@compiled
def push(store: Any, state: int, level: int) -> None:
    """Put a state where its bound and its steps say."""
    rank = store.steps[state]
    store.links[state] = store.heads[level, rank]
    store.heads[level, rank] = state
    store.tops[level] = max(store.tops[level], rank)


@compiled
def pop(store: Any) -> int:
    """Take a state of the least bound out, one of most steps; -1 if there is none that is worth while."""
    level = store.numbers[LOWER] - store.least
    while level < store.numbers[MOST] - store.least:
        while store.tops[level] >= 0:
            rank = store.tops[level]
            state = store.heads[level, rank]
            if state >= 0:
                store.heads[level, rank] = store.links[state]
                store.numbers[LOWER] = level + store.least
                return state
            store.tops[level] = rank - 1
        level += 1
    store.numbers[LOWER] = store.numbers[MOST]
    return -1


@compiled
def collect(store: Any, steps: int, found: Any) -> int:
    """List the states of so many steps that are worth while, in the order in which they were made; how many."""
    state, count = store.heads[0, steps], 0
    while state >= 0:
        if not store.dead[state] and steps + store.left[state] < store.numbers[MOST]:
            found[count] = state
            count += 1
        state = store.links[state]
    found[:count] = found[:count][::-1].copy()
    return count
