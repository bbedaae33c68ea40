"""Checks that cheating plans gain nothing, with counts of what became of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import NamedTuple

from planoracle.analysis.contract.cases import ContractCase, NotApplicableError, require, sample
from planoracle.analysis.contract.cheats import CHEATS, Cheat, HonestPlan
from planoracle.analysis.contract.plan_steps import PlanSteps
from planoracle.analysis.grading.grader import Grade
from planoracle.instances.errors import BenchmarkError, InputError, PlanError
from planoracle.instances.model.schedule_rules import find_violations
from planoracle.instances.protocol.benchmark import AnyRun
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.schedule_benchmark import ScheduleBenchmark
from planoracle.instances.protocol.scoring import HIGHER_IS_BETTER

#: Counts of all plans, and of those that only the released rules accept.
TRIES, ACCEPTED = "tries", "accepted by the released rules"

# Plans of one cheat per problem, and other problems whose plans are tried.
_MOST_TRIES, _MOST_FOREIGN = 20, 2
_REJECTED = ("refused", "failed")
# Shares of all grades of which more is better.
_SHARES = ("success", "main_score", "progress", "goal_ratio")


class CheatResult(NamedTuple):
    """Result of a plan under some rules.

    Attributes
    ----------
    kind
        ``refused``, ``failed``, ``no gain``, ``permitted`` for a success below the optimum that the benchmark
        declares possible, or ``gain``.
    cause
        Cause of a failure or a gain.
    """

    kind: str
    cause: str = ""

    def __str__(self) -> str:
        """Return the kind with its cause."""
        return f"{self.kind} ({self.cause})" if self.cause else self.kind


class CheatCase:
    """A problem with an honest plan, with which cheating plans are compared.

    Parameters
    ----------
    case
        Problem under its own rules.
    """

    def __init__(self, case: ContractCase) -> None:
        self.case = case
        self.plan = str(case.optimum.plan)
        self.released: Rules = case.benchmark.rules.profiles["released"]
        #: Grades of the honest plan.
        self.honest = {rules: self._graded(self.plan, rules)[1] for rules in (case.rules, self.released)}

    def plans(self, cheat: Cheat) -> list[object]:
        """Return the plans of a cheat that differ from the honest plan."""
        case = self.case
        random = Random(f"{case.problem.name} {case.seed}")
        metrics = [metric.name for metric in case.benchmark.columns]
        honest = HonestPlan(PlanSteps(self.plan), self._foreign_plans, metrics, random)
        unchanged = (self.plan, honest.plan.with_lists(honest.plan.lists))
        plans = [plan for plan in cheat(honest) if plan not in unchanged]
        return random.sample(plans, min(len(plans), _MOST_TRIES))

    def _foreign_plans(self) -> list[str]:
        """Return honest plans of other problems."""
        benchmark = self.case.benchmark
        problems = sample(benchmark, _MOST_FOREIGN + 1, self.case.seed + 1)
        plans = [self.case.oracle.best(problem, benchmark.default_rules(problem)).plan for problem in problems]
        return [plan for plan in plans if plan is not None]

    def result_of(self, plan: object, rules: Rules) -> CheatResult:
        """Return the result of a plan under some rules."""
        try:
            run, grade = self._graded(plan, rules)
        except BenchmarkError:
            raise
        except InputError:
            return CheatResult("refused")
        gain = self._gain(run, grade, rules)
        if gain:
            return CheatResult("gain", gain)
        if not grade.success:
            return CheatResult("failed", grade.failure_cause or "")
        return CheatResult("no gain" if grade.contradiction is None else "permitted")

    def _graded(self, plan: object, rules: Rules) -> tuple[AnyRun, Grade]:
        problem = self.case.problem
        run = self.case.benchmark.run(problem, plan, rules)
        return run, Grade.of_run(run, self.case.oracle, details=False, id="cheat", instance=problem.name)

    def _gain(self, run: AnyRun, grade: Grade, rules: Rules) -> str:
        """Return what a plan gains over the honest one; ``""`` for nothing."""
        if grade.contradiction is not None and run.benchmark.is_bounded_by_optimum(run):
            return grade.contradiction
        refusal = _refusal_of_model(run) if grade.success and not grade.weight_note else ""
        if refusal:
            return f"success although the problem forbids the schedule: {refusal}"
        honest_figures = _figures(self.honest[rules])
        higher = [name for name, value in _figures(grade).items() if value > honest_figures.get(name, 0)]
        return ", ".join(f"a higher {name}" for name in higher)


def _figures(grade: Grade) -> dict[str, float]:
    """Return the figures of a grade of which more is better; those of metrics are only of successes."""
    shares = {name: getattr(grade, name) or 0 for name in _SHARES}
    if not grade.success:
        return shares
    return shares | {name: grade.metrics.get(name) or 0 for name in HIGHER_IS_BETTER}


def _refusal_of_model(run: AnyRun) -> str:
    """Return the violation of the general model by a plan with times; ``""`` if there is none.

    Plans without times may have further commands, which the rules ignore or refuse. Parts of optional tasks that a
    plan leaves out are no violation either, so that only plans of the best weight are checked.
    """
    benchmark = run.benchmark
    space = benchmark.action_space(run.problem)
    has_times = space is None or space.timed
    if not isinstance(benchmark, ScheduleBenchmark) or not has_times:
        return ""
    try:
        schedule = benchmark.schedule(run.problem, run.plan)
    except PlanError as error:
        return str(error)
    violation = next(find_violations(run.problem, schedule), None)
    return "" if violation is None else f"{violation.subject}: {violation.message}"


def meaning_of(cheat: Cheat) -> str:
    """Return what the plans of a cheat are."""
    return (cheat.__doc__ or "").removeprefix("Yield ").rstrip(".")


def _cheat_check(cheat: Cheat) -> Callable[[ContractCase], Counter[str]]:
    """Return the check that a cheat gains nothing; it returns how many plans had each result."""

    def check(case: ContractCase) -> Counter[str]:
        counts: Counter[str] = Counter()
        cheats = CheatCase(case)
        for plan in cheats.plans(cheat):
            result = cheats.result_of(plan, case.rules)
            require(result.kind != "gain", "a plan that gains nothing", result.cause, plan)
            counts[TRIES] += 1
            counts[str(result)] += 1
            if result.kind in _REJECTED and cheats.result_of(plan, cheats.released).kind not in _REJECTED:
                counts[ACCEPTED] += 1
        if not counts:
            raise NotApplicableError("plans of this form have nothing to change in this way")
        return counts

    check.__name__ = cheat.__name__
    check.__doc__ = f"Check that {meaning_of(cheat)} gain nothing."
    return check


#: Check of each cheat.
CHEAT_CHECKS = tuple(map(_cheat_check, CHEATS))
