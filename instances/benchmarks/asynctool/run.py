"""Replays of AsyncTool transcripts."""

from __future__ import annotations

import json
from dataclasses import replace

from planoracle.instances.benchmarks.asynctool.language import (
    MAX_MESSAGES,
    actions_of,
    read_message,
    written,
)
from planoracle.instances.benchmarks.asynctool.problem_model import problem_of
from planoracle.instances.benchmarks.asynctool.rules import Profile
from planoracle.instances.benchmarks.asynctool.simulation import AsyncToolSimulator
from planoracle.instances.benchmarks.asynctool.simulation import replay as run_of
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.violations import Replay
from planoracle.instances.protocol.decision_points import limited
from planoracle.instances.protocol.plan import DroppedCommand, Plan, Target, Targets
from planoracle.instances.protocol.schedule_run import DecisionPath, ScheduleRun
from planoracle.instances.protocol.simulator import Step

# Reasons for which a repaired plan leaves out a message, by its kind.
_REASONS = {"call": "is not a reference call of the problem", "close": "repeats the closing message"}


class AsyncToolRun(ScheduleRun[list[object], Profile]):
    """Every turn is a decision.

    Attributes
    ----------
    task, record
        The problem, and the transcript with the effect of every turn.
    """

    simulator: AsyncToolSimulator

    def __init__(self, problem: Instance, plan: Plan[list[object]], rules: Profile) -> None:
        self.task = problem_of(problem)
        self.simulator = AsyncToolSimulator(self.task, rules, problem)
        self.record = run_of(self.task, plan.commands, rules, problem)
        super().__init__(problem, plan, rules, self.record.verdict())
        self.state = self.record.state

    def compute_path(self) -> DecisionPath:
        """Return the steps and points of all messages; in a successful run no point is a dead end."""
        faults = {fault.position: fault for fault in self.record.violations if fault.position is not None}
        simulator = self.simulator
        state = simulator.initial()
        points = [simulator.point(state)]
        steps = list[Step]()
        for message in self.plan.commands:
            if simulator.ended(state) is not None:
                break
            state, (step,) = simulator.apply(state, read_message(message, self.rules))
            kind = "act" if step.kind == "close" else step.kind
            steps.append(replace(step, kind=kind, violation=faults.get(step.position)))
            point = simulator.point(state)
            points.append(replace(point, dead_end=False) if self.success else point)
        return DecisionPath(tuple(points), tuple(steps), len(steps))

    def completed(self, count: int, remaining: Schedule) -> tuple[str, Replay]:
        """Return the messages up to a step and those of the rest."""
        later_messages = written(self.problem, remaining, count)
        messages = [*self.plan.commands[:count], *later_messages]
        verdict = run_of(self.task, messages, self.rules, self.problem).verdict()
        return "\n".join(map(json.dumps, messages)), verdict

    def targets(self) -> Targets:
        """Return reference calls in the turns that make them; messages after the closing one count as well."""
        targets: dict[str, Target] = {}
        dropped = []
        for turn, read, action in actions_of(self.task, self.plan.commands, self.rules):
            if action is None or action in targets:
                reason = _REASONS.get(read.kind, read.reason)
                words = str(read.call or read.text)[:200]
                dropped.append(DroppedCommand(turn, words, reason))
            else:
                piece = Piece(action, turn, 1, self.problem.agents[0])
                targets[action] = Target(turn, action, piece)
        # A longer transcript is not read.
        problem = limited(self.problem, MAX_MESSAGES)
        return Targets(problem, tuple(targets.values()), tuple(dropped))


def simulator(problem: Instance, rules: Profile) -> AsyncToolSimulator:
    """Return the rules of a problem."""
    return AsyncToolSimulator(problem_of(problem), rules, problem)


replay = AsyncToolRun
