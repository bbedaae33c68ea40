"""What the verbs that work on many inputs share: processes, run directories, clusters, and how they are stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from planoracle.analysis.batch.cluster import DaskCluster
from planoracle.analysis.batch.journal import Journal, StorageError, WorkerError
from planoracle.analysis.batch.pool import WorkerPool
from planoracle.analysis.cli.progress import SignalExit, stoppable
from planoracle.analysis.console import tell

if TYPE_CHECKING:
    from planoracle.analysis.batch.journal import Journal
    from planoracle.analysis.batch.tasks import Pool
    from planoracle.analysis.batch.worker import TaskLimits

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
    """Open a pool and a journal; an interruption says how to go on.

    Parameters
    ----------
    start, limits, on_progress
        See `planoracle.analysis.batch.pool.WorkerPool`.
    jobs
        Number of worker processes.
    folder
        Run directory of the journal, ``None`` for none.
    cluster
        Address of a scheduler that is used instead of processes here.
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
            said = "nothing is kept; with --run DIR, what is done would be"
            if journal is not None:
                said = _kept(journal)
            elif folder is not None:  # while it was being opened
                said = f"nothing was added to {folder}; the same command goes on from there"
            tell(said, "interrupted")
            raise
        except (StorageError, WorkerError, MemoryError) as error:
            if journal is None or journal.is_lost:
                raise
            if isinstance(error, MemoryError):
                error = WorkerError("there is not enough memory")
            raise type(error)(f"{error}; {_kept(journal)}") from None


def _kept(journal: Journal) -> str:
    if journal.is_lost:
        return f"{journal.path.parent} was moved or deleted"
    return f"{len(journal)} results are in {journal.path.parent}; the same command goes on from there"
