"""Jobs of cooks and their timing: one pass over a list of jobs gives every step its earliest time.

The list is in an order in which the jobs could be done one after the other. Jobs of different cooks overlap as far as
walks, stations and needed things allow. If two cooks meet at the same tick, the cook that needs the result of the other
must have its turn later. Turns follow the starts of actions, then the order of the map (`Key`). If beginning the last
tick of a walk or wait anew does not give that order, the action comes a tick later.

"""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple, TypeAlias

from planoracle.heuristics.grid_kitchens_layout import StationLayout, Way
from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import Tile, distances, steps
from planoracle.instances.errors import InternalError

#: Kinds of jobs: fetch a raw ingredient (part, target, whether to chop it there); move one that lies somewhere; carry a
#: plate (order, target, parts collected on the way); wash the next dirty plate (number, sink, whether at once).
FETCH, MOVE, PLATE, WASH = range(4)
#: Targets: the plate of the order, wherever it stands; the window.
INTO, SERVE = -1, -2

#: Positions: nowhere (yet), or on its plate.
NOWHERE, DONE = -1, -2

#: Kind, cook, subject, target, and rest of a job.
Job: TypeAlias = tuple[int, int, int, int, "bool | tuple[int, ...]"]

#: Time of an event as one comparable number: tick, start of the cook's action, and the cook.
Key: TypeAlias = int
_TICK, _BEGIN, _MASK = 28, 8, (1 << 20) - 1


class StationStep(NamedTuple):
    """Use of a station by a cook.

    Fields: cook, tick, station, ticks (0: interaction), set of tiles, and the key that it must follow.
    """

    cook: int
    tick: int
    station: int
    ticks: int
    spots: int
    after: Key


class Timing(NamedTuple):
    """State and times after some jobs.

    Attributes
    ----------
    served
        Times of the servings.
    time
        Time from which each cook is free.
    steps
        Uses of stations, in the order of the jobs.
    lies
        Position of each part: a station, `NOWHERE`, not fetched yet, or `DONE`, on its plate.
    stands
        Position of each plate: a station, or `NOWHERE`.
    cover
        Load of each station, 0 if empty; contents of cookware are in ``pots``.
    pots
        Parts in cookware, by the station it is on.
    washed
        Number of dirty plates that were taken.
    """

    served: list[int]
    time: list[int]
    steps: list[StationStep]
    lies: list[int]
    stands: list[int]
    cover: list[int]
    pots: dict[int, list[int]]
    washed: int


def key_of(tick: int, start: int, cook: int) -> Key:
    """Return the time of an event as one number."""
    return tick << _TICK | start << _BEGIN | cook + 1


def execute_jobs(
    shop: StationLayout, jobs: list[Job], plates: list[int], stale: bool = False, limit: float = inf
) -> Timing | None:
    """Compute the time of every step of some jobs.

    Parameters
    ----------
    plates
        Plate of each order: a clean one, or, from their number on, the next that is washed.
    stale
        True if cookware counts from the end of its last use, as some rules require.
    limit
        Ticks; longer lists of jobs are given up.

    Returns
    -------
    Timing or None
        ``None`` if the jobs cannot be done in this order, or take too long.
    """
    execution = _Execution(shop, plates, stale)
    time = execution.time
    for kind, cook, subject, target, rest in jobs:
        if time[cook] > limit:
            return None
        if kind == PLATE:
            done = execution.round(cook, subject, target, rest)  # type: ignore[arg-type]
        elif kind == WASH:
            done = execution.wash(cook, subject, target, rest)
        else:
            done = execution.take(cook, subject, kind == FETCH) and execution.put(cook, subject, target, rest)
        if not done:
            return None
    return Timing(
        execution.served,
        time,
        execution.steps,
        execution.lies,
        execution.stands,
        execution.cover,
        execution.pots,
        execution.washed,
    )


