"""Derivation of lower bounds: least times between events, built on each other.

There are three kinds of argument. A path adds up times between events. A load adds the work of actions that hold some
agents (or a resource) between two events: the one-machine bound of Jackson (1955) and Carlier (1982), with any set of
actions, between any two events. An order excludes one of two ways, if there is no time for it (Carlier and Pinson,
1989).

"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate, islice

import numpy as np
from numpy.typing import NDArray

from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import NEVER, Deadline
from planoracle.solver.proofs.axioms import (
    BEGIN,
    END,
    Alternative,
    Machine,
    ProofEvent,
    choices,
    machines,
    release_event,
    stated_bounds,
)
from planoracle.solver.proofs.steps import Hop, least_time

#: Largest instance with tables of times. An action has three events at most, so a table takes up to 72 MB, and about
#: ten tables exist at a time.
MOST_ACTIONS = 1_000
# Largest numbers of choices, and of members of all machines together.
_MOST_CHOICES, _MOST_MEMBERS = 100_000, 300_000
_NEVER = -(10**17)
# Largest table that one step of a sweep builds, in cells.
_CELLS = 2_000_000
# Overhead of a small table, in cells.
_OVERHEAD = 10_000
# Counted work (seconds) of a cell; cost of a step in Python (cells); cells between two looks at the clock.
_SECONDS_PER_CELL, _STEP, _BATCH = 5e-9, 20, 500_000
# Largest number of sweeps.
_SWEEPS = 40


@dataclass(frozen=True, slots=True)
class DerivedLoad:
    """Members that hold agents or a resource for so many ticks, all between two events.

    ``first``: the least time from ``source`` to a member's start; ``rest``: from the release of the machine by a
    member to ``target``. ``names`` are the agents, or the one resource.
    """

    source: tuple[str, str]
    target: tuple[str, str]
    machine: str
    names: tuple[str, ...]
    capacity: int
    in_turn: bool
    members: tuple[tuple[str, int], ...]
    first: int
    rest: int

    @property
    def needed(self) -> int:
        """Time that the members need together."""
        return least_time([ticks for _, ticks in self.members], self.capacity, in_turn=self.in_turn)

    @property
    def ticks(self) -> int:
        """Least time between the two events."""
        return self.first + self.needed + self.rest


@dataclass(frozen=True, slots=True)
class DerivedOrder:
    """Choice of which one way (``way``) holds, since there is no time for the other."""

    choice: Alternative
    way: int

    @property
    def holding(self) -> Hop:
        """Way that holds."""
        return self.choice.ways[self.way]

    @property
    def excluded(self) -> Hop:
        """Way that does not hold."""
        return self.choice.ways[1 - self.way]


Fact = DerivedLoad | DerivedOrder


@dataclass(slots=True)
class Node:
    """A proof: arguments in order, then possibly a choice with one proof for each way."""

    facts: list[Fact]
    choice: Alternative | None = None
    below: list[Node] = field(default_factory=list)

    @property
    def leaves(self) -> int:
        """Number of cases."""
        return sum(node.leaves for node in self.below) if self.below else 1


_Row = NDArray[np.int64]


class Arguments:
    """Least times between the events of an instance that have been proved so far.

    Every method raises `TimeOverError` soon after the ``deadline``.
    """

    def __init__(self, instance: Instance, deadline: Deadline = NEVER) -> None:
        self.instance = instance
        self.deadline = deadline
        self.facts: list[Fact] = []
        self.effort = [0, 0]  # cells of all tables, those of forks included; cells charged to the deadline
        stated = list(stated_bounds(instance))
        events = dict.fromkeys([BEGIN, END, *(event for one in stated for event in one[:2])])
        self.node = {event: node for node, event in enumerate(events)}
        self.event = list(events)
        least = np.full((len(events), len(events)), _NEVER, dtype=np.int64)
        np.fill_diagonal(least, 0)
        for source, target, ticks, *_ in stated:
            cell = self.node[source], self.node[target]
            least[cell] = max(least[cell], ticks)
        self.least = least
        for k in range(len(events)):
            self._join(np.flatnonzero(least[:, k] > _NEVER), np.flatnonzero(least[k] > _NEVER), k, k, 0)
        #: True if some event would come after itself; no argument is added afterwards.
        self.contradictory = bool((np.diagonal(least) > 0).any())
        self.choices = list(islice(choices(instance, deadline), _MOST_CHOICES))
        ways = [[(self.node[w.source], self.node[w.target], w.ticks) for w in choice.ways] for choice in self.choices]
        self._ways = tuple(np.array(ways, dtype=np.int64).reshape(-1, 2, 3).transpose(2, 0, 1))
        most = _MOST_MEMBERS // max(1, len(instance.actions))
        some = islice(machines(instance, deadline), most)
        self._groups = [self._group(machine) for machine in some if machine.members]
        self._starts = [self.node[ProofEvent("start", a.id)] for a in instance.actions]
        self._finishes = [self.node[ProofEvent("finish", a.id)] for a in instance.actions]

    def _group(self, machine: Machine) -> tuple[Machine, list[int], list[int], _Row]:
        starts, ends = self._nodes(machine.kind, machine.members)
        return machine, starts, ends, np.array([ticks for _, ticks in machine.members], dtype=np.int64)

    def _nodes(self, machine: str, members: Sequence[tuple[str, int]]) -> tuple[list[int], list[int]]:
        """Return the nodes at which members start to hold a machine, and at which they release it."""
        by_id, agents = self.instance.by_id, machine == "agents"
        ends = [self.node[release_event(by_id[n]) if agents else ProofEvent("finish", n)] for n, _ in members]
        return [self.node[ProofEvent("start", name)] for name, _ in members], ends

    def fork(self, *bounds: Hop) -> Arguments:
        """Return a copy with more bounds."""
        twin = object.__new__(Arguments)
        twin.__dict__.update(self.__dict__)
        self._spend(self.least.size // 4)
        twin.least, twin.facts = self.least.copy(), []
        for source, target, ticks, *_ in bounds:
            twin.add(twin.node[source], twin.node[target], ticks)
        return twin

    @property
    def bound(self) -> int:
        """Least makespan that has been proved."""
        return int(self.least[0, 1])

    def _spend(self, cells: int) -> None:
        self.effort[0] += cells
        new = self.effort[0] - self.effort[1]
        if new >= _BATCH:
            self.effort[1] = self.effort[0]
            self.deadline.check(new * _SECONDS_PER_CELL)

    def _join(self, rows: _Row, columns: _Row, source: int, target: int, ticks: int) -> None:
        """Add paths from ``rows`` by way of two events, so many ticks apart, to ``columns``."""
        self._spend(len(rows) * len(columns))
        block = np.ix_(rows, columns)
        paths = self.least[rows, source, None] + (ticks + self.least[None, target, columns])
        self.least[block] = np.maximum(self.least[block], paths)

    def add(self, source: int, target: int, ticks: int) -> None:
        """Add that one event comes at least so long after another.

        The first contradiction is the last fact: times on a cycle that takes time grow without end.
        """
        least = self.least
        if ticks > least[source, target] and not self.contradictory:
            self.contradictory = bool(ticks + least[target, source] > 0)
            before, after = least[:, source], least[target]
            rows = np.flatnonzero((before > _NEVER) & (before + ticks > least[:, target]))
            columns = np.flatnonzero((after > _NEVER) & (after + ticks > least[source]))
            self._join(rows, columns, source, target, ticks)

    def take(self, fact: Fact) -> bool:
        """Add an argument if it follows and is new; return whether it was added."""
        if self.contradictory:
            return False
        return self._take_order(fact) if isinstance(fact, DerivedOrder) else self._take_load(fact)

    def _take_order(self, order: DerivedOrder) -> bool:
        source, target, ticks, *_ = order.excluded
        if self.least[self.node[target], self.node[source]] + ticks <= 0:
            return False
        source, target, ticks, *_ = order.holding
        if self.least[self.node[source], self.node[target]] >= ticks:
            return False
        self.facts.append(order)
        self.add(self.node[source], self.node[target], ticks)
        return True

    def _take_load(self, load: DerivedLoad) -> bool:
        source, target = self.node[load.source], self.node[load.target]
        if load.ticks <= self.least[source, target]:
            return False
        self._spend(_STEP * len(load.members))
        starts, ends = self._nodes(load.machine, load.members)
        if self.least[source, starts].min() < load.first or self.least[ends, target].min() < load.rest:
            return False
        self.facts.append(load)
        self.add(source, target, load.ticks)
        return True

    def grow(self, *, everywhere: bool, target: int | None = None) -> None:
        """Search for loads until none is new, or the target or a contradiction is reached.

        ``everywhere``: between any two events, not only from the beginning or to the end.
        """
        for _ in range(_SWEEPS):
            if self.contradictory or (target is not None and self.bound >= target):
                return
            before = len(self.facts)
            self._order()
            self._sweep([0], [*self._starts, 1])
            self._sweep(self._finishes, [1])
            if everywhere and len(self.facts) == before:
                self._sweep([*self._finishes, *self._starts], [*self._starts, *self._finishes])
            if len(self.facts) == before:
                return

    def engage(self) -> None:
        """Find the best load from the beginning to the end, by the time lags alone."""
        self._sweep([0], [1])

    def _order(self) -> None:
        """Add orders whose other way has no time."""
        sources, targets, ticks = self._ways
        self._spend(ticks.size)
        for number, way in np.argwhere(self.least[targets, sources] + ticks > 0):
            self.take(DerivedOrder(self.choices[number], 1 - int(way)))

    def _sweep(self, sources: Sequence[int], targets: Sequence[int]) -> None:
        ends = np.array(targets)
        for group in self._groups:
            for source in sources:
                if not self.contradictory:
                    self._loads(group, source, ends)

    def _loads(self, group: tuple[Machine, list[int], list[int], _Row], source: int, targets: _Row) -> None:
        """Find for every target the best load after the source.

        Members are those that start at least ``first`` after the source, in the order of their tails.
        """
        self._spend(_OVERHEAD)
        machine, starts, ends, work = group
        if machine.in_turn and machine.capacity > 1:
            if source == 0:
                self._turns(group)
            return
        heads = self.least[source, starts]
        if not (heads >= 0).any():
            return
        tails = self.least[np.ix_(np.array(ends), targets)].T
        order = np.argsort(-tails, axis=1, kind="stable")
        tails = np.take_along_axis(tails, order, axis=1)
        ordered = heads[order]
        best = np.full(len(targets), _NEVER)
        windows: list[tuple[int, int] | None] = [None] * len(targets)
        firsts = np.unique(heads[heads >= 0])
        block = max(1, _CELLS // tails.size)
        for low in range(0, len(firsts), block):
            some = firsts[low : low + block, None, None]
            self._spend(len(some) * tails.size)
            chosen = (ordered >= some) & (tails >= 0)
            total = np.where(chosen, work[order], 0).cumsum(axis=2)
            value = np.where(chosen, some - (-total // machine.capacity) + tails, _NEVER)
            value = value.transpose(1, 0, 2).reshape(len(targets), -1)
            at = value.argmax(axis=1)
            top = value[np.arange(len(targets)), at]
            for t in np.nonzero(top > np.maximum(best, self.least[source, targets]))[0]:
                best[t] = int(top[t])
                row, column = divmod(int(at[t]), len(starts))
                windows[t] = int(some[row, 0, 0]), int(tails[t, column])
        for number, window in enumerate(windows):
            if window is not None:
                after = self.least[ends, targets[number]]
                self.take(
                    DerivedLoad(
                        self.event[source],
                        self.event[int(targets[number])],
                        *machine[:4],
                        tuple(
                            m
                            for m, h, q in zip(machine.members, heads, after, strict=True)
                            if h >= window[0] and q >= window[1]
                        ),
                        *window,
                    )
                )

    def _turns(self, group: tuple[Machine, list[int], list[int], _Row]) -> None:
        """Add loads of the longest members from the beginning to the end, if some wait for others."""
        machine, starts, ends, work = group
        heads, tails = self.least[0, starts], self.least[ends, 1]
        lengths = sorted(zip(machine.members, heads, tails, strict=True), key=lambda row: -row[0][1])
        firsts, row = np.unique(heads, return_inverse=True)
        rests, column = np.unique(tails, return_inverse=True)
        table = np.zeros((len(firsts), len(rests)), dtype=np.int64)
        self._spend(table.size)
        np.add.at(table, (row, column), work)
        table = table[::-1, ::-1].cumsum(axis=0).cumsum(axis=1)[::-1, ::-1]  # of members that start and end so
        most = firsts[:, None] + table // machine.capacity + work.max() + rests
        for place in np.argwhere(most > self.bound):
            first, rest = int(firsts[place[0]]), int(rests[place[1]])
            self._spend(_STEP * len(lengths))
            some = tuple(member for member, head, tail in lengths if head >= first and tail >= rest)
            sums = [0, *accumulate(ticks for _, ticks in some)]
            for count in range(machine.capacity + 1, len(some) + 1, machine.capacity):
                needed = sums[count] - sums[count - -(-count // machine.capacity)]
                if first + needed + rest > self.bound:
                    self.take(DerivedLoad(BEGIN, END, *machine[:4], some[:count], first, rest))
