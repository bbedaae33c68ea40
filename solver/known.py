"""Optima that ship, see `planoracle.instances.optima`: what no search has to find again."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter

from planoracle.instances import registry
from planoracle.instances.memo import Memo
from planoracle.instances.optima import by_key, key_of
from planoracle.instances.problem import Problem
from planoracle.instances.profiles import Rules
from planoracle.solver.engine import engine_of
from planoracle.solver.result import Result

# Seconds of counted work that a search must have taken if it proved nothing: as much as anybody asks for by default.
_ENOUGH = 60.0


@Memo
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
    >>> from planoracle.instances.catalogue import load
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
