"""Chunks done on this machine: guarded processes; where there are none a thread, and processes."""

from __future__ import annotations

import queue
import sys
import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING

from planoracle.analysis.batch.guard import Guard
from planoracle.analysis.batch.team import Team
from planoracle.analysis.batch.work import Chunk, Done, Guarded, Work, work_on

if TYPE_CHECKING:
    from planoracle.analysis.batch.pool import Executor

__all__ = ["SEARCH", "Guards", "Here", "Processes"]

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

    def helped(self, jobs: int | None, most: int | None) -> Executor:
        """Return what works with so many processes, if that is more than one."""
        processes = Processes(self._work, jobs, most)
        if processes.jobs == 1:
            return self
        self.close()
        return processes

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


class Guards:
    """Processes that hold to the limits of the work, at first one; each has a thread here that waits for it."""

    def __init__(self, work: Guarded) -> None:
        self._work = work
        self._tasks: queue.SimpleQueue[tuple[Chunk, Future[Done]] | None] = queue.SimpleQueue()
        self._guards: list[Guard] = []
        self.jobs = 0
        self._grow(1)

    @property
    def in_flight(self) -> int:
        """So many that nobody waits for work."""
        return 2 * self.jobs + (self.jobs > 1)

    @property
    def chunk_seconds(self) -> float:
        """Little while there is one, so that it is soon known how long a task takes."""
        return Here.chunk_seconds if self.jobs == 1 else Processes.chunk_seconds

    def submit(self, chunk: Chunk) -> Future[Done]:
        """Take a chunk."""
        future: Future[Done] = Future()
        self._tasks.put((chunk, future))
        return future

    def helped(self, jobs: int | None, most: int | None) -> Executor:
        """Work with so many processes."""
        from loky import cpu_count

        self._grow(min(jobs or cpu_count(), most or sys.maxsize))
        return self

    def close(self) -> None:
        """Stop, whatever is going on."""
        for guard in self._guards:
            self._tasks.put(None)
            guard.close()

    def _grow(self, jobs: int) -> None:
        before = threading.stack_size(_STACK)
        for _ in range(self.jobs, jobs):
            guard = Guard(self._work)
            self._guards.append(guard)
            threading.Thread(target=self._run, args=(guard,), daemon=True).start()
        threading.stack_size(before)
        self.jobs = max(self.jobs, jobs)

    def _run(self, guard: Guard) -> None:
        while (task := self._tasks.get()) is not None:
            chunk, future = task
            try:
                done = guard.run(chunk)
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

    def helped(self, jobs: int | None, most: int | None) -> Executor:
        """Return new ones in place of these."""
        self.close()
        return Processes(self._work, jobs, most)

    def close(self) -> None:
        """Stop, whatever is going on."""
        self._team.close()
