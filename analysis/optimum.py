"""Proved optima, each solved once: per process, and kept on the disk for later ones.

The disk is not believed: a plan that comes from it is replayed by the rules like any other, and solved anew if
it does not pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from time import perf_counter

from planoracle.analysis.batch.digest import FORMAT, digest, fingerprint
from planoracle.analysis.batch.store import Store, default_store
from planoracle.instances.memo import Memo
from planoracle.instances.problem import Problem
from planoracle.instances.profiles import Rules
from planoracle.solver.engine import engine_of
from planoracle.solver.result import Result, versions
from planoracle.solver.solve import solve

__all__ = ["optimum", "remembering"]

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
def optimum(problem: Problem, rules: Rules | None = None, *, seconds: float = 60.0) -> Result:
    """Solve a problem for at most so many seconds, or return what an earlier call, or an earlier process, found.

    ``rules`` are as in `planoracle.solver.solve.solve`.
    """
    store: Store | None = None if _forgetful else default_store()
    if store is None:
        return solve(problem, rules=rules, time_limit=seconds)
    key = digest("optimum", FORMAT, versions(), fingerprint(problem), rules)
    entry = store.get(key)
    if entry is not None:
        began = perf_counter()
        try:
            found = engine_of(problem).unpacked(problem, rules, entry)
            return replace(found, seconds=perf_counter() - began)
        except Exception as error:  # whatever the file holds
            store.drop(key, f"does not hold ({type(error).__name__}: {error})"[:500])
    found = solve(problem, rules=rules, time_limit=seconds)
    if found.status.settled:
        store.put(key, engine_of(problem).packed(found))
    return found
