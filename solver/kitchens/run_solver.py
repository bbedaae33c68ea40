"""States of live runs in kitchens, see `planoracle.solver.runs`: every state on a known best plan has its value."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import NamedTuple, cast

from planoracle.instances.benchmarks.kitchens.compiled_kitchen import State
from planoracle.instances.benchmarks.kitchens.run import KitchenRun
from planoracle.instances.model.limits import Limit, Status
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol.plan import DroppedCommand
from planoracle.instances.protocol.scoring import BestKnown
from planoracle.solver.kitchens.astar import plan
from planoracle.solver.repair.plan_repair import Repair
from planoracle.solver.result import Result
from planoracle.solver.runs import Option, StateValue
from planoracle.solver.solve import bundled_result
from planoracle.solver.states.state_solver import NEVER, Value
from planoracle.solver.states.values import fill

# States kept.
_MOST = 100_000


class _Left(NamedTuple):
    """What is left in a state: bounds of the steps, and a plan of the most."""

    least: int
    most: int | None
    actions: tuple[str, ...] = ()


class RunValues:
    """Values of runs in one kitchen; ``limit`` is the planner's at one state."""

    def __init__(self, limit: Limit) -> None:
        self.limit = limit
        self._left: dict[State, _Left] = {}

    def known(self, run: KitchenRun, before: StateValue | None = None) -> StateValue:
        """Return what is known of where a run stopped; a plan for a state is one for all states on it."""
        done, state = run.legal, run.record.states[-1]
        if run.success:
            return StateValue(Value(len(done), len(done)))
        least = 0 if before is None else before.value.lower - len(done)  # totals never fall
        left = self._left.get(state) or self._found(run, done, state, least)
        if left.least >= NEVER:
            return StateValue(Value(NEVER, None))
        most = None if left.most is None else len(done) + left.most
        return StateValue(Value(len(done) + left.least, most))

    def commands(self, run: KitchenRun, known: StateValue) -> list[str] | None:
        """Return the actions of a best plan, or of the best one known."""
        if run.success:
            return []
        left = self._left.get(run.record.states[-1])
        return None if left is None or left.most is None else list(left.actions)

    def _found(self, run: KitchenRun, done: list[str], state: State, least: int) -> _Left:
        found = None if done else bundled_result(run.problem, run.rules)
        return self._keep(run, state, found or self._plan(run, done, max(0, least)))

    def _plan(self, run: KitchenRun, done: list[str], at_least: int = 0) -> Result:
        return plan(run.problem, time_limit=self.limit, rules=run.rules, after=done, at_least=at_least)

    def _keep(self, run: KitchenRun, state: State, found: Result) -> _Left:
        if len(self._left) >= _MOST:
            self._left.clear()
        if found.status == Status.infeasible:
            left = _Left(NEVER, None)
        else:
            left = _Left(found.lower_bound or 0, found.makespan, found.actions)
        self._left[state] = left
        if found.status == Status.optimal:
            engine, here = run.record.rules, state
            for count, action in enumerate(found.actions[:-1], 1):
                deed = engine.find(here, action)
                if deed is None:
                    break
                here = engine.step(here, deed)
                rest = found.actions[count:]
                self._left[here] = _Left(len(rest), len(rest), rest)
        return left


class Solver:
    """Answers about one run; ``limit`` is the planner's at one state.

    A legal action saves one step of a best plan at most, so totals (those done counted) never fall. Refused ones
    change nothing.
    """

    grid = 1
    clock = 0

    def __init__(self, run: KitchenRun, limit: Limit) -> None:
        self.run = run
        self.limit = limit
        self.done = run.legal
        self._best: dict[int, tuple[str, ...]] = {}  # by number of actions done, those of a best plan from there

    @property
    def over(self) -> str | None:
        """``completed`` where the goal is reached."""
        return "completed" if self.run.success else None

    @cached_property
    def values(self) -> list[Value]:
        """The totals before the first and after every action; refused ones keep that before them."""
        last = len(self.done)
        totals: list[Value | None] = [None] * (last + 1)
        totals[0] = self._value(self.done[:0])
        if last:
            totals[-1] = self.value
            fill(totals, 0, last, lambda k, _low, _high: self._value(self.done[:k]), self._kept)
        known = [total for total in totals if total is not None]
        return [known[0], *(known[step.end] for step in self.run.steps)]

    @cached_property
    def value(self) -> Value:
        """The total at the end of the run."""
        return self._value(self.done)

    @cached_property
    def rest(self) -> Result:
        """The best way to go on from the end of the run."""
        return self._plan(self.done)

    def completed(self, value: Value) -> str | None:
        """Return the legal actions with those of a best plan."""
        return "\n".join((*self.done, *self._best[len(self.done)]))

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
        """Keep as much of the beginning as can be, see `planoracle.solver.kitchens.repair`."""
        from planoracle.solver.kitchens.repair import repair_kitchen

        return repair_kitchen(self.run, cast("Result", best(self.run.problem)), time_limit)

    def options(self, value: Value) -> Iterator[Option]:
        """Yield every legal action."""
        record, best = self.run.record, self._best.get(len(self.done), ())
        for action in (record.rules.deeds[deed].text for deed in record.rules.legal(record.states[-1])):
            kept = value.makespan is not None and best[:1] == (action,)
            after = value if kept else self._value([*self.done, action], remember=False)
            yield Option.of(action, "act", value, after)

    def _plan(self, done: list[str]) -> Result:
        bundled = None if done else bundled_result(self.run.problem, self.run.rules)
        return bundled or plan(self.run.problem, time_limit=self.limit, rules=self.run.rules, after=done)

    def _value(self, done: list[str], *, remember: bool = True) -> Value:
        found = self._plan(done)
        if found.status == Status.infeasible:
            return Value(NEVER, None)
        if found.makespan is not None and remember:
            self._best[len(done)] = found.actions
        most = None if found.makespan is None else len(done) + found.makespan
        return Value(len(done) + (found.lower_bound or 0), most)

    def _kept(self, k: int, value: Value) -> Value | None:
        best = self._best.get(k, ())
        if value.makespan is None or best[:1] != tuple(self.done[k : k + 1]):
            return None
        self._best[k + 1] = best[1:]
        return value
