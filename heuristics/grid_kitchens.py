"""Heuristics for grid kitchens by name: list scheduling, and annealing over jobs."""

from __future__ import annotations

from collections.abc import Callable
from math import log
from random import Random

from planoracle.heuristics.grid_kitchens_jobs import (
    GridKitchenPlan,
    Job,
    Timing,
    execute_jobs,
    plan_of,
)
from planoracle.heuristics.grid_kitchens_layout import StationLayout, layout_of
from planoracle.heuristics.grid_kitchens_list import list_jobs
from planoracle.heuristics.grid_kitchens_moves import RandomMoves
from planoracle.heuristics.improve import Budget
from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import GridKitchen, GridKitchenRules
from planoracle.instances.errors import InputError, InternalError
from planoracle.instances.model.limits import NEVER, Deadline, TimeOverError, deadline_of

#: Returns a plan that serves all orders; raises `InputError` if it finds none.
Planner = Callable[[GridKitchen, GridKitchenRules, Budget], GridKitchenPlan]

# Moves of annealing per iteration of a budget; seconds of 64 moves for so many jobs.
_CHANGES = 100
_SOME, _JOBS = 3e-3, 48


def anneal(
    grid_kitchen: GridKitchen,
    rules: GridKitchenRules,
    *,
    seed: int = 0,
    tries: int,
    bound: int = 0,
    deadline: Deadline = NEVER,
) -> GridKitchenPlan:
    """Return the plan of list scheduling, improved by annealing.

    Raises
    ------
    InputError
        If the cooks cannot reach a needed station, or the time limit ends before the first plan.
    """
    shop, stale = layout_of(grid_kitchen), rules.cooking == "stamp"
    try:
        jobs, plates = list_jobs(shop, deadline)
    except TimeOverError:
        raise InputError("has too many orders for a plan within the time limit", value=grid_kitchen.name) from None
    some = _SOME * max(1.0, len(jobs) / _JOBS)
    jobs, plates = improve_jobs(
        shop, jobs, plates, seed=seed, tries=tries, bound=bound, stale=stale, over=lambda: deadline.over(some)
    )
    return _plan_of_jobs(grid_kitchen, jobs, plates, stale=stale)


def _annealed_plan(grid_kitchen: GridKitchen, rules: GridKitchenRules, budget: Budget) -> GridKitchenPlan:
    deadline = deadline_of(budget.time_limit)
    tries = _CHANGES * budget.iterations
    return anneal(grid_kitchen, rules, seed=budget.seed, tries=tries, bound=budget.bound, deadline=deadline)


def _plan_of_jobs(
    grid_kitchen: GridKitchen, jobs: list[Job], plates: list[int], *, stale: bool = False
) -> GridKitchenPlan:
    shop = layout_of(grid_kitchen)
    timing = execute_jobs(shop, jobs, plates, stale)
    if timing is None:
        raise InternalError(f"{grid_kitchen.name}: the jobs of a heuristic cannot be executed")
    return plan_of(shop, timing)


#: Planners by name; ``improve`` is a heuristic for schedules, too.
BY_NAME: dict[str, Planner] = {
    "improve": _annealed_plan,
    "floor-list": lambda kitchen, rules, budget: _plan_of_jobs(kitchen, *list_jobs(layout_of(kitchen))),
}


# Moves of a cycle: half of them restart several times from the initial jobs, the others from the incumbent.
_ROUND, _STARTS = 40_000, 3
# Temperatures in ticks: after a restart from the initial jobs, from the incumbent, and at the end.
_HOT, _WARM, _COLD = 2.5, 1.5, 0.15
# Probability of two moves at once.
_TWICE = 0.25


def improve_jobs(
    shop: StationLayout,
    jobs: list[Job],
    plates: list[int],
    *,
    seed: int = 0,
    tries: int = 30_000,
    bound: int = 0,
    stale: bool = False,
    over: Callable[[], bool] = lambda: False,
) -> tuple[list[Job], list[int]]:
    """Return jobs whose last dish is served no later.

    Parameters
    ----------
    tries
        Number of moves. The result depends on it and the seed only, unless ``over`` ends the search.
    bound
        Lower bound of the last serving at which to stop.
    stale
        See `planoracle.heuristics.grid_kitchens_jobs.execute_jobs`.
    """
    random = Random(seed)
    moves = RandomMoves(shop, random)
    first = execute_jobs(shop, jobs, plates, stale)
    assert first is not None
    begin = best = jobs, plates
    least = (first.served[-1], cost(first))
    done, rounds, whole = 0, 0, min(tries, _ROUND)
    while done < tries and least[0] > bound and not over():
        fresh = rounds % (_STARTS + 1) < _STARTS
        value, temperature = (cost(first), _HOT) if fresh else (least[1], _WARM)
        jobs, plates = begin if fresh else best
        count = min(whole // (2 * _STARTS if fresh else 2) + 1, tries - done)
        factor = (_COLD / temperature) ** (1 / count)
        rounds += 1
        for turn in range(done + 1, done + count + 1):
            if not turn % 64 and over():
                break
            temperature *= factor
            mine, own = jobs[:], plates[:]
            if not moves.change(mine, own) or (random.random() < _TWICE and not moves.change(mine, own)):
                continue
            limit = value - temperature * log(1 - random.random())
            timing = execute_jobs(shop, mine, own, stale, limit)
            if timing is None or len(timing.served) < len(plates):
                continue
            late = cost(timing)
            if late <= limit:
                jobs, plates, value = mine, own, late
                if (timing.served[-1], late) < least:
                    best, least = (mine, own), (timing.served[-1], late)
                    if least[0] <= bound:
                        break
        done += count
    return best


def cost(timing: Timing) -> float:
    """Return the time of the last serving, with small weights of earlier ones and of the cooks' times."""
    cooks, dishes = timing.time, timing.served
    return dishes[-1] + 0.2 * sum(cooks) / len(cooks) + 0.1 * sum(dishes) / len(dishes)
