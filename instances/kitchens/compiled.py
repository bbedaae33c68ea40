"""The rules compiled for one kitchen: states are small and hashable, steps take microseconds.

They follow the released simulator; `Profile` switches the points in which the paper differs. The tests hold them
against the same rules word by word.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from planoracle.instances.kitchens.action_index import ActionIndex
from planoracle.instances.kitchens.bitset import Bits
from planoracle.instances.kitchens.effects import Running, ground
from planoracle.instances.kitchens.goals import GoalTest
from planoracle.instances.kitchens.kitchen import Atom, Kitchen, natural, split_name
from planoracle.instances.kitchens.profile import PROFILES, Profile
from planoracle.instances.kitchens.timers import Birth, Timers

__all__ = ["Compiled", "Deed", "State", "compiled"]

#: Facts as the bits of a whole number, and the running effects, in their order, as codes.
State = tuple[int, tuple[int, ...]]

# Atoms beside those of the domain: whose turn it is, and whether an object that was not there at the start is.
_TURN, _EXISTS = "#turn", "#exists"


class Deed(NamedTuple):
    """An action of a player on particular objects.

    Attributes
    ----------
    position
        Of the action in the domain.
    arguments
        The objects, in the order of the action's parameters.
    player
        Who does it.
    mask, want
        It is legal if, of the facts in ``mask``, exactly those in ``want`` are true.
    keep, add
        The facts become ``facts & keep | add``.
    effects
        Kind and first code of each effect it starts or continues.
    ticks
        Whether a tick passes after it.
    """

    position: int
    arguments: tuple[str, ...]
    player: str
    text: str
    mask: int
    want: int
    keep: int
    add: int
    effects: tuple[tuple[int, int], ...]
    ticks: bool


class Compiled:
    """The rules of one kitchen.

    A state is a pair of whole numbers and tuples of them; equal states are equal in every respect. It holds the
    changing facts, whose turn it is, the timers and their order. Its meaning depends on this object, which goes on
    learning while it is used: new objects get new bits and deeds, old states stay as they are.

    Attributes
    ----------
    deeds
        What has been legal in some state that was asked about; actions are places in this list, and so mean something
        for this object only.
    """

    def __init__(self, kitchen: Kitchen, rules: Profile = PROFILES["released"]) -> None:
        self.kitchen = kitchen
        self.rules = rules
        self.bits = Bits()
        self._changing = kitchen.domain.changing
        self._always = frozenset(atom for atom in kitchen.facts if atom[0] not in self._changing)
        self.timers = Timers(self.bits, self._always)
        self.deeds: list[Deed] = []
        self._ranks: list[tuple[object, ...]] = []  # of the deeds, to sort them by
        self._types = dict(kitchen.types)
        acting = kitchen.players if len(kitchen.players) > 1 else ()
        self._turns = {player: self.bits.mask((_TURN, player)) for player in acting}
        self._births: dict[tuple[Birth, str], tuple[int, int]] = {}
        self._numbers: dict[tuple[int, str, tuple[str, ...]], int] = {}
        start = self.bits.union(atom for atom in sorted(kitchen.facts) if atom[0] in self._changing)
        self._start: State = (start | self._turns.get(kitchen.players[0], 0), ())
        self._index()

    # What planners and referees use.

    def start(self) -> State:
        """Return the state before the first step."""
        return self._start

    def legal(self, state: State) -> tuple[int, ...]:
        """Return what the player whose turn it is may do."""
        return self._action_index.legal(state[0]).numbers

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
        """Whether the goal is reached: looked at after a step, never at the start."""
        return self._goal.reached(state[0]) and not state[0] & self._acting

    def find(self, state: State, text: str) -> int | None:
        """Return the first legal action that is written like this, or ``None``."""
        return self._action_index.legal(state[0]).by_text.get(text)

    def texts(self, state: State) -> Mapping[str, int]:
        """Return the ways to write the legal actions, each with the first action that it means."""
        return self._action_index.legal(state[0]).by_text

    # What a state means.

    def player(self, state: State) -> str:
        """Return who acts next."""
        return next((player for player, bit in self._turns.items() if state[0] & bit), self.kitchen.players[0])

    def objects(self, state: State) -> dict[str, str]:
        """Return the objects there are, with their types."""
        return {name: kind for name, kind in self._types.items() if self._is_there(state[0], name)}

    def facts(self, state: State) -> frozenset[Atom]:
        """Return the true atoms."""
        return self._always.union(atom for atom in self.bits.atoms_of(state[0]) if atom[0] not in (_TURN, _EXISTS))

    def running(self, state: State) -> tuple[Running, ...]:
        """Return the effects on their way, in their order."""
        return tuple(self.timers.running[code] for code in state[1])

    def share(self, state: State) -> float:
        """Return the share of the goal's conditions that hold for some objects, see `GoalTest.share`."""
        return self._goal.share(state[0])

    # How it is done.

    def _begin(
        self, facts: int, effects: tuple[int, ...], starts: tuple[tuple[int, int], ...]
    ) -> tuple[int, tuple[int, ...]]:
        there = list(effects)
        timers = self.timers
        for kind, first in starts:
            at = next((i for i, code in enumerate(there) if timers.kinds[code] == kind), len(there))
            if at == len(there):
                there.append(first)
            mask, outcomes = timers.redone[there[at]]
            outcome = outcomes.get(facts & mask) or timers.learn(there[at], facts, active=True)
            facts = facts & outcome.keep | outcome.add
            there[at] = outcome.code
            for birth in outcome.births:
                facts = self._bear(facts, birth)
        return facts, tuple(there)

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
        there = (split_name(name) for name in self._types if self._is_there(facts, name))
        number = max((number for kind, number in there if kind == birth.kind), default=0) + 1
        name = f"{birth.kind}{number}"
        masks = self._births.get((birth, name))
        if masks is None:
            if name not in self._types:
                self._grow(name, birth.type)
            keep, add = self._masks([(atom, value) for atom, value in birth.named(name)])
            masks = self._births[birth, name] = (keep, add | self.bits.mask((_EXISTS, name)))
        facts = facts & masks[0] | masks[1]
        return facts & birth.keep | birth.add

    def _is_there(self, facts: int, name: str) -> bool:
        return name in self.kitchen.types or bool(facts & self.bits.mask((_EXISTS, name)))

    def _masks(self, changes: Iterable[tuple[Atom, bool]]) -> tuple[int, int]:
        keep, add = -1, 0
        for atom, value in changes:
            bit = self.bits.mask(atom)
            keep, add = (keep, add | bit) if value else (keep & ~bit, add & ~bit)
        return keep, add

    def _grow(self, name: str, its_type: str) -> None:
        """Take up an object that has come into being for the first time."""
        self._types[name] = its_type
        self._index()

    def _index(self) -> None:
        """Make everything that depends on which objects there may be."""
        born = [name for name in self._types if name not in self.kitchen.types]
        self._action_index = ActionIndex(
            self.kitchen.domain,
            self.bits,
            self._always,
            self._types,
            self._turns or {self.kitchen.players[0]: 0},
            {name: self.bits.mask((_EXISTS, name)) for name in born},
            self._number,
            self._order,
        )
        self._goal = GoalTest(self.kitchen, self.bits, frozenset(self._types), self._always)
        # Somebody other than the first acts: in joint moves, the step is not over.
        later = [bit for player, bit in self._turns.items() if player != self.kitchen.players[0]]
        self._acting = sum(later) if self.rules.moves == "joint" else 0

    def _number(self, position: int, player: str, binding: dict[str, str]) -> int:
        """Return the place of a deed in the list, where it is put when it is first met."""
        arguments = tuple([binding[param] for param, _ in self.kitchen.domain.actions[position].params])
        number = self._numbers.get((position, player, arguments))
        if number is None:
            number = self._numbers[position, player, arguments] = len(self.deeds)
            self.deeds.append(self._deed(position, player, arguments, binding))
            self._ranks.append((position, *map(natural, arguments)))
        return number

    def _order(self, number: int) -> tuple[object, str]:
        return self._ranks[number], self.deeds[number].text

    def _deed(self, position: int, player: str, arguments: tuple[str, ...], binding: dict[str, str]) -> Deed:
        action = self.kitchen.domain.actions[position]
        mask = want = 0
        for predicate, params, value in action.conditions:
            if predicate in self._changing:
                bit = self.bits.mask((predicate, *[binding[param] for param in params]))
                mask |= bit
                if value:
                    want |= bit
        for name in arguments:
            if name not in self.kitchen.types:
                bit = self.bits.mask((_EXISTS, name))
                mask, want = mask | bit, want | bit
        keep, add = self._masks(
            [((what, *[binding[p] for p in params]), value) for what, params, value in action.changes]
        )
        players = self.kitchen.players
        after = players[(players.index(player) + 1) % len(players)]
        if self._turns:
            mask |= sum(self._turns.values())
            want |= self._turns[player]
            keep &= ~self._turns[player]
            add |= self._turns[after]
        return Deed(
            position=position,
            arguments=arguments,
            player=player,
            text=action.write(binding),
            mask=mask,
            want=want,
            keep=keep,
            add=add,
            effects=tuple([self.timers.kind(ground(effect, binding)) for effect in action.effects]),
            ticks=self.rules.moves == "turns" or after == players[0],
        )


@lru_cache(maxsize=128)
def compiled(kitchen: Kitchen, rules: Profile = PROFILES["released"]) -> Compiled:
    """Return the compiled rules of a kitchen; the same object for the same kitchen."""
    return Compiled(kitchen, rules)
