"""Audits: what benchmarks have published, and what anybody hands in, checked by the rules and by what is proved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from planoracle.analysis.audit.finding import PlanLength, ReferenceFinding, ReferenceVerdict, judge
from planoracle.analysis.grading.oracle import WORK, SolverOracle
from planoracle.analysis.grading.problem_loader import Problems
from planoracle.analysis.grading.rule_options import profiles
from planoracle.analysis.intake.path_names import EntryError, PathNames, placed
from planoracle.analysis.intake.record_fields import checked, holds_plan, is_grade, said, ticks
from planoracle.analysis.intake.submissions import Entries, fault_of
from planoracle.heuristics.registry import run
from planoracle.instances.errors import InputError, InternalError, UnknownNameError
from planoracle.instances.files import catalog
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import Limit, Status
from planoracle.instances.model.problem import Problem, of_kind
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.benchmark import AnyBenchmark
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.scoring import BestKnown, Claim, Reference
from planoracle.solver.result import Result

#: What a reference is called that was handed in and names no model.
GIVEN = "given"


def published(benchmark: AnyBenchmark) -> list[Reference[Any]]:
    """Return those references of a benchmark that somebody has published."""
    return [one for one in benchmark.references if one.published]


def published_names(names: Iterable[str] = ()) -> list[str]:
    """Return the problems behind names; that of a benchmark stands for all of which it has published references.

    Without names: those of all benchmarks.

    Raises
    ------
    UnknownNameError
        For a name that stands for nothing.
    """
    found: dict[str, None] = {}
    for name in list(names) or registry.names():
        benchmark = registry.find(name)
        if benchmark is None or not published(benchmark):
            found |= dict.fromkeys(catalog.expand([name]) if list(names) else ())
        else:
            found |= dict.fromkeys(benchmark.referenced_names)
    return list(found)


class Auditor:
    """Checks references; every problem is loaded and solved once.

    Parameters
    ----------
    profile
        By whose rules; ``None``: each reference by those that it was made for, and what is handed in by ``paper``.
    options
        Single rules, see `planoracle.analysis.grading.rule_options.profiles`.
    limit
        For what has to be solved.
    problems
        Where problems come from.

    Examples
    --------
    >>> [(one.reference, one.claimed, one.verdict, one.optimum) for one in Auditor().published("timearena/household4")]
    [('oracle', 9, 'below_bound', 14)]
    """

    def __init__(
        self,
        profile: str | None = None,
        options: Mapping[str, str] | None = None,
        *,
        limit: Limit = WORK,
        problems: Problems | None = None,
    ) -> None:
        self._profile = profile
        self._options = dict(options or {})
        self._oracle = SolverOracle(limit)
        self._problems = problems or Problems()
        self._rules: dict[str, dict[str, Rules]] = {}
        self._by(profile or "paper", registry.get("generic"))  # so that what is wrong with the options shows at once

    def by(self, profile: str) -> Auditor:
        """Return what checks by another profile, and is the same else."""
        return Auditor(profile, self._options, limit=self._oracle.limit, problems=self._problems)

    def published(self, name: str) -> Iterator[ReferenceFinding]:
        """Yield what is to be said of each published reference of a problem; nothing where it has none.

        Raises
        ------
        UnknownNameError
            For a name that stands for nothing. What else is wrong is said in the finding.
        """
        try:
            problem = self._problems.find(name)
        except UnknownNameError:
            raise
        except InputError as error:
            yield ReferenceFinding(
                name, None, "", self._profile or "paper", ReferenceVerdict.not_checked, reason=fault_of(error)
            )
            return
        for reference in published(registry.of(problem)):
            found = self._published(problem, reference)
            if found is not None:
                yield found

    def _published(self, problem: Problem, reference: Reference[Any]) -> ReferenceFinding | None:
        benchmark = registry.of(problem)
        profile = self._profile or reference.profile
        rules = self._by(profile, benchmark)
        blank = ReferenceFinding(
            problem.name, benchmark.name, reference.published, profile, ReferenceVerdict.missing, problem.unit
        )
        try:
            claim = _claim(reference, _under(benchmark, problem, rules) or problem)
            if claim is None or (claim.makespan is None and claim.plan is None):
                return replace(blank, reason=claim.reason) if claim is not None and claim.reason else None
            return self._checked(blank, claim, problem, rules)
        except Exception as error:
            return replace(blank, verdict=ReferenceVerdict.not_checked, reason=fault_of(error))

    def loopholes(self, benchmark: AnyBenchmark) -> Iterator[ReferenceFinding]:
        """Yield, for every way to pass a released grader by less work, the plan that it gives the least makespan.

        What that grader says counts as claimed; the verdict goes by the rules of ``paper``.

        Raises
        ------
        InternalError
            If it gives none of the plans any.
        """
        for way in benchmark.loopholes:
            problem = self._problems.find(way.problem)
            paper, released = self._by("paper", benchmark), self._by("released", benchmark)
            plans = way.plans(problem, partial(self._shortest, paper))
            passed = [(_taken(benchmark, problem, plan, released).makespan, plan) for plan in plans]
            least = min(((one, plan) for one, plan in passed if one is not None), key=lambda one: one[0], default=None)
            if least is None:
                raise InternalError(f"no plan of {way.name} passes for {way.problem}")
            claim = Claim(least[0], plan=least[1])
            blank = ReferenceFinding(
                problem.name, benchmark.name, way.name, "paper", ReferenceVerdict.missing, problem.unit
            )
            yield self._checked(blank, claim, problem, paper)

    def _shortest(self, rules: Rules, problem: Problem) -> str:
        return self._oracle.best(problem, rules).plan or ""

    def handed_in(self, entries: Entries) -> Iterator[ReferenceFinding]:
        """Yield what is to be said of submissions that state a makespan, hold a plan, or both.

        Never raises for what an entry holds, but for a `MemoryError`.
        """
        for where, entry in entries:
            place = placed(where)
            yield self._handed_in(entry, place)

    def _handed_in(self, entry: object, place: PathNames) -> ReferenceFinding:
        about = said(entry.about if isinstance(entry, EntryError) else entry, "id", "instance", "model")
        profile = self._profile or "paper"
        blank = ReferenceFinding(
            about["instance"], None, about["model"] or GIVEN, profile, ReferenceVerdict.not_checked,
            id=about["id"], source=place.source, line=place.line,
        )  # fmt: skip
        try:
            if isinstance(entry, InputError):
                raise entry
            submission = checked(entry)
            problem = self._problems.find(submission["instance"])
            benchmark = registry.of(problem)
            blank = replace(blank, instance=problem.name, benchmark=benchmark.name, unit=problem.unit)
            return self._checked(blank, _stated(submission), problem, self._by(profile, benchmark))
        except MemoryError:
            raise
        except Exception as error:
            return replace(blank, reason=fault_of(error))

    def _by(self, profile: str, benchmark: AnyBenchmark) -> Rules:
        if profile not in self._rules:
            self._rules[profile] = profiles(profile, self._options)
        return self._rules[profile][benchmark.name]

    def _checked(self, blank: ReferenceFinding, claim: Claim, problem: Problem, rules: Rules) -> ReferenceFinding:
        benchmark = registry.of(problem)
        left = _under(benchmark, problem, rules)
        best = Result(problem.name, Status.infeasible) if left is None else self._best(benchmark, left, rules)
        taken = None if claim.plan is None else _taken(benchmark, problem, claim.plan, rules)
        found = judge(claim.makespan, taken, best, problem.unit)
        claimed = claim.makespan if taken is None or claim.makespan is not None else taken.makespan
        off = None if found.base is None or claimed is None else claimed - found.base
        proved = found.verdict == ReferenceVerdict.optimal
        return replace(
            blank,
            verdict=found.verdict,
            claimed=claimed,
            feasible=found.feasible,
            violation=None if taken is None else taken.violation,
            optimum=claimed if proved else best.makespan if best.status == Status.optimal else None,
            bound=best.lower_bound,
            status=Status.optimal if proved else best.status,
            off=off,
            gap=off / found.base if off is not None and found.base else None,
            reason="; ".join(filter(None, (found.reason, "" if taken is not None else claim.reason))),
        )

    def _best(self, benchmark: AnyBenchmark, problem: Problem, rules: Rules) -> BestKnown:
        least = benchmark.formula_optimum(problem)
        if least is not None:
            return Result(problem.name, Status.optimal, least, least, proof="formula")
        return self._oracle.best(problem, rules)


def _under(benchmark: AnyBenchmark, problem: Problem, rules: Rules) -> Problem | None:
    """Return a problem as some rules leave it, ``None`` if they leave no way to complete it."""
    try:
        found: Problem = benchmark.under(problem, rules)
    except InputError:
        return None
    return found


def _claim(reference: Reference[Any], problem: Problem) -> Claim | None:
    if isinstance(reference.source, str):
        found = run(of_kind(problem, Instance), reference.source)
        makespan = found.makespan if found.claim is None else found.claim
        return None if makespan is None else Claim(makespan, reason=found.reason)
    claim = reference.source(problem)
    return claim if isinstance(claim, Claim) else None


def _stated(submission: dict[str, Any]) -> Claim:
    """Return what a submission claims; a row of ``planoracle grade`` holds the makespan of a plan that was replayed."""
    makespan = submission.get("makespan")
    if is_grade(submission):
        if submission.get("scored") is not True or submission.get("success") is not True or makespan is None:
            raise InputError("is the grade of a plan that is no success", field="submission")
        return Claim(ticks(makespan))
    return Claim(makespan, plan=submission if holds_plan(submission) else None)


def _taken(benchmark: AnyBenchmark, problem: Problem, plan: object, rules: Rules) -> PlanLength:
    """Replay a plan; raises `InputError` for what cannot be read."""
    found = benchmark.run(problem, plan, rules)
    if found.success and found.makespan is not None:
        return PlanLength(found.makespan)
    fatal = found.verdict.fatal or next(iter(found.verdict.violations), None)
    if fatal is None:
        return PlanLength(None, "incomplete", found.impossible or "its plan does not complete the problem")
    where = "" if fatal.position is None else f" (command {fatal.position})"
    kind = fatal.kind.replace("_", " ")
    said = kind if fatal.message == kind else f"{kind}, {fatal.message}"
    return PlanLength(None, fatal.kind, f"its plan fails: {said}{where}")
