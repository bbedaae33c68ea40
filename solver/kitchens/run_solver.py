"""State values of live runs in kitchens; every state on a known optimal plan gets its value from it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple, cast

from planoracle.instances.benchmarks.kitchens.compiled_kitchen import CompiledKitchen, State
from planoracle.instances.benchmarks.kitchens.kitchen import Kitchen, KitchenRules
from planoracle.instances.benchmarks.kitchens.run import KitchenRun
from planoracle.instances.benchmarks.kitchens.simulation import KitchenRunState, KitchenSimulator
from planoracle.instances.model.limits import Limit, Status
from planoracle.instances.protocol.environment import AnyEnvironment
from planoracle.solver.kitchens.astar import plan
from planoracle.solver.result import Result
from planoracle.solver.runs import Option, StateValue
from planoracle.solver.solve import bundled_result
from planoracle.solver.states.state_solver import Value
from planoracle.solver.states.values import fill

# Largest number of stored states.
_MOST = 100_000


class _Completion(NamedTuple):
    """Completion of a state: bounds of its steps or rounds, and a plan that takes ``upper``.

    ``lower`` is ``None`` if the goal is proved to be out of reach.
    """

    lower: int | None
    upper: int | None
    actions: tuple[str, ...] = ()

    def total(self, now: int) -> Value:
        """Return the bounds with the time until the state."""
        if self.lower is None:
            return Value.infeasible()
        return Value(now + self.lower, None if self.upper is None else now + self.upper)


class _RuledKitchen(NamedTuple):
    """Kitchen of a run, its rules, and the compiled rules."""

    problem: Kitchen
    rules: KitchenRules
    engine: CompiledKitchen

    @classmethod
    def of(cls, run: KitchenRun) -> _RuledKitchen:
        """Return the kitchen of a replay."""
        return cls(run.problem, run.rules, run.record.rules)

    def complete(self, done: list[str], limit: Limit, at_least: int = 0) -> Result:
        """Return the best completion of the first legal actions of a run, at the beginning the bundled plan."""
        bundled = None if done else bundled_result(self.problem, self.rules)
        return bundled or plan(self.problem, time_limit=limit, rules=self.rules, after=done, at_least=at_least)


class RunValues:
    """Values of runs in one kitchen; ``limit`` is that of one state."""

    def __init__(self, limit: Limit) -> None:
        self.limit = limit
        self._completions: dict[State, _Completion] = {}

    def state_value(self, environment: AnyEnvironment, before: StateValue | None = None) -> StateValue:
        """Return the value of the state of a run."""
        simulator = cast("KitchenSimulator", environment.simulator)
        world: KitchenRunState = environment.state.world
        now = world.ticks
        if environment.success:
            return StateValue(Value(now, now))
        completion = self.stored_completion(world.kitchen)
        if completion is None:
            kitchen = _RuledKitchen(simulator.engine.kitchen, environment.rules, simulator.engine)
            # Of turns the total never falls.
            lower = 0 if before is None or kitchen.problem.unit == "round" else before.value.lower - now
            done = [step.action for step in simulator.record(world).steps if step.valid]
            completion = self.completion(kitchen, world.kitchen, done, max(0, lower))
        return StateValue(completion.total(now))

    def completion(self, kitchen: _RuledKitchen, state: State, done: list[str], at_least: int = 0) -> _Completion:
        """Return the best completion of a state to which legal actions of a run lead."""
        stored = self.stored_completion(state)
        return stored or self._keep(kitchen, state, kitchen.complete(done, self.limit, at_least))

    def stored_completion(self, state: State) -> _Completion | None:
        """Return the best completion of a state if it needs no search."""
        return self._completions.get(state)

    def commands(self, environment: AnyEnvironment, state_value: StateValue) -> list[str] | None:
        """Return the actions of the best known plan."""
        if environment.success:
            return []
        completion = self._completions.get(environment.state.world.kitchen)
        return None if completion is None or completion.upper is None else list(completion.actions)

    def _keep(self, kitchen: _RuledKitchen, state: State, result: Result) -> _Completion:
        if len(self._completions) >= _MOST:
            self._completions.clear()
        if result.status == Status.infeasible:
            completion = _Completion(None, None)
        else:
            completion = _Completion(result.lower_bound or 0, result.makespan, result.actions)
        self._completions[state] = completion
        if result.status == Status.optimal:
            self._keep_path(kitchen.engine, state, result.actions)
        return completion

    def _keep_path(self, engine: CompiledKitchen, state: State, plan_actions: tuple[str, ...]) -> None:
        """Store the completions of the states to which an optimal plan leads."""
        for count, action in enumerate(plan_actions[:-1], 1):
            code = engine.find(state, action)
            if code is None:
                break
            state = engine.step(state, code)
            actions = plan_actions[count:]
            ticks = engine.ticks(state, len(actions))
            self._completions[state] = _Completion(ticks, ticks, actions)


class Solver:
    """Values and options of one run; ``limit`` is that of one state.

    A legal action saves at most one step of a best plan, so totals (executed actions included) never fall. Refused
    actions change no state; by the rule ``count_refused`` each takes a step.
    """

    grid = 1
    clock = 0

    def __init__(self, run: KitchenRun, limit: Limit) -> None:
        self.run = run
        self.limit = limit
        self.done = run.legal
        self._kitchen = _RuledKitchen.of(run)
        self._run_values = RunValues(limit)
        record = run.record
        after = (state for step, state in zip(record.steps, record.states[1:], strict=True) if step.valid)
        self._states = [record.states[0], *after]

    @property
    def over(self) -> str | None:
        """``completed`` where the goal is reached."""
        return "completed" if self.run.success else None

    @cached_property
    def values(self) -> list[Value]:
        """Totals before the first and after every action; a refused action adds its step to the last one."""
        last = len(self.done)
        totals: list[Value | None] = [None] * (last + 1)
        totals[0] = self._value(0)
        if last:
            totals[-1] = self._value(last)
            fill(totals, 0, last, lambda k, _low, _high: self._value(k), self._follow)
        filled = [total for total in totals if total is not None]
        numbers_of_actions = accumulate((step.valid for step in self.run.record.steps), initial=0)
        return [self._with_refusals(filled[count], tried - count) for tried, count in enumerate(numbers_of_actions)]

    @cached_property
    def value(self) -> Value:
        """Total at the end of the run."""
        count = len(self.done)
        return self._with_refusals(self._value(count), len(self.run.record.steps) - count)

    def _with_refusals(self, total: Value, refusals: int) -> Value:
        """Return a total of legal actions with the steps of refused ones."""
        return total.later(refusals) if self.run.rules.count_refused else total

    @cached_property
    def rest(self) -> Result:
        """Best completion from the end of the run."""
        return self._kitchen.complete(self.done, self.limit)

    def complete_plan(self, value: Value) -> str | None:
        """Return the legal actions with those of a best completion."""
        completion = self._run_values.completion(self._kitchen, self._states[-1], self.done)
        return "\n".join((*self.done, *completion.actions))

    def contradiction(self, count: int) -> tuple[str, ...]:
        """Return an empty tuple: kitchens have no conflicts."""
        return ()

    def options(self, value: Value) -> Iterator[Option]:
        """Yield every legal action."""
        engine, state = self.run.record.rules, self._states[-1]
        refusals = len(self.run.record.steps) - len(self.done)
        for code in engine.legal(state):
            action = engine.actions[code].text
            total = self._total([*self.done, action], engine.step(state, code))
            yield Option.of(action, "act", value, self._with_refusals(total, refusals))

    def _value(self, count: int) -> Value:
        return self._total(self.done[:count], self._states[count])

    def _total(self, done: list[str], state: State) -> Value:
        now = len(done) // (len(self.run.problem.players) if self.run.problem.unit == "round" else 1)
        return self._run_values.completion(self._kitchen, state, done).total(now)

    def _follow(self, k: int, value: Value) -> Value | None:
        return None if self._run_values.stored_completion(self._states[k + 1]) is None else self._value(k + 1)
