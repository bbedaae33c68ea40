"""The work on single plans, as every worker process does it; problems are loaded and solved once in each.

All of it is done in guarded processes (see `planoracle.analysis.batch.guard`), so that no plan takes more than it may.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from planoracle.analysis.batch.guard import guarded
from planoracle.analysis.batch.limits import MAX_ANSWER, NO_LIMITS, LimitError, Limits, too_long
from planoracle.analysis.batch.work import Answer, Chunk, pack
from planoracle.analysis.critique import critique_of
from planoracle.analysis.grade import Grade, Grader
from planoracle.analysis.oracle import Oracle
from planoracle.analysis.places import Places
from planoracle.analysis.problems import Problems
from planoracle.analysis.profiles import profiles
from planoracle.analysis.regret import regret_of
from planoracle.analysis.report import details
from planoracle.analysis.report.charts import chart, drawn
from planoracle.analysis.report.encode import packed, plain
from planoracle.analysis.submissions import fault_of
from planoracle.instances import registry
from planoracle.instances.benchmark import AnyRun
from planoracle.instances.deadline import Work, worked
from planoracle.instances.errors import PlanoracleError
from planoracle.instances.feedback import clock_of
from planoracle.instances.problem import Problem
from planoracle.instances.profiles import Rules
from planoracle.solver.result import versions

__all__ = ["Bench", "Options", "Priced", "Shown", "bench", "charted", "priced", "shown"]

# Work for one state of a run, in seconds.
_SITUATION = 10.0
# Runs of more commands are not priced.
_MAX_PRICED = 1_000


class Options(NamedTuple):
    """What decides how plans are judged.

    Name of the rule profile, problems and rules by name, files that plans may name, and what a plan may take.
    """

    profile: str = "paper"
    problems: tuple[tuple[str, Problem], ...] = ()
    rules: tuple[tuple[str, str], ...] = ()
    places: Places = Places()
    limits: Limits = NO_LIMITS

    def chosen(self) -> dict[str, Rules]:
        """Return the rules of every benchmark; raises `UnknownNameError` for unknown ones."""
        return profiles(self.profile, dict(self.rules))


@dataclass(frozen=True, slots=True)
class Shown:
    """A plan graded (without the lists that make grades large), its sheet as JSON, and the kind of its problem."""

    grade: Grade
    faults: int
    sheet: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Priced:
    """The decisions of a plan as JSON; what they cost in all, and the optimum (``None``: not proved).

    ``lost``: by how many ticks the best completion of a run that failed is above the optimum.
    """

    sheet: str
    total: int | None
    optimum: int | None
    lost: int | None = None


class Bench:
    """Grades, explains and prices plans under one profile."""

    def __init__(self, options: Options) -> None:
        self.rules = options.chosen()
        self.oracle = Oracle()
        problems = Problems(named=dict(options.problems), places=options.places)
        self.grader = Grader(self.rules, problems=problems, oracle=self.oracle)

    def chart(self, name: str) -> str | None:
        """Return the chart of a problem as JSON, ``None`` if there is none that can be drawn."""
        try:
            problem = self.grader.problems.find(name)
            return packed(chart(problem, self.rules[problem.benchmark], self.oracle))
        except PlanoracleError:  # every plan for it says why it is not graded
            return None

    def show(self, submission: dict[str, Any]) -> Shown:
        """Grade and explain a submission; like grading, this never raises for what it holds."""
        try:
            run = self.grader.run(submission)
            grade = self.grader.graded(run, submission)
        except MemoryError:
            raise
        except Exception as error:
            return self.refused(submission, error)
        try:
            sheet = self._sheet(run)
        except MemoryError:
            raise
        except Exception as error:  # the grade stands, whatever becomes of its explanation
            sheet = {"fault": plain(fault_of(error), 1000)}
        fields = registry.of(run.problem).plan_fields
        sheet |= {"metrics": details.metrics(grade), "plan": details.plan_text(submission, fields)}
        return Shown(grade.without_details(), len(grade.violations or ()), packed(sheet), run.problem.kind)

    def refused(self, submission: dict[str, Any], error: Exception) -> Shown:
        """Return what is shown of a submission that cannot be graded."""
        grade = self.grader.unscored(submission, error)
        return Shown(grade, 0, packed({"plan": details.plan_text(submission)}))

    def _sheet(self, run: AnyRun) -> dict[str, Any]:
        report = critique_of(run, oracle=self.oracle, regret=False)
        return drawn(run) | {"faults": details.faults(report.sections), "critic": details.prose(report.prose())}

    def price(self, submission: dict[str, Any], seconds: float) -> Priced | None:
        """Price the decisions of a submission that has been graded; ``None`` if they cannot be.

        ``seconds`` is the work at most, in seconds of a quiet core.
        """
        try:
            run = self.grader.run(submission)
            count = len(run.verdict.events)
            if count > _MAX_PRICED:
                return None
            found = regret_of(run, seconds=Work(min(_SITUATION, max(0.01, seconds / (count + 1)))))
            sheet = packed(details.regret_sheet(found, clock_of(run.problem)))
        except MemoryError:
            raise
        except Exception:  # the page says that the decisions are not priced
            return None
        lost = None
        if not found.success and found.completion is not None and found.optimum is not None:
            lost = found.completion - found.optimum
        return Priced(sheet, found.total, found.optimum, lost)

    def priced(self, submission: dict[str, Any], seconds: float) -> tuple[Priced | None, int]:
        """Return what `price` does, and what counted work it took, in nanoseconds."""
        began = worked()
        return self.price(submission, seconds), worked() - began


@lru_cache(maxsize=1)
def bench(options: Options) -> Bench:
    """Return the bench of this process."""
    return Bench(options)


class _Benchwork(NamedTuple):
    """Has a bench answer questions: a task is the name of one of its methods, and what that is given."""

    options: Options

    @property
    def versions(self) -> tuple[tuple[str, str], ...]:
        return tuple(versions().items())

    @property
    def limits(self) -> Limits:
        return self.options.limits

    def start(self) -> Callable[[Chunk], Iterator[Answer]]:
        return lambda chunk: (self._answer(*pickle.loads(task)) for task in chunk.tasks)

    def refused(self, task: bytes, error: LimitError) -> Answer:
        question, given, *_ = pickle.loads(task)
        return Answer(None, value=bench(self.options).refused(given, error) if question == "show" else None)

    def _answer(self, question: str, *given: Any) -> Answer:
        value = getattr(bench(self.options), question)(*given)
        if question == "show" and len(value.sheet) > MAX_ANSWER:
            value = bench(self.options).refused(given[0], too_long("explanation"))
        return Answer(None, value=value)


def _asked(options: Options, tasks: Iterable[tuple[Any, ...]]) -> list[Any]:
    return [answer.value for answer in guarded(_Benchwork(options), Chunk([pack(task) for task in tasks])).answers]


def charted(options: Options, name: str) -> str | None:
    """Return what `Bench.chart` does; nothing for what takes more than it may."""
    (found,) = _asked(options, [("chart", name)])
    return found  # type: ignore[no-any-return]


def shown(options: Options, submissions: Iterable[dict[str, Any]]) -> list[Shown]:
    """Return what `Bench.show` does of each; those that take more than they may are not graded."""
    return _asked(options, [("show", one) for one in submissions])


def priced(options: Options, submission: dict[str, Any], seconds: float) -> tuple[Priced | None, int]:
    """Return what `Bench.price` does, and the work it took in nanoseconds; nothing for what takes more than it may."""
    (found,) = _asked(options, [("priced", submission, seconds)])
    return (None, int(seconds * 1e9)) if found is None else found
