"""Kitchens: nothing says which actions are to be done, so near means to keep what can be kept of the beginning."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

from planoracle.instances.benchmarks.kitchens.run import KitchenRun, StepRecord, replay
from planoracle.instances.errors import InternalError
from planoracle.instances.model.limits import Limit, Status, deadline_of
from planoracle.instances.protocol.plan import DroppedCommand
from planoracle.solver.kitchens.astar import plan
from planoracle.solver.repair.plan_repair import Repair
from planoracle.solver.result import Result


def repair_kitchen(run: KitchenRun, best: Result, time_limit: Limit) -> Repair:
    """Repair a run.

    Refused actions are dropped, for they change nothing. Of the others the longest beginning is kept from which the
    goal can still be reached (within the submission's limit, if it has one), and completed with the fewest steps.

    Parameters
    ----------
    best
        What is known of the kitchen itself under the rules of the run.
    time_limit
        Seconds of wall time, or counted work.

    Returns
    -------
    Repair
        ``optimal`` if it is proved that no longer beginning can be kept, nor be completed in fewer steps. What is cut
        off is among ``dropped``, what completes the plan in ``added``.
    """
    return _Search(run, best, time_limit).run()


class _Search:
    """The search for one submission."""

    def __init__(self, run: KitchenRun, best: Result, time_limit: Limit) -> None:
        self.deadline = deadline_of(time_limit)
        self.kitchen = run.problem
        self.rules = run.rules
        self.given = run.plan.given
        self.made = run.plan.commands
        self.limit = run.plan.limit
        self.submitted = run.record
        self.positions = [n for n, step in enumerate(self.submitted.steps) if step.valid]
        self.legal = [self.made[n] for n in self.positions]
        self.rest = {0: best}  # by the number of actions kept
        self.sure = True  # no beginning was passed over for lack of time

    def run(self) -> Repair:
        best = self.rest[0]
        optimum = self._steps(best) if best.status == Status.optimal else None
        if self.submitted.success and not self.submitted.refusals:
            steps = self.submitted.steps_taken
            return self._answer(Status.optimal, optimum, makespan=steps, changed=False, shift=0, plan=self.given)
        if self.submitted.success:
            return self._complete(len(self.legal), (), Status.optimal, optimum)
        if not self._reaches(0):
            known = best.status == Status.infeasible or (best.status == Status.optimal and self.sure)
            return self._answer(Status.infeasible if known else Status.unknown, optimum)
        kept = self._longest()
        rest = self._plan(kept)
        proved = self.sure and rest.status == Status.optimal
        return self._complete(kept, rest.actions, Status.optimal if proved else Status.feasible, optimum)

    def _longest(self) -> int:
        """Return how many actions can be kept: if the goal can be reached after some, it can after fewer."""
        most = len(self.legal)
        if self._reaches(most):
            return most
        return bisect_left(range(most), True, lo=1, key=lambda kept: not self._reaches(kept)) - 1

    def _plan(self, kept: int) -> Result:
        """Complete a beginning; half the time left is spent, so that something is left for shorter ones."""
        if kept not in self.rest:
            half = self.deadline.sooner(self.deadline.remaining() / 2)
            self.rest[kept] = plan(self.kitchen, time_limit=half, rules=self.rules, after=self.legal[:kept])
        return self.rest[kept]

    def _reaches(self, kept: int) -> bool:
        """Whether a beginning can be completed; notes where it is not known that it cannot."""
        rest = self._plan(kept)
        if rest.status in (Status.optimal, Status.feasible) and self._run(kept, rest.actions).success:
            return True
        self.sure = self.sure and rest.status.settled
        return False

    def _run(self, kept: int, actions: Sequence[str]) -> StepRecord:
        return replay(self.kitchen, [*self.legal[:kept], *actions], self.rules, self.limit)

    def _steps(self, result: Result) -> int | None:
        return result.rounds if self.rules.moves == "joint" else result.makespan

    def _complete(self, kept: int, actions: tuple[str, ...], status: Status, optimum: int | None) -> Repair:
        run = self._run(kept, actions)
        if not run.success or run.refusals:
            raise InternalError(f"{self.kitchen.name}: a repaired plan of ours does not pass the rules")
        refused = [
            DroppedCommand(refusal.position, self.made[refusal.position][:200], refusal.message)
            for refusal in self.submitted.refusals
        ]
        cut = [DroppedCommand(n, self.made[n][:200], "leads nowhere from here") for n in self.positions[kept:]]
        return self._answer(
            status,
            optimum,
            changed=True,
            makespan=run.steps_taken,
            added=actions,
            dropped=tuple(sorted((*refused, *cut))),
            plan=[*self.legal[:kept], *actions],
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
