"""Runs on scheduling problems: decision points, moves between them, and completions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import gcd
from typing import Any, NamedTuple, TypeAlias, TypeVar

from planoracle.instances.errors import InputError, PlanError
from planoracle.instances.model.cache import ProblemCache
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.state import PartialSchedule
from planoracle.instances.model.violations import Replay
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.feedback import span
from planoracle.instances.protocol.plan import Plan, Targets
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.run import Run
from planoracle.instances.protocol.simulator import Step

_C = TypeVar("_C")
_R = TypeVar("_R", bound=Rules)

# Limit of memory: every point stores all of its pieces.
_MAX_PIECES = 2_000


@dataclass(frozen=True, slots=True)
class DecisionPoint:
    """Point of a run at which a decision is made.

    Attributes
    ----------
    instance
        Problem by which the rest of the run is planned.
    state
        Partially executed schedule and current time.
    lost
        Ticks that passed while the time of ``state`` stood still.
    reached
        Makespan of the executed pieces.
    over
        Reason why the run has ended, if it has.
    dead_end
        True if carrying out the remaining actions is no success. Ways to undo actions are not searched.
    """

    instance: Instance
    state: PartialSchedule = field(default_factory=PartialSchedule)
    lost: int = 0
    reached: int = 0
    over: str | None = None
    dead_end: bool = False

    @property
    def complete(self) -> bool:
        """True if every action has been started and nothing remains to decide."""
        work = dict.fromkeys(self.instance.by_id, 0)
        pieces = dict.fromkeys(self.instance.by_id, 0)
        for piece in self.state.pieces:
            work[piece.action] += piece.duration
            pieces[piece.action] += 1
        actions = self.instance.actions
        return all(pieces[action.id] and work[action.id] >= action.duration for action in actions)


@dataclass(frozen=True, slots=True)
class Move(Step):
    """Step of a run, and the point that it leads to.

    Attributes
    ----------
    after
        Point after the step.
    restricts
        True if the new point only adds to the previous one. Otherwise (a call on a guess) it may be better.
    position, command, kind, start, end, violation
        As in `Step`.
    """

    after: DecisionPoint = field(kw_only=True)
    restricts: bool = True


class LegalAction(NamedTuple):
    """A command that the rules allow in a point, and the point that it leads to.

    Attributes
    ----------
    command
        Text of the command.
    kind
        ``act`` or ``wait``.
    after
        Point after the command.
    """

    command: str
    kind: str
    after: DecisionPoint


class Trajectory(Run[Instance, _C, _R]):
    """A run on a scheduling problem, decision by decision.

    Parameters
    ----------
    problem, rules
        Problem and rules of the run.
    plan
        Plan that was read.
    verdict
        Verdict on the plan.
    """

    def __init__(self, problem: Instance, plan: Plan[_C], rules: _R, verdict: Replay) -> None:
        super().__init__(problem, plan, rules, verdict)
        self._waits: Move | None = None

    @cached_property
    def begin(self) -> DecisionPoint:
        """The point before the first decision."""
        return DecisionPoint(self.problem)

    @abstractmethod
    def _walk(self) -> tuple[Sequence[Move], int]:
        """Return all decisions, and their number up to the point from which the run is completed."""

    @cached_property
    def _walked(self) -> tuple[tuple[Move, ...], int]:
        moves, stop = self._walk()
        return tuple(moves), stop

    @property
    def steps(self) -> tuple[Move, ...]:
        """All decisions up to the end of the run."""
        moves, stop = self._walked
        return moves if self._waits is None else (*moves[:stop], self._waits)

    @property
    def stop(self) -> int:
        """Number of decisions up to the point from which the run would have to be completed."""
        return self._walked[1] + (self._waits is not None)

    @property
    def points(self) -> tuple[DecisionPoint, ...]:
        """Points before the first and after every decision."""
        return (self.begin, *(move.after for move in self.steps))

    @property
    def grid(self) -> int:
        """Greatest common divisor of all times in the run, in ticks; 0 if there are none."""
        times = [move.after.state.clock for move in self.steps]
        for piece in self.points[-1].state.pieces:
            times += [piece.start, piece.duration]
        return gcd(*times)

    @property
    def is_restricted(self) -> bool:
        """True if the rules may refuse a schedule that the problem allows, so that completions are replayed."""
        return False

    def accepts(self, pieces: Sequence[Piece]) -> bool:
        """Return True if the rules accept a schedule of these pieces; only a restricted run asks."""
        return True

    def lost_at(self, count: int) -> str | None:
        """Return ``over`` or ``spoiled`` after ``count`` decisions, see `Run.lost_at`."""
        point = self.points[count]
        if point.over is not None:
            return "over"
        return "spoiled" if point.dead_end else None

    def wait_until(self, clock: int) -> None:
        """Let time pass at the end of the run, see `Run.wait_until`."""
        point = self.points[self.stop]
        now = point.state.clock
        if registry.of(self.problem).waits_are_commands:
            super().wait_until(clock)
        if isinstance(clock, bool) or not isinstance(clock, int) or clock < now:
            raise InputError(f"must be a whole number of ticks, at least {now}", field="clock", value=clock)
        if clock > now:
            words = wait_words(self.problem, clock - now)
            self._waits = Move(self._walked[1], words, "wait", now, clock, after=waited(point, clock))

    @abstractmethod
    def completed(self, count: int, rest: Schedule) -> tuple[str, Replay]:
        """Return the run's commands up to a decision, with the rest of a schedule after them, and its replay."""

    @abstractmethod
    def commands(self, point: DecisionPoint, rest: Schedule) -> list[str]:
        """Return the commands, as texts, that carry out the rest of a schedule from a point."""

    @abstractmethod
    def legal(self, point: DecisionPoint, step: int) -> Iterator[LegalAction]:
        """Yield the commands that the rules allow at the clock of a point; waits last one ``step``."""

    @abstractmethod
    def targets(self) -> Targets:
        """Return the wanted piece of every action, executed or not."""


