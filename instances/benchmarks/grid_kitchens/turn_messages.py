"""Whole plans of grid kitchens as messages of a closed loop."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import GridKitchen, GridKitchenRules
from planoracle.instances.benchmarks.grid_kitchens.language import FINISH
from planoracle.instances.benchmarks.grid_kitchens.simulation import Simulation


def messages_of(kitchen: GridKitchen, rules: GridKitchenRules, plan: Mapping[str, Sequence[Any]]) -> list[str] | None:
    """Return a plan as messages: one action of every cook whenever it must decide.

    If the order of turns at one moment matters, all actions of a cook are one message. ``None`` if this does not serve
    all orders either.
    """
    for actions_at_once in (1, None):
        messages = _messages(kitchen, rules, plan, actions_at_once)
        if messages is not None:
            return messages
    return None


def _messages(
    kitchen: GridKitchen, rules: GridKitchenRules, plan: Mapping[str, Sequence[Any]], actions_at_once: int | None
) -> list[str] | None:
    """Return a plan as messages with so many actions of a cook, ``None`` for all of them."""
    simulation = Simulation.of(kitchen, rules)
    remaining = {cook: list(plan.get(cook, ())) for cook in kitchen.agents}
    messages: list[str] = []
    while not simulation.end:
        message = {}
        for number in simulation.decide:
            cook = kitchen.agents[number]
            message[cook] = remaining[cook][:actions_at_once] or [{"action": FINISH}]
            remaining[cook] = remaining[cook][len(message[cook]) :]
        messages.append(json.dumps(message))
        simulation.submit(message)
        simulation.until_decision()
    served = simulation.world.all_served and simulation.error is None
    return messages if served else None
