"""Runs in kitchens and grid kitchens as schedules, for figures, frames and the report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final, TypeAlias

from planoracle.instances.benchmarks.grid_kitchens import timeline as grid_kitchens
from planoracle.instances.benchmarks.kitchens import run as kitchens
from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.problem import for_kind
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.protocol.benchmark import AnyRun

#: An instance with the actions of a run, and when they were carried out.
Timeline: TypeAlias = tuple[Instance, Schedule]

_TIMELINES: Final[dict[str, Callable[[Any], Timeline]]] = {
    "kitchen": kitchens.as_schedule,
    "floor": grid_kitchens.as_schedule,
}


def timeline(run: AnyRun) -> Timeline:
    """Return a run in a kitchen or grid kitchen as a schedule.

    Raises
    ------
    InputError
        If nothing was carried out that takes time.
    """
    return for_kind(run.problem, _TIMELINES)(run)


def aligned(one: Timeline, other: Timeline) -> tuple[Instance, Schedule, Schedule]:
    """Return two timelines as schedules of one instance.

    What an agent does for so long at a place, the first time, the second, ..., is one action, whenever it is done.
    """
    names: dict[tuple[object, ...], str] = {}
    actions: dict[str, Action] = {}
    schedules = []
    for instance, schedule in (one, other):
        seen: Counter[tuple[object, ...]] = Counter()
        pieces = []
        for piece in schedule.pieces:
            action = instance.by_id[piece.action]
            same = action.task, action.label, action.modes, action.duration, piece.agent
            key = *same, seen[same]
            seen[same] += 1
            name = names.setdefault(key, f"{action.task}/{len(names) + 1}")
            actions[name] = replace(action, id=name)
            pieces.append(piece._replace(action=name))
        schedules.append(Schedule(tuple(pieces)))
    resources = dict.fromkeys((*one[0].resources, *other[0].resources))
    merged = replace(one[0], actions=tuple(actions.values()), resources=tuple(resources))
    return merged, schedules[0], schedules[1]
