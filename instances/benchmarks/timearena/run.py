"""TimeArena runs as trajectories, minute by minute."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from planoracle.instances.benchmarks.timearena import problems
from planoracle.instances.benchmarks.timearena.language import parse
from planoracle.instances.benchmarks.timearena.replay import as_replay
from planoracle.instances.benchmarks.timearena.replay import replay as run_of
from planoracle.instances.benchmarks.timearena.rules import WRONG, Profile, exits
from planoracle.instances.benchmarks.timearena.scenario import Scenario, world
from planoracle.instances.errors import InputError
from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.state import PartialSchedule
from planoracle.instances.model.violations import Replay
from planoracle.instances.protocol.plan import DroppedCommand, Plan, Target, Targets, first_or_attempted
from planoracle.instances.protocol.trajectory import DecisionPoint, LegalAction, Move, Trajectory, limited, waited

_NO_LIMIT = 10**6


class TimeArenaRun(Trajectory[list[str], Profile]):
    """Every minute is a decision, but for those in which an action that was begun occupies the agent.

    An ``exit`` is a decision as well, which takes no time.

    Attributes
    ----------
    scene, record
        The world of the tasks, and what became of every minute in it.
    """

    def __init__(self, problem: Instance, plan: Plan[list[str]], rules: Profile, impossible: str | None = None) -> None:
        self.scene = world(problem.name)
        limit = problem.time_limit if plan.limit is None else plan.limit
        self.record = run_of(self.scene, plan.commands, _NO_LIMIT if limit is None else limit, rules)
        super().__init__(problem, plan, rules, as_replay(self.record))
        self.impossible = impossible

    @cached_property
    def _action_modes(self) -> dict[str, tuple[Action, int]]:
        """Commands that start something: the action, and its mode."""
        actions = self.problem.actions
        return {problems.command(one, mode): (one, mode) for one in actions for mode in range(len(one.modes))}

    def _walk(self) -> tuple[list[Move], int]:
        run, rules = self.record, self.rules
        faults = {one.start: one for one in run.violations}
        point, moves = self.begin, []
        minute = 0
        while minute < len(run.steps):
            step = run.steps[minute]
            if step.kind == "valid" and self.impossible is None:
                point = self._started(point, step.action)
                minutes = min(point.state.clock + point.lost, len(run.steps)) - minute
                moves.append(Move(minute, step.action, "act", minute, minute + minutes, after=point))
                minute += minutes
                continue
            is_paused = step.kind in ("invalid_action", "nonexistent_object") and not rules.invalid_ticks_world
            point = _passed(point, 0 if is_paused else 1, 1 if is_paused else 0)
            if step.kind in WRONG and not rules.stop_on_complete and point.complete and _end(point) <= minute + 1:
                # All is done, but a wrong action does not end the run: it takes one more minute.
                point = replace(point, reached=minute + 2)
            kind = "wait" if step.kind == "wait" else "lost"
            fault = faults.get(minute)
            moves.append(Move(minute, step.action[:80], kind, minute, minute + 1, fault, after=point))
            minute += 1
        over = replace(point, over=run.end)
        if run.end in ("time_out", "five_invalid") and moves:
            moves[-1] = replace(moves[-1], after=over)
        if run.end == "exit":
            moves.append(Move(minute, "exit", "lost", minute, minute, after=over))
        return moves, len(moves)

    def _started(self, point: DecisionPoint, command: str) -> DecisionPoint:
        action, mode = self._action_modes[command]
        clock = point.state.clock
        piece = Piece(action.id, clock, action.duration, self.problem.agents[0], mode)
        state = PartialSchedule((*point.state.pieces, piece), clock + action.attended)
        return DecisionPoint(point.instance, state, point.lost, max(point.reached, piece.end + point.lost))

    def completed(self, count: int, rest: Schedule) -> tuple[str, Replay]:
        """Return the decisions up to a step and those of the rest, replayed without a time limit."""
        point = self.points[count]
        minutes = self.record.steps
        decisions = [minutes[step.position].action for step in self.steps[:count] if step.position < len(minutes)]
        decisions += self.commands(point, rest)
        return _text(decisions, self.scene), as_replay(run_of(self.scene, decisions, _NO_LIMIT, self.rules))

    def commands(self, point: DecisionPoint, rest: Schedule) -> list[str]:
        """Return decisions minute by minute, waits until everything has ended among them."""
        decisions: list[str] = []
        clock = point.state.clock
        for piece in rest.pieces:
            action = self.problem.by_id[piece.action]
            decisions += ["wait"] * (piece.start - clock) + [problems.command(action, piece.mode)]
            clock = piece.start + action.attended
        ends = [piece.end for piece in (*point.state.pieces, *rest.pieces)]
        return decisions + ["wait"] * (max([*ends, point.reached - point.lost]) - clock)

    def legal(self, point: DecisionPoint, step: int) -> Iterator[LegalAction]:
        """Yield every command that would be valid now, and the wait."""
        started = {piece.action for piece in point.state.pieces}
        clock = point.state.clock
        before = [(piece.start, self.problem.by_id[piece.action], piece) for piece in point.state.pieces]
        for command, (action, _) in self._action_modes.items():
            if action.id in started:
                continue
            decisions: list[str] = []
            now = 0
            for start, other, piece in before:
                decisions += ["wait"] * (start - now) + [problems.command(other, piece.mode)]
                now = start + other.attended
            decisions += ["wait"] * (clock - now) + [command]
            run = run_of(self.scene, decisions, _NO_LIMIT, self.rules)
            if len(run.steps) > clock and run.steps[clock].kind == "valid":
                yield LegalAction(command, "act", self._started(point, command))
        yield LegalAction("wait", "wait", waited(point, clock + step))

    def targets(self) -> Targets:
        """Return where every action was first carried out, else where it was first attempted.

        A run that wrong decisions, the limit or an exit cut short is followed to the end of its decisions.
        """
        decisions = self.plan.commands
        positions = [position for position, decision in enumerate(decisions) if not exits(decision, self.rules)]
        steps, minutes = self.record.followed()
        carried: list[Target] = []
        attempted: list[tuple[Target, str]] = []
        exiting = sorted(set(range(len(decisions))) - set(positions))
        unknown = [DroppedCommand(position, decisions[position].strip()[:200], "exit") for position in exiting]
        for position, minute in zip(positions, minutes, strict=False):
            step = steps[minute]
            text = step.action[:200]
            if step.kind == "wait":
                continue
            if step.action not in self._action_modes:
                unknown.append(DroppedCommand(position, text, step.kind))
                continue
            action, mode = self._action_modes[step.action]
            piece = Piece(action.id, minute, action.duration, self.problem.agents[0], mode)
            target = Target(position, text, piece)
            if step.kind == "valid":
                carried.append(target)
            else:
                attempted.append((target, step.kind))
        targets, wrong = first_or_attempted(carried, attempted)
        return Targets(limited(self.problem, self.time_limit), targets, (*unknown, *wrong))


def _passed(point: DecisionPoint, ticks: int, lost: int) -> DecisionPoint:
    state = PartialSchedule(point.state.pieces, point.state.clock + ticks)
    return DecisionPoint(point.instance, state, point.lost + lost, point.reached)


def _end(point: DecisionPoint) -> int:
    return point.lost + max(piece.end for piece in point.state.pieces)


def replay(problem: Instance, plan: Plan[list[str]], rules: Profile) -> TimeArenaRun:
    """Replay minute by minute."""
    try:
        return TimeArenaRun(problems.under(problem, rules), plan, rules)
    except InputError as error:
        return TimeArenaRun(problem, plan, rules, impossible=str(error))


def _text(decisions: list[str], scene: Scenario) -> str:
    """Write decisions one a line, or as a JSON list if the lines would be read differently."""
    lines = "\n".join(decisions)
    return lines if parse(lines, scene) == decisions else json.dumps(decisions)
