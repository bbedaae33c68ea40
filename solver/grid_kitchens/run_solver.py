"""State values of live runs in grid kitchens; a plan is valid for all states on it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import cast

from planoracle.instances.benchmarks.grid_kitchens.language import FINISH, WAIT, whole, written
from planoracle.instances.benchmarks.grid_kitchens.rules import choices, submitted
from planoracle.instances.benchmarks.grid_kitchens.run import GridKitchenRun
from planoracle.instances.model.limits import Limit, Status, deadline_of
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol.plan import DroppedCommand
from planoracle.instances.protocol.scoring import BestKnown
from planoracle.solver.grid_kitchens.completion import (
    CompletedWork,
    GridKitchenPlan,
    PlanAndBound,
    Prefix,
    copy_prefix,
    has_prefix,
    outcome_of,
    rest_of_plan,
    value_of,
)
from planoracle.solver.grid_kitchens.planner import bound_of, plan
from planoracle.solver.grid_kitchens.repair import repair_run
from planoracle.solver.repair.plan_repair import Repair
from planoracle.solver.result import Result, versions
from planoracle.solver.runs import Option, StateValue
from planoracle.solver.solve import bundled_result
from planoracle.solver.states.state_solver import NEVER, Value
from planoracle.solver.states.values import fill

# Largest number of stored states.
_MOST = 10_000


class RunValues:
    """Values of runs in one grid kitchen; ``limit`` is the planner's at one state."""

    def __init__(self, limit: Limit) -> None:
        self.limit = limit
        self._values: dict[str, StateValue] = {}

    def state_value(self, run: GridKitchenRun, before: StateValue | None = None) -> StateValue:
        """Return the value of the state in which a run stopped."""
        if run.success and run.makespan is not None:
            return StateValue(Value(run.makespan, run.makespan))
        done, prefix = _prefix_of(run)
        if not done.faithful:
            return StateValue(Value(0, None))
        if before is not None and not run.restarts and _leads_through(before, prefix):
            return before
        key = json.dumps(prefix)
        if key not in self._values:
            if len(self._values) >= _MOST:
                self._values.clear()
            outcome = self._search(run, done, prefix)
            self._values[key] = StateValue(value_of(outcome), outcome.plan)
        return self._values[key]

    def commands(self, run: GridKitchenRun, state_value: StateValue) -> list[str] | None:
        """Return the actions of the best known plan, one by one; ``None`` if no plan is known."""
        if run.success:
            return []
        return None if state_value.keep is None else messages(run, cast("GridKitchenPlan", state_value.keep))

    def _search(self, run: GridKitchenRun, done: CompletedWork, prefix: Prefix) -> PlanAndBound:
        bundled = None if any(prefix.values()) else bundled_result(run.problem, run.rules)
        return plan(run.problem, done.rules, self.limit, prefix) if bundled is None else outcome_of(bundled)


def messages(run: GridKitchenRun, plan: GridKitchenPlan) -> list[str] | None:
    """Return the rest of a plan as messages: one action of every cook whenever it must decide.

    If the order of turns at one moment matters, all remaining actions of a cook are one message. ``None`` if this does
    not serve all orders either.
    """
    return next(filter(None, (_as_messages(run, plan, whole=whole) for whole in (False, True))), None)


def _as_messages(run: GridKitchenRun, plan: GridKitchenPlan, *, whole: bool) -> list[str] | None:
    done, prefix = _prefix_of(run)
    rest = rest_of_plan(plan, prefix)
    clock, names, texts = done.resumption.fork(), run.problem.agents, list[str]()
    while not clock.end:
        message = {}
        for name in (names[cook] for cook in clock.decide):
            count = len(rest[name]) if whole else 1
            message[name] = rest[name][:count] or [{"action": FINISH}]
            rest[name] = rest[name][count:]
        texts.append(json.dumps(message))
        clock.submit(message)
        clock.until_decision()
    return texts if clock.world.all_served and clock.error is None else None


def _prefix_of(run: GridKitchenRun) -> tuple[CompletedWork, Prefix]:
    work = CompletedWork(run)
    return work, work.prefix(0 if run.restarts else work.count)


def _leads_through(before: StateValue, prefix: Prefix) -> bool:
    """Return whether the known optimal plan begins with a prefix."""
    if before.value.makespan is None or before.keep is None:
        return False
    return has_prefix(cast("GridKitchenPlan", before.keep), prefix)


