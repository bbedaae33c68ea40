"""Minimising one sum after the other, each held at the best value found before the next is looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import gcd
from time import perf_counter
from typing import NamedTuple

from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import Deadline, Limit, Status, TimeOverError, deadline_of
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.protocol.schedule_benchmark import certify
from planoracle.solver.exact.bounds import common_tick, steps
from planoracle.solver.exact.cp_model import FAR, CpModel, CpOutcome, negated, run
from planoracle.solver.exact.left_shift import settled_early
from planoracle.solver.exact.precedence import ordered_windows
from planoracle.solver.exact.schedule_model import ScheduleModel
from planoracle.solver.result import Result

#: A sum: pairs of a variable and its coefficient.
Terms = Sequence[tuple[int, int]]

# One worker throughout and effort in CP-SAT's own time, so that answers do not depend on the machine's speed.
_LADDER: tuple[tuple[dict[str, int], float | None], ...] = (
    ({"core": True}, 0.05),
    ({"presolve": True, "linearization": 1}, 0.5),
    ({}, 0.5),
    ({"presolve": True, "linearization": 1}, None),
)
_FIXED = 0.05
# Sums of which no more values are possible are looked at by cores. These raise a bound one by one, with clauses for
# each of the values before: 10,000 take minutes and gigabytes that CP-SAT does not count.
_NEAR = 1_000


class Lexicographic:
    """A model being solved for several objectives in order of importance.

    Attributes
    ----------
    solution
        The best so far, ``None`` if there is none.
    infeasible
        Whether it is proved, with presolve on and off, that there is none.
    """

    def __init__(self, model: CpModel, deadline: Deadline) -> None:
        self.model = model
        self.deadline = deadline
        self.solution: list[int] | None = None
        self.infeasible = False

    def minimize(self, terms: Terms, share: float = 1.0) -> bool:
        """Minimise a sum, hold it at the value found, and return whether that is proved to be least.

        Parameters
        ----------
        share
            Of the time left.
        """
        if self.infeasible:
            return False
        until = self.deadline.sooner(share * self.deadline.remaining())
        proved = False
        for options, effort in _LADDER:
            if until.remaining() <= 0 or proved or self.infeasible:
                break
            if options.get("core") and self._values(terms) > _NEAR:
                continue
            self.model.minimize_sum(terms)
            if self.solution is not None:
                self.model.hint(self.solution)
            found = run(self.model, deadline=until, deterministic=effort, **options)  # type: ignore[arg-type]
            if found.status == Status.infeasible and self.solution is None:
                self._confirm(presolved="presolve" in options)
            proved = found.status == Status.optimal
            self._take(found, terms)
        if self.solution is not None:
            self.model.linear(terms, -FAR, self.value(terms))
        return proved and self.solution is not None

    def _values(self, terms: Terms) -> int:
        """Return how many values a sum may have, at most."""
        domains = self.model.domains()
        return sum(abs(factor) * (domains[variable][1] - domains[variable][0]) for variable, factor in terms)

    def value(self, terms: Terms) -> int:
        """Return what a sum is in the solution."""
        assert self.solution is not None
        return sum(coefficient * self.solution[variable] for variable, coefficient in terms)

    def smallest_in_order(self, variables: Sequence[int]) -> bool:
        """Take the solution in which these variables are lexicographically smallest, if it is found soon."""
        if self.deadline.remaining() <= 0 or self.infeasible:
            return False
        self.model.drop_objective()
        self.model.search_in_order(variables)
        self.model.hint(())
        found = run(self.model, deadline=self.deadline, fixed_search=True, deterministic=_FIXED)
        if found.status == Status.infeasible and self.solution is None:
            self._confirm(presolved=False)
        if not found.solution:
            return False
        self.solution = found.solution
        return True

    def _take(self, found: CpOutcome, terms: Terms) -> None:
        if found.solution:
            known, self.solution = self.solution, found.solution
            if known is not None and self.value(terms) > sum(c * known[v] for v, c in terms):
                self.solution = known

    def _confirm(self, *, presolved: bool) -> None:
        """Believe in infeasibility only if CP-SAT says so with presolve both on and off."""
        self.model.drop_objective()
        second = run(
            self.model, deadline=self.deadline.within(max(1.0, self.deadline.remaining())), presolve=not presolved
        )
        self.infeasible = second.status == Status.infeasible
        if second.solution:
            self.solution = second.solution


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
    >>> from planoracle.instances.model.instance import Action, Instance
    >>> from planoracle.solver.exact.search import solve
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
