"""State values of live runs in grid kitchens; a plan is valid for all states on it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import cast

from planoracle.instances.benchmarks.grid_kitchens.language import FINISH, WAIT, whole, written
from planoracle.instances.benchmarks.grid_kitchens.run import GridKitchenRun, choices, submitted
from planoracle.instances.errors import InternalError
from planoracle.instances.model.limits import Limit, Status, deadline_of
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol.environment import AnyEnvironment
from planoracle.instances.protocol.plan import DroppedCommand
from planoracle.instances.protocol.registry import of
from planoracle.instances.protocol.scoring import BestKnown
from planoracle.solver.grid_kitchens.completion import (
    CompletedWork,
    GridKitchenPlan,
    Prefix,
    copy_prefix,
    has_prefix,
    rest_of_plan,
    value_of,
)
from planoracle.solver.grid_kitchens.kind import bound_of, plan
from planoracle.solver.repair.plan_repair import Repair
from planoracle.solver.repair.prefix import PrefixRepair
from planoracle.solver.result import Result, versions
from planoracle.solver.runs import Option, StateValue, run_of
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

    def state_value(self, environment: AnyEnvironment, before: StateValue | None = None) -> StateValue:
        """Return the value of the state of a run."""
        return self.value_of_run(cast("GridKitchenRun", run_of(environment)), before)

    def value_of_run(self, run: GridKitchenRun, before: StateValue | None = None) -> StateValue:
        """Return the value of the state in which a run stopped."""
        if run.success and run.makespan is not None:
            return StateValue(Value(run.makespan, run.makespan))
        done = CompletedWork(run)
        prefix = done.prefix(done.resumed)
        if not done.faithful:
            return StateValue(Value(0, None))
        best = None if before is None or run.restarts or before.value.makespan is None else before.keep
        if before is not None and best is not None and has_prefix(cast("GridKitchenPlan", best), prefix):
            return before
        key = json.dumps(prefix)
        if key not in self._values:
            if len(self._values) >= _MOST:
                self._values.clear()
            result = _planned(run, done, prefix, self.limit)
            self._values[key] = StateValue(value_of(result), plan_of(result))
        return self._values[key]

    def commands(self, environment: AnyEnvironment, state_value: StateValue) -> list[str] | None:
        """Return the actions of the best known plan, one by one; ``None`` if no plan is known."""
        run = cast("GridKitchenRun", run_of(environment))
        if run.success:
            return []
        return None if state_value.keep is None else messages(run, cast("GridKitchenPlan", state_value.keep))


def plan_of(result: Result) -> GridKitchenPlan | None:
    """Return the plan of a result."""
    return None if result.plan is None else json.loads(result.plan)


def _planned(run: GridKitchenRun, done: CompletedWork, prefix: Prefix, limit: Limit) -> Result:
    bundled = None if any(prefix.values()) else bundled_result(run.problem, run.rules)
    return plan(run.problem, done.rules, limit, prefix) if bundled is None else bundled


def messages(run: GridKitchenRun, plan: GridKitchenPlan) -> list[str] | None:
    """Return the rest of a plan as messages: one action of every cook whenever it must decide.

    If the order of turns at one moment matters, all remaining actions of a cook are one message. ``None`` if this does
    not serve all orders either.
    """
    return next(filter(None, (_as_messages(run, plan, whole=whole) for whole in (False, True))), None)


def _as_messages(run: GridKitchenRun, plan: GridKitchenPlan, *, whole: bool) -> list[str] | None:
    done = CompletedWork(run)
    rest = rest_of_plan(plan, done.prefix(done.resumed))
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
        return 0 if self.run.restarts else whole(self.done.now(self.done.resumed))

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
        return self._value(self.done.resumed)

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
        plan = self._best.get(self.done.resumed)
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
        """Retain the longest possible prefix of the run.

        The goal does not fix the actions. The longest prefix of the executed actions is retained from which all orders
        can still be served, as far as the search finds it, and completed as early as possible. The plan is submitted as
        a whole.

        Returns
        -------
        Repair
            ``optimal`` if no longer prefix can be retained, nor be completed earlier, proved. ``dropped`` has the
            removed actions, ``added`` the completion.
        """
        return _GridKitchenRepair(self.run, self.done, cast("Result", best(self.run.problem)), time_limit).repair()

    def options(self, value: Value) -> Iterator[Option]:
        """Yield the options of every idle cook; all of them share the limit of one state."""
        clock, prefix = self.done.resumption, self.done.prefix(self.done.resumed)
        best = self._best.get(self.done.resumed)
        legal = [(one, act) for one in clock.decide for act in choices(clock, one)]
        deadline = deadline_of(self.limit)
        for number_left, (cook, act) in zip(range(len(legal), 0, -1), legal, strict=True):
            after = copy_prefix(prefix)
            after[clock.ground.cooks[cook]].append(written(clock.ground, act))
            follows = value.makespan is not None and best is not None and has_prefix(best, after)
            part = deadline.within(deadline.remaining() / number_left)
            worth = value if follows else value_of(plan(self.run.problem, self.done.rules, part, after))
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
        result = _planned(self.run, self.done, self.done.prefix(count), self.limit)
        best = plan_of(result)
        if best is not None:
            self._best[count] = best
        return value_of(result)

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


class _GridKitchenRepair(PrefixRepair):
    """Repair of one submission."""

    run: GridKitchenRun

    def __init__(self, run: GridKitchenRun, done: CompletedWork, best: Result, time_limit: Limit) -> None:
        self._done = done
        super().__init__(run, best, done.count if done.faithful else 0, time_limit)

    def plan(self, count: int, limit: Limit) -> Result:
        """Complete the first executed actions as early as possible."""
        return plan(self.run.problem, self.run.rules, limit, self._done.prefix(count))

    def complete(self, count: int, result: Result, status: Status) -> Repair:
        """Return the first actions with their completion, submitted as a whole and replayed by the rules."""
        problem, plan_by_agent = self.run.problem, plan_of(result)
        assert plan_by_agent is not None
        run = of(problem).run(problem, {"instance": problem.name, "plan": plan_by_agent}, self.run.rules)
        if not run.success or run.makespan != result.makespan:
            raise InternalError(f"{problem.name}: the rules reject a repaired plan")
        rest = rest_of_plan(plan_by_agent, self._done.prefix(count))
        fatal = self.run.verdict.fatal
        dropped = [
            DroppedCommand(
                step.position, step.command[:200], fatal.message if fatal and step.violation else "leads to a dead end"
            )
            for step in self.run.steps[count:]
        ]
        added = [json.dumps({name: [action]}) for name, actions in rest.items() for action in actions]
        return self.answer(status, run.makespan, plan_by_agent, added=added, dropped=dropped)
