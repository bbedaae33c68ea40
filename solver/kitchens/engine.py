"""Kitchens as problems of one kind among others: the planner."""

from __future__ import annotations

from typing import Any

from planoracle.instances.errors import InputError
from planoracle.instances.kitchens import language, run
from planoracle.instances.kitchens.kitchen import Kitchen
from planoracle.instances.kitchens.profile import PROFILES, Profile
from planoracle.instances.problem import Problem, of_kind
from planoracle.instances.profiles import Rules
from planoracle.instances.status import Status
from planoracle.solver.kitchens.planner import plan
from planoracle.solver.options import Options
from planoracle.solver.result import Result, versions

__all__ = ["packed", "solve", "unpacked"]


def solve(problem: Problem, options: Options) -> Result:
    """Solve a kitchen."""
    kitchen, rules = of_kind(problem, Kitchen), _profile(options.rules)
    return plan(kitchen, time_limit=options.time_limit, rules=rules, after=options.after)


def packed(result: Result) -> dict[str, Any]:
    """Return what of a settled result must be kept."""
    return {
        "status": result.status,
        "actions": result.actions,
        "proof": result.proof,
        "expanded": result.expanded,
    }


def unpacked(problem: Problem, rules: Rules | None, entry: dict[str, Any]) -> Result:
    """Return the result that was packed, its actions replayed again."""
    kitchen = of_kind(problem, Kitchen)
    status, actions = Status(entry["status"]), tuple(entry["actions"])
    steps = None
    if status == Status.optimal:
        steps = len(actions)
        replayed = run.replay(kitchen, actions, _profile(rules))
        if not replayed.success or replayed.refusals or sum(step.valid for step in replayed.steps) != steps:
            raise ValueError("the plan does not pass the rules")
    elif status != Status.infeasible or actions:
        raise ValueError("no proved result")
    return Result(
        instance=kitchen.name,
        status=status,
        makespan=steps,
        lower_bound=steps,
        plan=None if steps is None else language.render(actions),
        proof=str(entry["proof"]),
        versions=versions(),
        kind=kitchen.kind,
        unit=kitchen.unit,
        actions=actions,
        rounds=None if steps is None else -(-steps // len(kitchen.players)),
        expanded=int(entry["expanded"]),
    )


def _profile(rules: Rules | None) -> Profile:
    if rules is None:
        return PROFILES["released"]
    if not isinstance(rules, Profile):
        raise InputError("must be a profile of kitchens", field="rules", value=rules)
    return rules
