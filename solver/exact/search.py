"""Exact search for one instance: bounds, heuristics and CP-SAT stages, from cheap to expensive."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil
from time import perf_counter

from planoracle.heuristics.improve import improve, list_schedule
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import Deadline, Limit, Status, TimeOverError, deadline_of
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.protocol.schedule_benchmark import certify, check_instance, language
from planoracle.solver.exact.bounds import common_tick, grid_matters, horizon, lower_bound, steps, windows
from planoracle.solver.exact.coarse_grid import coarse_schedule
from planoracle.solver.exact.cp_model import CpOutcome, run
from planoracle.solver.exact.left_shift import settled_early
from planoracle.solver.exact.model_size import model_size
from planoracle.solver.exact.neighbourhood import NeighbourhoodSearch
from planoracle.solver.exact.ordered_search import schedule_in_order
from planoracle.solver.exact.precedence import ordered_windows
from planoracle.solver.exact.schedule_model import ScheduleModel
from planoracle.solver.exact.strategies import (
    FIRST_EFFORT,
    LARGE,
    LARGER,
    VAST,
    Stage,
    core_search,
    crowded,
    first_look,
    growing,
    in_turns,
    neighbourhood_settings,
    of_many_actions,
    rounds,
    with_presolve,
    without_presolve,
)
from planoracle.solver.result import Result, versions

# Actions up to which CP-SAT finds good schedules before heuristics do, and up to which a list of them is tried first.
_FEW, MANY = 30, 1_000
# Critical paths beyond which the work of one resource is by far the longest.
_LOADED = 1.5
# Minimum number of seconds for a plan on a coarser grid.
_COARSE = 0.1
# Size of the largest model, absolute and per second of the time limit: building it takes up to half of the limit, and
# a gigabyte of memory.
_LARGEST_MODEL, _LARGEST_PER_SECOND = 500_000, 50_000
# Priority lists that the heuristics try, and their counted work in seconds.
_TRIES, _HEURISTICS = 200, 1.0
# Effort of large-neighbourhood search for one unit of effort of the proof that follows; on crowded problems, of which
# many are proved, with fewer and with more than so many actions.
_AROUND, _AROUND_CROWDED, _VERY_CROWDED = 4.0, (0.12, 1.0), 240
# Least effort that is worth beginning.
_LEAST_AROUND = 0.2
# Seconds per action and per use of a resource that the time limit reserves for the left shift and the replay.
_REPLAY = 1.5e-4


class Proving:
    """Incumbent and bounds of one instance, and the CP-SAT stages that improve them."""

    def __init__(self, instance: Instance, time_limit: Limit, seed: int, workers: int) -> None:
        self.instance = instance
        self.began = perf_counter()
        work = sum(1 + len(action.modes[0].demands) for action in instance.actions)
        limit = deadline_of(time_limit)
        seconds = limit.remaining()
        self.deadline = limit.sooner(seconds - min(seconds / 4, _REPLAY * work))
        self.largest = min(_LARGEST_MODEL, int(_LARGEST_PER_SECOND * min(seconds, _LARGEST_MODEL)))
        self.seed = seed
        self.workers = workers
        self.share = round(min(_HEURISTICS, seconds / 4), 2)  # counted work of heuristics, the same at every run
        self.windowed = any(lag.maximum is not None for lag in instance.lags)
        small = len(instance.actions) <= MANY and not self.windowed
        #: True if most pairs exclude each other: forced orders are rare then, and list schedules far from optimal.
        self.crowded = small and crowded(instance)
        #: True if computing forced orders may take longer than the rest of the solve.
        self.large = self.crowded or (small and len(instance.actions) >= LARGE)
        self.bounds = (windows if self.large else ordered_windows)(instance, self.deadline)
        self.step = common_tick(instance)
        self.root = self.least = 0  # lower bounds: without search, and best
        self.most = horizon(instance)
        if instance.time_limit is not None:
            self.most = min(self.most, instance.time_limit)
        self.best: Schedule | None = None
        self.rough: Schedule | None = None  # schedule on a coarse grid
        self.pauses = any(action.interruptible for action in instance.actions)
        self.fast = False  # True after the heuristics have run
        self.around = neighbourhood_settings(crowded=self.crowded, windowed=self.windowed)
        self.neighbourhood: NeighbourhoodSearch | None = None
        self.searched: Schedule | None = None  # incumbent around which it searches

    def round_up(self, bound: int) -> int:
        """Round a bound up to the grid."""
        return -(-bound // self.step) * self.step

    def model(
        self, least: int, most: int, *, relaxed: bool = False, ordering: bool = False, symmetry: bool = True
    ) -> ScheduleModel:
        """Build a model with makespans from ``least`` to ``most``; ``symmetry``: break symmetries."""
        model = ScheduleModel(
            self.instance,
            self.bounds,
            self.step,
            least,
            most,
            relaxed=relaxed,
            ordering=ordering,
            deadline=self.deadline,
        )
        if symmetry:
            model.break_symmetry()
        return model

    def in_order(self, model: ScheduleModel, effort: float) -> CpOutcome:
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
            lean=self.crowded,
        )
        model.model.search_freely()
        return outcome

    def prove_at_length(self, model: ScheduleModel) -> tuple[Status, str]:
        """Run CP-SAT with all settings, and the heuristics before those that take long."""
        count = len(self.instance.actions)
        answer = None if self.crowded or count >= LARGER else self.prove(model, without_presolve())
        if answer is None and self.windowed and count >= LARGER and self.best is None:
            self.find_any(model)
        if answer is None and not self.fast and (self.best is None or (count > _FEW and not self.windowed)):
            self.schedule_fast(self.deadline.counting(self.share))
        if answer is None:
            if count < LARGE:
                answer = self.prove(model, with_presolve(self.workers))
            else:
                answer = self.prove(model, growing(self.workers), around=_AROUND)
        return answer or self.without_search("time limit")

    def prove_in_rounds(self, model: ScheduleModel) -> tuple[Status, str] | None:
        """Run the heuristics, then CP-SAT with several settings in rounds."""
        self.schedule_fast(self.deadline.counting(self.share))
        model.model.search_by_time(model.decisions)
        answer = self.prove(model, rounds())
        model.model.search_freely()
        return answer

    def search_around(self, effort: float) -> None:
        """Improve the incumbent by large-neighbourhood search for an effort in CP-SAT's deterministic time."""
        if self.best is None or self.best.makespan <= self.least or effort < _LEAST_AROUND:
            return
        if self.neighbourhood is None or self.best is not self.searched:
            model = self.neighbourhood.model if self.neighbourhood else None
            if model is None:
                model = self.model(self.least, max(self.best.makespan, self.least), symmetry=False)
            values = model.values(self.best)
            if values is None:
                return
            self.neighbourhood = NeighbourhoodSearch(model, values, self.around, self.seed)
        self.neighbourhood.search(self.deadline, -(-self.least // self.step), effort, self.workers)
        if self.neighbourhood.makespan * self.step < self.best.makespan:
            self.best = self.neighbourhood.schedule()
        self.searched = self.best

    def find_any(self, model: ScheduleModel) -> None:
        """Search for any schedule, first in the order of time, where heuristics may find none."""
        model.model.drop_objective()
        model.narrow(self.least, self.most)
        for in_order_of_time in (True, False):
            if self.best is None:
                if in_order_of_time:
                    model.model.search_by_time(model.decisions)
                outcome = run(
                    model.model,
                    deadline=self.deadline,
                    seed=self.seed,
                    deterministic=FIRST_EFFORT,
                    light=True,
                    fixed_search=in_order_of_time,
                )
                model.model.search_freely()
                if outcome.solution:
                    self.best = model.schedule(outcome.solution)
        model.model.minimize(model.makespan)

    def prove_in_turns(self, model: ScheduleModel) -> tuple[Status, str] | None:
        """Alternate core search and branch and bound with binary search on a crowded problem.

        Neither receives the other's incumbent: core search takes several times as long below a known makespan.
        """
        stages = in_turns(len(model.decisions), loaded=self.loaded())
        around = _AROUND_CROWDED[len(self.instance.actions) >= _VERY_CROWDED]
        return self.prove(model, stages, afresh=True, around=around)

    def loaded(self) -> bool:
        """Return whether the problem is crowded, and one resource has far more work than any path is long."""
        if not self.crowded:
            return False
        paths = zip(self.bounds.head, self.instance.actions, self.bounds.tail, strict=True)
        return self.root > _LOADED * max(head + action.duration + tail for head, action, tail in paths)

    def prove(
        self, model: ScheduleModel, stages: Iterable[Stage], *, afresh: bool = False, around: float = 0.0
    ) -> tuple[Status, str] | None:
        """Run CP-SAT with these settings until the makespan is proved; ``None`` if it is not proved in time.

        The incumbent bounds later stages, unless each is to search ``afresh``. All but the last stage run one worker
        for a fixed effort, so that their results do not depend on the machine.
        """
        for name, options, effort in stages:
            if self.best is not None and self.best.makespan == self.least:
                return Status.optimal, self.reason(name)
            if around and effort is not None:
                self.search_around(around * effort)
            if self.deadline.remaining() <= 0:
                break
            if afresh:
                model.narrow(self.round_up(self.root), self.most)
            else:
                model.narrow(self.least, self.most if self.best is None else min(self.most, self.best.makespan))
            outcome = run(model.model, deadline=self.deadline, deterministic=effort, seed=self.seed, **options)
            if outcome.status == Status.infeasible and self.best is None:
                return self.confirm(model, presolved=bool(options.get("presolve")))
            self.take(model, outcome)
            if outcome.status == Status.optimal or (self.best is not None and self.best.makespan == self.least):
                return Status.optimal, self.reason(name)
        return None

    def without_search(self, reason: str) -> tuple[Status, str]:
        """Return the status of the incumbent; ``reason`` is the reason why the search stops."""
        if self.best is None or (not self.fast and (self.best is self.rough or self.deadline.remaining() > 0)):
            self.schedule_fast(self.deadline)
        if self.best is None:
            self.plan_coarsely()
        if self.best is not None and self.best.makespan == self.least:
            return Status.optimal, self.reason("several bounds")
        return (Status.feasible if self.best is not None else Status.unknown), reason

    def reason(self, step: str) -> str:
        """Return what proved the makespan: the step, unless the lower bound without search does."""
        assert self.best is not None
        return "lower bound reached" if self.best.makespan <= self.round_up(self.root) else step

    def plan_coarsely(self) -> None:
        """Search for a first schedule on a coarse grid; it limits the makespan."""
        self.rough = coarse_schedule(
            self.instance, self.step, self.deadline.within(max(_COARSE, self.deadline.remaining() / 4))
        )
        if self.rough is not None:
            self.best = self.rough
            self.most = min(self.most, self.best.makespan)

    def schedule_fast(self, deadline: Deadline, *, briefly: bool = False) -> None:
        """Run the heuristics and keep a better schedule."""
        if briefly:
            timetable = list_schedule(self.instance, deadline=deadline, bound=self.least)
        else:
            self.fast = True
            timetable = improve(self.instance, seed=self.seed, iterations=_TRIES, deadline=deadline, bound=self.least)
        limit = self.most if self.best is None else self.best.makespan - 1
        if timetable is not None and timetable.makespan <= limit:
            self.best = timetable.schedule()

    def take(self, model: ScheduleModel, outcome: CpOutcome) -> None:
        """Update incumbent and lower bound by an outcome of CP-SAT."""
        if outcome.solution:
            schedule = model.schedule(outcome.solution)
            if self.best is None or self.best is self.rough or schedule.makespan < self.best.makespan:
                self.best = schedule
        if outcome.status in (Status.feasible, Status.unknown) and outcome.bound > 0:
            self.least = max(self.least, ceil(outcome.bound - 1e-6) * self.step)
        if outcome.status == Status.optimal:
            assert self.best is not None
            self.least = self.best.makespan

    def confirm(self, model: ScheduleModel, *, presolved: bool) -> tuple[Status, str]:
        """Accept infeasibility only if CP-SAT proves it with presolve both on and off."""
        model.model.drop_objective()
        second = run(model.model, deadline=self.deadline, seed=self.seed, presolve=not presolved)
        if second.status == Status.infeasible:
            return Status.infeasible, "CP-SAT with presolve on and off"
        if not second.solution:
            return Status.unknown, "infeasible by one setting of presolve, not confirmed by the other in time"
        self.best = model.schedule(second.solution)
        model.model.minimize(model.makespan)
        third = run(model.model, deadline=self.deadline, seed=self.seed, presolve=not presolved)
        self.take(model, third)
        return Status.optimal if third.status == Status.optimal else Status.feasible, "presolve on and off disagree"


# Effort for the proof that no finer grid helps, in CP-SAT's deterministic time.
_GRID = 0.01
# Steps of interruptible actions up to which a model is built within seconds, and above which a coarser grid comes
# first.
_MOST_STEPS, _MANY_STEPS = 10_000, 100
# Size of a model above which the heuristics run first.
_SLOW_MODEL = 50_000


def solve(
    instance: Instance, *, time_limit: Limit = 60.0, seed: int = 0, workers: int = 1, exact_grid: bool = False
) -> Result:
    """Find a schedule of minimum makespan and prove it.

    The schedule is left-shifted: no single piece can start earlier while all other pieces stay where they are. With
    one worker and a finished proof, or with counted work, it is the same at every run; otherwise only the status, the
    makespan and the bound are.

    Parameters
    ----------
    time_limit
        Seconds of wall time, or counted work. At its end the incumbent and the lower bound are returned.
    seed, workers
        Random seed and number of workers of CP-SAT. Several workers run in the last stage only, and not with counted
        work.
    exact_grid
        Allow interruptions at every tick, not only at multiples of the common divisor. Slower.

    Raises
    ------
    InternalError
        If the rules reject the schedule; it is never returned.

    Examples
    --------
    >>> from planoracle.instances.benchmarks.recipe2plan.problems import load
    >>> result = solve(load("recipe2plan/timed/Cobbler_Pancakes"))
    >>> result.status, result.makespan
    ('optimal', 4080)
    """
    check_instance(instance)
    search = _Search(instance, time_limit, seed, workers)
    result = search.run()
    return search.run_on_every_tick(result) if exact_grid and result.grid > 1 else result


class _Search(Proving):
    """Steps of one solve, from cheap to expensive."""

    core_first = False  # True if core search comes before lists

    def run(self) -> Result:
        try:
            return self.search()
        except TimeOverError:  # while a model was built
            return self.result(*self.without_search("time limit"), self.best)

    def search(self) -> Result:
        # Where agents attend to actions, list schedules often reach the bound at once.
        self.core_first = self.large and not (self.crowded or self.pauses or of_many_actions(self.instance))
        answer = self.look_at_bounds()
        if answer is None and self.core_first:
            answer = self.look_at_core()
        if answer is None and self.large and not self.crowded:
            answer = self.look_at_orders()
        if answer is not None:
            return answer
        if steps(self.instance, self.step) > _MANY_STEPS:
            self.plan_coarsely()
        if steps(self.instance, self.step) > _MOST_STEPS:
            return self.result(*self.without_search("too many instants at which actions can be paused"), self.best)
        size = model_size(self.instance, self.bounds, self.step)
        if size > self.largest:
            return self.result(*self.without_search("too large a model for the time limit"), self.best)
        many = len(self.instance.actions) > MANY
        if (size > _SLOW_MODEL or many) and not self.windowed:
            self.schedule_fast(
                self.deadline.sooner(self.deadline.remaining() / 2) if many else self.deadline.counting(self.share)
            )
            if self.best is not None and self.best.makespan == self.least:
                return self.result(Status.optimal, self.reason("several bounds"), self.best)
        if self.deadline.remaining() <= 0:
            return self.result(*self.without_search("time limit"), self.best)
        return self.search_models()

    def look_at_bounds(self) -> Result | None:
        """Return a result if the bounds, or a schedule that reaches them at once, settle the problem."""
        if not self.bounds.consistent:
            return self.result(Status.infeasible, self.bounds.fault, grid=1)
        self.root = max(self.root, lower_bound(self.instance, self.bounds))
        previous, self.least = self.least, max(self.least, self.round_up(self.root))
        if self.least > self.most:  # on the grid; finer pauses might end between
            grid = 1 if self.root > self.most else None
            return self.result(Status.infeasible, "the lower bound exceeds the time limit", grid=grid)
        if self.least > previous and not (self.crowded and len(self.instance.actions) >= VAST):
            first, self.least = schedule_in_order(
                self.instance, self.bounds, self.step, self.least, self.most, self.deadline
            )
            if first is not None:
                self.best = first
                return self.result(Status.optimal, self.reason("search in order"), first, in_order=True)
        if steps(self.instance, self.step) > _MANY_STEPS and self.best is None:
            self.schedule_fast(self.deadline, briefly=True)
        if self.best is not None and self.best.makespan == self.least:
            return self.result(Status.optimal, self.reason("several bounds"), self.best)
        return None

    def look_at_core(self) -> Result | None:
        """Run a short core search, which proves most optima of less than a hundred actions within milliseconds."""
        if model_size(self.instance, self.bounds, self.step) > _SLOW_MODEL:
            return None
        model = self.model(self.least, self.most)
        answer = self.prove(model, core_search(len(model.decisions)))
        return self.result(*answer, self.best) if answer is not None else None

    def look_at_orders(self) -> Result | None:
        """Compute the bounds of forced orders, where they were left out at first."""
        if self.best is None:
            self.schedule_fast(self.deadline, briefly=True)
        self.bounds = ordered_windows(self.instance, self.deadline)
        return self.look_at_bounds()

    def search_models(self) -> Result:
        """Run CP-SAT, first on the model without orders."""
        model = self.model(self.least, self.most)
        count = len(model.decisions)
        look = first_look(count, pauses=self.pauses, crowded=self.crowded, loaded=self.loaded())
        if look is not None:
            outcome = self.in_order(model, look)
            if outcome.status == Status.infeasible and self.best is None:
                return self.result(*self.confirm(model, presolved=False), self.best)
            incumbent = self.best
            self.take(model, outcome)
            if outcome.status == Status.optimal and self.best is not None:
                smallest = self.best is not incumbent  # not one of another search that is as short
                return self.result(Status.optimal, self.reason("search in order"), self.best, in_order=smallest)
        if self.crowded:
            answer = self.prove_in_turns(model)
        else:
            first = self.pauses or (count >= LARGE and not self.core_first)
            answer = self.prove(model, core_search(count, pauses=self.pauses)) if first else None
        many = len(self.instance.actions) >= LARGER
        if answer is None and not many and of_many_actions(self.instance):
            answer = self.prove_in_rounds(model)
        if answer is None and not many and self.crowded:
            settled_now = self.look_at_orders()
            if settled_now is not None:
                return settled_now
        if answer is None:
            if not many and self.deadline.remaining() > 0 and (self.bounds.open or self.bounds.ordered):
                model = self.model(self.least, self.most, ordering=True)
            answer = self.prove_at_length(model)
        return self.result(*answer, self.best)

    def run_on_every_tick(self, coarse: Result) -> Result:
        """Settle whether interruptions off the grid help, for a result on the coarse grid."""
        if steps(self.instance, 1) > _MOST_STEPS or model_size(self.instance, self.bounds, 1) > self.largest:
            return coarse
        self.step, self.least, self.best = 1, self.root, coarse.schedule
        try:
            return self.search_on_every_tick(coarse)
        except TimeOverError:
            if self.best is coarse.schedule:
                return coarse
            return self.result(*self.without_search("time limit"), self.best)

    def search_on_every_tick(self, coarse: Result) -> Result:
        shorter = self.model(self.root, self.most if coarse.makespan is None else coarse.makespan - 1)
        outcome = run(shorter.model, deadline=self.deadline, seed=self.seed)
        if outcome.status == Status.unknown:
            return coarse
        if outcome.status == Status.infeasible and self.confirm(shorter, presolved=False)[0] == Status.infeasible:
            proof = f"{coarse.proof}, no shorter one on any grid"
            return self.result(coarse.status, proof, coarse.schedule)
        self.take(shorter, outcome)
        model = self.model(self.root, self.most, ordering=True)
        return self.result(*self.prove_at_length(model), self.best)

    def grid(self, status: Status, makespan: int | None) -> int:
        """Return the grid on which a result holds, 1 if no finer one can change it."""
        if self.step == 1 or not grid_matters(self.instance):
            return 1
        best = self.most if makespan is None else makespan - self.step
        if not status.settled or self.deadline.remaining() <= 0:
            return self.step
        least = self.root // self.step * self.step  # on the grid, the work of several agents may end between
        if best < least:
            return 1
        if steps(self.instance, self.step) > _MOST_STEPS:
            return self.step
        if model_size(self.instance, self.bounds, self.step) > self.largest:
            return self.step
        try:
            model = self.model(least, best, relaxed=True)
        except TimeOverError:
            return self.step
        model.model.drop_objective()
        finer = run(model.model, deadline=self.deadline, deterministic=_GRID)
        return 1 if finer.status == Status.infeasible else self.step

    def result(
        self,
        status: Status,
        proof: str,
        schedule: Schedule | None = None,
        *,
        grid: int | None = None,
        in_order: bool = False,
    ) -> Result:
        """Return the result of the search.

        Schedules found ``in_order`` have smallest starts, so that they need no left shift.
        """
        if schedule is not None and (not in_order or language(self.instance).untimed):
            schedule = settled_early(self.instance, schedule)
        if status == Status.feasible and schedule is not None and schedule.makespan == self.least:
            status, proof = Status.optimal, "several bounds"
        plan = None if schedule is None else certify(self.instance, schedule)
        makespan = None if schedule is None else schedule.makespan
        bound: int | None = self.least
        if status == Status.optimal:
            bound = makespan
        elif status == Status.infeasible:
            bound = None
        return Result(
            instance=self.instance.name,
            status=status,
            makespan=makespan,
            lower_bound=bound,
            plan=plan,
            proof=proof,
            versions=versions(),
            seed=self.seed,
            unit=self.instance.unit,
            schedule=schedule,
            grid=self.grid(status, makespan) if grid is None else grid,
            seconds=perf_counter() - self.began,
        )
