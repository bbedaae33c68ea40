"""Lexicographic minimization: each sum is held at its best value before the next is minimized."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, pairwise
from math import gcd
from time import perf_counter
from typing import NamedTuple

from planoracle.instances.model.features import features_of
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import Deadline, Limit, Status, TimeOverError, deadline_of
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.schedule_benchmark import certify
from planoracle.solver.exact.bounds import common_tick, steps, windows_of_paths
from planoracle.solver.exact.cp_model import FAR, CpModel, CpOutcome, negated, run
from planoracle.solver.exact.left_shift import settled_early
from planoracle.solver.exact.precedence import ordered_windows
from planoracle.solver.exact.schedule_model import ScheduleModel
from planoracle.solver.result import Result

#: A sum: pairs of a variable and its coefficient.
Terms = Sequence[tuple[int, int]]

# One worker and deterministic effort, so that results do not depend on the machine's speed.
_LADDER: tuple[tuple[dict[str, int], float | None], ...] = (
    ({"core": True}, 0.05),
    ({"presolve": True, "linearization": 1}, 0.5),
    ({}, 0.5),
    ({"presolve": True, "linearization": 1}, None),
)
_FIXED = 0.05
# Largest number of values of a sum for core search, which raises the bound one by one with clauses for each value:
# 10,000 values take minutes, and gigabytes that CP-SAT does not count.
_NEAR = 1_000


class Lexicographic:
    """A model being solved for several objectives in order of importance.

    Attributes
    ----------
    solution
        Incumbent, or ``None``.
    infeasible
        True if infeasibility is proved with presolve on and off.
    """

    def __init__(self, model: CpModel, deadline: Deadline) -> None:
        self.model = model
        self.deadline = deadline
        self.solution: list[int] | None = None
        self.infeasible = False

    def minimize(self, terms: Terms, share: float = 1.0) -> bool:
        """Minimize a sum, fix it at the value reached, and return whether that is proved to be the minimum.

        Parameters
        ----------
        share
            Share of the remaining time.
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
                self.model.hint(dict(enumerate(self.solution)))
            outcome = run(self.model, deadline=until, deterministic=effort, **options)  # type: ignore[arg-type]
            if outcome.status == Status.infeasible and self.solution is None:
                self._confirm(presolved="presolve" in options)
            proved = outcome.status == Status.optimal
            self._take(outcome, terms)
        if self.solution is not None:
            self.model.linear(terms, -FAR, self.value(terms))
        return proved and self.solution is not None

    def _values(self, terms: Terms) -> int:
        """Return an upper bound on the number of values of a sum."""
        domains = self.model.domains()
        number = 0
        for variable, factor in terms:
            lower, upper = domains[variable]
            number += abs(factor) * (upper - lower)
        return number

    def value(self, terms: Terms) -> int:
        """Return the value of a sum in the solution."""
        assert self.solution is not None
        return sum(coefficient * self.solution[variable] for variable, coefficient in terms)

    def smallest_in_order(self, variables: Sequence[int]) -> bool:
        """Set the lexicographically smallest solution in these variables, if a short search finds it."""
        if self.deadline.remaining() <= 0 or self.infeasible:
            return False
        self.model.drop_objective()
        self.model.search_in_order(variables)
        self.model.hint({})
        outcome = run(self.model, deadline=self.deadline, fixed_search=True, deterministic=_FIXED)
        if outcome.status == Status.infeasible and self.solution is None:
            self._confirm(presolved=False)
        if not outcome.solution:
            return False
        self.solution = outcome.solution
        return True

    def _take(self, outcome: CpOutcome, terms: Terms) -> None:
        if not outcome.solution:
            return
        value = None if self.solution is None else self.value(terms)
        incumbent, self.solution = self.solution, outcome.solution
        if value is not None and self.value(terms) > value:
            self.solution = incumbent

    def _confirm(self, *, presolved: bool) -> None:
        """Accept infeasibility only if CP-SAT proves it with presolve both on and off."""
        self.model.drop_objective()
        deadline = self.deadline.within(max(1.0, self.deadline.remaining()))
        second = run(self.model, deadline=deadline, presolve=not presolved)
        self.infeasible = second.status == Status.infeasible
        if second.solution:
            self.solution = second.solution


# Steps of interruptible actions up to which a model is built within seconds.
_MOST_STEPS = 10_000


class FewInterruptions(NamedTuple):
    """A schedule with few interruptions.

    Attributes
    ----------
    proved
        True if no schedule of the same makespan that interrupts at multiples of ``grid`` ticks has fewer pieces.
    """

    schedule: Schedule
    proved: bool
    grid: int


