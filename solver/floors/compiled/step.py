"""The uses that are possible in a state, and what comes of them, as `Moves` has them."""

from __future__ import annotations

from typing import Any, Final

from planoracle.solver.floors.compiled.numbers import (
    ACTOR,
    COOK,
    DIRTY_PLATES,
    HEAD,
    MOMENT,
    SERVED,
    compiled,
)
from planoracle.solver.floors.compiled.sizes import FAR, HOLDING, LOADS, NEVER
from planoracle.solver.floors.compiled.tables import BOARD, NONE, NOT_ASKED, RETURN, SINK, STOVE, WINDOW
from planoracle.solver.floors.things import DIRTY, FILL_HELD, FILL_LYING, POUR_OUT, PUT, TAKE

__all__ = ["ASK_EXCHANGE", "ASK_FITS", "children", "sites"]

#: Questions that the tables could not answer.
ASK_EXCHANGE: Final = 1
ASK_FITS: Final = 2


@compiled
def sites(fixed: Any) -> tuple[int, int, int, int]:
    """Return where cooks, things, clocks and moments begin in a row."""
    cooks = HEAD + fixed.orders
    on = cooks + COOK * fixed.cooks
    return cooks, on, on + fixed.stations, on + 2 * fixed.stations


@compiled
def _turn(fixed: Any, row: Any, c: int, at: int) -> bool:
    base = HEAD + fixed.orders
    mine = base + COOK * c
    if at > row[MOMENT] or row[ACTOR] == c:
        return at > row[mine + 1] or row[ACTOR] == c or row[mine + 4] <= 0
    if row[mine + 1] == at and row[mine + 4] > 0:
        return False
    own = 1 if row[mine + 1] < at or row[mine + 4] == 0 else -row[mine + 4]
    for a in range(fixed.cooks):
        lag = row[base + COOK * a + 4]
        if a != c and row[base + COOK * a + 1] == at and lag > 0 and not (lag > own or (lag == own and a < c)):
            return False
    return True


@compiled
def _better_side(fixed: Any, s: int, q: int, tile: int, free: int, ready: int, at: int) -> bool:
    """Whether a station can be used from another side so early that one can still be at this side by then."""
    for side in range(fixed.sides[s, 0]):
        other = fixed.sides[s, side + 1]
        if other != q and max(free + fixed.walks[tile, other], ready) + fixed.walks[other, q] <= at:
            return True
    return False


@compiled
def _when(fixed: Any, row: Any, c: int, at: int, ready: int) -> int:
    now = row[MOMENT]
    if at < now:
        if at != ready or at < now - 1:
            return -1
        at = now
    if not fixed.turns or _turn(fixed, row, c, at):
        return at
    return at + 1 if at == ready or (at == now and now == ready + 1) else -1


@compiled
def _exchange(lookup: Any, held: int, lying: int, stove: int, asked: Any) -> int:
    """Return an exchange, -1 for none; what is not known is asked for, and none for now."""
    done = lookup.exchange[stove, held, lying]
    if done == NOT_ASKED:
        n = asked[0, 0]
        if n + 1 < len(asked):
            asked[n + 1, 0] = ASK_EXCHANGE
            asked[n + 1, 1] = held
            asked[n + 1, 2] = lying
            asked[n + 1, 3] = stove
            asked[0, 0] = n + 1
        return -1
    return done


@compiled
def _fits(fixed: Any, lookup: Any, row: Any, key: Any, asked: Any) -> bool:
    """Whether all food there is can still become part of the orders that are left."""
    cooks, on, _, _ = sites(fixed)
    key[0] = row[SERVED]
    n = 0
    for i in range(fixed.stations + fixed.cooks):
        thing = row[on + i] if i < fixed.stations else row[cooks + COOK * (i - fixed.stations) + 2]
        if lookup.things[thing, 4]:
            if n == LOADS:
                return False
            position = n
            while position and key[position] > thing:
                key[position + 1] = key[position]
                position -= 1
            key[position + 1] = thing
            n += 1
    if not n:
        return True
    for i in range(n, LOADS):
        key[i + 1] = 0
    mixed = 0
    for i in range(LOADS + 1):
        mixed = (mixed * 1_000_003 + key[i] + 17) & 0x3FFFFFFFFFFF
    slot = (mixed ^ (mixed >> 21)) & (len(lookup.fits) - 1)
    while lookup.fits[slot] != NOT_ASKED:
        same = True
        for i in range(LOADS + 1):
            if lookup.keys[slot, i] != key[i]:
                same = False
                break
        if same:
            return lookup.fits[slot] == 1
        slot = (slot + 1) & (len(lookup.fits) - 1)
    n = asked[0, 0]
    if n + 1 < len(asked):
        asked[n + 1, 0] = ASK_FITS
        for i in range(LOADS + 1):
            asked[n + 1, i + 1] = key[i]
        asked[0, 0] = n + 1
    return False


