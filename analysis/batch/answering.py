"""Submissions answered one by one in worker processes, for audits, regrets, critiques and repairs."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from functools import partial
from typing import Any, TypeAlias, TypeVar

from planoracle.analysis.batch.pool import WorkerPool
from planoracle.analysis.batch.process import Ready, TaskFailure
from planoracle.analysis.batch.worker import TaskLimits
from planoracle.analysis.intake.places import EntryError
from planoracle.analysis.problems import Problems
from planoracle.analysis.submissions import INTERNAL, Answer, Entries, answers
from planoracle.instances.errors import InputError
from planoracle.instances.problem import Problem

T = TypeVar("T")
#: Answers entries one by one, also those that are errors.
Each: TypeAlias = Callable[[Entries], Iterable[T]]


def answers_within(
    entries: Entries, function: Callable[[Problem, dict[str, Any]], T], problems: Problems, limits: TaskLimits
) -> Iterator[Answer[T]]:
    """Yield what `planoracle.analysis.submissions.answers` does, computed in worker processes.

    Parameters
    ----------
    function
        Crosses a process boundary by pickle, as its values do.
    limits
        A submission that exceeds them is unanswered with this reason.
    """
    return each_within(entries, partial(answers, function=function, problems=problems), limits)


def each_within(entries: Entries, each: Each[T], limits: TaskLimits) -> Iterator[T]:
    """Yield the answer of a function to each entry; an entry that exceeds the limits is an error to the function."""
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
