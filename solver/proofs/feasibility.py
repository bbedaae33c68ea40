"""Decision whether an instance has a schedule, without its optimum."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, NamedTuple

from planoracle.instances.errors import RefusedPlanError
from planoracle.instances.model.features import features_of
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import Deadline, Status
from planoracle.instances.protocol.schedule_benchmark import certify
from planoracle.solver.exact.bounds import common_divisor, common_tick, grid_matters, horizon, lower_bound, windows
from planoracle.solver.exact.cp_model import run
from planoracle.solver.exact.feature_search import PRESOLVED, FeatureSearch
from planoracle.solver.exact.schedule_model import ScheduleModel
from planoracle.solver.exact.search import solve
from planoracle.solver.exact.search_params import FeatureParams
from planoracle.solver.result import TWO_RUNS

# Settings of CP-SAT and their efforts for the decision whether a schedule exists. Infeasibility must be proved by both.
_ATTEMPTS: tuple[tuple[dict[str, Any], float], ...] = (({}, 0.02), (PRESOLVED, 0.3))


class Verdict(NamedTuple):
    """Status, proof, and the grid of interruptions in ticks for which it holds."""

    status: Status
    proof: str = ""
    grid: int = 1


def decide(instance: Instance, deadline: Deadline, *, exact_grid: bool) -> Verdict:
    """Decide whether there is a schedule; a schedule is checked by the rules."""
    if features_of(instance):
        return _decide_by_cp_sat_alone(instance, deadline)
    bounds = windows(instance)
    min_makespan, max_makespan = lower_bound(instance, bounds), horizon(instance)
    if instance.time_limit is not None:
        max_makespan = min(max_makespan, instance.time_limit)
    # A schedule on this grid is found sooner than on `common_tick`; there may be none on it and one on the other.
    step = common_divisor(instance) or 1
    if bounds.consistent and -(-min_makespan // step) <= max_makespan // step:
        model = ScheduleModel(instance, bounds, step, min_makespan, max_makespan)
        model.model.drop_objective()
        refuted = True
        for options, effort in _ATTEMPTS:
            outcome = run(model.model, deadline=deadline, deterministic=effort, **options)
            if outcome.solution:
                with suppress(RefusedPlanError):  # a conflict is one of the problem
                    certify(instance, model.schedule(outcome.solution))
                return Verdict(Status.feasible)
            refuted &= outcome.status == Status.infeasible
        if refuted and step == common_tick(instance) and (step == 1 or not grid_matters(instance)):
            return Verdict(Status.infeasible, TWO_RUNS)
    try:
        result = solve(instance, time_limit=deadline, exact_grid=exact_grid)
    except RefusedPlanError:
        return Verdict(Status.feasible)
    return Verdict(Status.feasible if result.schedule is not None else result.status, result.proof, result.grid)


class _FirstSchedule(FeatureSearch):
    """Search that ends at the first schedule, or when it is proved that there is none."""

    def _solve_until(self, horizon: int, *, is_last: bool) -> bool:
        model = ScheduleModel(self.instance, self.bounds, self.step, 0, horizon, deadline=self.deadline)
        model.model.drop_objective()
        must_decide = is_last and not self.is_attempt
        outcome = self._run(model, PRESOLVED, None if must_decide else self.params.attempt)
        if outcome.status == Status.infeasible:
            self._refute(model, presolved=True, is_last=is_last)
        elif outcome.solution:
            self._take(model, outcome.solution)
        else:
            self.proof = "time limit"
        is_over = self.schedule is not None or self.status == Status.infeasible
        return is_over or not self._has_time()


def _decide_by_cp_sat_alone(instance: Instance, deadline: Deadline) -> Verdict:
    """Decide whether there is a schedule of an instance with further features."""
    search = _FirstSchedule(instance, FeatureParams(), deadline, seed=0, workers=1)
    search.run()
    if search.schedule is None:
        return Verdict(search.status, search.proof)
    with suppress(RefusedPlanError):  # a conflict is one of the problem
        certify(instance, search.schedule)
    return Verdict(Status.feasible)


def is_refuted_without_presolve(instance: Instance, makespan: int, deadline: Deadline) -> bool:
    """Return whether CP-SAT without presolve proves that no schedule is shorter than a makespan.

    False is no answer: optional tasks, whose weight comes first, and interruptions off the grid are not decided.
    """
    step = common_tick(instance)
    if instance.optional or (step > 1 and grid_matters(instance)):
        return False
    model = ScheduleModel(instance, windows(instance), step, 0, makespan - 1, deadline=deadline)
    model.model.drop_objective()
    outcome = run(model.model, deadline=deadline, presolve=False)
    return outcome.status == Status.infeasible
