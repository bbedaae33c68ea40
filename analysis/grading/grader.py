"""Grader of submitted plans: replay by the rules, metrics of the benchmark, and the optimum."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final

from planoracle.analysis.grading.oracle import SolverOracle
from planoracle.analysis.grading.problem_loader import Problems
from planoracle.analysis.grading.rule_options import complete_rules
from planoracle.analysis.intake.path_names import EntryError, SourceLine, as_place
from planoracle.analysis.intake.record_fields import check_submission, identity_of
from planoracle.analysis.intake.submissions import Entries, fault_of
from planoracle.instances.errors import InputError
from planoracle.instances.files import catalog
from planoracle.instances.model.limits import Status
from planoracle.instances.model.violations import Replay
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.benchmark import AnyRun
from planoracle.instances.protocol.plan import NO_PLAN, UnreadError
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.scoring import DETAILS, PROGRESS_OVER_TIME
from planoracle.solver.solve import stated_optimum

#: Format and version of rows of grades. The version grows when a field changes its meaning or is removed.
FORMAT: Final = "planoracle/grade"
VERSION: Final = 3
#: Cause of a submission without a verdict.
NOT_SCORED: Final = "not scored"
# Prefix of a common field in a row if the benchmark has a metric of the same name.
_COVERED: Final = "run_"


@dataclass(frozen=True, slots=True)
class Grade:
    """Verdict on one submission, or the reason for the lack of one.

    Attributes
    ----------
    instance
        Name of the problem.
    success
        True if every task is complete and no violation ended the run.
    id, model
        Identifier of the submission, and the model that submitted it; ``None`` if it names none.
    benchmark
        Benchmark of the rules and metrics; ``None`` if the instance is unknown.
    scored
        False if the submission could not be graded; all metrics are then ``None``.
    failure_cause
        Cause of the failure of a scored plan, see `cause_of`; ``not scored``; ``None`` for a success.
    violation, violation_index
        Kind and position (from 0, in order of execution) of the violation that ended the run. An answer without a
        plan has one of `planoracle.instances.protocol.plan.FAULTS` and no position.
    violations
        All violations of the whole plan, see `planoracle.instances.model.violations.Violation.as_dict`.
    executed
        Number of commands carried out.
    progress, goal_ratio
        Share of the actions carried out, and of the tasks completed.
    main_score
        Main metric of the benchmark, usually from 0 to 1; ``None`` if it is not defined.
    makespan, optimal_makespan
        Ticks; the latest end of a command carried out, and the proved optimum. It is ``None`` if it is unproved, and
        for a plan whose optional tasks weigh less than is best, see `weight`.
    optimum_status, optimum_bound
        Status of the optimum: ``optimal`` (proved), ``feasible`` (a plan exists), ``infeasible`` (proved) or
        ``unknown``; and the proved lower bound in ticks.
    sample
        Number or name of one of several attempts at the problem; ``None`` for a single one.
    line, source
        Place of the submission, see `planoracle.analysis.intake.path_names.SourceLine`.
    reason
        Reason why the submission is not scored.
    foreign
        Number of commands of an unsuccessful plan with names that the problem does not have.
    other_problem
        Reason why the plan is probably for another problem, see `planoracle.instances.protocol.run.MismatchEvidence`.
    read, read_from, ignored
        Number of steps read, the part of the submission they were read from, and the number of ignored lines that look
        like steps; see `planoracle.instances.protocol.plan.Reading`.
    metrics
        Metrics of the benchmark, see `planoracle.instances.protocol.scoring.MetricSet`.
    """

    id: str | None
    instance: str | None
    scored: bool
    success: bool | None = None
    failure_cause: str | None = None
    violation: str | None = None
    violation_index: int | None = None
    violations: tuple[dict[str, Any], ...] | None = None
    executed: int | None = None
    progress: float | None = None
    goal_ratio: float | None = None
    main_score: float | None = None
    makespan: int | None = None
    optimal_makespan: int | None = None
    optimum_status: str | None = None
    optimum_bound: int | None = None
    benchmark: str | None = None
    model: str | None = None
    sample: int | str | None = None
    source: str | None = None
    line: int | None = None
    reason: str | None = None
    foreign: int | None = None
    other_problem: str | None = None
    read: int | None = None
    read_from: str | None = None
    ignored: int | None = None
    metrics: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Set the cause of a failure."""
        if self.failure_cause is None:
            object.__setattr__(self, "failure_cause", cause_of(self))

    def __str__(self) -> str:
        """Return the verdict in three lines, or the reason of an unscored grade in one.

        >>> print(Grader().grade({"id": "1", "instance": "timearena/household1", "plan": ["wash cup", "wait"]}))
        timearena/household1: failure (unfinished), progress 19%
        makespan 4 ticks, optimum 13 ticks
        main score 0.19
        """
        if not self.scored:
            return f"{self.instance}: not scored: {self.reason}"
        at = "" if self.violation_index is None else f" at command {self.violation_index}"
        failure = f"failure ({self.failure_cause}{at}), progress {self.progress or 0:.0%}"
        verdict = "success" if self.success else failure
        best = "optimum not proved" if self.optimal_makespan is None else f"optimum {self.optimal_makespan} ticks"
        best = self.weight_note or best
        score = "not defined" if self.main_score is None else f"{self.main_score:.2f}"
        return f"{self.instance}: {verdict}\nmakespan {self.makespan} ticks, {best}\nmain score {score}"

    @property
    def weight(self) -> int | None:
        """Total weight of the optional tasks that a successful plan executes; ``None`` without such tasks."""
        return self.metrics.get("weight")

    @property
    def weight_note(self) -> str:
        """Reason why the makespan of a success is not compared with the optimum; may be empty."""
        best_weight = self.metrics.get("best_weight")
        if not self.success or self.weight is None or self.weight == best_weight:
            return ""
        best = "unknown" if best_weight is None else str(best_weight)
        return f"weight {self.weight} of its optional tasks, best weight {best}: not compared with the optimum"

    @classmethod
    def of_run(cls, run: AnyRun, oracle: SolverOracle, *, details: bool = True, **about: Any) -> Grade:
        """Return the grade of a run; ``about`` are the fields of the submission.

        Without ``details`` it lacks those of `DETAILS`.

        Parameters
        ----------
        run
            Replay of the submission.
        oracle
            Solver of optima.
        details
            False to omit the metrics of `DETAILS`.
        about
            Fields of the submission, such as ``id`` and ``model``.
        """
        benchmark = registry.of(run.problem)
        measurement = benchmark.metrics.measurement(run, oracle)
        run = measurement.run  # it may end earlier, at a limit that depends on the optimum
        optimum, claimed = measurement.optimum, stated_optimum(run.problem)
        figures_of_optimum = {
            "optimal_makespan": optimum.makespan,
            "optimum_status": "claimed" if isinstance(claimed, int) else optimum.status,
            "optimum_bound": optimum.lower_bound,
        }
        foreign = None if run.success else benchmark.foreign(run)
        figures_of_mismatch = {
            "foreign": foreign and len(foreign.names),
            "other_problem": foreign and foreign.suspicion(benchmark.mismatch_share),
        }
        figures_of_reading = {"read": run.plan.read, "read_from": run.plan.read_from, "ignored": run.plan.ignored}
        figures: dict[str, Any] = {"scored": True, **_figures_of_verdict(run.verdict)}
        figures |= figures_of_optimum | figures_of_mismatch | figures_of_reading | about
        metrics = benchmark.metrics.values(measurement, details=details)
        if isinstance(claimed, int):
            metrics["claimed_optimum"] = claimed
        if run.weight is not None:
            weights = {
                "weight": run.weight,
                "best_weight": optimum.weight,
                "weight_bound": optimum.weight_bound,
            }
            metrics |= weights
        if details:
            metrics[PROGRESS_OVER_TIME] = run.verdict.progress_over_time
        score = benchmark.main_score(figures | metrics)
        return cls(**figures, main_score=score, metrics=metrics)

    @property
    def contradiction(self) -> str | None:
        """Contradiction between the success of a plan and the proved optimum, ``None`` if there is none.

        >>> Grade("a", "b", True, success=True, makespan=9, optimum_status="optimal", optimum_bound=10).contradiction
        'the plan succeeds in 9 ticks, below the proved lower bound of 10'
        """
        if not self.success:
            return None
        if self.optimum_status == Status.infeasible:
            return "the plan succeeds although the problem is proved infeasible"
        weight_bound = self.metrics.get("weight_bound")
        if self.weight is not None and weight_bound is not None and self.weight > weight_bound:
            return f"the plan executes optional tasks of weight {self.weight}, above the proved bound of {weight_bound}"
        if self.makespan is not None and self.optimum_bound is not None and self.makespan < self.optimum_bound:
            return f"the plan succeeds in {self.makespan} ticks, below the proved lower bound of {self.optimum_bound}"
        return None

    def row(self, *, trace: bool = False) -> dict[str, Any]:
        """Return the grade as a flat row with the benchmark's metrics; `DETAILS` only with ``trace``.

        A metric takes the place of a common field of the same name, which then has the prefix ``run_``.

        Parameters
        ----------
        trace
            True to include `DETAILS`.
        """
        common = dict(zip(_COMMON, _values_of(self), strict=True))
        metrics = {name: value for name, value in self.metrics.items() if trace or name not in DETAILS}
        covered = {_COVERED + name: common[name] for name in metrics if name in common}
        return {"format": FORMAT, "version": VERSION} | common | metrics | covered

    @classmethod
    def of_row(cls, row: dict[str, Any], **changes: Any) -> Grade:
        """Return the grade of a `row`, with changes; ``line`` may be missing.

        Parameters
        ----------
        row
            Result of `row`; ``line`` may be missing.
        changes
            Fields with other values.
        """
        common, metrics = split_row(row)
        return cls(**{**common, "metrics": metrics, **changes})

    def without_details(self) -> Grade:
        """Return the grade without violations and `DETAILS`, which are most of its size."""
        metrics = {name: value for name, value in self.metrics.items() if name not in DETAILS}
        return replace(self, violations=None, metrics=metrics)


