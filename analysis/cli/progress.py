"""Progress bars on standard error; cleanup at signals, and exit with status 128 + signal number."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from operator import length_hint
from typing import TYPE_CHECKING, NoReturn, TypeVar

from planoracle.analysis.console import drawn

if TYPE_CHECKING:
    from rich.progress import Progress

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
