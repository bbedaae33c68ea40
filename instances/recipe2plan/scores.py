"""R-Efficiency and the other metrics of Recipe2Plan, against the released reference and against the optimum."""

from __future__ import annotations

from planoracle.instances.deadline import Status
from planoracle.instances.memo import Memo
from planoracle.instances.model import Instance
from planoracle.instances.recipe2plan import facts
from planoracle.instances.recipe2plan.language import Answers, parse
from planoracle.instances.recipe2plan.metrics import measure as efficiency
from planoracle.instances.recipe2plan.profile import Profile
from planoracle.instances.recipe2plan.rules import replay
from planoracle.instances.recipe2plan.run import Recipe2PlanRun
from planoracle.instances.recipe2plan.steps import Command
from planoracle.instances.references import Claim
from planoracle.instances.scoring import Average, Best, Column, Measured, Oracle, Row, mean_of

_NONE = (0.0, 1.0)

COLUMNS = (
    Column("efficiency", "time saved by autonomous time (equation 1)", "share"),
    Column("r_efficiency", "the same by that of as many commands of the reference (equation 2)", "share", shown=True),
    Column("r_efficiency_optimal", "the same with the optimal plan as reference; all of it for a success", "share"),
    Column("multitasking_score", "r_efficiency of a success, else 0 (equation 3)", "share", shown=True),
    Column("reference", "what r_efficiency compares with: heuristic, optimal or none", kind="text"),
)


def averages(rules: Profile) -> tuple[Average, ...]:
    """Return the means of the paper; runs whose efficiency is undefined are in no mean of it."""
    absent = _NONE if rules.missing == "failed" else None
    return (
        mean_of("success", "plans that succeed", default=0.0, absent=absent, role=("success",)),
        mean_of("progress", "actions done", default=0.0, absent=absent),
        mean_of("goal_ratio", "recipes done", default=0.0, absent=absent, shown=False),
        mean_of("r_efficiency", "where it is defined"),
        Average("undefined", "runs whose r_efficiency is undefined", _undefined, total=True),
        mean_of("multitasking_score", "where it is defined", absent=absent, role=("main",)),
        Average("r_efficiency_optimal", "of runs that succeed, where it is defined", _against_optimum),
    )


def _against_optimum(row: Row) -> tuple[float, int] | None:
    """Return what counts of a success only: beginnings of plans that fail early can be as efficient as the optimum."""
    value = row.get("r_efficiency_optimal")
    return (value, 1) if row["success"] and value is not None else None


def _undefined(row: Row) -> tuple[int, int]:
    return int(row["r_efficiency"] is None), 1


def measure(run: Recipe2PlanRun, oracle: Oracle) -> Measured:
    """Compute the metrics of a run."""
    problem, rules, verdict = run.problem, run.rules, run.verdict
    best = oracle.best(problem, rules)
    name, reference = _reference(problem, rules, best)
    figures = efficiency(problem, verdict, reference, rules, whole=name == "optimal")
    against = figures
    if name != "optimal":
        against = efficiency(problem, verdict, _commands(problem, best), rules, whole=True)
    metrics = {
        "efficiency": figures.efficiency,
        "r_efficiency": figures.r_efficiency,
        "r_efficiency_optimal": against.r_efficiency,
        "multitasking_score": figures.multitasking_score,
        "reference": name,
    }
    measured = Measured.beside(best, metrics)
    if measured.optimum is not None and verdict.success and verdict.makespan < measured.optimum:
        return Measured(None, metrics)  # as only zero_duration="accepted" allows
    return measured


def _reference(problem: Instance, rules: Profile, best: Best) -> tuple[str, tuple[Command, ...] | None]:
    plan = released_plan(problem) if rules.reference == "heuristic" else None
    name = "heuristic"
    if plan is None and (rules.reference == "optimal" or rules.missing_ref == "optimum"):
        name, plan = "optimal", _commands(problem, best)
    return name if plan else "none", plan


def released_plan(problem: Instance) -> tuple[Command, ...] | None:
    """Return the released reference plan of a bundled problem, if it has one."""
    return facts.reference_plan(*problem.name.split("/")[1:]) if _is_bundled(problem) else None


def _is_bundled(problem: Instance) -> bool:
    return problem.name in facts.names() and problem is facts.load(*problem.name.split("/")[1:])


def released(problem: Instance) -> Claim:
    """Return what the released reference plan takes, and whether the rules accept it."""
    commands = released_plan(problem)
    if not commands:
        missing = "no plan was released, so the released grader scores every plan 0"
        return Claim(None, reason=missing if _is_bundled(problem) else "")
    makespan = max(command.start + command.duration for command in commands)
    verdict = replay(problem, Answers((commands,)))
    plan = "\n".join(command.text for command in commands)
    if verdict.success and not verdict.violations:
        return Claim(makespan, accepted=True, plan=plan)
    fault = verdict.violations[0].message if verdict.violations else "it does not finish"
    return Claim(makespan, accepted=False, reason=fault, plan=plan)


def _commands(problem: Instance, best: Best) -> tuple[Command, ...] | None:
    """Return the commands of a proved optimal plan."""
    if best.status != Status.optimal or best.plan is None:
        return None
    return _parsed(problem, best.plan) or None


@Memo
def _parsed(problem: Instance, plan: str) -> tuple[Command, ...]:
    return parse(plan, problem).commands
