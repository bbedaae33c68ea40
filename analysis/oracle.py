"""What graders ask the solvers: optima, what is left of a run, and the values of its states, each worked out once."""

from __future__ import annotations

from collections.abc import Sequence

from planoracle.analysis.optimum import WORK, optimum
from planoracle.instances import registry
from planoracle.instances.benchmark import AnyRun
from planoracle.instances.deadline import Limit, Work
from planoracle.instances.problem import Problem
from planoracle.instances.profiles import Rules
from planoracle.instances.scoring import Best
from planoracle.solver.runs import solver_of


class Oracle:
    """Answers by our solvers.

    Parameters
    ----------
    limit
        For a problem, and for one state of a run: counted work, so that no answer depends on the machine or its load,
        or seconds of wall time. Of work, best plans of a benchmark get its `pricing`.
    """

    def __init__(self, limit: Limit = WORK) -> None:
        self.limit = limit

    def best(self, problem: Problem, rules: Rules) -> Best:
        """Return what is known about the best plans under some rules."""
        limit, share = self.limit, registry.of(problem).pricing
        if isinstance(limit, Work) and share != 1.0:
            limit = Work(limit.seconds * share)
        # Rules of schedules are in the problem.
        deciding = None if problem.kind == "schedule" else rules.deciding()
        return optimum(problem, limit=limit) if deciding is None else optimum(problem, deciding, limit=limit)

    def rest(self, run: AnyRun) -> Best:
        """Return the best way to go on where a run ended; the makespan is that of what is left."""
        return solver_of(run, self.limit).rest

    def values(self, run: AnyRun) -> Sequence[int | None]:
        """Return the best makespan within reach before the first and after every step, ``None`` where unknown."""
        return [value.makespan for value in solver_of(run, self.limit).values]
