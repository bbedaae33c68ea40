"""Schedules by the general rules as trajectories."""

from __future__ import annotations

import json
from collections.abc import Container, Iterator

from planoracle.instances.model.instance import Instance, Lag
from planoracle.instances.model.resource_rules import fault, other_of
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.schedule_rules import referee, violations_of_last
from planoracle.instances.model.violations import Other, Replay, Violation
from planoracle.instances.protocol.plan import Plan, Target, Targets
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.schedule_benchmark import language
from planoracle.instances.protocol.trajectory import (
    DecisionPoint,
    LegalAction,
    Move,
    Trajectory,
    piece_choices,
    started,
    wait_words,
    waited,
)


class GenericRun(Trajectory[Schedule, Rules]):
    """Run of a schedule: its pieces in order of their starts; the first violation ends it."""

    _ended_by: Violation | None = None

    @property
    def fault(self) -> Violation | None:
        """First violation of the piece that ended the run; else the first missing action."""
        return super().fault if not self.steps or self._ended_by is None else self._ended_by

    def words(self, piece: Piece) -> str:
        """Return a piece as the plan has it."""
        return json.dumps(piece._asdict())

    def _walk(self) -> tuple[list[Move], int]:
        moves: list[Move] = []
        point, stop = self.begin, 0
        for position, piece in enumerate(self.plan.commands.pieces):
            clock = point.state.clock
            stop = len(moves)
            if piece.start > clock:
                point = waited(point, piece.start)
                words = wait_words(self.problem, piece.start - clock)
                moves.append(Move(position, words, "wait", clock, piece.start, after=point))
            pieces = (*point.state.pieces, piece)
            violation = None if self.success else fault_of(self.problem, pieces, clock)
            if violation is not None:
                self._ended_by = violation
                lost = Move(position, self.words(piece), "lost", piece.start, piece.start, violation.kind, after=point)
                return [*moves, lost], stop
            point = started(point, piece)
            moves.append(Move(position, self.words(piece), "act", piece.start, point.state.clock, after=point))
        return moves, len(moves)

    def completed(self, count: int, rest: Schedule) -> tuple[str, Replay]:
        """Return the pieces up to a step and those of the rest."""
        done = self.points[count].state.pieces
        schedule = Schedule.of(self.problem, (*done, *rest.pieces))
        return language(self.problem).render(self.problem, schedule), referee(self.problem, schedule)

    @property
    def command_texts(self) -> list[str]:
        """Every piece as an object."""
        return [self.words(piece) for piece in self.plan.commands.pieces]

    def commands(self, point: DecisionPoint, rest: Schedule) -> list[str]:
        """Return every piece as an object; their starts say where time passes."""
        return [self.words(piece) for piece in rest.pieces]

    def acts(self, point: DecisionPoint, step: int, only: Container[str] | None = None) -> Iterator[LegalAction]:
        """Yield every piece that can begin now by the general rules; perhaps of some actions ``only``."""
        early = _early(self.problem, point)
        ready = {name for name in self.problem.by_id if name not in early and (only is None or name in only)}
        for piece, after in piece_choices(point, step, ready) if ready else ():
            if fault_of(self.problem, after.state.pieces, point.state.clock) is None:
                yield LegalAction(self.words(piece), "act", after)

    def legal(self, point: DecisionPoint, step: int) -> Iterator[LegalAction]:
        """Yield every piece that can begin now, see `acts`, and the wait."""
        yield from self.acts(point, step)
        yield LegalAction(wait_words(self.problem, step), "wait", waited(point, point.state.clock + step))

    def targets(self) -> Targets:
        """Return the pieces as they are."""
        pieces = enumerate(self.plan.commands.pieces)
        return Targets(self.problem, tuple(Target(n, self.words(piece), piece) for n, piece in pieces))


def _early(instance: Instance, point: DecisionPoint) -> set[str]:
    """Return actions whose releases or minimum lags forbid a start now; `fault_of` rejects the same."""
    clock, started_actions = point.state.clock, {piece.action for piece in point.state.pieces}
    remaining, finish = {action.id: action.duration for action in instance.actions}, dict.fromkeys(instance.by_id, 0)
    for piece in point.state.pieces:
        remaining[piece.action] -= piece.duration
        finish[piece.action] = max(finish[piece.action], piece.end)
    early = {action.id for action in instance.actions if action.release > clock}
    for lag in instance.lags:
        if lag.minimum is not None and lag.after not in started_actions:
            to_come = remaining[lag.before] > 0 or lag.before not in started_actions
            if max(finish[lag.before], clock if to_come else 0) + remaining[lag.before] + lag.minimum > clock:
                early.add(lag.after)
    return early


def fault_of(instance: Instance, pieces: tuple[Piece, ...], clock: int) -> Violation | None:
    """Return the violation of the last piece that no later piece can repair, ``None`` if there is none."""
    remaining = {action.id: action.duration for action in instance.actions}
    for piece in pieces:
        remaining[piece.action] -= piece.duration
    to_come = {name for name, ticks in remaining.items() if ticks > 0} | (
        remaining.keys() - {piece.action for piece in pieces}
    )
    whole = all(piece.duration > 0 or not instance.by_id[piece.action].duration for piece in pieces)
    for violation in violations_of_last(instance, pieces):
        unfinished = violation.kind == "action_duration" and whole and remaining[violation.subject] > 0
        if not (unfinished and instance.by_id[violation.subject].interruptible):
            return violation
    late = next(_lag_faults(instance, pieces, remaining, to_come), None)
    if late is not None or pieces[-1].start >= clock:
        return late
    last = pieces[-1]
    return fault(
        "agent_busy", len(pieces) - 1, last, tuple(map(other_of, pieces[-2:-1])), required=clock, actual=last.start
    )


def _lag_faults(
    instance: Instance, pieces: tuple[Piece, ...], remaining: dict[str, int], to_come: set[str]
) -> Iterator[Violation]:
    """Yield the time lags that can no longer be kept because of the last piece.

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
            finish = max(finish, last.start) + remaining[lag.before]
        ended = None if lag.before in to_come else finish
        by = (Other(lag.before, min((piece.start for piece in own.get(lag.before, ())), default=None), ended),)
        place, least, most = len(pieces) - 1, min(starts) - finish, max(starts) - finish
        if lag.minimum is not None and least < lag.minimum:
            yield fault("minimum_lag", place, last, by, required=lag.minimum, actual=None if ended is None else least)
        elif lag.maximum is not None and lag.before not in to_come and most > lag.maximum:
            yield fault("maximum_lag", place, last, by, required=lag.maximum, actual=most)


def replay(problem: Instance, plan: Plan[Schedule], rules: Rules) -> GenericRun:
    """Replay by `planoracle.instances.model.schedule_rules`."""
    return GenericRun(problem, plan, rules, referee(problem, plan.commands))
