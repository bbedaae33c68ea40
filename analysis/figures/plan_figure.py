"""Figure of one plan or of two plans for the same problem, for each kind of problem."""

from __future__ import annotations

from io import StringIO
from typing import Any, cast

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from planoracle.analysis.figures.gantt import gantt, gantt_pair
from planoracle.analysis.run_schedule import Timeline, align, timeline
from planoracle.instances.errors import InputError
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.problem import Problem, of_kind
from planoracle.instances.protocol.registry import of
from planoracle.instances.protocol.schedule_benchmark import language


def draw(problem: Problem, plan: object, ax: Axes | None = None, *, title: str | None = None) -> Axes:
    """Draw a plan, see `gantt.gantt`; in kitchens an action takes one step.

    Parameters
    ----------
    plan
        As in a submission; it may break rules.

    Raises
    ------
    InputError, PlanError
        If the plan cannot be read, contains no step, or is too long.
    """
    return gantt(*_schedule(problem, plan), ax, title=title)


def svg(problem: Problem, plan: object) -> str:
    """Return the figure of a plan as an SVG element of a page; ``""`` if the plan is too long to draw."""
    stream = StringIO()
    try:
        figure = cast(Figure, draw(problem, plan).figure)
    except InputError:
        return ""
    figure.savefig(stream, format="svg")
    return stream.getvalue()[stream.getvalue().index("<svg") :]


def draw_pair(problem: Problem, upper: object, lower: object, *, names: tuple[str, str]) -> Axes:
    """Draw two plans on one axis, see `gantt.gantt_pair`.

    Raises
    ------
    InputError, PlanError
        As `draw`.
    """
    upper_timeline, lower_timeline = _schedule(problem, upper), _schedule(problem, lower)
    pair: Any
    if problem.kind == "schedule":
        pair = (*upper_timeline, lower_timeline[1])
    else:
        pair = align(upper_timeline, lower_timeline)
    return gantt_pair(*pair, names=names)


def _schedule(problem: Problem, plan: object) -> Timeline:
    """Return an instance and its schedule in a plan; kitchens have the rules of the released code."""
    if problem.kind != "schedule":
        benchmark = of(problem)
        return timeline(benchmark.run(problem, plan, benchmark.rules.profiles["released"]))
    instance = of_kind(problem, Instance)
    plans = language(instance)
    schedule = plans.schedule(instance, plans.parse(instance, plan))
    if not schedule.pieces:
        raise InputError("the plan contains no step to draw", field=problem.name)
    return instance, schedule
