"""Running effects as small numbers, and a memory of what an update makes of each."""

from __future__ import annotations

from typing import NamedTuple

from planoracle.instances.kitchens.effects import Change, Grounded, Running, start, update
from planoracle.instances.kitchens.kitchen import Atom, Bits

_NEWBORN = "?"  # stands for the number of an object that is being created


class Birth(NamedTuple):
    """An object that an update creates, the changes that concern it, and (``keep``, ``add``) what changes next."""

    kind: str
    type: str
    changes: tuple[Change, ...]
    keep: int
    add: int

    def named(self, name: str) -> list[Change]:
        """Return the changes with the name of the object."""
        token = self.kind + _NEWBORN
        return [(tuple(name if part == token else part for part in atom), value) for atom, value in self.changes]


class Outcome(NamedTuple):
    """What an update does: facts become ``facts & keep | add``, the effect ``code``; -1: it is finished."""

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
        self.ticks: list[tuple[int, dict[int, Outcome]]] = []
        self.redone: list[tuple[int, dict[int, Outcome]]] = []
        self._codes: dict[Running, int] = {}
        self._kinds: dict[Grounded, int] = {}

    def kind(self, effect: Grounded) -> tuple[int, int]:
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

    def learn(self, code: int, facts: int, *, active: bool) -> Outcome:
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
        outcome = Outcome(keep, add, -1 if after.done and not active else self.code(after), births)
        outcomes[facts & mask] = outcome
        return outcome


class _Record:
    """A stage on which an update leaves its changes as masks: those before the first birth, and after each."""

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
