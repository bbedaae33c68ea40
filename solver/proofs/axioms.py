"""Facts that an instance states: bounds between events, alternatives, and machines.

An *event* is the beginning, the end, or the start or finish of an action.

"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from planoracle.instances.model.instance import Action, Instance, Resource
from planoracle.instances.model.limits import NEVER, Deadline
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
    """

    kind: str
    names: tuple[str, ...]
    capacity: int
    in_turn: bool
    members: tuple[tuple[str, int], ...]


def stated_bounds(instance: Instance) -> Iterator[Hop]:
    """Yield the bounds that an instance states."""
    yield Hop(BEGIN, END, 0, "order")
    for action in instance.actions:
        start, finish = ProofEvent("start", action.id), ProofEvent("finish", action.id)
        yield Hop(BEGIN, start, action.release, "release")
        yield Hop(start, finish, action.duration, "duration")
        yield Hop(finish, END, 0, "order")
        if not action.interruptible:
            yield Hop(finish, start, -action.duration, "duration")
            if 0 < action.attended < action.duration:
                free = release_event(action)
                yield Hop(start, free, action.attended, "attended")
                yield Hop(free, start, -action.attended, "attended")
        for before in sorted(set.intersection(*(set(mode.after) for mode in action.modes))):
            yield Hop(ProofEvent("finish", before), start, 0, "lag")
    for lag in instance.lags:
        finish, start = ProofEvent("finish", lag.before), ProofEvent("start", lag.after)
        if lag.minimum is not None:
            yield Hop(finish, start, lag.minimum, "lag")
        if lag.maximum is not None:
            yield Hop(start, finish, -lag.maximum, "window")
            if instance.by_id[lag.after].interruptible:  # the lag also limits its last piece
                last = lag.maximum + instance.by_id[lag.after].duration
                yield Hop(ProofEvent("finish", lag.after), finish, -last, "window")
    yield from _only_setters(instance)


def release_event(action: Action) -> ProofEvent:
    """Return the event at which an attended action releases its agent."""
    whole = action.interruptible or action.attended == action.duration
    return ProofEvent("finish" if whole else "free", action.id)


def _only_setters(instance: Instance) -> Iterator[Hop]:
    """Yield that a use comes after its only setting.

    The use needs a state that is not the initial one and that a single action sets.
    """
    setters = _setters(instance)
    for user in instance.actions:
        for resource, state in _required(user):
            if instance.resource[resource].state != state and (setter := _only_setter(setters, user, resource, state)):
                if _exclusive(instance, instance.by_id[setter], user, resource):
                    yield Hop(ProofEvent("finish", setter), ProofEvent("start", user.id), 0, "state")
                else:
                    yield Hop(ProofEvent("start", setter), ProofEvent("start", user.id), 1, "state")


def _required(action: Action) -> list[tuple[str, str]]:
    """Return the resources and states that an action requires in every mode."""
    by_mode = [{(d.resource, d.requires) for d in mode.demands if d.requires is not None} for mode in action.modes]
    return sorted((resource, state) for resource, state in set.intersection(*by_mode) if state is not None)


_Setters = Mapping[tuple[str, str | None], list[str]]


def _setters(instance: Instance) -> _Setters:
    """Return the actions that may set a resource to a state, by resource and state."""
    setters: dict[tuple[str, str | None], list[str]] = {}
    for action in instance.actions:
        for key in dict.fromkeys((d.resource, d.sets) for mode in action.modes for d in mode.demands):
            setters.setdefault(key, []).append(action.id)
    return setters


def _only_setter(setters: _Setters, user: Action, resource: str, state: str) -> str | None:
    others = [name for name in setters.get((resource, state), ()) if name != user.id]
    return others[0] if len(others) == 1 else None


def _sets(action: Action, resource: str) -> set[str | None]:
    """Return the states that the modes of an action set (None: a mode sets none)."""
    return {next((d.sets for d in mode.demands if d.resource == resource), None) for mode in action.modes}


def least_amount(action: Action, resource: str) -> int:
    """Return the units of a resource that an action takes in every mode."""
    return min(next((d.amount for d in mode.demands if d.resource == resource), 0) for mode in action.modes)


def _exclusive(instance: Instance, one: Action, two: Action, resource: str) -> bool:
    """Return whether two actions that do not start together cannot overlap on a resource."""
    units = least_amount(one, resource), least_amount(two, resource)
    return bool(all(units) and one.duration and two.duration and sum(units) > instance.resource[resource].capacity)


