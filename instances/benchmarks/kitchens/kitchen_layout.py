"""Layout of a kitchen: positions of things, and the facts that follow from them (and back)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

from planoracle.instances.benchmarks.kitchens.domain import ACTOR, KitchenDomain
from planoracle.instances.benchmarks.kitchens.kitchen import Atom, Kitchen, natural, split_name

#: The predicates that say where things are; the simulator builds them into every kitchen.
_PLACES = (
    *("loc", "vacant", "item_at", "item_on", "atop", "clear", "container_at", "station_empty"),
    *("has_item", "has_container", "nothing", "in", "container_empty"),
)


@dataclass(slots=True)
class KitchenLayout:
    """Positions of things.

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
    unplaced
        Objects that are nowhere.
    """

    stations: dict[str, list[str]] = field(default_factory=dict)
    players: dict[str, tuple[str | None, str | None]] = field(default_factory=dict)
    containers: dict[str, list[str]] = field(default_factory=dict)
    traits: dict[str, list[str]] = field(default_factory=dict)
    unplaced: list[str] = field(default_factory=list)

    def objects(self) -> list[str]:
        """Names of all objects, each once."""
        things = (
            *self.stations,
            *(thing for stack in self.stations.values() for thing in stack),
            *self.players,
            *(in_hand for _, in_hand in self.players.values() if in_hand is not None),
            *self.containers,
            *(meal for meals in self.containers.values() for meal in meals),
            *self.unplaced,
        )
        return list(dict.fromkeys(things))

    def facts(self, domain: KitchenDomain) -> set[Atom]:
        """Work out the facts.

        A station is empty without item and container, and vacant without a player; the topmost item of a stack is
        clear; an item in somebody's hand is neither at a station nor clear.
        """
        types = {name: domain.type_of(split_name(name)[0]) for name in self.objects()}
        atoms: set[Atom] = {(trait, name) for name, traits in self.traits.items() for trait in traits}
        occupied = {at for at, _ in self.players.values()}
        for station, things in self.stations.items():
            if station not in occupied:
                atoms.add(("vacant", station))
            if not things:
                atoms.add(("station_empty", station))
            items = [thing for thing in things if types[thing] == "item"]
            for thing in things:
                atoms.add(("item_at" if types[thing] == "item" else "container_at", thing, station))
            if items:
                atoms |= {("item_on", items[0], station), ("clear", items[-1])}
                atoms |= {("atop", upper, lower) for lower, upper in pairwise(items)}
        for player, (at, in_hand) in self.players.items():
            if at is not None:
                atoms.add(("loc", player, at))
            if in_hand is None:
                atoms.add(("nothing", player))
            else:
                atoms.add(("has_item" if types[in_hand] == "item" else "has_container", player, in_hand))
        for container in (name for name, kind in types.items() if kind == "container"):
            meals = self.containers.get(container, [])
            atoms |= {("in", meal, container) for meal in meals} or {("container_empty", container)}
        return atoms


def places(objects: Iterable[tuple[str, str]], facts: Iterable[Atom]) -> KitchenLayout:
    """Return a layout without traits, of objects with their types, in their order."""
    listed = tuple(objects)
    by_predicate: dict[str, list[Atom]] = {}
    placing = (fact for fact in facts if fact[0] in _PLACES and len(fact) == 3)
    for fact in sorted(placing, key=lambda atom: [natural(part) for part in atom]):
        by_predicate.setdefault(fact[0], []).append(fact[1:])
    layout = KitchenLayout()
    placed: set[str] = set()

    def once(things: Iterable[str]) -> list[str]:
        """Keep what has no place yet: a layout knows one for each."""
        remaining = [thing for thing in things if thing not in placed]
        placed.update(remaining)
        return remaining

    for player in (name for name, kind in listed if kind == ACTOR):
        at = next((place for holder, place in by_predicate.get("loc", ()) if holder == player), None)
        hands = (*by_predicate.get("has_item", ()), *by_predicate.get("has_container", ()))
        in_hand = once(thing for holder, thing in hands if holder == player)
        layout.players[player] = (at, in_hand[0] if in_hand else None)
        placed.difference_update(in_hand[1:])
    lower = {pair[0]: pair[1] for pair in by_predicate.get("atop", ())}
    for station in (name for name, kind in listed if kind == "station"):
        items = once(item for item, place in by_predicate.get("item_at", ()) if place == station)
        containers = once(thing for thing, place in by_predicate.get("container_at", ()) if place == station)
        layout.stations[station] = sorted(items, key=lambda item: _height(item, lower)) + containers
    for container in (name for name, kind in listed if kind == "container"):
        meals = once(meal for meal, place in by_predicate.get("in", ()) if place == container)
        if meals:
            layout.containers[container] = meals
    placed.update(layout.stations, layout.players)
    layout.unplaced = [name for name, _ in listed if name not in placed]
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
