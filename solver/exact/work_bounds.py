"""Lower bounds by work: the work of agents and resources between heads and tails.

A job of so many units keeps them for its duration, in one piece or several, and cannot be under way before its head or
within its tail from the end. Of a set of jobs with at least as many units as the capacity, the k-th unit of capacity
comes into use no earlier than the k-th smallest head, each counted as often as its job has units, and likewise at the
end (Carlier and Pinson 1998 for one unit each). For at any instant no more units are in use than jobs of the set that
have been released, plus those that are not yet in their tails, less all of them: in a schedule no shorter than head,
work and tail of any job, each is one or the other. That bounds the capacity that is used.

The work of a resource is added up twice: in units, and in halves of its capacity.

"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from heapq import heappop, heappush
from math import gcd
from operator import attrgetter
from typing import NamedTuple

from planoracle.instances.model.instance import Demand, Instance

#: Jobs in all sets of them whose work is added up; if there are more, some sets are left out.
_MOST_SETS = 60_000
#: Uses of a resource up to which so many least heads do: the others make little difference to small problems.
_FEW, _FEW_HEADS = 60, 3
#: Sets of agents, or of resources, whose work is looked at.
_MOST_UNIONS = 30


class BoundJob(NamedTuple):
    """A job with its head, work and tail in ticks, and the units that it keeps."""

    head: int
    work: int
    tail: int
    units: int = 1


def work_bound(jobs: Sequence[BoundJob], capacity: int, lower_bound: int = 0, most_heads: int | None = None) -> int:
    """Return the best bound by the work of sets of jobs, or ``lower_bound`` if none is better.

    Sets are those of the largest heads and tails, for the ``most_heads`` smallest heads; with capacity 1, all sets.

    >>> work_bound([BoundJob(0, 4, 0), BoundJob(3, 2, 1), BoundJob(3, 2, 1)], 2)
    6
    >>> work_bound([BoundJob(0, 2, 0, 2), BoundJob(1, 2, 0)], 3)
    3
    >>> work_bound([BoundJob(0, 5, 9), BoundJob(0, 5, 9), BoundJob(0, 5, 0), BoundJob(2, 1, 19)], 1)
    22
    """
    heads = [job.head for job in jobs]
    tails = [job.tail for job in jobs]
    work_time = -(-sum(job.work * job.units for job in jobs) // capacity)
    best = max(lower_bound, min(heads) + work_time + min(tails))
    if best >= max(heads) + work_time + max(tails):
        return best
    if capacity == 1:
        return max(best, _one_by_one(jobs))
    by_tail = sorted(jobs, key=attrgetter("tail"), reverse=True)
    min_heads = sorted(set(heads))
    number_of_heads = most_heads or -(-_MOST_SETS // len(jobs))
    for min_head in min_heads[:: -(-len(min_heads) // number_of_heads)]:
        best = _largest_tails([job for job in by_tail if job.head >= min_head], capacity, best)
    return best


def _one_by_one(jobs: Sequence[BoundJob]) -> int:
    """Return the best bound for capacity 1: the makespan of the best preemptive schedule (Jackson, 1955).

    Of the jobs whose head is over, that of the longest tail is processed.
    """
    ready: list[list[int]] = []  # tails, negative, and work that is left: the longest tail on top
    best = now = 0
    for head, work, tail, _ in sorted(jobs):
        while ready and now < head:
            first = ready[0]
            done = min(first[1], head - now)
            now += done
            first[1] -= done
            if not first[1]:
                best = max(best, now - first[0])
                heappop(ready)
        now = max(now, head)
        heappush(ready, [-tail, work])
    for end, work in sorted(ready):
        now += work
        best = max(best, now - end)
    return best


def _largest_tails(jobs: list[BoundJob], capacity: int, lower_bound: int) -> int:
    """Return the best bound by the first jobs, whose tails descend, or ``lower_bound`` if none is better.

    Once the capacity is used, a further job raises neither the sum of heads nor that of tails. The search ends where
    both and the work of all jobs reach no better bound.
    """
    best = lower_bound
    total_work = sum([job.work * job.units for job in jobs])
    work = units = first = last = spare = 0
    smallest: list[tuple[int, int]] = []  # heads, negative, of as many units as there is room for: the largest on top
    latest: deque[list[int]] = deque()  # tails of as many units, the largest first, and how many units have each
    for job in jobs:
        units += job.units
        work += job.work * job.units
        first += job.head * job.units
        last += job.tail * job.units
        heappush(smallest, (-job.head, job.units))
        latest.append([job.tail, job.units])
        spare = units - capacity
        drop = min(job.units, spare)
        remaining = drop
        while remaining > 0:
            head, count = heappop(smallest)
            removed = min(remaining, count)
            first += head * removed
            remaining -= removed
            if count > removed:
                heappush(smallest, (head, count - removed))
        remaining = drop
        while remaining > 0:
            removed = min(remaining, latest[0][1])
            last -= latest[0][0] * removed
            remaining -= removed
            latest[0][1] -= removed
            if not latest[0][1]:
                latest.popleft()
        if spare >= 0:
            best = max(best, -(-(first + work + last) // capacity))
            if first + total_work + last <= best * capacity:
                break
    return best


def agents_bound(instance: Instance, heads: Sequence[int], tails: Sequence[int], lower_bound: int = 0) -> int:
    """Return the best bound by the work of all agents, and of agents to whom some work is confined.

    Parameters
    ----------
    heads, tails
        For every action its earliest start, and the least time from its finish to the end.
    lower_bound
        A bound below which nothing is of interest.
    """
    rows: dict[tuple[str, ...], list[BoundJob]] = {}
    for action, head, tail in zip(instance.actions, heads, tails, strict=True):
        attended = action.attended
        if attended:
            job = BoundJob(head, attended, tail + action.duration - attended)
            rows.setdefault(instance.eligible(action), []).append(job)
    if len(instance.agents) == 1 and len(rows) == 1 and instance.agents in rows:
        return work_bound(rows[instance.agents], 1, lower_bound)
    jobs: dict[frozenset[str], list[BoundJob]] = {}
    for eligible, row in rows.items():
        jobs.setdefault(frozenset(eligible), []).extend(row)
    jobs.pop(frozenset(), None)
    for crew in unions_of(jobs, frozenset(instance.agents)):
        jobs_of_crew: list[BoundJob] = []
        for agents, row in jobs.items():
            if agents <= crew:
                jobs_of_crew += row
        lower_bound = work_bound(jobs_of_crew, len(crew), lower_bound)
        if not any(action.interruptible for action in instance.actions):
            lower_bound = max(lower_bound, _largest_share(jobs_of_crew, len(crew)))
    return lower_bound


def _largest_share(jobs: Sequence[BoundJob], agents: int) -> int:
    """Return the bound by the agent with most work, if each job is done by one agent.

    The work of an agent is a multiple of the greatest common divisor of all work.

    >>> _largest_share([BoundJob(1, 3, 0), BoundJob(2, 3, 1), BoundJob(1, 3, 0)], 2)
    7
    """
    grain = gcd(*(job.work for job in jobs))
    shares = -(-sum(job.work for job in jobs) // (agents * grain))
    return min(job.head for job in jobs) + shares * grain + min(job.tail for job in jobs)


def unions_of(sets: Iterable[frozenset[str]], all_names: frozenset[str]) -> Iterator[frozenset[str]]:
    """Yield sets of names and unions of them, among these that of all names; nothing without a set.

    Parameters
    ----------
    sets
        Sets of names; of many, some are left out.
    all_names
        All of them together.
    """
    unions: dict[frozenset[str], None] = {}
    for names in sets:
        if len(unions) >= _MOST_UNIONS:
            break
        unions |= dict.fromkeys([names, *(names | union for union in unions)])
    if unions:
        yield from unions if all_names in unions else (*unions, all_names)


def resource_bound(
    instance: Instance,
    heads: Sequence[int],
    tails: Sequence[int],
    users: Sequence[tuple[int, Demand]],
    capacity: int,
    lower_bound: int = 0,
) -> int:
    """Return the best bound by the uses of one resource; parameters as for `agents_bound`.

    Equal settings may share capacity: of those of equal duration only the largest counts, and none if another use has
    that duration, for they may share its units. The uses that count never share units. So at any instant either one of
    more than half of the capacity is under way, or at most two of exactly half: counted as two halves, one half or
    none, they never exceed two halves (a dual feasible function, Fekete and Schepers 2001).

    Parameters
    ----------
    users
        Every action that uses it, whatever its mode, with what it demands.
    """
    jobs: list[BoundJob] = []
    shared: dict[tuple[str, int], BoundJob] = {}
    lengths: set[int] = set()
    for i, demand in users:
        length = instance.actions[i].duration
        job = BoundJob(heads[i], length, tails[i], demand.amount)
        if demand.sets is None:
            jobs.append(job)
            lengths.add(length)
        else:
            previous = shared.get((demand.sets, length), job)
            head, tail = min(previous.head, job.head), min(previous.tail, job.tail)
            shared[demand.sets, length] = BoundJob(head, length, tail, max(previous.units, job.units))
    jobs += [job for (_, length), job in shared.items() if length not in lengths]
    jobs = [job for job in jobs if job.work]
    if not jobs:
        return lower_bound
    most_heads = _FEW_HEADS if len(jobs) <= _FEW else None
    best = work_bound(jobs, capacity, lower_bound, most_heads)
    halves = [job._replace(units=1 + (2 * job.units > capacity)) for job in jobs if 2 * job.units >= capacity]
    if not halves or all(2 * job.units in (capacity, 2 * capacity) for job in jobs):
        return best  # no set of jobs has more work in halves than in units
    if all(job.units == 2 for job in halves):
        return work_bound([job._replace(units=1) for job in halves], 1, best)
    return work_bound(halves, 2, best, most_heads)
