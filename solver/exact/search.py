"""What CP-SAT and the heuristics find out about one instance: the best schedule and bound, step by step."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil
from time import perf_counter

from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import Deadline, Limit, Status, TimeOverError, deadline_of
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.protocol.schedule_benchmark import certify, check_instance, language
from planoracle.solver.exact.bounds import common_tick, grid_matters, horizon, lower_bound, steps, windows
from planoracle.solver.exact.coarse_grid import coarse_schedule
from planoracle.solver.exact.cp_model import CpOutcome, run
from planoracle.solver.exact.left_shift import settled_early
from planoracle.solver.exact.model_size import model_size
from planoracle.solver.exact.ordered_search import schedule_in_order
from planoracle.solver.exact.precedence import ordered_windows
from planoracle.solver.exact.schedule_model import ScheduleModel
from planoracle.solver.exact.strategies import (
    LARGE,
    VAST,
    Stage,
    crowded,
    first_look,
    in_turns,
    of_many_actions,
    plain,
    presolved,
    rounds,
    unpresolved,
)
from planoracle.solver.result import Result, versions

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
        left = whole.remaining()
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
        return self.deadline.remaining()

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

    def in_order(self, model: ScheduleModel, effort: float) -> CpOutcome:
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

    def take(self, model: ScheduleModel, found: CpOutcome) -> None:
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


# Effort for settling that no finer grid helps, in CP-SAT's deterministic time.
_GRID = 0.01
# Steps of interruptible actions of which a model can be made in some seconds, and from which on some plan on a coarser
# grid comes first.
_MOST_STEPS, _MANY_STEPS = 10_000, 100
# Size from which on a model takes so long to be made that heuristics come first.
_SLOW_MODEL = 50_000


def solve(
    instance: Instance, *, time_limit: Limit = 60.0, seed: int = 0, workers: int = 1, finest: bool = False
) -> Result:
    """Find a schedule of least makespan and prove it.

    The schedule is left-shifted: no single piece can start earlier while all other pieces stay where they are. With
    one worker and a finished proof, or with counted work, it is the same at every run; otherwise only the status, the
    makespan and the bound are.

    Parameters
    ----------
    time_limit
        Seconds of wall time, or counted work. When they are over, the best schedule and bound so far are returned.
    seed, workers
        Passed to CP-SAT. One worker is one worker in all stages; others join in after the fast attempts, and not where
        work is counted.
    finest
        Where `Result.grid` would exceed 1, solve again with pauses at every tick, which takes far longer.

    Raises
    ------
    InternalError
        If a schedule found does not pass the rules; never returned as an answer.

    Examples
    --------
    >>> from planoracle.instances.benchmarks.recipe2plan.bundled_data import load
    >>> result = solve(load("timed", "Cobbler_Pancakes"))
    >>> result.status, result.makespan
    ('optimal', 4080)
    """
    check_instance(instance)
    search = _Search(instance, time_limit, seed, workers)
    result = search.run()
    return search.run_on_every_tick(result) if finest and result.grid > 1 else result


class _Search(Proving):
    """The steps of one solve, from cheap to dear."""

    def run(self) -> Result:
        try:
            return self.search()
        except TimeOverError:  # while a model was made
            return self.result(*self.without_search("time limit"), self.best)

    def search(self) -> Result:
        answer = self.look_at_bounds()
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
        if size > _SLOW_MODEL or many:
            self.schedule_fast(self.deadline.sooner(self.left() / 2) if many else self.deadline.counting(self.share))
            if self.best is not None and self.best.makespan == self.least:
                return self.result(Status.optimal, self.reason("several bounds"), self.best)
        if self.left() <= 0:
            return self.result(*self.without_search("time limit"), self.best)
        return self.search_models()

    def look_at_bounds(self) -> Result | None:
        """Return an answer if the bounds, or a schedule that reaches them at once, settle the question."""
        if not self.bounds.consistent:
            return self.result(Status.infeasible, self.bounds.fault, grid=1)
        self.root = max(self.root, lower_bound(self.instance, self.bounds))
        known, self.least = self.least, max(self.least, self.rounded(self.root))
        if self.least > self.most:  # on the grid; finer pauses might end between
            grid = 1 if self.root > self.most else None
            return self.result(Status.infeasible, "the lower bound exceeds the time limit", grid=grid)
        if self.least > known and not (self.crowded and len(self.instance.actions) >= VAST):
            first, self.least = schedule_in_order(
                self.instance, self.bounds, self.step, self.least, self.most, self.deadline
            )
            if first is not None:
                self.best = first
                return self.result(Status.optimal, self.reason("search in order"), first, in_order=True)
        pieces = steps(self.instance, self.step)
        if ((self.large and not self.crowded) or pieces > _MANY_STEPS) and self.best is None:
            self.schedule_fast(self.deadline, briefly=True)
        if self.best is not None and self.best.makespan == self.least:
            return self.result(Status.optimal, self.reason("several bounds"), self.best)
        return None

    def look_at_orders(self) -> Result | None:
        """Look at the bounds that forced orders give, where they were left out at first."""
        self.bounds = ordered_windows(self.instance, self.deadline)
        return self.look_at_bounds()

    def search_models(self) -> Result:
        """Let CP-SAT search, in the plain model as long as that may suffice."""
        model = self.model(self.least, self.most)
        count = len(model.decisions)
        look = first_look(count, pauses=self.pauses, crowded=self.crowded, loaded=self.loaded())
        if look is not None:
            found = self.in_order(model, look)
            if found.status == Status.infeasible and self.best is None:
                return self.result(*self.confirm(model, presolved=False), self.best)
            before = self.best
            self.take(model, found)
            if found.status == Status.optimal and self.best is not None:
                smallest = self.best is not before  # not one of another search that is as short
                return self.result(Status.optimal, self.reason("search in order"), self.best, in_order=smallest)
        if self.crowded:
            answer = self.prove_in_turns(model)
        else:
            answer = self.prove(model, plain(count, pauses=self.pauses))
        if answer is None and of_many_actions(self.instance):
            answer = self.prove_in_rounds(model)
        if answer is None and self.crowded:
            settled_now = self.look_at_orders()
            if settled_now is not None:
                return settled_now
        if answer is None:
            if self.left() > 0 and (self.bounds.open or self.bounds.ordered):
                model = self.model(self.least, self.most, ordering=True)
            answer = self.prove_at_length(model)
        return self.result(*answer, self.best)

    def run_on_every_tick(self, coarse: Result) -> Result:
        """Settle whether pauses off the grid help, for an answer on the coarse grid."""
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
        found = run(shorter.model, deadline=self.deadline, seed=self.seed)
        if found.status == Status.unknown:
            return coarse
        if found.status == Status.infeasible and self.confirm(shorter, presolved=False)[0] == Status.infeasible:
            proof = f"{coarse.proof}, no shorter one on any grid"
            return self.result(coarse.status, proof, coarse.schedule)
        self.take(shorter, found)
        model = self.model(self.root, self.most, ordering=True)
        return self.result(*self.prove_at_length(model), self.best)

    def grid(self, status: Status, makespan: int | None) -> int:
        """Return the grid on which a result holds, 1 if no finer one can change it."""
        if self.step == 1 or not grid_matters(self.instance):
            return 1
        best = self.most if makespan is None else makespan - self.step
        if not status.settled or self.left() <= 0:
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
        """Return what is known; schedules found ``in_order`` have smallest starts, so nothing is left to shift."""
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
