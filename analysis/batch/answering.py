"""Submissions answered one by one in a guarded process: by audits, prices, reports, repairs."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, fields, is_dataclass
from functools import partial
from typing import Any, TypeAlias, TypeVar, cast

from planoracle.analysis.batch.guard import Guard, guarding
from planoracle.analysis.batch.limits import MAX_ANSWER, LimitError, Limits, too_long
from planoracle.analysis.batch.work import Answer, Chunk, pack
from planoracle.analysis.problems import Problems
from planoracle.analysis.submissions import Answer as Answered
from planoracle.analysis.submissions import Entries, EntryError, answers
from planoracle.instances.errors import InputError
from planoracle.instances.problem import Problem
from planoracle.solver.result import versions

__all__ = ["answers_within", "each_within"]

_T = TypeVar("_T")
#: Answers entries one by one: errors, too, with what there is to be said of them.
_Each: TypeAlias = Callable[[Entries], Iterable[_T]]


@dataclass(frozen=True, eq=False)
class _Answering:
    """Answers entries; a task is a place and what is there."""

    each: _Each[Any]
    limits: Limits

    @property
    def versions(self) -> tuple[tuple[str, str], ...]:
        return tuple(versions().items())

    def start(self) -> Callable[[Chunk], Iterator[Answer]]:
        return lambda chunk: (self._answer(*pickle.loads(task)) for task in chunk.tasks)

    def refused(self, task: bytes, error: LimitError) -> Answer:
        place, entry = pickle.loads(task)
        return Answer(None, value=_refused(self.each, place, entry, error))

    def _answer(self, place: Any, entry: Any) -> Answer:
        (found,) = self.each([(place, entry)])
        if len(json.dumps(found, default=_parts)) > MAX_ANSWER:
            found = _refused(self.each, place, entry, too_long("answer"))
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
    return each_within(entries, partial(answers, function=function, problems=problems), limits)


def each_within(entries: Entries, each: _Each[_T], limits: Limits) -> Iterator[_T]:
    """Yield what a function of entries does, one answer for each; what takes more than the limits is an error to it.

    Parameters
    ----------
    each
        Never raises for what an entry holds, but for a `MemoryError`; an entry may be an `InputError`.
    """
    with closing(Guard(_Answering(each, limits))) as guard:
        for place, entry in entries:
            if not guarding() or isinstance(entry, InputError):
                yield _here(each, place, entry)
                continue
            try:
                task = pack((place, entry))
            except RecursionError:
                yield _refused(each, place, entry, InputError("is nested too deeply"))
                continue
            except MemoryError:
                yield _refused(each, place, entry, InputError("cannot be read: there is not enough memory"))
                continue
            (found,) = guard.run(Chunk([task])).answers
            yield cast(_T, found.value)


def _here(each: _Each[_T], place: Any, entry: Any) -> _T:
    try:
        (found,) = each([(place, entry)])
    except MemoryError:
        return _refused(each, place, entry, InputError("needs more memory than there is"))
    return found


def _refused(each: _Each[_T], place: Any, entry: Any, error: InputError) -> _T:
    (found,) = each([(place, EntryError(error, entry))])
    return found


def _parts(value: Any) -> Any:
    """Return what a value holds that JSON has no form for."""
    if is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    return str(value)
