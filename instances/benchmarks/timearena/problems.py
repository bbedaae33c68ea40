"""Problems of TimeArena: combinations of tasks, their names, and the same as scheduling instances."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from importlib.resources import files
from itertools import chain
from typing import Any, NamedTuple

from planoracle.instances.benchmarks.timearena.rules import PROFILES, Profile
from planoracle.instances.errors import UnknownNameError
from planoracle.instances.files.strict_json import load_json
from planoracle.instances.model.cache import CacheHolder
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.problem import GENERAL
from planoracle.instances.model.schedule import Piece, Schedule

#: Objects that are numbered but never reserved; with ``shared`` there is one of each for all tasks.
COMMON = ("pot", "fryer", "oven")

#: Tasks that the paper shows with one fryer (Tables 5 and 6). It shows no prompt of others that list an object twice.
SINGLE_FRYER = ("cooking2", "cooking5")

RoleKey = tuple[str, str, int]  # object, verb, slot (0 for the object of a two-word action)


@dataclass(frozen=True, slots=True)
class ObjectRole:
    """Use of an object: ``minutes`` of work, once the roles it ``needs`` are done.

    ``state`` is the object's state before it. The second object of an action has no minutes of its own.
    """

    verb: str
    slot: int
    minutes: int
    needs: tuple[RoleKey, ...]
    state: str | None


@dataclass(frozen=True, slots=True)
class Object:
    """Object of a task; ``reserved`` if only its task can use it, because another task has one as well."""

    name: str
    base: str
    task: str
    reserved: bool
    roles: dict[tuple[str, int], ObjectRole]


#: Rules that decide which problem a name stands for, by default.
PAPER = PROFILES["paper"]


@dataclass(frozen=True)
class Scenario(CacheHolder):
    """Objects by name, the verbs of all tasks, and the rules that decide them.

    Attributes
    ----------
    verbs
        For each verb, true if it occupies the agent until its end.
    aliases
        Objects by their names, and by the names in released data and logs.
    """

    name: str
    tasks: tuple[str, ...]
    objects: dict[str, Object]
    verbs: dict[str, bool]
    rules: Profile
    aliases: dict[str, str]

    @cached_property
    def commands(self) -> tuple[str, ...]:
        """All actions of the objects' roles, as decisions."""
        commands = []
        for name, thing in self.objects.items():
            for (verb, slot), role in thing.roles.items():
                if not role.minutes:
                    continue
                if not slot:
                    commands.append(f"{verb} {name}")
                    continue
                head, _, preposition = verb.partition(" ")
                second_names = self._names_with_role(verb, 2)
                for second_name in second_names:
                    commands.append(f"{head} {name} {preposition} {second_name}")
        return tuple(commands)

    def _names_with_role(self, verb: str, slot: int) -> list[str]:
        """Return the objects that a verb can use in a slot."""
        role = verb, slot
        return [name for name, thing in self.objects.items() if role in thing.roles]

    @cached_property
    def reservations(self) -> dict[str, frozenset[str]]:
        """Objects that each restricted container accepts in the released code, and no others.

        The reserved objects of its task that some action puts into it; the others of the task are forgotten.

        >>> world("timearena/cooking2+cooking3").reservations["dish_1"]  # mushroom and shrimp are of the task, too
        frozenset({'noodle_1'})
        """
        reservations = {}
        for name, container in self.objects.items():
            if any(word in container.base for word in COMMON):
                continue
            objects = self.objects.values()
            accepted = frozenset(thing.name for thing in objects if _is_reserved_for(thing, container))
            if accepted:
                reservations[name] = accepted
        return reservations

    @cached_property
    def minutes(self) -> int:
        """Work of all tasks together."""
        return sum(role.minutes for _, role in self.roles())

    def roles(self) -> Iterator[tuple[Object, ObjectRole]]:
        """Yield all roles of the objects, each with its object."""
        for thing in self.objects.values():
            for role in thing.roles.values():
                yield thing, role

    def may_meet(self, first: Object, second: Object) -> bool:
        """Return True if reservations allow a four-word action to use two objects together."""
        if first is second:
            return False
        if self.rules.reserved_objects == "task":
            common = first.base in COMMON or second.base in COMMON
            return common or first.task == second.task or not (first.reserved or second.reserved)
        accepted = self.reservations.get(second.name)
        return accepted is None or first.name in accepted

    def partners(self, first: Object, verb: str) -> list[Object]:
        """Return the second objects that a four-word action may use with an object."""
        candidates = map(self.objects.__getitem__, self._names_with_role(verb, 2))
        return [second for second in candidates if self.may_meet(first, second)]


