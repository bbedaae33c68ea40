"""Worker pool: one process per worker, one task per message, limits of processor time and memory per task."""

from __future__ import annotations

import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from math import inf
from time import monotonic
from types import TracebackType
from typing import IO, Any, Final, Generic, NamedTuple, TypeVar

from planoracle.analysis.batch.errors import WorkerError
from planoracle.analysis.batch.worker import NO_LIMITS, NO_MEMORY, LimitError, TaskLimits
from planoracle.instances.errors import InputError, InternalError, PlanoracleError

T = TypeVar("T")
A = TypeVar("A")

# Tasks sent ahead to a worker whose last answer took at most this many seconds: it never waits for the next message.
_AHEAD, _QUICK = 8, 0.05
# Most tasks read before the first of them is answered, and seconds of work after which another worker is started.
_READ, _PATIENCE = 256, 0.5
# Parts of answers that a pool holds before anybody reads them.
_UNREAD = 8
# Workers kept for the next pool of this process.
_IDLE_AT_MOST = 2
_COMMAND: Final = [sys.executable, "-P", "-c", "from planoracle.analysis.batch.worker import main; main()"]


class TaskFailure(NamedTuple):
    """A task without an answer.

    Attributes
    ----------
    error
        What is wrong with the task, or which limit it exceeds.
    certain
        False if the failure may have another cause, such as the memory that other processes use.
    """

    error: PlanoracleError
    certain: bool = True


class Ready(NamedTuple):
    """An answer that needs no work and keeps its place among the tasks of `WorkerPool.map`."""

    answer: Any


class _Job:
    """A task, and the parts of its answer so far."""

    def __init__(self, task: Any) -> None:
        self.parts: deque[Any] = deque()
        self.is_stream = self.retried = False
        self.unread = threading.Semaphore()  # that of its worker
        self.task = b""
        self.answer: Any = None
        try:
            if not isinstance(task, Ready):
                self.task = pickle.dumps(task, protocol=5)
        except RecursionError:
            task = Ready(TaskFailure(InputError("is nested too deeply")))
        except MemoryError:
            task = Ready(TaskFailure(InputError("cannot be read: there is not enough memory"), certain=False))
        self.done = isinstance(task, Ready)
        if self.done:
            self.answer = task.answer


class _Worker:
    """One worker process and the jobs it has been sent, in order."""

    def __init__(self, events: queue.SimpleQueue[_Event]) -> None:
        self.jobs: deque[_Job] = deque()
        self.unread = threading.Semaphore(_UNREAD)
        self.is_killed = False
        self.answered = 0  # tasks of all pools
        self.begin(events)
        try:
            # A process group of its own: signals of a terminal do not reach the worker.
            self.process = subprocess.Popen(_COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0)
        except OSError as error:
            hint = "; raise the limit of open files (ulimit -n)" if error.errno == 24 else ""
            raise WorkerError(f"a worker process cannot be started: {error.strerror}{hint}") from None
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.input: IO[bytes] = self.process.stdin
        threading.Thread(target=self._receive, args=(self.process.stdout,), daemon=True).start()

    def begin(self, events: queue.SimpleQueue[_Event]) -> None:
        """Serve the pool that reads these events."""
        self.events = events
        self.ready = False
        self.moment, self.pace = monotonic(), inf  # of the last answer, and seconds that it took

    def send(self, message: bytes) -> None:
        with suppress(OSError):  # of a worker that died, which its thread reports
            pickle.dump(message, self.input, protocol=5)
            self.input.flush()

    def run(self, job: _Job) -> None:
        if not self.jobs:
            self.moment = monotonic()
        job.unread = self.unread
        self.jobs.append(job)
        self.send(job.task)

    def has_room(self) -> bool:
        return len(self.jobs) < (_AHEAD if self.pace <= _QUICK else 1)

    def kill(self) -> None:
        self.is_killed = True
        self.process.kill()
        self.process.wait()
        self.unread.release()  # its thread ends as well

    def _receive(self, stream: IO[bytes]) -> None:
        while True:
            try:
                kind, value = pickle.load(stream)
            except Exception as error:
                kind, value = "died", None
                if not isinstance(error, EOFError | OSError):  # an answer that cannot be read
                    self.process.kill()
            if kind == "part" and not self.is_killed:  # the worker waits, too, once its pipe is full
                self.unread.acquire()
            self.events.put(_Event(self, kind, value, monotonic()))
            if kind == "died":
                return


class _Event(NamedTuple):
    worker: _Worker
    kind: str
    value: Any
    moment: float


# Starting a worker takes half a second, most of it for imports: callers of many small batches share these.
_idle: list[_Worker] = []


def start_early(module: str) -> None:
    """Start a worker that imports a module, for the first pool of this process to take over."""
    with suppress(WorkerError):  # which the pool reports
        worker = _Worker(queue.SimpleQueue())
        worker.send(b"import" + module.encode())
        _idle.append(worker)


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
        self._events: queue.SimpleQueue[_Event] = queue.SimpleQueue()
        self._workers: list[_Worker] = []
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
        jobs: deque[_Job] = deque()
        more = True
        while True:
            while more and len(jobs) < _READ and (worker := self._free()) is not None:
                try:
                    job = _Job(next(source))
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
        job = _Job(task)
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
            if worker.jobs or not worker.ready or worker.process.poll() is not None or len(_idle) >= _IDLE_AT_MOST:
                worker.kill()
            else:
                _idle.append(worker)
        self._workers = []

    def _add(self, *, fresh: bool = False) -> _Worker:
        """Start a worker, or take over an idle one if it need not be ``fresh``."""
        idle = (_idle.pop() for _ in range(0 if fresh else len(_idle)))
        worker = next((one for one in idle if one.process.poll() is None), None)
        if worker is None:
            worker = _Worker(self._events)
        worker.begin(self._events)
        self._workers.append(worker)
        worker.send(self._start)
        return worker

    def _free(self) -> _Worker | None:
        """Return the worker that takes the next task, ``None`` if the task has to wait."""
        free = [worker for worker in self._workers if worker.has_room()]
        if free:
            return min(free, key=lambda worker: len(worker.jobs))
        if self._is_closed:
            return None
        waited = monotonic() - self._began > _PATIENCE and all(worker.ready for worker in self._workers)
        return self._add() if waited and len(self._workers) < self._size else None

    def _wait(self) -> None:
        """Take note of one event. Wait in short spells, so that signals are handled and further workers started."""
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

    def _replace(self, worker: _Worker) -> None:
        """Put a new worker in place of one that died. Its first task failed, or is tried again in the new worker."""
        self._workers.remove(worker)
        code = worker.process.wait()
        failure = self._failure(code)
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

    def _failure(self, code: int) -> TaskFailure:
        """Return what is said of a task at which a worker ended with an exit status."""
        seconds, memory = self._limits
        if code == -getattr(signal, "SIGPROF", 0):
            return TaskFailure(LimitError(f"takes more than {seconds:g} s of processor time (--line-seconds)"))
        if code == NO_MEMORY:
            most = "there is" if memory is None else f"{memory} MB of memory (--line-memory)"
            return TaskFailure(LimitError(f"needs more than {most}"), certain=False)
        how = signal.Signals(-code).name if code < 0 else f"status {code}"
        return TaskFailure(LimitError(f"ends its worker process ({how}; for lack of memory?)"), certain=False)


def processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
