"""The direct model once more, written straight into CP-SAT's messages, which are faster to fill than ``cp_model``.

For actions in one piece and one mode that need no agent (the literature's instances), where it is the harder opponent.
"""

from __future__ import annotations

from functools import partial
from math import ceil
from time import perf_counter

from ortools.sat.python import cp_model_helper as cmh

from planoracle.instances.model import Instance
from tests.benchmarks.peers.answer import Answer, Starts, UnsupportedError, distances, horizon

__all__ = ["lean", "lean_core"]

_FAR = 2**40
_STATUS = {
    cmh.CpSolverStatus.OPTIMAL: "optimal",
    cmh.CpSolverStatus.FEASIBLE: "feasible",
    cmh.CpSolverStatus.INFEASIBLE: "infeasible",
    cmh.CpSolverStatus.UNKNOWN: "unknown",
}


def _build(instance: Instance) -> cmh.CpModelProto:
    """Variables are the starts in the order of the actions, then the makespan."""
    proto = cmh.CpModelProto()
    variables, constraints = proto.variables, proto.constraints
    actions, most = instance.actions, horizon(instance)
    uses: dict[str, list[tuple[int, int]]] = {resource.name: [] for resource in instance.resources}
    end = len(actions)
    for i, action in enumerate(actions):
        if len(action.modes) > 1 or action.modes[0].after or action.interruptible or instance.eligible(action):
            raise UnsupportedError("modes, pauses or agents")
        variables.add().domain.extend((action.release, most))
        interval = constraints.add().interval
        interval.start.vars.append(i)
        interval.start.coeffs.append(1)
        interval.size.offset = action.duration
        interval.end.vars.append(i)
        interval.end.coeffs.append(1)
        interval.end.offset = action.duration
        for demand in action.modes[0].demands if action.duration else ():
            if demand.requires or demand.sets:
                raise UnsupportedError("states of resources")
            if demand.amount:
                uses[demand.resource].append((i, demand.amount))
    variables.add().domain.extend((0, most))
    edges = [(i, end, action.duration) for i, action in enumerate(actions)]
    for i, j, distance in (*edges, *distances(instance)):
        linear = constraints.add().linear
        linear.vars.extend((j, i))
        linear.coeffs.extend((1, -1))
        linear.domain.extend((distance, _FAR))
    for resource in instance.resources:
        if resource.capacity == 1:
            constraints.add().no_overlap.intervals.extend(i for i, _ in uses[resource.name])
        elif uses[resource.name]:
            cumulative = constraints.add().cumulative
            cumulative.capacity.offset = resource.capacity
            for i, amount in uses[resource.name]:
                cumulative.intervals.append(i)
                cumulative.demands.add().offset = amount
    proto.objective.vars.append(end)
    proto.objective.coeffs.append(1)
    return proto


def _solve(with_core: bool, instance: Instance, seconds: float) -> Answer:
    began = perf_counter()
    proto = _build(instance)
    spent = perf_counter() - began
    parameters = cmh.SatParameters()
    parameters.max_time_in_seconds = max(0.001, seconds - spent)
    parameters.num_workers = 1
    parameters.cp_model_presolve = False
    parameters.linearization_level = 0
    parameters.optimize_with_core = with_core
    wrapper = cmh.SolveWrapper()
    wrapper.set_parameters(parameters)
    response = wrapper.solve(proto)
    status = _STATUS[response.status]
    if status == "infeasible":
        return Answer(status, build=spent)
    bound = ceil(response.best_objective_bound - 1e-6)
    if status == "unknown":
        return Answer(status, bound=bound, build=spent)
    solution = list(response.solution)
    starts = [[start] for start in solution[:-1]]
    return Answer(status, solution[-1], bound, Starts(starts, [0] * len(starts)), spent)


lean = partial(_solve, False)
lean_core = partial(_solve, True)
