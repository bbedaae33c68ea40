"""Batch tasks that grade or answer submissions, and the keys of their results."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from typing import Any, TypeAlias, TypeVar

from planoracle.analysis.batch.pool import Ready, TaskFailure, WorkerPool
from planoracle.analysis.batch.tasks import Item, ResultRow
from planoracle.analysis.batch.worker import NO_LIMITS, TaskLimits
from planoracle.analysis.grading.grader import VERSION, Grade, Grader
from planoracle.analysis.grading.oracle import SolverOracle
from planoracle.analysis.grading.problem_loader import NO_PLACES, Places, Problems, Recent
from planoracle.analysis.grading.rule_options import profiles
from planoracle.analysis.intake.path_names import EntryError, SourceLine
from planoracle.analysis.intake.record_fields import is_grade
from planoracle.analysis.intake.submissions import INTERNAL, Entries, SubmissionResult, answers
from planoracle.instances.errors import InputError
from planoracle.instances.model.cache import FORMAT, digest, fingerprint, of_text
from planoracle.instances.model.problem import Problem
from planoracle.solver.result import versions

T = TypeVar("T")
#: Answers entries one by one, also those that are errors.
Each: TypeAlias = Callable[[Entries], Iterable[T]]


def answers_within(
    entries: Entries, function: Callable[[Problem, dict[str, Any]], T], problems: Problems, limits: TaskLimits
) -> Iterator[SubmissionResult[T]]:
    """Yield what `planoracle.analysis.intake.submissions.answers` does, computed in worker processes.

    Parameters
    ----------
    function
        Crosses a process boundary by pickle, as its values do.
    limits
        A submission that exceeds them is unanswered with this reason.
    """
    return each_within(entries, partial(answers, function=function, problems=problems), limits)


def each_within(entries: Entries, each: Each[T], limits: TaskLimits) -> Iterator[T]:
    """Yield the answer of a function to each entry; it gets an error for entries that exceed the limits."""
    places: deque[tuple[Any, Any]] = deque()

    def tasks() -> Iterator[Any]:
        for place, entry in entries:
            places.append((place, entry))
            yield Ready(_single(each, (place, entry))) if isinstance(entry, InputError) else (place, entry)

    with closing(WorkerPool(partial(_start, each), limits)) as pool:
        for answer in pool.map(tasks()):
            place, entry = places.popleft()
            if isinstance(answer, TaskFailure):
                error = (
                    answer.error if isinstance(answer.error, InputError) else InputError(f"{INTERNAL}{answer.error}")
                )
                answer = _single(each, (place, EntryError(error, entry)))
            yield answer


def _start(each: Each[T]) -> Callable[[tuple[Any, Any]], T]:
    return partial(_single, each)


def _single(each: Each[T], entry: tuple[Any, Any]) -> T:
    (answer,) = each([entry])
    return answer


@dataclass(frozen=True)
class Grading:
    """Grade submissions. The row of a submission is that of `Grade.row`, without ``line`` and ``source``.

    Attributes
    ----------
    profile, rules
        Name of the rule profile, and single rules by name.
    trace
        As in `Grade.row`.
    is_cached
        Whether proved optima are kept on the disk; does not change any grade.
    own_limits
        Whether a submission may set its run a limit of its own.
    named
        Problems that submissions may name, by name.
    places
        Files that submissions may name; the worker reads them.
    """

    profile: str = "paper"
    rules: tuple[tuple[str, str], ...] = ()
    trace: bool = False
    is_cached: bool = True
    limits: TaskLimits = NO_LIMITS
    own_limits: bool = True
    named: tuple[tuple[str, Problem], ...] = ()
    places: Places = NO_PLACES
    versions: tuple[tuple[str, str], ...] = tuple(versions().items())

    @property
    def settings(self) -> str:
        """Digest of everything that decides about grades, except problem and submission."""
        options = (self.profile, dict(self.rules), self.trace, tuple(self.limits), self.own_limits)
        return digest("grade", FORMAT, VERSION, *options, self.versions)

    def grader(self) -> Grader:
        """Return a grader; raises `UnknownNameError` for unknown rules."""
        rules = profiles(self.profile, dict(self.rules))
        problems = Problems(named=dict(self.named), places=self.places)
        oracle = SolverOracle(is_cached=self.is_cached)
        return Grader(rules, problems=problems, oracle=oracle, own_limits=self.own_limits, details=self.trace)

    def start(self) -> Callable[[Any], ResultRow]:
        """Return the function that grades one submission."""
        grader = self.grader()
        return lambda submission: self._row(grader.grade(submission))

    def unscored_grade(self, place: SourceLine, submission: object, failure: TaskFailure) -> Grade:
        """Return the grade of a submission that a worker could not grade."""
        return Grader().unscored_grade(submission, failure.error, place)

    def _row(self, grade: Grade) -> ResultRow:
        row = grade.row(trace=self.trace)
        del row["line"], row["source"]
        return ResultRow(json.dumps(row), is_lasting=not (grade.reason or "").startswith(INTERNAL))


class Submissions:
    """Makes items of submissions.

    Parameters
    ----------
    is_keyed
        Whether results are to be stored, for which everything they depend on must be known.
    """

    def __init__(self, work: Grading, *, is_keyed: bool) -> None:
        self._settings = work.settings if is_keyed else None
        self._problems = Problems(named=dict(work.named), places=work.places)
        self._contents: Recent[str, str] = Recent(4096)

    def item(self, place: SourceLine, entry: Any) -> Item:
        """Return the item of one submission, or of the error that there is instead."""
        if isinstance(entry, InputError):
            return Item((place, entry.about if isinstance(entry, EntryError) else None), answer=TaskFailure(entry))
        if is_grade(entry):
            error = InputError("is a grade among submissions; grades are summarized by themselves")
            return Item((place, entry), answer=TaskFailure(error))
        key = None
        if self._settings is not None:
            name = entry.get("instance") if isinstance(entry, dict) else None
            content = self._contents.get(name, lambda: self._content(name)) if isinstance(name, str) else None
            try:
                key = of_text(f"{self._settings} {content} {json.dumps(entry)}")
            except RecursionError:
                return Item((place, entry), answer=TaskFailure(InputError("is nested too deeply")))
        return Item((place, entry), entry, key)

    def _content(self, name: str) -> str:
        """Return a digest of the problem of a name: of the bytes where it is a file, which only workers read."""
        try:
            path = self._problems.path_of(name)
            if path is None:
                return fingerprint(self._problems.find(name))
            with open(path, "rb") as stream:
                digested = blake2b(digest_size=16)
                while piece := stream.read(2**20):
                    digested.update(piece)
            return f"{name} {digested.hexdigest()}"
        except (InputError, OSError) as error:
            return digest(str(error))
