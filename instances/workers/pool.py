"""Worker pool: one process per worker, and limits of processor time and memory per task."""

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
from dataclasses import dataclass
from functools import partial
from itertools import count, takewhile
from math import inf
from time import monotonic
from typing import IO, Any, Final, Generic, NamedTuple, TypeAlias, TypeVar

from planoracle.instances.errors import InputError, InternalError, PlanoracleError, WorkerError
from planoracle.instances.workers.worker import NO_LIMITS, NO_MEMORY, PROBLEM_LIMITS, LimitError, TaskLimits

T = TypeVar("T")
A = TypeVar("A")

# Most tasks read before the first of them is answered, and seconds of work after which another worker is started.
_READ, _PATIENCE = 256, 0.5
# Tasks sent ahead to a worker whose last answer took at most this many seconds: it never waits for the next message.
_AHEAD, _QUICK = 8, 0.05
# Bytes of tasks after which no other is sent ahead: a pipe holds 64 kB.
_BYTES = 2**14
# Seconds in which workers answer after an interruption.
_FAREWELL = 2.0
# Workers kept for the next pool of this process.
_IDLE_AT_MOST = 2
_COMMAND: Final = [sys.executable, "-P", "-c", "from planoracle.instances.workers.worker import main; main()"]


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


@dataclass(slots=True, eq=False)
class Job:
    """A task as a pickle, and its answer."""

    task: bytes = b""
    answer: Any = None
    is_done: bool = False
    is_retried: bool = False


def job_of(task: Any) -> Job:
    """Return the job of a task, already done if the task is `Ready` or cannot be sent."""
    if isinstance(task, Ready):
        return Job(answer=task.answer, is_done=True)
    try:
        return Job(pickle.dumps(task, protocol=5))
    except RecursionError:
        failure = TaskFailure(InputError("is nested too deeply"))
    except MemoryError:
        failure = TaskFailure(InputError("cannot be read: there is not enough memory"), certain=False)
    return Job(answer=failure, is_done=True)


class Worker:
    """One worker process and the jobs it has been sent, in order."""

    def __init__(self, events: Events) -> None:
        self.jobs: deque[Job] = deque()
        self.answered = 0  # tasks of all pools
        self.begin(events)
        try:
            # A process group of its own: signals of a terminal do not reach the worker.
            self.process = subprocess.Popen(_COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0)
        except OSError as error:
            hint = "; raise the limit of open files (ulimit -n)" if error.errno == 24 else ""
            raise WorkerError(f"a worker process cannot be started: {error.strerror}{hint}") from None
        threading.Thread(target=self._receive, args=(self.process.stdout,), daemon=True).start()

    def begin(self, events: Events) -> None:
        """Serve the pool that reads these events."""
        self.events = events
        self.is_ready = False
        self.moment, self.pace = monotonic(), inf  # of the last answer, and seconds that it took

    def send(self, message: bytes) -> None:
        """Send a message."""
        assert self.process.stdin is not None
        with suppress(OSError):  # of a worker that died, which its thread reports
            pickle.dump(message, self.process.stdin, protocol=5)
            self.process.stdin.flush()

    def run(self, job: Job) -> None:
        """Send a job."""
        if not self.jobs:
            self.moment = monotonic()
        self.jobs.append(job)
        self.send(job.task)

    def finish(self, answer: Any) -> None:
        """Record the answer to the first job."""
        job, now = self.jobs.popleft(), monotonic()
        job.answer, job.is_done = answer, True
        self.pace, self.moment = now - self.moment, now
        self.answered += 1

    def has_room(self) -> bool:
        """Return whether another job may be sent now, without waiting until the worker reads it."""
        is_quick = self.pace <= _QUICK and len(self.jobs) < _AHEAD
        if not self.jobs:
            return True
        return is_quick and sum(len(job.task) for job in self.jobs) < _BYTES

    def leave(self) -> None:
        """Keep the worker for the next pool of this process if it is idle, else end it."""
        if not self.jobs and self.is_ready and self.process.poll() is None and len(_idle) < _IDLE_AT_MOST:
            _idle.append(self)
        else:
            self.process.kill()
            self.process.wait()

    def _receive(self, stream: IO[bytes]) -> None:
        while True:
            try:
                kind, value = pickle.load(stream)
            except Exception:  # the end of the process, or an answer that cannot be read
                self.process.kill()
                self.events.put((self, "died", None))
                return
            self.events.put((self, kind, value))


