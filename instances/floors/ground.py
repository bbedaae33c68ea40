"""What never changes while a floor is in use, looked up once: stations by number, walks, dishes, the rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from planoracle.instances.floors.floor import PLATE, Floor, Tile
from planoracle.instances.floors.geometry import distances, steps
from planoracle.instances.floors.profile import FloorRules
from planoracle.instances.memo import Memo

STOVE: Final = "stove"
#: The kind of a wall, which can be named in an action, in vain.
WALL: Final = "wall"


class Ground:
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

    def __init__(self, floor: Floor, rules: FloorRules) -> None:
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


@Memo
def ground(floor: Floor, rules: FloorRules) -> Ground:
    """Return a floor under some rules."""
    return Ground(floor, rules)
