"""Domain of kitchens: types, predicates, and actions with all their effects.

The bundled domain is the benchmark's, written in our own compact form (``data/domain.json``);
A test reads the original file to the same `KitchenDomain`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache, cached_property, lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

from planoracle.instances.errors import InputError
from planoracle.instances.files.strict_json import load_json
from planoracle.instances.model.cache import CacheHolder

#: The type whose objects act, in turns.
ACTOR = "player"
#: Benchmark of kitchens that are nobody's but ours or the user's.
OWN = "kitchens"
#: Ticks of a delayed effect; the step that starts it is the first.
DELAY = 4
#: How often an action must be done for a repetitive effect.
REPEATS = 3
#: Kinds of effects that are more than immediate changes.
KINDS = ("conditional", "delayed", "repetitive", "creation")

_SLOT = re.compile(r"\{(\w+)\}")


class Predicate(NamedTuple):
    """A predicate and the types of its arguments."""

    name: str
    types: tuple[str, ...]


class Literal(NamedTuple):
    """A predicate over parameters that must hold, or is made to hold, with this value."""

    predicate: str
    params: tuple[str, ...]
    value: bool = True


@dataclass(frozen=True, slots=True)
class Effect:
    """An effect that stays with the kitchen until it is finished.

    Attributes
    ----------
    kind
        ``conditional``: at every tick, and whenever the action is done again, ``changes`` are made if all
        ``conditions`` hold, and their opposites if not; the nested ``effects`` run while they hold, and when
        those are finished so is this one. ``delayed``: after ``count`` ticks, ``changes`` and nested ``effects``
        once. ``repetitive``: the same once the action has been done ``count`` times. ``creation``: a new object
        ``creates`` comes into being, with ``changes``.
    param
        The parameter it belongs to; the same effect on the same object is never there twice.
    count
        Ticks, or repetitions; 0 for the other kinds.
    creates
        Parameter, type and base name of a created object.
    """

    kind: str
    param: str
    changes: tuple[Literal, ...] = ()
    effects: tuple[Effect, ...] = ()
    conditions: tuple[Literal, ...] = ()
    count: int = 0
    creates: tuple[str, str, str] | None = None


@dataclass(frozen=True, slots=True)
class ActionSchema:
    """Action of a player: its conditions and effects.

    Attributes
    ----------
    text
        How plans write it, with ``{parameter}`` for the names of objects.
    params
        Names and types of the parameters; different parameters stand for different objects.
    """

    name: str
    text: str
    params: tuple[tuple[str, str], ...]
    conditions: tuple[Literal, ...]
    changes: tuple[Literal, ...]
    effects: tuple[Effect, ...] = ()

    def write(self, binding: Mapping[str, str]) -> str:
        """Write the action with the names of objects."""
        return "".join([binding[part] if at % 2 else part for at, part in enumerate(_parts(self.text))])


@dataclass(frozen=True)
class KitchenDomain(CacheHolder):
    """Types, predicates (sorted by name) and actions (in the order of the file) of a benchmark."""

    types: tuple[str, ...]
    predicates: tuple[Predicate, ...]
    actions: tuple[ActionSchema, ...]
    benchmark: str

    @classmethod
    def of(
        cls, types: Sequence[str], predicates: Iterable[Predicate], actions: Iterable[ActionSchema], benchmark: str
    ) -> KitchenDomain:
        """Check and order a domain; parameters of actions follow from their literals.

        Raises
        ------
        InputError
            Naming field and value, for names given twice or unknown, wrong numbers and types of arguments, and
            effects that could not be carried out.
        """
        listed = tuple(predicates)
        _unique(types, "types")
        _unique([predicate.name for predicate in listed], "predicates")
        for predicate in listed:
            for kind in predicate.types:
                if kind not in types:
                    raise InputError(
                        f"must be one of {list(types)}", field=f"predicates[{predicate.name}].types", value=kind
                    )
        arities = {predicate.name: predicate.types for predicate in listed}
        checked = tuple(_check_action(action, arities, types) for action in actions)
        _unique([action.name for action in checked], "actions")
        return cls(tuple(types), tuple(sorted(listed)), checked, benchmark)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.types, self.predicates, self.actions, self.benchmark))

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what is worked out: the hash is another one in every process."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def signature(self) -> dict[str, tuple[str, ...]]:
        """Types of the arguments of every predicate."""
        return {predicate.name: predicate.types for predicate in self.predicates}

    @cached_property
    def changing(self) -> frozenset[str]:
        """Predicates that some action changes; all others stay as they are."""
        every = (effect for action in self.actions for effect in _nested(action.effects))
        changed = {literal.predicate for action in self.actions for literal in action.changes}
        return frozenset(changed.union(literal.predicate for effect in every for literal in effect.changes))

    @cached_property
    def created(self) -> frozenset[str]:
        """Kinds of which objects come into being."""
        creations = (effect.creates for action in self.actions for effect in _nested(action.effects))
        return frozenset(creates[2] for creates in creations if creates is not None)

    def type_of(self, kind: str) -> str | None:
        """Return the type of a kind (``stove``) by its predicate (``isstove``); ``None`` if there is none.

        Examples
        --------
        >>> bundled().type_of("stove"), bundled().type_of("sofa")
        ('station', None)
        """
        types = self.signature.get(f"is{kind}", ())
        return types[0] if len(types) == 1 else None


@lru_cache(maxsize=1024)
def _parts(text: str) -> list[str]:
    """Return what stands between parameters and these, in turns."""
    return _SLOT.split(text)


def _nested(effects: Iterable[Effect]) -> Iterator[Effect]:
    """Yield effects, and those in them."""
    for effect in effects:
        yield effect
        yield from _nested(effect.effects)


def _unique(names: Sequence[str], field: str) -> None:
    for i, name in enumerate(names):
        if name in names[:i]:
            raise InputError("is given twice", field=field, value=name)


def _check_action(action: ActionSchema, arities: Mapping[str, tuple[str, ...]], types: Sequence[str]) -> ActionSchema:
    location = f"actions[{action.name}]"
    params: dict[str, str] = {}
    _check_literals(action.conditions, params, arities, f"{location}.conditions", grow=True)
    _check_literals(action.changes, params, arities, f"{location}.changes", grow=True)
    for i, effect in enumerate(action.effects):
        _check_effect(effect, params, arities, types, f"{location}.effects[{i}]")
    for slot in _SLOT.findall(action.text):
        if slot not in params:
            raise InputError("names no parameter of the action", field=f"{location}.text", value=slot)
    return ActionSchema(
        action.name, action.text, tuple(params.items()), action.conditions, action.changes, action.effects
    )


def _check_literals(
    literals: Sequence[Literal],
    params: dict[str, str],
    arities: Mapping[str, tuple[str, ...]],
    location: str,
    *,
    grow: bool = False,
) -> None:
    """Check predicates and parameters; with ``grow``, new parameters are taken up with their types."""
    for i, (predicate, names, _) in enumerate(literals):
        field = f"{location}[{i}]"
        if predicate not in arities:
            raise InputError("there is no such predicate", field=field, value=predicate)
        if len(names) != len(arities[predicate]):
            raise InputError(f"{predicate} takes {len(arities[predicate])} arguments", field=field, value=list(names))
        if len(set(names)) < len(names):
            raise InputError("different parameters stand for different objects", field=field, value=list(names))
        for name, kind in zip(names, arities[predicate], strict=True):
            if name not in params and not grow:
                raise InputError("is no parameter of the action", field=field, value=name)
            if params.setdefault(name, kind) != kind:
                raise InputError(f"stands for a {params[name]}, not for a {kind}", field=field, value=name)
        if any((predicate, names) == other[:2] for other in literals[:i]):
            raise InputError("is given twice", field=field, value=[predicate, *names])


def _check_effect(
    effect: Effect, params: dict[str, str], arities: Mapping[str, tuple[str, ...]], types: Sequence[str], location: str
) -> None:
    if effect.kind not in KINDS:
        raise InputError(f"must be one of {KINDS}", field=f"{location}.kind", value=effect.kind)
    if effect.param not in params:
        raise InputError("is no parameter of the action", field=f"{location}.param", value=effect.param)
    if (effect.count < 1) == (effect.kind in ("delayed", "repetitive")):
        raise InputError(f"does not suit a {effect.kind} effect", field=f"{location}.count", value=effect.count)
    inner = params
    if (effect.creates is None) == (effect.kind == "creation"):
        raise InputError(f"does not suit a {effect.kind} effect", field=f"{location}.creates", value=effect.creates)
    if effect.creates is not None:
        name, kind, base = effect.creates
        if kind not in types:
            raise InputError(f"must be one of {list(types)}", field=f"{location}.creates", value=kind)
        if kind == ACTOR:
            raise InputError("those who act cannot be created", field=f"{location}.creates", value=kind)
        if name in params:
            raise InputError("is a parameter of the action already", field=f"{location}.creates", value=name)
        if not base or base[-1].isdigit():
            raise InputError("must be a name without a number", field=f"{location}.creates", value=base)
        if effect.effects:
            raise InputError("a creation cannot hold further effects", field=f"{location}.effects")
        inner = params | {name: kind}
    if effect.conditions and effect.kind != "conditional":
        raise InputError(f"does not suit a {effect.kind} effect", field=f"{location}.conditions")
    _check_literals(effect.conditions, params, arities, f"{location}.conditions")
    _check_literals(effect.changes, inner, arities, f"{location}.changes")
    for i, nested in enumerate(effect.effects):
        _check_effect(nested, params, arities, types, f"{location}.effects[{i}]")


@cache
def bundled() -> KitchenDomain:
    """Return the domain of the benchmark.

    Examples
    --------
    >>> [action.text for action in bundled().actions][:2]
    ['Move {p1} from {s1} to {s2}', 'Pick up {i1} from {s1} using {p1}']
    """
    document = load_json((files(__package__) / "data" / "domain.json").read_bytes(), "domain.json")
    predicates = [
        Predicate(name, tuple(types.split()))
        for types, names in document["predicates"].items()
        for name in names.split()
    ]
    actions = [
        ActionSchema(
            name=name,
            text=entry["text"],
            params=(),
            conditions=_literals(entry.get("if", "")),
            changes=_literals(entry.get("then", "")),
            effects=tuple(_effect(effect) for effect in entry.get("effects", ())),
        )
        for name, entry in document["actions"].items()
    ]
    return KitchenDomain.of(document["types"].split(), predicates, actions, document["benchmark"])


@cache
def domain_for(benchmark: str) -> KitchenDomain:
    """Return the bundled domain for a benchmark; raises `InputError` for an unknown one."""
    domain = bundled()
    if benchmark not in (domain.benchmark, OWN):
        raise InputError(f"must be {domain.benchmark} or {OWN}", field="benchmark", value=benchmark)
    return replace(domain, benchmark=benchmark)


def _literals(text: str) -> tuple[Literal, ...]:
    """Read ``"loc p1 s1, not vacant s1"``."""
    literals = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        head, *rest = part.split()
        literals.append(Literal(rest[0], tuple(rest[1:]), False) if head == "not" else Literal(head, tuple(rest)))
    return tuple(literals)


def _effect(entry: Mapping[str, Any]) -> Effect:
    """Read an effect; its kind shows in the key it has: ``while``, ``after``, ``times`` or ``creates``."""
    shared = {
        "param": entry["on"],
        "changes": _literals(entry.get("then", "")),
        "effects": tuple(_effect(nested) for nested in entry.get("effects", ())),
    }
    if "while" in entry:
        return Effect("conditional", **shared, conditions=_literals(entry["while"]))
    if "after" in entry:
        return Effect("delayed", **shared, count=entry["after"])
    if "times" in entry:
        return Effect("repetitive", **shared, count=entry["times"])
    param, kind, base = entry["creates"].split()
    return Effect("creation", **shared, creates=(param, kind, base))
