"""Variants of kitchens in files, for the simulator's files those of its generator.

A test compares the variants of 20 released files with those that the benchmark's repository made of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from random import Random
from typing import Final, NamedTuple

from planoracle.instances.benchmarks.kitchens.domain import KitchenDomain
from planoracle.instances.benchmarks.kitchens.kitchen import Kitchen
from planoracle.instances.benchmarks.kitchens.kitchen_layout import layout_of
from planoracle.instances.benchmarks.kitchens.kitchen_layout import variant as own_variant
from planoracle.instances.benchmarks.kitchens.simulator_files import GridThing, SimulatorFile, kitchen_of_file
from planoracle.instances.errors import InputError

#: Position on the grid: x, y.
Cell = tuple[int, int]

_SEED = re.compile(r"0|[1-9][0-9]{0,8}")
#: Seeds that are tried in turn. The generator tries without end.
_MAX_ATTEMPTS: Final = 100
#: Largest grid, which takes half a second.
_MAX_CELLS: Final = 400
#: Kinds of the generator's additional stations, and of its additional items with their predicates, in its order.
_STATIONS: Final = ("board", "stove", "table", "fryer", "sink")
_ITEMS: Final[dict[str, tuple[str, ...]]] = {
    "bottombun": (),
    "lettuce": ("iscuttable",),
    "patty": ("iscookable",),
    "topbun": (),
    "bread": (),
    "cheese": (),
    "tomato": ("iscuttable",),
    "onion": ("iscuttable",),
    "chicken": ("iscookable",),
    "potato": (),
}
#: Number of directions that a player can face.
_DIRECTIONS: Final = 4


def variant(kitchen: Kitchen, label: str) -> Kitchen:
    """Return the variant of a kitchen for a seed.

    Parameters
    ----------
    kitchen
        Kitchen of a file. One of the simulator's files is shuffled on its grid as by the simulator's generator: with
        additional stations and items, and with the next seed if the things do not fit. Any other is changed as the
        kitchens of our own.
    label
        The seed, 0 to 999999999.

    Raises
    ------
    InputError
        For another label, and for a kitchen that the generator cannot shuffle.
    """
    if not _SEED.fullmatch(label):
        raise InputError("must be a seed, a whole number from 0 to 999999999", field=f"{kitchen.name}@", value=label)
    original, kinds = kitchen.simulator_file, _additional_kinds(kitchen.domain)
    if original is None:
        _, additional, missing = layout_of(kitchen)
        facts = sorted(additional) or sorted(missing)
        if facts:
            message = "has no variants, because this fact does not follow from its positions (fields more and less)"
            raise InputError(message, field=kitchen.name, value=list(facts[0]))
        return own_variant(kitchen, int(label))
    shuffled = _shuffled(original, int(label), kinds)
    return kitchen_of_file(shuffled, f"{kitchen.name}@{label}", kitchen.domain)


class _Kinds(NamedTuple):
    """Kinds of additional stations, and of additional items with their predicates."""

    stations: tuple[str, ...]
    items: Mapping[str, tuple[str, ...]]


def _additional_kinds(domain: KitchenDomain) -> _Kinds:
    """Return the kinds of the generator that a domain has; raises `InputError` if there are none to add."""
    stations = tuple(kind for kind in _STATIONS if domain.type_of(kind) == "station")
    items = {}
    for kind, predicates in _ITEMS.items():
        if domain.type_of(kind) == "item":
            items[kind] = tuple(name for name in predicates if domain.signature.get(name) == ("item",))
    if not (stations and items):
        message = f"a variant needs a kind of station ({', '.join(_STATIONS)}) and one of item ({', '.join(_ITEMS)})"
        raise InputError(message, field="domain")
    return _Kinds(stations, items)


def _shuffled(original: SimulatorFile, seed: int, kinds: _Kinds) -> SimulatorFile:
    """Return a file with other positions and additional things; raises `InputError`."""
    _check(original)
    for attempt in range(_MAX_ATTEMPTS):
        try:
            return _Attempt(original, seed + attempt, kinds).run()
        except _NoSpaceError:
            continue
    size = f"{original.width} x {original.height}"
    message = f"the generator finds no space for all things with the seeds {seed} to {seed + _MAX_ATTEMPTS - 1}"
    raise InputError(f"{message}; use a larger grid", field="width, height", value=size)


def _check(original: SimulatorFile) -> None:
    """Raise `InputError` for what the generator cannot shuffle."""
    cells = original.width * original.height
    if min(original.width, original.height) < 1 or cells > _MAX_CELLS:
        message = f"a variant needs a grid of 1 to {_MAX_CELLS} cells"
        raise InputError(message, field="width, height", value=f"{original.width} x {original.height}")
    if len(original.players) > 1:
        message = "the generator places one player; make a variant of the file with one, and add players with @SEED~2"
        raise InputError(message, field="players", value=len(original.players))
    if original.meals:
        raise InputError("must be empty for a variant: the generator leaves meals behind", field="meals")


class _NoSpaceError(Exception):
    """Failure of an attempt, after which the generator tries the next seed."""


@dataclass(frozen=True, slots=True)
class _Placement:
    """Thing with the cell that was drawn for it; things of the file are required, additional ones are not."""

    thing: GridThing
    cell: Cell
    is_required: bool


class _Attempt:
    """One attempt of the generator, with one seed.

    Random numbers are drawn in the order of the released code, which the results depend on.
    """

    def __init__(self, original: SimulatorFile, seed: int, kinds: _Kinds) -> None:
        self._random = Random(seed)
        self._kinds = kinds
        self._original = original
        self._width = original.width
        self._height = original.height
        # By cell; a thing that replaces another one takes its place in the order.
        self._stations: dict[Cell, _Placement] = {}
        self._items: dict[Cell, _Placement] = {}
        self._containers: dict[Cell, _Placement] = {}

    def run(self) -> SimulatorFile:
        """Return the shuffled file; raises `_NoSpaceError`."""
        stations, items = self._draw_additions()
        stations += self._draw_cells(self._original.stations)
        items += self._draw_cells(self._original.items)
        containers = self._draw_cells(self._original.containers)
        players = self._draw_cells(self._original.players)
        self._random.randrange(_DIRECTIONS)  # the direction of the player, which is replaced
        for station in stations:
            self._add_station(station, players[0].cell)
        player = self._placed_player(players[0].thing)
        self._sites = [*self._stations, player.cell]
        for item in items:
            self._add_item(item)
        for container in containers:
            self._add_container(container)
        things = {
            "stations": _things(self._stations),
            "items": [item.model_copy(update={"level": 0}) for item in _things(self._items)],
            "containers": _things(self._containers),
            "players": [player],
        }
        return self._original.model_copy(update=things)

    # Random numbers

    def _draw_additions(self) -> tuple[list[_Placement], list[_Placement]]:
        """Return additional stations and items."""
        station_count = self._random.randrange(self._width * self._height)
        cells = [self._draw_cell() for _ in range(station_count)]
        stations = [_added(self._random.choice(self._kinds.stations), cell) for cell in cells]
        item_count = self._random.randrange(station_count + 1)
        item_cells: list[Cell] = []
        for _ in range(item_count):
            # The coordinates are those of two stations.
            x, _ = self._random.choice(cells)
            _, y = self._random.choice(cells)
            item_cells.append((x, y))
        items = []
        for cell in item_cells:
            kind = self._random.choice(list(self._kinds.items))
            items.append(_added(kind, cell, self._kinds.items[kind]))
        return stations, items

    def _draw_cells(self, things: Sequence[GridThing]) -> list[_Placement]:
        """Return things of the file, in the order of their cells, with new cells."""
        return [_Placement(thing, self._draw_cell(), True) for thing in sorted(things, key=attrgetter("cell"))]

    def _draw_cell(self) -> Cell:
        return self._random.randrange(self._width), self._random.randrange(self._height)

    # Stations and players

    def _add_station(self, station: _Placement, player: Cell) -> None:
        """Add a station if all remain within reach; a required one may replace an additional one."""
        present = self._stations.get(station.cell)
        if not station.is_required:
            if present is None and self._are_reachable({*self._stations, station.cell}, [player]):
                self._stations[station.cell] = station
            return
        if present is not None and not present.is_required:
            self._stations[station.cell] = station
            return
        if present is None:
            stations = {*self._stations, station.cell}
            if self._are_reachable(stations, self._free_cells(stations)):
                self._stations[station.cell] = station
                return
        replaceable = [cell for cell, placement in self._stations.items() if not placement.is_required]
        if not replaceable:
            raise _NoSpaceError
        self._stations[self._random.choice(replaceable)] = station

    def _are_reachable(self, stations: set[Cell], starts: Iterable[Cell]) -> bool:
        """Return whether a player at one of some cells can walk to all stations."""
        visited: set[Cell] = set()
        regions = (self._region(start, stations, visited) for start in starts if start not in visited)
        return any(stations <= region for region in regions)

    def _region(self, start: Cell, stations: set[Cell], visited: set[Cell]) -> set[Cell]:
        """Return the cells of a region and the stations around it; its free cells become ``visited``."""
        region = {start}
        pending = [start]
        while pending:
            cell = pending.pop()
            if cell in stations:
                continue
            visited.add(cell)
            further = [neighbour for neighbour in self._neighbours(cell) if neighbour not in region]
            region.update(further)
            pending += further
        return region

    def _neighbours(self, cell: Cell) -> list[Cell]:
        x, y = cell
        cells = ((x, y + 1), (x, y - 1), (x + 1, y), (x - 1, y))
        return [(x, y) for x, y in cells if 0 <= x < self._width and 0 <= y < self._height]

    def _free_cells(self, stations: set[Cell]) -> list[Cell]:
        columns = range(self._width)
        cells: list[Cell] = []
        for y in range(self._height):
            cells += [(x, y) for x in columns if (x, y) not in stations]
        return cells

    def _placed_player(self, player: GridThing) -> GridThing:
        """Return a player at the first free cell beside a station from which all stations are within reach."""
        stations = set(self._stations)
        for station in self._stations:
            for cell in self._neighbours(station):
                if cell not in stations and self._are_reachable(stations, [cell]):
                    direction = [station[0] - cell[0], station[1] - cell[1]]
                    return _moved(player, cell).model_copy(update={"direction": direction})
        raise _NoSpaceError

    # Things on stations or in the hand of the player

    def _add_item(self, item: _Placement) -> None:
        """Put an item to an empty site; a required one replaces an additional one if need be."""
        present = self._items.get(item.cell)
        is_site = item.cell in self._sites
        if is_site and (present is None or (item.is_required and not present.is_required)):
            self._items[item.cell] = item
            return
        if not item.is_required:
            return
        for cell in self._sites:
            if cell not in self._items or not self._items[cell].is_required:
                self._items[cell] = item
                return
        raise _NoSpaceError

    def _add_container(self, container: _Placement) -> None:
        """Put a container to an empty site, or to that of an additional item, which is removed."""
        cell = container.cell
        is_site = cell in self._sites
        item = self._items.get(cell)
        if is_site and item is not None and not item.is_required:
            raise _NoSpaceError  # the released code fails on this cell
        if is_site and item is None and cell not in self._containers:
            self._containers[cell] = container
            return
        for site in self._sites:
            item = self._items.get(site)
            if site not in self._containers and (item is None or not item.is_required):
                self._items.pop(site, None)
                self._containers[site] = container
                return
        raise _NoSpaceError


def _added(kind: str, cell: Cell, predicates: Sequence[str] = ()) -> _Placement:
    x, y = cell
    thing = GridThing.model_validate({"name": kind, "x": x, "y": y, "predicates": list(predicates)})
    return _Placement(thing, cell, False)


def _things(placements: Mapping[Cell, _Placement]) -> list[GridThing]:
    return [_moved(placement.thing, cell) for cell, placement in placements.items()]


def _moved(thing: GridThing, cell: Cell) -> GridThing:
    """Return a thing on another cell, without its number."""
    x, y = cell
    return thing.model_copy(update={"name": thing.kind, "x": x, "y": y})
