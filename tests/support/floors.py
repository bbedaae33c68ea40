"""A floor whose stations stand in a row, and plans for it in short."""

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
from planoracle.instances.benchmarks.grid_kitchens.run import PlanOutcome, carry_out

PAPER = GridKitchenRules()
#: As the released code.
RELEASED = GridKitchenRules(
    refuse_unread=False, cooking="stamp", sinks="shared", finish="ignored", end="plans", price_optimum=False
)
FACTS = Facts(1, 4, 6, 10, (Cookware("pan", 24, "chopped", ("meat", "tomato")), Cookware("pot", 16, "raw", ("rice",))))

#: The stations of the row, from left to right, and what they have.
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
    """Return the floor: one row of free tiles below the stations, a wall at the end; cooks begin at the left end."""
    names = ((f"agent{number}", (0, 1)) for number in range(1, cooks + 1))
    walls = [("wall", (12, 1)), *((f"wall_{x + 1}", (x, 2)) for x in range(13))]
    return GridKitchen.of("paracook/cook/row", "paracook", (13, 3), ROW, walls, names, orders or (STEAK,), FACTS)


def plan(*texts: str) -> dict[str, list[Any]]:
    """Return a plan of a text for each cook: ``@3`` (go below the fourth), ``board``, ``!board``, ``~5``, ``.``.

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


def done(rules: GridKitchenRules, *texts: str, orders: tuple[OrderedDish, ...] = ()) -> PlanOutcome:
    """Return what becomes of a plan on the row."""
    return carry_out(row(*orders, cooks=len(texts)), plan(*texts), rules)
