"""The bounds of `Bound`, compiled."""

from __future__ import annotations

from typing import Any

from planoracle.solver.floors.compiled.numbers import COOK, MOMENT, SERVED, compiled
from planoracle.solver.floors.compiled.sizes import FAR, NEVER
from planoracle.solver.floors.compiled.step import sites
from planoracle.solver.floors.compiled.tables import STOVE
from planoracle.solver.floors.errands import BRING, CHOP_FRY, FRY, SEE

__all__ = ["chains", "walks"]


@compiled
def _food(
    fixed: Any, fills: Any, n: int, name: int, state: int, place: int, at: int, now: int, ends: int
) -> tuple[int, int]:
    """Return when an ingredient that is somewhere can be at the window, and how many ``fills`` there are then."""
    if ends >> state & 1 or state == 2:
        return max(now, at + fixed.out[place]), n
    value, kind = FAR, fixed.cookware[name]
    both = ends & 2 and state == 0
    if both:
        value = max(now + fixed.soonest[0], at + fixed.chopped[place])
    if ends & 4 and kind >= 0:
        chop = fixed.takes[name] != state
        way = fixed.fried[place] + fixed.chop if chop else fixed.stove[place]
        done = max(at + way, now + (fixed.soonest[2] + fixed.chop if chop else fixed.soonest[1]))
        if not both:
            fills[n, 0] = kind
            fills[n, 1] = done - way
            if fixed.stamped:
                fills[n, 1] = max(now, at + (fixed.board[place] if chop else 0)) + (fixed.chop if chop else 0)
            fills[n, 2] = fixed.served if fixed.stamped else way
            n += 1
        value = min(value, done)
    return value, n


@compiled
def _reached(fixed: Any, row: Any, s: int) -> int:
    best, base = FAR, sites(fixed)[0]
    for c in range(fixed.cooks):
        best = min(best, row[base + COOK * c + 1] + fixed.reach[row[base + COOK * c], s])
    return best


@compiled
def chains(fixed: Any, lookup: Any, row: Any, left: Any, begun: Any, fills: Any) -> int:
    """Return a bound by what every single thing must still go through."""
    now, served = row[MOMENT], row[SERVED]
    if served == fixed.orders:
        return now
    cooks, on, clocks, since = sites(fixed)
    things, best, n = lookup.things, now, 0
    for name in range(fixed.counts.shape[1]):
        left[name] = fixed.counts[served, name]
    for kind in range(len(fixed.ticks)):
        begun[kind] = FAR
    for i in range(fixed.stations + fixed.cooks):
        c = i - fixed.stations
        thing = row[on + i] if c < 0 else row[cooks + COOK * c + 2]
        if thing <= fixed.plate:
            continue
        if c < 0:
            place, clock = i, row[clocks + i]
            at = max(now, row[since + i], _reached(fixed, row, i))
        else:
            place, clock = fixed.stations + row[cooks + COOK * c], row[cooks + COOK * c + 3]
            at = row[cooks + COOK * c + 1]  # who holds something may have been on the way since his last use
        kind, count = things[thing, 5], things[thing, 4]
        if kind == 0:
            name = lookup.names[thing, 0]
            left[name] -= 1
            value, n = _food(fixed, fills, n, name, lookup.states[thing, 0], place, at, now, fixed.ends[served, name])
            best = max(best, value)
            continue
        cooked = things[thing, 1] == 1
        for k in range(count):
            name = lookup.names[thing, k]
            left[name] -= 1
            cooked = cooked and fixed.ends[served, name] == 4
        if fixed.stamped and kind > 1 and clock != NEVER:
            begun[kind] = min(begun[kind], clock)
        if not count:
            continue
        value = max(now, at + fixed.out[place])
        if cooked:
            stands = c < 0 and fixed.kind[i] == STOVE
            ready = max(now, clock) if fixed.stamped or stands else now + clock
            value = max(value if stands else at + fixed.stove[place], ready + fixed.served)
        best = max(best, value)
    for name in range(fixed.counts.shape[1]):
        if left[name] > 0:
            value, only = FAR, fixed.sources[name, 0]
            for k in range(only):
                s = fixed.sources[name, k + 1]
                at = max(now, _reached(fixed, row, s))
                one, more = _food(fixed, fills, n, name, 0, s, at, now, fixed.ends[served, name])
                value = min(value, one)
                if only == 1:
                    n = more
            best = max(best, value)
    for a in range(n):
        kind, put = fills[a, 0], fills[a, 1]
        done = put + fixed.ticks[kind]
        if fixed.stamped:
            first = put
            for b in range(n):
                if fills[b, 0] == kind:
                    first = min(first, fills[b, 1])
            done = min(done, begun[kind] + fixed.ticks[kind], first + 2 * fixed.ticks[kind])
            done = max(put, done)
        best = max(best, done + fills[a, 2])
    return best


@compiled
def _between(fixed: Any, one: Any, then: Any) -> int:
    """Return the walk of one errand and on to where another begins: kind, number of places, places."""
    best = FAR
    for a in range(one[1]):
        for b in range(then[1]):
            best = min(best, fixed.go[one[0], one[a + 2], then[b + 2]])
    return best


@compiled
def _single(errand: Any, what: int, place: int) -> None:
    errand[0] = what
    errand[1] = 1
    errand[2] = place


