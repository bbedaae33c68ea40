"""The rules, word by word: what a domain says of a kitchen, without any thought of speed.

Follows the released simulator; `KitchenRules` switches the points in which the paper differs. What is used is the same
rules compiled, `planoracle.instances.benchmarks.kitchens.compiled_kitchen`; these are what they are held against.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from planoracle.instances.benchmarks.kitchens.domain import ActionSchema, Literal
from planoracle.instances.benchmarks.kitchens.effects import Running, ground, start, update
from planoracle.instances.benchmarks.kitchens.kitchen import (
    PROFILES,
    Atom,
    Kitchen,
    KitchenRules,
    can_be_cast,
    natural,
    split_name,
    unify,
)


@dataclass(slots=True)
class EffectScene:
    """A stage: the objects (name to type) and the true atoms while a step is carried out."""

    objects: dict[str, str]
    facts: set[Atom]

    def set(self, atom: Atom, value: bool) -> None:
        """Make an atom true or false."""
        (self.facts.add if value else self.facts.discard)(atom)

    def create(self, kind: str, its_type: str) -> str:
        """Add an object with the next number of its kind and return its name."""
        numbers = [number for base, number in map(split_name, self.objects) if base == kind]
        name = f"{kind}{max(numbers, default=0) + 1}"
        self.objects[name] = its_type
        return name


class Move(NamedTuple):
    """An action of a player with its objects; ``position`` is that of the action in the domain."""

    position: int
    arguments: tuple[str, ...]
    text: str


class State(NamedTuple):
    """A kitchen between two steps: objects (in order of appearance), true atoms, effects in their order, whose turn."""

    objects: tuple[tuple[str, str], ...]
    facts: frozenset[Atom]
    effects: tuple[Running, ...]
    turn: int


class Interpreter:
    """The rules of one kitchen."""

    def __init__(self, kitchen: Kitchen, rules: KitchenRules = PROFILES["released"]) -> None:
        self.kitchen = kitchen
        self.rules = rules

    def start(self) -> State:
        """Return the state before the first step."""
        return State(self.kitchen.objects, self.kitchen.facts, (), 0)

    def player(self, state: State) -> str:
        """Return who acts next."""
        return self.kitchen.players[state.turn]

    def facts(self, state: State) -> frozenset[Atom]:
        """Return the true atoms."""
        return state.facts

    def legal(self, state: State) -> list[Move]:
        """Return what the player whose turn it is may do, in a fixed order; an action without players is everyone's."""
        player = self.player(state)
        found = []
        for position, action in enumerate(self.kitchen.domain.actions):
            for binding in bindings(action, state.facts, state.objects):
                arguments = tuple(binding[param] for param, _ in action.params)
                if not arguments or player in arguments:
                    found.append(Move(position, arguments, action.write(binding)))
        return sorted(found, key=lambda move: (move.position, [natural(name) for name in move.arguments]))

    def find(self, state: State, text: str) -> Move | None:
        """Return the first legal action that is written like this, or ``None``."""
        return next((move for move in self.legal(state) if move.text == text), None)

    def step(self, state: State, move: Move) -> State:
        """Carry out a legal action; unless others act in the same step, let a tick pass."""
        scene = EffectScene(dict(state.objects), set(state.facts))
        effects = list(state.effects)
        action = self.kitchen.domain.actions[move.position]
        binding = {param: name for (param, _), name in zip(action.params, move.arguments, strict=True)}
        for predicate, params, value in action.changes:
            scene.set((predicate, *(binding[param] for param in params)), value)
        for effect in action.effects:
            fresh = start(ground(effect, binding))
            there = (i for i, old in enumerate(effects) if old.effect == fresh.effect and old.renewable)
            at = next(there, len(effects))
            effects[at : at + 1] = [update(effects[at] if at < len(effects) else fresh, scene, active=True)]
        turn = (state.turn + 1) % len(self.kitchen.players)
        if self.rules.moves == "turns" or turn == 0:
            self._tick(effects, scene)
        return State(tuple(scene.objects.items()), frozenset(scene.facts), tuple(effects), turn)

    def _tick(self, effects: list[Running], scene: EffectScene) -> None:
        i = 0
        while i < len(effects):
            effects[i] = update(effects[i], scene, active=False)
            if not effects[i].done:
                i += 1
                continue
            del effects[i]
            i += self.rules.skip_after_finish  # what has moved up to this place is passed over

    def goal(self, state: State) -> bool:
        """Whether the goal is reached: looked at after a step, never at the start."""
        complete = self.rules.moves == "turns" or state.turn == 0
        return complete and goal_reached(self.kitchen, state.facts)


def bindings(
    action: ActionSchema,
    facts: frozenset[Atom],
    objects: Sequence[tuple[str, str]],
    given: Mapping[str, str] | None = None,
) -> Iterator[dict[str, str]]:
    """Find all ways to put different objects for the parameters so that the conditions of an action hold."""
    types = dict(action.params)
    by_predicate: dict[str, list[Atom]] = {}
    for atom in facts:
        by_predicate.setdefault(atom[0], []).append(atom)
    # True conditions with few atoms first, then parameters that no true condition names, then false conditions.
    wanted = sorted(
        (literal for literal in action.conditions if literal.value),
        key=lambda literal: len(by_predicate.get(literal.predicate, ())),
    )
    unwanted = [literal for literal in action.conditions if not literal.value]

    def extend(binding: dict[str, str], rest: Sequence[Literal]) -> Iterator[dict[str, str]]:
        if rest:
            # A condition that is decided already goes first.
            literal = next((known for known in rest if all(p in binding for p in known.params)), rest[0])
            others = [other for other in rest if other is not literal]
            for atom in by_predicate.get(literal.predicate, ()):
                joined = unify(binding, literal.params, atom[1:])
                if joined is not None:
                    yield from extend(joined, others)
            return
        free = next((param for param in types if param not in binding), None)
        if free is not None:
            for name, kind in objects:
                if kind == types[free] and name not in binding.values():
                    yield from extend({**binding, free: name}, ())
        elif not any((literal.predicate, *(binding[p] for p in literal.params)) in facts for literal in unwanted):
            yield binding

    yield from extend(dict(given or {}), wanted)


def goal_reached(kitchen: Kitchen, facts: frozenset[Atom]) -> bool:
    """Whether some choice of different objects for the roles makes all conditions of the goal true."""
    if not all(kitchen.candidates.values()):
        return False
    return can_be_cast(
        (condition, [atom for atom in facts if atom[0] == condition[0] and _plays(kitchen, condition, atom)])
        for condition in kitchen.goal.conditions
    )


def _plays(kitchen: Kitchen, condition: Atom, atom: Atom) -> bool:
    return all(
        name in kitchen.candidates[part] if "#" in part else name == part
        for part, name in zip(condition[1:], atom[1:], strict=True)
    )
