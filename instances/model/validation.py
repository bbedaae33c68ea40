"""Consistency checks of instances, and their topological order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, TypeAlias

from planoracle.instances.errors import InputError, combine_errors
from planoracle.instances.text import did_you_mean, one_of

if TYPE_CHECKING:
    from planoracle.instances.model.instance import Action, Demand, Instance


#: Largest number of ticks anywhere; keeps sums far inside 64 bits (and the solver's domains small).
MAX_TICKS = 10**9
#: Largest instance.
MAX_ACTIONS = MAX_RESOURCES = 10_000
MAX_LAGS, MAX_AGENTS = 100_000, 1_000
#: Most modes of an action, and longest name in characters.
MAX_MODES, MAX_NAME = 1_000, 500
# Actions named at either end of a cycle.
_CYCLE_END = 10

Faults: TypeAlias = Iterator[InputError]

_LIMITS = {"actions": MAX_ACTIONS, "lags": MAX_LAGS, "resources": MAX_RESOURCES, "agents": MAX_AGENTS}


def validate(instance: Instance) -> None:
    """Raise an `InputError` that names the invalid fields of an instance.

    The stages depend on each other: first names and numbers, then actions and time lags, then cycles.
    """
    for stage in (_names, _parts, _whole):
        error = combine_errors(stage(instance))
        if error is not None:
            raise error


def _names(instance: Instance) -> Faults:
    """Yield faults of names and numbers."""
    if not instance.actions:
        yield InputError("needs at least one action", field="actions")
    for field, limit in _LIMITS.items():
        count = len(getattr(instance, field))
        if count > limit:
            yield InputError(f"must have at most {limit} entries", field=field, value=count)
            return
    yield from _unique((action.id for action in instance.actions), "actions")
    yield from _unique((resource.name for resource in instance.resources), "resources")
    yield from _unique(instance.agents, "agents")
    if instance.time_limit is not None:
        yield from _ticks(instance.time_limit, "time_limit")
    if instance.seconds_per_tick is not None:
        yield from _ticks(instance.seconds_per_tick, "seconds_per_tick", minimum=1)
    for resource in instance.resources:
        yield from _ticks(resource.capacity, f"resources[{resource.name}].capacity", minimum=1)


def _parts(instance: Instance) -> Faults:
    """Yield faults of actions and time lags."""
    states = {(resource.name, resource.state) for resource in instance.resources if resource.state is not None}
    for action in instance.actions:
        for mode in action.modes:
            for demand in mode.demands:
                if demand.sets is not None:
                    states.add((demand.resource, demand.sets))
    stateful = {name for name, _ in states}
    agents = set(instance.agents)
    for action in instance.actions:
        yield from _action(instance, action, states, stateful, agents)
    yield from _lags(instance)


def _whole(instance: Instance) -> Faults:
    """Yield faults of the benchmark's name and cycles of precedences."""
    if not isinstance(instance.benchmark, str):
        yield InputError("must be text", field="benchmark", value=instance.benchmark)
    try:
        topological_order(instance)
    except InputError as error:
        yield error


def _unique(names: Iterable[str], field: str) -> Faults:
    seen: set[str] = set()
    for name in names:
        if not isinstance(name, str) or not name:
            yield InputError("names must be non-empty text", field=field, value=name)
            continue
        if len(name) > MAX_NAME:
            yield InputError(f"names must have at most {MAX_NAME} characters", field=field, value=name)
        if name in seen:
            yield InputError("names must be unique", field=field, value=name)
        seen.add(name)


def _ticks(value: object, field: str, minimum: int = 0) -> Faults:
    if isinstance(value, bool) or not isinstance(value, int):
        yield InputError("must be a whole number", field=field, value=value)
    elif not minimum <= value <= MAX_TICKS:
        yield InputError(f"must lie between {minimum} and {MAX_TICKS}", field=field, value=value)


def _action(
    instance: Instance, action: Action, states: set[tuple[str, str]], stateful: set[str], agents: set[str]
) -> Faults:
    field = f"actions[{action.id}]"
    times = action.duration, action.attended, action.release
    if all(type(time) is int and 0 <= time <= MAX_TICKS for time in times):  # most of the time goes here
        yield from _attention(action, field)
    else:
        for name, time in zip(("duration", "attended", "release"), times, strict=True):
            yield from _ticks(time, f"{field}.{name}")
    if action.interruptible:
        yield from _interruptible(action, field, stateful)
    task, _, name = action.id.partition("/")
    if task != action.task or not task or not name or "/" in name:
        message = "must be task/name; neither part may be empty or contain '/'"
        yield InputError(message, field=f"{field}.id", value=action.id)
    yield from _agents(instance, action, field, agents)
    if not action.modes:
        yield InputError("needs at least one mode", field=f"{field}.modes", value=[])
    count = len(action.modes)
    if count > MAX_MODES:
        yield InputError(f"must have at most {MAX_MODES} entries", field=f"{field}.modes", value=count)
        return
    for number, mode in enumerate(action.modes):
        for before in mode.after:
            if before not in instance.index or before == action.id:
                message = "must be another action of the instance" + did_you_mean(before, instance.index)
                yield InputError(message, field=f"{field}.modes[{number}].after", value=before)
        names = [demand.resource for demand in mode.demands]
        if len(set(names)) < len(names):
            yield InputError("uses a resource twice", field=f"{field}.modes[{number}]", value=names)
        for demand in mode.demands:
            yield from _demand(instance, demand, action, number, states)


