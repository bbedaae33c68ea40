"""Rules as bit masks: numbers of atoms, actions and running effects, and cached updates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from threading import RLock
from typing import NamedTuple

from planoracle.instances.benchmarks.kitchens.domain import KitchenDomain
from planoracle.instances.benchmarks.kitchens.effects import Change, GroundEffect, Running, ground, start, update
from planoracle.instances.benchmarks.kitchens.kitchen import Atom, Bits, Kitchen, natural, split_name
from planoracle.instances.benchmarks.kitchens.meanings import Meanings

_NEWBORN = "?"  # stands for the number of an object that is being created


class Birth(NamedTuple):
    """Object created by an update: its changes, and the masks of the changes that follow."""

    kind: str
    type: str
    changes: tuple[Change, ...]
    keep: int
    add: int

    def changes_of(self, name: str) -> list[Change]:
        """Return the changes with the name of the object."""
        token = self.kind + _NEWBORN
        return [(tuple(name if part == token else part for part in atom), value) for atom, value in self.changes]


class UpdateOutcome(NamedTuple):
    """Result of an update: facts become ``facts & keep | add``, the effect ``code``; -1: it is finished."""

    keep: int
    add: int
    code: int
    births: tuple[Birth, ...]


class Timers:
    """Codes of running effects, and their updates; ``always`` are the facts that never change.

    Attributes
    ----------
    running
        By code, the effect and how far it is.
    kinds
        By code, a number of the effect alone; -1 if doing the action again does not continue it.
    ticks, redone
        By code, the mask of the facts that an update depends on, and the outcomes by those facts: of a tick, of
        doing the action again. `learn` adds an outcome that is not there yet.
    """

    def __init__(self, bits: Bits, always: frozenset[Atom]) -> None:
        self._bits = bits
        self._always = always
        self.running: list[Running] = []
        self.kinds: list[int] = []
        self.ticks: list[tuple[int, dict[int, UpdateOutcome]]] = []
        self.redone: list[tuple[int, dict[int, UpdateOutcome]]] = []
        self._codes: dict[Running, int] = {}
        self._kinds: dict[GroundEffect, int] = {}

    def kind(self, effect: GroundEffect) -> tuple[int, int]:
        """Return the number of an effect, and its code before anything has happened to it."""
        number = self._kinds.setdefault(effect, len(self._kinds))
        return number, self.code(start(effect))

    def code(self, running: Running) -> int:
        """Return the code of an effect on its way."""
        code = self._codes.get(running)
        if code is None:
            code = self._codes[running] = len(self.running)
            mask = self._bits.union(atom for atom in running.effect.depends_on() if atom not in self._always)
            self.running.append(running)
            number = self._kinds.setdefault(running.effect, len(self._kinds))
            self.kinds.append(number if running.renewable else -1)
            self.ticks.append((mask, {}))
            self.redone.append((mask, {}))
        return code

    def learn(self, code: int, facts: int, *, active: bool) -> UpdateOutcome:
        """Work out, remember and return the outcome of an update."""
        mask, outcomes = (self.redone if active else self.ticks)[code]
        record = _Record(self._bits, self._always, facts & mask)
        after = update(self.running[code], record, active=active)
        keep, add = record.masks[0]
        births = tuple(
            Birth(kind, its_type, tuple(changes), *record.masks[i + 1])
            for i, (kind, its_type, changes) in enumerate(record.births)
        )
        # An effect that is done stays in the list until the next tick finds it so.
        outcome = UpdateOutcome(keep, add, -1 if after.done and not active else self.code(after), births)
        outcomes[facts & mask] = outcome
        return outcome


class _Record:
    """Recorder of an update's changes as masks: before the first birth, and after each."""

    def __init__(self, bits: Bits, always: frozenset[Atom], facts: int) -> None:
        self.bits = bits
        self.always = always
        self.value = facts
        self.masks: list[tuple[int, int]] = [(-1, 0)]
        self.births: list[tuple[str, str, list[Change]]] = []

    @property
    def facts(self) -> _Record:
        return self

    def __contains__(self, atom: object) -> bool:
        assert isinstance(atom, tuple)
        return atom in self.always or bool(self.value & self.bits.mask(atom))

    def set(self, atom: Atom, value: bool) -> None:
        if any(part.endswith(_NEWBORN) for part in atom):
            self.births[-1][2].append((atom, value))
            return
        bit = self.bits.mask(atom)
        keep, add = self.masks[-1]
        self.value = self.value | bit if value else self.value & ~bit
        self.masks[-1] = (keep, add | bit) if value else (keep & ~bit, add & ~bit)

    def create(self, kind: str, its_type: str) -> str:
        self.births.append((kind, its_type, []))
        self.masks.append((-1, 0))
        return kind + _NEWBORN


#: Atoms beside those of the domain: whose turn it is, and whether an object is there of a kind that comes into being.
TURN, EXISTS = "#turn", "#exists"

#: Atoms, and actions, after which a world gets no further kitchens; objects of a kitchen that gets one of its own.
MAX_ATOMS, MAX_DEEDS, MAX_OBJECTS = 6_000, 50_000, 80


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


