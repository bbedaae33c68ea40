"""Floors: nothing says which actions are to be done, so near means to keep what can be kept of the beginning."""

from __future__ import annotations

import json
from bisect import bisect_left
from typing import Any

from planoracle.instances.benchmarks.grid_kitchens.run import GridKitchenRun
from planoracle.instances.errors import InternalError
from planoracle.instances.model.limits import Limit, Status, deadline_of
from planoracle.instances.protocol.plan import DroppedCommand
from planoracle.instances.protocol.registry import of
from planoracle.solver.grid_kitchens.completion import CompletedWork, PlanAndBound, found_of, left_of
from planoracle.solver.grid_kitchens.planner import plan
from planoracle.solver.repair.plan_repair import Repair
from planoracle.solver.result import Result


def repair_floor(run: GridKitchenRun, best: Result, time_limit: Limit) -> Repair:
    """Repair a run.

    Of what was done before the run failed or stopped the longest beginning is kept from which all orders can still be
    served, as far as that is found, and completed as soon as can be. The plan is one that is handed in as a whole.

    Parameters
    ----------
    best
        What is known of the floor itself under the rules of the run.
    time_limit
        Seconds of wall time, or counted work.

    Returns
    -------
    Repair
        ``optimal`` if it is proved that no longer beginning can be kept, nor be completed sooner. What is cut off is
        among ``dropped``, what completes the plan in ``added``.
    """
    return _Search(run, best, time_limit).run()


class _Search:
    """The search for one submission."""

    def __init__(self, run: GridKitchenRun, best: Result, time_limit: Limit) -> None:
        self.deadline = deadline_of(time_limit)
        self.submitted = run
        self.done = CompletedWork(run)
        self.best = best
        self.found = {0: found_of(best)}  # by the number of actions kept
        self.sure = True  # no beginning was passed over for lack of time

    def run(self) -> Repair:
        if self.submitted.success:
            makespan = self.submitted.makespan
            return self._answer(
                Status.optimal, makespan=makespan, changed=False, shift=0, plan=self.submitted.plan.given
            )
        if not self._reaches(0):
            known = self.best.status == Status.infeasible
            return self._answer(Status.infeasible if known else Status.unknown)
        kept = self._longest()
        found = self._plan(kept)
        return self._complete(kept, found, proved=self.sure and found.status == Status.optimal)

    def _longest(self) -> int:
        """Return how many actions can be kept: if all orders can be served after some, they can after fewer."""
        most = self.done.count if self.done.faithful else 0
        if self._reaches(most):
            return most
        return bisect_left(range(most), True, lo=1, key=lambda kept: not self._reaches(kept)) - 1

    def _plan(self, kept: int) -> PlanAndBound:
        """Complete a beginning; half the time left is spent, so that something is left for shorter ones."""
        if kept not in self.found:
            half = self.deadline.sooner(self.deadline.remaining() / 2)
            self.found[kept] = plan(self.submitted.problem, self.submitted.rules, half, self.done.begun(kept))
        return self.found[kept]

    def _reaches(self, kept: int) -> bool:
        """Whether a beginning can be completed; notes where it is not known that it cannot."""
        found = self._plan(kept)
        self.sure = self.sure and found.status.settled
        return found.plan is not None

    def _complete(self, kept: int, found: PlanAndBound, *, proved: bool) -> Repair:
        floor, rules = self.submitted.problem, self.submitted.rules
        assert found.plan is not None
        run = of(floor).run(floor, {"instance": floor.name, "plan": found.plan}, rules)
        if not run.success or run.makespan != found.makespan:
            raise InternalError(f"{floor.name}: a repaired plan of ours does not pass the rules")
        left = left_of(found.plan, self.done.begun(kept))
        added = tuple(json.dumps({name: [action]}) for name, actions in left.items() for action in actions)
        fatal = self.submitted.verdict.fatal
        dropped = [
            DroppedCommand(
                step.position, step.command[:200], fatal.message if fatal and step.violation else "leads nowhere"
            )
            for step in self.submitted.steps[kept:]
        ]
        return self._answer(
            Status.optimal if proved else Status.feasible,
            changed=True,
            makespan=run.makespan,
            added=added,
            dropped=tuple(dropped),
            plan=found.plan,
        )

    def _answer(self, status: Status, **more: Any) -> Repair:
        floor = self.submitted.problem
        return Repair(
            instance=floor.name,
            benchmark=floor.benchmark,
            status=status,
            violations=len(self.submitted.verdict.violations),
            optimum=self.best.makespan if self.best.status == Status.optimal else None,
            unit=floor.unit,
            **more,
        )
