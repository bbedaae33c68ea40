"""Heuristics for floors by name: plans of all cooks."""

from __future__ import annotations

from collections.abc import Callable

from planoracle.heuristics.budget import Budget
from planoracle.heuristics.floors_fixed import fixed
from planoracle.heuristics.floors_improve import improved
from planoracle.heuristics.floors_jobs import Job, carried_out
from planoracle.heuristics.floors_list import listed
from planoracle.heuristics.floors_plan import FloorPlan, plan_of
from planoracle.heuristics.floors_shop import shop_of
from planoracle.instances.deadline import NEVER, Deadline, TimeOverError
from planoracle.instances.errors import InputError, InternalError
from planoracle.instances.floors.floor import Floor, FloorRules

#: Returns a plan that serves all orders; raises `InputError` if it finds none.
Planner = Callable[[Floor, FloorRules, Budget], FloorPlan]

# Changes that annealing tries for each list of actions that improvement of a schedule tries; seconds of some of them,
# where there are so many jobs.
_CHANGES = 100
_SOME, _JOBS = 3e-3, 48


def annealed(
    floor: Floor, rules: FloorRules, *, seed: int = 0, tries: int, bound: int = 0, deadline: Deadline = NEVER
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


def _improve(floor: Floor, rules: FloorRules, budget: Budget) -> FloorPlan:
    deadline = NEVER if budget.seconds is None else Deadline(budget.seconds)
    tries = _CHANGES * budget.iterations
    return annealed(floor, rules, seed=budget.seed, tries=tries, bound=budget.bound, deadline=deadline)


def _fixed(floor: Floor, rules: FloorRules, budget: Budget) -> FloorPlan:
    return _plan(floor, *fixed(shop_of(floor)))


def _list(floor: Floor, rules: FloorRules, budget: Budget) -> FloorPlan:
    return _plan(floor, *listed(shop_of(floor)))


def _plan(floor: Floor, jobs: list[Job], plates: list[int], *, stale: bool = False) -> FloorPlan:
    shop = shop_of(floor)
    timing = carried_out(shop, jobs, plates, stale)
    if timing is None:
        raise InternalError(f"{floor.name}: jobs of ours cannot be carried out")
    return plan_of(shop, timing)


#: By name; ``improve`` is there for schedules as well.
BY_NAME: dict[str, Planner] = {"improve": _improve, "floor-fixed": _fixed, "floor-list": _list}
