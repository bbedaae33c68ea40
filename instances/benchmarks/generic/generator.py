"""Random problems of the general model, with all parameters."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from random import Random

from planoracle.instances.errors import InputError
from planoracle.instances.generate.network_measures import demand_ranges
from planoracle.instances.generate.parameters import Parameters, below, shuffled
from planoracle.instances.generate.random_network import (
    depth_first_order,
    gaps,
    random_precedences,
    sample_share,
    serial_schedule,
    windows,
    with_witness,
)
from planoracle.instances.generate.workshops import with_deadlines_and_weights, with_workshop_features
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.model.schedule_rules import referee
from planoracle.instances.protocol.capabilities import Generator

#: Largest demand of an action for one resource.
_MAX_DEMAND = 3


def generate(random: Random, parameters: Parameters, name: str) -> tuple[Instance, Schedule | None]:
    """Return a problem and a schedule for it, ``None`` if none is known.

    Tasks are independent of each other. Demands and capacities are drawn as by ProGen (Kolisch, Sprecher and Drexl,
    1995); networks have a given order strength. Maximum lags are drawn from 0 to a length that decreases with the
    tightness, first for precedences whose lags a serial schedule satisfies; other lags are extended until it satisfies
    them. Set-up times, calendars, budgets and the like are drawn last, such that problems without them stay the same.

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
    cut_positions = sample_share(random, len(busy), parameters.interruptible)
    cut = {busy[position] for position in cut_positions}
    shortest_alone = max(shortest, parameters.attended + 1)
    lower_bounds = [shortest_alone if i in alone else shortest for i in range(count)]
    durations = []
    for start in lower_bounds:
        width = parameters.longest - start + 1
        durations.append(start + below(random, width))
    agents = tuple(f"agent{k + 1}" for k in range(parameters.agents))
    demands_by_action = _demands(random, parameters, count)
    eligible_by_action = _eligible(random, parameters, count)
    actions = []
    for i, (demands, eligible) in enumerate(zip(demands_by_action, eligible_by_action, strict=True)):
        task, step = divmod(i, size)
        task_name = f"task{task + 1}"
        attended = parameters.attended if i in alone else durations[i]
        eligible_agents: tuple[str, ...] | None = None
        if len(eligible) < parameters.agents:
            eligible_agents = tuple(agents[k] for k in sorted(eligible))
        name_of_action = f"{task_name}/{step + 1}"
        action = Action(
            id=name_of_action,
            task=task_name,
            duration=durations[i],
            attended=attended,
            interruptible=i in cut,
            modes=(Mode(demands),),
            agents=eligible_agents,
        )
        actions.append(action)
    arcs: list[tuple[int, int]] = []
    for task in range(parameters.tasks):
        precedences = random_precedences(random, size, parameters.order_strength)
        first = task * size
        arcs += [(first + before, first + after) for before, after in precedences]
    order = depth_first_order(count, arcs)
    longest = round((1 - parameters.tightness) * (shortest + parameters.longest))
    limits = [below(random, longest + 1) for _ in arcs]
    serial_gaps = zip(gaps(arcs, order, durations), limits, strict=True)
    broken = [gap > limit for gap, limit in serial_gaps]
    rank = broken if parameters.feasible else [False] * len(arcs)
    maxima = windows(random, arcs, parameters.windows, limits, rank)
    lags = []
    for before, after in arcs:
        maximum = maxima.get((before, after))
        predecessor = actions[before].id
        successor = actions[after].id
        lags.append(Lag(predecessor, successor, 0, maximum))
    peak = _MAX_DEMAND * count
    numbers = range(1, parameters.resources + 1)
    ample = [Resource(f"resource{number}", peak) for number in numbers]
    instance = Instance(name, tuple(actions), tuple(lags), tuple(ample), agents)
    instance = replace(instance, resources=_scarce(instance, parameters.resource_strength))
    instance = with_workshop_features(random, instance, parameters)
    if parameters.deadlines or parameters.optional:
        serial = serial_schedule(instance, order)
        instance = with_deadlines_and_weights(random, instance, parameters, serial)
    if not parameters.feasible and referee(instance, serial_schedule(instance, order)).violations:
        return instance, None
    return with_witness(instance, order, widen=parameters.feasible)


def _positive(name: str, value: int | None) -> int:
    if not value:
        raise InputError("must be 1 or more for this style", field=name, value=value)
    return value


def _demands(random: Random, parameters: Parameters, count: int) -> list[tuple[Demand, ...]]:
    """Draw demands for the share of pairs of action and resource that the resource factor requires."""
    resources = parameters.resources
    amounts = [[0] * resources for _ in range(count)]
    for pair in sorted(sample_share(random, count * resources, parameters.resource_factor)):
        action, resource = divmod(pair, resources)
        amounts[action][resource] = 1 + below(random, _MAX_DEMAND)
    return list(map(_demands_of_row, amounts))


def _demands_of_row(amounts: list[int]) -> tuple[Demand, ...]:
    """Return the demands of an action; ``amounts`` has one number for each resource."""
    demands = []
    for number, amount in enumerate(amounts, 1):
        if amount:
            demands.append(Demand(f"resource{number}", amount))
    return tuple(demands)


def _eligible(random: Random, parameters: Parameters, count: int) -> list[set[int]]:
    """Draw one agent for every action, then further eligible agents up to the requested share."""
    eligible = [{below(random, parameters.agents)} for _ in range(count)]
    pairs = product(range(count), range(parameters.agents))
    further = [(action, agent) for action, agent in pairs if agent not in eligible[action]]
    candidates = shuffled(random, further)
    requested = round(parameters.eligibility * count * parameters.agents)
    for action, agent in candidates[: max(0, requested - count)]:
        eligible[action].add(agent)
    return eligible


def _scarce(instance: Instance, strength: float) -> tuple[Resource, ...]:
    """Return the resources with capacities between the largest demand and the peak of the earliest starts."""
    resources = []
    for resource, (largest_demand, peak) in zip(instance.resources, demand_ranges(instance), strict=True):
        slack = max(largest_demand, peak) - largest_demand
        capacity = largest_demand + round(strength * slack)
        resources.append(Resource(resource.name, max(1, capacity)))
    return tuple(resources)


def style() -> Generator:
    """Return the generator, with default parameters."""
    return Generator(tuple(Parameters.__dataclass_fields__), Parameters(), generate, salt="own")
