"""Interpreter of the rules of a kitchen: a literal and slow reading of its domain.

The interpreter follows the released simulator; `KitchenRules` switches the points in which the paper differs. Tests
compare the compiled rules, `planoracle.instances.benchmarks.kitchens.compiled_kitchen`, with it.
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
    """Objects (name to type) and true atoms while a step is carried out."""

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
    """Action of a player with its objects; ``position`` is the index of the action in the domain."""

    position: int
    arguments: tuple[str, ...]
    text: str


class State(NamedTuple):
    """Kitchen between two steps: objects and effects in order, true atoms, and index of the next player."""

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
        """Return the player that acts next."""
        return self.kitchen.players[state.turn]

    def facts(self, state: State) -> frozenset[Atom]:
        """Return the true atoms."""
        return state.facts

    def legal(self, state: State) -> list[Move]:
        """Return the legal actions of the next player in a fixed order; actions may lack a player."""
        player = self.player(state)
        moves = []
        for position, action in enumerate(self.kitchen.domain.actions):
            for binding in bindings(action, state.facts, state.objects):
                arguments = tuple(binding[param] for param, _ in action.params)
                if not arguments or player in arguments:
                    moves.append(Move(position, arguments, action.write(binding)))
        return sorted(moves, key=lambda move: (move.position, [natural(name) for name in move.arguments]))

    def find(self, state: State, text: str) -> Move | None:
        """Return the first legal action with this text, or ``None``."""
        return next((move for move in self.legal(state) if move.text == text), None)

    def step(self, state: State, move: Move) -> State:
        """Carry out a legal action, and a tick if no other player acts in the same step."""
        scene = EffectScene(dict(state.objects), set(state.facts))
        effects = list(state.effects)
        action = self.kitchen.domain.actions[move.position]
        binding = {param: name for (param, _), name in zip(action.params, move.arguments, strict=True)}
        for predicate, params, value in action.changes:
            scene.set((predicate, *(binding[param] for param in params)), value)
        for effect in action.effects:
            fresh = start(ground(effect, binding))
            matches = (i for i, old in enumerate(effects) if old.effect == fresh.effect and old.renewable)
            at = next(matches, len(effects))
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
            i += self.rules.skip_after_finish  # the simulator skips the effect that moved to this index

    def goal(self, state: State) -> bool:
        """Return whether the goal is reached after a step; the rules never test it at the start."""
        complete = self.rules.moves == "turns" or state.turn == 0
        return complete and goal_reached(self.kitchen, state.facts)


def bindings(
    action: ActionSchema,
    facts: frozenset[Atom],
    objects: Sequence[tuple[str, str]],
    assigned: Mapping[str, str] | None = None,
) -> Iterator[dict[str, str]]:
    """Yield all assignments of different objects to the parameters that satisfy the conditions."""
    types = dict(action.params)
    by_predicate: dict[str, list[Atom]] = {}
    for atom in facts:
        by_predicate.setdefault(atom[0], []).append(atom)
    # True conditions with few atoms first, then parameters that no true condition names, then false conditions.
    positive = sorted(
        (literal for literal in action.conditions if literal.value),
        key=lambda literal: len(by_predicate.get(literal.predicate, ())),
    )
    negative = [literal for literal in action.conditions if not literal.value]

    def extend(binding: dict[str, str], rest: Sequence[Literal]) -> Iterator[dict[str, str]]:
        if rest:
            # A condition without free parameters goes first.
            literal = next((condition for condition in rest if all(p in binding for p in condition.params)), rest[0])
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
        elif not any((literal.predicate, *(binding[p] for p in literal.params)) in facts for literal in negative):
            yield binding

    yield from extend(dict(assigned or {}), positive)


def goal_reached(kitchen: Kitchen, facts: frozenset[Atom]) -> bool:
    """Return whether different objects for the roles can satisfy all conditions of the goal."""
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
