"""Schedules by the general rules as trajectories."""

from __future__ import annotations

import json
from collections.abc import Iterator

from planoracle.instances.certify import language
from planoracle.instances.model import Instance, Lag
from planoracle.instances.plan import Plan
from planoracle.instances.profiles import Rules
from planoracle.instances.referee import find_violations, referee
from planoracle.instances.replay import Replay
from planoracle.instances.schedule import Piece, Schedule
from planoracle.instances.targets import Target, Targets
from planoracle.instances.trajectory import (
    DecisionPoint,
    LegalAction,
    Move,
    Trajectory,
    piece_choices,
    started,
    wait_words,
    waited,
)

__all__ = ["GenericRun", "replay"]


class GenericRun(Trajectory[Schedule, Rules]):
    """The pieces of a schedule are its commands, in order of their starts; the first one at fault ends the run."""

    def words(self, piece: Piece) -> str:
        """Return a piece as the plan has it."""
        return json.dumps(piece._asdict())

    def _walk(self) -> tuple[list[Move], int]:
        moves: list[Move] = []
        here, stop = self.begin, 0
        for position, piece in enumerate(self.plan.commands.pieces):
            clock = here.state.clock
            stop = len(moves)
            if piece.start > clock:
                here = waited(here, piece.start)
                words = wait_words(self.problem, piece.start - clock)
                moves.append(Move(position, words, "wait", clock, piece.start, after=here))
            pieces = (*here.state.pieces, piece)
            fault = None if self.success else _fault(self.problem, pieces, clock)
            if fault is not None:
                lost = Move(position, self.words(piece), "lost", piece.start, piece.start, fault, after=here)
                return [*moves, lost], stop
            here = started(here, piece)
            moves.append(Move(position, self.words(piece), "act", piece.start, here.state.clock, after=here))
        return moves, len(moves)

    def completed(self, count: int, rest: Schedule) -> tuple[str, Replay]:
        """Return the pieces up to a step and those of the rest."""
        done = self.points[count].state.pieces
        schedule = Schedule.of(self.problem, (*done, *rest.pieces))
        return language(self.problem).render(self.problem, schedule), referee(self.problem, schedule)

    def legal(self, point: DecisionPoint, step: int) -> Iterator[LegalAction]:
        """Yield every piece that can begin now by the general rules, and the wait."""
        for piece, after in piece_choices(point, step):
            if _fault(self.problem, after.state.pieces, point.state.clock) is None:
                yield LegalAction(self.words(piece), "act", after)
        yield LegalAction(wait_words(self.problem, step), "wait", waited(point, point.state.clock + step))

    def targets(self) -> Targets:
        """Return the pieces as they are."""
        pieces = enumerate(self.plan.commands.pieces)
        return Targets(self.problem, tuple(Target(n, self.words(piece), piece) for n, piece in pieces))


def _fault(instance: Instance, pieces: tuple[Piece, ...], clock: int) -> str | None:
    """Return the kind of what is wrong with the last of some pieces, and nothing which follows can mend."""
    left = {action.id: action.duration for action in instance.actions}
    for piece in pieces:
        left[piece.action] -= piece.duration
    to_come = {name for name, ticks in left.items() if ticks > 0} | (left.keys() - {piece.action for piece in pieces})
    whole = all(piece.duration > 0 or not instance.by_id[piece.action].duration for piece in pieces)
    for found in find_violations(instance, Schedule(pieces)):
        unfinished = found.kind == "action_duration" and whole and left[found.subject] > 0
        if unfinished and instance.by_id[found.subject].interruptible:
            continue
        if found.kind not in ("missing_action", "minimum_lag", "maximum_lag"):
            return found.kind
    return next(_lag_faults(instance, pieces, left, to_come), "agent_busy" if pieces[-1].start < clock else None)


def _lag_faults(
    instance: Instance, pieces: tuple[Piece, ...], left: dict[str, int], to_come: set[str]
) -> Iterator[str]:
    """Yield ``minimum_lag`` and ``maximum_lag`` where they can no longer be kept because of the last piece.

    ``to_come`` is not finished yet.
    """
    last = pieces[-1]
    own: dict[str, list[Piece]] = {}
    for piece in pieces:
        own.setdefault(piece.action, []).append(piece)
    chosen = ((name, instance.by_id[name].modes[runs[0].mode]) for name, runs in own.items())
    for lag in (*instance.lags, *(Lag(before, name) for name, mode in chosen for before in mode.after)):
        if last.action not in (lag.before, lag.after) or lag.after not in own:
            continue
        starts = [piece.start for piece in own[lag.after]]
        finish = max((piece.end for piece in own.get(lag.before, ())), default=0)
        if lag.before in to_come:
            finish = max(finish, last.start) + left[lag.before]
        if lag.minimum is not None and min(starts) < finish + lag.minimum:
            yield "minimum_lag"
        elif lag.maximum is not None and lag.before not in to_come and max(starts) > finish + lag.maximum:
            yield "maximum_lag"


def replay(problem: Instance, plan: Plan[Schedule], rules: Rules) -> GenericRun:
    """Replay by `planoracle.instances.referee`."""
    return GenericRun(problem, plan, rules, referee(problem, plan.commands))
