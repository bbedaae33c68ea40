"""A grid kitchen as heuristics see it: numbered stations, needs of the dishes, walking distances."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from typing import NamedTuple

from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import PLATE, GridKitchen, Tile, access_tiles, distances
from planoracle.instances.errors import InputError
from planoracle.instances.model.cache import ProblemCache


class Part(NamedTuple):
    """An ingredient of one dish: its order, its dispensers and its processing.

    ``stoves`` are the stations with cookware that can cook it, with the ticks that takes; empty if it is not cooked.
    ``chopped`` says whether a board comes first.
    """

    order: int
    ingredient: str
    sources: tuple[int, ...]
    chopped: bool
    stoves: dict[int, int]


#: Tiles to stand on for a station, by length of the walk: from each length on, any tile of a set.
Way = tuple[tuple[int, int], ...]


# Load of a station with an obstructing vessel.
_IN_THE_WAY = 1_000_000
# Number of nearest surfaces.
_NEAREST = 3


class StationLayout:
    """Constant data of a grid kitchen for the execution of jobs.

    A cook stands on *some tile of a set*: all tiles that it can have reached in time. The next walk fixes the tile.

    Raises
    ------
    InputError
        If a needed ingredient, board, vessel or plate is missing.
    """

    def __init__(self, grid_kitchen: GridKitchen) -> None:
        self.grid_kitchen = grid_kitchen
        self.stations = [one for one in grid_kitchen.stations if access_tiles(grid_kitchen, one.name)]
        self.count = len(self.stations)
        self.near = [access_tiles(grid_kitchen, one.name) for one in self.stations]
        self.boards = self._of("chopping_board")
        self.sinks = self._of("sink")
        self.windows = self._of("serving_window")
        self.returns = self._of("plate_return")[:1]
        self.surfaces = self._of("table", "chopping_board", "dispenser")
        self.parks = self._of("table") or self.boards
        self.plates = [i for i, one in enumerate(self.stations) if one.holds == PLATE and i in set(self.surfaces)]
        self.sets: list[tuple[Tile, ...]] = []
        self._numbers: dict[tuple[Tile, ...], int] = {}
        self.starts = [self._number([tile]) for _, tile in grid_kitchen.cooks]
        self.ways: dict[tuple[int, int], Way] = {}
        self._nearest: dict[int, list[int]] = {}
        self.parts = [self._part(order, *need) for order, need in self._needs()]
        self.of_order = [[i for i, x in enumerate(self.parts) if x.order == o] for o in range(len(grid_kitchen.orders))]
        self.raw = [part.chopped for part in self.parts]
        self.is_board = frozenset(self.boards)
        self.chop, self.wash, self.back = (
            grid_kitchen.facts.chop,
            grid_kitchen.facts.wash,
            grid_kitchen.facts.plate_return,
        )
        self.cover = [0] * self.count
        for place, station in enumerate(self.stations):
            if station.holds and station.kind != "stove":
                self.cover[place] = -1 - self.plates.index(place) if place in self.plates else _IN_THE_WAY
        self.washes = max(0, len(grid_kitchen.orders) - len(self.plates))
        if not self.windows:
            raise InputError("has no reachable serving window", field=grid_kitchen.name)
        if not self.plates and grid_kitchen.orders:
            raise InputError("has no reachable plate", field=grid_kitchen.name)
        if self.washes and not (self.sinks and self.returns):
            raise InputError(
                "has fewer plates than orders, and cannot wash plates",
                field=grid_kitchen.name,
            )

    def _of(self, *kinds: str) -> list[int]:
        return [i for i, one in enumerate(self.stations) if one.kind in kinds]

    def _needs(self) -> Iterable[tuple[int, tuple[str, str, str]]]:
        for order, dish in enumerate(self.grid_kitchen.orders):
            for need in dish.needs:
                yield order, (need.ingredient, need.state, need.vessel)

    def _part(self, order: int, ingredient: str, state: str, vessel: str) -> Part:
        name = self.grid_kitchen.name
        sources = [i for i in self._of("dispenser") if self.stations[i].provides == ingredient]
        if not sources:
            raise InputError(f"needs {ingredient}, which no dispenser provides", field=name)
        stoves: dict[int, int] = {}
        chopped = state == "chopped"
        if state == "cooked":
            for i in self._of("stove"):
                ware = self.grid_kitchen.facts.vessel(self.stations[i].holds)
                if ware is not None and ingredient in ware.ingredients and vessel in ("", ware.name):
                    stoves[i] = ware.ticks
                    chopped = ware.takes == "chopped"
            if not stoves:
                raise InputError(f"needs cooked {ingredient}, which no cookware on a stove accepts", field=name)
        if chopped and not self.boards:
            raise InputError(f"needs chopped {ingredient}, but has no chopping board", field=name)
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
        """Return the length of the shortest walk from some tile of a set to a station."""
        way = self.way(start, station)
        return way[0][0] if way else inf

    def nearest(self, station: int) -> list[int]:
        """Return the surfaces nearest to a station."""
        surfaces = self._nearest.get(station)
        if surfaces is None:
            ways = {i: self.way(self.set_of(station), i) for i in self.surfaces if i != station}
            surfaces = sorted((i for i in ways if ways[i]), key=lambda i: ways[i][0][0])[:_NEAREST] or self.surfaces
            self._nearest[station] = surfaces
        return surfaces

    def way(self, start: int, station: int) -> Way:
        """Return lengths of walks from some tile of a set to a station, with their end tiles; empty: no path."""
        way = self.ways.get((start, station))
        if way is None:
            walks = [distances(self.grid_kitchen, tile) for tile in self.sets[start]]
            lengths = {
                tile: min(walk[tile] for walk in walks if tile in walk) * self.grid_kitchen.facts.move
                for tile in self.near[station]
                if any(tile in walk for walk in walks)
            }
            way = tuple(
                (length, self._number(tile for tile, other in lengths.items() if other <= length))
                for length in sorted(set(lengths.values()))
            )
            self.ways[start, station] = way
        return way


@ProblemCache
def layout_of(grid_kitchen: GridKitchen) -> StationLayout:
    """Return the layout of a grid kitchen; raise `InputError` if a dish cannot be made."""
    return StationLayout(grid_kitchen)
