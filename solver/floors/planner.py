"""Best plans on floors, from whatever finds plans and bounds."""

from __future__ import annotations

from planoracle.heuristics.floors import annealed
from planoracle.instances import registry
from planoracle.instances.deadline import Limit, deadline_of
from planoracle.instances.errors import InputError
from planoracle.instances.floors.floor import Floor
from planoracle.instances.floors.profile import FloorRules
from planoracle.instances.status import Status
from planoracle.solver.floors.found import FloorPlan, Found

__all__ = ["plan"]

# Changes that the heuristic tries at most, and its share of the limit.
_TRIES, _SHARE = 100_000, 0.25


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
    if after is not None and any(after.values()):
        return Found(Status.unknown, None, 1, proof="no search was made")
    if not floor.orders:
        return Found(Status.optimal, 0, 0, {name: [] for name in floor.agents}, "there is nothing to do")
    deadline = deadline_of(limit)
    part = deadline.within(_SHARE * deadline.left())
    try:
        best = annealed(floor, rules, tries=_TRIES, deadline=part)
    except InputError as error:
        return Found(Status.unknown, None, 1, proof=error.message)
    run = registry.of(floor).run(floor, {"plan": best}, rules)
    return Found(Status.feasible, run.makespan, 1, best, "annealing")
