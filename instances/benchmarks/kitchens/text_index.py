"""Index from texts to the actions that they mean in a state, without a list of all legal actions."""

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
        self._possible: dict[str, list[Meaning]] = {}  # what is possible here at all
        self._sources: dict[tuple[str, tuple[str | None, ...]], tuple[int, dict[int, str]]] = {}

    def find(self, facts: int, text: str) -> int | None:
        """Return the first legal deed with this text, by place in the domain, then by objects."""
        meanings = self._possible.get(text)
        if meanings is None:
            meanings = self._read(text)
        world, first = self._world, None
        for meaning in meanings:
            for number in self._legal(facts, meaning) if meaning.number is None else (meaning.number,):
                deed = world.deeds[number]
                better = facts & deed.mask == deed.want
                if better and (first is None or world.ranks[number] < world.ranks[first]):
                    first = number
        return first

    def _read(self, text: str) -> list[Meaning]:
        """Return what a text may mean here, whatever the state."""
        always, meanings = self._always, []
        for meaning in self._world.meanings.of(text):
            if self._objects >= meaning.named and always >= meaning.true and always.isdisjoint(meaning.false):
                if not meaning.choices and meaning.number is None:
                    meaning.number = self._world.number(meaning.position, meaning.player, meaning.binding)
                meanings.append(meaning)
        if len(self._possible) >= MAX_TEXTS:
            self._possible.clear()
        self._possible[text] = meanings
        return meanings

    def _legal(self, facts: int, meaning: Meaning) -> Iterator[int]:
        """Yield deeds of a meaning that leaves something open: all that are legal, and perhaps others."""
        turns = self._world.turns
        if turns and not facts & turns[meaning.player]:
            return
        for binding in self._bindings(facts, meaning.binding, meaning.choices):
            yield self._world.number(meaning.position, meaning.player, binding)

    def _bindings(
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
                yield from self._bindings(facts, joined, tuple(others))
            else:
                yield joined

    def _options(self, facts: int, binding: Mapping[str, str], choice: ObjectChoice) -> list[str]:
        """Return the objects that may be chosen, as far as one fact tells."""
        if choice.source is None:
            return [name for name, its_type in self._types.items() if its_type == choice.type]
        predicate, params, _ = choice.source
        shape = tuple([binding.get(param) for param in params])
        source = self._sources.get((predicate, shape))
        if source is None:
            names = {
                self._world.bits.mask((predicate, *[part or name for part in shape])): name
                for name, its_type in self._types.items()
                if its_type == choice.type and name not in shape
            }
            source = self._sources[predicate, shape] = (sum(names), names)
        true = facts & source[0]
        options = []
        while true:
            low = true & -true
            options.append(source[1][low])
            true ^= low
        return options

    def _allowed(self, facts: int, binding: Mapping[str, str], tests: tuple[Literal, ...]) -> bool:
        """Return whether conditions hold."""
        changing, mask = self._world.domain.changing, self._world.bits.mask
        for predicate, params, value in tests:
            atom = (predicate, *[binding[param] for param in params])
            true = facts & mask(atom) != 0 if predicate in changing else atom in self._always
            if true != value:
                return False
        return True
