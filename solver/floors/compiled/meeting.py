"""How early an ingredient can be in a vessel, with all that one or two cooks can do for it: every way is tried.

One ingredient and one vessel are on the floor, nothing else: every plan for the whole floor, without all that it does
with other things, is a plan for these two, and not later. States are where the cooks are and where both things are;
they are found tick by tick (breadth first). Turns at the same moment are taken in any order, and things lie everywhere
where nothing else that counts lies, which can only make it look too early.

- What other vessels carry is the ingredient itself: it is held by who holds the vessel, and lies where that lies. So
  food that cookware takes lies on stoves, too. Poured from plate to plate it is taken up with what it was in.
- A plate that was washed is another than it was before: it stands in the sink from the beginning. It is not the first
  to be served.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from planoracle.instances.floors.floor import PLATE, Vessel
from planoracle.solver.floors.bound import Bound
from planoracle.solver.floors.compiled.numbers import compiled
from planoracle.solver.floors.moves import Moves

__all__ = ["Meetings"]

#: States at most.
_LARGE: Final = 60_000_000
#: Nothing is looked for later.
_LATEST: Final = 1_000
_LAID: Final = frozenset(("table", "dispenser", "chopping_board"))


class Meetings:
    """Earliest moments on one floor with at most two cooks."""

    def __init__(self, moves: Moves) -> None:
        self.moves = moves
        floor = moves.floor
        tiles, pace = range(len(moves.tiles)), max(1, floor.facts.move)
        self.fits = len(floor.cooks) <= 2 and pace == 1 and moves.chop > 0
        near: list[list[int]] = [[] for _ in tiles]
        for s, places in enumerate(moves.beside):
            for tile in places:
                near[tile].append(s)
        self.steps = _table([[a, *(b for b in tiles if moves.walks[a][b] == pace)] for a in tiles])
        self.near = _table(near)
        self.food = np.array([kind in _LAID for kind in moves.kinds])
        self.board = np.array([kind == "chopping_board" for kind in moves.kinds])
        self.stove = np.array([kind == "stove" for kind in moves.kinds])
        self.window = np.array([kind == "serving_window" for kind in moves.kinds])
        stations, cooks = len(moves.kinds), len(floor.cooks)
        #: Statuses of the ingredient and of the vessel.
        self.shape = (5 + 2 * stations + 2 * stations * moves.chop + 1, stations + 2)
        size = len(moves.tiles) ** cooks * self.shape[0] * self.shape[1]
        self.fits = self.fits and 0 < size <= _LARGE
        self._vessels = (PLATE, *(kind.name for kind in floor.facts.cookware))

    def least(self, bound: Bound) -> int:
        """Return a bound of the moment at which the last order is served: what each ingredient alone must go through.

        Cooked food is in cookware at some moment, is there for as long as it takes (by stamps, see `Bound.cooked`), and
        goes to the window from a stove. No plan is meant that makes food that nobody needs.
        """
        moves = self.moves
        if not self.fits:
            return 0
        stands = {name: [s for s, one in enumerate(moves.stations) if one.holds == name] for name in self._vessels}
        sinks = [s for s, kind in enumerate(moves.kinds) if kind == "sink"] if moves.returns else []
        best = 0
        # When ingredients can be in cookware: of the first of a kind, and of those that must be cooked there.
        first: dict[str, int] = {}
        puts: list[tuple[Vessel, int]] = []
        for name, state, later in sorted(self._needs()):
            sources, ware = bound.sources.get(name, ()), bound.cookware.get(name)
            if ware is not None and (moves.stamped or state == "cooked"):
                chop = ware.takes == "chopped"
                put = min((self.earliest(sources, chop, s, None) for s in stands[ware.name]), default=0)
                first[ware.name] = min(first.get(ware.name, put), put)
                if state == "cooked":
                    puts.append((ware, put))
            if state != "cooked":
                carried = self.stove if ware is not None and ware.takes == state else self.stove & False
                plates = stands[PLATE] + (sinks if later else [])
                ways = [self.earliest(sources, state == "chopped", s, carried) for s in plates]
                best = max(best, min(ways, default=0))
        if puts:
            onward = min((self.onward(s) for s in moves.stoves), default=0)
            for ware, put in puts:
                done = put + ware.ticks
                if moves.stamped:
                    done = max(put, min(done, first[ware.name] + 2 * ware.ticks))
                best = max(best, done + onward)
        return best

    def _needs(self) -> set[tuple[str, str, bool]]:
        """Return all ingredients and states, and whether they are only on dishes that may be on a washed plate."""
        dishes = self.moves.things.dishes
        early = set(dishes[0])
        return {(*need, need not in early) for dish in dishes for need in dish}

    def earliest(self, sources: tuple[int, ...], chopped: bool, vessel: int, carried: Any) -> int:
        """Return the earliest tick at which an ingredient is served on a plate, or is in cookware; at most 1000.

        Parameters
        ----------
        sources
            Stations that give it.
        chopped
            Whether it is chopped before.
        vessel
            Station on which the vessel stands at the beginning.
        carried
            By station: whether it lies there in what carries it to the plate; ``None``: the vessel is cookware.
        """
        moves = self.moves
        serve = carried is not None
        rests, lies = (self.food | carried, self.food) if serve else (self.food, self.food | self.stove)
        given = np.zeros(len(moves.kinds), np.bool_)
        given[list(sources)] = True
        starts = [moves.number[tile] for _, tile in moves.floor.cooks]
        second = starts[1] if len(starts) > 1 else -1
        return self._tried(rests, lies, given, starts[0], second, vessel, chopped, False, serve)

    def onward(self, stove: int) -> int:
        """Return how long a vessel takes from a stove to the window, wherever the cooks are; at most 1000."""
        second = -1 if len(self.moves.floor.cooks) == 1 else 0
        return self._tried(self.food, self.food | self.stove, self.board, 0, second, stove, False, True, True)

    def _tried(
        self,
        rests: Any,
        lies: Any,
        given: Any,
        one: int,
        two: int,
        vessel: int,
        chopped: bool,
        cooked: bool,
        serve: bool,
    ) -> int:
        return int(
            _earliest(
                self.steps, self.near, self.food, rests, lies, self.board, self.window, given, one, two, vessel,
                chopped, cooked, serve, self.moves.chop, self.shape[0], self.shape[1], _LATEST,
            )
        )  # fmt: skip


def _table(rows: list[list[int]]) -> Any:
    most = max(len(row) for row in rows)
    return np.array([[len(row), *row, *[0] * (most - len(row))] for row in rows], np.int32)


@compiled
def _earliest(  # noqa: C901 - the inner loop
    steps: Any, near: Any, food: Any, rests: Any, lies: Any, board: Any, window: Any, given: Any,
    one: int, two: int, vessel: int, chopped: bool, cooked: bool, serve: bool, chop: int,
    kinds: int, places: int, latest: int,
) -> int:  # fmt: skip
    tiles, stations = len(steps), places - 2
    pair = tiles if two >= 0 else 1
    seen = np.zeros(tiles * pair * kinds * places, np.uint8)
    now, then = [0], [0]
    now.pop()
    then.pop()
    joined = kinds - 1
    if cooked:
        for both in range(tiles * pair):
            now.append((both * kinds + joined) * places + vessel)
            seen[now[-1]] = 1
    else:
        now.append(((one * pair + max(two, 0)) * kinds) * places + vessel)
        seen[now[-1]] = 1
    ready = 3 + stations if chopped else 1  # held by the first cook, ready to go into the vessel
    lying = ready + 2
    busy = 5 + 2 * stations
    for tick in range(latest):
        position = 0
        while position < len(now):
            state = now[position]
            position += 1
            v = state % places
            i = state // places % kinds
            q = state // places // kinds % pair
            p = state // places // kinds // pair
            working = (i - busy) // chop % 2 if busy <= i < joined else -1
            for c in range(2 if two >= 0 else 1):
                if c == working:
                    continue
                tile = p if c == 0 else q
                has_food = i == 1 + c or i == ready + c
                has_vessel = v == stations + c
                for k in range(near[tile, 0]):
                    s = near[tile, k + 1]
                    ni, nv = i, v
                    there = 0  # what can be done there: up to two ways
                    if has_vessel:
                        if window[s] and i == joined:
                            return tick if cooked else max(tick, 1)  # nothing is served at moment 0
                        if i == lying + s:
                            ni = joined
                            there = 1
                        elif lies[s] and i != 3 + s and i != lying + s:
                            nv = s
                            there = 1
                    elif has_food:
                        if v == s:
                            if i == ready + c:
                                ni = joined
                                there = 1
                        elif rests[s] if i == ready + c else food[s]:
                            ni = lying + s if i == ready + c else 3 + s
                            there = 1
                    else:
                        if v == s:
                            nv = stations + c
                            there = 1
                        elif i == 0:
                            if given[s]:
                                ni = 1 + c
                                there = 1
                        elif i == 3 + s:
                            ni = 1 + c
                            there = 1
                        elif i == lying + s:
                            ni = ready + c
                            there = 1
                    if there:
                        if ni == joined and not serve:
                            return tick
                        new = ((p * pair + q) * kinds + ni) * places + nv
                        if not seen[new]:
                            seen[new] = 1
                            now.append(new)
                    if chopped and board[s] and i == 3 + s and working < 0:
                        new = ((p * pair + q) * kinds + busy + (s * 2 + c) * chop + chop - 1) * places + v
                        if not seen[new]:
                            seen[new] = 1
                            now.append(new)
            ni = i
            if working >= 0:
                left = (i - busy) % chop
                ni = i - 1 if left else lying + (i - busy) // chop // 2
            for a in range(steps[p, 0] if working != 0 else 1):
                np_ = steps[p, a + 1]
                for b in range(steps[q, 0] if working != 1 and two >= 0 else 1):
                    nq = steps[q, b + 1] if two >= 0 else 0
                    new = ((np_ * pair + nq) * kinds + ni) * places + v
                    if not seen[new]:
                        seen[new] = 1
                        then.append(new)
        now, then = then, now
        then.clear()
        if not len(now):
            return latest
    return latest
