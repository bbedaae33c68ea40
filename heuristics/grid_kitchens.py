"""Heuristics for grid kitchens by name: list scheduling, and annealing over jobs by random moves."""

from __future__ import annotations

from collections.abc import Callable
from math import log
from random import Random

from planoracle.heuristics.grid_kitchens_jobs import (
    FETCH,
    INTO,
    MOVE,
    PLATE,
    SERVE,
    WASH,
    GridKitchenPlan,
    Job,
    Timing,
    execute_jobs,
    plan_of,
)
from planoracle.heuristics.grid_kitchens_layout import StationLayout, layout_of
from planoracle.heuristics.grid_kitchens_list import list_jobs
from planoracle.heuristics.improve import Budget
from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import GridKitchen, GridKitchenRules
from planoracle.instances.errors import InputError, InternalError
from planoracle.instances.model.limits import NEVER, Deadline, TimeOverError, deadline_of


class RandomMoves:
    """Random moves; the changed jobs may be infeasible.

    Jobs are changed in place, in copies of the lists.
    """

    def __init__(self, shop: StationLayout, random: Random) -> None:
        self.shop = shop
        self.random = random
        self.cooks = len(shop.grid_kitchen.cooks)
        self._kinds: list[Callable[[list[Job], list[int]], bool]] = [
            *[self._shift] * 6,
            *[self._hand] * (3 if self.cooks > 1 else 0),
            *[self._exchange] * 2,
            *[self._target] * 3,
            *[self._route] * 4,
            *[self._collect] * 3,
            *[self._tour] * 2,
            *[self._plates] * (1 if len(shop.grid_kitchen.orders) > 1 or len(shop.plates) > 1 else 0),
        ]

    def change(self, jobs: list[Job], plates: list[int]) -> bool:
        """Make a random move; return whether it changed the jobs."""
        return self.random.choice(self._kinds)(jobs, plates)

    def _cook(self) -> int:
        return int(self.random.random() * self.cooks)

    def _at(self, low: int, high: int) -> int:
        """Draw an integer of a range, both ends included; the lower one if the range is empty."""
        return low + int(self.random.random() * (high - low + 1)) if high > low else low

    def _shift(self, jobs: list[Job], plates: list[int]) -> bool:
        """Move a job forwards or backwards up to its dependencies, possibly to another cook."""
        place = self._at(0, len(jobs) - 1)
        job = jobs[place]
        far = 1 + int(self.random.expovariate(0.25))
        step = 1 if self.random.random() < 0.5 else -1
        to = place
        while far and 0 <= to + step < len(jobs) and not self._tied(job, jobs[to + step]):
            to += step
            far -= 1
        if self.cooks > 1 and self.random.random() < 0.4:
            job = (job[0], self._cook(), *job[2:])
        elif to == place:
            return False
        del jobs[place]
        jobs.insert(to, job)
        return True

    def _tied(self, one: Job, other: Job) -> bool:
        """Return whether two jobs must stay in their order."""
        if one[0] != PLATE and other[0] != PLATE:
            return one[2] == other[2] and (one[0] == WASH) == (other[0] == WASH)
        if other[0] != PLATE:
            one, other = other, one
        if one[0] == WASH:
            return other[3] == SERVE or other[2] >= len(self.shop.plates)
        if one[0] == PLATE:
            return one[2] == other[2] or one[3] == other[3] == SERVE
        return one[2] in other[4] or (one[3] == INTO and self.shop.parts[one[2]].order == other[2])  # type: ignore[operator]

    def _hand(self, jobs: list[Job], plates: list[int]) -> bool:
        """Give a job to another cook."""
        place = self._at(0, len(jobs) - 1)
        job = jobs[place]
        jobs[place] = (job[0], (job[1] + self._at(1, self.cooks - 1)) % self.cooks, *job[2:])
        return True

    def _exchange(self, jobs: list[Job], plates: list[int]) -> bool:
        """Exchange two cooks from some job on, or two neighbouring jobs of one cook."""
        place = self._at(0, len(jobs) - 1)
        if self.cooks > 1 and self.random.random() < 0.4:
            one = jobs[place][1]
            other = (one + self._at(1, self.cooks - 1)) % self.cooks
            end = len(jobs) if self.random.random() < 0.5 else place + 1 + self._at(1, 6)
            for i in range(place, min(end, len(jobs))):
                job = jobs[i]
                if job[1] in (one, other):
                    jobs[i] = (job[0], one + other - job[1], *job[2:])
            return True
        for later in range(place + 1, len(jobs)):
            if jobs[later][1] == jobs[place][1]:
                jobs[place], jobs[later] = jobs[later], jobs[place]
                return True
        return False

    def _target(self, jobs: list[Job], plates: list[int]) -> bool:
        """Change the target of a job to another station of the kind."""
        place = self._at(0, len(jobs) - 1)
        kind, cook, subject, target, rest = jobs[place]
        if target < 0:
            return False
        if kind == WASH:
            choice = self.shop.sinks
            rest = self.random.random() < 0.7
        elif kind != PLATE and target in self.shop.parts[subject].stoves:
            choice = list(self.shop.parts[subject].stoves)
        elif kind != PLATE and target in self.shop.boards and (rest or self.shop.parts[subject].chopped):
            choice = self.shop.boards
        else:
            choice = self.shop.surfaces
            rest = rest if kind == PLATE else False
        jobs[place] = (kind, cook, subject, self.random.choice(choice), rest)
        return True

    def _of(self, jobs: list[Job], part: int) -> list[int]:
        return [i for i, job in enumerate(jobs) if job[2] == part and job[0] in (FETCH, MOVE)]

    def _tours(self, jobs: list[Job], order: int) -> list[int]:
        return [i for i, job in enumerate(jobs) if job[0] == PLATE and job[2] == order]

    def _route(self, jobs: list[Job], plates: list[int]) -> bool:
        """Collect with the plate an ingredient that was brought to it, or the reverse."""
        part = self._at(0, len(self.shop.parts) - 1)
        own = self.shop.parts[part]
        if own.stoves:
            return self._cookware(jobs, part)
        mine = self._of(jobs, part)
        kind, cook, _, target, _ = jobs[mine[-1]]
        if target == INTO:
            if kind == MOVE:
                del jobs[mine[-1]]
            elif kind == FETCH:
                near = self.random.random() < 0.5
                lay = own.sources[0] if near else self.random.choice(self.shop.surfaces)
                jobs[mine[-1]] = (FETCH, cook, part, lay, False)
            tours = [i for i in self._tours(jobs, own.order) if i >= mine[-1]]
            if not tours:
                return False
            tour = self.random.choice(tours)
            kind, cook, _, target, rest = jobs[tour]
            parts = list(rest)  # type: ignore[arg-type]
            parts.insert(self._at(0, len(parts)), part)
            jobs[tour] = (kind, cook, own.order, target, tuple(parts))
            return True
        tour = self._drop(jobs, part)
        if tour < 0:
            return False
        if not own.chopped:
            for i in reversed(mine[1:]):
                del jobs[i]
            _, cook, _, _, _ = jobs[mine[0]]
            jobs[mine[0]] = (FETCH, cook, part, INTO, False)
            return True
        jobs.insert(self._at(mine[-1] + 1, tour), (MOVE, self._cook(), part, INTO, False))
        return True

    def _drop(self, jobs: list[Job], part: int) -> int:
        """Remove a part from the tour that collects it; return the tour, or -1."""
        for i in self._tours(jobs, self.shop.parts[part].order):
            rest = jobs[i][4]
            if part in rest:  # type: ignore[operator]
                jobs[i] = (*jobs[i][:4], tuple(x for x in rest if x != part))  # type: ignore[union-attr]
                return i
        return -1

    def _cookware(self, jobs: list[Job], part: int) -> bool:
        """Change the stove of an ingredient."""
        stove = self.random.choice(list(self.shop.parts[part].stoves))
        for i in self._of(jobs, part):
            if jobs[i][3] in self.shop.parts[part].stoves:
                jobs[i] = (*jobs[i][:3], stove, False)
        return True

    def _collect(self, jobs: list[Job], plates: list[int]) -> bool:
        """Collect an ingredient earlier or later, or on another tour."""
        tours = [
            i
            for i, job in enumerate(jobs)
            if job[0] == PLATE and (len(job[4]) > 1 or (job[4] and job[3] == SERVE))  # type: ignore[arg-type]
        ]
        if not tours:
            return False
        tour = self.random.choice(tours)
        rest = jobs[tour][4]
        part = self.random.choice(rest)  # type: ignore[arg-type]
        self._drop(jobs, part)
        others = self._tours(jobs, jobs[tour][2])
        to = self.random.choice(others) if self.random.random() < 0.3 else tour
        parts = list(jobs[to][4])  # type: ignore[arg-type]
        parts.insert(self._at(0, len(parts)), part)
        jobs[to] = (*jobs[to][:4], tuple(parts))
        return True

    def _tour(self, jobs: list[Job], plates: list[int]) -> bool:
        """Split a plate's tour by putting it down, or merge two tours."""
        order = self._at(0, len(self.shop.grid_kitchen.orders) - 1)
        tours = self._tours(jobs, order)
        if len(tours) > 1 and self.random.random() < 0.5:
            number = self._at(0, len(tours) - 2)
            one, other = jobs[tours[number]], jobs[tours[number + 1]]
            both = (*one[4], *other[4])  # type: ignore[misc]
            if self.random.random() < 0.7:
                jobs[tours[number + 1]] = (*other[:4], both)
                del jobs[tours[number]]
            else:
                jobs[tours[number]] = (*one[:3], other[3], both)
                del jobs[tours[number + 1]]
            return True
        tour = self.random.choice(tours)
        kind, cook, _, target, rest = jobs[tour]
        cut = self._at(0, len(rest))  # type: ignore[arg-type]
        parks = self.shop.surfaces
        if cut < len(rest) and self.random.random() < 0.5:  # type: ignore[arg-type]
            parks = self.shop.nearest(self.shop.parts[rest[cut]].sources[0])  # type: ignore[index]
        park = self.random.choice(parks)
        jobs[tour] = (kind, self._cook(), order, target, rest[cut:])  # type: ignore[index]
        jobs.insert(max(0, tour - self._at(0, 8)), (kind, cook, order, park, rest[:cut]))  # type: ignore[index]
        return True

    def _plates(self, jobs: list[Job], plates: list[int]) -> bool:
        """Exchange the plates of two orders, or use another plate."""
        one = self._at(0, len(plates) - 1)
        other = self._at(0, len(self.shop.plates) + self.shop.washes - 1)
        if other in plates:
            plates[plates.index(other)] = plates[one]
        plates[one] = other
        return True


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
        raise InputError("has too many orders for the time limit", field=grid_kitchen.name) from None
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