class CompiledRules:
    """Numbering of atoms, actions and effects, for kitchens of one domain with the same players.

    Parameters
    ----------
    moves
        As in `planoracle.instances.benchmarks.kitchens.rules.Profile`.
    always
        Facts that never change; those of the one kitchen that there is to be. Where there are several, they differ.

    Attributes
    ----------
    deeds
        Actions are places in this list.
    ranks
        Sort keys of the deeds.
    turns
        The fact that it is a player's turn; empty for one who is alone.
    """

    def __init__(
        self, domain: KitchenDomain, players: tuple[str, ...], moves: str, always: frozenset[Atom] = frozenset()
    ) -> None:
        self.domain = domain
        self.players = players
        self.bits = Bits()
        self.meanings = Meanings(domain, players)
        self.timers = Timers(self.bits, always)
        self.deeds: list[GroundAction] = []
        self.turns = {player: self.bits.mask((TURN, player)) for player in players if len(players) > 1}
        self._in_turns = moves == "turns"
        self._always = always
        self.ranks: list[tuple[object, ...]] = []
        self._numbers: dict[tuple[int, str, tuple[str, ...]], int] = {}
        self._births: dict[tuple[Birth, str], tuple[int, int]] = {}
        # Different kitchens may be played in different threads.
        self._lock = RLock()

    @property
    def full(self) -> bool:
        """True if no further kitchen should use this numbering."""
        return len(self.bits.atoms) > MAX_ATOMS or len(self.deeds) > MAX_DEEDS

    def start(self, kitchen: Kitchen) -> int:
        """Return the facts of a kitchen before the first step."""
        changing, decisive = self.domain.changing, self.domain.decisive
        facts = sorted(
            atom for atom in kitchen.facts if atom[0] in changing or (atom[0] in decisive and atom not in self._always)
        )
        bits = self.bits.union(facts) | self.turns.get(self.players[0], 0)
        for name in kitchen.types:
            bits |= self.exists(name)
        return bits

    def exists(self, name: str) -> int:
        """Return the fact that an object is there; 0 where that goes without saying."""
        created = self.domain.created
        return self.bits.mask((EXISTS, name)) if created and split_name(name)[0] in created else 0

    def born(self, birth: Birth, name: str) -> tuple[int, int]:
        """Return what becomes of the facts when an object comes into being under a name."""
        masks = self._births.get((birth, name))
        if masks is None:
            keep, add = self._masks([(atom, value) for atom, value in birth.changes_of(name)])
            masks = self._births[birth, name] = (keep, add | self.exists(name))
        return masks

    def number(self, position: int, player: str, binding: Mapping[str, str]) -> int:
        """Return the place of a deed in the list, where it is put when it is first asked for."""
        arguments = tuple([binding[param] for param, _ in self.domain.actions[position].params])
        number = self._numbers.get((position, player, arguments))
        if number is None:
            with self._lock:
                deed = self._deed(position, player, arguments, binding)
                number = len(self.deeds)
                self.ranks.append((position, *map(natural, arguments)))
                self.deeds.append(deed)
                self._numbers[position, player, arguments] = number
        return number

    def is_wait(self, number: int) -> bool:
        """Return whether a deed does nothing."""
        action = self.domain.actions[self.deeds[number].position]
        return not (action.changes or action.effects)

    def _masks(self, changes: Iterable[tuple[Atom, bool]]) -> tuple[int, int]:
        keep, add = -1, 0
        for atom, value in changes:
            bit = self.bits.mask(atom)
            keep, add = (keep, add | bit) if value else (keep & ~bit, add & ~bit)
        return keep, add

    def _deed(self, position: int, player: str, arguments: tuple[str, ...], binding: Mapping[str, str]) -> GroundAction:
        action = self.domain.actions[position]
        mask = want = 0
        for predicate, params, value in action.conditions:
            if predicate in self.domain.changing:
                bit = self.bits.mask((predicate, *[binding[param] for param in params]))
                mask |= bit
                if value:
                    want |= bit
        for name in arguments:
            bit = self.exists(name)
            mask, want = mask | bit, want | bit
        keep, add = self._masks(
            [((name, *[binding[p] for p in params]), value) for name, params, value in action.changes]
        )
        after = self.players[(self.players.index(player) + 1) % len(self.players)]
        if self.turns:
            mask |= sum(self.turns.values())
            want |= self.turns[player]
            keep &= ~self.turns[player]
            add |= self.turns[after]
        return GroundAction(
            position=position,
            arguments=arguments,
            player=player,
            text=action.write(binding),
            mask=mask,
            want=want,
            keep=keep,
            add=add,
            effects=tuple([self.timers.kind(ground(effect, binding)) for effect in action.effects]),
            ticks=self._in_turns or after == self.players[0],
        )


def shared_world(kitchen: Kitchen, moves: str) -> CompiledRules | None:
    """Return the rules shared by similar kitchens; ``None`` for a large kitchen, which needs its own."""
    if len(kitchen.objects) > MAX_OBJECTS:
        return None
    last = _last(kitchen.domain.plain, kitchen.players, moves)
    if not last or last[0].full:
        last[:] = [CompiledRules(kitchen.domain.plain, kitchen.players, moves)]
    return last[0]


@lru_cache(maxsize=16)
def _last(domain: KitchenDomain, players: tuple[str, ...], moves: str) -> list[CompiledRules]:
    """Return where the last world for such kitchens is kept."""
    return []