def machines(instance: Instance, deadline: Deadline = NEVER) -> Iterator[Machine]:
    """Yield groups of agents, and resources, with the actions that are bound to hold them."""
    by_id = instance.by_id
    groups = {frozenset(instance.eligible(a)) for a in instance.actions if a.attended} | {frozenset(instance.agents)}
    for group in sorted(groups, key=sorted):
        members = tuple(
            (a.id, a.attended) for a in instance.actions if a.attended and group.issuperset(instance.eligible(a))
        )
        names = tuple(agent for agent in instance.agents if agent in group)
        yield Machine("agents", names, len(names), False, members)
        if len(names) > 1:
            rigid = tuple((name, ticks) for name, ticks in members if not by_id[name].interruptible)
            yield Machine("agents", names, len(names), True, rigid)
    for resource in instance.resources:
        name, capacity = resource.name, resource.capacity
        for users in dict.fromkeys(_users(instance, name, deadline)):
            work = tuple((user, amount * by_id[user].duration) for user, amount in users)
            yield Machine("resource", (name,), capacity, False, work)
            for least in sorted({amount for _, amount in users}) if capacity > 1 else ():
                rigid = tuple(
                    (user, by_id[user].duration)
                    for user, amount in users
                    if amount >= least and not by_id[user].interruptible
                )
                yield Machine("resource", (name,), capacity // least, True, rigid)
    for resource in instance.resources:  # last, so that simpler arguments are preferred
        for users in dict.fromkeys(_users(instance, resource.name, deadline)):
            yield from _halves(instance, resource, users)


def _halves(instance: Instance, resource: Resource, users: Sequence[tuple[str, int]]) -> Iterator[Machine]:
    """Yield the uses of at least half a capacity; those of more count as the whole.

    Nothing is yielded if units or turns show as much.
    """
    capacity = resource.capacity
    large = [(instance.by_id[name], amount) for name, amount in users if 2 * amount >= capacity]
    in_turn = all(2 * amount > capacity and not action.interruptible for action, amount in large)
    if not in_turn and any(capacity < 2 * amount < 2 * capacity for _, amount in large):
        work = tuple((one.id, one.duration * (amount if 2 * amount == capacity else capacity)) for one, amount in large)
        yield Machine("resource", (resource.name,), capacity, False, work)


def _users(instance: Instance, resource: str, deadline: Deadline) -> Iterator[tuple[tuple[str, int], ...]]:
    """Yield users of a resource with their units, none of which shares capacity with another.

    Of equal settings, which may share capacity, one counts.
    """
    plain, equal = [], dict[tuple[str, int], list[tuple[str, int]]]()
    for action in instance.actions:
        deadline.check(_LOOK)
        sets, amount = _sets(action, resource), least_amount(action, resource)
        if not amount * action.duration:
            continue
        use = action.id, amount
        if sets == {None}:
            plain.append(use)
        elif len(sets) == 1 and not _may_be_hosted(instance, action, resource, instance.actions):
            equal.setdefault((str(*sets), action.duration), []).append(use)
    for turn in range(max(map(len, equal.values()), default=1)):
        deadline.check(_LOOK * len(instance.actions))
        yield (*plain, *(uses[turn % len(uses)] for uses in equal.values()))


def _may_be_hosted(instance: Instance, setting: Action, resource: str, hosts: Iterable[Action]) -> bool:
    """Return whether a setting may share the capacity of one of these uses over the same interval.

    The use sets nothing, and the state exists without the setting: initially, or set by another action.
    """
    (state,) = _sets(setting, resource)
    is_set = instance.resource[resource].state == state or any(
        state in _sets(other, resource) for other in instance.actions if other is not setting
    )
    demands = [d for host in hosts for mode in host.modes for d in mode.demands if d.resource == resource]
    return is_set and any(demand.sets is None and demand.requires in (None, state) for demand in demands)


def _may_coincide(instance: Instance, one: Action, two: Action, resource: str) -> bool:
    """Return whether two actions may share capacity over the same interval."""
    first, second = _sets(one, resource), _sets(two, resource)
    if one.duration != two.duration or first == second == {None}:
        return False
    if len(first) > 1 or len(second) > 1 or first == second:
        return True
    if first == {None}:
        return _may_be_hosted(instance, two, resource, [one])
    return second == {None} and _may_be_hosted(instance, one, resource, [two])


def choices(instance: Instance, deadline: Deadline = NEVER) -> Iterator[Alternative]:
    """Yield pairs of bounds of which one holds in every schedule."""
    actions = instance.actions
    rigid = [a for a in actions if not a.interruptible]
    needed = [{d.resource for mode in action.modes for d in mode.demands} for action in rigid]
    only = {action.id: _alone(instance, action) for action in actions}
    for i, one in enumerate(rigid):
        deadline.check(_LOOK * len(rigid))
        alone = only[one.id]
        for j, two in enumerate(rigid[i + 1 :], i + 1):
            if alone and one.attended and two.attended and alone == only[two.id]:
                yield _orders("agent", (one.id, two.id, alone), release_event(one), release_event(two))
            if len(one.modes) * len(two.modes) > 1 and needed[i] & needed[j] and _collide(instance, one, two):
                yield _orders("modes", (one.id, two.id, ""), ProofEvent("finish", one.id), ProofEvent("finish", two.id))
            for name in sorted(needed[i] & needed[j]):
                if _exclusive(instance, one, two, name) and not _may_coincide(instance, one, two, name):
                    yield _orders(
                        "resource", (one.id, two.id, name), ProofEvent("finish", one.id), ProofEvent("finish", two.id)
                    )
    for one in actions:
        deadline.check(_LOOK * len(rigid))
        alone = only[one.id]
        if one.attended or not alone:
            continue
        for two in rigid:
            if two.attended > 1 and alone == only[two.id]:
                yield _orders("start", (one.id, two.id, alone), ProofEvent("start", one.id), release_event(two))
    yield from _states(instance, deadline)
    yield from _modes(instance)


def _alone(instance: Instance, action: Action) -> str | None:
    eligible = instance.eligible(action)
    return eligible[0] if len(eligible) == 1 else None


def _orders(kind: str, about: tuple[str, ...], one: ProofEvent, two: ProofEvent) -> Alternative:
    first, second = ProofEvent("start", about[0]), ProofEvent("start", about[1])
    return Alternative(kind, about, (Hop(one, second, 0, "case"), Hop(two, first, 0, "case")))


def _collide(instance: Instance, one: Action, two: Action) -> bool:
    """Return whether two actions exceed a capacity in all modes, on a resource that neither sets."""
    return bool(one.duration and two.duration) and all(
        any(
            use.resource == other.resource
            and use.sets is None is other.sets
            and min(use.amount, other.amount) > 0
            and use.amount + other.amount > instance.resource[use.resource].capacity
            for use in mode.demands
            for other in rival.demands
        )
        for mode in one.modes
        for rival in two.modes
    )


def _modes(instance: Instance) -> Iterator[Alternative]:
    """Yield that an action of two modes waits for a predecessor of the first or of the second mode."""
    for action in instance.actions:
        if len(action.modes) == 2:
            start = ProofEvent("start", action.id)
            for one in sorted(set(action.modes[0].after)):
                for two in sorted(set(action.modes[1].after) - {one}):
                    ways = (
                        Hop(ProofEvent("finish", one), start, 0, "case"),
                        Hop(ProofEvent("finish", two), start, 0, "case"),
                    )
                    yield Alternative("mode", (one, two, action.id, ""), ways)


def _states(instance: Instance, deadline: Deadline) -> Iterator[Alternative]:
    """Yield that another setting comes before the only setting that serves a use, or after the use."""
    setters = _setters(instance)
    for user in instance.actions:
        for resource, state in _required(user):
            deadline.check(_LOOK * len(instance.actions))
            setter = _only_setter(setters, user, resource, state)
            for other in instance.actions:
                sets = _sets(other, resource)
                if setter is None or other is user or None in sets or state in sets:
                    continue
                if _exclusive(instance, other, instance.by_id[setter], resource):
                    early = Hop(ProofEvent("finish", other.id), ProofEvent("start", setter), 0, "case")
                else:
                    early = Hop(ProofEvent("start", other.id), ProofEvent("start", setter), 1, "case")
                late = Hop(ProofEvent("finish", user.id), ProofEvent("start", other.id), 0, "case")
                yield Alternative("state", (other.id, setter, user.id, resource), (early, late))
