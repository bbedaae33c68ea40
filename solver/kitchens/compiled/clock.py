"""How many steps pass at least when several cooks work at once: chains of actions, and queues for one place.

Whatever the mode of moves, ``n`` players act in a fixed order, so that two actions of one player are ``n`` steps apart,
or a multiple. A bound follows from what is done to one object, one thing after the other:

- An item that is taken somewhere is picked up, carried and put down by one player: ``n`` steps from one to the next.
  Before, somebody has to be there, which is another walk if nobody is. What is done to it where it lies begins ``n``
  steps after it was put there, and is done by one player: somebody else could only come once the first has left.
- Whoever picks up what has taken its time either has stayed (a multiple of ``n`` steps) or comes after the first has
  left: ``2n + 1`` steps or more.
- Items that end in one pile are put there for the last time one after the other. After that its player either makes
  room for another, who comes with the next item (leaves, comes, puts: ``2n + 1`` steps), or fetches the next one
  (``4n``); it cannot take the next one from the pile, on top of which is the one that it has put there. The same goes
  for what is put into one meal.
- Were the bottom of a pile moved, all items of the pile would be put there later than these times.

The time of a pile is that of a queue: items sorted by when they can be there, each at least so many steps after the
one before, the bottom first, the top last.
"""

from __future__ import annotations

from typing import Any

from planoracle.solver.kitchens.compiled.costs import effort, where
from planoracle.solver.kitchens.compiled.lookup import (
    BOILS,
    CONTAINERS,
    COOKS,
    D_BOTTOM,
    D_FITS,
    DOES,
    FILLS,
    FRIES,
    G_MEALS,
    G_VESSELS,
    ITEMS,
    JOINT,
    M_BOILED,
    M_VESSEL,
    MANY,
    OPTIONS,
    PLAYERS,
    R_DISH,
    R_KIND,
    R_LOOSE,
    R_MEAL,
    R_NAME,
    R_NEEDS,
    R_RANK,
    R_TOP,
    SPECIES,
    V_POT,
    VESSELS,
    compiled,
    look,
    look_at,
    look_into,
)
from planoracle.solver.kitchens.compiled.numbers import EFFECTS, GONE, HEAD, HELD, MEALS, TURN, places
from planoracle.solver.kitchens.compiled.room import GOES, SPANS, TABLES, TRIED
from planoracle.solver.kitchens.compiled.tables import COOKED, CUT, FRIED, SINK, STOVE

__all__ = ["least_time", "one_pot"]


@compiled
def _first(fixed: Any, row: Any, player: int) -> int:
    """Return the step that is a player's next."""
    wait = player - row[TURN]
    return (wait if wait >= 0 else wait + fixed[PLAYERS]) + 1


@compiled
def _here(fixed: Any, row: Any, room: Any, station: int) -> int:
    """Return the first step in which something can be done at a station."""
    there = room[3, station]
    return _first(fixed, row, there) if there >= 0 else 1 + fixed[PLAYERS]


@compiled
def _over(fixed: Any, row: Any, left: int) -> int:
    """Return the step with which so many ticks are over."""
    if not fixed[JOINT] or left <= 0:
        return max(0, left)
    return left * fixed[PLAYERS] - row[TURN]


