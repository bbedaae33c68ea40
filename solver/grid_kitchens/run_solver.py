"""States of live runs on floors, see `planoracle.solver.runs`: a plan is good for all states that it leads through."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import cast

from planoracle.instances.benchmarks.grid_kitchens.language import FINISH, WAIT, whole, written
from planoracle.instances.benchmarks.grid_kitchens.live import choices, submitted
from planoracle.instances.benchmarks.grid_kitchens.run import GridKitchenRun
from planoracle.instances.model.limits import Limit, Status, deadline_of
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol.plan import DroppedCommand
from planoracle.instances.protocol.scoring import BestKnown
from planoracle.solver.grid_kitchens.completion import (
    Beginning,
    CompletedWork,
    FloorPlan,
    PlanAndBound,
    begins,
    found_of,
    lasting,
    left_of,
    value_of,
)
from planoracle.solver.grid_kitchens.planner import bound_of, plan
from planoracle.solver.repair.plan_repair import Repair
from planoracle.solver.result import Result, versions
from planoracle.solver.runs import Option, StateValue
from planoracle.solver.solve import bundled_result
from planoracle.solver.states.state_solver import NEVER, Value
from planoracle.solver.states.values import fill

# States kept.
_MOST = 10_000


class RunValues:
    """Values of runs on one floor; ``limit`` is the planner's at one state."""

    def __init__(self, limit: Limit) -> None:
        self.limit = limit
        self._found: dict[str, StateValue] = {}

    def known(self, run: GridKitchenRun, before: StateValue | None = None) -> StateValue:
        """Return what is known of where a run stopped."""
        if run.success and run.makespan is not None:
            return StateValue(Value(run.makespan, run.makespan))
        done, begun = _begun(run)
        if not done.faithful:
            return StateValue(Value(0, None))
        if before is not None and not run.restarts and _leads_through(before, begun):
            return before
        key = json.dumps(begun)
        if key not in self._found:
            if len(self._found) >= _MOST:
                self._found.clear()
            found = self._searched(run, done, begun)
            self._found[key] = StateValue(value_of(found), found.plan)
        return self._found[key]

    def commands(self, run: GridKitchenRun, known: StateValue) -> list[str] | None:
        """Return the actions of the best plan known, one by one, as they are asked for; ``None`` if none leads on."""
        if run.success:
            return []
        return None if known.keep is None else messages(run, cast("FloorPlan", known.keep))

    def _searched(self, run: GridKitchenRun, done: CompletedWork, begun: Beginning) -> PlanAndBound:
        found = None if any(begun.values()) else bundled_result(run.problem, run.rules)
        return plan(run.problem, done.rules, self.limit, begun) if found is None else found_of(found)


def messages(run: GridKitchenRun, plan: FloorPlan) -> list[str] | None:
    """Return what a plan that begins like a run has left: an action of every cook whenever it is asked.

    Where it matters at a moment who has his turn first, all that a cook has left at once, as the plan has been carried
    out as a whole. ``None`` if it does not serve all orders like that either.
    """
    return next(filter(None, (_handed_in(run, plan, whole=whole) for whole in (False, True))), None)


def _handed_in(run: GridKitchenRun, plan: FloorPlan, *, whole: bool) -> list[str] | None:
    done, begun = _begun(run)
    left = left_of(plan, begun)
    clock, names, found = done.here.fork(), run.problem.agents, list[str]()
    while not clock.end:
        said = {}
        for name in (names[cook] for cook in clock.decide):
            count = len(left[name]) if whole else 1
            said[name] = left[name][:count] or [{"action": FINISH}]
            left[name] = left[name][count:]
        found.append(json.dumps(said))
        clock.submit(said)
        clock.until_decision()
    return found if clock.world.all_served and clock.error is None else None


def _begun(run: GridKitchenRun) -> tuple[CompletedWork, Beginning]:
    done = CompletedWork(run)
    return done, done.begun(0 if run.restarts else done.count)


def _leads_through(before: StateValue, begun: Beginning) -> bool:
    """Whether the plan that is known, and proved to be the best, begins so."""
    if before.value.makespan is None or before.keep is None:
        return False
    return begins(cast("FloorPlan", before.keep), begun)


