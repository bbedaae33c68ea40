"""Replays of TimeArena decisions."""

from __future__ import annotations

import json
from dataclasses import replace
from math import inf

from planoracle.instances.benchmarks.timearena import problems
from planoracle.instances.benchmarks.timearena.language import parse
from planoracle.instances.benchmarks.timearena.problems import under, world
from planoracle.instances.benchmarks.timearena.rules import Profile, exits
from planoracle.instances.benchmarks.timearena.simulation import TimeArenaSimulator, kind_of
from planoracle.instances.errors import InputError
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.model.violations import Replay
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.decision_points import DecisionPoint, limited
from planoracle.instances.protocol.plan import DroppedCommand, Plan, Target, Targets, first_or_attempted
from planoracle.instances.protocol.schedule_run import DecisionPath, ScheduleRun, path_of
from planoracle.instances.protocol.simulator import Step, fold


class TimeArenaRun(ScheduleRun[list[str], Profile]):
    """Run of TimeArena: every minute in which the agent is free is a decision.

    An ``exit`` is a decision that takes no time.

    Attributes
    ----------
    record
        Record of the minutes of the run.
    """

    simulator: TimeArenaSimulator

    def __init__(self, problem: Instance, plan: Plan[list[str]], rules: Profile, impossible: str | None = None) -> None:
        limit = problem.time_limit if plan.limit is None else plan.limit
        self._world = world(problem.name, rules)
        has_no_solution = impossible is not None
        last_minute = inf if limit is None else limit
        self.simulator = TimeArenaSimulator(self._world, rules, last_minute, problem, impossible=has_no_solution)
        state, steps = fold(self.simulator, plan.commands)
        self._steps = tuple(steps)
        self.record = self.simulator.record(state)
        super().__init__(problem, plan, rules, self.simulator.verdict(state))
        self.impossible = impossible

    @property
    def steps(self) -> tuple[Step, ...]:
        """All decisions; metrics of steps need no points."""
        return self._steps

    def compute_path(self) -> DecisionPath:
        """Return the steps and points of all decisions."""
        path = path_of(self.simulator, DecisionPoint(self.problem), self._steps)
        if not path.steps or self.record.end not in ("time_out", "five_invalid", "exit"):
            return path
        end = replace(path.points[-1], over=self.record.end)
        return path._replace(points=(*path.points[:-1], end))

    def completed(self, count: int, remaining: Schedule) -> tuple[str, Replay]:
        """Return the decisions up to a step and the remaining ones, replayed without a time limit."""
        point, minutes = self.points[count], self.record.steps
        positions = [step.position for step in self.steps[:count]]
        decisions = [minutes[position].action for position in positions if position < len(minutes)]
        decisions += self.simulator.commands(point, remaining)
        simulator = TimeArenaSimulator(self._world, self.rules)
        text = "\n".join(decisions)
        if parse(text, simulator.world) != decisions:
            text = json.dumps(decisions)
        return text, simulator.verdict(fold(simulator, decisions)[0])

    def targets(self) -> Targets:
        """Return the position at which every action was first carried out, or else first attempted.

        Decisions after the end of the run are included.
        """
        decisions = self.plan.commands
        positions = [position for position, decision in enumerate(decisions) if not exits(decision, self.rules)]
        patient_rules = replace(self.rules, max_wrong_streak=len(decisions) + 1)
        simulator = TimeArenaSimulator(self._world, patient_rules)
        _, steps = fold(simulator, [decisions[position] for position in positions])
        modes = problems.action_modes(self.problem)
        carried: list[Target] = []
        attempted: list[tuple[Target, str]] = []
        unknown = []
        for position in sorted(set(range(len(decisions))) - set(positions)):
            decision = decisions[position].strip()[:200]
            unknown.append(DroppedCommand(position, decision, "exit"))
        for position, step in zip(positions, steps, strict=False):
            if step.kind == "wait":
                continue
            if step.command not in modes:
                unknown.append(DroppedCommand(position, step.command, kind_of(step)))
                continue
            piece = self.simulator.piece(step.command, step.start)
            target = Target(position, step.command, piece)
            if step.violation:
                attempted.append((target, step.violation.kind))
            else:
                carried.append(target)
        targets, wrong = first_or_attempted(carried, attempted)
        problem = limited(self.problem, self.time_limit)
        return Targets(problem, targets, (*unknown, *wrong))


def simulator(problem: Instance, rules: Profile) -> TimeArenaSimulator:
    """Return the rules of a live run, with at most the maximum time limit of submissions."""
    submission_limit = registry.of(problem).submission_limit
    assert submission_limit is not None
    limit = submission_limit.most
    if problem.time_limit is not None:
        limit = min(problem.time_limit, limit)
    try:
        return TimeArenaSimulator(world(problem.name, rules), rules, limit, under(problem, rules))
    except InputError:
        return TimeArenaSimulator(world(problem.name, rules), rules, limit, problem, impossible=True)


def replay(problem: Instance, plan: Plan[list[str]], rules: Profile) -> TimeArenaRun:
    """Replay decision by decision."""
    try:
        return TimeArenaRun(under(problem, rules), plan, rules)
    except InputError as error:
        return TimeArenaRun(problem, plan, rules, impossible=str(error))
