"""Where things are in a kitchen, and the facts that follow from it (and the other way round)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

from planoracle.instances.benchmarks.kitchens.domain import ACTOR, KitchenDomain
from planoracle.instances.benchmarks.kitchens.kitchen import Atom, Kitchen, natural, split_name
from planoracle.instances.errors import InputError

#: The predicates that say where things are; the simulator builds them into every kitchen.
_PLACES = (
    *("loc", "vacant", "item_at", "item_on", "atop", "clear", "container_at", "station_empty"),
    *("has_item", "has_container", "nothing", "in", "container_empty"),
)


@dataclass(slots=True)
class KitchenLayout:
    """Where things are.

    Attributes
    ----------
    stations
        What is on each station: items in the order of their stack, from the bottom, and containers.
    players
        Where each player stands and what it holds, if anything; in the order in which they act.
    containers
        The meals in each container.
    traits
        Further predicates of single objects.
    elsewhere
        Objects that are nowhere.
    """

    stations: dict[str, list[str]] = field(default_factory=dict)
    players: dict[str, tuple[str | None, str | None]] = field(default_factory=dict)
    containers: dict[str, list[str]] = field(default_factory=dict)
    traits: dict[str, list[str]] = field(default_factory=dict)
    elsewhere: list[str] = field(default_factory=list)

    def objects(self) -> list[str]:
        """Names of all objects, each once."""
        things = (
            *self.stations,
            *(thing for stack in self.stations.values() for thing in stack),
            *self.players,
            *(held for _, held in self.players.values() if held is not None),
            *self.containers,
            *(meal for meals in self.containers.values() for meal in meals),
            *self.elsewhere,
        )
        return list(dict.fromkeys(things))

    def facts(self, domain: KitchenDomain) -> set[Atom]:
        """Work out the facts; raises `InputError` for things that cannot be where they are said to be.

        A station is empty without item and container, and vacant without a player; the topmost item of a stack is
        clear; an item in somebody's hand is neither at a station nor clear.
        """
        for predicate in _PLACES:
            if predicate not in domain.signature:
                raise InputError("the domain lacks a predicate that says where things are", value=predicate)
        types = {name: domain.type_of(split_name(name)[0]) for name in self.objects()}
        found: set[Atom] = {(trait, name) for name, traits in self.traits.items() for trait in traits}
        taken = {at for at, _ in self.players.values()}
        for station, things in self.stations.items():
            if station not in taken:
                found.add(("vacant", station))
            if not things:
                found.add(("station_empty", station))
            items = [thing for thing in things if types[thing] == "item"]
            for thing in things:
                found.add(("item_at" if types[thing] == "item" else "container_at", thing, station))
            if items:
                found |= {("item_on", items[0], station), ("clear", items[-1])}
                found |= {("atop", upper, lower) for lower, upper in pairwise(items)}
        for player, (at, held) in self.players.items():
            if at is not None:
                found.add(("loc", player, at))
            if held is None:
                found.add(("nothing", player))
            else:
                found.add(("has_item" if types[held] == "item" else "has_container", player, held))
        for container in (name for name, kind in types.items() if kind == "container"):
            meals = self.containers.get(container, [])
            found |= {("in", meal, container) for meal in meals} or {("container_empty", container)}
        return found


def places(objects: Iterable[tuple[str, str]], facts: Iterable[Atom]) -> KitchenLayout:
    """Return a layout without traits, of objects with their types, in their order."""
    listed = tuple(objects)
    by_predicate: dict[str, list[Atom]] = {}
    said = (fact for fact in facts if fact[0] in _PLACES and len(fact) == 3)
    for fact in sorted(said, key=lambda atom: [natural(part) for part in atom]):
        by_predicate.setdefault(fact[0], []).append(fact[1:])
    layout = KitchenLayout()
    placed: set[str] = set()

    def once(things: Iterable[str]) -> list[str]:
        """Keep what has no place yet: a layout knows one for each."""
        kept = [thing for thing in things if thing not in placed]
        placed.update(kept)
        return kept

    for player in (name for name, kind in listed if kind == ACTOR):
        at = next((where for who, where in by_predicate.get("loc", ()) if who == player), None)
        hands = (*by_predicate.get("has_item", ()), *by_predicate.get("has_container", ()))
        held = once(thing for who, thing in hands if who == player)
        layout.players[player] = (at, held[0] if held else None)
        placed.difference_update(held[1:])
    lower = {pair[0]: pair[1] for pair in by_predicate.get("atop", ())}
    for station in (name for name, kind in listed if kind == "station"):
        items = once(item for item, where in by_predicate.get("item_at", ()) if where == station)
        there = once(thing for thing, where in by_predicate.get("container_at", ()) if where == station)
        layout.stations[station] = sorted(items, key=lambda item: _height(item, lower)) + there
    for container in (name for name, kind in listed if kind == "container"):
        meals = once(meal for meal, where in by_predicate.get("in", ()) if where == container)
        if meals:
            layout.containers[container] = meals
    placed.update(layout.stations, layout.players)
    layout.elsewhere = [name for name, _ in listed if name not in placed]
    return layout


def layout_of(kitchen: Kitchen) -> tuple[KitchenLayout, set[Atom], set[Atom]]:
    """Return a layout, and the facts of the kitchen that it lacks and those that it has too many.

    For kitchens as the simulator makes them both are empty.
    """
    layout = places(kitchen.objects, kitchen.facts)
    for fact in sorted(kitchen.facts):
        own = fact[0] == f"is{split_name(fact[1])[0]}" if len(fact) == 2 else True
        if not own and fact[0] not in _PLACES:
            layout.traits.setdefault(fact[1], []).append(fact[0])
    layout.traits = {name: layout.traits[name] for name in sorted(layout.traits, key=natural)}
    derived = layout.facts(kitchen.domain) | {(f"is{split_name(name)[0]}", name) for name in kitchen.types}
    return layout, set(kitchen.facts) - derived, derived - kitchen.facts


def _height(item: str, lower: dict[str, str]) -> int:
    height = 0
    while item in lower and height < len(lower):
        item = lower[item]
        height += 1
    return height
