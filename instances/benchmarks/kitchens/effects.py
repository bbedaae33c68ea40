"""Effects on particular objects, and their updates by ticks and repeated actions."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from planoracle.instances.benchmarks.kitchens.domain import Effect, Literal
from planoracle.instances.benchmarks.kitchens.kitchen import Atom

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


class Stage(Protocol):
    """Target of effects: the true atoms, and operations on atoms and objects."""

    @property
    def facts(self) -> Container[Atom]:
        """The true atoms."""
        ...

    def set(self, atom: Atom, value: bool) -> None:
        """Make an atom true or false."""
        ...

    def create(self, kind: str, its_type: str) -> str:
        """Add an object with the next number of its kind and return its name."""
        ...


def ground(effect: Effect, binding: Mapping[str, str]) -> GroundEffect:
    """Put objects for the parameters of an effect."""
    inner = dict(binding)
    creates = None
    if effect.creates is not None:
        param, its_type, kind = effect.creates
        inner[param] = kind
        creates = (its_type, kind)

    def changes(literals: tuple[Literal, ...]) -> frozenset[Change]:
        return frozenset(
            ((predicate, *(inner[param] for param in params)), value) for predicate, params, value in literals
        )

    return GroundEffect(
        kind=effect.kind,
        param=effect.param,
        argument=binding[effect.param],
        conditions=changes(effect.conditions),
        changes=changes(effect.changes),
        effects=tuple(ground(nested, binding) for nested in effect.effects),
        count=effect.count,
        creates=creates,
    )


def start(effect: GroundEffect) -> Running:
    """Return an effect that nothing has happened to yet."""
    return Running(effect, 0, False, tuple(start(nested) for nested in effect.effects))


def update(running: Running, scene: Stage, *, active: bool) -> Running:
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
        its_type, kind = effect.creates
        name = scene.create(kind, its_type)
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
