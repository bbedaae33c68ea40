"""Solve a problem of any kind to proved optimality, or as far as the time allows."""

from __future__ import annotations

from collections.abc import Sequence

from planoracle.instances.deadline import Limit
from planoracle.instances.problem import Problem
from planoracle.instances.profiles import Rules
from planoracle.solver.engine import engine_of
from planoracle.solver.result import Options, Result, Told


def solve(
    problem: Problem,
    *,
    rules: Rules | None = None,
    time_limit: Limit = 60.0,
    seed: int = 0,
    workers: int = 1,
    finest: bool = False,
    after: Sequence[str] = (),
    fewest_pieces: bool = False,
    told: Told | None = None,
) -> Result:
    """Find a best plan and prove it: a schedule of least makespan, or the fewest steps in a kitchen.

    Parameters
    ----------
    rules
        Profile by which a kitchen runs, the released one by default. Schedules have theirs in the problem.
    time_limit
        Seconds of wall time, or counted work (`planoracle.instances.deadline.Work`). When they are over, the best plan
        and bound so far are returned.
    seed, workers, finest
        See `planoracle.solver.exact.solve.solve`; the search in kitchens needs none of them.
    after
        Actions that have been carried out already in a kitchen; the plan goes on from there.
    fewest_pieces
        Of schedules that are as short return one that pauses least, see `planoracle.solver.exact.whole`; `Result.proof`
        says whether there is none with fewer pieces. Elsewhere nothing can be paused.
    told
        Hears of every better plan and bound while a kitchen or a floor is solved; what comes out does not depend on it.

    Raises
    ------
    InputError
        For ``rules`` or ``after`` with a problem that has no use for them, or that they do not fit.
    InternalError
        If a plan found does not pass the rules; never returned as an answer.

    Examples
    --------
    >>> from planoracle.instances.catalogue import problem
    >>> for name in ("timearena/household1", "kitchens/synchronous/0_cheese_sandwich"):
    ...     result = solve(problem(name))
    ...     print(result.instance, result.status, result.makespan, result.unit)
    timearena/household1 optimal 13 minute
    kitchens/synchronous/0_cheese_sandwich optimal 12 step
    """
    options = Options(rules, time_limit, seed, workers, finest, tuple(after), fewest_pieces, told)
    return engine_of(problem).solve(problem, options)
