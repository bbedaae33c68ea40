"""Grid kitchens in words: actions, the map, and the state at a moment."""

from __future__ import annotations

from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import (
    GridKitchen,
    GridKitchenRules,
    OrderedDish,
    Station,
    Tile,
)
from planoracle.instances.benchmarks.grid_kitchens.kitchen_state import DIRTY, Food, Thing, Time, Ware
from planoracle.instances.benchmarks.grid_kitchens.language import INTERACT, MOVE, WAIT, CookAction, json_number
from planoracle.instances.benchmarks.grid_kitchens.simulation import Simulation


def actions_in_words(kitchen: GridKitchen, rules: GridKitchenRules) -> list[str]:
    """Return descriptions of the actions and their effects."""
    facts = kitchen.facts
    vessels = []
    for cookware in facts.cookware:
        contents = f"{cookware.takes} {', '.join(cookware.ingredients)}"
        ticks = f"{cookware.ticks} ticks"
        vessels.append(f"a {cookware.name} takes {contents} and cooks it in {ticks}")
    vessels_text = "; ".join(vessels)
    several = "several cooks at once" if rules.sinks == "shared" else "one cook at a time"
    finality = " at all" if rules.finish == "final" else ""
    move = (
        f'- {{"action": "MoveTo", "target": [x, y]}}: walk to a free tile, {facts.move} tick a tile, '
        "in four directions. Cooks do not stand in each other's way."
    )
    interact = (
        '- {"action": "Interact", "target": "STATION"}: use a station on a tile next to the cook\'s, in no time. With '
        "empty hands: take what lies there; from an empty dispenser an ingredient, raw; from the plate return a dirty "
        "plate. With something in the hand: put it down where nothing lies (on a stove only cookware, into a sink only "
        "a dirty plate), put an ingredient into a plate or cookware, or a plate or cookware over an ingredient; with a "
        "plate and cookware the contents go onto the plate. At the serving window a plate with just what the first "
        "open order needs is served."
    )
    process = (
        f'- {{"action": "Process", "target": "STATION"}}: chop the raw ingredient on a chopping board '
        f"({facts.chop} ticks, one cook at a time), or wash the plate in a sink ({facts.wash} ticks, {several})."
    )
    wait = '- {"action": "Wait", "duration": t}: do nothing for so many ticks.'
    finish = f'- {{"action": "Finish"}}: the cook has nothing more to do{finality}.'
    things = (
        "A hand holds one thing, and so does a station; a plate and cookware hold any number of ingredients. "
        f"Cooking goes on by itself while the cookware is on a stove: {vessels_text}; two ingredients take "
        "twice as long. Ingredients leave a plate only with the dish. Dirty plates are at the plate return "
        f"{facts.plate_return} ticks after a dish was served."
    )
    orders = (
        "Orders are served one after the other, in the given order. An action that is not possible ends the attempt."
    )
    return [move, interact, process, wait, finish, things, orders]


def kitchen_in_words(kitchen: GridKitchen) -> list[str]:
    """Return descriptions of stations, walls, cooks and orders."""
    last_column = kitchen.width - 1
    last_row = kitchen.height - 1
    columns = f"{kitchen.width} columns (x from 0 to {last_column}, to the right)"
    rows = f"{kitchen.height} rows (y from 0 to {last_row}, downwards)"
    size = f"The map has {columns} and {rows}. Cooks cannot enter the tiles of stations and walls."
    lines = [size, "Stations:"]
    for station in kitchen.stations:
        place = _place(station.name, station.place)
        lines.append(f"- {place}{_about(station)}")
    if kitchen.walls:
        walls = [_place(name, tile) for name, tile in kitchen.walls]
        lines.append(f"Walls: {', '.join(walls)}.")
    cooks = [_place(name, tile) for name, tile in kitchen.cooks]
    lines.append(f"Cooks: {', '.join(cooks)}.")
    lines.append("Orders, to be served in this order:")
    for number, dish in enumerate(kitchen.orders, 1):
        lines.append(f"{number}. {dish_in_words(dish)}")
    return lines