def _is_reserved_for(thing: Object, container: Object) -> bool:
    """Return True if an object is reserved for a container's task, and some action puts it there."""
    if not thing.reserved or thing.task != container.task:
        return False
    second_verbs = [verb for verb, slot in container.roles if slot == 2]
    return any((verb, 1) in thing.roles for verb in second_verbs)


class _ReleasedObject(NamedTuple):
    """Object of a task in the released data, before it is numbered."""

    task: str
    name: str
    roles: list[dict[str, Any]]


@cache
def _facts() -> dict[str, dict[str, Any]]:
    document = (files(__package__) / "data" / "tasks.json").read_bytes()
    tasks = load_json(document, "tasks.json")["tasks"]
    assert isinstance(tasks, dict)
    return tasks


@cache
def task_names() -> tuple[str, ...]:
    """Names of the 30 tasks."""
    return tuple(_facts())


def label(task: str) -> str:
    """Return a short label of a task.

    >>> label("household1")
    'tea'
    """
    return str(_facts()[task]["label"])


def world(name: str, rules: Profile = PAPER) -> Scenario:
    """Return the scenario of a name such as ``timearena/cooking1+cooking2``.

    An object with a number is reserved for its task, except for pots, fryers and ovens.

    Raises
    ------
    UnknownNameError
        If the name is not of this form, or names a task twice or one that does not exist.

    Examples
    --------
    >>> list(world("timearena/cooking1+cooking2").objects)[:6]
    ['rice', 'beef', 'pot_1', 'fryer_1', 'dish_1', 'noodle']
    """
    return _scenario(name, rules.deciding())


@lru_cache(maxsize=2048)  # submissions may name any of the many combinations
def _scenario(name: str, rules: Profile) -> Scenario:
    parts = name.split("/")
    is_shared = parts[1:2] == ["shared"]
    tasks = parts[-1].split("+")
    has_parts = parts[0] == "timearena" and len(parts) == 2 + is_shared
    are_distinct = len(set(tasks)) == len(tasks)
    if not has_parts or not are_distinct or not set(tasks) <= set(_facts()):
        raise UnknownNameError("is not a combination of TimeArena tasks", value=name)
    objects, aliases = _named_objects(_released_objects(tasks, is_shared), rules)
    verbs: dict[str, bool] = {}
    for task in tasks:
        facts = _facts()[task]
        verbs |= dict.fromkeys(facts["occupying"], True)
        verbs |= dict.fromkeys(facts["autonomous"], False)
    scene = Scenario(name, tuple(tasks), objects, verbs, rules, aliases)
    if rules.prepared_objects:
        for thing in objects.values():
            for use, role in thing.roles.items():
                thing.roles[use] = replace(role, needs=_with_preparation(scene, thing, role))
    return scene


def _released_objects(tasks: Sequence[str], is_shared: bool) -> list[_ReleasedObject]:
    """Return the objects of tasks, of a shared one only the first."""
    unique: dict[object, _ReleasedObject] = {}
    for task in tasks:
        for facts in _facts()[task]["objects"]:
            name = facts["name"]
            key = name if is_shared and name in COMMON else len(unique)
            unique.setdefault(key, _ReleasedObject(task, name, facts["roles"]))
    return list(unique.values())


