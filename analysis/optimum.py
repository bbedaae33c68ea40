"""Best plans as graders know them: those that ship, else each solved once, per process, and kept on the disk.

What the disk holds was found by the same work, so that it says what would be found again; and it is not believed: a
plan that comes from it is replayed by the rules like any other, a certificate that no schedule is shorter is checked
step by step, and the problem is solved anew if either does not pass. Where there is no certificate (of kitchens, and of
schedules that arguments do not reach) the entry says by what it was proved, and is believed as far as the folder is.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from time import perf_counter
from typing import Any

from planoracle.analysis.batch.store import Store, default_store
from planoracle.instances.deadline import Limit, Work
from planoracle.instances.digest import FORMAT, digest, fingerprint
from planoracle.instances.memo import Memo
from planoracle.instances.model import Instance
from planoracle.instances.problem import Problem, of_kind
from planoracle.instances.profiles import Rules
from planoracle.instances.status import Status
from planoracle.solver.engine import engine_of
from planoracle.solver.known import known
from planoracle.solver.result import Result, versions
from planoracle.solver.solve import solve

__all__ = ["WORK", "doubt", "optimum", "remembering"]

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
    key = _key(problem, rules, limit)
    entry = store.get(key)
    if entry is not None:
        began = perf_counter()
        try:
            found = engine_of(problem).unpacked(problem, rules, entry)
            _check(problem, found, entry)
            return replace(found, seconds=perf_counter() - began)
        except Exception as error:  # whatever the file holds
            store.drop(key, f"does not hold ({type(error).__name__}: {error})"[:500])
    found = solve(problem, rules=rules, time_limit=limit)
    store.put(key, engine_of(problem).packed(problem, rules, found) | _evidence(problem, found))
    return found


def _evidence(problem: Problem, found: Result) -> dict[str, Any]:
    """Return what shows that there is nothing better, or else by what that was proved."""
    if found.status == Status.optimal and found.schedule is not None:
        from planoracle.solver.explain.certificate import certificate

        shown = certificate(of_kind(problem, Instance), found.makespan, found.schedule, cases=False)
        if shown.explained:
            return {"certificate": shown.as_dict()}
    return {"proved": {"by": "search", **versions()}}


def _check(problem: Problem, found: Result, entry: dict[str, Any]) -> None:
    """Raise `ValueError` for an optimum whose certificate does not hold, or that does not say how it was proved."""
    proof = entry.get("certificate")
    if proof is None:
        if entry["proved"] != {"by": "search", **versions()}:
            raise ValueError("proved by something else")
        return
    from planoracle.instances.files import to_document
    from planoracle.solver.explain.checker import RefusedError, check

    try:
        bound = check(to_document(of_kind(problem, Instance)), proof)
    except RefusedError as error:
        raise ValueError(f"its certificate is refused: {error}") from None
    if found.status != Status.optimal or bound != found.makespan:
        raise ValueError("its certificate is about another makespan")


def doubt(problem: Problem, rules: Rules | None, limit: Limit, why: str) -> None:
    """Forget what is known of a problem, because something contradicts it; who asks next has it solved anew."""
    problem.memos.clear()
    store = None if _forgetful or not isinstance(limit, Work) else default_store()
    key = _key(problem, rules, limit)
    if store is not None and store.get(key) is not None:
        store.drop(key, f"does not hold ({why})")


def _key(problem: Problem, rules: Rules | None, limit: Limit) -> str:
    return digest("optimum", FORMAT, versions(), fingerprint(problem), rules, limit)
