"""Consistency checks of instances, and their topological order."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

from planoracle.instances.errors import InputError, combine_errors
from planoracle.instances.model.mode_validation import agent_faults, mode_faults
from planoracle.instances.model.restriction_validation import (
    absolute_time_faults,
    action_faults,
    family_faults,
    table_faults,
    use_faults,
)
from planoracle.instances.model.value_checks import MAX_NAME as MAX_NAME
from planoracle.instances.model.value_checks import MAX_TICKS as MAX_TICKS
from planoracle.instances.model.value_checks import Faults, name_faults, number_faults
from planoracle.instances.text import did_you_mean, one_of

if TYPE_CHECKING:
    from planoracle.instances.model.instance import Action, Demand, Instance


#: Largest instance.
MAX_ACTIONS = MAX_RESOURCES = 10_000
MAX_LAGS, MAX_AGENTS = 100_000, 1_000
#: Most modes of an action.
MAX_MODES = 1_000
# Actions named at either end of a cycle.
_CYCLE_END = 10

_LIMITS = {"actions": MAX_ACTIONS, "lags": MAX_LAGS, "resources": MAX_RESOURCES, "agents": MAX_AGENTS}


def validate(instance: Instance) -> None:
    """Raise an `InputError` that names the invalid fields of an instance.

    The stages depend on each other: first names and numbers, then calendars, transitions and optional tasks, then
    actions and time lags, then what actions use, then cycles.
    """
    for stage in (_names, table_faults, _parts, use_faults, _whole):
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
    yield from name_faults((action.id for action in instance.actions), "actions")
    yield from name_faults((resource.name for resource in instance.resources), "resources")
    yield from name_faults(instance.agents, "agents")
    if instance.time_limit is not None:
        yield from number_faults(instance.time_limit, "time_limit")
    if instance.seconds_per_tick is not None:
        yield from number_faults(instance.seconds_per_tick, "seconds_per_tick", minimum=1)
    for resource in instance.resources:
        minimum = 1 if resource.renewable else 0
        yield from number_faults(resource.capacity, f"resources[{resource.name}].capacity", minimum)
        if resource.state is not None and not resource.renewable:
            yield InputError("a budget has no states", field=f"resources[{resource.name}].state", value=resource.state)


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
    """Yield faults of the benchmark's name, cycles of precedences, and absolute times."""
    if not isinstance(instance.benchmark, str):
        yield InputError("must be text", field="benchmark", value=instance.benchmark)
    try:
        topological_order(instance)
    except InputError as error:
        yield error
        return
    yield from absolute_time_faults(instance)


def _action(
    instance: Instance, action: Action, states: set[tuple[str, str]], stateful: set[str], agents: set[str]
) -> Faults:
    field = f"actions[{action.id}]"
    is_valid = True
    for time in (action.duration, action.attended, action.release):  # a plain loop, as most of the time goes here
        is_valid = is_valid and type(time) is int and 0 <= time <= MAX_TICKS
    if not is_valid:
        for name in ("duration", "attended", "release"):
            yield from number_faults(getattr(action, name), f"{field}.{name}")
    elif action.attended not in (0, action.duration):
        yield from _attention(action, field)
    if action.interruptible:
        yield from _interruptible(action, field, stateful)
    is_restricted = action.deadline is not None or action.windows or action.pauses_in_breaks or action.place is not None
    if is_valid and is_restricted:
        yield from action_faults(instance, action, field)
    task, _, name = action.id.partition("/")
    if task != action.task or not task or not name or "/" in name:
        message = "must be task/name; neither part may be empty or contain '/'"
        yield InputError(message, field=f"{field}.id", value=action.id)
    if action.agents:
        yield from agent_faults(instance, action.agents, f"{field}.agents", agents)
    is_attended = action.attended and not instance.eligible(action)  # by agents of its modes only
    if not action.modes:
        yield InputError("needs at least one mode", field=f"{field}.modes", value=[])
    count = len(action.modes)
    if count > MAX_MODES:
        yield InputError(f"must have at most {MAX_MODES} entries", field=f"{field}.modes", value=count)
        return
    for number, mode in enumerate(action.modes):
        if mode.duration is not None or mode.attended is not None or mode.agents is not None:
            yield from mode_faults(instance, action, mode, f"{field}.modes[{number}]", agents)
        elif is_attended:
            is_attended = False  # once is enough
            yield InputError("an attended action needs an eligible agent", field=f"{field}.agents", value=[])
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
        return
    may_pause = action.interruptible or action.pauses_in_breaks
    if may_pause and 0 < action.attended < action.duration:
        kind = "an interruptible action" if action.interruptible else "an action that pauses in breaks"
        message = f"must be 0 or the duration {action.duration} for {kind}"
        yield InputError(message, field=f"{field}.attended", value=action.attended)


def _interruptible(action: Action, field: str, stateful: set[str]) -> Faults:
    for mode in action.modes:
        for demand in mode.demands:
            if demand.sets is not None:
                message = "an interruptible action cannot set a state"
                yield InputError(message, field=f"{field}.interruptible", value=True)
                return
            if not action.attended_in(mode) and demand.resource in stateful:
                message = f"an unattended action that uses {demand.resource}, which has states, cannot be interruptible"
                yield InputError(message, field=f"{field}.interruptible", value=True)
                return


def _demand(instance: Instance, demand: Demand, action: Action, mode: int, states: set[tuple[str, str]]) -> Faults:
    resource = instance.resource.get(demand.resource)
    amount = demand.amount
    is_whole = type(amount) is int and 0 <= amount <= MAX_TICKS
    if resource is not None and is_whole and demand.requires is None and demand.family is None:
        return
    field = f"actions[{action.id}].modes[{mode}].uses[{demand.resource}]"
    if resource is None:
        names = sorted(instance.resource)
        message = one_of(demand.resource, names, "resources")
        yield InputError(message, field=f"{field}.resource", value=demand.resource)
        return
    yield from number_faults(demand.amount, f"{field}.amount")
    if demand.family is not None:
        yield from family_faults(instance, demand, f"{field}.family")
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
                faults += number_faults(value, f"{field}.{bound}", minimum=-MAX_TICKS)
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
    closed_path = (*edges, edges[0])
    loop = [instance.actions[i].id for i, _ in closed_path]
    omitted = len(loop) - 2 * _CYCLE_END
    if omitted > 0:
        loop[_CYCLE_END:-_CYCLE_END] = [f"{omitted} more"]
    return " -> ".join(loop)
