"""Scenario of a combination of tasks: numbered, reserved and shared objects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib.resources import files
from typing import Any

from planoracle.instances.errors import UnknownNameError
from planoracle.instances.files.strict_json import load_json
from planoracle.instances.model.cache import CacheHolder

#: Objects that are numbered but never reserved; with ``shared`` there is one of each for all tasks.
COMMON = ("pot", "fryer", "oven")

RoleKey = tuple[str, str, int]  # object, verb, slot (0 for the object of a two-word action)


@dataclass(frozen=True, slots=True)
class ObjectRole:
    """Use of an object: ``minutes`` of work, once the roles it ``needs`` are done.

    ``states`` are the object's state before and after. The second object of an action has no minutes of
    its own.
    """

    verb: str
    slot: int
    minutes: int
    needs: tuple[RoleKey, ...]
    states: tuple[str | None, str | None]


@dataclass(frozen=True, slots=True)
class Object:
    """A thing of a task; ``reserved`` if it serves its task only, because another task has one as well."""

    name: str
    base: str
    task: str
    reserved: bool
    roles: dict[tuple[str, int], ObjectRole]


@dataclass(frozen=True)
class Scenario(CacheHolder):
    """Objects by name, and the verbs of all tasks: whether each occupies the agent to its end."""

    name: str
    tasks: tuple[str, ...]
    objects: dict[str, Object]
    verbs: dict[str, bool]

    @cached_property
    def commands(self) -> tuple[str, ...]:
        """All actions that some object has a role in, as decisions."""
        commands = []
        for name, thing in self.objects.items():
            for (verb, slot), role in thing.roles.items():
                if not role.minutes:
                    continue
                head, _, preposition = verb.partition(" ")
                if not slot:
                    commands.append(f"{verb} {name}")
                else:
                    others = (n for n, other in self.objects.items() if (verb, 2) in other.roles)
                    commands += [f"{head} {name} {preposition} {other}" for other in others]
        return tuple(commands)

    @cached_property
    def valid_decisions(self) -> frozenset[str]:
        """All these actions, and the wait."""
        return frozenset((*self.commands, "wait"))

    @cached_property
    def reservations(self) -> dict[str, frozenset[str]]:
        """The only objects that each restricted container accepts in the released code.

        The reserved objects of its task that some action puts into it; the others of the task are forgotten.

        >>> world("timearena/cooking2+cooking3").reservations["dish_1"]  # mushroom and shrimp are of the task, too
        frozenset({'noodle_1'})
        """
        reservations = {}
        for name, container in self.objects.items():
            verbs = {verb for verb, slot in container.roles if slot == 2}
            accepted = frozenset(
                other
                for other, thing in self.objects.items()
                if thing.reserved and thing.task == container.task and any((verb, 1) in thing.roles for verb in verbs)
            )
            if accepted and not any(word in container.base for word in COMMON):
                reservations[name] = accepted
        return reservations

    @cached_property
    def minutes(self) -> int:
        """Work of all tasks together."""
        return sum(role.minutes for thing in self.objects.values() for role in thing.roles.values())


@cache
def _facts() -> dict[str, dict[str, Any]]:
    tasks = load_json((files(__package__) / "data" / "tasks.json").read_bytes(), "tasks.json")["tasks"]
    assert isinstance(tasks, dict)
    return tasks


@cache
def task_names() -> tuple[str, ...]:
    """Names of the 30 tasks."""
    return tuple(_facts())


def label(task: str) -> str:
    """Return what a task is about, in a few words.

    >>> label("household1")
    'tea'
    """
    return str(_facts()[task]["label"])


@lru_cache(maxsize=2048)  # submissions may name any of the many combinations
def world(name: str) -> Scenario:
    """Return the scenario of a name such as ``timearena/cooking1+cooking2``.

    Raises
    ------
    UnknownNameError
        If the name is not of this form, or names a task twice or one that does not exist.

    Examples
    --------
    >>> list(world("timearena/cooking1+cooking2").objects)[:6]
    ['rice', 'beef', 'pot_1', 'fryer_1', 'dish_1', 'noodle']
    """
    parts = name.split("/")
    shared = parts[1:2] == ["shared"]
    tasks = parts[-1].split("+")
    well_formed = parts[0] == "timearena" and len(parts) == 2 + shared and len(set(tasks)) == len(tasks)
    if not well_formed or not set(tasks) <= set(_facts()):
        raise UnknownNameError("names no combination of TimeArena tasks", value=name)
    return build(name, tasks, shared=shared)


def build(name: str, tasks: Sequence[str], *, shared: bool = False) -> Scenario:
    """Combine tasks.

    A name that occurs more than once gets ``_1``, ``_2``, ... in order of occurrence; what is renamed is
    reserved for its task, except for pots, fryers and ovens.
    """
    unique: dict[object, tuple[str, Any]] = {}
    for task in tasks:
        for thing in _facts()[task]["objects"]:
            is_shared = shared and thing["name"] in COMMON
            unique.setdefault(thing["name"] if is_shared else len(unique), (task, thing))
    listed = list(unique.values())
    total, count = Counter(thing["name"] for _, thing in listed), Counter[str]()
    names = []
    for _, thing in listed:
        count[thing["name"]] += 1
        names.append(f"{thing['name']}_{count[thing['name']]}" if total[thing["name"]] > 1 else thing["name"])
    objects = {}
    for (task, thing), new in zip(listed, names, strict=True):
        # A prerequisite on another object means the one of the same task; on itself, this very one.
        renamed = {other["name"]: n for (t, other), n in zip(listed, names, strict=True) if t == task}
        renamed[thing["name"]] = new
        roles = {}
        for role in thing["roles"]:
            needs = tuple((renamed.get(n[0], n[0]), n[1], n[2] if len(n) > 2 else 0) for n in role.get("needs", ()))
            slot = role.get("slot", 0)
            before, after = role.get("states", (None, None))
            roles[role["verb"], slot] = ObjectRole(role["verb"], slot, role.get("minutes", 0), needs, (before, after))
        reserved = new != thing["name"] and thing["name"] not in COMMON
        objects[new] = Object(new, thing["name"], task, reserved, roles)
    verbs: dict[str, bool] = {}
    for task in tasks:
        verbs |= dict.fromkeys(_facts()[task]["occupying"], True) | dict.fromkeys(_facts()[task]["autonomous"], False)
    return Scenario(name, tuple(tasks), objects, verbs)


def words(name: str, verb: str) -> str:
    """Write work on an object as the action that it is part of.

    >>> words("kettle", "activate"), words("kettle", "pour into")
    ('activate kettle', 'pour kettle into ...')
    """
    head, gap, preposition = verb.partition(" ")
    return f"{head} {name} {preposition} ..." if gap else f"{head} {name}"
