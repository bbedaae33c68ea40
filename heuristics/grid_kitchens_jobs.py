"""Jobs of cooks, and when they are done: one pass over a list of jobs gives every step its earliest time.

The list is in an order in which the jobs could be done one after the other; jobs of different cooks overlap as far as
walks, stations and things that must be there allow. Where two cooks meet at the same tick, the one who needs what the
other does must have its turn later: the cook whose action *began* earlier goes first, then the order of the map
(`Key`); if that cannot be had by beginning the last tick of a walk or a wait anew, it comes a tick later.
"""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple, TypeAlias

from planoracle.heuristics.grid_kitchens_layout import Shop, Way
from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import Tile
from planoracle.instances.benchmarks.grid_kitchens.tiles import distances, steps
from planoracle.instances.errors import InternalError

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


class StationStep(NamedTuple):
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
    steps: list[StationStep]
    lies: list[int]
    stands: list[int]
    cover: list[int]
    pots: dict[int, list[int]]
    washed: int


def key_of(tick: int, begun: int, cook: int) -> Key:
    """Return when something happens as one number."""
    return tick << _TICK | begun << _BEGUN | cook + 1


def carried_out(
    shop: Shop, jobs: list[Job], plates: list[int], stale: bool = False, limit: float = inf
) -> Timing | None:
    """Give every step of some jobs its time.

    Parameters
    ----------
    plates
        For each order the plate: one of those at hand, or, from their number on, the next that is washed.
    stale
        Whether cookware counts from the end of what it cooked before, as some rules have it.
    limit
        Ticks; what takes longer is not looked at any further.

    Returns
    -------
    Timing or None
        ``None`` if the jobs cannot be done in this order, or take too long.
    """
    course = _Course(shop, plates, stale)
    time = course.time
    for kind, cook, what, target, rest in jobs:
        if time[cook] > limit:
            return None
        if kind == PLATE:
            done = course.round(cook, what, target, rest)  # type: ignore[arg-type]
        elif kind == WASH:
            done = course.wash(cook, what, target, rest)
        elif kind == STAY:
            done = course.stay(cook, what)
        elif kind == CHOP:
            done = course.raw[what] and course.chop(cook, what)
        else:
            done = course.take(cook, what, kind == FETCH) and course.put(cook, what, target, rest)
        if not done:
            return None
    return Timing(
        course.served, time, course.steps, course.lies, course.stands, course.cover, course.pots, course.washed
    )


