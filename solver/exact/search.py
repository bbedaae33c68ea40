"""Exact search for one instance: bounds, heuristics and CP-SAT stages, from cheap to expensive."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from planoracle.instances.model.features import features_of
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import Limit, Status, TimeOverError
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.schedule_benchmark import check_instance
from planoracle.solver.exact.bounds import lower_bound, steps
from planoracle.solver.exact.cp_model import CpOutcome, run
from planoracle.solver.exact.feature_search import solve_with_features
from planoracle.solver.exact.model_export import interval_model
from planoracle.solver.exact.model_size import model_size
from planoracle.solver.exact.problem_shape import is_flexible
from planoracle.solver.exact.schedule_model import ScheduleModel
from planoracle.solver.exact.search_params import DEFAULT_PARAMS, SearchParams
from planoracle.solver.exact.search_result import result_of
from planoracle.solver.exact.search_state import Answer, SearchState
from planoracle.solver.exact.stages import run_last_stages, run_stages
from planoracle.solver.result import OnProgress, Result


def solve(
    instance: Instance,
    *,
    time_limit: Limit = 60.0,
    seed: int = 0,
    workers: int = 1,
    exact_grid: bool = False,
    engine: str = "auto",
    on_progress: OnProgress | None = None,
    rules: Rules | None = None,
    params: SearchParams = DEFAULT_PARAMS,
) -> Result:
    """Find a schedule of minimum makespan and prove it.

    The schedule is semi-active: no single piece can start earlier while all other pieces stay where they are. With
    one worker and a finished proof, or with counted work, it is the same at every run; otherwise only the status, the
    makespan and the bound are.

    Parameters
    ----------
    time_limit
        Seconds of wall time, or counted work. At its end the incumbent and the lower bound are returned.
    seed, workers
        Random seed and number of workers. Several workers run in the last stages only, and not with counted work; from
        50 actions on, half of them search around the incumbent while the others prove.
    exact_grid
        Allow interruptions at every tick, not only at multiples of the common divisor. Slower.
    engine
        With ``cp-sat`` a single call of CP-SAT proves the optimum, on a model without bounds of our own.
    on_progress
        Callback for each improved incumbent or bound. Does not affect the result.
    rules
        Rules by which the plan is replayed; by default those of the problem.
    params
        Tuned numbers: sizes, work and efforts of the stages.

    Raises
    ------
    InternalError, RefusedPlanError
        If the rules reject the schedule; it is never returned.

    Examples
    --------
    >>> from planoracle.instances.benchmarks.recipe2plan.problems import load
    >>> result = solve(load("recipe2plan/timed/Cobbler_Pancakes"))
    >>> result.status, result.makespan
    ('optimal', 4080)
    """
    check_instance(instance)
    is_for_cp_sat = is_flexible(instance, params.features) and engine != "cp-sat" and not exact_grid
    if is_for_cp_sat or features_of(instance):
        return solve_with_features(
            instance,
            params=params.features,
            time_limit=time_limit,
            seed=seed,
            workers=workers,
            on_progress=on_progress,
            rules=rules,
            engine=engine,
        )
    search = SearchState(instance, params, time_limit, seed=seed, workers=workers, on_progress=on_progress, rules=rules)
    if engine == "cp-sat":
        return solve_by_cp_sat_alone(search, exact_grid=exact_grid)
    result = run_stages(search)
    return solve_on_every_tick(search, result) if exact_grid and result.grid > 1 else result


def solve_by_cp_sat_alone(search: SearchState, *, exact_grid: bool) -> Result:
    """Solve the model that ``--export`` writes by one call of CP-SAT."""
    incumbent = search.incumbent
    if exact_grid:
        incumbent.step = 1
    try:
        model = interval_model(search.instance, incumbent.step, search.deadline)
    except TimeOverError:
        return result_of(search, Answer(Status.unknown, "time limit during the construction of the model"))
    settings: dict[str, Any] = {"presolve": True, "linearization": 1, "workers": search.workers}
    progress = incumbent.report if incumbent.has_listener else None
    outcome = run(model.model, deadline=search.deadline, seed=search.seed, on_progress=progress, **settings)
    if outcome.status == Status.infeasible:
        answer = search.confirm(model, presolved=True)
    else:
        search.take(model, outcome)
        if search.bounds.consistent:  # whether a finer grid helps is settled with the usual bound
            incumbent.root_bound = lower_bound(search.instance, search.bounds)
        answer = Answer(outcome.status, "CP-SAT alone")
    return replace(result_of(search, answer), effort=_effort_of(outcome))


def _effort_of(outcome: CpOutcome) -> dict[str, int | float]:
    return {
        "branches": outcome.branches,
        "conflicts": outcome.conflicts,
        "cp_sat_seconds": round(outcome.seconds, 6),
    }


def solve_on_every_tick(search: SearchState, coarse: Result) -> Result:
    """Settle whether interruptions off the grid help, for a result on the coarse grid."""
    if steps(search.instance, 1) > search.params.sizes.max_steps:
        return coarse
    if model_size(search.instance, search.bounds, 1) > search.max_model_size:
        return coarse
    search.incumbent.restart(coarse.schedule)
    try:
        return _search_on_every_tick(search, coarse)
    except TimeOverError:
        if search.incumbent.schedule is coarse.schedule:
            return coarse
        return result_of(search, search.without_search("time limit"))


def _search_on_every_tick(search: SearchState, coarse: Result) -> Result:
    """Prove that no shorter schedule exists, or find the optimum on every tick."""
    incumbent = search.incumbent
    longest = incumbent.latest_makespan if coarse.makespan is None else coarse.makespan - 1
    shorter = search.new_model(incumbent.root_bound, longest, symmetry=True)
    outcome = run(shorter.model, deadline=search.deadline, seed=search.seed)
    if outcome.status == Status.unknown:
        return coarse
    if outcome.status == Status.infeasible and _is_confirmed(search, shorter):
        answer = Answer(coarse.status, f"{coarse.proof}, no shorter one on any grid")
        return result_of(search, answer)
    search.take(shorter, outcome)
    search.model = search.new_model(incumbent.root_bound, incumbent.latest_makespan, symmetry=True, ordering=True)
    return run_last_stages(search)


def _is_confirmed(search: SearchState, model: ScheduleModel) -> bool:
    """Return whether CP-SAT proves with and without presolve that a model has no solution."""
    return search.confirm(model, presolved=False).status == Status.infeasible
