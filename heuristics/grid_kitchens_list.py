"""List scheduling in grid kitchens: the most urgent ready job goes to the cook that can do it first."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from planoracle.heuristics.grid_kitchens_jobs import (
    DONE,
    FETCH,
    INTO,
    MOVE,
    NOWHERE,
    PLATE,
    SERVE,
    WASH,
    Job,
    Timing,
    execute_jobs,
)
from planoracle.heuristics.grid_kitchens_layout import StationLayout
from planoracle.instances.errors import InputError
from planoracle.instances.model.limits import NEVER, Deadline

# Largest number of ingredients whose orders of collection are all tried.
_FEW = 4
# Ticks between the due times of dishes.
_DUE = 30
# Number of jobs from which on the deadline is checked; counted work (seconds) per job.
_JOBS, _TIMED = 48, 6e-6


def list_jobs(shop: StationLayout, deadline: Deadline = NEVER) -> tuple[list[Job], list[int]]:
    """Return jobs that serve all orders, and the plate of each.

    A job is ready when the things that it needs are in place. Jobs without idle time come first, then jobs of earlier
    dishes, then jobs with the longest tail until the dish is served. A chopped part waits on its board for the plate,
    unless other parts need the board.

    Raises
    ------
    InputError
        If the cooks cannot reach a needed station.
    TimeOverError
        After the deadline.
    """
    maker = _JobList(shop, deadline)
    while len(maker.done.served) < len(shop.grid_kitchen.orders):
        maker.next()
    return maker.jobs, maker.plates


class _JobList:
    """Jobs chosen so far, and the state after them."""

    def __init__(self, shop: StationLayout, deadline: Deadline) -> None:
        self.shop = shop
        self.deadline = deadline
        self.plates = list(range(len(shop.grid_kitchen.orders)))
        self.jobs: list[Job] = []
        done = execute_jobs(shop, [], self.plates)
        assert done is not None
        self.done: Timing = done

    def next(self) -> None:
        """Add the most urgent job, or raise `InputError`."""
        best: tuple[tuple[int, int, int], Job, Timing] | None = None
        for due, ways in self._ready():
            urgent = due - min(tail for _, tail in ways)
            first: tuple[tuple[int, int, int, int], Job, Timing] | None = None
            for job, tail in ways:
                for cook in range(len(self.done.time)):
                    if len(self.jobs) > _JOBS:
                        self.deadline.check(_TIMED * len(self.jobs))
                    mine: Job = (job[0], cook, *job[2:])
                    timing = execute_jobs(self.shop, [*self.jobs, mine], self.plates)
                    if timing is not None:
                        key = (timing.time[cook] + tail, timing.time[cook], -self.done.time[cook], cook)
                        if first is None or key < first[0]:
                            first = key, mine, timing
            if first is None:
                continue
            idle = self._idle(first[2], first[1][1])
            rank = (self.done.time[first[1][1]] + idle if idle else 0, urgent, first[0][0])
            if best is None or rank < best[0]:
                best = rank, first[1], first[2]
        if best is None:
            raise InputError("needs a station that no cook can reach", field=self.shop.grid_kitchen.name)
        self.jobs.append(best[1])
        self.done = best[2]

    def _idle(self, timing: Timing, cook: int) -> int:
        """Return the idle time of a cook in the steps that were added."""
        shop, before = self.shop, len(self.done.steps)
        own = [step for step in self.done.steps if step.cook == cook]
        spots, clock = (own[-1].spots if own else shop.starts[cook]), self.done.time[cook]
        idle = 0
        for step in timing.steps[before:]:
            idle += step.tick - clock - shop.way(spots, step.station)[0][0]
            spots, clock = step.spots, step.tick + step.ticks
        return idle

    def _ready(self) -> Iterator[tuple[int, list[tuple[Job, int]]]]:
        """Yield the ready jobs: due time, and each variant with its tail."""
        shop, done = self.shop, self.done
        crowded = not any(not done.cover[board] for board in shop.boards)
        waiting = any(x.chopped and at == NOWHERE for x, at in zip(shop.parts, done.lies, strict=True))
        for part, at in enumerate(done.lies):
            own = shop.parts[part]
            kind = FETCH if at == NOWHERE else MOVE
            places: list[int] = []
            if at == DONE or at in done.pots:
                continue
            if at == NOWHERE and own.chopped:
                places = self._boards(part)
            elif own.stoves:
                places = self._stoves(part)
            elif (at == NOWHERE or (crowded and waiting)) and done.stands[self.plates[own.order]] != NOWHERE:
                places = [INTO]
            if places:
                rest = at == NOWHERE and own.chopped
                yield (
                    _DUE * own.order,
                    [((kind, 0, part, place, rest), self._tail(part, place)) for place in places],
                )
        yield from self._plates()

    def _boards(self, part: int) -> list[int]:
        """Return the boards on which a part can be put without blocking an earlier dish."""
        shop, done, own = self.shop, self.done, self.shop.parts[part]
        free = [board for board in shop.boards if not done.cover[board]]
        earlier = any(done.lies[i] == NOWHERE and x.chopped and x.order < own.order for i, x in enumerate(shop.parts))
        if (earlier and len(free) < 2) or (own.stoves and not self._stoves(part)):
            return []
        if not own.stoves and done.stands[self.plates[own.order]] == NOWHERE:
            return []
        return free

    def _stoves(self, part: int) -> list[int]:
        """Return the cookware in which a part can be put; earlier dishes come first."""
        shop, done, own = self.shop, self.done, self.shop.parts[part]
        for i, x in enumerate(shop.parts):
            if x.order < own.order and x.stoves.keys() & own.stoves.keys() and done.lies[i] not in (DONE, *x.stoves):
                return []
        bound = [i for i, x in enumerate(shop.parts) if i != part and x.order == own.order and done.lies[i] >= 0]
        reserved = [
            i for i in bound if done.lies[i] not in done.pots and shop.parts[i].stoves.keys() & own.stoves.keys()
        ]
        free = [stove for stove in own.stoves if stove not in done.pots]
        if len(free) > len(reserved):
            return free
        shared = [stove for stove in own.stoves if stove in done.pots]
        alone = len(own.stoves) < len([i for i in shop.of_order[own.order] if shop.parts[i].stoves == own.stoves])
        return [stove for stove in shared if alone and shop.parts[done.pots[stove][0]].order == own.order]

    def _tail(self, part: int, place: int) -> int:
        """Return the least time from a position until the dish is served."""
        shop, own = self.shop, self.shop.parts[part]
        if place == INTO:
            place = self.done.stands[self.plates[own.order]]
        if place in own.stoves:
            return own.stoves[place] + self._far(place, shop.windows)
        if own.stoves:
            return min(self._far(place, [stove]) + self._tail(part, stove) for stove in own.stoves)
        return self._far(place, shop.windows)

    def _far(self, place: int, others: list[int]) -> int:
        ways = [self.shop.way(self.shop.set_of(place), other) for other in others]
        return min((way[0][0] for way in ways if way), default=0)

    def _plates(self) -> Iterator[tuple[int, list[tuple[Job, int]]]]:
        """Yield the ready jobs of plates."""
        shop, done = self.shop, self.done
        order = len(done.served)
        parts = shop.of_order[order]
        ready = all(done.lies[i] == DONE or done.lies[i] in done.pots or self._lies(i) for i in parts)
        if ready and done.stands[self.plates[order]] != NOWHERE:
            remaining = [i for i in parts if done.lies[i] != DONE]
            ways = permutations(remaining) if len(remaining) <= _FEW else [tuple(remaining)]
            yield _DUE * order, [((PLATE, 0, order, SERVE, way), 0) for way in ways]
        if done.washed < min(shop.washes, order):
            free = [sink for sink in shop.sinks if not done.cover[sink]]
            if free:
                yield (
                    _DUE * order,
                    [((WASH, 0, done.washed, sink, True), self._far(sink, shop.windows)) for sink in free],
                )
        for later in range(len(shop.plates), len(self.plates)):
            parks = [place for place in shop.parks if not done.cover[place]]
            if done.stands[later] in shop.sinks and parks:
                ways_back = [((PLATE, 0, later, place, ()), self._far(place, shop.windows)) for place in parks]
                yield _DUE * later, ways_back  # type: ignore[misc]

    def _lies(self, part: int) -> bool:
        return self.done.lies[part] >= 0 and not self.shop.parts[part].stoves
