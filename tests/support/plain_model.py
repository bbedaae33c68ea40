"""Minimal CP-SAT model, as a user of OR-Tools would write it, as an independent check of the solver.

Actions are fixed-size intervals, those that can be paused chains of them; lags are differences; capacities and
agents ``no_overlap`` or ``cumulative``. There are no bounds, hints, warm starts or second attempts. The model does not
cover states of resources, maximum lags before what can be paused, and agents that are not alike.
"""

from __future__ import annotations

from typing import NamedTuple

from ortools.sat.python import cp_model

from planoracle.instances.model import Instance
from planoracle.instances.schedule import Piece, Schedule
from planoracle.solver.exact.bounds import common_tick


class UnsupportedError(Exception):
    """The model does not cover an instance; the message gives the feature."""


class Answer(NamedTuple):
    """Status, makespan in ticks and schedule; the last two are ``None`` if the model has no solution."""

    status: str
    makespan: int | None = None
    schedule: Schedule | None = None


def solve_plainly(instance: Instance, seconds: float) -> Answer:
    """Solve an instance with one worker and without presolve."""
    built = _Build(instance)
    solver = cp_model.CpSolver()
    parameters = solver.parameters
    parameters.max_time_in_seconds, parameters.num_workers, parameters.linearization_level = seconds, 1, 0
    parameters.cp_model_presolve = False
    status = solver.status_name(solver.solve(built.model)).lower()
    if status not in ("optimal", "feasible"):
        return Answer(status)
    value, step = solver.value, built.step
    starts = [[value(start) * step for start in row] for row in built.starts]
    modes = [next((m for m, literal in enumerate(row) if value(literal)), 0) for row in built.chosen]
    return Answer(status, value(built.makespan) * step, _schedule(instance, starts, modes, step))


def _schedule(instance: Instance, starts: list[list[int]], modes: list[int], step: int) -> Schedule:
    """Make a schedule of starts; agents are assigned in order of time, so the rules see any shortage."""
    rows = []
    for action, times, mode in zip(instance.actions, starts, modes, strict=True):
        length = action.duration if len(times) == 1 else step
        busy = min(action.attended, length)
        rows += [(start, busy > 0, action, length, busy, mode) for start in times]
    rows.sort(key=lambda row: row[:2])
    free = dict.fromkeys(instance.agents, 0)
    pieces = []
    for start, _, action, length, busy, mode in rows:
        agent = None
        if instance.eligible(action):
            agent = min(instance.eligible(action), key=lambda name: (free[name] > start, instance.agents.index(name)))
            if busy:
                free[agent] = start + busy
        pieces.append(Piece(action.id, start, length, agent, mode))
    return Schedule.of(instance, pieces)


def _horizon(instance: Instance) -> int:
    """Return a makespan that some optimal schedule does not exceed: durations or longest distances, added up."""
    index, actions = instance.index, instance.actions
    longest = [action.duration for action in actions]
    for lag in instance.lags:
        i, j = index[lag.before], index[lag.after]
        if lag.minimum is not None:
            longest[i] = max(longest[i], actions[i].duration + lag.minimum)
        if lag.maximum is not None:
            longest[j] = max(longest[j], -actions[i].duration - lag.maximum)
    most = sum(longest) + max(action.release for action in actions)
    return most if instance.time_limit is None else min(most, instance.time_limit)


