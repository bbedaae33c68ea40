"""Chunks done on this machine: a thread, and processes."""

from __future__ import annotations

import queue
import threading
from concurrent.futures import Future

from planoracle.analysis.batch.team import Team
from planoracle.analysis.batch.work import Chunk, Done, Work, work_on

__all__ = ["SEARCH", "Here", "Processes"]

#: Name of the thread that may be in the midst of a search when the program ends.
SEARCH = "planoracle-search"

# For the stack of our thread, which on some systems is far smaller than that of a process.
_STACK = 16 * 2**20


class Here:
    """A thread of this process. The main one keeps waiting, so that it can stop at once when asked to."""

    in_flight = 1
    chunk_seconds = 0.02

    def __init__(self, work: Work) -> None:
        self._work = work
        self._tasks: queue.SimpleQueue[tuple[Chunk, Future[Done]] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def submit(self, chunk: Chunk) -> Future[Done]:
        """Take a chunk."""
        if self._thread is None:
            before = threading.stack_size(_STACK)
            self._thread = threading.Thread(target=self._run, name=SEARCH, daemon=True)
            self._thread.start()
            threading.stack_size(before)
        future: Future[Done] = Future()
        self._tasks.put((chunk, future))
        return future

    def close(self) -> None:
        """Let the thread end."""
        self._tasks.put(None)

    def _run(self) -> None:
        while (task := self._tasks.get()) is not None:
            chunk, future = task
            try:
                done = work_on(self._work, chunk)
            except BaseException as error:  # to be raised where the result is asked for
                future.set_exception(error)
            else:
                future.set_result(done)


class Processes:
    """Processes on this machine, started with the first chunk."""

    chunk_seconds = 0.3

    def __init__(self, work: Work, jobs: int | None = None, most: int | None = None) -> None:
        self._work = work
        self._team = Team(jobs, most)
        self.jobs = self._team.size
        self.in_flight = 2 * self.jobs + 1

    def submit(self, chunk: Chunk) -> Future[Done]:
        """Take a chunk."""
        return self._team.submit(work_on, self._work, chunk)

    def close(self) -> None:
        """Stop, whatever is going on."""
        self._team.close()
