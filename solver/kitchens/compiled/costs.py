"""Costs of items, as `..item_costs` has them, in numbers."""

from __future__ import annotations

from typing import Any, Final

from planoracle.solver.kitchens.compiled.lookup import (
    ALONE,
    BOILS,
    CAPPED,
    COOKS,
    CUTS,
    D_BOTTOM,
    D_CREW,
    D_FITS,
    D_IS,
    D_LAST,
    DISH,
    DOES,
    FILLS,
    FRIES,
    G_BOTTOMS,
    G_MEALS,
    MANY,
    NEEDED,
    OPTIONS,
    PLAYERS,
    R_BOTTOM,
    R_DISH,
    R_KIND,
    R_KINDS,
    R_LOOSE,
    R_MEAL,
    R_NAME,
    R_NEEDS,
    R_RANK,
    R_TOP,
    R_UNDER,
    RANK,
    SPECIES,
    STATIONS,
    compiled,
    look,
    look_at,
    look_into,
)
from planoracle.solver.kitchens.compiled.numbers import EFFECTS, HEAD, MEALS, places
from planoracle.solver.kitchens.compiled.room import BEFORE, BELOW, COSTS, DIRECT, GOES, LEAVING, TABLES
from planoracle.solver.kitchens.compiled.tables import BOARD, COOKED, CUT, FRIED, FRYER, SINK, STOVE

__all__ = ["BOIL", "FAR", "FILL", "effort", "free_at", "gone", "hands", "holder_at", "lying", "taken", "where"]

#: More steps than any plan takes.
FAR: Final = 10**6
#: Processes beside those of items, which are bits of their status.
FILL, BOIL = 64, 128


@compiled
def where(process: int) -> int:
    """Return the kind of station at which something is prepared."""
    if process == CUT:
        return BOARD
    if process in (COOKED, BOIL):
        return STOVE
    return FRYER if process == FRIED else SINK


@compiled
def free_at(fixed: Any, row: Any, room: Any, station: int) -> bool:
    """Whether somebody stands at a station who can pick something up, or, if there is but one player, at all."""
    return room[3, station] >= 0 and (fixed[ALONE] != 0 or row[HEAD + 2 * room[3, station] + 1] < 0)


@compiled
def effort(fixed: Any, row: Any, what: int, process: int, at: int) -> tuple[int, int]:
    """Return the actions that a process still takes, and 1 if one has to wait for it or come back.

    ``at`` is the station where it is going on or may be begun; -1 if the object has yet to be put to one.
    """
    _, _, _, _, effects = places(fixed)
    count = row[EFFECTS]
    least = -1
    ticks = fixed[COOKS]
    if process == FRIED:
        ticks = fixed[FRIES]
    elif process == FILL:
        ticks = fixed[FILLS]
    elif process == BOIL:
        ticks = fixed[BOILS]
    for n in range(count):
        e = effects + 4 * n
        kind = row[e]
        if row[e + 1] != what:
            continue
        if process == CUT:
            if kind == 0 and row[e + 3] < fixed[CUTS]:
                return fixed[CUTS] - row[e + 3], 0
            continue
        if process == COOKED:
            mine = kind == 2
        elif process == FRIED:
            mine = kind == 3
        elif process == FILL:
            mine = kind == 4
        else:
            mine = kind >= 5
        if not mine or (at >= 0 and row[e + 2] != at):
            continue
        last = True
        for other in range(n + 1, count):
            o = effects + 4 * other
            if kind >= 5 and row[o] >= 5 and row[o + 1] == what and row[o + 2] == row[e + 2]:
                last = False
        if last and (least < 0 or ticks - row[e + 3] < least):
            least = ticks - row[e + 3]
    if process == CUT:
        return fixed[CUTS], 0
    if least < 0:
        return 1, 1 if ticks > 1 else 0
    return 0, 1 if least > (0 if at >= 0 else 1) else 0


