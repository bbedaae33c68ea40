"""How far all cooks together must still walk: a lower bound by assignment.

Who carries an ingredient to a board or to a stove, or a plate to the window, carries nothing else meanwhile. So all
walks are such errands and what lies between them: from where an errand ends, or where a cook is now, to where the next
begins. What follows what is an assignment, and the cheapest is a lower bound. It also is if things are put down on the
way, and taken up again by whomever: the walk to where a thing is taken up and the one from where it was put down join
to a walk from one errand to another, not longer than both, as distances are those of things, which are also handed
across stations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from planoracle.solver.floors.moves import FAR

__all__ = ["BRING", "CHOP", "CHOP_FRY", "FRY", "SEE", "Errands", "cheapest"]

#: To a board; to a board and then to a stove; to a stove; just to be there; to the window.
CHOP, CHOP_FRY, FRY, SEE, BRING = range(5)
#: What is to be done, and places from any of which.
_Errand: TypeAlias = tuple[int, tuple[int, ...]]
_NEVER: Final = 100 * FAR


class Errands:
    """Errands by number, and what they cost one after another.

    Parameters
    ----------
    ways
        How far it is for things from place to place.
    """

    def __init__(
        self, ways: list[list[int]], boards: Sequence[int], stoves: Sequence[int], windows: Sequence[int]
    ) -> None:
        self._ways, self._boards = ways, tuple(boards)
        self._ends = {CHOP: tuple(boards), CHOP_FRY: tuple(stoves), FRY: tuple(stoves), BRING: tuple(windows)}
        self._numbers: dict[_Errand, int] = {}
        self._errands: list[_Errand] = []
        self._after: list[list[int]] = []
        self._last: list[int] = []
        self._first: list[dict[int, int]] = []
        self._solved: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}

    def number(self, what: int, places: tuple[int, ...]) -> int:
        """Return the number of an errand."""
        errand = (what, places)
        found = self._numbers.get(errand)
        if found is None:
            found = self._numbers[errand] = len(self._errands)
            self._errands.append(errand)
            self._last.append(min((self._loaded(errand, end) for end in self._ended(errand)), default=FAR))
            for known in range(found):
                self._after[known].append(self._cost(self._errands[known], errand))
            self._after.append([self._cost(errand, other) for other in self._errands])
            self._first.append({})
        return found

    def _ended(self, errand: _Errand) -> tuple[int, ...]:
        return errand[1] if errand[0] == SEE else self._ends[errand[0]]

    def _loaded(self, errand: _Errand, end: int) -> int:
        what, places = errand
        ways = self._ways
        if what == SEE:
            return 0
        if what == CHOP_FRY:
            return min((ways[p][b] + ways[b][end] for p in places for b in self._boards), default=FAR)
        return min(ways[p][end] for p in places)

    def _cost(self, one: _Errand, then: _Errand) -> int:
        ways = self._ways
        return min((self._loaded(one, e) + ways[e][s] for e in self._ended(one) for s in then[1]), default=FAR)

    def least(self, cooks: tuple[int, ...], errands: tuple[int, ...]) -> int:
        """Return how many steps cooks at some places need at least for some errands."""
        key = (cooks, errands)
        found = self._solved.get(key)
        if found is None:
            found = self._solved[key] = self._least(cooks, errands)
        return found

    def _least(self, cooks: tuple[int, ...], errands: tuple[int, ...]) -> int:
        spare = len(cooks) - 1
        rows = []
        for one in errands:
            costs, end = self._after[one], self._last[one]
            last = end if self._errands[one][0] == BRING else _NEVER
            rows.append([*(costs[then] for then in errands), *[end] * spare, last])
        for cook in cooks:
            rows.append([*(self._approach(cook, one) for one in errands), *[0] * spare, _NEVER])
        return cheapest(rows)

    def _approach(self, place: int, errand: int) -> int:
        row = self._first[errand]
        found = row.get(place)
        if found is None:
            found = row[place] = min(self._ways[place][start] for start in self._errands[errand][1])
        return found


def cheapest(costs: Sequence[Sequence[int]]) -> int:
    """Return the least cost of an assignment of rows to columns (Hungarian method).

    Examples
    --------
    >>> cheapest([[4, 1, 3], [2, 0, 5], [3, 2, 2]])
    5
    """
    count = len(costs)
    of_row, of_column = [0] * (count + 1), [0] * (count + 1)
    taken = [0] * (count + 1)
    for row in range(1, count + 1):
        taken[0] = row
        column = 0
        low = [_NEVER * 1000] * (count + 1)
        way = [0] * (count + 1)
        left, used = list(range(1, count + 1)), [0]
        while taken[column]:
            here, base, step, nearest = costs[taken[column] - 1], of_row[taken[column]], _NEVER * 1000, 0
            for other in left:
                cost = here[other - 1] - base - of_column[other]
                if cost < low[other]:
                    low[other], way[other] = cost, column
                if low[other] < step:
                    step, nearest = low[other], other
            for other in used:
                of_row[taken[other]] += step
                of_column[other] -= step
            for other in left:
                low[other] -= step
            used.append(nearest)
            left.remove(nearest)
            column = nearest
        while column:
            taken[column] = taken[way[column]]
            column = way[column]
    return -of_column[0]
