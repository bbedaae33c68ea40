"""Repair of runs in kitchens."""

from __future__ import annotations

from collections.abc import Sequence

from planoracle.instances.benchmarks.kitchens.run import KitchenRun
from planoracle.instances.benchmarks.kitchens.simulation import StepRecord, trace
from planoracle.instances.errors import InternalError
from planoracle.instances.model.limits import Limit, Status
from planoracle.instances.protocol.plan import DroppedCommand
from planoracle.solver.kitchens.astar import plan
from planoracle.solver.repair.plan_repair import Repair
from planoracle.solver.repair.prefix import PrefixRepair
from planoracle.solver.result import Result


class KitchenRepair(PrefixRepair):
    """Repair of one run.

    Refused actions are dropped, for they change no state. Of the others the longest prefix is retained from which the
    goal can still be reached (within the submission's limit, if any), and completed with the fewest steps.
    """

    run: KitchenRun

    def __init__(self, run: KitchenRun, best: Result, time_limit: Limit) -> None:
        self._commands = run.plan.commands
        self._positions = [n for n, step in enumerate(run.record.steps) if step.valid]
        self._legal = [self._commands[n] for n in self._positions]
        super().__init__(run, best, len(self._legal), time_limit)

    def plan(self, count: int, limit: Limit) -> Result:
        """Complete the first legal actions with the fewest steps."""
        return plan(self.run.problem, time_limit=limit, rules=self.run.rules, after=self._legal[:count])

    def passes(self, count: int, result: Result) -> bool:
        """Return whether the goal is reached within the limit of the submission."""
        return self._trace(count, result.actions).success

    def _trace(self, count: int, actions: Sequence[str]) -> StepRecord:
        run, commands = self.run, [*self._legal[:count], *actions]
        return trace(run.problem, commands, run.rules, run.plan.limit)

    def complete(self, count: int, result: Result, status: Status) -> Repair:
        """Return the first legal actions with their completion, replayed by the rules."""
        repaired = self._trace(count, result.actions)
        if not repaired.success or repaired.refusals:
            raise InternalError(f"{self.run.problem.name}: the rules reject a repaired plan")
        refused = [
            DroppedCommand(refusal.position, self._commands[refusal.position][:200], refusal.message)
            for refusal in self.run.record.refusals
        ]
        cut = [DroppedCommand(n, self._commands[n][:200], "leads to a dead end") for n in self._positions[count:]]
        actions = [*self._legal[:count], *result.actions]
        return self.answer(
            status, repaired.steps_taken, actions, added=result.actions, dropped=sorted((*refused, *cut))
        )
