"""Model of a kitchen: objects, facts at the start, the goal, and the profiles of its rules."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, reduce
from math import prod
from operator import or_
from threading import Lock
from typing import Any, ClassVar, Final

from planoracle.instances.benchmarks.kitchens.domain import ACTOR, KitchenDomain
from planoracle.instances.errors import InputError
from planoracle.instances.model.cache import CacheHolder
from planoracle.instances.protocol.profiles import Rules


@dataclass(frozen=True, slots=True)
class KitchenRules(Rules):
    """Rules of kitchens where the paper and its released code differ.

    Attributes
    ----------
    skip_after_finish
        True: a finished effect is removed during the iteration over the list, so the next effect misses that tick.
    moves
        ``"turns"``: the kitchen ticks after every action. ``"joint"``: all players act one after the other in the same
        step, then the kitchen ticks and the goal is tested.
    normalize
        Ignore case, spaces and decoration in submitted actions.
    goal
        The goal is the ``"conditions"`` of the file, or also the further conditions of its ``"text"``.
    limit
        The step limit is 1.5 times the proved ``"optimum"``, or the ``"published"`` number.
    stop_at_limit
        A graded run ends at its step limit; later successes do not count.
    count_refused
        A refused action takes a step, in which the kitchen does not change.
    price_rest
        Compute the minimum remaining steps of failed runs, which takes a solver call for each run.
    """

    skip_after_finish: bool = False
    moves: str = "turns"
    normalize: bool = True
    goal: str = "conditions"
    limit: str = "optimum"
    stop_at_limit: bool = True
    count_refused: bool = True
    price_rest: bool = False

    def deciding(self) -> KitchenRules:
        """Return the profile as far as it decides which plans are best; the goal is in the kitchen by then."""
        return KitchenRules(skip_after_finish=self.skip_after_finish, moves=self.moves)


PROFILES = {
    "paper": KitchenRules(),
    "released": KitchenRules(
        skip_after_finish=True, normalize=False, refuse_unread=False, stop_at_limit=False, count_refused=False
    ),
}

#: Values of the text rules.
CHOICES = {"moves": ("turns", "joint"), "goal": ("conditions", "text"), "limit": ("optimum", "published")}


#: Maximum number of objects of a kitchen, of conditions and roles of a goal, and of atoms that can meet its conditions.
MAX_OBJECTS: Final = 1_000
MAX_CONDITIONS: Final = 200
MAX_ATOMS: Final = 200_000
#: Maximum steps of the search for objects for the roles, which bounds the effort for hostile goals.
MAX_SEARCH = 300_000

#: A predicate and the names of objects, ``("item_on", "bread1", "table2")``.
Atom = tuple[str, ...]

_NAME = re.compile(r"([A-Za-z_][A-Za-z_-]*)([0-9]{1,9})")


@lru_cache(maxsize=8192)
def split_name(name: str) -> tuple[str, int]:
    """Return kind and number of an object's name; raises `InputError` if it is not of the form ``stove2``.

    Examples
    --------
    >>> split_name("stove2")
    ('stove', 2)
    """
    match = _NAME.fullmatch(name)
    if match is None:
        raise InputError("must be a kind and a number, like stove2", value=name)
    return match[1], int(match[2])


@lru_cache(maxsize=8192)
def natural(name: str) -> tuple[str, int, str]:
    """Return a key that sorts ``table10`` after ``table2``."""
    base = name.rstrip("0123456789")
    return base, int(name[len(base) :] or 0), name


def atom_rank(atom: Atom) -> list[tuple[str, int, str]]:
    """Return a key that sorts atoms by predicate and names, numbers in their order."""
    return [natural(part) for part in atom]


def unify(binding: dict[str, str], params: Sequence[str], names: Sequence[str]) -> dict[str, str] | None:
    """Extend a binding so that parameters stand for names, or return ``None`` where that contradicts it.

    Different parameters stand for different names.
    """
    joined = binding
    for param, name in zip(params, names, strict=True):
        if joined.get(param, name) != name or (param not in joined and name in joined.values()):
            return None
        if param not in joined:
            joined = {**joined, param: name}
    return joined


def casts(condition: Atom, atoms: Sequence[Atom]) -> tuple[list[str], list[Atom]]:
    """Return the roles of a condition, and the objects of each atom that makes it true."""
    places = [i for i, part in enumerate(condition) if "#" in part]
    return [condition[i] for i in places], [tuple(atom[i] for i in places) for atom in atoms]


def can_be_cast(matching: Iterable[tuple[Atom, Sequence[Atom]]]) -> bool:
    """Return whether different objects can play the roles so that all conditions are true.

    Parameters
    ----------
    matching
        Every condition with the true atoms that match it one by one.

    Raises
    ------
    InputError
        If that is not known after `MAX_SEARCH` steps.
    """
    rows = sorted((casts(condition, atoms) for condition, atoms in matching), key=lambda row: len(row[1]))
    steps = 0

    def extend(cast: dict[str, str], at: int) -> bool:
        nonlocal steps
        if at == len(rows):
            return True
        steps += len(rows[at][1])
        if steps > MAX_SEARCH:
            raise InputError(f"the search for objects for its roles did not end after {MAX_SEARCH} steps", field="goal")
        roles, objects = rows[at]
        for names in objects:
            joined = unify(cast, roles, names)
            if joined is not None and extend(joined, at + 1):
                return True
        return False

    return all(objects for _, objects in rows) and extend({}, 0)


@dataclass(frozen=True)
class Goal:
    """Conditions that must hold at once, for some choice of objects.

    Attributes
    ----------
    conditions
        Atoms that must be true; an argument is the name of an object or a *role*, ``bread#1``: any object of that
        kind. Different roles are played by different objects.
    roles
        All roles, those of no condition too: also for them there must be an object.
    """

    conditions: tuple[Atom, ...]
    roles: tuple[str, ...]

    @classmethod
    def of(cls, conditions: Iterable[Sequence[str]], roles: Iterable[str] = ()) -> Goal:
        """Put a goal in order; roles of the conditions need not be listed."""
        atoms = sorted({tuple(condition) for condition in conditions})
        all_roles = set(roles)
        for atom in atoms:
            all_roles.update(argument for argument in atom[1:] if "#" in argument)
        return cls(tuple(atoms), tuple(sorted(all_roles)))

    @cached_property
    def extra_roles(self) -> tuple[str, ...]:
        """Roles that occur in no condition."""
        named = set[str]().union(*self.conditions)
        return tuple(role for role in self.roles if role not in named)


@dataclass(frozen=True, repr=False)
class Kitchen(CacheHolder):
    """A problem: reach the goal in the fewest steps. Immutable and hashable; `of` checks and orders it.

    Attributes
    ----------
    objects
        Name and type of every object, type by type, by name; players in the order in which they act.
    facts
        The atoms that are true at the start; all others are false.
    text
        The goal in words.
    unit
        ``step``, or ``round`` if all players act in each.
    simulator_file
        Content of the simulator's file that the kitchen was read from, for its variants; ``None`` for others.
    """

    kind: ClassVar[str] = "kitchen"
    seconds_per_tick: ClassVar[None] = None
    time_limit: ClassVar[None] = None

    name: str
    domain: KitchenDomain
    objects: tuple[tuple[str, str], ...]
    facts: frozenset[Atom]
    goal: Goal
    text: str = ""
    unit: str = "step"
    # Not set by the constructor, so that it is no part of the fingerprint.
    simulator_file: Any = field(default=None, init=False, compare=False)

    @classmethod
    def of(
        cls,
        name: str,
        domain: KitchenDomain,
        objects: Iterable[str],
        facts: Iterable[Atom],
        goal: Goal,
        text: str = "",
    ) -> Kitchen:
        """Return a checked and ordered kitchen; names give objects their types and the facts of their kinds.

        Raises
        ------
        InputError
            With field and value, for unknown kinds, duplicate names, facts and conditions outside the domain, and
            kitchens without a player.
        """
        listed = list(objects)
        check_size(len(listed))
        types: dict[str, str] = {}
        for thing in listed:
            kind = domain.type_of(split_name(thing)[0])
            if kind is None:
                hint = f"the domain has no predicate is{split_name(thing)[0]}"
                raise InputError(f"is of an unknown kind; {hint}", field="objects", value=thing)
            if thing in types:
                raise InputError("is given twice", field="objects", value=thing)
            types[thing] = kind
        if ACTOR not in types.values():
            raise InputError(f"must contain a {ACTOR}", field="objects")
        rank = {kind: position for position, kind in enumerate(domain.types)}

        def sort_key(thing: str) -> tuple[int, tuple[str, int, str]]:
            """Return a key that sorts objects by type and name, and leaves players in their order."""
            thing_type = types[thing]
            return rank[thing_type], ("", 0, "") if thing_type == ACTOR else natural(thing)

        objects_in_order = tuple((thing, types[thing]) for thing in sorted(listed, key=sort_key))
        all_facts = frozenset(facts) | {(f"is{split_name(thing)[0]}", thing) for thing in listed}
        for fact in sorted(all_facts):
            _check_atom(fact, domain, types, "facts")
        _check_goal(goal, domain, types)
        kitchen = cls(name, domain, objects_in_order, all_facts, goal, text)
        count = 0
        for atom in goal.conditions:
            count += prod(len(kitchen.candidates.get(part, "1")) for part in atom[1:])
        if count > MAX_ATOMS:
            raise InputError(f"can be met in more than {MAX_ATOMS} ways", field="goal", value=count)
        return kitchen

    @cached_property
    def types(self) -> dict[str, str]:
        """Type of every object."""
        return dict(self.objects)

    @cached_property
    def players(self) -> tuple[str, ...]:
        """Players in the order of their turns."""
        return tuple(name for name, kind in self.objects if kind == ACTOR)

    @property
    def benchmark(self) -> str:
        """Benchmark whose rules and plan language apply."""
        return self.domain.benchmark

    @property
    def agents(self) -> tuple[str, ...]:
        """The players."""
        return self.players

    @cached_property
    def candidates(self) -> dict[str, tuple[str, ...]]:
        """Objects that can take each role of the goal.

        They are the objects of its kind; if there are none, the first ones that will be created, as many as there are
        roles. A role has no candidates if there are objects of its kind, but too few for all its roles.
        """
        needed = Counter(role.partition("#")[0] for role in self.goal.roles)
        by_kind = {}
        for kind, count in needed.items():
            names = tuple(name for name, _ in self.objects if split_name(name)[0] == kind)
            names = names or tuple(f"{kind}{number}" for number in range(1, count + 1))
            by_kind[kind] = names if len(names) >= count else ()
        return {role: by_kind[role.partition("#")[0]] for role in self.goal.roles}


def _check_atom(atom: Atom, domain: KitchenDomain, types: Mapping[str, str], field: str) -> None:
    if not atom or atom[0] not in domain.signature:
        raise InputError("there is no such predicate", field=field, value=list(atom))
    expected = domain.signature[atom[0]]
    if len(atom) - 1 != len(expected):
        raise InputError(f"{atom[0]} takes {len(expected)} arguments", field=field, value=list(atom))
    for argument, kind in zip(atom[1:], expected, strict=True):
        if "#" in argument:
            argument_type = domain.type_of(argument.partition("#")[0])
        else:
            argument_type = types.get(argument)
        if argument_type is None:
            raise InputError(f"{argument} is not an object of the kitchen", field=field, value=list(atom))
        if argument_type != kind:
            raise InputError(f"{argument} is of type {argument_type}, not {kind}", field=field, value=list(atom))
    if len(set(atom[1:])) < len(atom) - 1:
        raise InputError("arguments must be different objects", field=field, value=list(atom))


def check_size(count: int) -> None:
    """Raise `InputError` for a kitchen of more than `MAX_OBJECTS` objects."""
    if count > MAX_OBJECTS:
        raise InputError(f"must be at most {MAX_OBJECTS}", field="objects", value=count)


def _check_goal(goal: Goal, domain: KitchenDomain, types: Mapping[str, str]) -> None:
    for place, count in (("goal", len(goal.conditions)), ("roles", len(goal.roles))):
        if count > MAX_CONDITIONS:
            raise InputError(f"must be at most {MAX_CONDITIONS}", field=place, value=count)
    for role in goal.roles:
        kind, _, label = role.partition("#")
        if not label or "#" in label or domain.type_of(kind) is None:
            raise InputError("must be a kind and a label, like bread#1", field="goal", value=role)
    for condition in goal.conditions:
        _check_atom(condition, domain, types, "goal")


class Bits:
    """Atoms and their bits; an atom gets the next bit at its first use.

    Examples
    --------
    >>> bits = Bits()
    >>> bits.mask(("clear", "bread1")), bits.mask(("clear", "bread2")), bits.mask(("clear", "bread1"))
    (1, 2, 1)
    """

    def __init__(self) -> None:
        self.atoms: list[Atom] = []
        self._masks: dict[Atom, int] = {}
        self._lock = Lock()  # several kitchens may use them, in several threads

    def mask(self, atom: Atom) -> int:
        """Return the number with just the bit of an atom."""
        mask = self._masks.get(atom)
        if mask is None:
            with self._lock:
                mask = self._masks.get(atom)
                if mask is None:
                    mask = 1 << len(self.atoms)
                    self.atoms.append(atom)
                    self._masks[atom] = mask
        return mask

    def existing_mask(self, atom: Atom) -> int:
        """Return the same, but 0 for an atom that has none."""
        return self._masks.get(atom, 0)

    def union(self, atoms: Iterable[Atom]) -> int:
        """Return the number with the bits of all the atoms."""
        return reduce(or_, map(self.mask, atoms), 0)

    def atoms_of(self, facts: int) -> Iterator[Atom]:
        """Yield the atoms whose bits are set."""
        while facts:
            low = facts & -facts
            yield self.atoms[low.bit_length() - 1]
            facts ^= low
