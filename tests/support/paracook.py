"""Floors from the compact files of data that the repository does not hold, without the package's own reader."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import (
    Cookware,
    Facts,
    GridKitchen,
    GridKitchenRules,
    Need,
    OrderedDish,
    Station,
)

#: As the released code.
RELEASED = GridKitchenRules(
    refuse_unread=False, cooking="stamp", sinks="shared", finish="ignored", end="plans", price_optimum=False
)


@cache
def _read(folder: Path, name: str) -> Any:
    path = folder / "benchmarks" / "paracook" / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8"))


def facts(shared: Path) -> Facts:
    """Return durations and cookware."""
    kitchen = _read(shared, "kitchen")
    ticks = kitchen["durations"]
    cookware = tuple(
        Cookware(kind, ticks[kind], kitchen[f"{kind}_accepts"]["state"], tuple(kitchen[f"{kind}_accepts"]["items"]))
        for kind in ("pan", "pot")
    )
    return Facts(ticks["move_per_tile"], ticks["chop"], ticks["wash"], ticks["plate_return"], cookware)


def dish(shared: Path, name: str) -> OrderedDish:
    """Return a dish, ``category/dish``."""
    category, _, which = name.partition("/")
    return OrderedDish(which, tuple(Need(*need) for need in _read(shared, "recipes")["recipes"][category][which]))


def kitchen_of_map(shared: Path, name: str, orders: list[str]) -> GridKitchen:
    """Return a map with orders."""
    kinds = _read(shared, "kitchen")["station_classes"]
    found = _read(shared, "maps")["maps"][name]
    stations, walls = [], []
    for title, kind, x, y, *more in found["tiles"]:
        extra = more[0] if more else {}
        if kind == "obstacle":
            walls.append((title if not walls else f"{title}_{len(walls)}", (x, y)))
        else:
            of = next(one for one in kinds if one in title)
            stations.append(Station(title, of, (x, y), extra.get("item", ""), extra.get("provides", "")))
    return GridKitchen.of(
        f"paracook/cook/{name}",
        "paracook",
        (found["width"], found["height"]),
        stations,
        walls,
        ((cook, tuple(tile)) for cook, tile in found["agents"].items()),
        (dish(shared, one) for one in orders),
        facts(shared),
    )


def lines(shared: Path, name: str) -> list[dict[str, Any]]:
    """Return the verdicts of a file."""
    path = shared / "verdicts" / "paracook" / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def setting(shared: Path, name: str) -> GridKitchen:
    """Return a map with the orders that belong to it, ``category/seed/agents/orders``."""
    kitchen, _, count = name.rpartition("/")
    return kitchen_of_map(shared, kitchen, _read(shared, "orders")["orders"][f"{kitchen.rpartition('/')[0]}/{count}"])
