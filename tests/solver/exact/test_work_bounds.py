"""Work bounds: valid for every schedule, and stronger than the sum of all work."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, permutations
from random import Random

import pytest
from support.exhaustive import general_optimum
from support.random_instances import presses
from support.samples import sample

from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.solver.exact.bounds import horizon, lower_bound, windows
from planoracle.solver.exact.search import solve
from planoracle.solver.exact.work_bounds import BoundJob, work_bound


def _optimum(jobs: list[BoundJob], capacity: int) -> int:
    """Return the optimum by trying all orders, with each job as early as it fits."""
    best = 10**9
    for order in permutations(jobs):
        used: dict[int, int] = {}
        for job in order:
            start = job.head
            while any(used.get(tick, 0) + job.units > capacity for tick in range(start, start + job.work)):
                start += 1
            for tick in range(start, start + job.work):
                used[tick] = used.get(tick, 0) + job.units
            best_end = start + job.work + job.tail
            used[-1] = max(used.get(-1, 0), best_end)
        best = min(best, used[-1])
    return best


def _drawn(block: int) -> list[tuple[int, list[BoundJob]]]:
    random = Random(block)
    drawn = []
    for _ in range(100):
        capacity = random.randint(1, 4)
        jobs = [
            BoundJob(random.randint(0, 5), random.randint(1, 4), random.randint(0, 5), random.randint(1, capacity))
            for _ in range(random.randint(1, 5))
        ]
        drawn.append((capacity, jobs))
    return drawn


@pytest.mark.parametrize("block", sample(range(10), 5))
def test_work_bound_never_exceeds_the_optimum(block: int) -> None:
    reached = 0
    for capacity, jobs in _drawn(block):
        path = max(job.head + job.work + job.tail for job in jobs)
        at_once = max(path, work_bound(jobs, capacity, most_heads=1))
        bound = max(path, work_bound(jobs, capacity))
        optimum = _optimum(jobs, capacity)
        assert at_once <= bound <= optimum
        reached += bound == optimum
    assert reached > 50


@pytest.mark.parametrize("block", sample(range(10), 5))
def test_bound_for_capacity_1_is_that_of_the_best_set_of_jobs(block: int) -> None:
    random = Random(block)
    for _ in range(100):
        jobs = [
            BoundJob(random.randint(0, 9), random.randint(1, 4), random.randint(0, 9))
            for _ in range(random.randint(1, 7))
        ]
        sets = [some for count in range(len(jobs)) for some in combinations(jobs, count + 1)]
        best = max(min(j.head for j in s) + sum(j.work for j in s) + min(j.tail for j in s) for s in sets)
        assert work_bound(jobs, 1) == best


def _bound_of(jobs: list[BoundJob], capacity: int) -> int:
    """Return the bound by a set of jobs, by its definition; 0 if they have fewer units than the capacity."""
    heads: list[int] = []
    tails: list[int] = []
    for job in jobs:
        heads += [job.head] * job.units
        tails += [job.tail] * job.units
    if len(heads) < capacity:
        return 0
    work = sum(job.work * job.units for job in jobs)
    return -(-(sum(sorted(heads)[:capacity]) + work + sum(sorted(tails)[:capacity])) // capacity)


@pytest.mark.parametrize("block", sample(range(10), 5))
def test_bound_is_that_of_the_best_set_of_large_heads_and_tails(block: int) -> None:
    for capacity, jobs in _drawn(block):
        if capacity == 1:
            continue
        all_work = -(-sum(job.work * job.units for job in jobs) // capacity)
        best = min(job.head for job in jobs) + all_work + min(job.tail for job in jobs)
        for first in jobs:
            late = sorted((job for job in jobs if job.head >= first.head), key=lambda job: -job.tail)
            best = max(best, *(_bound_of(late[:count], capacity) for count in range(1, len(late) + 1)))
        for previous in (0, best - 1, best + 1):
            assert work_bound(jobs, capacity, previous) == max(best, previous)


def test_bound_by_sets_of_jobs_exceeds_the_bound_by_all_jobs() -> None:
    drawn = [one for block in range(10) for one in _drawn(block)]
    assert any(work_bound(jobs, capacity) > work_bound(jobs, capacity, most_heads=1) for capacity, jobs in drawn)


def test_work_is_added_up_for_each_set_of_eligible_agents() -> None:
    both, first = None, ("a", "b")
    jobs = [Action(f"t/{n}", "t", 4, 4, agents=first if n < 5 else both) for n in range(6)]
    instance = Instance("k", tuple(jobs), agents=("a", "b", "c"))
    assert lower_bound(instance, windows(instance)) == 12  # one of two agents does three of five jobs
    assert solve(instance).makespan == 12


def test_undivided_work_of_the_busiest_agent_lies_between_heads_and_tails() -> None:
    jobs = tuple(Action(f"t/{n}", "t", 3, 3, release=1) for n in range(3))
    rest = Action("t/rest", "t", 2, 0, agents=())
    lags = tuple(Lag(job.id, "t/rest") for job in jobs)
    instance = Instance("k", (*jobs, rest), lags, agents=("a", "b"))
    assert lower_bound(instance, windows(instance)) == 1 + 6 + 2  # one of two agents does two of three jobs
    assert solve(instance).makespan == 9
    pausing = replace(instance, actions=(*(replace(job, interruptible=True) for job in jobs), rest))
    assert lower_bound(pausing, windows(pausing)) == 1 + 5 + 2


def test_large_uses_exclude_each_other_and_two_halves_fill_the_resource() -> None:
    def bound(capacity: int, *sizes: tuple[int, int]) -> int:
        """Return the bound for uses of a duration and an amount each."""
        jobs = (
            Action(f"t/{n}", "t", duration, 0, modes=(Mode((Demand("press", amount),)),))
            for n, (duration, amount) in enumerate(sizes)
        )
        instance = Instance("k", tuple(jobs), resources=(Resource("press", capacity),))
        least = lower_bound(instance, windows(instance))
        assert least <= (solve(instance).makespan or 0)
        return least

    assert bound(5, (4, 3), (4, 3)) == 8  # 24 of 5 units would be 5
    assert bound(6, (4, 4), (4, 4), (5, 3), (5, 3)) == 4 + 4 + 5  # 62 of 6 units would be 11
    assert bound(7, (4, 4), (5, 3)) == 5  # 3 of 7 is less than half


@pytest.mark.parametrize("block", sample(range(12), 4))
def test_bound_by_halves_never_exceeds_the_optimum(block: int) -> None:
    reached = 0
    for instance in map(presses, range(block, 240, 12)):
        best = general_optimum(instance, horizon(instance))
        assert best is not None
        least = lower_bound(instance, windows(instance))
        assert least <= best
        reached += least == best
    assert reached > 5


def test_bound_includes_unused_capacity_at_the_beginning_and_end() -> None:
    # Only the first action can use the mixer until 4, and only the last one from the end of the others on.
    use = (Mode((Demand("mixer"),)),)
    many = [Action(f"t/{n}", "t", 3, 0, modes=use) for n in range(6)]
    lags = [*(Lag("t/0", f"t/{n}") for n in range(1, 5)), *(Lag(f"t/{n}", "t/5") for n in range(1, 5))]
    instance = Instance("k", tuple(many), tuple(lags), resources=(Resource("mixer", 3),))
    assert lower_bound(instance, windows(instance)) == 10  # two thirds of the mixer are unused for six of ten ticks
    assert solve(instance).makespan == 12