def _attention(action: Action, field: str) -> Faults:
    if action.attended > action.duration:
        message = f"must not exceed the duration {action.duration}"
        yield InputError(message, field=f"{field}.attended", value=action.attended)
    elif action.interruptible and 0 < action.attended < action.duration:
        message = f"must be 0 or the duration {action.duration} for an interruptible action"
        yield InputError(message, field=f"{field}.attended", value=action.attended)


def _agents(instance: Instance, action: Action, field: str, agents: set[str]) -> Faults:
    if action.agents:
        yield from _unique(action.agents, f"{field}.agents")
    unknown = [agent for agent in action.agents or () if agent not in agents]
    for agent in unknown:
        message = one_of(agent, instance.agents, "agents")
        yield InputError(message, field=f"{field}.agents", value=agent)
    if action.attended and not unknown and not instance.eligible(action):
        yield InputError("an attended action needs an eligible agent", field=f"{field}.agents", value=[])


def _interruptible(action: Action, field: str, stateful: set[str]) -> Faults:
    for mode in action.modes:
        for demand in mode.demands:
            if demand.sets is not None:
                message = "an interruptible action cannot set a state"
                yield InputError(message, field=f"{field}.interruptible", value=True)
                return
            if not action.attended and demand.resource in stateful:
                message = f"an unattended action that uses {demand.resource}, which has states, cannot be interruptible"
                yield InputError(message, field=f"{field}.interruptible", value=True)
                return


def _demand(instance: Instance, demand: Demand, action: Action, mode: int, states: set[tuple[str, str]]) -> Faults:
    resource = instance.resource.get(demand.resource)
    amount = demand.amount
    if resource is not None and type(amount) is int and 0 <= amount <= resource.capacity and demand.requires is None:
        return
    field = f"actions[{action.id}].modes[{mode}].uses[{demand.resource}]"
    if resource is None:
        names = sorted(instance.resource)
        message = one_of(demand.resource, names, "resources")
        yield InputError(message, field=f"{field}.resource", value=demand.resource)
        return
    faults = list(_ticks(demand.amount, f"{field}.amount"))
    yield from faults
    if not faults and demand.amount > resource.capacity:
        yield InputError(f"exceeds the capacity {resource.capacity}", field=f"{field}.amount", value=demand.amount)
    if demand.requires is not None and (demand.resource, demand.requires) not in states:
        reachable = sorted(state for name, state in states if name == demand.resource)
        message = "is not the initial state, and no action sets it" + did_you_mean(demand.requires, reachable)
        yield InputError(message, field=f"{field}.requires", value=demand.requires)


def _lags(instance: Instance) -> Faults:
    seen: set[tuple[str, str]] = set()
    index = instance.index
    for lag in instance.lags:
        field = f"lags[{lag.before} -> {lag.after}]"
        for end in (lag.before, lag.after):
            if end not in index:
                message = "refers to an action that does not exist" + did_you_mean(end, index)
                yield InputError(message, field=field, value=end)
        if lag.before == lag.after:
            yield InputError("an action cannot precede itself", field=field, value=lag.before)
        if (lag.before, lag.after) in seen:
            yield InputError("these actions already have a time lag", field=field)
        seen.add((lag.before, lag.after))
        if lag.minimum is None and lag.maximum is None:
            yield InputError("needs a minimum or a maximum", field=field)
        faults: list[InputError] = []
        for bound, value in (("minimum", lag.minimum), ("maximum", lag.maximum)):
            if value is not None and (type(value) is not int or not -MAX_TICKS <= value <= MAX_TICKS):
                faults += _ticks(value, f"{field}.{bound}", minimum=-MAX_TICKS)
        yield from faults
        if not faults and lag.minimum is not None and lag.maximum is not None and lag.maximum < lag.minimum:
            yield InputError(f"is below the minimum {lag.minimum}", field=f"{field}.maximum", value=lag.maximum)


def topological_order(instance: Instance) -> tuple[int, ...]:
    """Return positions of actions, predecessors first, ties by position (Kahn's algorithm).

    A negative minimum lag does not order its two actions. The standard library and networkx take over ten times as
    long, and searches make an instance of every state of a run.

    Raises
    ------
    InputError
        If the precedences contain a cycle; the error names one.
    """
    index, count = instance.index, len(instance.actions)
    after: list[list[int]] = [[] for _ in range(count)]
    missing = [0] * count
    for lag in instance.lags:
        if lag.orders:
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
        raise InputError(f"the precedences form a cycle: {_cycle(instance, after)}", field="lags")
    return tuple(order)


def _cycle(instance: Instance, after: list[list[int]]) -> str:
    """Return a cycle of the precedences in words."""
    import networkx as nx

    edges = nx.find_cycle(nx.DiGraph(dict(enumerate(after))))
    loop = [instance.actions[i].id for i, _ in (*edges, edges[0])]
    omitted = len(loop) - 2 * _CYCLE_END
    if omitted > 0:
        loop[_CYCLE_END:-_CYCLE_END] = [f"{omitted} more"]
    return " -> ".join(loop)
