"""Small floors of our own: a few stations, one or two cooks."""

from __future__ import annotations

from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import (
    Cookware,
    Facts,
    GridKitchen,
    Need,
    OrderedDish,
    Station,
)

FACTS = Facts(
    move=1,
    chop=4,
    wash=6,
    plate_return=10,
    cookware=(Cookware("pan", 24, "chopped", ("meat",)), Cookware("pot", 16, "raw", ("rice",))),
)
_STATIONS = (
    Station("dispenser1", "dispenser", (0, 0), provides="meat"),
    Station("chopping_board1", "chopping_board", (2, 0)),
    Station("stove1", "stove", (4, 0), holds="pan"),
    Station("table1", "table", (0, 3), holds="plate"),
    Station("serving_window", "serving_window", (2, 3)),
    Station("sink", "sink", (3, 3)),
    Station("plate_return", "plate_return", (4, 3)),
    Station("dispenser2", "dispenser", (1, 3), provides="rice"),
)
DISHES = {
    "raw": OrderedDish("raw", (Need("rice", "raw"),)),
    "chopped": OrderedDish("chopped", (Need("meat", "chopped"),)),
    "cooked": OrderedDish("cooked", (Need("meat", "cooked", "pan"),)),
}


def tiny(*orders: str, cooks: int = 2, name: str = "paracook/tiny") -> GridKitchen:
    """Return a kitchen of 5 by 4 tiles for some of `DISHES`."""
    places = ((1, 1), (3, 2), (2, 2))
    agents = [(f"agent{number}", places[number - 1]) for number in range(1, cooks + 1)]
    dishes = [DISHES[order] for order in orders]
    return GridKitchen.of(name, "paracook", (5, 4), _STATIONS, [("wall", (1, 0))], agents, dishes, FACTS)
