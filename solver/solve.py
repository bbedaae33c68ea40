"""Solve an instance to proved optimality, or as far as the time allows."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from math import ceil
from time import perf_counter

from planoracle.heuristics.improve import improve
from planoracle.instances.benchmarks import certify
from planoracle.instances.model import Instance
from planoracle.instances.schedule import Schedule
from planoracle.solver.bounds import common_tick, grid_matters, horizon, lower_bound, windows
from planoracle.solver.cp import Outcome, run
from planoracle.solver.model import ScheduleModel

__all__ = ["Result", "solve", "versions"]

# Effort limits in CP-SAT's deterministic time, so that results do not depend on the machine's speed.
_FIRST_TRY = 0.02
_CORE = 0.05
_GRID = 0.01
_CANONICAL = 0.5


@dataclass(frozen=True, slots=True)
class Result:
    """What is known about an instance.

    Attributes
    ----------
    status
        ``optimal``: ``schedule`` is best, proved. ``feasible``: there is a schedule, and ``lower_bound``
        holds. ``infeasible``: proved that there is none. ``unknown``: neither found nor excluded.
    makespan, lower_bound
        Ticks; ``None`` where unknown.
    plan
        The schedule as text in the benchmark's language, accepted by its rules.
    canonical
        Whether the schedule is the canonical one (see `solve`).
    seconds
        Wall time, model building and refereeing included.
    proof
        In which step the status was settled.
    grid
        Ticks; statements about all schedules (``optimal``, ``infeasible``, ``lower_bound``) hold for schedules
        that pause interruptible actions at multiples of it. 1 where finer pauses are proved not to help,
        which is the case but for rare combinations of pauses and maximum lags.
    """

    instance: str
    status: str
    schedule: Schedule | None = None
    makespan: int | None = None
    lower_bound: int | None = None
    plan: str | None = None
    canonical: bool = False
    seconds: float = 0.0
    proof: str = ""
    grid: int = 1
    seed: int = 0
    versions: dict[str, str] = field(default_factory=dict)


@cache
def versions() -> dict[str, str]:
    """Versions that a result depends on."""
    return {name: version(name) for name in ("planoracle", "ortools")}


def solve(
    instance: Instance, *, time_limit: float = 60.0, seed: int = 0, workers: int = 1, finest: bool = False
) -> Result:
    """Find a schedule of least makespan and prove it.

    Among the optimal schedules the *canonical* one is returned: starts are as early as possible, first
    for the action with the longest way to go to the end (ties in the order of the instance), then for the
    next. It does not depend on ``workers``. Where finding it takes too long, another optimal schedule is
    returned and ``canonical`` is false.

    Parameters
    ----------
    time_limit
        Seconds of wall time. When they are over, the best schedule and bound so far are returned.
    seed, workers
        Passed to CP-SAT. More than one worker only joins in after the fast attempts.
    finest
        Where `Result.grid` would exceed 1, solve again with pauses at every tick, which takes far longer.

    Raises
    ------
    InternalError
        If a schedule found does not pass the rules; never returned as an answer.

    Examples
    --------
    >>> from planoracle.instances.recipe2plan.facts import load
    >>> result = solve(load("timed", "Cobbler_Pancakes"))
    >>> result.status, result.makespan
    ('optimal', 4080)
    """
    search = _Search(instance, time_limit, seed, workers)
    result = search.run()
    return search.run_on_every_tick(result) if finest and result.grid > 1 else result


class _Search:
    """The steps of one solve, from cheap to dear; keeps the best schedule and bound."""

    def __init__(self, instance: Instance, time_limit: float, seed: int, workers: int) -> None:
        self.instance = instance
        self.began = perf_counter()
        self.deadline = self.began + time_limit
        self.seed = seed
        self.workers = workers
        self.bounds = windows(instance)
        self.step = common_tick(instance)
        self.root = self.least = 0  # lower bounds: by hand, and the best so far
        self.most = horizon(instance)
        if instance.time_limit is not None:
            self.most = min(self.most, instance.time_limit)
        self.best: Schedule | None = None

    def left(self) -> float:
        return self.deadline - perf_counter()

    def run(self) -> Result:
        if not self.bounds.consistent:
            return self.result("infeasible", "the time lags contradict each other", grid=1)
        self.root = lower_bound(self.instance, self.bounds)
        self.least = self.rounded(self.root)
        if self.least > self.most:
            return self.result("infeasible", "the lower bound exceeds the time limit", grid=1)
        if self.left() > 0:
            first = self.canonical(self.least, _FIRST_TRY)
            if first is not None:
                return self.result("optimal", "lower bound reached", first, canonical=True)
        status, proof = self.prove()
        if status != "optimal" or self.best is None:
            return self.result(status, proof, self.best)
        canonical = self.canonical(self.best.makespan, _CANONICAL)
        schedule = canonical or self.reproducible(self.best.makespan) or self.best
        return self.result("optimal", proof, schedule, canonical=canonical is not None)

    def run_on_every_tick(self, coarse: Result) -> Result:
        """Settle whether pauses off the grid help, for an answer on the coarse grid."""
        self.step, self.least, self.best = 1, self.root, coarse.schedule
        shorter = self.model(self.root, self.most if coarse.makespan is None else coarse.makespan - 1)
        found = run(shorter.model, seconds=max(0.0, self.left()), seed=self.seed)
        if found.status == "unknown":
            return coarse
        if found.status == "infeasible" and self.confirm(shorter, presolved=False)[0] == "infeasible":
            proof = f"{coarse.proof}, no shorter one on any grid"
            return self.result(coarse.status, proof, coarse.schedule, canonical=coarse.canonical)
        self.take(shorter, found)
        status, proof = self.prove()
        return self.result(status, proof, self.best)

    def rounded(self, bound: int) -> int:
        return -(-bound // self.step) * self.step

    def model(self, least: int, most: int, *, relaxed: bool = False) -> ScheduleModel:
        return ScheduleModel(self.instance, self.bounds, self.step, least, most, relaxed=relaxed)

    def grid(self, status: str, makespan: int | None) -> int:
        """Return the grid on which a result holds, 1 if no finer one can change it."""
        if self.step == 1 or not grid_matters(self.instance):
            return 1
        best = self.most if makespan is None else makespan - self.step
        if status not in ("optimal", "infeasible") or self.left() <= 0:
            return self.step
        if best < self.root:
            return 1
        model = self.model(self.root // self.step * self.step, best, relaxed=True)
        model.model.drop_objective()
        finer = run(model.model, seconds=self.left(), deterministic=_GRID)
        return 1 if finer.status == "infeasible" else self.step

    def canonical(self, makespan: int, effort: float) -> Schedule | None:
        """Find the canonical schedule of a given makespan, if there is one and the effort suffices.

        Branching on the starts in fixed order, smallest value first, makes the first solution the
        lexicographically smallest: a decision is only undone when it is proved wrong.
        """
        if self.left() <= 0:
            return None
        model = self.model(makespan, makespan)
        model.model.search_in_order(model.decisions)
        found = run(model.model, seconds=self.left(), seed=0, fixed_search=True, deterministic=effort)
        return model.schedule(found.solution) if found.solution else None

    def reproducible(self, makespan: int) -> Schedule | None:
        """Find a schedule of that makespan by one worker's search, the same at every run."""
        if self.left() <= 0:
            return None
        model = self.model(makespan, makespan)
        model.model.drop_objective()
        found = run(model.model, seconds=self.left(), deterministic=_CANONICAL)
        return model.schedule(found.solution) if found.solution else None

    def prove(self) -> tuple[str, str]:
        """Run CP-SAT in ever stronger settings until the makespan is proved or time is over."""
        presolved = {"presolve": True, "linearization": 1, "workers": max(2, self.workers)}
        steps: tuple[tuple[str, dict[str, int], float | None], ...] = (
            ("core search", {"core": True}, _CORE),
            ("branch and bound", {}, _CANONICAL),
            ("branch and bound with presolve", presolved, None),
        )
        for name, options, effort in steps:
            if self.left() <= 0:
                break
            upper = self.most if self.best is None else self.best.makespan
            model = self.model(self.least, upper)
            found = run(model.model, seconds=self.left(), deterministic=effort, seed=self.seed, **options)  # type: ignore[arg-type]
            if found.status == "infeasible" and self.best is None:
                return self.confirm(model, presolved=bool(options.get("presolve")))
            self.take(model, found)
            if found.status == "optimal":
                return "optimal", name
            if name == "core search":
                self.schedule_fast()
            if self.best is not None and self.best.makespan == self.least:
                return "optimal", "lower bound reached"
        if self.best is None:
            self.schedule_fast()
        if self.best is not None and self.best.makespan == self.least:
            return "optimal", "lower bound reached"
        return ("feasible" if self.best is not None else "unknown"), "time limit"

    def schedule_fast(self) -> None:
        """See whether the heuristics know better; on large instances they do long before CP-SAT."""
        seconds = max(0.0, min(2.0, self.left() / 4))
        found = improve(self.instance, seed=self.seed, iterations=200, seconds=seconds, bound=self.least)
        known = self.most + 1 if self.best is None else self.best.makespan
        if found is not None and found.makespan < known:
            self.best = found.schedule()

    def take(self, model: ScheduleModel, found: Outcome) -> None:
        if found.solution:
            schedule = model.schedule(found.solution)
            if self.best is None or schedule.makespan < self.best.makespan:
                self.best = schedule
        if found.status in ("feasible", "unknown") and found.bound > 0:
            self.least = max(self.least, ceil(found.bound - 1e-6) * self.step)
        if found.status == "optimal":
            assert self.best is not None
            self.least = self.best.makespan

    def confirm(self, model: ScheduleModel, *, presolved: bool) -> tuple[str, str]:
        """Believe in infeasibility only if CP-SAT says so with presolve both on and off."""
        model.model.drop_objective()
        second = run(model.model, seconds=max(1.0, self.left()), seed=self.seed, presolve=not presolved)
        if second.status == "infeasible":
            return "infeasible", "CP-SAT with presolve on and off"
        if not second.solution:
            return "unknown", "infeasible by one setting of presolve, not confirmed by the other in time"
        self.best = model.schedule(second.solution)
        model.model.minimize(model.makespan)
        third = run(model.model, seconds=max(1.0, self.left()), seed=self.seed, presolve=not presolved)
        self.take(model, third)
        return "optimal" if third.status == "optimal" else "feasible", "presolve on and off disagree"

    def result(
        self,
        status: str,
        proof: str,
        schedule: Schedule | None = None,
        *,
        canonical: bool = False,
        grid: int | None = None,
    ) -> Result:
        plan = None if schedule is None else certify(self.instance, schedule)
        makespan = None if schedule is None else schedule.makespan
        bound: int | None = self.least
        if status == "optimal":
            bound = makespan
        elif status == "infeasible":
            bound = None
        return Result(
            instance=self.instance.name,
            status=status,
            schedule=schedule,
            makespan=makespan,
            lower_bound=bound,
            plan=plan,
            canonical=canonical,
            seconds=perf_counter() - self.began,
            proof=proof,
            grid=self.grid(status, makespan) if grid is None else grid,
            seed=self.seed,
            versions=versions(),
        )
