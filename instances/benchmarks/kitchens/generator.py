"""Random kitchens: new dishes of Robotouille's kinds of food, in new kitchens."""

from __future__ import annotations

from random import Random
from typing import Final

from planoracle.instances.benchmarks.kitchens.domain import OWN, domain_for
from planoracle.instances.benchmarks.kitchens.kitchen import Goal, Kitchen
from planoracle.instances.benchmarks.kitchens.kitchen_layout import RAW, KitchenLayout, VariantLayout, new_name, served
from planoracle.instances.generate.parameters import Parameters, one, shuffled
from planoracle.instances.generate.random_network import sample_share
from planoracle.instances.protocol.capabilities import Generator

#: Parts of a dish that are ready at once, and those that take time on a station, with the stations they need.
_QUICK: Final = {"cheese": (), "cut lettuce": ("board",), "cut tomato": ("board",), "cut onion": ("board",)}
_SLOW: Final = {
    "cooked patty": ("stove",),
    "cooked chicken": ("stove",),
    "fried chicken": ("fryer",),
    "cut fried potato": ("board", "fryer"),
    "cut fried onion": ("board", "fryer"),
}


def generate(random: Random, parameters: Parameters, name: str) -> tuple[Kitchen, None]:
    """Return a kitchen; every dish is a sandwich, in any or a fixed order, on a separate table.

    ``tasks`` is the number of dishes, ``actions`` the number of parts between the slices of bread, ``parallelism``
    the share of them that cook or fry (and go on without a cook), ``agents`` the number of players. There is one
    station of each kind that is needed, and a table for every dish, every player and every two things. The kitchen can
    be solved: nothing in it is locked away or used up by accident. The text of the goal is the dishes in words.
    """
    parts = parameters.tasks * (parameters.actions or 3)
    slow = sample_share(random, parts, parameters.parallelism)
    picked = [one(random, list(_SLOW if i in slow else _QUICK)) for i in range(parts)]
    needed: dict[str, None] = {}
    for part in picked:
        needed |= dict.fromkeys((_SLOW | _QUICK)[part])
    dishes = []
    parts_of_dish = parts // parameters.tasks
    for first in range(0, parts, parts_of_dish):
        separator = one(random, (", ", " / "))
        dishes.append(separator.join(["bread", *picked[first : first + parts_of_dish], "bread"]))
    layout, names = KitchenLayout(), set[str]()
    kinds = [part.split()[-1] for part in picked] + ["bread"] * (2 * parameters.tasks)
    tables = parameters.tasks + parameters.agents + (len(kinds) + 1) // 2
    for kind in shuffled(random, (*needed, *["table"] * tables)):
        layout.stations[new_name(kind, names)] = []
    placement = VariantLayout(random, layout, spare=parameters.tasks)
    for kind in shuffled(random, kinds):
        thing = new_name(kind, names)
        placement.put(thing)
        if RAW[kind]:
            layout.traits[thing] = list(RAW[kind])
    start_stations = shuffled(random, layout.stations)[: parameters.agents]
    for number, station in enumerate(start_stations, 1):
        layout.players[f"robot{number}"] = (station, None)
    domain = domain_for(OWN)
    text = "; ".join(f"a stack of {dish}" for dish in dishes)
    goal = Goal.of(served(dishes))
    return Kitchen.of(name, domain, layout.objects(), layout.facts(domain), goal, text), None


def style() -> Generator:
    """Return how such problems are made; usual is one sandwich with three parts, one cooked or fried."""
    usual = Parameters(tasks=1, actions=3, parallelism=0.33)
    return Generator(("tasks", "actions", "parallelism", "agents"), usual, generate)
