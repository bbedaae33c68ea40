"""Effects on particular objects, and their updates by ticks and repeated actions, also as bit masks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from planoracle.instances.benchmarks.kitchens.domain import Effect, Literal
from planoracle.instances.benchmarks.kitchens.kitchen import Atom, Bits

#: An atom and the truth value it must have or gets.
Change = tuple[Atom, bool]


@dataclass(frozen=True, slots=True)
class GroundEffect:
    """An effect whose parameters stand for objects; what is to be created goes by its kind (``water``)."""

    kind: str
    param: str
    argument: str
    conditions: frozenset[Change]
    changes: frozenset[Change]
    effects: tuple[GroundEffect, ...]
    count: int
    creates: tuple[str, str] | None  # type and kind

    def depends_on(self) -> Iterator[Atom]:
        """Atoms that decide what an update does, always in the same order."""
        yield from (atom for atom, _ in sorted(self.conditions))
        for nested in self.effects:
            yield from nested.depends_on()


@dataclass(frozen=True, slots=True)
class Running:
    """A grounded effect on its way: ticks or repetitions so far, and its nested effects."""

    effect: GroundEffect
    count: int
    done: bool
    nested: tuple[Running, ...]

    @property
    def renewable(self) -> bool:
        """True if repeating the action continues this effect: not after it created its object."""
        created = self.done and self.effect.creates is not None
        return not created and all(inner.renewable for inner in self.nested)


def ground(effect: Effect, binding: Mapping[str, str], outer_argument: str = "") -> GroundEffect:
    """Put objects for the parameters of an effect.

    As in the simulator, a nested effect belongs to the object of the outer one. So two effects are the same if they
    differ in objects of nested effects only.
    """
    inner = dict(binding)
    creates = None
    if effect.creates is not None:
        param, object_type, kind = effect.creates
        inner[param] = kind
        creates = (object_type, kind)
    argument = outer_argument or binding[effect.param]
    nested = [ground(nested_effect, binding, argument) for nested_effect in effect.effects]
    return GroundEffect(
        kind=effect.kind,
        param=effect.param,
        argument=argument,
        conditions=_changes(effect.conditions, inner),
        changes=_changes(effect.changes, inner),
        effects=tuple(nested),
        count=effect.count_for(binding[effect.param]),
        creates=creates,
    )


def _changes(literals: tuple[Literal, ...], binding: Mapping[str, str]) -> frozenset[Change]:
    changes = set()
    for predicate, params, value in literals:
        atom = (predicate, *[binding[param] for param in params])
        changes.add((atom, value))
    return frozenset(changes)


def start(effect: GroundEffect) -> Running:
    """Return an effect that nothing has happened to yet."""
    return Running(effect, 0, False, tuple(start(nested) for nested in effect.effects))


def update(running: Running, scene: UpdateRecord, *, active: bool) -> Running:
    """Let a tick pass for an effect or, with ``active``, have its action done; the scene changes in place."""
    effect = running.effect
    if running.done:
        return running
    changes = sorted(effect.changes)  # their order means nothing, but is to be the same in every process
    if effect.kind == "conditional":
        if any((atom in scene.facts) != value for atom, value in effect.conditions):
            for atom, value in changes:
                scene.set(atom, not value)
            return running
        for atom, value in changes:
            scene.set(atom, value)
        nested = tuple(update(inner, scene, active=active) for inner in running.nested)
        return replace(running, nested=nested, done=all(inner.done for inner in nested))
    if effect.creates is not None:
        object_type, kind = effect.creates
        name = scene.create(kind, object_type)
        for atom, value in changes:
            scene.set(tuple(name if part == kind else part for part in atom), value)
        return replace(running, done=True)
    if active == (effect.kind == "delayed"):  # time passes for delayed effects, actions count for repetitive ones
        return running
    running = replace(running, count=running.count + 1)
    if running.count < effect.count:
        return running
    for atom, value in changes:
        scene.set(atom, value)
    nested = tuple(update(inner, scene, active=active) for inner in running.nested)
    return replace(running, nested=nested, done=True)


_OPEN_NUMBER = "?"  # stands for the number of an object that is being created


class Creation(NamedTuple):
    """Object created by an update: its changes, and the masks of the changes that follow."""

    kind: str
    type: str
    changes: tuple[Change, ...]
    keep: int
    add: int

    def changes_of(self, name: str) -> list[Change]:
        """Return the changes with the name of the object."""
        token = self.kind + _OPEN_NUMBER
        changes = []
        for atom, value in self.changes:
            named_atom = tuple(name if part == token else part for part in atom)
            changes.append((named_atom, value))
        return changes


class UpdateOutcome(NamedTuple):
    """Result of an update: facts become ``facts & keep | add``, the effect ``code``; -1: it is finished."""

    keep: int
    add: int
    code: int
    creations: tuple[Creation, ...]


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
        record = UpdateRecord(self._bits, self._always, facts & mask)
        after = update(self.running[code], record, active=active)
        keep, add = record.masks[0]
        creations = []
        for (kind, object_type, changes), (next_keep, next_add) in zip(record.creations, record.masks[1:], strict=True):
            creations.append(Creation(kind, object_type, tuple(changes), next_keep, next_add))
        # An effect that is done stays in the list until the next tick finds it so.
        next_code = -1 if after.done and not active else self.code(after)
        outcome = UpdateOutcome(keep, add, next_code, tuple(creations))
        outcomes[facts & mask] = outcome
        return outcome


class UpdateRecord:
    """Recorder of an update's changes as masks: before the first creation, and after each."""

    def __init__(self, bits: Bits, always: frozenset[Atom], facts: int) -> None:
        self.bits = bits
        self.always = always
        self.value = facts
        self.masks: list[tuple[int, int]] = [(-1, 0)]
        self.creations: list[tuple[str, str, list[Change]]] = []

    @property
    def facts(self) -> UpdateRecord:
        """Container of the true atoms."""
        return self

    def __contains__(self, atom: object) -> bool:
        assert isinstance(atom, tuple)
        return atom in self.always or bool(self.value & self.bits.mask(atom))

    def set(self, atom: Atom, value: bool) -> None:
        """Make an atom true or false."""
        if any(part.endswith(_OPEN_NUMBER) for part in atom):
            _, _, changes = self.creations[-1]
            changes.append((atom, value))
            return
        bit = self.bits.mask(atom)
        keep, add = self.masks[-1]
        self.value = self.value | bit if value else self.value & ~bit
        self.masks[-1] = (keep, add | bit) if value else (keep & ~bit, add & ~bit)

    def create(self, kind: str, object_type: str) -> str:
        """Add an object with the next number of its kind and return its name."""
        self.creations.append((kind, object_type, []))
        self.masks.append((-1, 0))
        return kind + _OPEN_NUMBER
