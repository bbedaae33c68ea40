"""Derivation of lower bounds: least times between events, built on each other.

There are three kinds of argument. A path adds up times between events. A load adds the work of actions that hold some
agents (or a resource) between two events: the one-machine bound of Jackson (1955) and Carlier (1982), with any set of
actions, between any two events. An order excludes one of two ways, if there is no time for it (Carlier and Pinson,
1989).

"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain, compress, islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import NO_LIMIT, Deadline
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
from planoracle.solver.proofs.inferred_capacity import direct_pairs, infer_machines
from planoracle.solver.proofs.steps import Hop, least_time

#: Largest instance with tables of times. An action has three events at most, so a table takes up to 72 MB, and about
#: ten tables exist at a time.
MOST_ACTIONS = 1_000
# Largest numbers of choices, and of members of all machines together.
_MOST_CHOICES, _MOST_MEMBERS = 100_000, 300_000
# Time between events without a path; tables of numpy hold no None, and sums of two stay below 64 bits.
_NO_PATH = -(10**17)
# Largest table that one step of a sweep builds, in cells.
_CELLS = 2_000_000
# Overhead of a small table, in cells.
_OVERHEAD = 10_000
# Counted work (seconds) of a cell.
_SECONDS_PER_CELL = 5e-9
# Cost of a step in Python, and number of cells between two looks at the clock, in cells.
_STEP, _BATCH = 20, 500_000
# Largest number of sweeps.
_SWEEPS = 40


@dataclass(frozen=True, slots=True)
class DerivedLoad:
    """Members that hold agents or a resource for so many ticks, all between two events.

    ``head``: the least time from ``source`` to a member's start; ``tail``: from the release of the machine by a
    member to ``target``. ``names`` are the agents, or the one resource. ``precedences``: pairs of members
    of which the first finishes before the second starts; those that may run together depend on them.
    """

    source: tuple[str, str]
    target: tuple[str, str]
    machine: str
    names: tuple[str, ...]
    capacity: int
    in_turn: bool
    members: tuple[tuple[str, int], ...]
    head: int
    tail: int
    precedences: tuple[tuple[str, str], ...] = ()

    @property
    def needed(self) -> int:
        """Time that the members need together."""
        return least_time([ticks for _, ticks in self.members], self.capacity, in_turn=self.in_turn)

    @property
    def ticks(self) -> int:
        """Least time between the two events."""
        return self.head + self.needed + self.tail


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


class _Group(NamedTuple):
    """A machine with its members: nodes of their starts and releases, and their work in ticks."""

    machine: Machine
    starts: list[int]
    ends: list[int]
    work: _Row


class Arguments:
    """Least times between the events of an instance that have been proved so far.

    ``times[source, target]`` is the least time from one node to another.
    Every method raises `TimeOverError` soon after the ``deadline``.
    """

    def __init__(self, instance: Instance, deadline: Deadline = NO_LIMIT) -> None:
        self.instance = instance
        self.deadline = deadline
        self.facts: list[Fact] = []
        self.effort = [0, 0]  # cells of all tables, those of forks included; cells charged to the deadline
        stated = list(stated_bounds(instance))
        self.event: list[tuple[str, str]] = _events(stated)
        self.node = {event: node for node, event in enumerate(self.event)}
        number = len(self.event)
        times = np.full((number, number), _NO_PATH, dtype=np.int64)
        np.fill_diagonal(times, 0)
        for source, target, ticks, *_ in stated:
            cell = self.node[source], self.node[target]
            times[cell] = max(times[cell], ticks)
        self.times = times
        for k in range(number):
            rows = np.flatnonzero(times[:, k] > _NO_PATH)
            columns = np.flatnonzero(times[k] > _NO_PATH)
            self._join(rows, columns, k, k, 0)
        #: True if some event would come after itself; no argument is added afterwards.
        self.contradictory = bool((np.diagonal(times) > 0).any())
        self.choices = list(islice(choices(instance, deadline), _MOST_CHOICES))
        self._ways = self._table_of_ways()
        max_machines = _MOST_MEMBERS // max(1, len(instance.actions))
        listed = islice(machines(instance, deadline), max_machines)
        self._groups = [self._group(machine) for machine in listed if machine.members]
        self._starts = [self.node[ProofEvent("start", action.id)] for action in instance.actions]
        self._finishes = [self.node[ProofEvent("finish", action.id)] for action in instance.actions]

    def _table_of_ways(self) -> tuple[_Row, ...]:
        """Return sources, targets and ticks of both ways of all choices, a row for each choice."""
        ways = chain.from_iterable(choice.ways for choice in self.choices)
        rows = [self._way_row(way) for way in ways]
        table = np.array(rows, dtype=np.int64).reshape(-1, 2, 3)
        return tuple(table.transpose(2, 0, 1))

    def _way_row(self, way: Hop) -> tuple[int, int, int]:
        return self.node[way.source], self.node[way.target], way.ticks

    def _group(self, machine: Machine) -> _Group:
        starts, ends = self._nodes(machine.kind, machine.members)
        work = np.array([ticks for _, ticks in machine.members], dtype=np.int64)
        return _Group(machine, starts, ends, work)

    def _nodes(self, machine: str, members: Sequence[tuple[str, int]]) -> tuple[list[int], list[int]]:
        """Return the nodes at which members start to hold a machine, and at which they release it."""
        starts = [self.node[ProofEvent("start", name)] for name, _ in members]
        if machine == "agents":
            actions = [self.instance.by_id[name] for name, _ in members]
            ends = [self.node[release_event(action)] for action in actions]
        else:
            ends = [self.node[ProofEvent("finish", name)] for name, _ in members]
        return starts, ends

    def fork(self, *bounds: Hop) -> Arguments:
        """Return a copy with more bounds."""
        twin = object.__new__(Arguments)
        twin.__dict__.update(self.__dict__)
        self._spend(self.times.size // 4)
        twin.times, twin.facts = self.times.copy(), []
        for source, target, ticks, *_ in bounds:
            twin.add(twin.node[source], twin.node[target], ticks)
        return twin

    @property
    def bound(self) -> int:
        """Least makespan that has been proved."""
        return int(self.times[0, 1])

    def time(self, source: tuple[str, str], target: tuple[str, str]) -> int:
        """Return the least time from one event to another that has been proved."""
        cell = self.node[source], self.node[target]
        return int(self.times[cell])

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
        times_before = self.times[rows, source, None]
        times_after = self.times[None, target, columns]
        paths = times_before + (ticks + times_after)
        self.times[block] = np.maximum(self.times[block], paths)

    def add(self, source: int, target: int, ticks: int) -> None:
        """Add that one event comes at least so long after another.

        The first contradiction is the last fact: times on a cycle that takes time grow without end.
        """
        times = self.times
        if ticks > times[source, target] and not self.contradictory:
            self.contradictory = bool(ticks + times[target, source] > 0)
            before, after = times[:, source], times[target]
            is_longer = before + ticks > times[:, target]
            rows = np.flatnonzero((before > _NO_PATH) & is_longer)
            is_longer = after + ticks > times[source]
            columns = np.flatnonzero((after > _NO_PATH) & is_longer)
            self._join(rows, columns, source, target, ticks)

    def take(self, fact: Fact) -> bool:
        """Add an argument if it follows and is new; return whether it was added."""
        if self.contradictory:
            return False
        return self._take_order(fact) if isinstance(fact, DerivedOrder) else self._take_load(fact)

    def _take_order(self, order: DerivedOrder) -> bool:
        source, target, ticks, *_ = order.excluded
        if self.time(target, source) + ticks <= 0:
            return False
        source, target, ticks, *_ = order.holding
        if self.time(source, target) >= ticks:
            return False
        self.facts.append(order)
        self.add(self.node[source], self.node[target], ticks)
        return True

    def _take_load(self, load: DerivedLoad) -> bool:
        source, target = self.node[load.source], self.node[load.target]
        if load.ticks <= self.times[source, target]:
            return False
        self._spend(_STEP * len(load.members))
        starts, ends = self._nodes(load.machine, load.members)
        heads = self.times[source, starts]
        tails = self.times[ends, target]
        if heads.min() < load.head or tails.min() < load.tail or not all(map(self._is_before, load.precedences)):
            return False
        self.facts.append(load)
        self.add(source, target, load.ticks)
        return True

    def _is_before(self, pair: tuple[str, str]) -> bool:
        """Return whether an action always finishes before another one starts."""
        first, second = pair
        return self.time(ProofEvent("finish", first), ProofEvent("start", second)) >= 0

    def infer(self) -> bool:
        """Add machines that all machines and the proved times imply together; return whether there are any."""
        times = self.times[np.ix_(self._finishes, self._starts)]
        inferred = infer_machines(self.instance, times >= 0, self.deadline)
        self._groups = [*self._groups, *map(self._group, inferred)]
        return bool(inferred)

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
                events = [*self._finishes, *self._starts]
                self._sweep(events, [*self._starts, *self._finishes])
            if len(self.facts) == before:
                return

    def engage(self) -> None:
        """Find the best load from the beginning to the end, by the time lags alone."""
        self._sweep([0], [1])

    def _order(self) -> None:
        """Add orders whose other way has no time."""
        sources, targets, ticks = self._ways
        self._spend(ticks.size)
        for number, way in np.argwhere(self.times[targets, sources] + ticks > 0):
            choice = self.choices[number]
            self.take(DerivedOrder(choice, 1 - int(way)))

    def _sweep(self, sources: Sequence[int], targets: Sequence[int]) -> None:
        ends = np.array(targets)
        for group in self._groups:
            for source in sources:
                if not self.contradictory:
                    self._loads(group, source, ends)

    def _loads(self, group: _Group, source: int, targets: _Row) -> None:
        """Find for every target the best load after the source."""
        self._spend(_OVERHEAD)
        machine, starts, ends, _ = group
        if machine.in_turn and machine.capacity > 1:
            if source == 0:
                self._turns(group)
            return
        heads = self.times[source, starts]
        if not (heads >= 0).any():
            return
        for number, window in enumerate(self._best_windows(group, source, targets, heads)):
            if window is None:
                continue
            target = int(targets[number])
            head, tail = window
            tails = self.times[ends, target]
            is_member = (heads >= head) & (tails >= tail)
            members = tuple(compress(machine.members, is_member))
            begin, end = self.event[source], self.event[target]
            self.take(_load_of(machine, begin, end, members, head, tail))

    def _best_windows(self, group: _Group, source: int, targets: _Row, heads: _Row) -> list[tuple[int, int] | None]:
        """Return for every target head and tail of the best load, ``None`` if no load raises the least time.

        Members are those that start at least ``head`` after the source, in the order of their tails.
        """
        machine, starts, ends, work = group
        tails = self.times[np.ix_(np.array(ends), targets)].T
        order = np.argsort(-tails, axis=1, kind="stable")
        tails = np.take_along_axis(tails, order, axis=1)
        ordered_heads, ordered_work = heads[order], work[order]
        best = np.full(len(targets), _NO_PATH)
        windows: list[tuple[int, int] | None] = [None] * len(targets)
        distinct_heads = np.unique(heads[heads >= 0])
        block = max(1, _CELLS // tails.size)
        for low in range(0, len(distinct_heads), block):
            head_block = distinct_heads[low : low + block, None, None]
            self._spend(len(head_block) * tails.size)
            is_member = (ordered_heads >= head_block) & (tails >= 0)
            total = np.where(is_member, ordered_work, 0).cumsum(axis=2)
            needed = -(-total // machine.capacity)
            value = np.where(is_member, head_block + needed + tails, _NO_PATH)
            value = value.transpose(1, 0, 2).reshape(len(targets), -1)
            position = value.argmax(axis=1)
            top = value[np.arange(len(targets)), position]
            for t in np.nonzero(top > np.maximum(best, self.times[source, targets]))[0]:
                best[t] = int(top[t])
                row, column = divmod(int(position[t]), len(starts))
                head, tail = head_block[row, 0, 0], tails[t, column]
                windows[t] = int(head), int(tail)
        return windows

    def _turns(self, group: _Group) -> None:
        """Add loads of the longest members from the beginning to the end, if some wait for others."""
        machine, starts, ends, work = group
        heads = self.times[0, starts]
        tails = self.times[ends, 1]
        members_with_times = zip(machine.members, heads, tails, strict=True)
        longest_first = sorted(members_with_times, key=lambda row: -row[0][1])
        distinct_heads, row = np.unique(heads, return_inverse=True)
        distinct_tails, column = np.unique(tails, return_inverse=True)
        table = np.zeros((len(distinct_heads), len(distinct_tails)), dtype=np.int64)
        self._spend(table.size)
        np.add.at(table, (row, column), work)
        # Work of the members whose heads and tails are not less than these.
        reverse = table[::-1, ::-1]
        table = reverse.cumsum(axis=0).cumsum(axis=1)[::-1, ::-1]
        needed = table // machine.capacity + work.max()
        upper_bounds = distinct_heads[:, None] + needed + distinct_tails
        for place in np.argwhere(upper_bounds > self.bound):
            head_number, tail_number = place
            first, last = int(distinct_heads[head_number]), int(distinct_tails[tail_number])
            self._spend(_STEP * len(longest_first))
            members = tuple(member for member, head, tail in longest_first if head >= first and tail >= last)
            sums = [0, *accumulate(ticks for _, ticks in members)]
            for count in range(machine.capacity + 1, len(members) + 1, machine.capacity):
                successive = -(-count // machine.capacity)
                needed = sums[count] - sums[count - successive]
                if first + needed + last > self.bound:
                    longest = members[:count]
                    self.take(_load_of(machine, BEGIN, END, longest, first, last))
            shares = _load_of(machine, BEGIN, END, members, first, last)
            if members and shares.ticks > self.bound:
                self.take(shares)


def _load_of(
    machine: Machine,
    source: tuple[str, str],
    target: tuple[str, str],
    members: tuple[tuple[str, int], ...],
    head: int,
    tail: int,
) -> DerivedLoad:
    """Return a load of some members of a machine, with the precedences that it depends on."""
    precedences: tuple[tuple[str, str], ...] = ()
    if machine.following:
        precedences = direct_pairs([name for name, _ in members], machine.following)
    kind, names, capacity, in_turn, *_ = machine
    return DerivedLoad(source, target, kind, names, capacity, in_turn, members, head, tail, precedences)


def _events(hops: Sequence[Hop]) -> list[tuple[str, str]]:
    """Return the beginning, the end, and the events of hops in their order, each once."""
    events: dict[tuple[str, str], None] = {BEGIN: None, END: None}  # ordered set
    for hop in hops:
        events[hop.source] = None
        events[hop.target] = None
    return list(events)
