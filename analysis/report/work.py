"""Entries of the report's input, and the functions that workers apply to them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from planoracle.analysis.batch.tasks import Work
from planoracle.analysis.diagnosis.critique import critique_of
from planoracle.analysis.diagnosis.regret import regret_of
from planoracle.analysis.grading.grade_row import grade_of, unread_grade
from planoracle.analysis.grading.grader import Grade, Grader
from planoracle.analysis.grading.oracle import SolverOracle
from planoracle.analysis.grading.problem_loader import NO_PLACES, Places, Problems
from planoracle.analysis.intake.path_names import SourceLine, as_place
from planoracle.analysis.intake.record_fields import identity_of, is_grade
from planoracle.analysis.intake.submissions import Entries, fault_of
from planoracle.analysis.report import details
from planoracle.analysis.report.charts import chart, chart_of_run
from planoracle.analysis.report.details import compact_json, plain
from planoracle.instances.errors import InputError, PlanoracleError
from planoracle.instances.model.limits import WorkLimit, counted_work
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol import registry
from planoracle.instances.workers.worker import NO_LIMITS, TaskLimits

# Fields with names and origin of a submission, which do not affect its grade.
_NAMES = {"id", "model", "sample", "epoch", "line", "source"}


@dataclass(frozen=True, slots=True)
class ReportEntry:
    """One entry: a ``submission`` to be graded, or a ``grade``, which may be that of an unreadable line.

    ``number`` is its line in a single file, else its position among all entries.
    """

    place: SourceLine
    number: int
    submission: dict[str, Any] | None = None
    grade: Grade | None = None

    @property
    def instance(self) -> str | None:
        """Name of the problem, if it is text."""
        name = self.grade.instance if self.submission is None else self.submission.get("instance")  # type: ignore[union-attr]
        return name if isinstance(name, str) else None

    @property
    def sample(self) -> str | int | None:
        """Sample number or name of the submission, if any."""
        if self.submission is None:
            return None if self.grade is None else self.grade.sample
        return identity_of(self.submission, "sample")["sample"]  # type: ignore[no-any-return]

    @property
    def key(self) -> str:
        """Key of submissions that differ only in name and model, so they have the same results."""
        if self.submission is None:
            return str(self.place)
        content = {name: value for name, value in self.submission.items() if name not in _NAMES}
        try:
            return json.dumps(content, sort_keys=True)
        except (RecursionError, TypeError, ValueError):
            return str(self.place)


def entries_of(entries: Entries) -> Iterator[ReportEntry]:
    """Yield an entry for each line of `planoracle.analysis.intake.submissions.Intake`."""
    for count, (location, content) in enumerate(entries, 1):
        place = as_place(location)
        number = place.line if place.source is None else count
        if isinstance(content, InputError):
            yield ReportEntry(place, number, grade=unread_grade(content, place))
        elif not isinstance(content, dict):
            error = InputError("must be an object with instance and plan", field="submission", value=content)
            yield ReportEntry(place, number, grade=unread_grade(error, place))
        elif is_grade(content):
            yield ReportEntry(place, number, grade=replace(grade_of(content, place), **_origin(content)))
        else:
            yield ReportEntry(place, number, submission=content)


def _origin(row: dict[str, Any]) -> dict[str, Any]:
    """Return file and line of the submission of a grade, if its row names them."""
    source, line = row.get("source"), row.get("line")
    if isinstance(source, str) and type(line) is int:
        return {"source": source, "line": line}
    return {}


# Work for one state of a run, in seconds.
_SITUATION = 10.0
# Maximum number of commands of a run whose regret is computed.
_MAX_PRICED = 1_000


@dataclass(frozen=True)
class ReportOptions(Work):
    """Options of grading: rules, problems by name, files that plans may name, and limits per plan."""

    problems: tuple[tuple[str, Problem], ...] = ()
    places: Places = NO_PLACES
    limits: TaskLimits = NO_LIMITS

    def start(self) -> Callable[[tuple[Any, ...]], Any]:
        """Return the function that answers a task: the name of a method of `Bench`, and its arguments."""
        bench = Bench(self)

        def answer(task: tuple[Any, ...]) -> Any:
            name, *arguments = task
            return getattr(bench, name)(*arguments)

        return answer


@dataclass(frozen=True, slots=True)
class GradedSheet:
    """Grade of a plan without its long lists, its details as JSON, and the kind of its problem."""

    grade: Grade
    faults: int
    sheet: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class DecisionSheet:
    """Decisions of a plan as JSON, their total regret, and the optimum (``None``: not proved).

    ``lost``: ticks by which the best completion of a failed run exceeds the optimum.
    """

    sheet: str
    total: int | None
    optimum: int | None
    lost: int | None = None


class Bench:
    """Functions of a worker: grade and explain plans, and compute regrets, under one profile."""

    def __init__(self, options: ReportOptions) -> None:
        self.rules = options.rules_by_benchmark
        self.oracle = SolverOracle()
        problems = Problems(named=dict(options.problems), places=options.places)
        self.grader = Grader(self.rules, problems=problems, oracle=self.oracle, details=False)

    def chart(self, name: str) -> str | None:
        """Return the chart of a problem as JSON, ``None`` if the problem cannot be read."""
        try:
            problem = self.grader.problems.find(name)
            return compact_json(chart(problem, self.rules[problem.benchmark], self.oracle))
        except PlanoracleError:  # the grades of its plans have the reason
            return None

    def show(self, submission: dict[str, Any]) -> GradedSheet:
        """Grade and explain a submission; invalid submissions raise no error."""
        try:
            run = self.grader.run(submission)
            grade = self.grader.grade_run(run, submission)
        except MemoryError:
            raise
        except Exception as error:
            return ungraded_sheet(self.grader, submission, error)
        try:
            report = critique_of(run, oracle=self.oracle, regret=False)
            critic = {"faults": details.faults(report.sections), "critic": details.prose(report.prose())}
            sheet = chart_of_run(run) | critic
        except MemoryError:
            raise
        except Exception as error:  # the grade is valid without an explanation
            sheet = {"fault": plain(fault_of(error), 1000)}
        plan_fields = registry.of(run.problem).plan_fields
        sheet |= {"metrics": details.metrics(grade), "plan": details.plan_text(submission, plan_fields)}
        number_of_faults = len(grade.violations or ())
        return GradedSheet(grade.without_details(), number_of_faults, compact_json(sheet), run.problem.kind)

    def price(
        self, share: float, share_per_plan: float, submissions: list[dict[str, Any]]
    ) -> tuple[list[DecisionSheet | None], int]:
        """Return the regrets of some plans, and the counted work that they took, in nanoseconds.

        Parameters
        ----------
        share, share_per_plan
            Maximum work for all plans and for one of them, in seconds of a quiet core.
        """
        start = counted_work()
        regrets: list[DecisionSheet | None] = []
        for submission in submissions:
            seconds = (counted_work() - start) / 1e9
            remaining = min(share_per_plan, share - seconds)
            regrets.append(self._price(submission, remaining) if remaining > 0 else None)
        return regrets, counted_work() - start

    def _price(self, submission: dict[str, Any], seconds: float) -> DecisionSheet | None:
        """Compute the regrets of a graded submission; ``None`` if that fails.

        ``seconds`` is the work at most, in seconds of a quiet core.
        """
        try:
            run = self.grader.run(submission)
            count = len(run.verdict.events)
            if count > _MAX_PRICED:
                return None
            seconds_per_state = max(0.01, seconds / (count + 1))
            regret = regret_of(run, seconds=WorkLimit(min(_SITUATION, seconds_per_state)))
            sheet = compact_json(details.regret_sheet(regret, run.benchmark.clock(run.problem)))
        except MemoryError:
            raise
        except Exception:  # the page reports that the regret is not computed
            return None
        lost = None
        if not regret.success and regret.completion is not None and regret.optimum is not None:
            lost = regret.completion - regret.optimum
        return DecisionSheet(sheet, regret.total, regret.optimum, lost)


def ungraded_sheet(grader: Grader, submission: dict[str, Any], error: Exception) -> GradedSheet:
    """Return the sheet of a submission that cannot be graded."""
    grade = grader.unscored_grade(submission, error)
    return GradedSheet(grade, 0, compact_json({"plan": details.plan_text(submission)}))
