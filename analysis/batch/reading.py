"""Problem files read in a worker process, which limits the time and the memory that a file can take."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from planoracle.analysis.batch.pool import TaskFailure, WorkerPool
from planoracle.analysis.batch.worker import TaskLimits
from planoracle.instances import catalogue
from planoracle.instances.errors import InputError
from planoracle.instances.problem import Problem

#: Limits of one file, or of one problem in a file of lines.
LIMITS = TaskLimits(120.0, 4000)
# Files up to this size, in bytes, are read in this process: the worst of them take two seconds and 200 MB.
_SMALL = 2**19


def read_each(name: str) -> Iterator[Problem | InputError]:
    """Yield what `planoracle.instances.catalogue.read_each` returns.

    Raises
    ------
    InputError
        If nothing can be read, or reading takes more than `LIMITS`.
    """
    path = Path(catalogue.file_path(name))
    try:
        is_large = path.is_file() and path.stat().st_size > _SMALL
    except (OSError, ValueError):  # no path of this system
        is_large = False
    if not is_large:
        yield from catalogue.read_each(name)
        return
    with WorkerPool(_start, LIMITS, 1) as pool:
        for part in pool.stream(name):
            if isinstance(part, TaskFailure):
                raise part.error
            yield part


def _start() -> Callable[[str], Iterator[Problem | InputError]]:
    return lambda name: iter(catalogue.read_each(name))
