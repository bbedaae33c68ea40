"""Steps with their times as a plan: walks, waits, and what is done at stations."""

from __future__ import annotations

from typing import Any, TypeAlias

from planoracle.heuristics.floors_jobs import Step, Timing, key_of
from planoracle.heuristics.floors_shop import Shop
from planoracle.instances.errors import InternalError
from planoracle.instances.floors.floor import Tile
from planoracle.instances.floors.ground import distances, steps

#: An action in the language of plans, and a plan: what each cook does.
Action: TypeAlias = dict[str, Any]
FloorPlan: TypeAlias = dict[str, list[Action]]


def plan_of(shop: Shop, timing: Timing) -> FloorPlan:
    """Write the steps of all cooks; who has nothing to do has an empty list."""
    return {name: _written(shop, cook, tile, timing) for cook, (name, tile) in enumerate(shop.floor.cooks)}


def _written(shop: Shop, cook: int, first: Tile, timing: Timing) -> list[Action]:
    own = [step for step in timing.steps if step.cook == cook]
    tiles = _tiles(shop, own, first)
    actions: list[Action] = []
    tile, clock, begun = first, 0, 0
    for step, goal in zip(own, tiles, strict=True):
        if step.tick > clock:
            begun = _way(shop, tile, goal, clock, step, actions)
        if key_of(step.tick, begun, cook) < step.after:
            raise InternalError(f"{shop.floor.name}: a step has its turn too early at {step.tick}")
        tile, clock = goal, step.tick
        name = shop.stations[step.station].name
        if step.ticks > 0:
            actions.append({"action": "Process", "target": name})
            clock, begun = clock + step.ticks, clock
        elif not step.ticks:
            actions.append({"action": "Interact", "target": name})
    return actions


def _way(shop: Shop, tile: Tile, goal: Tile, clock: int, step: Step, actions: list[Action]) -> int:
    """Add a walk and a wait; return when the last of them begins."""
    pace = shop.floor.facts.move
    walk = distances(shop.floor, goal)[tile] * pace
    wait = step.tick - clock - walk
    begun = step.tick - wait if wait else clock
    late = key_of(step.tick, begun, step.cook) < step.after  # its last part must begin later
    if walk and not wait and late and walk > pace:
        back = distances(shop.floor, goal)
        near = min(one for one in steps(goal) if back.get(one) == 1 and _between(shop, tile, one, walk // pace - 1))
        actions.append({"action": "MoveTo", "target": list(near)})
        begun = step.tick - pace
    if walk:
        actions.append({"action": "MoveTo", "target": list(goal)})
    if wait and late and wait > 1:
        actions.append({"action": "Wait", "duration": wait - 1})
        begun = step.tick - 1
        wait = 1
    if wait:
        actions.append({"action": "Wait", "duration": wait})
    return begun


def _between(shop: Shop, tile: Tile, other: Tile, length: int) -> bool:
    return distances(shop.floor, tile).get(other) == length


def _tiles(shop: Shop, own: list[Step], first: Tile) -> list[Tile]:
    """Choose where a cook stands for each step, from the last backwards: where the next can be reached in time."""
    pace = shop.floor.facts.move
    chosen: list[Tile] = []
    for place in range(len(own) - 1, -1, -1):
        spots = shop.sets[own[place].spots]
        if chosen:
            walks = distances(shop.floor, chosen[-1])
            spare = own[place + 1].tick - own[place].tick - max(0, own[place].ticks)
            chosen.append(min((tile for tile in spots if walks[tile] * pace <= spare), key=lambda tile: walks[tile]))
        else:
            walks = distances(shop.floor, first)
            chosen.append(min(spots, key=lambda tile: walks[tile]))
    return chosen[::-1]
