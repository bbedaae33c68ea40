"""Problem kind ``floor`` (grid kitchens): list scheduling, annealing, beam search, and a bound."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from time import perf_counter
from typing import Any

from planoracle.heuristics.grid_kitchens import anneal
from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import GridKitchen, GridKitchenRules
from planoracle.instances.benchmarks.grid_kitchens.language import whole
from planoracle.instances.benchmarks.grid_kitchens.simulation import Simulation, carry_out
from planoracle.instances.errors import InputError, InternalError
from planoracle.instances.model.limits import Limit, Status, deadline_of
from planoracle.instances.model.problem import Problem, of_kind
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.profiles import Rules
from planoracle.solver.grid_kitchens.completion import GridKitchenPlan, Prefix, complete
from planoracle.solver.grid_kitchens.lower_bound import lower_bound
from planoracle.solver.result import OnProgress, Result, SolveOptions, check_bound, versions
from planoracle.solver.states.state_solver import NEVER


def solve(problem: Problem, options: SolveOptions) -> Result:
    """Plan a grid kitchen."""
    if options.after:
        raise InputError("must be empty for grid kitchens", field="after")
    grid_kitchen, began = of_kind(problem, GridKitchen), perf_counter()
    rules = _rules(grid_kitchen, options.rules)
    result = plan(grid_kitchen, rules, options.time_limit, on_progress=options.on_progress)
    if result.plan is not None and _makespan(grid_kitchen, rules, json.loads(result.plan)) != result.makespan:
        raise InternalError(f"{grid_kitchen.name}: the rules reject a plan of the planner")
    return replace(result, seconds=perf_counter() - began)


def rules_for_optimum(rules: Rules | None) -> Rules | None:
    """Return the options of the profile that determine the optimum."""
    return None if rules is None else rules.deciding()


def pack(problem: Problem, rules: Rules | None, result: Result) -> dict[str, Any]:
    """Return the stored form of a result."""
    return {
        "status": result.status,
        "makespan": result.makespan,
        "bound": result.lower_bound,
        "plan": None if result.plan is None else json.loads(result.plan),
        "proof": result.proof,
    }


def unpack(problem: Problem, rules: Rules | None, entry: dict[str, Any]) -> Result:
    """Restore a stored result and replay its plan."""
    grid_kitchen = of_kind(problem, GridKitchen)
    status, makespan, plan_by_agent = Status(entry["status"]), entry["makespan"], entry["plan"]
    check_bound(status, makespan, entry["bound"])
    if status in (Status.optimal, Status.feasible):
        chosen = _rules(grid_kitchen, rules)
        if not isinstance(plan_by_agent, Mapping) or _makespan(grid_kitchen, chosen, plan_by_agent) != makespan:
            raise ValueError("the plan must pass the rules and have the stored makespan")
    elif makespan is not None or plan_by_agent:
        raise ValueError("a result without a makespan must have no plan")
    return planned(grid_kitchen, status, entry["bound"], plan_by_agent, makespan, str(entry["proof"]))


def _rules(grid_kitchen: GridKitchen, rules: Rules | None) -> GridKitchenRules:
    chosen = registry.of(grid_kitchen).rules.profiles["released"] if rules is None else rules
    if not isinstance(chosen, GridKitchenRules):
        raise InputError("must be a rule profile of grid kitchens", field="rules", value=rules)
    return chosen


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
) -> Result:
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
        empty: GridKitchenPlan = {name: [] for name in grid_kitchen.agents}
        return planned(grid_kitchen, Status.optimal, 0, empty, 0, "no orders")
    bound = bound_of(grid_kitchen, rules, prefix)
    if bound >= NEVER:
        return planned(grid_kitchen, Status.infeasible, proof="an order needs an item that no cook can deliver")
    best: GridKitchenPlan | None = None
    deadline, makespan, proof = deadline_of(limit), None, "no plan found"
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
    status = Status.unknown if makespan is None else Status.feasible
    if makespan is not None:
        proof = f"{proof}, not proved"
        if makespan <= bound:
            status, bound, proof = Status.optimal, makespan, "lower bound reached"
    return planned(grid_kitchen, status, bound, best, makespan, proof)


def planned(
    grid_kitchen: GridKitchen,
    status: Status,
    bound: int | None = None,
    best: GridKitchenPlan | None = None,
    makespan: int | None = None,
    proof: str = "",
) -> Result:
    """Return the result of planning; times in ticks from the beginning of the whole run."""
    return Result(
        instance=grid_kitchen.name,
        status=status,
        makespan=makespan,
        lower_bound=bound,
        plan=None if best is None else json.dumps(best),
        proof=proof,
        versions=versions(),
        kind=grid_kitchen.kind,
        unit=grid_kitchen.unit,
    )


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
