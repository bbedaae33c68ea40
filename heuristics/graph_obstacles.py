"""Refusals that local searches on graphs of actions share: features that such a graph cannot state."""

from __future__ import annotations

from collections.abc import Iterator

from planoracle.instances.model.features import Component
from planoracle.instances.model.instance import Action, Instance


def refusal(instance: Instance, search: Component, obstacles: Iterator[str]) -> str:
    """Return why a search refuses a problem, or an empty text.

    Parameters
    ----------
    instance
        Problem.
    search
        Search with the features that it does not respect.
    obstacles
        Other causes in words, such as `graph_obstacles` yields; the first is reported.
    """
    feature = search.refusal(instance)
    if feature:
        return feature
    obstacle = next(obstacles, "")
    return f"{search.name} cannot respect {obstacle}" if obstacle else ""


def graph_obstacles(instance: Instance) -> Iterator[str]:
    """Yield lags and actions that a graph of actions without agents and states cannot state, in words.

    Durations must be fixed, and each pair of actions may only have a minimum lag.

    Examples
    --------
    >>> from planoracle.instances.model.instance import Lag
    >>> actions = Action("tea/boil", "tea", 5, 0, agents=()), Action("tea/pour", "tea", 1, 1)
    >>> list(graph_obstacles(Instance("tea", actions, (Lag("tea/boil", "tea/pour", 0, 3),))))
    ['lags with a maximum or a negative minimum: from tea/boil to tea/pour', 'actions that need an agent: tea/pour']
    """
    for lag in instance.lags:
        if lag.maximum is not None or not lag.orders:
            yield f"lags with a maximum or a negative minimum: from {lag.before} to {lag.after}"
    for action in instance.actions:
        obstacle = _obstacle_of_action(instance, action)
        if obstacle:
            yield f"{obstacle}: {action.id}"


def _obstacle_of_action(instance: Instance, action: Action) -> str:
    if len(action.modes) > 1 or action.modes[0].after:
        return "actions with several modes"
    if action.interruptible:
        return "interruptible actions"
    [variant] = instance.variants[action.id]
    if variant.agents:
        return "actions that need an agent"
    if any(demand.requires is not None or demand.sets is not None for demand in variant.demands):
        return "states of resources"
    return ""
