"""Domain of kitchens: types, predicates, and actions with all their effects.

The bundled domain is the benchmark's, in our own compact form (``data/domain.json``).
A test reads the original file to the same `KitchenDomain`. Users' files of domains are read by `domain_files`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import cache, cached_property
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from planoracle.instances.errors import InputError
from planoracle.instances.files.strict_json import load_json
from planoracle.instances.model.cache import CacheHolder
from planoracle.instances.text import one_of

#: Type of the players.
ACTOR = "player"
#: Benchmark of our own kitchens and of user files.
OWN = "kitchens"
#: Key of ``config`` for all other kinds.
OTHERS: Final = "default"
#: Ticks of a delayed effect, and repetitions of a repetitive one, unless a ``config`` says otherwise.
COUNTS: Final = {"delayed": 4, "repetitive": 3}


class Timing(NamedTuple):
    """Meaning of a key of ``config``: an action, the kind of its effect, and additional ticks."""

    action: str
    kind: str
    more: int


#: Keys of ``config`` in every domain.
TIMES: Final = {
    "num_cuts": Timing("cut", "repetitive", 0),
    "cook_time": Timing("cook", "delayed", 1),
    "fry_time": Timing("fry", "delayed", 1),
}


class Predicate(NamedTuple):
    """A predicate and the types of its arguments."""

    name: str
    types: tuple[str, ...]


class Literal(NamedTuple):
    """Predicate over parameters with its required or assigned truth value."""

    predicate: str
    params: tuple[str, ...]
    value: bool = True


@dataclass(frozen=True, slots=True)
class Effect:
    """Effect that stays in the kitchen until it is finished.

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
    counts
        Other numbers than ``count``, by kind of the object.
    """

    kind: str
    param: str
    changes: tuple[Literal, ...] = ()
    effects: tuple[Effect, ...] = ()
    conditions: tuple[Literal, ...] = ()
    count: int = 0
    creates: tuple[str, str, str] | None = None
    counts: tuple[tuple[str, int], ...] = ()

    def count_for(self, name: str) -> int:
        """Return the number of ticks or repetitions for an object, or for a kind of objects."""
        return dict(self.counts).get(name.rstrip("0123456789"), self.count)


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

    @property
    def timer(self) -> Effect | None:
        """Effect that takes ticks or repetitions, if there is one."""
        return next((effect for effect in _with_nested(self.effects) if effect.count), None)

    def timers(self, kind: str) -> list[Effect]:
        """Effects of a kind, nested ones included."""
        return [effect for effect in _with_nested(self.effects) if effect.kind == kind]

    def write(self, binding: Mapping[str, str]) -> str:
        """Write the action with the names of objects."""
        return self.text.format_map(binding)

    def with_usual_counts(self) -> ActionSchema:
        """Return the action with the numbers of ticks and repetitions of `COUNTS`."""
        effects = self.effects
        for kind, count in COUNTS.items():
            effects = _with_times(effects, kind, {OTHERS: count})
        return replace(self, effects=effects)


@dataclass(frozen=True)
class KitchenDomain(CacheHolder):
    """Types, predicates (sorted by name) and actions (in the order of the file) of a benchmark.

    Attributes
    ----------
    sentences
        Predicates with their sentences, as in ``{0} is on {1}``; empty in the bundled domain.
    """

    types: tuple[str, ...]
    predicates: tuple[Predicate, ...]
    actions: tuple[ActionSchema, ...]
    benchmark: str
    sentences: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(
        cls,
        types: Iterable[str],
        predicates: Iterable[Predicate],
        actions: Iterable[ActionSchema],
        benchmark: str,
        sentences: Mapping[str, str] = MappingProxyType({}),
    ) -> KitchenDomain:
        """Return an ordered domain; the parameters of the actions follow from their conditions and changes."""
        listed = tuple(sorted(predicates))
        signature = dict(listed)
        complete = []
        for action in actions:
            params: dict[str, str] = {}
            for literal in (*action.conditions, *action.changes):
                for name, param_type in zip(literal.params, signature[literal.predicate], strict=True):
                    params.setdefault(name, param_type)
            complete.append(replace(action, params=tuple(params.items())))
        return cls(tuple(types), listed, tuple(complete), benchmark, tuple(sorted(sentences.items())))

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.types, self.predicates, self.actions, self.benchmark, self.sentences))

    def __getstate__(self) -> dict[str, Any]:
        """Exclude cached values, because hashes differ between processes."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def signature(self) -> dict[str, tuple[str, ...]]:
        """Types of the arguments of every predicate."""
        return {predicate.name: predicate.types for predicate in self.predicates}

    @cached_property
    def changing(self) -> frozenset[str]:
        """Predicates that some action changes; all others are constant."""
        literals: list[Literal] = []
        for action in self.actions:
            literals += action.changes
        for effect in self._all_effects():
            literals += effect.changes
        return frozenset(literal.predicate for literal in literals)

    @cached_property
    def slow(self) -> frozenset[str]:
        """Predicates that delayed effects make true, without those of created objects."""
        literals: list[Literal] = []
        for action in self.actions:
            for effect in _with_nested(action.timers("delayed")):
                literals += effect.changes if effect.creates is None else ()
        return frozenset(literal.predicate for literal in literals if literal.value)

    @cached_property
    def created(self) -> frozenset[str]:
        """Kinds of objects that actions create."""
        creations = (effect.creates for effect in self._all_effects())
        return frozenset(creates[2] for creates in creations if creates is not None)

    def _all_effects(self) -> Iterator[Effect]:
        """Yield the effects of all actions, nested ones included."""
        for action in self.actions:
            yield from _with_nested(action.effects)

    @cached_property
    def sentence_of(self) -> Mapping[str, str]:
        """Sentences by predicate."""
        return dict(self.sentences)

    @cached_property
    def is_standard(self) -> bool:
        """True if types and actions are those of the benchmark, with any numbers of ticks and repetitions."""
        return self.types == bundled().types and self.plain_actions == bundled().plain_actions

    @cached_property
    def plain_actions(self) -> tuple[ActionSchema, ...]:
        """Actions with the usual numbers of ticks and repetitions."""
        return tuple(action.with_usual_counts() for action in self.actions)

    def with_usual_counts(self) -> KitchenDomain:
        """Return the domain with the numbers of ticks and repetitions of `COUNTS`."""
        return replace(self, actions=self.plain_actions)

    @cached_property
    def times(self) -> Mapping[str, Timing]:
        """Keys of ``config``; ``num_toasts`` or ``toast_time`` for the further action ``toast``."""
        times = dict(TIMES)
        for action in self.plain_actions:
            if action in bundled().plain_actions:
                continue
            if action.timers("repetitive"):
                times[f"num_{action.name}s"] = Timing(action.name, "repetitive", 0)
            if action.timers("delayed"):
                times[f"{action.name}_time"] = Timing(action.name, "delayed", 1)
        return times

    @property
    def config(self) -> dict[str, dict[str, int]]:
        """Numbers of repetitions and of steps that actions take, by kind of object."""
        config = {}
        for key, (name, effect_kind, more) in self.times.items():
            for action in self.actions:
                timers = action.timers(effect_kind) if action.name == name else []
                if timers:
                    counts = ((OTHERS, timers[0].count), *timers[0].counts)
                    config[key] = {kind: count - more for kind, count in counts}
        return config

    def with_config(self, config: Mapping[str, Mapping[str, int]]) -> KitchenDomain:
        """Return the domain with the numbers of a ``config``; raises `InputError` for an unknown kind."""
        actions = {action.name: action for action in self.actions}
        for key, row in config.items():
            if key not in self.times:
                raise InputError(one_of(key, self.times, "keys"), field="config", value=key)
            name, effect_kind, more = self.times[key]
            action = actions.get(name)
            if action is None or not action.timers(effect_kind):  # in a domain without cutting, frying or cooking
                continue
            self._check_kinds(key, row, action, effect_kind)
            numbers = {kind: number + more for kind, number in row.items()}
            actions[name] = replace(action, effects=_with_times(action.effects, effect_kind, numbers))
        return replace(self, actions=tuple(actions.values()))

    def _check_kinds(self, key: str, row: Mapping[str, int], action: ActionSchema, effect_kind: str) -> None:
        """Raise `InputError` for a kind of objects that the effect of an action does not belong to."""
        params = dict(action.params)
        types = {params[effect.param] for effect in action.timers(effect_kind)}
        example = ", such as lettuce," if types == {"item"} else ""
        for kind in row:
            if kind != OTHERS and self.type_of(kind) not in types:
                message = f"must be a kind of {' or '.join(sorted(types))}{example} or {OTHERS}"
                raise InputError(message, field=f"config.{key}", value=kind)

    def type_of(self, kind: str) -> str | None:
        """Return the type of a kind (``stove``) by its predicate (``isstove``); ``None`` if there is none.

        Examples
        --------
        >>> bundled().type_of("stove"), bundled().type_of("sofa")
        ('station', None)
        """
        types = self.signature.get(f"is{kind}", ())
        return types[0] if len(types) == 1 else None


