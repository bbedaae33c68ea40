"""Lower bounds of the moment at which the last order of a floor is served, which hold for all plans."""

from __future__ import annotations

from planoracle.instances.floors.floor import Floor
from planoracle.instances.floors.profile import FloorRules
from planoracle.solver.floors.bounds.flows import Flows
from planoracle.solver.floors.bounds.routes import least_time

__all__ = ["bound"]


def bound(floor: Floor, rules: FloorRules, limit: float, known: int | None = None) -> int:
    """Return a lower bound of the moment of the last serving, in ticks.

    Parameters
    ----------
    limit
        How much work, about seconds of the processor; the same work gives the same bound.
    known
        A moment at which all orders can be served. The bound is not above it, and comes sooner.
    """
    most = 1_000 if known is None else known
    least = Flows(floor, presence=False).bound(limit)
    if least < most:
        least = max(least, Flows(floor, presence=True).bound(limit / 2))
    if least < most:
        least = max(least, least_time(floor, rules, limit / 2, most, least))
    return min(least, most) if known is not None else least
