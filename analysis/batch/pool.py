"""Worker pool: one process per worker, and limits of processor time and memory per task."""

from __future__ import annotations

import os
import pickle
import queue
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from time import monotonic
from types import TracebackType
from typing import Any, Generic, TypeVar

from planoracle.analysis.batch.journal import WorkerError
from planoracle.analysis.batch.process import (
    Job,
    TaskFailure,
    Worker,
    WorkerEvent,
    failure_of,
    leave_worker,
    take_worker,
)
from planoracle.analysis.batch.worker import NO_LIMITS, TaskLimits
from planoracle.instances.errors import InternalError

T = TypeVar("T")
A = TypeVar("A")

# Most tasks read before the first of them is answered, and seconds of work after which another worker is started.
_READ, _PATIENCE = 256, 0.5


class WorkerPool(Generic[T, A]):
    """Answers tasks in worker processes. A task that fails does not affect the others.

    Parameters
    ----------
    start
        Called once in each worker; returns the function that answers a task. Both cross a process boundary by pickle.
        If the function returns an iterator, the answer is the list of its values.
    limits
        Limits of one task.
    workers
        Number of processes, by default one per processor. The first is started at once, others when work is waiting.
    on_progress
        Called with each progress message of a task, see `planoracle.analysis.batch.worker.report`.

    Raises
    ------
    WorkerError
        If processes cannot be started, or a worker ends before its first task.
    """

    def __init__(
        self,
        start: Callable[[], Callable[[T], A]],
        limits: TaskLimits = NO_LIMITS,
        workers: int | None = None,
        on_progress: Callable[[Any], None] = lambda value: None,
    ) -> None:
        environment, folder = dict(os.environ), os.getcwd()
        self._start = b"start" + pickle.dumps((start, limits, environment, folder), protocol=5)
        self._limits = limits
        self._size = workers or processors()
        self._on_progress = on_progress
        self._events: queue.SimpleQueue[WorkerEvent] = queue.SimpleQueue()
        self._workers: list[Worker] = []
        self._began = monotonic()
        self._is_closed = False
        self._add()

    def __enter__(self) -> WorkerPool[T, A]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def map(self, tasks: Iterable[T]) -> Iterator[A | TaskFailure]:
        """Yield the answer to each task, in the order of the tasks."""
        source = iter(tasks)
        jobs: deque[Job] = deque()
        more = True
        while True:
            while more and len(jobs) < _READ and (worker := self._free()) is not None:
                try:
                    job = Job(next(source))
                except StopIteration:
                    more = False
                else:
                    jobs.append(job)
                    if not job.done:
                        worker.run(job)
            if not jobs:
                return
            if jobs[0].done:
                yield jobs.popleft().answer
            else:
                self._wait()

    def stream(self, task: T) -> Iterator[Any]:
        """Yield the parts of the answer to one task as they come; last a `TaskFailure` if there is one."""
        job = Job(task)
        job.is_stream = True
        self._workers[0].run(job)
        while not job.done or job.parts:
            if job.parts:
                yield job.parts.popleft()
                job.unread.release()
            else:
                self._wait()
        if isinstance(job.answer, TaskFailure):
            yield job.answer

    def close(self) -> None:
        """Stop all work, also that of other threads. Idle workers are kept for the next pool of this process."""
        self._is_closed = True
        for worker in self._workers:
            leave_worker(worker)
        self._workers = []

    def _add(self, *, fresh: bool = False) -> Worker:
        """Add a worker that this process has not used, if it has to be ``fresh``."""
        worker = take_worker(self._events, fresh=fresh)
        self._workers.append(worker)
        worker.send(self._start)
        return worker

    def _free(self) -> Worker | None:
        """Return the worker that takes the next task, ``None`` if the task has to wait."""
        free = [worker for worker in self._workers if worker.has_room()]
        if free:
            return min(free, key=lambda worker: len(worker.jobs))
        if self._is_closed:
            return None
        waited = monotonic() - self._began > _PATIENCE and all(worker.ready for worker in self._workers)
        return self._add() if waited and len(self._workers) < self._size else None

    def _wait(self) -> None:
        """Handle one event. Wait at most briefly, so that signals are handled and further workers started."""
        if self._is_closed:
            raise WorkerError("the pool was closed")
        try:
            event = self._events.get(timeout=0.1 if len(self._workers) < self._size else 1.0)
        except queue.Empty:
            return
        worker = event.worker
        if worker not in self._workers:
            return
        if event.kind == "died":
            self._replace(worker)
        elif not worker.ready:
            if event.kind == "failed":
                raise event.value
            worker.ready = True
            worker.moment = event.moment
        elif event.kind == "part":
            job = worker.jobs[0]
            job.parts.append(event.value)
            job.retried = True  # it cannot begin again
            if not job.is_stream:
                worker.unread.release()
        elif event.kind == "progress":
            self._on_progress(event.value)
        else:
            job = worker.jobs.popleft()
            worker.pace, worker.moment = event.moment - worker.moment, event.moment
            worker.answered += 1
            job.done = True
            job.answer = list(job.parts) if event.kind == "end" else event.value
            if event.kind == "failed":
                job.answer = TaskFailure(event.value, certain=not isinstance(event.value, InternalError))

    def _replace(self, worker: Worker) -> None:
        """Replace a worker that died.

        Its first task failed, or is repeated by the new worker.
        """
        self._workers.remove(worker)
        code = worker.process.wait()
        failure = failure_of(code, self._limits)
        if not worker.ready:
            raise WorkerError(f"a worker process cannot begin its work: {failure.error}")
        jobs = list(worker.jobs)
        if jobs:
            job = jobs[0]
            # Memory that earlier tasks left behind is no reason to refuse this one.
            job.done = failure.certain or job.retried or not worker.answered
            job.answer, job.retried = failure, True
        if jobs or not self._workers:
            new = self._add(fresh=bool(jobs))
            for job in jobs:
                if not job.done:
                    new.run(job)


def processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
