"""Direct models of scheduling instances, to compare our solver with: plain CP-SAT and PyJobShop.

They state an instance as a user of these libraries would: one interval per action, one constraint per resource and lag,
without bounds, symmetry breaking or heuristics. States of resources, interruptible actions, different agents and
unattended actions that an agent has to start are not modelled.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil
from time import perf_counter
from typing import Any, NamedTuple

from ortools.sat.python import cp_model

from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.schedule import Piece, Schedule


class UnsupportedError(Exception):
    """The instance has a feature that the direct models leave out."""


class Answer(NamedTuple):
    """Answer of a direct model; the status is a word of `planoracle.Status`."""

    status: str
    makespan: int | None
    lower_bound: int | None
    schedule: Schedule | None


def check_supported(instance: object) -> Instance:
    """Return a scheduling instance; raise `UnsupportedError` for features that are not modelled."""
    if not isinstance(instance, Instance):
        raise UnsupportedError("not a scheduling instance")
    for action in instance.actions:
        if action.interruptible:
            raise UnsupportedError("interruptible actions")
        if action.agents is not None and set(action.agents) not in (set(), set(instance.agents)):
            raise UnsupportedError("agents that differ")
        if action.agents != () and not action.attended:
            raise UnsupportedError("unattended actions that an agent starts")
        if any(demand.requires or demand.sets for mode in action.modes for demand in mode.demands):
            raise UnsupportedError("states of resources")
    return instance


def horizon(instance: Instance) -> int:
    """Return a makespan that some optimal schedule does not exceed.

    It is the sum of the longest distance from the start of each action to its end or to the start of another one.
    """
    longest = {action.id: action.duration for action in instance.actions}
    for lag in instance.lags:
        duration = instance.by_id[lag.before].duration
        if lag.minimum is not None:
            longest[lag.before] = max(longest[lag.before], duration + lag.minimum)
        if lag.maximum is not None:
            longest[lag.after] = max(longest[lag.after], -duration - lag.maximum)
    total = max(action.release for action in instance.actions) + sum(longest.values())
    return total if instance.time_limit is None else min(total, instance.time_limit)


class PlainModel:
    """CP-SAT model with an interval per action, and one more per mode if there are several.

    Attributes
    ----------
    starts
        Start of each action, in the order of the instance.
    choices
        Literals of the modes of each action, empty for a single mode.
    """

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.model = cp_model.CpModel()
        most = horizon(instance)
        self.starts = [
            self.model.new_int_var(action.release, max(action.release, most - action.duration), "")
            for action in instance.actions
        ]
        self.ends = [start + a.duration for start, a in zip(self.starts, instance.actions, strict=True)]
        self.choices: list[list[Any]] = []
        self.uses: dict[str, list[tuple[Any, int]]] = {resource.name: [] for resource in instance.resources}
        self.makespan = self.model.new_int_var(0, most, "")
        for i, action in enumerate(instance.actions):
            self.model.add(self.makespan >= self.ends[i])
            self.add_modes(i, action)
        for lag in instance.lags:
            end, start = self.ends[instance.index[lag.before]], self.starts[instance.index[lag.after]]
            if lag.minimum is not None:
                self.model.add(start >= end + lag.minimum)
            if lag.maximum is not None:
                self.model.add(start <= end + lag.maximum)
        for resource in instance.resources:
            self.add_capacity(self.uses[resource.name], resource.capacity)
        occupied = [
            (self.model.new_fixed_size_interval_var(start, action.attended, ""), 1)
            for start, action in zip(self.starts, instance.actions, strict=True)
            if action.attended
        ]
        self.add_capacity(occupied, len(instance.agents))
        self.model.minimize(self.makespan)

    def add_modes(self, i: int, action: Action) -> None:
        """Add the intervals of an action's modes, of which one is chosen."""
        several = len(action.modes) > 1
        literals = [self.model.new_bool_var("") for m in range(len(action.modes))] if several else []
        if several:
            self.model.add_exactly_one(literals)
        self.choices.append(literals)
        for m, mode in enumerate(action.modes):
            for name in mode.after:
                order = self.model.add(self.starts[i] >= self.ends[self.instance.index[name]])
                if several:
                    order.only_enforce_if(literals[m])
            if not action.duration or not mode.demands:
                continue  # what takes no time uses nothing
            if several:
                interval = self.model.new_optional_fixed_size_interval_var(
                    self.starts[i], action.duration, literals[m], ""
                )
            else:
                interval = self.model.new_fixed_size_interval_var(self.starts[i], action.duration, "")
            for demand in mode.demands:
                self.uses[demand.resource].append((interval, demand.amount))

    def add_capacity(self, uses: list[tuple[Any, int]], capacity: int) -> None:
        """Limit simultaneous uses to a capacity."""
        if capacity == 1:
            self.model.add_no_overlap([interval for interval, amount in uses if amount])
        elif uses:
            self.model.add_cumulative([interval for interval, _ in uses], [amount for _, amount in uses], capacity)

    def answer(self, seconds: float, *, workers: int, core: bool) -> Answer:
        """Run CP-SAT."""
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = workers
        solver.parameters.max_time_in_seconds = max(seconds, 0.0)
        if core:
            solver.parameters.cp_model_presolve = False
            solver.parameters.linearization_level = 0
            solver.parameters.optimize_with_core = True
        status = solver.solve(self.model)
        if status == cp_model.INFEASIBLE:
            return Answer("infeasible", None, None, None)
        if status == cp_model.MODEL_INVALID:
            raise ValueError(self.model.validate())
        bound = max(0, ceil(solver.best_objective_bound - 1e-6))
        if status == cp_model.UNKNOWN:
            return Answer("unknown", None, bound, None)
        modes = [next((m for m, one in enumerate(row) if solver.value(one)), 0) for row in self.choices]
        schedule = schedule_of(self.instance, [solver.value(start) for start in self.starts], modes)
        word = "optimal" if status == cp_model.OPTIMAL else "feasible"
        return Answer(word, schedule.makespan, bound, schedule)


