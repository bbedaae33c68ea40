"""The searches on a floor, one after the other: a short one, then compiled ones where there is a compiler."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from planoracle.instances import registry
from planoracle.instances.deadline import Deadline
from planoracle.instances.floors.profile import FloorRules
from planoracle.solver.compiling import compiles, installed
from planoracle.solver.floors.found import FloorPlan
from planoracle.solver.floors.moves import Use
from planoracle.solver.floors.search import Search, Searched
from planoracle.solver.floors.spares import spares, without
from planoracle.solver.floors.turns import followed
from planoracle.solver.floors.writing import plan_of

__all__ = ["Proved", "prove"]

# Shares of the limit: for a first look, which loads no compiled code, then for beams, and for those that leave spare
# cookware where it is.
_FIRST, _BEAMS, _CLOSED = 0.02, 0.6, 0.15


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
    compiled = _compiled(search, most)
    first = deadline.within(_FIRST * deadline.left()) if compiled else deadline
    proved = _taken(search, rules, proved, search.run(first, most, least))
    if proved.complete or not compiled:
        return proved
    if not compiles():
        return _taken(search, rules, proved, search.run(deadline, proved.makespan, proved.bound))
    from planoracle.solver.floors.compiled.meeting import Meetings
    from planoracle.solver.floors.compiled.search import CompiledSearch

    start = search.moves.start()
    proved = proved._replace(bound=min(most, max(proved.bound, Meetings(search.moves).least(search.bound))))
    left = spares(search.moves)
    for share, worlds in ((_BEAMS, [()]), (_CLOSED, left)):
        part = deadline.within(share * deadline.left())
        for number, closed in enumerate(worlds):
            if proved.bound < proved.makespan:
                each = part.within(part.left() / (len(worlds) - number))
                found = CompiledSearch(search, closed=closed).beams(each, proved.makespan, proved.bound, start)
                proved = _taken(search, rules, proved, found, "beam search")
        if left == [()]:
            break
    # Without spare cookware, and with turns at the same moment in any order, it goes faster; what comes of it is a
    # bound anyhow.
    fewer = [without(start, closed) for closed in left]
    for starts, turns in ((fewer, False), ([start], False), ([start], True)):
        if proved.bound >= proved.makespan:
            break
        found = CompiledSearch(search, turns).best_first(deadline, proved.makespan, proved.bound, starts)
        proved = _taken(search, rules, proved, found)
        if found.uses is None:
            break
    return proved


def _compiled(search: Search, most: int) -> bool:
    """Whether there seems to be a compiler, and the floor is small enough for it."""
    if not installed():
        return False
    from planoracle.solver.floors.compiled.sizes import suits

    return suits(search, most)


def _taken(search: Search, rules: FloorRules, proved: Proved, found: Searched, way: str = "A*") -> Proved:
    """Add what a search has found; its plan counts if the rules accept it."""
    expanded = proved.expanded + found.expanded
    # What a beam found is no bound.
    bound = max(proved.bound, found.bound) if way == "A*" else proved.bound
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
    return proved._replace(plan=plan, makespan=ends, way=way, complete=found.complete and ends <= proved.bound)


def replayed(search: Search, rules: FloorRules, uses: Sequence[Use]) -> tuple[FloorPlan | None, int]:
    """Return uses as a plan, and when it ends by the rules; no plan if they do not accept it."""
    floor = search.moves.floor
    for fine in (False, True):
        plan = plan_of(search.moves, uses, fine)
        run = registry.of(floor).run(floor, {"plan": plan}, rules)
        if run.success and run.makespan is not None:
            return plan, int(run.makespan)
    return None, 0