class Solver:
    """Values and options of one run; ``limit`` is the planner's at one state.

    A total is the makespan of the whole plan with the executed actions as prefix. Longer prefixes have fewer plans, so
    totals never fall. After an error that restarts the run the prefix is empty.
    """

    grid = 1

    def __init__(self, run: GridKitchenRun, limit: Limit) -> None:
        self.run = run
        self.limit = limit
        self.done = CompletedWork(run)
        self._best: dict[int, GridKitchenPlan] = {}  # by number of deeds

    @property
    def clock(self) -> int:
        """Time at which the run stopped."""
        return 0 if self.run.restarts else whole(self.done.now(self.done.count))

    @property
    def over(self) -> str | None:
        """``completed`` if all orders are served, ``over`` after an error that ends the run."""
        return "completed" if self.run.success else self.run.lost_at(len(self.run.steps))

    @cached_property
    def values(self) -> list[Value]:
        """Totals before the first and after every step; after a failed step, those of the remaining run."""
        last = self.done.count
        totals: list[Value | None] = [None] * (last + 1)
        first = totals[0] = self._value(0)
        if last:
            totals[-1] = _between(self._value(last), first, None)
            totals[0] = _between(first, None, totals[-1])
            fill(totals, 0, last, lambda k, low, high: _between(self._least(k), low, high), self._follow)
        filled = [total for total in totals if total is not None]
        failed = filled[0] if self.run.restarts else Value(0, None)
        return filled + [failed] * (len(self.run.steps) - last)

    @cached_property
    def value(self) -> Value:
        """Total where the run stopped."""
        return self._value(0 if self.run.restarts else self.done.count)

    @cached_property
    def rest(self) -> Result:
        """Best completion from the end of the run; makespan and bound are those of the rest."""
        value, problem = self.value, self.run.problem
        lost = value.lower >= NEVER
        return Result(
            instance=problem.name,
            status=Status.infeasible if lost else value.status,
            makespan=None if value.upper is None else value.upper - self.clock,
            lower_bound=None if lost else max(0, value.lower - self.clock),
            plan=None if value.upper is None else self.complete_plan(value),
            versions=versions(),
            kind=problem.kind,
            unit=problem.unit,
        )

    def complete_plan(self, value: Value) -> str | None:
        """Return the best plan with the run as prefix, as text."""
        plan = self._best.get(0 if self.run.restarts else self.done.count)
        return None if plan is None else json.dumps(plan)

    def contradiction(self, count: int) -> tuple[str, ...]:
        """Return an empty tuple: grid kitchens have no conflicts."""
        return ()

    def repair(
        self,
        best: Callable[[Problem], BestKnown],
        objectives: tuple[str, ...],
        time_limit: Limit,
        salvaged: tuple[DroppedCommand, ...],
    ) -> Repair:
        """Retain the longest possible prefix, see `planoracle.solver.grid_kitchens.repair`."""
        return repair_run(self.run, cast("Result", best(self.run.problem)), time_limit)

    def options(self, value: Value) -> Iterator[Option]:
        """Yield the options of every idle cook; all of them share the limit of one state."""
        clock, prefix = self.done.resumption, self.done.prefix(0 if self.run.restarts else self.done.count)
        plan = self._best.get(0 if self.run.restarts else self.done.count)
        legal = [(one, act) for one in clock.decide for act in choices(clock, one)]
        deadline = deadline_of(self.limit)
        for number_left, (cook, act) in zip(range(len(legal), 0, -1), legal, strict=True):
            after = copy_prefix(prefix)
            after[clock.ground.cooks[cook]].append(written(clock.ground, act))
            follows = value.makespan is not None and plan is not None and has_prefix(plan, after)
            part = deadline.within(deadline.remaining() / number_left)
            worth = value if follows else value_of(self._plan(after, part))
            yield Option.of(submitted(clock.ground, cook, act), "wait" if act.word == WAIT else "act", value, worth)

    def _least(self, count: int) -> Value:
        """Return the lower bound of a state; no completion is searched."""
        if not self.done.faithful:
            return Value(whole(self.done.now(count)), None)
        return Value(bound_of(self.run.problem, self.done.rules, self.done.prefix(count)), None)

    def _value(self, count: int) -> Value:
        if count == self.done.count and self.run.success and self.run.makespan is not None:
            return Value(self.run.makespan, self.run.makespan)
        if not self.done.faithful:
            return Value(0, None)
        bundled = None if count else bundled_result(self.run.problem, self.run.rules)
        outcome = self._plan(self.done.prefix(count)) if bundled is None else outcome_of(bundled)
        if outcome.plan is not None:
            self._best[count] = outcome.plan
        return value_of(outcome)

    def _plan(self, prefix: Prefix, limit: Limit | None = None) -> PlanAndBound:
        return plan(self.run.problem, self.done.rules, self.limit if limit is None else limit, prefix)

    def _follow(self, count: int, value: Value) -> Value | None:
        best = self._best.get(count)
        if value.makespan is None or best is None or not has_prefix(best, self.done.prefix(count + 1)):
            return None
        self._best[count + 1] = best
        return value


def _between(value: Value, low: Value | None, high: Value | None) -> Value:
    """Return a value between two others: totals never fall, and a later plan is valid earlier."""
    lower = value.lower if low is None else max(value.lower, low.lower)
    tops = [one.upper for one in (value, high) if one is not None and one.upper is not None]
    return Value(lower, min(tops, default=None))
