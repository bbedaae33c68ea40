"""Problem kind ``floor`` (grid kitchens): engine that calls the planner and validates its plans."""

from __future__ import annotations

import json
from collections.abc import Mapping
from time import perf_counter
from typing import Any, cast

from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import GridKitchen, GridKitchenRules
from planoracle.instances.errors import InputError, InternalError
from planoracle.instances.model.limits import Status
from planoracle.instances.model.problem import Problem, of_kind
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.profiles import Rules
from planoracle.solver.grid_kitchens.completion import GridKitchenPlan, PlanAndBound
from planoracle.solver.grid_kitchens.planner import plan
from planoracle.solver.result import Result, SolveOptions, check_bound, versions


def solve(problem: Problem, options: SolveOptions) -> Result:
    """Plan a grid kitchen."""
    if options.after:
        raise InputError("must be empty for grid kitchens", field="after")
    grid_kitchen, began = of_kind(problem, GridKitchen), perf_counter()
    rules = _rules(grid_kitchen, options.rules)
    outcome = plan(grid_kitchen, rules, options.time_limit, on_progress=options.on_progress)
    if outcome.plan is not None and not _passes(grid_kitchen, rules, outcome.plan, outcome.makespan):
        raise InternalError(f"{grid_kitchen.name}: the rules reject a plan of the planner")
    return _result(grid_kitchen, outcome, perf_counter() - began)


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
        if not isinstance(plan_by_agent, Mapping) or not _passes(
            grid_kitchen, _rules(grid_kitchen, rules), cast(GridKitchenPlan, plan_by_agent), makespan
        ):
            raise ValueError("the plan does not pass the rules")
    elif makespan is not None or plan_by_agent:
        raise ValueError("a result without a makespan must have no plan")
    outcome = PlanAndBound(status, makespan, entry["bound"] or 0, plan_by_agent, str(entry["proof"]))
    return _result(grid_kitchen, outcome, 0.0)


def _passes(
    grid_kitchen: GridKitchen, rules: GridKitchenRules, plan_by_agent: GridKitchenPlan, makespan: int | None
) -> bool:
    run = registry.of(grid_kitchen).run(grid_kitchen, {"instance": grid_kitchen.name, "plan": plan_by_agent}, rules)
    return run.success and run.makespan == makespan


def _result(grid_kitchen: GridKitchen, outcome: PlanAndBound, seconds: float) -> Result:
    is_optimal, is_infeasible = outcome.status == Status.optimal, outcome.status == Status.infeasible
    return Result(
        instance=grid_kitchen.name,
        status=outcome.status,
        makespan=outcome.makespan,
        lower_bound=outcome.makespan if is_optimal else None if is_infeasible else outcome.bound,
        plan=None if outcome.plan is None else json.dumps(outcome.plan),
        seconds=seconds,
        proof=outcome.proof,
        versions=versions(),
        kind=grid_kitchen.kind,
        unit=grid_kitchen.unit,
    )


def _rules(grid_kitchen: GridKitchen, rules: Rules | None) -> GridKitchenRules:
    chosen = registry.of(grid_kitchen).rules.profiles["released"] if rules is None else rules
    if not isinstance(chosen, GridKitchenRules):
        raise InputError("must be a rule profile of grid kitchens", field="rules", value=rules)
    return chosen