@compiled
def _complete(fixed: Any, role: int, room: Any) -> bool:
    """Whether so many items of every kind lie below as the rest of a crew has."""
    dish = look(fixed, R_DISH, role)
    for k in range(fixed[R_KINDS + 1]):
        if room[BELOW, k] < look_at(fixed, D_CREW, dish, k) - (1 if look(fixed, R_KIND, role) == k else 0):
            return False
    return True


@compiled
def _goes(fixed: Any, row: Any, g: int, room: Any, s: int, item: int, height: int, below: int, role: int) -> bool:
    """Whether an item cannot stay where it is, in a role."""
    if role < 0:
        if height:
            return False
        for d in range(fixed[D_BOTTOM + 1]):
            if look_at(fixed, D_IS, d, s) and look(fixed, D_BOTTOM, d) >= 0 and item != look_at(fixed, G_BOTTOMS, g, d):
                return True
        return False
    if look(fixed, R_NAME, role) >= 0 and look(fixed, R_NAME, role) != item:
        return False
    if look(fixed, R_MEAL, role) >= 0:
        return True
    dish = look(fixed, R_DISH, role)
    if dish >= 0:
        if look(fixed, D_BOTTOM, dish) >= 0:
            if room[TABLES, dish] != s:
                return True
        elif not look_at(fixed, D_FITS, dish, s):
            return True
        if look(fixed, R_TOP, role) and not _complete(fixed, role, room):
            return True
    if look(fixed, R_UNDER, role) != -1 and (not height or look(fixed, SPECIES, below) != look(fixed, R_UNDER, role)):
        return True
    _, items, _, _, _ = places(fixed)
    todo = look(fixed, R_NEEDS, role) & ~row[items + 3 * item + 2]
    for process in (CUT, COOKED, FRIED):
        if todo & process and (height or where(process) != look(fixed, DOES, s)):
            return True
    return False


@compiled
def _acts(fixed: Any, row: Any, item: int, todo: int, at: int) -> int:
    total = 0
    for process in (CUT, COOKED, FRIED):
        if todo & process:
            total += effort(fixed, row, item, process, at)[0]
    return total


@compiled
def _loosely(fixed: Any, row: Any, item: int, todo: int) -> int:
    """Return the steps of preparing an item, once it is put somewhere, that may stay where it is prepared last."""
    many = 0
    for process in (CUT, COOKED, FRIED):
        many += 1 if todo & process else 0
    return _acts(fixed, row, item, todo, -1) + 3 * max(0, many - 1)


@compiled
def _prepared(fixed: Any, row: Any, item: int, todo: int) -> int:
    """Return the steps of carrying an item to where it is prepared, preparing it and picking it up."""
    total = 0
    for process in (CUT, COOKED, FRIED):
        if todo & process:
            acts, pause = effort(fixed, row, item, process, -1)
            total += 3 + acts + pause
    return total


@compiled
def _errand(fixed: Any, row: Any, room: Any, item: int, s: int, height: int, o: int, role: int) -> int:
    """Return the steps of an item that lies somewhere and has to leave, without the walk to it."""
    if role < 0:
        return 3
    if look(fixed, R_NAME, role) >= 0 and look(fixed, R_NAME, role) != item:
        return FAR
    _, items, _, _, _ = places(fixed)
    total = 1
    todo = look(fixed, R_NEEDS, role) & ~row[items + 3 * item + 2]
    if not height:
        for process in (CUT, COOKED, FRIED):
            if todo & process and where(process) == look(fixed, DOES, s):
                acts, pause = effort(fixed, row, item, process, s)
                total += acts + (pause if acts or free_at(fixed, row, room, s) else 0)
                todo &= ~process
                break
    if look(fixed, R_LOOSE, role):
        return total + 2 + _loosely(fixed, row, item, todo)
    total += _prepared(fixed, row, item, todo)
    if look(fixed, R_MEAL, role) >= 0:
        return total + 2
    dish = look(fixed, R_DISH, role)
    if dish >= 0 and not todo and look(fixed, D_BOTTOM, dish) >= 0:
        if room[TABLES, dish] == s:
            return total + (6 if look(fixed, D_LAST, dish) == role else 2)
        room[DIRECT + 3 * o, item] = s
    return total + 2


