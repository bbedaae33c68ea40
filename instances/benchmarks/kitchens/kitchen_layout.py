"""Layouts of kitchens: positions of things and their facts, variants, more cooks, goals of dishes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import count, pairwise
from random import Random
from typing import Final

from planoracle.instances.benchmarks.kitchens.domain import ACTOR, KitchenDomain, bundled
from planoracle.instances.benchmarks.kitchens.kitchen import Atom, Kitchen, atom_rank, natural, split_name
from planoracle.instances.errors import InputError
from planoracle.instances.generate.parameters import below, chance, one, shuffled, weighted

#: Predicates of positions, which every kitchen of the simulator has.
PLACES = (
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
        names = list(self.stations)
        for things in self.stations.values():
            names += things
        names += self.players
        names += [in_hand for _, in_hand in self.players.values() if in_hand is not None]
        names += self.containers
        for meals in self.containers.values():
            names += meals
        names += self.unplaced
        return list(dict.fromkeys(names))

    def facts(self, domain: KitchenDomain) -> set[Atom]:
        """Work out the facts.

        A station is empty without item and container, and vacant without a player; the topmost item of a stack is
        clear; an item in somebody's hand is neither at a station nor clear.
        """
        types = {name: domain.type_of(split_name(name)[0]) for name in self.objects()}
        atoms: set[Atom] = set()
        for name, traits in self.traits.items():
            atoms.update((trait, name) for trait in traits)
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
    placing = (fact for fact in facts if fact[0] in PLACES and len(fact) == 3)
    for fact in sorted(placing, key=atom_rank):
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
        is_trait = len(fact) == 2 and fact[0] != f"is{split_name(fact[1])[0]}"
        if is_trait and fact[0] not in PLACES:
            layout.traits.setdefault(fact[1], []).append(fact[0])
    layout.traits = {name: layout.traits[name] for name in sorted(layout.traits, key=natural)}
    derived = layout.facts(kitchen.domain)
    derived.update((f"is{split_name(name)[0]}", name) for name in kitchen.types)
    return layout, set(kitchen.facts) - derived, derived - kitchen.facts


def _height(item: str, lower: dict[str, str]) -> int:
    height = 0
    while item in lower and height < len(lower):
        item = lower[item]
        height += 1
    return height


#: Weights of the kinds of random stations.
_STATIONS: Final = {"table": 4, "board": 1, "stove": 1, "fryer": 1, "sink": 1}
#: Percentage of items that stand alone if a station is free.
_SHARE_ALONE: Final = 75


@dataclass(slots=True)
class VariantLayout:
    """Puts things to the stations of a layout, and keeps ``spare`` of them empty."""

    random: Random
    layout: KitchenLayout
    spare: int
    domain: KitchenDomain = field(default_factory=bundled)

    def put(self, thing: str) -> None:
        """Put a container on an empty station, an item there or on a stack; else on any station."""
        stations = self.layout.stations
        empty = [station for station, things in stations.items() if not things]
        occupied = [station for station, things in stations.items() if things]
        if len(empty) <= self.spare:
            empty = []
        options = empty
        if not is_container(thing, self.domain):
            stacks = [station for station in occupied if not self._has_container(station)]
            is_alone = chance(self.random, _SHARE_ALONE)
            options = empty or stacks if is_alone else stacks or empty
        station = one(self.random, options or occupied or list(stations))
        stations[station].append(thing)

    def _has_container(self, station: str) -> bool:
        return any(is_container(thing, self.domain) for thing in self.layout.stations[station])


def is_container(thing: str, domain: KitchenDomain) -> bool:
    """Return whether a thing is a container, which needs a station to itself."""
    return domain.type_of(split_name(thing)[0]) == "container"


def variant(kitchen: Kitchen, seed: int) -> Kitchen:
    """Return a bundled kitchen with the same goal in which other things stand elsewhere.

    What lies and stands on the stations is spread anew, and the players start anywhere, each at a station of its own.
    What they hold, what things are like (cut, cooked) and what containers hold stays as it is, and so does everything
    the goal names. If a station was empty, one is. There are up to three more stations, half of them tables, and up to
    two more items, raw unless there are others of the kind, which they then are like.

    Parameters
    ----------
    kitchen
        Kitchen whose facts all follow from its layout.
    seed
        0 or more.

    Examples
    --------
    >>> from planoracle.instances.benchmarks.kitchens.problems import kitchen
    >>> made = variant(kitchen("kitchens/synchronous/3_burger"), 1)
    >>> made.name, len(made.objects)
    ('kitchens/synchronous/3_burger@1', 9)
    """
    random = Random(seed)
    layout, _, _ = layout_of(kitchen)
    names = set(kitchen.types)
    loose: list[str] = []
    for things in layout.stations.values():
        loose += things
    domain = kitchen.domain
    placement = VariantLayout(random, layout, int(not all(layout.stations.values())), domain)
    layout.stations = {station: [] for station in layout.stations}
    for _ in range(below(random, 4)):
        weights = {kind: weight for kind, weight in _STATIONS.items() if domain.type_of(kind) == "station"}
        layout.stations[new_name(weighted(random, weights), names)] = []
    for _ in range(below(random, 3)):
        kinds = [kind for kind in RAW if domain.type_of(kind) == "item"]
        name = new_name(one(random, kinds), names)
        loose.append(name)
        kind = split_name(name)[0]
        twin = next((thing for thing, _ in kitchen.objects if split_name(thing)[0] == kind), None)
        raw_traits = [trait for trait in RAW[kind] if domain.signature.get(trait) == ("item",)]
        layout.traits[name] = raw_traits if twin is None else list(layout.traits.get(twin, ()))
    containers_first = sorted(shuffled(random, loose), key=lambda thing: is_container(thing, domain), reverse=True)
    for thing in containers_first:
        placement.put(thing)
    for player, station in zip(layout.players, shuffled(random, layout.stations), strict=False):
        layout.players[player] = (station, layout.players[player][1])
    facts = layout.facts(domain)
    return Kitchen.of(f"{kitchen.name}@{seed}", domain, layout.objects(), facts, kitchen.goal, kitchen.text)


def new_name(kind: str, names: set[str]) -> str:
    """Return the next free name of a kind, and take it."""
    name = next(name for number in count(1) if (name := f"{kind}{number}") not in names)
    names.add(name)
    return name


def with_cooks(kitchen: Kitchen, count: int) -> Kitchen:
    """Return the same kitchen with ``count`` cooks.

    Present cooks do not move. New cooks start with empty hands at vacant stations: empty stations before others, in the
    order of the kitchen.

    Raises
    ------
    InputError
        If the kitchen has more cooks, or too few stations.

    Examples
    --------
    >>> from planoracle.instances.benchmarks.kitchens.problems import kitchen
    >>> with_cooks(kitchen("kitchens/synchronous/3_burger"), 2).players
    ('robot1', 'robot2')
    """
    current = len(kitchen.players)
    if count < current:
        raise InputError(f"must be at least {current}", field=f"{kitchen.name}: cooks", value=count)
    layout, more, less = layout_of(kitchen)
    vacant = [station for station in layout.stations if ("vacant", station) in kitchen.facts]
    free = sorted(vacant, key=lambda station: bool(layout.stations[station]))
    if count - current > len(free):
        raise InputError(f"must be at most {current + len(free)}", field=f"{kitchen.name}: cooks", value=count)
    names = set(kitchen.types)
    kind = kitchen.players[0].rstrip("0123456789")
    for station in free[: count - current]:
        layout.players[new_name(kind, names)] = (station, None)
    facts = (layout.facts(kitchen.domain) | more) - less
    changed = Kitchen.of(kitchen.name, kitchen.domain, layout.objects(), facts, kitchen.goal, kitchen.text)
    return replace(changed, name=f"{kitchen.name}~{count}")


#: Words for preparations of a part of a dish, and their predicates.
PREPARED: Final = {"cut": "iscut", "cooked": "iscooked", "fried": "isfried"}
#: Predicates of raw food, by kind.
RAW: Final[dict[str, tuple[str, ...]]] = {
    "bread": (),
    "bottombun": (),
    "topbun": (),
    "cheese": (),
    "lettuce": ("iscuttable",),
    "tomato": ("iscuttable",),
    "onion": ("iscuttable", "isfryableifcut"),
    "potato": ("iscuttable", "isfryableifcut"),
    "patty": ("iscookable",),
    "chicken": ("iscookable", "isfryable"),
}
_SOUP: Final = "soup:"


def served(dishes: Iterable[str]) -> list[Atom]:
    """Return the conditions of a goal for dishes, each on a separate table.

    Parameters
    ----------
    dishes
        ``"bread, cut lettuce, cooked chicken, bread"``: the first part lies on the table, the last is on top, the parts
        between them are in any order. ``"bread / cheese / bread"``: exactly this order. ``"cut fried potato"``: one
        thing, on the table. ``"soup: potato, cut onion"``: in boiling water, in a bowl.

    Examples
    --------
    >>> served(["cut potato"])
    [('iscut', 'potato#1'), ('item_on', 'potato#1', 'table#1')]
    >>> served(["bread, cheese, bread"])[1:]
    [('item_at', 'cheese#1', 'table#1'), ('item_at', 'bread#2', 'table#1'), ('clear', 'bread#2')]
    """
    atoms: list[Atom] = []
    count: Counter[str] = Counter()

    def role(kind: str) -> str:
        count[kind] += 1
        return f"{kind}#{count[kind]}"

    def parts(text: str, mark: str) -> list[str]:
        roles = []
        for part in text.split(mark):
            *ways, kind = part.split()
            roles.append(role(kind))
            atoms.extend((PREPARED[way], roles[-1]) for way in ways)
        return roles

    for dish in dishes:
        table = role("table")
        if dish.startswith(_SOUP):
            water, bowl = role("water"), role("bowl")
            atoms += [("addedto", part, water) for part in parts(dish.removeprefix(_SOUP), ",")]
            atoms += [("isboiling", water), ("in", water, bowl), ("container_at", bowl, table)]
            continue
        strict = "/" in dish
        stack = parts(dish, "/" if strict else ",")
        atoms.append(("item_on", stack[0], table))
        if strict:
            atoms += [("atop", upper, lower) for lower, upper in pairwise(stack)]
        else:
            atoms += [("item_at", part, table) for part in stack[1:]]
        if len(stack) > 1:
            atoms.append(("clear", stack[-1]))
    return atoms
