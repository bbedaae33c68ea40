"""Direct CP-SAT models of problems with alternative modes or ways, as a careful user writes them.

There are two: projects and shops whose modes have durations, and tours of agents between places. They have no bounds,
heuristics or stages. Other features are not modelled.
"""

from __future__ import annotations

from math import ceil
from time import perf_counter
from typing import Any

from ortools.sat.python import cp_model

from planoracle.instances.model.features import Feature, features_of
from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.schedule import Piece, Schedule
from tests.benchmarks.direct_models import Answer, UnsupportedError

#: Features of the two models.
_MODE_FEATURES = {Feature.MODES, Feature.BUDGETS, Feature.EXCESS}
_TOUR_FEATURES = {Feature.TRANSITIONS, Feature.WINDOWS}


class ModesModel:
    """Start, end and an optional interval per mode of each action; capacities and budgets.

    Attributes
    ----------
    starts, ends
        Variables of each action, in the order of the instance.
    choices
        Literal of every mode of each action.
    """

    def __init__(self, instance: Instance) -> None:
        _check_plain(instance, _MODE_FEATURES)
        self.instance = instance
        self.model = cp_model.CpModel()
        variants = instance.variants
        longest = [max(variant.duration for variant in variants[action.id]) for action in instance.actions]
        latest = sum(longest) + sum(max(lag.minimum or 0, 0) for lag in instance.lags)
        latest += max(action.release for action in instance.actions)
        self.makespan = self.model.new_int_var(0, latest, "")
        self.starts: list[Any] = []
        self.ends: list[Any] = []
        self.choices: list[list[Any]] = []
        self.uses: dict[str, list[tuple[Any, int]]] = {resource.name: [] for resource in instance.resources}
        self.amounts: dict[str, list[Any]] = {resource.name: [] for resource in instance.resources}
        for action in instance.actions:
            self.add_action(action, latest)
        self.add_lags()
        for resource in instance.resources:
            uses = self.uses[resource.name]
            if not resource.renewable:
                self.model.add(sum(self.amounts[resource.name]) <= resource.capacity)
            elif resource.capacity == 1:
                self.model.add_no_overlap([interval for interval, _ in uses])
            elif uses:
                intervals = [interval for interval, _ in uses]
                self.model.add_cumulative(intervals, [amount for _, amount in uses], resource.capacity)
        self.model.minimize(self.makespan)

    def add_action(self, action: Action, latest: int) -> None:
        """Add the variables of an action and the intervals of its modes."""
        model = self.model
        variants = self.instance.variants[action.id]
        start = model.new_int_var(action.release, latest, "")
        end = model.new_int_var(action.release, latest, "")
        literals = [model.new_bool_var("") for _ in variants]
        model.add_exactly_one(literals)
        model.add(
            end == start + sum(variant.duration * chosen for variant, chosen in zip(variants, literals, strict=True))
        )
        model.add(self.makespan >= end)
        for variant, chosen in zip(variants, literals, strict=True):
            interval = None
            for demand in variant.demands:
                resource = self.instance.resource[demand.resource]
                if demand.amount > resource.capacity:
                    model.add(chosen == 0)
                elif not resource.renewable:
                    self.amounts[demand.resource].append(demand.amount * chosen)
                elif demand.amount and variant.duration:
                    if interval is None:
                        interval = model.new_optional_fixed_size_interval_var(start, variant.duration, chosen, "")
                    self.uses[demand.resource].append((interval, demand.amount))
        self.starts.append(start)
        self.ends.append(end)
        self.choices.append(literals)

    def add_lags(self) -> None:
        """Add the time lags."""
        index = self.instance.index
        for lag in self.instance.lags:
            start = self.starts[index[lag.after]]
            end = self.ends[index[lag.before]]
            if lag.minimum is not None:
                self.model.add(start >= end + lag.minimum)
            if lag.maximum is not None:
                self.model.add(start <= end + lag.maximum)

    def schedule(self, solver: cp_model.CpSolver) -> Schedule:
        """Return the schedule of a solution."""
        pieces = []
        for action, start, literals in zip(self.instance.actions, self.starts, self.choices, strict=True):
            mode = next(number for number, chosen in enumerate(literals) if solver.value(chosen))
            duration = self.instance.variants[action.id][mode].duration
            pieces.append(Piece(action.id, solver.value(start), duration, None, mode))
        return Schedule.of(self.instance, pieces)


