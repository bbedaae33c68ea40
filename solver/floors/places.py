"""How far it is for cooks and for things, and how long things need from where they are to the window."""

from __future__ import annotations

from collections import deque

from planoracle.solver.floors.moves import FAR, Moves

__all__ = ["Places"]

#: Stations that a thing can be put down on from one side and taken from on the other.
_HANDED = frozenset(("table", "dispenser", "chopping_board", "stove"))


class Places:
    """Distances and least times on a floor. Places are stations, by number, and tiles behind them (`tile`).

    Attributes
    ----------
    walks
        From tile to station, for cooks.
    ways
        From place to place, for things that are also handed across stations.
    out
        By place: for a thing, to the window; ``chopped``: to a board, chopping, and then to the window.
    board, stove
        By place: to a board; to a stove and from there to the window.
    fried
        By place: to a board, from there to a stove and from there to the window, without the work.
    served
        From the stove that is nearest to the window.
    soonest
        The least of ``chopped``, ``stove`` and ``fried``.
    """

    def __init__(self, moves: Moves) -> None:
        self.count = len(moves.kinds)
        near, walks, tiles = moves.beside, moves.walks, range(len(moves.tiles))
        stations = range(self.count)
        self.walks = [[min((walks[a][b] for b in near[s]), default=FAR) for s in stations] for a in tiles]
        across = _across(moves)
        # Who is alone walks around what he has put down: handing gains no time, only steps with something in the hand.
        lone = walks if len(moves.floor.cooks) == 1 else across
        spots = [*near, *((a,) for a in tiles)]
        self.ways = [[min((across[a][b] for a in one for b in two), default=FAR) for two in spots] for one in spots]
        item = [[min((lone[a][b] for a in one for b in near[s]), default=FAR) for s in stations] for one in spots]
        boards = [s for s, kind in enumerate(moves.kinds) if kind == "chopping_board"]
        stoves, windows, chop = moves.stoves, moves.windows, moves.chop
        self.boards = boards
        self.out = [min((row[w] for w in windows), default=FAR) for row in item]
        self.board = [min((row[b] for b in boards), default=FAR) for row in item]
        self.chopped = [min((row[b] + chop + self.out[b] for b in boards), default=FAR) for row in item]
        self.served = min((self.out[v] for v in stoves), default=FAR)
        self.stove = [min((row[v] + self.out[v] for v in stoves), default=FAR) for row in item]
        self.fried = [min((row[b] + self.stove[b] for b in boards), default=FAR) for row in item]
        self.soonest = tuple(min(row) for row in (self.chopped, self.stove, self.fried))

    def tile(self, number: int) -> int:
        """Return the place that a tile is."""
        return self.count + number


def _across(moves: Moves) -> list[list[int]]:
    """Return how far it is for things from tile to tile."""
    count, pace = len(moves.tiles), moves.floor.facts.move
    links: list[set[int]] = [set() for _ in range(count)]
    for s, kind in enumerate(moves.kinds):
        if kind in _HANDED:
            for a in moves.beside[s]:
                links[a].update(moves.beside[s])
    steps = [[b for b in range(count) if moves.walks[a][b] == pace and b != a] for a in range(count)]
    found = []
    for start in range(count):
        row = [FAR] * count
        row[start] = 0
        queue = deque([start])
        while queue:
            here = queue.popleft()
            for there in links[here]:
                if row[there] > row[here]:
                    row[there] = row[here]
                    queue.appendleft(there)
            for there in steps[here]:
                if row[there] > row[here] + pace:
                    row[there] = row[here] + pace
                    queue.append(there)
        found.append(row)
    return found
