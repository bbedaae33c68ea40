"""Explanation of an optimum by a certificate, or of infeasibility by a conflict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from planoracle.analysis.verification.verify import plan_document
from planoracle.instances.errors import NoSolverError
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import Limit, Status, WorkLimit, deadline_of
from planoracle.instances.model.problem import Problem, for_kind
from planoracle.instances.protocol.feedback import span
from planoracle.solver.exact.search import solve as solve_schedule
from planoracle.solver.proofs.certificate import Certificate, certificate
from planoracle.solver.proofs.conflict import Conflict, find_conflict
from planoracle.solver.solve import engine_of, solve

#: Default work.
WORK = WorkLimit(60.0)


@dataclass(frozen=True, slots=True)
class Explanation:
    """Result for a problem and its proof.

    Attributes
    ----------
    status
        ``optimal``, ``feasible``, ``infeasible`` or ``unknown``, as `planoracle.solver.result.Result` has it.
    makespan, lower_bound
        Ticks (steps of a kitchen); ``None`` if unknown.
    unit
        Name of a tick.
    kind
        Kind of the certificate; ``search`` for kitchens and bundled results; empty without a bound.
    explained_bound
        Bound that can be followed by hand; ``None`` if there is none.
    certificate
        The proof of that bound, for scheduling problems that are not infeasible.
    document
        Document for ``planoracle verify``: the certificate, or a plan with a searched bound.
    conflict
        For infeasible scheduling problems, constraints that contradict each other.
    """

    instance: str
    status: Status
    makespan: int | None
    lower_bound: int | None
    unit: str
    kind: str = ""
    explained_bound: int | None = None
    certificate: Certificate | None = None
    conflict: Conflict | None = None
    document: dict[str, Any] | None = field(default=None, repr=False)
    _lines: tuple[str, ...] = field(default=(), repr=False)

    @property
    def gap(self) -> int | None:
        """Ticks between the makespan and the bound that can be followed by hand."""
        if self.makespan is None or self.explained_bound is None:
            return None
        return self.makespan - self.explained_bound

    @property
    def explained(self) -> bool:
        """True if the status can be followed by hand: a proof without gap, or a minimal conflict."""
        if self.conflict is not None:
            return self.conflict.status == Status.infeasible and self.conflict.minimal
        return self.certificate is not None and self.gap == 0

    def lines(self) -> list[str]:
        """Return the explanation as text."""
        return list(self._lines)

    def as_dict(self) -> dict[str, Any]:
        """Return the explanation for JSON."""
        return {
            "instance": self.instance,
            "status": self.status,
            "makespan": self.makespan,
            "lower_bound": self.lower_bound,
            "unit": self.unit,
            "kind": self.kind,
            "explained": self.explained,
            "explained_bound": self.explained_bound,
            "gap": self.gap,
            "certificate": None if self.certificate is None else self.certificate.as_dict(),
            "conflict": None if self.conflict is None else self.conflict.as_dict(),
            "lines": self.lines(),
        }


def explain(problem: Problem, *, time_limit: Limit = WORK) -> Explanation:
    """Solve a problem and explain the result.

    Parameters
    ----------
    problem
        Problem of any kind, as returned by `load`.
    time_limit
        Seconds of wall time, or counted work. To solve a scheduling problem takes at most half of it; the rest is for
        the proof, or for a conflict if it is infeasible.

    Raises
    ------
    NoSolverError
        If the problem has no solver, and no result of it is bundled.
    InternalError
        If a schedule does not pass the rules, or a proof fails its check.

    Examples
    --------
    >>> from planoracle.instances.files.catalog import load
    >>> for line in explain(load("asynctool/files_1")).lines():
    ...     print(line)
    asynctool/files_1: optimal, 4 turns.
    Proof that no schedule is shorter (critical path):
    (1) Call 1 of files_1 (enter_folder) 1 turn + minimum lag from call 1 of files_1 (enter_folder) to call 2 \
