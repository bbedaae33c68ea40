"""Schedules that pause nothing without need: the fewest pieces among those of one makespan."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from math import gcd
from time import perf_counter
from typing import NamedTuple

from planoracle.instances.deadline import Deadline, Limit, TimeOverError, deadline_of
from planoracle.instances.model import Instance
from planoracle.instances.schedule import Schedule
from planoracle.instances.schedule_benchmark import certify
from planoracle.solver.exact.bounds import common_tick, steps
from planoracle.solver.exact.cp import negated
from planoracle.solver.exact.left_shift import settled_early
from planoracle.solver.exact.lexicographic import Lexicographic
from planoracle.solver.exact.model import ScheduleModel
from planoracle.solver.exact.orders import ordered_windows
from planoracle.solver.result import Result

# Steps of interruptible actions of which a model can be made in some seconds.
_MOST_STEPS = 10_000


class Whole(NamedTuple):
    """A schedule with few pieces.

    Attributes
    ----------
    proved
        Whether no schedule that is as short, and pauses at multiples of ``grid`` ticks only, has fewer.
    """

    schedule: Schedule
    proved: bool
    grid: int


class _Model(ScheduleModel):
    """The model of schedules, with a literal for every two steps of an action that are parts of one piece."""

    def _add_starts(self) -> None:
        self.breaks: list[int] = []
        for segments in self.segments:
            for one, two in pairwise(segments):
                broken = self.model.boolean()
                self._continue_run(one, two, negated(broken))
                self.breaks.append(broken)
        super()._add_starts()


def unpaused(instance: Instance, found: Result, deadline: Deadline) -> Result:
    """Return a result with a schedule of as few pieces as can be found; all that is proved of its makespan stays."""
    assert found.schedule is not None
    began = perf_counter()
    whole = fewest_pieces(instance, found.schedule, time_limit=deadline)
    same = whole.schedule == found.schedule
    return replace(
        found,
        schedule=whole.schedule,
        plan=found.plan if same else certify(instance, whole.schedule, found.makespan),
        proof=f"{found.proof}, {'fewest pieces' if whole.proved else 'pieces not proved to be fewest'}",
        seconds=found.seconds + perf_counter() - began,
    )


def fewest_pieces(instance: Instance, schedule: Schedule, *, time_limit: Limit = 60.0) -> Whole:
    """Find a schedule that takes as long as another and has the fewest pieces.

    Pieces are commands: where an agent starts something in the middle of a step, the step is two pieces.

    Parameters
    ----------
    schedule
        One that the rules accept; what comes out has its makespan, and never more pieces.
    time_limit
        Seconds of wall time, or counted work.

    Examples
    --------
    >>> from planoracle.instances.model import Action, Instance
    >>> from planoracle.solver.exact.solve import solve
    >>> acts = Action("t/read", "t", 4, 4, interruptible=True), Action("t/ring", "t", 1, 1, release=2)
    >>> calm = Instance("calm", acts)
    >>> first = solve(calm).schedule
    >>> len(fewest_pieces(calm, first).schedule.pieces)
    2
    """
    deadline = deadline_of(time_limit)
    given, least = len(schedule.pieces), len({piece.action for piece in schedule.pieces})
    grid = gcd(common_tick(instance), *(time for piece in schedule.pieces for time in (piece.start, piece.duration)))
    unchanged = Whole(schedule, proved=given == least, grid=grid)
    if given == least or steps(instance, grid) > _MOST_STEPS:
        return unchanged
    try:
        bounds = ordered_windows(instance, deadline)
        model = _Model(instance, bounds, grid, schedule.makespan, schedule.makespan, deadline=deadline)
    except TimeOverError:
        return unchanged
    model.break_symmetry()
    search = Lexicographic(model.model, deadline)
    proved = search.minimize([(broken, 1) for broken in model.breaks])
    if search.solution is None:
        return unchanged
    found = settled_early(instance, model.schedule(search.solution), cut=False)
    if len(found.pieces) > given or found.makespan > schedule.makespan:
        return unchanged
    return Whole(found, proved, grid)