def schedule_of(instance: Instance, starts: Iterable[int], modes: Iterable[int]) -> Schedule:
    """Return a schedule in which the first free of several identical agents attends to each action."""
    free = dict.fromkeys(instance.agents, 0)
    pieces = []
    for start, mode, action in sorted(zip(starts, modes, instance.actions, strict=True), key=lambda row: row[0]):
        agent = None
        if action.attended:
            agent = min(free, key=lambda name: (free[name], name))
            free[agent] = start + action.attended
        pieces.append(Piece(action.id, start, action.duration, agent, mode))
    return Schedule.of(instance, pieces)


def solve_plain(problem: object, seconds: float, *, workers: int = 1, core: bool = False) -> Answer:
    """Solve an instance by plain CP-SAT, with default parameters or with core search without presolve."""
    end = perf_counter() + seconds
    model = PlainModel(check_supported(problem))
    return model.answer(end - perf_counter(), workers=workers, core=core)


def solve_pyjobshop(problem: object, seconds: float, *, workers: int = 1) -> Answer:
    """Solve an instance by PyJobShop."""
    from pyjobshop import Machine, Model

    end = perf_counter() + seconds
    instance = check_supported(problem)
    if any(action.attended not in (0, action.duration) for action in instance.actions):
        raise UnsupportedError("agents for a part of an action")
    if any(mode.after for action in instance.actions for mode in action.modes):
        raise UnsupportedError("modes with predecessors")
    model = Model()
    renewable = {
        resource.name: model.add_machine() if resource.capacity == 1 else model.add_renewable(resource.capacity)
        for resource in instance.resources
    }
    agents = model.add_renewable(len(instance.agents))
    latest = {} if instance.time_limit is None else {"latest_end": instance.time_limit}
    tasks = [model.add_task(earliest_start=action.release, **latest) for action in instance.actions]
    for task, action in zip(tasks, instance.actions, strict=True):
        for mode in action.modes:
            uses = [(renewable[d.resource], d.amount) for d in mode.demands if d.amount and action.duration]
            uses = [(one, 0 if isinstance(one, Machine) else amount) for one, amount in uses]
            uses += [(agents, 1)] * bool(action.attended)
            model.add_mode(task, [use for use, _ in uses], action.duration, [amount for _, amount in uses])
    for lag in instance.lags:
        before, after = tasks[instance.index[lag.before]], tasks[instance.index[lag.after]]
        if lag.minimum is not None:
            model.add_end_before_start(before, after, lag.minimum)
        if lag.maximum is not None:
            model.add_start_before_end(after, before, -lag.maximum)
    result = model.solve("ortools", time_limit=max(end - perf_counter(), 0.0), display=False, num_workers=workers)
    word = {"Optimal": "optimal", "Feasible": "feasible", "Infeasible": "infeasible"}.get(
        result.status.value, "unknown"
    )
    if word not in ("optimal", "feasible"):
        return Answer(word, None, None, None)
    chosen, modes, first = result.best.tasks, [], 0
    for task, action in zip(chosen, instance.actions, strict=True):
        modes.append(task.mode - first)
        first += len(action.modes)
    schedule = schedule_of(instance, [task.start for task in chosen], modes)
    return Answer(word, schedule.makespan, ceil(result.lower_bound - 1e-6), schedule)
