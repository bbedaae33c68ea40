"""Genetic search for projects with renewable resources.

An individual is a schedule and the list of its nodes by latest end (Hartmann, 1998). A child takes a window of the list
from one parent and the order of the remaining nodes from the other one. The window is the one of a few at random in
which the resources are busiest (Debels and Vanhoucke, 2007; Valls, Ballestin and Quintanilla, 2008). The list is
decoded by double justification (Li and Willis, 1992; Valls, Ballestin and Quintanilla, 2005): first with time running
backwards, then forwards by the starts of that schedule. As the lists of the parents are by latest end, no schedule
before these two is necessary.

When all makespans of a population are equal, a new one of twice the size begins, with the incumbent and random
individuals (Auger and Hansen, 2005, do so for evolution strategies). So short searches converge, and long ones go on.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import inf
from operator import attrgetter
from random import Random
from typing import NamedTuple

from planoracle.heuristics.improve import Budget, HeuristicOutcome, list_schedule
from planoracle.heuristics.project import Project, SerialScheme, obstacle, project_of
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import NO_LIMIT, Deadline, deadline_of


@dataclass(frozen=True, slots=True)
class GeneticParams:
    """Numbers of the genetic search.

    Attributes
    ----------
    seconds_of_population
        Number of individuals of the first population, as seconds of counted work. On 14 files of j120, twice as many
        are worse after 0.5 to 2 s.
    min_individuals, max_individuals
        Limits of the number of individuals of a population.
    windows
        Windows from which the busiest is chosen.
    min_window, max_window
        Shares of the list that a child takes from its first parent.
    swaps
        Mutations of a child, which are swaps of neighbours, as a share of its list.
    patience
        Children for each individual of a population before it can be replaced.
    """

    seconds_of_population: float = 0.03
    min_individuals: int = 30
    max_individuals: int = 400
    windows: int = 5
    min_window: float = 0.25
    max_window: float = 0.75
    swaps: float = 0.025
    patience: int = 5


#: Seconds of counted work of a child, for every node and every precedence.
_WORK_OF_NODE, _WORK_OF_PRECEDENCE = 2.2e-6, 7e-8
#: The same for every node and every unit by which resources delay the end of the project.
_WORK_OF_DELAY = 4.5e-9
#: Children for each iteration of a `Budget`.
_CHILDREN_OF_ITERATION = 20


class _Individual(NamedTuple):
    """Schedule of a population.

    Attributes
    ----------
    makespan
        Makespan in units.
    order
        Nodes by latest end, each before its predecessors.
    ends
        Ends of the nodes, in units.
    """

    makespan: int
    order: list[int]
    ends: list[int]


_makespan_of = attrgetter("makespan")


class GeneticSearch:
    """Genetic search for a short schedule of a project, which can be continued.

    Parameters
    ----------
    project
        Project, see `planoracle.heuristics.project.project_of`.
    seed
        Same seed, starts and limits of schedules or counted work, same result.
    starts
        Starts of the actions of a schedule in the first population, in ticks.
    params
        Numbers of the search.

    Attributes
    ----------
    children
        Number of individuals so far.
    """

    def __init__(
        self,
        project: Project,
        seed: int = 0,
        starts: Sequence[int] | None = None,
        params: GeneticParams = GeneticParams(),
    ) -> None:
        self.project = project
        self.children = 0
        self._params = params
        self._random = Random(seed)
        self._forwards = SerialScheme(project)
        self._backwards = SerialScheme(project, is_backward=True)
        self._urgency = self._longest_paths()
        #: By makespan, the shortest first.
        self._population: list[_Individual] = []
        self._last_restart = 0
        self._incumbent = self._sample() if starts is None else self._justify(project.ends_of_nodes(starts))
        self._population.append(self._incumbent)
        individuals = round(params.seconds_of_population / self._work_of_child())
        #: Number of individuals of a complete population.
        self._size = min(max(individuals, params.min_individuals), params.max_individuals)

    @property
    def makespan(self) -> int:
        """Makespan of the incumbent, in ticks."""
        return self._incumbent.makespan * self.project.ticks_per_unit

    @property
    def starts(self) -> list[int]:
        """Starts of the actions in the incumbent, in ticks."""
        return self.project.starts_of_actions(self._incumbent.ends)

    def continue_from(self, starts: Sequence[int]) -> None:
        """Take another schedule into the population; it becomes the incumbent if it is shorter."""
        self._add(self._justify(self.project.ends_of_nodes(starts)))

    def search(
        self,
        deadline: Deadline = NO_LIMIT,
        bound: int = 0,
        children: float = inf,
        on_progress: Callable[[int, int], None] = lambda makespan, children: None,
    ) -> int:
        """Search for a shorter schedule; return the makespan of the incumbent.

        Parameters
        ----------
        deadline
            When to stop.
        bound
            Lower bound of the makespan at which to stop, in ticks.
        children
            Most individuals in this call.
        on_progress
            Called with the makespan and the number of individuals so far for each better schedule.
        """
        work = self._work_of_child()
        end = self.children + children
        while self.makespan > bound and self.children < end and not deadline.over(work):
            makespan = self.makespan
            self._add(self._next())
            if self.makespan < makespan:
                on_progress(self.makespan, self.children)
        return self.makespan

    def _work_of_child(self) -> float:
        """Return the seconds of counted work of a child."""
        before = self.project.before
        precedences = sum(map(len, before))
        delay = self._incumbent.makespan - max(self._urgency)
        return len(before) * (_WORK_OF_NODE + delay * _WORK_OF_DELAY) + precedences * _WORK_OF_PRECEDENCE

    def _next(self) -> _Individual:
        """Return a random individual while the population is incomplete, and then a child."""
        population = self._population
        if len(population) < self._size:
            return self._sample()
        is_uniform = population[0].makespan == population[-1].makespan
        if is_uniform and self.children > self._last_restart + self._params.patience * self._size:
            self._last_restart = self.children
            self._size = min(2 * self._size, self._params.max_individuals)
            del population[1:]
            return self._sample()
        return self._child()

    def _add(self, individual: _Individual) -> None:
        """Add an individual to the population, in place of the last one if it is complete."""
        population = self._population
        self.children += 1
        if individual.makespan < self._incumbent.makespan:
            self._incumbent = individual
        if len(population) >= self._size:
            if individual.makespan > population[-1].makespan or individual in population:
                return
            population.pop()
        insort(population, individual, key=_makespan_of)

    def _child(self) -> _Individual:
        """Return a child of two individuals at random."""
        first, second = self._random.sample(self._population, 2)
        order = self._cross(first, second.order)
        self._mutate(order)
        return self._decode(order)

    def _cross(self, first: _Individual, second: list[int]) -> list[int]:
        """Return the list of a child: a window of the first parent, and the remainder as in the second list."""
        begin, end = self._busiest_window(first)
        head = second[:begin]
        placed = set(head)
        window = [node for node in first.order if node not in placed][: end - begin]
        placed.update(window)
        return head + window + [node for node in second if node not in placed]

    def _busiest_window(self, individual: _Individual) -> tuple[int, int]:
        """Return begin and end of the window with the most work for its time, of a few at random."""
        order, ends = individual.order, individual.ends
        works = list(accumulate(map(self.project.works.__getitem__, order), initial=0.0))

        def load(window: tuple[int, int]) -> float:
            begin, end = window
            return (works[end] - works[begin]) / (ends[order[begin]] - ends[order[end - 1]] + 1)

        return max((self._window() for _ in range(self._params.windows)), key=load)

    def _window(self) -> tuple[int, int]:
        """Return begin and end of a random window of a list."""
        params = self._params
        count = len(self.project.durations)
        length = 1 + int(count * self._random.uniform(params.min_window, params.max_window))
        begin = self._random.randint(0, count - length)
        return begin, begin + length

    def _mutate(self, order: list[int]) -> None:
        """Swap neighbours in a list, except where one depends on the other."""
        after = self.project.after
        for _ in range(1 + int(len(order) * self._params.swaps)):
            position = self._random.randrange(len(order))
            node, previous = order[position], order[position - 1]
            if position and previous not in after[node]:
                order[position - 1] = node
                order[position] = previous

    def _decode(self, order: Sequence[int]) -> _Individual:
        """Return the individual of a list by latest end."""
        ends = self._backwards.ends(order)
        # Among equal times, nodes come in topological order.
        by_start = sorted(range(len(order)), key=ends.__getitem__, reverse=True)
        ends = self._forwards.ends(by_start)
        return _Individual(max(ends), self._by_latest_end(ends), ends)

    def _justify(self, ends: Sequence[int]) -> _Individual:
        """Return the individual of a schedule, which is no longer."""
        return self._decode(self._by_latest_end(ends))

    def _by_latest_end(self, ends: Sequence[int]) -> list[int]:
        """Return the nodes by latest end; among equal ends, in reverse topological order."""
        return sorted(range(len(self.project.durations) - 1, -1, -1), key=ends.__getitem__, reverse=True)

    def _sample(self) -> _Individual:
        """Return a random individual: the more urgent one of two ready nodes at random comes first."""
        random, after = self._random.random, self.project.after
        missing = [len(before) for before in self.project.before]
        ready = [node for node, count in enumerate(missing) if not count]
        order = []
        while ready:
            candidates = ready[int(random() * len(ready))], ready[int(random() * len(ready))]
            node = max(candidates, key=self._urgency.__getitem__)
            ready.remove(node)
            order.append(node)
            for successor in after[node]:
                missing[successor] -= 1
                if not missing[successor]:
                    ready.append(successor)
        return self._justify(self._forwards.ends(order))

    def _longest_paths(self) -> list[int]:
        """Return the longest path from the start of every node to the end."""
        project = self.project
        paths = list(project.durations)
        for node in reversed(range(len(paths))):
            paths[node] += max((paths[successor] for successor in project.after[node]), default=0)
        return paths


def schedule_by_genetic_search(instance: Instance, budget: Budget) -> HeuristicOutcome:
    """Schedule a project by genetic search, from a list schedule on."""
    project = project_of(instance)
    if project is None:
        return HeuristicOutcome(None, obstacle(instance))
    deadline = deadline_of(budget.time_limit)
    timetable = list_schedule(instance, deadline=deadline, bound=budget.bound)
    assert timetable is not None  # without maximum lags and windows each action fits somewhere
    starts = [start for start in timetable.start if start is not None]
    search = GeneticSearch(project, budget.seed, starts)
    search.search(
        deadline,
        budget.bound,
        budget.iterations * _CHILDREN_OF_ITERATION,
        lambda makespan, children: budget.on_progress(makespan, children // _CHILDREN_OF_ITERATION),
    )
    return HeuristicOutcome(project.schedule(search.starts))
