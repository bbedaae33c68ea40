"""Processes that work for this one: no signal of a terminal disturbs them, and none outlives it."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Future
from contextlib import contextmanager
from typing import Any

__all__ = ["Team", "settle", "undisturbed"]

# Seconds between two looks whether the process we work for is there.
_LOOK = 0.5


class Team:
    """Processes, started with the first call.

    Parameters
    ----------
    size
        How many; by default one for every processor.
    most
        No more than so many.
    """

    def __init__(self, size: int | None = None, most: int | None = None) -> None:
        from multiprocessing import resource_tracker

        from loky import ProcessPoolExecutor, cpu_count

        self.size: int = min(size or cpu_count(), most or sys.maxsize)
        with undisturbed():
            if os.name == "posix":
                resource_tracker.ensure_running()  # which would let signals through if it was started with the others
            self._executor = ProcessPoolExecutor(max_workers=self.size, initializer=settle, initargs=(os.getpid(),))

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Have a function called; the death of a process is told by the result."""
        future: Future[Any]
        try:
            with undisturbed():
                future = self._executor.submit(function, *arguments)
        except BrokenExecutor as error:  # told like the death of those at work
            future = Future()
            future.set_exception(error)
        return future

    def close(self) -> None:
        """Stop, whatever is going on."""
        self._executor.shutdown(wait=True, kill_workers=True)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Put off what would stop us while processes and threads are half started.

    What a terminal sends to all processes is blocked as well, so that those started meanwhile do not hear of it at all.
    """
    kept: list[int] = []
    handlers = {}
    if threading.current_thread() is threading.main_thread():
        for one in (getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)):
            if callable(signal.getsignal(one)):
                handlers[one] = signal.signal(one, lambda number, _: kept.append(number))
    blocks = hasattr(signal, "pthread_sigmask")
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGHUP}) if blocks else set()
    try:
        yield
    finally:
        if blocks:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for one, handler in handlers.items():
            signal.signal(one, handler)
        if kept:
            signal.raise_signal(kept[0])


def settle(parent: int) -> None:
    """Prepare a process: signals of a terminal are none of its business, and it ends with its parent."""
    from planoracle.analysis.streams import mend

    mend()
    for name in ("SIGINT", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    """End this process with its parent, however that ended."""
    if os.name == "posix":
        while os.getppid() == parent:
            time.sleep(_LOOK)
    else:  # the parent's number stays, but there is a handle of it
        from multiprocessing import parent_process

        if (process := parent_process()) is not None:
            process.join()
    os._exit(1)
