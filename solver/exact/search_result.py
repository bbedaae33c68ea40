"""Result of an exact search: left shift, replay, and the grid on which it holds."""

from __future__ import annotations

from time import perf_counter

from planoracle.instances.model.limits import Status, TimeOverError
from planoracle.instances.protocol.schedule_benchmark import certify, language
from planoracle.solver.exact.bounds import grid_matters, steps
from planoracle.solver.exact.cp_model import run
from planoracle.solver.exact.left_shift import settled_early
from planoracle.solver.exact.model_size import model_size
from planoracle.solver.exact.search_state import Answer, SearchState
from planoracle.solver.result import Result, versions


def result_of(search: SearchState, answer: Answer) -> Result:
    """Return the result of a search that ends with an answer.

    Raises
    ------
    InternalError, RefusedPlanError
        If the rules reject the schedule.
    """
    instance, incumbent = search.instance, search.incumbent
    status, proof = answer.status, answer.proof
    schedule = None if status == Status.infeasible else incumbent.schedule
    if schedule is not None and (not answer.is_smallest or language(instance).untimed):
        schedule = settled_early(instance, schedule)
    if status == Status.feasible and schedule is not None and schedule.makespan == incumbent.lower_bound:
        status, proof = Status.optimal, "several bounds"
    makespan = None if schedule is None else schedule.makespan
    grid = answer.grid
    return Result(
        instance=instance.name,
        status=status,
        makespan=makespan,
        lower_bound=_lower_bound(status, makespan, incumbent.lower_bound),
        plan=None if schedule is None else certify(instance, schedule, rules=search.rules),
        proof=proof,
        versions=versions(),
        seed=search.seed,
        unit=instance.unit,
        schedule=schedule,
        grid=_valid_grid(search, status, makespan) if grid is None else grid,
        seconds=perf_counter() - search.began,
    )


def _lower_bound(status: Status, makespan: int | None, proved_bound: int) -> int | None:
    """Return the lower bound of a result; an infeasible problem has none."""
    if status == Status.optimal:
        return makespan
    return None if status == Status.infeasible else proved_bound


def _valid_grid(search: SearchState, status: Status, makespan: int | None) -> int:
    """Return the grid on which a result holds, 1 if no finer one can change it."""
    step = search.step
    if step == 1 or not grid_matters(search.instance):
        return 1
    longest = search.incumbent.latest_makespan if makespan is None else makespan - step
    if not status.settled or search.deadline.remaining() <= 0:
        return step
    # On the grid, the work of several agents may end between.
    shortest = search.incumbent.root_bound // step * step
    if longest < shortest:
        return 1
    if steps(search.instance, step) > search.params.sizes.max_steps:
        return step
    if model_size(search.instance, search.bounds, step) > search.max_model_size:
        return step
    return 1 if _has_no_finer_schedule(search, shortest, longest) else step


def _has_no_finer_schedule(search: SearchState, shortest: int, longest: int) -> bool:
    """Return whether a relaxed model proves that no schedule on a finer grid has such a makespan."""
    try:
        model = search.new_model(shortest, longest, symmetry=True, relaxed=True)
    except TimeOverError:
        return False
    model.model.drop_objective()
    finer = run(model.model, deadline=search.deadline, deterministic=search.params.effort.finer_grid)
    return finer.status == Status.infeasible
