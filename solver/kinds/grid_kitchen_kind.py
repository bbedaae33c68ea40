"""Problem kind ``floor`` (grid kitchens): bundled plans and bounds, replayed by the rules; no solver."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import GridKitchen, GridKitchenRules
from planoracle.instances.benchmarks.grid_kitchens.run import GridKitchenRun, as_schedule
from planoracle.instances.benchmarks.grid_kitchens.turn_messages import messages_of
from planoracle.instances.errors import InputError, NoSolverError
from planoracle.instances.model.limits import Limit, Status
from planoracle.instances.model.problem import Problem, of_kind
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.benchmark import AnyRun
from planoracle.instances.protocol.feedback import span
from planoracle.instances.protocol.profiles import Rules
from planoracle.solver.explanation import Explanation, plan_document
from planoracle.solver.kinds.kind import Kind, Timeline
from planoracle.solver.result import Result, SolveOptions, stored_result
from planoracle.solver.solve import bundled_result, no_solver_reason, unsolved


class GridKitchenKind(Kind):
    """Grid kitchens: bundled plans and bounds, replayed by the rules; no solver."""

    name = "floor"
    no_solver = (
        "grid kitchens are graded and played, not planned; grade, critique, and run with the agent random accept them"
    )
    has_slow_search = True

    def solve(self, problem: Problem, options: SolveOptions) -> Result:
        """Return the bundled result of a problem; if there is none, the status is ``unknown``.

        Without rules those of the profile ``released`` apply.
        """
        if options.after:
            raise InputError("must be empty for grid kitchens", field="after")
        result = bundled_result(problem, _rules(problem, options.rules))
        return unsolved(problem) if result is None else replace(result, source="bundled")

    def pack(self, problem: Problem, rules: Rules | None, result: Result) -> dict[str, Any]:
        """Return the stored form of a result."""
        return {
            "status": result.status,
            "makespan": result.makespan,
            "bound": result.lower_bound,
            "plan": None if result.plan is None else json.loads(result.plan),
            "proof": result.proof,
        }

    def unpack(self, problem: Problem, rules: Rules | None, entry: dict[str, Any]) -> Result:
        """Restore a stored result and replay its plan."""
        kitchen = of_kind(problem, GridKitchen)
        plan_by_agent = entry["plan"]
        result = stored_result(kitchen, entry)
        if result.makespan is None:
            return result
        replayed_makespan = _replayed_makespan(kitchen, _rules(kitchen, rules), plan_by_agent)
        if replayed_makespan != result.makespan:
            raise ValueError("the plan must pass the rules and have the stored makespan")
        return replace(result, plan=json.dumps(plan_by_agent))

    def explain(self, problem: Problem, time_limit: Limit) -> Explanation:
        """Explain the bundled result of a problem."""
        result = self.solve(problem, SolveOptions())
        if result.makespan is None:
            raise NoSolverError(result.proof, field=problem.name)
        makespan = span(problem, result.makespan)
        lines = [f"{result.instance}: {result.status}, {makespan}."]
        if result.status == Status.optimal:
            lines.append(f"Bundled, proved by search ({result.proof}); no certificate is known.")
        elif result.lower_bound is not None:
            lower_bound = span(problem, result.lower_bound)
            lines.append(f"Bundled lower bound: every plan takes at least {lower_bound} ({result.proof}).")
        return Explanation(
            instance=result.instance,
            status=result.status,
            makespan=result.makespan,
            lower_bound=result.lower_bound,
            unit=problem.unit,
            kind="search",
            proof_grade=result.proof_grade,
            document=plan_document(result, "released"),
            _lines=tuple(lines),
        )

    def timeline(self, run: AnyRun) -> Timeline:
        """Return the actions of the cooks that were carried out."""
        return as_schedule(cast("GridKitchenRun", run))

    def size(self, problem: Problem) -> Mapping[str, int]:
        """Return counts of stations, players and orders."""
        kitchen = of_kind(problem, GridKitchen)
        return {"stations": len(kitchen.stations), "players": len(kitchen.agents), "orders": len(kitchen.orders)}

    def description(self, problem: Problem) -> Mapping[str, Any]:
        """Return the numbers of agents and orders."""
        kitchen = of_kind(problem, GridKitchen)
        return {"agents": len(kitchen.agents), "orders": len(kitchen.orders)}


#: The kind.
KIND = GridKitchenKind()


def bundled_plan(run: AnyRun) -> str:
    """Return the bundled plan of a run's problem under the rules of the run.

    Raises
    ------
    NoSolverError
        If none is bundled.
    """
    result = bundled_result(run.problem, run.rules)
    if result is None or result.plan is None:
        message = f"{no_solver_reason(run.problem)}; no plan is bundled under these rules"
        raise NoSolverError(message, field=run.problem.name)
    return result.plan


def bundled_messages(run: AnyRun) -> list[str]:
    """Return the bundled plan as messages of a closed loop, from the start of a run; see `bundled_plan`."""
    plan_by_agent = json.loads(bundled_plan(run))
    messages = messages_of(of_kind(run.problem, GridKitchen), _rules(run.problem, run.rules), plan_by_agent)
    if messages is None:
        message = "the bundled plan does not serve all orders when it is submitted step by step"
        raise NoSolverError(message, field=run.problem.name)
    return messages


def _rules(kitchen: Problem, rules: Rules | None) -> GridKitchenRules:
    """Return rules of grid kitchens, by default those of the profile ``released``."""
    chosen = registry.of(kitchen).rules.profiles["released"] if rules is None else rules
    if not isinstance(chosen, GridKitchenRules):
        raise InputError("must be a rule profile of grid kitchens", field="rules", value=rules)
    return chosen


def _replayed_makespan(kitchen: GridKitchen, rules: GridKitchenRules, plan_by_agent: object) -> int | None:
    """Return the makespan of a plan by the rules, ``None`` if they reject it."""
    if not isinstance(plan_by_agent, Mapping):
        return None
    run = registry.of(kitchen).run(kitchen, {"plan": plan_by_agent}, rules)
    return run.makespan if run.success else None
