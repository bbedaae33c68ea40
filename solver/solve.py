"""Entry point of the solver for problems of any kind, and results of bundled optima."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from time import perf_counter
from typing import Any, cast

from planoracle.instances.errors import InputError, InternalError, NoSolverError, UnknownNameError
from planoracle.instances.model.cache import ProblemCache
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import Limit, Status
from planoracle.instances.model.problem import Problem, check_problem
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.bundled_results import by_key, key_of
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.text import one_of
from planoracle.solver.kinds.kind import Kind
from planoracle.solver.kinds.registry import UnknownKind, kind_of
from planoracle.solver.result import (
    CERTIFICATE,
    DRCP,
    SOLVER,
    TWO_RUNS,
    TWO_SOLVERS,
    OnProgress,
    Result,
    SolveOptions,
    versions,
)

#: Endings of files with an interval model: text of CP-SAT's messages, MiniZinc.
MODEL_FILES = (".pb", ".mzn")
#: The fastest stages of the solver one after the other, or CP-SAT alone.
Engines = StrEnum("Engines", {"auto": "auto", "cp_sat": "cp-sat"})
# Format of DRCP proofs, as `planoracle.solver.proofs.drcp_checker` has it.
DRCP_FORMAT = "planoracle/drcp"
# Proofs of bundled optima in words, by their grade.
_CHECKED_PROOFS = {CERTIFICATE: "certificate checked", DRCP: "DRCP proof checked"}
# Minimum counted work (seconds) of an unproved bundled result: the default of all commands.
_MIN_WORK = 60.0


@ProblemCache
def bundled_result(problem: Problem, rules: Rules | None = None) -> Result | None:
    """Return the bundled result of a problem under some rules, ``None`` if there is none.

    Its plan is replayed. Unproved results of a short search are ignored if a solver may search for longer.

    ``rules`` are as in `planoracle.solver.solve.solve`.

    Raises
    ------
    InternalError, ValueError
        If the rules do not accept the plan.

    Examples
    --------
    >>> from planoracle.instances.files.catalog import load
    >>> result = bundled_result(load("recipe2plan/timed/Cobbler_Pancakes"))
    >>> result.status, result.makespan
    ('optimal', 4080)
    """
    entries = registry.of(problem).optima.get(problem.name)
    if not entries:
        return None
    began, engine = perf_counter(), engine_of(problem)
    key = key_of(problem, engine.rules_for_optimum(rules))
    entry = by_key(entries).get(key)
    if entry is None:
        return None
    if not has_bundled_results_only(problem) and entry.get("work", _MIN_WORK) < _MIN_WORK:
        return None
    return replace(engine.unpack(problem, rules, entry), seconds=perf_counter() - began)


def bundled_proof(problem: Problem) -> dict[str, Any] | None:
    """Return the bundled certificate of a scheduling problem, not yet checked."""
    return registry.of(problem).proofs.get(key_of(problem, None))


def shorter_of(result: Result, plan: Result) -> Result:
    """Return the result of a search, or that of a stored plan if it is shorter."""
    assert plan.makespan is not None
    if result.makespan is not None and result.makespan <= plan.makespan:
        return result
    bound = result.lower_bound or 0
    if result.status.settled or bound > plan.makespan:
        raise InternalError(
            f"{result.instance}: {result.status} with lower bound {bound}, but a plan takes {plan.makespan}"
        )
    status = Status.optimal if bound == plan.makespan else Status.feasible
    return replace(
        result,
        status=status,
        makespan=plan.makespan,
        plan=plan.plan,
        schedule=plan.schedule,
        actions=plan.actions,
        rounds=plan.rounds,
    )


def load_or_solve(problem: Problem, options: SolveOptions, *, recompute: bool = False) -> Result:
    """Return the bundled optimum of a problem, its certificate checked, or solve the problem.

    A problem is solved in any case if its optimum is not bundled under these rules, or the options ask for something
    else than any optimal plan. A search begins from a bundled plan without proof and its lower bound. That plan is
    returned if the search finds no shorter one, or if the kind of the problem has no solver.

    Parameters
    ----------
    recompute
        Solve the problem even if its optimum is bundled.

    Raises
    ------
    InternalError, ValueError
        If the bundled plan or certificate does not hold.
    NoSolverError
        If the kind of the problem has no solver, and its optimum is not bundled or is to be solved again.

    Examples
    --------
    >>> from planoracle.instances.files.catalog import load
    >>> load_or_solve(load("recipe2plan/timed/Cobbler_Pancakes"), SolveOptions()).proof
    'bundled, certificate checked'
    """
    began = perf_counter()
    differs = options.seed or options.after or options.min_interruptions or options.engine != "auto"
    rules = options.rules
    kind = kind_of(problem)
    if rules is None and not kind.has_interval_model:
        rules = registry.of(problem).rules.profiles.get("released")  # what solvers of kitchens take
    optimum = None if recompute or differs else bundled_result(problem, rules)
    if has_bundled_results_only(problem):
        return _bundled_only(problem, rules, optimum, began)
    if optimum is None or not optimum.status.settled or (options.exact_grid and optimum.grid > 1):
        start = None if optimum is None or optimum.status.settled else optimum
        result = solve(problem, **options._replace(start=start)._asdict())
        if optimum is None or optimum.makespan is None:
            return result
        best = shorter_of(result, optimum)
        is_improved = best is result and (start is None or result.plan != start.plan)
        return best if is_improved else replace(best, source="bundled", proof=f"{best.proof}; bundled plan")
    optimum = certified(problem, optimum)
    proof = _CHECKED_PROOFS.get(optimum.checked_proof, optimum.proof)
    return replace(optimum, source="bundled", proof=f"bundled, {proof}", seconds=perf_counter() - began)


def certified(problem: Problem, result: Result) -> Result:
    """Return a result with the grade of the bundled proof of its optimum, which is checked.

    Raises
    ------
    InternalError
        If the certificate does not hold, or proves another makespan.
    """
    kind = kind_of(problem)
    certificate = bundled_proof(problem) if kind.has_interval_model else None
    if certificate is None or result.status != Status.optimal:
        return result
    try:
        kind.check_certificate(problem, certificate, result.makespan)
    except ValueError as error:
        raise InternalError(f"bundled optimum of {problem.name}: {error}") from None
    return replace(result, checked_proof=grade_of(certificate))


def bundled_grade(problem: Problem) -> str | None:
    """Return the `Result.proof_grade` of a bundled optimum; nothing is replayed or checked.

    Examples
    --------
    >>> from planoracle.instances.files.catalog import load
    >>> bundled_grade(load("recipe2plan/timed/Cobbler_Pancakes"))
    'certificate'
    """
    if not has_engine(problem):
        return None
    entries = registry.of(problem).optima.get(problem.name)
    if not entries:
        return None
    entry = by_key(entries).get(key_of(problem, kind_of(problem).rules_for_optimum(None)))
    if entry is None or not Status(entry["status"]).settled:
        return None
    if entry["status"] == Status.infeasible and entry["proof"] == TWO_RUNS:
        return TWO_SOLVERS
    proof = bundled_proof(problem) if kind_of(problem).has_interval_model else None
    return SOLVER if proof is None else grade_of(proof)


def grade_of(proof: Mapping[str, Any]) -> str:
    """Return the grade of a stored proof."""
    return DRCP if proof["format"] == DRCP_FORMAT else CERTIFICATE


def _bundled_only(problem: Problem, rules: Rules | None, optimum: Result | None, began: float) -> Result:
    """Return the bundled result of a problem whose kind has no solver; raise `NoSolverError` without one."""
    if optimum is not None:
        proof = f"bundled, {optimum.proof}"
        return replace(optimum, source="bundled", proof=proof, seconds=perf_counter() - began)
    reason = no_solver_reason(problem)
    if bundled_result(problem, rules) is None:
        raise NoSolverError(f"{reason}; no plan is bundled under these rules", field=problem.name)
    raise NoSolverError(f"{reason}; its bundled plan is shown without recompute, seed and engine", field=problem.name)


@ProblemCache
def stated_optimum(problem: Problem) -> int | None:
    """Return the optimum that the benchmark states; raises `BenchmarkError` for an invalid one."""
    stated = registry.of(problem).optimum(problem)
    if stated not in (None, NotImplemented) and type(stated) is not int:
        raise registry.contradiction(problem, f"optimum(problem) must return a whole number or None, not {stated!r}")
    return stated


def has_engine(problem: Problem) -> bool:
    """Return False if the benchmark states the optimum itself, or no package defines the kind."""
    return not isinstance(kind_of(problem), UnknownKind) and stated_optimum(problem) is NotImplemented


def has_bundled_results_only(problem: Problem) -> bool:
    """Return True if the kind of a problem solves nothing, and only reads bundled results."""
    return has_engine(problem) and bool(kind_of(problem).no_solver)


def has_solver(problem: Problem) -> bool:
    """Return False if a problem has no engine, or its kind only reads bundled results."""
    return has_engine(problem) and not kind_of(problem).no_solver


def has_state_values(problem: Problem) -> bool:
    """Return True if a problem has a solver that computes values of the states of its runs."""
    return has_solver(problem) and not kind_of(problem).values_refusal(problem)


def solving_kind(problem: Problem) -> Kind:
    """Return the kind of a problem that has a solver; raises `NoSolverError` for others."""
    if not has_solver(check_problem(problem)):
        raise NoSolverError(no_solver_reason(problem), field=problem.name)
    return kind_of(problem)


def engine_of(problem: Problem) -> Kind:
    """Return the kind of a problem whose optimum the benchmark does not state.

    Raises
    ------
    NoSolverError
        If the benchmark states the optimum, or no package defines the kind.
    """
    if not has_engine(check_problem(problem)):
        raise NoSolverError(no_solver_reason(problem), field=problem.name)
    return kind_of(problem)


def no_solver_reason(problem: Problem) -> str:
    """Return the reason why a problem has no solver."""
    kind = kind_of(problem)
    if not isinstance(kind, UnknownKind) and not has_engine(problem):
        return f"has no solver: {problem.benchmark} states the optimum itself, or declares it unknown"
    return f"has no solver: {kind.no_solver}"


def unsolved(problem: Problem, reason: str = "") -> Result:
    """Return the result of a problem without solver: ``unknown``, or ``claimed`` by its benchmark.

    ``reason`` is by default that of `no_solver_reason`.
    """
    stated = stated_optimum(problem)
    return Result(
        instance=problem.name,
        status=Status.unknown,
        versions=versions(),
        claimed=None if stated is NotImplemented else stated,
        proof=reason or no_solver_reason(problem),
        kind=problem.kind,
        unit=problem.unit,
    )


def _require_instance(problem: Problem) -> Instance:
    """Return a problem that has an interval model; raises `InputError` for others."""
    if not kind_of(problem).has_interval_model:
        raise InputError("has no interval model: only scheduling problems have one", field=problem.name)
    return cast("Instance", problem)


def model_text(problem: Problem, ending: str) -> str:
    """Return the interval model of a problem, see `planoracle.solver.exact.model_export.model_text`.

    Raises
    ------
    InputError
        For a problem whose actions are not given, such as a kitchen.
    """
    instance = _require_instance(problem)
    from planoracle.solver.exact import model_export

    return model_export.model_text(instance, ending)


def solve(
    problem: Problem,
    *,
    rules: Rules | None = None,
    time_limit: Limit = 60.0,
    seed: int = 0,
    workers: int = 1,
    exact_grid: bool = False,
    after: Sequence[str] = (),
    min_interruptions: bool = False,
    engine: str = "auto",
    on_progress: OnProgress | None = None,
    start: Result | None = None,
) -> Result:
    """Compute an optimal plan and a proof: a schedule of minimum makespan, or the fewest kitchen steps.

    Of a problem that has no solver, see `has_solver`, the result is the bundled one; without one the status is
    ``unknown``, and ``claimed`` what its benchmark states.

    Parameters
    ----------
    rules
        Rule profile of a kitchen, by default ``released``. The rules of schedules are in the problem.
    time_limit
        Seconds of wall time, or counted work (`planoracle.instances.model.limits.WorkLimit`). At its end the incumbent
        and the lower bound are returned.
    seed, workers
        Random seed and number of workers of CP-SAT; searches in kitchens use neither.
    exact_grid
        Allow interruptions at every tick, not only at multiples of the common divisor. Slower.
    after
        Actions of a kitchen that have been executed; the plan continues after them.
    min_interruptions
        Among optimal schedules, minimize the number of interruptions; `Result.proof` says whether the number is proved.
    engine
        ``auto``, or ``cp-sat``: a single call of CP-SAT proves the optimum of a scheduling problem, without our bounds,
        heuristics and other searches; `Result.effort` says what it took.
    on_progress
        Callback for each improved incumbent or bound. Does not affect the result.
    start
        Valid result of the problem under these rules. The search of a kitchen begins from its plan and lower bound.

    Raises
    ------
    UnknownNameError
        For another engine.
    InputError
        For ``engine="cp-sat"`` and a problem without an interval model; for ``rules`` or ``after`` that the problem's
        kind does not have, or that do not fit the problem.
    InternalError
        If the rules reject the plan; it is never returned.

    Examples
    --------
    >>> from planoracle.instances.files.catalog import problem
    >>> for name in ("timearena/household1", "kitchens/synchronous/0_cheese_sandwich"):
    ...     result = solve(problem(name))
    ...     print(result.instance, result.status, result.makespan, result.unit)
    timearena/household1 optimal 13 minute
    kitchens/synchronous/0_cheese_sandwich optimal 12 step
    """
    if engine not in list(Engines):
        raise UnknownNameError(one_of(engine, Engines, "engines"), field="engine", value=engine)
    if engine != "auto":
        _require_instance(check_problem(problem))
    if not has_engine(check_problem(problem)):
        return unsolved(problem)
    search = seed, workers, exact_grid, tuple(after), min_interruptions, engine
    return engine_of(problem).solve(problem, SolveOptions(rules, time_limit, *search, on_progress, start))
