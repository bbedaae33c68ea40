"""Lower bound by work between off-times: the earliest end of the work of sets of jobs.

``README.md`` has the claim and its proof, under "Work between off-times".
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence

from planoracle.instances.model.instance import Instance
from planoracle.solver.exact.bounds import Windows
from planoracle.solver.exact.model_size import has_many_off_times
from planoracle.solver.exact.work_pools import PoolJob, work_pools

#: Sets of jobs whose work is added up. A set takes 2 microseconds; if there are more, some heads are left out.
_MOST_SETS = 60_000
#: Off-times with which 300 pools take a second. If there are more, the bound ignores the latest ones.
_MOST_OFF_TIMES = 5_000

_Spans = list[tuple[int, int]]


class _OpenUnits:
    """Units that are open over time: a step function, and its integral.

    Parameters
    ----------
    steps
        Ticks at which the number of open units changes, with the new number; the first one is 0.

    Examples
    --------
    Two units until tick 3, none until tick 5, then one:

    >>> units = _OpenUnits([(0, 2), (3, 0), (5, 1), (20, 0)])
    >>> units.end_of_work(1, 4), units.end_of_work(1, 5), units.end_of_work(1, 99)
    (3, 6, None)
    """

    def __init__(self, steps: Sequence[tuple[int, int]]) -> None:
        self.begins = [begin for begin, _ in steps]
        self.units = [units for _, units in steps]
        self.totals = [0]  # open units times ticks before each step
        for position, begin in enumerate(self.begins[1:]):
            length = begin - self.begins[position]
            self.totals.append(self.totals[position] + self.units[position] * length)

    def end_of_work(self, head: int, work: int) -> int | None:
        """Return the earliest tick by which some work after a head may end; ``None`` if it does not end."""
        position = bisect_right(self.begins, head) - 1
        total = self.totals[position] + self.units[position] * (head - self.begins[position]) + work
        position = bisect_left(self.totals, total) - 1
        if position == len(self.totals) - 1:
            return None
        return self.begins[position] - (self.totals[position] - total) // self.units[position]


def open_time_bound(instance: Instance, bounds: Windows, until: int) -> int:
    """Return a lower bound of the makespan by the work of resources and agents while they are on.

    Parameters
    ----------
    instance
        Instance; if a task is optional, the bound is 0.
    bounds
        Heads and tails of all actions, in ticks, as of `planoracle.solver.exact.bounds.windows`.
    until
        Horizon, such as the makespan of a schedule. The bound does not exceed it.

    Returns
    -------
    int
        Ticks; no schedule ends earlier.

    Examples
    --------
    Three jobs of 4 ticks on a saw that is off at lunch, and then at night:

    >>> from planoracle.instances.model.calendars import Calendar
    >>> from planoracle.instances.model.instance import Action, Demand, Mode, Resource
    >>> from planoracle.solver.exact.bounds import windows
    >>> jobs = tuple(Action(f"t/{n}", "t", 4, 4, modes=(Mode((Demand("saw"),)),), pauses_in_breaks=True) for n in "abc")
    >>> shop = Instance("shop", jobs, (), (Resource("saw"),), calendars=(Calendar(("saw",), ((5, 6), (10, 24)), 24),))
    >>> open_time_bound(shop, windows(shop), 100), open_time_bound(shop, windows(shop), 20)
    (27, 20)
    """
    if instance.optional:
        return 0
    horizon = until
    while horizon > 0 and has_many_off_times(instance, horizon, _MOST_OFF_TIMES):
        horizon //= 2
    off_times = {name: list(times.until(horizon)) for name, times in instance.off_times.items()}
    pools = work_pools(instance, bounds)
    number_of_jobs = sum(len(pool.jobs) for pool in pools)
    best = 0
    for pool in pools:
        steps = [_steps(limit, off_times, until) for limit in pool.limits]
        units = _OpenUnits(_minimum(steps))
        most_heads = -(-_MOST_SETS // number_of_jobs)
        best = max(best, _bound_of_sets(pool.jobs, units, until, most_heads))
    return min(best, until)


def _bound_of_sets(jobs: list[PoolJob], units: _OpenUnits, until: int, most_heads: int) -> int:
    """Return the best bound by sets of jobs that have at least some head and at least some tail."""
    best = 0
    by_tail = sorted(jobs, key=lambda job: -job.tail)
    heads = sorted({job.head for job in jobs})
    for least_head in heads[:: -(-len(heads) // most_heads)]:
        work = 0
        for head, work_of_job, tail in by_tail:
            if head < least_head:
                continue
            work += work_of_job
            end = units.end_of_work(least_head, work)
            if end is None:
                return until
            best = max(best, end + tail)
    return best


def _steps(limit: dict[str, int], off_times: dict[str, _Spans], until: int) -> list[tuple[int, int]]:
    """Return the steps of the units of all members that are on; from the horizon on there are none."""
    changes = defaultdict(int, {0: sum(limit.values())})
    for name, units in limit.items():
        for begin, end in off_times.get(name, ()):
            changes[max(begin, 0)] -= units
            changes[end] += units
    steps, level = [], 0
    for instant in sorted(changes):
        level += changes[instant]
        if instant < until:
            steps.append((instant, level))
    return [*steps, (until, 0)]


def _minimum(functions: list[list[tuple[int, int]]]) -> list[tuple[int, int]]:
    """Return the minimum of step functions.

    >>> _minimum([[(0, 2), (4, 0), (9, 0)], [(0, 1), (2, 3), (9, 0)]])
    [(0, 1), (2, 2), (4, 0), (9, 0)]
    """
    if len(functions) == 1:
        return functions[0]
    changes: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for number, steps in enumerate(functions):
        for instant, level in steps:
            changes[instant].append((number, level))
    levels = [0] * len(functions)
    minimum = []
    for instant in sorted(changes):
        for number, level in changes[instant]:
            levels[number] = level
        minimum.append((instant, min(levels)))
    return minimum