class _Execution:
    """State while jobs are executed; methods return the key of an action, or 0 if it is impossible.

    Attributes
    ----------
    cover
        Loads of stations: empty (0), a part (from 1), a plate (below 0), or an obstructing vessel.
    clear
        Time when a station was cleared, or a dispenser last used.
    parked, filled
        Times when a plate was put down, and when the last part was added.
    since, raw
        Time when a part was put down or chopped, and whether it must still be chopped.
    heat
        Cookware in use: time of the first part, sum of ticks, time when it is cooked.
    low, high
        Earliest and latest start of the last action of a cook.
    """

    __slots__ = (
        "clear", "cover", "dirty", "filled", "heat", "high", "last", "lies", "low", "on_plate", "parked", "plates",
        "pots", "raw", "served", "shop", "since", "spot", "stale", "stamps", "stands", "steps", "time", "washed",
    )  # fmt: skip

    def __init__(self, shop: StationLayout, plates: list[int], stale: bool) -> None:
        cooks, parts = len(shop.starts), len(shop.parts)
        self.shop, self.plates, self.stale = shop, plates, stale
        self.time, self.low, self.high, self.spot = [0] * cooks, [0] * cooks, [0] * cooks, shop.starts[:]
        self.cover = shop.cover[:]
        self.clear = [0] * shop.count
        self.stands = shop.plates + [NOWHERE] * shop.washes
        self.parked, self.filled = [0] * len(self.stands), [0] * len(self.stands)
        self.dirty = [False] * len(self.stands)
        self.lies = [NOWHERE] * parts
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
        """Walk to a station and use it, not before the event ``after``; return 0 if there is no path."""
        start, spot = self.time[cook], self.spot[cook]
        way = self.shop.ways.get((spot, place)) or self.shop.way(spot, place)
        if not way:
            return 0
        mark = cook + 1  # so that no key is 0
        tick = start + way[0][0]
        if tick < after >> _TICK:
            tick = after >> _TICK
        if tick == start:
            if (tick << _TICK | self.low[cook] << _BEGIN | mark) < after:
                tick += 1
            else:
                self.spot[cook] = way[0][1]
        if tick > start:
            self._walk(cook, way, tick - start)
            split = False  # whether the last tick may have to begin anew
            self.low[cook] = start
            if (tick << _TICK | start << _BEGIN | mark) < after:
                if (tick << _TICK | tick - 1 << _BEGIN | mark) >= after:
                    split = True
                    self.low[cook] = after >> _BEGIN & _MASK
                else:
                    tick += 1
                    self._walk(cook, way, tick - start)
            if split:
                self.high[cook] = tick - 1
        self.time[cook] = tick + ticks
        self.steps.append(StationStep(cook, tick, place, ticks, self.spot[cook], after))
        if ticks:
            self.low[cook] = self.high[cook] = tick
            return tick + ticks << _TICK | tick << _BEGIN | mark
        return tick << _TICK | self.high[cook] << _BEGIN | mark

    def _walk(self, cook: int, way: Way, slack: int) -> None:
        """Store where a walk of at most ``slack`` ticks can end, and the latest start of a wait after it."""
        late = 0
        for length, tiles in way:
            if length > slack:
                break
            self.spot[cook] = tiles
            if length < slack:
                late = length
        self.high[cook] = self.time[cook] + late

    def round(self, cook: int, order: int, target: int, collects: tuple[int, ...]) -> Key:
        """Take the plate of an order, collect parts, and serve it or put it down."""
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
        self.stands[plate] = NOWHERE
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
        if place != NOWHERE:
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
        """Put a part in hand on its plate, into cookware, or down, and chop it there if requested."""
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
GridKitchenPlan: TypeAlias = dict[str, list[Action]]


def plan_of(shop: StationLayout, timing: Timing) -> GridKitchenPlan:
    """Return the actions of all cooks; an idle cook has an empty list."""
    return {name: _actions_of(shop, cook, tile, timing) for cook, (name, tile) in enumerate(shop.grid_kitchen.cooks)}


def _actions_of(shop: StationLayout, cook: int, first: Tile, timing: Timing) -> list[Action]:
    own = [step for step in timing.steps if step.cook == cook]
    tiles = _tiles(shop, own, first)
    actions: list[Action] = []
    tile, clock, start = first, 0, 0
    for step, goal in zip(own, tiles, strict=True):
        if step.tick > clock:
            start = _add_walk(shop, tile, goal, clock, step, actions)
        if key_of(step.tick, start, cook) < step.after:
            raise InternalError(f"{shop.grid_kitchen.name}: a step precedes its requirement at tick {step.tick}")
        tile, clock = goal, step.tick
        name = shop.stations[step.station].name
        if step.ticks:
            actions.append({"action": "Process", "target": name})
            clock, start = clock + step.ticks, clock
        else:
            actions.append({"action": "Interact", "target": name})
    return actions


def _add_walk(shop: StationLayout, tile: Tile, goal: Tile, clock: int, step: StationStep, actions: list[Action]) -> int:
    """Add a walk and a wait; return the start of the last of them."""
    pace = shop.grid_kitchen.facts.move
    walk = distances(shop.grid_kitchen, goal)[tile] * pace
    wait = step.tick - clock - walk
    start = step.tick - wait if wait else clock
    late = key_of(step.tick, start, step.cook) < step.after  # its last part must begin later
    if walk and not wait and late and walk > pace:
        to_goal = distances(shop.grid_kitchen, goal)
        near = min(one for one in steps(goal) if to_goal.get(one) == 1 and _between(shop, tile, one, walk // pace - 1))
        actions.append({"action": "MoveTo", "target": list(near)})
        start = step.tick - pace
    if walk:
        actions.append({"action": "MoveTo", "target": list(goal)})
    if wait and late and wait > 1:
        actions.append({"action": "Wait", "duration": wait - 1})
        start = step.tick - 1
        wait = 1
    if wait:
        actions.append({"action": "Wait", "duration": wait})
    return start


def _between(shop: StationLayout, tile: Tile, other: Tile, length: int) -> bool:
    return distances(shop.grid_kitchen, tile).get(other) == length


def _tiles(shop: StationLayout, own: list[StationStep], first: Tile) -> list[Tile]:
    """Choose the tile of a cook for each step, from the last backwards.

    The next tile must be reachable in time.
    """
    pace = shop.grid_kitchen.facts.move
    chosen: list[Tile] = []
    for place in range(len(own) - 1, -1, -1):
        spots = shop.sets[own[place].spots]
        if chosen:
            walks = distances(shop.grid_kitchen, chosen[-1])
            spare = own[place + 1].tick - own[place].tick - own[place].ticks
            chosen.append(min((tile for tile in spots if walks[tile] * pace <= spare), key=lambda tile: walks[tile]))
        else:
            walks = distances(shop.grid_kitchen, first)
            chosen.append(min(spots, key=lambda tile: walks[tile]))
    return chosen[::-1]