def _figures_of_verdict(verdict: Replay) -> dict[str, Any]:
    fatal = verdict.fatal
    return {
        "success": verdict.success,
        "violation": fatal.kind if fatal else None,
        "violation_index": fatal.position if fatal else None,
        "violations": tuple(violation.as_dict() for violation in verdict.violations),
        "executed": verdict.executed,
        "progress": verdict.progress,
        "goal_ratio": verdict.goal_ratio,
        "makespan": verdict.makespan,
    }


def cause_of(grade: Grade) -> str | None:
    """Return the cause of a failure in words.

    ``nothing read`` (the answer contains no plan), ``no time`` (an answer of AsyncHow without a readable time),
    ``ambiguous``, ``cut off``; the kind of the violation that ended the run; ``refused: KIND``, the first violation of
    a run that went on without the command and completed too little; ``unfinished``, without any violation.

    Examples
    --------
    >>> cause_of(Grade("a", "b", True, success=False, violation="no_plan"))
    'nothing read'
    >>> cause_of(Grade("a", "b", True, success=False, violations=({"kind": "too_early"},)))
    'refused: too early'
    """
    if not grade.scored:
        return NOT_SCORED
    if grade.success:
        return None
    if grade.violation is not None:
        return "nothing read" if grade.violation == NO_PLAN else grade.violation.replace("_", " ")
    first = next(iter(grade.violations or ()), None)
    return "unfinished" if first is None else f"refused: {first['kind'].replace('_', ' ')}"


