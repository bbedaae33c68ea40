"""Best plans as graders know them: those that ship, else each solved once, per process, and kept on the disk.

What the disk holds was found by the same work, so that it says what would be found again; and it is not believed: a
plan that comes from it is replayed by the rules like any other, and solved anew if it does not pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from time import perf_counter

from planoracle.analysis.batch.store import Store, default_store
from planoracle.instances.deadline import Limit, Work
from planoracle.instances.digest import FORMAT, digest, fingerprint
from planoracle.instances.memo import Memo
from planoracle.instances.problem import Problem
from planoracle.instances.profiles import Rules
from planoracle.solver.engine import engine_of
from planoracle.solver.known import known
from planoracle.solver.result import Result, versions
from planoracle.solver.solve import solve

__all__ = ["WORK", "optimum", "remembering"]

#: Work for one question of a grader, where nothing else is asked for.
WORK = Work(10.0)

_forgetful = False


@contextmanager
def remembering(wanted: bool) -> Iterator[None]:
    """Do without the disk in this process for a while, if so ``wanted``."""
    global _forgetful  # noqa: PLW0603  # a switch of the process, like the environment variable it overrides
    before, _forgetful = _forgetful, not wanted
    try:
        yield
    finally:
        _forgetful = before


@Memo
def optimum(problem: Problem, rules: Rules | None = None, *, limit: Limit = WORK) -> Result:
    """Return what ships about a problem, what was found within the same limit before, or what is found now.

    What is found in so many seconds of wall time is not kept, for it depends on the machine.
    ``rules`` are as in `planoracle.solver.solve.solve`.
    """
    shipped = known(problem, rules)
    if shipped is not None:
        return shipped
    store: Store | None = None if _forgetful or not isinstance(limit, Work) else default_store()
    if store is None:
        return solve(problem, rules=rules, time_limit=limit)
    key = digest("optimum", FORMAT, versions(), fingerprint(problem), rules, limit)
    entry = store.get(key)
    if entry is not None:
        began = perf_counter()
        try:
            found = engine_of(problem).unpacked(problem, rules, entry)
            return replace(found, seconds=perf_counter() - began)
        except Exception as error:  # whatever the file holds
            store.drop(key, f"does not hold ({type(error).__name__}: {error})"[:500])
    found = solve(problem, rules=rules, time_limit=limit)
    store.put(key, engine_of(problem).packed(problem, rules, found))
    return found
