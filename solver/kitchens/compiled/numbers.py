"""How a state, and an action, is written down in short numbers.

A row is: whose turn it is, effects under way, meals there are; by player station and what is held (an item, or a
container as the number of items more); by item station, what is under it and status; by container station and whether
it is empty; by meal container and whether it boils; by effect type, object, station and count.

An item's station is `HELD`, or `GONE` for one in a meal, and under it is that meal. A boiling effect also has its pot
in its type.
"""

from __future__ import annotations

from typing import Any, Final

from planoracle.instances.kitchens.compiled import Compiled, State
from planoracle.instances.kitchens.domain import Action
from planoracle.instances.kitchens.effects import Grounded, Running, ground
from planoracle.instances.kitchens.kitchen import Atom
from planoracle.solver.kitchens.compiled.lookup import CONTAINERS, ITEMS, PLAYERS, ROOM, SOUPS, compiled
from planoracle.solver.kitchens.compiled.tables import STATUS, Names

__all__ = [
    "ACTIONS",
    "DEEDS",
    "EFFECTS",
    "GONE",
    "HEAD",
    "HELD",
    "KINDS",
    "MEALS",
    "TURN",
    "binding_of",
    "facts_of",
    "places",
    "row_of",
    "width",
]

TURN, EFFECTS, MEALS, HEAD = range(4)
HELD, GONE = -1, -2
#: Types of effects: being cut, and what follows from it; cooked, fried; a pot filled; from 5 on boiling in a pot.
KINDS: Final = ("cut", "cut", "cook", "fry", "fill-pot", "boil-water")
#: Actions by number, with the types of what is named in a deed beside the player and its station.
ACTIONS: Final = (
    *(("wait", ""), ("move", "s"), ("pick-up-item", "i"), ("place-item", "i"), ("stack", "ii"), ("unstack", "ii")),
    *(("pick-up-container", "c"), ("place-container", "c"), ("cut", "i"), ("cook", "i"), ("fry", "i")),
    *(("fill-pot", "c"), ("boil-water", "cm"), ("add-to", "icm"), ("fill-bowl", "ccm")),
)
#: A deed is the number of its action, and of up to three objects, each with so many possible values.
DEEDS: Final = 128


@compiled
def places(fixed: Any) -> tuple[int, int, int, int, int]:
    """Return where players, items, containers, meals and effects begin in a row."""
    items = HEAD + 2 * fixed[PLAYERS]
    containers = items + 3 * fixed[ITEMS]
    meals = containers + 2 * fixed[CONTAINERS]
    return HEAD, items, containers, meals, meals + 2 * fixed[SOUPS]


def width(fixed: Any) -> int:
    """Return how many numbers a row has."""
    many = 2 * fixed[PLAYERS] + 3 * fixed[ITEMS] + 2 * fixed[CONTAINERS] + 2 * fixed[SOUPS]
    return HEAD + many + 4 * fixed[ROOM]


def row_of(engine: Compiled, fixed: Any, names: Names, state: State) -> list[int] | None:
    """Write a state down; ``None`` for one that cannot be."""
    facts, running = engine.facts(state), engine.running(state)
    find = {name: n for listed in names for n, name in enumerate(listed)}
    there = engine.objects(state)
    meals = [name for name in names.meals if name in there]
    if len(running) > fixed[ROOM] or not find.keys() >= there.keys() or meals != list(names.meals[: len(meals)]):
        return None
    one: dict[Atom, str] = {}
    for atom in facts:
        if len(atom) == 3:
            key = atom[:2] if atom[0] != "atop" else ("atop", atom[1])
            if key in one:
                return None
            one[key] = atom[2]
    row = [names.players.index(engine.player(state)), len(running), len(meals)]
    for player in names.players:
        held = one.get(("has_item", player)), one.get(("has_container", player))
        if ("loc", player) not in one:
            return None
        row.append(find[one["loc", player]])
        row.append(-1 if held == (None, None) else find[held[0]] if held[0] else len(names.items) + find[held[1] or ""])
    for item in names.items:
        at, meal, under = one.get(("item_at", item)), one.get(("addedto", item)), one.get(("atop", item))
        row.append(find[at] if at else GONE if meal else HELD)
        row.append(find[meal] if meal else find[under] if under else -1)
        row.append(sum(bit for what, bit in STATUS.items() if (what, item) in facts))
    for container in names.containers:
        at = one.get(("container_at", container))
        row += [find[at] if at else HELD, int(("container_empty", container) in facts)]
    for meal in names.meals:
        at = one.get(("in", meal))
        if (at is None) == (meal in there):
            return None
        row += [find[at] if at else HELD, int(("isboiling", meal) in facts)]
    for each in running:
        numbers = _effect(engine, names, find, each)
        if numbers is None:
            return None
        row += numbers
    row += [0] * (width(fixed) - len(row))
    changing = engine.kitchen.domain.changing
    told = facts_of(fixed, names, row)
    return row if told == {atom for atom in facts if atom[0] in changing and atom[0] != "iswater"} else None


