"""From items to answers, in the order of the items: look up what is kept, have the rest done, keep it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from planoracle.analysis.batch.pool import Batch, Pool
from planoracle.analysis.batch.work import Answer, Chunk, Item, Packed

if TYPE_CHECKING:
    from planoracle.analysis.batch.journal import Journal

__all__ = ["answered"]

# A batch holds no more bytes but for its last item, and no more items.
_BYTES, _ITEMS = 2**20, 1024


def answered(
    items: Iterable[Item], pool: Pool, journal: Journal | None = None, sound: Callable[[Any], bool] = lambda row: True
) -> Iterator[tuple[Item, Answer]]:
    """Yield every item with its answer, in order. What the journal has is not done again; it gets the rest.

    Parameters
    ----------
    sound
        Whether an object from the journal is a result; what is none is done again.
    """
    for batch, answers in pool.results(_batches(items, pool, journal, sound)):
        fresh = iter(answers)
        done: list[tuple[Item, Answer]] = [(item, item.answer or next(fresh)) for item in batch.items]
        if journal is not None:
            journal.add(
                (item.key, answer.row)
                for item, answer in done
                if item.answer is None and item.key is not None and answer.lasting and answer.row is not None
            )
        yield from done


def _batches(
    items: Iterable[Item], pool: Pool, journal: Journal | None, sound: Callable[[Any], bool]
) -> Iterator[Batch]:
    batch: list[Item] = []
    tasks: list[bytes] = []
    problems: dict[str, Packed] = {}
    weight = 0
    for item in items:
        if journal is not None and item.key is not None and item.answer is None:
            kept = journal.get(item.key)
            if kept is not None and _holds(kept, sound):
                item.answer = Answer(kept)
            elif kept is not None:
                journal.drop(item.key)
        if item.answer is None:
            assert item.task is not None
            tasks.append(item.task)
            weight += len(item.task) + sum(
                len(packed.data) for name, packed in item.problems.items() if name not in problems
            )
            problems |= item.problems
        else:
            weight += len(item.answer.row or "")
        batch.append(item)
        if len(tasks) >= pool.size or weight >= _BYTES or len(batch) >= _ITEMS or not tasks:
            yield Batch(batch, Chunk(tasks, problems), weight)
            batch, tasks, problems, weight = [], [], {}, 0
    if batch:
        yield Batch(batch, Chunk(tasks, problems), weight)


def _holds(kept: str, sound: Callable[[Any], bool]) -> bool:
    try:
        return sound(json.loads(kept))
    except (ValueError, RecursionError):
        return False
