"""Tabu search for job shops.

A move takes an action of a block, which is a run of actions on one machine in a longest path, to the beginning or to
the end of the block, or the first or last action into it (neighbourhood N7: Zhang, Li, Guan and Rao, 2007; conditions
and estimates: Balas and Vazacopoulos, 1998). The search makes the move with the shortest estimated makespan of those
that do not restore an order of two actions that was given up recently. After many moves without a better schedule it
continues from one of its best schedules, with a few random moves.
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
    """Numbers of the tabu search, measured on ta32, ta34, ta42 and ta44 after 2, 5 and 8 s.

    Attributes
    ----------
    patience
        Moves without a better schedule after which the search restarts.
    elite
        Number of the best schedules from which it restarts.
    min_kicks, max_kicks
        Random moves after a restart.
    tenure, random_tenure
        Moves for which the orders given up by a move stay forbidden, and the most that are added at random. The length
        of the move is added as well.
    """

    patience: int = 1500
    elite: int = 8
    min_kicks: int = 5
    max_kicks: int = 20
    tenure: int = 10
    random_tenure: int = 10


#: Moves between two looks at the clock.
_CLOCK = 8
#: Seconds of counted work of a move: a share for every node of the graph, and a fixed one.
_WORK_OF_NODE, _WORK_OF_MOVE = 2.5e-7, 2e-5
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
    is_mirrored
        True if the side is the end of the schedule.
    """

    nodes: list[int]
    arrivals: list[int]
    departures: list[int]
    durations: list[int]
    is_mirrored: bool

    def mirrored(self) -> _View:
        """Return the block as seen from the far side."""
        return _View(self.nodes[::-1], self.departures[::-1], self.arrivals[::-1], self.durations[::-1], True)


@cache
def _insertions(length: int) -> tuple[tuple[int, int], ...]:
    """Return the moves in a block: the first position of each pair is moved behind the second."""
    last = length - 1
    to_the_end = [(position, last) for position in range(last)]
    from_the_start = [(0, position) for position in range(1, last)]
    return (*to_the_end, *from_the_start)


@cache
def _mirrored_insertions(length: int) -> tuple[tuple[int, int], ...]:
    """Return the moves of a mirrored block, without swaps of neighbours: both sides have these."""
    return tuple((first, last) for first, last in _insertions(length) if last > first + 1)


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
    _, arrivals, departures, durations, _ = view
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
    makespan
        Makespan of the incumbent, in ticks.
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
        self._elite: list[list[int]] = []
        self._accept()

    @property
    def starts(self) -> list[int]:
        """Starts of the actions in the incumbent, in ticks."""
        return OrderGraph(self.shop, self._elite[-1]).starts()

    def continue_from(self, starts: Sequence[int]) -> None:
        """Continue from another schedule, which becomes the incumbent if it is shorter."""
        self._graph.restore(topological_order(self.shop, starts))
        self._forbidden.clear()
        self._last_success = self.moves
        if self._graph.makespan < self.makespan:
            self._accept()

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
        graph = self._graph
        work = _CLOCK * (_WORK_OF_MOVE + _WORK_OF_NODE * len(self.shop.machines))
        end = self.moves + moves
        while self.makespan > bound and self.moves < end:
            if not self.moves % _CLOCK and deadline.over(work):
                break
            blocks = graph.blocks(self._random.random)
            if not blocks:
                break
            self.moves += 1
            move = self._choose(blocks)
            if move is not None:
                self._forbid(move)
                graph.apply(move)
            if self.moves > self._last_success + self._params.patience:
                self._restart()
            if graph.makespan < self.makespan:
                self._accept()
                on_progress(self.makespan, self.moves)
        return self.makespan

    def _accept(self) -> None:
        """Make the current schedule the incumbent."""
        self.makespan = self._graph.makespan
        self._last_success = self.moves
        self._elite.append(self._graph.order[:])
        del self._elite[: -self._params.elite]

    def _restart(self) -> None:
        """Continue from one of the best schedules, after random swaps of neighbours in blocks."""
        params = self._params
        random, graph = self._random, self._graph
        self._forbidden.clear()
        self._last_success = self.moves
        graph.restore(random.choice(self._elite))
        for _ in range(random.randint(params.min_kicks, params.max_kicks)):
            blocks = graph.blocks(random.random)
            if not blocks:
                break
            block = random.choice(blocks)
            position = random.randrange(len(block) - 1)
            pair = block[position : position + 2]
            if not _closes_cycle(*pair, graph.tails, graph.shop.durations):
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
            view = self._view(block)
            self._consider(view, _insertions(len(block)), choice)
            if len(block) > 2:
                self._consider(view.mirrored(), _mirrored_insertions(len(block)), choice)
        if choice.move is not None:
            return choice.move
        return self._random.choice(choice.forbidden) if choice.forbidden else None

    def _view(self, block: list[int]) -> _View:
        heads, tails = self._graph.heads, self._graph.tails
        durations = self.shop.durations
        arrivals = [heads.lengths[heads.job[node]] for node in block]
        departures = [tails.lengths[tails.job[node]] for node in block]
        return _View(block, arrivals, departures, [durations[node] for node in block], False)

    def _consider(self, view: _View, insertions: Sequence[tuple[int, int]], choice: _Choice) -> None:
        """Estimate moves in a block and offer those that are allowed to a choice."""
        paths, opposite = self._graph.heads, self._graph.tails
        if view.is_mirrored:
            paths, opposite = opposite, paths
        nodes, lengths = view.nodes, paths.lengths
        opposite_lengths = opposite.lengths
        durations = self.shop.durations
        for first, last in insertions:
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
    search.search(deadline, budget.bound, budget.iterations * _MOVES_OF_ITERATION, budget.on_progress)
    return HeuristicOutcome(shop.schedule(search.starts))
