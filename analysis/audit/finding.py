"""Verdicts on references, and summaries of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from planoracle.instances.files.catalog import set_of, short_name
from planoracle.instances.model.limits import Status
from planoracle.instances.protocol.scoring import BestKnown


class ReferenceVerdict(StrEnum):
    """Verdict on a reference.

    Attributes
    ----------
    optimal
        No plan is shorter (proved).
    too_high
        A plan reaches it, but a shorter plan is known.
    below_bound
        Every plan takes longer (proved).
    infeasible
        Its plan breaks the rules, or none completes the problem.
    misstated
        Its plan passes the rules, but takes another time than stated.
    not_unique
        It is right, but the task does not ask for the shortest plan, and other answers are as right.
    unproved
        None of these is proved.
    missing
        The benchmark should have a reference and has none.
    not_checked
        The reference or its problem could not be read.
    """

    optimal = "optimal"
    too_high = "too_high"
    below_bound = "below_bound"
    infeasible = "infeasible"
    misstated = "misstated"
    not_unique = "not_unique"
    unproved = "unproved"
    missing = "missing"
    not_checked = "not_checked"

    __repr__ = str.__repr__  # written as the plain word, as in files


#: Verdicts on wrong references.
WRONG = frozenset(
    {
        ReferenceVerdict.too_high,
        ReferenceVerdict.below_bound,
        ReferenceVerdict.infeasible,
        ReferenceVerdict.misstated,
        ReferenceVerdict.not_unique,
    }
)


class PlanLength(NamedTuple):
    """Result of a replay: the makespan in ticks, or kind and description of the violation."""

    makespan: int | None
    violation: str | None = None
    reason: str = ""


class CheckedReference(NamedTuple):
    """Verdict with its reason.

    Attributes
    ----------
    feasible
        True if a plan reaches the claim (its own plan, if there is one); ``None``: unknown.
    base
        Ticks that the claim is compared with: the optimum, a lower bound, or a shorter plan.
    """

    verdict: ReferenceVerdict
    feasible: bool | None
    reason: str
    base: int | None = None


def check_reference(
    stated: int | None, plan: PlanLength | None, best: BestKnown, unit: str = "tick"
) -> CheckedReference:
    """Return the verdict on a reference.

    Parameters
    ----------
    stated
        Claimed makespan; ``None`` for a plan without a claim.
    plan
        Replay of its plan; ``None`` for a claim without a plan.
    best
        Known optimum or bounds.

    Examples
    --------
    >>> from planoracle.solver.result import Result
    >>> best = Result("tea", Status.optimal, 12, 12)
    >>> [check_reference(number, None, best).verdict for number in (9, 12, 15)]
    ['below_bound', 'optimal', 'too_high']
    >>> check_reference(15, PlanLength(14), best).reason
    'its plan takes 14 ticks, not the stated 15'
    """
    optimum = best.makespan if best.status == Status.optimal else None
    bound = best.lower_bound
    if plan is not None and plan.makespan is None:
        short = stated is not None and bound is not None and stated < bound
        more = f"; and {_least(bound, optimum, unit)}" if short else ""
        return CheckedReference(ReferenceVerdict.infeasible, False, f"{plan.reason}{more}", optimum)
    plan_makespan = None if plan is None else plan.makespan
    claimed = plan_makespan if stated is None else stated
    assert claimed is not None
    if plan_makespan is None and best.status == Status.infeasible:
        return CheckedReference(ReferenceVerdict.infeasible, False, "no plan completes the problem (proved)")
    if stated is not None and plan_makespan not in (None, stated):
        reason = f"its plan takes {_ticks(plan_makespan, unit)}, not the stated {stated}"
        return CheckedReference(ReferenceVerdict.misstated, True, reason, optimum)
    if bound is not None and claimed < bound:
        note = _least(bound, optimum, unit)
        passes = plan_makespan is not None  # rules or bound must then be wrong
        return CheckedReference(
            ReferenceVerdict.below_bound,
            passes,
            f"its plan passes the rules, although {note}" if passes else note,
            bound,
        )
    if optimum is not None or (plan_makespan is not None and plan_makespan == bound):
        shortest = claimed if optimum is None else optimum
        if claimed == shortest:
            return CheckedReference(ReferenceVerdict.optimal, True, "no plan is shorter (proved)", shortest)
        return CheckedReference(
            ReferenceVerdict.too_high, True, f"the shortest plan takes {_ticks(shortest, unit)}", shortest
        )
    shorter = best.makespan
    if shorter is not None and claimed > shorter:
        reason = f"a plan of {_ticks(shorter, unit)} is known, which is not proved optimal"
        return CheckedReference(ReferenceVerdict.too_high, True, reason, shorter)
    if plan_makespan is not None or claimed == shorter:
        more = "" if bound is None else f"; every plan takes at least {_ticks(bound, unit)} (proved)"
        return CheckedReference(
            ReferenceVerdict.unproved, True, f"a plan reaches it, and no shorter plan is known{more}"
        )
    if bound is not None:
        note = f"every plan takes at least {_ticks(bound, unit)} (proved); no plan that reaches the reference is known"
        return CheckedReference(ReferenceVerdict.unproved, None, note)
    return CheckedReference(ReferenceVerdict.unproved, None, "neither a plan nor a lower bound is known")


def check_among(check: CheckedReference, answers: int) -> CheckedReference:
    """Return the verdict on a reference for a task in which any right answer will do, whatever its time.

    Parameters
    ----------
    check
        Result of `check_reference`.
    answers
        Number of right answers, the reference included.

    Examples
    --------
    >>> check = CheckedReference(ReferenceVerdict.too_high, True, "the shortest plan takes 12 ticks", 12)
    >>> check_among(check, 31).reason
    'one of 31 right answers; a grader that asks for this one rejects the others'
    >>> check_among(check, 1).verdict
    'optimal'
    """
    if check.verdict not in (ReferenceVerdict.optimal, ReferenceVerdict.too_high):
        return check
    if answers == 1:
        return CheckedReference(ReferenceVerdict.optimal, True, "the only right answer")
    reason = f"one of {answers} right answers; a grader that asks for this one rejects the others"
    return CheckedReference(ReferenceVerdict.not_unique, True, reason)


def _least(bound: int | None, optimum: int | None, unit: str) -> str:
    if optimum is not None:
        return f"the shortest plan takes {_ticks(optimum, unit)}"
    return f"every plan takes at least {_ticks(bound, unit)} (proved)"


def _ticks(count: int | None, unit: str) -> str:
    return f"{count} {unit}{'' if count == 1 else 's'}"


@dataclass(frozen=True, slots=True)
class ReferenceFinding:
    """Finding about one reference.

    Attributes
    ----------
    instance, benchmark
        Names of problem and benchmark; ``None`` if unknown.
    reference
        Name of the reference: that of the benchmark, the model of a row, or ``given``.
    profile
        Rule profile.
    unit
        Name of a tick of the problem; all figures are ticks.
    claimed
        Claimed makespan, or that of the plan.
    feasible, violation
        True if a plan reaches the claim (its own, if it has one); kind of the first violation of its plan.
    optimum, bound, status
        Known optimum and bounds of the problem.
    verdict, reason
        Verdict, and the reason in words.
    off, gap
        Difference from the optimum, else from the bound that it is below, else from a shorter plan: in ticks and as a
        share.
    id, source, line
        Id and place of a submitted reference.
    """

    instance: str | None
    benchmark: str | None
    reference: str
    profile: str
    verdict: ReferenceVerdict
    unit: str | None = None
    claimed: int | None = None
    feasible: bool | None = None
    violation: str | None = None
    optimum: int | None = None
    bound: int | None = None
    status: Status | None = None
    off: int | None = None
    gap: float | None = None
    reason: str = ""
    id: str | None = None
    source: str | None = None
    line: int | None = None

    @property
    def wrong(self) -> bool:
        """True if the reference is wrong."""
        return self.verdict in WRONG

    def row(self) -> dict[str, Any]:
        """Return a flat row."""
        return asdict(self)


def summarize(findings: Iterable[ReferenceFinding]) -> list[dict[str, Any]]:
    """Count verdicts per set of problems and reference.

    Returns
    -------
    list of dict
        ``set`` (of bundled problems, else the benchmark), ``reference, checked``; how many have each verdict;
        ``mean_gap, max_gap`` of those that are too high; ``worst``: name of the problem with the largest gap.
    """
    groups: dict[tuple[str, str], list[ReferenceFinding]] = {}
    for finding in findings:
        label = set_of(finding.instance or "")[0] or finding.benchmark or "-"
        groups.setdefault((label, finding.reference), []).append(finding)
    rows = []
    for (label, reference), members in groups.items():
        count = Counter(finding.verdict for finding in members)
        high = []
        for finding in members:
            if finding.verdict == ReferenceVerdict.too_high and finding.gap is not None:
                high.append((finding.gap, finding.instance))
        worst, name = max(high, key=lambda gap_and_name: gap_and_name[0], default=(None, None))
        row: dict[str, Any] = {"set": label, "reference": reference, "references": len(members)}
        row |= {verdict.value: count[verdict] for verdict in ReferenceVerdict}
        row["mean_gap"] = sum(gap for gap, _ in high) / len(high) if high else None
        rows.append(row | {"max_gap": worst, "worst": name and short_name(name)})
    return rows
