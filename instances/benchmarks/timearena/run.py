"""TimeArena runs as trajectories, decision by decision."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from math import inf

from planoracle.instances.benchmarks.timearena import problems
from planoracle.instances.benchmarks.timearena.language import parse
from planoracle.instances.benchmarks.timearena.problems import under, world
from planoracle.instances.benchmarks.timearena.rules import MALFORMED, Profile, exits
from planoracle.instances.benchmarks.timearena.simulation import TimeArenaSimulator, kind_of
from planoracle.instances.errors import InputError
from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.violations import Replay
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.plan import DroppedCommand, Plan, Target, Targets, first_or_attempted
from planoracle.instances.protocol.simulator import Step, fold
from planoracle.instances.protocol.trajectory import (
    DecisionPoint,
    LegalAction,
    Move,
    Trajectory,
    limited,
    started,
    waited,
)


class TimeArenaRun(Trajectory[list[str], Profile]):
    """Run of TimeArena: every minute in which the agent is free is a decision.

    An ``exit`` is a decision that takes no time.

    Attributes
    ----------
    record
        Record of the minutes of the run.
    """

    def __init__(self, problem: Instance, plan: Plan[list[str]], rules: Profile, impossible: str | None = None) -> None:
        limit = problem.time_limit if plan.limit is None else plan.limit
        self._world = world(problem.name, rules)
        simulator = TimeArenaSimulator(self._world, rules, inf if limit is None else limit)
        state, self._decided = fold(simulator, plan.commands)
        self.record = simulator.record(state)
        super().__init__(problem, plan, rules, simulator.verdict(state))
        self.impossible = impossible

    @cached_property
    def _action_modes(self) -> dict[str, tuple[Action, int]]:
        return problems.action_modes(self.problem)

    def _walk(self) -> tuple[list[Move], int]:
        point, moves = self.begin, list[Move]()
        for step in self._decided:
            point = self._after(point, step)
            move = Move(step.position, step.command, step.kind, step.start, step.end, step.violation, after=point)
            moves.append(move)
        if moves and self.record.end in ("time_out", "five_invalid", "exit"):
            moves[-1] = replace(moves[-1], after=replace(point, over=self.record.end))
        return moves, len(moves)

    def _after(self, point: DecisionPoint, step: Step) -> DecisionPoint:
        """Return the point after a decision."""
        if step.kind == "act" and self.impossible is None:
            return started(point, self._piece(step.command, point.state.clock))
        next_point = waited(point, point.state.clock + step.end - step.start)
        if step.violation is None:
            return next_point
        if step.violation.kind in MALFORMED and not self.rules.invalid_ticks_world:
            next_point = replace(point, lost=point.lost + 1)
        if next_point.complete and not self.rules.stop_on_complete:
            end_of_work = next_point.lost + max(piece.end for piece in next_point.state.pieces)
            if end_of_work <= step.end:
                # All is done, but a wrong action does not end the run: it takes one more minute.
                return replace(next_point, reached=step.end + 1)
        return next_point

    def _piece(self, command: str, start: int) -> Piece:
        action, mode = self._action_modes[command]
        return Piece(action.id, start, action.duration, self.problem.agents[0], mode)

    def completed(self, count: int, remaining: Schedule) -> tuple[str, Replay]:
        """Return the decisions up to a step and the remaining ones, replayed without a time limit."""
        point, minutes = self.points[count], self.record.steps
        positions = [step.position for step in self.steps[:count]]
        decisions = [minutes[position].action for position in positions if position < len(minutes)]
        decisions += self.commands(point, remaining)
        simulator = TimeArenaSimulator(self._world, self.rules)
        text = "\n".join(decisions)
        if parse(text, simulator.world) != decisions:
            text = json.dumps(decisions)
        return text, simulator.verdict(fold(simulator, decisions)[0])

    def commands(self, point: DecisionPoint, remaining: Schedule) -> list[str]:
        """Return decisions minute by minute, with waits until all work has ended."""
        pieces = (*point.state.pieces, *remaining.pieces)
        end = max([point.reached - point.lost, *(piece.end for piece in pieces)])
        return problems.decisions(self.problem, remaining.pieces, point.state.clock, end)

    def legal(self, point: DecisionPoint, step: int) -> Iterator[LegalAction]:
        """Yield every command that would be valid now, and the wait."""
        simulator, clock = TimeArenaSimulator(self._world, self.rules), point.state.clock
        state, _ = fold(simulator, problems.decisions(self.problem, point.state.pieces, end=clock))
        for command in simulator.legal(state):
            if command.text in self._action_modes:
                yield LegalAction(command.text, "act", started(point, self._piece(command.text, clock)))
        yield LegalAction("wait", "wait", waited(point, clock + step))

    def targets(self) -> Targets:
        """Return the position at which every action was first carried out, or else first attempted.

        Decisions after the end of the run are included.
        """
        decisions = self.plan.commands
        positions = [position for position, decision in enumerate(decisions) if not exits(decision, self.rules)]
        simulator = TimeArenaSimulator(self._world, replace(self.rules, max_wrong_streak=len(decisions) + 1))
        _, steps = fold(simulator, [decisions[position] for position in positions])
        carried: list[Target] = []
        attempted: list[tuple[Target, str]] = []
        exiting = sorted(set(range(len(decisions))) - set(positions))
        unknown = [DroppedCommand(position, decisions[position].strip()[:200], "exit") for position in exiting]
        for position, step in zip(positions, steps, strict=False):
            if step.kind == "wait":
                continue
            if step.command not in self._action_modes:
                unknown.append(DroppedCommand(position, step.command, kind_of(step)))
                continue
            target = Target(position, step.command, self._piece(step.command, step.start))
            if step.violation:
                attempted.append((target, step.violation.kind))
            else:
                carried.append(target)
        targets, wrong = first_or_attempted(carried, attempted)
        return Targets(limited(self.problem, self.time_limit), targets, (*unknown, *wrong))


def simulator(problem: Instance, rules: Profile) -> TimeArenaSimulator:
    """Return the rules of a live run, with at most the maximum time limit of submissions."""
    submission_limit = registry.of(problem).submission_limit
    assert submission_limit is not None
    limit = submission_limit.most
    if problem.time_limit is not None:
        limit = min(problem.time_limit, limit)
    return TimeArenaSimulator(world(problem.name, rules), rules, limit)


def replay(problem: Instance, plan: Plan[list[str]], rules: Profile) -> TimeArenaRun:
    """Replay decision by decision."""
    try:
        return TimeArenaRun(under(problem, rules), plan, rules)
    except InputError as error:
        return TimeArenaRun(problem, plan, rules, impossible=str(error))
