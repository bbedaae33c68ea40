"""Result of planning a grid kitchen."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from planoracle.instances.deadline import Status
from planoracle.solver.result import Result
from planoracle.solver.states.ground import NEVER
from planoracle.solver.states.solver import Value

#: The actions of every cook as a submission has them, by name; who is missing does nothing.
FloorPlan: TypeAlias = Mapping[str, Sequence[Mapping[str, Any]]]


class Found(NamedTuple):
    """A plan, a bound, or both.

    Attributes
    ----------
    status
        ``optimal``: no plan ends earlier, proved. ``feasible``: ``bound`` holds. ``infeasible``: proved that no plan
        serves all orders. ``unknown``: no plan was found.
    makespan
        Ticks from the beginning of the whole run to its end; ``None`` without a plan.
    bound
        Ticks; no plan ends earlier.
    plan
        From the beginning, what it was to begin with included.
    proof
        In which way the status was settled.
    """

    status: Status
    makespan: int | None
    bound: int
    plan: FloorPlan | None = None
    proof: str = ""


def value_of(found: Found) -> Value:
    """Return what a search has found as what is known of the state that it began with."""
    return Value(NEVER, None) if found.status == Status.infeasible else Value(found.bound, found.makespan)


def found_of(result: Result) -> Found:
    """Return a result as a search would have told it."""
    plan = None if result.plan is None else json.loads(result.plan)
    return Found(result.status, result.makespan, result.lower_bound or 0, plan, result.proof)
