"""How far the work is, on standard error."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable
from operator import length_hint
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

from planoracle.analysis.cli.stopping import stoppable
from planoracle.analysis.spoken import drawn

if TYPE_CHECKING:
    from rich.progress import Progress

__all__ = ["Estimate", "bars", "track"]

_T = TypeVar("_T")
# Seconds that an estimate looks back, and least seconds and items that it rests on.
_WINDOW, _SECONDS, _ITEMS = 30.0, 4.0, 5
# Nothing is said where the two halves of what was seen differ by more than this factor.
_STEADY = 2.0


class Estimate:
    """How long the rest takes, by the speed of the last half minute.

    Nothing is said before there is a basis: the first item tells how long it takes to begin and not how fast it goes,
    and as long as the speed changes much, no number would hold for long.

    Examples
    --------
    >>> estimate = Estimate()
    >>> for second in range(10):
    ...     estimate.seen(second, at=float(second))
    >>> Estimate().left(100, at=9.0), estimate.left(29, at=9.0), estimate.left(29, at=11.0), estimate.left(29, at=60.0)
    (None, 20.0, 18.0, None)
    """

    def __init__(self) -> None:
        self._seen: deque[tuple[float, float]] = deque()

    def seen(self, done: float, at: float) -> None:
        """Take note of how much is done at a time, in seconds."""
        if done > 0 and (not self._seen or done > self._seen[-1][1]):
            self._seen.append((at, done))
            while self._seen[0][0] < at - _WINDOW and len(self._seen) > 2:
                self._seen.popleft()

    def left(self, total: float | None, at: float) -> float | None:
        """Return the seconds that the rest takes, ``None`` as long as nobody can know."""
        if total is None or len(self._seen) < _ITEMS:
            return None
        (begin, first), (end, last) = self._seen[0], self._seen[-1]
        if end - begin < max(_SECONDS, at - end):  # too short to tell, or one that takes longer than all before
            return None
        middle = (begin + end) / 2
        between, half = min(self._seen, key=lambda seen: abs(seen[0] - middle))
        if not begin < between < end:
            return None
        early, late = (half - first) / (between - begin), (last - half) / (end - between)
        if max(early, late) > _STEADY * min(early, late):
            return None
        return max(0.0, (total - last) * (end - begin) / (last - first) - (at - end))


def bars(told: Callable[[], str] = lambda: "") -> Progress:
    """Return bars of progress on standard error that go away when they are done; what is ``told`` stands beside."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn
    from rich.text import Text

    class Left(ProgressColumn):
        """The time that the rest takes, if that is known."""

        max_refresh = 0.5

        def __init__(self) -> None:
            super().__init__()
            self._estimates: dict[int, Estimate] = {}

        def render(self, task: Task) -> Text:
            estimate = self._estimates.setdefault(task.id, Estimate())
            now = monotonic()
            estimate.seen(task.completed, now)
            return Text("" if task.finished else _spoken(estimate.left(task.total, now)))

    class Done(MofNCompleteColumn):
        """How many are done, and of how many, if that is known."""

        def render(self, task: Task) -> Text:
            return Text(f"{task.completed:.0f}") if task.total is None else super().render(task)

    class Told(ProgressColumn):
        """What is known by now of what is being done."""

        def render(self, task: Task) -> Text:
            return Text(told())

    columns = (TextColumn("{task.description}"), BarColumn(), Done(), Left(), Told())
    # What goes to standard output stays there, whatever is drawn on standard error.
    return Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False)


def _spoken(seconds: float | None) -> str:
    if seconds is None:
        return ""
    minutes = round(seconds / 60)
    return f"about {minutes} min left" if minutes > 1 else f"about {max(1, round(seconds / 5) * 5)} s left"


def track(
    items: Iterable[_T],
    label: str,
    total: int | Callable[[], int | None] | None = None,
    told: Callable[[], str] = lambda: "",
) -> Generator[_T, None, None]:
    """Show progress over items on standard error, if that is a terminal; closing it ends the bar.

    An item counts as done when the next one is asked for. Where results come line by line on the same terminal, the
    first of them ends the bar.

    Parameters
    ----------
    total
        How many there are, if that is known, or a function that says what is known so far; by default their length.
    told
        Says how far the item has come that is being worked on.
    """
    if not sys.stderr.isatty():
        yield from items
        return
    known = total if callable(total) else lambda: length_hint(items) or None if total is None else total
    with stoppable(), bars(told) as progress:  # so that the bar is taken away
        task = progress.add_task(label, total=known())
        if sys.stdout.isatty():
            drawn.append(progress.stop)
        try:
            for item in items:
                yield item
                progress.update(task, advance=1, total=known())
        finally:
            drawn.clear()
