"""Chunks done on other machines: a dask.distributed cluster.

The scheduler gives the chunks of workers that die to others. Only this process writes results, in order, so that
nothing is lost and nothing is there twice, whatever the cluster does. Chunks and answers are pickles: whoever reaches
the scheduler can run code on its workers, and here; see the README for TLS.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import Any

from planoracle.analysis.batch.errors import DiedError, WorkerError
from planoracle.analysis.batch.guard import guarded
from planoracle.analysis.batch.work import Chunk, Done, Guarded
from planoracle.analysis.spoken import tell
from planoracle.instances.errors import InputError, PlanoracleError
from planoracle.instances.reading import load_json, read_bytes

__all__ = ["Cluster"]

# Seconds to look for the scheduler, and between two looks at how many workers there are.
_SEARCH, _LOOK = 20, 5.0


class Cluster:
    """The workers of a scheduler.

    Parameters
    ----------
    address
        Of the scheduler, ``tcp://host:8786``, or the path of its scheduler file.

    Raises
    ------
    WorkerError
        If ``distributed`` is not installed here, or the scheduler cannot be reached.
    """

    chunk_seconds = 1.0

    def __init__(self, work: Guarded, address: str) -> None:
        try:
            from distributed import Client
        except ImportError:
            raise WorkerError("--cluster needs distributed; install planoracle[cluster]") from None
        # What goes wrong is told below, once and in a line; the loggers of the library print tracebacks.
        for name in ("distributed", "distributed.client"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        self._address = address
        with self._told("cannot be reached"):
            found = _address_of(address)
            _check_certificate(found)
            self._client: Any = Client(found, timeout=_SEARCH, set_as_default=False)  # type: ignore[no-untyped-call]
        self._work = work
        self._looked = -_LOOK
        self._threads = 0
        if not self.in_flight:
            tell(f"the cluster at {address} has no workers yet; waiting for some", "note")

    @contextmanager
    def _told(self, what: str) -> Iterator[None]:
        """Tell errors of the library, which are of any kind, as ours."""
        try:
            yield
        except PlanoracleError:
            raise
        except Exception as error:
            said = str(error) or type(error).__name__
            raise WorkerError(f"the cluster at {self._address} {what}: {said}") from None

    @property
    def in_flight(self) -> int:
        """Twice as many chunks as there are threads, so that nobody waits for work."""
        if monotonic() - self._looked > _LOOK:
            self._looked = monotonic()
            with self._told("failed"):
                self._threads = sum(self._client.nthreads().values())
        return 2 * self._threads

    def submit(self, chunk: Chunk) -> _Chore:
        """Take a chunk."""
        with self._told("failed"):
            return _Chore(self._client.submit(guarded, self._work, chunk, pure=False), self._address)

    def helped(self, jobs: int | None, most: int | None) -> Cluster:
        """Return itself: how many workers there are is not for us to say."""
        return self

    def close(self) -> None:
        """Stop, whatever is going on; chunks that nobody waits for are forgotten."""
        with suppress(Exception):  # a scheduler that is gone forgets them anyway, and more than that is to be told
            self._client.close(timeout=5)


def _address_of(text: str) -> str:
    """Return the address of a scheduler, which may be told by its file."""
    if not Path(text).is_file():
        return text
    try:
        return str(load_json(read_bytes(text), text)["address"])
    except (KeyError, TypeError):
        raise InputError("is no file of a scheduler: it names no address", source=text) from None


def _check_certificate(address: str) -> None:
    """Raise `WorkerError` if there is no certificate for an address that wants one, which dask tells by a traceback."""
    from distributed import Security

    known: Any = Security
    if address.startswith("tls://") and not known().get_connection_args("client").get("ssl_context"):
        raise WorkerError(
            f"the cluster at {address} wants a certificate: set DASK_DISTRIBUTED__COMM__TLS__CA_FILE, "
            "DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT and DASK_DISTRIBUTED__COMM__TLS__CLIENT__KEY"
        )


class _Chore:
    """A chunk on its way, its errors told as ours."""

    def __init__(self, future: Any, address: str) -> None:
        self._future = future
        self._address = address

    def done(self) -> bool:
        return bool(self._future.done())

    def add_done_callback(self, told: Any) -> None:
        self._future.add_done_callback(told)

    def result(self) -> Done:
        from distributed import KilledWorker

        try:
            found = self._future.result()
        except WorkerError:
            raise
        except KilledWorker as error:
            raise DiedError(f"workers of the cluster died again and again over the same chunk: {error}") from None
        except Exception as error:
            raise WorkerError(f"the cluster at {self._address} failed: {type(error).__name__}: {error}") from error
        finally:
            self._future.release()
        assert isinstance(found, Done)
        return found