def split_row(row: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the common fields of a row of a grade, and the metrics of its benchmark."""
    covered = _RENAMED.keys() & row.keys()
    common = {name: row[name] for name in _COMMON if name in row}
    common |= {_RENAMED[name]: row[name] for name in covered if _RENAMED[name] in common}
    none = _NOT_OWN.difference(_RENAMED[name] for name in covered)
    return common, {name: value for name, value in row.items() if name not in none and name not in covered}


_COMMON: Final = tuple(name for name in Grade.__slots__ if name != "metrics")
_RENAMED: Final = {_COVERED + name: name for name in _COMMON}
_NOT_OWN: Final = frozenset({"format", "version", *_COMMON})
_values_of: Final = attrgetter(*_COMMON)


class Grader:
    """Grades submissions; loads and solves every problem once.

    Parameters
    ----------
    rules
        Rules by benchmark, see `planoracle.analysis.grading.rule_options.profiles`; by default those of ``paper``.
    problems, oracle
        Loader of problems, and oracle that solves them.
    own_limits
        True if a submission may set a limit of its own run; else the limit of the problem applies.
    details
        True if grades have all of `DETAILS`, see `Grade.row`.
    """

    def __init__(
        self,
        rules: Mapping[str, Rules] | None = None,
        *,
        problems: Problems | None = None,
        oracle: SolverOracle | None = None,
        own_limits: bool = True,
        details: bool = True,
    ) -> None:
        self.rules = complete_rules(rules)
        self.details = details
        self.own_limits = own_limits
        self.problems = problems or Problems()
        self.oracle = oracle or SolverOracle()

    def grade(self, submission: object, place: SourceLine | int | None = None) -> Grade:
        """Grade one submission: ``{"instance", "plan"}`` and optionally ``"id"``, ``"model"``, ``"sample"``.

        A submission that cannot be graded, also by an internal error, gives an unscored grade with a reason. Only a
        `MemoryError` is raised.
        """
        try:
            return self.grade_run(self.run(submission), check_submission(submission), place)
        except MemoryError:
            raise
        except Exception as error:
            return self.unscored_grade(submission, error, place)

    def run(self, submission: object) -> AnyRun:
        """Replay one submission; raises `InputError` for an unreadable one."""
        problem = self.problems.find(check_submission(submission)["instance"])
        benchmark = registry.of(problem)
        if not self.own_limits and benchmark.submission_limit is not None and isinstance(submission, dict):
            submission = {name: value for name, value in submission.items() if name != benchmark.submission_limit.field}
        return benchmark.run(problem, submission, self.rules[benchmark.name])

    def grade_run(self, run: AnyRun, submission: dict[str, Any], place: SourceLine | int | None = None) -> Grade:
        """Grade a run of a submission."""
        about = {name: submission.get(name) for name in ("id", "instance", "model", "sample")}
        name = str(about["instance"])
        if name != run.problem.name and catalog.published_name(name) == run.problem.name:
            about["instance"] = run.problem.name
        about |= {"benchmark": run.problem.benchmark, **_place_fields(place)}
        grade = Grade.of_run(run, self.oracle, details=self.details, **about)
        if grade.contradiction is not None and registry.of(run.problem).is_bounded_by_optimum(run):
            raise registry.contradiction(run.problem, f"{grade.contradiction} ({submission.get('id')})")
        return grade

    def unscored_grade(self, submission: object, error: Exception, place: SourceLine | int | None = None) -> Grade:
        """Return the unscored grade of a submission, with the error as its reason."""
        about: dict[str, Any] = identity_of(submission, "id", "instance", "model", "sample")
        name = submission.get("instance") if isinstance(submission, dict) else None
        about |= _place_fields(place)
        if isinstance(error, UnreadError) and error.reading is not None:
            reading = error.reading
            about |= {"read": reading.read, "read_from": reading.read_from, "ignored": reading.ignored}
        return Grade(**about, benchmark=self._benchmark(name), scored=False, reason=fault_of(error))

    def _benchmark(self, name: Any) -> str | None:
        """Return the benchmark of a problem name, even of a problem that does not exist."""
        if not isinstance(name, str):
            return None
        head = name.partition("/")[0]
        problem = self.problems.peek(name)
        if problem is not None:
            return problem.benchmark
        return head if registry.find(head) is not None else None


def _place_fields(place: SourceLine | int | None) -> dict[str, Any]:
    return {} if place is None else as_place(place)._asdict()


def grade_all(entries: Entries, grader: Grader) -> Iterator[Grade]:
    """Grade all submissions; entries that are errors become unscored grades."""
    for position, entry in entries:
        place = as_place(position)
        if isinstance(entry, InputError):
            yield grader.unscored_grade(entry.about if isinstance(entry, EntryError) else None, entry, place)
        else:
            yield grader.grade(entry, place)


set_of = lru_cache(maxsize=4096)(catalog.set_of)


class MismatchCounter:
    """Counter of plans that are probably for other problems, by model and set.

    Examples
    --------
    >>> plan = {"id": "1", "model": "m", "instance": "timearena/lab1", "plan": ["wash cup", "pick leaf", "wash kettle"]}
    >>> print(*MismatchCounter([Grader().grade(plan)]).warnings())
    1 of 1 plans of m for timearena/lab/1 are probably for other problems: timearena/lab1: 3 of 3 commands name \
things that the problem lacks: cup, pick leaf, kettle
    """

    def __init__(self, grades: Iterable[Grade] = ()) -> None:
        self._plans: Counter[tuple[str, str]] = Counter()
        self._first: dict[tuple[str, str], tuple[int, str]] = {}
        for grade in grades:
            self.add(grade)

    def add(self, grade: Grade) -> None:
        """Count a grade."""
        name = grade.instance or ""
        key = (grade.model or "", set_of(name)[0] or name.rpartition("/")[0] or name)
        self._plans[key] += 1
        if grade.other_problem:
            count, example = self._first.get(key, (0, f"{name}: {grade.other_problem}"))
            self._first[key] = (count + 1, example)

    def warnings(self) -> list[str]:
        """Return a sentence for every model and set with such plans."""
        sentences = []
        for key, (count, example) in sorted(self._first.items()):
            model, set_name = key
            author = f" of {model}" if model else ""
            plans = f"{count} of {self._plans[key]} plans{author} for {set_name}"
            sentences.append(f"{plans} are probably for other problems: {example}")
        return sentences
