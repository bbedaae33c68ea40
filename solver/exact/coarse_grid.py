"""First schedule on a coarse time grid, for instances whose interruptible actions make large models.

Times are rounded to whole cells of the grid, in the direction that makes the problem harder: durations and minimum lags
up; maximum lags down, less what rounding added to the action before. So a schedule of the rounded problem is one of the
original, once every action ends when its duration is over. An infeasible rounded problem proves nothing.

"""

from __future__ import annotations

from dataclasses import replace

from planoracle.instances.errors import InputError
from planoracle.instances.model.instance import Action, Instance, Lag
from planoracle.instances.model.limits import Deadline, Status, TimeOverError
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.schedule_rules import find_violations
from planoracle.solver.exact.bounds import common_divisor, horizon, steps
from planoracle.solver.exact.cp_model import run
from planoracle.solver.exact.precedence import ordered_windows
from planoracle.solver.exact.schedule_model import ScheduleModel

# Numbers of cells into which interruptible actions are divided, one after the other.
_CELLS = (8, 16, 32, 64)
# Limits of actions, and of cells without rounding: larger models take too long to build.
_MOST_ACTIONS, _MOST_CELLS = 100, 500
# Effort for one grid, in CP-SAT's deterministic time.
_IN_ORDER, _FREELY = 0.02, 0.05


def coarse_schedule(instance: Instance, step: int, deadline: Deadline) -> Schedule | None:
    """Look for a schedule on ever finer grids, and return the first, accepted by the general rules.

    Parameters
    ----------
    step
        Ticks by which all times can be divided; cells are multiples of it.
    deadline
        For all grids together; the effort is limited besides.
    """
    for cell in _cells(instance, step):
        try:
            coarse = _solve(coarsened(instance, cell), deadline)
        except InputError:  # a maximum lag is shorter than what rounding adds
            continue
        except TimeOverError:
            break
        if coarse is not None:
            schedule = refined(instance, coarse, cell)
            if next(find_violations(instance, schedule), None) is None:  # settings may have shared rounded intervals
                return schedule
    return None


def _cells(instance: Instance, step: int) -> list[int]:
    """Return sizes of cells, the largest first.

    The common divisor, which rounds nothing, comes first if it makes few cells.
    """
    work = steps(instance, 1)
    if not work or len(instance.actions) > _MOST_ACTIONS:
        return []
    exact = common_divisor(instance)
    sizes = {exact, *(-(-work // (count * step)) * step for count in _CELLS)}
    accepted = [size for size in sizes if size > step and steps(instance, size) <= _MOST_CELLS]
    accepted.sort(reverse=True)
    if exact in accepted and steps(instance, exact) <= _CELLS[-1]:
        accepted.remove(exact)
        accepted.insert(0, exact)
    return accepted


def coarsened(instance: Instance, cell: int) -> Instance:
    """Return the problem in units of ``cell`` ticks, made harder by rounding.

    Raises
    ------
    InputError
        If rounding leaves a maximum lag below its minimum.
    """
    actions = tuple(_coarse_action(action, cell) for action in instance.actions)
    lags = []
    for lag in instance.lags:
        added = -instance.by_id[lag.before].duration % cell
        lags.append(_coarse_lag(lag, added, cell))
    limit = None if instance.time_limit is None else instance.time_limit // cell
    return replace(instance, actions=actions, lags=tuple(lags), time_limit=limit, benchmark="generic", origin=None)


def _coarse_action(action: Action, cell: int) -> Action:
    duration, attended = -(-action.duration // cell), -(-action.attended // cell)
    return replace(action, duration=duration, attended=attended, release=-(-action.release // cell))


def _coarse_lag(lag: Lag, added: int, cell: int) -> Lag:
    minimum = None if lag.minimum is None else -(-lag.minimum // cell)
    return replace(lag, minimum=minimum, maximum=None if lag.maximum is None else (lag.maximum - added) // cell)


def refined(instance: Instance, schedule: Schedule, cell: int) -> Schedule:
    """Convert a schedule of the rounded problem to ticks; every action ends when its duration is over."""
    remaining = {action.id: action.duration for action in instance.actions}
    pieces = []
    for piece in sorted(schedule.pieces, key=lambda piece: piece.start):
        ticks = min(piece.duration * cell, remaining[piece.action])
        remaining[piece.action] -= ticks
        pieces.append(Piece(piece.action, piece.start * cell, ticks, piece.agent, piece.mode))
    return Schedule.of(instance, pieces)


def _solve(instance: Instance, deadline: Deadline) -> Schedule | None:
    """Return a good schedule of a small problem, if a short search finds one."""
    deadline.check()
    bounds = ordered_windows(instance, deadline)
    if not bounds.consistent:
        return None
    max_makespan = horizon(instance)
    if instance.time_limit is not None:
        max_makespan = min(max_makespan, instance.time_limit)
    rows = zip(bounds.head, instance.actions, bounds.tail, strict=True)
    min_makespan = max(head + action.duration + tail for head, action, tail in rows)
    if min_makespan > max_makespan:
        return None
    model = ScheduleModel(instance, bounds, 1, min_makespan, max_makespan, deadline=deadline)
    model.model.search_in_order([model.makespan, *model.decisions])
    outcome = run(model.model, deadline=deadline, fixed_search=True, deterministic=_IN_ORDER, light=True)
    if outcome.status == Status.unknown:
        model.model.search_freely()
        outcome = run(model.model, deadline=deadline, deterministic=_FREELY, light=True)
    return model.schedule(outcome.solution) if outcome.solution else None
