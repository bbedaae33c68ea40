"""Picture of a plan, or of two of the same problem, whatever kind of problem it is for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, cast

from matplotlib.axes import Axes

from planoracle.instances.certify import language
from planoracle.instances.errors import InputError
from planoracle.instances.floors.floor import Floor
from planoracle.instances.kitchens.kitchen import Kitchen
from planoracle.instances.model import Instance
from planoracle.instances.problem import Problem, for_kind
from planoracle.instances.registry import of
from planoracle.instances.schedule import Schedule

if TYPE_CHECKING:
    from planoracle.instances.floors.run import FloorRun
    from planoracle.instances.kitchens.run import KitchenRun


def draw(problem: Problem, plan: object, ax: Axes | None = None, *, title: str | None = None) -> Axes:
    """Draw a plan as its kind of problem is drawn: see `gantt.gantt` and `kitchen.picture`.

    Parameters
    ----------
    plan
        As in a submission; it need not obey the rules.

    Raises
    ------
    InputError, PlanError
        If the plan cannot be read, holds nothing to draw, or is too long.
    """
    return for_kind(problem, _DRAWN)(problem, plan, ax, title)


def draw_pair(problem: Problem, upper: object, lower: object, *, names: tuple[str, str]) -> Axes:
    """Draw two plans on one axis, see `gantt.gantt_pair` and `kitchen.picture_pair`.

    Raises
    ------
    InputError, PlanError
        As `draw`.
    """
    return for_kind(problem, _PAIRS)(problem, upper, lower, names)


def _schedule(instance: Instance, plan: object) -> Schedule:
    benchmark = language(instance)
    schedule = benchmark.schedule(instance, benchmark.parse(instance, plan))
    if not schedule.pieces:
        raise InputError("there is nothing to draw: the plan holds no step", field=instance.name)
    return schedule


def _gantt(instance: Instance, plan: object, ax: Axes | None, title: str | None) -> Axes:
    from planoracle.analysis.figures.gantt import gantt

    return gantt(instance, _schedule(instance, plan), ax, title=title)


def _pair(instance: Instance, upper: object, lower: object, names: tuple[str, str]) -> Axes:
    from planoracle.analysis.figures.gantt import gantt_pair

    return gantt_pair(instance, _schedule(instance, upper), _schedule(instance, lower), names=names)


def _kitchen(kitchen: Kitchen, plan: object, ax: Axes | None, title: str | None) -> Axes:
    from planoracle.analysis.figures.kitchen import picture

    run = of(kitchen).run(kitchen, plan, of(kitchen).profiles["released"])
    return picture(cast("KitchenRun", run).record, ax, title=title)


def _kitchens(kitchen: Kitchen, upper: object, lower: object, names: tuple[str, str]) -> Axes:
    from planoracle.analysis.figures.kitchen import picture_pair

    one, other = (of(kitchen).run(kitchen, plan, of(kitchen).profiles["released"]) for plan in (upper, lower))
    return picture_pair(cast("KitchenRun", one).record, cast("KitchenRun", other).record, names=names)


def _floors(floor: Floor, upper: object, lower: object, names: tuple[str, str]) -> Axes:
    from planoracle.analysis.figures.gantt import gantt_pair
    from planoracle.instances.floors.pieces import as_schedules

    one, other = (of(floor).run(floor, plan, of(floor).profiles["released"]) for plan in (upper, lower))
    instance, *schedules = as_schedules(cast("FloorRun", one), cast("FloorRun", other))
    return gantt_pair(instance, schedules[0], schedules[1], names=names)


def _floor(floor: Floor, plan: object, ax: Axes | None, title: str | None) -> Axes:
    from planoracle.analysis.figures.gantt import gantt
    from planoracle.instances.floors.pieces import as_schedule

    run = of(floor).run(floor, plan, of(floor).profiles["released"])
    instance, schedule = as_schedule(cast("FloorRun", run))
    return gantt(instance, schedule, ax, title=title)


_DRAWN: Final[dict[str, Callable[[Any, object, Axes | None, str | None], Axes]]] = {
    "schedule": _gantt,
    "kitchen": _kitchen,
    "floor": _floor,
}
_PAIRS: Final[dict[str, Callable[[Any, object, object, tuple[str, str]], Axes]]] = {
    "schedule": _pair,
    "kitchen": _kitchens,
    "floor": _floors,
}
