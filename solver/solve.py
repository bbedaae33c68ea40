"""Optima that ship, see `planoracle.instances.protocol.bundled_optima`: what no search has to find again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any, Protocol

from planoracle.instances.errors import InputError
from planoracle.instances.model.cache import ProblemCache
from planoracle.instances.model.limits import Limit
from planoracle.instances.model.problem import Problem, check_problem
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.bundled_optima import by_key, key_of
from planoracle.instances.protocol.profiles import Rules
from planoracle.solver.result import Result, SolveOptions, Told

# Seconds of counted work that a search must have taken if it proved nothing: as much as anybody asks for by default.
_ENOUGH = 60.0


@ProblemCache
def known(problem: Problem, rules: Rules | None = None) -> Result | None:
    """Return what ships about a problem under some rules, its plan replayed by them; ``None`` if nothing does.

    What a short search has left unproved is passed over: who asks may search for longer.

    ``rules`` are as in `planoracle.solver.solve.solve`.

    Raises
    ------
    InternalError, ValueError
        If the rules do not accept the plan.

    Examples
    --------
    >>> from planoracle.instances.files.catalog import load
    >>> found = known(load("recipe2plan/timed/Cobbler_Pancakes"))
    >>> found.status, found.makespan
    ('optimal', 4080)
    """
    ways = registry.of(problem).optima.get(problem.name)
    if not ways:
        return None
    began, engine = perf_counter(), engine_of(problem)
    key = key_of(problem, engine.deciding(rules))
    entry = by_key(ways).get(key)
    if entry is None or entry.get("work", _ENOUGH) < _ENOUGH:
        return None
    found = engine.unpacked(problem, rules, entry)
    return replace(found, seconds=perf_counter() - began)


class Engine(Protocol):
    """Solves the problems of one kind; a module."""

    def solve(self, problem: Problem, options: SolveOptions) -> Result:
        """Solve a problem; raises `InputError` for options that make no sense for its kind."""

    def deciding(self, rules: Rules | None) -> Rules | None:
        """Return the rules as far as they decide which plans are best, the usual ones for ``None``."""

    def packed(self, problem: Problem, rules: Rules | None, result: Result) -> dict[str, Any]:
        """Return what of a result must be kept, as compact JSON, so that `unpacked` makes it again."""

    def unpacked(self, problem: Problem, rules: Rules | None, entry: dict[str, Any]) -> Result:
        """Return the result that was packed, its plan replayed by the rules; raises some error if it does not hold."""


def engine_of(problem: Problem) -> Engine:
    """Return the engine for a problem, by its kind; only this engine is imported.

    Raises
    ------
    InputError
        If there is no engine for problems of its kind.
    """
    if check_problem(problem).kind == "schedule":
        from planoracle.solver.exact import kind as exact

        return exact
    if problem.kind == "kitchen":
        from planoracle.solver.kitchens import kind as kitchens

        return kitchens
    if problem.kind == "floor":
        from planoracle.solver.grid_kitchens import kind as floors

        return floors
    raise InputError(f"{problem.name} must be a schedule, a kitchen or a floor", field="kind", value=problem.kind)


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
        Seconds of wall time, or counted work (`planoracle.instances.model.limits.WorkLimit`). When they are over, the
        best
        plan
        and bound so far are returned.
    seed, workers, finest
        See `planoracle.solver.exact.search.solve`; the search in kitchens needs none of them.
    after
        Actions that have been carried out already in a kitchen; the plan goes on from there.
    fewest_pieces
        Of schedules that are as short return one that pauses least, see `planoracle.solver.exact.lexicographic`;
        `Result.proof`
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
    >>> from planoracle.instances.files.catalog import problem
    >>> for name in ("timearena/household1", "kitchens/synchronous/0_cheese_sandwich"):
    ...     result = solve(problem(name))
    ...     print(result.instance, result.status, result.makespan, result.unit)
    timearena/household1 optimal 13 minute
    kitchens/synchronous/0_cheese_sandwich optimal 12 step
    """
    options = SolveOptions(rules, time_limit, seed, workers, finest, tuple(after), fewest_pieces, told)
    return engine_of(problem).solve(problem, options)
