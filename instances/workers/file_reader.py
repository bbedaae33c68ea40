"""Reading of tables and archives in a worker process: libraries unfold a small file to any size."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, TypeVar

from planoracle.instances.errors import InputError, InternalError
from planoracle.instances.workers.pool import each_in_worker
from planoracle.instances.workers.worker import LimitError, TaskLimits

T = TypeVar("T")
D = TypeVar("D", bytes, str)

#: Limits of a reader. The processor time is that of a table of tasks, or of a row of submissions: an Excel file of
#: 10,000 rows takes 6 s with 20 columns and 19 s with 100, on a processor that others use, too.
READ_LIMITS: Final = TaskLimits(20.0, 1000, is_option=False)


def read_in_worker(read: Callable[[D, str], Iterator[T]], data: D, source: str, accepted: str) -> Iterator[T]:
    """Yield the values of a reader that runs in a worker, within `READ_LIMITS`.

    Parameters
    ----------
    read
        Generator function of the module level.
    data, source
        Arguments of the reader: content or path of the file, and its name for messages.
    accepted
        Accepted files, for the error about a limit.

    Raises
    ------
    InputError
        What the reader raises, or that reading exceeds a limit.
    """
    try:
        yield from each_in_worker(read, data, source, limits=READ_LIMITS)
    except LimitError as error:
        raise InputError(f"{error.message} to be read; {accepted}", source=source) from None
    except InternalError as error:
        raise InputError(str(error), source=source) from None


def raise_memory_error(error: Exception) -> None:
    """Raise `MemoryError` for the error of a library that lacks memory: the file may be whole."""
    text = str(error).lower()
    if isinstance(error, MemoryError) or any(part in text for part in _NO_MEMORY):
        raise MemoryError from None


_NO_MEMORY: Final = ("out of memory", "not enough memory", "malloc", "realloc", "bad_alloc", "cannot allocate")