def _named_objects(released: Sequence[_ReleasedObject], rules: Profile) -> tuple[dict[str, Object], dict[str, str]]:
    """Return the objects by name, and their names by those in released data and logs."""
    single_fryer_tasks = SINGLE_FRYER if rules.single_fryer else ()
    keys: list[object] = []
    for position, entry in enumerate(released):
        is_single = entry.name == "fryer" and entry.task in single_fryer_tasks
        keys.append(entry.task if is_single else position)
    unique = dict(zip(keys, released, strict=True))
    numbered = _add_numbers([entry.name for entry in unique.values()])
    names = dict(zip(unique, numbered, strict=True))
    released_names = _add_numbers([entry.name for entry in released])
    aliases = {}
    for alias, key in zip(released_names, keys, strict=True):
        aliases[alias] = names[key]
    objects = {}
    for key, entry in unique.items():
        # A prerequisite on another object means the one of the same task; on itself, this very one.
        renamed = {}
        for peer_key, peer in unique.items():
            if peer.task == entry.task:
                renamed[peer.name] = names[peer_key]
        name = renamed[entry.name] = names[key]
        is_reserved = name != entry.name and entry.name not in COMMON
        roles = _roles(entry.roles, renamed)
        objects[name] = Object(name, entry.name, entry.task, is_reserved, roles)
    return objects, aliases | dict(zip(objects, objects, strict=True))


def _roles(facts: Iterable[Mapping[str, Any]], renamed: Mapping[str, str]) -> dict[tuple[str, int], ObjectRole]:
    """Return the roles of an object by verb and slot; the objects of its task are renamed."""
    roles = {}
    for role in facts:
        needs: list[RoleKey] = []
        for name, verb, *slots in role.get("needs", ()):
            slot = slots[0] if slots else 0
            needs.append((renamed.get(name, name), verb, slot))
        verb = role["verb"]
        slot = role.get("slot", 0)
        state = role.get("states", [None])[0]
        minutes = role.get("minutes", 0)
        roles[verb, slot] = ObjectRole(verb, slot, minutes, tuple(needs), state)
    return roles


def _add_numbers(names: Sequence[str]) -> list[str]:
    """Add ``_1``, ``_2``, ... to names that occur more than once, in order of occurrence."""
    total, count = Counter(names), Counter[str]()
    numbered = []
    for name in names:
        count[name] += 1
        if total[name] > 1:
            name = f"{name}_{count[name]}"
        numbered.append(name)
    return numbered


def _with_preparation(scene: Scenario, thing: Object, role: ObjectRole) -> tuple[RoleKey, ...]:
    """Return the prerequisites of a role, and the preparation of a second object.

    The preparation is added where another object can take the place of the second object in the work that the role
    builds on. Elsewhere that work needs it anyway.

    >>> world("timearena/household1").objects["teapot"].roles["brew with", 2].needs  # the cup takes the kettle, too
    (('kettle', 'pour into', 1), ('teapot', 'wash', 0))
    """
    needs = dict.fromkeys(role.needs)
    if role.slot != 2:
        return tuple(needs)
    for name, verb, _ in role.needs:
        partners = scene.partners(scene.objects[name], verb)
        if thing in partners and len(partners) > 1:
            needs |= dict.fromkeys(thing.roles[verb, 2].needs)
    return tuple(needs)


def words(name: str, verb: str) -> str:
    """Write work on an object as the action that it is part of.

    >>> words("kettle", "activate"), words("kettle", "pour into")
    ('activate kettle', 'pour kettle into ...')
    """
    head, gap, preposition = verb.partition(" ")
    if not gap:
        return f"{head} {name}"
    return f"{head} {name} {preposition} ..."


#: Time limit of the paper, per task (section 4.1).
MINUTES_PER_TASK = 40


