"""State values of live runs on scheduling problems: one CP-SAT model and the schedules that it found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from math import gcd
from typing import Any, cast

from planoracle.instances.errors import InputError, InternalError
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import Limit, Status
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.model.state import STATES
from planoracle.instances.protocol.decision_points import DecisionPoint, wait_words, waited
from planoracle.instances.protocol.environment import AnyEnvironment
from planoracle.instances.protocol.registry import contradiction
from planoracle.instances.protocol.schedule_benchmark import agrees, remaining_problem
from planoracle.instances.protocol.schedule_run import AnyScheduleRun
from planoracle.instances.protocol.scoring import BestKnown
from planoracle.instances.protocol.simulator import LegalCommand, ScheduleSimulator
from planoracle.solver.exact.bounds import common_tick
from planoracle.solver.proofs.conflict import find_conflict
from planoracle.solver.runs import Option, StateValue
from planoracle.solver.states.state_solver import Value
from planoracle.solver.states.values import (
    Solvers,
    accepted_value,
    follow_witness,
    state_solver,
    step_of,
    value_of,
    values_of,
)

# Largest number of instances with solvers: calls that shift delays make new instances.
_MOST = 16


@dataclass(frozen=True, slots=True)
class _Keep:
    """Decision point of a run, and the grid of its value."""

    point: DecisionPoint
    step: int


class RunValues:
    """Values of runs on one problem; ``limit`` is that of one state."""

    def __init__(self, limit: Limit) -> None:
        self.limit = limit
        self._solvers: Solvers = {}
        self._same: dict[Instance, Instance] = {}
        self._last: Instance | None = None

    def state_value(self, environment: AnyEnvironment, before: StateValue | None = None) -> StateValue:
        """Return the value of the state of a run."""
        STATES.check(cast("Instance", environment.problem))
        if environment.impossible is not None:
            return StateValue(Value.infeasible())
        point = self._point(environment)
        step = _step(environment, point)
        value, lower_bound = None, 0
        if before is not None and isinstance(before.keep, _Keep) and _restricts(before.keep, point, step):
            value = follow_witness(before.keep.point, before.value, point, step, self._solvers)
            lower_bound = before.value.lower
        if value is None:
            value = value_of(point, step, lower_bound, limit=self.limit, solvers=self._solvers)
        accepts = _simulator(environment).acceptance(environment.rules)
        value = accepted_value(point, value, step, self._solvers, accepts)
        return StateValue(value, _Keep(point, step))

    def commands(self, environment: AnyEnvironment, state_value: StateValue) -> list[str] | None:
        """Return the rest of the schedule that proves the value, command by command."""
        point = self._point(environment)
        if point.complete:
            return []
        witness = state_value.value.witness
        if witness is None or point.dead_end:
            return None
        step = _step(environment, point)
        completion = state_solver(self._solvers, point.instance, step).completion(witness, point.state)
        return _simulator(environment).commands(point, completion)

    def _point(self, environment: AnyEnvironment) -> DecisionPoint:
        """Return the point of a run, with the same instance for all that are equal."""
        point = _simulator(environment).point(environment.state.world)
        if point.instance is self._last:
            return point
        if len(self._same) >= _MOST and point.instance not in self._same:
            self._same.clear()
            self._solvers.clear()
        same = self._last = self._same.setdefault(point.instance, point.instance)
        return point if same is point.instance else replace(point, instance=same)


def _simulator(run: AnyEnvironment | AnyScheduleRun) -> ScheduleSimulator[Any, Any]:
    """Return the simulator of a scheduling problem; raises `InputError` if it has no decision points."""
    simulator: object = getattr(run, "simulator", None)
    if not isinstance(simulator, ScheduleSimulator):
        message = "has no decision points; derive its simulator from planoracle.plugin.ScheduleSimulator"
        raise InputError(message, field="benchmark", value=run.benchmark.name)
    return simulator


def _step(environment: AnyEnvironment, point: DecisionPoint) -> int:
    """Return the ticks per step of a run, see `step_of`."""
    problem = cast("Instance", environment.ruled_problem)
    return gcd(common_tick(problem), point.grid)


def _restricts(old: _Keep, point: DecisionPoint, step: int) -> bool:
    """Return True if a point that can still succeed only adds to an earlier one."""
    if point.dead_end or point.complete or old.point.dead_end:
        return False
    return old.step == step and old.point.instance is point.instance


class Solver:
    """Values and options of one run; ``limit`` is that of one point of it."""

    def __init__(self, run: AnyScheduleRun, limit: Limit) -> None:
        STATES.check(run.problem)
        self.run = run
        self._accepts = _simulator(run).acceptance(run.rules)
        self.limit = limit
        self._solvers: Solvers = {}

    @property
    def grid(self) -> int:
        """Greatest common divisor of all times of the problem and the run, in ticks."""
        return step_of(self.run)

    @property
    def clock(self) -> int:
        """Ticks, with those in which no time passed in the world."""
        point = self.run.points[self.run.stop]
        return point.state.clock + point.lost

    @property
    def over(self) -> str | None:
        """Reason why the run cannot continue, if there is one."""
        point = self.run.points[self.run.stop]
        return point.over or ("completed" if point.complete else None)

    @cached_property
    def values(self) -> list[Value]:
        """The values of all points of the run."""
        return values_of(self.run, limit=self.limit, solvers=self._solvers)

    @cached_property
    def value(self) -> Value:
        """The value of the point where the run stopped."""
        point = self.run.points[self.run.stop]
        value = value_of(point, self.grid, limit=self.limit, solvers=self._solvers)
        return self._accepted(point, value)

    def _accepted(self, point: DecisionPoint, value: Value) -> Value:
        return accepted_value(point, value, self.grid, self._solvers, self._accepts)

    @property
    def rest(self) -> BestKnown:
        """Not available: schedules have values only."""
        raise InputError("is available for runs in kitchens only", field="rest", value=self.run.problem.name)

    def complete_plan(self, value: Value) -> str | None:
        """Return the plan up to where the run stopped with its best completion, replayed by the rules."""
        run, step = self.run, self.grid
        point = run.points[run.stop]
        completion = Schedule(())
        if not point.complete:
            # A separate solver, so that the plan does not depend on earlier queries; but further rules may accept one
            # completion and refuse another.
            is_restricted = self._accepts is not None
            solvers: Solvers = self._solvers if is_restricted else {}
            final = value
            if not is_restricted:
                final = value_of(point, step, value.lower, limit=self.limit, solvers=solvers)
            witness = final.witness if final.upper == value.upper else value.witness
            if witness is None and (final.makespan is None or is_restricted):
                return None
            if witness is None:
                raise InternalError(f"{run.problem.name}: a repeated search found no completion of {value.upper}")
            completion = state_solver(solvers, point.instance, step).completion(witness, point.state)
        plan, replay = run.completed(run.stop, completion)
        if not replay.success or not agrees(run.problem, replay.makespan, value.upper):
            reason = replay.violations[0] if replay.violations else f"makespan {replay.makespan}, not {value.upper}"
            raise contradiction(run.problem, f"the rules reject a completion: {reason}")
        return plan

    def contradiction(self, count: int) -> tuple[str, ...]:
        """Return a conflict of the constraints after ``count`` steps, in words."""
        point = self.run.points[count]
        try:
            conflict = find_conflict(remaining_problem(point.instance, point.state), time_limit=self.limit)
        except InputError:  # the decisions contradict each other
            return ()
        if conflict is None or conflict.status != Status.infeasible:
            return ()
        return tuple(constraint.text for constraint in conflict.constraints)

    def options(self, value: Value) -> Iterator[Option]:
        """Yield every legal command; commands that differ in length only are one option."""
        run = self.run
        choices = run.simulator.choices(run.points[run.stop], self.grid, run.state)
        values = [(command, self._after(value, command)) for command in choices]
        for _, group in groupby(values, key=_option_key):
            yield self._option(value, list(group))

    def _after(self, before: Value, command: LegalCommand) -> Value:
        """Return the value after a command."""
        point = self.run.points[self.run.stop]
        if command.piece is None:
            after = waited(point, point.state.clock + self.grid)
        else:
            after = self.run.simulator.after_piece(point, command.piece)
        witness = None
        if before.makespan is not None and not after.dead_end and not after.complete:
            witness = before.witness
        if witness is not None and state_solver(self._solvers, after.instance, self.grid).keeps(witness, after.state):
            return before
        at_least = before.lower if after.instance is point.instance else 0
        value = value_of(after, self.grid, at_least, limit=self.limit, solvers=self._solvers)
        return self._accepted(after, value)

    def _option(self, before: Value, group: list[tuple[LegalCommand, Value]]) -> Option:
        first, value = group[0]
        last, _ = group[-1]
        is_costless = before.makespan is not None and value.makespan == before.makespan
        command = last.text
        shortest = longest = None
        if first.kind == "wait" and is_costless:
            shortest, longest = self.grid, self._longest_wait(before)
            if command == wait_words(self.run.problem, self.grid):  # no command of the benchmark
                command = wait_words(self.run.problem, longest)
        elif first.piece is not None and self.run.problem.by_id[first.piece.action].interruptible:
            assert last.piece is not None
            shortest, longest = first.piece.duration, last.piece.duration
        return Option.of(command, first.kind, before, value, shortest, longest)

    def _longest_wait(self, before: Value) -> int:
        """Return the longest wait that costs nothing; the best makespan never falls while one waits."""
        point, step = self.run.points[self.run.stop], self.grid
        assert before.makespan is not None
        low, high = 1, max(2, (before.makespan - point.lost - point.state.clock) // step + 1)
        while high - low > 1:
            middle = (low + high) // 2
            later = waited(point, point.state.clock + middle * step)
            after = value_of(later, step, before.makespan, limit=self.limit, solvers=self._solvers)
            after = self._accepted(later, after)
            low, high = (middle, high) if after.makespan == before.makespan else (low, middle)
        return low * step


def _option_key(entry: tuple[LegalCommand, Value]) -> tuple[Any, ...]:
    """Return the data that a command, with the value after it, shares with those of one option."""
    command, value = entry
    piece = command.piece
    work = None if piece is None else (piece.action, piece.agent, piece.mode)
    return command.kind, work, value.lower, value.upper
