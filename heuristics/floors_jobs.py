"""Jobs of cooks, and when they are done: one pass over a list of jobs gives every step its earliest time.

The list is in an order in which the jobs could be done one after the other; jobs of different cooks overlap as far as
walks, stations and things that must be there allow. Where two cooks meet at the same tick, the one who needs what the
other does must have its turn later: the cook whose action *began* earlier goes first, then the order of the map
(`Key`); if that cannot be had by beginning the last tick of a walk or a wait anew, it comes a tick later.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from planoracle.heuristics.floors_shop import Shop

__all__ = ["AWAY", "CHOP", "DONE", "FETCH", "INTO", "MOVE", "PLATE", "SERVE", "STAY", "WASH", "Job", "Key", "Step", "Timing", "carried_out", "key_of"]

#: Fetch a raw ingredient (part, where to, chop it there); bring one that lies somewhere; chop it; take a plate round
#: (order, where to, what it collects on the way); wash the next dirty plate (number, sink, wash it at once); stand by
#: until a part is cooked.
FETCH, MOVE, CHOP, PLATE, WASH, STAY = range(6)
#: Where to: into the plate of the order, wherever it stands; to the window.
INTO, SERVE = -1, -2

#: Nowhere, or not there yet; on its plate.
AWAY, DONE = -1, -2

#: What, who, of what, where to, and the rest.
Job: TypeAlias = tuple[int, int, int, int, "bool | tuple[int, ...]"]

#: When something happens: tick, when the action of its cook began, and the cook; comparable as one number.
Key: TypeAlias = int
_TICK, _BEGUN, _MASK = 28, 8, (1 << 20) - 1


class Step(NamedTuple):
    """A use of a station: who, when, which, how long (0: interaction, -1: none), from which tiles, after what."""

    cook: int
    tick: int
    station: int
    ticks: int
    spots: int
    after: Key


class Timing(NamedTuple):
    """How things are after some jobs.

    Attributes
    ----------
    served
        When the orders were served.
    time
        When each cook is free.
    steps
        All that was done, as it was listed.
    lies
        Where each part is: a station, `AWAY`, not fetched yet, or `DONE`, on its plate.
    stands
        Where each plate is: a station, or `AWAY`.
    cover
        What is on each station, 0 for nothing; contents of cookware are in ``pots``.
    pots
        Parts in cookware, by the station it is on.
    washed
        How many dirty plates were taken.
    """

    served: list[int]
    time: list[int]
    steps: list[Step]
    lies: list[int]
    stands: list[int]
    cover: list[int]
    pots: dict[int, list[int]]
    washed: int


def key_of(tick: int, begun: int, cook: int) -> Key:
    """Return when something happens as one number."""
    return tick << _TICK | begun << _BEGUN | cook + 1


def carried_out(shop: Shop, jobs: list[Job], plates: list[int], stale: bool = False) -> Timing | None:
    """Give every step of some jobs its time.

    Parameters
    ----------
    plates
        For each order the plate: one of those at hand, or, from their number on, the next that is washed.
    stale
        Whether cookware counts from the end of what it cooked before, as some rules have it.

    Returns
    -------
    Timing or None
        ``None`` if the jobs cannot be done in this order.
    """
    floor, parts, ways, stations = shop.floor, shop.parts, shop.ways, shop.stations
    chop_ticks, wash_ticks = floor.facts.chop, floor.facts.wash
    cooks = len(floor.cooks)
    time, low, high, spot = [0] * cooks, [0] * cooks, [0] * cooks, shop.starts[:]
    # What lies on stations: nothing (0), a part (from 1), a plate (below 0), or cookware that is in the way.
    cover = [0] * shop.count
    clear = [0] * shop.count  # when it was cleared, or a dispenser used
    for place, station in enumerate(stations):
        if station.holds and station.kind != "stove":
            cover[place] = 1_000_000
    stands = [AWAY] * (len(shop.plates) + shop.washes)
    for plate, place in enumerate(shop.plates):
        stands[plate] = place
        cover[place] = -1 - plate
    parked, filled = [0] * len(stands), [0] * len(stands)
    dirty = [False] * len(stands)
    lies = [AWAY] * len(parts)
    since: list[Key] = [0] * len(parts)
    raw = [part.chopped for part in parts]
    pots: dict[int, list[int]] = {}
    heat: dict[int, tuple[int, int, int]] = {}  # of cookware in use: first put in, sum of ticks, cooked
    stamps: dict[int, int] = {}
    on_plate = [0] * len(floor.orders)
    served: list[int] = []
    returned: list[int] = []
    taken = 0
    last: Key = 1 << _TICK
    steps: list[Step] = []

    def use(cook: int, place: int, after: Key, ticks: int = 0) -> Key:
        """Walk to a station and use it, not before something has happened; 0 if there is no way."""
        start = time[cook]
        mark = cook + 1  # so that no key is 0
        way = ways.get((spot[cook], place))
        if way is None:
            way = shop.way(spot[cook], place)
        if not way:
            return 0
        tick = start + way[0][0]
        if tick < after >> _TICK:
            tick = after >> _TICK
        if tick == start:
            if (tick << _TICK | low[cook] << _BEGUN | mark) < after:
                tick += 1
            else:
                spot[cook] = way[0][1]
        if tick > start:
            split = False  # whether the last tick may have to begin anew
            low[cook] = start
            if (tick << _TICK | start << _BEGUN | mark) < after:
                if (tick << _TICK | tick - 1 << _BEGUN | mark) >= after:
                    split = True
                    low[cook] = after >> _BEGUN & _MASK
                else:
                    tick += 1
            slack = tick - start
            late = 0
            for length, tiles in way:
                if length > slack:
                    break
                spot[cook] = tiles
                if length < slack:
                    late = length
            high[cook] = tick - 1 if split else start + late
        if ticks:
            steps.append(Step(cook, tick, place, ticks, spot[cook], after))
            low[cook] = high[cook] = tick
            time[cook] = tick + ticks
            return tick + ticks << _TICK | tick << _BEGUN | mark
        time[cook] = tick
        steps.append(Step(cook, tick, place, 0, spot[cook], after))
        return tick << _TICK | high[cook] << _BEGUN | mark

    for kind, cook, what, target, rest in jobs:
        if kind == PLATE:
            order = what
            plate = plates[order]
            place = stands[plate]
            if place < 0:
                return None
            if dirty[plate]:
                filled[plate] = use(cook, place, filled[plate], wash_ticks)
                dirty[plate] = False
            key = use(cook, place, filled[plate])
            if not key:
                return None
            cover[place] = 0
            clear[place] = key
            stands[plate] = AWAY
            for part in rest:  # type: ignore[union-attr]
                place = lies[part]
                if place == DONE:
                    continue
                if place < 0:
                    return None
                if place in pots:
                    key = use(cook, place, heat.pop(place)[2] << _TICK)
                    for each in pots.pop(place):
                        lies[each] = DONE
                        on_plate[order] += 1
                    clear[place] = key
                    stamps[place] = key >> _TICK
                else:
                    if parts[part].stoves:
                        return None
                    if raw[part]:
                        if stations[place].kind != "chopping_board":
                            return None
                        since[part] = use(cook, place, since[part], chop_ticks)
                        raw[part] = False
                    key = use(cook, place, since[part])
                    cover[place] = 0
                    clear[place] = key
                    lies[part] = DONE
                    on_plate[order] += 1
                if not key:
                    return None
            if target == SERVE:
                if len(served) != order or on_plate[order] != len(shop.of_order[order]):
                    return None
                place = shop.windows[0]
                if len(shop.windows) > 1:
                    place = min(shop.windows, key=lambda one: shop.way(spot[cook], one)[:1] or ((1_000_000, 0),))
                last = use(cook, place, last)
                if not last:
                    return None
                served.append(last >> _TICK)
                returned.append((last >> _TICK) + floor.facts.plate_return)
            else:
                if cover[target]:
                    return None
                key = use(cook, target, clear[target])
                if not key:
                    return None
                cover[target] = -1 - plate
                stands[plate] = target
                parked[plate] = filled[plate] = key
            continue
        if kind == WASH:
            if what != taken or len(returned) <= taken or cover[target]:
                return None
            back = shop.returns[0]
            key = use(cook, back, max(returned[taken] << _TICK, clear[back]))
            clear[back] = key
            taken += 1
            key = key and use(cook, target, clear[target])
            if not key:
                return None
            plate = len(shop.plates) + what
            cover[target] = -1 - plate
            stands[plate] = target
            filled[plate] = parked[plate] = use(cook, target, key, wash_ticks) if rest else key
            dirty[plate] = not rest
            continue
        part = what
        place = lies[part]
        if kind == STAY:
            if place not in heat or not use(cook, place, heat[place][2] << _TICK):
                return None
            steps[-1] = steps[-1]._replace(ticks=-1)
            continue
        if kind == FETCH:
            if place != AWAY:
                return None
            sources = parts[part].sources
            place = sources[0]
            if len(sources) > 1:
                place = min(sources, key=lambda one: (cover[one] != 0, shop.way(spot[cook], one)[:1] or ((10**6, 0),)))
            if cover[place]:
                return None
            key = use(cook, place, clear[place])
            if key > clear[place]:
                clear[place] = key
        else:
            if place < 0 or place in pots:
                return None
            if raw[part] and stations[place].kind == "chopping_board":
                since[part] = use(cook, place, since[part], chop_ticks)
                if not since[part]:
                    return None
                raw[part] = False
                if kind == CHOP:
                    continue
            elif kind == CHOP:
                return None
            key = use(cook, place, since[part])
            cover[place] = 0
            clear[place] = key
        if not key:
            return None
        if target == INTO:
            plate = plates[parts[part].order]
            place = stands[plate]
            if place < 0 or raw[part] or parts[part].stoves or stations[place].kind == "sink":
                return None
            key = use(cook, place, parked[plate])
            if key > filled[plate]:
                filled[plate] = key
            lies[part] = DONE
            on_plate[parts[part].order] += 1
        elif target in parts[part].stoves:
            if raw[part]:
                return None
            key = use(cook, target, clear[target])
            put, ticks = key >> _TICK, parts[part].stoves[target]
            lies[part] = target
            if target in pots:
                if parts[pots[target][0]].order != parts[part].order:
                    return None
                pots[target].append(part)
                first, total, cooked = heat[target]
                first, total = min(first, put), total + ticks
                heat[target] = first, total, max(first + total, put + ticks, cooked)
            else:
                pots[target] = [part]
                first = put
                if stale and target in stamps:
                    first = min(put, stamps[target])
                heat[target] = first, ticks, max(put + 1, first + ticks)
        else:
            if cover[target]:
                return None
            key = use(cook, target, clear[target])
            cover[target] = part + 1
            lies[part] = target
            if rest:
                if stations[target].kind != "chopping_board" or not raw[part]:
                    return None
                key = use(cook, target, key, chop_ticks) if key else 0
                raw[part] = False
            since[part] = key
        if not key:
            return None
    return Timing(served, time, steps, lies, stands, cover, pots, taken)
