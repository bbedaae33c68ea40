"""Job shops as graphs: every action on at most one machine, with minimum time lags and releases.

A node of the graph has at most one job predecessor and one job successor besides its neighbours on its machine, so that
a search reads two predecessors of every node. Where a problem has more, auxiliary nodes without a machine are inserted:
for a lag or a release, one whose duration is that of the lag; for several predecessors or successors, a binary tree.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from planoracle.heuristics.graph_obstacles import graph_obstacles, refusal
from planoracle.instances.model.cache import ProblemCache
from planoracle.instances.model.features import Component, Feature
from planoracle.instances.model.instance import Action, Instance, Variant
from planoracle.instances.model.schedule import Piece, Schedule

#: Features that the tabu search does not respect.
TABU_SEARCH = Component("the tabu search for job shops", frozenset(Feature))


@dataclass(frozen=True, slots=True, eq=False)
class JobShop:
    """Job shop as a graph.

    Attributes
    ----------
    instance
        Problem; its actions are the first nodes, in its order. Auxiliary nodes follow.
    durations
        Ticks of every node, and a 0 at the end for the node -1, which stands for no node.
    machines
        Number of the machine of every node; auxiliary nodes and actions without a machine have unique negative numbers.
    job_before, job_after
        Job predecessor and job successor of every node, -1 for none.
    second_before, second_after
        Second predecessor and successor of auxiliary nodes, -1 for none. Those of other nodes are on their machine.
    """

    instance: Instance
    durations: tuple[int, ...]
    machines: tuple[int, ...]
    job_before: tuple[int, ...]
    job_after: tuple[int, ...]
    second_before: tuple[int, ...]
    second_after: tuple[int, ...]

    def schedule(self, starts: Sequence[int]) -> Schedule:
        """Return the schedule with these starts of the actions, in ticks."""
        pieces = []
        for action, start in zip(self.instance.actions, starts, strict=True):
            pieces.append(Piece(action.id, start, _variant(self.instance, action).duration, None))
        return Schedule.of(self.instance, pieces)


@ProblemCache
def job_shop(instance: Instance) -> JobShop | None:
    """Return the graph of a job shop; ``None`` for a problem of another form, see `obstacle`."""
    if obstacle(instance):
        return None
    network = _Network(instance)
    network.pair_up()
    return network.job_shop()


@ProblemCache
def obstacle(instance: Instance) -> str:
    """Return why a problem is no job shop that the tabu search accepts, or an empty text."""
    return refusal(instance, TABU_SEARCH, _obstacles(instance))


def _obstacles(instance: Instance) -> Iterator[str]:
    """Yield what the search cannot respect, in words."""
    yield from graph_obstacles(instance)
    for action in instance.actions:
        if len(_variant(instance, action).demands) > 1:
            yield f"actions on several resources: {action.id}"
    yield from _shared_resources(instance)


def _shared_resources(instance: Instance) -> Iterator[str]:
    """Yield resources that two actions may use at the same time."""
    amounts: dict[str, list[int]] = {resource.name: [] for resource in instance.resources}
    for action in instance.actions:
        variant = _variant(instance, action)
        for demand in variant.demands:
            if variant.duration:
                amounts[demand.resource].append(demand.amount)
    for name, amounts_of_resource in amounts.items():
        smallest = sorted(amounts_of_resource)[:2]
        if len(smallest) > 1 and sum(smallest) <= instance.resource[name].capacity:
            yield f"resources for several actions at a time: {name}"


def _variant(instance: Instance, action: Action) -> Variant:
    return instance.variants[action.id][0]


class _Network:
    """Graph under construction, with any number of predecessors and successors of a node."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.durations: list[int] = []
        self.machines: list[int] = []
        self.before: list[list[int]] = []
        self.after: list[list[int]] = []
        numbers = {resource.name: number for number, resource in enumerate(instance.resources)}
        for action in instance.actions:
            variant = _variant(instance, action)
            node = self._add_node(variant.duration)
            # An action of duration 0 takes no room on its machine.
            if variant.demands and variant.duration:
                self.machines[node] = numbers[variant.demands[0].resource]
        for node, action in enumerate(instance.actions):
            if action.release:
                self._connect(self._add_node(action.release), node)
        for lag in instance.lags:
            self._add_lag(instance.index[lag.before], instance.index[lag.after], lag.minimum or 0)

    def _add_node(self, duration: int) -> int:
        node = len(self.durations)
        self.durations.append(duration)
        self.machines.append(-1 - node)
        self.before.append([])
        self.after.append([])
        return node

    def _connect(self, before: int, after: int) -> None:
        self.after[before].append(after)
        self.before[after].append(before)

    def _add_lag(self, before: int, after: int, ticks: int) -> None:
        # Two nodes of one machine get a node in between, so that job arcs and machine arcs differ.
        if ticks or self.machines[before] == self.machines[after]:
            node = self._add_node(ticks)
            self._connect(before, node)
            self._connect(node, after)
        else:
            self._connect(before, after)

    def pair_up(self) -> None:
        """Insert auxiliary nodes where a node has several job predecessors or successors."""
        self._pair_up(self.after, self.before)
        self._pair_up(self.before, self.after)

    def _pair_up(self, neighbours: list[list[int]], opposite: list[list[int]]) -> None:
        """Replace the neighbours of every node by the root of a binary tree with them as leaves."""
        for node in range(len(neighbours)):
            roots = deque(neighbours[node])
            while len(roots) > 1:
                joint = self._add_node(0)
                for child in (roots.popleft(), roots.popleft()):
                    neighbours[joint].append(child)
                    opposite[child][opposite[child].index(node)] = joint
                opposite[joint].append(node)
                roots.append(joint)
            neighbours[node] = list(roots)

    def job_shop(self) -> JobShop:
        """Return the graph in its final form."""
        durations, machines = (*self.durations, 0), tuple(self.machines)
        job_before, second_before = _columns(self.before)
        job_after, second_after = _columns(self.after)
        return JobShop(self.instance, durations, machines, job_before, job_after, second_before, second_after)


def _columns(neighbours: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the first and the second neighbour of every node, -1 for none."""
    first_neighbours = tuple(nodes[0] if nodes else -1 for nodes in neighbours)
    second_neighbours = tuple(nodes[1] if len(nodes) > 1 else -1 for nodes in neighbours)
    return first_neighbours, second_neighbours
