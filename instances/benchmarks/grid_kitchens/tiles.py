"""Lookup tables of a grid kitchen under given rules: stations by number, walks, dishes."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Final

from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import PLATE, GridKitchen, GridKitchenRules, Tile
from planoracle.instances.model.cache import ProblemCache

_SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1))


def steps(tile: Tile) -> list[Tile]:
    """Return the four tiles next to one, on the map or not."""
    return [(tile[0] + x, tile[1] + y) for x, y in _SIDES]


@ProblemCache
def tiles(kitchen: GridKitchen) -> tuple[Tile, ...]:
    """Return the tiles that can be entered, row by row."""
    every = ((x, y) for y in range(kitchen.height) for x in range(kitchen.width))
    return tuple(tile for tile in every if tile not in kitchen.blocked)


@ProblemCache
def access_tiles(kitchen: GridKitchen, station: str) -> tuple[Tile, ...]:
    """Return the tiles from which a station is used."""
    near = steps(kitchen.by_name[station].place)
    return tuple(sorted(tile for tile in near if kitchen.inside(tile) and tile not in kitchen.blocked))


@ProblemCache
def distances(kitchen: GridKitchen, start: Tile) -> Mapping[Tile, int]:
    """Return how many tiles a shortest walk has to every tile that can be reached from one."""
    return _spread(kitchen, [start])


def _spread(kitchen: GridKitchen, starts: Iterable[Tile]) -> dict[Tile, int]:
    distance = dict.fromkeys(starts, 0)
    queue = deque(distance)
    while queue:
        tile = queue.popleft()
        for near in steps(tile):
            if near not in distance and kitchen.inside(near) and near not in kitchen.blocked:
                distance[near] = distance[tile] + 1
                queue.append(near)
    return distance


STOVE: Final = "stove"
#: The kind of a wall; actions can name it, but never use it.
WALL: Final = "wall"


class StationMap:
    """Tables of a grid kitchen under given rules. Numbers count stations in map order, then walls.

    Attributes
    ----------
    numbers
        Of stations and walls, by name.
    things
        Names in the world that are no stations: the cooks, and vessels that stand somewhere at the beginning.
    kinds, names, near
        By number: kind, name, and the tiles next to it; ``useful`` are those next to a station.
    stoves, boards, sinks
        Numbers; ``exclusive`` are those that one cook at a time processes at.
    plate_return
        Number of the one at which dirty plates appear, ``None`` if there is none.
    dishes
        What must be on the plate, by order: pairs of ingredient and state, sorted.
    takes
        By vessel: ingredients and the state in which it takes them; ``ticks`` of cooking.
    """

    def __init__(self, kitchen: GridKitchen, rules: GridKitchenRules) -> None:
        self.kitchen, self.rules, self.facts = kitchen, rules, kitchen.facts
        stations = kitchen.stations
        self.names = (*(one.name for one in stations), *(name for name, _ in kitchen.walls))
        self.kinds = (*(one.kind for one in stations), *(WALL for _ in kitchen.walls))
        self.provides = tuple(one.provides for one in stations)
        self.numbers = {name: number for number, name in enumerate(self.names)}
        self.cooks = kitchen.agents
        self.cook_numbers = {name: number for number, name in enumerate(kitchen.agents)}
        self.things = frozenset((*kitchen.agents, *(one.holds for one in stations if one.holds)))
        places = (*(one.place for one in stations), *(place for _, place in kitchen.walls))
        self.near = tuple(frozenset(steps(place)) for place in places)
        self.useful = frozenset(tile for near in self.near[: len(stations)] for tile in near)
        self.stoves = tuple(n for n, kind in enumerate(self.kinds) if kind == STOVE)
        self.boards = tuple(n for n, kind in enumerate(self.kinds) if kind == "chopping_board")
        self.sinks = tuple(n for n, kind in enumerate(self.kinds) if kind == "sink")
        self.plate_return = self.kinds.index("plate_return") if "plate_return" in self.kinds else None
        self.exclusive = frozenset((*self.boards, *(self.sinks if rules.sinks == "one" else ())))
        self.dishes = tuple(
            tuple(sorted((need.ingredient, need.state) for need in dish.needs)) for dish in kitchen.orders
        )
        cookware = {one.name: one for one in kitchen.facts.cookware}
        self.ticks = {PLATE: 0, **{name: one.ticks for name, one in cookware.items()}}
        self.takes = {name: frozenset((item, one.takes) for item in one.ingredients) for name, one in cookware.items()}
        self.stamped = rules.cooking == "stamp"

    def walks(self, tile: Tile) -> Mapping[Tile, int]:
        """Return how many tiles it is to every tile that can be reached from one."""
        return distances(self.kitchen, tile)


@ProblemCache
def ground(kitchen: GridKitchen, rules: GridKitchenRules) -> StationMap:
    """Return a grid kitchen under some rules."""
    return StationMap(kitchen, rules)
