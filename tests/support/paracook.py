"""Kitchens of a local copy of ParaCook's data, and recorded verdicts of its simulator."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import GridKitchen
from planoracle.instances.benchmarks.paracook.local_copy import copy_in


def kitchen_of_map(shared: Path, name: str, orders: Iterable[str]) -> GridKitchen:
    """Return a kitchen with the map ``name`` and some orders."""
    return copy_in(shared / "benchmarks" / "paracook").kitchen(f"paracook/cook/{name}", name, orders)


def verdicts(shared: Path, name: str) -> list[dict[str, Any]]:
    """Return the recorded verdicts of a file."""
    path = shared / "verdicts" / "paracook" / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def kitchen_with_orders(shared: Path, name: str) -> GridKitchen:
    """Return the kitchen ``category/seed/agents/orders``."""
    kitchen, _, count = name.rpartition("/")
    orders = copy_in(shared / "benchmarks" / "paracook").orders[f"{kitchen.rpartition('/')[0]}/{count}"]
    return kitchen_of_map(shared, kitchen, orders)
