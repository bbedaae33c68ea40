"""Rules compiled for one kitchen: states are small and hashable, steps take microseconds.

They follow the released simulator; `Profile` switches the points in which the paper differs. The tests hold them
against the same rules word by word.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from planoracle.instances.benchmarks.kitchens.action_index import ActionIndex, GoalTest
from planoracle.instances.benchmarks.kitchens.compiled_rules import Birth, CompiledRules, shared_world
from planoracle.instances.benchmarks.kitchens.effects import Running
from planoracle.instances.benchmarks.kitchens.kitchen import Atom, Kitchen, split_name
from planoracle.instances.benchmarks.kitchens.meanings import is_plain
from planoracle.instances.benchmarks.kitchens.rules import PROFILES, Profile
from planoracle.instances.benchmarks.kitchens.text_index import TextIndex
from planoracle.instances.protocol.simulator import LegalCommand

#: Facts as the bits of a whole number, and the running effects, in their order, as codes.
State = tuple[int, tuple[int, ...]]


class CompiledKitchen:
    """The rules of one kitchen.

    A state is a pair of whole numbers and tuples of them; equal states are equal in every respect. It holds the
    changing facts, whose turn it is, the timers and their order. Its meaning depends on this object, which goes on
    learning while it is used: new objects get new bits and deeds, old states stay as they are.

    Parameters
    ----------
    world
        Numbering shared by several kitchens; by default one of its own, with the smallest numbers.

    Attributes
    ----------
    deeds
        What has been asked about; actions are places in this list, and so mean something for this world only.
    always
        The facts that never change.
    """

    def __init__(
        self, kitchen: Kitchen, rules: Profile = PROFILES["released"], world: CompiledRules | None = None
    ) -> None:
        self.kitchen = kitchen
        self.rules = rules
        self.always = frozenset(atom for atom in kitchen.facts if atom[0] not in kitchen.domain.changing)
        self.world = world or CompiledRules(kitchen.domain, kitchen.players, rules.moves, self.always)
        self.bits = self.world.bits
        self.timers = self.world.timers
        self.deeds = self.world.deeds
        self._types = dict(kitchen.types)
        self._plain = is_plain(self.world.domain)
        self._turns = self.world.turns
        self._goal = GoalTest(kitchen, self.bits, self.always)
        self._start: State = (self.world.start(kitchen), ())
        # Somebody other than the first acts: in joint moves, the step is not over.
        later = [bit for player, bit in self._turns.items() if player != kitchen.players[0]]
        self._acting = sum(later) if rules.moves == "joint" else 0
        self._learn()

    # Interface of planners and replays

    def start(self) -> State:
        """Return the state before the first step."""
        return self._start

    def legal(self, state: State) -> tuple[int, ...]:
        """Return what the player whose turn it is may do."""
        return (self._action_index or self._moves).legal(state[0]).numbers

    def step(self, state: State, action: int) -> State:
        """Carry out an action, which must be legal."""
        facts, effects = state
        _, _, _, _, _, _, keep, add, starts, ticks = self.deeds[action]
        facts = facts & keep | add
        if starts:
            facts, effects = self._begin(facts, effects, starts)
        if effects and ticks:
            return self._tick(facts, effects)
        return facts, effects

    def goal(self, state: State) -> bool:
        """Return whether the goal is reached; asked after a step, never at the start."""
        return self._goal.reached(state[0]) and not state[0] & self._acting

    def find(self, state: State, text: str) -> int | None:
        """Return the first legal action that is written like this, or ``None``."""
        if self._plain:
            return self._text_index.find(state[0], text)
        return self._moves.legal(state[0]).by_text.get(text)

    def texts(self, state: State) -> Mapping[str, int]:
        """Return the ways to write the legal actions, each with the first action that it means."""
        return self._moves.legal(state[0]).by_text

    def commands(self, state: State) -> tuple[LegalCommand, ...]:
        """Return the same as commands of agents."""
        return self._moves.legal(state[0]).commands

    def is_wait(self, action: int) -> bool:
        """Return whether an action does nothing."""
        return self.world.is_wait(action)

    # Meaning of a state

    def player(self, state: State) -> str:
        """Return who acts next."""
        return next((player for player, bit in self._turns.items() if state[0] & bit), self.kitchen.players[0])

    def objects(self, state: State) -> dict[str, str]:
        """Return the objects there are, with their types."""
        return {name: kind for name, kind in self._types.items() if self._is_there(state[0], name)}

    def facts(self, state: State) -> frozenset[Atom]:
        """Return the true atoms."""
        return self.always.union(self.bits.atoms_of(state[0] & ~self._marks))

    def holds(self, state: State, atom: Atom) -> bool:
        """Return whether an atom is true."""
        return atom in self.always or bool(state[0] & self.bits.existing_mask(atom))

    def running(self, state: State) -> tuple[Running, ...]:
        """Return the effects on their way, in their order."""
        return tuple(self.timers.running[code] for code in state[1])

    def met(self, state: State) -> list[tuple[Atom, list[Atom]]]:
        """Return the goal's conditions, each with the true atoms that make it true for some objects."""
        return self._goal.met(state[0])

    def relevant(self, state: State) -> int:
        """Return a number that is the same for states in which the same is true of what the goal speaks of."""
        return self._goal.relevant(state[0])

    def share(self, state: State) -> float:
        """Return the share of the goal's conditions that hold for some objects, see `GoalTest.share`."""
        return self._goal.share(state[0])

    # Implementation

    def _begin(
        self, facts: int, effects: tuple[int, ...], starts: tuple[tuple[int, int], ...]
    ) -> tuple[int, tuple[int, ...]]:
        running = list(effects)
        timers = self.timers
        for kind, first in starts:
            at = next((i for i, code in enumerate(running) if timers.kinds[code] == kind), len(running))
            if at == len(running):
                running.append(first)
            mask, outcomes = timers.redone[running[at]]
            outcome = outcomes.get(facts & mask) or timers.learn(running[at], facts, active=True)
            facts = facts & outcome.keep | outcome.add
            running[at] = outcome.code
            for birth in outcome.births:
                facts = self._bear(facts, birth)
        return facts, tuple(running)

    def _tick(self, facts: int, effects: tuple[int, ...]) -> State:
        timers = self.timers
        after = []
        skip = False
        for code in effects:
            if skip:
                skip = False
                after.append(code)
                continue
            mask, outcomes = timers.ticks[code]
            outcome = outcomes.get(facts & mask)
            if outcome is None:
                outcome = timers.learn(code, facts, active=False)
            keep, add, code, births = outcome
            facts = facts & keep | add
            if births:
                for birth in births:
                    facts = self._bear(facts, birth)
            if code >= 0:
                after.append(code)
            else:
                skip = self.rules.skip_after_finish
        return facts, tuple(after)

    def _bear(self, facts: int, birth: Birth) -> int:
        existing = (split_name(name) for name in self._types if self._is_there(facts, name))
        number = max((number for kind, number in existing if kind == birth.kind), default=0) + 1
        name = f"{birth.kind}{number}"
        if name not in self._types:
            self._types[name] = birth.type
            self._learn()
        keep, add = self.world.born(birth, name)
        facts = facts & keep | add
        return facts & birth.keep | birth.add

    def _is_there(self, facts: int, name: str) -> bool:
        exists = self._exists.get(name)
        return exists is None or bool(facts & exists)

    def _learn(self) -> None:
        """Make everything that depends on which objects there may be."""
        self._exists = {name: bit for name in self._types if (bit := self.world.exists(name))}
        self._marks = sum(self._turns.values()) | sum(self._exists.values())
        self._text_index = TextIndex(self.world, self._types, self.always)
        self._action_index: ActionIndex | None = None

    @property
    def _moves(self) -> ActionIndex:
        """Index of legal actions, built on first use."""
        if self._action_index is None:
            self._action_index = ActionIndex(
                self.world,
                self.always,
                self._types,
                self._turns or {self.kitchen.players[0]: 0},
                self._exists,
            )
        return self._action_index


@lru_cache(maxsize=128)
def compiled(kitchen: Kitchen, rules: Profile = PROFILES["released"]) -> CompiledKitchen:
    """Return the compiled rules of a kitchen; the same object for the same kitchen."""
    return CompiledKitchen(kitchen, rules, shared_world(kitchen, rules.moves))
