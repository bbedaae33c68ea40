"""Model of a grid kitchen: a map of tiles with stations, cooks and ordered dishes."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import ClassVar, Final, Self, TypeAlias

from planoracle.instances.errors import InputError
from planoracle.instances.model.cache import CacheHolder, ProblemCache
from planoracle.instances.protocol.profiles import Rules

#: Column and row, from 0; columns grow to the right, rows downwards.
Tile: TypeAlias = tuple[int, int]

#: Kinds of stations.
KINDS: Final = (
    "table",
    "dispenser",
    "chopping_board",
    "stove",
    "serving_window",
    "sink",
    "plate_return",
    "trash",
)
#: States of an ingredient.
STATES: Final = ("raw", "chopped", "cooked")
#: Vessel on which dishes are served.
PLATE: Final = "plate"

# Most tiles, stations, cooks and orders, and longest name; far beyond what is published.
_MOST = {"tiles": 2_500, "stations": 200, "cooks": 16, "orders": 64, "ingredients": 32, "characters": 200}


@dataclass(frozen=True, slots=True)
class Cookware:
    """Kind of cookware: ticks to cook an ingredient, accepted ingredients and their state."""

    name: str
    ticks: int
    takes: str
    ingredients: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Facts:
    """Durations in ticks and cookware of all grid kitchens of a benchmark. Interactions take no time.

    Attributes
    ----------
    move, chop, wash
        Ticks to walk one tile, to chop an ingredient, to wash a plate.
    plate_return
        Ticks from serving a dish until its dirty plate can be taken.
    """

    move: int
    chop: int
    wash: int
    plate_return: int
    cookware: tuple[Cookware, ...]

    def vessel(self, name: str) -> Cookware | None:
        """Return a kind of cookware by its name, ``None`` for other names."""
        return next((cookware for cookware in self.cookware if cookware.name == name), None)


@dataclass(frozen=True, slots=True)
class Station:
    """Station: a tile that cooks cannot enter, used from a tile next to it.

    Attributes
    ----------
    name, kind, place
        ``kind`` is one of `KINDS`.
    holds
        Thing on it at the beginning: a plate, a kind of cookware, or ``""``.
    provides
        Ingredient that a dispenser provides.
    """

    name: str
    kind: str
    place: Tile
    holds: str = ""
    provides: str = ""


@dataclass(frozen=True, slots=True)
class Need:
    """Ingredient of a dish, its state, and the cookware (``vessel``) where the recipe names one."""

    ingredient: str
    state: str
    vessel: str = ""


@dataclass(frozen=True, slots=True)
class OrderedDish:
    """Name of a dish, and the ingredients on its plate, in any order."""

    name: str
    needs: tuple[Need, ...]


@dataclass(frozen=True, repr=False)
class GridKitchen(CacheHolder):
    """Immutable problem: serve the orders as early as possible. `GridKitchen.of` checks it.

    Attributes
    ----------
    width, height
        Tiles; all tiles but those with a station or a wall can be entered.
    stations, walls
        In the order of the map, which is the order of updates; walls by name.
    cooks
        Names and start tiles, in the order of the map, which is the order of turns. Cooks may share a tile.
    orders
        Dishes in the order in which they must be served.
    """

    kind: ClassVar[str] = "floor"
    unit: ClassVar[str] = "tick"
    seconds_per_tick: ClassVar[None] = None
    time_limit: ClassVar[None] = None

    name: str
    benchmark: str
    width: int
    height: int
    stations: tuple[Station, ...]
    walls: tuple[tuple[str, Tile], ...]
    cooks: tuple[tuple[str, Tile], ...]
    orders: tuple[OrderedDish, ...]
    facts: Facts

    @classmethod
    def of(
        cls,
        name: str,
        benchmark: str,
        size: tuple[int, int],
        stations: Iterable[Station],
        walls: Iterable[tuple[str, Tile]],
        cooks: Iterable[tuple[str, Tile]],
        orders: Iterable[OrderedDish],
        facts: Facts,
    ) -> GridKitchen:
        """Return a checked grid kitchen.

        Raises
        ------
        InputError
            With field and value, for duplicate names, tiles off the map or occupied, and sizes over the limits.
        """
        layout = tuple(stations), tuple(walls)
        kitchen = cls(name, benchmark, *size, *layout, tuple(cooks), tuple(orders), facts)
        kitchen.check()
        return kitchen

    def with_cooks(self, name: str, count: int) -> GridKitchen:
        """Return this kitchen with its first cooks only; raises `InputError` if it has fewer."""
        if not 1 <= count <= len(self.cooks):
            raise InputError(
                f"must be from 1 to {len(self.cooks)}, the number of cooks on the map", field="agents", value=count
            )
        return replace(self, name=name, cooks=self.cooks[:count])

    def check(self) -> None:
        """Raise `InputError` for an invalid grid kitchen; see `GridKitchen.of`."""
        number_of_stations = len(self.stations) + len(self.walls)
        needs = [len(dish.needs) for dish in self.orders]
        counts = {
            "tiles": self.width * self.height,
            "stations": number_of_stations,
            "cooks": len(self.cooks),
            "orders": len(self.orders),
            "ingredients": max(needs, default=0),
        }
        for field, count in counts.items():
            if count > _MOST[field]:
                raise InputError(f"must be at most {_MOST[field]}", field=field, value=count)
        if min(self.width, self.height) < 1:
            raise InputError("must be 1 or more", field="size", value=[self.width, self.height])
        if not self.cooks:
            raise InputError("must contain a cook", field="cooks")
        occupied: set[Tile] = set()
        names: set[str] = set()
        things = [(station.name, station.place) for station in self.stations]
        for name, place in (*things, *self.walls, *self.cooks):
            if name in names or not name or len(name) > _MOST["characters"]:
                raise InputError(
                    f"must be a unique name of at most {_MOST['characters']} characters", field="name", value=name
                )
            names.add(name)
            if not self.inside(place) or place in occupied:
                raise InputError("must be a free tile on the map", field=name, value=list(place))
            if len(names) <= number_of_stations:  # cooks may share a tile
                occupied.add(place)
        vessels = {PLATE, *(cookware.name for cookware in self.facts.cookware)}
        for station in self.stations:
            if station.kind not in KINDS:
                message = f"must be one of {', '.join(KINDS)}"
                raise InputError(message, field=f"{station.name}.kind", value=station.kind)
            if station.holds and station.holds not in vessels:
                vessel_names = ", ".join(sorted(vessels))
                raise InputError(f"must be one of {vessel_names}", field=f"{station.name}.holds", value=station.holds)
        for dish in self.orders:
            if not dish.needs:
                raise InputError("must need at least one ingredient", field=dish.name)
            for need in dish.needs:
                if need.state not in STATES:
                    raise InputError(f"must be one of {', '.join(STATES)}", field=dish.name, value=need.state)

    @cached_property
    def agents(self) -> tuple[str, ...]:
        """The cooks, in the order of the map."""
        return tuple(name for name, _ in self.cooks)

    @cached_property
    def by_name(self) -> dict[str, Station]:
        """Stations by name."""
        return {station.name: station for station in self.stations}

    @cached_property
    def blocked(self) -> frozenset[Tile]:
        """Tiles that cannot be entered."""
        stations = [station.place for station in self.stations]
        walls = [place for _, place in self.walls]
        return frozenset((*stations, *walls))

    def inside(self, tile: Tile) -> bool:
        """Return whether a tile is on the map."""
        x, y = tile
        return 0 <= x < self.width and 0 <= y < self.height


@dataclass(frozen=True, slots=True)
class GridKitchenRules(Rules):
    """Rules of grid kitchens where the paper and the released code differ.

    Attributes
    ----------
    cooking
        Time that counts as cooking. ``"stove"``: time on a stove with contents, reset when the vessel is emptied.
        ``"stamp"``, as released: time since the end of the last batch, also off the stove; an emptied vessel continues
        to cook.
    sinks
        A sink is used by ``"one"`` cook at a time, as boards are; or ``"shared"``.
    finish
        Finish is ``"final"``: later actions of the cook are errors; or ``"ignored"`` in whole plans.
    end
        End of a run and its time: when the last order is ``"served"``, or when all ``"plans"`` have ended.
    price_optimum
        Grades compare with the optimal plan, which takes a solver call for each grid kitchen.
    """

    cooking: str = "stove"
    sinks: str = "one"
    finish: str = "final"
    end: str = "served"
    price_optimum: bool = True

    def deciding(self) -> Self:
        """Return the profile with only the rules that determine optimal plans."""
        return replace(self, refuse_unread=True, finish="final", price_optimum=True)


#: Values of the text rules.
CHOICES = {
    "cooking": ("stove", "stamp"),
    "sinks": ("one", "shared"),
    "finish": ("final", "ignored"),
    "end": ("served", "plans"),
}


_SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1))


def steps(tile: Tile) -> list[Tile]:
    """Return the four tiles next to one, on the map or not."""
    column, row = tile
    return [(column + x, row + y) for x, y in _SIDES]


@ProblemCache
def tiles(kitchen: GridKitchen) -> tuple[Tile, ...]:
    """Return the tiles that can be entered, row by row."""
    rows = range(kitchen.height)
    all_tiles = ((x, y) for y, x in product(rows, range(kitchen.width)))
    return tuple(tile for tile in all_tiles if tile not in kitchen.blocked)


@ProblemCache
def access_tiles(kitchen: GridKitchen, station: str) -> tuple[Tile, ...]:
    """Return the tiles from which a station is used."""
    near = steps(kitchen.by_name[station].place)
    inside = sorted(tile for tile in near if kitchen.inside(tile))
    return tuple(tile for tile in inside if tile not in kitchen.blocked)


@ProblemCache
def distances(kitchen: GridKitchen, start: Tile) -> Mapping[Tile, int]:
    """Return the length in tiles of a shortest walk from a tile to every reachable tile."""
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
#: Kind of a wall; actions can name a wall, but never use it.
WALL: Final = "wall"


class StationMap:
    """Tables of a grid kitchen under given rules. Numbers count stations in map order, then walls.

    Attributes
    ----------
    numbers
        Of stations and walls, by name.
    things
        Names other than stations: the cooks, and vessels on stations at the beginning.
    kinds, names, near
        By number: kind, name, and the tiles next to it; ``useful`` are those next to a station.
    stoves, boards, sinks
        Numbers; ``exclusive`` are those that one cook at a time processes at.
    plate_return
        Number of the one at which dirty plates appear, ``None`` if there is none.
    dishes
        Required contents of the plate, by order: sorted pairs of ingredient and state.
    takes
        By vessel: accepted ingredients and their state; ``ticks`` of cooking.
    """

    def __init__(self, kitchen: GridKitchen, rules: GridKitchenRules) -> None:
        self.kitchen = kitchen
        self.rules = rules
        self.facts = kitchen.facts
        stations = kitchen.stations
        wall_names = [name for name, _ in kitchen.walls]
        self.names = (*(station.name for station in stations), *wall_names)
        wall_kinds = [WALL] * len(kitchen.walls)
        self.kinds = (*(station.kind for station in stations), *wall_kinds)
        self.provides = tuple(station.provides for station in stations)
        self.numbers = {name: number for number, name in enumerate(self.names)}
        self.cooks = kitchen.agents
        self.cook_numbers = {name: number for number, name in enumerate(kitchen.agents)}
        things = [station.holds for station in stations if station.holds]
        self.things = frozenset((*kitchen.agents, *things))
        wall_places = [place for _, place in kitchen.walls]
        places = (*(station.place for station in stations), *wall_places)
        self.near = tuple(frozenset(steps(place)) for place in places)
        near_stations = self.near[: len(stations)]
        self.useful = frozenset[Tile]().union(*near_stations)
        self.stoves = self._numbers_of(STOVE)
        self.boards = self._numbers_of("chopping_board")
        self.sinks = self._numbers_of("sink")
        self.plate_return = self.kinds.index("plate_return") if "plate_return" in self.kinds else None
        exclusive_sinks = self.sinks if rules.sinks == "one" else ()
        self.exclusive = frozenset((*self.boards, *exclusive_sinks))
        self.dishes = tuple(_required_contents(dish) for dish in kitchen.orders)
        self.ticks = {PLATE: 0}
        self.takes: dict[str, frozenset[tuple[str, str]]] = {}
        for cookware in kitchen.facts.cookware:
            self.ticks[cookware.name] = cookware.ticks
            foods = [(name, cookware.takes) for name in cookware.ingredients]
            self.takes[cookware.name] = frozenset(foods)
        self.stamped = rules.cooking == "stamp"

    def _numbers_of(self, kind: str) -> tuple[int, ...]:
        return tuple(number for number, station_kind in enumerate(self.kinds) if station_kind == kind)

    def walks(self, tile: Tile) -> Mapping[Tile, int]:
        """Return the distances in tiles from one tile to every reachable tile."""
        return distances(self.kitchen, tile)


def _required_contents(dish: OrderedDish) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((need.ingredient, need.state) for need in dish.needs))


@ProblemCache
def ground(kitchen: GridKitchen, rules: GridKitchenRules) -> StationMap:
    """Return the tables of a grid kitchen under given rules."""
    return StationMap(kitchen, rules)