def _with_nested(effects: Iterable[Effect]) -> Iterator[Effect]:
    """Yield effects, and those in them."""
    for effect in effects:
        yield effect
        yield from _with_nested(effect.effects)


def _with_times(effects: Iterable[Effect], effect_kind: str, numbers: Mapping[str, int]) -> tuple[Effect, ...]:
    """Return effects, nested ones included; those of a kind with ticks or repetitions by kind of object."""
    timed = []
    for effect in effects:
        changed = replace(effect, effects=_with_times(effect.effects, effect_kind, numbers))
        if effect.kind == effect_kind:
            count = numbers.get(OTHERS, effect.count)
            pairs = [(kind, number) for kind, number in sorted(numbers.items()) if kind != OTHERS and number != count]
            changed = replace(changed, count=count, counts=tuple(pairs))
        timed.append(changed)
    return tuple(timed)


@cache
def bundled() -> KitchenDomain:
    """Return the domain of the benchmark.

    Examples
    --------
    >>> [action.text for action in bundled().actions][:2]
    ['Move {p1} from {s1} to {s2}', 'Pick up {i1} from {s1} using {p1}']
    """
    document = load_json((files(__package__) / "data" / "domain.json").read_bytes(), "domain.json")
    predicates = []
    for types, names in document["predicates"].items():
        predicates += [Predicate(name, tuple(types.split())) for name in names.split()]
    actions = [_action(name, entry) for name, entry in document["actions"].items()]
    return KitchenDomain.of(document["types"].split(), predicates, actions, document["benchmark"])


@cache
def domain_for(benchmark: str) -> KitchenDomain:
    """Return the bundled domain for a benchmark; raises `InputError` for an unknown one."""
    domain = bundled()
    if benchmark not in (domain.benchmark, OWN):
        raise InputError(f"must be {domain.benchmark} or {OWN}", field="benchmark", value=benchmark)
    return replace(domain, benchmark=benchmark)


def _action(name: str, entry: Mapping[str, Any]) -> ActionSchema:
    """Read an action, whose parameters follow from its conditions and changes."""
    return ActionSchema(
        name=name,
        text=entry["text"],
        params=(),
        conditions=_literals(entry.get("if", "")),
        changes=_literals(entry.get("then", "")),
        effects=tuple(_effect(effect) for effect in entry.get("effects", ())),
    )


def _literals(text: str) -> tuple[Literal, ...]:
    """Read ``"loc p1 s1, not vacant s1"``."""
    literals = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        predicate, *params = part.split()
        value = predicate != "not"
        if not value:
            predicate, *params = params
        literals.append(Literal(predicate, tuple(params), value))
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
