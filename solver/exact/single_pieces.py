"""Restriction of a problem to schedules without interruptions, which is far easier to solve.

Interruptible actions are chains of as many intervals as they have steps; actions in one piece are single intervals. So
the restriction is often proved in seconds where the problem itself finds only poor schedules in minutes. Its best
schedule is the first incumbent of the problem.
"""

from __future__ import annotations

from dataclasses import replace

from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.problem import GENERAL


def without_interruptions(instance: Instance) -> Instance | None:
    """Return a problem without interruptions whose schedules are all schedules of the instance.

    Only actions that use a resource whose state others set stay interruptible: in one piece they could make room for a
    setting, which the pieces of an interruptible action do not.

    Returns
    -------
    Instance or None
        ``None`` if no action changes.

    Examples
    --------
    >>> chop = Action("soup/chop", "soup", 4, 4, interruptible=True)
    >>> problem = without_interruptions(Instance("soup", (chop,)))
    >>> [action.interruptible for action in problem.actions], without_interruptions(problem)
    ([False], None)
    """
    stateful = _resources_with_settings(instance)
    actions = tuple(
        replace(action, interruptible=False) if _can_be_in_one_piece(action, stateful) else action
        for action in instance.actions
    )
    if actions == instance.actions:
        return None
    # The rules of a benchmark may allow only its own kinds of actions.
    return replace(instance, actions=actions, benchmark=GENERAL, origin=None)


def _resources_with_settings(instance: Instance) -> set[str]:
    """Return the names of the resources whose state an action sets."""
    names = set[str]()
    for action in instance.actions:
        for mode in action.modes:
            names.update(demand.resource for demand in mode.demands if demand.sets is not None)
    return names


def _can_be_in_one_piece(action: Action, stateful: set[str]) -> bool:
    """Return whether an interruptible action uses none of these resources."""
    used = set[str]()
    for mode in action.modes:
        used.update(demand.resource for demand in mode.demands)
    return action.interruptible and not used & stateful
