"""Functions computed in a worker process within limits, and problem files read by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from planoracle.analysis.batch.pool import WorkerPool
from planoracle.analysis.batch.process import TaskFailure
from planoracle.analysis.batch.worker import TaskLimits
from planoracle.instances import catalogue
from planoracle.instances.errors import InputError
from planoracle.instances.problem import Problem

#: Limits of one question, or of one problem in a file.
LIMITS = TaskLimits(1200.0, 4000)
# Files up to this size, in bytes, are read in this process.
_SMALL = 2**19


def each_in_worker(function: Callable[..., Iterator[Any]], *arguments: Any) -> Iterator[Any]:
    """Yield the values of a generator function that runs in a worker.

    Raises
    ------
    PlanoracleError
        What the function raises, or that it exceeds `LIMITS`.
    """
    with WorkerPool(_start, LIMITS, 1) as pool:
        for part in pool.stream((function, arguments)):
            if isinstance(part, TaskFailure):
                raise part.error
            yield part


def in_worker(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return the value of a function that runs in a worker; raises what `each_in_worker` does."""
    with WorkerPool(_start, LIMITS, 1) as pool:
        answer = next(pool.map([(function, arguments)]))
    if isinstance(answer, TaskFailure):
        raise answer.error
    return answer


def _start() -> Callable[[tuple[Callable[..., Any], tuple[Any, ...]]], Any]:
    return _call


def _call(task: tuple[Callable[..., Any], tuple[Any, ...]]) -> Any:
    function, arguments = task
    return function(*arguments)


def read_each(name: str) -> Iterator[Problem | InputError]:
    """Yield what `planoracle.instances.catalogue.read_each` returns; a worker reads files that are large.

    Raises
    ------
    InputError
        If nothing can be read, or reading exceeds `LIMITS`.
    """
    path = Path(catalogue.file_path(name))
    try:
        is_large = path.is_file() and path.stat().st_size > _SMALL
    except (OSError, ValueError):  # no path of this system
        is_large = False
    yield from each_in_worker(_read, name) if is_large else catalogue.read_each(name)


def read_problems(name: str) -> Iterator[Problem]:
    """Yield the problems of `read_each`; raises the first error."""
    for problem in read_each(name):
        if isinstance(problem, InputError):
            raise problem
        yield problem


def _read(name: str) -> Iterator[Problem | InputError]:
    yield from catalogue.read_each(name)