class Solver:
    """Answers about one run; ``limit`` is the planner's at one state.

    What counts is the whole time of plans that begin with what has been done so far; the more that is, the fewer these
    are, so the totals never fall. After an error that is not the last one everything begins anew.
    """

    grid = 1

    def __init__(self, run: GridKitchenRun, limit: Limit) -> None:
        self.run = run
        self.limit = limit
        self.done = CompletedWork(run)
        self._best: dict[int, FloorPlan] = {}  # by number of deeds

    @property
    def clock(self) -> int:
        """The moment at which the run stopped."""
        return 0 if self.run.restarts else whole(self.done.now(self.done.count))

    @property
    def over(self) -> str | None:
        """``completed`` where all orders are served, ``over`` after an error that ends the run."""
        return "completed" if self.run.success else self.run.lost_at(len(self.run.steps))

    @cached_property
    def values(self) -> list[Value]:
        """The totals before the first and after every step; after the one that failed, what is left then."""
        last = self.done.count
        totals: list[Value | None] = [None] * (last + 1)
        first = totals[0] = self._value(0)
        if last:
            totals[-1] = _between(self._value(last), first, None)
            totals[0] = _between(first, None, totals[-1])
            fill(totals, 0, last, lambda k, low, high: _between(self._least(k), low, high), self._kept)
        known = [total for total in totals if total is not None]
        failed = known[0] if self.run.restarts else Value(0, None)
        return known + [failed] * (len(self.run.steps) - last)

    @cached_property
    def value(self) -> Value:
        """The total where the run stopped."""
        return self._value(0 if self.run.restarts else self.done.count)

    @cached_property
    def rest(self) -> Result:
        """The best way to go on from the end of the run; makespan and bound are those of what is left."""
        value, problem = self.value, self.run.problem
        lost = value.lower >= NEVER
        return Result(
            instance=problem.name,
            status=Status.infeasible if lost else value.status,
            makespan=None if value.upper is None else value.upper - self.clock,
            lower_bound=None if lost else max(0, value.lower - self.clock),
            plan=None if value.upper is None else self.completed(value),
            versions=versions(),
            kind=problem.kind,
            unit=problem.unit,
        )

    def completed(self, value: Value) -> str | None:
        """Return the best plan that begins like the run, as text."""
        found = self._best.get(0 if self.run.restarts else self.done.count)
        return None if found is None else json.dumps(found)

    def contradiction(self, count: int) -> tuple[str, ...]:
        """Nothing is known of that."""
        return ()

    def repaired(
        self,
        best: Callable[[Problem], BestKnown],
        objectives: tuple[str, ...],
        time_limit: Limit,
        salvaged: tuple[DroppedCommand, ...],
    ) -> Repair:
        """Keep as much of the beginning as can be, see `planoracle.solver.grid_kitchens.repair`."""
        from planoracle.solver.grid_kitchens.repair import repair_floor

        return repair_floor(self.run, cast("Result", best(self.run.problem)), time_limit)

    def options(self, value: Value) -> Iterator[Option]:
        """Yield what every cook who has nothing to do can do; all of it is priced within the limit of one state."""
        clock, begun = self.done.here, self.done.begun(0 if self.run.restarts else self.done.count)
        kept = self._best.get(0 if self.run.restarts else self.done.count)
        legal = [(one, act) for one in clock.decide for act in choices(clock, one)]
        deadline = deadline_of(self.limit)
        for left, (cook, act) in zip(range(len(legal), 0, -1), legal, strict=True):
            after = lasting(begun)
            after[clock.ground.cooks[cook]].append(written(clock.ground, act))
            same = value.makespan is not None and kept is not None and begins(kept, after)
            worth = value if same else value_of(self._plan(after, deadline.within(deadline.remaining() / left)))
            yield Option.of(submitted(clock.ground, cook, act), "wait" if act.word == WAIT else "act", value, worth)

    def _least(self, count: int) -> Value:
        """Return the lower bound of a state; no completion is searched."""
        if not self.done.faithful:
            return Value(whole(self.done.now(count)), None)
        return Value(bound_of(self.run.problem, self.done.rules, self.done.begun(count)), None)

    def _value(self, count: int) -> Value:
        if count == self.done.count and self.run.success and self.run.makespan is not None:
            return Value(self.run.makespan, self.run.makespan)
        if not self.done.faithful:
            return Value(0, None)
        bundled = None if count else bundled_result(self.run.problem, self.run.rules)
        found = self._plan(self.done.begun(count)) if bundled is None else found_of(bundled)
        if found.plan is not None:
            self._best[count] = found.plan
        return value_of(found)

    def _plan(self, begun: Beginning, limit: Limit | None = None) -> PlanAndBound:
        return plan(self.run.problem, self.done.rules, self.limit if limit is None else limit, begun)

    def _kept(self, count: int, value: Value) -> Value | None:
        best = self._best.get(count)
        if value.makespan is None or best is None or not begins(best, self.done.begun(count + 1)):
            return None
        self._best[count + 1] = best
        return value


def _between(value: Value, low: Value | None, high: Value | None) -> Value:
    """Return what is known of a state between two others: totals never fall, and a plan for a later state is one."""
    lower = value.lower if low is None else max(value.lower, low.lower)
    tops = [one.upper for one in (value, high) if one is not None and one.upper is not None]
    return Value(lower, min(tops, default=None))
