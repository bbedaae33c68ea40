"""Graph of a job shop with an order of the actions on every machine, its longest paths, and moves.

Heads and tails are symmetric: the paths of one side are those of the other in the mirrored graph, in which time runs
backwards. A move to the left is a move to the right in the mirrored graph, so each function serves both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from planoracle.heuristics.job_shop import JobShop


class Paths(NamedTuple):
    """Longest paths from one side of the graph, and the neighbours over which they lead.

    Attributes
    ----------
    job, machine
        Neighbour of every node in its job and on its machine, -1 for none.
    lengths
        Ticks of the longest path from this side to every node, with the node; a 0 at the end for the node -1.
    """

    job: list[int]
    machine: list[int]
    lengths: list[int]


class Insertion(NamedTuple):
    """Insertion of the first node of a part of a block behind its last node.

    Attributes
    ----------
    nodes
        Part of the block; in reverse order for a move to the left.
    is_mirrored
        True for a move to the left.
    """

    nodes: Sequence[int]
    is_mirrored: bool


class OrderGraph:
    """Job shop with an order of the actions on every machine.

    Parameters
    ----------
    shop
        Graph without the orders on machines.
    order
        All nodes in a topological order, which orders the machines as well.

    Attributes
    ----------
    heads, tails
        Longest paths from the start and from the end.
    order
        All nodes in a topological order of the graph.
    makespan
        Length of a longest path, in ticks.
    """

    def __init__(self, shop: JobShop, order: Sequence[int]) -> None:
        count = len(shop.machines)
        self.shop = shop
        self.heads = Paths(list(shop.job_before), list(shop.second_before), [0] * (count + 1))
        self.tails = Paths(list(shop.job_after), list(shop.second_after), [0] * (count + 1))
        self._places = [0] * count
        self.restore(order)

    def restore(self, order: Sequence[int]) -> None:
        """Order the actions on every machine as in a topological order of all nodes."""
        before, after = self.heads.machine, self.tails.machine
        machines = self.shop.machines
        previous_nodes = [-1] * (max(machines) + 1)
        for node in order:
            machine = machines[node]
            if machine < 0:
                continue
            previous = previous_nodes[machine]
            before[node] = previous
            after[node] = -1
            if previous >= 0:
                after[previous] = node
            previous_nodes[machine] = node
        self.order = list(order)
        self._number_places(0, len(order))
        self._measure(self.heads, self.order)
        self._measure(self.tails, self.order[::-1])
        self.makespan = max(self.heads.lengths)

    def starts(self) -> list[int]:
        """Return the earliest start of every action, in ticks."""
        count = len(self.shop.instance.actions)
        rows = zip(self.heads.lengths[:count], self.shop.durations, strict=False)
        return [length - duration for length, duration in rows]

    def blocks(self, random: Callable[[], float]) -> list[list[int]]:
        """Return the blocks of a longest path: its runs of several actions on one machine.

        Where two longest paths meet, one is chosen at random. Without blocks the schedule is optimal.
        """
        job, machine, lengths = self.heads
        durations, machines = self.shop.durations, self.shop.machines
        blocks = []
        node = lengths.index(self.makespan)
        block = [node]
        start = lengths[node] - durations[node]
        while start:
            neighbour = machine[node]
            if lengths[neighbour] != start or (lengths[job[node]] == start and random() < 0.5):
                neighbour = job[node]
            if machines[neighbour] == machines[node]:
                block.append(neighbour)
            else:
                if len(block) > 1:
                    blocks.append(block[::-1])
                block = [neighbour]
            node = neighbour
            start = lengths[node] - durations[node]
        # A block that is all of the path keeps its machine busy from the start to the end of the schedule.
        if len(block) > 1 and lengths[block[0]] < self.makespan:
            blocks.append(block[::-1])
        return blocks

    def apply(self, move: Insertion) -> None:
        """Make a move that closes no cycle."""
        paths, opposite = self.heads, self.tails
        if move.is_mirrored:
            paths, opposite = opposite, paths
        _relink(move.nodes, paths.machine, opposite.machine)
        self._reorder(move, paths)

    def _reorder(self, move: Insertion, paths: Paths) -> None:
        """Adapt the topological order and the longest paths to a move.

        Between the first and the last node of the move, the first one and all that follow from it come last.
        """
        nodes = move.nodes
        step = -1 if move.is_mirrored else 1
        low, high = sorted((self._places[nodes[0]], self._places[nodes[-1]]))
        job, machine, _ = paths
        following = {nodes[0]: None}
        independent = []
        for node in self.order[low : high + 1][::step]:
            if node in following or job[node] in following or machine[node] in following:
                following[node] = None
            else:
                independent.append(node)
        self.order[low : high + 1] = [*independent, *following][::step]
        self._number_places(low, high + 1)
        self._measure(self.heads, self.order[low:])
        self._measure(self.tails, self.order[high::-1])
        self.makespan = max(self.heads.lengths)

    def _number_places(self, low: int, high: int) -> None:
        places, order = self._places, self.order
        for place in range(low, high):
            places[order[place]] = place

    def _measure(self, paths: Paths, nodes: Sequence[int]) -> None:
        """Measure the longest paths to nodes in the order in which the paths reach them."""
        job, machine, lengths = paths
        durations = self.shop.durations
        for node in nodes:
            length = lengths[job[node]]
            length_on_machine = lengths[machine[node]]
            if length_on_machine > length:
                length = length_on_machine
            lengths[node] = length + durations[node]


def _relink(nodes: Sequence[int], before: list[int], after: list[int]) -> None:
    """Link the first node behind the last one in the order of a machine."""
    moved, last = nodes[0], nodes[-1]
    outer_before, outer_after = before[moved], after[last]
    for left_node, right_node in ((outer_before, nodes[1]), (last, moved), (moved, outer_after)):
        if left_node >= 0:
            after[left_node] = right_node
        if right_node >= 0:
            before[right_node] = left_node


def topological_order(shop: JobShop, starts: Sequence[int]) -> list[int]:
    """Return all nodes in an order of the lags, those of a machine in the order of the starts.

    Raises
    ------
    ValueError
        If the starts contradict the lags.
    """
    after: list[list[int]] = [[] for _ in shop.machines]
    for column in (shop.job_after, shop.second_after):
        for node, successor in enumerate(column):
            if successor >= 0:
                after[node].append(successor)
    previous_nodes: dict[int, int] = {}
    for node in sorted(range(len(starts)), key=starts.__getitem__):
        machine = shop.machines[node]
        if machine in previous_nodes:
            after[previous_nodes[machine]].append(node)
        previous_nodes[machine] = node
    order = _sorted_topologically(after)
    if len(order) < len(after):
        raise ValueError("starts must respect the lags")
    return order


def _sorted_topologically(after: Sequence[Sequence[int]]) -> list[int]:
    """Return the nodes in an order of the arcs; without those that a cycle precedes."""
    missing = [0] * len(after)
    for successors in after:
        for node in successors:
            missing[node] += 1
    order = [node for node, count in enumerate(missing) if not count]
    for node in order:
        for successor in after[node]:
            missing[successor] -= 1
            if not missing[successor]:
                order.append(successor)
    return order
