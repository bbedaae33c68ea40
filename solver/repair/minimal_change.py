"""Search for the feasible schedule nearest to a target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from time import perf_counter

from planoracle.instances.errors import InputError, InternalError
from planoracle.instances.model.features import Component, Feature, features_of
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import Limit, Status, deadline_of
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.schedule_rules import find_violations
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.schedule_benchmark import certify
from planoracle.solver.exact.bounds import horizon, lower_bound, windows
from planoracle.solver.exact.latest_end import latest_end
from planoracle.solver.exact.lexicographic import Lexicographic
from planoracle.solver.exact.model_size import has_many_off_times
from planoracle.solver.exact.search import solve
from planoracle.solver.repair.repair_model import PerturbationModel
from planoracle.solver.repair.target import split_all_pieces

#: Features of which plans are not repaired.
REPAIR = Component("repair", frozenset({Feature.OPTIONAL, Feature.TRANSITIONS, Feature.BREAKS}))

#: Objectives that can be minimized, by default in this order.
OBJECTIVES = ("moved", "shift", "makespan")

# Share of the time reserved for any schedule, if the search for a near one finds none.
_RESERVE = 0.2


@dataclass(frozen=True, slots=True)
class MinimalChange:
    """Result of the search for the schedule nearest to a target.

    Attributes
    ----------
    status
        ``optimal``: no schedule is nearer, proved. ``feasible``: ``schedule`` obeys the rules, but only the
        objectives in ``proved`` are known to be least. ``infeasible``: proved that there is no schedule.
        ``unknown``: neither found nor excluded.
    plan
        The schedule in the benchmark's language, accepted by its rules.
    moved
        Actions of which a piece is not as in the target: in start, duration, mode, or agent if one was given.
    shifts
        For every action of the target the largest shift, in ticks, of any unit of its work: the k-th tick of
        work is compared with the k-th tick of the target. Work that it does not have counts nothing.
    shift
        Their sum.
    added
        Actions that the target does not have; they are placed freely and never count as moved.
    redundant
        Pieces of the target beyond the duration of their action, of no length, or too late to be any instance's time.
    grid
        Ticks; statements about all schedules hold for those that pause an interruptible action only after
        multiples of so many ticks of its work, or where the target has it pause. 1 without interruptible actions.
    """

    instance: str
    status: Status
    schedule: Schedule | None = None
    plan: str | None = None
    moved: tuple[str, ...] = ()
    shifts: dict[str, int] = field(default_factory=dict)
    shift: int | None = None
    makespan: int | None = None
    added: tuple[str, ...] = ()
    redundant: tuple[Piece, ...] = ()
    proved: tuple[str, ...] = ()
    grid: int = 1
    seconds: float = 0.0


def minimal_change(
    instance: Instance,
    target: Mapping[str, Sequence[Piece]],
    *,
    objectives: Sequence[str] = OBJECTIVES,
    time_limit: Limit = 60.0,
    rules: Rules | None = None,
) -> MinimalChange:
    """Find the schedule that obeys the rules and is nearest to the pieces of a target.

    Among schedules that are equally near the one with the earliest starts is returned, in the order of
    `planoracle.solver.exact.search.solve`, or where that is not found soon another one, the same at every run.

    Parameters
    ----------
    target
        The pieces by action, in ticks. Actions may be missing; pieces may break any rule.
    objectives
        What is made small, the most important first: ``moved`` (the number of actions moved), ``shift`` (the sum
        of the shifts) and ``makespan``, or some of them.
    time_limit
        Seconds of wall time, or counted work.
    rules
        Rules by which the plan is replayed; by default those of the problem.

    Raises
    ------
    InputError
        For objectives that are none, unknown actions, times that are no whole numbers, and features of the instance
        that `REPAIR` refuses.
    InternalError, RefusedPlanError
        If a schedule found does not pass the rules; never returned as an answer.

    Examples
    --------
    >>> from planoracle.instances.model.instance import Action, Lag
    >>> boil, serve = Action("t/boil", "t", 9, 0), Action("t/serve", "t", 1, 1)
    >>> soup = Instance("soup", (boil, serve), (Lag("t/boil", "t/serve"),))
    >>> early = {"t/boil": [Piece("t/boil", 2, 9, "agent")], "t/serve": [Piece("t/serve", 10, 1, "agent")]}
    >>> found = minimal_change(soup, early)
    >>> found.status, found.moved, found.shift, found.makespan
    ('optimal', ('t/boil',), 1, 11)
    """
    REPAIR.check(instance)
    return _Search(instance, target, checked_objectives(objectives), time_limit, rules).run()


def checked_objectives(objectives: Sequence[str]) -> tuple[str, ...]:
    """Return objectives as `minimal_change` takes them; raises `InputError` if they are none."""
    chosen = tuple(objectives)
    if not chosen or len(set(chosen)) < len(chosen) or not set(chosen) <= set(OBJECTIVES):
        message = f"must be one or more of {', '.join(OBJECTIVES)}, without repetitions"
        raise InputError(message, field="objectives", value=list(chosen))
    return chosen


class _Search:
    """Steps of one search."""

    def __init__(
        self,
        instance: Instance,
        target: Mapping[str, Sequence[Piece]],
        objectives: tuple[str, ...],
        time_limit: Limit,
        rules: Rules | None,
    ) -> None:
        self.rules = rules
        self.began = perf_counter()
        self.deadline = deadline_of(time_limit)
        self.instance = instance
        self.objectives = objectives
        self.places, self.redundant = split_all_pieces(instance, target)

    def run(self) -> MinimalChange:
        instance, objectives = self.instance, self.objectives
        on_target = self._on_target()
        if on_target is not None and objectives[0] != "makespan":  # nothing can be nearer than this
            return self._answer(Status.optimal, on_target, objectives)
        bounds = windows(instance)
        latest = max((piece.end for piece in self._pieces()), default=0)
        max_makespan = longest_makespan(instance, latest)
        if not bounds.consistent or lower_bound(instance, bounds) > max_makespan:
            return self._answer(Status.infeasible)
        if has_many_off_times(instance, max_makespan):
            return self._any(1)
        model = PerturbationModel(instance, bounds, max_makespan, self.places)
        grid = model.grid
        near = self.deadline.sooner((1 - _RESERVE) * self.deadline.remaining())
        lexicographic = Lexicographic(model.model, near)
        proved = []
        proved_values: dict[str, int] = {}
        sums = [(objective, model.terms(objective)) for objective in objectives]
        for position, (objective, terms) in enumerate(sums):
            if lexicographic.minimize(terms, 1 / (len(sums) - position)):
                proved.append(objective)
            if lexicographic.solution is not None:
                proved_values[objective] = model.figure(objective, lexicographic.value(terms))
        lexicographic.smallest_in_order(model.decisions)
        if lexicographic.solution is None and lexicographic.infeasible and not model.coarse:
            return self._answer(Status.infeasible, grid=grid)
        if lexicographic.solution is None:
            return self._any(grid)
        status = Status.optimal if len(proved) == len(objectives) else Status.feasible
        answer = self._answer(status, model.schedule(lexicographic.solution), tuple(proved), grid)
        self._check(answer, proved_values)
        return answer

    def _pieces(self) -> list[Piece]:
        """Return all pieces of the target."""
        return list(chain.from_iterable(place.pieces for place in self.places.values()))

    def _any(self, grid: int) -> MinimalChange:
        """Search for any schedule, with interruptions at every tick."""
        result = solve(self.instance, time_limit=self.deadline, rules=self.rules)
        if result.schedule is None:
            return self._answer(result.status, grid=result.grid)
        return self._answer(Status.feasible, result.schedule, grid=grid)

    def _on_target(self) -> Schedule | None:
        """Return the target, if it is a schedule that obeys the rules."""
        if len(self.places) < len(self.instance.actions):
            return None
        if not all(place.complete for place in self.places.values()):
            return None
        schedule = Schedule.of(self.instance, self._pieces())
        return schedule if next(find_violations(self.instance, schedule), None) is None else None

    def _answer(
        self, status: Status, schedule: Schedule | None = None, proved: tuple[str, ...] = (), grid: int = 1
    ) -> MinimalChange:
        instance, places = self.instance, self.places
        added = [action.id for action in instance.actions if action.id not in places]
        answer = MinimalChange(
            instance=instance.name,
            status=status,
            added=tuple(added),
            redundant=self.redundant,
            proved=proved,
            grid=grid,
        )
        if schedule is None:
            return replace(answer, seconds=perf_counter() - self.began)
        shifts = {}
        for name, place in places.items():
            shifts[name] = place.shift([piece for piece in schedule.pieces if piece.action == name])
        ticks = {name: shift.ticks for name, shift in shifts.items()}
        moved = [name for name, shift in shifts.items() if shift.moved]
        return replace(
            answer,
            schedule=schedule,
            plan=certify(instance, schedule, rules=self.rules),
            moved=tuple(moved),
            shifts=ticks,
            shift=sum(ticks.values()),
            makespan=schedule.makespan,
            seconds=perf_counter() - self.began,
        )

    def _check(self, answer: MinimalChange, proved_values: dict[str, int]) -> None:
        """Compare the minimized values of the model with those of the schedule."""
        figures = {"moved": len(answer.moved), "shift": answer.shift, "makespan": answer.makespan}
        for objective, proved_value in proved_values.items():
            value = figures[objective]
            if answer.status == Status.optimal:
                agrees = value == proved_value
            else:
                agrees = value is not None and value <= proved_value
            if not agrees:
                raise InternalError(f"{self.instance.name}: {objective} is {value}, but {proved_value} is proved")


def longest_makespan(instance: Instance, latest: int = 0) -> int:
    """Return a makespan that some nearest schedule does not exceed, if the target ends by ``latest``.

    After ``latest``, idle time can be cut out, which only brings work nearer.
    """
    # A negative maximum lag keeps its actions apart like a minimum lag.
    maximum_lags = (lag.maximum for lag in instance.lags if lag.maximum is not None)
    distances = sum(max(0, -maximum) for maximum in maximum_lags)
    last = latest_end(instance) if features_of(instance) else horizon(instance)
    makespan = latest + last + distances
    return makespan if instance.time_limit is None else min(makespan, instance.time_limit)
