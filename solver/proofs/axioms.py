"""Facts that an instance states: bounds between events, alternatives, and machines.

An *event* is the beginning, the end, or the start or finish of an action. Of an action with several modes the shortest
duration, the fewest attended ticks and the least amounts count. Windows, calendars and budgets only forbid schedules,
so that a lower bound may ignore them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from planoracle.instances.model.instance import Action, Demand, Instance, Mode, Resource
from planoracle.instances.model.limits import NO_LIMIT, Deadline
from planoracle.solver.exact.bounds import earliest_start, longest_duration, shortest_duration
from planoracle.solver.proofs.steps import Hop


class ProofEvent(NamedTuple):
    """Event ``begin`` or ``end``; or an action's ``start``, ``finish`` or ``free`` (agent released)."""

    kind: str
    action: str = ""


# Counted work (seconds) of a comparison of two actions.
_LOOK = 1e-6

BEGIN, END = ProofEvent("begin"), ProofEvent("end")


@dataclass(frozen=True, slots=True)
class Alternative:
    """Two bounds, one of which holds in every schedule.

    ``kind`` is the reason, ``about`` names the actions and their agent or resource.
    """

    kind: str
    about: tuple[str, ...]
    ways: tuple[Hop, Hop]


class Machine(NamedTuple):
    """Agents or a resource, and the actions bound to hold it, with the ticks (times units) that they need.

    A use may count as the whole capacity of a resource if no other member fits beside it.
    ``in_turn``: none of them can be interrupted, and at most ``capacity`` are under way at a time.
    Of the kind ``together`` (`planoracle.solver.proofs.inferred_capacity`), members that may run at the same time never
    weigh more than the capacity; their ticks are multiplied by their weights, and ``following`` names the members that
    always come after a member.
    """

    kind: str
    names: tuple[str, ...]
    capacity: int
    in_turn: bool
    members: tuple[tuple[str, int], ...]
    following: Mapping[str, Set[str]] = {}


def stated_bounds(instance: Instance) -> Iterator[Hop]:
    """Yield the bounds that an instance states."""
    yield Hop(BEGIN, END, 0, "order")
    for action in instance.actions:
        start = ProofEvent("start", action.id)
        finish = ProofEvent("finish", action.id)
        yield Hop(BEGIN, start, earliest_start(action), "release")
        yield Hop(start, finish, shortest_duration(action), "duration")
        yield Hop(finish, END, 0, "order")
        if is_rigid(action):
            yield Hop(finish, start, -longest_duration(action), "duration")
            free = release_event(action)
            most_attended = max(map(action.attended_in, action.modes))
            if most_attended and free != finish:
                yield Hop(start, free, held_ticks(action), "attended")
                yield Hop(free, start, -most_attended, "attended")
        predecessors = [set(mode.after) for mode in action.modes]
        for before in sorted(set.intersection(*predecessors)):
            yield Hop(ProofEvent("finish", before), start, 0, "lag")
    for lag in instance.lags:
        finish = ProofEvent("finish", lag.before)
        start = ProofEvent("start", lag.after)
        if lag.minimum is not None:
            yield Hop(finish, start, lag.minimum, "lag")
        if lag.maximum is not None:
            yield Hop(start, finish, -lag.maximum, "window")
            action = instance.by_id[lag.after]
            if action.interruptible:  # the lag also limits its last piece
                last = lag.maximum + longest_duration(action)
                yield Hop(ProofEvent("finish", action.id), finish, -last, "window")
    yield from _only_setters(instance)


def release_event(action: Action) -> ProofEvent:
    """Return the event at which an attended action releases its agent."""
    return ProofEvent("finish" if is_held_throughout(action) or not is_rigid(action) else "free", action.id)


def is_held_throughout(action: Action) -> bool:
    """Return whether every mode of an action holds an agent as long as the action takes."""
    return all(action.attended_in(mode) == action.duration_in(mode) for mode in action.modes)


def is_rigid(action: Action) -> bool:
    """Return whether an action never pauses."""
    return not (action.interruptible or action.pauses_in_breaks)


def held_ticks(action: Action) -> int:
    """Return the ticks for which an action holds an agent in every mode."""
    return min(map(action.attended_in, action.modes))


def eligible_agents(instance: Instance, action: Action) -> frozenset[str]:
    """Return the agents that may carry out an action in some mode; none if a mode needs none."""
    if all(mode.agents is None for mode in action.modes):
        return frozenset(instance.eligible(action))
    eligible = [variant.agents for variant in instance.variants[action.id]]
    return frozenset(chain.from_iterable(eligible)) if all(eligible) else frozenset()


