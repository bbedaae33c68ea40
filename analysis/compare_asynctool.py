"""Compare ways to play AsyncTool problems with the proved least number of turns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from planoracle.analysis.optimum import optimum
from planoracle.heuristics.budget import Budget
from planoracle.heuristics.registry import run
from planoracle.instances import catalogue
from planoracle.instances.asynctool.encode import optimal_turns, problem_of
from planoracle.instances.model import Instance
from planoracle.instances.status import Status

__all__ = ["AsyncToolComparison", "compare", "summarize"]


@dataclass(frozen=True, slots=True)
class AsyncToolComparison:
    """Turns of one problem, the closing message included; ``None`` where a method has no answer.

    Attributes
    ----------
    optimal
        Least number of turns, every call waiting for the result before it (``opt_strict``).
    optimal_calls
        Least number if no call waited for a result (``opt_calls``): what a blind agent can reach where no data flows.
    sequential
        One sub-task after the other.
    best_heuristic
        The fast schedulers.
    gap_sequential, gap_best
        Excess over the optimum, as a share of it.
    """

    instance: str
    optimal: int | None
    lower_bound: int | None
    status: Status
    optimal_calls: int | None
    sequential: int | None
    best_heuristic: int | None
    gap_sequential: float | None
    gap_best: float | None
    seconds: float

    def row(self) -> dict[str, Any]:
        """Return the comparison as a flat row."""
        return {name: getattr(self, name) for name in self.__slots__}


def compare(instance: Instance) -> AsyncToolComparison:
    """Solve one problem and run the heuristics on it."""
    best = optimum(instance)
    exact = best.makespan if best.status == Status.optimal else None
    sequential = run(instance, "asynctool-sequential").makespan
    fast = run(instance, "improve", Budget(bound=best.lower_bound or 0)).makespan
    return AsyncToolComparison(
        instance=instance.name,
        optimal=exact,
        lower_bound=best.lower_bound,
        status=best.status,
        optimal_calls=optimal_turns(problem_of(instance), strict=False),
        sequential=sequential,
        best_heuristic=fast,
        gap_sequential=_gap(sequential, exact),
        gap_best=_gap(fast, exact),
        seconds=round(best.seconds, 6),
    )


def _gap(turns: int | None, optimal: int | None) -> float | None:
    return None if turns is None or not optimal else turns / optimal - 1


def summarize(comparisons: Iterable[AsyncToolComparison]) -> list[dict[str, Any]]:
    """Average the turns per set and method.

    Returns
    -------
    list of dict
        ``set, method, problems, answered, mean_turns``, and over the proved problems ``mean_gap`` and ``max_gap``
        (share of the optimum).
    """
    sets: dict[str, list[AsyncToolComparison]] = {}
    for one in comparisons:
        sets.setdefault(catalogue.set_of(one.instance)[0], []).append(one)
    methods = {
        "optimal": ("optimal", ""),
        "sequential": ("sequential", "gap_sequential"),
        "best heuristic": ("best_heuristic", "gap_best"),
        "calls without waiting": ("optimal_calls", ""),
    }
    rows = []
    for name, members in sets.items():
        for method, (field, gap) in methods.items():
            turns = [getattr(one, field) for one in members if getattr(one, field) is not None]
            gaps = [getattr(one, gap) for one in members if gap and getattr(one, gap) is not None]
            rows.append(
                {
                    "set": name,
                    "method": method,
                    "problems": len(members),
                    "answered": len(turns),
                    "mean_turns": sum(turns) / len(turns) if turns else None,
                    "mean_gap": sum(gaps) / len(gaps) if gaps else None,
                    "max_gap": max(gaps, default=None),
                }
            )
    return rows
