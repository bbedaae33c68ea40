"""Planner of grid kitchens: list scheduling, annealing and beam search, with a lower bound."""

from __future__ import annotations

from dataclasses import replace

from planoracle.heuristics.grid_kitchens import anneal
from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import GridKitchen, GridKitchenRules
from planoracle.instances.benchmarks.grid_kitchens.language import whole
from planoracle.instances.benchmarks.grid_kitchens.simulation import Simulation, carry_out
from planoracle.instances.errors import InputError
from planoracle.instances.model.limits import Limit, Status, deadline_of
from planoracle.instances.protocol import registry
from planoracle.solver.grid_kitchens.completion import GridKitchenPlan, PlanAndBound, Prefix, complete
from planoracle.solver.grid_kitchens.lower_bound import lower_bound
from planoracle.solver.result import OnProgress
from planoracle.solver.states.state_solver import NEVER

# Maximum number of moves of annealing, and its share of the time limit.
_TRIES, _SHARE = 60_000, 0.5
# Maximum number of seconds of the beam search.
_LONGEST = 3.0


def plan(
    grid_kitchen: GridKitchen,
    rules: GridKitchenRules,
    limit: Limit,
    after: GridKitchenPlan | None = None,
    on_progress: OnProgress | None = None,
) -> PlanAndBound:
    """Compute a plan that serves all orders early, and a lower bound.

    The plan is optimal only if it reaches the bound: no search is exhaustive.

    Parameters
    ----------
    limit
        Seconds of wall time, or counted work.
    after
        Actions that cooks do first, waits included; all plans begin with them. Times count from the beginning.
    on_progress
        Callback for each improved incumbent or bound.
    """
    prefix = {name: [dict(action) for action in (after or {}).get(name, ())] for name in grid_kitchen.agents}
    has_prefix = any(prefix.values())
    if not grid_kitchen.orders and not has_prefix:
        return PlanAndBound(Status.optimal, 0, 0, {name: [] for name in grid_kitchen.agents}, "there is nothing to do")
    bound = bound_of(grid_kitchen, rules, prefix)
    if bound >= NEVER:
        return PlanAndBound(Status.infeasible, None, 0, proof="an order needs something that no cook can bring")
    best: GridKitchenPlan | None = None
    deadline, makespan, proof = deadline_of(limit), None, "no plan was found"
    if not has_prefix:
        try:
            part = deadline.within(_SHARE * deadline.remaining())
            best = anneal(grid_kitchen, rules, tries=_TRIES, bound=bound, deadline=part)
            makespan, proof = _makespan(grid_kitchen, rules, best), "annealing"
        except InputError as error:
            proof = error.message
        if on_progress is not None:
            on_progress(makespan, bound)
    if makespan is None or makespan > bound:
        better = complete(grid_kitchen, rules, prefix, deadline.sooner(_LONGEST), makespan)
        if better is not None:
            best, makespan, proof = better, _makespan(grid_kitchen, rules, better), "beam search"
    if best is None or makespan is None:
        return PlanAndBound(Status.unknown, None, bound, None, proof)
    if makespan > bound:
        return PlanAndBound(Status.feasible, makespan, bound, best, f"{proof}, not proved")
    return PlanAndBound(Status.optimal, makespan, makespan, best, "lower bound reached")


def _makespan(grid_kitchen: GridKitchen, rules: GridKitchenRules, plan_by_agent: GridKitchenPlan) -> int | None:
    """Return the makespan of a plan by the rules, ``None`` if they reject it."""
    run = registry.of(grid_kitchen).run(grid_kitchen, {"plan": plan_by_agent}, rules)
    return run.makespan if run.success else None


def bound_of(grid_kitchen: GridKitchen, rules: GridKitchenRules, prefix: Prefix) -> int:
    """Return a lower bound on the makespan of plans with a prefix, `NEVER` if none serves all orders.

    The bound is the elapsed time plus the lower bound of the remaining work.
    """
    clock = Simulation.of(grid_kitchen, replace(rules, end="served"), keep=False)
    if any(prefix.values()) and clock.load(prefix):
        clock.until_decision()
    if clock.error is not None:
        return whole(clock.time)
    bound = lower_bound(clock)
    # Where a run ends with its plans, actions under way go on after the last serving.
    return bound if rules.end == "served" else max(bound, whole(carry_out(grid_kitchen, prefix, rules).time))
