"""What the verbs that work on many inputs share: processes, run directories, clusters, and how they are stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from planoracle.analysis.cli.progress import Stopped, stoppable
from planoracle.analysis.spoken import tell

if TYPE_CHECKING:
    from planoracle.analysis.batch.journal import Journal
    from planoracle.analysis.batch.pool import Pool
    from planoracle.analysis.batch.work import Guarded

__all__ = ["ClusterOption", "JobsOption", "RunOption", "workshop"]

JobsOption = Annotated[
    int | None,
    typer.Option(
        "--jobs", "-j", help="Processes at most, by default one for every processor; 1: only this one.", min=1
    ),
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
    work: Guarded, jobs: int | None, folder: Path | None, cluster: str | None, expected: Callable[[], int | None]
) -> Iterator[tuple[Pool, Journal | None]]:
    """Open what work is done with, see `Pool` for ``expected``; whoever stops the program is told how to go on."""
    from planoracle.analysis.batch.errors import StorageError, WorkerError
    from planoracle.analysis.batch.pool import Pool

    journal = None
    with stoppable():
        try:
            with ExitStack() as stack:
                if folder is not None:
                    from planoracle.analysis.batch.journal import Journal

                    journal = stack.enter_context(Journal(folder, _tell))
                executor: Any = None
                if cluster is not None:
                    from planoracle.analysis.batch.cluster import Cluster

                    executor = Cluster(work, cluster)
                yield stack.enter_context(Pool(work, jobs, executor, expected)), journal
        except Stopped:
            said = "nothing is kept; with --run DIR, what is done would be"
            if journal is not None:
                said = _kept(journal)
            elif folder is not None:  # while it was being opened
                said = f"nothing was added to {folder}; the same command goes on from there"
            tell(said, "interrupted")
            raise
        except (StorageError, WorkerError, MemoryError) as error:
            if journal is None or journal.lost:
                raise
            if isinstance(error, MemoryError):
                error = WorkerError("there is not enough memory")
            raise type(error)(f"{error}; {_kept(journal)}") from None


def _tell(message: str) -> None:
    tell(message, "warning")


def _kept(journal: Journal) -> str:
    if journal.lost:
        return f"{journal.path.parent} was moved or deleted"
    return f"{len(journal)} results are in {journal.path.parent}; the same command goes on from there"
