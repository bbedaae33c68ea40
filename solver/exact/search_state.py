"""State of one exact search, and the operations that its stages consist of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import ceil
from time import perf_counter
from typing import NamedTuple

from planoracle.heuristics.genetic import GeneticSearch
from planoracle.heuristics.improve import improve, list_schedule
from planoracle.heuristics.project import project_of
from planoracle.heuristics.timetable import Timetable
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import Deadline, Limit, Status, deadline_of
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.protocol.profiles import Rules
from planoracle.solver.exact.bounds import common_tick, horizon, windows
from planoracle.solver.exact.coarse_grid import coarse_schedule
from planoracle.solver.exact.cp_model import CpOutcome, run
from planoracle.solver.exact.incumbent import Incumbent
from planoracle.solver.exact.local_search import LocalSearch, local_searches, prove_beside_local_search
from planoracle.solver.exact.precedence import ordered_windows
from planoracle.solver.exact.problem_shape import shape_of
from planoracle.solver.exact.schedule_model import ScheduleModel
from planoracle.solver.exact.search_params import SearchParams
from planoracle.solver.exact.strategies import CpRun
from planoracle.solver.result import TWO_RUNS, OnProgress


class Answer(NamedTuple):
    """End of a search.

    Attributes
    ----------
    proof
        What proved the status, or the reason why the search ends without a proof.
    is_smallest
        All starts of the incumbent are the smallest possible, so that it needs no left shift.
    grid
        Grid in ticks on which the answer holds; ``None`` if that is still to be found out.
    """

    status: Status
    proof: str
    is_smallest: bool = False
    grid: int | None = None


class SearchState:
    """State of one exact search: incumbent, bounds, model, and the time that remains.

    Attributes
    ----------
    rules
        Rules by which plans are replayed, ``None`` for those of the problem.
    deadline
        Limit of the search; the left shift and the replay have time of their own.
    incumbent
        Best schedule and bounds of the makespan.
    bounds
        Windows of the actions, with forced orders once they are computed.
    model
        Model of the last stage, ``None`` before the first one.
    has_restriction
        True after the problem without interruptions has been solved.
    has_heuristics
        True after the heuristics have run.
    is_stuck
        True after a turn of local search without a better schedule.
    """

    def __init__(
        self,
        instance: Instance,
        params: SearchParams,
        time_limit: Limit,
        *,
        seed: int,
        workers: int,
        on_progress: OnProgress | None = None,
        rules: Rules | None = None,
    ) -> None:
        self.instance = instance
        self.params = params
        self.seed = seed
        self.workers = workers
        self.rules = rules
        self.began = perf_counter()
        limit = deadline_of(time_limit)
        self._seconds = limit.remaining()
        self.deadline = limit.sooner(self._seconds - self._replay_seconds())
        self.shape = shape_of(instance, params)
        find_windows = windows if self.shape.delays_orders else ordered_windows
        self.bounds = find_windows(instance, self.deadline)
        latest_makespan = horizon(instance)
        if instance.time_limit is not None:
            latest_makespan = min(latest_makespan, instance.time_limit)
        self.incumbent = Incumbent(common_tick(instance), latest_makespan, on_progress)
        self.has_restriction = False
        self.model: ScheduleModel | None = None
        self.has_heuristics = False
        self.is_stuck = False
        self._local_searches: Iterator[LocalSearch] | None = None

    def of_part(self, part: Instance) -> SearchState:
        """Return the state of a search for a part of the problem, within the same limit."""
        return SearchState(part, self.params, self.deadline, seed=self.seed, workers=1)

    def _replay_seconds(self) -> float:
        """Return the time to keep for the left shift and the replay."""
        uses = sum(1 + len(action.modes[0].demands) for action in self.instance.actions)
        return min(self._seconds / 4, self.params.work.replay * uses)

    @property
    def step(self) -> int:
        """Ticks of one step of the time grid."""
        return self.incumbent.step

    @property
    def max_model_size(self) -> int:
        """Size of the largest model that is built."""
        sizes = self.params.sizes
        return min(sizes.max_model, int(sizes.max_model_per_second * min(self._seconds, sizes.max_model)))

    @property
    def heuristics_work(self) -> float:
        """Counted work of heuristics in seconds, the same at every run."""
        return round(min(self.params.work.heuristics, self._seconds / 4), 2)

    @property
    def effort_before_last_proof(self) -> float:
        """Effort of searches after which a proof may get all of the remaining time, the same at every run."""
        return self.params.effort.before_last_proof * self._seconds

    @property
    def restriction_work(self) -> float:
        """Work of the search without interruptions in seconds, the same at every run."""
        return round(min(self.params.work.restriction, self._seconds / 2), 2)

    def is_loaded(self) -> bool:
        """Return whether the problem is crowded, and one resource has far more work than any path is long."""
        if not self.shape.is_crowded:
            return False
        paths = zip(self.bounds.head, self.instance.actions, self.bounds.tail, strict=True)
        longest_path = max(head + action.duration + tail for head, action, tail in paths)
        return self.incumbent.root_bound > self.params.crowded.loaded * longest_path

    def build_model(self, *, ordering: bool = False) -> ScheduleModel:
        """Build the model of the next stages, with ``ordering`` with the order of every exclusive pair."""
        self.model = self.new_model(
            self.incumbent.lower_bound, self.incumbent.latest_makespan, ordering=ordering, symmetry=True
        )
        return self.model

    def current_model(self) -> ScheduleModel:
        """Return the model of the last stage."""
        assert self.model is not None, "a stage that builds the model comes first"
        return self.model

    def new_model(
        self, shortest: int, longest: int, *, symmetry: bool, relaxed: bool = False, ordering: bool = False
    ) -> ScheduleModel:
        """Build a model with makespans from ``shortest`` to ``longest``; ``symmetry``: break symmetries."""
        model = ScheduleModel(
            self.instance,
            self.bounds,
            self.step,
            shortest,
            longest,
            relaxed=relaxed,
            ordering=ordering,
            deadline=self.deadline,
        )
        if symmetry:
            model.break_symmetry()
        return model

    def search_in_order(self, model: ScheduleModel, effort: float) -> CpOutcome:
        """Branch on the makespan, then on the starts in fixed order, smallest value first.

        A decision is only undone when it is proved wrong, so the first solution has the least makespan.
        """
        model.model.search_in_order([model.makespan, *model.decisions])
        outcome = run(
            model.model,
            deadline=self.deadline,
            deterministic=effort,
            fixed_search=True,
            light=True,
            lean=self.shape.is_crowded,
        )
        model.model.search_freely()
        return outcome

    def prove(self, model: ScheduleModel, runs: Iterable[CpRun], *, afresh: bool = False) -> Answer | None:
        """Run CP-SAT with these settings until the makespan is proved; ``None`` if it is not proved in time.

        The incumbent bounds later runs, unless each is to search ``afresh``. With one worker the results of runs that
        have a limit of effort do not depend on the machine.
        """
        incumbent = self.incumbent
        for cp_run in runs:
            if incumbent.is_optimal:
                return self.optimal(cp_run.name)
            if cp_run.local_effort and not self._is_parallel(cp_run):
                self.search_around(cp_run.local_effort, self.deadline)
            if self.deadline.remaining() <= 0:
                break
            self._narrow(model, afresh=afresh)
            outcome = self._run(model, cp_run)
            if outcome.status == Status.infeasible:
                if incumbent.schedule is None:
                    return self.confirm(model, presolved=bool(cp_run.settings.get("presolve")))
                break  # the incumbent is off the grid of the model
            self.take(model, outcome)
            if outcome.status == Status.optimal or incumbent.is_optimal:
                return self.optimal(cp_run.name)
        return None

    def _is_parallel(self, cp_run: CpRun) -> bool:
        """Return whether local search takes place beside a run of CP-SAT, not before it."""
        is_long = self.shape.actions >= self.params.sizes.large and cp_run.effort is not None
        return is_long and self.workers > 1 and not self.deadline.counted

    def _run(self, model: ScheduleModel, cp_run: CpRun) -> CpOutcome:
        if self._is_parallel(cp_run) and self.can_improve:
            return prove_beside_local_search(self, model, cp_run)
        return run(
            model.model,
            deadline=self.deadline,
            deterministic=cp_run.effort,
            seed=self.seed,
            on_progress=self.incumbent.report if self.incumbent.has_listener else None,
            **cp_run.settings,
        )

    def _narrow(self, model: ScheduleModel, *, afresh: bool) -> None:
        """Limit the makespan of a model by what is proved, and unless it is searched afresh by the incumbent."""
        incumbent = self.incumbent
        if afresh:
            model.narrow(incumbent.round_up(incumbent.root_bound), incumbent.latest_makespan)
            return
        longest = incumbent.latest_makespan
        if incumbent.schedule is not None:
            longest = min(longest, incumbent.schedule.makespan)
        model.narrow(incumbent.lower_bound, longest)

    def optimal(self, stage: str, *, is_smallest: bool = False) -> Answer:
        """Return the answer that the incumbent is optimal."""
        return Answer(Status.optimal, self.incumbent.proof(stage), is_smallest=is_smallest)

    def take(self, model: ScheduleModel, outcome: CpOutcome) -> None:
        """Update incumbent and lower bound by an outcome of CP-SAT."""
        incumbent = self.incumbent
        if outcome.solution:
            schedule = model.schedule(outcome.solution)
            previous = incumbent.schedule
            if previous is None or previous is incumbent.coarse_schedule or schedule.makespan < previous.makespan:
                incumbent.schedule = schedule
        if outcome.status in (Status.feasible, Status.unknown) and outcome.bound > 0:
            bound = ceil(outcome.bound - 1e-6) * self.step
            incumbent.lower_bound = max(incumbent.lower_bound, bound)
        if outcome.status == Status.optimal:
            assert incumbent.schedule is not None
            incumbent.lower_bound = incumbent.schedule.makespan
        incumbent.report()

    def confirm(self, model: ScheduleModel, *, presolved: bool) -> Answer:
        """Accept infeasibility only if CP-SAT proves it with presolve both on and off."""
        model.model.drop_objective()
        check = run(model.model, deadline=self.deadline, seed=self.seed, presolve=not presolved)
        if check.status == Status.infeasible:
            return Answer(Status.infeasible, TWO_RUNS)
        if not check.solution:
            reason = "infeasible by one setting of presolve; time limit before the other confirmed it"
            return Answer(Status.unknown, reason)
        self.incumbent.schedule = model.schedule(check.solution)
        model.model.minimize(model.makespan)
        optimum = run(model.model, deadline=self.deadline, seed=self.seed, presolve=not presolved)
        self.take(model, optimum)
        status = Status.optimal if optimum.status == Status.optimal else Status.feasible
        return Answer(status, "presolve on and off disagree")

    def without_search(self, reason: str) -> Answer:
        """Return the answer that the incumbent gives; ``reason`` is the reason why the search stops."""
        incumbent = self.incumbent
        if self._needs_heuristics():
            self.schedule_by_heuristics(self.deadline)
        if incumbent.schedule is None:
            self.schedule_coarsely()
        if incumbent.is_optimal:
            return self.optimal("several bounds")
        return Answer(Status.unknown if incumbent.schedule is None else Status.feasible, reason)

    def _needs_heuristics(self) -> bool:
        """Return whether heuristics may give a better incumbent at the end of the search."""
        incumbent = self.incumbent
        if incumbent.schedule is None:
            return True
        if self.has_heuristics:
            return False
        return incumbent.schedule is incumbent.coarse_schedule or self.deadline.remaining() > 0

    def schedule_by_list(self) -> None:
        """Keep the schedule of one priority list if it is better."""
        timetable = list_schedule(self.instance, deadline=self.deadline, bound=self.incumbent.lower_bound)
        self._take_timetable(timetable)

    def schedule_by_heuristics(self, deadline: Deadline) -> None:
        """Run the heuristics and keep a better schedule."""
        self.has_heuristics = True
        project = project_of(self.instance)
        if project is not None:
            search = GeneticSearch(project, self.seed)
            search.search(deadline, self.incumbent.lower_bound)
            self._take_schedule(project.schedule(search.starts))
            return
        timetable = improve(
            self.instance,
            seed=self.seed,
            iterations=self.params.work.priority_lists,
            deadline=deadline,
            bound=self.incumbent.lower_bound,
        )
        self._take_timetable(timetable)

    def _take_timetable(self, timetable: Timetable | None) -> None:
        if timetable is not None:
            self._take_schedule(timetable.schedule())

    def _take_schedule(self, schedule: Schedule) -> None:
        """Keep a schedule if it ends in time and before the incumbent."""
        incumbent = self.incumbent
        longest = incumbent.latest_makespan
        if incumbent.schedule is not None:
            longest = incumbent.schedule.makespan - 1
        if schedule.makespan <= longest:
            incumbent.schedule = schedule
        incumbent.report()

    def schedule_coarsely(self) -> None:
        """Search for a first schedule on a coarse grid; it limits the makespan."""
        seconds = max(self.params.work.coarse_grid, self.deadline.remaining() / 4)
        schedule = coarse_schedule(self.instance, self.step, self.deadline.within(seconds))
        self.incumbent.coarse_schedule = schedule
        if schedule is not None:
            self.incumbent.accept(schedule)

    @property
    def local_workers(self) -> int:
        """Threads of a local search: half of the workers, while the others prove."""
        return 1 if self.deadline.counted else max(1, self.workers // 2)

    @property
    def can_improve(self) -> bool:
        """True if there is an incumbent that a local search may shorten."""
        schedule = self.incumbent.schedule
        return schedule is not None and schedule.makespan > self.incumbent.lower_bound

    def search_around(self, effort: float, deadline: Deadline) -> None:
        """Improve the incumbent by a local search for an effort in CP-SAT's deterministic time."""
        incumbent = self.incumbent
        if incumbent.schedule is None or not self.can_improve or effort < self.params.effort.min_local:
            return
        if self._local_searches is None:
            self._local_searches = local_searches(self, incumbent.schedule)
        schedule = next(self._local_searches).improve(incumbent.schedule, effort, deadline)
        self.is_stuck = schedule.makespan >= incumbent.schedule.makespan
        if not self.is_stuck:
            incumbent.schedule = schedule
            incumbent.report()
