"""Options and resources of commands for many inputs: workers, clusters, run directories, interruption."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from planoracle.analysis.batch.cluster import DaskCluster
from planoracle.analysis.batch.journal import Journal, StorageError, WorkerError
from planoracle.analysis.batch.pool import WorkerPool
from planoracle.analysis.batch.tasks import Pool
from planoracle.analysis.batch.worker import TaskLimits
from planoracle.analysis.cli.progress import SignalExit, stoppable
from planoracle.analysis.console import tell

JobsOption = Annotated[
    int | None,
    typer.Option("--jobs", "-j", help="Number of worker processes, by default one per processor.", min=1),
]
RunOption = Annotated[
    Path | None,
    typer.Option("--run", help="Keep results in this folder; what it holds already is not done again."),
]
ClusterOption = Annotated[
    str | None,
    typer.Option("--cluster", help="Address (tcp://host:8786) or file of a dask scheduler whose workers do the work."),
]


@contextmanager
def workshop(
    start: Callable[[], Callable[[Any], Any]],
    limits: TaskLimits,
    jobs: int | None,
    folder: Path | None,
    cluster: str | None,
    on_progress: Callable[[Any], None] = lambda value: None,
) -> Iterator[tuple[Pool, Journal | None]]:
    """Open a pool and a journal; report on an interruption how to continue.

    Parameters
    ----------
    start, limits, on_progress
        See `planoracle.analysis.batch.pool.WorkerPool`.
    jobs
        Number of worker processes.
    folder
        Run directory of the journal, ``None`` for none.
    cluster
        Address of a dask scheduler whose workers replace local processes.
    """
    journal = None
    with stoppable():
        try:
            with ExitStack() as stack:
                # Before the journal is read: the worker imports its modules meanwhile.
                pool: Pool
                if cluster is None:
                    pool = WorkerPool(start, limits, jobs, on_progress)
                else:
                    pool = DaskCluster(start, limits, cluster)
                stack.callback(pool.close)
                if folder is not None:
                    journal = stack.enter_context(Journal(folder, partial(tell, kind="warning")))
                yield pool, journal
        except SignalExit:
            message = "no results are stored; --run DIR stores them"
            if journal is not None:
                message = _stored_results(journal)
            elif folder is not None:  # while it was being opened
                message = f"nothing was added to {folder}; the same command continues from there"
            tell(message, "interrupted")
            raise
        except (StorageError, WorkerError, MemoryError) as error:
            if journal is None or journal.is_lost:
                raise
            if isinstance(error, MemoryError):
                error = WorkerError("there is not enough memory")
            raise type(error)(f"{error}; {_stored_results(journal)}") from None


def _stored_results(journal: Journal) -> str:
    if journal.is_lost:
        return f"{journal.path.parent} was moved or deleted"
    return f"{len(journal)} results are in {journal.path.parent}; the same command continues from there"
