"""Exact search for one instance: bounds, heuristics and CP-SAT stages, from cheap to expensive."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any

from planoracle.instances.errors import RefusedPlanError
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import Limit, Status, TimeOverError
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.schedule_benchmark import certify, check_instance, language
from planoracle.solver.exact.bounds import grid_matters, lower_bound, steps
from planoracle.solver.exact.cp_model import run
from planoracle.solver.exact.left_shift import settled_early
from planoracle.solver.exact.model_export import interval_model
from planoracle.solver.exact.model_size import model_size
from planoracle.solver.exact.ordered_search import schedule_in_order
from planoracle.solver.exact.precedence import ordered_windows
from planoracle.solver.exact.proving import MANY, Proving
from planoracle.solver.exact.strategies import (
    LARGE,
    LARGER,
    VAST,
    core_search,
    first_look,
    of_many_actions,
)
from planoracle.solver.result import OnProgress, Result, versions

# Effort for the proof that no finer grid helps, in CP-SAT's deterministic time.
_GRID = 0.01
# Steps of interruptible actions up to which a model is built within seconds, and above which a coarser grid comes
# first.
_MOST_STEPS, _MANY_STEPS = 10_000, 100
# Size of a model above which the heuristics run first.
_SLOW_MODEL = 50_000


def solve(
    instance: Instance,
    *,
    time_limit: Limit = 60.0,
    seed: int = 0,
    workers: int = 1,
    exact_grid: bool = False,
    engine: str = "auto",
    on_progress: OnProgress | None = None,
    rules: Rules | None = None,
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
        Random seed and number of workers of CP-SAT. Several workers run in the last stages only, from 50 actions on in
        neighbourhood search as well, and not with counted work.
    exact_grid
        Allow interruptions at every tick, not only at multiples of the common divisor. Slower.
    engine
        With ``cp-sat`` a single call of CP-SAT proves the optimum, on a model without bounds of our own.
    on_progress
        Callback for each improved incumbent or bound. Does not affect the result.
    rules
        Rules by which the plan is replayed; by default those of the problem.

    Raises
    ------
    InternalError, RefusedPlanError
        If the rules reject the schedule; it is never returned.

    Examples
    --------
    >>> from planoracle.instances.benchmarks.recipe2plan.problems import load
    >>> result = solve(load("recipe2plan/timed/Cobbler_Pancakes"))
    >>> result.status, result.makespan
    ('optimal', 4080)
    """
    check_instance(instance)
    search = _Search(instance, time_limit, seed, workers, on_progress, rules)
    if engine == "cp-sat":
        return search.run_cp_sat_alone(exact_grid=exact_grid)
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

    def run_cp_sat_alone(self, *, exact_grid: bool) -> Result:
        """Solve the model that ``--export`` writes by one call of CP-SAT."""
        if exact_grid:
            self.step = 1
        try:
            model = interval_model(self.instance, self.step, self.deadline)
        except TimeOverError:
            return self.result(Status.unknown, "time limit during the construction of the model")
        options: dict[str, Any] = {"presolve": True, "linearization": 1, "workers": self.workers}
        progress = self.report if self.on_progress is not None else None
        outcome = run(model.model, deadline=self.deadline, seed=self.seed, on_progress=progress, **options)
        if outcome.status == Status.infeasible:
            result = self.result(*self.confirm(model, presolved=True), self.best)
        else:
            self.take(model, outcome)
            if self.bounds.consistent:  # whether a finer grid helps is settled with the usual bound
                self.root = lower_bound(self.instance, self.bounds)
            result = self.result(outcome.status, "CP-SAT alone", self.best)
        effort = {
            "branches": outcome.branches,
            "conflicts": outcome.conflicts,
            "cp_sat_seconds": round(outcome.seconds, 6),
        }
        return replace(result, effort=effort)

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
            self.plan_without_interruptions()
            if self.best is not None and self.best.makespan == self.least:
                return self.result(Status.optimal, self.reason("several bounds"), self.best)
            self.plan_coarsely()
        if steps(self.instance, self.step) > _MOST_STEPS:
            return self.result(*self.without_search("too many instants at which actions can be interrupted"), self.best)
        size = model_size(self.instance, self.bounds, self.step)
        if size > self.largest:
            return self.result(*self.without_search("model too large for the time limit"), self.best)
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
        self.report()
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
        """Run a short core search, which proves most optima of 50 to 99 actions."""
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

    def plan_without_interruptions(self) -> None:
        """Solve the problem without interruptions once; its best schedule limits the makespan.

        With one worker the work is counted, so that the schedule does not depend on the machine.
        """
        if self.restriction is None:
            return
        deadline = self.deadline.sooner(self.restricted_share)
        if self.workers == 1:
            deadline = self.deadline.counting(self.restricted_share)
        on_progress = None if self.on_progress is None else self.report_makespan
        try:
            result = _Search(self.restriction, deadline, self.seed, self.workers, on_progress, self.rules).run()
        except RefusedPlanError:  # the schedule is only an incumbent of this search
            result = None
        self.restriction = None
        if result is not None and result.schedule is not None:
            self.accept(result.schedule)

    def report_makespan(self, makespan: int | None, lower_bound: int) -> None:
        """Report an incumbent without interruptions; the lower bound does not hold for the problem."""
        if makespan is not None:
            self.report(makespan / self.step)

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
            self.plan_without_interruptions()
            answer = self.prove_in_turns(model)
        else:
            first = self.pauses or (count >= LARGE and not self.core_first)
            answer = self.prove(model, core_search(count, pauses=self.pauses)) if first else None
        many = len(self.instance.actions) >= LARGER
        if answer is None and not many and of_many_actions(self.instance):
            self.plan_without_interruptions()
            answer = self.prove_in_rounds(model)
        if answer is None and not many and self.crowded:
            settled_now = self.look_at_orders()
            if settled_now is not None:
                return settled_now
        if answer is None:
            if not many and self.deadline.remaining() > 0 and (self.bounds.open or self.bounds.ordered):
                model = self.model(self.least, self.most, ordering=True)
            answer = self.prove_briefly(model)
        if answer is None:
            self.plan_without_interruptions()
            answer = self.prove_at_length(model)
        return self.result(*answer, self.best)

    def run_on_every_tick(self, coarse: Result) -> Result:
        """Settle whether interruptions off the grid help, for a result on the coarse grid."""
        if steps(self.instance, 1) > _MOST_STEPS or model_size(self.instance, self.bounds, 1) > self.largest:
            return coarse
        self.step, self.least, self.best = 1, self.root, coarse.schedule
        self.reported = self.reported[0], self.root
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
        answer = self.prove_briefly(model) or self.prove_at_length(model)
        return self.result(*answer, self.best)

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
        plan = None if schedule is None else certify(self.instance, schedule, rules=self.rules)
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