@lru_cache(maxsize=2048)
def load(name: str, rules: Profile = PAPER) -> Instance:
    """Return the instance of a name such as ``timearena/household1+household2``.

    Its origin is the deciding profile, so that its schedules are refereed by it. An action that reservations
    leave no second object for raises `InputError`: the combination cannot be completed.

    Every role with minutes is an action: it holds the agent throughout, or for its first minute if it then
    runs by itself. Objects are resources of capacity one; the second object of an action is its mode,
    with that object's own prerequisites.
    """
    scene = world(name, rules)
    uses = [(thing, role) for thing, role in scene.roles() if role.minutes]
    actions = [_action(scene, thing, role) for thing, role in uses]
    lags = list[Lag]()
    for action, (_, role) in zip(actions, uses, strict=True):
        # An action waits for its own needs, and for those that all its modes share.
        mode_needs = [set(mode.after) for mode in action.modes]
        shared = set.intersection(*mode_needs) if mode_needs else set()
        predecessors = dict.fromkeys([*_needs(scene, role), *sorted(shared)])
        lags += [Lag(predecessor, action.id) for predecessor in predecessors]
    resources = tuple(Resource(thing) for thing in scene.objects)
    return Instance(
        name=scene.name,
        actions=tuple(actions),
        lags=tuple(lags),
        resources=resources,
        benchmark="timearena",
        unit="minute",
        seconds_per_tick=60,
        time_limit=MINUTES_PER_TASK * len(scene.tasks),
        origin=scene.rules,
    )


def under(problem: Instance, rules: Profile) -> Instance:
    """Return a combination under some rules; only ``reserved_objects`` changes the instance."""
    deciding_rules = rules.deciding()
    if rules_of(problem).deciding() == deciding_rules:
        return problem
    return load(problem.name, deciding_rules)


def rules_of(problem: Instance) -> Profile:
    """Return the profile for which a combination was encoded."""
    return problem.origin if isinstance(problem.origin, Profile) else PAPER


def _id(scene: Scenario, thing: str, verb: str) -> str:
    head, _, preposition = verb.partition(" ")
    task = scene.objects[thing].task
    return f"{task}/{head} {thing} {preposition}".rstrip()


def _needs(scene: Scenario, role: ObjectRole) -> list[str]:
    """Return the actions that must end before a role."""
    actions: dict[str, None] = {}
    for name, verb, slot in role.needs:
        if scene.objects[name].roles[verb, slot].minutes:
            actions[_id(scene, name, verb)] = None
    return list(actions)


def _action(scene: Scenario, thing: Object, role: ObjectRole) -> Action:
    modes: tuple[Mode, ...] = (Mode((Demand(thing.name),)),)
    if role.slot == 1:
        modes = _modes_with_partners(scene, thing, role.verb)
    attended = role.minutes if scene.verbs[role.verb] else 1
    return Action(
        id=_id(scene, thing.name, role.verb),
        task=thing.task,
        duration=role.minutes,
        attended=attended,
        modes=modes,
    )


def _modes_with_partners(scene: Scenario, thing: Object, verb: str) -> tuple[Mode, ...]:
    """Return the modes of a four-word action: one for each possible second object."""
    modes: list[Mode] = []
    for second in scene.partners(thing, verb):
        demands = (Demand(thing.name), Demand(second.name))
        predecessors = _needs(scene, second.roles[verb, 2])
        modes.append(Mode(demands, second.name, tuple(predecessors)))
    return tuple(modes)


def decisions(problem: Instance, pieces: Iterable[Piece], begin: int = 0, end: int = 0) -> list[str]:
    """Write pieces as decisions from ``begin`` to ``end``, one for every free minute of the agent."""
    texts: list[str] = []
    clock = begin
    for piece in pieces:
        action = problem.by_id[piece.action]
        texts += ["wait"] * (piece.start - clock)
        texts.append(command(action, piece.mode))
        clock = piece.start + action.attended
    return texts + ["wait"] * (end - clock)


def command(action: Action, mode: int) -> str:
    """Write the decision that starts an action in one of its modes."""
    words = action.id.partition("/")[2]
    second_object = action.modes[mode].name
    return f"{words} {second_object}" if second_object else words


def action_modes(problem: Instance) -> dict[str, tuple[Action, int]]:
    """Return the decisions that start an action, each with the action and its mode."""
    modes: dict[str, tuple[Action, int]] = {}
    for action in problem.actions:
        for mode in range(len(action.modes)):
            modes[command(action, mode)] = (action, mode)
    return modes


