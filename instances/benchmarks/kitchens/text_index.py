"""Finding the action that a text means in a state, without listing what is legal there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from planoracle.instances.benchmarks.kitchens.compiled_rules import CompiledRules
from planoracle.instances.benchmarks.kitchens.domain import Literal
from planoracle.instances.benchmarks.kitchens.kitchen import Atom
from planoracle.instances.benchmarks.kitchens.meanings import MAX_TEXTS, Meaning, ObjectChoice


class TextIndex:
    """The deeds that texts mean, in one kitchen.

    Parameters
    ----------
    types
        The objects, with their types.
    always
        The facts that never change.
    """

    def __init__(self, world: CompiledRules, types: Mapping[str, str], always: frozenset[Atom]) -> None:
        self._world = world
        self._types = types
        self._always = always
        self._objects = frozenset(types.items())
        self._known: dict[str, list[Meaning]] = {}  # what is possible here at all
        self._sources: dict[tuple[str, tuple[str | None, ...]], tuple[int, dict[int, str]]] = {}

    def find(self, facts: int, text: str) -> int | None:
        """Return the first legal deed that is written like this: by its place in the domain, then by its objects."""
        known = self._known.get(text)
        if known is None:
            known = self._read(text)
        world, found = self._world, None
        for meaning in known:
            for number in self._legal(facts, meaning) if meaning.number is None else (meaning.number,):
                deed = world.deeds[number]
                better = facts & deed.mask == deed.want
                if better and (found is None or world.rank(number) < world.rank(found)):
                    found = number
        return found

    def _read(self, text: str) -> list[Meaning]:
        """Return what a text may mean here, whatever the state."""
        always, found = self._always, []
        for meaning in self._world.meanings.of(text):
            if self._objects >= meaning.named and always >= meaning.true and always.isdisjoint(meaning.false):
                if not meaning.choices and meaning.number is None:
                    meaning.number = self._world.number(meaning.position, meaning.player, meaning.binding)
                found.append(meaning)
        if len(self._known) >= MAX_TEXTS:
            self._known.clear()
        self._known[text] = found
        return found

    def _legal(self, facts: int, meaning: Meaning) -> Iterator[int]:
        """Yield deeds of a meaning that leaves something open: all that are legal, and perhaps others."""
        turns = self._world.turns
        if turns and not facts & turns[meaning.player]:
            return
        for binding in self._chosen(facts, meaning.binding, meaning.choices):
            yield self._world.number(meaning.position, meaning.player, binding)

    def _chosen(
        self, facts: int, binding: Mapping[str, str], choices: tuple[ObjectChoice, ...]
    ) -> Iterator[Mapping[str, str]]:
        """Yield a binding with every choice of objects for what is left open, as far as facts allow it."""
        choice, *others = choices
        for name in self._options(facts, binding, choice):
            if name in binding.values():
                continue
            joined = {**binding, choice.param: name}
            if not self._allowed(facts, joined, choice.tests):
                continue
            if others:
                yield from self._chosen(facts, joined, tuple(others))
            else:
                yield joined

    def _options(self, facts: int, binding: Mapping[str, str], choice: ObjectChoice) -> list[str]:
        """Return the objects that may be chosen, as far as one fact tells."""
        if choice.source is None:
            return [name for name, its_type in self._types.items() if its_type == choice.type]
        predicate, params, _ = choice.source
        shape = tuple([binding.get(param) for param in params])
        known = self._sources.get((predicate, shape))
        if known is None:
            names = {
                self._world.bits.mask((predicate, *[part or name for part in shape])): name
                for name, its_type in self._types.items()
                if its_type == choice.type and name not in shape
            }
            known = self._sources[predicate, shape] = (sum(names), names)
        true = facts & known[0]
        found = []
        while true:
            low = true & -true
            found.append(known[1][low])
            true ^= low
        return found

    def _allowed(self, facts: int, binding: Mapping[str, str], tests: tuple[Literal, ...]) -> bool:
        """Whether conditions hold."""
        changing, mask = self._world.domain.changing, self._world.bits.mask
        for predicate, params, value in tests:
            atom = (predicate, *[binding[param] for param in params])
            true = facts & mask(atom) != 0 if predicate in changing else atom in self._always
            if true != value:
                return False
        return True