@compiled
def lying(fixed: Any, row: Any, g: int, room: Any, s: int) -> bool:
    """Work out the costs of the items at a station, from the bottom; whether some surely leaves it."""
    _, items, _, _, _ = places(fixed)
    item = room[0, s]
    walk = 0 if free_at(fixed, row, room, s) else 1
    surely = capped = False
    room[BELOW, :] = 0
    room[BEFORE, :] = FAR
    height, below = 0, -1
    while item >= 0:
        goes_anyway = True
        for o in range(look_at(fixed, MANY, g, item)):
            role = look_into(fixed, OPTIONS, g, item, o)
            own = _goes(fixed, row, g, room, s, item, height, below, role)
            must = (own and role >= 0) or (fixed[ALONE] and (own or surely))
            goes = own or surely or capped
            goes_anyway = goes_anyway and (goes or (role < 0 and look_at(fixed, NEEDED, g, item) != 0))
            room[GOES + 3 * o, item] = goes
            if not goes:
                if role < 0:
                    room[COSTS + 3 * o, item] = 0
                elif look(fixed, R_NAME, role) >= 0 and look(fixed, R_NAME, role) != item:
                    room[COSTS + 3 * o, item] = FAR
                else:
                    todo = look(fixed, R_NEEDS, role) & ~row[items + 3 * item + 2]
                    room[COSTS + 3 * o, item] = _acts(fixed, row, item, todo, s)
                continue
            cost = walk if room[4, item] < 0 else 1
            held = role < 0 or (look(fixed, R_DISH, role) < 0 and look(fixed, R_MEAL, role) < 0)
            if held and not must and not (role >= 0 and look(fixed, R_NAME, role) not in (-1, item)):
                cost += 1  # it may be in a hand at the end
            else:
                cost += _errand(fixed, row, room, item, s, height, o, role)
            if (
                role >= 0
                and look(fixed, R_DISH, role) >= 0
                and look(fixed, R_RANK, role) > room[BEFORE, look(fixed, R_DISH, role)]
                and not look(fixed, R_NEEDS, role) & ~row[items + 3 * item + 2]
                and room[TABLES, look(fixed, R_DISH, role)] != s
                and fixed[ALONE]
            ):
                cost += 4
            room[COSTS + 3 * o, item] = cost
        surely = surely or goes_anyway
        dish = look_at(fixed, DISH, g, item)
        if goes_anyway and look_at(fixed, NEEDED, g, item) and dish >= 0:
            room[BEFORE, dish] = min(room[BEFORE, dish], look_at(fixed, RANK, g, item))
        capped = look_at(fixed, CAPPED, g, item) != 0
        if look(fixed, SPECIES, item) >= 0:
            room[BELOW, look(fixed, SPECIES, item)] += 1
        height, below = height + 1, item
        item = room[4, item]
    return surely


@compiled
def taken(fixed: Any, room: Any, asked: int) -> bool:
    """Whether something is on every station of some kinds (bits), so that a full hand can put nothing there."""
    if not fixed[ALONE]:
        return False
    for s in range(fixed[STATIONS]):  # noqa: SIM110  # not compiled as an expression
        if look(fixed, DOES, s) & asked and room[0, s] < 0 and room[2, s] < 0:
            return False
    return True


@compiled
def _dish_taken(fixed: Any, room: Any, dish: int) -> bool:
    if not fixed[ALONE]:
        return False
    for s in range(fixed[STATIONS]):
        if look_at(fixed, D_FITS, dish, s) and room[0, s] < 0 and room[2, s] < 0:
            return False
    return True


@compiled
def holder_at(fixed: Any, row: Any, thing: int) -> int:
    """Return the station of who holds a thing (containers come after items), -1 if nobody does."""
    for p in range(fixed[PLAYERS]):
        if row[HEAD + 2 * p + 1] == thing:
            return row[HEAD + 2 * p]
    return -1


