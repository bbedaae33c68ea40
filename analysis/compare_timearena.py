"""The Oracle of TimeArena's Table 2 beside the proved optimum."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from planoracle.analysis.optimum import optimum
from planoracle.heuristics import timearena_greedy
from planoracle.heuristics.budget import Budget
from planoracle.heuristics.registry import run
from planoracle.instances import catalogue
from planoracle.instances.errors import InputError
from planoracle.instances.model import Instance
from planoracle.instances.status import Status
from planoracle.instances.timearena import encode
from planoracle.instances.timearena.profile import PROFILES
from planoracle.instances.timearena.world import world
from planoracle.solver.exact.solve import solve

__all__ = ["TimeArenaComparison", "compare", "summarize"]


@dataclass(frozen=True, slots=True)
class TimeArenaComparison:
    """Completion times of one combination of tasks, in minutes; ``None`` where a method has no answer.

    Attributes
    ----------
    optimal, lower_bound, status
        Proved under the ``paper`` rules.
    heuristic_reference, reference_possible
        What the released greedy, the paper's Oracle, claims; whether the rules allow its schedule.
    reference_capped
        It has so many autonomous actions that not all their orders were tried.
    greedy, greedy_possible
        The same for Algorithm 1 as printed.
    best_heuristic
        The best of our fast schedulers.
    without_objects
        The optimum if objects were never occupied, with the released list of prerequisites: the problem that
        the released greedy solves.
    completable_released
        Whether the released reservations leave a way to complete the combination at all.
    gap_reference, gap_greedy, gap_best
        Excess over the optimum, as a share of it; negative for a claim that cannot be kept.
    seconds
        Wall time of the exact solve.
    """

    instance: str
    optimal: int | None
    lower_bound: int | None
    status: Status
    heuristic_reference: int
    reference_possible: bool
    reference_capped: bool
    greedy: int
    greedy_possible: bool
    best_heuristic: int | None
    without_objects: int | None
    completable_released: bool
    gap_reference: float | None
    gap_greedy: float | None
    gap_best: float | None
    seconds: float

    def row(self) -> dict[str, Any]:
        """Return the comparison as a flat row."""
        return {name: getattr(self, name) for name in self.__slots__}


def compare(instance: Instance) -> TimeArenaComparison:
    """Solve one combination with and without occupied objects, and run the greedy algorithms on it."""
    best = optimum(instance)
    exact = best.makespan if best.status == Status.optimal else None
    free = solve(timearena_greedy.without_objects(instance, as_listed=True))
    released, printed = timearena_greedy.released(instance), timearena_greedy.printed(instance)
    fast = run(instance, "improve", Budget(bound=best.lower_bound or 0)).makespan

    def gap(minutes: int | None) -> float | None:
        return None if minutes is None or not exact else minutes / exact - 1

    return TimeArenaComparison(
        instance=instance.name,
        optimal=exact,
        lower_bound=best.lower_bound,
        status=best.status,
        heuristic_reference=released.claim,
        reference_capped=released.capped,
        reference_possible=timearena_greedy.realise(instance, released.starts)[0] is not None,
        greedy=printed.claim,
        greedy_possible=timearena_greedy.realise(instance, printed.starts)[0] is not None,
        best_heuristic=fast,
        without_objects=free.makespan if free.status == Status.optimal else None,
        completable_released=_completable(instance),
        gap_reference=gap(released.claim),
        gap_greedy=gap(printed.claim),
        gap_best=gap(fast),
        seconds=round(best.seconds, 6),
    )


def _completable(instance: Instance) -> bool:
    """Whether the combination can be completed under the released rules, proved either way."""
    try:
        problem = encode.instance(world(instance.name), PROFILES["released"])
    except InputError:  # an action is left without any object to do it with
        return False
    return solve(problem).status == Status.optimal


def summarize(comparisons: Iterable[TimeArenaComparison]) -> list[dict[str, Any]]:
    """Give the Oracle row of Table 2 per set and method.

    Returns
    -------
    list of dict
        ``set, method, problems, CT`` (mean minutes), ``CS`` (percent a minute), ``above`` and ``below``
        (number above and below the optimum), ``impossible`` (schedules that the rules refuse); for the method
        ``released rules`` ``CR``, the best completion rate any agent can reach under the released reservations.
    """
    groups: dict[str, list[TimeArenaComparison]] = {}
    for one in comparisons:
        groups.setdefault(catalogue.set_of(one.instance)[0] or "others", []).append(one)
    rows = []
    for name, members in groups.items():
        for method, field, possible in (
            ("released greedy", "heuristic_reference", "reference_possible"),
            ("printed greedy", "greedy", "greedy_possible"),
            ("best heuristic", "best_heuristic", None),
            ("optimum without objects", "without_objects", None),
            ("optimum", "optimal", None),
        ):
            times = [getattr(m, field) for m in members if getattr(m, field) is not None]
            mean = sum(times) / len(times) if times else None
            pairs = [(getattr(m, field), m.optimal) for m in members if None not in (getattr(m, field), m.optimal)]
            rows.append(
                {
                    "set": name,
                    "method": method,
                    "problems": len(members),
                    "CT": mean,
                    "CS": 100 / mean if mean else None,
                    "above": sum(minutes > optimal for minutes, optimal in pairs),
                    "below": sum(minutes < optimal for minutes, optimal in pairs),
                    "impossible": sum(not getattr(m, possible) for m in members) if possible else 0,
                    "CR": 100.0,
                }
            )
        kept = sum(m.completable_released for m in members)
        rows.append(
            {"set": name, "method": "released rules", "problems": len(members), "CR": 100 * kept / len(members)}
        )
    return rows
