"""Problem kind ``kitchen``: engine that calls the A* planner."""

from __future__ import annotations

from typing import Any

from planoracle.instances.benchmarks.kitchens import language
from planoracle.instances.benchmarks.kitchens.compiled_kitchen import under
from planoracle.instances.benchmarks.kitchens.kitchen import PROFILES, Kitchen, KitchenRules
from planoracle.instances.benchmarks.kitchens.simulation import trace
from planoracle.instances.errors import InputError
from planoracle.instances.model.limits import Status
from planoracle.instances.model.problem import Problem, of_kind
from planoracle.instances.protocol.profiles import Rules
from planoracle.solver.kitchens.astar import plan
from planoracle.solver.result import Result, SolveOptions, check_bound, versions

#: Problems of this kind are solved, see `planoracle.solver.solve.Engine`.
NO_SOLVER = ""


def solve(problem: Problem, options: SolveOptions) -> Result:
    """Solve a kitchen."""
    kitchen, rules = of_kind(problem, Kitchen), _profile(options.rules)
    return plan(
        kitchen, time_limit=options.time_limit, rules=rules, after=options.after, on_progress=options.on_progress
    )


def rules_for_optimum(rules: Rules | None) -> KitchenRules:
    """Return the options of the profile that determine the optimum."""
    return _profile(rules).deciding()


def pack(problem: Problem, rules: Rules | None, result: Result) -> dict[str, Any]:
    """Return the stored form of a result."""
    return {
        "status": result.status,
        "makespan": result.makespan,
        "bound": result.lower_bound,
        "plan": list(result.actions),
        "proof": result.proof,
        "expanded": result.expanded,
    }


def unpack(problem: Problem, rules: Rules | None, entry: dict[str, Any]) -> Result:
    """Restore a stored result and replay its actions."""
    kitchen, profile = of_kind(problem, Kitchen), _profile(rules)
    status, steps = Status(entry["status"]), entry["makespan"]
    check_bound(status, steps, entry["bound"])
    actions = tuple(entry["plan"])
    if status in (Status.optimal, Status.feasible):
        if not all(isinstance(action, str) for action in actions):
            raise ValueError("the actions of a plan must be text")
        replayed = trace(kitchen, actions, profile)
        is_whole = len(replayed.steps) == len(actions) and replayed.steps_taken == steps
        if not replayed.success or replayed.refusals or not is_whole:
            raise ValueError("the plan must pass the rules and have the stored makespan")
        actions = tuple(
            replayed.rules.actions[step.action_number].text for step in replayed.steps if step.action_number is not None
        )
    elif steps is not None or actions:
        raise ValueError("a result without a makespan must have no plan")
    return Result(
        instance=kitchen.name,
        status=status,
        makespan=steps,
        lower_bound=entry["bound"],
        plan=None if steps is None else language.render(actions),
        proof=str(entry["proof"]),
        versions=versions(),
        kind=kitchen.kind,
        unit=under(kitchen, profile).unit,
        actions=actions,
        rounds=None if steps is None else -(-len(actions) // len(kitchen.players)),
        expanded=int(entry["expanded"]),
    )


def _profile(rules: Rules | None) -> KitchenRules:
    if rules is None:
        return PROFILES["released"]
    if not isinstance(rules, KitchenRules):
        raise InputError("must be a profile of kitchens", field="rules", value=rules)
    return rules
