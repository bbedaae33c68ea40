"""Projects with renewable resources, in the form in which many schedules per second are generated.

The loads of all resources at a time are one number: every resource has a field of bits, whose highest bit is a flag. A
field begins with so much that the flag is set as soon as the load exceeds the capacity. So one addition and one test
compare the demands of an action with all resources.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import gcd
from operator import itemgetter

from planoracle.heuristics.graph_obstacles import graph_obstacles, refusal
from planoracle.instances.model.cache import ProblemCache
from planoracle.instances.model.features import Component, Feature
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Piece, Schedule

#: Features that the genetic search does not respect.
GENETIC_SEARCH = Component("the genetic search for projects", frozenset(Feature))
#: Time units per action above which a project is refused, as the effort grows with them.
_MAX_UNITS = 50


@dataclass(frozen=True, slots=True, eq=False)
class Project:
    """Project as a graph, whose nodes are in topological order.

    A node is an action, a release or a positive lag, which are nodes without demands. Times are in units, of which each
    has as many ticks as divide all durations, releases and lags.

    Attributes
    ----------
    instance
        Problem.
    ticks_per_unit
        Ticks of a time unit.
    nodes
        Node of every action.
    durations
        Units of every node.
    demands
        Packed amounts of every node.
    works
        Duration of every node times its shares of the resources.
    spare
        Packed loads of idle resources: the most that a field holds without its flag, less the capacity.
    flags
        Highest bits of all fields.
    before, after
        Direct predecessors and successors of every node.
    horizon
        Units in which every schedule of the serial scheme ends, also with time running backwards.
    """

    instance: Instance
    ticks_per_unit: int
    nodes: tuple[int, ...]
    durations: tuple[int, ...]
    demands: tuple[int, ...]
    works: tuple[float, ...]
    spare: int
    flags: int
    before: tuple[tuple[int, ...], ...]
    after: tuple[tuple[int, ...], ...]
    horizon: int

    def schedule(self, starts: Sequence[int]) -> Schedule:
        """Return the schedule with these starts of the actions, in ticks."""
        pieces = []
        for action, start in zip(self.instance.actions, starts, strict=True):
            pieces.append(Piece(action.id, start, action.duration, None))
        return Schedule.of(self.instance, pieces)

    def ends_of_nodes(self, starts: Sequence[int]) -> list[int]:
        """Return the earliest ends of all nodes, in units, with these starts of the actions, in ticks."""
        start_of_node = {}
        for node, start in zip(self.nodes, starts, strict=True):
            start_of_node[node] = start // self.ticks_per_unit
        ends: list[int] = []
        for node, duration in enumerate(self.durations):
            earliest = max((ends[i] for i in self.before[node]), default=0)
            ends.append(start_of_node.get(node, earliest) + duration)
        return ends

    def starts_of_actions(self, ends: Sequence[int]) -> list[int]:
        """Return the starts of all actions, in ticks, with these ends of the nodes, in units."""
        return [(ends[node] - self.durations[node]) * self.ticks_per_unit for node in self.nodes]


class SerialScheme:
    """Serial schedule generation for a project, forwards or with time running backwards.

    Parameters
    ----------
    project
        Project to schedule.
    is_backward
        True if the end of the project is at time 0.
    """

    def __init__(self, project: Project, *, is_backward: bool = False) -> None:
        neighbours = project.after if is_backward else project.before
        origin = len(project.durations)
        # The origin, which ends at 0, is entered twice: so the answer is always a tuple.
        ends_before = [itemgetter(origin, origin, *nodes) for nodes in neighbours]
        self._rows = tuple(zip(ends_before, project.durations, project.demands, strict=True))
        self._idle = [project.spare] * project.horizon
        self._origins = [0] * (origin + 1)
        self._flags = project.flags

    def ends(self, order: Sequence[int]) -> list[int]:
        """Place every node at its earliest fit; return the ends, and a 0 after the last.

        Parameters
        ----------
        order
            All nodes, each after those on which its time depends.
        """
        rows, flags = self._rows, self._flags
        loads = self._idle[:]
        ends = self._origins[:]
        for node in order:
            ends_before, duration, demand = rows[node]
            start = max(ends_before(ends))
            end = start + duration
            if demand:
                # From the end backwards, as the last conflict is where the next interval begins.
                unit = end - 1
                first_unchecked = start
                while unit >= first_unchecked:
                    if loads[unit] + demand & flags:
                        first_unchecked = end
                        start = unit + 1
                        end = start + duration
                        unit = end
                    unit -= 1
                for unit in range(start, end):
                    loads[unit] += demand
            ends[node] = end
        return ends


@ProblemCache
def project_of(instance: Instance) -> Project | None:
    """Return the graph of a project; ``None`` for a problem of another form, see `obstacle`."""
    if obstacle(instance):
        return None
    graph = _Graph(instance)
    after: list[list[int]] = [[] for _ in graph.durations]
    for node, before in enumerate(graph.before):
        for i in before:
            after[i].append(node)
    ticks_per_unit = _ticks_per_unit(instance)
    spare = flags = 0
    for resource in instance.resources:
        flag = 1 << graph.width - 1
        shift = graph.shifts[resource.name]
        spare += flag - 1 - resource.capacity << shift
        flags += flag << shift
    return Project(
        instance,
        ticks_per_unit,
        tuple(graph.nodes),
        tuple(duration // ticks_per_unit for duration in graph.durations),
        tuple(graph.demands),
        tuple(graph.works),
        spare,
        flags,
        tuple(map(tuple, graph.before)),
        tuple(map(tuple, after)),
        _horizon(instance) // ticks_per_unit,
    )


@ProblemCache
def obstacle(instance: Instance) -> str:
    """Return why a problem is no project that the genetic search accepts, or an empty text."""
    return refusal(instance, GENETIC_SEARCH, _obstacles(instance))


def _obstacles(instance: Instance) -> Iterator[str]:
    """Yield what the search cannot respect, in words."""
    yield from graph_obstacles(instance)
    if _horizon(instance) > _MAX_UNITS * len(instance.actions) * _ticks_per_unit(instance):
        yield f"times of more than {_MAX_UNITS} units per action"


def _ticks_per_unit(instance: Instance) -> int:
    """Return the greatest common divisor of all durations, lags and releases."""
    return gcd(*_lengths(instance), *_releases(instance)) or 1


def _horizon(instance: Instance) -> int:
    """Return the ticks in which every schedule of the serial scheme ends."""
    return max(_releases(instance)) + sum(_lengths(instance))


def _releases(instance: Instance) -> list[int]:
    return [action.release for action in instance.actions]


def _lengths(instance: Instance) -> list[int]:
    """Return all durations and lags."""
    durations = [action.duration for action in instance.actions]
    return durations + [lag.minimum or 0 for lag in instance.lags]


class _Graph:
    """Nodes of a project in topological order, with times in ticks.

    Attributes
    ----------
    width
        Bits of the field of a resource.
    shifts
        Lowest bit of the field of every resource.
    nodes, durations, demands, works, before
        See `Project`.
    """

    def __init__(self, instance: Instance) -> None:
        capacities = [resource.capacity for resource in instance.resources]
        self.width = max(capacities, default=0).bit_length() + 1
        self.shifts = {resource.name: k * self.width for k, resource in enumerate(instance.resources)}
        self.nodes = [0] * len(instance.actions)
        self.durations: list[int] = []
        self.demands: list[int] = []
        self.works: list[float] = []
        self.before: list[list[int]] = []
        for i in instance.order:
            action = instance.actions[i]
            before = [self._add(action.release, [])] if action.release else []
            for j, lag in instance.predecessors[i]:
                predecessor = self.nodes[j]
                before.append(self._add(lag, [predecessor]) if lag else predecessor)
            self.nodes[i] = self._add(action.duration, before)
            # An action of no length takes no room.
            for demand in action.modes[0].demands if action.duration else ():
                capacity = instance.resource[demand.resource].capacity
                self.demands[-1] += demand.amount << self.shifts[demand.resource]
                self.works[-1] += action.duration * demand.amount / capacity

    def _add(self, duration: int, before: list[int]) -> int:
        self.durations.append(duration)
        self.demands.append(0)
        self.works.append(0.0)
        self.before.append(before)
        return len(self.durations) - 1
