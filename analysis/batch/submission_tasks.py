"""Batch tasks that grade or answer submissions, and the keys of their results."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b, file_digest
from typing import Any, TypeAlias, TypeVar

from planoracle.analysis.batch.tasks import Item, ResultRow, Work, answer_items
from planoracle.analysis.grading.grader import VERSION, Grader
from planoracle.analysis.grading.oracle import SolverOracle
from planoracle.analysis.grading.problem_loader import NO_PLACES, Places, Problems, Recent
from planoracle.analysis.intake.path_names import EntryError, SourceLine
from planoracle.analysis.intake.record_fields import is_grade
from planoracle.analysis.intake.submissions import INTERNAL, Entries
from planoracle.instances.errors import InputError
from planoracle.instances.model.cache import digest, fingerprint, of_text
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol import tool_classes
from planoracle.instances.workers.pool import TaskFailure, WorkerPool
from planoracle.instances.workers.worker import NO_LIMITS, TaskLimits

T = TypeVar("T")
#: Answers entries one by one, also those that are errors.
Each: TypeAlias = Callable[[Entries], Iterable[T]]


def each_within(entries: Entries, function: Each[T], limits: TaskLimits) -> Iterator[T]:
    """Yield the answer of a function to each entry; it gets an error for entries that exceed the limits."""
    items = (_entry_item(function, entry) for entry in entries)
    with WorkerPool(partial(_start, function), limits) as pool:
        for item, answer in answer_items(items, pool):
            if isinstance(answer, TaskFailure):
                (place, entry), error = item.about, answer.error
                fault = error if isinstance(error, InputError) else InputError(f"{INTERNAL}{error}")
                answer = _single(function, (place, EntryError(fault, entry)))
            yield answer


def _entry_item(function: Each[Any], entry: tuple[Any, Any]) -> Item:
    """Return the item of an entry; that of an error has its answer."""
    answer = _single(function, entry) if isinstance(entry[1], InputError) else None
    return Item(entry, entry, answer=answer)


def _start(function: Each[T]) -> Callable[[tuple[Any, Any]], T]:
    return partial(_single, function)


def _single(function: Each[T], entry: tuple[Any, Any]) -> T:
    (answer,) = function([entry])
    return answer


@dataclass(frozen=True)
class Grading(Work):
    """Grade submissions. The row of a submission is that of `Grade.row`, without ``line`` and ``source``.

    Attributes
    ----------
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

    trace: bool = False
    is_cached: bool = True
    limits: TaskLimits = NO_LIMITS
    own_limits: bool = True
    named: tuple[tuple[str, Problem], ...] = ()
    places: Places = NO_PLACES

    @property
    def settings(self) -> str:
        """Digest of everything that decides about grades, except problem and submission."""
        return replace(self, is_cached=True, named=(), places=NO_PLACES).key(VERSION, *tool_classes.digests())

    def start(self) -> Callable[[Any], ResultRow]:
        """Return the function that grades one submission."""
        grader = Grader(
            self.rules_by_benchmark,
            problems=Problems(named=dict(self.named), places=self.places),
            oracle=SolverOracle(is_cached=self.is_cached),
            own_limits=self.own_limits,
            details=self.trace,
        )
        return partial(self._row, grader)

    def _row(self, grader: Grader, submission: Any) -> ResultRow:
        grade = grader.grade(submission)
        row = grade.row(trace=self.trace)
        del row["line"], row["source"]
        is_temporary = (grade.reason or "").startswith((INTERNAL, "benchmark "))
        return ResultRow(json.dumps(row), is_lasting=not is_temporary)


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
        about: tuple[SourceLine, Any] = (place, entry)
        error: InputError | None = None
        key = None
        if isinstance(entry, InputError):
            about = (place, entry.about if isinstance(entry, EntryError) else None)
            error = entry
        elif is_grade(entry):
            error = InputError("is a grade among submissions; summarize grades separately")
        elif self._settings is not None:
            try:
                key = self._key(self._settings, entry)
            except RecursionError:
                error = InputError("is nested too deeply")
        return Item(about, entry, key, None if error is None else TaskFailure(error))

    def _key(self, settings: str, entry: Any) -> str:
        name = entry.get("instance") if isinstance(entry, dict) else None
        content = None
        if isinstance(name, str):
            content = self._contents.get(name, partial(self._content, name))
        return of_text(f"{settings} {content} {json.dumps(entry)}")

    def _content(self, name: str) -> str:
        """Return a digest of the problem of a name: of the bytes where it is a file, which only workers read."""
        try:
            path = self._problems.path_of(name)
            if path is None:
                return fingerprint(self._problems.find(name))
            with open(path, "rb") as stream:
                return f"{name} {file_digest(stream, blake2b).hexdigest()}"
        except (InputError, OSError) as error:
            return digest(str(error))
