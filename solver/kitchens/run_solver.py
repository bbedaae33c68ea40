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

    def total(self, now: int) -> Value:
        """Return the bounds with the time until the state."""
        if self.least >= NEVER:
            return Value(NEVER, None)
        return Value(now + self.least, None if self.most is None else now + self.most)


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
        # Of turns the total never falls.
        least = 0 if before is None or run.problem.unit == "round" else before.value.lower - now
        return StateValue(self.rest(run, state, run.legal, max(0, least)).total(now))

    def rest(self, run: KitchenRun, state: State, done: list[str], least: int = 0) -> _Rest:
        """Return the rest of a state to which legal actions of a run lead."""
        return self.stored_rest(state) or self._keep(run, state, _complete(run, done, self.limit, least))

    def stored_rest(self, state: State) -> _Rest | None:
        """Return the rest of a state if it needs no search."""
        return self._rests.get(state)

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
        self._rests = RunValues(limit)
        record = run.record
        after = (state for step, state in zip(record.steps, record.states[1:], strict=True) if step.valid)
        self._states = [record.states[0], *after]

    @property
    def over(self) -> str | None:
        """``completed`` where the goal is reached."""
        return "completed" if self.run.success else None

    @cached_property
    def values(self) -> list[Value]:
        """Totals before the first and after every action; refused actions keep the total before them."""
        last = len(self.done)
        totals: list[Value | None] = [None] * (last + 1)
        totals[0] = self._value(0)
        if last:
            totals[-1] = self.value
            fill(totals, 0, last, lambda k, _low, _high: self._value(k), self._follow)
        filled = [total for total in totals if total is not None]
        return [filled[count] for count in accumulate((step.valid for step in self.run.record.steps), initial=0)]

    @cached_property
    def value(self) -> Value:
        """Total at the end of the run."""
        return self._value(len(self.done))

    @cached_property
    def rest(self) -> Result:
        """Best completion from the end of the run."""
        return _complete(self.run, self.done, self.limit)

    def complete_plan(self, value: Value) -> str | None:
        """Return the legal actions with those of a best completion."""
        return "\n".join((*self.done, *self._rests.rest(self.run, self._states[-1], self.done).actions))

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
        engine, state = self.run.record.rules, self._states[-1]
        for deed in engine.legal(state):
            action = engine.actions[deed].text
            yield Option.of(action, "act", value, self._total([*self.done, action], engine.step(state, deed)))

    def _value(self, count: int) -> Value:
        return self._total(self.done[:count], self._states[count])

    def _total(self, done: list[str], state: State) -> Value:
        now = len(done) // (len(self.run.problem.players) if self.run.problem.unit == "round" else 1)
        return self._rests.rest(self.run, state, done).total(now)

    def _follow(self, k: int, value: Value) -> Value | None:
        return None if self._rests.stored_rest(self._states[k + 1]) is None else self._value(k + 1)