class _Course:
    """How things are while jobs are done; all methods return whether, or when, something could be done.

    Attributes
    ----------
    cover
        What lies on stations: nothing (0), a part (from 1), a plate (below 0), or cookware that is in the way.
    clear
        When a station was cleared, or a dispenser last used.
    parked, filled
        When a plate was put down, and when the last thing came in.
    since, raw
        When a part was put down or chopped, and whether it must be chopped still.
    heat
        Of cookware in use: when the first thing was put in, the sum of ticks, when it is cooked.
    low, high
        When the last action of a cook begins at the earliest and at the latest.
    """

    __slots__ = (
        "clear", "cover", "dirty", "filled", "heat", "high", "last", "lies", "low", "on_plate", "parked", "plates",
        "pots", "raw", "served", "shop", "since", "spot", "stale", "stamps", "stands", "steps", "time", "washed",
    )  # fmt: skip

    def __init__(self, shop: Shop, plates: list[int], stale: bool) -> None:
        cooks, parts = len(shop.starts), len(shop.parts)
        self.shop, self.plates, self.stale = shop, plates, stale
        self.time, self.low, self.high, self.spot = [0] * cooks, [0] * cooks, [0] * cooks, shop.starts[:]
        self.cover = shop.cover[:]
        self.clear = [0] * shop.count
        self.stands = shop.plates + [AWAY] * shop.washes
        self.parked, self.filled = [0] * len(self.stands), [0] * len(self.stands)
        self.dirty = [False] * len(self.stands)
        self.lies = [AWAY] * parts
        self.since: list[Key] = [0] * parts
        self.raw = shop.raw[:]
        self.pots: dict[int, list[int]] = {}
        self.heat: dict[int, tuple[int, int, int]] = {}
        self.stamps: dict[int, int] = {}
        self.on_plate = [0] * len(shop.of_order)
        self.served: list[int] = []
        self.washed = 0
        self.last: Key = 1 << _TICK
        self.steps: list[StationStep] = []

    def use(self, cook: int, place: int, after: Key, ticks: int = 0) -> Key:
        """Walk to a station and use it, not before something has happened; 0 if there is no way."""
        start, begun = self.time[cook], self.spot[cook]
        way = self.shop.ways.get((begun, place)) or self.shop.way(begun, place)
        if not way:
            return 0
        mark = cook + 1  # so that no key is 0
        tick = start + way[0][0]
        if tick < after >> _TICK:
            tick = after >> _TICK
        if tick == start:
            if (tick << _TICK | self.low[cook] << _BEGUN | mark) < after:
                tick += 1
            else:
                self.spot[cook] = way[0][1]
        if tick > start:
            self._walk(cook, way, tick - start)
            split = False  # whether the last tick may have to begin anew
            self.low[cook] = start
            if (tick << _TICK | start << _BEGUN | mark) < after:
                if (tick << _TICK | tick - 1 << _BEGUN | mark) >= after:
                    split = True
                    self.low[cook] = after >> _BEGUN & _MASK
                else:
                    tick += 1
                    self._walk(cook, way, tick - start)
            if split:
                self.high[cook] = tick - 1
        self.time[cook] = tick + ticks
        self.steps.append(StationStep(cook, tick, place, ticks, self.spot[cook], after))
        if ticks:
            self.low[cook] = self.high[cook] = tick
            return tick + ticks << _TICK | tick << _BEGUN | mark
        return tick << _TICK | self.high[cook] << _BEGUN | mark

    def _walk(self, cook: int, way: Way, slack: int) -> None:
        """Note where a walk that may take so long can end, and when a wait after it begins at the latest."""
        late = 0
        for length, tiles in way:
            if length > slack:
                break
            self.spot[cook] = tiles
            if length < slack:
                late = length
        self.high[cook] = self.time[cook] + late

    def round(self, cook: int, order: int, target: int, collects: tuple[int, ...]) -> Key:
        """Take the plate of an order, collect what is to be collected, and serve it or put it down."""
        plate = self.plates[order]
        place = self.stands[plate]
        if place < 0:
            return 0
        if self.dirty[plate]:
            self.filled[plate] = self.use(cook, place, self.filled[plate], self.shop.wash)
            self.dirty[plate] = False
        key = self.use(cook, place, self.filled[plate])
        if not key:
            return 0
        self.cover[place] = 0
        self.clear[place] = key
        self.stands[plate] = AWAY
        for part in collects:
            if self.lies[part] != DONE and not self._collect(cook, part, order):
                return 0
        if target == SERVE:
            return self._serve(cook, order)
        key = 0 if self.cover[target] else self.use(cook, target, self.clear[target])
        self.cover[target] = -1 - plate
        self.stands[plate] = target
        self.parked[plate] = self.filled[plate] = key
        return key

    def _collect(self, cook: int, part: int, order: int) -> Key:
        place = self.lies[part]
        if place < 0:
            return 0
        if place in self.pots:
            key = self.use(cook, place, self.heat.pop(place)[2] << _TICK)
            for each in self.pots.pop(place):
                self.lies[each] = DONE
                self.on_plate[order] += 1
            self.clear[place] = key
            self.stamps[place] = key >> _TICK
            return key
        if self.shop.parts[part].stoves or (self.raw[part] and not self.chop(cook, part)):
            return 0
        key = self.use(cook, place, self.since[part])
        self.cover[place] = 0
        self.clear[place] = key
        self.lies[part] = DONE
        self.on_plate[order] += 1
        return key

    def _serve(self, cook: int, order: int) -> Key:
        shop = self.shop
        if len(self.served) != order or self.on_plate[order] != len(shop.of_order[order]):
            return 0
        place = shop.windows[0]
        if len(shop.windows) > 1:
            place = min(shop.windows, key=lambda one: shop.length(self.spot[cook], one))
        self.last = self.use(cook, place, self.last)
        self.served.append(self.last >> _TICK)
        return self.last

    def wash(self, cook: int, number: int, sink: int, at_once: object) -> Key:
        """Bring the next dirty plate to a sink."""
        if number != self.washed or len(self.served) <= number or self.cover[sink]:
            return 0
        back = self.shop.returns[0]
        key = self.use(cook, back, max(self.served[number] + self.shop.back << _TICK, self.clear[back]))
        self.clear[back] = key
        self.washed += 1
        key = key and self.use(cook, sink, self.clear[sink])
        plate = len(self.shop.plates) + number
        self.cover[sink] = -1 - plate
        self.stands[plate] = sink
        self.filled[plate] = self.use(cook, sink, key, self.shop.wash) if at_once and key else key
        self.dirty[plate] = not at_once
        return key

    def stay(self, cook: int, part: int) -> Key:
        """Stand by until a part is cooked."""
        place = self.lies[part]
        if place not in self.heat or not self.use(cook, place, self.heat[place][2] << _TICK):
            return 0
        self.steps[-1] = self.steps[-1]._replace(ticks=-1)
        return 1

    def chop(self, cook: int, part: int) -> Key:
        """Chop a part on the board where it lies."""
        place = self.lies[part]
        if place not in self.shop.is_board:
            return 0
        self.raw[part] = False
        self.since[part] = self.use(cook, place, self.since[part], self.shop.chop)
        return self.since[part]

    def take(self, cook: int, part: int, fetch: bool) -> Key:
        """Take a part from a dispenser, or from where it lies; a raw one on a board is chopped before."""
        place = self.lies[part]
        if not fetch:
            if place < 0 or place in self.pots:
                return 0
            if self.raw[part] and place in self.shop.is_board and not self.chop(cook, part):
                return 0
            key = self.use(cook, place, self.since[part])
            self.cover[place] = 0
            self.clear[place] = key
            return key
        if place != AWAY:
            return 0
        sources = self.shop.parts[part].sources
        place = sources[0]
        if len(sources) > 1:
            spot = self.spot[cook]
            place = min(sources, key=lambda one: (self.cover[one] != 0, self.shop.length(spot, one)))
        if self.cover[place]:
            return 0
        key = self.use(cook, place, self.clear[place])
        if key > self.clear[place]:
            self.clear[place] = key
        return key

    def put(self, cook: int, part: int, target: int, chop: object) -> Key:
        """Put a part that is in hand on its plate, into cookware, or down, and perhaps chop it there."""
        own = self.shop.parts[part]
        if target == INTO:
            plate = self.plates[own.order]
            place = self.stands[plate]
            if place < 0 or self.raw[part] or own.stoves or place in self.shop.sinks:
                return 0
            key = self.use(cook, place, self.parked[plate])
            if key > self.filled[plate]:
                self.filled[plate] = key
            self.lies[part] = DONE
            self.on_plate[own.order] += 1
            return key
        if target in own.stoves:
            return 0 if self.raw[part] else self._cook(cook, part, target)
        if self.cover[target]:
            return 0
        key = self.use(cook, target, self.clear[target])
        self.cover[target] = part + 1
        self.lies[part] = target
        self.since[part] = key
        if chop and key:
            return self.chop(cook, part) if self.raw[part] else 0
        return key

    def _cook(self, cook: int, part: int, stove: int) -> Key:
        parts = self.shop.parts
        others = self.pots.get(stove)
        if others and parts[others[0]].order != parts[part].order:
            return 0
        key = self.use(cook, stove, self.clear[stove])
        put, ticks = key >> _TICK, parts[part].stoves[stove]
        self.lies[part] = stove
        if others:
            others.append(part)
            first, total, cooked = self.heat[stove]
            first, total = min(first, put), total + ticks
            self.heat[stove] = first, total, max(first + total, put + ticks, cooked)
        else:
            self.pots[stove] = [part]
            first = min(put, self.stamps.get(stove, put)) if self.stale else put
            self.heat[stove] = first, ticks, max(put + 1, first + ticks)
        return key


