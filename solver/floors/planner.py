"""Best plans on floors, from whatever finds plans and bounds."""

from __future__ import annotations

from planoracle.heuristics.floors import annealed
from planoracle.instances import registry
from planoracle.instances.deadline import Limit, deadline_of
from planoracle.instances.errors import InputError
from planoracle.instances.floors.acts import whole
from planoracle.instances.floors.floor import Floor
from planoracle.instances.floors.profile import FloorRules
from planoracle.instances.floors.replay import carry_out
from planoracle.instances.status import Status
from planoracle.solver.floors.completion import completed
from planoracle.solver.floors.flows import least_work
from planoracle.solver.floors.found import FloorPlan, Found
from planoracle.solver.floors.moves import FAR
from planoracle.solver.floors.proving import prove
from planoracle.solver.floors.search import Search
from planoracle.solver.options import Told

__all__ = ["plan"]

# Changes that the heuristic tries at most, and its share of the limit; that of the bound by flows.
_TRIES, _SHARE, _FLOWS = 60_000, 0.25, 0.1
# Seconds that are too few for that bound.
_SHORT = 0.5
# Seconds at most for a way on from a state.
_LONGEST = 3.0


def plan(
    floor: Floor, rules: FloorRules, limit: Limit, after: FloorPlan | None = None, told: Told | None = None
) -> Found:
    """Find a plan that serves all orders as early as can be, and prove it, as far as the limit allows.

    Parameters
    ----------
    limit
        Seconds of wall time, or counted work. When they are over, the best plan and bound so far are returned.
    after
        What cooks do first, waits included: only plans that begin so are looked for; times are counted from the
        beginning all the same.
    told
        Hears of every better plan and bound on the way.
    """
    if after is not None and any(after.values()):
        return _onward(floor, rules, limit, after)
    if not floor.orders:
        return Found(Status.optimal, 0, 0, {name: [] for name in floor.agents}, "there is nothing to do")
    if not any(station.kind == "serving_window" for station in floor.stations):
        return Found(Status.infeasible, None, 0, proof="there is no window to serve at")
    deadline = deadline_of(limit)
    part = deadline.within(_SHARE * deadline.left())
    search = Search(floor, rules)
    least = search.bound.root(search.moves.start())
    if least >= FAR:
        return Found(Status.infeasible, None, 0, proof="there is a thing that cannot be brought")
    best: FloorPlan | None = None
    makespan, proof = FAR, ""
    try:
        best = annealed(floor, rules, tries=_TRIES, bound=least, deadline=part)
        run = registry.of(floor).run(floor, {"plan": best}, rules)
        if run.success and run.makespan is not None:
            makespan, proof = int(run.makespan), "annealing"
    except InputError as error:
        proof = error.message
    work = 0

    def hear(most: int, bound: int) -> None:
        if told is not None:  # the search is about plans without food that nobody needs, as below
            told(None if most == FAR else most, min(most, max(work, min(bound, search.bound.surplus()))))

    hear(makespan, least)
    part = deadline.within(_FLOWS * deadline.left())
    if least < makespan and part.left() > _SHORT:
        work = least_work(floor, part.left(), makespan)
        part.spend(part.left())
    search.told = hear
    proved = prove(search, rules, deadline, makespan, max(least, work))
    # The search is about plans without food that nobody needs; the bound by work is about all plans.
    bound = max(work, min(proved.bound, search.bound.surplus()))
    if proved.plan is not None:
        best, makespan, proof = proved.plan, proved.makespan, proved.way
    if best is None or makespan == FAR:
        status = Status.infeasible if proved.complete else Status.unknown
        return Found(status, None, 0 if proved.complete else bound, None, proof or "time limit", proved.expanded)
    status = Status.optimal if bound == makespan else Status.feasible
    if status == Status.feasible:
        proof = "A*, but for plans that put food to waste" if proved.bound == makespan else "time limit"
    elif proved.plan is None or proved.way != "A*":
        proof = "A*" if proved.expanded and bound > max(least, work) else "lower bound reached"
    return Found(status, makespan, bound, best, proof, proved.expanded)


def _onward(floor: Floor, rules: FloorRules, limit: Limit, after: FloorPlan) -> Found:
    """Find some plan that begins so; no plan ends before what is under way then, or before the moment itself."""
    begun = {name: [dict(action) for action in actions] for name, actions in after.items()}
    bound = whole(carry_out(floor, begun, rules).time)
    found = completed(floor, rules, begun, deadline_of(limit).sooner(_LONGEST))
    if found is None:
        return Found(Status.unknown, None, bound, proof="no plan was found")
    makespan = registry.of(floor).run(floor, {"plan": found}, rules).verdict.makespan
    status = Status.optimal if makespan <= bound else Status.feasible
    return Found(status, makespan, min(bound, makespan), found, "beam search")
