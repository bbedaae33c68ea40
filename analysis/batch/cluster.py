"""Chunks done on other machines: a dask.distributed cluster.

The scheduler gives the chunks of workers that die to others. Only this process writes results, in order, so that
nothing is lost and nothing is there twice, whatever the cluster does.
"""

from __future__ import annotations

from pathlib import Path
from time import monotonic
from typing import Any

from planoracle.analysis.batch.errors import WorkerError
from planoracle.analysis.batch.work import Chunk, Done, Work, work_on
from planoracle.analysis.spoken import tell

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

    def __init__(self, work: Work, address: str) -> None:
        try:
            from distributed import Client
        except ImportError:
            raise WorkerError("--cluster needs distributed; install planoracle[cluster]") from None
        where: dict[str, Any] = {"scheduler_file": address} if Path(address).is_file() else {"address": address}
        try:
            self._client: Any = Client(**where, timeout=_SEARCH, set_as_default=False)  # type: ignore[no-untyped-call]
        except (OSError, ValueError, TimeoutError) as error:
            raise WorkerError(f"the cluster at {address} cannot be reached: {error}") from None
        self._work = work
        self._address = address
        self._looked = -_LOOK
        self._threads = 0
        if not self.in_flight:
            tell(f"the cluster at {address} has no workers yet; waiting for some", "note")

    @property
    def in_flight(self) -> int:
        """Twice as many chunks as there are threads, so that nobody waits for work."""
        if monotonic() - self._looked > _LOOK:
            self._looked = monotonic()
            self._threads = sum(self._client.nthreads().values())
        return 2 * self._threads

    def submit(self, chunk: Chunk) -> _Chore:
        """Take a chunk."""
        return _Chore(self._client.submit(work_on, self._work, chunk, pure=False), self._address)

    def close(self) -> None:
        """Stop, whatever is going on; chunks that nobody waits for are forgotten."""
        self._client.close(timeout=5)


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
            raise WorkerError(f"workers of the cluster died again and again over the same chunk: {error}") from None
        except Exception as error:
            raise WorkerError(f"the cluster at {self._address} failed: {type(error).__name__}: {error}") from error
        finally:
            self._future.release()
        assert isinstance(found, Done)
        return found
