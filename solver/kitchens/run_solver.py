"""State values of live runs in kitchens; every state on a known optimal plan gets its value from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple, cast

from planoracle.instances.benchmarks.kitchens.compiled_kitchen import State
from planoracle.instances.benchmarks.kitchens.run import KitchenRun
from planoracle.instances.model.limits import Limit, Status
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol.plan import DroppedCommand
from planoracle.instances.protocol.scoring import BestKnown
from planoracle.solver.kitchens.astar import plan
from planoracle.solver.kitchens.repair import KitchenRepair
from planoracle.solver.repair.plan_repair import Repair
from planoracle.solver.result import Result
from planoracle.solver.runs import Option, StateValue
from planoracle.solver.solve import bundled_result
from planoracle.solver.states.state_solver import NEVER, Value
from planoracle.solver.states.values import fill

# Largest number of stored states.
_MOST = 100_000


class _Rest(NamedTuple):
    """Rest of a state: bounds of its steps or rounds, and a plan that takes ``most``."""

    least: int
    most: int | None
    actions: tuple[str, ...] = ()


def _complete(run: KitchenRun, done: list[str], limit: Limit, at_least: int = 0) -> Result:
    """Return the best completion of the first legal actions of a run, at the beginning the bundled plan."""
    bundled = None if done else bundled_result(run.problem, run.rules)
    return bundled or plan(run.problem, time_limit=limit, rules=run.rules, after=done, at_least=at_least)


class RunValues:
    """Values of runs in one kitchen; ``limit`` is that of one state."""

    def __init__(self, limit: Limit) -> None:
        self.limit = limit
        self._rests: dict[State, _Rest] = {}

    def state_value(self, run: KitchenRun, before: StateValue | None = None) -> StateValue:
        """Return the value of the state in which a run stopped."""
        now, state = run.record.steps_taken, run.record.states[-1]
        if run.success:
            return StateValue(Value(now, now))
        rest = self._rests.get(state)
        if rest is None:
            # Of turns the total never falls.
            least = 0 if before is None or run.problem.unit == "round" else before.value.lower - now
            rest = self._keep(run, state, _complete(run, run.legal, self.limit, max(0, least)))
        if rest.least >= NEVER:
            return StateValue(Value(NEVER, None))
        return StateValue(Value(now + rest.least, None if rest.most is None else now + rest.most))

    def commands(self, run: KitchenRun, state_value: StateValue) -> list[str] | None:
        """Return the actions of the best known plan."""
        if run.success:
            return []
        rest = self._rests.get(run.record.states[-1])
        return None if rest is None or rest.most is None else list(rest.actions)

    def _keep(self, run: KitchenRun, state: State, result: Result) -> _Rest:
        if len(self._rests) >= _MOST:
            self._rests.clear()
        if result.status == Status.infeasible:
            rest = _Rest(NEVER, None)
        else:
            rest = _Rest(result.lower_bound or 0, result.makespan, result.actions)
        self._rests[state] = rest
        if result.status == Status.optimal:
            engine, next_state = run.record.rules, state
            for count, action in enumerate(result.actions[:-1], 1):
                deed = engine.find(next_state, action)
                if deed is None:
                    break
                next_state = engine.step(next_state, deed)
                actions = result.actions[count:]
                ticks = engine.ticks(next_state, len(actions))
                self._rests[next_state] = _Rest(ticks, ticks, actions)
        return rest


class Solver:
    """Values and options of one run; ``limit`` is that of one state.

    A legal action saves at most one step of a best plan, so totals (executed actions included) never fall. Refused
    actions change no state.
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
        """Totals before the first and after every action; refused actions keep the total before them."""
        last = len(self.done)
        totals: list[Value | None] = [None] * (last + 1)
        totals[0] = self._value(self.done[:0])
        if last:
            totals[-1] = self.value
            fill(totals, 0, last, lambda k, _low, _high: self._value(self.done[:k]), self._follow)
        filled = [total for total in totals if total is not None]
        return [filled[count] for count in accumulate((step.valid for step in self.run.record.steps), initial=0)]

    @cached_property
    def value(self) -> Value:
        """Total at the end of the run."""
        return self._value(self.done)

    @cached_property
    def rest(self) -> Result:
        """Best completion from the end of the run."""
        return _complete(self.run, self.done, self.limit)

    def complete_plan(self, value: Value) -> str | None:
        """Return the legal actions with those of a best completion."""
        return "\n".join((*self.done, *self._best[len(self.done)]))

    def contradiction(self, count: int) -> tuple[str, ...]:
        """Return an empty tuple: kitchens have no conflicts."""
        return ()

    def repair(
        self,
        best: Callable[[Problem], BestKnown],
        objectives: tuple[str, ...],
        time_limit: Limit,
        salvaged: tuple[DroppedCommand, ...],
    ) -> Repair:
        """Retain the longest possible prefix, see `planoracle.solver.kitchens.repair`."""
        return KitchenRepair(self.run, cast("Result", best(self.run.problem)), time_limit).repair()

    def options(self, value: Value) -> Iterator[Option]:
        """Yield every legal action."""
        record, best = self.run.record, self._best.get(len(self.done), ())
        for action in (record.rules.deeds[deed].text for deed in record.rules.legal(record.states[-1])):
            follows = value.makespan is not None and best[:1] == (action,)
            after = value if follows else self._value([*self.done, action], remember=False)
            yield Option.of(action, "act", value, after)

    def _value(self, done: list[str], *, remember: bool = True) -> Value:
        result = _complete(self.run, done, self.limit)
        if result.status == Status.infeasible:
            return Value(NEVER, None)
        if result.makespan is not None and remember:
            self._best[len(done)] = result.actions
        now = len(done) // (len(self.run.problem.players) if self.run.problem.unit == "round" else 1)
        most = None if result.makespan is None else now + result.makespan
        return Value(now + (result.lower_bound or 0), most)

    def _follow(self, k: int, value: Value) -> Value | None:
        best = self._best.get(k, ())
        if value.makespan is None or best[:1] != tuple(self.done[k : k + 1]):
            return None
        self._best[k + 1] = best[1:]
        return value
