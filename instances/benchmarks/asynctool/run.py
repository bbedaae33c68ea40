"""AsyncTool transcripts as trajectories, turn by turn."""

from __future__ import annotations

import json
from collections.abc import Container, Iterator, Mapping
from dataclasses import replace
from itertools import islice

from planoracle.instances.benchmarks.asynctool.language import (
    CLOSING,
    MAX_MESSAGES,
    WAIT,
    actions_of,
    call_message,
    messages_by_action,
    read_message,
    written,
)
from planoracle.instances.benchmarks.asynctool.problem_model import CLOSE, problem_of
from planoracle.instances.benchmarks.asynctool.rules import Profile
from planoracle.instances.benchmarks.asynctool.simulation import AsyncToolSimulator
from planoracle.instances.benchmarks.asynctool.simulation import replay as run_of
from planoracle.instances.benchmarks.asynctool.turns import SimulatedTurn
from planoracle.instances.model.instance import Instance, Lag
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.state import PartialSchedule
from planoracle.instances.model.violations import Replay
from planoracle.instances.protocol.plan import DroppedCommand, Plan, Target, Targets
from planoracle.instances.protocol.simulator import fold
from planoracle.instances.protocol.trajectory import DecisionPoint, LegalAction, Move, Trajectory, limited, waited

# Maximum number of irregular calls after which success is checked; later ones count as dead ends.
_MAX_CHECKS = 100
# Reasons for which a repaired plan leaves out a message, by its kind.
_REASONS = {"call": "is not a reference call of the problem", "close": "repeats the closing message"}


class AsyncToolRun(Trajectory[list[object], Profile]):
    """Every turn is a decision.

    Calls that are not reference calls can change the delays of later calls. Premature calls relax the remaining
    problem. After a call that makes a sub-task's state wrong, success is impossible.

    Attributes
    ----------
    task, record
        The problem, and the transcript with the effect of every turn.
    """

    def __init__(self, problem: Instance, plan: Plan[list[object]], rules: Profile) -> None:
        self.task = problem_of(problem)
        self.record = run_of(self.task, plan.commands, rules)
        super().__init__(problem, plan, rules, self.record.verdict())
        lags = tuple((lag.before, lag.after, lag.minimum) for lag in problem.lags)
        self._variants: dict[tuple[tuple[str, str, int | None], ...], Instance] = {lags: problem}

    def _walk(self) -> tuple[list[Move], int]:
        faults = {fault.position: fault for fault in self.record.violations if fault.position is not None}
        moves: list[Move] = []
        point = self.begin
        executed: dict[tuple[str, int], SimulatedTurn] = {}
        calls = dict.fromkeys(self.task.by_id, 0)
        regular, dead_end = True, False
        checks = 0
        for position, turn in enumerate(self.record.turns):
            pieces, instance = point.state.pieces, point.instance
            action = CLOSE if turn.kind == "close" else None
            if turn.step is not None:
                executed[turn.task, turn.step] = turn
                action = self.task.by_id[turn.task].actions[turn.step]
            if action is not None:
                piece = Piece(action, position, 1, self.problem.agents[0])
                pieces = (*pieces, piece)
            if turn.kind == "call":
                regular = regular and turn.step == calls[turn.task]
                calls[turn.task] += 1
                instance = self._variant(executed, calls)
                if not regular and not self.success:
                    checks += 1
                    dead_end = checks > _MAX_CHECKS or not self._can_succeed(executed, position + 1)
            over = "closed" if turn.kind == "close" and not self.success else None
            same = instance is point.instance
            state = PartialSchedule(pieces, position + 1)
            point = DecisionPoint(instance, state, reached=position + 1, over=over, dead_end=dead_end)
            kind = "act" if turn.kind == "close" else turn.effect.kind
            fault = faults.get(position)
            moves.append(Move(position, turn.words, kind, position, turn.number, fault, after=point, restricts=same))
        return moves, len(moves)

    def _variant(self, executed: Mapping[tuple[str, int], SimulatedTurn], calls: Mapping[str, int]) -> Instance:
        """Return the instance with the current delays, without lags that premature calls have ignored."""
        lags: list[tuple[str, str, int | None]] = []
        for task in self.task.tasks:
            number, names = calls[task.id], task.actions
            for step, (name, following) in enumerate(zip(names, (*names[1:], CLOSE), strict=True)):
                turn = executed.get((task.id, step))
                after = executed.get((task.id, step + 1))
                if turn is None:
                    tool = task.reference_calls[step].name
                    delay = self.task.delays.of(task.id, number, tool)
                    number += 1
                else:
                    delay = turn.usable - turn.number - 1
                guess = after is not None and (turn is None or after.number < turn.usable)
                if following == CLOSE or guess:
                    lags.append((name, CLOSE, 0))
                else:
                    lags.append((name, following, delay))
                if guess and turn is None:  # remaining calls keep their order, also after skipped ones
                    later_steps = range(step + 2, len(names))
                    remaining = (later for later in later_steps if (task.id, later) not in executed)
                    lags += [(name, names[later], 0) for later in islice(remaining, 1)]
        key = tuple(lags)
        if key not in self._variants:
            variant_lags = tuple(Lag(*lag) for lag in key)
            self._variants[key] = replace(self.problem, lags=variant_lags)
        return self._variants[key]

    def _can_succeed(self, executed: Container[tuple[str, int]], count: int) -> bool:
        """Return true if the remaining reference calls in order and the closing message would succeed."""
        messages = [*self.plan.commands[:count]]
        for task in self.task.tasks:
            for step, call in enumerate(task.reference_calls):
                if (task.id, step) not in executed:
                    messages.append(call_message(task.id, call))
        messages.append(CLOSING)
        return run_of(self.task, messages, self.rules).success

    def completed(self, count: int, rest: Schedule) -> tuple[str, Replay]:
        """Return the messages up to a step and those of the rest."""
        remaining = written(self.problem, rest, count)
        messages = [*self.plan.commands[:count], *remaining]
        verdict = run_of(self.task, messages, self.rules).verdict()
        return "\n".join(map(json.dumps, messages)), verdict

    def commands(self, point: DecisionPoint, rest: Schedule) -> list[str]:
        """Return a message for every turn."""
        messages = written(self.problem, rest, point.state.clock)
        return list(map(json.dumps, messages))

    def legal(self, point: DecisionPoint, step: int) -> Iterator[LegalAction]:
        """Yield every reference call whose input is known, the closing message and the wait."""
        clock = point.state.clock
        messages = self.plan.commands[:clock]
        if point not in self.points:
            messages = [*written(self.problem, Schedule(point.state.pieces))]
            messages += [WAIT] * (clock - len(messages))
        simulator = AsyncToolSimulator(self.task, self.rules)
        commands = (read_message(message, self.rules) for message in messages)
        state, _ = fold(simulator, commands)
        actions = [task.actions[number] for task, number in simulator.ready(state)]
        if state.complete and not state.closed:
            actions.append(CLOSE)
        messages_of_actions = messages_by_action(self.task)
        for action in actions:
            piece = Piece(action, clock, 1, self.problem.agents[0])
            after_state = PartialSchedule((*point.state.pieces, piece), clock + 1)
            after = replace(point, state=after_state, reached=clock + 1)
            yield LegalAction(json.dumps(messages_of_actions[action]), "act", after)
        after_wait = waited(point, clock + step)
        yield LegalAction(json.dumps(WAIT), "wait", after_wait)

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
    return AsyncToolSimulator(problem_of(problem), rules)


replay = AsyncToolRun
