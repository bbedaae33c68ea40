"""List scheduling on a floor: of all that could be done next, the most urgent, by the cook who can do it first."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from planoracle.heuristics.floors_jobs import (
    AWAY,
    DONE,
    FETCH,
    INTO,
    MOVE,
    PLATE,
    SERVE,
    WASH,
    Job,
    Timing,
    carried_out,
)
from planoracle.heuristics.floors_shop import Shop
from planoracle.instances.errors import InputError

__all__ = ["listed"]

# Ingredients whose orders of collection are all tried; with more the first that come.
_FEW = 4


def listed(shop: Shop) -> tuple[list[Job], list[int]]:
    """Return jobs that serve all orders, and the plate of each.

    A job is ready when what it needs lies there. Those come first that make nobody wait, then those of earlier
    dishes, then those with the longest way to go until the dish is served. What is chopped waits on its board for the
    plate, unless others need the board.

    Raises
    ------
    InputError
        If the cooks cannot reach what is needed.
    """
    maker = _List(shop)
    while len(maker.done.served) < len(shop.floor.orders):
        maker.next()
    return maker.jobs, maker.plates


class _List:
    """The jobs so far, and how things are after them."""

    def __init__(self, shop: Shop) -> None:
        self.shop = shop
        self.plates = list(range(len(shop.floor.orders)))
        self.jobs: list[Job] = []
        done = carried_out(shop, [], self.plates)
        assert done is not None
        self.done: Timing = done

    def next(self) -> None:
        """Add the most urgent job, or raise `InputError`."""
        best: tuple[tuple[bool, int, int, int, int, int], Job, Timing] | None = None
        for job, order, tail in self._ready():
            for cook in range(len(self.done.time)):
                mine: Job = (job[0], cook, *job[2:])
                found = carried_out(self.shop, [*self.jobs, mine], self.plates)
                if found is None:
                    continue
                idle = self._idle(found, cook)
                free = self.done.time[cook] if idle else 0
                key = (idle > 0, free + idle, order - tail, found.time[cook], self.done.time[cook], cook)
                if best is None or key < best[0]:
                    best = key, mine, found
        if best is None:
            raise InputError("the cooks cannot reach what is needed", value=self.shop.floor.name)
        self.jobs.append(best[1])
        self.done = best[2]

    def _idle(self, found: Timing, cook: int) -> int:
        """Return how long a cook waits in the steps that were added."""
        shop, before = self.shop, len(self.done.steps)
        own = [step for step in self.done.steps if step.cook == cook]
        spots, clock = (own[-1].spots if own else shop.starts[cook]), self.done.time[cook]
        idle = 0
        for step in found.steps[before:]:
            idle += step.tick - clock - shop.way(spots, step.station)[0][0]
            spots, clock = step.spots, step.tick + max(0, step.ticks)
        return idle

    def _ready(self) -> Iterator[tuple[Job, int, int]]:
        """Return what can be done now by some cook, when its dish is due, and how long it takes until it is served."""
        shop, done = self.shop, self.done
        crowded = not any(not done.cover[board] for board in shop.boards)
        waiting = any(x.chopped and at == AWAY for x, at in zip(shop.parts, done.lies, strict=True))
        for part, at in enumerate(done.lies):
            own = shop.parts[part]
            due = 30 * own.order
            kind = FETCH if at == AWAY else MOVE
            if at == DONE or at in done.pots:
                continue
            if at == AWAY and own.chopped:
                for board in self._boards(part):
                    yield (FETCH, 0, part, board, True), due, self._tail(part, board)
            elif own.stoves:
                for stove in self._stoves(part):
                    yield (kind, 0, part, stove, False), due, self._tail(part, stove)
            elif at == AWAY or (crowded and waiting):
                plate = self.plates[own.order]
                if plate < len(done.stands) and done.stands[plate] != AWAY:
                    yield (kind, 0, part, INTO, False), due, self._tail(part, done.stands[plate])
        yield from self._plates()

    def _boards(self, part: int) -> list[int]:
        """Return the boards on which a part can be put: not where an earlier dish could then not be completed."""
        shop, done, own = self.shop, self.done, self.shop.parts[part]
        free = [board for board in shop.boards if not done.cover[board]]
        earlier = any(done.lies[i] == AWAY and x.chopped and x.order < own.order for i, x in enumerate(shop.parts))
        if (earlier and len(free) < 2) or (own.stoves and not self._stoves(part)):
            return []
        if not own.stoves and done.stands[self.plates[own.order]] == AWAY:
            return []
        return free

    def _stoves(self, part: int) -> list[int]:
        """Return the cookware in which a part can be put; earlier dishes come first."""
        shop, done, own = self.shop, self.done, self.shop.parts[part]
        for i, x in enumerate(shop.parts):
            if x.order < own.order and x.stoves.keys() & own.stoves.keys() and done.lies[i] not in (DONE, *x.stoves):
                return []
        bound = [i for i, x in enumerate(shop.parts) if i != part and x.order == own.order and done.lies[i] >= 0]
        spoken = [i for i in bound if done.lies[i] not in done.pots and shop.parts[i].stoves.keys() & own.stoves.keys()]
        free = [stove for stove in own.stoves if stove not in done.pots]
        if len(free) > len(spoken):
            return free
        shared = [stove for stove in own.stoves if stove in done.pots]
        alone = len(own.stoves) < len([i for i in shop.of_order[own.order] if shop.parts[i].stoves == own.stoves])
        return [stove for stove in shared if alone and shop.parts[done.pots[stove][0]].order == own.order]

    def _tail(self, part: int, place: int) -> int:
        """Return how long it takes at least from here until the dish is served."""
        shop, own = self.shop, self.shop.parts[part]
        if place in own.stoves:
            return own.stoves[place] + self._far(place, shop.windows)
        if own.stoves:
            return min(self._far(place, [stove]) + self._tail(part, stove) for stove in own.stoves)
        return self._far(place, shop.windows)

    def _far(self, place: int, others: list[int]) -> int:
        ways = [self.shop.way(self.shop.set_of(place), other) for other in others]
        return min((way[0][0] for way in ways if way), default=0)

    def _plates(self) -> Iterator[tuple[Job, int, int]]:
        """Return what can be done with plates now."""
        shop, done = self.shop, self.done
        order = len(done.served)
        due = 30 * order
        parts = shop.of_order[order]
        ready = all(done.lies[i] == DONE or done.lies[i] in done.pots or self._lies(i) for i in parts)
        if ready and done.stands[self.plates[order]] != AWAY:
            left = [i for i in parts if done.lies[i] != DONE]
            for way in permutations(left) if len(left) <= _FEW else [tuple(left)]:
                yield (PLATE, 0, order, SERVE, way), due, 0
        if done.washed < min(shop.washes, order):
            for sink in shop.sinks:
                if not done.cover[sink]:
                    yield (WASH, 0, done.washed, sink, True), due, self._far(sink, shop.windows)
        for later in range(len(shop.plates), len(self.plates)):
            if later < len(done.stands) and done.stands[later] in shop.sinks:
                for place in shop.parks:
                    if not done.cover[place]:
                        yield (PLATE, 0, later, place, ()), 30 * later, self._far(place, shop.windows)

    def _lies(self, part: int) -> bool:
        return self.done.lies[part] >= 0 and not self.shop.parts[part].stoves
