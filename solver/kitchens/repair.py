"""Repair of runs in kitchens.

The goal does not fix the actions, so the nearest plan keeps the longest possible prefix of the submission.

"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

from planoracle.instances.benchmarks.kitchens.run import KitchenRun
from planoracle.instances.benchmarks.kitchens.simulation import StepRecord, trace
from planoracle.instances.errors import InternalError
from planoracle.instances.model.limits import Limit, Status, deadline_of
from planoracle.instances.protocol.plan import DroppedCommand
from planoracle.solver.kitchens.astar import plan
from planoracle.solver.repair.plan_repair import Repair
from planoracle.solver.result import Result


def repair_kitchen(run: KitchenRun, best: Result, time_limit: Limit) -> Repair:
    """Repair a run.

    Refused actions are dropped, for they change no state. Of the others the longest prefix is retained from which the
    goal can still be reached (within the submission's limit, if any), and completed with the fewest steps.

    Parameters
    ----------
    best
        Result of the kitchen under the rules of the run.
    time_limit
        Seconds of wall time, or counted work.

    Returns
    -------
    Repair
        ``optimal`` if no longer prefix can be retained, nor be completed in fewer steps, proved. ``dropped`` has the
        removed actions, ``added`` the completion.
    """
    return _Search(run, best, time_limit).run()


class _Search:
    """Search for one submission."""

    def __init__(self, run: KitchenRun, best: Result, time_limit: Limit) -> None:
        self.deadline = deadline_of(time_limit)
        self.kitchen = run.problem
        self.rules = run.rules
        self.submitted_plan = run.plan.submitted
        self.commands = run.plan.commands
        self.limit = run.plan.limit
        self.submitted = run.record
        self.positions = [n for n, step in enumerate(self.submitted.steps) if step.valid]
        self.legal = [self.commands[n] for n in self.positions]
        self.rest = {0: best}  # by the length of the prefix
        self.sure = True  # no prefix was skipped for lack of time

    def run(self) -> Repair:
        best = self.rest[0]
        optimum = self._steps(best) if best.status == Status.optimal else None
        if self.submitted.success and not self.submitted.refusals:
            steps = self.submitted.steps_taken
            return self._answer(
                Status.optimal, optimum, makespan=steps, changed=False, shift=0, plan=self.submitted_plan
            )
        if self.submitted.success:
            return self._complete(len(self.legal), (), Status.optimal, optimum)
        if not self._reaches(0):
            is_infeasible = best.status == Status.infeasible or (best.status == Status.optimal and self.sure)
            return self._answer(Status.infeasible if is_infeasible else Status.unknown, optimum)
        count = self._longest()
        rest = self._plan(count)
        proved = self.sure and rest.status == Status.optimal
        return self._complete(count, rest.actions, Status.optimal if proved else Status.feasible, optimum)

    def _longest(self) -> int:
        """Return the longest prefix: if the goal can be reached after some actions, it can after fewer."""
        most = len(self.legal)
        if self._reaches(most):
            return most
        return bisect_left(range(most), True, lo=1, key=lambda count: not self._reaches(count)) - 1

    def _plan(self, count: int) -> Result:
        """Complete a prefix within half of the remaining time, so that shorter prefixes get the rest."""
        if count not in self.rest:
            half = self.deadline.sooner(self.deadline.remaining() / 2)
            self.rest[count] = plan(self.kitchen, time_limit=half, rules=self.rules, after=self.legal[:count])
        return self.rest[count]

    def _reaches(self, count: int) -> bool:
        """Return whether a prefix can be completed; note if the answer is not proved."""
        rest = self._plan(count)
        if rest.status in (Status.optimal, Status.feasible) and self._run(count, rest.actions).success:
            return True
        self.sure = self.sure and rest.status.settled
        return False

    def _run(self, count: int, actions: Sequence[str]) -> StepRecord:
        return trace(self.kitchen, [*self.legal[:count], *actions], self.rules, self.limit)

    def _steps(self, result: Result) -> int | None:
        return result.rounds if self.rules.moves == "joint" else result.makespan

    def _complete(self, count: int, actions: tuple[str, ...], status: Status, optimum: int | None) -> Repair:
        run = self._run(count, actions)
        if not run.success or run.refusals:
            raise InternalError(f"{self.kitchen.name}: the rules reject a repaired plan")
        refused = [
            DroppedCommand(refusal.position, self.commands[refusal.position][:200], refusal.message)
            for refusal in self.submitted.refusals
        ]
        cut = [DroppedCommand(n, self.commands[n][:200], "leads nowhere from here") for n in self.positions[count:]]
        return self._answer(
            status,
            optimum,
            changed=True,
            makespan=run.steps_taken,
            added=actions,
            dropped=tuple(sorted((*refused, *cut))),
            plan=[*self.legal[:count], *actions],
        )

    def _answer(self, status: Status, optimum: int | None, **more: Any) -> Repair:
        return Repair(
            instance=self.kitchen.name,
            benchmark=self.kitchen.benchmark,
            status=status,
            violations=len(self.submitted.refusals),
            optimum=optimum,
            unit=self.kitchen.unit,
            **more,
        )
