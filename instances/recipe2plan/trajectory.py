"""Recipe2Plan plans and logs as trajectories."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from planoracle.instances.model import Instance
from planoracle.instances.recipe2plan.language import Command, Plan, parse
from planoracle.instances.recipe2plan.profile import PROFILES, Profile
from planoracle.instances.recipe2plan.rules import replay
from planoracle.instances.replay import Replay
from planoracle.instances.schedule import Piece, Schedule
from planoracle.instances.trajectory import (
    DecisionPoint,
    LegalAction,
    Move,
    Trajectory,
    piece_candidates,
    started,
    wait_words,
    waited,
)

__all__ = ["Recipe2PlanTrajectory"]


class Recipe2PlanTrajectory(Trajectory):
    """A plan is carried out up to its first violation, an interactive log over refused commands."""

    def __init__(self, instance: Instance, submission: Any, rules: Profile = PROFILES["paper"]) -> None:
        super().__init__(instance)
        self.rules = rules
        plan = parse(submission, instance, rules)
        run = replay(instance, plan, rules)
        self.success, self.makespan = run.success, run.makespan if run.success else None
        kinds = {violation.position: violation.kind for violation in reversed(run.violations)}
        moves: list[Move] = []
        here = self.begin
        for event in run.events:
            recipe, _, number = event.subject.rpartition("/")
            command = Command(int(number), recipe, event.end - event.start, event.start)
            clock = here.state.clock
            self.stop = len(moves)
            moves_clock = event.accepted or (rules.reject_advances_clock and event.subject in instance.by_id)
            if event.start > clock and moves_clock:
                here = waited(here, event.start)
                words = wait_words(instance, event.start - clock)
                moves.append(Move(event.position, words, "wait", clock, event.start, here))
            if not event.accepted:
                now = here.state.clock
                moves.append(Move(event.position, command.text, "lost", now, now, here, kinds.get(event.position)))
                continue
            piece = Piece(event.subject, command.start, command.duration, instance.agents[0])
            here = started(here, piece)
            moves.append(Move(event.position, command.text, "act", event.start, here.state.clock, here))
        self.moves = tuple(moves)
        if plan.interactive or not run.events or run.events[-1].accepted:
            self.stop = len(moves)

    def completed(self, count: int, rest: Schedule) -> tuple[str, Replay]:
        """Return the commands carried out up to a move and those of the rest."""
        done = self.situations[count].state.pieces
        commands = [_command(piece) for piece in (*done, *rest.pieces)]
        text = ", ".join(command.text for command in commands)
        return text, replay(self.instance, Plan((tuple(commands),)), self.rules)

    def candidates(self, situation: DecisionPoint, step: int) -> Iterator[LegalAction]:
        """Yield every step that the rules allow now, in every length, and the wait."""
        done = [_command(piece) for piece in situation.state.pieces]
        for piece, after in piece_candidates(situation, step):
            command = _command(piece)
            run = replay(self.instance, Plan(((*done, command),)), self.rules)
            if run.fatal is None:
                yield LegalAction(command.text, "act", after)
        yield LegalAction(wait_words(self.instance, step), "wait", waited(situation, situation.state.clock + step))


def _command(piece: Piece) -> Command:
    recipe, _, number = piece.action.rpartition("/")
    return Command(int(number), recipe, piece.duration, piece.start)
