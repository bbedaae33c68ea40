"""Invariants of the standard kitchen domain, and goals that contradict them.

An *invariant* is true after every action if it is true before. So a goal that breaks an invariant of the start is
infeasible, however large the kitchen. The search has to find out the rest.

"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import combinations

from planoracle.instances.benchmarks.kitchens.kitchen import Atom, Kitchen, split_name

#: Predicates with the position of an object among their arguments: at most one such fact is true of an object, since
#: every action that makes one true makes another false.
_ALTERNATIVES: tuple[dict[str, int], ...] = (
    {"item_on": 1, "atop": 1, "has_item": 2, "addedto": 1},  # support or container of an item
    {"clear": 1, "atop": 2, "has_item": 2, "addedto": 1},  # load of an item
    {"station_empty": 1, "item_on": 2, "container_at": 2},
    {"vacant": 1, "loc": 2},
    {"loc": 1},
    {"nothing": 1, "has_item": 1, "has_container": 1},
    {"has_container": 2, "container_at": 1},
    {"in": 1},
)
#: The same for an item, if piles are consistent.
_STATION: dict[str, int] = {"item_at": 1, "has_item": 2, "addedto": 1}


def piles_stand(facts: Collection[Atom]) -> bool:
    """Return whether every item at a station lies on it or on another item there (an invariant)."""
    if not all(_hold(facts, group) for group in (*_ALTERNATIVES[:2], _STATION)):
        return False
    at = _second_by_first(facts, "item_at")
    under = _second_by_first(facts, "atop")
    bottom = _second_by_first(facts, "item_on")
    if any(at.get(item) != station for item, station in bottom.items()):
        return False
    for item, lower in under.items():
        if item not in at or at.get(lower) != at[item]:
            return False
    if not all(item in bottom or item in under for item in at):
        return False
    return not _cycle(under.items())


def _second_by_first(facts: Collection[Atom], predicate: str) -> dict[str, str]:
    """Return the second object of the facts of a predicate by the first."""
    matches = (fact for fact in facts if fact[0] == predicate)
    return {fact[1]: fact[2] for fact in matches}


def is_usual(kitchen: Kitchen) -> bool:
    """Return whether the facts are such as the standard actions leave them (an invariant).

    Every object is in one place, no place holds two objects or cooks, piles are consistent, and empty, vacant and clear
    places are marked.
    """
    facts = kitchen.facts
    stations = [name for name, kind in kitchen.objects if kind == "station"]
    lying = [fact[1] for fact in facts if fact[0] == "item_at"]
    if not all(_hold(facts, group) for group in _ALTERNATIVES):
        return False
    marked = ((1, lying), (2, stations), (3, stations), (5, kitchen.players))
    for number, names in marked:
        if not _subjects(facts, _ALTERNATIVES[number]).issuperset(names):
            return False
    return piles_stand(facts)


def contradiction(kitchen: Kitchen) -> str:
    """Return the reason why the goal of a kitchen is infeasible, ``""`` if none is found.

    The kitchen must have the standard domain and consistent piles.
    """
    conditions = kitchen.goal.conditions
    for condition in conditions:
        if condition[0] not in kitchen.domain.changing and not _is_possible(kitchen, condition):
            return f"the goal requires a condition that is false and never changes: {_words(condition)}"
    piles = (condition for condition in conditions if condition[0] == "atop")
    cycle = _cycle((upper, lower) for _, upper, lower in piles)
    if cycle:
        return f"the goal requires a pile that rests on itself: {' on '.join(cycle)}"
    pair = next(_exclusive(kitchen), None)
    if pair is None:
        return ""
    first, second = map(_words, pair)
    return f"the goal requires contradictory conditions: {first}, {second}"


def _exclusive(kitchen: Kitchen) -> Iterator[tuple[Atom, Atom]]:
    """Yield pairs of conditions (or of what follows from them) that are never true at once."""
    conditions = kitchen.goal.conditions
    lying = _lying(conditions)
    for group in _ALTERNATIVES:
        if _hold(kitchen.facts, group):
            yield from _clashes(conditions, group)
    yield from _clashes([*conditions, *lying], _STATION)
    if _hold(kitchen.facts, _ALTERNATIVES[2]):  # then something lies on the station itself
        for condition in lying:
            yield from ((condition, clash) for clash in _without(condition[2], conditions))


def _without(station: str, conditions: Collection[Atom]) -> list[Atom]:
    """Return the conditions by which no item lies on a station."""
    place_of_station = {"station_empty": 1, "container_at": 2}
    listed = []
    for condition in conditions:
        place = place_of_station.get(condition[0])
        if place is not None and condition[place] == station:
            listed.append(condition)
    return listed


def _lying(conditions: Collection[Atom]) -> list[Atom]:
    """Return the stations where items must be, also those of the same pile."""
    piles: dict[str, set[str]] = {}
    for condition in conditions:
        if condition[0] == "atop":
            _, upper, lower = condition
            joined = piles.get(upper, {upper}) | piles.get(lower, {lower})
            piles.update(dict.fromkeys(joined, joined))
    places = (condition for condition in conditions if condition[0] in ("item_at", "item_on"))
    positions = {(item, station) for _, item, station in places}
    lying: list[Atom] = []
    for stated_item, station in positions:
        pile = piles.get(stated_item, {stated_item})
        lying += [("item_at", item, station) for item in pile]
    return sorted(lying)


def _clashes(conditions: Collection[Atom], group: dict[str, int]) -> Iterator[tuple[Atom, Atom]]:
    """Yield pairs of conditions on one object that are different alternatives."""
    by_object: dict[str, list[Atom]] = {}
    for condition in conditions:
        predicate = condition[0]
        if predicate in group:
            subject = condition[group[predicate]]
            by_object.setdefault(subject, []).append(condition)
    for alternatives in by_object.values():
        yield from (pair for pair in combinations(alternatives, 2) if _differ(*pair))


def _differ(first: Atom, second: Atom) -> bool:
    """Return whether two conditions never mean the same fact."""
    if first[0] != second[0]:
        return True
    parts = zip(first[1:], second[1:], strict=True)
    return any(_are_distinct(part, rival) for part, rival in parts)


def _are_distinct(part: str, rival: str) -> bool:
    """Return whether two parts of conditions never mean the same object; an object may also play a role."""
    if part == rival:
        return False
    are_both_roles_or_names = ("#" in part) == ("#" in rival)
    return are_both_roles_or_names or _kind(part) != _kind(rival)


def _kind(part: str) -> str:
    if "#" in part:
        return part.partition("#")[0]
    return split_name(part)[0]


def _hold(facts: Collection[Atom], group: dict[str, int]) -> bool:
    """Return whether at most one of the alternatives is true of every object."""
    count = Counter(_objects(facts, group))
    return max(count.values(), default=0) <= 1


def _subjects(facts: Collection[Atom], group: dict[str, int]) -> set[str]:
    """Return the objects of which an alternative is true."""
    return set(_objects(facts, group))


def _objects(facts: Collection[Atom], group: dict[str, int]) -> Iterator[str]:
    """Yield the object of each fact that is an alternative of a group."""
    for fact in facts:
        predicate = fact[0]
        if predicate in group:
            yield fact[group[predicate]]


def _is_possible(kitchen: Kitchen, condition: Atom) -> bool:
    """Return whether a condition on unchanging facts is true for some objects."""
    options = [kitchen.candidates[part] if "#" in part else (part,) for part in condition[1:]]
    facts = (fact for fact in kitchen.facts if fact[0] == condition[0])
    return any(_matches(fact, options) for fact in facts)


def _matches(fact: Atom, options: Sequence[Sequence[str]]) -> bool:
    """Return whether the objects of a fact are among the options."""
    pairs = zip(fact[1:], options, strict=True)
    return all(name in names for name, names in pairs)


def _cycle(pairs: Collection[tuple[str, str]] | Iterator[tuple[str, str]]) -> list[str]:
    """Return a cycle of the pairs, ``[]`` if there is none.

    >>> _cycle([("a", "b"), ("b", "c"), ("c", "b")])
    ['b', 'c', 'b']
    """
    after: dict[str, list[str]] = {}
    for node, successor in pairs:
        after.setdefault(node, []).append(successor)
    try:
        TopologicalSorter(after).prepare()
    except CycleError as error:
        return list(reversed(error.args[1]))
    return []


def _words(condition: Atom) -> str:
    return " ".join(condition)