class ToursModel:
    """Circuit of each agent through its actions, with a start of each action.

    Working and way times of an agent sum up to at most the makespan. The agents are identical, so that the first action
    is done by the first agent, the second one by the first or second, and so on.
    """

    def __init__(self, instance: Instance) -> None:
        _check_plain(instance, _TOUR_FEATURES)
        self.instance = instance
        self.model = cp_model.CpModel()
        [transitions] = instance.transitions
        self.ways = transitions.ways()
        self.depots = dict(transitions.start)
        longest = max(self.ways.values(), default=0)
        latest = sum(action.duration + longest for action in instance.actions)
        latest += max((begin for action in instance.actions for begin, _ in action.windows), default=0)
        self.makespan = self.model.new_int_var(0, latest, "")
        self.starts = [self.add_start(action, latest) for action in instance.actions]
        self.doers: list[list[Any]] = [[] for _ in instance.actions]
        for agent in instance.agents:
            self.add_tour(agent)
        for number, literals in enumerate(self.doers):
            self.model.add_exactly_one(literals)
            for literal in literals[number + 1 :]:
                self.model.add(literal == 0)
        self.model.minimize(self.makespan)

    def add_start(self, action: Action, latest: int) -> Any:
        """Return the variable of the start of an action."""
        spans = action.windows or ((action.release, latest),)
        starts = [[begin, end - action.duration] for begin, end in spans if begin + action.duration <= end]
        start = self.model.new_int_var_from_domain(cp_model.Domain.from_intervals(starts), "")
        self.model.add(self.makespan >= start + action.duration)
        return start

    def add_tour(self, agent: str) -> None:
        """Add the circuit of an agent; node 0 is the depot."""
        model = self.model
        actions = self.instance.actions
        arcs: list[tuple[int, int, Any]] = []
        ticks = []
        for head, action in enumerate(actions, 1):
            does = model.new_bool_var("")
            self.doers[head - 1].append(does)
            arcs.append((head, head, does.negated()))
            ticks.append(action.duration * does)
            arcs.append((head, 0, model.new_bool_var("")))
            first_way = self.ways.get((self.depots[agent], action.place))
            if first_way is not None:
                is_first = model.new_bool_var("")
                arcs.append((0, head, is_first))
                ticks.append(first_way * is_first)
                model.add(self.starts[head - 1] >= first_way).only_enforce_if(is_first)
        for tail, before in enumerate(actions, 1):
            for head, after in enumerate(actions, 1):
                way = self.ways.get((before.place, after.place))
                if tail == head or way is None:
                    continue
                follows = model.new_bool_var("")
                arcs.append((tail, head, follows))
                ticks.append(way * follows)
                earliest = self.starts[tail - 1] + before.duration + way
                model.add(self.starts[head - 1] >= earliest).only_enforce_if(follows)
        if len(self.instance.agents) > 1:
            arcs.append((0, 0, model.new_bool_var("")))
        model.add_circuit(arcs)
        model.add(self.makespan >= sum(ticks))

    def schedule(self, solver: cp_model.CpSolver) -> Schedule:
        """Return the schedule of a solution."""
        pieces = []
        for action, start, literals in zip(self.instance.actions, self.starts, self.doers, strict=True):
            doer = next(number for number, does in enumerate(literals) if solver.value(does))
            pieces.append(Piece(action.id, solver.value(start), action.duration, self.instance.agents[doer]))
        return Schedule.of(self.instance, pieces)


def _check_plain(instance: Instance, features: set[Feature]) -> None:
    """Raise `UnsupportedError` if an instance has features that neither model states."""
    if not features_of(instance) <= features:
        raise UnsupportedError("features of the larger model")
    for action in instance.actions:
        if action.interruptible:
            raise UnsupportedError("interruptible actions")
        for variant in instance.variants[action.id]:
            if any(demand.requires or demand.sets for demand in variant.demands) or variant.after:
                raise UnsupportedError("states of resources, or modes with predecessors")
            if Feature.TRANSITIONS not in features and variant.agents:
                raise UnsupportedError("agents")


def solve_directly(instance: Instance, seconds: float) -> Answer:
    """Solve an instance by the direct model of its kind, with one worker and default parameters."""
    end = perf_counter() + seconds
    model = ToursModel(instance) if instance.transitions else ModesModel(instance)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.max_time_in_seconds = max(end - perf_counter(), 0.0)
    status = solver.solve(model.model)
    if status == cp_model.MODEL_INVALID:
        raise ValueError(model.model.validate())
    if status == cp_model.INFEASIBLE:
        return Answer("infeasible", None, None, None)
    bound = max(0, ceil(solver.best_objective_bound - 1e-6))
    if status == cp_model.UNKNOWN:
        return Answer("unknown", None, bound, None)
    schedule = model.schedule(solver)
    word = "optimal" if status == cp_model.OPTIMAL else "feasible"
    return Answer(word, schedule.makespan, bound, schedule)
