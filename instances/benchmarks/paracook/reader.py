"""Kitchens of ParaCook's cook world as floors, from the released files and from the compact ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import (
    KINDS,
    Facts,
    GridKitchen,
    OrderedDish,
    Station,
    Tile,
)
from planoracle.instances.benchmarks.grid_kitchens.problems import FORMAT, floor_from_document
from planoracle.instances.benchmarks.grid_kitchens.problems import json_schema as json_schema
from planoracle.instances.benchmarks.paracook.local_copy import a_list, a_text, a_whole, an_object, within
from planoracle.instances.errors import InputError

BENCHMARK: Final = "paracook"
#: How names of kitchens begin.
COOK: Final = "paracook/cook/"


def recognises(document: Any) -> bool:
    """Whether a document is a floor of our format, or has the maps of the compact form, or is a released map."""
    if not isinstance(document, dict):
        return False
    return document.get("format") == FORMAT or (
        "format" not in document and ("maps" in document or {"width", "height", "agents", "tiles"} <= set(document))
    )


def read(document: Any, source: str) -> list[GridKitchen]:
    """Return the floors of a document that is recognised; raises `InputError`.

    A map does not say what is ordered: of a file in a copy of the data it is every setting of the map.
    """
    if document.get("format") == FORMAT:
        return [floor_from_document(document, source)]
    from planoracle.instances.benchmarks.paracook.local_copy import copy_of

    copy = copy_of(source)
    if copy is None:
        message = (
            "is a map without orders; its folder must be a copy of ParaCook's data, or its format planoracle/floor"
        )
        raise InputError(message, source=source)
    floors = [
        floor_of(f"{COOK}{name}/{setting.rpartition('/')[2]}", *copy.map(name), orders, copy.facts)
        for name in copy.held_in(source, copy.maps)
        for setting in copy.settings_of(name)
        for orders in [copy.dishes_of(copy.orders[setting])]
    ]
    if not floors:
        raise InputError("is a map for which the data order nothing", source=source)
    return floors


def kind_of(name: str) -> str | None:
    """Return what kind of station has a name: the first whose word occurs in it; ``None`` for none.

    >>> kind_of("chopping_board2"), kind_of("table_of_the_sink"), kind_of("fridge")
    ('chopping_board', 'table', None)
    """
    return next((kind for kind in KINDS if kind in name), None)


def floor_of(name: str, document: Any, source: str, orders: Iterable[OrderedDish], facts: Facts) -> GridKitchen:
    """Turn the document of a map, released or compact, into a floor; raises `InputError`."""
    with within(source):
        entry = an_object(document, "document")
        stations: list[Station] = []
        walls: dict[str, Tile] = {}
        for number, value in enumerate(a_list(entry.get("tiles"), "tiles")):
            where = f"tiles[{number}]"
            tile = _tile(value, where)
            if tile.get("type") == "obstacle":
                walls[_own_name(a_text(tile.get("name"), f"{where}.name"), walls)] = _place(tile, where)
            else:
                stations.append(_station(tile, where))
        size = a_whole(entry.get("width"), "width"), a_whole(entry.get("height"), "height")
        return GridKitchen.of(
            name, BENCHMARK, size, stations, walls.items(), _cooks(entry.get("agents")), orders, facts
        )


def _own_name(name: str, taken: Mapping[str, object]) -> str:
    """Return what a wall is called: the second ``wall`` is ``wall_1``."""
    if name not in taken:
        return name
    return next(own for number in range(1, len(taken) + 1) if (own := f"{name}_{number}") not in taken)


def _tile(value: Any, where: str) -> dict[str, Any]:
    if isinstance(value, list) and len(value) in (4, 5):
        rest = an_object(value[4], f"{where}[4]") if len(value) == 5 else {}
        return {**rest, **dict(zip(("name", "type", "x", "y"), value, strict=False))}
    return an_object(value, where)


def _place(tile: Mapping[str, Any], where: str) -> Tile:
    x, y = tile.get("x"), tile.get("y")
    if type(x) is not int or type(y) is not int:
        raise InputError("must be a column and a row", field=where, value=[x, y])
    return x, y


def _station(tile: Mapping[str, Any], where: str) -> Station:
    name = a_text(tile.get("name"), f"{where}.name")
    kind = kind_of(name)
    if tile.get("type") != "station" or kind is None:
        raise InputError(f"must be an obstacle, or a station: {', '.join(KINDS)}", field=where, value=name)
    given = {key: tile.get(key) for key in ("item", "provides")}
    for key, value in given.items():
        if value is not None:
            a_text(value, f"{where}.{key}")
    return Station(name, kind, _place(tile, where), given["item"] or "", given["provides"] or "")


def _cooks(value: Any) -> list[tuple[str, Tile]]:
    if isinstance(value, dict):
        value = [{"name": name, "x": tile[0], "y": tile[1]} if _pair(tile) else tile for name, tile in value.items()]
    entries = [an_object(entry, f"agents[{number}]") for number, entry in enumerate(a_list(value, "agents"))]
    return [
        (a_text(entry.get("name"), f"agents[{number}].name"), _place(entry, f"agents[{number}]"))
        for number, entry in enumerate(entries)
    ]


def _pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2
