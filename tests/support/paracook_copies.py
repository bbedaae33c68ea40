"""Local copies of ParaCook's data in the compact form and in the layout of the released repository."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

COMPACT = ("abstract.json", "maps.json", "orders.json", "recipes.json")


def compact_copy(shared: Path) -> Path:
    """Return the folder with the compact files; skip the test if it does not exist."""
    folder = shared / "benchmarks" / "paracook"
    if not all((folder / name).is_file() for name in COMPACT):
        pytest.skip(f"no data of ParaCook in {folder}")
    return folder


def clone_of(folder: Path, target: Path) -> Path:
    """Write the compact files of a folder in the layout of the released repository."""

    def read(name: str, field: str) -> dict[str, Any]:
        return json.loads((folder / name).read_text())[field]

    def write(path: str, document: object) -> None:
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        (target / path).write_text(json.dumps(document, indent=4))

    for category, dishes in read("recipes.json", "recipes").items():
        keys = ("item", "state", "cookware")
        rows = [
            {"name": name, "recipe": "", "ingredients": [dict(zip(keys, need, strict=False)) for need in needs]}
            for name, needs in dishes.items()
        ]
        write(f"config/recipe/{category}.json", rows)
    for name, entry in read("maps.json", "maps").items():
        tiles = [
            {"x": x, "y": y, "type": kind, "name": own, **(rest[0] if rest else {})}
            for own, kind, x, y, *rest in entry["tiles"]
        ]
        agents = [{"name": agent, "x": x, "y": y} for agent, (x, y) in entry["agents"].items()]
        head, _, tail = name.partition("/")
        path = {"example": f"config/map_examples/{tail}", "extra": ""}.get(head, f"data/cook/maps/{name}")
        if path:
            write(f"{path}.json", entry | {"agents": agents, "tiles": tiles})
    write("data/cook/orders/all_orders.json", read("orders.json", "orders"))
    for name, rows in read("abstract.json", "problems").items():
        keys = ("name", "time", "dependencies")
        write(f"data/abstract/{name}.json", [dict(zip(keys, row, strict=True)) for row in rows])
    return target


def tiny_copy(folder: Path) -> Path:
    """Write a made-up copy in the compact form with a map of each kind."""
    tiles = [["dispenser1", "station", 0, 0, {"provides": "egg"}], ["stove", "station", 2, 0, {"item": "pan"}]]
    walls = [["wall", "obstacle", 1, 1], ["wall", "obstacle", 2, 1]]
    place = {"width": 3, "height": 3, "agents": {"agent1": [0, 2], "agent2": [0, 1]}, "tiles": tiles + walls}
    files = {
        "abstract": {"problems": {"egg/seed_1/orders_num_1": [["a", 2, {}], ["b", 3, {"a": 5}]]}},
        "maps": {"maps": {"egg/seed_1/agent_num_2": place, "extra/odd": place}},
        "orders": {"orders": {"egg/seed_1/orders_num_1": ["egg/fried"]}},
        "recipes": {"recipes": {"egg": {"fried": [["egg", "cooked", "pan"]]}}},
    }
    for name, document in files.items():
        (folder / f"{name}.json").write_text(json.dumps(document))
    return folder
