"""Reader of ParaCook's maps as grid kitchens, from released and from compact files."""

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
from planoracle.instances.benchmarks.grid_kitchens.problems import FORMAT, kitchen_from_document
from planoracle.instances.benchmarks.grid_kitchens.problems import json_schema as json_schema
from planoracle.instances.benchmarks.paracook.local_copy import a_list, a_text, a_whole, an_object, within
from planoracle.instances.errors import InputError

BENCHMARK: Final = "paracook"
#: How names of kitchens begin.
COOK: Final = "paracook/cook/"


def recognises(document: Any) -> bool:
    """Return whether a document is a grid kitchen in our format, or holds released or compact maps."""
    if not isinstance(document, dict):
        return False
    return document.get("format") == FORMAT or (
        "format" not in document and ("maps" in document or {"width", "height", "agents", "tiles"} <= set(document))
    )


def read(document: Any, source: str) -> list[GridKitchen]:
    """Return the grid kitchens of a document that is recognised; raises `InputError`.

    A map does not say what is ordered: of a file in a copy of the data it is every setting of the map.
    """
    if document.get("format") == FORMAT:
        return [kitchen_from_document(document, source)]
    from planoracle.instances.benchmarks.paracook.local_copy import copy_of

    copy = copy_of(source)
    if copy is None:
        message = "is a map without orders; its folder must be a copy of ParaCook's data"
        message += f", or its format {FORMAT}"
        raise InputError(message, source=source)
    kitchens = [
        kitchen_from_map(f"{COOK}{name}/{setting.rpartition('/')[2]}", *copy.map(name), orders, copy.facts)
        for name in copy.held_in(source, copy.maps)
        for setting in copy.settings_of(name)
        for orders in [copy.dishes_of(copy.orders[setting])]
    ]
    if not kitchens:
        raise InputError("is a map for which the data order nothing", source=source)
    return kitchens


def kind_of(name: str) -> str | None:
    """Return what kind of station has a name: the first whose word occurs in it; ``None`` for none.

    >>> kind_of("chopping_board2"), kind_of("table_of_the_sink"), kind_of("fridge")
    ('chopping_board', 'table', None)
    """
    return next((kind for kind in KINDS if kind in name), None)


def kitchen_from_map(name: str, document: Any, source: str, orders: Iterable[OrderedDish], facts: Facts) -> GridKitchen:
    """Turn the document of a map, released or compact, into a grid kitchen; raises `InputError`."""
    with within(source):
        entry = an_object(document, "document")
        stations: list[Station] = []
        walls: dict[str, Tile] = {}
        for number, value in enumerate(a_list(entry.get("tiles"), "tiles")):
            location = f"tiles[{number}]"
            tile = _tile(value, location)
            if tile.get("type") == "obstacle":
                walls[_own_name(a_text(tile.get("name"), f"{location}.name"), walls)] = _place(tile, location)
            else:
                stations.append(_station(tile, location))
        size = a_whole(entry.get("width"), "width"), a_whole(entry.get("height"), "height")
        return GridKitchen.of(
            name, BENCHMARK, size, stations, walls.items(), _cooks(entry.get("agents")), orders, facts
        )


def _own_name(name: str, names: Mapping[str, object]) -> str:
    """Return the unique name of a wall: the second ``wall`` is ``wall_1``."""
    if name not in names:
        return name
    return next(own for number in range(1, len(names) + 1) if (own := f"{name}_{number}") not in names)


def _tile(value: Any, location: str) -> dict[str, Any]:
    if isinstance(value, list) and len(value) in (4, 5):
        rest = an_object(value[4], f"{location}[4]") if len(value) == 5 else {}
        return {**rest, **dict(zip(("name", "type", "x", "y"), value, strict=False))}
    return an_object(value, location)


def _place(tile: Mapping[str, Any], location: str) -> Tile:
    x, y = tile.get("x"), tile.get("y")
    if type(x) is not int or type(y) is not int:
        raise InputError("must be a column and a row", field=location, value=[x, y])
    return x, y


def _station(tile: Mapping[str, Any], location: str) -> Station:
    name = a_text(tile.get("name"), f"{location}.name")
    kind = kind_of(name)
    if tile.get("type") != "station" or kind is None:
        raise InputError(f"must be an obstacle, or a station: {', '.join(KINDS)}", field=location, value=name)
    contents = {key: tile.get(key) for key in ("item", "provides")}
    for key, value in contents.items():
        if value is not None:
            a_text(value, f"{location}.{key}")
    return Station(name, kind, _place(tile, location), contents["item"] or "", contents["provides"] or "")


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
