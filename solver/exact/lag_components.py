"""First schedule of a problem with maximum lags, from schedules of its components.

A component is a set of actions that lags bind to each other in both directions, directly or through others. All other
lags only say that something is not too early, so components can follow each other at any distance. Hence a problem
whose actions can be executed one by one has a schedule if and only if each component alone has one (Neumann and Zhan
1995). Components are small, so that searches in them end soon where a search in the whole problem finds nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from planoracle.heuristics.generation import strong_components
from planoracle.instances.model.instance import Action, Instance, Mode
from planoracle.instances.model.problem import GENERAL
from planoracle.instances.model.schedule import Schedule
from planoracle.solver.exact.schedule_model import ScheduleModel


def lag_components(instance: Instance) -> list[list[int]]:
    """Return the numbers of the actions of each component of several actions, small ones first.

    Returns
    -------
    list
        Empty if all actions are one component, or if actions require a state that others set or follow others in a
        mode: then a component without the rest is not a part of the problem.

    Examples
    --------
    >>> from planoracle.instances.model.instance import Action, Lag
    >>> actions = tuple(Action(f"meal/{name}", "meal", 2, 2) for name in ("fry", "eat", "wash"))
    >>> lags = Lag("meal/fry", "meal/eat", 0, 5), Lag("meal/eat", "meal/wash")
    >>> lag_components(Instance("meal", actions, lags))
    [[0, 1]]
    """
    if any(_needs_others(action) for action in instance.actions):
        return []
    count, index = len(instance.actions), instance.index
    arcs = []
    for lag in instance.lags:
        before, after = index[lag.before], index[lag.after]
        if lag.minimum is not None:
            arcs.append((before, after))
        if lag.maximum is not None:
            arcs.append((after, before))
    members: dict[int, list[int]] = {}
    for action, component in enumerate(strong_components(count, arcs)):
        members.setdefault(component, []).append(action)
    components = [actions for actions in members.values() if 1 < len(actions) < count]
    return sorted(components, key=len)


def _needs_others(action: Action) -> bool:
    """Return whether a mode of an action has predecessors, or requires a state of a resource."""
    return any(mode.after or _requires_state(mode) for mode in action.modes)


def _requires_state(mode: Mode) -> bool:
    return any(demand.requires is not None for demand in mode.demands)


def part_of(instance: Instance, component: Sequence[int]) -> Instance:
    """Return the problem of some actions alone: each schedule of the instance contains one of it."""
    actions = tuple(instance.actions[i] for i in component)
    names = {action.id for action in actions}
    lags = tuple(lag for lag in instance.lags if lag.before in names and lag.after in names)
    # The rules of a benchmark may allow only whole problems.
    return replace(instance, actions=actions, lags=lags, benchmark=GENERAL, origin=None, rest_of=None)


def hold_together(model: ScheduleModel, schedules: Sequence[Schedule]) -> None:
    """Let the actions of each of these schedules keep their distances, on the grid of the model."""
    for schedule in schedules:
        starts = {piece.action: piece.start for piece in schedule.pieces}
        _keep_distances(model, starts)


def _keep_distances(model: ScheduleModel, starts: Mapping[str, int]) -> None:
    index = model.instance.index
    first = min(starts, key=lambda action: starts[action])
    first_start = model.segments[index[first]][0].start
    for action, start in starts.items():
        if action == first:
            continue
        variable = model.segments[index[action]][0].start
        distance = (start - starts[first]) // model.step
        model.model.difference(variable, first_start, distance)
        model.model.difference(first_start, variable, -distance)