def _only_setters(instance: Instance) -> Iterator[Hop]:
    """Yield that a use comes after its only setting.

    The use needs a state that is not the initial one and that a single action sets.
    """
    setters = _setters(instance)
    for user in instance.actions:
        start = ProofEvent("start", user.id)
        for resource, state in _required_states(user):
            if instance.resource[resource].state == state:
                continue
            setter = _only_setter(setters, user, resource, state)
            if not setter:
                continue
            if _exclusive(instance, instance.by_id[setter], user, resource):
                yield Hop(ProofEvent("finish", setter), start, 0, "state")
            else:
                yield Hop(ProofEvent("start", setter), start, 1, "state")


def _required_states(action: Action) -> list[tuple[str, str]]:
    """Return the resources and states that an action requires in every mode."""
    by_mode = []
    for mode in action.modes:
        demands = (demand for demand in mode.demands if demand.requires is not None)
        by_mode.append({(demand.resource, demand.requires) for demand in demands})
    common = set.intersection(*by_mode)
    return sorted((resource, state) for resource, state in common if state is not None)


_Setters = Mapping[tuple[str, str | None], list[str]]


def _setters(instance: Instance) -> _Setters:
    """Return the actions that may set a resource to a state, by resource and state."""
    setters: dict[tuple[str, str | None], list[str]] = {}
    for action in instance.actions:
        states: dict[tuple[str, str | None], None] = {}  # ordered set
        for mode in action.modes:
            for demand in mode.demands:
                states[demand.resource, demand.sets] = None
        for key in states:
            setters.setdefault(key, []).append(action.id)
    return setters


def _only_setter(setters: _Setters, user: Action, resource: str, state: str) -> str | None:
    setter_names = setters.get((resource, state), ())
    names = [name for name in setter_names if name != user.id]
    return names[0] if len(names) == 1 else None


def states_set(action: Action, resource: str) -> set[str | None]:
    """Return the states that the modes of an action set (None: a mode sets none)."""
    demands = (_demand(mode, resource) for mode in action.modes)
    return {None if demand is None else demand.sets for demand in demands}


def least_amount(action: Action, resource: str) -> int:
    """Return the units of a resource that an action takes in every mode."""
    demands = (_demand(mode, resource) for mode in action.modes)
    return min(0 if demand is None else demand.amount for demand in demands)


def _demand(mode: Mode, resource: str) -> Demand | None:
    """Return the first demand of a mode for a resource."""
    return next((demand for demand in mode.demands if demand.resource == resource), None)


def _exclusive(instance: Instance, first: Action, second: Action, resource: str) -> bool:
    """Return whether two actions that do not start together cannot overlap on a resource."""
    units = least_amount(first, resource), least_amount(second, resource)
    has_length = shortest_duration(first) and shortest_duration(second)
    if not (all(units) and has_length and instance.resource[resource].renewable):
        return False
    return sum(units) > instance.resource[resource].capacity


def machines(instance: Instance, deadline: Deadline = NO_LIMIT) -> Iterator[Machine]:
    """Yield groups of agents, and resources, with the actions that are bound to hold them."""
    yield from _groups_of_agents(instance)
    resources = [resource for resource in instance.resources if resource.renewable]
    for resource in resources:
        for users in dict.fromkeys(_users(instance, resource.name, deadline)):
            yield from _resource_machines(instance, resource, users)
    for resource in resources:  # last, so that simpler arguments are preferred
        for users in dict.fromkeys(_users(instance, resource.name, deadline)):
            yield from _halves(instance, resource, users)


def _groups_of_agents(instance: Instance) -> Iterator[Machine]:
    """Yield groups of agents with the attended actions for which no other agent is eligible."""
    attended = [action for action in instance.actions if held_ticks(action)]
    eligible = {action.id: eligible_agents(instance, action) for action in attended}
    groups = set(eligible.values())
    groups.add(frozenset(instance.agents))
    for group in sorted(groups, key=sorted):
        members = [action for action in attended if group.issuperset(eligible[action.id])]
        names = tuple(agent for agent in instance.agents if agent in group)
        work = tuple((action.id, held_ticks(action)) for action in members)
        yield Machine("agents", names, len(names), False, work)
        if len(names) > 1:
            rigid = (action for action in members if is_rigid(action))
            rigid_work = tuple((action.id, held_ticks(action)) for action in rigid)
            yield Machine("agents", names, len(names), True, rigid_work)


