"""Stages of the exact search, and their order for small, large and crowded problems.

A stage improves the incumbent or the bounds of a search, or ends it with an answer. A stage that does not apply to the
problem returns at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from planoracle.instances.errors import RefusedPlanError
from planoracle.instances.model.limits import Status, TimeOverError
from planoracle.instances.model.schedule import Schedule
from planoracle.solver.exact.bounds import lower_bound, steps
from planoracle.solver.exact.cp_model import CpOutcome, run
from planoracle.solver.exact.lag_components import hold_together, lag_components, part_of
from planoracle.solver.exact.model_size import model_size
from planoracle.solver.exact.ordered_search import schedule_in_order
from planoracle.solver.exact.precedence import ordered_windows
from planoracle.solver.exact.problem_shape import ProblemShape
from planoracle.solver.exact.schedule_model import ScheduleModel
from planoracle.solver.exact.search_params import SearchParams
from planoracle.solver.exact.search_result import result_of
from planoracle.solver.exact.search_state import Answer, SearchState
from planoracle.solver.exact.single_pieces import without_interruptions
from planoracle.solver.exact.strategies import (
    CpRun,
    any_schedule,
    core_search,
    in_turns,
    last_proof,
    proofs,
    rounds,
    with_presolve,
    without_presolve,
)
from planoracle.solver.result import Result

#: Stage of a search: it returns the answer if the search ends with it.
Stage: TypeAlias = Callable[[SearchState], Answer | None]


def settle_by_bounds(search: SearchState) -> Answer | None:
    """Compute the bounds; they, or a schedule that reaches them at once, may settle the problem."""
    incumbent = search.incumbent
    if not search.bounds.consistent:
        return Answer(Status.infeasible, search.bounds.fault, grid=1)
    incumbent.root_bound = max(incumbent.root_bound, lower_bound(search.instance, search.bounds))
    previous_bound = incumbent.lower_bound
    incumbent.lower_bound = max(previous_bound, incumbent.round_up(incumbent.root_bound))
    incumbent.report()
    if incumbent.lower_bound > incumbent.latest_makespan:
        # On the grid; finer pauses might end between.
        grid = 1 if incumbent.root_bound > incumbent.latest_makespan else None
        return Answer(Status.infeasible, "the lower bound exceeds the time limit", grid=grid)
    is_vast = search.shape.is_crowded and search.shape.actions >= search.params.sizes.vast
    if incumbent.lower_bound > previous_bound and not is_vast:
        answer = _search_in_order_without_model(search)
        if answer is not None:
            return answer
    if has_many_steps(search) and incumbent.schedule is None:
        search.schedule_by_list()
    return search.optimal("several bounds") if incumbent.is_optimal else None


def _search_in_order_without_model(search: SearchState) -> Answer | None:
    """Try makespans in order, each by a short search for starts in a fixed order."""
    incumbent = search.incumbent
    schedule, incumbent.lower_bound = schedule_in_order(
        search.instance,
        search.bounds,
        search.step,
        incumbent.lower_bound,
        incumbent.latest_makespan,
        search.deadline,
    )
    if schedule is None:
        return None
    incumbent.schedule = schedule
    return search.optimal("search in order", is_smallest=True)


def has_many_steps(search: SearchState) -> bool:
    """Return whether interruptible actions have so many steps that a coarser grid comes first."""
    return steps(search.instance, search.step) > search.params.sizes.many_steps


def begin_with_core_search(search: SearchState) -> Answer | None:
    """Run a short core search, which proves most optima of 50 to 99 actions."""
    if not search.shape.begins_with_core_search:
        return None
    if model_size(search.instance, search.bounds, search.step) > search.params.sizes.slow_model:
        return None
    model = search.build_model()
    effort = search.params.effort.core_per_decision * len(model.decisions)
    return search.prove(model, core_search(effort))


def tighten_orders(search: SearchState) -> Answer | None:
    """Compute the bounds of forced orders, where they were left out at first."""
    if not search.shape.delays_orders:
        return None
    if search.incumbent.schedule is None:
        search.schedule_by_list()
    search.bounds = ordered_windows(search.instance, search.deadline)
    return settle_by_bounds(search)


def tighten_orders_of_few(search: SearchState) -> Answer | None:
    """Compute the bounds of forced orders of a crowded problem of up to a hundred actions."""
    return None if _has_larger_models(search) else tighten_orders(search)


def _has_larger_models(search: SearchState) -> bool:
    """Return whether models with orders take longer than they save."""
    return search.shape.actions >= search.params.sizes.larger


def schedule_many_steps(search: SearchState) -> Answer | None:
    """Schedule without interruptions and on a coarse grid where interruptible actions have many steps."""
    if not has_many_steps(search):
        return None
    solve_restriction(search)
    if search.incumbent.is_optimal:
        return search.optimal("several bounds")
    search.schedule_coarsely()
    return None


def solve_restriction(search: SearchState) -> None:
    """Solve the problem without interruptions once; its best schedule limits the makespan.

    With one worker the work is counted, so that the schedule does not depend on the machine.
    """
    if search.has_restriction:
        return
    search.has_restriction = True
    restriction = without_interruptions(search.instance)
    if restriction is None:
        return
    deadline = search.deadline.sooner(search.restriction_work)
    if search.workers == 1:
        deadline = search.deadline.counting(search.restriction_work)

    def report(makespan: int | None, lower_bound: int) -> None:
        """Report an incumbent without interruptions; the lower bound does not hold for the problem."""
        if makespan is not None:
            search.incumbent.report(makespan / search.step)

    on_progress = report if search.incumbent.has_listener else None
    restricted = SearchState(
        restriction,
        search.params,
        deadline,
        seed=search.seed,
        workers=search.workers,
        on_progress=on_progress,
        rules=search.rules,
    )
    try:
        schedule = run_stages(restricted).schedule
    except RefusedPlanError:  # the schedule is only an incumbent of this search
        return
    if schedule is not None:
        search.incumbent.accept(schedule)


def limit_size(search: SearchState) -> Answer | None:
    """End the search if its models would be too large."""
    if steps(search.instance, search.step) > search.params.sizes.max_steps:
        return search.without_search("too many instants at which actions can be interrupted")
    if model_size(search.instance, search.bounds, search.step) > search.max_model_size:
        return search.without_search("model too large for the time limit")
    return None


def schedule_before_slow_models(search: SearchState) -> Answer | None:
    """Run the heuristics first where building a model takes long."""
    sizes = search.params.sizes
    if search.shape.is_windowed and search.shape.actions < sizes.many_windowed:
        return None
    has_many_actions = search.shape.actions > sizes.many
    if not has_many_actions and model_size(search.instance, search.bounds, search.step) <= sizes.slow_model:
        return None
    if has_many_actions:
        search.schedule_by_heuristics(search.deadline.sooner(search.deadline.remaining() / 2))
    else:
        search.schedule_by_heuristics(search.deadline.counting(search.heuristics_work))
    return search.optimal("several bounds") if search.incumbent.is_optimal else None


def check_time(search: SearchState) -> Answer | None:
    """End the search at its limit."""
    return search.without_search("time limit") if search.deadline.remaining() <= 0 else None


def search_in_order(search: SearchState) -> Answer | None:
    """Build the model without orders, and search in order for a short time."""
    model = search.build_model()
    effort = _effort_in_order(search, model)
    if effort is None:
        return None
    outcome = search.search_in_order(model, effort)
    incumbent = search.incumbent
    previous = incumbent.schedule
    if outcome.status == Status.infeasible and previous is None:
        return search.confirm(model, presolved=False)
    search.take(model, outcome)
    if outcome.status != Status.optimal or incumbent.schedule is None:
        return None
    # An incumbent of another search that is as short need not have the smallest starts.
    return search.optimal("search in order", is_smallest=incumbent.schedule is not previous)


def _effort_in_order(search: SearchState, model: ScheduleModel) -> float | None:
    """Return the effort of a first search in order; ``None`` if it is left out."""
    decisions = len(model.decisions)
    if search.shape.has_pauses:
        return search.params.effort.look_with_pauses
    if decisions >= search.params.sizes.larger:
        return None
    if not search.shape.is_crowded:
        return search.params.effort.look
    crowded = search.params.crowded
    return crowded.look_loaded if search.is_loaded() else crowded.look_per_decision * decisions


def search_cores(search: SearchState) -> Answer | None:
    """Run a short core search where it pays before orders are stated: with pauses or many decisions."""
    model = search.current_model()
    effort = search.params.effort
    decisions = len(model.decisions)
    if search.shape.has_pauses:
        return search.prove(model, core_search(effort.core_with_pauses))
    if decisions < search.params.sizes.large or search.shape.begins_with_core_search:
        return None
    return search.prove(model, core_search(effort.core_per_decision * decisions))


def schedule_shop(search: SearchState) -> Answer | None:
    """Search for a good schedule of a large crowded problem, of which few are proved soon."""
    if search.shape.actions < search.params.sizes.very_crowded:
        return None
    if search.incumbent.schedule is None:
        search.schedule_by_list()
    search.search_around(search.params.crowded.first_search, search.deadline)
    return search.optimal("several bounds") if search.incumbent.is_optimal else None


def prove_in_turns(search: SearchState) -> Answer | None:
    """Alternate core search and branch and bound with binary search on a crowded problem.

    Neither receives the other's incumbent: core search takes several times as long below a known makespan.
    """
    model = search.current_model()
    crowded = search.params.crowded
    is_large = search.shape.actions >= search.params.sizes.very_crowded
    local_share = crowded.local_of_many if is_large else crowded.local
    runs = in_turns(crowded, len(model.decisions), loaded=search.is_loaded(), local_share=local_share)
    return search.prove(model, runs, afresh=True)


def prove_in_rounds(search: SearchState) -> Answer | None:
    """Run the heuristics, then CP-SAT with several settings in rounds."""
    if _has_larger_models(search) or not search.shape.has_restarts:
        return None
    solve_restriction(search)
    search.schedule_by_heuristics(search.deadline.counting(search.heuristics_work))
    model = search.current_model()
    model.model.search_by_time(model.decisions)
    answer = search.prove(model, rounds(search.params.effort.rounds))
    model.model.search_freely()
    return answer


def state_orders(search: SearchState) -> None:
    """Build the model again with the order of every exclusive pair."""
    has_orders = bool(search.bounds.open or search.bounds.ordered)
    if has_orders and not _has_larger_models(search) and search.deadline.remaining() > 0:
        search.build_model(ordering=True)


def prove_without_presolve(search: SearchState) -> Answer | None:
    """Run CP-SAT without presolve, which proves most optima of small problems."""
    if search.shape.is_crowded or _has_larger_models(search):
        return None
    return search.prove(search.current_model(), without_presolve(search.params.effort))


def schedule_by_components(search: SearchState) -> Answer | None:
    """Schedule each component of the lags alone, and then place them as they are."""
    if search.incumbent.schedule is not None or search.shape.has_pauses:
        return None
    schedules = []
    for component in lag_components(search.instance):
        part = search.of_part(part_of(search.instance, component))
        answer = _schedule_component(part)
        if answer is not None and answer.status == Status.infeasible:
            return answer
        if part.incumbent.schedule is None:
            return None
        schedules.append(part.incumbent.schedule)
    if schedules:
        _place_components(search, schedules)
    return search.optimal("several bounds") if search.incumbent.is_optimal else None


def _schedule_component(part: SearchState) -> Answer | None:
    """Find a schedule of a component, and make it short; return the answer if it is proved."""
    answer = settle_by_bounds(part)
    if answer is not None or part.incumbent.schedule is not None:
        return answer
    model = part.build_model()
    answer = find_any_schedule(part)
    return answer or part.prove(model, core_search(part.params.effort.core))


def _place_components(search: SearchState, schedules: list[Schedule]) -> None:
    """Schedule the problem in the order of time, while the actions of each component keep their distances."""
    incumbent = search.incumbent
    model = search.new_model(incumbent.lower_bound, incumbent.latest_makespan, symmetry=False)
    hold_together(model, schedules)
    model.model.drop_objective()
    incumbent.schedule = _any_schedule(search, model, next(any_schedule(search.params.effort.components)))
    incumbent.report()


def find_any_schedule(search: SearchState) -> Answer | None:
    """Search for any schedule with growing effort, first in the order of time."""
    incumbent = search.incumbent
    if not search.shape.is_windowed or incumbent.schedule is not None:
        return None
    model = search.current_model()
    model.model.drop_objective()
    model.narrow(incumbent.lower_bound, incumbent.latest_makespan)
    first_effort = search.params.effort.any_schedule_per_decision * len(model.decisions)
    try:
        return _search_for_any(search, model, first_effort)
    finally:
        model.model.minimize(model.makespan)


def _search_for_any(search: SearchState, model: ScheduleModel, first_effort: float) -> Answer | None:
    """Search until there is a schedule, there is none, or time is over."""
    for cp_run in any_schedule(first_effort):
        if search.deadline.remaining() <= 0:
            return None
        outcome = _run_without_objective(search, model, cp_run)
        if outcome.status == Status.infeasible:
            return search.confirm(model, presolved="presolve" in cp_run.settings)
        if outcome.solution:
            search.incumbent.schedule = model.schedule(outcome.solution)
            search.incumbent.report()
            return None
    raise AssertionError("the search for any schedule has no end")


def _any_schedule(search: SearchState, model: ScheduleModel, cp_run: CpRun) -> Schedule | None:
    outcome = _run_without_objective(search, model, cp_run)
    return model.schedule(outcome.solution) if outcome.solution else None


def _run_without_objective(search: SearchState, model: ScheduleModel, cp_run: CpRun) -> CpOutcome:
    """Run CP-SAT on a model without objective, in the order of time if the search is fixed."""
    if "fixed_search" in cp_run.settings:
        model.model.search_by_time(model.decisions)
    outcome = run(
        model.model, deadline=search.deadline, seed=search.seed, deterministic=cp_run.effort, **cp_run.settings
    )
    model.model.search_freely()
    return outcome


def schedule_before_long_proofs(search: SearchState) -> None:
    """Run the heuristics once where CP-SAT alone finds worse schedules or none."""
    is_listed = search.shape.actions > search.params.sizes.few and not search.shape.is_windowed
    if not search.has_heuristics and (search.incumbent.schedule is None or is_listed):
        search.schedule_by_heuristics(search.deadline.counting(search.heuristics_work))


def prove_at_length(search: SearchState) -> Answer:
    """Run CP-SAT with presolve, on large problems in turn with neighbourhood search."""
    model = search.current_model()
    effort = search.params.effort
    if search.shape.actions < search.params.sizes.large:
        answer = search.prove(model, with_presolve(effort, search.workers))
    else:
        answer = search.prove(model, _growing_proofs(search))
    return answer or search.without_search("time limit")


def _growing_proofs(search: SearchState) -> Iterator[CpRun]:
    """Yield proofs with growing effort, without an end, between local searches.

    A proof takes more of the time if the bound is near, and the first ones under maximum lags come before local search:
    they often find an optimum at once. There, once the bound is near, a core search gets all of the remaining time.
    """
    effort = search.params.effort.first_proof
    spent = 0.0
    while True:
        local_effort = _local_share(search, effort) * effort
        yield from proofs(effort, local_effort, search.workers)
        spent += 2 * (effort + local_effort)
        if search.shape.is_windowed and spent >= search.effort_before_last_proof and _is_near(search):
            yield last_proof()
        effort *= 2


def _is_near(search: SearchState) -> bool:
    return search.incumbent.is_near(search.params.effort.near)


def _local_share(search: SearchState, effort: float) -> float:
    """Return the effort of local search per effort of a proof of this effort."""
    params = search.params.effort
    if not search.shape.is_windowed:
        return params.local_near_bound if _is_near(search) else params.local
    if effort < params.first_proof_after_local:
        return 0.0
    is_settling = search.is_stuck or _is_near(search)
    return params.local_windowed_late if is_settling else params.local_windowed


_FIRST: tuple[Stage, ...] = (
    schedule_many_steps,
    limit_size,
    schedule_before_slow_models,
    check_time,
    search_in_order,
)
_LAST: tuple[Stage, ...] = (schedule_before_long_proofs, prove_at_length)

#: Stages of problems of up to 49 actions.
SMALL: tuple[Stage, ...] = (
    settle_by_bounds,
    *_FIRST,
    search_cores,
    state_orders,
    prove_without_presolve,
    solve_restriction,
    *_LAST,
)
#: Stages of larger problems: core search and list schedules come before forced orders.
LARGE: tuple[Stage, ...] = (
    settle_by_bounds,
    begin_with_core_search,
    tighten_orders,
    *_FIRST,
    search_cores,
    prove_in_rounds,
    state_orders,
    prove_without_presolve,
    solve_restriction,
    *_LAST,
)
#: Stages of as large problems with maximum lags: any schedule comes before proofs.
WINDOWED: tuple[Stage, ...] = (
    settle_by_bounds,
    *_FIRST,
    search_cores,
    schedule_by_components,
    find_any_schedule,
    prove_in_rounds,
    state_orders,
    prove_without_presolve,
    solve_restriction,
    *_LAST,
)
#: Stages of crowded problems such as job shops: core search in turn with binary search on the makespan.
SHOP: tuple[Stage, ...] = (
    settle_by_bounds,
    *_FIRST,
    schedule_shop,
    solve_restriction,
    prove_in_turns,
    tighten_orders_of_few,
    state_orders,
    *_LAST,
)


def stages_of(shape: ProblemShape, params: SearchParams) -> tuple[Stage, ...]:
    """Return the stages of a problem in their order."""
    if shape.is_crowded:
        return SHOP
    if shape.actions < params.sizes.large:
        return SMALL
    return WINDOWED if shape.is_windowed else LARGE


def run_stages(search: SearchState) -> Result:
    """Run the stages of a problem, and return its result."""
    try:
        return _run_in_turn(search, stages_of(search.shape, search.params))
    except TimeOverError:  # while a model was built
        return result_of(search, search.without_search("time limit"))


def run_last_stages(search: SearchState) -> Result:
    """Run the stages on a model with orders, and return the result.

    Raises
    ------
    TimeOverError
        If the limit is reached while a model is built.
    """
    return _run_in_turn(search, (prove_without_presolve, *_LAST))


def _run_in_turn(search: SearchState, stages: tuple[Stage, ...]) -> Result:
    """Run stages until one ends the search; the last one always does."""
    for stage in stages:
        answer = stage(search)
        if answer is not None:
            return result_of(search, answer)
    raise AssertionError("the last stage ends every search")
