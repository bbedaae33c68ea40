"""Schedules of own instances as courses of decisions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from planoracle.analysis.courses.common import (
    Candidate,
    Course,
    Move,
    Situation,
    piece_candidates,
    started,
    wait_words,
    waited,
)
from planoracle.instances.benchmarks import language
from planoracle.instances.model import Instance
from planoracle.instances.referee import find_violations, referee
from planoracle.instances.replay import Replay, Violation
from planoracle.instances.schedule import Piece, Schedule

__all__ = ["OwnCourse"]


class OwnCourse(Course):
    """The pieces of a schedule are its commands, in order of their starts; the first one at fault ends the run."""

    def __init__(self, instance: Instance, submission: Any) -> None:
        super().__init__(instance)
        schedule = language("own").parse(instance, submission)
        run = referee(instance, schedule)
        self.success, self.makespan = run.success, run.makespan if run.success else None
        moves: list[Move] = []
        here = self.begin
        for position, piece in enumerate(schedule.pieces):
            clock = here.state.clock
            self.stop = len(moves)
            if piece.start > clock:
                here = waited(here, piece.start)
                moves.append(
                    Move(position, wait_words(instance, piece.start - clock), "wait", clock, piece.start, here)
                )
            pieces = (*here.state.pieces, piece)
            fault = None if run.success else _fault(instance, pieces, clock)
            if fault is not None:
                moves.append(Move(position, _words(piece), "lost", piece.start, piece.start, here, fault.kind))
                break
            here = started(here, piece)
            moves.append(Move(position, _words(piece), "act", piece.start, here.state.clock, here))
        else:
            self.stop = len(moves)
        self.moves = tuple(moves)

    def completed(self, count: int, rest: Schedule) -> tuple[str, Replay]:
        """Return the pieces up to a move and those of the rest."""
        done = self.situations[count].state.pieces
        schedule = Schedule.of(self.instance, (*done, *rest.pieces))
        return json.dumps([piece._asdict() for piece in schedule.pieces]), referee(self.instance, schedule)

    def candidates(self, situation: Situation, step: int) -> Iterator[Candidate]:
        """Yield every piece that can begin now by the general rules, and the wait."""
        for piece, after in piece_candidates(situation, step):
            if _fault(self.instance, after.state.pieces, situation.state.clock) is None:
                yield Candidate(_words(piece), "act", after)
        yield Candidate(wait_words(self.instance, step), "wait", waited(situation, situation.state.clock + step))


def _fault(instance: Instance, pieces: tuple[Piece, ...], clock: int) -> Violation | None:
    """Return what is wrong with the last of some pieces that nothing which follows can mend."""
    last = pieces[-1]
    if last.start < clock:
        return Violation(len(pieces) - 1, "agent_busy", last.action, "is out of order")
    left = {action.id: action.duration for action in instance.actions}
    for piece in pieces:
        left[piece.action] -= piece.duration
    to_come = {name for name, ticks in left.items() if ticks > 0} | (left.keys() - {piece.action for piece in pieces})
    whole = all(piece.duration > 0 or not instance.by_id[piece.action].duration for piece in pieces)
    for found in find_violations(instance, Schedule(pieces)):
        if found.kind in ("missing_action", "maximum_lag"):
            continue
        if found.kind == "action_duration" and whole and left[found.subject] > 0:
            if instance.by_id[found.subject].interruptible:
                continue
        return found
    return next(_lag_faults(instance, pieces, left, to_come), None)


def _lag_faults(
    instance: Instance, pieces: tuple[Piece, ...], left: dict[str, int], to_come: set[str]
) -> Iterator[Violation]:
    """Yield what the last piece leaves no way to keep of the time lags, finishes ``to_come`` included."""
    last = pieces[-1]
    ends: dict[str, int] = {}
    for piece in pieces:
        ends[piece.action] = max(ends.get(piece.action, 0), piece.end)
    for before in instance.by_id[last.action].modes[last.mode].after:
        if left[before] > 0:
            yield Violation(len(pieces) - 1, "minimum_lag", last.action, f"starts before {before} is finished")
    for lag in instance.lags:
        finish = ends.get(lag.before, 0)
        if lag.before in to_come:
            if last.action == lag.after and lag.minimum is not None and left[lag.before] + lag.minimum > 0:
                message = f"starts before {lag.before} is finished"
                yield Violation(len(pieces) - 1, "minimum_lag", last.action, message)
        elif lag.maximum is not None and last.action in (lag.before, lag.after):
            if any(piece.start > finish + lag.maximum for piece in pieces if piece.action == lag.after):
                message = f"starts later than {lag.maximum} after {lag.before}"
                yield Violation(len(pieces) - 1, "maximum_lag", lag.after, message)


def _words(piece: Piece) -> str:
    return json.dumps(piece._asdict())
