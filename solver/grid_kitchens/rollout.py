"""Rollout heuristic of grid kitchens: estimate of the remaining time, which is no bound."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final, NamedTuple, TypeAlias

from planoracle.instances.benchmarks.grid_kitchens.descriptions import cooking_left
from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import (
    PLATE,
    GridKitchen,
    GridKitchenRules,
    StationMap,
    Tile,
    ground,
)
from planoracle.instances.benchmarks.grid_kitchens.kitchen_state import DIRTY, Food, Thing, Time, Ware
from planoracle.instances.benchmarks.grid_kitchens.language import MOVE, PROCESS
from planoracle.instances.benchmarks.grid_kitchens.simulation import Simulation
from planoracle.instances.model.cache import ProblemCache

#: Longer than anything takes.
FAR: Final = 10**4
# Weights: share of the work that cannot overlap; the shorter of two estimates; the sum of all parts.
_SHARE, _OTHER, _LITTLE = 0.6, 0.3, 0.02

#: Position: the number of a station, or a tile.
Place: TypeAlias = int | Tile


class _Item(NamedTuple):
    """An ingredient with its position and the time from which it is free."""

    name: str
    state: str
    place: Place
    ready: Time = 0


class _Load(NamedTuple):
    """A vessel with its contents (as cooked), its position, and the time from which it is free."""

    contents: Counter[tuple[str, str]]
    place: Place
    ready: Time


class _Stock(NamedTuple):
    """Ingredients, plates and cookware of a state; kinds of unspoiled cookware; times of dirty plates."""

    items: list[_Item]
    plates: list[_Load]
    vessels: list[_Load]
    free: set[str]
    dirty: list[tuple[float, float]]


def _plate(plates: list[_Load], dish: Counter[tuple[str, str]]) -> _Load | None:
    """Return the plate with most of a dish, and nothing else, on it."""
    fitting = [plate for plate in plates if not plate.contents - dish]
    return max(fitting, key=lambda plate: plate.contents.total(), default=None)


class RemainingWork:
    """Estimates of the remaining work in a grid kitchen."""

    def __init__(self, of: StationMap) -> None:
        self.of = of
        self.facts = of.kitchen.facts
        self.cooked = {name: one for one in self.facts.cookware for name in one.ingredients}
        self.back = -1 if of.plate_return is None else of.plate_return
        self.walk = cache(self._walk)
        self.chain = cache(self._chain)

    def _walk(self, place: Place, station: int) -> int:
        """Return the ticks from a place to where a station can be used."""
        if station < 0:
            return FAR
        of = self.of
        starts = of.near[place] if isinstance(place, int) else (place,)
        ways = (
            of.walks(start).get(tile, FAR)
            for start in starts
            if start not in of.kitchen.blocked and of.kitchen.inside(start)
            for tile in of.near[station]
        )
        return min(ways, default=FAR) * self.facts.move

    def nearest(self, place: Place, stations: Iterable[int]) -> int:
        """Return the ticks to the nearest of some stations."""
        return min((self.walk(place, station) for station in stations), default=FAR)

    def _chain(self, place: Place, name: str, state: str, target: str) -> int:
        """Return the ticks that bring an ingredient from its position to the window, by shortest paths."""
        if state == target:
            return self.nearest(place, self.of.windows)
        vessel = self.cooked.get(name)
        if target == "chopped" or (target == "cooked" and vessel is not None and state != vessel.takes):
            if state != "raw":
                return FAR
            ways = (
                self.walk(place, board) + self.facts.chop + self.chain(board, name, "chopped", target)
                for board in self.of.boards
            )
            return min(ways, default=FAR)
        if target != "cooked" or vessel is None:
            return FAR
        own = [n for n in self.of.stoves if self.of.kitchen.stations[n].holds == vessel.name]
        stoves = own or list(self.of.stoves)
        ways = (self.walk(place, stove) + vessel.ticks + self.nearest(stove, self.of.windows) for stove in stoves)
        return min(ways, default=FAR)

    def estimate(self, clock: Simulation) -> float:
        """Return an estimate of the remaining ticks; `FAR` or more if something is missing or spoiled."""
        world = clock.world
        dishes = self.of.dishes[world.served :]
        now = world.clock
        cooks = [(world.tiles[n], 0) for n in range(len(self.of.cooks))]
        for n, act in enumerate(clock.acts):
            if act is not None:
                cooks[n] = (act.tile if act.word == MOVE else world.tiles[n], int(clock.ends[n] - now))
        stock = self._things(clock, cooks)
        longest = work = every = 0.0
        washed = 0
        for order, dish in enumerate(dishes):
            dish_needs = Counter(dish)
            parts: list[tuple[float, float]] = []
            plate = _plate(stock.plates, dish_needs)
            if plate is None:
                if stock.dirty:
                    parts.append(stock.dirty.pop(0))
                else:
                    washed += 1
                    if washed > order:
                        return FAR
                    parts.append(self._wash(self.facts.plate_return + longest, self.back))
            else:
                stock.plates.remove(plate)
                dish_needs.subtract(plate.contents)
                parts.append(self._carry(plate))
            for one in [one for one in stock.vessels if one.contents and not one.contents - dish_needs]:
                if not one.contents - dish_needs:
                    stock.vessels.remove(one)
                    dish_needs.subtract(one.contents)
                    parts.append(self._carry(one))
            for (name, state), count in dish_needs.items():
                parts += [self._need(stock, cooks, name, state) for _ in range(count)]
            for ticks, attended in parts:
                longest, work, every = max(longest, ticks), work + attended, every + ticks
        rest = work * _SHARE / len(cooks)
        return max(longest, rest) + _OTHER * min(longest, rest) + _LITTLE * every

    def _carry(self, load: _Load) -> tuple[float, float]:
        """Return the ticks, and how many of them a cook is busy, until a load is at the window."""
        walk = self.nearest(load.place, self.of.windows)
        return float(load.ready) + walk, float(walk)

    def _wash(self, ready: float, place: Place) -> tuple[float, float]:
        """Return the same for a dirty plate that is washed before."""
        ways = (self.walk(place, sink) + self.nearest(sink, self.of.windows) for sink in self.of.sinks)
        walk = min(ways, default=FAR) + self.facts.wash
        return ready + walk, float(walk)

    def _need(self, stock: _Stock, cooks: list[tuple[Tile, int]], name: str, target: str) -> tuple[float, float]:
        """Return the same for an ingredient, which is removed from the stock."""
        best: tuple[float, float] = (FAR, FAR)
        chosen: _Item | None = None
        vessel = self.cooked.get(name) if target == "cooked" else None
        free = vessel is None or vessel.name in stock.free
        for item in stock.items:
            cooking = vessel.ticks if vessel is not None and item.state != target else 0
            if item.name != name or (cooking and not free):
                continue
            chain = self.chain(item.place, name, item.state, target)
            ticks = float(item.ready) + chain
            if ticks < best[0]:
                best, chosen = (ticks, float(chain - cooking)), item
        if chosen is not None and best[0] < FAR:
            stock.items.remove(chosen)
            return best
        if target == "cooked" and not free:
            return best
        for source in self.of.sources.get(name, ()):
            come = min(free + self.walk(tile, source) for tile, free in cooks)
            chain = self.chain(source, name, "raw", target)
            cooking = vessel.ticks if vessel is not None else 0
            best = min(best, (float(come + chain), float(come + chain - cooking)))
        return best

    def _things(self, clock: Simulation, cooks: list[tuple[Tile, int]]) -> _Stock:
        """Return the stock of a state."""
        stock = _Stock([], [], [], set(), [])
        come = min(free + self.walk(tile, self.back) for tile, free in cooks)
        stock.dirty.extend([self._wash(float(come), self.back)] * clock.world.dirty)
        stock.dirty.extend(self._wash(float(max(come, when - clock.time)), self.back) for when in clock.world.coming)
        dishes = [Counter(dish) for dish in self.of.dishes[clock.world.served :]]
        for place, thing, ready, cooking in self._lying(clock, cooks):
            if isinstance(thing, Food):
                stock.items.append(_Item(thing.name, thing.state, place, ready))
            elif isinstance(thing, Ware) and thing.kind == PLATE:
                stock.plates.append(_Load(Counter(thing.contents), place, ready))
            elif isinstance(thing, Ware):
                cooked = Counter((food.name, "cooked") for food in thing.contents)
                if any(not cooked - dish for dish in dishes):
                    stock.free.add(thing.kind)
                    stock.vessels.append(_Load(cooked, place, max(ready, cooking)))
            elif thing == DIRTY:
                near = min(free + self.walk(tile, place) for tile, free in cooks) if isinstance(place, int) else ready
                stock.dirty.append(self._wash(float(near), place))
        stock.dirty.sort()
        return stock

    def _lying(self, clock: Simulation, cooks: list[tuple[Tile, int]]) -> Iterator[tuple[Place, Thing, Time, Time]]:
        """Yield things with their positions, the times from which they are free, and their cooking times."""
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
            cooking = cooking_left(clock, n) if isinstance(thing, Ware) else None
            yield n, thing, ready, self._cooking(thing) if cooking is None else cooking
        for (tile, free), thing in zip(cooks, world.hands, strict=True):
            if thing is not None:
                yield tile, thing, free, self._cooking(thing)

    def _cooking(self, thing: Thing) -> Time:
        """Return the cooking time of a vessel away from stoves, with a walk to one."""
        return thing.remaining + 3 if isinstance(thing, Ware) and thing.cooking else 0


@ProblemCache
def rollout(grid_kitchen: GridKitchen, rules: GridKitchenRules) -> RemainingWork:
    """Return the estimator of a grid kitchen under some rules."""
    return RemainingWork(ground(grid_kitchen, rules))
