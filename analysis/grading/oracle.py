"""Proved optima for graders: bundled, from the cache on disk, or solved once per process.

Nothing in the cache is trusted. Its plans are replayed by the rules, its certificates are checked step by step. Only an
optimum with a certificate is a result. Of any other result the cache has the plan only: the problem is solved again,
and the cached plan is used if it is shorter than the new one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

from planoracle.analysis.batch.journal import OptimumCache, default_cache
from planoracle.instances.errors import RefusedPlanError
from planoracle.instances.model.cache import FORMAT, ProblemCache, digest, fingerprint
from planoracle.instances.model.limits import Limit, Status, WorkLimit
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.benchmark import AnyRun
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.schedule_benchmark import replay_rules
from planoracle.instances.protocol.scoring import BestKnown
from planoracle.solver.kinds.registry import kind_of
from planoracle.solver.result import CERTIFICATE, Result, refused_result, versions
from planoracle.solver.runs import solver_of
from planoracle.solver.solve import (
    bundled_result,
    engine_of,
    has_solver,
    has_state_values,
    shorter_of,
    solve,
    unsolved,
)

#: Default limit of a grader for one problem or state.
WORK = WorkLimit(10.0)


@ProblemCache
def optimum(problem: Problem, rules: Rules | None = None, *, limit: Limit = WORK, is_cached: bool = True) -> Result:
    """Return the bundled result of a problem, a cached optimum with a certificate, or solve the problem.

    Parameters
    ----------
    rules
        As in `planoracle.solver.solve.solve`. The status is ``unknown`` if a rule that the solver does not know refuses
        its plan; no lower bound is then reported, since rules in code may permit more than the problem.
    limit
        A result within seconds of wall time is not cached, since it depends on the machine.
    is_cached
        Use the cache on disk.
    """
    try:
        return _optimum(problem, rules, limit, is_cached=is_cached)
    except RefusedPlanError as error:
        return refused_result(problem, error)


def _optimum(problem: Problem, rules: Rules | None, limit: Limit, *, is_cached: bool) -> Result:
    """Return the result of `optimum`; raise `RefusedPlanError` if a rule refuses the plan."""
    bundled = bundled_result(problem, rules)
    if bundled is not None:
        return bundled
    # The cache keeps the shortest plan, but plans of different weight are not compared by their makespan.
    is_cached = is_cached and not getattr(problem, "optional", ())
    store = default_cache() if is_cached and isinstance(limit, WorkLimit) and has_solver(problem) else None
    if store is None:
        return solve(problem, rules=rules, time_limit=limit)
    key = digest("optimum", FORMAT, versions(), fingerprint(problem), rules, limit)
    began, cached = perf_counter(), _load_cached(store, key, problem, rules)
    if cached is not None and cached.status == Status.optimal:
        return replace(cached, seconds=perf_counter() - began)
    result = solve(problem, rules=rules, time_limit=limit)
    if cached is not None:
        result = shorter_of(result, cached)
    if result.makespan is not None and (cached is None or result.makespan < (cached.makespan or 0)):
        entry = _entry(problem, rules, result)
        store.put(key, entry)
        return replace(result, checked_proof=CERTIFICATE if "certificate" in entry else "")
    return result


def _entry(problem: Problem, rules: Rules | None, result: Result) -> dict[str, Any]:
    """Return an optimum with its certificate, or else a plan without any claim."""
    kind = engine_of(problem)
    certificate = kind.certificate(problem, result) if result.status == Status.optimal else None
    if certificate is not None:
        return kind.pack(problem, rules, result) | {"certificate": certificate}
    plan = replace(result, status=Status.feasible, lower_bound=None, proof="")
    return kind.pack(problem, rules, plan)


def _load_cached(store: OptimumCache, key: str, problem: Problem, rules: Rules | None) -> Result | None:
    """Return the optimum or the plan in the cache, ``None`` if there is none or the entry is invalid."""
    entry = store.get(key)
    if entry is None:
        return None
    try:
        result = engine_of(problem).unpack(problem, rules, entry)
        _check(problem, result, entry.get("certificate"))
        result = replace(result, checked_proof=CERTIFICATE if result.status == Status.optimal else "")
    except Exception as error:  # whatever the file contains
        store.drop(key, f"is invalid ({type(error).__name__}: {error})"[:500])
        return None
    return result


def _check(problem: Problem, result: Result, certificate: Any) -> None:
    """Raise `ValueError` for a claim without a valid certificate."""
    if certificate is None:
        if result.status != Status.feasible or result.lower_bound is not None:
            raise ValueError("the entry claims an optimum or a bound without a certificate")
        return
    kind_of(problem).check_certificate(problem, certificate, result.makespan)
    if result.status != Status.optimal:
        raise ValueError("the certificate proves another makespan")


class SolverOracle:
    """Oracle that asks the solvers.

    Parameters
    ----------
    limit
        For a problem, and for one state of a run: counted work, so that no answer depends on the machine or its load,
        or seconds of wall time.
    is_cached
        Use the cache of optima on disk.
    """

    def __init__(self, limit: Limit = WORK, *, is_cached: bool = True) -> None:
        self.limit = limit
        self.is_cached = is_cached

    def best(self, problem: Problem, rules: Rules) -> BestKnown:
        """Return the known optimum or bounds under some rules."""
        limit, share = self.limit, registry.of(problem).grading_effort
        if isinstance(limit, WorkLimit) and share != 1.0:
            limit = WorkLimit(limit.seconds * share)
        return optimum(problem, replay_rules(problem, rules.deciding()), limit=limit, is_cached=self.is_cached)

    def rest(self, run: AnyRun) -> BestKnown:
        """Return the best completion after a run; its makespan counts the remaining work only."""
        problem = run.problem
        if has_state_values(problem):
            return solver_of(run, self.limit).rest
        if has_solver(problem):
            return unsolved(problem, kind_of(problem).values_refusal(problem))
        return unsolved(problem)

    def values(self, run: AnyRun) -> Sequence[int | None]:
        """Return the best makespan within reach before the first and after every step, ``None`` where unknown."""
        if not has_state_values(run.problem):
            return [None] * (len(run.steps) + 1)
        return [value.makespan for value in solver_of(run, self.limit).values]
