"""AsyncTool transcripts as trajectories, turn by turn."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from planoracle.instances.benchmarks.asynctool.encoding import (
    CLOSE,
    calls_to_make,
    messages_by_action,
    problem_of,
    take,
    transcript,
)
from planoracle.instances.benchmarks.asynctool.language import CLOSING, MAX_MESSAGES, WAIT, call_message, read_message
from planoracle.instances.benchmarks.asynctool.problem_model import AsyncToolProblem
from planoracle.instances.benchmarks.asynctool.replay import Transcript, as_replay
from planoracle.instances.benchmarks.asynctool.replay import replay as run_of
from planoracle.instances.benchmarks.asynctool.rules import Profile
from planoracle.instances.benchmarks.asynctool.simulation import SimulatedTurn
from planoracle.instances.model.instance import Instance, Lag
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.state import PartialSchedule
from planoracle.instances.model.violations import Replay
from planoracle.instances.protocol.plan import DroppedCommand, Plan, Target, Targets
from planoracle.instances.protocol.trajectory import DecisionPoint, LegalAction, Move, Trajectory, limited, waited

# After so many calls that may have spoiled something no further one is looked at.
_MAX_CHECKS = 100


class AsyncToolRun(Trajectory[list[object], Profile]):
    """Every turn is a decision.

    Calls that are none of the reference calls can shift the delays of those still to come; calls made on a guess ease
    what is left; calls that spoil a sub-task's state leave no success that we could name.

    Attributes
    ----------
    task, record
        What was asked, and what became of every turn.
    """

    def __init__(self, problem: Instance, plan: Plan[list[object]], rules: Profile) -> None:
        self.task: AsyncToolProblem = problem_of(problem)
        self.record = run_of(self.task, plan.commands, rules)
        super().__init__(problem, plan, rules, as_replay(self.record))
        self._variants: dict[tuple[object, ...], Instance] = {}

    @cached_property
    def _messages(self) -> dict[str, dict[str, Any]]:
        return messages_by_action(self.task)

    def _walk(self) -> tuple[list[Move], int]:
        run = self.record
        faults = {fault.position: fault for fault in run.violations if fault.position is not None}
        moves: list[Move] = []
        point = self.begin
        executed: dict[tuple[str, int], SimulatedTurn] = {}
        calls = dict.fromkeys(self.task.by_id, 0)
        regular, dead_end, checks = True, False, 0
        for position, turn in enumerate(run.turns):
            pieces, instance = point.state.pieces, point.instance
            if turn.step is not None:
                executed[turn.task, turn.step] = turn
                pieces = (*pieces, self._piece(turn.task, turn.step, position))
            elif turn.kind == "close":
                pieces = (*pieces, Piece(CLOSE, position, 1, self.problem.agents[0]))
            if turn.kind == "call":
                regular = regular and turn.step == calls[turn.task]
                calls[turn.task] += 1
                instance = self._variant(executed, calls)
                if not regular and not self.success:
                    checks += 1
                    dead_end = checks > _MAX_CHECKS or not self._can_succeed(run, position + 1)
            over = "closed" if turn.kind == "close" and not self.success else None
            same = instance is point.instance
            state = PartialSchedule(pieces, position + 1)
            point = DecisionPoint(instance, state, reached=position + 1, over=over, dead_end=dead_end)
            kind = "wait" if turn.kind == "wait" else "act" if turn.kind == "close" or turn.step is not None else "lost"
            fault = faults.get(position)
            moves.append(Move(position, words(turn), kind, position, position + 1, fault, after=point, restricts=same))
        return moves, len(moves)

    def _piece(self, task: str, step: int, start: int) -> Piece:
        return Piece(self.task.by_id[task].actions[step], start, 1, self.problem.agents[0])

    def _variant(self, turns: Mapping[tuple[str, int], SimulatedTurn], calls: Mapping[str, int]) -> Instance:
        """Return the instance with the delays that hold now, without what calls on a guess have passed over."""
        delays: dict[tuple[str, int], int | None] = {}
        behind: dict[tuple[str, int], int] = {}  # calls still to make come in order, also where some were passed over
        for task in self.task.tasks:
            number = calls[task.id]
            for step, call in enumerate(task.reference_calls):
                turn = turns.get((task.id, step))
                if turn is None:
                    delays[task.id, step] = self.task.delays.of(task.id, number, call.name)
                    number += 1
                    continue
                following = turns.get((task.id, step + 1))
                delays[task.id, step] = turn.usable - turn.number - 1
                if following is not None and following.number < turn.usable:
                    delays[task.id, step] = None
            for step in range(len(task.reference_calls) - 1):  # made before the call that it builds on
                if (task.id, step) not in turns and (task.id, step + 1) in turns:
                    delays[task.id, step] = None
                    later = range(step + 2, len(task.reference_calls))
                    if rest := [other for other in later if (task.id, other) not in turns]:
                        behind[task.id, step] = rest[0]
        gold = self.task.reference_delays.items()
        if all(delays[id, step] == delay for id, row in gold for step, delay in enumerate(row[:-1])):
            return self.problem
        return self._with_delays(delays, behind)

    def _with_delays(self, delays: dict[tuple[str, int], int | None], behind: dict[tuple[str, int], int]) -> Instance:
        key = (*delays.values(), *behind.items())
        if key not in self._variants:
            lags: list[Lag] = []
            for task in self.task.tasks:
                names = task.actions
                for step, name in enumerate(names):
                    delay = delays[task.id, step]
                    if step + 1 == len(names) or delay is None:
                        lags.append(Lag(name, CLOSE))
                    if step + 1 < len(names) and delay is not None:
                        lags.append(Lag(name, names[step + 1], delay))
                    if (task.id, step) in behind:
                        lags.append(Lag(name, names[behind[task.id, step]]))
            self._variants[key] = replace(self.problem, lags=tuple(lags))
        return self._variants[key]

    def _can_succeed(self, run: Transcript, count: int) -> bool:
        """Return true if the remaining reference calls in order and the closing message would succeed."""
        executed = {(turn.task, turn.step) for turn in run.turns[:count]}
        if any(turn.kind == "close" for turn in run.turns[:count]):
            return run.success
        rest = [
            call_message(task.id, call)
            for task in self.task.tasks
            for step, call in enumerate(task.reference_calls)
            if (task.id, step) not in executed
        ]
        return run_of(self.task, [*self.plan.commands[:count], *rest, CLOSING], self.rules).success

    def completed(self, count: int, rest: Schedule) -> tuple[str, Replay]:
        """Return the messages up to a step and those of the rest."""
        messages = [*self.plan.commands[:count], *transcript(self.task, rest, count)]
        return "\n".join(json.dumps(message) for message in messages), as_replay(
            run_of(self.task, messages, self.rules)
        )

    def commands(self, point: DecisionPoint, rest: Schedule) -> list[str]:
        """Return a message for every turn."""
        return list(map(json.dumps, transcript(self.task, rest, point.state.clock)))

    def legal(self, point: DecisionPoint, step: int) -> Iterator[LegalAction]:
        """Yield every reference call whose result to build on is known, the closing message and the wait."""
        state, instance = point.state, point.instance
        ends = {piece.action: piece.end for piece in state.pieces}
        for action in instance.actions:
            needs = [lag for lag in instance.lags if lag.after == action.id and lag.minimum is not None]
            if action.id in ends or not all(
                lag.before in ends and ends[lag.before] + (lag.minimum or 0) <= state.clock for lag in needs
            ):
                continue
            piece = Piece(action.id, state.clock, 1, instance.agents[0])
            after = PartialSchedule((*state.pieces, piece), state.clock + 1)
            point_after = DecisionPoint(instance, after, reached=state.clock + 1, dead_end=point.dead_end)
            yield LegalAction(json.dumps(self._messages[action.id]), "act", point_after)
        yield LegalAction(json.dumps(WAIT), "wait", waited(point, state.clock + step))

    def targets(self) -> Targets:
        """Return reference calls in the turns that make them; messages after the closing one count as well."""
        remaining = calls_to_make(self.task)
        closed = False
        targets, dropped = [], []
        for turn, message in enumerate(self.plan.commands):
            read = read_message(message, self.rules)
            if read.kind == "wait":
                continue
            name = CLOSE if read.kind == "close" else take(remaining, read)
            if name is None or (read.kind == "close" and closed):
                reason = {"call": "is none of the calls to make", "close": "closes again"}.get(read.kind, read.reason)
                dropped.append(DroppedCommand(turn, str(read.call or read.text)[:200], reason))
                continue
            closed = closed or read.kind == "close"
            targets.append(Target(turn, name, Piece(name, turn, 1, self.problem.agents[0])))
        # A longer transcript would not be read.
        return Targets(limited(self.problem, MAX_MESSAGES), tuple(targets), tuple(dropped))


def words(turn: SimulatedTurn) -> str:
    """Return the message of a turn in short."""
    if turn.call is not None:
        return f"{turn.task}: {turn.call}"[:200]
    return {"wait": "wait", "close": "ALL COMPLETED"}.get(turn.kind, turn.text[:80])


def replay(problem: Instance, plan: Plan[list[object]], rules: Profile) -> AsyncToolRun:
    """Replay turn by turn."""
    return AsyncToolRun(problem, plan, rules)
