"""Progress bars, signals, and the workers and run directory of a batch.

A signal ends the program with status 128 + signal number, after the cleanup.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from operator import length_hint
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TypeVar

import typer

from planoracle.analysis.batch.cluster import DaskCluster
from planoracle.analysis.batch.journal import Journal, StorageError, WorkerError
from planoracle.analysis.batch.pool import WorkerPool
from planoracle.analysis.batch.worker import TaskLimits
from planoracle.analysis.console import collect, drawn, tell

if TYPE_CHECKING:
    from rich.progress import Progress


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

_T = TypeVar("_T")
_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


class SignalExit(SystemExit):
    """A signal ends the program with this status."""


@contextmanager
def stoppable() -> Iterator[None]:
    """Raise `SignalExit` at the first signal, and ignore later ones during the cleanup.

    Outside this context there is nothing to clean up, and signals end the process at once.
    """
    before = {}
    if threading.current_thread() is threading.main_thread():
        for one in _SIGNALS:
            handler = signal.getsignal(one)
            if handler not in (signal.SIG_IGN, _stop, None):  # ignored signals, as in background jobs, stay ignored
                before[one] = handler
    try:
        for one in before:
            signal.signal(one, _stop)
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def _stop(number: int, _frame: object) -> NoReturn:
    for one in _SIGNALS:
        if signal.getsignal(one) is _stop:
            signal.signal(one, signal.SIG_IGN)
    raise SignalExit(128 + number)


def bars(status: Callable[[], str] = lambda: "") -> Progress:
    """Return progress bars on standard error that disappear at the end, with a status text behind them."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn
    from rich.text import Text

    class Status(ProgressColumn):
        """Current status text."""

        def render(self, task: object) -> Text:
            return Text(status())

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), Status())
    # Standard output is not redirected to the console of the bars.
    return Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False)


def track(
    items: Iterable[_T],
    label: str,
    total: int | Callable[[], int | None] | None = None,
    status: Callable[[], str] = lambda: "",
) -> Generator[_T, None, None]:
    """Show progress over items if standard error is a terminal; closing the generator removes the bar.

    An item counts as done when the next one is requested. Results that are written line by line to the same terminal
    remove the bar.

    Parameters
    ----------
    total
        Number of items, or a function that returns the number known so far. Default: length of ``items``.
    status
        Returns a text about the current item.
    """
    if not sys.stderr.isatty():
        yield from items
        return
    count = total if callable(total) else lambda: length_hint(items) or None if total is None else total
    with stoppable(), bars(status) as progress:  # stoppable: a signal removes the bar
        task = progress.add_task(label, total=count())
        if sys.stdout.isatty():
            drawn.append(progress.stop)
        try:
            for item in items:
                yield item
                progress.update(task, advance=1, total=count())
        finally:
            drawn.clear()


@contextmanager
def workshop(
    start: Callable[[], Callable[[Any], Any]],
    limits: TaskLimits,
    jobs: int | None,
    folder: Path | None,
    cluster: str | None,
    on_progress: Callable[[Any], None] = lambda value: None,
) -> Iterator[tuple[WorkerPool[Any, Any] | DaskCluster, Journal | None]]:
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
                pool = (
                    WorkerPool(start, limits, jobs, on_progress)
                    if cluster is None
                    else DaskCluster(start, limits, cluster)
                )
                stack.callback(pool.close)
                if folder is not None:
                    journal = stack.enter_context(Journal(folder, partial(collect, "", kind="warning")))
                yield pool, journal
        except SignalExit:
            tell(_stored_results(journal, folder), "interrupted")
            raise
        except (StorageError, WorkerError, MemoryError) as error:
            if journal is None or journal.is_lost:
                raise
            if isinstance(error, MemoryError):
                error = WorkerError("there is not enough memory")
            raise type(error)(f"{error}; {_stored_results(journal, folder)}") from None


def _stored_results(journal: Journal | None, folder: Path | None) -> str:
    if folder is None:
        return "no results are stored; --run DIR stores them"
    if journal is not None and journal.is_lost:
        return f"{folder} was moved or deleted"
    # Without a journal the interruption came while it was being opened.
    stored = f"nothing was added to {folder}" if journal is None else f"{len(journal)} results are in {folder}"
    return f"{stored}; the same command continues from there"
