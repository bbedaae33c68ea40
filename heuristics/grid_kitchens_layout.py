"""A floor as heuristics see it: numbered stations, what each dish needs, and how far it is from where to where."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from typing import NamedTuple

from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import PLATE, GridKitchen, Tile
from planoracle.instances.benchmarks.grid_kitchens.tiles import access_tiles, distances
from planoracle.instances.errors import InputError
from planoracle.instances.model.cache import ProblemCache


class Part(NamedTuple):
    """An ingredient of one dish: which order, where it is found, what becomes of it.

    ``stoves`` are the stations with cookware that can cook it, with the ticks that takes; empty if it is not cooked.
    ``chopped`` says whether a board comes first.
    """

    order: int
    ingredient: str
    sources: tuple[int, ...]
    chopped: bool
    stoves: dict[int, int]


#: Tiles to stand on for a station, for growing length of the walk: from so many tiles on, any of this set.
Way = tuple[tuple[int, int], ...]


# Vessel that stands about.
_IN_THE_WAY = 1_000_000
# How many surfaces are near.
_NEAREST = 3


class Shop:
    """What does not change while jobs are tried.

    A cook stands on *some tile of a set*, chosen when the next walk begins: all tiles that it can have reached in time.

    Raises
    ------
    InputError
        If an ingredient, a board, cookware or a plate that is needed is not there.
    """

    def __init__(self, floor: GridKitchen) -> None:
        self.floor = floor
        self.stations = [one for one in floor.stations if access_tiles(floor, one.name)]
        self.count = len(self.stations)
        self.near = [access_tiles(floor, one.name) for one in self.stations]
        self.boards = self._of("chopping_board")
        self.sinks = self._of("sink")
        self.windows = self._of("serving_window")
        self.returns = self._of("plate_return")[:1]
        self.surfaces = self._of("table", "chopping_board", "dispenser")
        self.parks = self._of("table") or self.boards
        self.plates = [i for i, one in enumerate(self.stations) if one.holds == PLATE and i in set(self.surfaces)]
        self.sets: list[tuple[Tile, ...]] = []
        self._numbers: dict[tuple[Tile, ...], int] = {}
        self.starts = [self._number([tile]) for _, tile in floor.cooks]
        self.ways: dict[tuple[int, int], Way] = {}
        self._nearest: dict[int, list[int]] = {}
        self.parts = [self._part(order, *need) for order, need in self._needs()]
        self.of_order = [[i for i, x in enumerate(self.parts) if x.order == o] for o in range(len(floor.orders))]
        self.raw = [part.chopped for part in self.parts]
        self.is_board = frozenset(self.boards)
        self.chop, self.wash, self.back = floor.facts.chop, floor.facts.wash, floor.facts.plate_return
        self.cover = [0] * self.count
        for place, station in enumerate(self.stations):
            if station.holds and station.kind != "stove":
                self.cover[place] = -1 - self.plates.index(place) if place in self.plates else _IN_THE_WAY
        self.washes = max(0, len(floor.orders) - len(self.plates))
        if not self.windows:
            raise InputError("has no serving window that can be reached", value=floor.name)
        if not self.plates and floor.orders:
            raise InputError("has no plate that can be reached", value=floor.name)
        if self.washes and not (self.sinks and self.returns):
            raise InputError("has fewer plates than orders, and none can be washed", value=floor.name)

    def _of(self, *kinds: str) -> list[int]:
        return [i for i, one in enumerate(self.stations) if one.kind in kinds]

    def _needs(self) -> Iterable[tuple[int, tuple[str, str, str]]]:
        for order, dish in enumerate(self.floor.orders):
            for need in dish.needs:
                yield order, (need.ingredient, need.state, need.vessel)

    def _part(self, order: int, ingredient: str, state: str, vessel: str) -> Part:
        sources = [i for i in self._of("dispenser") if self.stations[i].provides == ingredient]
        if not sources:
            raise InputError("no dispenser provides it", field="ingredient", value=ingredient)
        stoves: dict[int, int] = {}
        chopped = state == "chopped"
        if state == "cooked":
            for i in self._of("stove"):
                ware = self.floor.facts.vessel(self.stations[i].holds)
                if ware is not None and ingredient in ware.ingredients and vessel in ("", ware.name):
                    stoves[i] = ware.ticks
                    chopped = ware.takes == "chopped"
            if not stoves:
                raise InputError("no cookware on a stove takes it", field="ingredient", value=ingredient)
        if chopped and not self.boards:
            raise InputError("there is no board to chop it on", field="ingredient", value=ingredient)
        return Part(order, ingredient, tuple(sources), chopped, stoves)

    def _number(self, tiles: Iterable[Tile]) -> int:
        key = tuple(sorted(tiles))
        if key not in self._numbers:
            self._numbers[key] = len(self.sets)
            self.sets.append(key)
        return self._numbers[key]

    def set_of(self, station: int) -> int:
        """Return the set of all tiles from which a station is used."""
        return self._number(self.near[station])

    def length(self, start: int, station: int) -> float:
        """Return how long the walk from some tile of a set to a station is."""
        way = self.way(start, station)
        return way[0][0] if way else inf

    def nearest(self, station: int) -> list[int]:
        """Return the surfaces nearest to a station."""
        found = self._nearest.get(station)
        if found is None:
            ways = {i: self.way(self.set_of(station), i) for i in self.surfaces if i != station}
            found = sorted((i for i in ways if ways[i]), key=lambda i: ways[i][0][0])[:_NEAREST] or self.surfaces
            self._nearest[station] = found
        return found

    def way(self, start: int, station: int) -> Way:
        """Return how long the walk from some tile of a set to a station is, and where it can end; empty: no way."""
        found = self.ways.get((start, station))
        if found is None:
            walks = [distances(self.floor, tile) for tile in self.sets[start]]
            lengths = {
                tile: min(walk[tile] for walk in walks if tile in walk) * self.floor.facts.move
                for tile in self.near[station]
                if any(tile in walk for walk in walks)
            }
            found = tuple(
                (length, self._number(tile for tile, other in lengths.items() if other <= length))
                for length in sorted(set(lengths.values()))
            )
            self.ways[start, station] = found
        return found


@ProblemCache
def shop_of(floor: GridKitchen) -> Shop:
    """Return what heuristics know of a floor; raises `InputError` if a dish cannot be made on it."""
    return Shop(floor)
