"""What the verbs that work on many inputs share: processes, run directories, clusters, and how they are stopped."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from planoracle.analysis.batch.ledger import Ledger
    from planoracle.analysis.batch.pool import Pool
    from planoracle.analysis.batch.work import Work

__all__ = ["ClusterOption", "JobsOption", "RunOption", "lines_in", "workshop"]

JobsOption = Annotated[
    int | None,
    typer.Option("--jobs", "-j", help="Processes, by default one for every processor; 1: only this one.", min=1),
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
    work: Work, jobs: int | None, folder: Path | None, cluster: str | None
) -> Iterator[tuple[Pool, Ledger | None]]:
    """Open what work is done with; Ctrl-C says how to go on and ends the program with status 130."""
    from planoracle.analysis.batch.pool import Pool

    with ExitStack() as stack:
        ledger = None
        if folder is not None:
            from planoracle.analysis.batch.ledger import Ledger

            ledger = stack.enter_context(Ledger(folder, _tell))
        hands: Any = None
        if cluster is not None:
            from planoracle.analysis.batch.cluster import Cluster

            hands = Cluster(work, cluster)
        pool = Pool(work, jobs, hands)
        try:
            with pool:
                yield pool, ledger
        except KeyboardInterrupt:
            _stop(stack, pool, ledger)


def lines_in(stream: IO[bytes]) -> int | None:
    """Count the lines of a file for the progress bar, if there is one."""
    if not sys.stderr.isatty() or not stream.seekable():
        return None
    count = sum(1 for _ in stream)
    stream.seek(0)
    return count


def _tell(message: str) -> None:
    print(f"warning: {message}", file=sys.stderr)


def _stop(stack: ExitStack, pool: Pool, ledger: Ledger | None) -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    stack.close()
    if ledger is None:
        said = "nothing is kept; with --run DIR, what is done would be"
    else:
        said = f"{len(ledger)} results are in {ledger.path.parent}; the same command goes on from there"
    print(f"interrupted: {said}", file=sys.stderr)
    if pool.busy:  # in the midst of a search, which does not listen
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(130)
    signal.signal(signal.SIGINT, before)
    raise typer.Exit(130)
