"""The search itself: states in the order of the least moment at which a plan through them can end (A*).

A state is not looked at again if one with the same things in the same places is known in which nothing is later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from typing import NamedTuple, TypeAlias

from planoracle.instances.deadline import Deadline, TimeOverError
from planoracle.instances.floors.floor import Floor
from planoracle.instances.floors.profile import FloorRules
from planoracle.solver.floors.bound import Bound
from planoracle.solver.floors.moves import FAR, Moves, State, Use

__all__ = ["Search", "Searched"]

#: Uses so far, the last first.
_Path: TypeAlias = "tuple[Use, _Path] | None"

# Of counted work: seconds to look at a successor. States that are kept at most, for the sake of memory.
_STEP, _KEPT = 2e-5, 800_000
# Of counted work: seconds of the bound by walks, by the cube of the things to be brought, where they are so many.
_WALKS, _MANY = 2e-8, 40


class Searched(NamedTuple):
    """What came of a search.

    Attributes
    ----------
    bound
        No plan ends earlier.
    uses
        A plan that ends at ``bound``; ``None`` if time was up, or if there is none below ``most``.
    """

    bound: int
    uses: tuple[Use, ...] | None
    complete: bool
    expanded: int


class Search:
    """A search on one floor.

    Attributes
    ----------
    told
        Hears when the best plan known ends, `FAR` if there is none, and when all do at least.
    walking
        What the bound by walks takes, in seconds of counted work.
    """

    def __init__(self, floor: Floor, rules: FloorRules) -> None:
        self.moves = Moves(floor, rules)
        self.bound = Bound(self.moves)
        self.orders = len(floor.orders)
        things = sum(len(dish) + 1 for dish in self.moves.things.dishes)
        self.walking = _WALKS * things**3 if things > _MANY else 0.0
        self.told: Callable[[int, int], None] = lambda most, least: None

    def run(self, deadline: Deadline, most: int = FAR, least: int = 0, start: State | None = None) -> Searched:
        """Look for a plan that ends before ``most``; there is none that ends before ``least``."""
        first = self.moves.start() if start is None else start
        lower, expanded, number = max(least, self.bound.root(first)), 0, 0
        if lower >= most:
            return Searched(most, None, True, 0)
        heap: list[tuple[int, int, int, State, _Path, bool]] = [(lower, 0, 0, first, None, True)]
        seen: dict[object, list[tuple[int, ...]]] = {}
        try:
            while heap:
                f, rank, place, state, path, settled = heappop(heap)
                if f > lower:
                    lower = f
                    self.told(most, lower)
                if not settled:
                    deadline.check(self.walking)
                    value = max(f, self.bound.walks(state))
                    if value > f:
                        if value < most:
                            heappush(heap, (value, rank, place, state, path, True))
                        continue
                if state.served == self.orders:
                    return Searched(state.moment, tuple(_unwound(path)), True, expanded)
                config, times = self.key(state)
                if path is not None and times not in seen[config]:
                    continue
                expanded += 1
                for use, child in self.moves.children(state):
                    deadline.check(_STEP)
                    if not _new(seen, *self.key(child)):
                        continue
                    done = child.served == self.orders
                    value = child.moment if done else max(f, self.bound.chains(child))
                    if value < most:
                        number += 1
                        if number > _KEPT:
                            raise TimeOverError
                        heappush(heap, (value, -1000 * child.served - child.moment, number, child, (use, path), done))
        except TimeOverError:
            return Searched(min(lower, most), None, False, expanded)
        return Searched(most, None, True, expanded)

    def key(self, state: State) -> tuple[object, tuple[int, ...]]:
        """Return what must be equal for two states to be compared, and the moments of which none may be later."""
        now, ticks = state.moment, self.moves.things.ticks
        oldest = now - self.moves.longest
        places: list[int] = []
        times = [now]
        for tile, free, held, clock, lag, closed in state.cooks:
            if free < now:
                places += (tile, held)
            else:
                places += (tile, held, lag, closed)
            times.append(free if free > oldest else oldest)
            if ticks[held]:
                times.append(clock)
        for s, thing in enumerate(state.on):
            if ticks[thing]:
                times.append(state.clocks[s])
            if state.since[s] > now:
                places.append(-s - 1)
                times.append(state.since[s])
        times.extend(state.dirty)
        actor = state.actor if state.actor >= 0 and state.cooks[state.actor][1] == now else -1
        return (tuple(places), state.on, state.served, len(state.dirty), actor), tuple(times)


def _new(seen: dict[object, list[tuple[int, ...]]], config: object, times: tuple[int, ...]) -> bool:
    row = seen.get(config)
    if row is None:
        seen[config] = [times]
        return True
    for other in row:
        for a, b in zip(other, times, strict=True):
            if a > b:
                break
        else:
            return False
    if len(row) < 40:
        row[:] = [one for one in row if not all(a <= b for a, b in zip(times, one, strict=True))]
    row.append(times)
    return True


def _unwound(path: _Path) -> Iterator[Use]:
    uses = []
    while path is not None:
        use, path = path
        uses.append(use)
    return reversed(uses)
