"""TimeArena tasks as scheduling instances, schedules as decisions, and names of problems."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache, lru_cache

from planoracle.instances.benchmarks.timearena.rules import PROFILES, Profile, may_meet
from planoracle.instances.benchmarks.timearena.scenario import Object, ObjectRole, Scenario, task_names, world
from planoracle.instances.errors import UnknownNameError
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.problem import GENERAL
from planoracle.instances.model.schedule import Piece, Schedule

#: Time limit of the paper, per task (section 4.1).
MINUTES_PER_TASK = 40


@lru_cache(maxsize=2048)
def load(name: str) -> Instance:
    """Return the instance of a name such as ``timearena/household1+household2``."""
    return instance(world(name))


def instance(scene: Scenario, rules: Profile = PROFILES["paper"]) -> Instance:
    """Encode a combination of tasks.

    The instance's origin is the profile, so that its schedules are refereed by it. An action that reservations
    leave no second object for raises `InputError`: the combination cannot be completed.

    Every role with minutes is an action: it holds the agent throughout, or for its first minute if it then
    runs by itself. Objects are resources of capacity one; the second object of an action is its mode,
    with that object's own prerequisites.
    """
    actions, lags = [], []
    for thing in scene.objects.values():
        for role in thing.roles.values():
            if not role.minutes:
                continue
            action = _action(scene, thing, role, rules)
            actions.append(action)
            lags += [Lag(before, action.id) for before in _waits_for(action, _needs(scene, role))]
    return Instance(
        name=scene.name,
        actions=tuple(actions),
        lags=tuple(lags),
        resources=tuple(Resource(name) for name in scene.objects),
        benchmark="timearena",
        unit="minute",
        seconds_per_tick=60,
        time_limit=MINUTES_PER_TASK * len(scene.tasks),
        origin=rules,
    )


def under(problem: Instance, rules: Profile) -> Instance:
    """Return a combination under some rules; only ``reserved_objects`` changes the instance."""
    origin = problem.origin if isinstance(problem.origin, Profile) else PROFILES["paper"]
    deciding = rules.deciding()
    return problem if origin.deciding() == deciding else _under(problem.name, deciding)


@lru_cache(maxsize=2048)
def _under(name: str, rules: Profile) -> Instance:
    return instance(world(name), rules)


def _waits_for(action: Action, needs: list[str]) -> list[str]:
    """Return what an action waits for in any case: its own needs, and those that all its modes share."""
    shared = set.intersection(*(set(mode.after) for mode in action.modes)) if action.modes else set()
    return list(dict.fromkeys([*needs, *sorted(shared)]))


def _id(scene: Scenario, thing: str, verb: str) -> str:
    return (
        f"{scene.objects[thing].task}/{verb.replace(' ', f' {thing} ')}"
        if " " in verb
        else (f"{scene.objects[thing].task}/{verb} {thing}")
    )


def _needs(scene: Scenario, role: ObjectRole) -> list[str]:
    """Return the actions a role waits for."""
    needed = (key for key in role.needs if scene.objects[key[0]].roles[key[1:]].minutes)
    return list(dict.fromkeys(_id(scene, name, verb) for name, verb, _ in needed))


def _action(scene: Scenario, thing: Object, role: ObjectRole, rules: Profile) -> Action:
    modes = [Mode((Demand(thing.name),))]
    if role.slot == 1:
        modes = [
            Mode((Demand(thing.name), Demand(other.name)), other.name, tuple(_needs(scene, other.roles[role.verb, 2])))
            for other in scene.objects.values()
            if (role.verb, 2) in other.roles and other is not thing and may_meet(scene, thing, other, rules)
        ]
    return Action(
        id=_id(scene, thing.name, role.verb),
        task=thing.task,
        duration=role.minutes,
        attended=role.minutes if scene.verbs[role.verb] else 1,
        modes=tuple(modes),
    )


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
    return f"{words} {action.modes[mode].name}" if action.modes[mode].name else words


def action_modes(problem: Instance) -> dict[str, tuple[Action, int]]:
    """Return the decisions that start something: the action, and its mode."""
    return {command(one, mode): (one, mode) for one in problem.actions for mode in range(len(one.modes))}


def to_schedule(problem: Instance, decisions: list[str]) -> Schedule:
    """Turn decisions into a schedule; what names no action of the instance passes a minute."""
    modes, pieces, clock = action_modes(problem), list[Piece](), 0
    for decision in decisions:
        if decision not in modes:
            clock += 1
            continue
        action, mode = modes[decision]
        pieces.append(Piece(action.id, clock, action.duration, problem.agents[0], mode))
        clock += action.attended
    return Schedule.of(problem, pieces)


#: Action -> prerequisite in the released ``dependencygraph.json`` only; ids without the numbers of objects.
_LISTED = {
    "cooking6/bake dish in": "cooking6/add beef to",
    "household7/pour coffee_machine into": "household7/activate coffee_machine",
    "lab5/add aluminum_foil to": "lab5/dissolve sodium_hydroxide in",
}
#: Second object that the released list names where the environment would take another as well.
_LISTED_OBJECT = {"household1/pour kettle into": "teapot"}


def without_objects(instance: Instance, *, as_listed: bool = False) -> Instance:
    """Drop all resources, so that only the agent and the prerequisites are left.

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
    name = f"{instance.name} without objects"
    free = replace(instance, name=name, actions=tuple(actions), resources=(), benchmark=GENERAL)
    return _as_listed(free) if as_listed else free