def clock_after(instance: Instance, piece: Piece) -> int:
    """Return the earliest time of a command after a piece: its start, or when a lone agent is free.

    With several agents, or actions that need nobody, something else can still start while the piece runs. Until then
    undecided actions cost nothing, so regret may be attributed to the wait that follows instead of the piece.
    """
    action = instance.by_id[piece.action]
    if len(instance.agents) > 1 or piece.agent is None or any(step.agents == () for step in instance.actions):
        return piece.start
    return piece.start + (piece.duration if action.interruptible and action.attended else action.attended)


def started(point: DecisionPoint, piece: Piece) -> DecisionPoint:
    """Return the point after the start of a piece; a piece without length only takes time.

    Raises
    ------
    PlanError
        If there are far too many pieces.
    """
    instance, pieces = point.instance, point.state.pieces
    if piece.duration or not instance.by_id[piece.action].duration:
        pieces = (*pieces, piece)
    if len(pieces) > _MAX_PIECES:
        raise PlanError(f"contains more than {_MAX_PIECES} executed pieces", field="plan")
    clock = max(point.state.clock, piece.start, clock_after(instance, piece))
    reached = max(point.reached, piece.end + point.lost)
    return DecisionPoint(instance, PartialSchedule(pieces, clock), point.lost, reached)


def piece_choices(
    point: DecisionPoint, step: int, only: Container[str] | None = None
) -> Iterator[tuple[Piece, DecisionPoint]]:
    """Yield every possible piece at the clock, legal or not; with ``only``, of these actions.

    Pieces of interruptible actions have lengths that are multiples of ``step``, or the remaining length.
    """
    instance, state = point.instance, point.state
    done = dict.fromkeys(instance.by_id, 0)
    first: dict[str, Piece] = {}
    for piece in state.pieces:
        done[piece.action] += piece.duration
        first.setdefault(piece.action, piece)
    for action in instance.actions:
        remaining = action.duration - done[action.id]
        if (action.id in first and not remaining) or (only is not None and action.id not in only):
            continue
        lengths = [*range(step, remaining, step), remaining] if action.interruptible else [remaining]
        modes = [first[action.id].mode] if action.id in first else range(len(action.modes))
        for agent in instance.eligible(action) or (None,):
            for mode in modes:
                for length in lengths:
                    piece = Piece(action.id, state.clock, length, agent, mode)
                    yield piece, started(point, piece)


def waited(point: DecisionPoint, until: int) -> DecisionPoint:
    """Return the point after a wait until a time.

    Parameters
    ----------
    point
        Point at which the wait begins.
    until
        Tick at which it ends.
    """
    state = PartialSchedule(point.state.pieces, until)
    return DecisionPoint(point.instance, state, point.lost, point.reached)


def wait_words(instance: Instance, ticks: int) -> str:
    """Name a wait.

    Parameters
    ----------
    instance
        Problem, whose unit names the ticks.
    ticks
        Length of the wait.
    """
    return f"wait {span(instance, ticks)}"


@ProblemCache
def limited(problem: Instance, limit: int | None) -> Instance:
    """Return a problem with another time limit; the same object for equal arguments."""
    return problem if limit == problem.time_limit else replace(problem, time_limit=limit)


#: Any run on a scheduling problem, whatever its benchmark.
AnyTrajectory: TypeAlias = Trajectory[Any, Any]
