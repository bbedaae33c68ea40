"""Figure of one plan or of two plans for the same problem, for each kind of problem."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from matplotlib.axes import Axes

from planoracle.analysis.figures.gantt import gantt, gantt_pair
from planoracle.analysis.figures.kitchen_plan import picture, picture_pair
from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import GridKitchen
from planoracle.instances.benchmarks.grid_kitchens.timeline import as_schedule, as_schedules
from planoracle.instances.benchmarks.kitchens.kitchen import Kitchen
from planoracle.instances.errors import InputError
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.problem import Problem, for_kind
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.protocol.registry import of
from planoracle.instances.protocol.schedule_benchmark import language


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
    return gantt(instance, _schedule(instance, plan), ax, title=title)


def _pair(instance: Instance, upper: object, lower: object, names: tuple[str, str]) -> Axes:
    return gantt_pair(instance, _schedule(instance, upper), _schedule(instance, lower), names=names)


def _run(problem: Problem, plan: object) -> Any:
    """Run a plan by the rules of the released code."""
    benchmark = of(problem)
    return benchmark.run(problem, plan, benchmark.profiles["released"])


def _kitchen(kitchen: Kitchen, plan: object, ax: Axes | None, title: str | None) -> Axes:
    return picture(_run(kitchen, plan).record, ax, title=title)


def _kitchens(kitchen: Kitchen, upper: object, lower: object, names: tuple[str, str]) -> Axes:
    return picture_pair(_run(kitchen, upper).record, _run(kitchen, lower).record, names=names)


def _grid_kitchen(kitchen: GridKitchen, plan: object, ax: Axes | None, title: str | None) -> Axes:
    return gantt(*as_schedule(_run(kitchen, plan)), ax, title=title)


def _grid_kitchens(kitchen: GridKitchen, upper: object, lower: object, names: tuple[str, str]) -> Axes:
    instance, one, other = as_schedules(_run(kitchen, upper), _run(kitchen, lower))
    return gantt_pair(instance, one, other, names=names)


_DRAWN: Final[dict[str, Callable[[Any, object, Axes | None, str | None], Axes]]] = {
    "schedule": _gantt,
    "kitchen": _kitchen,
    "floor": _grid_kitchen,
}
_PAIRS: Final[dict[str, Callable[[Any, object, object, tuple[str, str]], Axes]]] = {
    "schedule": _pair,
    "kitchen": _kitchens,
    "floor": _grid_kitchens,
}
