"""How many steps are left at least, as `..bound` has it, in numbers."""

from __future__ import annotations

from typing import Any

from planoracle.solver.kitchens.compiled.clock import least_time, one_pot
from planoracle.solver.kitchens.compiled.costs import FAR, gone, hands, lying
from planoracle.solver.kitchens.compiled.lookup import (
    ALONE,
    BOILS,
    COOKS,
    D_BOTTOM,
    D_FITS,
    DOES,
    FRIES,
    G_BOTTOMS,
    G_MEALS,
    G_VESSELS,
    ITEMS,
    M_BOILED,
    MANY,
    OPTIONS,
    PLAYERS,
    R_DISH,
    R_KINDS,
    R_LOOSE,
    R_NEEDS,
    SHARED,
    SPECIES,
    STATIONS,
    V_ASKED,
    V_POT,
    compiled,
    look,
    look_at,
    look_into,
)
from planoracle.solver.kitchens.compiled.numbers import EFFECTS, GONE, HEAD, HELD, MEALS, places
from planoracle.solver.kitchens.compiled.room import (
    BELOW,
    BOUND_FOR,
    CAST,
    CHOSEN,
    CIRCLE,
    COSTS,
    DIRECT,
    GOES,
    LEAST,
    LEAVING,
    LISTED,
    PICKS,
    SPANS,
    TABLES,
    TRIED,
    USED,
)
from planoracle.solver.kitchens.compiled.tables import STOVE
from planoracle.solver.kitchens.compiled.vessels import soups, standing

__all__ = ["remaining"]


@compiled
def _listed(fixed: Any, g: int, room: Any, kind: int) -> int:
    """List the items of a kind that may play several roles."""
    many = 0
    for i in range(fixed[ITEMS]):
        if look(fixed, SPECIES, i) == kind and look_at(fixed, MANY, g, i) > 1:
            room[LISTED, many] = i
            many += 1
    return many


@compiled
def _match(fixed: Any, g: int, room: Any, kind: int, choose: bool) -> tuple[int, int]:
    """Return the least cost of giving every role of a kind another item, and how many items there are to choose from.

    With ``choose``, note by item the option that it has.
    """
    many = _listed(fixed, g, room, kind)
    if not many:
        return 0, 0
    roles = look_at(fixed, MANY, g, room[LISTED, 0]) - 1
    base = 0
    for n in range(many):
        base += room[COSTS + 3 * roles, room[LISTED, n]]
        room[USED, n] = 0
    if roles > many:
        return FAR, many
    room[LEAST, roles] = 0
    for role in range(roles - 1, -1, -1):
        low = FAR * 4
        for n in range(many):
            low = min(low, room[COSTS + 3 * role, room[LISTED, n]] - room[COSTS + 3 * roles, room[LISTED, n]])
        room[LEAST, role] = room[LEAST, role + 1] + low
    best = FAR * 100
    spent = depth = 0
    room[PICKS, 0] = -1
    while depth >= 0:
        if depth == roles:
            if spent < best:
                best = spent
                room[PICKS + 1, :roles] = room[PICKS, :roles]
            depth -= 1
            continue
        n = room[PICKS, depth]
        if n >= 0:
            room[USED, n] = 0
            spent -= room[COSTS + 3 * depth, room[LISTED, n]] - room[COSTS + 3 * roles, room[LISTED, n]]
        n += 1
        while n < many and (
            room[USED, n]
            or spent
            + room[COSTS + 3 * depth, room[LISTED, n]]
            - room[COSTS + 3 * roles, room[LISTED, n]]
            + room[LEAST, depth + 1]
            >= best
        ):
            n += 1
        room[PICKS, depth] = n
        if n == many:
            room[PICKS, depth] = -1
            depth -= 1
            continue
        room[USED, n] = 1
        spent += room[COSTS + 3 * depth, room[LISTED, n]] - room[COSTS + 3 * roles, room[LISTED, n]]
        depth += 1
        room[PICKS, depth] = -1
    if choose:
        for role in range(roles):
            room[CHOSEN, room[LISTED, room[PICKS + 1, role]]] = role
    return base + best, many


@compiled
def _lies(fixed: Any, room: Any, item: int, station: int) -> bool:
    return room[DIRECT + 3 * (room[CHOSEN, item]), item] == station


