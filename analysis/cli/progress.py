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
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from planoracle.analysis.batch.cluster import DaskCluster
from planoracle.analysis.batch.journal import Journal
from planoracle.analysis.console import active_displays, collect, tell, write_groups
from planoracle.instances.errors import StorageError, WorkerError
from planoracle.instances.workers.pool import WorkerPool
from planoracle.instances.workers.worker import TaskLimits

if TYPE_CHECKING:
    from rich.progress import Progress


JobsOption = Annotated[
    int | None,
    typer.Option("--jobs", "-j", help="Number of worker processes. Default: one per processor.", metavar="N", min=1),
]
RunOption = Annotated[
    Path | None,
    typer.Option("--run", help="Folder to store results in; results already in it are reused.", metavar="DIR"),
]
ClusterOption = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        help="Use the workers of a dask scheduler: its address (tcp://host:8786) or its scheduler file.",
        metavar="ADDRESS|FILE",
    ),
]

_T = TypeVar("_T")
# Cells of a progress bar and the columns beside it, without the status text.
_BAR_WIDTH = 46
_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


class SignalExit(SystemExit):
    """A signal ends the program with this status."""


class _SignalHandler:
    """Signal handler that raises `SignalExit`, and ignores later signals during the cleanup.

    Attributes
    ----------
    interrupt
        Called at the first Ctrl-C; if it returns True, the work ends soon by itself.
    exit
        Error to raise when the work has ended so.
    """

    def __init__(self) -> None:
        self.interrupt: Callable[[], bool] = lambda: False
        self.exit: SignalExit | None = None

    def __call__(self, number: int, _frame: object) -> None:
        if number == signal.SIGINT and self.exit is None and self.interrupt():
            self.exit = SignalExit(128 + number)
            return
        for handled in _SIGNALS:
            if signal.getsignal(handled) is self:
                signal.signal(handled, signal.SIG_IGN)
        raise SignalExit(128 + number)


@contextmanager
def stoppable() -> Iterator[_SignalHandler]:
    """Raise `SignalExit` at the first signal, see `_SignalHandler`.

    Outside this context there is nothing to clean up, and signals end the process at once.
    """
    before, handler = {}, _SignalHandler()
    if threading.current_thread() is threading.main_thread():
        for number in _SIGNALS:
            previous = signal.getsignal(number)
            # Ignored signals, as in background jobs, stay ignored; an outer context keeps its handler.
            if previous not in (signal.SIG_IGN, None) and not isinstance(previous, _SignalHandler):
                before[number] = previous
    try:
        for number in before:
            signal.signal(number, handler)
        yield handler
    finally:
        for number, previous in before.items():
            signal.signal(number, previous)


def bars(status: Callable[[], str] = lambda: "") -> Progress:
    """Return progress bars on standard error that disappear at the end, with a status text behind them."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    console = Console(stderr=True)

    class Status(ProgressColumn):
        """Current status text, cut at the end of the line."""

        def render(self, task: object) -> Text:
            width = max(0, console.width - _BAR_WIDTH)
            return Text(status()[:width])

    times = TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn(compact=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(12),
        MofNCompleteColumn(),
        *times,
        Status(),
    )
    # Standard output is not redirected to the console of the bars.
    return Progress(*columns, console=console, transient=True, redirect_stdout=False)


def best_in_words(makespan: int | None, bound: int | None) -> str:
    """Return the incumbent, the lower bound and the gap between them.

    >>> best_in_words(12, 9), best_in_words(None, 9), best_in_words(12, None)
    ('best 12, bound 9, gap 33.3%', 'no plan yet, bound 9', 'best 12')
    """
    parts = ["no plan yet" if makespan is None else f"best {makespan}"]
    if bound is not None:
        parts.append(f"bound {bound}")
    if makespan and bound and makespan > bound:
        parts.append(f"gap {makespan / bound - 1:.1%}")
    return ", ".join(parts)


def track(
    items: Iterable[_T],
    label: str,
    total: int | Callable[[], int | None] | None = None,
    status: Callable[[], str] | None = None,
) -> Generator[_T, None, None]:
    """Show progress over items if standard error is a terminal; closing the generator removes the bar.

    An item counts as done when the next one is requested. Results that are written line by line to the same terminal
    remove the bar.

    Parameters
    ----------
    total
        Number of items, or a function that returns the number known so far. Default: length of ``items``.
    status
        Returns a text about the current item. Default: the item itself, if it is a name.
    """
    if not sys.stderr.isatty():
        yield from items
        return

    def count() -> int | None:
        if callable(total):
            return total()
        return total if total is not None else length_hint(items) or None

    current = ""
    with stoppable(), bars(status or (lambda: current)) as progress:  # stoppable: a signal removes the bar
        task = progress.add_task(label, total=count())
        if sys.stdout.isatty():
            active_displays.append(progress.stop)
        try:
            for item in items:
                current = item if isinstance(item, str) else ""
                yield item
                progress.update(task, advance=1, total=count())
        finally:
            active_displays.clear()


@contextmanager
def workshop(
    start: Callable[[], Callable[[Any], Any]],
    limits: TaskLimits,
    jobs: int | None,
    folder: Path | None,
    cluster: str | None,
    on_progress: Callable[[Any], None] = lambda value: None,
    *,
    answers_early: bool = False,
) -> Iterator[tuple[WorkerPool[Any, Any] | DaskCluster, Journal | None]]:
    """Open a pool and a journal; report on an interruption how to continue.

    Parameters
    ----------
    start, limits, on_progress
        See `planoracle.instances.workers.pool.WorkerPool`.
    jobs
        Number of worker processes.
    folder
        Run directory of the journal, ``None`` for none.
    cluster
        Address of a dask scheduler whose workers replace local processes.
    answers_early
        True if tasks answer soon after an interruption: then Ctrl-C ends the context after their answers.
    """
    journal = None
    with stoppable() as handler:
        try:
            with ExitStack() as stack:
                # Before the journal is read: the worker imports its modules meanwhile.
                pool: WorkerPool[Any, Any] | DaskCluster
                if cluster is None:
                    pool = WorkerPool(start, limits, jobs, on_progress)
                else:
                    pool = DaskCluster(start, limits, cluster)
                stack.callback(pool.close)
                if answers_early and isinstance(pool, WorkerPool):
                    handler.interrupt = pool.interrupt
                if folder is not None:
                    journal = stack.enter_context(Journal(folder, partial(collect, "", kind="warning")))
                yield pool, journal
                if handler.exit is not None:
                    raise handler.exit
        except SignalExit:
            write_groups()
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
    stored = f"no results were added to {folder}" if journal is None else f"{len(journal)} results are in {folder}"
    return f"{stored}; the same command resumes from there"
