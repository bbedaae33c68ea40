"""How long ways are: for cooks, between tiles; for things that several cooks hand on, between stations."""

from __future__ import annotations

from collections import deque
from functools import cached_property

from planoracle.instances.floors.floor import Floor, Tile
from planoracle.instances.floors.geometry import beside, distances, steps

__all__ = ["NEVER", "Ways"]

#: Longer than any way.
NEVER = 10**6


class Ways:
    """Ways on a floor, in ticks. Only tiles count that some cook can get to."""

    def __init__(self, floor: Floor) -> None:
        self.floor = floor
        self.free = sorted({tile for _, place in floor.cooks for tile in distances(floor, place)})
        near = set(self.free)
        self.ports = {st.name: [tile for tile in beside(floor, st.name) if tile in near] for st in floor.stations}
        self._around: dict[tuple[Tile, Tile, str], int] = {}
        kinds = ("table", "dispenser", "chopping_board", "stove")
        self._stores = [station.name for station in floor.stations if station.kind in kinds]

    def walk(self, start: Tile, end: Tile) -> int:
        """Return the time of a cook's walk."""
        found = distances(self.floor, start).get(end)
        return NEVER if found is None else found * self.floor.facts.move

    def around(self, start: Tile, end: Tile, but: str) -> int:
        """Return the time of a walk on which something is put down or taken at a station, but not at the one named."""
        key = start, end, but
        if key not in self._around:
            ways = [
                self.walk(start, tile) + self.walk(tile, end)
                for store in self._stores
                if store != but
                for tile in self.ports[store]
            ]
            self._around[key] = min(ways, default=NEVER)
        return self._around[key]

    @cached_property
    def carried(self) -> dict[tuple[str, str], int]:
        """Least times to carry a thing from beside a station to beside another, by station.

        One cook walks all the way (whatever is done in between, both ends are his); of several, each may take over at
        a station, from any tile next to it.
        """
        names = list(self.ports)
        if len(self.floor.cooks) == 1:
            return {
                (one, other): min((self.walk(a, b) for a in self.ports[one] for b in self.ports[other]), default=NEVER)
                for one in names
                for other in names
            }
        return {(one, other): far for one in names for other, far in self._spread(one).items()}

    def _spread(self, start: str) -> dict[str, int]:
        on: dict[Tile, list[str]] = {}
        for name, tiles in self.ports.items():
            for tile in tiles:
                on.setdefault(tile, []).append(name)
        free, found = set(self.free), dict.fromkeys(self.ports[start], 0)
        queue = deque(found)
        while queue:
            tile = queue.popleft()
            over = ((near, 0) for name in on.get(tile, ()) for near in self.ports[name])
            on_foot = ((near, 1) for near in steps(tile) if near in free)
            for near, length in (*over, *on_foot):
                if found.get(near, NEVER) > found[tile] + length:
                    found[near] = found[tile] + length
                    queue.append(near)
        move = self.floor.facts.move
        return {
            name: min((found[tile] * move for tile in tiles if tile in found), default=NEVER)
            for name, tiles in self.ports.items()
        }
