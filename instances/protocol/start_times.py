"""Start times and lengths that are offered as legal commands where commands state times."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from math import lcm
from operator import itemgetter
from typing import NamedTuple

from planoracle.instances.model.cache import ProblemCache
from planoracle.instances.model.calendars import OffTimes
from planoracle.instances.model.instance import Action, Instance

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


@ProblemCache
def fixed_times(problem: Instance) -> list[int]:
    """Return the ticks of releases, deadlines and windows, and of off-times and their periods.

    It is empty if a problem has no deadlines, windows and calendars.
    """
    ticks: list[int] = []
    for action in problem.actions:
        ticks += chain.from_iterable(action.windows)
        if action.deadline is not None:
            ticks.append(action.deadline)
    for calendar in problem.calendars:
        ticks += chain.from_iterable(calendar.off)
        if calendar.period is not None:
            ticks.append(calendar.period)
    return [*ticks, *(action.release for action in problem.actions)] if ticks else []


def fitting_starts(problem: Instance, remaining: Mapping[str, int], instants: Iterable[int]) -> set[int]:
    """Return the earliest starts of actions, from some instants on, that windows and off-times allow.

    Parameters
    ----------
    problem
        Scheduling problem.
    remaining
        Remaining ticks of every action by id.
    instants
        Instants from which on to look for starts.

    Examples
    --------
    >>> from planoracle.instances.model.calendars import Calendar
    >>> from planoracle.instances.model.instance import Action
    >>> nights = Calendar(("agent",), ((8, 24),), 24)
    >>> shop = Instance("shop", (Action("t/cut", "t", 5, 5),), calendars=(nights,))
    >>> fitting_starts(shop, {"t/cut": 5}, [0, 6])
    {0, 24}
    """
    if not fixed_times(problem):
        return set()
    starts = set[int]()
    begins = sorted(set(instants))
    for action in problem.actions:
        may_take_no_time = not all(variant.duration for variant in problem.variants[action.id])
        if remaining[action.id] or may_take_no_time:
            for need in _needs(problem, action):
                fits = (_fitting_start(action, need, begin) for begin in begins)
                starts.update(start for start in fits if start is not None)
    return starts


class _Need(NamedTuple):
    """Free time that a piece of an action needs: its shortest duration, and what must not be off.

    Attributes
    ----------
    duration
        Ticks.
    free
        Off-times of a resource or an agent, and the ticks from the start on that must be free of them.
    """

    duration: int
    free: tuple[tuple[OffTimes, int], ...]


def _needs(problem: Instance, action: Action) -> set[_Need]:
    """Return the needs of an action by each agent and in each mode."""
    off_times = problem.off_times
    needs = set()
    for variant in problem.variants[action.id]:
        duration = min(1, variant.duration) if action.interruptible else variant.duration
        attended = min(1, variant.attended) if action.interruptible else variant.attended
        names = [demand.resource for demand in variant.demands]
        of_resources = [(off_times[name], max(1, duration)) for name in names if name in off_times]
        for agent in variant.agents or (None,):
            of_agent = [(off_times[agent], max(1, attended))] if agent in off_times else []
            needs.add(_Need(duration, (*of_resources, *of_agent)))
    return needs


def _fitting_start(action: Action, need: _Need, begin: int) -> int | None:
    """Return the earliest start from an instant on, ``None`` if there is none."""
    period = lcm(*(times.period for times, _ in need.free))
    last_end = max((times.last_end for times, _ in need.free), default=0)
    last_window = action.windows[-1][1] if action.windows else 0
    horizon = max(begin, action.release, last_end, last_window) + 2 * period
    clock = -1
    start: int | None = max(begin, action.release)
    while start is not None and clock < start <= horizon:
        clock = start
        for times, length in need.free:
            start = _free_from(times, start, length)
        start = _in_window(action, start, need.duration)
    return start if start == clock else None


def _free_from(times: OffTimes, start: int, length: int) -> int:
    """Return the end of the off-time that hinders a start, or the start."""
    span = next(times.spans_after(start), None)
    return span[1] if span is not None and span[0] < start + length else start


def _in_window(action: Action, start: int, duration: int) -> int | None:
    """Return the earliest start from an instant on that lies in a window, ``None`` if there is none."""
    if not action.windows:
        return start
    for begin, end in action.windows:
        if max(begin, start) + duration <= end:
            return max(begin, start)
    return None


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
