"""Random problems of the general model, with all parameters."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from planoracle.instances.generate.network_measures import demand_ranges
from planoracle.instances.generate.parameters import below, shuffled
from planoracle.instances.generate.random_network import (
    depth_first_order,
    gaps,
    random_precedences,
    sample_share,
    windows,
    with_witness,
)
from planoracle.plugin import Action, Demand, Generator, InputError, Instance, Lag, Mode, Parameters, Resource, Schedule

#: Largest demand of an action for one resource.
_MOST = 3


def generate(random: Random, parameters: Parameters, name: str) -> tuple[Instance, Schedule | None]:
    """Return a problem and a schedule for it, ``None`` if none is known.

    Tasks are independent of each other. Demands and capacities are drawn as by ProGen (Kolisch, Sprecher and Drexl,
    1995); networks have a given order strength. Maximum lags are drawn from 0 to a length that decreases with the
    tightness, first for precedences whose lags a serial schedule satisfies; other lags are extended until it satisfies
    them.

    Raises
    ------
    InputError
        For parameters that contradict each other.
    """
    size = _positive("actions", parameters.actions)
    shortest = _positive("shortest", parameters.shortest)
    count = parameters.tasks * size
    alone = sample_share(random, count, parameters.parallelism)
    if alone and parameters.attended >= parameters.longest:
        message = f"must be less than the longest duration, {parameters.longest}"
        raise InputError(message, field="attended", value=parameters.attended)
    busy = [i for i in range(count) if i not in alone]
    cut = {busy[k] for k in sample_share(random, len(busy), parameters.interruptible)}
    least = [max(shortest, parameters.attended + 1) if i in alone else shortest for i in range(count)]
    durations = [start + below(random, parameters.longest - start + 1) for start in least]
    agents = tuple(f"agent{k + 1}" for k in range(parameters.agents))
    actions = tuple(
        Action(
            id=f"task{i // size + 1}/{i % size + 1}",
            task=f"task{i // size + 1}",
            duration=durations[i],
            attended=parameters.attended if i in alone else durations[i],
            interruptible=i in cut,
            modes=(Mode(demands),),
            agents=None if len(able) == parameters.agents else tuple(agents[k] for k in sorted(able)),
        )
        for i, (demands, able) in enumerate(
            zip(_demands(random, parameters, count), _eligible(random, parameters, count), strict=True)
        )
    )
    arcs = [
        (task * size + i, task * size + j)
        for task in range(parameters.tasks)
        for i, j in random_precedences(random, size, parameters.order_strength)
    ]
    order = depth_first_order(count, arcs)
    longest = round((1 - parameters.tightness) * (shortest + parameters.longest))
    limits = [below(random, longest + 1) for _ in arcs]
    broken = [gap > limit for gap, limit in zip(gaps(arcs, order, durations), limits, strict=True)]
    rank = broken if parameters.feasible else [False] * len(arcs)
    maxima = windows(random, arcs, parameters.windows, limits, rank)
    lags = tuple(Lag(actions[i].id, actions[j].id, 0, maxima.get((i, j))) for i, j in arcs)
    ample = tuple(Resource(f"resource{k + 1}", _MOST * count) for k in range(parameters.resources))
    instance = Instance(name, actions, lags, ample, agents)
    instance = replace(instance, resources=_scarce(instance, parameters.resource_strength))
    return with_witness(instance, order, widen=parameters.feasible)


def _positive(name: str, value: int | None) -> int:
    if not value:
        raise InputError("must be 1 or more for this style", field=name, value=value)
    return value


def _demands(random: Random, parameters: Parameters, count: int) -> list[tuple[Demand, ...]]:
    """Draw demands for the share of pairs of action and resource that the resource factor requires."""
    amounts = [[0] * parameters.resources for _ in range(count)]
    for pair in sorted(sample_share(random, count * parameters.resources, parameters.resource_factor)):
        amounts[pair // parameters.resources][pair % parameters.resources] = 1 + below(random, _MOST)
    return [tuple(Demand(f"resource{k + 1}", amount) for k, amount in enumerate(row) if amount) for row in amounts]


def _eligible(random: Random, parameters: Parameters, count: int) -> list[set[int]]:
    """Draw one agent for every action, then further eligible agents up to the requested share."""
    able = [{below(random, parameters.agents)} for _ in range(count)]
    pairs = shuffled(random, ((i, k) for i in range(count) for k in range(parameters.agents) if k not in able[i]))
    for i, k in pairs[: max(0, round(parameters.eligibility * count * parameters.agents) - count)]:
        able[i].add(k)
    return able


def _scarce(instance: Instance, strength: float) -> tuple[Resource, ...]:
    ranges = zip(instance.resources, demand_ranges(instance), strict=True)
    return tuple(
        Resource(resource.name, max(1, least + round(strength * (max(least, peak) - least))))
        for resource, (least, peak) in ranges
    )


def style() -> Generator:
    """Return the generator, with default parameters."""
    return Generator(tuple(Parameters.__dataclass_fields__), Parameters(), generate, salt="own")