def facts_of(fixed: Any, names: Names, row: list[int]) -> set[Atom]:
    """Return the changing facts of a row, but for which meals are water: all are."""
    facts: set[Atom] = set()
    at = HEAD
    vacant, empty, clear = set(names.stations), set(names.stations), set(names.items)
    for player in names.players:
        station, held = names.stations[row[at]], row[at + 1]
        vacant.discard(station)
        facts.add(("loc", player, station))
        if held < 0:
            facts.add(("nothing", player))
        elif held < fixed[ITEMS]:
            facts.add(("has_item", player, names.items[held]))
            clear.discard(names.items[held])
        else:
            facts.add(("has_container", player, names.containers[held - fixed[ITEMS]]))
        at += 2
    for item in names.items:
        place, under, status = row[at : at + 3]
        if place >= 0:
            facts.add(("item_at", item, names.stations[place]))
            facts.add(("item_on", item, names.stations[place]) if under < 0 else ("atop", item, names.items[under]))
            empty.discard(names.stations[place])
        if place == GONE:
            facts.add(("addedto", item, names.meals[under]))
            clear.discard(item)
        if place >= 0 and under >= 0:
            clear.discard(names.items[under])
        facts |= {(what, item) for what, bit in STATUS.items() if status & bit}
        at += 3
    for container in names.containers:
        if row[at] >= 0:
            facts.add(("container_at", container, names.stations[row[at]]))
            empty.discard(names.stations[row[at]])
        if row[at + 1]:
            facts.add(("container_empty", container))
        at += 2
    for meal in names.meals:
        if row[at] >= 0:
            facts.add(("in", meal, names.containers[row[at]]))
        if row[at + 1]:
            facts.add(("isboiling", meal))
        at += 2
    facts |= {("vacant", name) for name in vacant} | {("station_empty", name) for name in empty}
    return facts | {("clear", name) for name in clear}


def _effect(engine: Compiled, names: Names, find: dict[str, int], running: Running) -> list[int] | None:
    """Write an effect down."""
    inner = running
    while inner.nested:
        inner = inner.nested[0]
    if inner.effect.creates is not None:
        inner = running.nested[0]
    name = running.effect.argument
    parts = {part for atom, _ in running.effect.conditions for part in atom[1:]}
    station = next((find[part] for part in sorted(parts) if part in names.stations), 0)
    pot = next((part for part in sorted(parts) if part in names.containers), "")
    for kind, action in enumerate(KINDS):
        meant = _meant(engine, kind, action, name, names.stations[station], pot)
        if meant == running.effect:
            done = inner.count if kind != 1 else int(running.done)
            return [kind if kind < 5 else kind + find[pot], find[name], station if kind > 1 else 0, done]
    return None


def _meant(engine: Compiled, kind: int, action: str, name: str, station: str, pot: str) -> Grounded | None:
    """Return the effect of a type on particular objects, ``None`` if the object is of another type."""
    found = next(each for each in engine.kitchen.domain.actions if each.name == action)
    effect = found.effects[1 if kind == 1 else 0]
    types = dict(found.params)
    binding = {param: pot if its == "container" else station for param, its in found.params}
    if engine.kitchen.types.get(name, "meal") != types[effect.param]:
        return None
    return ground(effect, binding | {effect.param: name})


def binding_of(action: Action, fixed: Any, names: Names, row: Any, deed: int) -> dict[str, str]:
    """Return which objects are meant by the parameters of a deed's action, in the state before it."""
    code, rest = deed % 16, deed // 16
    lists = {"s": names.stations, "i": names.items, "c": names.containers, "m": names.meals}
    found = []
    for letter in ACTIONS[code][1]:
        rest, number = divmod(rest, DEEDS)
        found.append(lists[letter][number])
    at = HEAD + 2 * int(row[TURN])
    here, player = names.stations[int(row[at])], names.players[int(row[TURN])]
    named = {"player": [player], "station": [here], "item": [], "container": [], "meal": []}
    for letter, name in zip(ACTIONS[code][1], found, strict=True):
        named[{"s": "station", "i": "item", "c": "container", "m": "meal"}[letter]].append(name)
    assert action.name == ACTIONS[code][0]
    return {param: named[its].pop(0) if named[its] else "" for param, its in action.params}
