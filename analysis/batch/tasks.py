"""Items of a batch and their rows: read from the journal, or computed by a pool and stored."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from planoracle.analysis.batch.journal import Journal
from planoracle.analysis.batch.pool import Ready, TaskFailure


class ResultRow(NamedTuple):
    """A result as JSON in one line.

    Attributes
    ----------
    is_lasting
        True if the same content, options and versions give the same row again, so that a journal may keep it.
    """

    text: str
    is_lasting: bool = True


@dataclass(slots=True)
class Item:
    """One unit of work of a batch.

    Attributes
    ----------
    about
        Data of the caller, returned with the answer.
    task
        Task that is sent to a worker.
    key
        Key of the row in a journal; ``None`` if it is not stored.
    answer
        The answer, if no work is needed for it.
    """

    about: Any
    task: Any = None
    key: str | None = None
    answer: ResultRow | TaskFailure | None = None


class Pool(Protocol):
    """A worker pool or a cluster."""

    def map(self, tasks: Iterable[Any]) -> Iterator[Any]:
        """Yield the answer to each task in order."""
        ...

    def close(self) -> None:
        """Stop all work."""
        ...


def answer_items(
    items: Iterable[Item], pool: Pool, journal: Journal | None, is_row: Callable[[Any], bool]
) -> Iterator[tuple[Item, ResultRow | TaskFailure]]:
    """Yield every item with its answer, in input order; rows in the journal are not computed again.

    Parameters
    ----------
    is_row
        Predicate for objects from the journal; rows that fail it are computed again.
    """
    waiting: deque[Item] = deque()

    def tasks() -> Iterator[Any]:
        for item in items:
            waiting.append(item)
            if item.answer is None and journal is not None and item.key is not None:
                stored = journal.get(item.key)
                if stored is not None and _holds(stored, is_row):
                    item.answer = ResultRow(stored)
                elif stored is not None:
                    journal.drop(item.key)
            yield item.task if item.answer is None else Ready(item.answer)

    for answer in pool.map(tasks()):
        item = waiting.popleft()
        is_lasting = isinstance(answer, ResultRow) and answer.is_lasting
        if journal is not None and item.key is not None and item.answer is None and is_lasting:
            journal.put(item.key, answer.text)
        yield item, answer


def _holds(text: str, is_row: Callable[[Any], bool]) -> bool:
    try:
        return is_row(json.loads(text))
    except (ValueError, RecursionError):
        return False
