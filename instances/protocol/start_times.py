"""Start times and lengths that are offered as legal commands where commands state times."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import itemgetter

from planoracle.instances.model.cache import ProblemCache
from planoracle.instances.model.instance import Instance

#: Most lengths that are offered for a part of an interruptible action.
MAX_LENGTHS = 100


def moments(
    problem: Instance, clock: int, over: Iterable[int], remaining: Sequence[int]
) -> list[tuple[int, frozenset[int] | None]]:
    """Return instants at which to offer starts: the clock, and later ones at which a start makes sense.

    An action with a maximum lag may have to wait until its successor can follow: at the end of a running action, or
    when the other predecessors of the successor have been carried out after such an end.

    Parameters
    ----------
    over
        Instants at which an action ends.
    remaining
        Remaining ticks of every action, in the order of the instance.

    Returns
    -------
    list
        Ordered; each with the positions of the actions that may start then, ``None`` for all.
    """
    ends = {end for end in over if end > clock}
    instants: dict[int, frozenset[int] | None] = {}
    for before, limit, predecessors in _windows(problem):
        if remaining[before] and ends:
            lead = limit + remaining[before]
            remaining_work = sum(remaining[i] for i in predecessors)
            for end in ends:
                for instant in (end - lead, end - lead + remaining_work):
                    if instant > clock:
                        instants[instant] = (instants.get(instant) or frozenset()) | {before}
    instants |= dict.fromkeys((clock, *ends))
    return sorted(instants.items(), key=itemgetter(0))


def lengths(remaining: int, grid: int) -> Sequence[int]:
    """Return the lengths that are offered for a part of an interruptible action, the longest first.

    >>> lengths(300, 60), len(lengths(86_400, 1))
    ([300, 240, 180, 120, 60], 100)
    """
    grid *= -(-remaining // (MAX_LENGTHS * grid))
    return [remaining, *reversed(range(grid, remaining, grid))]


@ProblemCache
def _windows(problem: Instance) -> tuple[tuple[int, int, tuple[int, ...]], ...]:
    """Return every maximum lag: its earlier action, its length, and other predecessors of the later one."""
    windows = []
    for lag in problem.lags:
        if lag.maximum is not None:
            before = problem.index[lag.before]
            predecessors_of_after = problem.predecessors[problem.index[lag.after]]
            predecessors = tuple(i for i, _ in predecessors_of_after if i != before)
            windows.append((before, lag.maximum, predecessors))
    return tuple(windows)
