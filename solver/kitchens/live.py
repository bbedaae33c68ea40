"""States of live runs in kitchens, see `planoracle.solver.live`: every state on a known best plan has its value."""

from __future__ import annotations

from typing import NamedTuple

from planoracle.instances.deadline import Limit, Status
from planoracle.instances.kitchens.compiled import State
from planoracle.instances.kitchens.run import KitchenRun
from planoracle.solver.kitchens.planner import plan
from planoracle.solver.known import known as shipped
from planoracle.solver.live import Known
from planoracle.solver.result import Result
from planoracle.solver.states.ground import NEVER
from planoracle.solver.states.solver import Value

# States kept.
_MOST = 100_000


class _Left(NamedTuple):
    """What is left in a state: bounds of the steps, and a plan of the most."""

    least: int
    most: int | None
    actions: tuple[str, ...] = ()


class Values:
    """Values of runs in one kitchen; ``limit`` is the planner's at one state."""

    def __init__(self, limit: Limit) -> None:
        self.limit = limit
        self._left: dict[State, _Left] = {}

    def known(self, run: KitchenRun, before: Known | None = None) -> Known:
        """Return what is known of where a run stopped; a plan for a state is one for all states on it."""
        done, state = run.legal, run.record.states[-1]
        if run.success:
            return Known(Value(len(done), len(done)))
        least = 0 if before is None else before.value.lower - len(done)  # totals never fall
        left = self._left.get(state) or self._found(run, done, state, least)
        if left.least >= NEVER:
            return Known(Value(NEVER, None))
        most = None if left.most is None else len(done) + left.most
        return Known(Value(len(done) + left.least, most))

    def commands(self, run: KitchenRun, known: Known) -> list[str] | None:
        """Return the actions of a best plan, or of the best one known."""
        if run.success:
            return []
        left = self._left.get(run.record.states[-1])
        return None if left is None or left.most is None else list(left.actions)

    def _found(self, run: KitchenRun, done: list[str], state: State, least: int) -> _Left:
        found = None if done else shipped(run.problem, run.rules)
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
