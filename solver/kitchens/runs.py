"""What is asked about runs in kitchens, see `planoracle.solver.runs`: steps, of all players together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import cast

from planoracle.instances.deadline import Limit, Status
from planoracle.instances.kitchens.run import KitchenRun
from planoracle.instances.plan import Dropped
from planoracle.instances.problem import Problem
from planoracle.instances.scoring import Best
from planoracle.solver.kitchens.planner import plan
from planoracle.solver.known import known
from planoracle.solver.repair.answer import Repair
from planoracle.solver.result import Result
from planoracle.solver.runs import Option
from planoracle.solver.states.ground import NEVER
from planoracle.solver.states.solver import Value
from planoracle.solver.states.values import fill


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
        best: Callable[[Problem], Best],
        objectives: tuple[str, ...],
        time_limit: Limit,
        salvaged: tuple[Dropped, ...],
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
        shipped = None if done else known(self.run.problem, self.run.rules)
        return shipped or plan(self.run.problem, time_limit=self.limit, rules=self.run.rules, after=done)

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
