"""Local search around the incumbent of an exact search.

Job shops have a tabu search, projects a genetic search, and all problems a large-neighbourhood search. Those of a
problem take turns, and each continues where its last turn ended. With several workers they run beside the proofs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from typing import TYPE_CHECKING, Protocol

from planoracle.heuristics.genetic import GeneticSearch
from planoracle.heuristics.job_shop import job_shop
from planoracle.heuristics.project import project_of
from planoracle.heuristics.tabu import TabuSearch
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import Deadline
from planoracle.instances.model.schedule import Schedule
from planoracle.solver.exact.cp_model import CpOutcome, run
from planoracle.solver.exact.neighbourhood import NeighbourhoodSearch
from planoracle.solver.exact.schedule_model import ScheduleModel
from planoracle.solver.exact.strategies import CpRun, neighbourhood_settings

if TYPE_CHECKING:
    from planoracle.solver.exact.search_state import SearchState


class LocalSearch(Protocol):
    """Search that improves a schedule in turns."""

    def improve(self, schedule: Schedule, effort: float, deadline: Deadline) -> Schedule:
        """Return the best schedule after a turn, which may be the given one.

        Parameters
        ----------
        effort
            Effort of the turn, in CP-SAT's deterministic time.
        deadline
            Time at which the turn ends at the latest.
        """
        ...


class HeuristicSearch:
    """Turns of a heuristic without CP-SAT: tabu search or genetic search."""

    def __init__(self, state: SearchState, search: TabuSearch | GeneticSearch) -> None:
        self._state = state
        self._search = search
        self._schedule_of: Callable[[list[int]], Schedule] = _schedules_of(search)
        self._last: Schedule | None = None

    def improve(self, schedule: Schedule, effort: float, deadline: Deadline) -> Schedule:
        """Return the best schedule after a turn, see `LocalSearch`."""
        search, incumbent = self._search, self._state.incumbent
        if schedule is not self._last:
            search.continue_from(starts_of(self._state.instance, schedule))
        seconds = self._state.params.work.heuristics_per_effort * effort

        def report(makespan: int, _: int) -> None:
            incumbent.report(makespan / incumbent.step)

        search.search(deadline.counting(seconds), incumbent.lower_bound, on_progress=report)
        self._last = schedule
        if search.makespan < schedule.makespan:
            self._last = self._schedule_of(search.starts)
        return self._last


class Neighbourhoods:
    """Turns of large-neighbourhood search."""

    def __init__(self, state: SearchState) -> None:
        self._state = state
        self._search: NeighbourhoodSearch | None = None
        self._last: Schedule | None = None

    def improve(self, schedule: Schedule, effort: float, deadline: Deadline) -> Schedule:
        """Return the best schedule after a turn, see `LocalSearch`."""
        state = self._state
        if self._search is None or schedule is not self._last:
            search = self._search_around(schedule)
            if search is None:
                return schedule
            self._search = search
        lower_bound = -(-state.incumbent.lower_bound // state.step)
        self._search.search(deadline, lower_bound, effort, state.local_workers)
        is_better = self._search.makespan * state.step < schedule.makespan
        self._last = self._search.schedule() if is_better else schedule
        return self._last

    def _search_around(self, schedule: Schedule) -> NeighbourhoodSearch | None:
        """Return a search around a schedule, ``None`` if the schedule is off the grid of the model."""
        state = self._state
        if self._search is not None:
            model = self._search.model
        else:
            shortest = state.incumbent.lower_bound
            model = state.new_model(shortest, max(schedule.makespan, shortest), symmetry=False)
        values = model.values(schedule)
        if values is None:
            return None
        shape = state.shape
        settings = neighbourhood_settings(is_crowded=shape.is_crowded, is_windowed=shape.is_windowed)
        return NeighbourhoodSearch(model, values, settings, state.seed, state.incumbent.report)


def local_searches(state: SearchState, schedule: Schedule) -> Iterator[LocalSearch]:
    """Yield the local searches of a problem in turn, without an end.

    The genetic search has two turns of three, and tabu search every other one: measured on hard files of j120 and ta.
    """
    instance = state.instance
    starts = starts_of(instance, schedule)
    shop = job_shop(instance)
    if shop is not None and state.shape.is_crowded:
        tabu_search = HeuristicSearch(state, TabuSearch(shop, starts, state.seed))
        return cycle([tabu_search, Neighbourhoods(state)])
    project = project_of(instance)
    if project is None:
        return cycle([Neighbourhoods(state)])
    genetic_search = HeuristicSearch(state, GeneticSearch(project, state.seed, starts))
    return cycle([genetic_search, genetic_search, Neighbourhoods(state)])


def prove_beside_local_search(search: SearchState, model: ScheduleModel, cp_run: CpRun) -> CpOutcome:
    """Run CP-SAT once, and improve the incumbent until it ends; an incumbent that is optimal ends the run.

    CP-SAT leaves Python to the local search while it runs.
    """
    proof_limit, local_limit = search.deadline.separate(), search.deadline.separate()
    settings = cp_run.settings
    if "workers" in settings:
        settings = settings | {"workers": max(1, search.workers - search.local_workers)}
    with ThreadPoolExecutor(1) as executor:
        proof = executor.submit(
            run, model.model, deadline=proof_limit, deterministic=cp_run.effort, seed=search.seed, **settings
        )
        proof.add_done_callback(lambda _: local_limit.stopped.set())
        try:
            while not local_limit.over() and search.can_improve:
                search.search_around(search.params.effort.local_turn, local_limit)
            if search.incumbent.is_optimal:
                proof_limit.stopped.set()
        except BaseException:  # such as Ctrl-C; the executor waits for its thread
            proof_limit.stopped.set()
            raise
    return proof.result()


def starts_of(instance: Instance, schedule: Schedule) -> list[int]:
    """Return the start of the first piece of each action, in ticks."""
    starts = dict[str, int]()
    for piece in schedule.pieces:
        starts[piece.action] = min(piece.start, starts.get(piece.action, piece.start))
    return [starts[action.id] for action in instance.actions]


def _schedules_of(search: TabuSearch | GeneticSearch) -> Callable[[list[int]], Schedule]:
    return search.shop.schedule if isinstance(search, TabuSearch) else search.project.schedule
