"""Tabu search for job shops.

A move takes an action of a block, which is a run of actions on one machine in a longest path, to the beginning or to
the end of the block, or the first or last action into it (neighbourhood N7: Zhang, Li, Guan and Rao, 2007; conditions
and estimates: Balas and Vazacopoulos, 1998). The search makes the move with the shortest estimated makespan of those
that do not restore an order of two actions that was given up recently.

A phase of the search ends after many moves without a better schedule. The best schedules of the phases form a pool. A
phase begins between two of them, in the spirit of path relinking (Peng, Lü and Cheng, 2015): orders that both have
remain. The first phases begin near a schedule of the pool instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from math import inf
from random import Random
from typing import NamedTuple

from planoracle.heuristics.improve import Budget, HeuristicOutcome, list_schedule
from planoracle.heuristics.job_shop import JobShop, job_shop, obstacle
from planoracle.heuristics.order_graph import Insertion, OrderGraph, Paths, topological_order
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import NO_LIMIT, Deadline, deadline_of


@dataclass(frozen=True, slots=True)
class TabuParams:
    """Numbers of the tabu search.

    Measured on ta32, ta34, ta42 and ta44 from a list schedule, as mean gap to the best known makespan after 8 s: 4.3 %
    with a patience of 1,500, 3.7 % with 3,000, and no less with 6,000. With 20 to 60 kicks it is 4.2 %, with phases
    that begin near a schedule of the pool only 4.5 %. Random orders in place of kicks gain nothing.

    Attributes
    ----------
    patience
        Moves without a better schedule after which a phase ends.
    pool
        Number of the best phases whose schedules are stored.
    kicked_phases
        Phases that begin near a schedule of the pool.
    min_kicks, max_kicks
        Random swaps at the beginning of such a phase.
    tenure, random_tenure
        Moves for which the orders given up by a move stay forbidden, and the most that are added at random. The length
        of the move is added as well.
    """

    patience: int = 3000
    pool: int = 5
    kicked_phases: int = 1
    min_kicks: int = 2
    max_kicks: int = 6
    tenure: int = 10
    random_tenure: int = 10


#: Seconds of counted work of a move: a fixed share, one for every node, and one for every pair of nodes of a block.
_WORK_OF_MOVE, _WORK_OF_NODE = 2.5e-5, 1.6e-7
_WORK_OF_PAIR = 9e-8
#: Moves for each iteration of a `Budget`.
_MOVES_OF_ITERATION = 100
#: Forbidden orders that are stored before those that have expired are removed.
_MAX_STORED = 20_000


class _View(NamedTuple):
    """Block as seen from one side: its nodes, and the paths that reach and leave each of them by its job.

    Attributes
    ----------
    nodes
        Nodes of the block.
    arrivals, departures
        Longest path from this side to the job neighbour of each node, and from the far side.
    durations
        Ticks of each node.
    insertions
        Moves: the node at the first position of each pair is moved behind the one at the second.
    is_mirrored
        True if the side is the end of the schedule.
    """

    nodes: list[int]
    arrivals: list[int]
    departures: list[int]
    durations: list[int]
    insertions: Sequence[tuple[int, int]]
    is_mirrored: bool


@cache
def _insertions(length: int, is_at_start: bool, is_at_end: bool) -> Sequence[tuple[int, int]]:
    """Return the moves in a block: the first position of each pair is moved behind the second.

    Where a path begins or ends with the block, another first or last node does not shorten the path.
    """
    last = length - 1
    to_the_end = [] if is_at_end else [(position, last) for position in range(last)]
    from_the_start = [] if is_at_start else [(0, position) for position in range(1, length)]
    return tuple(dict.fromkeys(to_the_end + from_the_start))


@cache
def _mirrored_insertions(length: int, is_at_start: bool, is_at_end: bool) -> Sequence[tuple[int, int]]:
    """Return the moves of a mirrored block, without swaps of neighbours: both sides have these."""
    insertions = _insertions(length, is_at_end, is_at_start)
    return tuple((first, last) for first, last in insertions if last > first + 1)


def _mirrored(view: _View, insertions: Sequence[tuple[int, int]]) -> _View:
    """Return a block as seen from the far side, with other moves."""
    nodes, durations = view.nodes[::-1], view.durations[::-1]
    arrivals, departures = view.departures[::-1], view.arrivals[::-1]
    return _View(nodes, arrivals, departures, durations, insertions, is_mirrored=True)


def _estimate(view: _View, first: int, last: int, length: int, opposite_length: int, limit: float) -> int:
    """Estimate the longest path over the nodes of a move.

    Parameters
    ----------
    view
        Block of the nodes.
    first, last
        Positions in the block; the first node is moved behind the last.
    length, opposite_length
        Longest path to the node before the first on the machine, and from the far side to the node after the last.
    limit
        Estimates above it are not needed: the answer is then any number above it.
    """
    arrivals, departures = view.arrivals, view.departures
    durations = view.durations
    starts = []
    for position in range(first + 1, last + 1):
        if arrivals[position] > length:
            length = arrivals[position]
        starts.append(length)
        length += durations[position]
    if arrivals[first] > length:
        length = arrivals[first]
    tail = departures[first] if departures[first] > opposite_length else opposite_length
    tail += durations[first]
    longest = length + tail
    for position in range(last, first, -1):
        if longest > limit:
            break
        if departures[position] > tail:
            tail = departures[position]
        tail += durations[position]
        path = starts.pop() + tail
        if path > longest:
            longest = path
    return longest


class _Solution(NamedTuple):
    """Makespan of a schedule, and its topological order of all nodes."""

    makespan: int
    order: list[int]


class TabuSearch:
    """Tabu search on a job shop, which can be continued.

    Parameters
    ----------
    shop
        Job shop, see `planoracle.heuristics.job_shop.job_shop`.
    starts
        Starts of the actions of a schedule from which the search begins, in ticks.
    seed
        Same seed, starts and limits of moves or counted work, same result.
    params
        Numbers of the search.

    Attributes
    ----------
    moves
        Number of moves so far.
    """

    def __init__(self, shop: JobShop, starts: Sequence[int], seed: int = 0, params: TabuParams = TabuParams()) -> None:
        self.shop = shop
        self.moves = 0
        self._params = params
        self._random = Random(seed)
        self._graph = OrderGraph(shop, topological_order(shop, starts))
        self._forbidden: dict[int, int] = {}
        self._pool: list[_Solution] = []
        self._phases = 0
        self._incumbent = _Solution(self._graph.makespan, self._graph.order[:])
        self._begin_phase()

    @property
    def makespan(self) -> int:
        """Makespan of the incumbent, in ticks."""
        return self._incumbent.makespan

    @property
    def starts(self) -> list[int]:
        """Starts of the actions in the incumbent, in ticks."""
        return OrderGraph(self.shop, self._incumbent.order).starts()

    def continue_from(self, starts: Sequence[int]) -> None:
        """Continue from another schedule, which becomes the incumbent if it is shorter."""
        self._end_phase()
        self._graph.restore(topological_order(self.shop, starts))
        self._begin_phase()

    def search(
        self,
        deadline: Deadline = NO_LIMIT,
        bound: int = 0,
        moves: float = inf,
        on_progress: Callable[[int, int], None] = lambda makespan, moves: None,
    ) -> int:
        """Search for a shorter schedule; return the makespan of the incumbent.

        Parameters
        ----------
        deadline
            When to stop.
        bound
            Lower bound of the makespan at which to stop.
        moves
            Most moves.
        on_progress
            Called with the makespan and the number of moves so far for each better schedule.
        """
        end = self.moves + moves
        while self.makespan > bound and self.moves < end:
            blocks = self._graph.blocks(self._random.random)
            if not blocks or deadline.over(self._work(blocks)):
                break
            makespan = self.makespan
            self._step(blocks)
            if self.makespan < makespan:
                on_progress(self.makespan, self.moves)
        return self.makespan

    def _work(self, blocks: Sequence[list[int]]) -> float:
        """Return the seconds of counted work of a move in some blocks."""
        pairs = sum(len(block) ** 2 for block in blocks)
        return _WORK_OF_MOVE + _WORK_OF_NODE * len(self.shop.machines) + _WORK_OF_PAIR * pairs

    def _step(self, blocks: Sequence[list[int]]) -> None:
        """Make a move in one of the blocks, and begin another phase if it is time."""
        self.moves += 1
        move = self._choose(blocks)
        if move is not None:
            self._forbid(move)
            self._graph.apply(move)
        if self._graph.makespan < self._phase_best.makespan:
            self._record()
        elif self.moves > self._last_success + self._params.patience:
            self._end_phase()
            self._diversify()
            self._begin_phase()

    def _record(self) -> None:
        """Make the current schedule the best of its phase, and the incumbent if it is shorter."""
        self._last_success = self.moves
        self._phase_best = _Solution(self._graph.makespan, self._graph.order[:])
        if self._phase_best.makespan < self.makespan:
            self._incumbent = self._phase_best

    def _begin_phase(self) -> None:
        self._forbidden.clear()
        self._record()

    def _end_phase(self) -> None:
        """Store the best schedule of the phase in the pool, unless one has the same makespan."""
        self._phases += 1
        if any(solution.makespan == self._phase_best.makespan for solution in self._pool):
            return
        self._pool.append(self._phase_best)
        self._pool.sort()  # no two makespans are equal
        del self._pool[self._params.pool :]

    def _diversify(self) -> None:
        """Continue between two schedules of the pool, or near one of them."""
        if self._phases > self._params.kicked_phases and len(self._pool) > 1:
            first, second = self._random.sample(self._pool, 2)
            self._graph.restore(_intermediate_order(first.order, second.order))
        else:
            self._graph.restore(self._random.choice(self._pool).order)
            self._kick()

    def _kick(self) -> None:
        """Swap random neighbours in blocks."""
        random, graph = self._random, self._graph
        for _ in range(random.randint(self._params.min_kicks, self._params.max_kicks)):
            blocks = graph.blocks(random.random)
            if not blocks:
                break
            block = random.choice(blocks)
            position = random.randrange(len(block) - 1)
            pair = block[position : position + 2]
            if not _closes_cycle(pair[0], pair[1], graph.tails, graph.shop.durations):
                graph.apply(Insertion(pair, is_mirrored=False))

    def _forbid(self, move: Insertion) -> None:
        """Forbid for a while to restore the orders that a move gives up."""
        params = self._params
        random_tenure = int(self._random.random() * params.random_tenure)
        end = self.moves + params.tenure + random_tenure + len(move.nodes)
        if len(self._forbidden) > _MAX_STORED:
            self._forbidden = {order: last for order, last in self._forbidden.items() if last >= self.moves}
        count = len(self.shop.machines)
        moved = move.nodes[0]
        for node in move.nodes[1:]:
            order = node * count + moved if move.is_mirrored else moved * count + node
            self._forbidden[order] = end

    def _is_forbidden(self, move: Insertion) -> bool:
        """Return whether a move restores an order that is forbidden."""
        forbidden, now = self._forbidden, self.moves
        count = len(self.shop.machines)
        moved = move.nodes[0]
        for node in move.nodes[1:]:
            order = moved * count + node if move.is_mirrored else node * count + moved
            if forbidden.get(order, 0) >= now:
                return True
        return False

    def _choose(self, blocks: Sequence[list[int]]) -> Insertion | None:
        """Return the allowed move with the shortest estimate, or else a forbidden one, if any."""
        choice = _Choice(self._random.random)
        for block in blocks:
            for view in self._views(block):
                self._consider(view, choice)
        if choice.move is not None:
            return choice.move
        return self._random.choice(choice.forbidden) if choice.forbidden else None

    def _views(self, block: list[int]) -> list[_View]:
        """Return the views of a block that have moves."""
        heads, tails = self._graph.heads, self._graph.tails
        arrivals = [heads.lengths[heads.job[node]] for node in block]
        departures = [tails.lengths[tails.job[node]] for node in block]
        durations = [self.shop.durations[node] for node in block]
        length = len(block)
        is_at_start = heads.lengths[block[0]] == durations[0]
        is_at_end = tails.lengths[block[-1]] == durations[-1]
        insertions = _insertions(length, is_at_start, is_at_end)
        view = _View(block, arrivals, departures, durations, insertions, is_mirrored=False)
        if length == 2:
            return [view]
        return [view, _mirrored(view, _mirrored_insertions(length, is_at_start, is_at_end))]

    def _consider(self, view: _View, choice: _Choice) -> None:
        """Estimate the moves of a view and offer those that are allowed to a choice."""
        paths, opposite = self._graph.heads, self._graph.tails
        if view.is_mirrored:
            paths, opposite = opposite, paths
        nodes, lengths = view.nodes, paths.lengths
        opposite_lengths = opposite.lengths
        durations = self.shop.durations
        for first, last in view.insertions:
            if _closes_cycle(nodes[first], nodes[last], opposite, durations):
                continue
            length = lengths[paths.machine[nodes[first]]]
            opposite_length = opposite_lengths[opposite.machine[nodes[last]]]
            estimate = _estimate(view, first, last, length, opposite_length, choice.estimate)
            if estimate > choice.estimate:
                continue
            move = Insertion(nodes[first : last + 1], view.is_mirrored)
            if estimate >= self.makespan and self._is_forbidden(move):
                choice.forbidden.append(move)
            else:
                choice.offer(move, estimate)


class _Choice:
    """Move with the shortest estimate so far; one of several such moves at random."""

    def __init__(self, random: Callable[[], float]) -> None:
        self.estimate = inf
        self.move: Insertion | None = None
        self.forbidden: list[Insertion] = []
        self._random = random
        self._ties = 0

    def offer(self, move: Insertion, estimate: int) -> None:
        """Take a move whose estimate is not above that of the present one."""
        self._ties = self._ties + 1 if estimate == self.estimate else 1
        self.estimate = estimate
        if self._random() * self._ties < 1:
            self.move = move


def _intermediate_order(first: Sequence[int], second: Sequence[int]) -> list[int]:
    """Return the nodes by the sum of their places in two topological orders.

    Two nodes that are in the same order in both are so in the answer. So it is a topological order, too.
    """
    places = [0] * len(first)
    for order in (first, second):
        for place, node in enumerate(order):
            places[node] += place
    return sorted(first, key=places.__getitem__)


def _closes_cycle(moved: int, last: int, opposite: Paths, durations: Sequence[int]) -> bool:
    """Return whether a node that is moved behind another on its machine may close a cycle.

    It does if a path leads from its job successor to the other node. The tail of the successor is then at least its
    duration longer than that of the other node.
    """
    successor = opposite.job[moved]
    return successor >= 0 and opposite.lengths[successor] >= opposite.lengths[last] + durations[successor]


def schedule_by_tabu(instance: Instance, budget: Budget) -> HeuristicOutcome:
    """Schedule a job shop by tabu search, from a list schedule on."""
    shop = job_shop(instance)
    if shop is None:
        return HeuristicOutcome(None, obstacle(instance))
    deadline = deadline_of(budget.time_limit)
    timetable = list_schedule(instance, deadline=deadline, bound=budget.bound)
    assert timetable is not None  # without maximum lags and windows each action fits somewhere
    starts = [start for start in timetable.start if start is not None]
    search = TabuSearch(shop, starts, budget.seed)

    def report(makespan: int, moves: int) -> None:
        budget.on_progress(makespan, moves // _MOVES_OF_ITERATION)

    search.search(deadline, budget.bound, budget.iterations * _MOVES_OF_ITERATION, report)
    return HeuristicOutcome(shop.schedule(search.starts))