def _as_listed(instance: Instance) -> Instance:
    ids = {re.sub(r"_\d+", "", action.id): action.id for action in instance.actions}
    actions = tuple(
        replace(action, modes=tuple(m for m in action.modes if m.name.startswith(prefix))) if prefix else action
        for action in instance.actions
        for prefix in (_LISTED_OBJECT.get(re.sub(r"_\d+", "", action.id)),)
    )
    more = [Lag(ids[before], ids[after]) for after, before in _LISTED.items() if before in ids and after in ids]
    return replace(instance, actions=actions, lags=instance.lags + tuple(more))


SCENARIOS = ("cooking", "household", "lab")


def scenario_set(scenario: str, size: int) -> tuple[str, ...]:
    """Return the ten combinations of ``size`` consecutive tasks of a scenario, in a circle.

    >>> scenario_set("lab", 2)[-1]
    'timearena/lab10+lab1'
    """
    return tuple(
        "timearena/" + "+".join(f"{scenario}{(first + k) % 10 + 1}" for k in range(size)) for first in range(10)
    )


@cache
def _sets() -> dict[str, tuple[str, ...]]:
    """Return the nine sets of the paper's Table 2 by name."""
    sets = [(scenario, size) for scenario in SCENARIOS for size in (1, 2, 3)]
    return {f"timearena/{scenario}/{size}": scenario_set(scenario, size) for scenario, size in sets}


@cache
def names() -> tuple[str, ...]:
    """Names of all 90 combinations of the paper's Table 2."""
    return tuple(name for members in _sets().values() for name in members)


def covers(name: str) -> bool:
    """Return true if a name combines existing tasks, each once."""
    if len(name) > 1000:
        return False
    try:
        return bool(world(name).tasks) and set(world(name).tasks) <= set(task_names())
    except UnknownNameError:
        return False


def set_of(name: str) -> tuple[str, tuple[str, ...]]:
    """Return name and members of the paper's set with a combination, ``("", ())`` if there is none.

    >>> set_of("timearena/lab10+lab1")[0]
    'timearena/lab/2'
    """
    return next(((label, members) for label, members in _sets().items() if name in members), ("", ()))


def members(name: str) -> tuple[str, ...]:
    """Return the members of a set of the paper by its name, ``()`` if there is none.

    >>> len(members("timearena/cooking")), len(members("timearena/cooking/2")), members("timearena/cooking/9")
    (30, 10, ())
    """
    label = name.rstrip("/")
    sets = [members for one, members in _sets().items() if one == label or one.rpartition("/")[0] == label]
    return tuple(member for members in sets for member in members)
