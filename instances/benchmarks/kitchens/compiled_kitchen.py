"""Rules compiled for one kitchen: states are small and hashable, steps take microseconds.

They follow the released simulator; `KitchenRules` switches the points in which the paper differs. The tests hold them
against the same rules word by word.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from threading import Lock
from typing import NamedTuple

from planoracle.instances.benchmarks.kitchens.action_index import EXISTS, ActionIndex, GoalTest
from planoracle.instances.benchmarks.kitchens.domain import ACTOR, ActionSchema
from planoracle.instances.benchmarks.kitchens.effects import Creation, Running, Timers, ground
from planoracle.instances.benchmarks.kitchens.goal_text import by_text
from planoracle.instances.benchmarks.kitchens.kitchen import (
    PROFILES,
    Atom,
    Bits,
    Kitchen,
    KitchenRules,
    natural,
    split_name,
)
from planoracle.instances.benchmarks.kitchens.language import match, suits
from planoracle.instances.protocol.simulator import LegalCommand

#: Facts as the bits of a whole number, and the running effects, in their order, as codes.
State = tuple[int, tuple[int, ...]]

#: Atom that it is the turn of a player.
TURN = "#turn"


def under(kitchen: Kitchen, rules: KitchenRules) -> Kitchen:
    """Return a kitchen as the rules change its goal and its unit of time."""
    kitchen = by_text(kitchen) if rules.goal == "text" else kitchen
    unit = "round" if rules.moves == "joint" else "step"
    return kitchen if kitchen.unit == unit else replace(kitchen, unit=unit)


class GroundAction(NamedTuple):
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
        It is legal if, of the facts in ``mask``, exactly those in ``want`` are true, and what never changes allows it.
    keep, add
        The facts become ``facts & keep | add``.
    effects
        Kind and first code of each effect it starts or continues.
    ticks
        Whether a tick passes after it.
    rank
        Sort key of legal actions.
    is_wait
        True if it does nothing.
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
    rank: tuple[object, ...]
    is_wait: bool


class CompiledKitchen:
    """Rules of one kitchen, compiled to bit sets.

    A state is a pair of whole numbers and tuples of them; equal states are equal in every respect. It holds the
    changing facts, whose turn it is, the timers and their order. Its meaning depends on this object, which goes on
    learning while it is used: new objects get new bits and actions, old states stay as they are.

    Attributes
    ----------
    bits, timers
        Numbering of atoms, and of effects on their way.
    actions
        Ground actions that have been asked about. Numbers of actions are places in this list, and so mean something
        for this object only.
    always
        The facts that never change.
    turns
        The fact that it is a player's turn; 0 for one who is alone.
    types
        The objects that there may be, with their types.
    existence
        The fact that an object is there, where that does not go without saying.
    """

    def __init__(self, kitchen: Kitchen, rules: KitchenRules = PROFILES["released"]) -> None:
        self.kitchen = kitchen = under(kitchen, rules)
        self.rules = rules
        domain, players = kitchen.domain, kitchen.players
        self.always = frozenset(atom for atom in kitchen.facts if atom[0] not in domain.changing)
        self.bits = Bits()
        self.timers = Timers(self.bits, self.always)
        self.actions: list[GroundAction] = []
        self._positions = {action.name: position for position, action in enumerate(domain.actions)}
        self._numbers: dict[tuple[int, str, tuple[str, ...]], int] = {}
        self._lock = Lock()  # runs in several threads may use the same rules
        self.turns = {player: self.bits.mask((TURN, player)) if len(players) > 1 else 0 for player in players}
        # Somebody other than the first acts: in joint moves, the step is not over.
        self._acting = sum([self.turns[player] for player in players[1:]]) if rules.moves == "joint" else 0
        self.types = dict(kitchen.types)
        self._learn()
        facts = self.bits.union(sorted(kitchen.facts - self.always))
        self._start: State = (facts | self.turns[players[0]] | sum(self.existence.values()), ())
        self._goal = GoalTest(kitchen, self.bits, self.always)

    # Interface of planners and replays

    def start(self) -> State:
        """Return the state before the first step."""
        return self._start

    def legal(self, state: State) -> tuple[int, ...]:
        """Return what the player whose turn it is may do."""
        return self._index.legal(state[0]).numbers

    def texts(self, state: State) -> Mapping[str, int]:
        """Return the ways to write the legal actions, each with the first action that it means."""
        return self._index.legal(state[0]).by_text

    def commands(self, state: State) -> tuple[LegalCommand, ...]:
        """Return the same as commands of agents."""
        return self._index.legal(state[0]).commands

    def step(self, state: State, action: int) -> State:
        """Carry out an action, which must be legal."""
        facts, effects = state
        ground_action = self.actions[action]
        facts = facts & ground_action.keep | ground_action.add
        if ground_action.effects:
            facts, effects = self._begin(facts, effects, ground_action.effects)
        if effects and ground_action.ticks:
            return self._tick(facts, effects)
        return facts, effects

    def ticks(self, state: State, actions: int) -> int:
        """Return the steps that so many actions after a state take, or with joint moves the rounds."""
        if self.rules.moves == "turns":
            return actions
        players = self.kitchen.players
        return -(-(players.index(self.player(state)) + actions) // len(players))

    def goal(self, state: State) -> bool:
        """Return whether the goal is reached; asked after a step, never at the start."""
        return self._goal.reached(state[0]) and not state[0] & self._acting

    def find(self, state: State, text: str) -> int | None:
        """Return the first legal action that is written like this, or ``None``."""
        actions, facts = self.actions, state[0]
        numbers = self._closed.get(text) or self._meanings(state, text)
        legal = [number for number in numbers if facts & actions[number].mask == actions[number].want]
        return min(legal, key=lambda number: actions[number].rank, default=None)

    # Meaning of a state

    def player(self, state: State) -> str:
        """Return who acts next."""
        for player, bit in self.turns.items():
            if state[0] & bit:
                return player
        return self.kitchen.players[0]

    def objects(self, state: State) -> dict[str, str]:
        """Return the objects there are, with their types."""
        return {name: kind for name, kind in self.types.items() if self._is_there(state[0], name)}

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

    # Actions

    def number(self, position: int, player: str, binding: Mapping[str, str]) -> int:
        """Return the number of a ground action, which is created when it is first asked for."""
        arguments = tuple([binding[param] for param, _ in self.kitchen.domain.actions[position].params])
        number = self._numbers.get((position, player, arguments))
        if number is None:
            with self._lock:
                number = len(self.actions)
                self.actions.append(self._ground_action(position, player, arguments, binding))
                self._numbers[position, player, arguments] = number
        return number

    def _ground_action(
        self, position: int, player: str, arguments: tuple[str, ...], binding: Mapping[str, str]
    ) -> GroundAction:
        action, players = self.kitchen.domain.actions[position], self.kitchen.players
        mask = want = 0
        for predicate, params, value in action.conditions:
            atom = (predicate, *[binding[param] for param in params])
            if predicate in self.kitchen.domain.changing:
                bit = self.bits.mask(atom)
                mask |= bit
                if value:
                    want |= bit
            elif (atom in self.always) != value:
                want = -1  # never legal
        present = sum([self.existence.get(name, 0) for name in arguments])
        changes = []
        for predicate, params, value in action.changes:
            changes.append(((predicate, *[binding[param] for param in params]), value))
        keep, add = self._masks(changes)
        effects = [self.timers.kind(ground(effect, binding)) for effect in action.effects]
        next_player = players[(players.index(player) + 1) % len(players)]
        turn = self.turns[player]
        all_turns = sum(self.turns.values())
        return GroundAction(
            position=position,
            arguments=arguments,
            player=player,
            text=action.write(binding),
            mask=mask | present | all_turns,
            want=want | present | turn,
            keep=keep & ~turn,
            add=add | self.turns[next_player],
            effects=tuple(effects),
            ticks=self.rules.moves == "turns" or next_player == players[0],
            rank=(position, *map(natural, arguments)),
            is_wait=not (action.changes or action.effects),
        )

    def _masks(self, changes: Iterable[tuple[Atom, bool]]) -> tuple[int, int]:
        keep, add = -1, 0
        for atom, value in changes:
            bit = self.bits.mask(atom)
            keep, add = (keep, add | bit) if value else (keep & ~bit, add & ~bit)
        return keep, add

    def _meanings(self, state: State, text: str) -> list[int]:
        """Return the actions that a text may mean: all that are legal, and perhaps others."""
        numbers, is_open = list[int](), False
        readings = match(text, self.kitchen.domain)
        for action, named in [reading for reading in readings if suits(*reading, self.types)]:
            is_open = is_open or len(named) < len(action.params)
            for binding in self._complete(state, action, named) if is_open else (named,):
                actors = [binding[param] for param, kind in action.params if kind == ACTOR]
                for player in actors or self.kitchen.players:
                    numbers.append(self.number(self._positions[action.name], player, binding))
        if numbers and not is_open:
            self._closed[text] = numbers
        return numbers

    def _complete(self, state: State, action: ActionSchema, binding: dict[str, str]) -> Iterator[dict[str, str]]:
        """Yield the binding with all objects for open parameters for which the conditions hold."""
        for predicate, params, value in action.conditions:
            atom = (predicate, *[binding.get(param, "") for param in params])
            if "" not in atom and self.holds(state, atom) != value:
                return
        open_param = next((param for param in action.params if param[0] not in binding), None)
        if open_param is None:
            yield binding
            return
        param, param_type = open_param
        for name, object_type in self.types.items():
            if object_type == param_type and name not in binding.values():
                yield from self._complete(state, action, {**binding, param: name})

    # Effects

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
            for creation in outcome.creations:
                facts = self._create(facts, creation)
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
            keep, add, code, creations = outcome
            facts = facts & keep | add
            if creations:
                for creation in creations:
                    facts = self._create(facts, creation)
            if code >= 0:
                after.append(code)
            else:
                skip = self.rules.skip_after_finish
        return facts, tuple(after)

    def _create(self, facts: int, creation: Creation) -> int:
        existing = (split_name(name) for name in self.types if self._is_there(facts, name))
        number = max((number for kind, number in existing if kind == creation.kind), default=0) + 1
        name = f"{creation.kind}{number}"
        if name not in self.types:
            self.types[name] = creation.type
            self._learn()
        keep, add = self._masks(creation.changes_of(name))
        facts = facts & keep | add | self.existence[name]
        return facts & creation.keep | creation.add

    def _is_there(self, facts: int, name: str) -> bool:
        exists = self.existence.get(name)
        return exists is None or bool(facts & exists)

    def _learn(self) -> None:
        """Make everything that depends on which objects there may be."""
        created = self.kitchen.domain.created
        names = [name for name in self.types if split_name(name)[0] in created]
        self.existence = {name: self.bits.mask((EXISTS, name)) for name in names}
        self._marks = sum(self.turns.values()) | sum(self.existence.values())
        self._closed: dict[str, list[int]] = {}  # actions of texts that leave nothing open
        self._index = ActionIndex(self)


@lru_cache(maxsize=128)
def compiled(kitchen: Kitchen, rules: KitchenRules = PROFILES["released"]) -> CompiledKitchen:
    """Return the compiled rules of a kitchen; the same object for the same kitchen."""
    return CompiledKitchen(kitchen, rules)
