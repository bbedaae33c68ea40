"""Best plans on floors, from whatever finds plans and bounds."""

from __future__ import annotations

from planoracle.instances.deadline import Limit
from planoracle.instances.floors.floor import Floor
from planoracle.instances.floors.profile import FloorRules
from planoracle.instances.status import Status
from planoracle.solver.floors.found import FloorPlan, Found

__all__ = ["plan"]


def plan(floor: Floor, rules: FloorRules, limit: Limit, after: FloorPlan | None = None) -> Found:
    """Find a plan that serves all orders as early as can be, and prove it, as far as the limit allows.

    Parameters
    ----------
    limit
        Seconds of wall time, or counted work. When they are over, the best plan and bound so far are returned.
    after
        What cooks do first, waits included: only plans that begin so are looked for; times are counted from the
        beginning all the same.
    """
    if not floor.orders:
        return Found(Status.optimal, 0, 0, {name: [] for name in floor.agents}, "there is nothing to do")
    return Found(Status.unknown, None, 1, proof="no search was made")
