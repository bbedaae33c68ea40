"""What all trajectories have in common: decision points, steps between them, and how to bring a run to its end."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import gcd
from typing import NamedTuple

from planoracle.instances.errors import InputError, PlanError
from planoracle.instances.model import Instance
from planoracle.instances.replay import Replay
from planoracle.instances.schedule import Piece, Schedule
from planoracle.instances.state import State
from planoracle.instances.wording import span

__all__ = ["DecisionPoint", "LegalAction", "Move", "Trajectory", "clock_after", "piece_candidates", "started"]


# More pieces than any sensible run has; situations keep all of theirs.
_MAX_PIECES = 2_000


@dataclass(frozen=True, slots=True)
class DecisionPoint:
    """A point in a run.

    Attributes
    ----------
    instance
        By which the rest of the run has to be planned.
    lost
        Ticks that have passed beside the time of ``state``, since the world stood still.
    reached
        Makespan of what has been done.
    over
        Why the run cannot go on from here, if so: the name of its end.
    spoiled
        Whether doing all that is left would not be a success; ways to undo are not looked for.
    """

    instance: Instance
    state: State = field(default_factory=State)
    lost: int = 0
    reached: int = 0
    over: str | None = None
    spoiled: bool = False

    @property
    def complete(self) -> bool:
        """Whether everything has been started and nothing is left to decide."""
        work = dict.fromkeys(self.instance.by_id, 0)
        pieces = dict.fromkeys(self.instance.by_id, 0)
        for piece in self.state.pieces:
            work[piece.action] += piece.duration
            pieces[piece.action] += 1
        return all(pieces[a.id] and work[a.id] >= a.duration for a in self.instance.actions)


@dataclass(frozen=True, slots=True)
class Move:
    """One decision of a run.

    Attributes
    ----------
    position
        Of the command in order of execution; a wait has that of the command that it precedes.
    command
        As the benchmark writes it, or the wait in words.
    kind
        ``act``: carried out; ``wait``: time passes; ``lost``: refused, or of no use.
    start, end
        Ticks; the time that the decision takes up.
    restricts
        Whether the new situation only adds to the one before. Otherwise (a call made on a guess) it may be better.
    """

    position: int
    command: str
    kind: str
    start: int
    end: int
    after: DecisionPoint
    violation: str | None = None
    restricts: bool = True


class LegalAction(NamedTuple):
    """A command that the rules allow in a situation, and the situation that it leads to."""

    command: str
    kind: str
    after: DecisionPoint


class Trajectory(ABC):
    """A run of one submission, decision by decision.

    Attributes
    ----------
    begin, moves
        The situation before the first decision, and all decisions up to the end of the run.
    stop
        Number of moves up to the point from which the run would have to be completed.
    success, makespan
        As the rules see the whole run; ``makespan`` only of successful, finished ones.
    time_limit
        Ticks, if the rules set one.
    impossible
        Why there is no run without violation at all, if the rules leave none.
    """

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.begin = DecisionPoint(instance)
        self.moves: tuple[Move, ...] = ()
        self.stop = 0
        self.success = False
        self.makespan: int | None = None
        self.time_limit: int | None = instance.time_limit
        self.impossible: str | None = None

    @property
    def situations(self) -> tuple[DecisionPoint, ...]:
        """Before the first and after every decision."""
        return (self.begin, *(move.after for move in self.moves))

    @property
    def grid(self) -> int:
        """Greatest common divisor of all times in the run, in ticks; 0 if there are none."""
        last = self.situations[-1].state
        return gcd(
            *(gcd(piece.start, piece.duration) for piece in last.pieces),
            *(move.after.state.clock for move in self.moves),
        )

    def in_time(self, ticks: int) -> bool:
        """Whether a makespan keeps the time limit, if there is one."""
        return self.time_limit is None or ticks <= self.time_limit

    def wait_until(self, clock: int) -> None:
        """Let time pass where the run stopped, if its plan cannot say so itself (no command comes after).

        Raises
        ------
        InputError
            If waits are commands in this benchmark, or it is later already.
        """
        here = self.situations[self.stop]
        now = here.state.clock
        if self.instance.benchmark in ("timearena", "asynctool"):
            raise InputError("waits are commands of the run itself here", field="clock", value=clock)
        if isinstance(clock, bool) or not isinstance(clock, int) or clock < now:
            raise InputError(f"must be a whole number of ticks, at least {now}", field="clock", value=clock)
        if clock > now:
            words = wait_words(self.instance, clock - now)
            wait = Move(self.stop, words, "wait", now, clock, waited(here, clock))
            self.moves = (*self.moves[: self.stop], wait)
            self.stop += 1

    @abstractmethod
    def completed(self, count: int, rest: Schedule) -> tuple[str, Replay]:
        """Return the run's commands up to a move, with the rest of a schedule after them, and its replay."""

    @abstractmethod
    def candidates(self, situation: DecisionPoint, step: int) -> Iterator[LegalAction]:
        """Yield the commands that the rules allow at the clock of a situation; waits last one ``step``."""


def clock_after(instance: Instance, piece: Piece) -> int:
    """Return the time before which no command can follow a piece: its start, or when a lone agent is free again.

    With several agents, or actions that need nobody, something else can still start while the piece runs. Until then
    what has not been decided costs nothing, so a price may fall on the wait that follows instead of on the piece.
    """
    action = instance.by_id[piece.action]
    if len(instance.agents) > 1 or piece.agent is None or any(other.agents == () for other in instance.actions):
        return piece.start
    return piece.start + (piece.duration if action.interruptible and action.attended else action.attended)


def started(here: DecisionPoint, piece: Piece) -> DecisionPoint:
    """Return the situation after a piece has been started; one of no length only takes time.

    Raises
    ------
    PlanError
        If there are far too many pieces.
    """
    instance, pieces = here.instance, here.state.pieces
    if piece.duration or not instance.by_id[piece.action].duration:
        pieces = (*pieces, piece)
    if len(pieces) > _MAX_PIECES:
        raise PlanError(f"holds more than {_MAX_PIECES} pieces that are carried out", field="plan")
    state = State(pieces, max(here.state.clock, piece.start, clock_after(instance, piece)))
    return DecisionPoint(instance, state, here.lost, max(here.reached, piece.end + here.lost))


def piece_candidates(situation: DecisionPoint, step: int) -> Iterator[tuple[Piece, DecisionPoint]]:
    """Yield every piece that can be tried at the clock, whether the rules allow it or not.

    Pieces of interruptible actions come in all lengths that are multiples of ``step`` or all that is left.
    """
    instance, state = situation.instance, situation.state
    done = dict.fromkeys(instance.by_id, 0)
    first: dict[str, Piece] = {}
    for piece in state.pieces:
        done[piece.action] += piece.duration
        first.setdefault(piece.action, piece)
    for action in instance.actions:
        left = action.duration - done[action.id]
        if action.id in first and not left:
            continue
        lengths = [*range(step, left, step), left] if action.interruptible else [left]
        modes = [first[action.id].mode] if action.id in first else range(len(action.modes))
        for agent in instance.eligible(action) or (None,):
            for mode in modes:
                for length in lengths:
                    piece = Piece(action.id, state.clock, length, agent, mode)
                    yield piece, started(situation, piece)


def waited(situation: DecisionPoint, until: int) -> DecisionPoint:
    """Return the situation after doing nothing until a time."""
    state = State(situation.state.pieces, until)
    return DecisionPoint(situation.instance, state, situation.lost, situation.reached)


def wait_words(instance: Instance, ticks: int) -> str:
    """Name a wait."""
    return f"wait {span(instance, ticks)}"
