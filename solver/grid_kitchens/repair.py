"""Repair of runs in grid kitchens.

The goal does not fix the actions, so the nearest plan keeps the longest possible prefix of the submission.

"""

from __future__ import annotations

import json
from bisect import bisect_left
from typing import Any

from planoracle.instances.benchmarks.grid_kitchens.run import GridKitchenRun
from planoracle.instances.errors import InternalError
from planoracle.instances.model.limits import Limit, Status, deadline_of
from planoracle.instances.protocol.plan import DroppedCommand
from planoracle.instances.protocol.registry import of
from planoracle.solver.grid_kitchens.completion import CompletedWork, PlanAndBound, outcome_of, rest_of_plan
from planoracle.solver.grid_kitchens.planner import plan
from planoracle.solver.repair.plan_repair import Repair
from planoracle.solver.result import Result


def repair_run(run: GridKitchenRun, best: Result, time_limit: Limit) -> Repair:
    """Repair a run.

    The longest prefix of the executed actions is retained from which all orders can still be served, as far as the
    search finds it, and completed as early as possible. The plan is submitted as a whole.

    Parameters
    ----------
    best
        Result of the kitchen under the rules of the run.
    time_limit
        Seconds of wall time, or counted work.

    Returns
    -------
    Repair
        ``optimal`` if no longer prefix can be retained, nor be completed earlier, proved. ``dropped`` has the removed
        actions, ``added`` the completion.
    """
    return _Search(run, best, time_limit).run()


class _Search:
    """Search for one submission."""

    def __init__(self, run: GridKitchenRun, best: Result, time_limit: Limit) -> None:
        self.deadline = deadline_of(time_limit)
        self.submitted = run
        self.done = CompletedWork(run)
        self.best = best
        self.outcomes = {0: outcome_of(best)}  # by the length of the prefix
        self.sure = True  # no prefix was skipped for lack of time

    def run(self) -> Repair:
        if self.submitted.success:
            makespan = self.submitted.makespan
            return self._answer(
                Status.optimal, makespan=makespan, changed=False, shift=0, plan=self.submitted.plan.submitted
            )
        if not self._reaches(0):
            is_infeasible = self.best.status == Status.infeasible
            return self._answer(Status.infeasible if is_infeasible else Status.unknown)
        count = self._longest()
        outcome = self._plan(count)
        return self._complete(count, outcome, proved=self.sure and outcome.status == Status.optimal)

    def _longest(self) -> int:
        """Return the longest prefix: if all orders can be served after some actions, they can after fewer."""
        most = self.done.count if self.done.faithful else 0
        if self._reaches(most):
            return most
        return bisect_left(range(most), True, lo=1, key=lambda count: not self._reaches(count)) - 1

    def _plan(self, count: int) -> PlanAndBound:
        """Complete a prefix within half of the remaining time, so that shorter prefixes get the rest."""
        if count not in self.outcomes:
            half = self.deadline.sooner(self.deadline.remaining() / 2)
            self.outcomes[count] = plan(self.submitted.problem, self.submitted.rules, half, self.done.prefix(count))
        return self.outcomes[count]

    def _reaches(self, count: int) -> bool:
        """Return whether a prefix can be completed; note if the answer is not proved."""
        outcome = self._plan(count)
        self.sure = self.sure and outcome.status.settled
        return outcome.plan is not None

    def _complete(self, count: int, outcome: PlanAndBound, *, proved: bool) -> Repair:
        problem, rules = self.submitted.problem, self.submitted.rules
        assert outcome.plan is not None
        run = of(problem).run(problem, {"instance": problem.name, "plan": outcome.plan}, rules)
        if not run.success or run.makespan != outcome.makespan:
            raise InternalError(f"{problem.name}: the rules reject a repaired plan")
        rest = rest_of_plan(outcome.plan, self.done.prefix(count))
        added = tuple(json.dumps({name: [action]}) for name, actions in rest.items() for action in actions)
        fatal = self.submitted.verdict.fatal
        dropped = [
            DroppedCommand(
                step.position, step.command[:200], fatal.message if fatal and step.violation else "leads nowhere"
            )
            for step in self.submitted.steps[count:]
        ]
        return self._answer(
            Status.optimal if proved else Status.feasible,
            changed=True,
            makespan=run.makespan,
            added=added,
            dropped=tuple(dropped),
            plan=outcome.plan,
        )

    def _answer(self, status: Status, **more: Any) -> Repair:
        problem = self.submitted.problem
        return Repair(
            instance=problem.name,
            benchmark=problem.benchmark,
            status=status,
            violations=len(self.submitted.verdict.violations),
            optimum=self.best.makespan if self.best.status == Status.optimal else None,
            unit=problem.unit,
            **more,
        )
