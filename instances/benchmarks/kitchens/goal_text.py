"""Dishes in the text or caption of a goal, and conditions that the formal goal lacks for them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from planoracle.instances.benchmarks.kitchens.kitchen import Atom, Goal, Kitchen
from planoracle.instances.benchmarks.kitchens.kitchen_layout import PREPARED

#: First and last part of a dish; a soup has none.
_BASES: Final = {"sandwich": ("bread", "bread"), "burger": ("bottombun", "topbun"), "soup": ()}
#: Parts that the name of a dish implies.
_IMPLIED: Final = {"cheeseburger": ("cheese", "patty"), "hamburger": ("patty",)}
#: Preparation of a part of a stack if the text states none.
_USUAL: Final = {"lettuce": "cut", "tomato": "cut", "onion": "cut", "patty": "cooked", "chicken": "cooked"}
_NUMBERS: Final = {"": 1, "two": 2, "three": 3, "four": 4} | {str(digit): digit for digit in range(2, 10)}
#: Predicates of prepared parts; a boiled soup has boiling water.
_PREPARED: Final = {**PREPARED, "boiled": "isboiling"}
#: Maximum length of a text; longer texts are cut.
_MOST: Final = 2_000

_NUMBER = r"(?:\b(two|three|four|[2-9]) )?"
_BOILED = r"(?:\b(boiled) )?"
_PART = r"((?:(?:cut|cooked|fried|whole) )*)\b(lettuce|tomato|onion|potato|patt|chicken|cheese)(?:y|ies|e?s)?\b"
#: A dish is a compound noun, such as "two lettuce tomato burgers".
_DISHES = re.compile(
    rf"{_NUMBER}{_BOILED}((?:{re.sub(r'[(](?![?])', '(?:', _PART)}(?: rings?| slices?)?(?: and |, | ))*)"
    r"\b((?:cheese|ham)?(sandwich|burger|soup))(?:e?s)?\b"
)
#: Words after a dish that list further contents.
_CONTENTS = re.compile(r"\b(?:with|contain(?:s|ing)?|including) ([^.;]*)")


class Dish(NamedTuple):
    """Dish in a text: its kind, and its parts with their preparations."""

    kind: str
    parts: tuple[tuple[str, frozenset[str]], ...]


def dishes(text: str) -> Iterator[Dish]:
    """Yield the sandwiches, burgers and soups in a text.

    >>> [(dish.kind, [part for part, _ in dish.parts]) for dish in dishes("Make two lettuce tomato burgers")][:1]
    [('burger', ['lettuce', 'tomato', 'bottombun', 'topbun'])]
    """
    words = " ".join(text.lower().split())[:_MOST]
    matches = list(_DISHES.finditer(words))
    ends = [*(match.start() for match in matches[1:]), len(words)]
    for match, end in zip(matches, ends, strict=False):
        number, boiled, compound, name, kind = match.groups(default="")
        contents = "; ".join([compound, *_CONTENTS.findall(words[match.end() : end])])
        parts = dict.fromkeys(_IMPLIED.get(name, ()), (1, frozenset[str]()))
        for number_word, ways, stem in re.findall(_NUMBER + _PART, contents):
            part = "patty" if stem == "patt" else stem
            count, stated = parts.get(part, (1, frozenset()))
            parts[part] = (max(count, _NUMBERS[number_word]), stated | set(ways.split()))
        repeated: list[tuple[str, frozenset[str]]] = []
        for part, (count, stated) in parts.items():
            repeated += [(part, stated)] * count
        base = [(part, frozenset[str]()) for part in _BASES[kind]]
        if boiled and kind == "soup":
            base = [("water", frozenset({boiled}))]
        yield from [Dish(kind, (*repeated, *base))] * _NUMBERS[number]


def lacking(kitchen: Kitchen) -> tuple[Atom, ...]:
    """Return the conditions that the text of a goal requires and its formal conditions lack.

    A dish of the text is compared with the things of the goal on one station or in one meal, namely those that lack
    least. Parts of a stack are prepared as usual, parts of a soup as the text states. Soup is boiled if the text says
    so: the paper's texts do not, but its description of a task does.
    """
    import networkx as nx  # takes longer to import than all else here

    graph = nx.Graph([atom[1:] for atom in kitchen.goal.conditions if len(atom) == 3])
    groups = list(nx.connected_components(graph))
    atoms: list[Atom] = []
    for number, dish in enumerate(sorted(dishes(kitchen.text), key=lambda dish: -len(dish.parts))):
        added = {f"{'water' if dish.kind == 'soup' else 'table'}#text{number}"}
        options = []
        for group in (added, *groups):
            missing = _missing(kitchen, dish, group, number)
            if missing:
                options.append((group, missing))
        best_group, best_missing = min(options, key=lambda option: len(option[1]))
        groups = [group for group in groups if group is not best_group]
        atoms += best_missing[1:]
    return tuple(atom for atom in atoms if atom[0] in kitchen.domain.signature)


def by_text(kitchen: Kitchen) -> Kitchen:
    """Return a kitchen whose goal includes the conditions of its text."""
    atoms = lacking(kitchen)
    return with_conditions(kitchen, atoms) if atoms else kitchen


def with_conditions(kitchen: Kitchen, atoms: Sequence[Atom]) -> Kitchen:
    """Return a kitchen with more conditions in its goal."""
    goal = Goal.of([*kitchen.goal.conditions, *atoms], kitchen.goal.roles)
    return replace(kitchen, goal=goal)


def _missing(kitchen: Kitchen, dish: Dish, group: Iterable[str], number: int) -> list[Atom]:
    """Return the position of a dish among things of the goal, and its missing conditions there."""
    kinds = {thing: thing.partition("#")[0].rstrip("0123456789") for thing in sorted(group)}
    base, predicate = ("meal", "addedto") if dish.kind == "soup" else ("station", "item_at")
    places = [thing for thing, kind in kinds.items() if kitchen.domain.type_of(kind) == base]
    atoms: list[Atom] = [(place,) for place in places[:1]]
    for position, (part, ways) in enumerate(dish.parts if atoms else ()):
        requested = {_PREPARED[way] for way in ways & _PREPARED.keys()}
        met = {thing: {fact for fact in requested if (fact, thing) in kitchen.goal.conditions} for thing in kinds}
        candidates = [candidate for candidate, kind in kinds.items() if kind == part]
        thing = max(candidates, key=lambda candidate: len(met[candidate]), default="")
        if not thing:
            thing = f"{part}#text{number}_{position}"
            atoms.append((predicate, thing, *atoms[0]))
            if part in _USUAL and base == "station" and not ways:
                requested.add(PREPARED[_USUAL[part]])
        kinds.pop(thing, None)
        atoms += [(fact, thing) for fact in sorted(requested - met.get(thing, set()))]
    return atoms
