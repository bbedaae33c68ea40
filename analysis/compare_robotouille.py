"""Compare the published numbers of steps with the proved fewest."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from planoracle.instances import catalogue
from planoracle.instances.kitchens.kitchen import Kitchen
from planoracle.instances.robotouille.published import published_steps
from planoracle.instances.status import Status
from planoracle.solver.kitchens.planner import plan

__all__ = ["KitchenComparison", "compare", "summarize"]


@dataclass(frozen=True, slots=True)
class KitchenComparison:
    """Steps of one kitchen; ``None`` where unknown.

    Attributes
    ----------
    optimal, lower_bound
        The proved fewest steps, and the bound where they are not proved.
    published
        The number published for the task, made for its released kitchen (Table 3).
    gap_published
        What the published number is above the optimum, as a share of it; below, if negative.
    """

    instance: str
    optimal: int | None
    lower_bound: int | None
    status: Status
    published: int | None
    gap_published: float | None
    seconds: float

    def row(self) -> dict[str, Any]:
        """Return the comparison as a flat row."""
        return {name: getattr(self, name) for name in self.__slots__}


def compare(kitchen: Kitchen) -> KitchenComparison:
    """Plan one kitchen for at most a minute."""
    best = plan(kitchen)
    optimal = best.makespan if best.status == Status.optimal else None
    published = published_steps(kitchen.name)
    return KitchenComparison(
        instance=kitchen.name,
        optimal=optimal,
        lower_bound=best.lower_bound,
        status=best.status,
        published=published,
        gap_published=None if published is None or not optimal else published / optimal - 1,
        seconds=round(best.seconds, 6),
    )


def summarize(comparisons: Iterable[KitchenComparison]) -> list[dict[str, Any]]:
    """Say per set how often the published number is above, at and below the proved optimum.

    Returns
    -------
    list of dict
        ``set`` (of bundled kitchens and their variants, else empty), ``kitchens, proved``, and of these with a
        published number ``above, equal, below``, ``mean_gap`` and ``max_gap`` (share of the optimum).
    """
    sets: dict[str, list[KitchenComparison]] = {}
    for one in comparisons:
        sets.setdefault(catalogue.set_of(one.instance)[0], []).append(one)
    rows = []
    for name, members in sets.items():
        gaps = [one.gap_published for one in members if one.gap_published is not None]
        rows.append(
            {
                "set": name,
                "kitchens": len(members),
                "proved": sum(one.status == Status.optimal for one in members),
                "above": sum(gap > 0 for gap in gaps),
                "equal": gaps.count(0),
                "below": sum(gap < 0 for gap in gaps),
                "mean_gap": sum(gaps) / len(gaps) if gaps else None,
                "max_gap": max(gaps, default=None),
            }
        )
    return rows
