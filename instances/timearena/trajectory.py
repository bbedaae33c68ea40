"""TimeArena runs as trajectories, minute by minute."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from planoracle.instances.errors import InputError
from planoracle.instances.model import Action, Instance
from planoracle.instances.replay import Replay
from planoracle.instances.schedule import Piece, Schedule
from planoracle.instances.state import State
from planoracle.instances.timearena import encode
from planoracle.instances.timearena.language import parse
from planoracle.instances.timearena.profile import PROFILES, Profile
from planoracle.instances.timearena.rules import WRONG, as_replay, replay
from planoracle.instances.timearena.world import world
from planoracle.instances.trajectory import DecisionPoint, LegalAction, Move, Trajectory, waited

__all__ = ["TimeArenaTrajectory"]

_NO_LIMIT = 10**6


class TimeArenaTrajectory(Trajectory):
    """Every minute is a decision, but for those in which an action that was begun occupies the agent.

    An ``exit`` is a decision as well, which takes no time.
    """

    def __init__(
        self,
        instance: Instance,
        submission: Any,
        rules: Profile = PROFILES["paper"],
        time_limit: int | None = None,
    ) -> None:
        self.rules = rules
        self.scene = world(instance.name)
        impossible = None
        if instance.origin != rules:
            try:
                instance = encode.instance(self.scene, rules)
            except InputError as error:
                impossible = str(error)
        super().__init__(instance)
        self.impossible = impossible
        self.time_limit = instance.time_limit if time_limit is None else time_limit
        self._known: dict[str, tuple[Action, int]] = {
            encode.command(action, mode): (action, mode)
            for action in instance.actions
            for mode in range(len(action.modes))
        }
        decisions = parse(submission, self.scene, rules)
        limit = _NO_LIMIT if self.time_limit is None else self.time_limit
        run = replay(self.scene, decisions, limit, rules)
        self.success, self.makespan = run.completed, run.total_time if run.completed else None
        self._made: list[str] = []
        here, moves = self.begin, []
        minute = 0
        while minute < len(run.steps):
            step = run.steps[minute]
            self._made.append(step.action)
            if step.kind == "valid" and impossible is None:
                here = self._started(here, step.action)
                minutes = min(here.state.clock + here.lost, len(run.steps)) - minute
                moves.append(Move(minute, step.action, "act", minute, minute + minutes, here))
                minute += minutes
                continue
            stood = step.kind in ("invalid_action", "nonexistent_object") and not rules.invalid_ticks_world
            here = _passed(here, 0 if stood else 1, 1 if stood else 0)
            if step.kind in WRONG and not rules.stop_on_complete and here.complete and _end(here) <= minute + 1:
                # All is done, but a wrong action does not end the run: it takes one more minute.
                here = DecisionPoint(here.instance, here.state, here.lost, minute + 2)
            kind = "wait" if step.kind == "wait" else "lost"
            fault = step.kind if step.kind in WRONG else None
            moves.append(Move(minute, step.action[:80], kind, minute, minute + 1, here, fault))
            minute += 1
        if run.end in ("time_out", "five_invalid") and moves:
            last = moves[-1]
            over = DecisionPoint(here.instance, here.state, here.lost, here.reached, over=run.end)
            moves[-1] = Move(last.position, last.command, last.kind, last.start, last.end, over, last.violation)
        if run.end == "exit":
            over = DecisionPoint(here.instance, here.state, here.lost, here.reached, over=run.end)
            moves.append(Move(minute, "exit", "lost", minute, minute, over))
        self.moves, self.stop = tuple(moves), len(moves)

    def _started(self, here: DecisionPoint, command: str) -> DecisionPoint:
        action, mode = self._known[command]
        clock = here.state.clock
        piece = Piece(action.id, clock, action.duration, self.instance.agents[0], mode)
        state = State((*here.state.pieces, piece), clock + action.attended)
        return DecisionPoint(here.instance, state, here.lost, max(here.reached, piece.end + here.lost))

    def completed(self, count: int, rest: Schedule) -> tuple[str, Replay]:
        """Return the decisions up to a move and those of the rest, replayed without a time limit."""
        here = self.situations[count]
        made = self._made[:count]
        clock = here.state.clock
        for piece in rest.pieces:
            action = self.instance.by_id[piece.action]
            made += ["wait"] * (piece.start - clock) + [encode.command(action, piece.mode)]
            clock = piece.start + action.attended
        ends = [piece.end for piece in (*here.state.pieces, *rest.pieces)]
        made += ["wait"] * (max([*ends, here.reached - here.lost]) - clock)
        return "\n".join(made), as_replay(replay(self.scene, made, _NO_LIMIT, self.rules))

    def candidates(self, situation: DecisionPoint, step: int) -> Iterator[LegalAction]:
        """Yield every command that would be valid now, and the wait."""
        started = {piece.action for piece in situation.state.pieces}
        clock = situation.state.clock
        before = [(piece.start, self.instance.by_id[piece.action], piece) for piece in situation.state.pieces]
        for command, (action, _) in self._known.items():
            if action.id in started:
                continue
            made: list[str] = []
            now = 0
            for start, other, piece in before:
                made += ["wait"] * (start - now) + [encode.command(other, piece.mode)]
                now = start + other.attended
            made += ["wait"] * (clock - now) + [command]
            run = replay(self.scene, made, _NO_LIMIT, self.rules)
            if len(run.steps) > clock and run.steps[clock].kind == "valid":
                yield LegalAction(command, "act", self._started(situation, command))
        yield LegalAction("wait", "wait", waited(situation, clock + step))


def _passed(here: DecisionPoint, ticks: int, lost: int) -> DecisionPoint:
    state = State(here.state.pieces, here.state.clock + ticks)
    return DecisionPoint(here.instance, state, here.lost + lost, here.reached)


def _end(here: DecisionPoint) -> int:
    return here.lost + max(piece.end for piece in here.state.pieces)
