"""Pools of resources and of agents, and the jobs that work in them, for lower bounds.

A *pool* is a set of resources, or of agents. A job is an action that works in the pool in each of its modes. Its work
is that of the mode with the least. ``README.md`` has the claim and its proof, under "Work between off-times".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from planoracle.instances.model.instance import Instance, Variant
from planoracle.solver.exact.bounds import Windows
from planoracle.solver.exact.work_bounds import unions_of


class PoolJob(NamedTuple):
    """Work of an action in a pool, in units times ticks.

    It begins no earlier than ``head`` and ends at least ``tail`` ticks before the makespan.
    """

    head: int
    work: int
    tail: int


class Pool(NamedTuple):
    """Jobs, and limits of the units in which they work at the same instant.

    A limit has the units of each member. Only those of members that are on can be worked in. All limits hold.
    """

    jobs: list[PoolJob]
    limits: list[dict[str, int]]


def work_pools(instance: Instance, bounds: Windows) -> list[Pool]:
    """Return the pools that have jobs: resources, choices of resources, and agents.

    Parameters
    ----------
    instance
        Instance without optional tasks.
    bounds
        Heads and tails of all actions, in ticks.

    Examples
    --------
    One of two saws; the second is slower, and needs the agent for a tick only:

    >>> from planoracle.instances.model.instance import Action, Demand, Mode, Resource
    >>> from planoracle.solver.exact.bounds import windows
    >>> modes = Mode((Demand("new"),)), Mode((Demand("old"),), duration=5, attended=1)
    >>> shop = Instance("shop", (Action("t/cut", "t", 3, 3, modes=modes),), (), (Resource("new"), Resource("old")))
    >>> for pool in work_pools(shop, windows(shop)):
    ...     print(*pool.jobs, [sorted(limit.items()) for limit in pool.limits])
    PoolJob(head=0, work=3, tail=0) [[('new', 1), ('old', 1)]]
    PoolJob(head=0, work=1, tail=0) [[('agent', 1)], [('new', 1), ('old', 1)]]
    """
    pools = [*_resource_pools(instance, bounds), *_agent_pools(instance, bounds)]
    return [pool for pool in pools if pool.jobs]


def _resource_pools(instance: Instance, bounds: Windows) -> Iterator[Pool]:
    """Yield the pools of each resource, and of resources among which modes choose."""
    users: dict[str, set[int]] = defaultdict(set)
    choices: set[frozenset[str]] = set()
    for i, action in enumerate(instance.actions):
        names_by_mode = [set(_amounts(instance, variant)) for variant in instance.variants[action.id]]
        common = set.intersection(*names_by_mode)
        names = set.union(*names_by_mode)
        for name in names:
            users[name].add(i)
        if all(names_of_mode > common for names_of_mode in names_by_mode):
            choices.add(frozenset(names - common))
    resource_sets = {frozenset({name}) for name in users}
    resource_sets.update(unions_of(sorted(choices, key=sorted), frozenset().union(*choices)))
    for resources in sorted(resource_sets, key=sorted):
        actions = set.union(*(users[name] for name in resources))
        yield _resource_pool(instance, bounds, resources, sorted(actions))


def _resource_pool(instance: Instance, bounds: Windows, resources: frozenset[str], actions: Iterable[int]) -> Pool:
    """Return the pool of some resources with the actions that may use them."""
    jobs: list[PoolJob] = []
    largest = 0  # units that an action uses
    crew: set[str] = set()
    are_attended = True
    for i in actions:
        variants = instance.variants[instance.actions[i].id]
        amounts = []
        for variant in variants:
            amounts.append(sum(amount for name, amount in _amounts(instance, variant).items() if name in resources))
        work = min(amount * variant.duration for amount, variant in zip(amounts, variants, strict=True))
        if not work:
            continue
        jobs.append(PoolJob(bounds.head[i], work, bounds.tail[i]))
        largest = max(largest, *amounts)
        for variant in variants:
            crew.update(variant.agents)
            are_attended = are_attended and variant.attended == variant.duration
    limits = [{name: instance.resource[name].capacity for name in resources}]
    if are_attended:  # each action holds an agent while it uses units
        limits.append(dict.fromkeys(crew, largest))
    return Pool(jobs, limits)


def _agent_pools(instance: Instance, bounds: Windows) -> Iterator[Pool]:
    """Yield the pools of agents to whom some work is confined."""
    rows: dict[frozenset[str], list[int]] = defaultdict(list)
    for i, action in enumerate(instance.actions):
        variants = instance.variants[action.id]
        if all(variant.attended for variant in variants):
            eligible = frozenset().union(*(variant.agents for variant in variants))
            rows[eligible].append(i)
    for crew in unions_of(rows, frozenset().union(*rows)):
        actions: list[int] = []
        for eligible, row in rows.items():
            if eligible <= crew:
                actions += row
        yield _agent_pool(instance, bounds, crew, actions)


def _agent_pool(instance: Instance, bounds: Windows, crew: frozenset[str], actions: Iterable[int]) -> Pool:
    """Return the pool of some agents with attended actions that only they may do."""
    jobs: list[PoolJob] = []
    resources: dict[str, int] = {}
    use_resources = True
    for i in actions:
        variants = instance.variants[instance.actions[i].id]
        work = min(variant.attended for variant in variants)
        unattended = min(variant.duration - variant.attended for variant in variants)
        jobs.append(PoolJob(bounds.head[i], work, bounds.tail[i] + unattended))
        for variant in variants:
            names = _amounts(instance, variant)
            resources.update((name, instance.resource[name].capacity) for name in names)
            use_resources = use_resources and bool(names)
    limits = [dict.fromkeys(crew, 1)]
    if use_resources:  # each action uses a unit while it holds an agent
        limits.append(resources)
    return Pool(jobs, limits)


def _amounts(instance: Instance, variant: Variant) -> dict[str, int]:
    """Return the units that a mode takes of each resource, without settings: they may share room."""
    amounts: dict[str, int] = {}
    for demand in variant.demands:
        if demand.amount and demand.sets is None and instance.resource[demand.resource].renewable:
            amounts[demand.resource] = demand.amount
    return amounts
