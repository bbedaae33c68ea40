"""What an audit finds: a row for a reference, and how many rows come to what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from planoracle.analysis.audit.verdict import WRONG, Verdict
from planoracle.instances.catalogue import set_of
from planoracle.instances.status import Status
from planoracle.instances.wording import short


@dataclass(frozen=True, slots=True)
class Finding:
    """What is to be said of one reference.

    Attributes
    ----------
    instance, benchmark
        Name of the problem, and whose it is; ``None`` where that is not known.
    reference
        What it is called: that of the benchmark, or the model of a row, or ``given``.
    profile
        The rules that it was checked by.
    unit
        What the ticks of the problem are called; all figures are ticks.
    claimed
        The makespan that it states, or that of its plan.
    feasible, violation
        Whether a plan keeps it (its own, if it has one), and the kind of the rule that its plan breaks first.
    optimum, bound, status
        What is known about the best plans.
    verdict, reason
        What it turns out to be, and why in words.
    off, gap
        By how much it differs from the optimum, else from the bound that it is below, else from a shorter plan: in
        ticks and as a share.
    id, source, line
        Of a reference that was handed in: what it is called there, and where it stands.
    """

    instance: str | None
    benchmark: str | None
    reference: str
    profile: str
    verdict: Verdict
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
        """Whether something is wrong with the reference."""
        return self.verdict in WRONG

    def row(self) -> dict[str, Any]:
        """Return a flat row."""
        return asdict(self)


def summarize(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """Count verdicts per set of problems and reference.

    Returns
    -------
    list of dict
        ``set`` (of bundled problems, else the benchmark), ``reference, checked``; how many have each verdict;
        ``mean_gap, max_gap`` of those that are too high; ``worst``: where the largest gap is.
    """
    groups: dict[tuple[str, str], list[Finding]] = {}
    for one in findings:
        label = set_of(one.instance or "")[0] or one.benchmark or "-"
        groups.setdefault((label, one.reference), []).append(one)
    rows = []
    for (label, reference), members in groups.items():
        count = Counter(one.verdict for one in members)
        high = [(one.gap, one.instance) for one in members if one.verdict == Verdict.too_high and one.gap is not None]
        worst, where = max(high, key=lambda found: found[0], default=(None, None))
        row: dict[str, Any] = {"set": label, "reference": reference, "references": len(members)}
        row |= {verdict.value: count[verdict] for verdict in Verdict}
        row["mean_gap"] = sum(gap for gap, _ in high) / len(high) if high else None
        rows.append(row | {"max_gap": worst, "worst": where and short(where)})
    return rows
