"""Best plans as graders know them: bundled ones, else each solved once per process, with a cache on the disk.

Nothing in the cache is trusted. Its plans are replayed by the rules like any other, its certificates are checked step
by step. Only an optimum with a certificate is a result. Of any other result the cache keeps the plan alone: the problem
is solved again, and the plan is the result where it is shorter than what the search finds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from time import perf_counter
from typing import Any

from planoracle.analysis.batch.optimum_cache import Store, default_store
from planoracle.instances.errors import InternalError
from planoracle.instances.model.cache import FORMAT, ProblemCache, digest, fingerprint
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import Limit, Status, WorkLimit
from planoracle.instances.model.problem import Problem, of_kind
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.benchmark import AnyRun
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.scoring import BestKnown
from planoracle.solver.result import Result, versions
from planoracle.solver.runs import solver_of
from planoracle.solver.solve import bundled_result, engine_of, solve

#: Work for one question of a grader, where nothing else is asked for.
WORK = WorkLimit(10.0)

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


@ProblemCache
def optimum(problem: Problem, rules: Rules | None = None, *, limit: Limit = WORK) -> Result:
    """Return the bundled result of a problem, an optimum of the cache that has a certificate, or solve the problem.

    A result within seconds of wall time is not cached, for it depends on the machine.
    ``rules`` are as in `planoracle.solver.solve.solve`.
    """
    shipped = bundled_result(problem, rules)
    if shipped is not None:
        return shipped
    store: Store | None = None if _forgetful or not isinstance(limit, WorkLimit) else default_store()
    if store is None:
        return solve(problem, rules=rules, time_limit=limit)
    key = digest("optimum", FORMAT, versions(), fingerprint(problem), rules, limit)
    began, cached = perf_counter(), _cached(store, key, problem, rules)
    if cached is not None and cached.status == Status.optimal:
        return replace(cached, seconds=perf_counter() - began)
    found = solve(problem, rules=rules, time_limit=limit)
    if cached is not None:
        found = _shorter(found, cached)
    if found.makespan is not None and (cached is None or found.makespan < (cached.makespan or 0)):
        store.put(key, _entry(problem, rules, found))
    return found


def _entry(problem: Problem, rules: Rules | None, found: Result) -> dict[str, Any]:
    """Return an optimum with its certificate, or else a plan without any claim."""
    if found.status == Status.optimal and found.schedule is not None:
        from planoracle.solver.proofs.certificate import certificate

        shown = certificate(of_kind(problem, Instance), found.makespan, found.schedule, cases=False)
        if shown is not None and shown.explained:
            return engine_of(problem).pack(problem, rules, found) | {"certificate": shown.as_dict()}
    plan = replace(found, status=Status.feasible, lower_bound=None, proof="")
    return engine_of(problem).pack(problem, rules, plan)


def _cached(store: Store, key: str, problem: Problem, rules: Rules | None) -> Result | None:
    """Return the optimum or the plan in the cache, ``None`` if there is none or it does not hold."""
    entry = store.get(key)
    if entry is None:
        return None
    try:
        found = engine_of(problem).unpack(problem, rules, entry)
        _check(problem, found, entry.get("certificate"))
    except Exception as error:  # whatever the file holds
        store.drop(key, f"does not hold ({type(error).__name__}: {error})"[:500])
        return None
    return found


def _check(problem: Problem, found: Result, certificate: Any) -> None:
    """Raise `ValueError` for a claim without a certificate that holds."""
    if certificate is None:
        if found.status != Status.feasible or found.lower_bound is not None:
            raise ValueError("it claims more than a plan, without a certificate")
        return
    from planoracle.instances.files.instance_file import to_document
    from planoracle.solver.proofs.checker import RefusedError, check

    try:
        bound = check(to_document(of_kind(problem, Instance)), certificate)
    except RefusedError as error:
        raise ValueError(f"its certificate is refused: {error}") from None
    if found.status != Status.optimal or bound != found.makespan:
        raise ValueError("its certificate is about another makespan")


def _shorter(found: Result, plan: Result) -> Result:
    """Return what a search found, or a plan that was known before if that is shorter."""
    assert plan.makespan is not None
    if found.makespan is not None and found.makespan <= plan.makespan:
        return found
    bound = found.lower_bound or 0
    if found.status.settled or bound > plan.makespan:
        raise InternalError(f"{found.instance}: {found.status}, at least {bound}, but a plan of {plan.makespan} holds")
    status = Status.optimal if bound == plan.makespan else Status.feasible
    return replace(
        found,
        status=status,
        makespan=plan.makespan,
        plan=plan.plan,
        schedule=plan.schedule,
        actions=plan.actions,
        rounds=plan.rounds,
    )


class SolverOracle:
    """Answers by our solvers.

    Parameters
    ----------
    limit
        For a problem, and for one state of a run: counted work, so that no answer depends on the machine or its load,
        or seconds of wall time. Of work, best plans of a benchmark get its `pricing`.
    """

    def __init__(self, limit: Limit = WORK) -> None:
        self.limit = limit

    def best(self, problem: Problem, rules: Rules) -> BestKnown:
        """Return what is known about the best plans under some rules."""
        limit, share = self.limit, registry.of(problem).grading_effort
        if isinstance(limit, WorkLimit) and share != 1.0:
            limit = WorkLimit(limit.seconds * share)
        # Rules of schedules are in the problem.
        deciding = None if problem.kind == "schedule" else rules.deciding()
        return optimum(problem, limit=limit) if deciding is None else optimum(problem, deciding, limit=limit)

    def rest(self, run: AnyRun) -> BestKnown:
        """Return the best way to go on where a run ended; the makespan is that of what is left."""
        return solver_of(run, self.limit).rest

    def values(self, run: AnyRun) -> Sequence[int | None]:
        """Return the best makespan within reach before the first and after every step, ``None`` where unknown."""
        return [value.makespan for value in solver_of(run, self.limit).values]
