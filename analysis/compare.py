"""Compare the released reference plans and the heuristics with the proved optima."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from planoracle.analysis.optimum import optimum
from planoracle.heuristics.budget import Budget
from planoracle.heuristics.registry import run
from planoracle.instances.catalogue import set_of
from planoracle.instances.model import Instance
from planoracle.instances.recipe2plan.scores import released_plan
from planoracle.instances.status import Status

__all__ = ["Comparison", "compare", "summarize"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Makespans of one instance, in ticks; ``None`` where a method has no answer.

    Attributes
    ----------
    heuristic_reference
        The benchmark's own reference plan, as released.
    dfs
        The paper's Algorithm 1.
    best_heuristic
        The best of the fast schedulers.
    gap_reference, gap_dfs, gap_best
        Excess over the optimum, as a share of it.
    seconds
        Wall time of the exact solve.
    """

    instance: str
    optimal: int | None
    lower_bound: int | None
    status: Status
    heuristic_reference: int | None
    dfs: int | None
    best_heuristic: int | None
    gap_reference: float | None
    gap_dfs: float | None
    gap_best: float | None
    seconds: float

    def row(self) -> dict[str, Any]:
        """Return the comparison as a flat row."""
        return {name: getattr(self, name) for name in self.__slots__}


def compare(instance: Instance) -> Comparison:
    """Solve one instance and run the heuristics on it."""
    best = optimum(instance)
    exact = best.makespan if best.status == Status.optimal else None
    released = released_plan(instance)
    reference = max(c.start + c.duration for c in released) if released else None
    dfs = run(instance, "recipe2plan-dfs").makespan
    improved = run(instance, "improve", Budget(bound=best.lower_bound or 0)).makespan
    known = [makespan for makespan in (dfs, improved) if makespan is not None]
    fast = min(known, default=None)
    return Comparison(
        instance=instance.name,
        optimal=exact,
        lower_bound=best.lower_bound,
        status=best.status,
        heuristic_reference=reference,
        dfs=dfs,
        best_heuristic=fast,
        gap_reference=_gap(reference, exact),
        gap_dfs=_gap(dfs, exact),
        gap_best=_gap(fast, exact),
        seconds=round(best.seconds, 6),
    )


def _gap(makespan: int | None, optimal: int | None) -> float | None:
    return None if makespan is None or not optimal else makespan / optimal - 1


def summarize(comparisons: Iterable[Comparison]) -> list[dict[str, Any]]:
    """Say per set how often and by how much each method lies above the optimum.

    Returns
    -------
    list of dict
        ``set, method, problems, answered, above`` (number above the optimum), ``mean_gap, max_gap``
        (share of the optimum, over the answered ones), ``worst`` (where the largest gap is).
    """
    sets: dict[str, list[Comparison]] = {}
    for comparison in comparisons:
        name = comparison.instance
        sets.setdefault(set_of(name)[0] or name.rpartition("/")[0], []).append(comparison)
    methods = {"reference": "gap_reference", "dfs": "gap_dfs", "best heuristic": "gap_best"}
    rows = []
    for name, members in sets.items():
        for method, field in methods.items():
            gaps = [(getattr(m, field), m.instance) for m in members if getattr(m, field) is not None]
            worst = max(gaps, key=lambda entry: entry[0], default=(0.0, ""))
            rows.append(
                {
                    "set": name,
                    "method": method,
                    "problems": len(members),
                    "answered": len(gaps),
                    "above": sum(gap > 0 for gap, _ in gaps),
                    "mean_gap": sum(gap for gap, _ in gaps) / len(gaps) if gaps else None,
                    "max_gap": worst[0] if gaps else None,
                    "worst": worst[1].rpartition("/")[2] if worst[0] else None,
                }
            )
    return rows