#: An action in the language of plans, and a plan: what each cook does.
Action: TypeAlias = dict[str, Any]
FloorPlan: TypeAlias = dict[str, list[Action]]


def plan_of(shop: Shop, timing: Timing) -> FloorPlan:
    """Write the steps of all cooks; who has nothing to do has an empty list."""
    return {name: _written(shop, cook, tile, timing) for cook, (name, tile) in enumerate(shop.floor.cooks)}


def _written(shop: Shop, cook: int, first: Tile, timing: Timing) -> list[Action]:
    own = [step for step in timing.steps if step.cook == cook]
    tiles = _tiles(shop, own, first)
    actions: list[Action] = []
    tile, clock, begun = first, 0, 0
    for step, goal in zip(own, tiles, strict=True):
        if step.tick > clock:
            begun = _way(shop, tile, goal, clock, step, actions)
        if key_of(step.tick, begun, cook) < step.after:
            raise InternalError(f"{shop.floor.name}: a step has its turn too early at {step.tick}")
        tile, clock = goal, step.tick
        name = shop.stations[step.station].name
        if step.ticks > 0:
            actions.append({"action": "Process", "target": name})
            clock, begun = clock + step.ticks, clock
        elif not step.ticks:
            actions.append({"action": "Interact", "target": name})
    return actions