def to_schedule(problem: Instance, decisions: list[str]) -> Schedule:
    """Convert decisions to a schedule; a decision that is not an action of the instance takes a minute."""
    modes = action_modes(problem)
    pieces: list[Piece] = []
    clock = 0
    for decision in decisions:
        if decision not in modes:
            clock += 1
            continue
        action, mode = modes[decision]
        piece = Piece(action.id, clock, action.duration, problem.agents[0], mode)
        pieces.append(piece)
        clock += action.attended
    return Schedule.of(problem, pieces)


#: Action -> prerequisite in the released ``dependencygraph.json`` only; ids without the numbers of objects.
_LISTED = {
    "cooking6/bake dish in": "cooking6/add beef to",
    "household7/pour coffee_machine into": "household7/activate coffee_machine",
    "lab5/add aluminum_foil to": "lab5/dissolve sodium_hydroxide in",
}


def without_objects(instance: Instance, *, as_listed: bool = False) -> Instance:
    """Remove all resources, so that only the agent and the prerequisites restrict plans.

    Modes keep their names and prerequisites; of modes with the same prerequisites the first is kept. The
    result follows the general rules (``benchmark="generic"``). With ``as_listed`` it has the additional
    prerequisites of the released list: the problem that the released greedy solves.
    """
    actions = []
    for action in instance.actions:
        modes: dict[frozenset[str], Mode] = {}
        for mode in action.modes:
            modes.setdefault(frozenset(mode.after), replace(mode, demands=()))
        actions.append(replace(action, modes=tuple(modes.values())))
    lags = instance.lags
    if as_listed:
        ids = {re.sub(r"_\d+", "", action.id): action.id for action in instance.actions}
        for after, before in _LISTED.items():
            if before in ids and after in ids:
                lags += (Lag(ids[before], ids[after]),)
    return replace(
        instance,
        name=f"{instance.name} without objects",
        actions=tuple(actions),
        lags=lags,
        resources=(),
        benchmark=GENERAL,
    )


SCENARIOS = ("cooking", "household", "lab")


def scenario_set(scenario: str, size: int) -> tuple[str, ...]:
    """Return the ten combinations of ``size`` consecutive tasks of a scenario, in a circle.

    >>> scenario_set("lab", 2)[-1]
    'timearena/lab10+lab1'
    """
    combinations = []
    for first in range(10):
        numbers = [(first + offset) % 10 + 1 for offset in range(size)]
        tasks = [f"{scenario}{number}" for number in numbers]
        combinations.append(f"timearena/{'+'.join(tasks)}")
    return tuple(combinations)


@cache
def _sets() -> dict[str, tuple[str, ...]]:
    """Return the nine sets of the paper's Table 2 by name."""
    sets: dict[str, tuple[str, ...]] = {}
    for scenario in SCENARIOS:
        for size in (1, 2, 3):
            sets[f"timearena/{scenario}/{size}"] = scenario_set(scenario, size)
    return sets


@cache
def names() -> tuple[str, ...]:
    """Names of all 90 combinations of the paper's Table 2."""
    return tuple(chain.from_iterable(_sets().values()))


def covers(name: str) -> bool:
    """Return true if a name combines existing tasks, each once."""
    try:
        world(name)
    except UnknownNameError:
        return False
    return True


def set_of(name: str) -> tuple[str, tuple[str, ...]]:
    """Return name and members of the paper's set with a combination, ``("", ())`` if there is none.

    >>> set_of("timearena/lab10+lab1")[0]
    'timearena/lab/2'
    """
    for label, set_members in _sets().items():
        if name in set_members:
            return label, set_members
    return "", ()


def members(name: str) -> tuple[str, ...]:
    """Return the members of a set of the paper by its name, ``()`` if there is none.

    >>> len(members("timearena/cooking")), len(members("timearena/cooking/2")), members("timearena/cooking/9")
    (30, 10, ())
    """
    label = name.rstrip("/")
    names: list[str] = []
    for set_label, set_members in _sets().items():
        if label in (set_label, set_label.rpartition("/")[0]):
            names += set_members
    return tuple(names)