def _resource_machines(instance: Instance, resource: Resource, users: Sequence[tuple[str, int]]) -> Iterator[Machine]:
    """Yield a resource with the work of its users, and with those that take turns, by their least units."""
    names, capacity = (resource.name,), resource.capacity
    by_id = instance.by_id
    work = []
    for user, amount in users:
        work.append((user, amount * shortest_duration(by_id[user])))
    yield Machine("resource", names, capacity, False, tuple(work))
    if capacity <= 1:
        return
    rigid_users = [(user, amount) for user, amount in users if is_rigid(by_id[user])]
    for min_amount in sorted({amount for _, amount in users}):
        large_users = [user for user, amount in rigid_users if amount >= min_amount]
        rigid_work = tuple((user, shortest_duration(by_id[user])) for user in large_users)
        yield Machine("resource", names, capacity // min_amount, True, rigid_work)


def _halves(instance: Instance, resource: Resource, users: Sequence[tuple[str, int]]) -> Iterator[Machine]:
    """Yield the uses of at least half a capacity; those of more count as the whole.

    Nothing is yielded if units or turns show as much.
    """
    capacity = resource.capacity
    large = []
    in_turn = True
    for name, amount in users:
        action = instance.by_id[name]
        if 2 * amount >= capacity:
            large.append((action, amount))
            in_turn &= 2 * amount > capacity and is_rigid(action)
    if not in_turn and any(capacity < 2 * amount < 2 * capacity for _, amount in large):
        work = []
        for action, amount in large:
            counted_amount = amount if 2 * amount == capacity else capacity
            work.append((action.id, shortest_duration(action) * counted_amount))
        yield Machine("resource", (resource.name,), capacity, False, tuple(work))


def _users(instance: Instance, resource: str, deadline: Deadline) -> Iterator[tuple[tuple[str, int], ...]]:
    """Yield users of a resource with their units, none of which shares capacity with another.

    Of equal settings, which may share capacity, one counts.
    """
    plain: list[tuple[str, int]] = []
    equal: dict[tuple[str, int], list[tuple[str, int]]] = {}  # settings, by state and duration
    for action in instance.actions:
        deadline.check(_LOOK)
        sets = states_set(action, resource)
        amount = least_amount(action, resource)
        if not amount * shortest_duration(action):
            continue
        use = action.id, amount
        if sets == {None}:
            plain.append(use)
        elif len(sets) == len(_durations(action)) == 1 and not _may_be_hosted(
            instance, action, resource, instance.actions
        ):
            key = str(*sets), shortest_duration(action)
            equal.setdefault(key, []).append(use)
    for turn in range(max(map(len, equal.values()), default=1)):
        deadline.check(_LOOK * len(instance.actions))
        settings = [uses[turn % len(uses)] for uses in equal.values()]
        yield (*plain, *settings)


def _may_be_hosted(instance: Instance, setting: Action, resource: str, hosts: Iterable[Action]) -> bool:
    """Return whether a setting may share the capacity of one of these uses over the same interval.

    The use sets nothing, and the state exists without the setting: initially, or set by another action.
    """
    (state,) = states_set(setting, resource)
    if instance.resource[resource].state != state:
        rivals = (action for action in instance.actions if action is not setting)
        if not any(state in states_set(rival, resource) for rival in rivals):
            return False
    return any(_may_host(host, resource, state) for host in hosts)


def _may_host(action: Action, resource: str, state: str | None) -> bool:
    """Return whether an action may use a resource in a state that it does not set."""
    for mode in action.modes:
        for demand in mode.demands:
            if demand.resource == resource and demand.sets is None and demand.requires in (None, state):
                return True
    return False


def _may_coincide(instance: Instance, first: Action, second: Action, resource: str) -> bool:
    """Return whether two actions may share capacity over the same interval."""
    first_sets, second_sets = states_set(first, resource), states_set(second, resource)
    if _durations(first).isdisjoint(_durations(second)) or first_sets == second_sets == {None}:
        return False
    if len(first_sets) > 1 or len(second_sets) > 1 or first_sets == second_sets:
        return True
    if first_sets == {None}:
        return _may_be_hosted(instance, second, resource, [first])
    return second_sets == {None} and _may_be_hosted(instance, first, resource, [second])


def _durations(action: Action) -> set[int]:
    """Return the durations of the modes of an action."""
    return {action.duration_in(mode) for mode in action.modes}


def choices(instance: Instance, deadline: Deadline = NO_LIMIT) -> Iterator[Alternative]:
    """Yield pairs of bounds of which one holds in every schedule."""
    actions = instance.actions
    rigid = [action for action in actions if is_rigid(action)]
    budgets = {resource.name for resource in instance.resources if not resource.renewable}
    needed = [_needed_resources(action) - budgets for action in rigid]
    attended = {action.id: held_ticks(action) for action in actions}
    only_agent = {action.id: _only_agent(instance, action) for action in actions}
    for i, first in enumerate(rigid):
        deadline.check(_LOOK * len(rigid))
        agent = only_agent[first.id]
        for j, second in enumerate(rigid[i + 1 :], i + 1):
            if agent and attended[first.id] and attended[second.id] and agent == only_agent[second.id]:
                about = (first.id, second.id, agent)
                yield _orders("agent", about, release_event(first), release_event(second))
            shared = needed[i] & needed[j]
            if shared:
                yield from _resource_orders(instance, first, second, sorted(shared))
    for unattended in actions:
        deadline.check(_LOOK * len(rigid))
        agent = only_agent[unattended.id]
        if attended[unattended.id] or not agent:
            continue
        start = ProofEvent("start", unattended.id)
        for action in rigid:
            if attended[action.id] > 1 and agent == only_agent[action.id]:
                about = (unattended.id, action.id, agent)
                yield _orders("start", about, start, release_event(action))
    yield from _states(instance, deadline)
    yield from _modes(instance)


def _needed_resources(action: Action) -> set[str]:
    """Return the resources that an action needs in some mode."""
    resources: set[str] = set()
    for mode in action.modes:
        resources.update(demand.resource for demand in mode.demands)
    return resources


def _only_agent(instance: Instance, action: Action) -> str | None:
    eligible = eligible_agents(instance, action)
    return next(iter(eligible)) if len(eligible) == 1 else None


def _resource_orders(
    instance: Instance, first: Action, second: Action, resources: Sequence[str]
) -> Iterator[Alternative]:
    """Yield that one of two actions comes first, since they exceed the capacity of a shared resource."""
    first_end = ProofEvent("finish", first.id)
    second_end = ProofEvent("finish", second.id)
    if len(first.modes) * len(second.modes) > 1 and _collide(instance, first, second):
        yield _orders("modes", (first.id, second.id, ""), first_end, second_end)
    for name in resources:
        if _exclusive(instance, first, second, name) and not _may_coincide(instance, first, second, name):
            yield _orders("resource", (first.id, second.id, name), first_end, second_end)


def _orders(kind: str, about: tuple[str, ...], first_end: ProofEvent, second_end: ProofEvent) -> Alternative:
    first_start = ProofEvent("start", about[0])
    second_start = ProofEvent("start", about[1])
    first_way = Hop(first_end, second_start, 0, "case")
    second_way = Hop(second_end, first_start, 0, "case")
    return Alternative(kind, about, (first_way, second_way))


def _collide(instance: Instance, first: Action, second: Action) -> bool:
    """Return whether two actions exceed a capacity in all modes, on a resource that neither sets."""
    if not (shortest_duration(first) and shortest_duration(second)):
        return False
    for mode in first.modes:
        for second_mode in second.modes:
            if not _modes_collide(instance, mode, second_mode):
                return False
    return True


def _modes_collide(instance: Instance, first: Mode, second: Mode) -> bool:
    """Return whether two modes exceed a capacity together, on a resource that neither sets."""
    for demand in first.demands:
        for second_demand in second.demands:
            sets_state = demand.sets is not None or second_demand.sets is not None
            if sets_state or demand.resource != second_demand.resource:
                continue
            if not instance.resource[demand.resource].renewable:
                continue
            amounts = demand.amount, second_demand.amount
            if min(amounts) > 0 and sum(amounts) > instance.resource[demand.resource].capacity:
                return True
    return False


def _modes(instance: Instance) -> Iterator[Alternative]:
    """Yield that an action of two modes waits for a predecessor of the first or of the second mode."""
    for action in instance.actions:
        if len(action.modes) == 2:
            start = ProofEvent("start", action.id)
            first_after, second_after = (set(mode.after) for mode in action.modes)
            for first in sorted(first_after):
                first_way = Hop(ProofEvent("finish", first), start, 0, "case")
                for second in sorted(second_after - {first}):
                    second_way = Hop(ProofEvent("finish", second), start, 0, "case")
                    yield Alternative("mode", (first, second, action.id, ""), (first_way, second_way))


def _states(instance: Instance, deadline: Deadline) -> Iterator[Alternative]:
    """Yield that another setting comes before the only setting that serves a use, or after the use."""
    setters = _setters(instance)
    for user in instance.actions:
        for resource, state in _required_states(user):
            deadline.check(_LOOK * len(instance.actions))
            setter = _only_setter(setters, user, resource, state)
            if setter is None:
                continue
            setter_start = ProofEvent("start", setter)
            for rival in instance.actions:
                sets = states_set(rival, resource)
                if rival is user or None in sets or state in sets:
                    continue
                rival_start = ProofEvent("start", rival.id)
                early = Hop(rival_start, setter_start, 1, "case")
                if _exclusive(instance, rival, instance.by_id[setter], resource):
                    rival_finish = ProofEvent("finish", rival.id)
                    early = Hop(rival_finish, setter_start, 0, "case")
                late = Hop(ProofEvent("finish", user.id), rival_start, 0, "case")
                about = (rival.id, setter, user.id, resource)
                yield Alternative("state", about, (early, late))