class _Model(ScheduleModel):
    """Schedule model with a literal for every two consecutive steps of an action: true at an interruption."""

    def _add_starts(self) -> None:
        self.breaks: list[int] = []
        for version in chain.from_iterable(self.versions):
            for segment, successor in pairwise(version.segments):
                broken = self.model.boolean()
                goes_on = negated(broken)
                if version.present is not None:  # a version that is not chosen has no interruptions
                    goes_on = self.model.boolean()
                    self.model.clause(goes_on, broken, negated(version.present))
                self.continue_run(segment, successor, goes_on)
                self.breaks.append(broken)
        super()._add_starts()

    def keep_weight(self, schedule: Schedule) -> None:
        """Execute optional tasks of the same weight as those in a schedule."""
        weights = self.instance.weights
        executed = {self.instance.by_id[piece.action].task for piece in schedule.pieces}
        weight = sum(weights[task] for task in executed & weights.keys())
        self.model.linear([(self.executed[task], weights[task]) for task in weights], weight, weight)


def with_few_interruptions(
    instance: Instance, result: Result, deadline: Deadline, rules: Rules | None = None
) -> Result:
    """Return a result with the fewest interruptions that the search finds; its makespan stays proved."""
    assert result.schedule is not None
    began = perf_counter()
    fewest = minimize_interruptions(instance, result.schedule, time_limit=deadline)
    plan = result.plan
    if fewest.schedule != result.schedule:
        plan = certify(instance, fewest.schedule, result.makespan, rules=rules)
    is_proved = "proved" if fewest.proved else "not proved"
    proof = f"{result.proof}, interruptions {is_proved} minimal"
    seconds = result.seconds + perf_counter() - began
    return replace(result, schedule=fewest.schedule, plan=plan, proof=proof, seconds=seconds)


def minimize_interruptions(instance: Instance, schedule: Schedule, *, time_limit: Limit = 60.0) -> FewInterruptions:
    """Find a schedule of the same makespan with the fewest interruptions.

    Pieces are commands: a step in the middle of which its agent starts another action is two pieces.

    Parameters
    ----------
    schedule
        A schedule that the rules accept. The result has its makespan, and never more pieces.
    time_limit
        Seconds of wall time, or counted work.

    Examples
    --------
    >>> from planoracle.instances.model.instance import Action, Instance
    >>> from planoracle.solver.exact.search import solve
    >>> acts = Action("t/read", "t", 4, 4, interruptible=True), Action("t/ring", "t", 1, 1, release=2)
    >>> calm = Instance("calm", acts)
    >>> first = solve(calm).schedule
    >>> len(minimize_interruptions(calm, first).schedule.pieces)
    2
    """
    deadline = deadline_of(time_limit)
    has_no_interruption = not _interruptions(instance, schedule)
    grid = common_tick(instance)
    for piece in schedule.pieces:
        grid = gcd(grid, piece.start, piece.duration)
    unchanged = FewInterruptions(schedule, proved=has_no_interruption, grid=grid)
    if has_no_interruption or steps(instance, grid) > _MOST_STEPS:
        return unchanged
    has_features = bool(features_of(instance))
    try:
        bounds = windows_of_paths(instance, deadline) if has_features else ordered_windows(instance, deadline)
        model = _Model(instance, bounds, grid, schedule.makespan, schedule.makespan, deadline=deadline)
    except TimeOverError:
        return unchanged
    if instance.optional:
        model.keep_weight(schedule)
    if not has_features:
        model.break_symmetry()
    search = Lexicographic(model.model, deadline)
    proved = search.minimize([(broken, 1) for broken in model.breaks])
    if search.solution is None:
        return unchanged
    if has_features:
        search.smallest_in_order(model.decisions)
        shifted = model.schedule(search.solution)
    else:
        shifted = settled_early(instance, model.schedule(search.solution), cut=False)
    is_more = _interruptions(instance, shifted) > _interruptions(instance, schedule)
    if is_more or shifted.makespan > schedule.makespan:
        return unchanged
    return FewInterruptions(shifted, proved, grid)


def _interruptions(instance: Instance, schedule: Schedule) -> int:
    """Return the number of interruptions in a schedule; pauses in breaks are none."""
    pieces = [piece.action for piece in schedule.pieces if instance.by_id[piece.action].interruptible]
    return len(pieces) - len(set(pieces))