@compiled
def _fetched(fixed: Any, errands: Any, n: int) -> int:
    errands[n, 0] = SEE
    count = 0
    for s in range(fixed.stations):
        if fixed.kind[s] == STOVE:
            errands[n, count + 2] = s
            count += 1
    errands[n, 1] = count
    return n + 1


@compiled
def walks(  # noqa: C901 - as the bound is
    fixed: Any, lookup: Any, row: Any, left: Any, errands: Any, costs: Any, scratch: Any, loose: int
) -> int:
    """Return a bound by what all cooks together must walk and work.

    Where ``loose`` is not 0 it is no bound but a guess: nothing is fetched on the way, cooked food is fetched from its
    stove as well, and walks count so many halves.
    """
    now, served = row[MOMENT], row[SERVED]
    if served == fixed.orders:
        return now
    cooks, on, _, _ = sites(fixed)
    things, n, work, plates = lookup.things, 0, 0, 0
    for name in range(fixed.counts.shape[1]):
        left[name] = fixed.counts[served, name]
    last = len(errands) - 1  # the places of plates, meanwhile
    for i in range(fixed.stations + fixed.cooks):
        c = i - fixed.stations
        thing = row[on + i] if c < 0 else row[cooks + COOK * c + 2]
        if thing < fixed.plate:
            continue
        place = i if c < 0 else fixed.stations + row[cooks + COOK * c]
        kind, count = things[thing, 5], things[thing, 4]
        for k in range(count):
            left[lookup.names[thing, k]] -= 1
        if kind == 1:
            errands[last, plates + 2] = place
            plates += 1
        elif kind > 1:
            if count:
                _single(errands[n], SEE, place)
                n += 1
        elif kind == 0:
            name, state = lookup.names[thing, 0], lookup.states[thing, 0]
            _single(errands[n], fixed.errand[served, name, state], place)
            work += fixed.work[served, name, state]
            n += 1
            if loose and fixed.errand[served, name, state] in (FRY, CHOP_FRY):
                n = _fetched(fixed, errands, n)
    for name in range(fixed.counts.shape[1]):
        for _ in range(left[name]):
            if not fixed.sources[name, 0]:
                return FAR
            errands[n, 0] = fixed.errand[served, name, 0]
            for k in range(fixed.sources[name, 0] + 1):
                errands[n, k + 1] = fixed.sources[name, k]
            work += fixed.work[served, name, 0]
            n += 1
            if loose and fixed.errand[served, name, 0] in (FRY, CHOP_FRY):
                n = _fetched(fixed, errands, n)
    dishes = fixed.orders - served
    for dish in range(dishes):
        if plates > dishes:
            errands[n, 0] = BRING
            errands[n, 1] = plates
            for k in range(plates):
                errands[n, k + 2] = errands[last, k + 2]
        elif dish < plates:
            _single(errands[n], BRING, errands[last, dish + 2])
        else:
            errands[n, 0] = BRING
            for k in range(fixed.windows[0] + 1):
                errands[n, k + 1] = fixed.windows[k]
        n += 1
    spare, size = fixed.cooks - 1, n + fixed.cooks
    for a in range(n):
        end = FAR
        for k in range(errands[a, 1]):
            end = min(end, fixed.last[errands[a, 0], errands[a, k + 2]])
        for b in range(n):
            costs[a, b] = _between(fixed, errands[a], errands[b])
        if loose and n > 1:
            costs[a, a] = FAR
        for b in range(spare):
            costs[a, n + b] = end
        costs[a, size - 1] = end if errands[a, 0] == BRING else FAR
    for c in range(fixed.cooks):
        place = fixed.stations + row[cooks + COOK * c]
        work += max(row[cooks + COOK * c + 1], now - fixed.longest)
        for b in range(n):
            best = FAR
            for k in range(errands[b, 1]):
                best = min(best, fixed.ways[place, errands[b, k + 2]])
            costs[n + c, b] = best
        for b in range(spare):
            costs[n + c, n + b] = 0
        costs[n + c, size - 1] = FAR
    steps = _cheapest(costs, size, scratch)
    return -(-(work + (steps * loose // 2 if loose else steps)) // fixed.cooks)


@compiled
def _cheapest(costs: Any, size: int, scratch: Any) -> int:
    """Return the least cost of an assignment (Hungarian method), as `cheapest` of `..errands`."""
    rows, columns, taken, way, low, used = (
        scratch[0],
        scratch[1],
        scratch[2],
        scratch[3],
        scratch[4],
        scratch[5],
    )
    for i in range(size + 1):
        rows[i] = columns[i] = taken[i] = 0
    for r in range(1, size + 1):
        taken[0] = r
        column = 0
        for i in range(size + 1):
            low[i] = 1000 * FAR
            used[i] = 0
        while taken[column]:
            used[column] = 1
            here, step, nearest = taken[column], 1000 * FAR, 0
            for other in range(1, size + 1):
                if not used[other]:
                    cost = costs[here - 1, other - 1] - rows[here] - columns[other]
                    if cost < low[other]:
                        low[other], way[other] = cost, column
                    if low[other] < step:
                        step, nearest = low[other], other
            for other in range(size + 1):
                if used[other]:
                    rows[taken[other]] += step
                    columns[other] -= step
                else:
                    low[other] -= step
            column = nearest
        while column:
            taken[column] = taken[way[column]]
            column = way[column]
    return -columns[0]
