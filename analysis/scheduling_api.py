"""Function of the public API that schedules by a heuristic."""

from __future__ import annotations

from math import inf

from planoracle.heuristics.improve import Budget
from planoracle.heuristics.registry import run
from planoracle.instances.model.limits import Status
from planoracle.instances.model.problem import Problem
from planoracle.solver.result import Result, versions


def schedule(
    problem: Problem, method: str = "improve", *, seed: int = 0, iterations: int = 300, seconds: float | None = None
) -> Result:
    """Schedule fast, by a heuristic, which proves nothing.

    Parameters
    ----------
    problem
        Scheduling problem.
    method
        Name of the heuristic. On problems of its benchmark ``dfs`` suffices for ``recipe2plan-dfs``. ``greedy`` is the
        greedy algorithm of the benchmark's paper, or else the first of our fixed rules that finds a schedule.
    seed, iterations, seconds
        See `planoracle.plugin.Budget`; ``seconds`` is its time limit.

    Returns
    -------
    Result
        ``feasible`` with a schedule that the rules accept, or ``unknown``; its ``proof`` then says why.

    Raises
    ------
    UnknownNameError
        If there is no heuristic of that name.
    InputError
        If the heuristic is not for problems of that kind.

    Examples
    --------
    >>> from planoracle import load
    >>> schedule(load("timearena/household1"), "serial-spt").makespan
    16
    >>> schedule(load("timearena/household1"), "greedy").method
    'timearena-greedy'
    """
    budget = Budget(seed, iterations, inf if seconds is None else seconds)
    answer = run(problem, method, budget)
    status = Status.unknown if answer.makespan is None else Status.feasible
    proof = f"{answer.heuristic}: {answer.reason}" if answer.reason else answer.heuristic
    return Result(
        instance=problem.name,
        status=status,
        makespan=answer.makespan,
        plan=answer.plan,
        seconds=answer.seconds,
        proof=proof,
        versions=versions(),
        seed=seed,
        kind=problem.kind,
        unit=problem.unit,
        schedule=answer.schedule,
        problem=problem,
        method=answer.heuristic,
    )
