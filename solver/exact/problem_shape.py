"""Properties of an instance that decide which stages its search has."""

from __future__ import annotations

from dataclasses import dataclass

from planoracle.instances.model.instance import Instance
from planoracle.solver.exact.search_params import CrowdedParams, FeatureParams, SearchParams


@dataclass(frozen=True)
class ProblemShape:
    """Properties of an instance that decide which stages its search has.

    Attributes
    ----------
    actions
        Number of actions.
    is_crowded
        Most pairs of actions exclude each other, as in job shops: forced orders are rare then, and list schedules far
        from optimal.
    is_windowed
        There are maximum lags.
    has_pauses
        An action can be interrupted.
    has_restarts
        There are many actions, and actions that need agents: restarts pay there, and list schedules often reach the
        bound at once.
    delays_orders
        Computing forced orders may take longer than the remaining solve, so that it comes after short searches.
    """

    actions: int
    is_crowded: bool
    is_windowed: bool
    has_pauses: bool
    has_restarts: bool
    delays_orders: bool

    @property
    def begins_with_core_search(self) -> bool:
        """True if core search comes before list schedules."""
        return self.delays_orders and not (self.is_crowded or self.has_pauses or self.has_restarts)


def shape_of(instance: Instance, params: SearchParams) -> ProblemShape:
    """Return the properties of an instance."""
    count = len(instance.actions)
    is_large = count >= params.sizes.large
    is_windowed = any(lag.maximum is not None for lag in instance.lags)
    is_listed = count <= params.sizes.many and not is_windowed
    is_crowded = is_listed and crowded(instance, params.crowded)
    needs_agents = any(action.attended and action.agents != () for action in instance.actions)
    return ProblemShape(
        actions=count,
        is_crowded=is_crowded,
        is_windowed=is_windowed,
        has_pauses=any(action.interruptible for action in instance.actions),
        has_restarts=is_large and needs_agents,
        delays_orders=is_crowded or (is_listed and is_large),
    )


def is_flexible(instance: Instance, params: FeatureParams) -> bool:
    """Return whether the main difficulty is the choice of modes, as in flexible job shops.

    Enough of many actions have several modes. No state matters, no action needs an agent, and nothing is interrupted.
    """
    actions = instance.actions
    if len(actions) < params.first_schedule:
        return False
    if any(action.interruptible or action.agents != () for action in actions):
        return False
    if any(resource.state is not None for resource in instance.resources):
        return False
    share = params.least_choices if len(actions) <= params.most_with_few_choices else params.least_choices_of_many
    return sum(len(action.modes) > 1 for action in actions) >= share * len(actions)


def crowded(instance: Instance, params: CrowdedParams) -> bool:
    """Return whether the main difficulty is the order of actions that exclude each other, as in job shops.

    There are several such pairs for every action then, little else is used, and no action needs an agent.
    """
    exclusive_uses = dict.fromkeys((resource.name for resource in instance.resources), 0)
    shared_uses = 0
    for action in instance.actions:
        if action.attended or len(action.modes) > 1:
            return False
        for demand in action.modes[0].demands:
            is_exclusive = 2 * demand.amount > instance.resource[demand.resource].capacity
            exclusive_uses[demand.resource] += is_exclusive
            shared_uses += not is_exclusive
    pairs = sum(uses * (uses - 1) // 2 for uses in exclusive_uses.values())
    has_pairs = pairs > params.pairs_per_action * len(instance.actions)
    return has_pairs and shared_uses < params.shared_uses * sum(exclusive_uses.values())
