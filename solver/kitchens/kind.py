"""Kitchens as problems of one kind among others: the planner."""

from __future__ import annotations

from typing import Any

from planoracle.instances.benchmarks.kitchens import language, run
from planoracle.instances.benchmarks.kitchens.kitchen import Kitchen
from planoracle.instances.benchmarks.kitchens.rules import PROFILES, Profile
from planoracle.instances.errors import InputError
from planoracle.instances.model.limits import Status
from planoracle.instances.model.problem import Problem, of_kind
from planoracle.instances.protocol.profiles import Rules
from planoracle.solver.kitchens.astar import plan
from planoracle.solver.kitchens.packing import plan_packed, plan_unpacked
from planoracle.solver.result import Result, SolveOptions, check_bound, versions


def solve(problem: Problem, options: SolveOptions) -> Result:
    """Solve a kitchen."""
    kitchen, rules = of_kind(problem, Kitchen), _profile(options.rules)
    return plan(kitchen, time_limit=options.time_limit, rules=rules, after=options.after, told=options.told)


def deciding(rules: Rules | None) -> Profile:
    """Return the profile as far as it decides."""
    return _profile(rules).deciding()


def packed(problem: Problem, rules: Rules | None, result: Result) -> dict[str, Any]:
    """Return what of a result must be kept."""
    return {
        "status": result.status,
        "makespan": result.makespan,
        "bound": result.lower_bound,
        **plan_packed(of_kind(problem, Kitchen), _profile(rules), result.actions),
        "proof": result.proof,
        "expanded": result.expanded,
    }


def unpacked(problem: Problem, rules: Rules | None, entry: dict[str, Any]) -> Result:
    """Return the result that was packed, its actions replayed again."""
    kitchen, profile = of_kind(problem, Kitchen), _profile(rules)
    status, steps = Status(entry["status"]), entry["makespan"]
    check_bound(status, steps, entry["bound"])
    actions: tuple[str, ...] = ()
    if status in (Status.optimal, Status.feasible):
        actions = plan_unpacked(kitchen, profile, entry)
        replayed = run.replay(kitchen, actions, profile)
        if not replayed.success or replayed.refusals or not len(replayed.steps) == len(actions) == steps:
            raise ValueError("the plan does not pass the rules")
    elif steps is not None or entry["plan"]:
        raise ValueError("a plan where there is none")
    return Result(
        instance=kitchen.name,
        status=status,
        makespan=steps,
        lower_bound=entry["bound"],
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
