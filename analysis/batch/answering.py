"""Submissions answered one by one in a guarded process: by prices, reports, repairs."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any, TypeVar

from planoracle.analysis.batch.guard import Guard, guarding
from planoracle.analysis.batch.limits import MAX_ANSWER, LimitError, Limits, too_long
from planoracle.analysis.batch.work import Answer, Chunk, pack
from planoracle.analysis.problems import Problems
from planoracle.analysis.submissions import Answer as Answered
from planoracle.analysis.submissions import Entries, EntryError, answers
from planoracle.instances.errors import InputError
from planoracle.instances.problem import Problem
from planoracle.solver.result import versions

__all__ = ["answers_within"]

_T = TypeVar("_T")


@dataclass(frozen=True, eq=False)
class _Answering:
    """Applies a function to submissions; a task is a place and what is there."""

    function: Callable[[Problem, dict[str, Any]], Any]
    problems: Problems
    limits: Limits

    @property
    def versions(self) -> tuple[tuple[str, str], ...]:
        return tuple(versions().items())

    def start(self) -> Callable[[Chunk], Iterator[Answer]]:
        return lambda chunk: (self._answer(*pickle.loads(task)) for task in chunk.tasks)

    def refused(self, task: bytes, error: LimitError) -> Answer:
        place, entry = pickle.loads(task)
        return Answer(None, value=_refused(place, entry, error))

    def _answer(self, place: Any, entry: Any) -> Answer:
        found = next(answers([(place, entry)], self.function, self.problems))
        if len(json.dumps(found.value, default=str)) > MAX_ANSWER:
            found = _refused(place, entry, too_long("answer"))
        return Answer(None, value=found)


def answers_within(
    entries: Entries, function: Callable[[Problem, dict[str, Any]], _T], problems: Problems, limits: Limits
) -> Iterator[Answered[_T]]:
    """Yield what `planoracle.analysis.submissions.answers` does; what takes more than the limits is refused.

    Parameters
    ----------
    function
        Its values come from another process where there are limits, so they should be small.
    """
    with closing(Guard(_Answering(function, problems, limits))) as guard:
        for place, entry in entries:
            if not guarding() or isinstance(entry, InputError):
                yield from _here(place, entry, function, problems)
                continue
            try:
                task = pack((place, entry))
            except RecursionError:
                yield _refused(place, entry, InputError("is nested too deeply"))
                continue
            except MemoryError:
                yield _refused(place, entry, InputError("cannot be read: there is not enough memory"))
                continue
            (found,) = guard.run(Chunk([task])).answers
            assert isinstance(found.value, Answered)
            yield found.value


def _here(place: Any, entry: Any, function: Callable[..., _T], problems: Problems) -> Iterator[Answered[_T]]:
    try:
        yield from answers([(place, entry)], function, problems)
    except MemoryError:
        yield _refused(place, entry, InputError("needs more memory than there is"))


def _refused(place: Any, entry: Any, error: InputError) -> Answered[Any]:
    return next(answers([(place, EntryError(error, entry))], lambda problem, submission: None))