@compiled
def _circles(fixed: Any, g: int, room: Any) -> int:
    """Return how many disjoint circles there are of items that are carried straight to where the next one lies.

    Notes in ``state`` which items are in one: 2; else 1 at most.
    """
    for i in range(fixed[ITEMS]):
        room[BOUND_FOR, i] = -1
        room[CIRCLE, i] = 0
        o = room[CHOSEN, i]
        if o >= 0 and room[DIRECT + 3 * o, i] >= 0:
            room[BOUND_FOR, i] = room[TABLES, look(fixed, R_DISH, look_into(fixed, OPTIONS, g, i, o))]
    found = 0
    for start in range(fixed[ITEMS]):
        if room[BOUND_FOR, start] < 0:
            continue
        # On the way: marked with 3.
        item = start
        while item >= 0 and room[CIRCLE, item] == 0:
            room[CIRCLE, item] = 3
            following = -1
            for i in range(fixed[ITEMS]):
                if room[BOUND_FOR, i] >= 0 and room[CIRCLE, i] != 2 and _lies(fixed, room, i, room[BOUND_FOR, item]):
                    following = i
                    break
            item = following
        if item >= 0 and room[CIRCLE, item] == 3:
            found += 1
            begin = item
            while True:
                room[CIRCLE, item] = 2
                following = -1
                for i in range(fixed[ITEMS]):
                    known = room[CIRCLE, i] != 2 or i == begin
                    if room[BOUND_FOR, i] >= 0 and known and _lies(fixed, room, i, room[BOUND_FOR, item]):
                        following = i
                        break
                item = following
                if item == begin or item < 0:
                    break
        for i in range(fixed[ITEMS]):
            if room[CIRCLE, i] == 3:
                room[CIRCLE, i] = 1
    return found


@compiled
def _detours(fixed: Any, g: int, room: Any) -> int:
    """Return the steps that are added because of items each of which waits for the place of the next."""
    some = False
    for i in range(fixed[ITEMS]):
        some = some or (room[CHOSEN, i] >= 0 and room[DIRECT + 3 * (room[CHOSEN, i]), i] >= 0)
    if not some or not _circles(fixed, g, room):
        return 0
    # All assignments of the kinds that are in circles, the others fixed by nothing and in none.
    kinds = fixed[R_KINDS + 1]
    least = 0
    for kind in range(kinds):
        involved = False
        for i in range(fixed[ITEMS]):
            involved = involved or (
                look(fixed, SPECIES, i) == kind and look_at(fixed, MANY, g, i) > 1 and room[CIRCLE, i] == 2
            )
        room[BELOW, kind] = 1 if involved else 0
    for kind in range(kinds):
        if room[BELOW, kind]:
            least += _match(fixed, g, room, kind, False)[0]
    for i in range(fixed[ITEMS]):
        room[CHOSEN, i] = -1
    total, slots = 0, 0
    for i in range(fixed[ITEMS]):
        kind = look(fixed, SPECIES, i)
        if kind >= 0 and room[BELOW, kind] and look_at(fixed, MANY, g, i) > 1:
            total += room[COSTS + 3 * (look_at(fixed, MANY, g, i) - 1), i]
    # Every open role of these kinds is a slot.
    for kind in range(kinds):
        if room[BELOW, kind]:
            many = _listed(fixed, g, room, kind)
            for o in range(look_at(fixed, MANY, g, room[LISTED, 0]) - 1 if many else 0):
                room[CAST, slots] = kind
                room[TRIED, slots] = o
                slots += 1
    best = FAR
    depth = 0
    room[PICKS, 0] = -1
    while depth >= 0:
        if depth == slots:
            if total < best:
                best = min(best, total + 4 * _circles(fixed, g, room))
            depth -= 1
            continue
        kind, o = room[CAST, depth], room[TRIED, depth]
        i = room[PICKS, depth]
        if i >= 0:
            room[CHOSEN, i] = -1
            total -= room[COSTS + 3 * o, i] - room[COSTS + 3 * (look_at(fixed, MANY, g, i) - 1), i]
        i += 1
        while i < fixed[ITEMS] and (
            look(fixed, SPECIES, i) != kind or look_at(fixed, MANY, g, i) == 1 or room[CHOSEN, i] >= 0
        ):
            i += 1
        if i == fixed[ITEMS]:
            room[PICKS, depth] = -1
            depth -= 1
            continue
        room[PICKS, depth] = i
        room[CHOSEN, i] = o
        total += room[COSTS + 3 * o, i] - room[COSTS + 3 * (look_at(fixed, MANY, g, i) - 1), i]
        depth += 1
        room[PICKS, depth] = -1
    return best - least


@compiled
def _cast(fixed: Any, g: int, room: Any) -> int:
    """Return the least cost of an assignment of items to roles."""
    total = 0
    for i in range(fixed[ITEMS]):
        room[CHOSEN, i] = -1
        if look_at(fixed, MANY, g, i) == 1:
            total += room[COSTS, i]
    for kind in range(fixed[R_KINDS + 1]):
        cost, many = _match(fixed, g, room, kind, True)
        if not many and look_at(fixed, R_KINDS, kind, 1):
            return FAR
        total += cost
    if not fixed[ALONE] or total >= FAR:
        return total
    return total + _detours(fixed, g, room)


@compiled
def _span(fixed: Any, row: Any, room: Any, item: int, process: int) -> int:
    """Return the time from carrying an item to where it is prepared until it is in its place."""
    _, items, _, _, effects = places(fixed)
    at = items + 3 * item
    if row[at + 2] & process:
        return 0
    kind, asked, ticks = (2, STOVE, fixed[COOKS]) if process == 2 else (3, 4, fixed[FRIES])
    if row[at] < 0:
        near = False
        if row[at] == HELD:
            for p in range(fixed[PLAYERS]):
                near = near or look(fixed, DOES, row[HEAD + 2 * p]) == asked
        return (1 if near or row[at] != HELD else 2) + 1 + ticks + 2
    here = room[3, row[at]] >= 0
    if look(fixed, DOES, row[at]) == asked and row[at + 1] < 0:
        for n in range(row[EFFECTS]):
            e = effects + 4 * n
            if row[e] == kind and row[e + 1] == item and row[e + 2] == row[at]:
                return max(ticks - row[e + 3], 0 if here else 1) + 3
        return (0 if here else 1) + 1 + ticks + 2
    return (0 if here else 1) + 3 + 1 + ticks + 2


