"""The search by bounds, and a layer of a beam: both go on until there is something to be said."""

from __future__ import annotations

from typing import Any

from planoracle.solver.kitchens.compiled.bound import remaining
from planoracle.solver.kitchens.compiled.costs import FAR
from planoracle.solver.kitchens.compiled.keys import key_of, reached
from planoracle.solver.kitchens.compiled.lookup import (
    ALONE,
    AWAITED,
    ITEMS,
    M_BOILED,
    M_VESSEL,
    MANY,
    SPECIES,
    compiled,
    look,
    look_at,
)
from planoracle.solver.kitchens.compiled.numbers import EFFECTS, HEAD, MEALS, places
from planoracle.solver.kitchens.compiled.states import (
    BEST,
    CLIPPED,
    EXPANDED,
    KEPT,
    LOWER,
    MADE,
    MOST,
    NEXT,
    find,
    keep,
    pop,
    push,
)
from planoracle.solver.kitchens.compiled.step import MOVE, carry_out, children, doings, survey

__all__ = ["EMPTY", "FULL", "ODD", "PAUSED", "VIA", "advance", "layer", "least_left"]

#: Why they come back: no state left; no room for states; a state that cannot be written down; enough done.
EMPTY, FULL, ODD, PAUSED = range(4)
#: A walk before a deed is written as so many times the station, and one more.
VIA = 1 << 25


@compiled
def least_left(fixed: Any, row: Any, room: Any, first: int, enough: int) -> tuple[int, int, int]:
    """Return how many steps are left at least, the choices with which that is so, and how many were looked at.

    Choices are looked at beginning with some; the first that take no more than ``enough`` will do.
    """
    best, group, looks = FAR, first, 0
    count = fixed[MANY + 1]
    for n in range(count):
        g = first + n
        if g >= count:
            g -= count
        left = remaining(fixed, row, g, room)
        looks += 1
        if left < best:
            best, group = left, g
            if left <= enough:
                break
    return best, group, looks


@compiled
def _expand(fixed: Any, row: Any, room: Any, made: Any, deeds: Any, twice: Any) -> int:
    """Write the successors of a state; how many, -1 if there is no room.

    Somebody alone walks in order to do something where it goes, and waits only before it walks.
    """
    count = children(fixed, row, room, made, deeds)
    if not fixed[ALONE] or count < 0:
        return count
    for k in range(count):
        twice[k] = 0
    last = count
    for k in range(count):
        if deeds[k] % 16 != MOVE:
            continue
        s = deeds[k] // 16
        twice[k] = -1
        held = row[HEAD + 1]
        empty = room[0, s] < 0 and room[2, s] < 0
        if held < 0 and empty:
            continue
        after = doings(fixed, made[k], room, deeds, last)
        for n in range(last, after):
            made[n] = made[k]
            if not carry_out(fixed, made[n], deeds[n]):
                return -1
            deeds[n] += VIA * (s + 1)
            twice[n] = 1
        last = after
    return last


@compiled
def _ends(store: Any, work: Any, row: Any, parent: int, deed: int, steps: int) -> bool:
    """Keep a state that reaches the goal, in fewer steps than any before; false if there is no room."""
    state = store.numbers[KEPT]
    if state == len(store.rows):
        return False
    store.numbers[KEPT] = state + 1
    store.rows[state] = row
    store.parents[state], store.deeds[state], store.steps[state] = parent, deed, steps
    store.left[state] = 0
    store.dead[state] = 1
    store.numbers[BEST], store.numbers[MOST] = state, steps
    return True


