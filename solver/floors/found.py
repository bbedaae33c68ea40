"""What a search on a floor has found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from planoracle.instances.status import Status

__all__ = ["Found", "FloorPlan"]

#: The actions of every cook as a submission has them, by name; who is missing does nothing.
FloorPlan: TypeAlias = Mapping[str, Sequence[Mapping[str, Any]]]


class Found(NamedTuple):
    """A plan, a bound, or both.

    Attributes
    ----------
    status
        ``optimal``: no plan serves the last order earlier, proved. ``feasible``: ``bound`` holds. ``infeasible``: proved
        that no plan serves all orders. ``unknown``: no plan was found.
    makespan
        Ticks from the beginning of the whole run to its end; ``None`` without a plan.
    bound
        Ticks; no plan ends earlier.
    plan
        From the beginning, or from where the search began.
    proof
        In which way the status was settled.
    expanded
        States whose successors were looked at.
    """

    status: Status
    makespan: int | None
    bound: int
    plan: FloorPlan | None = None
    proof: str = ""
    expanded: int = 0
