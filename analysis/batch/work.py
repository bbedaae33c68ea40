"""What processes do: a chunk of submissions to grade, or of problems to solve, in; results as JSON out.

A chunk holds all that its work needs (problems from files included), since processes on other machines have no
files of ours.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from threading import Lock
from time import perf_counter
from typing import Any, NamedTuple, Protocol

from planoracle.analysis.batch.errors import WorkerError
from planoracle.analysis.batch.limits import LimitError, Limits

__all__ = ["Answer", "Chunk", "Done", "Guarded", "Item", "Packed", "Work", "pack", "work_on"]


class Answer(NamedTuple):
    """What became of one task.

    ``row`` is a JSON object, or ``None`` with the ``fault`` that there is instead, or the ``value`` of what is never
    kept. ``lasting``: with the same content, options and versions the same comes out again.
    """

    row: str | None
    lasting: bool = True
    fault: str | None = None
    value: object = None


class Packed(NamedTuple):
    """A pickled problem (or the error that there is instead) under its fingerprint."""

    fingerprint: str
    data: bytes


@dataclass(slots=True)
class Item:
    """One thing to be answered.

    Attributes
    ----------
    label
        How it is called in messages.
    about
        What the caller wants to have back with the answer.
    key
        What its result is kept under; ``None``: it is not kept.
    task
        What is to be done; ``None`` if there is an ``answer`` already.
    problems
        Problems from files that the task names.
    """

    label: str
    about: Any
    key: str | None = None
    task: bytes | None = None
    problems: Mapping[str, Packed] = field(default_factory=dict)
    answer: Answer | None = None


class Chunk(NamedTuple):
    """Tasks for one process, each pickled, and the problems from files that they name."""

    tasks: Sequence[bytes]
    problems: Mapping[str, Packed] = {}


class Done(NamedTuple):
    """The answers to a chunk, in its order, and the seconds that they took."""

    answers: list[Answer]
    seconds: float


class Work(Protocol):
    """What is to be done with tasks, with all options; hashable, and the same in every process."""

    @property
    def versions(self) -> tuple[tuple[str, str], ...]:
        """Versions that the results depend on, in the process that asks for them."""
        ...

    def __hash__(self) -> int: ...

    def start(self) -> Callable[[Chunk], Iterable[Answer]]:
        """Return a function that does it, task by task; called once in every process."""
        ...


class Guarded(Work, Protocol):
    """Work on what others have handed in."""

    @property
    def limits(self) -> Limits:
        """What a task may take."""
        ...

    def refused(self, task: bytes, error: LimitError) -> Answer:
        """Return what is said of a task that takes more."""
        ...


def pack(thing: Any) -> bytes:
    """Pickle a task or a problem."""
    return pickle.dumps(thing, protocol=5)


# One chunk at a time in a process, whoever asks: our caches are not made for more.
_ALONE = Lock()


def work_on(work: Work, chunk: Chunk, begin: Callable[[int], None] = lambda task: None) -> Done:
    """Answer a chunk; what every process runs.

    Parameters
    ----------
    begin
        Called before every task with its place in the chunk, and after the last one.

    Raises
    ------
    WorkerError
        If this process has other versions than the one that asks.
    """
    check_versions(work)
    with _ALONE:
        began = perf_counter()
        answers: list[Answer] = []
        begin(0)
        for answer in _started(work)(chunk):
            answers.append(answer)
            begin(len(answers))
        return Done(answers, perf_counter() - began)


@lru_cache(maxsize=4)
def _started(work: Work) -> Callable[[Chunk], Iterable[Answer]]:
    return work.start()


def check_versions(work: Work) -> None:
    """Raise `WorkerError` if this process has other versions than the one that asks."""
    from planoracle.solver.result import versions

    here, wanted = versions(), dict(work.versions)
    if here != wanted:
        raise WorkerError(f"a worker has {_listed(here)}, but {_listed(wanted)} is asked for; install the same")


def _listed(versions: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in versions.items())
