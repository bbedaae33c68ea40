"""Lower bound on the moment at which the last order of a grid kitchen is served, from any state.

README.md, "Lower bound", gives the argument for each term.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from heapq import heapify, heappop, heappush
from typing import Final, NamedTuple, TypeAlias

from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import (
    PLATE,
    Cookware,
    GridKitchen,
    GridKitchenRules,
    StationMap,
    Tile,
    ground,
    steps,
    tiles,
)
from planoracle.instances.benchmarks.grid_kitchens.kitchen_state import DIRTY, Food, Time, Ware
from planoracle.instances.benchmarks.grid_kitchens.language import MOVE, PROCESS, whole
from planoracle.instances.benchmarks.grid_kitchens.simulation import Simulation
from planoracle.instances.model.cache import ProblemCache
from planoracle.solver.states.state_solver import NEVER

#: Stations on which an item can be put down from one tile and taken from another.
_SURFACES: Final = ("table", "dispenser", "chopping_board", "stove")

#: The number of a station, or a tile.
Place: TypeAlias = int | Tile
_Distances: TypeAlias = Mapping[Tile, int]


def lower_bound(clock: Simulation) -> int:
    """Return a moment before which no continuation of a run serves its last order; `NEVER` if none can."""
    of = clock.ground
    return _State(_routes(of.kitchen, of.rules), clock).bound()


class _Item(NamedTuple):
    """An ingredient outside a dispenser: where, and from which moment a cook can have it.

    ``cooked`` is the first moment at which the ingredient can be cooked in the cookware that holds it.
    """

    name: str
    state: str
    place: Place
    free: Time
    vessel: str = ""
    cooked: Time = 0


class _Routes:
    """Distances of a grid kitchen that items travel, in ticks, with the work on the way."""

    def __init__(self, of: StationMap) -> None:
        self.ground, facts = of, of.facts
        floor = of.kitchen
        self.tiles = frozenset(tiles(floor))
        stations = range(len(floor.stations))
        self.cookware = {
            name: [one for one in facts.cookware if name in one.ingredients]
            for one in facts.cookware
            for name in one.ingredients
        }
        # One cook walks around a surface; two cooks hand an item across it at once.
        surfaces = [n for n in stations if of.kinds[n] in _SURFACES] if len(of.cooks) > 1 else []
        self.links: dict[Tile, list[Tile]] = {}
        for n in surfaces:
            near = [tile for tile in of.near[n] if tile in self.tiles]
            for tile in near:
                self.links.setdefault(tile, []).extend(near)
        boards, stoves, sinks = of.boards, of.stoves, of.sinks
        self.window = self.toward(dict.fromkeys(of.windows, 0))
        self.served = min((self.at(self.window, n) for n in stoves), default=NEVER)
        self.board = self.toward(dict.fromkeys(boards, 0))
        self.chopped = self.toward({n: facts.chop + self.at(self.window, n) for n in boards})
        self.stove = self.toward(dict.fromkeys(stoves, 0))
        self.board_to_stove = min((self.at(self.stove, n) for n in boards), default=NEVER)
        # By kind of cookware, from where the ingredient goes into it; then from where it is raw and to be chopped.
        self.cooked: dict[str, _Distances] = {}
        self.fried: dict[str, _Distances] = {}
        for one in facts.cookware:
            ticks = 0 if of.stamped else one.ticks
            way = self.toward({n: ticks + self.at(self.window, n) for n in stoves})
            self.cooked[one.name] = way
            self.fried[one.name] = self.toward({n: facts.chop + self.at(way, n) for n in boards})
        # A second cook may begin to wash before the plate is in a shared sink.
        self.wash = 0 if of.rules.sinks == "shared" and len(of.cooks) > 1 else facts.wash
        self.washed = self.toward({n: self.wash + self.at(self.window, n) for n in sinks})
        self.washing = self.toward({n: facts.wash + self.at(self.window, n) for n in sinks})

    def toward(self, ends: Mapping[int, int]) -> _Distances:
        """Return the least distance from each tile to a station, plus the given ticks of that station."""
        distances: dict[Tile, int] = {}
        heap = [(ticks, tile) for n, ticks in ends.items() for tile in self.ground.near[n] if tile in self.tiles]
        heapify(heap)
        while heap:
            ticks, tile = heappop(heap)
            if tile in distances or ticks >= NEVER:
                continue
            distances[tile] = ticks
            for near in self.links.get(tile, ()):
                heappush(heap, (ticks, near))
            for near in steps(tile):
                if near in self.tiles and near not in distances:
                    heappush(heap, (ticks + self.ground.facts.move, near))
        return distances

    def at(self, way: _Distances, place: Place) -> int:
        """Return the distance from a place."""
        if isinstance(place, tuple):
            return way.get(place, NEVER)
        return min((way.get(tile, NEVER) for tile in self.ground.near[place]), default=NEVER)

    def walk(self, tile: Tile, station: int) -> int:
        """Return the ticks that a cook walks to a station."""
        walks = self.ground.walks(tile)
        return min(
            (walks[near] * self.ground.facts.move for near in self.ground.near[station] if near in walks), default=NEVER
        )


@ProblemCache
def _routes(grid_kitchen: GridKitchen, rules: GridKitchenRules) -> _Routes:
    return _Routes(ground(grid_kitchen, rules))


class _State:
    """One state: cooks with the moments from which they are free, items, plates and cookware."""

    def __init__(self, routes: _Routes, clock: Simulation) -> None:
        self.routes, self.clock, self.now = routes, clock, clock.time
        world, of = clock.world, clock.ground
        self.dishes = of.dishes[world.served :]
        self.cooks: list[tuple[Time, Tile]] = []
        self.works: dict[int, Time] = {}
        for n, act in enumerate(clock.acts):
            tile, free = world.tiles[n], self.now
            if act is not None:
                tile, free = act.tile if act.word == MOVE else tile, clock.ends[n]
                if act.word == PROCESS:
                    self.works[act.station] = min(free, self.works.get(act.station, free))
            self.cooks.append((free, tile))
        self.items: list[_Item] = []
        self.plates: list[tuple[Time, int]] = []  # when one can be at the window, and what a cook must do for that
        self.charged: dict[str, list[Time | None]] = {}
        for n, thing in enumerate(world.on):
            if thing is not None:
                self._add(thing, n, self.reach(n))
        for (free, tile), thing in zip(self.cooks, world.hands, strict=True):
            if thing is not None:
                self._add(thing, tile, free)
        if of.plate_return is not None:
            free = self.reach(of.plate_return)
            for moment in (*[self.now] * world.dirty, *world.coming):
                self._add(DIRTY, of.plate_return, max(free, moment))

    def reach(self, station: int) -> Time:
        """Return the first moment at which a cook can use a station."""
        return min(free + self.routes.walk(tile, station) for free, tile in self.cooks)

    def _add(self, thing: Food | Ware | str, place: Place, free: Time) -> None:
        routes, at, end = self.routes, self.routes.at, self.works.get(place) if isinstance(place, int) else None
        if isinstance(thing, Food):
            state = "chopped" if end is not None and thing.state == "raw" else thing.state
            self.items.append(_Item(thing.name, state, place, free if end is None else max(free, end)))
        elif not isinstance(thing, Ware):
            route = at(routes.window, place) if end is not None else at(routes.washed, place)
            self.plates.append((max(free, end or 0) + route, at(routes.washing, place)))
        elif thing.kind == PLATE:
            self.plates.append((free + at(routes.window, place), at(routes.window, place)))
            self.items += [_Item(food.name, food.state, place, free, PLATE) for food in thing.contents]
        else:
            stamped = self.clock.ground.stamped
            stands = isinstance(place, int) and self.clock.ground.kinds[place] == "stove"
            charged = (thing.stamp if stamped or stands else self.now) + thing.remaining
            is_started = stamped and bool(thing.stamp or thing.cooking)
            self.charged.setdefault(thing.kind, []).append(charged if is_started else None)
            ready = max(self.now, charged) if thing.cooking else self.now
            self.items += [_Item(food.name, food.state, place, free, thing.kind, ready) for food in thing.contents]

    def bound(self) -> int:
        """Return the greatest of all bounds."""
        if not self.dishes:
            return whole(self.now)
        served = max(self._serving_bound(), self._stoves())
        return NEVER if served >= NEVER else max(1, whole(served), self._work())

    # Critical path

    def _serving_bound(self) -> Time:
        """Return a bound on the last serving by the way of each ingredient and each plate."""
        routes, of = self.routes, self.clock.ground
        back = NEVER if of.plate_return is None else of.facts.plate_return + routes.at(routes.washed, of.plate_return)
        plates = [moment for moment, _ in self.plates]
        heapify(plates)
        needs = {need for dish in self.dishes for need in dish}
        foods = {
            need: min((self._ready_time(item, need[1]) for item in self._all(need[0])), default=NEVER) for need in needs
        }
        last: Time = self.now
        for dish in self.dishes:
            plate = heappop(plates) if plates else NEVER
            last = max(last, plate, *(foods[need] for need in dish))
            heappush(plates, last + back)
        return last

    def _all(self, name: str) -> list[_Item]:
        """Return all items of an ingredient, with those that dispensers give."""
        fresh = [_Item(name, "raw", n, self.reach(n)) for n in self.routes.ground.sources.get(name, ())]
        return [*(item for item in self.items if item.name == name), *fresh]

    def _ready_time(self, item: _Item, target: str) -> Time:
        routes, at = self.routes, self.routes.at
        straight = item.free + at(routes.window, item.place)
        if item.state == target:
            return straight
        if item.vessel:  # what is on a plate stays as it is
            cooks = target == "cooked" and item.vessel != PLATE
            return max(straight, item.cooked + routes.served) if cooks else NEVER
        if target == "chopped":
            return item.free + at(routes.chopped, item.place) if item.state == "raw" else NEVER
        if target == "raw":
            return NEVER
        return min((self._cooked_time(item, one) for one in routes.cookware.get(item.name, ())), default=NEVER)

    def _cooked_time(self, item: _Item, vessel: Cookware) -> Time:
        put = self._put(item, vessel)
        if put >= NEVER:
            return NEVER
        way = self.routes.cooked if item.state == vessel.takes else self.routes.fried
        done = item.free + self.routes.at(way[vessel.name], item.place)
        return max(done, put + self.routes.served, self._charge(vessel, 1) + self.routes.served)

    def _put(self, item: _Item, vessel: Cookware) -> Time:
        """Return the first moment at which a loose item can go into cookware."""
        if item.vessel:
            return NEVER
        if item.state == vessel.takes:
            return item.free
        if (item.state, vessel.takes) != ("raw", "chopped"):
            return NEVER
        return item.free + self.routes.at(self.routes.board, item.place) + self.clock.ground.facts.chop

    # Stoves

    def _charge(self, vessel: Cookware, count: int) -> Time:
        """Return the first moment at which so many more ingredients can be cooked in one kind of cookware."""
        charged = self.charged.get(vessel.name)
        if not charged:
            return NEVER
        first = min((self._put(item, vessel) for name in vessel.ingredients for item in self._all(name)), default=NEVER)
        rounds = -(-count // len(charged))
        return min(first if one is None else one for one in charged) + rounds * vessel.ticks

    def _stoves(self) -> Time:
        """Return a bound on the last serving by the time that cookware needs for all dishes."""
        last: Time = self.now
        for one in self.clock.ground.facts.cookware:
            own = {name for name in one.ingredients if len(self.routes.cookware[name]) == 1}
            count = sum(name in own and state == "cooked" for dish in self.dishes for name, state in dish)
            count -= sum(
                item.name in own and (item.state == "cooked" or item.vessel == one.name) for item in self.items
            )
            if count > 0:
                last = max(last, self._charge(one, count) + self.routes.served)
        return last

    # Work of the cooks

    def _work(self) -> int:
        """Return a bound on the last serving by all that cooks must chop, wash and carry."""
        work = max(0, self._chopping() + self._cookware() + self._plates())
        free = sorted(moment for moment, _ in self.cooks)
        return min(int(-(-(work + sum(free[:n])) // n)) for n in range(1, len(free) + 1))

    def _chopping(self) -> int:
        """Return the ticks that go into chopping, and into carrying what is to be chopped to a board."""
        routes, total = self.routes, 0
        needs = Counter(need for dish in self.dishes for need in dish)
        for name in {name for name, _ in needs}:
            vessels = routes.cookware.get(name, ())
            fried = bool(vessels) and all(one.takes == "chopped" for one in vessels)
            count = needs[name, "chopped"] + fried * needs[name, "cooked"]
            count -= sum(item.name == name and item.state != "raw" for item in self.items)
            fresh = count - sum(item.name == name and item.state == "raw" for item in self.items)
            way = min((routes.at(routes.board, n) for n in routes.ground.sources.get(name, ())), default=0)
            total += max(0, count) * self.clock.ground.facts.chop + max(0, fresh) * way
        return total

    def _cookware(self) -> int:
        """Return the ticks that go into carrying ingredients to stoves.

        One walk counts for each dish and cookware.
        """
        routes, total = self.routes, 0
        for one in self.clock.ground.facts.cookware:
            own = {name for name in one.ingredients if len(routes.cookware[name]) == 1}
            ways = []
            for dish in self.dishes:
                names = {name for name, state in dish if state == "cooked" and name in own}
                if names and one.takes == "chopped":
                    ways.append(routes.board_to_stove)
                elif names:
                    starts = (n for name in names for n in routes.ground.sources.get(name, ()))
                    ways.append(min((routes.at(routes.stove, n) for n in starts), default=0))
            count = len(ways) - sum(item.name in own for item in self.items)
            total += sum(sorted(ways)[: max(0, count)])
        return total

    def _plates(self) -> int:
        """Return the ticks that go into carrying plates to the window, and into washing."""
        routes, of = self.routes, self.clock.ground
        back = NEVER if of.plate_return is None else routes.at(routes.washing, of.plate_return)
        count = len(self.dishes)
        total = sum(sorted([*(ticks for _, ticks in self.plates), *[back] * count])[:count])
        washing = sum(act is not None and act.word == PROCESS and act.station in of.sinks for act in self.clock.acts)
        return total - washing * of.facts.wash
