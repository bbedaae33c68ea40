"""Seeded variants of kitchens: the same goal and things, in other places; and goals of dishes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import count, pairwise
from random import Random
from typing import Final

from planoracle.instances.benchmarks.kitchens.domain import KitchenDomain
from planoracle.instances.benchmarks.kitchens.kitchen import Atom, Kitchen, split_name
from planoracle.instances.benchmarks.kitchens.kitchen_layout import KitchenLayout, layout_of
from planoracle.instances.errors import InputError
from planoracle.instances.generate.parameters import below, chance, one, shuffled, weighted

#: How often which kind of station comes up.
_STATIONS: Final = {"table": 4, "board": 1, "stove": 1, "fryer": 1, "sink": 1}
#: Of a hundred items, so many get a station to themselves if one is free.
_SHARE_ALONE: Final = 75


@dataclass(slots=True)
class VariantLayout:
    """Puts things to the stations of a layout that may be changed, and keeps ``spare`` of them empty."""

    random: Random
    layout: KitchenLayout
    domain: KitchenDomain
    open: list[str] = field(default_factory=list)
    spare: int = 0

    def put(self, thing: str) -> None:
        """Put a container on an empty station, an item there or on a stack; else on any station."""
        bare = [station for station in self.open if not self.layout.stations[station]]
        occupied = [station for station in self.open if self.layout.stations[station]]
        options = bare = bare if len(bare) > self.spare else []
        if not self.is_container(thing):
            stacks = [each for each in occupied if not any(map(self.is_container, self.layout.stations[each]))]
            options = bare or stacks if chance(self.random, _SHARE_ALONE) else stacks or bare
        options = options or occupied or self.open
        if not options:
            raise InputError("there is no station to put it on", value=thing)
        self.layout.stations[one(self.random, options)].append(thing)

    def is_container(self, thing: str) -> bool:
        """Return whether a thing is a container, which needs a station to itself."""
        return self.domain.type_of(split_name(thing)[0]) == "container"


def variant(
    kitchen: Kitchen, seed: int, *, extra_stations: int | None = None, extra_items: int | None = None
) -> Kitchen:
    """Return a kitchen with the same goal in which other things stand unplaced.

    What lies and stands on the stations is spread anew, and the players start anywhere. What they hold, what things are
    like (cut, cooked) and what containers hold stays as it is, and so does everything the goal names. If a station was
    empty, one is. Facts that do not follow from where things are stay true: nobody touches the stations concerned.

    Parameters
    ----------
    kitchen
        Any kitchen of a domain with stations, items and containers.
    seed
        0 or more.
    extra_stations
        So many more stations, half of them tables; by default 0 to 3.
    extra_items
        So many more items, raw unless there are others of the kind, which they then are like; by default 0 to 2.

    Raises
    ------
    InputError
        For a negative number, or a domain without such things.

    Examples
    --------
    >>> from planoracle.instances.benchmarks.kitchens.problems import kitchen
    >>> found = variant(kitchen("kitchens/synchronous/3_burger"), 1, extra_stations=1, extra_items=0)
    >>> found.name, len(found.objects)
    ('kitchens/synchronous/3_burger@1', 8)
    """
    for field_name, number in (("seed", seed), ("extra_stations", extra_stations), ("extra_items", extra_items)):
        if number is not None and number < 0:
            raise InputError("must be 0 or more", field=field_name, value=number)
    random = Random(seed)
    layout, more, less = layout_of(kitchen)
    names = set(kitchen.types)
    odd = {part for fact in more | less for part in fact[1:]}
    odd |= {holder for holder, meals in layout.containers.items() if odd.intersection(meals)}
    fixed = {station for station, things in layout.stations.items() if odd.intersection([station, *things])}
    loose = [thing for station, things in layout.stations.items() if station not in fixed for thing in things]
    placement = VariantLayout(
        random, layout, kitchen.domain, [station for station in layout.stations if station not in fixed]
    )
    placement.spare = int(any(not layout.stations[station] for station in placement.open))
    for station in placement.open:
        layout.stations[station] = []
    for _ in range(below(random, 4) if extra_stations is None else extra_stations):
        name = new_name(weighted(random, _existing_kinds(kitchen.domain, _STATIONS)), names)
        layout.stations[name] = []
        placement.open.append(name)
    for _ in range(below(random, 3) if extra_items is None else extra_items):
        name = new_name(one(random, [*_existing_kinds(kitchen.domain, dict.fromkeys(RAW, 1))]), names)
        loose.append(name)
        kind = split_name(name)[0]
        twin = next((each for each, _ in kitchen.objects if split_name(each)[0] == kind), None)
        traits = RAW[kind] if twin is None else layout.traits.get(twin, ())
        layout.traits[name] = [each for each in traits if each in kitchen.domain.signature]
    for thing in sorted(shuffled(random, loose), key=placement.is_container, reverse=True):
        placement.put(thing)
    _seat(random, layout, fixed, odd)
    facts = (layout.facts(kitchen.domain) | more) - less
    return Kitchen.of(f"{kitchen.name}@{seed}", kitchen.domain, layout.objects(), facts, kitchen.goal, kitchen.text)


def _existing_kinds(domain: KitchenDomain, kinds: dict[str, int]) -> dict[str, int]:
    existing = {kind: weight for kind, weight in kinds.items() if domain.type_of(kind) is not None}
    if not existing:
        raise InputError("the domain has none of these", value=list(kinds))
    return existing


def new_name(kind: str, names: set[str]) -> str:
    """Return the next free name of a kind, and take it."""
    name = next(name for number in count(1) if (name := f"{kind}{number}") not in names)
    names.add(name)
    return name


def _seat(random: Random, layout: KitchenLayout, fixed: set[str], odd: set[str]) -> None:
    """Let players start anywhere, each at a station of its own."""
    movable = [
        player
        for player, (at, in_hand) in layout.players.items()
        if at is not None and at not in fixed and not odd.intersection([player, in_hand])
    ]
    staying = {at for player, (at, _) in layout.players.items() if player not in movable}
    free = shuffled(random, (station for station in layout.stations if station not in fixed | staying))
    for player, station in zip(movable, free, strict=False):
        layout.players[player] = (station, layout.players[player][1])


def with_cooks(kitchen: Kitchen, count: int) -> Kitchen:
    """Return the same kitchen with ``count`` cooks.

    Those that are there stay where they are. New ones stand, with empty hands, at the vacant stations that come
    first: empty stations before others, in the order of the kitchen.

    Raises
    ------
    InputError
        If there are more cooks already, or too few stations for them.

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
    free = sorted(
        (station for station in layout.stations if ("vacant", station) in kitchen.facts),
        key=lambda s: bool(layout.stations[s]),
    )
    if count - current > len(free):
        raise InputError(f"must be at most {current + len(free)}", field=f"{kitchen.name}: cooks", value=count)
    names = set(kitchen.types)
    kind = kitchen.players[0].rstrip("0123456789")
    for station in free[: count - current]:
        layout.players[new_name(kind, names)] = (station, None)
    facts = (layout.facts(kitchen.domain) | more) - less
    changed = Kitchen.of(kitchen.name, kitchen.domain, layout.objects(), facts, kitchen.goal, kitchen.text)
    return replace(changed, name=f"{kitchen.name}~{count}")


#: What can be asked of a part of a dish.
PREPARED: Final = {"cut": "iscut", "cooked": "iscooked", "fried": "isfried"}
#: Predicates of food nobody has touched yet, by kind.
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
    """Return the conditions of a goal that asks for dishes, each on a table of its own.

    Parameters
    ----------
    dishes
        ``"bread, cut lettuce, cooked chicken, bread"``: the first part lies on the table, the last is on top, what is
        between them may be in any order. ``"bread / cheese / bread"``: exactly this order. ``"cut fried potato"``: one
        thing, on the table. ``"soup: potato, cut onion"``: in boiling water, in a bowl.

    Raises
    ------
    InputError
        For a part that is more than a kind of food and words of `PREPARED`.

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
            *ways, kind = part.split() or [""]
            if kind not in RAW or not set(ways) <= set(PREPARED):
                raise InputError("is no part of a dish", field="goal", value=part.strip())
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
