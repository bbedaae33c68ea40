"""The instance as a model of PyJobShop (Lan and Berkhout 2025, https://pyjobshop.org), an extra to be installed.

Stated as its users would: machines for resources of capacity 1, renewables for others, modes, and constraints between
starts for lags. An attended part is a second task tied to the first. PyJobShop cannot express states, pauses, that who
is busy cannot start anything, or predecessors of single modes.
"""

from __future__ import annotations

from functools import partial
from math import ceil
from time import perf_counter

from planoracle.instances.model import Instance
from tests.benchmarks.peers.answer import Answer, Starts, UnsupportedError, distances

__all__ = ["one_worker", "two_workers"]

_STATUS = {"Optimal": "optimal", "Feasible": "feasible", "Infeasible": "infeasible", "Time-limit": "unknown"}


def _build(instance: Instance):
    from pyjobshop import Model

    model = Model()

    def resource(capacity: int):
        return model.add_machine() if capacity == 1 else model.add_renewable(capacity)

    capacities = {one.name: one.capacity for one in instance.resources}
    resources = {name: resource(capacity) for name, capacity in capacities.items()}
    crew = len(instance.agents)
    agents = resource(crew) if crew else None
    hand_amount = int(crew > 1)  # PyJobShop's machines are demanded by naming them
    latest = {} if instance.time_limit is None else {"latest_end": instance.time_limit}
    tasks, chosen = [], []  # the latter: action and mode of PyJobShop's modes, in its order
    for i, action in enumerate(instance.actions):
        task = model.add_task(earliest_start=action.release, **latest)
        tasks.append(task)
        whole = action.attended == action.duration and action.attended > 0
        for m, mode in enumerate(action.modes):
            demands = [demand for demand in mode.demands if demand.amount and action.duration]
            used = [resources[demand.resource] for demand in demands]
            amounts = [demand.amount if capacities[demand.resource] > 1 else 0 for demand in demands]
            if whole:
                used, amounts = [*used, agents], [*amounts, hand_amount]
            chosen.append((i, m))
            model.add_mode(task, used, action.duration, amounts)
        if action.attended and not whole:
            hand = model.add_task()
            chosen.append((-1, 0))
            model.add_mode(hand, [agents], action.attended, [hand_amount])
            model.add_start_at_start(task, hand)
    for i, j, distance in distances(instance):
        model.add_start_before_start(tasks[i], tasks[j], distance)
    for j, action in enumerate(instance.actions):
        for before in action.modes[0].after:
            model.add_end_before_start(tasks[instance.index[before]], tasks[j])
    return model, chosen


def _refuse(instance: Instance) -> None:
    everybody = set(instance.agents)
    for action in instance.actions:
        eligible = set(instance.eligible(action))
        if action.interruptible and action.duration > 1:
            raise UnsupportedError("pauses")
        if not action.attended and eligible:
            raise UnsupportedError("that somebody must be free to start an action")
        if eligible not in (set(), everybody):
            raise UnsupportedError("agents that are not alike")
        if len(action.modes) > 1 and any(mode.after for mode in action.modes):
            raise UnsupportedError("predecessors of single modes")
        if any(demand.requires or demand.sets for mode in action.modes for demand in mode.demands):
            raise UnsupportedError("states of resources")


def _solve(workers: int, instance: Instance, seconds: float) -> Answer:
    began = perf_counter()
    _refuse(instance)
    model, chosen = _build(instance)
    spent = perf_counter() - began
    result = model.solve(time_limit=max(0.001, seconds - spent), display=False, num_workers=workers)
    if result.status.value not in _STATUS:
        raise RuntimeError(f"PyJobShop refused the model of {instance.name}: {result.status}")
    status = _STATUS[result.status.value]
    spent = perf_counter() - began - result.runtime  # PyJobShop makes its CP-SAT model inside solve()
    if status in ("infeasible", "unknown"):
        return Answer(status, build=spent)
    starts: list[list[int]] = [[] for _ in instance.actions]
    modes = [0] * len(starts)
    for task in result.best.tasks:
        i, m = chosen[task.mode]
        if i >= 0:
            starts[i], modes[i] = [task.start], m
    bound = ceil(result.lower_bound - 1e-6)
    return Answer(status, round(result.objective), bound, Starts(starts, modes), spent)


one_worker = partial(_solve, 1)
two_workers = partial(_solve, 2)
