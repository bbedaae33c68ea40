"""Checks that an instance makes sense before anybody schedules it."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

from planoracle.instances import registry
from planoracle.instances.errors import InputError

if TYPE_CHECKING:
    from planoracle.instances.model import Action, Demand, Instance

__all__ = ["topological_order", "validate"]

#: Largest number of ticks anywhere; keeps sums far inside 64 bits (and the solver's domains small).
MAX_TICKS = 10**9
#: Largest instance.
MAX_ACTIONS, MAX_LAGS, MAX_RESOURCES, MAX_AGENTS = 10_000, 100_000, 10_000, 1_000
#: Most modes of an action, and longest name in characters.
MAX_MODES, MAX_NAME = 1_000, 500

_MOST = {"actions": MAX_ACTIONS, "lags": MAX_LAGS, "resources": MAX_RESOURCES, "agents": MAX_AGENTS}


def validate(instance: Instance) -> None:
    """Raise an `InputError` that names the first field of ``instance`` that cannot be right."""
    if not instance.actions:
        raise InputError("needs at least one action", field="actions")
    for field, most in _MOST.items():
        if len(getattr(instance, field)) > most:
            raise InputError(f"must be at most {most}", field=field, value=len(getattr(instance, field)))
    _unique((a.id for a in instance.actions), "actions")
    _unique((r.name for r in instance.resources), "resources")
    _unique(instance.agents, "agents")
    if instance.time_limit is not None:
        _ticks(instance.time_limit, "time_limit")
    if instance.seconds_per_tick is not None:
        _ticks(instance.seconds_per_tick, "seconds_per_tick", least=1)
    for resource in instance.resources:
        _ticks(resource.capacity, f"resources[{resource.name}].capacity", least=1)
    states = _reachable_states(instance)
    stateful, agents = {name for name, _ in states}, set(instance.agents)
    for action in instance.actions:
        _action(instance, action, states, stateful, agents)
    _lags(instance)
    topological_order(instance)
    if not isinstance(instance.benchmark, str):
        raise InputError("must be text", field="benchmark", value=instance.benchmark)
    registry.of(instance).check(instance)


def _unique(names: Iterable[str], field: str) -> None:
    seen: set[str] = set()
    for name in names:
        if not isinstance(name, str) or not name:
            raise InputError("names must be non-empty text", field=field, value=name)
        if len(name) > MAX_NAME:
            raise InputError(f"names must have at most {MAX_NAME} characters", field=field, value=name)
        if name in seen:
            raise InputError("names must be unique", field=field, value=name)
        seen.add(name)


def _ticks(value: object, field: str, least: int = 0) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError("must be a whole number", field=field, value=value)
    if not least <= value <= MAX_TICKS:
        raise InputError(f"must lie between {least} and {MAX_TICKS}", field=field, value=value)


def _reachable_states(instance: Instance) -> set[tuple[str, str]]:
    states = {(r.name, r.state) for r in instance.resources if r.state is not None}
    states |= {
        (demand.resource, demand.sets)
        for action in instance.actions
        for mode in action.modes
        for demand in mode.demands
        if demand.sets is not None
    }
    return states


def _action(
    instance: Instance, action: Action, states: set[tuple[str, str]], stateful: set[str], agents: set[str]
) -> None:
    field = f"actions[{action.id}]"
    for name, value in (("duration", action.duration), ("attended", action.attended), ("release", action.release)):
        if type(value) is not int or not 0 <= value <= MAX_TICKS:  # first, since most of the time goes here
            _ticks(value, f"{field}.{name}")
    if action.attended > action.duration:
        raise InputError(
            f"must not exceed the duration {action.duration}", field=f"{field}.attended", value=action.attended
        )
    if action.interruptible and 0 < action.attended < action.duration:
        raise InputError(
            f"must be 0 or the duration {action.duration} for an interruptible action",
            field=f"{field}.attended",
            value=action.attended,
        )
    if action.interruptible:
        _interruptible(action, field, stateful)
    task, _, name = action.id.partition("/")
    if task != action.task or not task or not name or "/" in name:
        raise InputError("must be task/name, neither empty nor with '/' in it", field=f"{field}.id", value=action.id)
    if action.agents:
        _unique(action.agents, f"{field}.agents")
    for agent in action.agents or ():
        if agent not in agents:
            raise InputError(f"must be one of the agents {list(instance.agents)}", field=f"{field}.agents", value=agent)
    if action.attended and not instance.eligible(action):
        raise InputError("an attended action needs an eligible agent", field=f"{field}.agents", value=[])
    if not action.modes:
        raise InputError("needs at least one mode", field=f"{field}.modes", value=[])
    if len(action.modes) > MAX_MODES:
        raise InputError(f"must be at most {MAX_MODES}", field=f"{field}.modes", value=len(action.modes))
    for number, mode in enumerate(action.modes):
        for before in mode.after:
            if before not in instance.index or before == action.id:
                message = "must be another action of the instance"
                raise InputError(message, field=f"{field}.modes[{number}].after", value=before)
        names = [demand.resource for demand in mode.demands]
        if len(set(names)) < len(names):
            raise InputError("names a resource twice", field=f"{field}.modes[{number}]", value=names)
        for demand in mode.demands:
            _demand(instance, demand, action, number, states)


def _interruptible(action: Action, field: str, stateful: set[str]) -> None:
    for mode in action.modes:
        for demand in mode.demands:
            if demand.sets is not None:
                message = "an interruptible action cannot set a state"
                raise InputError(message, field=f"{field}.interruptible", value=True)
            if not action.attended and demand.resource in stateful:
                message = f"an unattended action that uses {demand.resource}, which has states, cannot be interruptible"
                raise InputError(message, field=f"{field}.interruptible", value=True)


def _demand(instance: Instance, demand: Demand, action: Action, mode: int, states: set[tuple[str, str]]) -> None:
    resource, amount = instance.resource.get(demand.resource), demand.amount
    if resource is not None and type(amount) is int and 0 <= amount <= resource.capacity and demand.requires is None:
        return
    field = f"actions[{action.id}].modes[{mode}].uses[{demand.resource}]"
    if resource is None:
        known = sorted(instance.resource)
        raise InputError(f"must be one of the resources {known}", field=f"{field}.resource", value=demand.resource)
    _ticks(demand.amount, f"{field}.amount")
    if demand.amount > resource.capacity:
        raise InputError(f"exceeds the capacity {resource.capacity}", field=f"{field}.amount", value=demand.amount)
    if demand.requires is not None and (demand.resource, demand.requires) not in states:
        raise InputError(
            "no action sets this state and it is not the initial one", field=f"{field}.requires", value=demand.requires
        )


def _lags(instance: Instance) -> None:
    seen: set[tuple[str, str]] = set()
    index = instance.index
    for lag in instance.lags:
        field = f"lags[{lag.before} -> {lag.after}]"
        for end in (lag.before, lag.after):
            if end not in index:
                raise InputError("refers to an action that does not exist", field=field, value=end)
        if lag.before == lag.after:
            raise InputError("an action cannot precede itself", field=field, value=lag.before)
        if (lag.before, lag.after) in seen:
            raise InputError("is given twice", field=field)
        seen.add((lag.before, lag.after))
        if lag.minimum is None and lag.maximum is None:
            raise InputError("needs a minimum or a maximum", field=field)
        for bound, value in (("minimum", lag.minimum), ("maximum", lag.maximum)):
            if value is not None and (type(value) is not int or not -MAX_TICKS <= value <= MAX_TICKS):
                _ticks(value, f"{field}.{bound}", least=-MAX_TICKS)
        if lag.minimum is not None and lag.maximum is not None and lag.maximum < lag.minimum:
            raise InputError(f"is below the minimum {lag.minimum}", field=f"{field}.maximum", value=lag.maximum)


def topological_order(instance: Instance) -> tuple[int, ...]:
    """Order the actions so that predecessors come first, ties by position (Kahn's algorithm).

    A negative minimum lag does not order its two actions.

    Raises
    ------
    InputError
        If the precedences contain a cycle; the error names one.
    """
    index, count = instance.index, len(instance.actions)
    after: list[list[int]] = [[] for _ in range(count)]
    missing = [0] * count
    for lag in instance.lags:
        if lag.minimum is not None and lag.minimum >= 0:
            after[index[lag.before]].append(index[lag.after])
            missing[index[lag.after]] += 1
    ready = [i for i in range(count) if not missing[i]]
    heapify(ready)
    order = []
    while ready:
        i = heappop(ready)
        order.append(i)
        for j in after[i]:
            missing[j] -= 1
            if not missing[j]:
                heappush(ready, j)
    if len(order) < count:
        raise InputError("the precedences form a cycle", field="lags", value=_cycle(instance, after, set(order)))
    return tuple(order)


def _cycle(instance: Instance, after: list[list[int]], done: set[int]) -> str:
    # Every action that is left has a predecessor that is left, so walking back must come round.
    before = {j: i for i, row in enumerate(after) if i not in done for j in row if j not in done}
    node = min(before)
    path: dict[int, None] = {}
    while node not in path:
        path[node] = None
        node = before[node]
    walked = list(path)
    loop = [*walked[walked.index(node) :], node]
    return " -> ".join(instance.actions[i].id for i in reversed(loop))
