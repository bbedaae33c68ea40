"""Comparison of methods, models and numbers of agents with the proved optimum."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import chain
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

from planoracle.heuristics.improve import DEFAULT, Budget
from planoracle.heuristics.package_heuristics import package_heuristics
from planoracle.heuristics.registry import accepted_names, full_name, run
from planoracle.heuristics.registry import names as heuristics
from planoracle.instances.errors import InputError, PlanoracleError, UnknownNameError, accept_former_keywords
from planoracle.instances.model.limits import Limit, Status, WorkLimit
from planoracle.instances.model.problem import Problem
from planoracle.instances.model.schedule import weight_of
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.scoring import Claim, Reference
from planoracle.instances.text import one_of
from planoracle.solver.kinds.registry import kind_of
from planoracle.solver.result import Result
from planoracle.solver.solve import bundled_result, certified, solve

if TYPE_CHECKING:
    import pandas as pd

#: Default work for an exact solve.
WORK = WorkLimit(60.0)

#: Methods of every benchmark: the exact solver, the main reference, and the best of the heuristics that are
#: references and ``improve``.
OPTIMUM, REFERENCE = "optimum", "reference"
BEST = "best_heuristic"
# Name of the main reference in TimeArena and Recipe2Plan until 0.11.
_FORMER_REFERENCE = "heuristic_reference"
#: Name for all heuristics for the kind of a problem that are not among its references.
ALL = "all"

_NO_HEURISTICS = "no heuristic supports this kind of problem; all are for scheduling problems"
_NO_REFERENCE = "the benchmark has no reference for this problem"
_NO_METHOD = "the benchmark has no method of this name"


class MethodResult(NamedTuple):
    """Answer of one method for one problem.

    Attributes
    ----------
    makespan
        Ticks of the schedule of the method, or the claim of a reference. ``None``: no answer.
    status
        Status of the answer of the method. A heuristic proves nothing.
    accepted
        True if the rules accept the schedule; ``None`` for a number only, or a schedule of another problem.
    reason
        Reason for a missing or rejected answer.
    error
        Error of the method, if it failed.
    weight
        Total weight of the optional tasks that the schedule executes; ``None`` if no task is optional, or unknown.
    """

    method: str
    makespan: int | None = None
    status: Status = Status.unknown
    accepted: bool | None = None
    seconds: float | None = None
    reason: str | None = None
    error: PlanoracleError | None = None
    weight: int | None = None

    @property
    def outcome(self) -> str | None:
        """Outcome in a word; ``None`` where the problem has no such method.

        A plan that is proved to be ``optimal``, accepted by the rules (``feasible``) or ``refused`` by them; only a
        number (``claimed``); no plan (``failed``); ``infeasible``, proved; neither a plan nor such a proof
        (``unknown``).
        """
        if self.makespan is not None:
            return {True: self.status, False: "refused", None: "claimed"}[self.accepted]
        if self.status == Status.infeasible or (self.method == OPTIMUM and self.error is None):
            return self.status
        return "failed" if (self.seconds, self.accepted, self.error) != (None, None, None) else None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Answers of methods for one problem, beside the exact one.

    Attributes
    ----------
    actions
        Number of actions; ``None`` if a plan chooses them, as in kitchens.
    exact, lower_bound
        Result of the exact solver, and the proved lower bound on the makespan in ticks; with optional tasks, of plans
        of the greatest weight.
    weight_bound
        Proved upper bound of the weight; ``None`` if no task is optional.
    entries
        Answers of the methods, in the order of the request.
    proof_grade
        Grade of the proof of the exact result, see `planoracle.solver.result.Result.proof_grade`.
    """

    instance: str
    benchmark: str
    unit: str
    actions: int | None
    exact: MethodResult
    lower_bound: int | None
    entries: tuple[MethodResult, ...]
    weight_bound: int | None = None
    proof_grade: str | None = None

    @property
    def optimum(self) -> int | None:
        """Optimal makespan in ticks, if it is proved."""
        return self.exact.makespan if self.exact.status == Status.optimal else None

    @property
    def all(self) -> tuple[MethodResult, ...]:
        """The exact answer and the answers of the methods."""
        return self.exact, *(entry for entry in self.entries if entry is not self.exact)

    def gap(self, entry: MethodResult) -> float | None:
        """Return the excess over the optimum as a share of it; negative for an infeasible claim.

        It is ``None`` for a plan whose optional tasks weigh less: makespans at different weights are not compared.
        """
        return _excess(entry.makespan, self.optimum) if self.has_best_weight(entry) else None

    def has_best_weight(self, entry: MethodResult) -> bool:
        """Return whether the optional tasks of an answer have the greatest weight, if there are any."""
        return self.weight_bound is None or entry.weight == self.weight_bound

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per method, as the frame ``comparisons`` has them."""
        shared: dict[str, Any] = {
            "instance": self.instance,
            "benchmark": self.benchmark,
            "unit": self.unit,
            "actions": self.actions,
            "optimum": self.optimum,
            "lower_bound": self.lower_bound,
            "settled": self.exact.status,
            "proof_grade": self.proof_grade,
        }
        has_weights = self.weight_bound is not None
        if has_weights:
            shared["weight_bound"] = self.weight_bound
        omitted = {"error"} if has_weights else {"error", "weight"}
        rows: list[dict[str, Any]] = []
        for entry in self.entries:
            answer = {name: value for name, value in entry._asdict().items() if name not in omitted}
            gap_bound = _excess(entry.makespan, self.lower_bound) if self.has_best_weight(entry) else None
            derived = {"outcome": entry.outcome, "gap": self.gap(entry), "gap_bound": gap_bound}
            rows.append(shared | answer | derived)
        return rows

    def to_frame(self) -> pd.DataFrame:
        """Return the frame ``comparisons``, a row per method."""
        from planoracle.analysis.frames.schema import from_rows, problem_columns

        columns = problem_columns(self.instance, self.benchmark)
        return from_rows("comparisons", [columns | row for row in self.rows()])[0]


def check(methods: Iterable[str], models: Iterable[str] = ()) -> None:
    """Raise `UnknownNameError` for a method that no benchmark has; ``models`` are accepted, too."""
    benchmarks = map(registry.get, registry.names())
    references = chain.from_iterable(benchmark.references for benchmark in benchmarks)
    names = [reference.name for reference in references]
    accepted = dict.fromkeys((OPTIMUM, REFERENCE, BEST, ALL, *names, *accepted_names(), *models))
    for method in methods:
        if method not in accepted:
            raise UnknownNameError(one_of(method, accepted, "methods"), field="method", value=method)


@accept_former_keywords(also="extra")
def compare(
    problem: Problem,
    methods: Sequence[str] | None = None,
    *,
    extra: Sequence[str] = (),
    time_limit: Limit = WORK,
    budget: Budget = DEFAULT,
) -> Comparison:
    """Solve a problem and run other methods on it.

    Parameters
    ----------
    problem
        Problem of any kind, as returned by `load`.
    methods
        ``optimum``, ``reference``, ``best_heuristic``, names of references (those of other benchmarks have no answer)
        and of heuristics, or ``all`` of these. Default: all references of the problem's benchmark, and
        ``best_heuristic`` but in kitchens; ``optimum`` if there is neither.
    extra
        Additional methods, after these.
    time_limit
        Seconds of wall time, or counted work, for the exact solve, which always takes place: gaps are measured by it.
    budget
        Of the heuristics.

    Raises
    ------
    UnknownNameError
        For a method that does not exist. Other errors are recorded in the entry of the method.

    Examples
    --------
    >>> from planoracle.instances.files.catalog import load
    >>> found = compare(load("timearena/household4"))
    >>> found.optimum, [(entry.method, entry.makespan, entry.accepted) for entry in found.entries[:2]]
    (14, [('released', 9, False), ('printed', 9, False)])
    """
    references = registry.of(problem).references
    if methods is None:
        names = [reference.name for reference in references]
        methods = [*names, BEST] if heuristics(problem.kind) else names or [OPTIMUM]
    methods = [*methods, *extra]
    check(methods)
    run_anyway = {reference.source for reference in references if isinstance(reference.source, str)}
    all_heuristics = [name for name in heuristics(problem.kind) if name not in run_anyway]
    requested: dict[str, None] = {}
    for method in methods:
        requested |= dict.fromkeys(all_heuristics if method == ALL else [method])
    answers = _ProblemAnswers(problem, time_limit, budget)
    return Comparison(
        instance=problem.name,
        benchmark=problem.benchmark,
        unit=problem.unit,
        actions=kind_of(problem).size(problem).get("actions"),
        exact=answers.exact,
        lower_bound=answers.lower_bound,
        entries=tuple(map(answers.entry, requested)),
        weight_bound=answers.weight_bound,
        proof_grade=answers.proof_grade,
    )


class _ProblemAnswers:
    """One problem with its exact answer and a cache of answers of heuristics."""

    def __init__(self, problem: Problem, time_limit: Limit, budget: Budget) -> None:
        self.problem = problem
        self.time_limit = time_limit
        self.budget = budget
        self.references: Sequence[Reference[Any]] = registry.of(problem).references
        self.lower_bound: int | None = None
        self.weight_bound: int | None = None
        self.proof_grade: str | None = None
        self._run = cache(partial(run, problem))
        try:
            result = certified(problem, _solve_or_load(problem, time_limit))
        except PlanoracleError as error:
            self.exact = MethodResult(OPTIMUM, reason=str(error), error=error)
        else:
            self.lower_bound = result.lower_bound
            self.weight_bound = result.weight_bound
            self.proof_grade = result.proof_grade
            accepted, reason = (None, result.proof) if result.makespan is None else (True, None)
            makespan = result.makespan if result.claimed is None else result.claimed
            exact = MethodResult(OPTIMUM, makespan, result.status, accepted, result.seconds, reason)
            self.exact = exact._replace(weight=result.weight)

    def entry(self, method: str) -> MethodResult:
        """Return the answer of one method."""
        if method == OPTIMUM:
            return self.exact
        try:
            return self._entry(method)._replace(method=method)
        except PlanoracleError as error:
            return MethodResult(method, reason=str(error), error=error)

    def _entry(self, method: str) -> MethodResult:
        if method == BEST:
            return self._best()
        for reference in self.references:
            if reference.name == method or (reference.main and method in (REFERENCE, _FORMER_REFERENCE)):
                return self._reference(reference)
        if full_name(method, self.problem.benchmark) is None:
            return MethodResult(method, reason=_NO_METHOD)
        return self._heuristic(method)

    def _reference(self, reference: Reference[Any]) -> MethodResult:
        name = reference.name
        if isinstance(reference.source, str):
            return self._heuristic(reference.source, claims=True)
        try:
            claim = reference.source(self.problem)
        except UnknownNameError:
            raise
        except InputError as error:  # the other problem cannot be completed
            return MethodResult(name, status=Status.infeasible, reason=str(error))
        if not isinstance(claim, Claim):
            result = _solve_or_load(claim, self.time_limit)
            best, reason = (result.makespan, None) if result.status == Status.optimal else (None, result.proof)
            return MethodResult(name, best, result.status, seconds=result.seconds, reason=reason)
        if claim.makespan is None:
            return MethodResult(name, reason=claim.reason or _NO_REFERENCE)
        if claim.accepted:
            return MethodResult(name, claim.makespan, Status.feasible, accepted=True)
        refused = "claimed, but rejected by the rules: " if claim.accepted is False else ""
        return MethodResult(name, claim.makespan, accepted=claim.accepted, reason=f"{refused}{claim.reason}" or None)

    def _best(self) -> MethodResult:
        names = [reference.source for reference in self.references if isinstance(reference.source, str)]
        entries = [self._heuristic(name) for name in names]
        available = heuristics(self.problem.kind)
        if available and "improve" not in available:  # another kind, whose heuristics are in other packages
            entries += [self._heuristic(name) for name in available]
        else:
            entries.append(self._heuristic("improve", budget=replace(self.budget, bound=self.lower_bound or 0)))
        answers = [entry for entry in entries if entry.makespan is not None]
        if not answers:
            return entries[-1]
        return min(answers, key=rank)

    def _budget_of(self, name: str) -> Budget:
        """Return the budget of a heuristic; the time limit also ends one of another package."""
        limit = self.time_limit
        if name not in package_heuristics() or not isinstance(limit, int | float) or self.budget.time_limit != inf:
            return self.budget
        return replace(self.budget, time_limit=limit)

    def _heuristic(self, name: str, *, claims: bool = False, budget: Budget | None = None) -> MethodResult:
        """Run a heuristic once; with ``claims`` its claimed makespan counts, even if the rules reject it."""
        if not heuristics(self.problem.kind):
            return MethodResult(name, reason=_NO_HEURISTICS)
        result = self._run(name, budget or self._budget_of(name))
        if claims and result.claim not in (None, result.makespan):
            difference = f"claims {result.claim} {self.problem.unit}s, but its schedule takes {result.makespan}"
            reason = result.reason or difference
            return MethodResult(name, result.claim, accepted=False, seconds=result.seconds, reason=reason)
        if result.makespan is None:
            return MethodResult(name, seconds=result.seconds, reason=result.reason)
        makespan, replacement = result.makespan, result.reason or None
        weight = None if result.schedule is None else weight_of(self.problem, result.schedule.pieces)
        return MethodResult(name, makespan, Status.feasible, True, result.seconds, replacement, weight=weight)


def rank(entry: MethodResult) -> tuple[int, int]:
    """Return the key of answers with a makespan: the greatest weight comes first, then the least makespan."""
    assert entry.makespan is not None
    return -(entry.weight or 0), entry.makespan


def _solve_or_load(problem: Problem, limit: Limit) -> Result:
    """Return the bundled result of a problem, or else solve it.

    Problems whose search is fast are always solved. An unproved bundled result is used only with the default limit.
    """
    if not kind_of(problem).has_slow_search:
        result = solve(problem, time_limit=limit)
        return result if result.status.settled else bundled_result(problem) or result
    bundled = bundled_result(problem)
    if bundled is not None and (bundled.status.settled or limit == WORK):
        return bundled
    result = solve(problem, time_limit=limit)
    return result if result.status.settled else bundled or result


def _excess(makespan: int | None, base: int | None) -> float | None:
    if makespan is None or base is None:
        return None
    if makespan == base:
        return 0.0
    return makespan / base - 1 if base else None