@compiled
def advance(fixed: Any, store: Any, room: Any, work: Any, budget: int) -> int:
    """Go on with A*, for about so many successors; `BEST` is the last state of the best plan, if one is found."""
    made = 0
    numbers = store.numbers
    while made < budget:
        state = pop(store)
        if state < 0:
            return EMPTY
        if store.dead[state]:
            continue
        row, steps, first = store.rows[state], store.steps[state], store.group[state]
        lower = numbers[LOWER]
        survey(fixed, row, room)
        count = _expand(fixed, row, room, work.made, work.deeds, work.twice)
        if count < 0:
            return ODD
        numbers[EXPANDED] += 1
        made += count + 1
        numbers[MADE] += count + 1
        for k in range(count):
            child, walked = work.made[k], work.twice[k] if fixed[ALONE] else 0
            now = steps + (2 if walked > 0 else 1)
            if now >= numbers[MOST]:
                numbers[CLIPPED] = 1
                continue
            survey(fixed, child, room)
            if reached(fixed, child, room):
                if not _ends(store, work, child, state, work.deeds[k], now):
                    return FULL
                continue
            if walked < 0:
                continue
            key_of(fixed, child, work.tokens, work.key)
            slot = find(store, work.key)
            known = store.slots[slot] - 1
            if known >= 0:
                if store.steps[known] <= now:
                    continue
                left, group = store.left[known], store.group[known]
            else:
                left, group, looks = least_left(fixed, child, room, first, lower - now)
                made += looks - 1
                numbers[MADE] += looks - 1
            bound = max(lower, now + left)
            if bound >= numbers[MOST]:
                if left < FAR and numbers[BEST] < 0:
                    numbers[CLIPPED] = 1
                continue
            new = keep(store, slot, work.key, child, state, work.deeds[k], now)
            if new < 0:
                return FULL
            store.left[new], store.group[new] = left, group
            push(store, new, bound - store.least)
    return PAUSED


@compiled
def _unstarted(fixed: Any, row: Any) -> int:
    """Return how many things that take time of themselves have not been started."""
    _, items, _, meals, effects = places(fixed)
    total = 0
    for n in range(fixed[AWAITED + 1]):
        process, kind, count = (
            look_at(fixed, AWAITED, n, 0),
            look_at(fixed, AWAITED, n, 1),
            look_at(fixed, AWAITED, n, 2),
        )
        for i in range(fixed[ITEMS]):
            if look(fixed, SPECIES, i) != kind:
                continue
            begun = row[items + 3 * i + 2] & process != 0
            for e in range(row[EFFECTS]):
                at = effects + 4 * e
                begun = begun or (row[at + 1] == i and row[at] == (2 if process == 2 else 3))
            count -= 1 if begun else 0
        total += max(0, count)
    asked = boiled = 0
    for place in range(fixed[M_VESSEL + 1]):
        asked += 1 if look(fixed, M_VESSEL, place) >= 0 else 0
        boiled += 1 if look(fixed, M_VESSEL, place) >= 0 and look(fixed, M_BOILED, place) else 0
    filled, boils = row[MEALS], 0
    for meal in range(row[MEALS]):
        boils += 1 if row[meals + 2 * meal + 1] else 0
    for e in range(row[EFFECTS]):
        at = effects + 4 * e
        filled += 1 if row[at] == 4 else 0
        boils += 1 if row[at] >= 5 else 0
    return total + max(0, asked - filled) + max(0, boiled - boils)


@compiled
def layer(fixed: Any, store: Any, room: Any, work: Any, chosen: Any, weight: int, budget: int) -> int:
    """Look at the states that were chosen; what comes of them is kept by steps, with scores."""
    made = 0
    numbers = store.numbers
    while numbers[NEXT] < len(chosen):
        if made >= budget:
            return PAUSED
        state = chosen[numbers[NEXT]]
        numbers[NEXT] += 1
        if store.dead[state]:
            continue
        row, steps, first = store.rows[state], store.steps[state], store.group[state]
        survey(fixed, row, room)
        count = _expand(fixed, row, room, work.made, work.deeds, work.twice)
        if count < 0:
            return ODD
        numbers[EXPANDED] += 1
        made += count + 1
        numbers[MADE] += count + 1
        for k in range(count):
            child, walked = work.made[k], work.twice[k] if fixed[ALONE] else 0
            now = steps + (2 if walked > 0 else 1)
            if now >= numbers[MOST]:
                continue
            survey(fixed, child, room)
            if reached(fixed, child, room):
                if not _ends(store, work, child, state, work.deeds[k], now):
                    return FULL
                continue
            if walked < 0:
                continue
            key_of(fixed, child, work.tokens, work.key)
            slot = find(store, work.key)
            known = store.slots[slot] - 1
            if known >= 0 and store.steps[known] <= now:
                continue
            left, group, looks = least_left(fixed, child, room, first, store.left[state] - (now - steps))
            made += looks - 1
            numbers[MADE] += looks - 1
            if now + left >= numbers[MOST]:
                continue
            new = keep(store, slot, work.key, child, state, work.deeds[k], now)
            if new < 0:
                return FULL
            store.left[new], store.group[new] = left, group
            # Of equals any, lest all be alike.
            store.scores[new] = (16 * min(left, 2_000) + weight * _unstarted(fixed, child)) * 1024 + (new * 643) % 1021
            push(store, new, 0)
    return EMPTY
