"""Worker process as seen by its pool: tasks sent, answers received, reason of its end."""

from __future__ import annotations

import pickle
import queue
import signal
import subprocess
import sys
import threading
from collections import deque
from contextlib import suppress
from math import inf
from time import monotonic
from typing import IO, Any, Final, NamedTuple

from planoracle.analysis.batch.journal import WorkerError
from planoracle.analysis.batch.worker import NO_MEMORY, LimitError, TaskLimits
from planoracle.instances.errors import InputError, PlanoracleError

# Tasks sent ahead to a worker whose last answer took at most this many seconds: it never waits for the next message.
_AHEAD, _QUICK = 8, 0.05
# Bytes of tasks after which no other is sent ahead: a pipe holds 64 kB.
_BYTES = 2**14
# Parts of answers that are held before anybody reads them.
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


class Job:
    """A task, and the parts of its answer so far."""

    def __init__(self, task: Any) -> None:
        self.parts: deque[Any] = deque()
        self.is_stream = self.retried = False
        self.unread = threading.Semaphore()  # that of its worker
        self.task = b""
        try:
            if not isinstance(task, Ready):
                self.task = pickle.dumps(task, protocol=5)
        except RecursionError:
            task = Ready(TaskFailure(InputError("is nested too deeply")))
        except MemoryError:
            task = Ready(TaskFailure(InputError("cannot be read: there is not enough memory"), certain=False))
        self.done = isinstance(task, Ready)
        self.answer: Any = task.answer if self.done else None


class Worker:
    """One worker process and the jobs it has been sent, in order."""

    def __init__(self, events: queue.SimpleQueue[WorkerEvent]) -> None:
        self.jobs: deque[Job] = deque()
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

    def begin(self, events: queue.SimpleQueue[WorkerEvent]) -> None:
        """Serve the pool that reads these events."""
        self.events = events
        self.ready = False
        self.moment, self.pace = monotonic(), inf  # of the last answer, and seconds that it took

    def send(self, message: bytes) -> None:
        """Send a message."""
        with suppress(OSError):  # of a worker that died, which its thread reports
            pickle.dump(message, self.input, protocol=5)
            self.input.flush()

    def run(self, job: Job) -> None:
        """Send a job."""
        if not self.jobs:
            self.moment = monotonic()
        job.unread = self.unread
        self.jobs.append(job)
        self.send(job.task)

    def has_room(self) -> bool:
        """Return whether another job may be sent now, without waiting until the worker reads it."""
        is_quick = self.pace <= _QUICK and len(self.jobs) < _AHEAD
        return not self.jobs or (is_quick and sum(len(job.task) for job in self.jobs) < _BYTES)

    def kill(self) -> None:
        """End the process."""
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
            self.events.put(WorkerEvent(self, kind, value, monotonic()))
            if kind == "died":
                return


class WorkerEvent(NamedTuple):
    """A message of a worker with the time at which it came; of kind ``died`` at its end."""

    worker: Worker
    kind: str
    value: Any
    moment: float


# Starting a worker takes half a second, most of it for imports: callers of many small batches share these.
_idle: list[Worker] = []


def start_early(module: str) -> None:
    """Start a worker that imports a module, for the first pool of this process to take over."""
    with suppress(WorkerError):  # which the pool reports
        worker = Worker(queue.SimpleQueue())
        worker.send(b"import" + module.encode())
        _idle.append(worker)


def take_worker(events: queue.SimpleQueue[WorkerEvent], *, fresh: bool) -> Worker:
    """Return an idle worker, or start one if there is none or it has to be ``fresh``."""
    idle = (_idle.pop() for _ in range(0 if fresh else len(_idle)))
    worker = next((one for one in idle if one.process.poll() is None), None) or Worker(events)
    worker.begin(events)
    return worker


def leave_worker(worker: Worker) -> None:
    """Keep an idle worker for the next pool of this process; end one that is at work."""
    if worker.jobs or not worker.ready or worker.process.poll() is not None or len(_idle) >= _IDLE_AT_MOST:
        worker.kill()
    else:
        _idle.append(worker)


def failure_of(code: int, limits: TaskLimits) -> TaskFailure:
    """Return the failure of a task at which a worker ended with an exit status."""
    seconds, memory = limits
    if code == -getattr(signal, "SIGPROF", 0):
        return TaskFailure(LimitError(f"takes more than {seconds:g} s of processor time (--line-seconds)"))
    if code == NO_MEMORY:
        most = "there is" if memory is None else f"{memory} MB of memory (--line-memory)"
        return TaskFailure(LimitError(f"needs more than {most}"), certain=False)
    status = signal.Signals(-code).name if code < 0 else f"status {code}"
    return TaskFailure(LimitError(f"ends its worker process ({status}; for lack of memory?)"), certain=False)
