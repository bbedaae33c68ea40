"""Floors as problems of one kind among others: the planner, and the referee of what it finds."""

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
from planoracle.solver.grid_kitchens.completion import FloorPlan, PlanAndBound
from planoracle.solver.grid_kitchens.planner import plan
from planoracle.solver.result import Result, SolveOptions, check_bound, versions


def solve(problem: Problem, options: SolveOptions) -> Result:
    """Plan a grid kitchen."""
    if options.after:
        raise InputError("is for kitchens in which one action follows another", field="after")
    floor, began = of_kind(problem, GridKitchen), perf_counter()
    rules = _rules(floor, options.rules)
    found = plan(floor, rules, options.time_limit, told=options.told)
    if found.plan is not None and not _passes(floor, rules, found.plan, found.makespan):
        raise InternalError(f"{floor.name}: a plan of ours does not pass the rules")
    return _result(floor, found, perf_counter() - began)


def deciding(rules: Rules | None) -> Rules | None:
    """Return the profile as far as it decides."""
    return None if rules is None else rules.deciding()


def packed(problem: Problem, rules: Rules | None, result: Result) -> dict[str, Any]:
    """Return what of a result must be kept; the plan as it is."""
    return {
        "status": result.status,
        "makespan": result.makespan,
        "bound": result.lower_bound,
        "plan": None if result.plan is None else json.loads(result.plan),
        "proof": result.proof,
    }


def unpacked(problem: Problem, rules: Rules | None, entry: dict[str, Any]) -> Result:
    """Return the result that was packed, its plan replayed again."""
    floor = of_kind(problem, GridKitchen)
    status, makespan, kept = Status(entry["status"]), entry["makespan"], entry["plan"]
    check_bound(status, makespan, entry["bound"])
    if status in (Status.optimal, Status.feasible):
        if not isinstance(kept, Mapping) or not _passes(floor, _rules(floor, rules), cast(FloorPlan, kept), makespan):
            raise ValueError("the plan does not pass the rules")
    elif makespan is not None or kept:
        raise ValueError("a plan where there is none")
    found = PlanAndBound(status, makespan, entry["bound"] or 0, kept, str(entry["proof"]))
    return _result(floor, found, 0.0)


def _passes(floor: GridKitchen, rules: GridKitchenRules, found: FloorPlan, makespan: int | None) -> bool:
    run = registry.of(floor).run(floor, {"instance": floor.name, "plan": found}, rules)
    return run.success and run.makespan == makespan


def _result(floor: GridKitchen, found: PlanAndBound, seconds: float) -> Result:
    optimal, impossible = found.status == Status.optimal, found.status == Status.infeasible
    return Result(
        instance=floor.name,
        status=found.status,
        makespan=found.makespan,
        lower_bound=found.makespan if optimal else None if impossible else found.bound,
        plan=None if found.plan is None else json.dumps(found.plan),
        seconds=seconds,
        proof=found.proof,
        versions=versions(),
        kind=floor.kind,
        unit=floor.unit,
    )


def _rules(floor: GridKitchen, rules: Rules | None) -> GridKitchenRules:
    chosen = registry.of(floor).profiles["released"] if rules is None else rules
    if not isinstance(chosen, GridKitchenRules):
        raise InputError("must be a profile of floors", field="rules", value=rules)
    return chosen
