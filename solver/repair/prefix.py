"""Repair of runs in kitchens: the nearest plan keeps the longest possible prefix of the run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Sequence

from planoracle.instances.model.limits import Limit, Status, deadline_of
from planoracle.instances.protocol.benchmark import AnyRun
from planoracle.instances.protocol.plan import DroppedCommand
from planoracle.solver.repair.plan_repair import Repair
from planoracle.solver.result import Result


class PrefixRepair(ABC):
    """Search for the longest prefix of a run that can be completed, and for its best completion.

    A repair is ``optimal`` if no longer prefix can be retained, nor be completed earlier, proved.

    Parameters
    ----------
    best
        Result of the problem under the rules of the run.
    length
        Number of actions of the run.
    time_limit
        Seconds of wall time, or counted work.
    """

    def __init__(self, run: AnyRun, best: Result, length: int, time_limit: Limit) -> None:
        self.run = run
        self._length = length
        self._deadline = deadline_of(time_limit)
        self._results = {0: best}  # by the length of the prefix
        self._is_sure = True  # no prefix was skipped for lack of time

    @abstractmethod
    def plan(self, count: int, limit: Limit) -> Result:
        """Complete the first ``count`` actions."""

    @abstractmethod
    def complete(self, count: int, result: Result, status: Status) -> Repair:
        """Return the repair that keeps ``count`` actions, with their completion."""

    def passes(self, count: int, result: Result) -> bool:
        """Return whether a completed prefix keeps the limits of the run."""
        return True

    def repair(self) -> Repair:
        """Return the nearest plan that passes the rules."""
        best, run = self._results[0], self.run
        if run.success and not run.verdict.violations:
            return self.answer(Status.optimal, run.verdict.makespan, run.plan.submitted)
        if run.success:
            return self.complete(self._length, Result(run.problem.name, Status.optimal), Status.optimal)
        if not self._reaches(0):
            is_infeasible = best.status == Status.infeasible or (best.status == Status.optimal and self._is_sure)
            return self.answer(Status.infeasible if is_infeasible else Status.unknown)
        count = self._longest()
        result = self._plan(count)
        is_proved = self._is_sure and result.status == Status.optimal
        return self.complete(count, result, Status.optimal if is_proved else Status.feasible)

    def _longest(self) -> int:
        """Return the longest prefix: if the goal can be reached after some actions, it can after fewer."""
        if self._reaches(self._length):
            return self._length
        counts = range(self._length)
        return bisect_left(counts, True, lo=1, key=lambda count: not self._reaches(count)) - 1

    def _plan(self, count: int) -> Result:
        """Complete a prefix within half of the remaining time, so that shorter prefixes get the rest."""
        if count not in self._results:
            self._results[count] = self.plan(count, self._deadline.sooner(self._deadline.remaining() / 2))
        return self._results[count]

    def _reaches(self, count: int) -> bool:
        """Return whether a prefix can be completed; note if the answer is not proved."""
        result = self._plan(count)
        if result.plan is not None and self.passes(count, result):
            return True
        self._is_sure = self._is_sure and result.status.settled
        return False

    def answer(
        self,
        status: Status,
        makespan: int | None = None,
        plan: object = None,
        *,
        added: Sequence[str] | None = None,
        dropped: Sequence[DroppedCommand] = (),
    ) -> Repair:
        """Return a repair; without ``added`` actions the plan, if there is one, is what was submitted."""
        best, problem = self._results[0], self.run.problem
        changed = None if makespan is None else added is not None
        optimum = best.makespan if best.status == Status.optimal else None
        return Repair(
            instance=problem.name,
            benchmark=problem.benchmark,
            status=status,
            changed=changed,
            violations=len(self.run.verdict.violations),
            shift=0 if changed is False else None,
            makespan=makespan,
            optimum=optimum,
            added=tuple(added or ()),
            dropped=tuple(dropped),
            unit=problem.unit,
            plan=plan,
        )