#: Messages of workers: the worker, the kind of message, and its content; of kind ``died`` at the end of the process.
Events: TypeAlias = "queue.SimpleQueue[tuple[Worker, str, Any]]"

# Starting a worker takes half a second, most of it for imports: callers of many small batches share these.
_idle: list[Worker] = []


def start_early(module: str) -> None:
    """Start a worker that imports a module, for the first pool of this process to take over."""
    with suppress(WorkerError):  # which the pool reports
        worker = Worker(queue.SimpleQueue())
        worker.send(b"import" + module.encode())
        _idle.append(worker)


class WorkerPool(Generic[T, A]):
    """Answers tasks in worker processes. A task that fails does not affect the others.

    Parameters
    ----------
    start
        Called once in each worker; returns the function that answers a task. Both cross a process boundary by pickle.
    limits
        Limits of one task.
    workers
        Number of processes, by default one per processor. The first is started at once, others when work is waiting.
    on_progress
        Called with each progress message of a task, see `planoracle.instances.workers.worker.report`.

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
        environment = dict(os.environ)
        folder = os.getcwd()
        self._start = b"start" + pickle.dumps((start, limits, environment, folder), protocol=5)
        self._limits = limits
        self._size = workers or processors()
        self._on_progress = on_progress
        self._events: Events = queue.SimpleQueue()
        self._workers: list[Worker] = []
        self._began = monotonic()
        self._is_closed = self._is_waiting = False
        self._end = inf  # moment after which no answer is awaited
        self._add()

    def __enter__(self) -> WorkerPool[T, A]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def map(self, tasks: Iterable[T]) -> Iterator[A | TaskFailure]:
        """Yield the answer to each task, in the order of the tasks; see `interrupt` for an early end."""
        source = map(job_of, tasks)
        jobs: deque[Job] = deque()
        while True:
            while self._end == inf and len(jobs) < _READ and (worker := self._free()) and (job := next(source, None)):
                jobs.append(job)
                if not job.is_done:
                    worker.run(job)
            if not jobs or (monotonic() > self._end and not jobs[0].is_done):
                return
            if jobs[0].is_done:
                yield jobs.popleft().answer
            else:
                self._wait()

    def interrupt(self) -> bool:
        """Ask workers for early answers, which `map` yields before it ends; return False if it awaits none.

        The workers have two seconds for them. A signal handler may call this.
        """
        ready = [worker for worker in self._workers if worker.is_ready]  # others are still importing
        if not (self._is_waiting and ready and hasattr(os, "killpg")):
            return False
        self._end = monotonic() + _FAREWELL
        for worker in ready:
            worker.process.send_signal(signal.SIGINT)
        return True

    def close(self) -> None:
        """Stop all work, also that of other threads. Idle workers are kept for the next pool of this process."""
        self._is_closed = True
        for worker in self._workers:
            worker.leave()
        self._workers = []

    def _add(self, *, fresh: bool = False) -> Worker:
        """Add an idle worker of this process, or a new one if there is none or it has to be ``fresh``."""
        idle = (_idle.pop() for _ in range(0 if fresh else len(_idle)))
        running = (candidate for candidate in idle if candidate.process.poll() is None)
        worker = next(running, None) or Worker(self._events)
        worker.begin(self._events)
        self._workers.append(worker)
        worker.send(self._start)
        return worker

    def _free(self) -> Worker | None:
        """Return the worker that takes the next task, ``None`` if the task has to wait."""
        free = [worker for worker in self._workers if worker.has_room()]
        if free or self._is_closed:
            return min(free, key=lambda worker: len(worker.jobs), default=None)
        are_ready = all(worker.is_ready for worker in self._workers)
        has_waited = are_ready and monotonic() - self._began > _PATIENCE
        is_short = len(self._workers) < self._size and has_waited
        return self._add() if is_short or not self._workers else None

    def _wait(self) -> None:
        """Handle one message. Wait at most briefly, so that signals are handled and further workers started."""
        self._is_waiting = True
        try:
            timeout = 0.1 if len(self._workers) < self._size else 1.0
            worker, kind, value = self._events.get(timeout=timeout)
        except queue.Empty:
            return
        finally:
            self._is_waiting = False
        if kind == "progress":
            self._on_progress(value)
        elif kind == "died":
            self._replace(worker)
        elif worker.is_ready:
            is_certain = not isinstance(value, InternalError)
            worker.finish(TaskFailure(value, is_certain) if kind == "failed" else value)
        elif kind == "failed":
            raise value
        else:
            worker.is_ready, worker.moment = True, monotonic()

    def _replace(self, worker: Worker) -> None:
        """Replace a worker that died.

        Its first task failed, or is repeated by the new worker.
        """
        if self._is_closed:
            raise WorkerError("the pool was closed")
        self._workers.remove(worker)
        failure = failure_of(worker.process.wait(), self._limits)
        if not worker.is_ready:
            raise WorkerError(f"a worker process cannot start: {failure.error}")
        if worker.jobs:
            job = worker.jobs[0]
            new = self._add(fresh=True)
            # Memory that earlier tasks left behind is no reason to refuse this one.
            job.is_done = failure.certain or job.is_retried or not worker.answered
            job.answer, job.is_retried = failure, True
            for job in worker.jobs:
                if not job.is_done:
                    new.run(job)


def each_in_worker(
    function: Callable[..., Iterator[A]], *arguments: Any, limits: TaskLimits = PROBLEM_LIMITS
) -> Iterator[A]:
    """Yield the values of a generator function that runs in a worker, within limits of each value.

    Raises
    ------
    PlanoracleError
        What the function raises, or that a value exceeds the limits.
    """
    is_over = False
    numbers = takewhile(lambda number: not is_over, count())
    pool: WorkerPool[int, list[A]]
    with WorkerPool(partial(_start_values, function, arguments), limits, 1) as pool:
        # Numbers that were sent before the end are answered, too: only an idle worker serves the next pool.
        for answer in pool.map(numbers):
            if isinstance(answer, TaskFailure):
                raise answer.error
            if answer:
                yield answer[0]
            else:
                is_over = True


def _start_values(function: Callable[..., Iterator[A]], arguments: tuple[Any, ...]) -> Callable[[int], list[A]]:
    """Return a function from a number to a list with the value of that number; empty after the last."""
    values = enumerate(function(*arguments))
    # The worker that replaces another computes the values before it again.

    def value_at(number: int) -> list[A]:
        for position, value in values:
            if position == number:
                return [value]
        return []

    return value_at


def processors() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def failure_of(code: int, limits: TaskLimits) -> TaskFailure:
    """Return the failure of a task at which a worker ended with an exit status."""
    seconds, memory, is_option = limits
    if code == -getattr(signal, "SIGPROF", 0):
        option = " (--line-seconds)" if is_option else ""
        return TaskFailure(LimitError(f"takes more than {seconds:g} s of processor time{option}"))
    if code == NO_MEMORY:
        option = " (--line-memory)" if is_option else ""
        amount = "there is" if memory is None else f"{memory} MB of memory{option}"
        return TaskFailure(LimitError(f"needs more than {amount}"), certain=False)
    status = f"status {code}"
    if code < 0:
        status = signal.Signals(-code).name
    cause = "possibly for lack of memory"
    if memory is not None and not is_option:
        cause = f"possibly for lack of memory; the limit is {memory} MB"
    return TaskFailure(LimitError(f"ends its worker process ({status}; {cause})"), certain=False)
