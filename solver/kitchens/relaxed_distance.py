"""Estimate of the remaining steps in any domain, not a bound, for the greedy search.

Facts never become false (delete relaxation), conditions on false facts are ignored, and the costs of conditions are
added: the heuristic h_add of Bonet and Geffner (2001), with repetitions and ticks as additional costs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import product
from typing import NamedTuple

from planoracle.instances.benchmarks.kitchens.compiled_kitchen import CompiledKitchen, State
from planoracle.instances.benchmarks.kitchens.domain import ActionSchema, Effect, Literal
from planoracle.instances.benchmarks.kitchens.effects import Running
from planoracle.instances.benchmarks.kitchens.kitchen import Atom, split_name, unify

# Largest number of operators; kitchens with more have no estimate.
_MAX_OPERATORS = 20_000
# Cost of a fact that is out of reach even so.
_OUT_OF_REACH = 1_000
# Numbers of a fact that is always true, and of one that never is.
_TRUE, _NEVER = 0, 1


class _Result(NamedTuple):
    """Facts that an action makes true if further facts are true, after so many further steps."""

    conditions: frozenset[Atom]
    facts: frozenset[Atom]
    steps: int


class _Operator(NamedTuple):
    """Relaxed action: it makes facts true where its conditions are true, at a cost."""

    conditions: tuple[int, ...]
    facts: tuple[int, ...]
    cost: int


class RelaxedDistance:
    """Estimates for the states of one kitchen.

    Attributes
    ----------
    size
        Number of operators; 0 if the kitchen has too many for an estimate, which is 0 then.
    """

    def __init__(self, compiled: CompiledKitchen) -> None:
        self._compiled = compiled
        self._domain = compiled.kitchen.domain
        self._numbers: dict[Atom, int] = {(): _TRUE, ("",): _NEVER}
        self._operators: list[_Operator] = []
        self._types = dict(compiled.kitchen.types)
        self._types.update(self._first_created())
        if not self._add_operators():
            self._operators = []
        self.size = len(self._operators)
        self._users: list[list[int]] = [[] for _ in self._numbers]
        for position, operator in enumerate(self._operators):
            for number in operator.conditions:
                self._users[number].append(position)
        self._goal = [self._options(condition) for condition in compiled.kitchen.goal.conditions]

    def _first_created(self) -> Iterator[tuple[str, str]]:
        """Yield the first created object of each kind, which stands for all of them."""
        for action in self._domain.actions:
            for effect in action.timers("creation"):
                if effect.creates is not None:
                    _, object_type, kind = effect.creates
                    yield self._created_name(kind), object_type

    def _created_name(self, kind: str) -> str:
        numbers = (number for base, number in map(split_name, self._compiled.kitchen.types) if base == kind)
        return f"{kind}{max(numbers, default=0) + 1}"

    def _options(self, condition: Atom) -> list[int]:
        """Return the facts that make a condition of the goal true; empty if it is always true."""
        candidates = self._compiled.kitchen.candidates
        choices = [candidates[part] if "#" in part else (part,) for part in condition[1:]]
        atoms = [(condition[0], *objects) for objects in product(*choices)]
        if not self._compiled.always.isdisjoint(atoms):
            return []
        return [self._numbers[atom] for atom in atoms if atom in self._numbers] or [_NEVER]

    def distance(self, state: State) -> int:
        """Return the estimate for a state."""
        if not self.size:
            return 0
        costs = self._costs(state)
        total = 0
        for options in self._goal:
            total += min((costs[number] for number in options), default=0)
        return total

    def _costs(self, state: State) -> list[int]:
        """Return the least cost of each fact."""
        costs = [_OUT_OF_REACH] * len(self._numbers)
        queue: list[tuple[int, int]] = []

        def reach(number: int | None, cost: int) -> None:
            if number is not None and cost < costs[number]:
                costs[number] = cost
                heappush(queue, (cost, number))

        reach(_TRUE, 0)
        for atom in self._compiled.bits.atoms_of(state[0]):
            reach(self._numbers.get(atom), 0)
        for running in self._compiled.running(state):
            for atom, steps in _pending(running):
                reach(self._numbers.get(atom), steps)
        open_conditions = [len(operator.conditions) for operator in self._operators]
        sums = [operator.cost for operator in self._operators]
        while queue:
            cost, number = heappop(queue)
            if cost > costs[number]:
                continue
            for position in self._users[number]:
                open_conditions[position] -= 1
                sums[position] += cost
                if not open_conditions[position]:
                    for fact in self._operators[position].facts:
                        reach(fact, sums[position])
        return costs

    # Operators

    def _add_operators(self) -> bool:
        """Add the operators of all actions that are possible without deletions; return False for too many."""
        reached = set(self._compiled.kitchen.facts)
        seen: set[tuple[str, tuple[str, ...]]] = set()
        grows = True
        while grows:
            grows = False
            by_predicate: dict[str, list[Atom]] = {}
            for atom in sorted(reached):
                by_predicate.setdefault(atom[0], []).append(atom)
            for action in self._domain.actions:
                for binding in self._bindings(action, by_predicate):
                    key = (action.name, tuple(binding[param] for param, _ in action.params))
                    if key in seen:
                        continue
                    seen.add(key)
                    grows = True
                    for result in self._results(action, binding):
                        reached |= result.facts
                        self._add_operator(action, binding, result)
                    if len(self._operators) > _MAX_OPERATORS:
                        return False
        return True

    def _bindings(self, action: ActionSchema, by_predicate: Mapping[str, Sequence[Atom]]) -> Iterator[dict[str, str]]:
        """Yield the objects for the parameters of an action for which its positive conditions can hold."""
        positive = [literal for literal in action.conditions if literal.value]
        counts = {name: len(atoms) for name, atoms in by_predicate.items()}
        positive.sort(key=lambda literal: counts.get(literal.predicate, 0))
        excluded = [literal for literal in action.conditions if not literal.value]
        excluded = [literal for literal in excluded if literal.predicate not in self._domain.changing]

        def extend(binding: dict[str, str], literals: Sequence[Literal]) -> Iterator[dict[str, str]]:
            if not literals:
                yield from self._complete(action, binding)
                return
            literal = literals[0]
            for atom in by_predicate.get(literal.predicate, ()):
                joined = unify(binding, literal.params, atom[1:])
                if joined is not None:
                    yield from extend(joined, literals[1:])

        for binding in extend({}, positive):
            atoms = (_atom(literal, binding) for literal in excluded)
            if self._compiled.always.isdisjoint(atoms):
                yield binding

    def _complete(self, action: ActionSchema, binding: dict[str, str]) -> Iterator[dict[str, str]]:
        """Yield a binding with all objects for the parameters that no positive condition names."""
        open_params = [(param, param_type) for param, param_type in action.params if param not in binding]
        choices = []
        for _, open_type in open_params:
            choices.append([name for name, object_type in self._types.items() if object_type == open_type])
        for names in product(*choices):
            joined = binding | {param: name for (param, _), name in zip(open_params, names, strict=True)}
            if len(set(joined.values())) == len(joined):
                yield joined

    def _results(self, action: ActionSchema, binding: Mapping[str, str]) -> Iterator[_Result]:
        """Yield the results of an action on objects."""
        facts = frozenset(_atom(literal, binding) for literal in action.changes if literal.value)
        yield _Result(frozenset(), facts, 0)
        for effect in action.effects:
            yield from self._results_of_effect(effect, dict(binding), frozenset(), 0)

    def _results_of_effect(
        self, effect: Effect, binding: dict[str, str], conditions: frozenset[Atom], steps: int
    ) -> Iterator[_Result]:
        conditions |= frozenset(_atom(literal, binding) for literal in effect.conditions if literal.value)
        if effect.creates is not None:
            param, _, kind = effect.creates
            binding[param] = self._created_name(kind)
        if effect.count:
            steps += effect.count_for(binding[effect.param]) - 1
        facts = frozenset(_atom(literal, binding) for literal in effect.changes if literal.value)
        yield _Result(conditions, facts, steps)
        for inner in effect.effects:
            yield from self._results_of_effect(inner, binding, conditions, steps)

    def _add_operator(self, action: ActionSchema, binding: Mapping[str, str], result: _Result) -> None:
        """Add an operator for a result of an action."""
        required = {_atom(literal, binding) for literal in action.conditions if literal.value} | result.conditions
        constant = {atom for atom in required if atom[0] not in self._domain.changing}
        conditions = [self._number(atom) for atom in sorted(required - constant)] or [_TRUE]
        facts = [self._number(atom) for atom in sorted(result.facts)]
        if facts and constant <= self._compiled.always:
            self._operators.append(_Operator(tuple(conditions), tuple(facts), 1 + result.steps))

    def _number(self, atom: Atom) -> int:
        return self._numbers.setdefault(atom, len(self._numbers))


def _pending(running: Running) -> Iterator[tuple[Atom, int]]:
    """Yield the facts that a running effect makes true, with the ticks or repetitions until then."""
    effect = running.effect
    steps = max(1, effect.count - running.count)
    for atom, value in effect.changes:
        if value:
            yield atom, steps
    for nested in running.nested:
        for atom, inner_steps in _pending(nested):
            yield atom, max(steps, inner_steps)


def _atom(literal: Literal, binding: Mapping[str, str]) -> Atom:
    return (literal.predicate, *[binding[param] for param in literal.params])
