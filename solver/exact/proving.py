"""Incumbent and bounds of one instance, and the CP-SAT stages that improve them."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil
from time import perf_counter

from planoracle.heuristics.improve import improve, list_schedule
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import Deadline, Limit, Status, deadline_of
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.protocol.profiles import Rules
from planoracle.solver.exact.bounds import common_tick, horizon, windows
from planoracle.solver.exact.coarse_grid import coarse_schedule
from planoracle.solver.exact.cp_model import CpOutcome, run
from planoracle.solver.exact.neighbourhood import NeighbourhoodSearch
from planoracle.solver.exact.precedence import ordered_windows
from planoracle.solver.exact.schedule_model import ScheduleModel
from planoracle.solver.exact.single_pieces import without_interruptions
from planoracle.solver.exact.strategies import (
    FIRST_EFFORT_EACH,
    LARGE,
    LARGER,
    Stage,
    crowded,
    growing,
    in_turns,
    neighbourhood_settings,
    rounds,
    with_presolve,
    without_presolve,
)
from planoracle.solver.result import OnProgress

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
# Largest counted work in seconds of the search without interruptions, which otherwise takes half of the limit.
_UNINTERRUPTED = 60.0
# Effort of large-neighbourhood search for one unit of effort of the proof that follows; on crowded problems, of which
# many are proved, with fewer and with more than so many actions.
_AROUND, _AROUND_CROWDED, _VERY_CROWDED = 4.0, (0.12, 1.0), 240
# Least effort that is worth beginning.
_LEAST_AROUND = 0.2
# Seconds per action and per use of a resource that the time limit reserves for the left shift and the replay.
_REPLAY = 1.5e-4


class Proving:
    """Incumbent and bounds of one instance, and the CP-SAT stages that improve them."""

    def __init__(
        self,
        instance: Instance,
        time_limit: Limit,
        seed: int,
        workers: int,
        on_progress: OnProgress | None = None,
        rules: Rules | None = None,
    ) -> None:
        self.instance = instance
        self.rules = rules
        self.on_progress = on_progress
        self.reported: tuple[int | None, int] = (None, -1)  # incumbent and bound at the last call of on_progress
        self.began = perf_counter()
        work = sum(1 + len(action.modes[0].demands) for action in instance.actions)
        limit = deadline_of(time_limit)
        seconds = limit.remaining()
        self.deadline = limit.sooner(seconds - min(seconds / 4, _REPLAY * work))
        self.largest = min(_LARGEST_MODEL, int(_LARGEST_PER_SECOND * min(seconds, _LARGEST_MODEL)))
        self.seed = seed
        self.workers = workers
        self.share = round(min(_HEURISTICS, seconds / 4), 2)  # counted work of heuristics, the same at every run
        self.restricted_share = round(min(_UNINTERRUPTED, seconds / 2), 2)  # the same of the restriction
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
        #: Problem without interruptions whose schedules are schedules of the problem; ``None`` once it is solved.
        self.restriction = without_interruptions(instance)
        self.fast = False  # True after the heuristics have run
        self.around = neighbourhood_settings(crowded=self.crowded, windowed=self.windowed)
        self.neighbourhood: NeighbourhoodSearch | None = None
        self.searched: Schedule | None = None  # incumbent around which it searches

    def report(self, value: float | None = None, bound: float | None = None) -> None:
        """Call ``on_progress`` if the incumbent or the lower bound is better than at the last call.

        ``value`` and ``bound``, in steps of the model, are those of a search that still runs.
        """
        if self.on_progress is None:
            return
        current = None if value is None else round(value) * self.step
        makespans = self.reported[0], None if self.best is None else self.best.makespan, current
        best = min((one for one in makespans if one is not None), default=None)
        least = max(self.least, self.reported[1], 0 if bound is None else ceil(bound - 1e-6) * self.step)
        improved = best, least if best is None else min(least, best)
        if improved != self.reported:
            self.reported = improved
            self.on_progress(*improved)

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

    def prove_briefly(self, model: ScheduleModel) -> tuple[Status, str] | None:
        """Run CP-SAT without presolve, which proves most optima of small problems."""
        if self.crowded or len(self.instance.actions) >= LARGER:
            return None
        return self.prove(model, without_presolve())

    def prove_at_length(self, model: ScheduleModel) -> tuple[Status, str]:
        """Run the heuristics, then CP-SAT with the settings that take long."""
        count = len(self.instance.actions)
        if self.windowed and count >= LARGER and self.best is None:
            self.find_any(model)
        if not self.fast and (self.best is None or (count > _FEW and not self.windowed)):
            self.schedule_fast(self.deadline.counting(self.share))
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
            self.neighbourhood = NeighbourhoodSearch(model, values, self.around, self.seed, self.report)
        workers = 1 if self.deadline.counted else max(1, self.workers)
        self.neighbourhood.search(self.deadline, -(-self.least // self.step), effort, workers)
        if self.neighbourhood.makespan * self.step < self.best.makespan:
            self.best = self.neighbourhood.schedule()
            self.report()
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
                    deterministic=FIRST_EFFORT_EACH * len(model.decisions),
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

        The incumbent bounds later stages, unless each is to search ``afresh``. With one worker the results of stages
        that have a limit of effort do not depend on the machine.

        Parameters
        ----------
        around
            Effort of large-neighbourhood search before each stage, as a multiple of the effort of the stage.
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
            outcome = run(
                model.model,
                deadline=self.deadline,
                deterministic=effort,
                seed=self.seed,
                on_progress=self.report if self.on_progress is not None else None,
                **options,
            )
            if outcome.status == Status.infeasible:
                if self.best is None:
                    return self.confirm(model, presolved=bool(options.get("presolve")))
                break  # the incumbent is off the grid of the model
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
            self.accept(self.rough)

    def accept(self, schedule: Schedule) -> None:
        """Make a schedule the incumbent if it is shorter; it limits the makespan."""
        if self.best is None or schedule.makespan < self.best.makespan:
            self.best = schedule
        self.most = min(self.most, schedule.makespan)
        self.report()

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
        self.report()

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
        self.report()

    def confirm(self, model: ScheduleModel, *, presolved: bool) -> tuple[Status, str]:
        """Accept infeasibility only if CP-SAT proves it with presolve both on and off."""
        model.model.drop_objective()
        second = run(model.model, deadline=self.deadline, seed=self.seed, presolve=not presolved)
        if second.status == Status.infeasible:
            return Status.infeasible, "CP-SAT with presolve on and off"
        if not second.solution:
            return Status.unknown, "infeasible by one setting of presolve; time limit before the other confirmed it"
        self.best = model.schedule(second.solution)
        model.model.minimize(model.makespan)
        third = run(model.model, deadline=self.deadline, seed=self.seed, presolve=not presolved)
        self.take(model, third)
        return Status.optimal if third.status == Status.optimal else Status.feasible, "presolve on and off disagree"
