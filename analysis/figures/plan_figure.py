"""Figure of one plan or of two plans for the same problem, for each kind of problem."""

from __future__ import annotations

from io import StringIO
from typing import cast

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from planoracle.analysis.figures.gantt import gantt, gantt_pair
from planoracle.analysis.run_schedule import align
from planoracle.instances.errors import InputError
from planoracle.instances.model.problem import Problem
from planoracle.solver.kinds.registry import kind_of


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
    return gantt(*kind_of(problem).timeline_of_plan(problem, plan), ax, title=title)


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
    kind = kind_of(problem)
    upper_timeline = kind.timeline_of_plan(problem, upper)
    lower_timeline = kind.timeline_of_plan(problem, lower)
    return gantt_pair(*align(upper_timeline, lower_timeline), names=names)
