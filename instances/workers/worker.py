"""Worker process of a pool: answers one task per message, within limits of processor time and memory.

A pool starts it with ``python -P``: no module is imported from the current folder. Messages are pickles on pipes that
only the pool and this process hold.

Pool to worker: ``(start, limits, environment, folder)`` once per batch, then one pickled task per message. Worker to
pool: ``("ready", None)`` once per batch; ``("done", value)`` per task; ``("failed", error)`` in place of either; and
``("progress", value)`` at any time.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
import warnings
from collections.abc import Callable
from importlib import import_module
from time import sleep
from typing import IO, Any, Final, NamedTuple, NoReturn

from planoracle.instances.errors import InputError, InternalError, PlanoracleError, WorkerError, kind_of_warning
from planoracle.instances.protocol.registry import benchmark_error
from planoracle.instances.text import visible

#: Exit status of a worker that ran out of memory.
NO_MEMORY: Final = 77
#: Largest answer as a pickle, in bytes.
MAX_ANSWER: Final = 2**26


class LimitError(InputError):
    """Error for a task that exceeds a limit, or ends the worker that runs it."""


class TaskLimits(NamedTuple):
    """Limits of one task; ``None`` means unlimited.

    Attributes
    ----------
    seconds
        Processor time of all threads of the worker, in seconds.
    memory
        Memory of the worker, in megabytes (10**6 bytes). Enforced on Linux; macOS does not limit the data segment.
    is_option
        True if ``--line-seconds`` and ``--line-memory`` set the limits, so that errors name these options.
    """

    seconds: float | None = None
    memory: int | None = None
    is_option: bool = True


NO_LIMITS: Final = TaskLimits()
#: Limits of one question, or of one problem in a file.
PROBLEM_LIMITS: Final = TaskLimits(1200.0, 4000)
# Seconds between two checks that the parent process exists.
_LOOK: Final = 0.5


def show_warning(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, *_: Any, **__: Any
) -> None:
    """Write a warning to standard error: one line, except for warnings that are for developers."""
    kind = kind_of_warning(category)
    text = f"{kind}: {message}"
    if kind is None:
        text = warnings.formatwarning(message, category, filename, lineno).rstrip()
    print(visible(text), file=sys.stderr)


def set_timer(seconds: float | None) -> None:
    """Start or stop the processor timer of a task. Its signal has no handler and ends the process."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds or 0)


def limit_memory(limits: TaskLimits) -> None:
    """Limit the memory of this process, or remove the limit of the batch before."""
    try:
        import resource
    except ImportError:  # Windows
        return
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    requested = hard if limits.memory is None else limits.memory * 10**6
    soft = requested if hard < 0 else min(requested, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def answer(function: Callable[[Any], Any], task: bytes, limits: TaskLimits) -> tuple[str, Any]:
    """Return the message that answers a task."""
    set_timer(limits.seconds)
    try:
        return "done", function(pickle.loads(task))
    except MemoryError:
        os._exit(NO_MEMORY)
    except RecursionError:
        return "failed", InputError("is nested too deeply")
    except PlanoracleError as error:
        return "failed", error
    except Exception as error:  # one fault of ours must not end the batch
        text = f"{type(error).__name__}: {error}"[:1000]
        return "failed", benchmark_error(error) or InternalError(text)
    finally:
        set_timer(None)


_lock = threading.Lock()
_answers: IO[bytes] | None = None  # to the pool; None outside of a worker


def send(kind: str, value: Any) -> None:
    """Write one message to the pool, from any thread; an error instead of an answer that cannot be sent."""
    assert _answers is not None
    try:
        data = pickle.dumps((kind, value), protocol=5)
    except MemoryError:
        raise
    except Exception as error:  # objects decide themselves how pickling them fails
        reason = f"the answer cannot be sent: {type(error).__name__}: {error}"
        data = pickle.dumps(("failed", InternalError(reason[:1000])))
    if len(data) > MAX_ANSWER:
        data = pickle.dumps(("failed", LimitError(f"the answer exceeds {MAX_ANSWER} bytes")))
    with _lock:
        _answers.write(data)
        _answers.flush()


def report(progress: Any) -> None:
    """Send a progress message of the current task to the pool; do nothing outside of a worker."""
    if _answers is not None:
        send("progress", progress)


def on_interrupt(stop: Callable[[], None]) -> None:
    """Call a function when the pool asks for an early end of the task; without effect outside of a worker."""
    if _answers is not None:
        signal.signal(signal.SIGINT, lambda *_: stop())


def end_with(parent: int) -> NoReturn:
    """End the process with the one that started it, even in the middle of a task."""
    while os.getppid() == parent:
        sleep(_LOOK)
    os._exit(0)


def serve(requests: IO[bytes]) -> NoReturn:
    """Answer batches of tasks until the process ends."""
    function: Callable[[Any], Any] = pickle.loads
    limits = TaskLimits()
    while True:
        message: bytes = pickle.load(requests)
        if message.startswith(b"import"):
            import_module(message[6:].decode())
        elif message.startswith(b"start"):
            try:
                start, limits, environment, folder = pickle.loads(message[5:])
                limit_memory(limits)
                os.environ.clear()
                os.environ.update(environment)
                os.chdir(folder)
                function = start()
                send("ready", None)
            except PlanoracleError as error:
                send("failed", error)
            except Exception as error:
                reason = f"a worker process cannot start: {type(error).__name__}: {error}"
                send("failed", WorkerError(reason))
        else:
            send(*answer(function, message, limits))


def main() -> NoReturn:
    """Run the worker on its standard streams, which are then closed to everything else."""
    for name in ("SIGINT", "SIGHUP"):  # a terminal's signals concern the pool, which ends its workers
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    warnings.showwarning = show_warning
    global _answers  # the pipe of this process
    requests, _answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    if os.name == "posix":
        threading.Thread(target=end_with, args=(os.getppid(),), daemon=True).start()
    try:
        serve(requests)
    except MemoryError:
        os._exit(NO_MEMORY)
    except (OSError, EOFError, pickle.UnpicklingError):  # the pool has gone, maybe in the middle of a message
        os._exit(0)
