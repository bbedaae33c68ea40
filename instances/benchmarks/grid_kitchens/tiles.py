"""What never changes while a floor is in use, looked up once: stations by number, walks, dishes, the rules."""

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
def tiles(floor: GridKitchen) -> tuple[Tile, ...]:
    """Return the tiles that can be entered, row by row."""
    every = ((x, y) for y in range(floor.height) for x in range(floor.width))
    return tuple(tile for tile in every if tile not in floor.blocked)


@ProblemCache
def beside(floor: GridKitchen, station: str) -> tuple[Tile, ...]:
    """Return the tiles from which a station is used."""
    near = steps(floor.by_name[station].place)
    return tuple(sorted(tile for tile in near if floor.inside(tile) and tile not in floor.blocked))


@ProblemCache
def distances(floor: GridKitchen, start: Tile) -> Mapping[Tile, int]:
    """Return how many tiles a shortest walk has to every tile that can be reached from one."""
    return _spread(floor, [start])


def _spread(floor: GridKitchen, starts: Iterable[Tile]) -> dict[Tile, int]:
    found = dict.fromkeys(starts, 0)
    queue = deque(found)
    while queue:
        tile = queue.popleft()
        for near in steps(tile):
            if near not in found and floor.inside(near) and near not in floor.blocked:
                found[near] = found[tile] + 1
                queue.append(near)
    return found


STOVE: Final = "stove"
#: The kind of a wall, which can be named in an action, in vain.
WALL: Final = "wall"


class StationMap:
    """A floor under some rules. Stations have numbers in the order of the map, walls those after them.

    Attributes
    ----------
    numbers
        Of stations and walls, by name.
    things
        Names in the world that are no stations: the cooks, and vessels that stand somewhere at the beginning.
    kinds, names, near
        By number: kind, name, and the tiles next to it.
    stoves, boards, sinks
        Numbers; ``exclusive`` are those that one cook at a time processes at.
    plate_return
        Number of the one at which dirty plates appear, ``None`` if there is none.
    dishes
        What must be on the plate, by order: pairs of ingredient and state, sorted.
    takes
        By vessel: ingredients and the state in which it takes them; ``ticks`` of cooking.
    """

    def __init__(self, floor: GridKitchen, rules: GridKitchenRules) -> None:
        self.floor, self.rules, self.facts = floor, rules, floor.facts
        stations = floor.stations
        self.names = (*(one.name for one in stations), *(name for name, _ in floor.walls))
        self.kinds = (*(one.kind for one in stations), *(WALL for _ in floor.walls))
        self.provides = tuple(one.provides for one in stations)
        self.numbers = {name: number for number, name in enumerate(self.names)}
        self.cooks = floor.agents
        self.cook_numbers = {name: number for number, name in enumerate(floor.agents)}
        self.things = frozenset((*floor.agents, *(one.holds for one in stations if one.holds)))
        places = (*(one.place for one in stations), *(place for _, place in floor.walls))
        self.near = tuple(frozenset(steps(place)) for place in places)
        self.stoves = tuple(n for n, kind in enumerate(self.kinds) if kind == STOVE)
        self.boards = tuple(n for n, kind in enumerate(self.kinds) if kind == "chopping_board")
        self.sinks = tuple(n for n, kind in enumerate(self.kinds) if kind == "sink")
        self.plate_return = self.kinds.index("plate_return") if "plate_return" in self.kinds else None
        self.exclusive = frozenset((*self.boards, *(self.sinks if rules.sinks == "one" else ())))
        self.dishes = tuple(
            tuple(sorted((need.ingredient, need.state) for need in dish.needs)) for dish in floor.orders
        )
        cookware = {one.name: one for one in floor.facts.cookware}
        self.ticks = {PLATE: 0, **{name: one.ticks for name, one in cookware.items()}}
        self.takes = {name: frozenset((item, one.takes) for item in one.ingredients) for name, one in cookware.items()}
        self.stamped = rules.cooking == "stamp"

    def walks(self, tile: Tile) -> Mapping[Tile, int]:
        """Return how many tiles it is to every tile that can be reached from one."""
        return distances(self.floor, tile)


@ProblemCache
def ground(floor: GridKitchen, rules: GridKitchenRules) -> StationMap:
    """Return a floor under some rules."""
    return StationMap(floor, rules)
