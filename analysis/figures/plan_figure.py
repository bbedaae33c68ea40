"""Figure of one plan or of two plans for the same problem, for each kind of problem."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from matplotlib.axes import Axes

from planoracle.analysis.figures.gantt import gantt, gantt_pair
from planoracle.analysis.figures.kitchen_plan import picture, picture_pair
from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import GridKitchen
from planoracle.instances.benchmarks.grid_kitchens.timeline import as_schedule, as_schedules
from planoracle.instances.errors import InputError
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.problem import Problem, for_kind
from planoracle.instances.protocol.registry import of
from planoracle.instances.protocol.schedule_benchmark import language


def draw(problem: Problem, plan: object, ax: Axes | None = None, *, title: str | None = None) -> Axes:
    """Draw a plan: see `gantt.gantt`, and `kitchen_plan.picture` for kitchens.

    Parameters
    ----------
    plan
        As in a submission; it may break rules.

    Raises
    ------
    InputError, PlanError
        If the plan cannot be read, holds nothing to draw, or is too long.
    """
    if problem.kind == "kitchen":
        return picture(_run(problem, plan).record, ax, title=title)
    instance, schedule = for_kind(problem, _SCHEDULES)(problem, plan)
    return gantt(instance, schedule, ax, title=title)


def draw_pair(problem: Problem, upper: object, lower: object, *, names: tuple[str, str]) -> Axes:
    """Draw two plans on one axis, see `gantt.gantt_pair` and `kitchen_plan.picture_pair`.

    Raises
    ------
    InputError, PlanError
        As `draw`.
    """
    if problem.kind == "kitchen":
        return picture_pair(_run(problem, upper).record, _run(problem, lower).record, names=names)
    return gantt_pair(*for_kind(problem, _SCHEDULES)(problem, upper, lower), names=names)


def _run(problem: Problem, plan: object) -> Any:
    """Run a plan by the rules of the released code."""
    benchmark = of(problem)
    return benchmark.run(problem, plan, benchmark.rules.profiles["released"])


def _schedules(instance: Instance, *plans: object) -> tuple[Any, ...]:
    """Return an instance and its schedules in some plans."""
    benchmark = language(instance)
    schedules = [benchmark.schedule(instance, benchmark.parse(instance, plan)) for plan in plans]
    if not all(schedule.pieces for schedule in schedules):
        raise InputError("there is nothing to draw: the plan holds no step", field=instance.name)
    return instance, *schedules


def _grid_kitchen_schedules(kitchen: GridKitchen, *plans: object) -> tuple[Any, ...]:
    """Return an instance with the actions of some plans, and a schedule per plan."""
    runs = [_run(kitchen, plan) for plan in plans]
    return as_schedule(*runs) if len(runs) == 1 else as_schedules(*runs)


#: Functions by kind of problem that return an instance, and its schedules in some plans.
_SCHEDULES: Final[dict[str, Callable[..., tuple[Any, ...]]]] = {
    "schedule": _schedules,
    "floor": _grid_kitchen_schedules,
}
