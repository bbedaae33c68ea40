"""Kitchens of a copy of ParaCook's data, which the repository does not hold, and recorded verdicts on them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import GridKitchen
from planoracle.instances.benchmarks.paracook.local_copy import copy_in


def kitchen_of_map(shared: Path, name: str, orders: Iterable[str]) -> GridKitchen:
    """Return a map with orders."""
    return copy_in(shared / "benchmarks" / "paracook").kitchen(f"paracook/cook/{name}", name, orders)


def verdicts(shared: Path, name: str) -> list[dict[str, Any]]:
    """Return the verdicts of a file."""
    path = shared / "verdicts" / "paracook" / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def kitchen_with_orders(shared: Path, name: str) -> GridKitchen:
    """Return a map with the orders that belong to it, ``category/seed/agents/orders``."""
    kitchen, _, count = name.rpartition("/")
    orders = copy_in(shared / "benchmarks" / "paracook").orders[f"{kitchen.rpartition('/')[0]}/{count}"]
    return kitchen_of_map(shared, kitchen, orders)
