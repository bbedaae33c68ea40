"""Explanation of an optimum or of infeasibility: result, proof and text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from planoracle.instances.model.limits import Status
from planoracle.solver.result import Result

if TYPE_CHECKING:
    from planoracle.solver.proofs.certificate import Certificate
    from planoracle.solver.proofs.conflict import Conflict

#: Format of documents of problems without certificates: a plan that can be replayed.
FORMAT: Final = "planoracle/plan"
VERSION: Final = 1


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
        Kind of the certificate, or ``drcp``; ``search`` for kitchens and bundled results; empty without a bound.
    explained_bound
        Bound that can be followed by hand; ``None`` if there is none.
    certificate
        The proof of that bound, for scheduling problems that are not infeasible.
    document
        Document for ``planoracle verify``: the certificate, a DRCP proof, or a plan with a searched bound.
    proof_grade
        Grade of the proof of the status, see `planoracle.solver.result.Result.proof_grade`.
    conflict
        For infeasible scheduling problems, constraints that contradict each other.
    weight
        Weight of the optional tasks that the best plan executes; ``None`` if no task is optional.
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
    weight: int | None = None
    proof_grade: str | None = None
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
        weights = {} if self.weight is None else {"weight": self.weight}
        return {
            "instance": self.instance,
            "status": self.status,
            "makespan": self.makespan,
            "lower_bound": self.lower_bound,
            **weights,
            "unit": self.unit,
            "kind": self.kind,
            "proof_grade": self.proof_grade,
            "explained": self.explained,
            "explained_bound": self.explained_bound,
            "gap": self.gap,
            "certificate": None if self.certificate is None else self.certificate.as_dict(),
            "conflict": None if self.conflict is None else self.conflict.as_dict(),
            "lines": self.lines(),
        }


def plan_document(result: Result, profile: str) -> dict[str, Any]:
    """Return the plan and the bound of a result without a certificate, as a document."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "instance": result.instance,
        "profile": profile,
        "makespan": result.makespan,
        "bound": result.lower_bound,
        "proved": "search",
        "plan": result.plan,
    }
