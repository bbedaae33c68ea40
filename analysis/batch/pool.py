"""Who does the work: a thread of ours, processes beside it once there is much to do, or a cluster.

Answers come in the order of the batches. What is done soon is done here, since starting processes takes longer, and
every one of them begins by importing and loading what the others have too.
"""

from __future__ import annotations

import queue
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from time import monotonic
from types import TracebackType
from typing import Any, NamedTuple, Protocol

from planoracle.analysis.batch.errors import WorkerError
from planoracle.analysis.batch.executors import Here, Processes
from planoracle.analysis.batch.work import Answer, Chunk, Done, Item, Work
from planoracle.analysis.spoken import tell

__all__ = ["Batch", "Executor", "Pool"]

# Seconds of work after which it is known how long a task takes; that must be left for processes to be started, which
# take about one; and that there must be for each.
_LEARNED, _WORTH, _EACH = 0.3, 3.0, 1.5
# Most tasks that are given out or wait for their turn to be told; the most in one chunk.
_AHEAD, _LARGEST = 20_000, 256
# How often in a row processes may die over the same chunk.
_DEATHS = 3


class Batch(NamedTuple):
    """Items, and the work on those that have no answer yet."""

    items: Sequence[Item]
    chunk: Chunk


class _Future(Protocol):
    def done(self) -> bool: ...

    def result(self) -> Done: ...

    def add_done_callback(self, told: Any, /) -> None: ...


class Executor(Protocol):
    """Something that works on chunks."""

    #: How many chunks it wants to have at a time.
    in_flight: int
    #: Seconds of work that one chunk should hold.
    chunk_seconds: float

    def submit(self, chunk: Chunk) -> _Future:
        """Take a chunk."""
        ...

    def close(self) -> None:
        """Stop, whatever is going on."""
        ...


class Pool:
    """Works on batches.

    Parameters
    ----------
    jobs
        Number of processes, by default one for every processor; with 1 there is only this one.
    executor
        A cluster, say, which then does everything.
    expected
        Returns how many items there are in all, as far as that is known.
    """

    def __init__(
        self,
        work: Work,
        jobs: int | None = None,
        executor: Executor | None = None,
        expected: Callable[[], int | None] = lambda: None,
    ) -> None:
        self._work = work
        self._jobs = jobs
        self._expected = expected
        self._here = Here(work)
        self._executor: Executor = executor or self._here
        self._alone = executor is None and jobs != 1  # and may get help
        self._wants_help = False
        self._most: int | None = None  # processes that are worth being started
        self._pace = self._executor.chunk_seconds  # seconds that a task takes
        self.size = 1  # tasks that the next chunk should hold
        self._news: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._running = 0

    def __enter__(self) -> Pool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._here.close()
        self._executor.close()

    def results(self, batches: Iterator[Batch]) -> Iterator[tuple[Batch, list[Answer]]]:
        """Yield every batch with the answers to its chunk.

        Raises
        ------
        WorkerError
            If processes die over the same chunk again and again, or cannot do it.
        """
        waiting: deque[tuple[Batch, _Future | None]] = deque()
        more, held, taken, worked = True, 0, 0, 0.0
        while True:
            self._listen(0)
            if more and held < _AHEAD and (self._running < self._executor.in_flight or self._wants_help):
                batch = next(batches, None)
                if batch is None:
                    more = False
                    continue
                held += len(batch.items)
                taken += len(batch.items)
                waiting.append((batch, self._submit(batch.chunk) if batch.chunk.tasks else None))
                if batch.chunk.tasks and self._running < self._executor.in_flight:
                    continue
            if not waiting:
                if not more:
                    return
                self._listen(1.0)  # there are no workers yet
                continue
            batch, future = waiting[0]
            if future is None:
                answers: list[Answer] = []
            elif future.done():
                done = self._outcome(waiting)
                answers, worked = done.answers, worked + done.seconds
                self._learn(len(answers), done.seconds)
            else:
                began = monotonic()
                while not self._listen(_LEARNED if self._alone else None):
                    waited = monotonic() - began
                    if self._alone and more and self._pays(taken, waited / len(batch.chunk.tasks), worked + waited):
                        break
                continue
            waiting.popleft()
            held -= len(batch.items)
            yield batch, answers
            if self._alone and more and worked >= min(_LEARNED, _WORTH):
                self._pays(taken, self._pace, worked)

    def _pays(self, taken: int, pace: float, worked: float) -> bool:
        """Say whether processes are worth being started, and see to it if they are.

        Parameters
        ----------
        taken, pace, worked
            Items that have been read, seconds that a task takes, seconds of work so far.
        """
        expected = self._expected()
        # What nobody knows is taken to be as long as what has been.
        left = worked if expected is None else (expected - taken) * pace
        if left < _WORTH:
            return False
        self._alone, self._wants_help = False, True
        self._most = None if expected is None else max(2, int(left / max(_EACH, 1e-9)))
        return True

    def _submit(self, chunk: Chunk) -> _Future:
        if self._wants_help:
            self._wants_help = False
            processes = Processes(self._work, self._jobs, self._most)
            if processes.jobs > 1:
                self._executor.close()
                self._executor = processes
        future = self._executor.submit(chunk)
        self._running += 1
        future.add_done_callback(lambda _: self._news.put(None))
        return future

    def _listen(self, seconds: float | None) -> bool:
        """Take note of chunks that are done; wait for one so long (``None``: however long). Whether there was one."""
        until = None if seconds is None else monotonic() + seconds
        heard = False
        while True:
            try:
                # In short spells, so that Ctrl-C is heard everywhere.
                left = 1.0 if until is None else max(0.0, min(1.0, until - monotonic()))
                self._news.get(block=not heard and left > 0, timeout=left or None)
            except queue.Empty:
                if heard or (until is not None and monotonic() >= until):
                    return heard
            else:
                self._running -= 1
                heard = True

    def _outcome(self, waiting: deque[tuple[Batch, _Future | None]]) -> Done:
        """Return the result of the first chunk; chunks that processes died over are given out again."""
        for _ in range(_DEATHS):
            batch, future = waiting[0]
            assert future is not None
            try:
                return future.result()
            except BrokenExecutor:
                pass
            tell("a worker process died; its work is given to new ones", "warning")
            self._executor.close()
            self._executor = Processes(self._work, self._jobs, self._most)
            for i, (later, broken) in enumerate(waiting):
                if broken is not None and broken.done() and _is_broken(broken):
                    waiting[i] = (later, self._submit(later.chunk))
            while not waiting[0][1].done():  # type: ignore[union-attr]
                self._listen(None)
        first, last = batch.items[0].label, batch.items[-1].label
        raise WorkerError(
            f"worker processes died {_DEATHS} times in a row (of lack of memory?) at work on {first} to {last}"
        )

    def _learn(self, tasks: int, seconds: float) -> None:
        """Aim at chunks of the length that is wanted."""
        self._pace += 0.3 * (seconds / tasks - self._pace)
        wanted = int(self._executor.chunk_seconds / self._pace) if self._pace > 0 else _LARGEST
        self.size = max(1, min(wanted, 2 * self.size, _LARGEST))


def _is_broken(future: Any) -> bool:
    try:
        return isinstance(future.exception(), BrokenExecutor)
    except Exception:  # cancelled
        return False
