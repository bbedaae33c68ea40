"""Who does the work: one process, more beside it once there is much to do, or a cluster.

Answers come in the order of the batches. What is done soon is done by one, since every process begins by loading and
solving what the others have too.
"""

from __future__ import annotations

import queue
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from time import monotonic
from types import TracebackType
from typing import Any, NamedTuple, Protocol

from planoracle.analysis.batch.errors import DiedError
from planoracle.analysis.batch.executors import Guards, Here
from planoracle.analysis.batch.guard import guarding
from planoracle.analysis.batch.limits import LimitError
from planoracle.analysis.batch.work import Answer, Chunk, Done, Guarded, Item
from planoracle.analysis.spoken import tell

__all__ = ["Batch", "Executor", "Pool"]

# Seconds of work after which it is known how long a task takes; that must be left for processes to be started, which
# take about one; and that there must be for each.
_LEARNED, _WORTH, _EACH = 0.3, 3.0, 1.5
# Most tasks that are given out or wait for their turn to be told, and bytes of these; the most in one chunk.
_AHEAD, _BYTES, _LARGEST = 20_000, 2**26, 256


class Batch(NamedTuple):
    """Items, the work on those that have no answer yet, and about how many bytes all that is."""

    items: Sequence[Item]
    chunk: Chunk
    weight: int = 0


class _Future(Protocol):
    def done(self) -> bool: ...

    def result(self) -> Done: ...

    def add_done_callback(self, told: Any, /) -> None: ...


class Executor(Protocol):
    """Something that works on chunks."""

    @property
    def in_flight(self) -> int:
        """How many chunks it wants to have at a time."""
        ...

    @property
    def chunk_seconds(self) -> float:
        """Seconds of work that one chunk should hold."""
        ...

    def submit(self, chunk: Chunk) -> _Future:
        """Take a chunk."""
        ...

    def helped(self, jobs: int | None, most: int | None) -> Executor:
        """Return what works with so many processes: this, or what takes its place."""
        ...

    def close(self) -> None:
        """Stop, whatever is going on."""
        ...


class Pool:
    """Works on batches.

    Parameters
    ----------
    jobs
        Number of processes that work, by default one for every processor.
    executor
        A cluster, say, which then does everything.
    expected
        Returns how many items there are in all, as far as that is known.
    """

    def __init__(
        self,
        work: Guarded,
        jobs: int | None = None,
        executor: Executor | None = None,
        expected: Callable[[], int | None] = lambda: None,
    ) -> None:
        self._work = work
        self._jobs = jobs
        self._expected = expected
        self._executor: Executor = executor or (Guards(work) if guarding() else Here(work))
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
        self._executor.close()

    def results(self, batches: Iterator[Batch]) -> Iterator[tuple[Batch, list[Answer]]]:
        """Yield every batch with the answers to its chunk.

        Raises
        ------
        WorkerError
            If processes cannot do it.
        """
        waiting: deque[tuple[Batch, _Future | None]] = deque()
        more, held, heavy, taken, worked = True, 0, 0, 0, 0.0
        while True:
            self._listen(0)
            if (
                more
                and held < _AHEAD
                and heavy < _BYTES
                and (self._running < self._executor.in_flight or self._wants_help)
            ):
                batch = next(batches, None)
                if batch is None:
                    more = False
                    continue
                held += len(batch.items)
                heavy += batch.weight
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
            heavy -= batch.weight
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
            self._executor = self._executor.helped(self._jobs, self._most)
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
        """Return the result of the first chunk; one that processes died over is worked on part by part."""
        batch, future = waiting[0]
        assert future is not None
        try:
            return future.result()
        except (BrokenExecutor, DiedError) as error:
            tell(f"a worker process died; its work is given to new ones ({error})"[:300], "warning")
        self._executor = self._executor.helped(self._jobs, self._most)
        done = self._halved(batch.chunk)
        for i, (later, broken) in enumerate(waiting):
            if i and broken is not None and broken.done() and _is_broken(broken):
                waiting[i] = (later, self._submit(later.chunk))
        return done

    def _halved(self, chunk: Chunk) -> Done:
        """Answer a chunk by halves, until what processes die over is alone; that is refused."""
        answers: list[Answer] = []
        seconds = 0.0
        parts = deque([chunk.tasks])
        while parts:
            tasks = parts.popleft()
            future = self._submit(Chunk(tasks, chunk.problems))
            while not future.done():
                self._listen(None)
            try:
                done = future.result()
            except (BrokenExecutor, DiedError):
                self._executor = self._executor.helped(self._jobs, self._most)
                if len(tasks) == 1:
                    error = LimitError("ends every process at work on it (for lack of memory?)")
                    answers.append(self._work.refused(tasks[0], error)._replace(lasting=False))
                else:
                    half = len(tasks) // 2
                    parts.extendleft((tasks[half:], tasks[:half]))
            else:
                answers += done.answers
                seconds += done.seconds
        return Done(answers, seconds)

    def _learn(self, tasks: int, seconds: float) -> None:
        """Aim at chunks of the length that is wanted."""
        self._pace += 0.3 * (seconds / tasks - self._pace)
        wanted = int(self._executor.chunk_seconds / self._pace) if self._pace > 0 else _LARGEST
        self.size = max(1, min(wanted, 2 * self.size, _LARGEST))


def _is_broken(future: Any) -> bool:
    try:
        return isinstance(future.exception(), BrokenExecutor | DiedError)
    except Exception:  # cancelled
        return False