@compiled
def _filled(fixed: Any, lookup: Any, vessel: int, clock: int, at: int, stove: bool) -> int:
    ticks = lookup.things[vessel, 0]
    if not ticks:
        return 0
    if lookup.things[vessel, 1]:
        return clock + ticks
    if fixed.stamped:
        return (at if clock == NEVER else clock) + ticks
    return at + ticks if stove else ticks


@compiled
def _carried_out(  # noqa: C901 - as the rules are
    fixed: Any, lookup: Any, row: Any, new: Any, key: Any, asked: Any, c: int, tile: int, s: int, at: int, work: int
) -> bool:
    """Write the state after a use to ``new``; false if it makes something that is good for nothing."""
    cooks, on, clocks, since = sites(fixed)
    things = lookup.things
    now, actor = row[MOMENT], row[ACTOR]
    for i in range(len(row)):
        new[i] = row[i]
    if at > now:
        for v in range(fixed.stations):
            lying = new[on + v]
            if fixed.kind[v] == STOVE and lying and things[lying, 1]:
                found = max(new[clocks + v], new[since + v] + 1)
                if found <= at:
                    new[on + v] = things[lying, 3]
                    new[clocks + v] = found if fixed.stamped else 0
                    new[since + v] = found
    mine = cooks + COOK * c
    free, held, hclock = row[mine + 1], row[mine + 2], row[mine + 3]
    lying, kind = new[on + s], fixed.kind[s]
    check, until = False, at
    if work:
        new[on + s] = fixed.plate if kind == SINK else things[lying, 2]
        new[clocks + s] = 0
        until = at + work
        check = True
        if fixed.cooks == 1 and fixed.stamped:
            for v in range(fixed.stations):
                if fixed.kind[v] == STOVE and things[new[on + v], 1]:
                    found = max(new[clocks + v], new[since + v] + 1)
                    if at < found < until:
                        new[clocks + v] = until
    elif kind == WINDOW:
        held = 0
        new[SERVED] += 1
        if fixed.returns:
            new[HEAD + new[DIRTY_PLATES]] = at + fixed.back
            new[DIRTY_PLATES] += 1
    elif kind == RETURN:
        held, hclock = DIRTY, 0
        new[DIRTY_PLATES] -= 1
        for i in range(new[DIRTY_PLATES]):
            new[HEAD + i] = new[HEAD + i + 1]
        new[HEAD + new[DIRTY_PLATES]] = 0
    elif kind == SINK:
        new[on + s] = held
        held, hclock = lying, 0
        new[clocks + s] = 0
    elif not held and not lying:
        held, hclock = fixed.gives[s], 0
        check = True
    else:
        done = lookup.exchange[1 if kind == STOVE else 0, held, lying]
        how, then, there = done % 8, done // 8 % HOLDING, done // 8 // HOLDING
        stove = kind == STOVE and not fixed.stamped
        lies = new[clocks + s]
        if how == TAKE:
            new[clocks + s] = 0
            hclock = lies - at if stove and things[lying, 1] else lies
        elif how == PUT:
            new[clocks + s] = hclock + at if stove and things[held, 1] else hclock
            hclock = 0
        elif how == FILL_LYING:
            new[clocks + s] = _filled(fixed, lookup, lying, lies, at, stove)
            hclock = 0
            check = True
        elif how == FILL_HELD:
            hclock = _filled(fixed, lookup, held, hclock, at, False)
            new[clocks + s] = 0
            check = True
        else:
            check = True
            if not fixed.stamped:
                if how == POUR_OUT:
                    new[clocks + s] = 0
                else:
                    hclock = 0
        held, new[on + s] = then, there
    new[since + s] = until
    lag = row[mine + 4]
    if work:
        lag = -work
    elif free == at and actor == c and lag > 0:
        pass
    elif at == 0:
        lag = 1
    else:
        steps = fixed.walks[row[mine], tile]
        lag = min(7, max(steps, at - free - steps)) if free < at else -lag
    new[mine] = tile
    new[mine + 1] = until
    new[mine + 2] = held
    new[mine + 3] = hclock
    new[mine + 4] = lag
    if actor != c or at > now:
        new[mine + 5] = 0
        if actor >= 0 and actor != c and at == now:
            other = cooks + COOK * actor
            if row[other + 1] == now and row[other + 4] > 0:
                new[other + 5] = 1
    else:
        new[mine + 5] = 0
    new[MOMENT] = at
    new[ACTOR] = c
    if not fixed.turns:
        new[ACTOR] = -1
        new[mine + 4] = new[mine + 5] = 0
    return not check or _fits(fixed, lookup, new, key, asked)


