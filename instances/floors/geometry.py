"""How far it is on a floor: for cooks, who walk, and for things, which are also handed on over stations."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping

from planoracle.instances.floors.floor import Floor, Tile
from planoracle.instances.memo import Memo

_SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1))


def steps(tile: Tile) -> list[Tile]:
    """Return the four tiles next to one, on the map or not."""
    return [(tile[0] + x, tile[1] + y) for x, y in _SIDES]


@Memo
def tiles(floor: Floor) -> tuple[Tile, ...]:
    """Return the tiles that can be entered, row by row."""
    every = ((x, y) for y in range(floor.height) for x in range(floor.width))
    return tuple(tile for tile in every if tile not in floor.blocked)


@Memo
def beside(floor: Floor, station: str) -> tuple[Tile, ...]:
    """Return the tiles from which a station is used."""
    near = steps(floor.by_name[station].place)
    return tuple(sorted(tile for tile in near if floor.inside(tile) and tile not in floor.blocked))


@Memo
def distances(floor: Floor, start: Tile) -> Mapping[Tile, int]:
    """Return how many tiles a shortest walk has to every tile that can be reached from one."""
    return _spread(floor, [start])


def _spread(floor: Floor, starts: Iterable[Tile]) -> dict[Tile, int]:
    found = dict.fromkeys(starts, 0)
    queue = deque(found)
    while queue:
        tile = queue.popleft()
        for near in steps(tile):
            if near not in found and floor.inside(near) and near not in floor.blocked:
                found[near] = found[tile] + 1
                queue.append(near)
    return found
