"""Heuristics for floors by name: plans of all cooks."""

from __future__ import annotations

from collections.abc import Callable
from math import log
from random import Random

from planoracle.heuristics.budget import Budget
from planoracle.heuristics.grid_kitchens_jobs import (
    FETCH,
    INTO,
    MOVE,
    PLATE,
    SERVE,
    STAY,
    WASH,
    FloorPlan,
    Job,
    Timing,
    carried_out,
    plan_of,
)
from planoracle.heuristics.grid_kitchens_layout import Shop, shop_of
from planoracle.heuristics.grid_kitchens_list import listed
from planoracle.heuristics.grid_kitchens_moves import RandomMoves
from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import GridKitchen, GridKitchenRules
from planoracle.instances.errors import InputError, InternalError
from planoracle.instances.model.limits import NEVER, Deadline, TimeOverError

#: Returns a plan that serves all orders; raises `InputError` if it finds none.
Planner = Callable[[GridKitchen, GridKitchenRules, Budget], FloorPlan]

# Changes that annealing tries for each list of actions that improvement of a schedule tries; seconds of some of them,
# where there are so many jobs.
_CHANGES = 100
_SOME, _JOBS = 3e-3, 48


def annealed(
    floor: GridKitchen,
    rules: GridKitchenRules,
    *,
    seed: int = 0,
    tries: int,
    bound: int = 0,
    deadline: Deadline = NEVER,
) -> FloorPlan:
    """Return the plan of list scheduling, improved by annealing.

    Raises
    ------
    InputError
        If the cooks cannot reach what is needed, or time is over before there is any plan.
    """
    shop, stale = shop_of(floor), rules.cooking == "stamp"
    try:
        jobs, plates = listed(shop, deadline)
    except TimeOverError:
        raise InputError("there are so many orders that no plan was found in time", value=floor.name) from None
    some = _SOME * max(1.0, len(jobs) / _JOBS)
    jobs, plates = improved(
        shop, jobs, plates, seed=seed, tries=tries, bound=bound, stale=stale, over=lambda: deadline.over(some)
    )
    return _plan(floor, jobs, plates, stale=stale)


def _improve(floor: GridKitchen, rules: GridKitchenRules, budget: Budget) -> FloorPlan:
    deadline = NEVER if budget.seconds is None else Deadline(budget.seconds)
    tries = _CHANGES * budget.iterations
    return annealed(floor, rules, seed=budget.seed, tries=tries, bound=budget.bound, deadline=deadline)


def _fixed(floor: GridKitchen, rules: GridKitchenRules, budget: Budget) -> FloorPlan:
    return _plan(floor, *fixed(shop_of(floor)))


def _list(floor: GridKitchen, rules: GridKitchenRules, budget: Budget) -> FloorPlan:
    return _plan(floor, *listed(shop_of(floor)))


def _plan(floor: GridKitchen, jobs: list[Job], plates: list[int], *, stale: bool = False) -> FloorPlan:
    shop = shop_of(floor)
    timing = carried_out(shop, jobs, plates, stale)
    if timing is None:
        raise InternalError(f"{floor.name}: jobs of ours cannot be carried out")
    return plan_of(shop, timing)


#: By name; ``improve`` is there for schedules as well.
BY_NAME: dict[str, Planner] = {"improve": _improve, "floor-fixed": _fixed, "floor-list": _list}


def fixed(shop: Shop) -> tuple[list[Job], list[int]]:
    """Return jobs that serve all orders, and the plate of each.

    Raises
    ------
    InputError
        If a cook cannot reach what is needed.
    """
    plates = list(range(len(shop.floor.orders)))
    jobs: list[Job] = []

    def add(kind: int, what: int, targets: list[int], rest: bool | tuple[int, ...] = False) -> None:
        """Add a job, with the target that is reached first."""
        best: tuple[int, Job] | None = None
        for target in targets:
            job: Job = (kind, cook, what, target, rest)
            done = carried_out(shop, [*jobs, job], plates)
            if done is not None and (best is None or done.time[cook] < best[0]):
                best = done.time[cook], job
        if best is None:
            raise InputError("a cook cannot reach what is needed", value=shop.floor.name)
        jobs.append(best[1])

    for order in range(len(shop.floor.orders)):
        cook = order % len(shop.floor.cooks)
        if order >= len(shop.plates):
            add(WASH, order - len(shop.plates), shop.sinks, True)
            add(PLATE, order, shop.parks, ())
        for part in shop.of_order[order]:
            own = shop.parts[part]
            if own.chopped:
                add(FETCH, part, shop.boards, True)
                add(MOVE, part, list(own.stoves) or [INTO])
            else:
                add(FETCH, part, list(own.stoves) or [INTO])
            if own.stoves:
                add(STAY, part, [INTO])
        cooked = tuple(part for part in shop.of_order[order] if shop.parts[part].stoves)
        add(PLATE, order, [SERVE], cooked)
    return jobs, plates


# Changes that are tried in a cycle: half of them from the beginning, several times, the others from the best so far.
_ROUND, _STARTS = 40_000, 3
# Temperatures in ticks at the beginning, at that of going on from the best, and at the end.
_HOT, _WARM, _COLD = 2.5, 1.5, 0.15
# How often two changes are made at once.
_TWICE = 0.25


def improved(
    shop: Shop,
    jobs: list[Job],
    plates: list[int],
    *,
    seed: int = 0,
    tries: int = 30_000,
    bound: int = 0,
    stale: bool = False,
    over: Callable[[], bool] = lambda: False,
) -> tuple[list[Job], list[int]]:
    """Return better jobs, as good ones at least.

    Parameters
    ----------
    tries
        How many changes to try. The result depends on these and the seed only, unless ``over`` says that time is up.
    bound
        Stop when the time of the last dish has reached it.
    stale
        See `planoracle.heuristics.grid_kitchens_jobs.carried_out`.
    """
    random = Random(seed)
    moves = RandomMoves(shop, random)
    first = carried_out(shop, jobs, plates, stale)
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
            found = carried_out(shop, mine, own, stale, limit)
            if found is None or len(found.served) < len(plates):
                continue
            late = cost(found)
            if late <= limit:
                jobs, plates, value = mine, own, late
                if (found.served[-1], late) < least:
                    best, least = (mine, own), (found.served[-1], late)
                    if least[0] <= bound:
                        break
        done += count
    return best


def cost(timing: Timing) -> float:
    """Return when the last dish is served, and a little for what is late before."""
    cooks, dishes = timing.time, timing.served
    return dishes[-1] + 0.2 * sum(cooks) / len(cooks) + 0.1 * sum(dishes) / len(dishes)