of files_1 (make_folder) 1 turn + call 2 of files_1 (make_folder) 1 turn + ALL COMPLETED 1 turn = 4 turns: the \
makespan is at least 4 turns.
    """
    engine_of(problem)  # raises an error without a solver
    return for_kind(problem, _EXPLAINED)(problem, time_limit)


def _schedule(instance: Instance, time_limit: Limit) -> Explanation:
    deadline = deadline_of(time_limit)
    result = solve_schedule(instance, time_limit=deadline.sooner(deadline.remaining() / 2))
    fields = instance.name, result.status, result.makespan, result.lower_bound, instance.unit
    head = f"{instance.name}: {result.status}"
    if result.status == Status.infeasible:
        conflict = find_conflict(instance, time_limit=deadline)
        lines = [f"{head}."] if conflict is None else conflict.lines()
        return Explanation(*fields, conflict=conflict, _lines=tuple(lines))
    proof = certificate(instance, result.makespan, result.schedule, time_limit=deadline)
    if proof is None:
        makespan = "no schedule was found" if result.makespan is None else span(instance, result.makespan)
        lines = [f"{head}, {makespan}; no certificate was found within the time limit."]
        return Explanation(*fields, _lines=tuple(lines))
    if result.makespan is None:
        lines = [f"{head}; neither a schedule nor a proof of infeasibility was found within the time limit."]
        lines.append(f"Lower bound for every schedule ({proof.kind}):")
    else:
        lines = [f"{head}, {span(instance, result.makespan)}."]
        if result.status == Status.feasible and not proof.explained:
            least = max(result.lower_bound or 0, proof.bound)
            lines[0] = f"{head}, {span(instance, result.makespan)}; the proved lower bound is {span(instance, least)},"
            lines[0] += " and the time limit ended the search for shorter schedules."
        claim = "no schedule is shorter" if proof.explained else "a lower bound"
        lines.append(f"Proof {'that' if proof.explained else 'of'} {claim} ({proof.kind}):")
    lines += proof.lines(instance)
    if proof.gap and result.status == Status.optimal:
        lines.append(
            f"The remaining {span(instance, proof.gap)} up to the optimum are proved by search ({result.proof})."
        )
    status = result.status
    if status == Status.feasible and proof.explained:  # the proof has settled what the search had not
        status = Status.optimal
        lines[0] = f"{instance.name}: {status}, {span(instance, proof.bound)}."
        fields = instance.name, status, result.makespan, result.makespan, instance.unit
    document = proof.as_dict()
    return Explanation(*fields, proof.kind, proof.bound, certificate=proof, document=document, _lines=tuple(lines))


def _explain_search(problem: Problem, time_limit: Limit) -> Explanation:
    """Explain a result of a search for plans in kitchens."""
    result = solve(problem, time_limit=time_limit)
    fields = result.instance, result.status, result.makespan, result.lower_bound, problem.unit
    head = f"{result.instance}: {result.status}"
    if result.status == Status.infeasible:
        return Explanation(*fields, _lines=(f"{head}: no plan completes the problem ({result.proof}).",))
    unknown = "; neither a plan nor a proof of infeasibility was found within the time limit"
    lines = [head + (unknown if result.makespan is None else f", {span(problem, result.makespan)}") + "."]
    if result.status == Status.optimal:
        lines.append(f"Proved by search ({result.proof}); {result.expanded} states were expanded.")
    elif result.lower_bound is not None:
        least = span(problem, result.lower_bound)
        lines.append(f"Lower bound proved within the time limit: every plan takes at least {least} ({result.proof}).")
    # These problems are solved by the profile "released" here.
    document = None if result.plan is None else plan_document(result, "released")
    return Explanation(*fields, "search", document=document, _lines=tuple(lines))


def _explain_bundled(problem: Problem, time_limit: Limit) -> Explanation:
    """Explain the bundled result of a problem without solver."""
    result = solve(problem)
    if result.makespan is None:
        raise NoSolverError(result.proof, field=problem.name)
    makespan = span(problem, result.makespan)
    lines = [f"{result.instance}: {result.status}, {makespan}."]
    if result.status == Status.optimal:
        lines.append(f"Bundled, proved by search ({result.proof}); no certificate is known.")
    elif result.lower_bound is not None:
        lower_bound = span(problem, result.lower_bound)
        lines.append(f"Bundled lower bound: every plan takes at least {lower_bound} ({result.proof}).")
    return Explanation(
        instance=result.instance,
        status=result.status,
        makespan=result.makespan,
        lower_bound=result.lower_bound,
        unit=problem.unit,
        kind="search",
        document=plan_document(result, "released"),
        _lines=tuple(lines),
    )


_EXPLAINED: Final[dict[str, Callable[[Any, Limit], Explanation]]] = {
    "schedule": _schedule,
    "kitchen": _explain_search,
    "floor": _explain_bundled,
}
