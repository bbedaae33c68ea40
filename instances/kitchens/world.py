"""Numbers for what kitchens are made of, which kitchens with the same players can share: atoms, effects, actions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from threading import RLock
from typing import NamedTuple

from planoracle.instances.kitchens.domain import Domain
from planoracle.instances.kitchens.effects import ground
from planoracle.instances.kitchens.kitchen import Atom, Bits, Kitchen, natural, split_name
from planoracle.instances.kitchens.meanings import Meanings
from planoracle.instances.kitchens.timers import Birth, Timers

#: Atoms beside those of the domain: whose turn it is, and whether an object is there of a kind that comes into being.
TURN, EXISTS = "#turn", "#exists"

#: Atoms, and actions, after which a world gets no further kitchens; objects of a kitchen that gets one of its own.
MAX_ATOMS, MAX_DEEDS, MAX_OBJECTS = 6_000, 50_000, 80


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


class World:
    """Everything that has a number, for kitchens of one domain with the same players.

    Parameters
    ----------
    moves
        As in `planoracle.instances.kitchens.profile.Profile`.
    always
        Facts that never change; those of the one kitchen that there is to be. Where there are several, they differ.

    Attributes
    ----------
    deeds
        Actions are places in this list.
    turns
        The fact that it is a player's turn; empty for one who is alone.
    """

    def __init__(
        self, domain: Domain, players: tuple[str, ...], moves: str, always: frozenset[Atom] = frozenset()
    ) -> None:
        self.domain = domain
        self.players = players
        self.bits = Bits()
        self.meanings = Meanings(domain, players)
        self.timers = Timers(self.bits, always)
        self.deeds: list[Deed] = []
        self.turns = {player: self.bits.mask((TURN, player)) for player in players if len(players) > 1}
        self._in_turns = moves == "turns"
        self._always = always
        self._ranks: list[tuple[object, ...]] = []  # of the deeds, to sort them by
        self._numbers: dict[tuple[int, str, tuple[str, ...]], int] = {}
        self._births: dict[tuple[Birth, str], tuple[int, int]] = {}
        # Different kitchens may be played in different threads.
        self._lock = RLock()

    @property
    def full(self) -> bool:
        """Whether it is large enough."""
        return len(self.bits.atoms) > MAX_ATOMS or len(self.deeds) > MAX_DEEDS

    def start(self, kitchen: Kitchen) -> int:
        """Return the facts of a kitchen before the first step."""
        changing, asked = self.domain.changing, self.domain.asked
        facts = sorted(
            atom for atom in kitchen.facts if atom[0] in changing or (atom[0] in asked and atom not in self._always)
        )
        found = self.bits.union(facts) | self.turns.get(self.players[0], 0)
        for name in kitchen.types:
            found |= self.exists(name)
        return found

    def exists(self, name: str) -> int:
        """Return the fact that an object is there; 0 where that goes without saying."""
        created = self.domain.created
        return self.bits.mask((EXISTS, name)) if created and split_name(name)[0] in created else 0

    def born(self, birth: Birth, name: str) -> tuple[int, int]:
        """Return what becomes of the facts when an object comes into being under a name."""
        masks = self._births.get((birth, name))
        if masks is None:
            keep, add = self._masks([(atom, value) for atom, value in birth.named(name)])
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
                self._ranks.append((position, *map(natural, arguments)))
                self.deeds.append(deed)
                self._numbers[position, player, arguments] = number
        return number

    def rank(self, number: int) -> tuple[object, ...]:
        """Return the key by which deeds are sorted."""
        return self._ranks[number]

    def order(self, number: int) -> tuple[object, str]:
        """Return the same, and the text."""
        return self._ranks[number], self.deeds[number].text

    def _masks(self, changes: Iterable[tuple[Atom, bool]]) -> tuple[int, int]:
        keep, add = -1, 0
        for atom, value in changes:
            bit = self.bits.mask(atom)
            keep, add = (keep, add | bit) if value else (keep & ~bit, add & ~bit)
        return keep, add

    def _deed(self, position: int, player: str, arguments: tuple[str, ...], binding: Mapping[str, str]) -> Deed:
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
            [((what, *[binding[p] for p in params]), value) for what, params, value in action.changes]
        )
        after = self.players[(self.players.index(player) + 1) % len(self.players)]
        if self.turns:
            mask |= sum(self.turns.values())
            want |= self.turns[player]
            keep &= ~self.turns[player]
            add |= self.turns[after]
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
            ticks=self._in_turns or after == self.players[0],
        )


def shared_world(kitchen: Kitchen, moves: str) -> World | None:
    """Return a world for a kitchen and others like it; ``None`` for one of many objects, which needs one of its own."""
    if len(kitchen.objects) > MAX_OBJECTS:
        return None
    last = _last(kitchen.domain.plain, kitchen.players, moves)
    if not last or last[0].full:
        last[:] = [World(kitchen.domain.plain, kitchen.players, moves)]
    return last[0]


@lru_cache(maxsize=16)
def _last(domain: Domain, players: tuple[str, ...], moves: str) -> list[World]:
    """Return where the last world for such kitchens is kept."""
    return []
