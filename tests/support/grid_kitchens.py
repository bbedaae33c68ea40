"""Small grid kitchens: all stations in a row, with a short notation for plans, and 5 by 4 tiles."""

from __future__ import annotations

from fractions import Fraction
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
from planoracle.instances.benchmarks.grid_kitchens.simulation import Simulation, carry_out

PAPER = GridKitchenRules()
#: Rules of the released code.
RELEASED = GridKitchenRules(
    refuse_unread=False, cooking="stamp", sinks="shared", finish="ignored", end="plans", price_optimum=False
)
FACTS = Facts(1, 4, 6, 10, (Cookware("pan", 24, "chopped", ("meat", "tomato")), Cookware("pot", 16, "raw", ("rice",))))

#: Stations of the row, from left to right, with their contents.
ROW = (
    Station("table1", "table", (0, 0), "plate"),
    Station("meat", "dispenser", (1, 0), provides="meat"),
    Station("board", "chopping_board", (2, 0)),
    Station("stove1", "stove", (3, 0), "pan"),
    Station("window", "serving_window", (4, 0)),
    Station("sink", "sink", (5, 0)),
    Station("back", "plate_return", (6, 0)),
    Station("trash", "trash", (7, 0)),
    Station("table2", "table", (8, 0)),
    Station("rice", "dispenser", (9, 0), provides="rice"),
    Station("stove2", "stove", (10, 0), "pot"),
    Station("stove3", "stove", (11, 0)),
)
STEAK = OrderedDish("steak", (Need("meat", "cooked"),))
TARTARE = OrderedDish("tartare", (Need("meat", "chopped"),))
RAW = OrderedDish("raw", (Need("meat", "raw"),))


def row(*orders: OrderedDish, cooks: int = 1) -> GridKitchen:
    """Return the kitchen with all stations in a row; the cooks start at the left end."""
    names = ((f"agent{number}", (0, 1)) for number in range(1, cooks + 1))
    walls = [("wall", (12, 1)), *((f"wall_{x + 1}", (x, 2)) for x in range(13))]
    return GridKitchen.of("paracook/cook/row", "paracook", (13, 3), ROW, walls, names, orders or (STEAK,), FACTS)


def plan(*texts: str) -> dict[str, list[Any]]:
    """Return a plan from one text per cook, with words such as ``@3``, ``board``, ``!board`` and ``~5``.

    ``@3`` moves below station 3, ``board`` interacts with a station, ``!board`` processes there, ``~5`` waits, ``.``
    finishes.

    >>> plan("@1 meat !board ~5 .")["agent1"][-2:]
    [{'action': 'Wait', 'duration': 5}, {'action': 'Finish'}]
    """
    return {f"agent{number}": [_action(word) for word in text.split()] for number, text in enumerate(texts, 1)}


def _action(word: str) -> dict[str, Any]:
    if word == ".":
        return {"action": "Finish"}
    if word[0] == "@":
        return {"action": "MoveTo", "target": [int(word[1:]), 1]}
    if word[0] == "~":
        time = Fraction(word[1:])
        return {"action": "Wait", "duration": int(time) if time.denominator == 1 else float(time)}
    return {"action": "Process", "target": word[1:]} if word[0] == "!" else {"action": "Interact", "target": word}


def run_plan(rules: GridKitchenRules, *texts: str, orders: tuple[OrderedDish, ...] = ()) -> Simulation:
    """Run a plan on the row."""
    return carry_out(row(*orders, cooks=len(texts)), plan(*texts), rules)


def error_of(run: Simulation) -> tuple[str, str | None, int | None] | None:
    """Return kind, cook and number of the action at which a run failed, or ``None``."""
    error = run.as_dict()["error"]
    return error and tuple(error.values())


_TINY_FACTS = Facts(
    move=1,
    chop=4,
    wash=6,
    plate_return=10,
    cookware=(Cookware("pan", 24, "chopped", ("meat",)), Cookware("pot", 16, "raw", ("rice",))),
)
_TINY_STATIONS = (
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
    """Return a kitchen of 5 by 4 tiles with orders from `DISHES`."""
    places = ((1, 1), (3, 2), (2, 2))
    agents = [(f"agent{number}", places[number - 1]) for number in range(1, cooks + 1)]
    dishes = [DISHES[order] for order in orders]
    return GridKitchen.of(name, "paracook", (5, 4), _TINY_STATIONS, [("wall", (1, 0))], agents, dishes, _TINY_FACTS)
