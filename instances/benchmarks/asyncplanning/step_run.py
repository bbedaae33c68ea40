"""Runs of AsyncPlan-XXL: graded answers, and schedules by the general rules."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from math import ceil

from planoracle.instances.benchmarks.asyncplanning.rules import Profile
from planoracle.instances.benchmarks.asyncplanning.step_lines import StepPlan, entries_of, written
from planoracle.instances.benchmarks.asyncplanning.step_rules import StepGrade, grade
from planoracle.instances.benchmarks.asyncplanning.step_tasks import step_origin
from planoracle.instances.benchmarks.asyncplanning.step_tasks import under as under
from planoracle.instances.benchmarks.asyncplanning.step_text import PlannerAnswer
from planoracle.instances.benchmarks.generic.rules import GenericSimulator, ScheduleState
from planoracle.instances.benchmarks.generic.run import GenericRun
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.schedule_rules import referee
from planoracle.instances.model.violations import Replay
from planoracle.instances.protocol.plan import Plan

#: Largest makespan of a verdict in ticks; stated times have no limit.
_MAX_TICKS = 10**15


class StepSimulator(GenericSimulator):
    """General rules, with commands as triples and the verdicts of the graders.

    Parameters
    ----------
    problem
        Problem as the rules change it.
    rules
        Rules of the run.
    """

    def __init__(self, problem: Instance, rules: Profile) -> None:
        super().__init__(problem)
        self.rules = rules

    @cached_property
    def adds_rules(self) -> bool:
        """False: the graders accept every schedule that the problem allows."""
        return False

    def verdict(self, state: ScheduleState) -> Replay:
        """Return the verdict on the executed pieces, as for a submitted schedule."""
        schedule = Schedule.of(self.problem, state.point.state.pieces)
        return _verdict(self.problem, schedule, _grade_of(self.problem, schedule, self.rules))

    def words(self, piece: Piece) -> str:
        """Return a piece as a triple.

        >>> from planoracle.instances.benchmarks.asyncplanning.step_tasks import load
        >>> StepSimulator(load("xxl/5/9"), Profile()).words(Piece("step/2", 60, 300, "agent2"))
        '[60, "step2", 300]'
        """
        schedule = Schedule.of(self.problem, (piece,))
        [entry] = written(self.problem, schedule)
        return json.dumps(entry)


class StepRun(GenericRun):
    """Run of AsyncPlan-XXL.

    Attributes
    ----------
    seconds
        Stated or derived makespan in seconds, also of a failure; ``None`` if the answer states none.
    form
        Form of the answer: ``planner`` for JSON with orders, or ``schedule``.
    """

    rules: Profile

    def __init__(self, problem: Instance, plan: Plan[Schedule], rules: Profile) -> None:
        commands = plan.commands
        graded = _grade_of(problem, commands, rules)
        self.seconds = graded.seconds
        is_answer = isinstance(commands, StepPlan) and isinstance(commands.answer, PlannerAnswer)
        self.form = "planner" if is_answer else "schedule"
        super().__init__(StepSimulator(problem, rules), plan, rules, _verdict(problem, commands, graded))


def simulator(problem: Instance, rules: Profile) -> StepSimulator:
    """Return the general rules."""
    return StepSimulator(under(problem, rules), rules)


def replay(problem: Instance, plan: Plan[Schedule], rules: Profile) -> StepRun:
    """Grade an answer."""
    return StepRun(under(problem, rules), plan, rules)


def _grade_of(problem: Instance, schedule: Schedule, rules: Profile) -> StepGrade:
    """Grade an answer as it was read, or the pieces of a schedule."""
    answer = schedule.answer if isinstance(schedule, StepPlan) else entries_of(problem, schedule)
    return grade(step_origin(problem), answer, is_released=rules.is_released)


def _verdict(problem: Instance, schedule: Schedule, graded: StepGrade) -> Replay:
    """Return the verdict of a grade, with the events of a schedule that is valid by the general rules."""
    ticks = ceil((graded.seconds or Fraction(0)) / (problem.seconds_per_tick or 1))
    makespan = min(max(ticks, 0), _MAX_TICKS)
    violation = graded.violation
    if violation is None:
        general = referee(problem, schedule)
        if general.success:
            return replace(general, makespan=makespan)
    is_success = violation is None
    violations = () if violation is None else (violation,)
    share = float(is_success)
    work = {action.id: action.duration for action in problem.actions}
    return Replay(
        events=(),
        violations=violations,
        fatal=violation,
        executed=0,
        progress=share,
        goal_ratio=share,
        success=is_success,
        makespan=makespan,
        remaining={} if is_success else work,
        idle=(),
    )