@compiled
def _rest(fixed: Any, ticks: int) -> int:
    """Return the steps from what begins something that takes so many ticks to picking it up."""
    n = fixed[PLAYERS]
    least = ticks * n - (n - 1) if fixed[JOINT] else ticks
    staying = max(n, (least + n - 1) // n * n)
    return min(staying, max(2 * n + 1, least))


@compiled
def _left(fixed: Any, row: Any, kind: int, what: int, station: int) -> int:
    """Return the ticks left of an effect of a type (5: boiling) at a station, or at any for -1; -1 if there is none."""
    _, _, _, _, effects = places(fixed)
    found = -1
    for n in range(row[EFFECTS]):
        e = effects + 4 * n
        if min(row[e], 5) == kind and row[e + 1] == what and (row[e + 2] == station or station < 0):
            ticks = fixed[COOKS]
            if kind == 3:
                ticks = fixed[FRIES]
            elif kind == 4:
                ticks = fixed[FILLS]
            elif kind == 5:
                ticks = fixed[BOILS]
            left = ticks - row[e + 3]
            found = left if found < 0 else min(found, left)
    return found


@compiled
def _lasts(fixed: Any, row: Any, item: int, process: int) -> int:
    """Return the steps from putting an item where it is prepared to picking it up."""
    n = fixed[PLAYERS]
    acts = effort(fixed, row, item, process, -1)[0]
    if process == CUT:
        return (acts + 1) * n
    if not acts:
        return n
    return n + _rest(fixed, fixed[COOKS] if process == COOKED else fixed[FRIES])


@compiled
def _chain(fixed: Any, row: Any, g: int, room: Any, item: int, role: int) -> int:
    """Return the first step in which an item can be put to its place for the last time."""
    _, items, containers, meals, _ = places(fixed)
    n = fixed[PLAYERS]
    at = items + 3 * item
    station = row[at]
    todo = look(fixed, R_NEEDS, role) & ~row[at + 2]
    time = 0
    if station == HELD:
        for p in range(n):
            if row[HEAD + 2 * p + 1] == item:
                time = _first(fixed, row, p)
                station = row[HEAD + 2 * p]
        near = False
        if todo:
            for process in (CUT, COOKED, FRIED):
                near = near or (todo & process != 0 and where(process) == look(fixed, DOES, station))
        elif look(fixed, R_MEAL, role) >= 0:
            meal = look_at(fixed, G_MEALS, g, look(fixed, R_MEAL, role))
            there = 0 <= meal < row[MEALS]
            near = not there or row[containers + 2 * row[meals + 2 * meal]] == station
        else:
            dish = look(fixed, R_DISH, role)
            table = room[TABLES, dish]
            near = table == station or (table < 0 and look_at(fixed, D_FITS, dish, station) != 0)
        if not near:
            time += n
        if not todo:
            return time
        time -= 2 * n
    else:
        time = _here(fixed, row, room, station)
        above = room[4, item]
        while above >= 0:
            time += 2 * n + 1
            above = room[4, above]
        if row[at + 1] < 0:
            for process in (CUT, COOKED, FRIED):
                if todo & process and where(process) == look(fixed, DOES, station):
                    todo &= ~process
                    if process == CUT:
                        time += effort(fixed, row, item, process, station)[0] * n
                        break
                    left = _left(fixed, row, 2 if process == COOKED else 3, item, station)
                    if left >= 0:
                        time = max(time, _over(fixed, row, left) + 1)
                    elif effort(fixed, row, item, process, -1)[0]:
                        time += _rest(fixed, fixed[COOKS] if process == COOKED else fixed[FRIES])
                    break
    for process in (CUT, COOKED, FRIED):
        if todo & process:
            time += 2 * n + _lasts(fixed, row, item, process)
    return time + 2 * n


@compiled
def _soonest(fixed: Any, row: Any, g: int, room: Any, role: int) -> int:
    """Return the first step in which a role can be filled for good, 0 if it may be so already."""
    _, items, _, _, _ = places(fixed)
    best = -1
    for i in range(fixed[ITEMS]):
        if look(fixed, SPECIES, i) != look(fixed, R_KIND, role):
            continue
        for o in range(look_at(fixed, MANY, g, i)):
            if look_into(fixed, OPTIONS, g, i, o) != role:
                continue
            named = look(fixed, R_NAME, role)
            if named >= 0 and named != i:
                continue
            if not room[GOES + 3 * o, i]:
                return 0
            if row[items + 3 * i] == GONE:
                continue
            time = _chain(fixed, row, g, room, i, role)
            best = time if best < 0 else min(best, time)
    return max(0, best)


@compiled
def _queue(fixed: Any, room: Any, many: int, time: int) -> int:
    """Return when the last of some times is over, each so many steps after the one before, and after ``time``."""
    gap = 2 * fixed[PLAYERS] + 1
    for k in range(many):
        least = k
        for j in range(k + 1, many):
            if room[SPANS, j] < room[SPANS, least]:
                least = j
        room[SPANS, least], room[SPANS, k] = room[SPANS, k], room[SPANS, least]
        time = max(room[SPANS, k], time + gap if time > 0 else 0)
    return time


@compiled
def _pile(fixed: Any, row: Any, g: int, room: Any, dish: int) -> int:
    """Return the first step after which a dish can be complete."""
    roles = fixed[R_RANK + 1]
    ordered = True
    for r in range(roles):
        if look(fixed, R_DISH, r) != dish:
            continue
        room[TRIED, r] = _soonest(fixed, row, g, room, r) if not look(fixed, R_LOOSE, r) else 0
        for other in range(r):
            same = look(fixed, R_DISH, other) == dish and look(fixed, R_RANK, other) == look(fixed, R_RANK, r)
            ordered = ordered and not same
    gap = 2 * fixed[PLAYERS] + 1
    if ordered:  # one after the other, from below
        time, rank = 0, -1
        while True:
            best = -1
            for r in range(roles):
                here = look(fixed, R_DISH, r) == dish and look(fixed, R_RANK, r) > rank
                if here and (best < 0 or look(fixed, R_RANK, r) < look(fixed, R_RANK, best)):
                    best = r
            if best < 0:
                return time
            rank = look(fixed, R_RANK, best)
            if room[TRIED, best]:
                time = max(room[TRIED, best], time + gap if time > 0 else 0)
    time, many, last = 0, 0, 0
    bottom = look(fixed, D_BOTTOM, dish)
    for r in range(roles):
        if look(fixed, R_DISH, r) != dish or not room[TRIED, r]:
            continue
        if r == bottom:
            time = room[TRIED, r]
        elif look(fixed, R_TOP, r):
            last = room[TRIED, r]
        else:
            room[SPANS, many] = room[TRIED, r]
            many += 1
    time = _queue(fixed, room, many, time)
    return max(last, time + gap if time > 0 else 0) if last else time


@compiled
def _poured(fixed: Any, row: Any, room: Any, meal: int, pot: int, bowl: int, boil: bool, adds: int, hand: int) -> int:
    """Return the first step in which a meal can be poured from a pot; times of what is added are among those tried.

    ``hand`` is 0, or the next step of who holds the pot beside another's bowl; ``pot`` is -1 then.
    """
    _, _, containers, _, _ = places(fixed)
    n = fixed[PLAYERS]
    station = row[containers + 2 * pot] if pot >= 0 else -1
    there = meal >= 0
    if station < 0 and pot >= 0:
        for p in range(n):
            if row[HEAD + 2 * p + 1] == fixed[ITEMS] + pot:
                hand, station = _first(fixed, row, p), row[HEAD + 2 * p]
    kind = look(fixed, DOES, station) if station >= 0 else 0
    born, stove = 0, 0  # when the meal is there; when it is set to boil
    if there:
        if hand:
            stove = hand + n if kind == STOVE else hand + 2 * n
            close = row[containers + 2 * bowl] == station
            poured = hand if close else hand + n
        else:
            stove = _here(fixed, row, room, station) + (0 if kind == STOVE else 3 * n)
            poured = _here(fixed, row, room, station) + 2 * n
    else:
        begun = _left(fixed, row, 4, pot, -1) >= 0
        if hand:
            born = (hand if kind == SINK else hand + n) + (0 if begun else n)
        else:
            born = _here(fixed, row, room, station) + (0 if kind == SINK else 2 * n if begun else 3 * n)
        left = _left(fixed, row, 4, pot, station) if not hand else -1
        if left >= 0:
            born = _over(fixed, row, left)
        elif begun:
            born = max(0, born - 1)
        elif fixed[JOINT]:
            born += (fixed[FILLS] - 1) * n - (n - 1)
        else:
            born += fixed[FILLS] - 1
        stove = born + 1 + 3 * n
        poured = born + 1 + 2 * n
    if boil:
        left = _left(fixed, row, 5, meal, station) if there and not hand else -1
        if left >= 0:
            poured = max(poured, _over(fixed, row, left) + 1 + 2 * n)
        elif not there or _left(fixed, row, 5, meal, -1) < 0:
            poured = max(poured, stove + _rest(fixed, fixed[BOILS]) + 2 * n)
    if adds:
        for k in range(adds):
            room[SPANS, k] = max(room[TRIED, k], born + 1)
        poured = max(poured, _queue(fixed, room, adds, 0) + 3 * n)
    return poured


@compiled
def _served(fixed: Any, row: Any, g: int, room: Any, place: int, hand: int) -> int:
    """Return the first step after which a meal can be in its vessel; ``hand`` as above."""
    _, _, _, meals, _ = places(fixed)
    meal, bowl = look_at(fixed, G_MEALS, g, place), look_at(fixed, G_VESSELS, g, look(fixed, M_VESSEL, place))
    there = 0 <= meal < row[MEALS]
    boil = look(fixed, M_BOILED, place) != 0 and not (there and row[meals + 2 * meal + 1])
    if there and not look(fixed, VESSELS, row[meals + 2 * meal]) & 1:
        return 0
    adds, best = 0, -1
    for r in range(fixed[R_RANK + 1]):
        time = _soonest(fixed, row, g, room, r) if look(fixed, R_MEAL, r) == place else 0
        if time:
            room[TRIED, adds] = time
            adds += 1
    if hand:
        return _poured(fixed, row, room, -1, -1, bowl, boil, adds, hand)
    for pot in range(fixed[CONTAINERS]):
        if look(fixed, VESSELS, pot) & 1 and (not there or row[meals + 2 * meal] == pot):
            time = _poured(fixed, row, room, meal if there else -1, pot, bowl, boil, adds, 0)
            best = time if best < 0 else min(best, time)
    return max(0, best)


@compiled
def least_time(fixed: Any, row: Any, g: int, room: Any) -> int:
    """Return how many steps pass at least until all dishes and meals are done; the room knows what goes, and tables."""
    time = 0
    for dish in range(fixed[D_BOTTOM + 1]):
        time = max(time, _pile(fixed, row, g, room, dish))
    for place in range(fixed[M_BOILED + 1]):
        vessel = look(fixed, M_VESSEL, place)
        if vessel >= 0 and not look(fixed, V_POT, vessel):
            time = max(time, _served(fixed, row, g, room, place, 0))
    return time


@compiled
def one_pot(fixed: Any, row: Any, g: int, room: Any) -> int:
    """Return how many steps pass at least if some pot is filled for a meal when another has been poured from it."""
    _, _, _, meals, _ = places(fixed)
    best = -1
    for place in range(fixed[M_BOILED + 1]):
        vessel, meal = look(fixed, M_VESSEL, place), look_at(fixed, G_MEALS, g, place)
        there = 0 <= meal < row[MEALS]
        if vessel < 0 or look(fixed, V_POT, vessel) or (there and not look(fixed, VESSELS, row[meals + 2 * meal]) & 1):
            continue
        first = _served(fixed, row, g, room, place, 0)
        for other in range(fixed[M_BOILED + 1]):
            vessel, meal = look(fixed, M_VESSEL, other), look_at(fixed, G_MEALS, g, other)
            if other == place or vessel < 0 or look(fixed, V_POT, vessel) or 0 <= meal < row[MEALS]:
                continue
            time = _served(fixed, row, g, room, other, first + fixed[PLAYERS])
            best = time if best < 0 else min(best, time)
    return max(0, best)
