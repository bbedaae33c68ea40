"""File format ``planoracle/floor`` of grid kitchens: strict and versioned."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, Literal

from pydantic import Field

from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import (
    Cookware,
    Facts,
    GridKitchen,
    Need,
    OrderedDish,
    Station,
    Tile,
)
from planoracle.instances.errors import InputError
from planoracle.instances.files.strict_entries import SchemaLink, StrictEntry, schema_of, validated

FORMAT: Final = "planoracle/floor"
VERSION: Final = 1


class StationEntry(StrictEntry):
    """Station: a tile that cooks cannot enter, used from a tile next to it."""

    name: str
    kind: str = Field(description="table, dispenser, chopping_board, stove, serving_window, sink, plate_return, trash")
    at: list[int] = Field(min_length=2, max_length=2, description="column and row, from 0")
    holds: str = Field("", description="thing on the station at the beginning: a plate or a kind of cookware")
    provides: str = Field("", description="ingredient that a dispenser provides")


class VesselEntry(StrictEntry):
    """Kind of cookware."""

    ticks: int = Field(ge=1, le=10**6, description="ticks to cook an ingredient")
    takes: str = Field(description="state in which the cookware accepts ingredients")
    ingredients: list[str]


class FactsEntry(StrictEntry):
    """Durations in ticks, and cookware by name."""

    move: int = Field(ge=1, le=10**6, description="ticks to walk one tile")
    chop: int = Field(ge=0, le=10**6, description="ticks to chop an ingredient")
    wash: int = Field(ge=0, le=10**6, description="ticks to wash a plate")
    plate_return: int = Field(
        ge=0, le=10**6, description="ticks from serving a dish until its dirty plate can be taken"
    )
    cookware: dict[str, VesselEntry]


class DishEntry(StrictEntry):
    """Dish, and the ingredients on its plate, in any order."""

    name: str
    needs: list[list[str]] = Field(description="each as ingredient, state, and cookware if the recipe names one")


class GridKitchenDocument(StrictEntry):
    """Grid kitchen for planoracle: a map of tiles, the cooks on it, and the ordered dishes."""

    schema_: SchemaLink = None
    format: Literal["planoracle/floor"]
    version: Literal[1]
    name: str
    benchmark: str = Field(description="benchmark whose rules apply")
    size: list[int] = Field(min_length=2, max_length=2, description="columns and rows")
    stations: list[StationEntry] = Field(description="stations in the order in which they are updated")
    walls: dict[str, list[int]] = Field({}, description="column and row of each wall")
    cooks: dict[str, list[int]] = Field(description="column and row of each cook, in the order in which they act")
    orders: list[DishEntry] = Field(description="dishes in the order in which they must be served")
    facts: FactsEntry


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of the file format."""
    return schema_of(GridKitchenDocument)


def kitchen_from_document(document: Any, source: str) -> GridKitchen:
    """Turn a parsed document into a `GridKitchen`; raises `InputError` naming field and value of a fault."""
    entry = validated(document, source, GridKitchenDocument)
    try:
        return _kitchen(entry)
    except InputError as error:
        raise error.at(source) from None


def _kitchen(entry: GridKitchenDocument) -> GridKitchen:
    size = _pair(entry.size, "size")
    stations = [_station(station) for station in entry.stations]
    walls = []
    for name, place in entry.walls.items():
        walls.append((name, _pair(place, f"walls.{name}")))
    cooks = []
    for name, place in entry.cooks.items():
        cooks.append((name, _pair(place, f"cooks.{name}")))
    orders = []
    for n, dish in enumerate(entry.orders):
        field = f"orders[{n}]"
        needs = tuple(_need(need, field) for need in dish.needs)
        orders.append(OrderedDish(dish.name, needs))
    cookware = []
    for name, vessel in entry.facts.cookware.items():
        ingredients = tuple(vessel.ingredients)
        cookware.append(Cookware(name, vessel.ticks, vessel.takes, ingredients))
    times = entry.facts
    facts = Facts(times.move, times.chop, times.wash, times.plate_return, tuple(cookware))
    return GridKitchen.of(entry.name, entry.benchmark, size, stations, walls, cooks, orders, facts)


def _pair(value: list[int], field: str) -> tuple[int, int]:
    if len(value) != 2:
        raise InputError("must be a column and a row", field=field, value=value)
    return value[0], value[1]


def _station(entry: StationEntry) -> Station:
    place = _pair(entry.at, entry.name)
    return Station(entry.name, entry.kind, place, entry.holds, entry.provides)


def _need(parts: list[str], field: str) -> Need:
    if len(parts) not in (2, 3):
        raise InputError("must be ingredient, state and optional cookware", field=field, value=parts)
    return Need(*parts)


def to_document(kitchen: GridKitchen) -> dict[str, Any]:
    """Return the document of a grid kitchen; reading it gives an equal grid kitchen."""
    facts = kitchen.facts
    cookware = {}
    for vessel in facts.cookware:
        entry = VesselEntry(ticks=vessel.ticks, takes=vessel.takes, ingredients=list(vessel.ingredients))
        cookware[vessel.name] = entry
    facts_entry = FactsEntry(
        move=facts.move,
        chop=facts.chop,
        wash=facts.wash,
        plate_return=facts.plate_return,
        cookware=cookware,
    )
    stations = [_station_entry(station) for station in kitchen.stations]
    orders = [_dish_entry(dish) for dish in kitchen.orders]
    document = GridKitchenDocument(
        format=FORMAT,
        version=VERSION,
        name=kitchen.name,
        benchmark=kitchen.benchmark,
        size=[kitchen.width, kitchen.height],
        stations=stations,
        walls=_places(kitchen.walls),
        cooks=_places(kitchen.cooks),
        orders=orders,
        facts=facts_entry,
    )
    return {"format": FORMAT, "version": VERSION} | document.model_dump(exclude_defaults=True)


def _places(named_tiles: Iterable[tuple[str, Tile]]) -> dict[str, list[int]]:
    return {name: list(place) for name, place in named_tiles}


def _station_entry(station: Station) -> StationEntry:
    return StationEntry(
        name=station.name,
        kind=station.kind,
        at=list(station.place),
        holds=station.holds,
        provides=station.provides,
    )


def _dish_entry(dish: OrderedDish) -> DishEntry:
    needs = []
    for need in dish.needs:
        parts = [need.ingredient, need.state]
        if need.vessel:
            parts.append(need.vessel)
        needs.append(parts)
    return DishEntry(name=dish.name, needs=needs)
