"""How long it will take from a moment on a floor until all orders are served, about: a guide for searches, no bound."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple, TypeAlias

from planoracle.instances.benchmarks.grid_kitchens.descriptions import cooking_left
from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import PLATE, GridKitchen, GridKitchenRules, Tile
from planoracle.instances.benchmarks.grid_kitchens.language import MOVE, PROCESS
from planoracle.instances.benchmarks.grid_kitchens.rules import DIRTY, Food, Thing, Time, Ware
from planoracle.instances.benchmarks.grid_kitchens.simulation import Simulation
from planoracle.instances.benchmarks.grid_kitchens.tiles import StationMap, ground
from planoracle.instances.model.cache import ProblemCache

#: Longer than anything takes.
FAR: Final = 10**4
# Of the work that is left, how much cannot be done by the way; how much the shorter of two estimates counts, and all
# ways together.
_SHARE, _OTHER, _LITTLE = 0.6, 0.3, 0.02

#: Where something is: the number of a station, or a tile.
Place: TypeAlias = int | Tile


class _Item(NamedTuple):
    """An ingredient: where it is, and from when on it is free."""

    name: str
    state: str
    place: Place
    ready: Time = 0


class _Load(NamedTuple):
    """A vessel: what is in it, once it is cooked; where it is, and from when on that can be had."""

    contents: Counter[tuple[str, str]]
    place: Place
    ready: Time


class _Stock(NamedTuple):
    """What there is: ingredients, plates, cookware, the kinds of it that are not spoiled; what dirty plates take."""

    items: list[_Item]
    plates: list[_Load]
    vessels: list[_Load]
    free: set[str]
    dirty: list[tuple[float, float]]


def _plate(plates: list[_Load], wanted: Counter[tuple[str, str]]) -> _Load | None:
    """Return the plate that has most of a dish, and nothing else, on it."""
    fitting = [plate for plate in plates if not plate.contents - wanted]
    return max(fitting, key=lambda plate: plate.contents.total(), default=None)


class RemainingWork:
    """What is left to be done on a floor."""

    def __init__(self, of: StationMap) -> None:
        self.of = of
        self.facts = of.kitchen.facts
        stations = range(len(of.kitchen.stations))
        self.kinds = [one.kind for one in of.kitchen.stations]
        self.cooked = {name: one for one in self.facts.cookware for name in one.ingredients}
        self.sources: dict[str, list[int]] = {}
        for n in stations:
            if self.kinds[n] == "dispenser":
                self.sources.setdefault(of.provides[n], []).append(n)
        self.window = [n for n in stations if self.kinds[n] == "serving_window"]
        self.back = next((n for n in stations if self.kinds[n] == "plate_return"), -1)
        self._walks: dict[tuple[Place, int], int] = {}
        self._chains: dict[tuple[Place, str, str, str], int] = {}

    def walk(self, place: Place, station: int) -> int:
        """Return the ticks from a place to where a station can be used."""
        if station < 0:
            return FAR
        key = place, station
        found = self._walks.get(key)
        if found is None:
            of = self.of
            starts = of.near[place] if isinstance(place, int) else (place,)
            ways = (
                of.walks(start).get(tile, FAR)
                for start in starts
                if start not in of.kitchen.blocked and of.kitchen.inside(start)
                for tile in of.near[station]
            )
            found = self._walks[key] = min(ways, default=FAR) * self.facts.move
        return found

    def nearest(self, place: Place, stations: list[int]) -> int:
        """Return the ticks to the nearest of some stations."""
        return min((self.walk(place, station) for station in stations), default=FAR)

    def chain(self, place: Place, name: str, state: str, wanted: str) -> int:
        """Return how long it takes an ingredient from where it is to the window, by the shortest ways."""
        key = place, name, state, wanted
        found = self._chains.get(key)
        if found is None:
            found = self._chains[key] = self._chain(*key)
        return found

    def _chain(self, place: Place, name: str, state: str, wanted: str) -> int:
        if state == wanted:
            return self.nearest(place, self.window)
        vessel = self.cooked.get(name)
        if wanted == "chopped" or (wanted == "cooked" and vessel is not None and state != vessel.takes):
            if state != "raw":
                return FAR
            boards = list(self.of.boards)
            ways = (
                self.walk(place, board) + self.facts.chop + self.chain(board, name, "chopped", wanted)
                for board in boards
            )
            return min(ways, default=FAR)
        if wanted != "cooked" or vessel is None:
            return FAR
        own = [n for n in self.of.stoves if self.of.kitchen.stations[n].holds == vessel.name]
        stoves = own or list(self.of.stoves)
        ways = (self.walk(place, stove) + vessel.ticks + self.nearest(stove, self.window) for stove in stoves)
        return min(ways, default=FAR)

    def left(self, clock: Simulation) -> float:
        """Return about how many ticks are left; `FAR` and more where something is missing or spoiled."""
        world = clock.world
        dishes = self.of.dishes[world.served :]
        now = world.clock
        cooks = [(world.tiles[n], 0) for n in range(len(self.of.cooks))]
        for n, act in enumerate(clock.acts):
            if act is not None:
                cooks[n] = (act.tile if act.word == MOVE else world.tiles[n], int(clock.ends[n] - now))
        there = self._things(clock, cooks)
        longest = work = every = 0.0
        washed = 0
        for order, dish in enumerate(dishes):
            wanted = Counter(dish)
            parts: list[tuple[float, float]] = []
            plate = _plate(there.plates, wanted)
            if plate is None:
                if there.dirty:
                    parts.append(there.dirty.pop(0))
                else:
                    washed += 1
                    if washed > order:
                        return FAR
                    parts.append(self._wash(self.facts.plate_return + longest, self.back))
            else:
                there.plates.remove(plate)
                wanted.subtract(plate.contents)
                parts.append(self._taken(plate))
            for one in [one for one in there.vessels if one.contents and not one.contents - wanted]:
                if not one.contents - wanted:
                    there.vessels.remove(one)
                    wanted.subtract(one.contents)
                    parts.append(self._taken(one))
            for (name, state), count in wanted.items():
                parts += [self._need(there, cooks, name, state) for _ in range(count)]
            for ticks, attended in parts:
                longest, work, every = max(longest, ticks), work + attended, every + ticks
        rest = work * _SHARE / len(cooks)
        return max(longest, rest) + _OTHER * min(longest, rest) + _LITTLE * every

    def _taken(self, load: _Load) -> tuple[float, float]:
        """Return the ticks, and how many of them hold a cook, until something is brought to the window."""
        away = self.nearest(load.place, self.window)
        return float(load.ready) + away, float(away)

    def _wash(self, ready: float, place: Place) -> tuple[float, float]:
        """Return the same for a dirty plate that is washed before."""
        sinks = list(self.of.sinks)
        ways = (self.walk(place, sink) + self.nearest(sink, self.window) for sink in sinks)
        away = min(ways, default=FAR) + self.facts.wash
        return ready + away, float(away)

    def _need(self, there: _Stock, cooks: list[tuple[Tile, int]], name: str, wanted: str) -> tuple[float, float]:
        """Return the same for an ingredient; what is taken for it is gone."""
        best: tuple[float, float] = (FAR, FAR)
        chosen: _Item | None = None
        vessel = self.cooked.get(name) if wanted == "cooked" else None
        free = vessel is None or vessel.name in there.free
        for item in there.items:
            cooking = vessel.ticks if vessel is not None and item.state != wanted else 0
            if item.name != name or (cooking and not free):
                continue
            chain = self.chain(item.place, name, item.state, wanted)
            ticks = float(item.ready) + chain
            if ticks < best[0]:
                best, chosen = (ticks, float(chain - cooking)), item
        if chosen is not None and best[0] < FAR:
            there.items.remove(chosen)
            return best
        if wanted == "cooked" and not free:
            return best
        for source in self.sources.get(name, ()):
            come = min(free + self.walk(tile, source) for tile, free in cooks)
            chain = self.chain(source, name, "raw", wanted)
            cooking = vessel.ticks if vessel is not None else 0
            best = min(best, (float(come + chain), float(come + chain - cooking)))
        return best

    def _things(self, clock: Simulation, cooks: list[tuple[Tile, int]]) -> _Stock:
        """Return what there is."""
        there = _Stock([], [], [], set(), [])
        come = min(free + self.walk(tile, self.back) for tile, free in cooks)
        there.dirty.extend([self._wash(float(come), self.back)] * clock.world.dirty)
        there.dirty.extend(self._wash(float(max(come, when - clock.time)), self.back) for when in clock.world.coming)
        dishes = [Counter(dish) for dish in self.of.dishes[clock.world.served :]]
        for place, thing, ready, left in self._lying(clock, cooks):
            if isinstance(thing, Food):
                there.items.append(_Item(thing.name, thing.state, place, ready))
            elif isinstance(thing, Ware) and thing.kind == PLATE:
                there.plates.append(_Load(Counter(thing.contents), place, ready))
            elif isinstance(thing, Ware):
                cooked = Counter((food.name, "cooked") for food in thing.contents)
                if any(not cooked - dish for dish in dishes):
                    there.free.add(thing.kind)
                    there.vessels.append(_Load(cooked, place, max(ready, left)))
            elif thing == DIRTY:
                near = min(free + self.walk(tile, place) for tile, free in cooks) if isinstance(place, int) else ready
                there.dirty.append(self._wash(float(near), place))
        there.dirty.sort()
        return there

    def _lying(self, clock: Simulation, cooks: list[tuple[Tile, int]]) -> Iterator[tuple[Place, Thing, Time, Time]]:
        """Yield things with their places, when they are free, and how long they cook."""
        world = clock.world
        worked = {
            act.station: clock.ends[n] - world.clock
            for n, act in enumerate(clock.acts)
            if act is not None and act.word == PROCESS
        }
        for n, thing in enumerate(world.on):
            if thing is None:
                continue
            ready = worked.get(n, 0)
            if n in worked and isinstance(thing, Food):
                thing = Food(thing.name, "chopped")
            elif n in worked and thing == DIRTY:
                thing = Ware(PLATE)
            left = cooking_left(clock, n) if isinstance(thing, Ware) else None
            yield n, thing, ready, self._cooking(thing) if left is None else left
        for (tile, free), thing in zip(cooks, world.hands, strict=True):
            if thing is not None:
                yield tile, thing, free, self._cooking(thing)

    def _cooking(self, thing: Thing) -> Time:
        """Return how long what is in a vessel away from stoves has to cook, and about how long it is to one."""
        return thing.remaining + 3 if isinstance(thing, Ware) and thing.cooking else 0


@ProblemCache
def outlook(floor: GridKitchen, rules: GridKitchenRules) -> RemainingWork:
    """Return what there is to know of a floor under some rules."""
    return RemainingWork(ground(floor, rules))
