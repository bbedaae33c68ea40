"""Index of legal actions by the facts that decide about them; test of the goal."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import product
from math import prod
from operator import or_
from typing import TYPE_CHECKING, NamedTuple

from planoracle.instances.benchmarks.kitchens.domain import ACTOR, ActionSchema, KitchenDomain, Literal
from planoracle.instances.benchmarks.kitchens.kitchen import MAX_ATOMS, Atom, Bits, Kitchen, can_be_cast
from planoracle.instances.errors import InputError
from planoracle.instances.protocol.simulator import LegalCommand

if TYPE_CHECKING:
    from planoracle.instances.benchmarks.kitchens.compiled_kitchen import CompiledKitchen

#: Atom that an object is there of a kind that comes into being.
EXISTS = "#exists"

#: Nodes after which the memory is emptied.
MAX_NODES = 100_000


class LegalActions(NamedTuple):
    """Legal actions in order, the first of them for every way to write one, and these as commands."""

    numbers: tuple[int, ...]
    by_text: dict[str, int]
    commands: tuple[LegalCommand, ...]


class _Round(NamedTuple):
    """Round of queries of an action: conditions whose objects are bound, and further objects.

    ``sources`` are parameters with a condition that names their object; ``free`` is one that no condition names.
    """

    fixed: tuple[Literal, ...]
    tests: tuple[Literal, ...]
    sources: tuple[tuple[str, Literal], ...]
    free: tuple[str, str] | None


class _Partial(NamedTuple):
    """An action of a player after some rounds, with the objects known by then."""

    position: int
    player: str
    rounds: tuple[_Round, ...]
    binding: dict[str, str]


class _Source(NamedTuple):
    """The facts any of which names an object."""

    mask: int
    names: dict[int, str]


class _FactQuery(NamedTuple):
    """Query of a partial action: of the facts in ``mask`` exactly ``want`` must be true; and objects."""

    partial: _Partial
    mask: int
    want: int
    sources: list[tuple[str, _Source]]


@dataclass(slots=True)
class _Node:
    """A decision: what follows for every value of the facts in ``mask``."""

    mask: int
    queries: list[_FactQuery]
    actions: list[int]
    ways: dict[int, _Node | LegalActions]


class ActionIndex:
    """Legal actions by facts.

    All actions together ask for facts in rounds: those about the player whose turn it is, then those about what is
    where it stands, and so on; in each round only what the answers so far leave open. Every round met is remembered, so
    that in the end a state costs as many look-ups as it has rounds.

    Parameters
    ----------
    engine
        The compiled rules.
    """

    def __init__(self, engine: CompiledKitchen) -> None:
        self._engine = engine
        self._domain = engine.kitchen.domain
        self._bits = engine.bits
        self._of_type: dict[str, list[str]] = {}
        for name, object_type in engine.types.items():
            self._of_type.setdefault(object_type, []).append(name)
        self._patterns: dict[tuple[str, tuple[str | None, ...]], _Source] = {}
        self._reset()

    def _reset(self) -> None:
        self._nodes = 0
        queries = []
        turns = self._engine.turns
        for player, turn in turns.items():
            for position, param, rounds in _questions(self._domain):
                binding = {} if param is None else {param: player}
                partial = _Partial(position, player, rounds, binding)
                queries.append(_FactQuery(partial, turn, turn, []))
        self._root = _Node(sum(turns.values()), queries, [], {})

    def legal(self, facts: int) -> LegalActions:
        """Return the legal actions."""
        node: _Node | LegalActions = self._root
        while isinstance(node, _Node):
            key = facts & node.mask
            follower = node.ways.get(key)
            node = self._branch(node, key) if follower is None else follower
        return node

    def _branch(self, node: _Node, key: int) -> _Node | LegalActions:
        """Add what follows from an answer."""
        self._nodes += 1
        if self._nodes >= MAX_NODES:
            self._reset()
        queries: list[_FactQuery] = []
        actions = list(node.actions)
        node_mask = 0
        for question in node.queries:
            if key & question.mask != question.want:
                continue
            partials = _bindings_of(question, key)
            while partials:
                partial = partials.pop()
                if not partial.rounds:
                    actions.append(self._engine.number(partial.position, partial.player, partial.binding))
                elif partial.rounds[0].free is not None:
                    partials += self._choose(partial)
                else:
                    further = self._ask(partial)
                    if further is None:
                        continue
                    if not further.mask and not further.sources:
                        partials.append(further.partial)
                        continue
                    queries.append(further)
                    node_mask |= further.mask
                    for _, source in further.sources:
                        node_mask |= source.mask
        way: _Node | LegalActions = _Node(node_mask, queries, actions, {}) if queries else self._moves(actions)
        node.ways[key] = way
        return way

    def _moves(self, actions: list[int]) -> LegalActions:
        ground_actions = self._engine.actions
        ordered = sorted(actions, key=lambda number: ground_actions[number].rank)
        by_text: dict[str, int] = {}
        for number in ordered:
            by_text.setdefault(ground_actions[number].text, number)
        commands = []
        for text, number in by_text.items():
            kind = "wait" if ground_actions[number].is_wait else "act"
            commands.append(LegalCommand(text, kind))
        return LegalActions(tuple(ordered), by_text, tuple(commands))

    def _ask(self, partial: _Partial) -> _FactQuery | None:
        """Ask the next round of questions; ``None`` if a fact that never changes forbids the action."""
        position, player, rounds, binding = partial
        next_round = rounds[0]
        for predicate, params, value in next_round.fixed:
            atom = (predicate, *[binding[param] for param in params])
            if (atom in self._engine.always) != value:
                return None
        mask = want = 0
        for predicate, params, value in next_round.tests:
            bit = self._bits.mask((predicate, *[binding[param] for param in params]))
            mask |= bit
            if value:
                want |= bit
        sources = [(param, self._source(literal, binding)) for param, literal in next_round.sources]
        return _FactQuery(_Partial(position, player, rounds[1:], binding), mask, want, sources)

    def _choose(self, partial: _Partial) -> list[_Partial]:
        """Put any object of its type for a parameter; of one that need not be there, ask that first."""
        position, player, rounds, binding = partial
        assert rounds[0].free is not None
        param, param_type = rounds[0].free
        is_there = Literal(EXISTS, (param,))
        chosen = []
        for name in self._of_type.get(param_type, ()):
            if name not in binding.values():
                first = (_Round((), (is_there,), (), None),) if name in self._engine.existence else ()
                chosen.append(_Partial(position, player, (*first, *rounds[1:]), {**binding, param: name}))
        return chosen

    def _source(self, literal: Literal, binding: dict[str, str]) -> _Source:
        """Return the facts that make a condition true for some object."""
        shape = tuple([binding.get(param) for param in literal.params])
        source = self._patterns.get((literal.predicate, shape))
        if source is None:
            open_type = self._domain.signature[literal.predicate][shape.index(None)]
            names = {}
            for name in self._of_type.get(open_type, ()):
                if name not in shape:
                    atom = (literal.predicate, *[part or name for part in shape])
                    names[self._bits.mask(atom)] = name
            source = self._patterns[literal.predicate, shape] = _Source(sum(names), names)
        return source


def _bindings_of(question: _FactQuery, key: int) -> list[_Partial]:
    """Return the partial action once for every choice of objects that the facts name."""
    position, player, rounds, binding = question.partial
    if not question.sources:
        return [question.partial]
    choices = []
    for _, (mask, named) in question.sources:
        true = key & mask
        names = []
        while true:
            low = true & -true
            names.append(named[low])
            true ^= low
        if not names:
            return []
        choices.append(names)
    answered = []
    for chosen in product(*choices):
        joined = dict(binding)
        for (param, _), name in zip(question.sources, chosen, strict=True):
            joined[param] = name
        if len(set(joined.values())) == len(joined):
            answered.append(_Partial(position, player, rounds, joined))
    return answered


@lru_cache(maxsize=8)
def _questions(domain: KitchenDomain) -> tuple[tuple[int, str | None, tuple[_Round, ...]], ...]:
    """Plan the rounds of every action and parameter of the player; ``None``: an action without a player."""
    plans: list[tuple[int, str | None, tuple[_Round, ...]]] = []
    for position, action in enumerate(domain.actions):
        actors: list[str | None] = [param for param, param_type in action.params if param_type == ACTOR]
        for param in actors or [None]:
            plans.append((position, param, _rounds(action, param, domain.changing)))
    return tuple(plans)


def _rounds(action: ActionSchema, actor: str | None, changing: frozenset[str]) -> tuple[_Round, ...]:
    bound = set() if actor is None else {actor}
    pending = list(action.conditions)
    rounds = []
    while pending or len(bound) < len(action.params):
        ready = [literal for literal in pending if bound.issuperset(literal.params)]
        pending = [literal for literal in pending if literal not in ready]
        sources: dict[str, Literal] = {}
        for literal in pending:
            unknown = [param for param in literal.params if param not in bound]
            if len(unknown) == 1 and literal.value and literal.predicate in changing:
                best = sources.setdefault(unknown[0], literal)
                if len(literal.params) > len(best.params):
                    sources[unknown[0]] = literal
        # What says something about known objects narrows down best; all else waits.
        telling = {param: literal for param, literal in sources.items() if len(literal.params) > 1}
        chosen = tuple((telling or dict(list(sources.items())[:1])).items())
        pending = [literal for literal in pending if literal not in [source for _, source in chosen]]
        free = None
        if not ready and not chosen:
            free = next(param for param in action.params if param[0] not in bound)
            bound.add(free[0])
        fixed = tuple(literal for literal in ready if literal.predicate not in changing)
        tests = tuple(literal for literal in ready if literal.predicate in changing)
        rounds.append(_Round(fixed, tests, chosen, free))
        bound.update(param for param, _ in chosen)
    return tuple(rounds)


def check_choices(kitchen: Kitchen) -> None:
    """Raise `InputError` for an action of a user's domain with too many choices of objects.

    Choices are the objects of parameters that no condition on another object narrows down.
    """
    if kitchen.domain.is_standard:
        return
    count = Counter(object_type for _, object_type in kitchen.objects)
    for position, _, rounds in _questions(kitchen.domain):
        action = kitchen.domain.actions[position]
        types = dict(action.params)
        choices = 1
        for part in rounds:
            open_params = [param for param, literal in part.sources if len(literal.params) == 1]
            open_params += [] if part.free is None else [part.free[0]]
            choices *= prod(count[types[param]] for param in open_params)
        if choices > MAX_ATOMS:
            message = f"has more than {MAX_ATOMS} choices of objects in {kitchen.name}; add conditions on them"
            raise InputError(message, field="domain.action_defs", value=action.name)


#: Answers about a goal that are remembered.
MAX_ANSWERS = 100_000


class GoalTest:
    """Test and progress of the goal of a kitchen.

    Parameters
    ----------
    always
        Facts that never change.
    """

    def __init__(self, kitchen: Kitchen, bits: Bits, always: frozenset[Atom]) -> None:
        self._possible = all(kitchen.candidates.values())
        self._options: list[tuple[Atom, list[tuple[int, Atom]]]] = []  # atoms that make a condition true; 0: always
        alike: Counter[Atom] = Counter()
        masks: dict[Atom, int] = {}
        for condition in kitchen.goal.conditions:
            predicate, *parts = condition
            domains = [kitchen.candidates[part] if "#" in part else (part,) for part in parts]
            atoms = [(predicate, *arguments) for arguments in product(*domains)]
            if predicate in kitchen.domain.changing:
                bits_and_atoms = [(bits.mask(atom), atom) for atom in atoms]
                self._options.append((condition, bits_and_atoms))
                pattern = (predicate, *[part.partition("#")[0] for part in parts])
                alike[pattern] += 1
                masks[pattern] = sum(bit for bit, _ in bits_and_atoms)
            else:
                self._options.append((condition, [(0, atom) for atom in atoms if atom in always]))
        #: Conditions that differ in their roles only are made true by different facts: so many of the mask, at least.
        self._needed = sorted((count, masks[pattern]) for pattern, count in alike.items())
        self._total = sum(alike.values())
        self._mask = reduce(or_, masks.values(), 0)
        # Both by the facts that decide about the goal.
        self._can_be_cast = lru_cache(MAX_ANSWERS)(self._has_cast)
        self._share_of = lru_cache(MAX_ANSWERS)(self._share)

    def met(self, facts: int) -> list[tuple[Atom, list[Atom]]]:
        """Return the conditions, each with the true atoms that make it true for some objects."""
        met = []
        for condition, options in self._options:
            atoms = [atom for bit, atom in options if not bit or facts & bit]
            met.append((condition, atoms))
        return met

    def _has_cast(self, facts: int) -> bool:
        return self._possible and can_be_cast(self.met(facts))

    def relevant(self, facts: int) -> int:
        """Return the facts that decide about the goal."""
        return facts & self._mask

    def reached(self, facts: int) -> bool:
        """Return whether some choice of different objects makes all conditions true."""
        for count, mask in self._needed:
            if (facts & mask).bit_count() < count:
                return False
        return self._can_be_cast(facts & self._mask)

    def share(self, facts: int) -> float:
        """Return the share of the changing conditions that hold, each for some objects or other.

        Whether they are the same objects throughout is not asked, so this is an upper bound; it is 1 only if the goal
        is reached.
        """
        return self._share_of(facts & self._mask)

    def _share(self, facts: int) -> float:
        if self.reached(facts):
            return 1.0
        met = sum(min(count, (facts & mask).bit_count()) for count, mask in self._needed)
        return min(met, self._total - 1) / self._total if self._total else 0.0
