"""Checks that cheating plans gain nothing, with counts of what became of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cached_property, wraps
from random import Random
from typing import NamedTuple

from planoracle.analysis.contract.cases import FAST, ContractCase, NotApplicableError, require, sample
from planoracle.analysis.contract.cheats import CHEATS, Cheat, HonestPlan
from planoracle.analysis.contract.plan_texts import PlanText
from planoracle.analysis.grading.grader import Grade
from planoracle.analysis.grading.oracle import SolverOracle
from planoracle.instances.errors import InputError, PlanError
from planoracle.instances.model.limits import Status
from planoracle.instances.model.schedule_rules import find_violations
from planoracle.instances.protocol.benchmark import AnyRun
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.schedule_benchmark import ScheduleBenchmark

#: Key of the plans that only the released rules accept, in the counts of a check.
ACCEPTED = "accepted by the released rules"

# Plans of one cheat per problem, and other problems whose plans are tried.
_MOST_TRIES, _MOST_OTHERS = 20, 2
# Figures of grades of which more is better.
_FIGURES = ("success", "main_score", "progress", "goal_ratio")


class Outcome(NamedTuple):
    """What became of a plan under some rules.

    Attributes
    ----------
    kind
        ``refused``, ``failed``, ``no gain`` or ``gain``.
    cause
        Cause of a failure or a gain.
    """

    kind: str
    cause: str = ""

    def __str__(self) -> str:
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
        self.oracle = SolverOracle(FAST)
        released = case.benchmark.rules.profiles["released"]
        self.released: Rules | None = None if released == case.rules else released

    def plans(self, cheat: Cheat) -> list[object]:
        """Return the plans of a cheat that differ from the honest plan."""
        case = self.case
        random = Random(f"{case.problem.name} {case.seed}")
        metrics = [metric.name for metric in case.benchmark.columns]
        honest = HonestPlan(PlanText(self.plan), self._others, metrics, random)
        plans = [plan for plan in cheat(honest) if plan != self.plan]
        return random.sample(plans, min(len(plans), _MOST_TRIES))

    @cached_property
    def _others(self) -> list[str]:
        """Honest plans of other problems."""
        case = self.case
        plans = []
        for problem in sample(case.benchmark, _MOST_OTHERS + 1, case.seed + 1):
            rules = case.benchmark.default_rules(problem)
            plan = self.oracle.best(problem, rules).plan
            if plan is not None and plan != self.plan:
                plans.append(plan)
        return plans

    def outcome(self, plan: object, rules: Rules) -> Outcome:
        """Return what becomes of a plan under some rules."""
        case = self.case
        submission = plan if isinstance(plan, dict) and "plan" in plan else {"plan": plan}
        try:
            run = case.benchmark.run(case.problem, submission, rules)
        except InputError:
            return Outcome("refused")
        grade = self._grade(run)
        gain = self._gain(run, grade)
        if gain:
            return Outcome("gain", gain)
        return Outcome("no gain") if grade.success else Outcome("failed", grade.failure_cause or "")

    def is_accepted(self, plan: object, rules: Rules) -> bool:
        """Return true if some rules count a plan as a success, or grade it better than the honest one."""
        return self.outcome(plan, rules).kind in ("gain", "no gain")

    def _grade(self, run: AnyRun) -> Grade:
        return Grade.of_run(run, self.oracle, details=False, id="cheat", instance=self.case.problem.name)

    def _gain(self, run: AnyRun, grade: Grade) -> str:
        """Return what a plan gains over the honest one; ``""`` for nothing."""
        best = self.case.optimum
        if grade.success:
            if best.status == Status.optimal and (grade.makespan or 0) < (best.makespan or 0):
                return f"success in {grade.makespan} ticks, below the optimum of {best.makespan}"
            refusal = _refusal_of_model(run)
            if refusal:
                return f"success, although the problem forbids the schedule: {refusal}"
        honest = self._grade(self.case.benchmark.run(self.case.problem, {"plan": self.plan}, run.rules))
        for figure in _FIGURES:
            value, honest_value = getattr(grade, figure), getattr(honest, figure)
            if (value or 0) > (honest_value or 0):
                return f"{figure} {value}, that of the honest plan is {honest_value}"
        return ""


def _refusal_of_model(run: AnyRun) -> str:
    """Return the violation of the general model by a plan with times; ``""`` if there is none.

    Plans without times may have further commands, which the rules ignore or refuse.
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
    """Return what the plans of a cheat are, without a full stop."""
    return (cheat.__doc__ or "").strip().removeprefix("Yield ").rstrip(".")


def cheat_check(cheat: Cheat) -> Callable[[ContractCase], Counter[str]]:
    """Return the check that a cheat gains nothing; it returns how many plans had each outcome."""

    @wraps(cheat)
    def check(case: ContractCase) -> Counter[str]:
        counts: Counter[str] = Counter()
        cheats = CheatCase(case)
        for plan in cheats.plans(cheat):
            outcome = cheats.outcome(plan, case.rules)
            require(outcome.kind != "gain", "a plan that gains nothing", outcome.cause, plan)
            counts[str(outcome)] += 1
            is_rejected = outcome.kind != "no gain"
            if is_rejected and cheats.released is not None:
                counts[ACCEPTED] += cheats.is_accepted(plan, cheats.released)
        if not counts:
            raise NotApplicableError("plans of this form have nothing to change in this way")
        return counts

    check.__doc__ = f"Check that {meaning_of(cheat)} gain nothing."
    return check


def describe(counts: Counter[str]) -> list[str]:
    """Return the number of tries and what became of them, the most frequent outcome first.

    >>> describe(Counter({"failed (overlap)": 2, "refused": 3, ACCEPTED: 1}))
    ['5 tries: 3 refused, 2 failed (overlap)', '1 accepted by the released rules']
    """
    outcomes = [f"{number} {outcome}" for outcome, number in counts.most_common() if outcome != ACCEPTED]
    if not outcomes:
        return []
    accepted = counts[ACCEPTED]
    notes = [f"{counts.total() - accepted} tries: {', '.join(outcomes)}"]
    return [*notes, f"{accepted} {ACCEPTED}"] if accepted else notes


#: Check of each cheat.
CHEAT_CHECKS = tuple(map(cheat_check, CHEATS))
