"""Values of all points of a run, most of them without a search.

Within a stretch in which decisions only restrict the rest, the best makespan never falls. So where it is equal at both
ends, it is equal in between; and a schedule found for one point holds for all later ones that follow it. The remaining
points are found by bisection.

"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import gcd
from typing import TypeAlias

from planoracle.instances.errors import InputWarning
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import Limit, WorkLimit
from planoracle.instances.model.schedule import Piece
from planoracle.instances.protocol.decision_points import DecisionPoint
from planoracle.instances.protocol.schedule_run import AnyScheduleRun
from planoracle.instances.protocol.simulator import Acceptance
from planoracle.solver.exact.bounds import common_tick, longest_duration
from planoracle.solver.exact.latest_end import latest_end
from planoracle.solver.exact.model_size import has_many_off_times
from planoracle.solver.states.state_solver import StateSolver, Value

# With more steps than this in interruptible actions a model is too large; points are then left open.
_MAX_SEGMENTS = 6_000
_WORK = WorkLimit(10.0)


#: Solvers of states by instance and step. What a solver answers within a limit may depend on what it has been asked
#: before, so that every run has its own.
Solvers: TypeAlias = dict[tuple[int, int], StateSolver]


def state_solver(solvers: Solvers, instance: Instance, step: int, latest: int = 0) -> StateSolver:
    """Return the solver of an instance for times that are multiples of a step."""
    key = id(instance), step  # which the solver keeps alive
    if key not in solvers:
        solvers[key] = StateSolver(instance, step, latest)
    return solvers[key]


def step_of(run: AnyScheduleRun) -> int:
    """Return the ticks per step that a run needs: all its times are multiples of it."""
    return gcd(common_tick(run.problem), run.grid)


def value_of(
    point: DecisionPoint,
    step: int,
    at_least: int = 0,
    at_most: int | None = None,
    *,
    limit: Limit = _WORK,
    solvers: Solvers | None = None,
) -> Value:
    """Return the best makespan that a point leaves, lost time counted; see `StateSolver.value`.

    ``solvers`` are those that know the run already, if any.
    """
    lost, instance = point.lost, point.instance
    if point.dead_end:
        return Value(0, None)
    if point.complete:
        end = max(point.reached, lost + max(piece.end for piece in point.state.pieces))
        return Value(end, end)
    if sum(longest_duration(action) for action in instance.actions if action.interruptible) > _MAX_SEGMENTS * step:
        return Value(at_least, at_most)
    if instance.calendars and has_many_off_times(instance, point.state.clock + latest_end(instance)):
        return Value(at_least, at_most)
    solver = state_solver({} if solvers is None else solvers, instance, step, point.state.clock)
    state_at_most = None if at_most is None else at_most - lost
    value = solver.value(point.state, max(0, at_least - lost), state_at_most, limit=limit)
    if value.is_infeasible:
        return value
    upper = None if value.upper is None else max(value.upper + lost, point.reached)
    return replace(value, lower=max(value.lower + lost, point.reached), upper=upper)


def accepted_value(
    point: DecisionPoint, value: Value, step: int, solvers: Solvers, accepts: Acceptance | None
) -> Value:
    """Return a value, without its upper bound if the rules refuse the completion that proves it.

    Rules that are asked with ``accepts`` only forbid schedules, so that the lower bound holds in any case.
    """
    if accepts is None or value.upper is None:
        return value
    completion: tuple[Piece, ...] = ()
    if not point.complete:
        if value.witness is None:
            return Value(value.lower, None)
        completion = state_solver(solvers, point.instance, step).completion(value.witness, point.state).pieces
    if accepts((*point.state.pieces, *completion)):
        return value
    message = "the rules refuse a completion that the problem allows, so that best makespans are not known"
    warnings.warn(f"{point.instance.name}: {message}", InputWarning, stacklevel=2)
    return Value(value.lower, None)


def values_of(run: AnyScheduleRun, *, limit: Limit = _WORK, solvers: Solvers | None = None) -> list[Value]:
    """Return the value of the point before the first and after every decision of a run.

    Parameters
    ----------
    limit
        Seconds of wall time, or counted work, at most for one point.
    solvers
        Those that know the run already, if any.
    """
    points, solvers = run.points, {} if solvers is None else solvers
    if run.impossible is not None:
        return [Value.infeasible()] * len(points)
    values: list[Value] = []
    known_solvers, step = solvers, step_of(run)
    accepts = run.simulator.acceptance(run.rules)
    first = 0

    def checked(point: DecisionPoint, value: Value) -> Value:
        return accepted_value(point, value, step, known_solvers, accepts)

    for last in range(len(points)):
        ends = last + 1 == len(points)
        if ends or not _only_adds(points[last + 1], points[last]):
            values += _stretch(points[first : last + 1], step, limit, solvers, checked)
            first = last + 1
    return values


def _only_adds(point: DecisionPoint, before: DecisionPoint) -> bool:
    """Return True if a point only adds to the one before; after a call on a guess it may be better."""
    return point.instance is before.instance and point.dead_end == before.dead_end


def _stretch(
    points: Sequence[DecisionPoint],
    step: int,
    limit: Limit,
    solvers: Solvers,
    checked: Callable[[DecisionPoint, Value], Value],
) -> list[Value]:
    """Return the values of points each of which only restricts the one before."""
    if points[0].dead_end:
        return [Value(0, None)] * len(points)
    last = len(points) - 1
    latest = points[-1].state.clock
    state_solver(solvers, points[0].instance, step, latest)
    values: list[Value | None] = [None] * len(points)
    begin = values[0] = checked(points[0], value_of(points[0], step, limit=limit, solvers=solvers))

    def solve(k: int, low: Value, high: Value) -> Value:
        value = value_of(points[k], step, low.lower, high.upper, limit=limit, solvers=solvers)
        is_known = value.upper == high.upper and value.witness is None
        return value if is_known else checked(points[k], value)

    def follow(k: int, value: Value) -> Value | None:
        return follow_witness(points[k], value, points[k + 1], step, solvers)

    if last:
        values[last] = checked(points[last], value_of(points[last], step, begin.lower, limit=limit, solvers=solvers))
        fill(values, 0, last, solve, follow)
    return [value for value in values if value is not None]


def fill(
    values: list[Value | None],
    low: int,
    high: int,
    solve: Callable[[int, Value, Value], Value],
    follow: Callable[[int, Value], Value | None],
) -> None:
    """Fill in the values between two points whose values are known; values never fall.

    Parameters
    ----------
    solve
        Returns the value of a point that lies between those of two others.
    follow
        Returns the value of the point after one whose value is known, if that needs no search.
    """
    while high - low > 1:
        before, after = values[low], values[high]
        assert before is not None
        assert after is not None
        if before.is_infeasible or (before.makespan is not None and before.makespan == after.makespan):
            values[low + 1 : high] = [Value(before.lower, before.upper)] * (high - low - 1)
            return
        following = follow(low, before)
        if following is None:
            middle = (low + high) // 2
            values[middle] = solve(middle, before, after)
            fill(values, middle, high, solve, follow)
            high = middle
        else:
            low += 1
            values[low] = following


def follow_witness(
    before: DecisionPoint, value: Value, after: DecisionPoint, step: int, solvers: Solvers
) -> Value | None:
    """Return the value after a decision that a proved schedule from before it keeps to, else ``None``."""
    if value.witness is None or value.makespan is None:
        return None
    if not state_solver(solvers, after.instance, step).keeps(value.witness, after.state):
        return None
    best = max(value.makespan - before.lost + after.lost, after.reached)
    return Value(best, best, value.witness)
