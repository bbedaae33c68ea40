"""Tiny kitchens at random, to hold a planner against a blind search."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Final

from planoracle.instances.kitchens.compiled import Compiled, State
from planoracle.instances.kitchens.dishes import RAW
from planoracle.instances.kitchens.domain import ACTOR, OWN, domain_for
from planoracle.instances.kitchens.kitchen import Atom, Goal, Kitchen, split_name
from planoracle.instances.kitchens.layout import Layout
from planoracle.instances.kitchens.variants import Floor, check_range, new_name
from planoracle.instances.rng import below, chance, one, shuffled, weighted
from tests.support.kitchen_rules import goal_reached

__all__ = ["random_kitchen", "random_piles"]

#: Themes of tiny kitchens: stations beside tables, things of which some are taken, and up to how many things they are
#: small enough to be searched in vain.
_THEMES: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...], int]]] = {
    "stack": ((), ("bread", "bread", "cheese", "bottombun", "topbun"), 3),
    "cut": (("board",), ("lettuce", "onion", "lettuce", "bread"), 2),
    "cook": (("stove",), ("patty", "chicken", "patty", "bread"), 2),
    "fry": (("fryer", "board"), ("potato", "chicken", "onion", "bread"), 1),
    "prepare": (("stove", "board"), ("patty", "lettuce", "chicken", "bread"), 2),
    "soup": (("sink", "stove"), ("pot", "onion", "bowl", "potato"), 3),
}
#: What somebody on a random walk likes to do, by the action's name; and what actions are for: done once, they are dull.
_LIKING: Final = {"wait": 1, "move": 3, "place-item": 3, "place-container": 3, "pick-up-item": 4, "unstack": 3}
_DOING: Final = 20
_FOR: Final = {"cut": "iscut", "cook": "iscooked", "fry": "isfried", "boil-water": "isboiling"}
#: Predicates that goals of tiny kitchens are made of, and how often.
_GOALS: Final = {
    predicate: weight
    for weight, predicates in (
        (20, "isfried"),
        (12, "iscut iscooked isboiling addedto"),
        (9, "in"),
        (4, "atop"),
        (3, "item_on item_at container_at"),
        (2, "clear"),
        (1, "has_item has_container loc station_empty"),
    )
    for predicate in predicates.split()
}
#: What piles are made of, and what holds none.
_PILED: Final = ("bread", "bread", "cheese", "lettuce", "onion", "lettuce")
#: Random walks are at most so long.
_STEPS: Final = 12
#: Of so many random walks the one that has brought about most counts.
_STROLLS: Final = 4


def random_kitchen(seed: int, size: int = 3, players: int = 1) -> Kitchen:
    """Return a tiny kitchen, small enough to be searched blindly.

    It has 2 to 4 stations and is about stacking, cutting, cooking, frying or pots. Its goal is what somebody has come
    to in a random walk of at most 12 steps (of all players together), so that no more are needed; but in kitchens with
    few states, some goals ask for something more, which may take longer or be impossible.

    Parameters
    ----------
    seed
        0 or more.
    size
        Number of items and containers, 1 to 4.
    players
        1 or more; there is a station more for each that is more.
    """
    check_range("seed", seed, 0)
    check_range("size", size, 1, 4)
    check_range("players", players, 1)
    random = Random(seed)
    theme = one(random, list(_THEMES))
    kitchen = _bare(random, theme, size, players)
    engine = Compiled(kitchen)
    ends = [_stroll(random, engine) for _ in range(_STROLLS)]
    state = max(ends, key=lambda end: sum(_GOALS.get(fact[0], 0) for fact in engine.facts(end) - kitchen.facts))
    conditions = _goal(random, engine, state)
    roles = []
    if size + players - 1 <= _THEMES[theme][2] and chance(random, 20):
        if chance(random, 15):
            roles.append(f"{one(random, ('bread', 'water', 'lettuce'))}#9")
        else:
            conditions.append(_demand(random, kitchen))
    goal = Goal.of(conditions, roles)
    return Kitchen.of(f"random/{size}/{players}@{seed}", kitchen.domain, kitchen.types, kitchen.facts, goal)


def random_piles(seed: int, players: int = 1) -> Kitchen:
    """Return a kitchen of two or three tables whose goal is one pile or two, each of chains and of loose things.

    Perhaps there are a board and something to be cut, and a bowl that must stand somewhere. Whether the goal can be
    reached is open.
    """
    check_range("seed", seed, 0)
    random = Random(seed)
    layout, taken = Layout(), set[str]()
    tables = [new_name("table", taken) for _ in range(2 + chance(random, 40))]
    boards = [new_name("board", taken)] if chance(random, 40) else []
    bowls = [new_name("bowl", taken)] if chance(random, 25) else []
    layout.stations = {station: [] for station in (*tables, *boards)}
    layout.stations.update({new_name("table", taken): [bowl] for bowl in bowls})
    items = [new_name(kind, taken) for kind in shuffled(random, _PILED)[: 3 + (players == 1 and chance(random, 60))]]
    for item in items:
        layout.stations[one(random, tables)].append(item)
        if boards and chance(random, 40):
            layout.traits[item] = ["iscuttable"]
    roles = {name: _role(random, name) for name in (*items, *layout.stations, *bowls)}
    goal = [("iscut", roles[item]) for item in layout.traits if chance(random, 60)]
    goal += [("container_at", roles[bowl], roles[one(random, tables)]) for bowl in bowls]
    lower: dict[str, str] = {}
    for item in shuffled(random, items):
        table = tables[chance(random, 40)]
        chained = chance(random, 50)
        if not chained:
            goal.append(("item_at", roles[item], roles[table]))
        elif table in lower:
            goal.append(("atop", roles[item], roles[lower[table]]))
        else:
            goal.append(("item_on", roles[item], roles[table]))
        if chained or chance(random, 50):
            lower[table] = item
    goal += [("clear", roles[item]) for item in lower.values() if chance(random, 30)]
    free = shuffled(random, layout.stations)
    layout.players = {f"robot{n + 1}": (free[n], None) for n in range(players)}
    domain = domain_for(OWN)
    name = f"piles/{players}@{seed}"
    return Kitchen.of(name, domain, layout.objects(), layout.facts(domain), Goal.of(goal))


def _role(random: Random, name: str) -> str:
    kind, number = split_name(name)
    return name if chance(random, 30) else f"{kind}#{number}"


def _bare(random: Random, theme: str, size: int, players: int) -> Kitchen:
    """Return a tiny kitchen without a goal."""
    special, kinds, _ = _THEMES[theme]
    layout, taken = Layout(), set[str]()
    tables = 1 + (len(special) < 2) + (size < 4 and chance(random, 50)) + players - 1
    for kind in (*special, *["table"] * tables):
        layout.stations[new_name(kind, taken)] = []
    floor = Floor(random, layout, domain_for(OWN), list(layout.stations))
    chosen = shuffled(random, kinds)[:size]
    if theme == "soup" and "pot" not in chosen:
        chosen[0] = "pot"
    for kind in chosen:
        name = new_name(kind, taken)
        ready = [station for station in floor.open[: len(special)] if not layout.stations[station]]
        if ready and chance(random, 80 if kind == "pot" else 45):
            layout.stations[one(random, ready)].append(name)
        else:
            floor.put(name)
        traits = [*RAW.get(kind, ())]
        if "iscuttable" in traits and chance(random, 15):
            traits.append("isfryable")  # until a knife touches it
        for raw, done in (("iscuttable", "iscut"), ("iscookable", "iscooked")):
            if raw in traits and chance(random, 10):
                traits.append(done)
        if traits:
            layout.traits[name] = traits
    return _staffed(random, layout, players)


def _staffed(random: Random, layout: Layout, players: int) -> Kitchen:
    """Add players, perhaps with something in their hands, and perhaps water in a pot."""
    free = shuffled(random, layout.stations)
    if chance(random, 50):
        free.sort(key=lambda station: split_name(station)[0] == "table")
    for number in range(players):
        held = None
        full = [station for station, things in layout.stations.items() if things]
        if full and chance(random, 15):
            held = layout.stations[one(random, full)].pop()
        layout.players[f"robot{number + 1}"] = (free[number], held)
    if "pot1" in layout.objects() and chance(random, 70):
        layout.containers["pot1"] = ["water1"]
        if chance(random, 30):
            layout.traits["water1"] = ["isboiling"]
    domain = domain_for(OWN)
    return Kitchen.of("", domain, layout.objects(), layout.facts(domain), Goal.of([]))


def _stroll(random: Random, engine: Compiled) -> State:
    """Walk at random; rather do something than nothing, and nothing in vain."""
    state = engine.start()
    seen = {state}
    for _ in range(4 + below(random, _STEPS - 3) if chance(random, 50) else _STEPS):
        options = {number: engine.step(state, number) for number in engine.legal(state)}
        liking = {number: _liking(engine, state, number) for number, after in options.items() if after not in seen}
        if not liking:
            break
        state = options[weighted(random, liking)]
        seen.add(state)
    return state


def _liking(engine: Compiled, state: State, number: int) -> int:
    deed = engine.deeds[number]
    name = engine.kitchen.domain.actions[deed.position].name
    if name == "wait" and state[1]:
        return 3
    facts = engine.facts(state)
    done = any((_FOR.get(name), each) in facts for each in deed.arguments)
    return 1 if done else _LIKING.get(name, _DOING)


def _goal(random: Random, engine: Compiled, state: State) -> list[Atom]:
    """Choose conditions that hold in a state, of those that have become true rather than those that always were."""
    kitchen = engine.kitchen
    least = 1 if chance(random, 20) else 2
    there = {fact for fact in engine.facts(state) if _GOALS.get(fact[0], 0) >= least}
    fresh = there - kitchen.facts
    weights = {fact: _GOALS[fact[0]] for fact in sorted(fresh)}
    roles: dict[str, str] = {}
    found: list[Atom] = []
    wanted = 1 + below(random, 4)
    while weights and (len(found) < wanted or goal_reached(replace(kitchen, goal=Goal.of(found)), kitchen.facts)):
        fact = weighted(random, weights)
        del weights[fact]
        found.append(_abstract(random, fact, kitchen, roles))
    if not found and there:  # a goal that is true already
        found = [_abstract(random, one(random, sorted(there)), kitchen, roles)]
    return found


def _abstract(random: Random, atom: Atom, kitchen: Kitchen, roles: dict[str, str]) -> Atom:
    """Put roles for most of the objects, the same one wherever an object occurs."""
    for name in atom[1:]:
        kind, number = split_name(name)
        named = name in kitchen.types and (kitchen.types[name] == ACTOR or chance(random, 15))
        roles.setdefault(name, name if named else f"{kind}#{number}")
    return (atom[0], *(roles[name] for name in atom[1:]))


def _demand(random: Random, kitchen: Kitchen) -> Atom:
    """Return a condition that may be hard, or impossible, to have as well."""
    stations = [name for name, its_type in kitchen.objects if its_type == "station"]
    demands: list[Atom] = [("loc", "robot1", one(random, stations)), ("vacant", one(random, stations))]
    items = [name for name, its_type in kitchen.objects if its_type == "item"]
    if items:
        item = one(random, items)
        kind, number = split_name(item)
        demands += [(predicate, item) for predicate in ("iscut", "iscooked", "isfried", "clear")]
        demands += [("item_on", item, one(random, stations)), ("item_at", f"{kind}#{number + 1}", "table#1")]
        demands.append(("atop", f"{kind}#{number + 1}", f"{kind}#{number}"))
    return one(random, demands)
