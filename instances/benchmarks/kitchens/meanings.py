"""Meanings of action texts, independent of the kitchen and its state."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from planoracle.instances.benchmarks.kitchens.domain import ACTOR, ActionSchema, KitchenDomain, Literal
from planoracle.instances.benchmarks.kitchens.kitchen import Atom
from planoracle.instances.benchmarks.kitchens.language import MAX_SHORT, match

#: Texts after which a memory is emptied.
MAX_TEXTS = 20_000

_SLOT = re.compile(r"\{\w+\}")


class ObjectChoice(NamedTuple):
    """An object that a text leaves open: where it comes from, and what is asked of it once it is chosen.

    ``source`` is a condition that names it; without one it can be any object of its type.
    """

    param: str
    type: str
    source: Literal | None
    tests: tuple[Literal, ...]


class _Plan(NamedTuple):
    """Order of queries of an action: tests of bound parameters, then choices of the others."""

    tests: tuple[Literal, ...]
    choices: tuple[ObjectChoice, ...]


@dataclass(slots=True)
class Meaning:
    """An action of a player that a text may mean, in whatever kitchen.

    Attributes
    ----------
    named
        The objects, with the types that they must have.
    true, false
        Of the facts that never change, those that must be there and those that must not.
    choices
        What is left open.
    number
        Of the deed, once somebody has asked for it, if nothing is.
    """

    position: int
    player: str
    binding: Mapping[str, str]
    named: frozenset[tuple[str, str]]
    true: frozenset[Atom]
    false: frozenset[Atom]
    choices: tuple[ObjectChoice, ...]
    number: int | None = None


class Meanings:
    """Cached meanings of texts, for kitchens of one domain with the same players."""

    def __init__(self, domain: KitchenDomain, players: tuple[str, ...]) -> None:
        self._domain = domain
        self._players = players
        self._cache: dict[str, tuple[Meaning, ...]] = {}

    def of(self, text: str) -> tuple[Meaning, ...]:
        """Return what a text may mean."""
        meanings = self._cache.get(text)
        if meanings is None:
            meanings = tuple(_meanings_of(text, self._domain, self._players))
            if len(text) <= MAX_SHORT:
                if len(self._cache) >= MAX_TEXTS:
                    self._cache.clear()
                self._cache[text] = meanings
        return meanings


def _meanings_of(text: str, domain: KitchenDomain, players: tuple[str, ...]) -> Iterator[Meaning]:
    """Yield the meanings of a text, for every possible player."""
    for action, named in match(text, domain):
        if len(set(named.values())) < len(named):
            continue
        types, position = dict(action.params), domain.actions.index(action)
        for player, binding in _players_of(action, named, players):
            tests, choices = _plan(domain, position, tuple(binding))
            true, false = set[Atom](), set[Atom]()
            for predicate, params, value in tests:
                if predicate not in domain.changing:
                    (true if value else false).add((predicate, *[binding[param] for param in params]))
            kinds = frozenset((name, types[param]) for param, name in binding.items())
            yield Meaning(position, player, binding, kinds, frozenset(true), frozenset(false), choices)


def _players_of(
    action: ActionSchema, named: dict[str, str], players: tuple[str, ...]
) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the possible players of an action, with the objects bound by each."""
    if not action.params:
        yield from ((player, named) for player in players)
    for actor in (param for param, its_type in action.params if its_type == ACTOR):
        for player in players:
            if named.get(actor) == player or (actor not in named and player not in named.values()):
                yield player, {**named, actor: player}


@lru_cache(maxsize=1024)
def _plan(domain: KitchenDomain, position: int, named: tuple[str, ...]) -> _Plan:
    action = domain.actions[position]
    types, bound, pending = dict(action.params), set(named), list(action.conditions)

    def ready() -> tuple[Literal, ...]:
        literals = tuple(literal for literal in pending if bound.issuperset(literal.params))
        pending[:] = [literal for literal in pending if literal not in literals]
        return literals

    tests, choices = ready(), []
    while bound != types.keys():
        telling: list[tuple[int, str, Literal]] = []
        for literal in pending:
            unbound = [param for param in literal.params if param not in bound]
            if len(unbound) == 1 and literal.value and literal.predicate in domain.changing:
                telling.append((len(literal.params), unbound[0], literal))
        # What says something about known objects narrows down best.
        _, param, source = max(telling, key=lambda one: one[0], default=(0, min(types.keys() - bound), None))
        bound.add(param)
        choices.append(ObjectChoice(param, types[param], source, ready()))
    return _Plan(tests, tuple(choices))


@lru_cache(maxsize=16)
def is_plain(domain: KitchenDomain) -> bool:
    """Return whether texts of actions delimit their names and repeat none."""
    for action in domain.actions:
        parts, slots = _SLOT.split(action.text), _SLOT.findall(action.text)
        if not all(parts[1:-1]) or any(re.match(r"[\w-]", part) for part in parts[1:]):
            return False
        if len(set(slots)) < len(slots):
            return False
    return True
