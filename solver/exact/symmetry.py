"""Symmetry breaking: exchangeable actions and tasks have their starts in a fixed order.

The constraints are sound: for every schedule there is one of the same makespan that satisfies all of them. An
exchange swaps the times, modes and agents of two actions, or of all actions of two tasks, that agree in everything the
rules see, so it keeps feasibility and makespan. Optional tasks take part in no exchange, since their actions may have
no times. Among the finitely many schedules that exchanges make of one schedule,
take the one whose starts, in the order ``urgent``, are lexicographically smallest. Suppose that it violates the
constraint of a pair. The first action of the pair is the most urgent one that their exchange moves, and would start
earlier after it: a contradiction. The search may return any schedule that satisfies the constraints, and the left shift
may move its pieces afterwards.

"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import pairwise

from planoracle.instances.model.instance import Action, Instance


def exchangeable(instance: Instance, urgent: Sequence[int]) -> list[tuple[int, int]]:
    """Return pairs of actions of which the first may be required to start no later than the second.

    Parameters
    ----------
    urgent
        All actions, in the order in which their starts are made small.

    Examples
    --------
    >>> from planoracle.instances.model.instance import Lag
    >>> pots = [Action(f"pot{n}/{step}", f"pot{n}", 2, 2) for n in (1, 2) for step in ("fill", "boil")]
    >>> lags = tuple(Lag(f"pot{n}/fill", f"pot{n}/boil") for n in (1, 2))
    >>> exchangeable(Instance("pots", tuple(pots), lags), [0, 2, 1, 3])
    [(0, 2)]
    >>> exchangeable(Instance("pots", tuple(pots)), [0, 1, 2, 3])  # no lags: all four are alike
    [(0, 1), (1, 2), (2, 3), (0, 2)]
    """
    place = {i: k for k, i in enumerate(urgent)}
    pairs = dict.fromkeys(_consecutive(_alike(instance), place))
    if len(instance.tasks) > 1:
        pairs |= dict.fromkeys(_consecutive(_first_of_alike_tasks(instance, place), place))
    return list(pairs)


def _consecutive(groups: list[list[int]], place: dict[int, int]) -> list[tuple[int, int]]:
    pairs: list[tuple[int, int]] = []
    for group in groups:
        pairs += pairwise(sorted(group, key=place.__getitem__))
    return pairs


def _signature(action: Action) -> tuple[Hashable, ...]:
    times = (action.duration, action.attended, action.release, action.deadline, action.windows)
    return (*times, action.interruptible, action.pauses_in_breaks, action.modes, action.agents, action.place)


def _alike(instance: Instance) -> list[list[int]]:
    """Group actions with the same properties and the same lags from and to the same others."""
    rough: dict[Hashable, list[int]] = {}  # by properties that are cheap to compare
    for i, action in enumerate(instance.actions):
        if action.task in instance.weights:
            continue
        properties = (action.duration, action.attended, action.release, len(action.modes))
        rough.setdefault(properties, []).append(i)
    groups: dict[Hashable, list[int]] = {}
    for candidates in rough.values():
        if len(candidates) > 1:
            for i in candidates:
                signature: Hashable = _signature(instance.actions[i])
                groups.setdefault(signature, []).append(i)
    groups = {signature: group for signature, group in groups.items() if len(group) > 1}
    if not groups:
        return []
    ties: dict[str, set[Hashable]] = {action.id: set() for action in instance.actions}
    for lag in instance.lags:
        ties[lag.before].add((lag.after, "after", lag.minimum, lag.maximum))
        ties[lag.after].add((lag.before, "before", lag.minimum, lag.maximum))
    named = _named_in_modes(instance)
    matches: dict[Hashable, list[int]] = {}
    for signature, group in groups.items():
        for i in group:
            name = instance.actions[i].id
            if name not in named:
                key = (signature, frozenset(ties[name]))
                matches.setdefault(key, []).append(i)
    return [group for group in matches.values() if len(group) > 1]


def _first_of_alike_tasks(instance: Instance, place: dict[int, int]) -> list[list[int]]:
    """Group the most urgent actions of identical tasks.

    Such tasks differ in names only, and no lag or mode ties them to another task.
    """
    members: dict[str, list[int]] = {task: [] for task in instance.tasks}
    for i, action in enumerate(instance.actions):
        members[action.task].append(i)
    alike: dict[Hashable, list[str]] = {}
    for task, positions in members.items():
        signatures = tuple(_signature(instance.actions[i]) for i in positions)
        alike.setdefault(signatures, []).append(task)
    if all(len(group) == 1 for group in alike.values()):
        return []
    lags: dict[str, set[Hashable]] = {task: set() for task in instance.tasks}
    tied = {instance.by_id[name].task for name in _named_in_modes(instance)}
    tied.update(instance.weights)
    for action in instance.actions:
        if any(mode.after for mode in action.modes):
            tied.add(action.task)
    local: dict[str, int] = {}  # number of an action within its task
    for positions in members.values():
        for k, i in enumerate(positions):
            local[instance.actions[i].id] = k
    for lag in instance.lags:
        task = instance.by_id[lag.before].task
        successor_task = instance.by_id[lag.after].task
        if task == successor_task:
            before, after = local[lag.before], local[lag.after]
            lags[task].add((before, after, lag.minimum, lag.maximum))
        else:
            tied |= {task, successor_task}
    matches: dict[Hashable, list[int]] = {}
    for signature, tasks in alike.items():
        for task in tasks:
            if task not in tied:
                positions = members[task]
                first = min(positions, key=place.__getitem__)
                key = (signature, frozenset(lags[task]), positions.index(first))
                matches.setdefault(key, []).append(first)
    return [group for group in matches.values() if len(group) > 1]


def _named_in_modes(instance: Instance) -> set[str]:
    names: set[str] = set()
    for action in instance.actions:
        for mode in action.modes:
            names.update(mode.after)
    return names
