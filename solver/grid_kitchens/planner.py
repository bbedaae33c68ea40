"""Plans for grid kitchens: list scheduling, annealing and beam search, with a lower bound."""

from __future__ import annotations

from dataclasses import replace

from planoracle.heuristics.grid_kitchens import annealed
from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import GridKitchen, GridKitchenRules
from planoracle.instances.benchmarks.grid_kitchens.language import whole
from planoracle.instances.benchmarks.grid_kitchens.run import carry_out
from planoracle.instances.benchmarks.grid_kitchens.simulation import Simulation
from planoracle.instances.errors import InputError
from planoracle.instances.model.limits import Limit, Status, deadline_of
from planoracle.instances.protocol import registry
from planoracle.solver.grid_kitchens.completion import Beginning, FloorPlan, PlanAndBound, completed
from planoracle.solver.grid_kitchens.lower_bound import lower_bound
from planoracle.solver.result import Told
from planoracle.solver.states.state_solver import NEVER

# Changes that annealing tries at most, and its share of the limit.
_TRIES, _SHARE = 60_000, 0.5
# Seconds of the beam search at most.
_LONGEST = 3.0


def plan(
    floor: GridKitchen, rules: GridKitchenRules, limit: Limit, after: FloorPlan | None = None, told: Told | None = None
) -> PlanAndBound:
    """Find a plan that serves all orders early, and a lower bound.

    The plan is optimal only if it meets the bound: nothing is searched exhaustively.

    Parameters
    ----------
    limit
        Seconds of wall time, or counted work.
    after
        What cooks do first, waits included: only plans that begin so are looked for. Times count from the beginning.
    told
        Callback for each better plan or bound.
    """
    begun = {name: [dict(action) for action in (after or {}).get(name, ())] for name in floor.agents}
    started = any(begun.values())
    if not floor.orders and not started:
        return PlanAndBound(Status.optimal, 0, 0, {name: [] for name in floor.agents}, "there is nothing to do")
    bound = bound_of(floor, rules, begun)
    if bound >= NEVER:
        return PlanAndBound(Status.infeasible, None, 0, proof="an order needs something that no cook can bring")
    best: FloorPlan | None = None
    deadline, makespan, proof = deadline_of(limit), None, "no plan was found"
    if not started:
        try:
            part = deadline.within(_SHARE * deadline.remaining())
            best = annealed(floor, rules, tries=_TRIES, bound=bound, deadline=part)
            makespan, proof = _makespan(floor, rules, best), "annealing"
        except InputError as error:
            proof = error.message
        if told is not None:
            told(makespan, bound)
    if makespan is None or makespan > bound:
        better = completed(floor, rules, begun, deadline.sooner(_LONGEST), makespan)
        if better is not None:
            best, makespan, proof = better, _makespan(floor, rules, better), "beam search"
    if best is None or makespan is None:
        return PlanAndBound(Status.unknown, None, bound, None, proof)
    if makespan > bound:
        return PlanAndBound(Status.feasible, makespan, bound, best, f"{proof}, not proved")
    return PlanAndBound(Status.optimal, makespan, makespan, best, "lower bound reached")


def _makespan(floor: GridKitchen, rules: GridKitchenRules, found: FloorPlan) -> int | None:
    """Return when a plan ends by the rules, ``None`` if they do not accept it."""
    run = registry.of(floor).run(floor, {"plan": found}, rules)
    return run.makespan if run.success else None


def bound_of(floor: GridKitchen, rules: GridKitchenRules, begun: Beginning) -> int:
    """Return a lower bound on the end of all plans that begin so, `NEVER` if none serves all orders.

    The bound is the time that has passed with the lower bound of what remains.
    """
    clock = Simulation.of(floor, replace(rules, end="served"), keep=False)
    if any(begun.values()) and clock.load(begun):
        clock.until_decision()
    if clock.error is not None:
        return whole(clock.time)
    bound = lower_bound(clock)
    # Where a run ends with its plans, actions under way go on after the last serving.
    return bound if rules.end == "served" else max(bound, whole(carry_out(floor, begun, rules).time))
