"""Hands on this machine: a thread, and processes."""

from __future__ import annotations

import os
import queue
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Future
from contextlib import contextmanager

from planoracle.analysis.batch.work import Chunk, Done, Work, work_on

__all__ = ["SEARCH", "Here", "Processes"]

#: Name of the thread that may be in the midst of a search when the program ends.
SEARCH = "planoracle-search"

# For the stack of our thread, which on some systems is far smaller than that of a process.
_STACK = 16 * 2**20


class Here:
    """A thread of this process. The main one keeps waiting, so that it can stop at once when asked to."""

    width = 1
    dose = 0.02

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

    dose = 0.3

    def __init__(self, work: Work, jobs: int | None = None) -> None:
        from multiprocessing import resource_tracker

        from joblib import cpu_count
        from joblib.externals.loky import ProcessPoolExecutor

        self._work = work
        self.jobs: int = jobs or cpu_count()
        self.width = 2 * self.jobs + 1
        if os.name == "posix":
            resource_tracker.ensure_running()  # which would let Ctrl-C through if it was started with the processes
        self._executor = ProcessPoolExecutor(max_workers=self.jobs, initializer=_settle, initargs=(os.getpid(),))

    def submit(self, chunk: Chunk) -> Future[Done]:
        """Take a chunk."""
        future: Future[Done]
        try:
            with _no_interrupts():
                future = self._executor.submit(work_on, self._work, chunk)
        except BrokenExecutor as error:  # told like the death of those at work
            future = Future()
            future.set_exception(error)
        return future

    def close(self) -> None:
        """Stop, whatever is going on."""
        # Its own way to do that fails now and then where work is left.
        for process in list((self._executor._processes or {}).values()):
            process.terminate()
        self._executor.shutdown(wait=True)


@contextmanager
def _no_interrupts() -> Iterator[None]:
    """Put off Ctrl-C, which processes started meanwhile do not hear of at all."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _settle(parent: int) -> None:
    """Prepare a process: Ctrl-C is none of its business, and it does not outlive its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    if os.name == "posix":
        threading.Thread(target=watch, daemon=True).start()
