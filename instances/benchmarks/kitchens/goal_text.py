"""Dishes that the words of a goal ask for, and the conditions by which its formal goal falls short of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final, NamedTuple

import networkx as nx

from planoracle.instances.benchmarks.kitchens.kitchen import Atom, Goal, Kitchen
from planoracle.instances.benchmarks.kitchens.kitchen_layout import PREPARED, served

#: First and last part of a dish; a soup has none.
_BASES: Final = {"sandwich": ("bread", "bread"), "burger": ("bottombun", "topbun"), "soup": ()}
#: Parts that the name of a dish implies.
_IMPLIED: Final = {"cheeseburger": ("cheese", "patty"), "hamburger": ("patty",)}
#: How a part is prepared if neither the words nor the goal say so.
_USUAL: Final = {"lettuce": "cut", "tomato": "cut", "onion": "cut", "patty": "cooked", "chicken": "cooked"}
_NUMBERS: Final = {"two": 2, "three": 3, "four": 4}
#: Longer texts are cut.
_MOST: Final = 2_000

_NUMBER = r"(?:\b(two|three|four|[2-9]) )?"
_PART = r"((?:(?:cut|cooked|fried|whole) )*)\b(lettuce|tomato|onion|potato|patt|chicken|cheese)(?:y|ies|e?s)?\b"
_PARTS = re.compile(_NUMBER + _PART)
#: A dish is a compound noun, such as "two lettuce tomato burgers".
_DISHES = re.compile(
    rf"{_NUMBER}((?:{re.sub(r'[(](?![?])', '(?:', _PART)}(?: rings?| slices?)?(?: and |, | ))*)"
    r"\b((?:cheese|ham)?(sandwich|burger|soup))(?:e?s)?\b"
)
#: Behind a dish, the words that tell what else is in it.
_CONTENTS = re.compile(r"\b(?:with|contain(?:s|ing)?|including) ([^.;]*)")


class Dish(NamedTuple):
    """A dish that words ask for: its kind, and its parts with the ways in which the words say they are prepared."""

    kind: str
    parts: tuple[tuple[str, frozenset[str]], ...]


def dishes(text: str) -> Iterator[Dish]:
    """Yield the sandwiches, burgers and soups that a text asks for.

    >>> [(dish.kind, [part for part, _ in dish.parts]) for dish in dishes("Make two lettuce tomato burgers")][:1]
    [('burger', ['lettuce', 'tomato', 'bottombun', 'topbun'])]
    """
    words = " ".join(text.lower().split())[:_MOST]
    found = list(_DISHES.finditer(words))
    for i, match in enumerate(found):
        number, compound, name, kind = match.groups()
        tail = words[match.end() : found[i + 1].start() if i + 1 < len(found) else None]
        contents = " ".join(hit[1] for hit in _CONTENTS.finditer(tail))
        parts: dict[str, tuple[int, frozenset[str]]] = dict.fromkeys(_IMPLIED.get(name, ()), (1, frozenset()))
        for count, ways, stem in _PARTS.findall(f"{compound}; {contents}"):
            part = "patty" if stem == "patt" else stem
            most, known = parts.get(part, (1, frozenset()))
            parts[part] = (max(most, _NUMBERS.get(count) or int(count or 1)), known | set(ways.split()))
        listed = [(part, ways) for part, (count, ways) in parts.items() for _ in range(count)]
        dish = Dish(kind, (*listed, *((part, frozenset[str]()) for part in _BASES[kind])))
        yield from [dish] * (_NUMBERS.get(number) or int(number or 1))


def lacking(kitchen: Kitchen) -> tuple[Atom, ...]:
    """Return the conditions that the words of a goal ask for, and its conditions do not.

    A dish of the words is compared with the things of the goal that are on one station, or in one meal, and of these
    with those that lack least. Parts of a stack are prepared as usual, in soup as the words say. That soup boils is
    in the paper's recipes, but not in its goals.
    """
    graph = nx.Graph([atom[1:] for atom in kitchen.goal.conditions if len(atom) == 3])
    groups = [frozenset[str](group) for group in nx.connected_components(graph)]
    asked = list(dishes(kitchen.text))
    options = [
        (len(missing), number, place, missing)
        for number, dish in enumerate(asked)
        for place, group in enumerate(groups)
        if (missing := _missing(kitchen, dish, group, number)) is not None
    ]
    atoms: list[Atom] = []
    while options:
        _, number, place, missing = min(options, key=lambda option: option[:3])
        atoms += missing
        asked[number] = Dish("", ())
        options = [one for one in options if one[1] != number and one[2] != place]
    for number, dish in enumerate(asked):
        atoms += _whole(dish, number) if dish.kind else []
    return tuple(atoms)


def by_text(kitchen: Kitchen) -> Kitchen:
    """Return a kitchen with the conditions of its goal and those of its words."""
    atoms = lacking(kitchen)
    if not atoms:
        return kitchen
    goal = Goal.of([*kitchen.goal.conditions, *atoms], kitchen.goal.roles)
    return replace(kitchen, goal=goal)


def _missing(kitchen: Kitchen, dish: Dish, group: frozenset[str], number: int) -> list[Atom] | None:
    """Return what a dish lacks in a group of things of the goal, ``None`` if it can be no such dish."""
    kinds = {thing: thing.partition("#")[0].rstrip("0123456789") for thing in sorted(group)}
    base = "meal" if dish.kind == "soup" else "station"
    place = next((thing for thing, kind in kinds.items() if kitchen.domain.type_of(kind) == base), None)
    if place is None:
        return None
    facts = set(kitchen.goal.conditions)
    free = dict(kinds)
    atoms: list[Atom] = []
    for position, (part, ways) in enumerate(dish.parts):
        wanted = [PREPARED[way] for way in sorted(ways & PREPARED.keys())]
        fitting = [thing for thing, kind in free.items() if kind == part]
        thing = max(fitting, key=lambda one: sum((fact, one) in facts for fact in wanted), default="")
        if not thing:
            thing = f"{part}#text{number}_{position}"
            atoms.append(("item_at" if base == "station" else "addedto", thing, place))
            wanted = [PREPARED[way] for way in _ways(dish, part, ways)]
        free.pop(thing, None)
        atoms += [(fact, thing) for fact in wanted if (fact, thing) not in facts]
    return atoms


def _ways(dish: Dish, part: str, ways: frozenset[str]) -> list[str]:
    """Return how a part is prepared that the goal does not have."""
    usual = {_USUAL[part]} if part in _USUAL and dish.kind != "soup" and not ways else set()
    return sorted((ways | usual) & PREPARED.keys())


def _whole(dish: Dish, number: int) -> list[Atom]:
    """Return the conditions of a dish of which the goal has nothing."""
    parts = [" ".join((*_ways(dish, part, ways), part)) for part, ways in dish.parts]
    first = [] if dish.kind == "soup" else [parts.pop(-2)]
    text = ", ".join([*first, *parts])
    atoms = served([f"soup: {text}" if dish.kind == "soup" else text])
    return [tuple(part.replace("#", f"#text{number}_") for part in atom) for atom in atoms]
