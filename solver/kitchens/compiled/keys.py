"""A key that is equal for states that are equally far from the goal, and whether the goal is reached.

Two states have the same key if one can be turned into the other by exchanging objects that are alike, as
`planoracle.solver.kitchens.abstraction.Abstraction.key` has it, and moreover players that differ in nothing but when
it is their turn. A key is two numbers of 64 bits, mixed from what a state holds; that two different states share one
by chance is less likely than 1 in 10^9 in a search of as many states as fit into memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from planoracle.solver.kitchens.compiled.lookup import (
    ALLOWED,
    ARGS,
    CONTAINERS,
    ITEMS,
    JOINT,
    LIKE_CONTAINER,
    LIKE_ITEM,
    LIKE_MEAL,
    LIKE_STATION,
    PLAYERS,
    PREDS,
    SKIP,
    SOUPS,
    STATIONS,
    TURNING,
    compiled,
    look,
    look_at,
)
from planoracle.solver.kitchens.compiled.numbers import EFFECTS, GONE, MEALS, TURN, places
from planoracle.solver.kitchens.compiled.room import CAST, TRIED
from planoracle.solver.kitchens.compiled.tables import COOKED, COOKING, CUT, FRIED, FRYABLE, TYPED

__all__ = ["key_of", "reached"]

_ONE = np.uint64(0x9E3779B97F4A7C15)
_TWO = np.uint64(0xC2B2AE3D27D4EB4F)
_THREE = np.uint64(0xD6E8FEB86659FD93)
_HALF, _SOME = np.uint64(32), np.uint64(29)


@compiled
def _mixed(seed: Any, value: Any) -> Any:
    """Return a number of 64 bits that a seed and a value make."""
    found = (seed ^ np.uint64(value)) * _TWO
    found = (found ^ (found >> _HALF)) * _THREE
    return found ^ (found >> _SOME)


@compiled
def key_of(fixed: Any, row: Any, tokens: Any, key: Any) -> None:
    """Work out the key; ``tokens`` is room for a number by object, type by type."""
    first, items, containers, meals, effects = places(fixed)
    pots, soups = fixed[ITEMS], fixed[ITEMS] + fixed[CONTAINERS]
    stations = soups + fixed[SOUPS]
    total = stations + fixed[STATIONS]
    for n in range(total):
        tokens[n] = np.uint64(0)
    # Effects: on an item, on a container, on a meal. A station is told from others if an effect elsewhere asks for it.
    for n in range(row[EFFECTS]):
        at = effects + 4 * n
        kind, what, station = row[at], row[at + 1], row[at + 2]
        mark, pot = 0, 0
        if kind < 4:
            owner, place = what, row[items + 3 * what]
        elif kind == 4:
            owner, place = pots + what, row[containers + 2 * what]
        else:
            pot = kind - 5
            owner, place = soups + what, row[containers + 2 * pot]
            pot = 0 if row[meals + 2 * what] == pot else pot + 1
            kind = 5
        if kind >= 2 and place != station:
            mark = station + 1
            tokens[stations + station] = _mixed(_THREE, station + 1)
        rank = n
        if not fixed[SKIP]:  # then only the order of effects on the same object matters
            rank = 0
            for other in range(n):
                before = effects + 4 * other
                rank += row[before + 1] == row[at + 1] and (row[before] >= 4) == (row[at] >= 4)
        if pot:
            tokens[pots + pot - 1] = tokens[pots + pot - 1] + _mixed(_TWO, pot)
        token = _mixed(_mixed(_ONE, kind * 64 + row[at + 3]), ((rank * 64 + mark) * 64) + pot)
        tokens[owner] = tokens[owner] + token
    for i in range(fixed[ITEMS]):
        at = items + 3 * i
        tokens[i] = _mixed(tokens[i], look(fixed, LIKE_ITEM, i) * 64 + row[at + 2])
        if row[at] == GONE:
            tokens[soups + row[at + 1]] += tokens[i]
    for m in range(row[MEALS]):
        at = meals + 2 * m
        tokens[soups + m] = _mixed(tokens[soups + m], look(fixed, LIKE_MEAL, m) * 2 + row[at + 1])
        tokens[pots + row[at]] += tokens[soups + m]
    for c in range(fixed[CONTAINERS]):
        at = containers + 2 * c
        tokens[pots + c] = _mixed(tokens[pots + c], look(fixed, LIKE_CONTAINER, c) * 2 + row[at + 1])
        if row[at] >= 0:
            tokens[stations + row[at]] += _mixed(_ONE, tokens[pots + c])
    for i in range(fixed[ITEMS]):
        at = items + 3 * i
        if row[at] >= 0:
            below = 0 if row[at + 1] < 0 else 1
            height = below
            under = row[at + 1]
            while under >= 0:
                height += 1
                under = row[items + 3 * under + 1]
            tokens[stations + row[at]] += _mixed(_TWO, tokens[i] + np.uint64(height) * _ONE)
    turn = row[TURN]
    for p in range(fixed[PLAYERS]):
        at = first + 2 * p
        who = (p - turn + fixed[PLAYERS]) % fixed[PLAYERS] if fixed[TURNING] else p
        held = np.uint64(0) if row[at + 1] < 0 else tokens[row[at + 1]]
        tokens[stations + row[at]] += _mixed(_mixed(_THREE, who + 1), held)
    one = np.uint64(0) if fixed[TURNING] else np.uint64(turn + 1)
    two = one
    for s in range(fixed[STATIONS]):
        token = _mixed(tokens[stations + s], look(fixed, LIKE_STATION, s))
        one += _mixed(_ONE, token)
        two += _mixed(_TWO, token)
    key[0], key[1] = one, two


@compiled
def _holds(fixed: Any, row: Any, room: Any, predicate: int, one: int, two: int) -> bool:
    """Whether a changing fact is true; see `planoracle.solver.kitchens.compiled.tables.PREDICATES`."""
    first, items, containers, meals, _ = places(fixed)
    if predicate < 5:
        return row[items + 3 * one + 2] & (CUT, COOKED, FRIED, COOKING, FRYABLE)[predicate] != 0
    if predicate == 5:
        if row[items + 3 * one] == GONE or room[4, one] >= 0:
            return False
        for p in range(fixed[PLAYERS]):  # noqa: SIM110  # not compiled as an expression
            if row[first + 2 * p + 1] == one:
                return False
        return True
    if predicate <= 7:
        return row[items + 3 * one] == two and (predicate == 6 or row[items + 3 * one + 1] < 0)
    if predicate == 8:
        return row[items + 3 * one] >= 0 and row[items + 3 * one + 1] == two
    if predicate == 9:
        return row[items + 3 * one] == GONE and row[items + 3 * one + 1] == two
    if predicate == 10:
        return row[containers + 2 * one] == two
    if predicate == 11:
        return one < row[MEALS] and row[meals + 2 * one] == two
    if predicate == 12:
        return one < row[MEALS] and row[meals + 2 * one + 1] != 0
    if predicate == 13:
        return row[containers + 2 * one + 1] != 0
    if predicate == 14:
        return row[first + 2 * one] == two
    if predicate == 15:
        return row[first + 2 * one + 1] == two
    if predicate == 16:
        return row[first + 2 * one + 1] == fixed[ITEMS] + two
    if predicate == 17:
        return row[first + 2 * one + 1] < 0
    if predicate == 18:
        return room[3, one] < 0
    return room[0, one] < 0 and room[2, one] < 0


@compiled
def _object(room: Any, part: int) -> int:
    """Return the object that an argument means, -1 if nobody plays the role yet."""
    return ~part if part < 0 else room[CAST, part]


@compiled
def _possible(fixed: Any, row: Any, room: Any, at: int) -> bool:
    """Whether a condition holds, for some objects if its roles are open."""
    one, two = look_at(fixed, ARGS, at, 0), look_at(fixed, ARGS, at, 1)
    a, b = _object(room, one), _object(room, two)
    predicate = look(fixed, PREDS, at)
    if predicate >= 17 or predicate <= 5 or predicate in (12, 13):
        b, two = 0, -1
    if a >= 0 and b >= 0:
        return _holds(fixed, row, room, predicate, a % TYPED, b % TYPED)
    for k in range(look_at(fixed, ALLOWED, one, 0) if a < 0 else 1):
        first = look_at(fixed, ALLOWED, one, 1 + k) if a < 0 else a
        for n in range(look_at(fixed, ALLOWED, two, 0) if b < 0 else 1):
            second = look_at(fixed, ALLOWED, two, 1 + n) if b < 0 else b
            if _holds(fixed, row, room, predicate, first % TYPED, second % TYPED):
                return True
    return False


@compiled
def reached(fixed: Any, row: Any, room: Any) -> bool:
    """Whether some choice of different objects makes all conditions of the goal true.

    The room's sites must be those of the row.
    """
    if fixed[JOINT] and row[TURN]:
        return False
    roles = fixed[ALLOWED + 1]
    room[CAST, :] = -1
    for at in range(fixed[PREDS + 1]):
        if not _possible(fixed, row, room, at):
            return False
    role = 0
    room[TRIED, 0] = 0
    while role >= 0:
        if role == roles:
            return True
        room[CAST, role] = -1
        found = False
        while room[TRIED, role] < look_at(fixed, ALLOWED, role, 0) and not found:
            room[TRIED, role] += 1
            what = look_at(fixed, ALLOWED, role, room[TRIED, role])
            free = True
            for other in range(role):
                free = free and room[CAST, other] != what
            if not free:
                continue
            room[CAST, role] = what
            found = True
            for at in range(fixed[PREDS + 1]):
                if (look_at(fixed, ARGS, at, 0) == role or look_at(fixed, ARGS, at, 1) == role) and found:
                    found = _possible(fixed, row, room, at)
            if not found:
                room[CAST, role] = -1
        if found:
            role += 1
            room[TRIED, role] = 0
        else:
            role -= 1
    return False