def _way(shop: Shop, tile: Tile, goal: Tile, clock: int, step: StationStep, actions: list[Action]) -> int:
    """Add a walk and a wait; return when the last of them begins."""
    pace = shop.floor.facts.move
    walk = distances(shop.floor, goal)[tile] * pace
    wait = step.tick - clock - walk
    begun = step.tick - wait if wait else clock
    late = key_of(step.tick, begun, step.cook) < step.after  # its last part must begin later
    if walk and not wait and late and walk > pace:
        back = distances(shop.floor, goal)
        near = min(one for one in steps(goal) if back.get(one) == 1 and _between(shop, tile, one, walk // pace - 1))
        actions.append({"action": "MoveTo", "target": list(near)})
        begun = step.tick - pace
    if walk:
        actions.append({"action": "MoveTo", "target": list(goal)})
    if wait and late and wait > 1:
        actions.append({"action": "Wait", "duration": wait - 1})
        begun = step.tick - 1
        wait = 1
    if wait:
        actions.append({"action": "Wait", "duration": wait})
    return begun


def _between(shop: Shop, tile: Tile, other: Tile, length: int) -> bool:
    return distances(shop.floor, tile).get(other) == length


def _tiles(shop: Shop, own: list[StationStep], first: Tile) -> list[Tile]:
    """Choose where a cook stands for each step, from the last backwards: where the next can be reached in time."""
    pace = shop.floor.facts.move
    chosen: list[Tile] = []
    for place in range(len(own) - 1, -1, -1):
        spots = shop.sets[own[place].spots]
        if chosen:
            walks = distances(shop.floor, chosen[-1])
            spare = own[place + 1].tick - own[place].tick - max(0, own[place].ticks)
            chosen.append(min((tile for tile in spots if walks[tile] * pace <= spare), key=lambda tile: walks[tile]))
        else:
            walks = distances(shop.floor, first)
            chosen.append(min(spots, key=lambda tile: walks[tile]))
    return chosen[::-1]
