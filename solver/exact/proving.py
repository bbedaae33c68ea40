"""What CP-SAT and the heuristics find out about one instance: the best schedule and bound, step by step."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil
from time import perf_counter

from planoracle.instances.deadline import Deadline, Limit, Status, deadline_of
from planoracle.instances.model import Instance
from planoracle.instances.schedule import Schedule
from planoracle.solver.exact.bounds import common_tick, horizon, windows
from planoracle.solver.exact.coarse import coarse_schedule
from planoracle.solver.exact.cp import Outcome, run
from planoracle.solver.exact.model import ScheduleModel
from planoracle.solver.exact.orders import ordered_windows
from planoracle.solver.exact.stages import (
    LARGE,
    Stage,
    crowded,
    in_turns,
    presolved,
    rounds,
    unpresolved,
)

# Actions up to which CP-SAT finds good schedules before heuristics do, and up to which a list of them is tried first.
_FEW, MANY = 30, 1_000
# Critical paths beyond which the work of one resource is by far the longest.
_LOADED = 1.5
# Seconds at least for a plan on a coarser grid.
_COARSE = 0.1
# Size of the largest model that is made at all, and per second of the time limit: making it takes up to half of that,
# and CP-SAT a gigabyte of memory.
_LARGEST_MODEL, _LARGEST_PER_SECOND = 500_000, 50_000
# Lists that the heuristics try, and seconds of counted work for them.
_TRIES, _HEURISTICS = 200, 2.0
# Seconds per action and per use of a resource that the time limit reserves for the left shift and the replay.
_REPLAY = 1.5e-4


class Proving:
    """One instance, and what is known of it."""

    def __init__(self, instance: Instance, time_limit: Limit, seed: int, workers: int) -> None:
        self.instance = instance
        self.began = perf_counter()
        work = sum(1 + len(action.modes[0].demands) for action in instance.actions)
        whole = deadline_of(time_limit)
        left = whole.left()
        self.deadline = whole.sooner(left - min(left / 4, _REPLAY * work))
        self.largest = min(_LARGEST_MODEL, int(_LARGEST_PER_SECOND * min(left, _LARGEST_MODEL)))
        self.seed = seed
        self.workers = workers
        self.share = round(min(_HEURISTICS, left / 4), 2)  # counted work of heuristics, the same at every run
        windowed = any(lag.maximum is not None for lag in instance.lags)
        small = len(instance.actions) <= MANY and not windowed
        #: Whether most pairs exclude each other: forced orders are rare then, and lists far from the best.
        self.crowded = small and crowded(instance)
        #: Whether forced orders take longer than schedules that may do without them.
        self.large = self.crowded or (small and len(instance.actions) >= LARGE)
        self.bounds = (windows if self.large else ordered_windows)(instance, self.deadline)
        self.step = common_tick(instance)
        self.root = self.least = 0  # lower bounds: by hand, and the best so far
        self.most = horizon(instance)
        if instance.time_limit is not None:
            self.most = min(self.most, instance.time_limit)
        self.best: Schedule | None = None
        self.rough: Schedule | None = None  # a first one, on a coarse grid
        self.pauses = any(action.interruptible for action in instance.actions)
        self.fast = False  # whether heuristics had their turn

    def left(self) -> float:
        """Return the seconds that are left."""
        return self.deadline.left()

    def rounded(self, bound: int) -> int:
        """Return a bound on the grid."""
        return -(-bound // self.step) * self.step

    def model(self, least: int, most: int, *, relaxed: bool = False, ordering: bool = False) -> ScheduleModel:
        """Make a model with makespans from ``least`` to ``most``."""
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
        model.break_symmetry()
        return model

    def in_order(self, model: ScheduleModel, effort: float) -> Outcome:
        """Branch on the makespan, then on the starts in fixed order, smallest value first.

        A decision is only undone when it is proved wrong, so the first solution has the least makespan.
        """
        model.model.search_in_order([model.makespan, *model.decisions])
        found = run(
            model.model,
            deadline=self.deadline,
            deterministic=effort,
            fixed_search=True,
            light=True,
            lean=self.crowded,
        )
        model.model.search_freely()
        return found

    def prove_at_length(self, model: ScheduleModel) -> tuple[Status, str]:
        """Run CP-SAT in all settings; heuristics have their turn before those that take long."""
        answer = None if self.crowded else self.prove(model, unpresolved())
        if answer is None and not self.fast and (self.best is None or len(self.instance.actions) > _FEW):
            self.schedule_fast(self.deadline.counting(self.share))
        return answer or self.prove(model, presolved(self.workers)) or self.without_search("time limit")

    def prove_in_rounds(self, model: ScheduleModel) -> tuple[Status, str] | None:
        """Let heuristics look for a schedule, then CP-SAT for better ones in many settings."""
        self.schedule_fast(self.deadline.counting(self.share))
        model.model.search_by_time(model.decisions)
        answer = self.prove(model, rounds())
        model.model.search_freely()
        return answer

    def prove_in_turns(self, model: ScheduleModel) -> tuple[Status, str] | None:
        """Let core search, and branch and bound that halves what is possible, have their turns on a crowded problem.

        Neither is told what the other found: core search takes several times as long below a makespan that is known.
        """
        return self.prove(model, in_turns(len(model.decisions), loaded=self.loaded()), afresh=True)

    def loaded(self) -> bool:
        """Whether the problem is crowded, and one resource has far more work than any path is long."""
        if not self.crowded:
            return False
        ways = zip(self.bounds.head, self.instance.actions, self.bounds.tail, strict=True)
        return self.root > _LOADED * max(head + action.duration + tail for head, action, tail in ways)

    def prove(
        self, model: ScheduleModel, stages: Iterable[Stage], *, afresh: bool = False
    ) -> tuple[Status, str] | None:
        """Run CP-SAT in these settings until the makespan is proved or time is over; ``None`` if it is not proved.

        What others have found cuts off the rest, unless each is to look at all ``afresh``.
        All but the last run one worker for a fixed effort, so that what they find does not depend on the machine.
        """
        for name, options, effort in stages:
            if self.best is not None and self.best.makespan == self.least:
                return Status.optimal, self.reason(name)
            if self.left() <= 0:
                break
            if afresh:
                model.narrow(self.rounded(self.root), self.most)
            else:
                model.narrow(self.least, self.most if self.best is None else min(self.most, self.best.makespan))
            found = run(model.model, deadline=self.deadline, deterministic=effort, seed=self.seed, **options)
            if found.status == Status.infeasible and self.best is None:
                return self.confirm(model, presolved=bool(options.get("presolve")))
            self.take(model, found)
            if found.status == Status.optimal or (self.best is not None and self.best.makespan == self.least):
                return Status.optimal, self.reason(name)
        return None

    def without_search(self, reason: str) -> tuple[Status, str]:
        """Answer with what is known; ``reason`` says why there is no more."""
        if self.best is None or (not self.fast and (self.best is self.rough or self.left() > 0)):
            self.schedule_fast(self.deadline)
        if self.best is None:
            self.plan_coarsely()
        if self.best is not None and self.best.makespan == self.least:
            return Status.optimal, self.reason("several bounds")
        return (Status.feasible if self.best is not None else Status.unknown), reason

    def reason(self, step: str) -> str:
        """Say what proved the best makespan: the step, unless the bound by hand does."""
        assert self.best is not None
        return "lower bound reached" if self.best.makespan <= self.rounded(self.root) else step

    def plan_coarsely(self) -> None:
        """Look for a first plan on a coarse grid; no better one takes longer."""
        self.rough = coarse_schedule(self.instance, self.step, self.deadline.within(max(_COARSE, self.left() / 4)))
        if self.rough is not None:
            self.best = self.rough
            self.most = min(self.most, self.best.makespan)

    def schedule_fast(self, deadline: Deadline, *, briefly: bool = False) -> None:
        """See whether the heuristics know better."""
        from planoracle.heuristics.improve import improve, list_schedule  # late: most instances do without

        if briefly:
            found = list_schedule(self.instance, deadline=deadline, bound=self.least)
        else:
            self.fast = True
            found = improve(self.instance, seed=self.seed, iterations=_TRIES, deadline=deadline, bound=self.least)
        known = self.most if self.best is None else self.best.makespan - 1
        if found is not None and found.makespan <= known:
            self.best = found.schedule()

    def take(self, model: ScheduleModel, found: Outcome) -> None:
        """Keep what is better than what was known."""
        if found.solution:
            schedule = model.schedule(found.solution)
            if self.best is None or self.best is self.rough or schedule.makespan < self.best.makespan:
                self.best = schedule
        if found.status in (Status.feasible, Status.unknown) and found.bound > 0:
            self.least = max(self.least, ceil(found.bound - 1e-6) * self.step)
        if found.status == Status.optimal:
            assert self.best is not None
            self.least = self.best.makespan

    def confirm(self, model: ScheduleModel, *, presolved: bool) -> tuple[Status, str]:
        """Believe in infeasibility only if CP-SAT says so with presolve both on and off."""
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
