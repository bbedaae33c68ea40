"""Exact search on a grid kitchen (A*), and the replay of its plans by the rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from planoracle.instances import registry
from planoracle.instances.deadline import Deadline
from planoracle.instances.floors.profile import FloorRules
from planoracle.solver.floors.found import FloorPlan
from planoracle.solver.floors.moves import Use
from planoracle.solver.floors.search import Search, Searched
from planoracle.solver.floors.turns import followed
from planoracle.solver.floors.writing import plan_of

__all__ = ["Proved", "prove"]


class Proved(NamedTuple):
    """What has come of it.

    Attributes
    ----------
    plan
        One that is better than what was known before, replayed by the rules; ``None`` if none was found.
    makespan
        When it ends.
    bound
        No plan ends earlier, but for those that make food that nobody needs.
    way
        How the plan was found.
    expanded
        States whose successors were looked at.
    complete
        Whether nothing is left to be looked at.
    """

    plan: FloorPlan | None
    makespan: int
    bound: int
    way: str
    expanded: int
    complete: bool


def prove(search: Search, rules: FloorRules, deadline: Deadline, most: int, least: int) -> Proved:
    """Look for the earliest plan before ``most``; there is none before ``least``."""
    proved = Proved(None, most, least, "", 0, False)
    if min(search.moves.chop, search.moves.wash) < 1:  # work of no time is not told from none
        return proved
    return _taken(search, rules, proved, search.run(deadline, most, least))


def _taken(search: Search, rules: FloorRules, proved: Proved, found: Searched) -> Proved:
    """Add what a search has found; its plan counts if the rules accept it."""
    expanded = proved.expanded + found.expanded
    bound = max(proved.bound, found.bound)
    proved = proved._replace(expanded=expanded, bound=min(bound, proved.makespan), complete=found.complete)
    search.told(proved.makespan, proved.bound)
    if found.uses is None:
        return proved
    plan, ends = replayed(search, rules, found.uses)
    if plan is None and not search.moves.single:
        again = followed(search.moves, found.uses, proved.makespan)
        plan, ends = replayed(search, rules, again) if again else (None, 0)
    if plan is None or ends >= proved.makespan:
        return proved._replace(complete=False)
    search.told(ends, min(proved.bound, ends))
    return proved._replace(plan=plan, makespan=ends, way="A*", complete=found.complete and ends <= proved.bound)


def replayed(search: Search, rules: FloorRules, uses: Sequence[Use]) -> tuple[FloorPlan | None, int]:
    """Return uses as a plan, and when it ends by the rules; no plan if they do not accept it."""
    floor = search.moves.floor
    for fine in (False, True):
        plan = plan_of(search.moves, uses, fine)
        run = registry.of(floor).run(floor, {"plan": plan}, rules)
        if run.success and run.makespan is not None:
            return plan, int(run.makespan)
    return None, 0
