"""What a step makes of a state, by the rules; and all steps that are possible in one."""

from __future__ import annotations

from typing import Any

from planoracle.solver.kitchens.compiled.lookup import (
    BOILS,
    CONTAINERS,
    COOKS,
    CUTS,
    DOES,
    FILLS,
    FRIES,
    ITEMS,
    JOINT,
    PLAYERS,
    ROOM,
    SKIP,
    SOUPS,
    STATIONS,
    TRAITS,
    VESSELS,
    compiled,
    look,
)
from planoracle.solver.kitchens.compiled.numbers import DEEDS, EFFECTS, GONE, HEAD, HELD, MEALS, TURN, places
from planoracle.solver.kitchens.compiled.tables import (
    BOARD,
    COOKED,
    COOKING,
    CUT,
    FRIED,
    FRYABLE,
    FRYER,
    SINK,
    STOVE,
)

__all__ = ["MOVE", "carry_out", "children", "doings", "survey"]

WAIT, MOVE, PICK, PLACE, STACK, UNSTACK, LIFT, STAND, CHOP, COOK, FRY, FILL, BOIL, ADD, POUR = range(15)


@compiled
def survey(fixed: Any, row: Any, room: Any) -> None:
    """Note by station the item at the bottom, the one on top, the container and the player there; -1 for none.

    Also by item what is on it.
    """
    _, items, containers, _, _ = places(fixed)
    room[:5, :] = -1
    for i in range(fixed[ITEMS]):
        at = items + 3 * i
        if row[at] >= 0:
            if row[at + 1] < 0:
                room[0, row[at]] = i
            else:
                room[4, row[at + 1]] = i
    for i in range(fixed[ITEMS]):
        s = row[items + 3 * i]
        if s >= 0 and room[4, i] < 0:
            room[1, s] = i
    for c in range(fixed[CONTAINERS]):
        if row[containers + 2 * c] >= 0:
            room[2, row[containers + 2 * c]] = c
    for p in range(fixed[PLAYERS]):
        room[3, row[HEAD + 2 * p]] = p


@compiled
def _ready(fixed: Any, row: Any, at: int) -> None:
    """Let what can be fried once it is cut be so."""
    _, items, _, _, _ = places(fixed)
    what = row[at + 1]
    status = items + 3 * what + 2
    if look(fixed, TRAITS, what) & FRYABLE and row[status] & CUT:
        row[status] |= FRYABLE
        row[at + 3] = 1
    elif row[status] & FRYABLE:
        row[status] -= FRYABLE


@compiled
def _begin(fixed: Any, row: Any, kind: int, what: int, station: int) -> bool:
    """Start an effect, or go on with it, as the action is done; false if there is no room."""
    _, items, _, _, effects = places(fixed)
    count = row[EFFECTS]
    at = effects
    for _ in range(count):
        if row[at] == kind and row[at + 1] == what and row[at + 2] == station:
            break
        at += 4
    else:
        if count == fixed[ROOM]:
            return False
        row[at], row[at + 1], row[at + 2], row[at + 3] = kind, what, station, 0
        row[EFFECTS] = count + 1
    status = items + 3 * what + 2
    if kind == 0:
        if row[at + 3] < fixed[CUTS]:
            row[at + 3] += 1
            if row[at + 3] == fixed[CUTS]:
                row[status] |= CUT
    elif kind == 1:
        if row[at + 3] == 0:
            _ready(fixed, row, at)
    elif kind == 2:
        row[status] |= COOKING
    return True


@compiled
def _tick(fixed: Any, row: Any) -> bool:
    """Let a tick pass for all effects; false if there is no room for what comes into being."""
    _, items, containers, meals, effects = places(fixed)
    count, kept, skip = row[EFFECTS], 0, False
    for n in range(count):
        at = effects + 4 * n
        kind, what, station = row[at], row[at + 1], row[at + 2]
        ended = False
        if skip:
            skip = False
        elif kind == 0:
            ended = row[at + 3] >= fixed[CUTS]
        elif kind == 1:
            ended = row[at + 3] == 1
            if not ended:
                _ready(fixed, row, at)
                ended = row[at + 3] == 1
        elif kind <= 3:
            item = items + 3 * what
            if row[item] == station and row[item + 1] < 0:
                row[at + 3] += 1
                if kind == 2:
                    ended = row[at + 3] >= fixed[COOKS]
                    if ended:
                        row[item + 2] = (row[item + 2] | COOKED | COOKING) - COOKING
                    else:
                        row[item + 2] |= COOKING
                else:
                    ended = row[at + 3] >= fixed[FRIES]
                    if ended:
                        row[item + 2] |= FRIED
            elif kind == 2 and row[item + 2] & COOKING:
                row[item + 2] -= COOKING
        else:
            pot = what if kind == 4 else kind - 5
            if row[containers + 2 * pot] == station:
                row[at + 3] += 1
                if kind == 4:
                    ended = row[at + 3] >= fixed[FILLS]
                    if ended:
                        meal = row[MEALS]
                        if meal == fixed[SOUPS]:
                            return False
                        row[MEALS] = meal + 1
                        row[meals + 2 * meal], row[meals + 2 * meal + 1] = pot, 0
                        row[containers + 2 * pot + 1] = 0
                else:
                    ended = row[at + 3] >= fixed[BOILS]
                    if ended:
                        row[meals + 2 * what + 1] = 1
        if ended:
            skip = fixed[SKIP] == 1
        else:
            if kept < n:
                to = effects + 4 * kept
                row[to], row[to + 1], row[to + 2], row[to + 3] = kind, what, station, row[at + 3]
            kept += 1
    for at in range(effects + 4 * kept, effects + 4 * count):
        row[at] = 0
    row[EFFECTS] = kept
    return True


