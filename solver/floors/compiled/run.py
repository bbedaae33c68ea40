"""The search by bounds, and a layer of a beam: both go on until there is something to be said."""

from __future__ import annotations

from typing import Any

from planoracle.solver.floors.compiled.limits import chains, walks
from planoracle.solver.floors.compiled.numbers import COOK, MOMENT, SERVED, compiled
from planoracle.solver.floors.compiled.sizes import WIDE
from planoracle.solver.floors.compiled.states import EXPANDED, FOUND, KEPT, LOWER, MADE, NEXT, insert, pop, push
from planoracle.solver.floors.compiled.step import children, sites
from planoracle.solver.floors.compiled.tables import BOARD, LAY

__all__ = ["ASKED", "DONE", "EMPTY", "FULL", "PAUSED", "advance", "layer"]

#: Why they come back: a state in which all is served; none left; no room; enough done; questions to the tables.
DONE, EMPTY, FULL, PAUSED, ASKED = range(5)


@compiled
def _packed(use: Any) -> int:
    return use[0] + 8 * (use[1] + WIDE * (use[2] + WIDE * (1 if use[4] else 0)))


@compiled
def _undone(fixed: Any, store: Any, state: int) -> tuple[int, int]:
    """Return a cook and a station that he cannot use but to undo what he has just done there; -1 for none.

    He has put something down, and would take it up again, or the other way round, and nobody has done anything since:
    whatever follows could follow on the state before both, in which nothing is later. That holds for a state, too, that
    was left out because of this one: what it leads to by such a use is reached from that state with fewer uses.
    """
    parent, (cooks, on, _, _) = store.parents[state], sites(fixed)
    if parent < 0 or fixed.turns:
        return -1, -1
    rest, c = store.uses[state] // 8, store.uses[state] % 8
    s = rest // WIDE % WIDE
    if rest // WIDE // WIDE or (fixed.kind[s] != LAY and fixed.kind[s] != BOARD):
        return -1, -1
    before, row, hand = store.rows[parent], store.rows[state], cooks + COOK * c + 2
    if before[hand] == row[on + s] and before[on + s] == row[hand] and before[hand] != row[hand]:
        return c, s
    return -1, -1


@compiled
def advance(fixed: Any, lookup: Any, store: Any, work: Any, most: int, budget: int) -> int:
    """Go on with A* below ``most``, for about so many successors."""
    made = 0
    while made < budget:
        state = pop(store, most)
        if state < 0:
            return EMPTY
        if store.dead[state]:
            continue
        row, value = store.rows[state], store.values[state]
        if row[SERVED] == fixed.orders:
            store.numbers[FOUND] = state
            return DONE
        if not store.settled[state]:
            store.settled[state] = 1
            bound = walks(fixed, lookup, row, work.left, work.errands, work.costs, work.scratch, 0)
            if bound > value:
                if bound < most:
                    store.values[state] = bound
                    push(store, state)
                continue
        work.asked[0, 0] = 0
        undone = _undone(fixed, store, state)
        count = children(fixed, lookup, row, most, undone, work.made, work.uses, work.key, work.asked)
        if work.asked[0, 0]:
            push(store, state)
            return ASKED
        store.numbers[EXPANDED] += 1
        made += count + 1
        store.numbers[MADE] += count + 1
        for k in range(count):
            child = work.made[k]
            bound = max(value, child[MOMENT])
            if child[SERVED] < fixed.orders:
                bound = max(bound, chains(fixed, lookup, child, work.left, work.begun, work.fills))
            if bound < most and not insert(fixed, lookup, store, child, state, _packed(work.uses[k]), bound, True):
                return FULL
    return PAUSED


@compiled
def layer(fixed: Any, lookup: Any, store: Any, work: Any, chosen: Any, loose: int, budget: int) -> int:
    """Look at the states that were chosen; what comes of them is kept behind, with scores: by bound, or by a guess.

    `LOWER` is the moment of the best plan so far, and `FOUND` its last state.
    """
    made = 0
    while store.numbers[NEXT] < len(chosen):
        state = chosen[store.numbers[NEXT]]
        if store.dead[state] or store.values[state] >= store.numbers[LOWER]:
            store.numbers[NEXT] += 1
            continue
        if made >= budget:
            return PAUSED
        row, most = store.rows[state], store.numbers[LOWER]
        work.asked[0, 0] = 0
        undone = _undone(fixed, store, state)
        count = children(fixed, lookup, row, most, undone, work.made, work.uses, work.key, work.asked)
        if work.asked[0, 0]:
            return ASKED
        store.numbers[EXPANDED] += 1
        store.numbers[NEXT] += 1
        made += count + 1
        store.numbers[MADE] += count + 1
        for k in range(count):
            child = work.made[k]
            done = child[SERVED] == fixed.orders
            bound, further = child[MOMENT], 0
            if not done:
                bound = chains(fixed, lookup, child, work.left, work.begun, work.fills)
                if bound < store.numbers[LOWER]:
                    further = walks(fixed, lookup, child, work.left, work.errands, work.costs, work.scratch, 0)
                    bound = max(bound, further)
            if bound >= store.numbers[LOWER]:
                continue
            before = store.numbers[KEPT]
            if not insert(fixed, lookup, store, child, state, _packed(work.uses[k]), bound, False):
                return FULL
            if store.numbers[KEPT] > before:
                score = bound
                if loose and not done:
                    guess = walks(fixed, lookup, child, work.left, work.errands, work.costs, work.scratch, loose)
                    score = max(bound, min(guess, WIDE))
                store.scores[before] = score * WIDE - further
                if done:
                    store.numbers[LOWER] = bound
                    store.numbers[FOUND] = before
                    store.dead[before] = 1
    return EMPTY
