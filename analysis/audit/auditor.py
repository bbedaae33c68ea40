"""Checks of published and submitted references against the rules and proved bounds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from planoracle.analysis.audit.finding import (
    PlanLength,
    ReferenceFinding,
    ReferenceVerdict,
    check_among,
    check_reference,
)
from planoracle.analysis.grading.oracle import WORK, SolverOracle
from planoracle.analysis.grading.problem_loader import Problems
from planoracle.analysis.grading.rule_options import profiles
from planoracle.analysis.intake.path_names import EntryError, SourceLine, as_place
from planoracle.analysis.intake.record_fields import check_submission, holds_plan, identity_of, is_grade, ticks
from planoracle.analysis.intake.submissions import Entries, fault_of
from planoracle.heuristics.registry import run
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.files import catalog
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import Limit, Status
from planoracle.instances.model.problem import Problem, of_kind
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.benchmark import AnyBenchmark
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.scoring import BestKnown, Claim, Reference
from planoracle.solver.result import Result

#: Name of a submitted reference without a model.
UNNAMED = "given"


def published_references(benchmark: AnyBenchmark) -> list[Reference[Any]]:
    """Return the published references of a benchmark."""
    return [reference for reference in benchmark.references if reference.published]


def published_names(names: Iterable[str] = ()) -> list[str]:
    """Return the problems that names stand for; by default all with published references.

    The name of a benchmark stands for its problems with published references.

    Raises
    ------
    UnknownNameError
        For an unknown name.
    """
    selected: dict[str, None] = {}
    for name in list(names) or registry.names():
        benchmark = registry.find(name)
        if benchmark is None or benchmark.catalog is None or not published_references(benchmark):
            selected |= dict.fromkeys(catalog.expand([name]) if list(names) else ())
        else:
            selected |= dict.fromkeys(benchmark.catalog.names())
    return list(selected)


class Auditor:
    """Checks references; every problem is loaded and solved once.

    Parameters
    ----------
    profile
        Rule profile; ``None``: the profile of each published reference, and ``paper`` for submitted ones.
    options
        Single rules, see `planoracle.analysis.grading.rule_options.profiles`.
    limit
        Limit of the solver for each problem.
    problems
        Loader of problems.

    Examples
    --------
    >>> findings = Auditor().check_published("timearena/household4")
    >>> [(one.reference, one.claimed, one.verdict, one.optimum) for one in findings]
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
        self._rules: dict[str, Mapping[str, Rules]] = {}
        self._rules_of(profile or "paper", registry.get("generic"))  # raises for wrong options

    def check_published(self, name: str) -> Iterator[ReferenceFinding]:
        """Yield a finding for each published reference of a problem.

        Raises
        ------
        UnknownNameError
            For an unknown name. Other errors are recorded in the finding.
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
        for reference in published_references(registry.of(problem)):
            finding = self._check_reference(problem, reference)
            if finding is not None:
                yield finding
        yield from self._check_text(problem)

    def _check_text(self, problem: Problem) -> Iterator[ReferenceFinding]:
        """Yield a finding if a goal lacks a condition of its words; its optimum is checked as a claim."""
        benchmark, profile = registry.of(problem), self._profile or "released"
        stated = benchmark.by_text(problem)
        if stated is not None:
            rules = self._rules_of(profile, benchmark)
            blank = ReferenceFinding(
                problem.name, benchmark.name, "goal", profile, ReferenceVerdict.missing, problem.unit, reason=stated[1]
            )
            best = self._best(benchmark, problem, rules)
            if best.status != Status.optimal:  # then the time by conditions is no claim
                reason = f"{stated[1]}; the optimum by its conditions is not proved"
                yield replace(
                    blank,
                    verdict=ReferenceVerdict.unproved,
                    claimed=best.makespan,
                    bound=best.lower_bound,
                    status=best.status,
                    reason=reason,
                )
                return
            yield self._check_claim(blank, Claim(best.makespan, reason=stated[1]), stated[0], rules)

    def _check_reference(self, problem: Problem, reference: Reference[Any]) -> ReferenceFinding | None:
        benchmark = registry.of(problem)
        profile = self._profile or reference.profile
        rules = self._rules_of(profile, benchmark)
        blank = ReferenceFinding(
            problem.name, benchmark.name, reference.published, profile, ReferenceVerdict.missing, problem.unit
        )
        try:
            claim = _claim(reference, _adapt(benchmark, problem, rules) or problem)
            if claim is None or (claim.makespan is None and claim.plan is None):
                return replace(blank, reason=claim.reason) if claim is not None and claim.reason else None
            return self._check_claim(blank, claim, problem, rules)
        except Exception as error:
            return replace(blank, verdict=ReferenceVerdict.not_checked, reason=fault_of(error))

    def check_submissions(self, entries: Entries) -> Iterator[ReferenceFinding]:
        """Yield a finding for each submission with a makespan, a plan, or both.

        An entry never raises an error, except `MemoryError`.
        """
        for place, entry in entries:
            yield self._check_submission(entry, as_place(place))

    def _check_submission(self, entry: object, place: SourceLine) -> ReferenceFinding:
        about = identity_of(entry.about if isinstance(entry, EntryError) else entry, "id", "instance", "model")
        profile = self._profile or "paper"
        blank = ReferenceFinding(
            about["instance"], None, about["model"] or UNNAMED, profile, ReferenceVerdict.not_checked,
            id=about["id"], source=place.source, line=place.line,
        )  # fmt: skip
        try:
            if isinstance(entry, InputError):
                raise entry
            submission = check_submission(entry)
            problem = self._problems.find(submission["instance"])
            benchmark = registry.of(problem)
            blank = replace(blank, instance=problem.name, benchmark=benchmark.name, unit=problem.unit)
            return self._check_claim(blank, _submitted_claim(submission), problem, self._rules_of(profile, benchmark))
        except MemoryError:
            raise
        except Exception as error:
            return replace(blank, reason=fault_of(error))

    def _rules_of(self, profile: str, benchmark: AnyBenchmark) -> Rules:
        if profile not in self._rules:
            self._rules[profile] = profiles(profile, self._options)
        return self._rules[profile][benchmark.name]

    def _check_claim(self, blank: ReferenceFinding, claim: Claim, problem: Problem, rules: Rules) -> ReferenceFinding:
        benchmark = registry.of(problem)
        adapted = _adapt(benchmark, problem, rules)
        best = Result(problem.name, Status.infeasible) if adapted is None else self._best(benchmark, adapted, rules)
        length = None if claim.plan is None else _plan_length(benchmark, problem, claim.plan, rules)
        check = check_reference(claim.makespan, length, best, problem.unit)
        if claim.answers is not None:
            check = check_among(check, claim.answers)
        claimed = claim.makespan
        violation = None
        reasons = [check.reason]
        if length is None:
            reasons.append(claim.reason)
        else:
            violation = length.violation
            if claimed is None:
                claimed = length.makespan
        status, optimum = best.status, best.makespan if best.status == Status.optimal else None
        if check.verdict == ReferenceVerdict.optimal and claim.answers is None:
            status, optimum = Status.optimal, claimed
        off = gap = None
        if check.base is not None and claimed is not None:
            off = claimed - check.base
            gap = off / check.base if check.base else None
        return replace(
            blank,
            verdict=check.verdict,
            claimed=claimed,
            feasible=check.feasible,
            violation=violation,
            optimum=optimum,
            bound=best.lower_bound,
            status=status,
            off=off,
            gap=gap,
            reason="; ".join(filter(None, reasons)),
        )

    def _best(self, benchmark: AnyBenchmark, problem: Problem, rules: Rules) -> BestKnown:
        optimum = benchmark.formula_optimum(problem)
        if optimum is not None:
            return Result(problem.name, Status.optimal, optimum, optimum, proof="formula")
        return self._oracle.best(problem, rules)


def _adapt(benchmark: AnyBenchmark, problem: Problem, rules: Rules) -> Problem | None:
    """Return a problem under some rules; ``None`` if it is then infeasible."""
    try:
        adapted: Problem = benchmark.under(problem, rules)
    except InputError:
        return None
    return adapted


def _claim(reference: Reference[Any], problem: Problem) -> Claim | None:
    if isinstance(reference.source, str):
        answer = run(of_kind(problem, Instance), reference.source)
        makespan = answer.makespan if answer.claim is None else answer.claim
        return None if makespan is None else Claim(makespan, reason=answer.reason)
    claim = reference.source(problem)
    return claim if isinstance(claim, Claim) else None


def _submitted_claim(submission: dict[str, Any]) -> Claim:
    """Return the claim of a submission, or of a row of ``planoracle grade``."""
    makespan = submission.get("makespan")
    if is_grade(submission):
        if submission.get("scored") is not True or submission.get("success") is not True or makespan is None:
            raise InputError(
                "is the grade of an unsuccessful plan; only successful plans state a makespan", field="submission"
            )
        return Claim(ticks(makespan))
    return Claim(makespan, plan=submission if holds_plan(submission) else None)


def _plan_length(benchmark: AnyBenchmark, problem: Problem, plan: object, rules: Rules) -> PlanLength:
    """Replay a plan; raises `InputError` for an unreadable one."""
    replayed = benchmark.run(problem, plan, rules)
    if replayed.success and replayed.makespan is not None:
        return PlanLength(replayed.makespan)
    fatal = replayed.verdict.fatal or next(iter(replayed.verdict.violations), None)
    if fatal is None:
        return PlanLength(None, "incomplete", replayed.impossible or "its plan does not complete the problem")
    position = "" if fatal.position is None else f" (command {fatal.position})"
    kind = fatal.kind.replace("_", " ")
    violation = kind if fatal.message == kind else f"{kind}, {fatal.message}"
    return PlanLength(None, fatal.kind, f"its plan fails: {violation}{position}")
