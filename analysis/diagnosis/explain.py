"""Explanation of an optimum by a certificate, or of infeasibility by a conflict."""

from __future__ import annotations

from planoracle.instances.model.limits import Limit, WorkLimit
from planoracle.instances.model.problem import Problem
from planoracle.solver.explanation import Explanation
from planoracle.solver.solve import engine_of

#: Default work.
WORK = WorkLimit(60.0)


def explain(problem: Problem, *, time_limit: Limit = WORK) -> Explanation:
    """Solve a problem and explain the result.

    Parameters
    ----------
    problem
        Problem of any kind, as returned by `load`.
    time_limit
        Seconds of wall time, or counted work. To solve a scheduling problem takes at most half of it; the rest is for
        the proof, or for a conflict if it is infeasible.

    Raises
    ------
    NoSolverError
        If the problem has no solver, and no result of it is bundled.
    InternalError
        If a schedule does not pass the rules, or a proof fails its check.

    Examples
    --------
    >>> from planoracle.instances.files.catalog import load
    >>> for line in explain(load("asynctool/files_1")).lines():
    ...     print(line)
    asynctool/files_1: optimal, 4 turns.
    Proof that no schedule is shorter (critical path):
    (1) Call 1 of files_1 (enter_folder) 1 turn + minimum lag from call 1 of files_1 (enter_folder) to call 2 \
of files_1 (make_folder) 1 turn + call 2 of files_1 (make_folder) 1 turn + ALL COMPLETED 1 turn = 4 turns: the \
makespan is at least 4 turns.
    """
    return engine_of(problem).explain(problem, time_limit)