@compiled
def _done(fixed: Any, row: Any) -> bool:
    """End a turn; false if there is no room."""
    turn = row[TURN] + 1
    if turn == fixed[PLAYERS]:
        turn = 0
    row[TURN] = turn
    if row[EFFECTS] and (turn == 0 or not fixed[JOINT]):
        return _tick(fixed, row)
    return True


@compiled
def _freely(fixed: Any, row: Any, room: Any, deeds: Any, first: int, here: int) -> int:
    """List what can be done with empty hands."""
    _, items, containers, meals, _ = places(fixed)
    top, vessel, n = room[1, here], room[2, here], first
    can = look(fixed, DOES, here)
    if top >= 0:
        under = row[items + 3 * top + 1]
        if under >= 0:
            deeds[n] = UNSTACK + 16 * (top + DEEDS * under)
            return n + 1
        status, traits = row[items + 3 * top + 2], look(fixed, TRAITS, top)
        deeds[n] = PICK + 16 * top
        n += 1
        if can & BOARD and traits & CUT:
            deeds[n] = CHOP + 16 * top
            n += 1
        if can & STOVE and traits & COOKED and not status & COOKING:
            deeds[n] = COOK + 16 * top
            n += 1
        if can & FRYER and status & FRYABLE:
            deeds[n] = FRY + 16 * top
            n += 1
    if vessel >= 0:
        deeds[n] = LIFT + 16 * vessel
        n += 1
        pot = look(fixed, VESSELS, vessel) & 1
        if pot and can & SINK and row[containers + 2 * vessel + 1]:
            deeds[n] = FILL + 16 * vessel
            n += 1
        if pot and can & STOVE:
            for meal in range(row[MEALS]):
                if row[meals + 2 * meal] == vessel:
                    deeds[n] = BOIL + 16 * (vessel + DEEDS * meal)
                    n += 1
    return n


@compiled
def doings(fixed: Any, row: Any, room: Any, deeds: Any, first: int) -> int:
    """List what the player whose turn it is can do where it stands, from a place on; the place after them."""
    _, _, containers, meals, _ = places(fixed)
    me = HEAD + 2 * row[TURN]
    here, held = row[me], row[me + 1]
    n = first
    top, vessel = room[1, here], room[2, here]
    if held < 0:
        return _freely(fixed, row, room, deeds, first, here)
    if room[0, here] < 0 and vessel < 0:
        deeds[n] = PLACE + 16 * held if held < fixed[ITEMS] else STAND + 16 * (held - fixed[ITEMS])
        n += 1
    if held < fixed[ITEMS]:
        if top >= 0:
            deeds[n] = STACK + 16 * (held + DEEDS * top)
            n += 1
        if vessel >= 0 and look(fixed, VESSELS, vessel) & 1:
            for meal in range(row[MEALS]):
                if row[meals + 2 * meal] == vessel:
                    deeds[n] = ADD + 16 * (held + DEEDS * (vessel + DEEDS * meal))
                    n += 1
        return n
    pot = held - fixed[ITEMS]
    bowl = vessel >= 0 and look(fixed, VESSELS, vessel) & 2 and row[containers + 2 * vessel + 1]
    if bowl and look(fixed, VESSELS, pot) & 1:
        for meal in range(row[MEALS]):
            if row[meals + 2 * meal] == pot:
                deeds[n] = POUR + 16 * (vessel + DEEDS * (pot + DEEDS * meal))
                n += 1
    return n


@compiled
def carry_out(fixed: Any, row: Any, deed: int) -> bool:
    """Change a state by a deed; false if there is no room for what comes of it."""
    _, items, containers, meals, _ = places(fixed)
    me = HEAD + 2 * row[TURN]
    here = row[me]
    what, rest = deed % 16, deed // 16
    one, two, three = rest % DEEDS, rest // DEEDS % DEEDS, rest // DEEDS // DEEDS
    if what == MOVE:
        row[me] = one
    elif what in (PICK, UNSTACK):
        row[me + 1] = one
        row[items + 3 * one], row[items + 3 * one + 1] = HELD, -1
    elif what in (PLACE, STACK):
        row[me + 1] = -1
        row[items + 3 * one], row[items + 3 * one + 1] = here, two if what == STACK else -1
    elif what == LIFT:
        row[me + 1] = fixed[ITEMS] + one
        row[containers + 2 * one] = HELD
    elif what == STAND:
        row[me + 1] = -1
        row[containers + 2 * one] = here
    elif what == ADD:
        row[me + 1] = -1
        row[items + 3 * one], row[items + 3 * one + 1] = GONE, three
    elif what == POUR:
        row[meals + 2 * three] = one
        row[containers + 2 * one + 1] = 0
        row[containers + 2 * two + 1] = 1
    elif what != WAIT:
        kind, last = what - COOK + 2, what - COOK + 2
        if what == CHOP:
            kind, last = 0, 1
        elif what == BOIL:
            kind = last = 5 + one
            one = two
        while kind <= last:
            if not _begin(fixed, row, kind, one, here if last > 1 else 0):
                return False
            kind += 1
    return _done(fixed, row)


@compiled
def children(fixed: Any, row: Any, room: Any, made: Any, deeds: Any) -> int:
    """Write all states that one action leads to; how many, -1 if there is no room. The room gets the row's sites."""
    survey(fixed, row, room)
    deeds[0] = WAIT
    n = 1
    for s in range(fixed[STATIONS]):
        if room[3, s] < 0:
            deeds[n] = MOVE + 16 * s
            n += 1
    n = doings(fixed, row, room, deeds, n)
    for k in range(n):
        made[k] = row
        if not carry_out(fixed, made[k], deeds[k]):
            return -1
    return n