def _place(name: str, tile: Tile) -> str:
    return f"{name} at {tile_in_words(tile)}"


def _about(station: Station) -> str:
    parts = [f"gives {station.provides}"] if station.provides else []
    parts += [f"with a {station.holds}"] if station.holds else []
    return f": {', '.join(parts)}" if parts else ""


def dish_in_words(dish: OrderedDish) -> str:
    """Return a dish and its needs."""
    needs = []
    for need in dish.needs:
        vessel = f" in a {need.vessel}" if need.vessel else ""
        needs.append(f"{need.ingredient} {need.state}{vessel}")
    return f"{dish.name}: {', '.join(needs)}"


def describe(clock: Simulation) -> str:
    """Describe a state: the time, orders, cooks, and the stations with things on them."""
    world, ground = clock.world, clock.ground
    kitchen = ground.kitchen
    passed = ticks_in_words(world.clock)
    number_of_orders = len(kitchen.orders)
    lines = [f"{passed} have passed, {world.served} of {number_of_orders} orders are served."]
    if not world.all_served:
        dish = kitchen.orders[world.served]
        lines.append(f"Next order: {dish_in_words(dish)}")
    for cook, name in enumerate(ground.cooks):
        in_hand = thing_in_words(world.hands[cook])
        hands = f"holds {in_hand}" if in_hand else "hands empty"
        position = _place(name, world.tiles[cook])
        work = _busy(clock, cook)
        lines.append(f"{position}, {hands}, {work}")
    for number, thing in enumerate(world.on):
        if thing is not None:
            ticks = cooking_left(clock, number)
            cooking = "" if ticks is None else f", cooked in {ticks_in_words(ticks)}"
            station = ground.names[number]
            lines.append(f"  {station}: {thing_in_words(thing)}{cooking}")
    if world.dirty:
        lines.append(f"  dirty plates at the plate return: {world.dirty}")
    if world.coming:
        moments = ", ".join(str(json_number(moment)) for moment in world.coming)
        lines.append(f"  dirty plates come back at {moments}")
    return "\n".join(lines)


def _busy(clock: Simulation, cook: int) -> str:
    act = clock.acts[cook]
    if act is None:
        return "finished" if clock.finished[cook] else "nothing to do"
    end = json_number(clock.ends[cook])
    return f"{act_in_words(clock, act)} until {end}"


def act_in_words(clock: Simulation, act: CookAction) -> str:
    """Return an action as a part of a sentence."""
    if act.word == MOVE:
        return f"walks to {tile_in_words(act.tile)}"
    if act.word == WAIT:
        return "waits"
    if act.station < 0:
        return "finishes"
    verb = "uses" if act.word == INTERACT else "works at"
    return f"{verb} {clock.ground.names[act.station]}"


def cooking_left(clock: Simulation, number: int) -> Time | None:
    """Return the ticks until the vessel on a stove is cooked, ``None`` if nothing cooks there."""
    world, thing = clock.world, clock.world.on[number]
    if number not in clock.ground.stoves or not isinstance(thing, Ware):
        return None
    if not (thing.cooking and thing.contents):
        return None
    return max(0, thing.remaining - (world.clock - thing.stamp))


def thing_in_words(thing: Thing) -> str:
    """Return a thing with its state or its contents, ``""`` for none."""
    if thing is None:
        return ""
    if isinstance(thing, Food):
        return f"{thing.name} ({thing.state})"
    if isinstance(thing, Ware):
        if not thing.contents:
            return f"empty {thing.kind}"
        foods = [thing_in_words(food) for food in thing.contents]
        return f"{thing.kind} with {', '.join(foods)}"
    return "dirty plate" if thing == DIRTY else thing


def tile_in_words(tile: Tile) -> str:
    """Return a tile in the form of plans."""
    return f"[{tile[0]}, {tile[1]}]"


def ticks_in_words(time: Time) -> str:
    """Return a time with its unit."""
    return f"{json_number(time)} tick{'' if time == 1 else 's'}"