class _Build:
    """The model of one instance; times in steps of ``step`` ticks."""

    def __init__(self, instance: Instance) -> None:
        _refuse(instance)
        self.instance = instance
        self.step = common_tick(instance)
        self.most = _horizon(instance) // self.step
        self.model = cp_model.CpModel()
        self.starts: list[list[cp_model.IntVar]] = []
        self.sizes: list[int] = []  # of one piece
        self.chosen: list[list[cp_model.IntVar]] = []  # a literal per mode, if there are several
        self.uses: dict[str, list[tuple[cp_model.IntervalVar, int]]] = {r.name: [] for r in instance.resources}
        self.makespan = self.model.new_int_var(0, self.most, "")
        for action in instance.actions:
            self._add_action(action)
        self._add_lags()
        for resource in instance.resources:
            self._limit(self.uses[resource.name], resource.capacity)
        self._add_agents()
        self.model.minimize(self.makespan)

    def _add_action(self, action) -> None:
        model, length = self.model, action.duration // self.step
        pieces, size = (length, 1) if action.interruptible and length > 1 else (1, length)
        starts = [model.new_int_var(-(-action.release // self.step), self.most, "") for _ in range(pieces)]
        for k in range(1, pieces):
            model.add(starts[k] >= starts[k - 1] + 1)
        model.add(self.makespan >= starts[-1] + size)
        self.starts.append(starts)
        self.sizes.append(size)
        several = len(action.modes) > 1
        chosen = [model.new_bool_var("") for _ in action.modes] if several else []
        if several:
            model.add_exactly_one(chosen)
        self.chosen.append(chosen)
        for m, mode in enumerate(action.modes):
            for demand in mode.demands if size else ():
                for start in starts if demand.amount else ():
                    if several:
                        interval = model.new_optional_fixed_size_interval_var(start, size, chosen[m], "")
                    else:
                        interval = model.new_fixed_size_interval_var(start, size, "")
                    self.uses[demand.resource].append((interval, demand.amount))

    def _add_lags(self) -> None:
        index, model = self.instance.index, self.model
        for lag in self.instance.lags:
            i, first = index[lag.before], self.starts[index[lag.after]][0]
            finish = self.starts[i][-1] + self.sizes[i]
            if lag.minimum is not None:
                model.add(first >= finish + lag.minimum // self.step)
            if lag.maximum is not None:
                model.add(first <= finish + lag.maximum // self.step)
        for j, action in enumerate(self.instance.actions):
            for m, mode in enumerate(action.modes):
                for before in mode.after:
                    i = index[before]
                    constraint = model.add(self.starts[j][0] >= self.starts[i][-1] + self.sizes[i])
                    if self.chosen[j]:
                        constraint.only_enforce_if(self.chosen[j][m])

    def _limit(self, uses, capacity: int) -> None:
        if capacity == 1:
            self.model.add_no_overlap([interval for interval, _ in uses])
        elif uses:
            self.model.add_cumulative([interval for interval, _ in uses], [amount for _, amount in uses], capacity)

    def _add_agents(self) -> None:
        held = []
        for action, starts, size in zip(self.instance.actions, self.starts, self.sizes, strict=True):
            ticks = min(action.attended // self.step, size)
            if ticks:
                held += [(self.model.new_fixed_size_interval_var(start, ticks, ""), 1) for start in starts]
                for other, points in zip(self.instance.actions, self.starts, strict=True):
                    if ticks > 1 and not other.attended and self.instance.eligible(other):
                        self._not_inside(points[0], starts[0], ticks)
        self._limit(held, len(self.instance.agents))

    def _not_inside(self, point, start, ticks: int) -> None:
        """Who is busy cannot start anything else."""
        before = self.model.new_bool_var("")
        self.model.add(point <= start).only_enforce_if(before)
        self.model.add(point >= start + ticks).only_enforce_if(~before)


def _refuse(instance: Instance) -> None:
    everybody = set(instance.agents)
    paused = {action.id for action in instance.actions if action.interruptible}
    for action in instance.actions:
        eligible = set(instance.eligible(action))
        if eligible not in (set(), everybody):
            raise UnsupportedError("agents that are not alike")
        if not action.attended and eligible and (len(everybody) > 1 or action.id in paused):
            raise UnsupportedError("starts by one of several agents, or of several pieces")
        if any(demand.requires or demand.sets for mode in action.modes for demand in mode.demands):
            raise UnsupportedError("states of resources")
    if any(lag.maximum is not None and lag.after in paused for lag in instance.lags):
        raise UnsupportedError("maximum lags before what can be paused")