@compiled
def children(  # noqa: C901 - the inner loop
    fixed: Any, lookup: Any, row: Any, most: int, undone: tuple[int, int], made: Any, uses: Any, key: Any, asked: Any
) -> int:
    """Write what can be done next before ``most``, and what it leads to, to ``uses`` and ``made``; return how many.

    What a cook would do at a station without work is left out where ``undone`` names both.
    What the tables cannot tell is in ``asked``, whose first number counts the questions; then the answer is not whole.
    """
    cooks, on, clocks, since = sites(fixed)
    things = lookup.things
    now, served, actor = row[MOMENT], row[SERVED], row[ACTOR]
    count = 0
    for c in range(fixed.cooks):
        mine = cooks + COOK * c
        tile, free, held, closed = row[mine], row[mine + 1], row[mine + 2], row[mine + 5] == 1
        if fixed.turns and actor != c and now == free and row[mine + 4] > 0:
            closed = True
        for s in range(fixed.stations):
            kind, lying, begin = fixed.kind[s], row[on + s], row[since + s]
            # A vessel on a stove is used before it is cooked or after, a thing on a board with or without work: at
            # most two ways, each from a moment on and before another, with some work.
            for way in range(2):
                ready, before, work = begin, FAR, 0
                if kind == WINDOW:
                    if way or not held or served == fixed.orders or not lookup.meals[held, served]:
                        continue
                    ready = max(ready, 1)
                elif kind == RETURN:
                    if way or held or not row[DIRTY_PLATES]:
                        continue
                    ready = max(ready, row[HEAD])
                elif kind == SINK:
                    if way:
                        continue
                    if lying == DIRTY:
                        work = fixed.wash
                    elif not (lying and not held) and not (held == DIRTY and not lying):
                        continue
                elif kind == NONE:
                    continue
                elif kind == STOVE:
                    cooking = lying and things[lying, 1]
                    found = max(row[clocks + s], ready + 1)
                    if way == 0:
                        if cooking:
                            before = found
                        there = lying
                    else:
                        if not cooking:
                            continue
                        ready, there = found, things[lying, 3]
                    if _exchange(lookup, held, there, 1, asked) < 0:
                        continue
                elif way == 0:
                    if kind != BOARD or not lying or not things[lying, 2]:
                        continue
                    work = fixed.chop
                elif c == undone[0] and s == undone[1]:
                    continue
                elif not held and not lying:
                    if not fixed.gives[s]:
                        continue
                elif _exchange(lookup, held, lying, 0, asked) < 0:
                    continue
                for side in range(fixed.sides[s, 0]):
                    q = fixed.sides[s, side + 1]
                    steps = fixed.walks[tile, q]
                    if steps >= FAR:
                        continue
                    at = max(free + steps, ready)
                    if not fixed.turns and _better_side(fixed, s, q, tile, free, ready, at):
                        continue
                    if closed and not steps:
                        at = max(at, free + 1)
                    at = _when(fixed, row, c, at, ready)
                    if at < 0 or at >= before or at >= most:
                        continue
                    if _carried_out(fixed, lookup, row, made[count], key, asked, c, q, s, at, work):
                        uses[count, 0] = c
                        uses[count, 1] = q
                        uses[count, 2] = s
                        uses[count, 3] = at
                        uses[count, 4] = work
                        count += 1
    return count
