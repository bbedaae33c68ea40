"""What graders ask the solvers: optima, what is left of a run, and the values of its states, each worked out once."""

from __future__ import annotations

from collections.abc import Sequence

from planoracle.analysis.optimum import optimum
from planoracle.instances.benchmark import AnyRun
from planoracle.instances.problem import Problem
from planoracle.instances.profiles import Rules
from planoracle.instances.scoring import Best
from planoracle.solver.runs import solver_of

__all__ = ["Oracle"]


class Oracle:
    """Answers by our solvers.

    Parameters
    ----------
    seconds
        Wall time at most for a problem whose solver needs a limit, and for what is left of a run.
    """

    def __init__(self, seconds: float = 10.0) -> None:
        self.seconds = seconds

    def best(self, problem: Problem, rules: Rules) -> Best:
        """Return what is known about the best plans under some rules."""
        if problem.kind == "schedule":  # the rules are in it
            return optimum(problem)
        return optimum(problem, rules.deciding(), seconds=self.seconds)

    def rest(self, run: AnyRun) -> Best:
        """Return the best way to go on where a run ended; the makespan is that of what is left."""
        return solver_of(run, self.seconds).rest

    def values(self, run: AnyRun) -> Sequence[int | None]:
        """Return the best makespan within reach before the first and after every step, ``None`` where unknown."""
        return [value.makespan for value in solver_of(run, self.seconds).values]
