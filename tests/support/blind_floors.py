"""Small random floors, and the best that can be done on them by trying everything, tick by tick, by the rules."""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import count
from random import Random
from typing import Any

from planoracle.instances.floors.floor import Dish, Facts, Floor, Need, Station, Vessel
from planoracle.instances.floors.ground import ground
from planoracle.instances.floors.profile import FloorRules
from planoracle.instances.floors.world import Food, Ware, World

#: Short times, so that much happens in few ticks.
FACTS = Facts(
    move=1,
    chop=2,
    wash=2,
    plate_return=2,
    cookware=(Vessel("pan", 3, "chopped", ("meat",)), Vessel("pot", 4, "raw", ("rice",))),
)
_DISHES = (
    Dish("plain", (Need("rice", "raw"),)),
    Dish("boiled", (Need("rice", "cooked"),)),
    Dish("cut", (Need("meat", "chopped"),)),
    Dish("fried", (Need("meat", "cooked"),)),
    Dish("mixed", (Need("rice", "raw"), Need("meat", "chopped"))),
)
#: Waits that are tried: longer ones matter only for who has his turn first.
_WAITS = (1, 2)


def small(seed: int) -> Floor:
    """Return a random floor of at most three times three tiles, one or two cooks, one dish."""
    random = Random(seed)
    dish = random.choice(_DISHES)
    names = {need.ingredient for need in dish.needs}
    kinds: list[tuple[str, str, str]] = [("serving_window", "", "")]
    kinds += [("dispenser", "", name) for name in sorted(names)]
    if any(need.ingredient == "meat" for need in dish.needs):
        kinds.append(("chopping_board", "", ""))
    if any(need.state == "cooked" for need in dish.needs):
        kinds.append(("stove", "pan" if "meat" in names else "pot", ""))
    kinds.append(("table", "plate", ""))
    width, height = 3, 3 if len(kinds) > 3 else random.choice((2, 3))
    places = [(x, y) for x in range(width) for y in range(height)]
    random.shuffle(places)
    stations = [
        Station(f"{kind}{number}", kind, place, holds, gives)
        for number, ((kind, holds, gives), place) in enumerate(zip(kinds, places, strict=False))
    ]
    free = places[len(kinds) :]
    cooks = [(f"agent{n}", random.choice(free)) for n in range(1, random.choice((1, 2, 2)) + 1)]
    return Floor.of(f"small/{seed}", "paracook", (width, height), stations, (), cooks, (dish,), FACTS)


def _foods(world: World) -> int:
    things = (*world.hands, *world.on)
    return sum(len(thing.contents) if isinstance(thing, Ware) else isinstance(thing, Food) for thing in things)


def quickest(floor: Floor, rules: FloorRules, most: int = 30, states: int = 60_000) -> int | None:
    """Return when the last dish can be served at the earliest, ``None`` if not before ``most``.

    Raises `OverflowError` if there is too much to be tried.
    """
    of = ground(floor, rules)
    enough = sum(len(dish.needs) for dish in floor.orders) + 1  # dispensers never end
    boards = {number for number, kind in enumerate(of.kinds) if kind == "chopping_board"}
    cooks = range(len(of.cooks))
    world = World(of)
    world.update()
    numbers = count()
    # A moment, who has his turn yet, and what everybody is doing: until when, since when, and what.
    heap: list[tuple[int, int, World, tuple[int, ...], tuple[Any, ...]]] = []
    heappush(heap, (0, 0, world, tuple(cooks), (None,) * len(cooks)))
    seen: set[Any] = set()
    while heap:
        now, _, world, turns, acts = heappop(heap)
        if world.all_served:
            return now
        if not turns:
            now = min(act[0] for act in acts)
            if now > most:
                continue
            world = world.copy()
            world.clock = now
            world.update()
            due = sorted((act[1], cook) for cook, act in enumerate(acts) if act[0] == now)
            turns = tuple(cook for _, cook in due)
        cook = turns[0]
        if acts[cook] is not None:  # it ends
            world = world.copy()
            _, _, what, goal = acts[cook]
            if what == "move":
                world.tiles[cook] = goal
            elif what == "process" and world.process(goal):
                continue
            acts = (*acts[:cook], None, *acts[cook + 1 :])
        key = (world.key(), turns, tuple((a[0] - now, min(now - a[1], 4), *a[2:]) if a else None for a in acts))
        if key in seen:
            continue
        seen.add(key)
        if len(seen) > states:
            raise OverflowError
        used = {act[3] for act in acts if act is not None and act[2] == "process"}
        near = [s for s in range(len(floor.stations)) if world.tiles[cook] in of.near[s] and s not in used & boards]
        for s in near:
            then = world.copy()
            if not then.interact(cook, s) and _foods(then) <= enough:
                heappush(heap, (now, next(numbers), then, turns, acts))
        begun: list[tuple[int, int, str, Any]] = [(now + ticks, now, "wait", None) for ticks in _WAITS]
        walks = of.walks(world.tiles[cook])
        begun += [(now + far, now, "move", tile) for tile, far in walks.items() if far]
        begun += [
            (now + (FACTS.chop if of.kinds[s] == "chopping_board" else FACTS.wash), now, "process", s)
            for s in near
            if of.kinds[s] in ("chopping_board", "sink")
        ]
        for act in begun:
            heappush(heap, (now, next(numbers), world, turns[1:], (*acts[:cook], act, *acts[cook + 1 :])))
    return None