@compiled
def _span_of_meal(fixed: Any, row: Any, g: int, room: Any, place: int) -> int:
    _, _, containers, meals, effects = places(fixed)
    meal = look_at(fixed, G_MEALS, g, place)
    there = 0 <= meal < row[MEALS]
    if there and row[meals + 2 * meal + 1]:
        return 0
    if there:
        at = row[containers + 2 * row[meals + 2 * meal]]
        if at >= 0 and look(fixed, DOES, at) == STOVE:
            left = fixed[BOILS]
            for n in range(row[EFFECTS]):
                e = effects + 4 * n
                if row[e] >= 5 and row[e + 1] == meal and row[e + 2] == at:
                    left = fixed[BOILS] - row[e + 3]
            return left + 3
    return 1 + 1 + fixed[BOILS] + 2


@compiled
def _times(fixed: Any, row: Any, g: int, room: Any) -> int:
    """Return the least time for what passes through the only station of a kind, one after the other."""
    least = 0
    n = 0
    while n < fixed[SHARED + 1]:
        station, single = look_at(fixed, SHARED, n, 0), look_at(fixed, SHARED, n, 4)
        total = most = 0
        while n < fixed[SHARED + 1] and look_at(fixed, SHARED, n, 0) == station:
            process, what, count = (
                look_at(fixed, SHARED, n, 1),
                look_at(fixed, SHARED, n, 2),
                look_at(fixed, SHARED, n, 3),
            )
            n += 1
            if not process:
                span = _span_of_meal(fixed, row, g, room, what)
                total, most = total + span, max(most, span)
                continue
            many = 0
            for i in range(fixed[ITEMS]):
                if look(fixed, SPECIES, i) == what:
                    span = _span(fixed, row, room, i, process)
                    at = many
                    while at > 0 and room[SPANS, at - 1] > span:
                        room[SPANS, at] = room[SPANS, at - 1]
                        at -= 1
                    room[SPANS, at] = span
                    many += 1
            for k in range(min(many, count)):
                total, most = total + room[SPANS, k], max(most, room[SPANS, k])
        least = max(least, total if single else most)
    return least


@compiled
def remaining(fixed: Any, row: Any, g: int, room: Any) -> int:
    """Return how many steps, all players' together, are left at least with the choices of a group.

    The room's sites must be those of the row.
    """
    _, items, _, _, _ = places(fixed)
    for d in range(fixed[D_BOTTOM + 1]):
        room[TABLES, d] = -1
        role, bottom = look(fixed, D_BOTTOM, d), look_at(fixed, G_BOTTOMS, g, d)
        if role >= 0 and bottom >= 0:
            at = items + 3 * bottom
            ready = look(fixed, R_LOOSE, role) or not look(fixed, R_NEEDS, role) & ~row[at + 2]
            if ready and row[at] >= 0 and row[at + 1] < 0 and look_at(fixed, D_FITS, d, row[at]):
                room[TABLES, d] = row[at]
    for o in range(fixed[OPTIONS + 3]):
        room[DIRECT + 3 * o, :] = -1
    for s in range(fixed[STATIONS]):
        room[LEAVING, s] = 0
        if room[0, s] >= 0 and lying(fixed, row, g, room, s):
            room[LEAVING, s] = 1
    for i in range(fixed[ITEMS]):
        at = items + 3 * i
        if row[at] == HELD or row[at] == GONE:
            for o in range(look_at(fixed, MANY, g, i)):
                role = look_into(fixed, OPTIONS, g, i, o)
                room[GOES + 3 * o, i] = row[at] == HELD
                if row[at] == HELD:
                    room[COSTS + 3 * o, i] = hands(fixed, row, g, room, i, role)
                else:
                    room[COSTS + 3 * o, i] = gone(fixed, row, g, i, role)
                    room[GOES + 3 * o, i] = room[COSTS + 3 * o, i] > 0
    total = _cast(fixed, g, room)
    if total >= FAR:
        return FAR
    pots, again = soups(fixed, row, g, room)
    total += pots
    for place in range(fixed[V_POT + 1]):
        if look(fixed, V_ASKED, place) and (not look(fixed, V_POT, place) or not fixed[M_BOILED + 1]):
            total += standing(fixed, row, room, place, look_at(fixed, G_VESSELS, g, place))
    if fixed[ALONE]:
        return max(1, total - again, _times(fixed, row, g, room))
    time = max(1, least_time(fixed, row, g, room))
    if not again or total <= time:
        return max(total, time)
    return min(total, max(total - again, time, one_pot(fixed, row, g, room)))