@compiled
def _fitting(fixed: Any, room: Any, table: int, role: int) -> bool:
    """Whether an item may be put to its place in a dish now."""
    if table < 0 or room[LEAVING, table]:
        return False
    top = room[1, table]
    if look(fixed, R_UNDER, role) != -1 and (top < 0 or look(fixed, SPECIES, top) != look(fixed, R_UNDER, role)):
        return False
    if not look(fixed, R_TOP, role):
        return True
    room[BELOW, :] = 0
    item = room[0, table]
    while item >= 0:
        if look(fixed, SPECIES, item) >= 0:
            room[BELOW, look(fixed, SPECIES, item)] += 1
        item = room[4, item]
    return _complete(fixed, role, room)


@compiled
def _into(fixed: Any, row: Any, meal: int, own: int, aside: int) -> int:
    """Return the steps of an item in the hand of somebody at a station that has only to be put into a meal."""
    _, _, containers, meals, effects = places(fixed)
    pot = row[meals + 2 * meal] if 0 <= meal < row[MEALS] else -1
    if pot >= 0:
        return 1 if row[containers + 2 * pot] == own or (fixed[ALONE] and row[containers + 2 * pot] < 0) else 2
    filled = near = False
    for n in range(row[EFFECTS]):
        e = effects + 4 * n
        if row[e] == 4:
            filled = True
            near = near or row[containers + 2 * row[e + 1]] == own
    if fixed[ALONE] and not filled:
        return aside + 4
    return 1 if near else 2


@compiled
def hands(fixed: Any, row: Any, g: int, room: Any, item: int, role: int) -> int:
    """Return the steps of an item in somebody's hand."""
    _, items, _, _, _ = places(fixed)
    own, aside = holder_at(fixed, row, item), 2
    for p in range(fixed[PLAYERS]):
        if not room[LEAVING, row[HEAD + 2 * p]]:
            aside = 1
    if role < 0:
        return aside if fixed[ALONE] else 0
    if look(fixed, R_NAME, role) >= 0 and look(fixed, R_NAME, role) != item:
        return FAR
    todo = look(fixed, R_NEEDS, role) & ~row[items + 3 * item + 2]
    if look(fixed, R_LOOSE, role):
        if look(fixed, R_DISH, role) < 0 and not todo and not fixed[ALONE]:
            return 0  # it may stay there, and others do the rest
        return 1 + _loosely(fixed, row, item, todo)
    if todo:
        asked = 0
        for process in (CUT, COOKED, FRIED):
            if todo & process:
                asked |= where(process)
        if taken(fixed, room, asked):
            return aside + 2 + _prepared(fixed, row, item, todo) + 2
        total = _prepared(fixed, row, item, todo) - (1 if look(fixed, DOES, own) & asked else 0)
        return total + 2
    if look(fixed, R_MEAL, role) >= 0:
        return _into(fixed, row, look_at(fixed, G_MEALS, g, look(fixed, R_MEAL, role)), own, aside)
    dish = look(fixed, R_DISH, role)
    if dish < 0:
        return 1
    table = room[TABLES, dish]
    if look(fixed, R_BOTTOM, role) and _dish_taken(fixed, room, dish):
        return aside + 4
    if look(fixed, D_BOTTOM, dish) < 0 or look(fixed, R_BOTTOM, role):
        return 1 if look_at(fixed, D_FITS, dish, own) else 2
    if fixed[ALONE] and not _fitting(fixed, room, table, role):
        return aside + 4
    return 1 if table < 0 or table == own else 2


@compiled
def gone(fixed: Any, row: Any, g: int, item: int, role: int) -> int:
    """Return 0 if an item is where it must be, having been put into a meal; nothing comes out of one."""
    if role < 0:
        return 0
    _, items, _, _, _ = places(fixed)
    at = items + 3 * item
    meal = look(fixed, R_MEAL, role)
    if meal < 0 or look_at(fixed, G_MEALS, g, meal) != row[at + 1] or look(fixed, R_NEEDS, role) & ~row[at + 2]:
        return FAR
    return 0 if look(fixed, R_NAME, role) < 0 or look(fixed, R_NAME, role) == item else FAR
