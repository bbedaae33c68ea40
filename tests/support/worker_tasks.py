"""Tasks that make worker processes fail on demand."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from planoracle.instances.errors import InputError
from planoracle.instances.workers.worker import report

_retained: list[bytes] = []


def start() -> Callable[[str], Any]:
    """Return the function that runs a task, or returns the task if it names no action."""
    return _run


def start_refused() -> Callable[[str], Any]:
    """Fail to start, as with an unknown rule."""
    raise InputError("unknown rule")


def start_dying() -> Callable[[str], Any]:
    """End the worker."""
    os._exit(3)


def _run(task: str) -> Any:
    name, _, value = task.partition(" ")
    return _ACTIONS[name](value) if name in _ACTIONS else task


def _hog(megabytes: str) -> int:
    return len([bytes(2**20) for _ in range(int(megabytes))])


def _retain(megabytes: str) -> str:
    _retained.append(bytes(int(megabytes) * 2**20))
    return "retained"


def _die_once(path: str) -> str:
    if not Path(path).exists():
        Path(path).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return "alive"


def _refuse(message: str) -> None:
    raise InputError(message)


def _recurse(value: str) -> str:
    return _recurse(value) + value


def _spin_thread(_: str) -> None:
    thread = threading.Thread(target=sum, args=(range(10**12),))
    thread.start()
    thread.join()


def count(number: int) -> Iterator[int]:
    """Yield numbers, each after some work."""
    for value in range(number):
        yield value
        sum(range(3_000_000))


def process_number() -> Iterator[int]:
    """Yield the number of the worker process."""
    yield os.getpid()


def count_and_die(number: int) -> Iterator[int]:
    """Yield numbers, and then end the worker."""
    yield from range(number)
    os.kill(os.getpid(), signal.SIGKILL)


def count_and_die_once(number: int, path: str) -> Iterator[object]:
    """Yield numbers, and then end the first worker."""
    yield from range(number)
    yield _die_once(path)


def _tell(value: str) -> str:
    report(value)
    return value


def _sleep(seconds: str) -> str:
    time.sleep(float(seconds))
    return seconds


_ACTIONS: dict[str, Callable[[str], Any]] = {
    "spin": lambda _: sum(range(10**12)),  # compiled code, which receives no exception
    "spin-thread": _spin_thread,
    "hog": _hog,
    "retain": _retain,
    "kill": lambda _: os.kill(os.getpid(), signal.SIGKILL),
    "exit": lambda status: os._exit(int(status)),
    "die-once": _die_once,
    "refuse": _refuse,
    "divide": lambda _: 1 // 0,
    "recurse": _recurse,
    "large": lambda _: bytes(2**26),
    "unsendable": lambda _: lambda: 0,
    "tell": _tell,
    "sleep": _sleep,
    "print": lambda text: print(text, flush=True) or sys.stdin.read(),
    "pid": lambda _: os.getpid(),
    "environment": os.environ.get,
    "folder": lambda _: os.getcwd(),
}
