"""States of live runs on scheduling problems, see `planoracle.solver.live`: one model, and a schedule to follow."""

from __future__ import annotations

from dataclasses import dataclass, replace

from planoracle.instances.deadline import Limit
from planoracle.instances.model import Instance
from planoracle.instances.trajectory import AnyTrajectory, DecisionPoint
from planoracle.solver.live import Known
from planoracle.solver.states.ground import NEVER
from planoracle.solver.states.solver import Value
from planoracle.solver.states.values import Solvers, kept, state_solver, step_of, value_of

# Instances with solvers of their own: calls that shift delays make ever new ones.
_MOST = 16


@dataclass(frozen=True, slots=True)
class _Keep:
    """Where a run stood: its point, how many steps it had, and on which grid of ticks it was valued."""

    point: DecisionPoint
    count: int
    step: int


class Values:
    """Values of runs on one problem; ``limit`` is that of one state."""

    def __init__(self, limit: Limit) -> None:
        self.limit = limit
        self._solvers: Solvers = {}
        self._same: dict[Instance, Instance] = {}
        self._last: Instance | None = None

    def known(self, run: AnyTrajectory, before: Known | None = None) -> Known:
        """Return what is known of where a run stopped."""
        if run.impossible is not None:
            return Known(Value(NEVER, None))
        here, step = self._here(run), step_of(run)
        keep = _Keep(here, run.stop, step)
        if here.dead_end or here.complete or before is None or not isinstance(before.keep, _Keep):
            return Known(value_of(here, step, limit=self.limit, solvers=self._solvers), keep)
        old = before.keep
        moves = run.steps[old.count : run.stop]
        if old.step != step or old.point.dead_end or not all(move.restricts for move in moves):
            return Known(value_of(here, step, limit=self.limit, solvers=self._solvers), keep)
        value = kept(old.point, before.value, here, step, self._solvers)
        if value is None:
            value = value_of(here, step, before.value.lower, limit=self.limit, solvers=self._solvers)
        return Known(value, keep)

    def commands(self, run: AnyTrajectory, known: Known) -> list[str] | None:
        """Return the rest of the schedule that proves the value, command by command."""
        here = self._here(run)
        if here.complete:
            return []
        witness = known.value.witness
        if witness is None or here.dead_end:
            return None
        rest = state_solver(self._solvers, here.instance, step_of(run)).completion(witness, here.state)
        return run.commands(here, rest)

    def _here(self, run: AnyTrajectory) -> DecisionPoint:
        """Return the point where a run stopped, with the same instance for all that are equal."""
        here = run.points[run.stop]
        if here.instance is self._last:
            return here
        if len(self._same) >= _MOST and here.instance not in self._same:
            self._same.clear()
            self._solvers.clear()
        same = self._last = self._same.setdefault(here.instance, here.instance)
        return here if same is here.instance else replace(here, instance=same)
