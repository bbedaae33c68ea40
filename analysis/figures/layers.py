"""Places for a graph of actions: layers from left to right, ordered so that few arrows cross (after Sugiyama)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import accumulate, pairwise
from typing import NamedTuple

import networkx as nx

from planoracle.instances.model import Instance

#: Layer and height; heights grow downwards, boxes are one apart.
Point = tuple[float, float]

_SWEEPS = 8
_GROUP_GAP = 0.2
# Columns for actions that wait for nothing and that nothing waits for.
_LOOSE = 6


class Layout(NamedTuple):
    """Place of every action, the bends of arrows that pass whole layers, and how many layers and lanes there are."""

    places: dict[str, Point]
    bends: dict[tuple[str, str], list[Point]]
    columns: int
    lanes: float


#: An action, or an edge where it passes a layer.
_Key = str | tuple[str, str]
_Spot = tuple[int, _Key]


def place(instance: Instance, graph: nx.DiGraph[str]) -> Layout:
    """Place the actions of an instance; what hangs together stays together, one group below the other.

    Parameters
    ----------
    graph
        Its dependencies: nodes are ids of actions.
    """
    layers = _layers(instance)
    places: dict[str, Point] = {}
    bends: dict[tuple[str, str], list[Point]] = defaultdict(list)
    top = 0.0
    groups = sorted(
        nx.weakly_connected_components(graph), key=lambda group: min(map(instance.index.__getitem__, group))
    )
    for group in groups:
        if len(group) == 1:
            continue
        found = _place_group(sorted(group, key=instance.index.__getitem__), graph, layers)
        for (layer, key), y in found.items():
            if isinstance(key, str):
                places[key] = float(layer), top + y
            else:
                bends[key].append((float(layer), top + y))
        top += max(found.values()) + 1 + _GROUP_GAP
    columns = 1 + max((int(x) for x, _ in places.values()), default=0)
    loose = [action.id for action in instance.actions if action.id not in places]
    wide = max(columns, min(_LOOSE, len(loose)))
    for i, name in enumerate(loose):
        places[name] = float(i % wide), top + i // wide
    columns = max(columns, wide if loose else 0)
    lanes = 1 + max(y for points in ([*places.values()], *bends.values()) for _, y in points)
    return Layout(places, {edge: sorted(points) for edge, points in bends.items()}, columns, lanes)


def _layers(instance: Instance) -> dict[str, int]:
    """Return for every action the number of actions in the longest chain before it."""
    found: dict[str, int] = {}
    names = [action.id for action in instance.actions]
    for i in instance.order:
        found[names[i]] = max((found[names[j]] + 1 for j, _ in instance.predecessors[i]), default=0)
    return found


def _place_group(members: list[str], graph: nx.DiGraph[str], layers: dict[str, int]) -> dict[_Spot, float]:
    """Return the height of every box and bend."""
    rows: dict[int, list[_Spot]] = defaultdict(list)
    for name in members:
        rows[layers[name]].append((layers[name], name))
    joined: dict[_Spot, list[_Spot]] = defaultdict(list)
    for before in members:
        for after in graph.successors(before):
            chain: list[_Spot] = [(layers[before], before)]
            for layer in range(layers[before] + 1, layers[after]):
                chain.append((layer, (before, after)))
                rows[layer].append(chain[-1])
            chain.append((layers[after], after))
            for one, other in pairwise(chain):
                joined[one].append(other)
                joined[other].append(one)
    order = [rows[layer] for layer in sorted(rows)]
    _untangle(order, joined)
    return _heights(order, joined)


def _untangle(order: list[list[_Spot]], joined: dict[_Spot, list[_Spot]]) -> None:
    """Order every layer by the mean place of the neighbours in the layers next to it, back and forth."""
    for sweep in range(_SWEEPS):
        forwards = sweep % 2 == 0
        for row in order if forwards else reversed(order):
            rank = {spot: i / max(1, len(line) - 1) for line in order for i, spot in enumerate(line)}
            step = -1 if forwards else 1

            def key(spot: _Spot, rank: dict[_Spot, float] = rank, step: int = step) -> float:
                beside = [rank[other] for other in joined[spot] if (other[0] - spot[0]) * step > 0]
                return sum(beside) / len(beside) if beside else rank[spot]

            row.sort(key=key)


def _heights(order: list[list[_Spot]], joined: dict[_Spot, list[_Spot]]) -> dict[_Spot, float]:
    """Bring every spot near the middle of its neighbours, with room between those of a layer."""
    heights: dict[_Spot, float] = {}
    for row in order:
        heights |= zip(row, _spaced(row, [0.0] * len(row)), strict=True)
    for sweep in range(2 * _SWEEPS):
        for row in order if sweep % 2 else reversed(order):
            wanted = [_mean((heights[other] for other in joined[spot]), heights[spot]) for spot in row]
            heights |= zip(row, _spaced(row, wanted), strict=True)
    least = min(heights.values())
    return {spot: height - least for spot, height in heights.items()}


def _spaced(row: list[_Spot], wanted: list[float]) -> list[float]:
    """Return the heights nearest to those wanted (least squares) that leave room between neighbours.

    Less the room taken up before them, heights must only not fall: blocks that do are pooled into their mean.
    """
    offsets = list(accumulate((_apart(one, other) for one, other in pairwise(row)), initial=0.0))
    blocks: list[tuple[float, int]] = []  # sum and number
    for want, offset in zip(wanted, offsets, strict=True):
        total, count = want - offset, 1
        while blocks and blocks[-1][0] * count > total * blocks[-1][1]:
            before, number = blocks.pop()
            total, count = total + before, count + number
        blocks.append((total, count))
    level = [total / count for total, count in blocks for _ in range(count)]
    return [at + offset for at, offset in zip(level, offsets, strict=True)]


def _apart(one: _Spot, other: _Spot) -> float:
    boxes = isinstance(one[1], str) + isinstance(other[1], str)
    return (0.3, 0.65, 1.0)[boxes]


def _mean(values: Iterable[float], default: float) -> float:
    listed = list(values)
    return sum(listed) / len(listed) if listed else default
