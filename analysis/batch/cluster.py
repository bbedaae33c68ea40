"""Executor of batch tasks on a dask.distributed cluster.

The scheduler repeats the tasks of workers that die. Tasks and answers are pickles: whoever reaches the scheduler can
run code on its workers and in this process; `.docs/reference/batches.md` shows how to use TLS. Each dask worker answers
tasks in a worker pool of its own, which enforces the limits of a task.
"""

from __future__ import annotations

import logging
import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any

from planoracle.analysis.console import tell
from planoracle.instances.errors import InputError, PlanoracleError, WorkerError
from planoracle.instances.files.strict_json import load_json, read_bytes
from planoracle.instances.workers.pool import Ready, TaskFailure, WorkerPool
from planoracle.instances.workers.worker import LimitError, TaskLimits
from planoracle.solver.result import versions

# Seconds to wait for the scheduler, and tasks submitted before the first of them is answered.
_SEARCH, _IN_FLIGHT = 20, 1000


class DaskCluster:
    """Workers of a dask scheduler, with the interface of `planoracle.instances.workers.pool.WorkerPool`.

    Parameters
    ----------
    start, limits
        As in `WorkerPool`.
    address
        Address of the scheduler, ``tcp://host:8786``, or the path of its scheduler file.

    Raises
    ------
    WorkerError
        If ``distributed`` is not installed, or the scheduler cannot be reached.
    """

    def __init__(self, start: Callable[[], Callable[[Any], Any]], limits: TaskLimits, address: str) -> None:
        try:
            from distributed import Client
        except ImportError:
            raise WorkerError("--cluster needs distributed; install planoracle[cluster]") from None
        # Failures are reported below in one line; the loggers of the library print tracebacks.
        for name in ("distributed", "distributed.client"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        self._address = address
        self._work = (pickle.dumps(start, protocol=5), limits, versions())
        with self._translate_errors("cannot be reached"):
            resolved = _address_of(address)
            _check_certificate(resolved)
            self._client: Any = Client(resolved, timeout=_SEARCH, set_as_default=False)  # type: ignore[no-untyped-call]
            if not self._client.nthreads():  # type: ignore[no-untyped-call]
                tell(f"the cluster at {address} has no workers yet; waiting for workers", "note")

    def map(self, tasks: Iterable[Any]) -> Iterator[Any]:
        """Yield the answer to each task, in the order of the tasks."""
        source = iter(tasks)
        futures: deque[Any] = deque()
        while True:
            for task in islice(source, _IN_FLIGHT - len(futures)):
                with self._translate_errors("failed"):
                    ready = isinstance(task, Ready)
                    futures.append(task if ready else self._client.submit(run, *self._work, task, pure=False))
            if not futures:
                return
            future = futures.popleft()
            yield future.answer if isinstance(future, Ready) else self._answer(future)

    def _answer(self, future: Any) -> Any:
        from distributed import KilledWorker

        with self._translate_errors("failed"):
            try:
                return future.result()
            except KilledWorker as error:
                return TaskFailure(LimitError(f"terminated all workers that ran it: {error}"), certain=False)

    def close(self) -> None:
        """Stop all work."""
        with suppress(Exception):  # a scheduler that has ended has no tasks
            self._client.close(timeout=5)

    @contextmanager
    def _translate_errors(self, failure: str) -> Iterator[None]:
        """Raise errors of the library, which have any type, as `WorkerError`."""
        try:
            yield
        except PlanoracleError:
            raise
        except Exception as error:
            reason = str(error) or type(error).__name__
            raise WorkerError(f"the cluster at {self._address} {failure}: {reason}") from None


def run(start: bytes, limits: TaskLimits, requested: Mapping[str, str], task: Any) -> Any:
    """Answer a task on a worker of the cluster, in a process of its own; ``start`` is a pickle."""
    installed = versions()
    if installed != requested:
        message = f"{_listed(installed)}; expected {_listed(requested)}"
        raise WorkerError(f"a worker of the cluster has other versions: {message}")
    with WorkerPool(pickle.loads(start), limits, 1) as pool:  # its process is that of the task before
        return next(pool.map([task]))


def _listed(packages: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in packages.items())


def _address_of(text: str) -> str:
    """Return the address of a scheduler, read from its file if the text is a path."""
    if not Path(text).is_file():
        return text
    try:
        return str(load_json(read_bytes(text), text)["address"])
    except (KeyError, TypeError):
        raise InputError("is not a scheduler file: it has no address", source=text) from None


def _check_certificate(address: str) -> None:
    """Raise `WorkerError` if an address needs a certificate and none is set; dask would print a traceback."""
    from distributed import Security

    security: Any = Security
    if address.startswith("tls://") and not security().get_connection_args("client").get("ssl_context"):
        raise WorkerError(
            f"the cluster at {address} needs a certificate; set DASK_DISTRIBUTED__COMM__TLS__CA_FILE, "
            "DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT and DASK_DISTRIBUTED__COMM__TLS__CLIENT__KEY"
        )
